#include "results/run/controlled_inputs.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "mechanics/machine/mechanism_system.h"
#include "results/load/state_file.h"
#include "results/refusal.h"
#include "results/run/assembly_report.h"
#include "results/run/run_settings.h"
#include "results/run/stabilisation.h"
#include "results/task.h"

namespace cartan::results {
namespace {

class ControlledMotion {
 public:
  ControlledMotion(const ModelArguments& source, const api::RunOptions& o)
      : options_(o),
        model_(load_model(source, o.watch)),
        settings_(choose_settings({o.formulation, o.integrator, o.step, o.duration, o.tolerance,
                                   o.spectral_radius, o.every, o.norm, o.iteration},
                                  *model_)),
        numbers_(parameter_values(*model_)) {
    settings_.simulate.stop_requested = o.watch.stop;
    for (std::size_t i = 0; i < model_->parameters.size(); ++i)
      if (model_->is_input(static_cast<int>(i))) inputs_.push_back(i);
    if (inputs_.empty())
      refuse_at(model_->file,
                "a controller gives values to [inputs], and there are none left open");
    make_system_now();
    state_ = system_->initial_state();
    if (!o.from.empty()) read_start();
  }

  ControlledInputs run(double period, const Controller& controller) {
    ControlledInputs found;
    for (const std::size_t i : inputs_) found.names.push_back(model_->parameters[i].name);
    found.columns.resize(inputs_.size());
    const double begin = state_.t, end = begin + settings_.simulate.duration;
    Task task(options_.watch, "asking the controller");
    for (long k = 1; state_.t < end; ++k) {
      give(controller(*model_, *system_, state_), found);
      const double next = begin + static_cast<double>(k) * period;
      // a rest shorter than rounding is no interval
      if (!advance(next < end - 1e-9 * period ? next : end)) break;
      task.show((state_.t - begin) / settings_.simulate.duration);
    }
    found.t.push_back(state_.t);
    for (std::vector<double>& column : found.columns) column.push_back(column.back());
    return found;
  }

 private:
  // As run.cpp makes its system, so that both have the same numbers.
  void make_system_now() {
    std::string problem;
    system_ = make_system(*model_, numbers_, settings_.formulation, problem);
    if (!system_) refuse_at(model_->file, problem);
    if (auto* mechanism = dynamic_cast<MechanicalSystem*>(system_.get())) mechanism->split_work();
    stabilise(options_.stabilisation, *system_, settings_.simulate);
    choose_row_axes("run", options_.rows, *system_);
  }

  void read_start() {
    const StateValues values = read_state(options_.from, *model_);
    state_ = make_start(*system_, values);
    const auto* mechanism = dynamic_cast<const MechanicalSystem*>(system_.get());
    if (!mechanism || !mechanism->constrained()) return;
    const auto workspace = mechanism->make_workspace();
    const AssemblyReport report =
        mechanism->assemble(state_, written_start(values.q, values.v), *workspace);
    if (!report.problem.empty()) refuse_at("state", report.problem);
  }

  void give(const std::vector<double>& values, ControlledInputs& found) {
    if (values.size() != inputs_.size())
      refuse_at(model_->file,
                fmt::format("the controller gave {} numbers at t = {:g}; expected {}: {}",
                            values.size(), state_.t, inputs_.size(), fmt::join(found.names, ", ")));
    bool changed = false;
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (!std::isfinite(values[k]))
        refuse_at(model_->file, fmt::format("the controller gave {} for '{}' at t = {:g}; expected "
                                            "a finite number",
                                            values[k], found.names[k], state_.t));
      changed |= numbers_[inputs_[k]] != values[k];
      numbers_[inputs_[k]] = values[k];
      found.columns[k].push_back(values[k]);
    }
    found.t.push_back(state_.t);
    if (changed) make_system_now();
  }

  // False: an event has ended the motion.
  bool advance(double to) {
    SimulateOptions options = settings_.simulate;
    options.duration = to - state_.t;
    options.step = std::min(options.step, options.duration);
    const SimulateReport report = simulate(*system_, state_, options, Observer{});
    if (!report.ok()) fail_at(model_->file, report.message);
    state_ = report.final_state;
    if (report.status != RunStatus::completed) return false;
    state_.t = to;
    return true;
  }

  const api::RunOptions& options_;
  std::unique_ptr<const Model> model_;
  RunSettings settings_;
  std::vector<double> numbers_;  // parameters and inputs
  std::vector<std::size_t> inputs_;
  std::unique_ptr<System> system_;
  State state_;
};

}  // namespace

ControlledInputs find_controlled_inputs(const ModelArguments& model, const api::RunOptions& options,
                                        double period, const Controller& controller) {
  if (!(period > 0) || !std::isfinite(period))
    refuse_at("cartan run", "the time between two calls of a controller must be positive");
  check_stabilisation("run", options.stabilisation);
  check_row_axes("run", options.rows);
  return ControlledMotion(model, options).run(period, controller);
}

}  // namespace cartan::results
