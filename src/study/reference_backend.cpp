// Backend `reference`: what `cartan run` computes, run by run.
//
// A system belongs to one set of parameters. Where only initial values vary, and no constraint
// makes the start of a run another than the one written down, one system per worker serves all
// runs.
#include <cmath>

#include "formulations/formulations.h"
#include "mechanics/tree/tree_report.h"
#include "mechanics/variables/variables.h"
#include "study/backend.h"
#include "study/kept_values.h"
#include "study/run_parameters.h"

namespace cartan::study {
namespace {

class ReferenceWorker final : public BlockWorker {
 public:
  explicit ReferenceWorker(const Study& study) : study_(study), kept_(study), parameters_(study) {
    for (const StudyInput& input : study.inputs) {
      const bool joint = input.target.kind == VaryTarget::Kind::position ||
                         input.target.kind == VaryTarget::Kind::speed;
      system_serves_all_ &= !input.target.is_parameter() && joint == !study.model->bodies.empty();
    }
    inputs_.resize(study.inputs.size());
    options_.integrator = study.integrator;
    options_.every = study.model->simulate.every.value_or(options_.every);
    const bool steps = kept_.wants_steps(), events = kept_.wants_events();
    if (steps) observer_.on_step = [this](const DenseStep& step) { kept_.take_step(step); };
    if (events) observer_.on_event = [this](const EventRecord& event) { kept_.take_event(event); };
  }

  bool compute(Block& block, const std::atomic<bool>& stop) override {
    options_.stop_requested = &stop;
    block.clear(block.first, block.count, static_cast<std::uint32_t>(study_.kept.size()));
    for (std::uint32_t place = 0; place < block.count; ++place) {
      run(block, place);
      if (stop.load(std::memory_order_relaxed)) return false;
    }
    return true;
  }

 private:
  void run(Block& block, std::uint32_t place) {
    std::string problem;
    const std::uint64_t number = block.first + place;
    study_.design.fill(number, inputs_);
    if (!prepare(problem)) return fail(block, place, RunOutcome::bad_numbers, std::move(problem));
    kept_.begin(start_);
    std::unique_ptr<MotionLog> motion;
    observer_.on_sample = nullptr;
    if (study_.keeps_trajectory(number)) {
      motion = study_.make_motion_log(*system_);
      observer_.on_sample = [&motion](const State& state) { motion->take(state); };
    }
    SimulateReport report = simulate(*system_, start_, options_, observer_);
    if (motion) block.trajectories.emplace_back(place, motion->take_text());
    const RunOutcome outcome = outcome_of(report.status);
    if (is_failure(outcome)) return fail(block, place, outcome, std::move(report.message));
    block.outcomes[place] = outcome;
    kept_.finish(
        report.final_state,
        std::span(block.values).subspan(std::size_t{place} * block.columns, block.columns));
  }

  static void fail(Block& block, std::uint32_t place, RunOutcome outcome, std::string message) {
    block.outcomes[place] = outcome;
    block.messages.emplace_back(place, std::move(message));
  }

  // The system, the start and the settings of a run with these inputs.
  bool prepare(std::string& problem) {
    const Model& model = *study_.model;
    for (std::size_t k = 0; k < inputs_.size(); ++k)
      if (!std::isfinite(inputs_[k])) {
        problem = "the input '" + study_.inputs[k].name + "' is not a finite number";
        return false;
      }
    const std::vector<double>& parameters = parameters_.fill(inputs_);
    if (!system_ || !system_serves_all_ || system_->constrained()) {
      if (problem = parameters_.find_bad_mass(); !problem.empty()) return false;
      system_ = make_system(model, parameters, study_.formulation, problem);
      if (!system_) return false;
      kept_.use(*system_);
      start_ = system_->initial_state();
    } else {
      write_start(parameters);
    }
    choose(model.simulate.duration, parameters, options_.duration);
    if (study_.instant) options_.duration = 0;
    choose(model.simulate.step, parameters, options_.step);
    choose(model.simulate.tolerance, parameters, options_.tolerance);
    return true;
  }

  static void choose(const Formula& formula, const std::vector<double>& parameters,
                     double& setting) {
    if (formula.given()) setting = evaluate<double>(formula, parameters)[0];
  }

  // The file's start with other initial values.
  void write_start(const std::vector<double>& parameters) {
    const Model& model = *study_.model;
    const auto* mechanism = dynamic_cast<const MechanicalSystem*>(system_.get());
    if (!mechanism) {
      for (const StudyInput& input : study_.inputs)
        start_.x[static_cast<std::size_t>(input.target.index)] = parameters[input.parameter];
      return;
    }
    q_.resize(model.joints.size());
    v_.resize(model.joints.size());
    for (const StudyInput& input : study_.inputs) {
      const auto j = static_cast<std::size_t>(input.target.index);
      if (input.target.kind == VaryTarget::Kind::position)
        q_[j] = initial_position<double>(model.joints[j], parameters);
      else
        v_[j] = initial_velocity<double>(model.joints[j], parameters);
    }
    start_ = mechanism->make_state(0, q_, v_);
  }

  const Study& study_;
  KeptValues kept_;
  RunParameters parameters_;
  std::vector<double> inputs_;
  bool system_serves_all_ = true;  // only initial values of joints vary, or of variables alone
  std::unique_ptr<System> system_;
  State start_;
  std::vector<std::optional<std::vector<double>>> q_, v_;
  SimulateOptions options_;
  Observer observer_;
};

class ReferenceBackend final : public Backend {
 public:
  explicit ReferenceBackend(const Study& study) : study_(study) {}
  std::string name() const override { return "reference"; }
  std::unique_ptr<BlockWorker> make_worker() const override {
    return std::make_unique<ReferenceWorker>(study_);
  }

 private:
  const Study& study_;
};

}  // namespace

std::unique_ptr<Backend> make_reference_backend(const Study& study, std::string& problem) {
  const Model& model = *study.model;
  std::unique_ptr<System> system =
      make_system(model, parameter_values(model), study.formulation, problem);
  if (!system) {  // the file's numbers may be bad where those of the runs are good
    std::vector<double> values(study.inputs.size());
    std::vector<int> which;
    for (const StudyInput& input : study.inputs) which.push_back(input.parameter);
    study.design.fill(0, values);
    std::string again;
    system = make_system(model, parameter_values(model, which, values), study.formulation, again);
    if (!system) return nullptr;
  }
  problem = refuse_integrator(study.integrator, *system);
  if (!problem.empty()) return nullptr;
  return std::make_unique<ReferenceBackend>(study);
}

}  // namespace cartan::study
