#include "results/compare/reference.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <fmt/core.h>

#include "analysis/flow.h"
#include "analysis/tangents.h"
#include "formulations/formulations.h"

namespace cartan::results {
namespace {

constexpr int samples = 100;                                  // of every motion, on the same grid
constexpr double tolerance = 1e-13, other_tolerance = 3e-13;  // of dop853
constexpr double longer_steps = 1.5;  // of gl8 (order 16) beside those of dop853 (order 8)
constexpr double doubt = 10;          // how much further apart two methods may be than they say
constexpr double useless = 1e-3;      // an error that leaves nothing to be compared
constexpr int most_numbers = 400;     // of a state whose displacements are followed

// How far two motions are apart at the end; were it small there by chance, what it was shortly
// before would tell.
double error_of(const Separation& separation) {
  return std::max(separation.at_end, 0.1 * separation.late);
}

// Two motions by one method.
struct Twins {
  MethodRun run;
  std::string how;
  Separation separation;
  bool ok = false;
  double error() const { return error_of(separation); }
};

class ReferenceMaker {
 public:
  ReferenceMaker(const Model& model, const ComparisonPlan& plan) : model_(model), plan_(plan) {}

  ReferenceMotion make() {
    ReferenceMotion result;
    Twins explicit_one = make_adaptive();
    if (!explicit_one.ok) {
      result.failure = explicit_one.run.report.message;
      return result;
    }
    Twins implicit_one = make_fixed(explicit_one.run.report.steps);
    Twins& best = implicit_one.ok && implicit_one.error() < explicit_one.error() ? implicit_one
                                                                                 : explicit_one;
    result.error = best.error();
    std::optional<double> lost = best.separation.lost;
    if (implicit_one.ok) {
      const Separation between =
          compare_paths(explicit_one.run.path.places(), implicit_one.run.path.places());
      if (between.late >
          doubt * (explicit_one.separation.late + implicit_one.separation.late) + 1e-12)
        result.error = error_of(between);
      if (between.lost) lost = lost ? std::min(*lost, *between.lost) : between.lost;
    }
    result.growth = calc_growth();
    if (lost || result.error > useless * std::max(1.0, best.separation.size))
      result.chaotic_from = find_useful_end(explicit_one, implicit_one);
    result.how = (model_.is_mechanism() ? "recursive, " : "") + best.how;
    if (implicit_one.ok)
      result.how +=
          fmt::format(" (beside {})", &best == &implicit_one ? explicit_one.how : implicit_one.how);
    result.run = std::move(best.run);
    return result;
  }

 private:
  SimulateOptions options() const {
    SimulateOptions options;
    options.duration = plan_.duration;
    options.step = std::max(plan_.duration / samples, 1e-300);
    options.stop_requested = plan_.stop_requested;
    return options;
  }
  MethodRun run(const SimulateOptions& options) const {
    return run_method(model_, "recursive", {}, options);
  }

  Twins make_adaptive() const {
    Twins twins;
    SimulateOptions o = options();
    o.integrator = "dop853";
    o.tolerance = tolerance;
    twins.run = run(o);
    if (!twins.run.report.ok()) return twins;
    o.tolerance = other_tolerance;
    const MethodRun other = run(o);
    if (!other.report.ok()) {
      twins.run.report = other.report;
      return twins;
    }
    twins.how = fmt::format("dop853 with tolerance {:g}", tolerance);
    twins.separation = compare_paths(twins.run.path.places(), other.path.places());
    twins.ok = true;
    return twins;
  }

  // Steps that divide the sampling interval: k in one motion, k + 1 (at least a quarter more) in
  // the other.
  Twins make_fixed(long adaptive_steps) const {
    Twins twins;
    if (!(plan_.duration > 0)) return twins;
    const long per_sample = std::max(
        1L, std::lround(static_cast<double>(adaptive_steps) / (longer_steps * samples) + 0.5));
    const long more = per_sample + std::max(1L, per_sample / 4);
    SimulateOptions o = options();
    const double interval = o.step;
    o.integrator = "gl8";
    o.step = interval / static_cast<double>(per_sample);
    o.every = static_cast<int>(per_sample);
    MethodRun other = run(o);
    o.step = interval / static_cast<double>(more);
    o.every = static_cast<int>(more);
    twins.run = run(o);
    twins.ok = twins.run.report.ok() && other.report.ok() && twins.run.refusal.empty();
    if (!twins.ok) return twins;
    twins.how = fmt::format("gl8 with step {:.3g}", o.step);
    twins.separation = compare_paths(twins.run.path.places(), other.path.places());
    return twins;
  }

  // The last sample at which the motions still agree to what is useful.
  static double find_useful_end(const Twins& a, const Twins& b) {
    const std::vector<Place>&first = a.run.path.places(),
          &second = b.ok ? b.run.path.places() : first;
    double last = first.front().t;
    const double limit = useless * std::max(a.separation.size, 1e-300);
    for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i) {
      if (distance(first[i], second[i]) > limit) break;
      last = first[i].t;
    }
    return last;
  }

  // One displacement in a fixed arbitrary direction: it soon lies along what grows most.
  std::optional<double> calc_growth() const {
    std::string problem;
    const auto system = make_system(model_, parameter_values(model_), "recursive", problem);
    if (!system || !refuse_flow(*system).empty() || system->space().size() > most_numbers)
      return std::nullopt;
    const State start = system->initial_state();
    const Eigen::MatrixXd B = allowed_directions(*system, start, *system->make_workspace());
    if (B.cols() == 0) return std::nullopt;
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    Eigen::VectorXd y(B.cols());
    for (double& entry : y) entry = normal(random);
    FlowOptions flow_options;
    flow_options.tolerance = 1e-8;
    flow_options.stop_requested = plan_.stop_requested;
    Flow flow(*system, 1, {}, flow_options);
    flow.start(start, (B * y).normalized());
    double smallest = 0, log_size = 0;  // logarithms, relative to the start
    for (int k = 1; k <= samples; ++k) {
      if (!flow.advance(start.t + plan_.duration * k / samples).empty()) return std::nullopt;
      const Eigen::MatrixXd column = flow.columns();
      const double size = column.norm();
      if (!(size > 0) || !std::isfinite(size)) return std::nullopt;
      log_size += std::log(size);
      smallest = std::min(smallest, log_size);
      flow.set_columns(column / size);
    }
    // six digits of a rough figure: the last ones of such sums depend on where numbers lie in
    // memory
    return std::stod(fmt::format("{:.5e}", std::exp(log_size - smallest)));
  }

  const Model& model_;
  const ComparisonPlan& plan_;
};

}  // namespace

ReferenceMotion make_reference(const Model& model, const ComparisonPlan& plan) {
  return ReferenceMaker(model, plan).make();
}

}  // namespace cartan::results
