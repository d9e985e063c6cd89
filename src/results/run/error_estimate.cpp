#include "results/run/error_estimate.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include <fmt/core.h>

#include "expr/lowest_jump.h"

namespace cartan::results {
namespace {

constexpr double margin = 2;                // fixed steps
constexpr double follows_tolerance = 0.78;  // error control: the error goes with this power of it
// Below either there is nothing that steps could change: metres or radians, part of the motion.
constexpr double rounding_level = 3e-12, rounding_part = 1e-14;
constexpr int multistep_order = 4;  // about what SUNDIALS uses
constexpr double loosest_tolerance = 0.01;
constexpr double beyond_order = 16;  // how much larger than by its order the error of a step may be
constexpr long few_steps = 100;
constexpr int most_samples = 500, most_interval = 1 << 29;

struct SecondRun {
  SimulateOptions options;
  double ratio = 1;  // of the errors of the two runs
  std::string what;  // "step 0.03"
};

// A sample between the ends of a step costs further evaluations, and the path between start and end
// only tells whether the motion is chaotic.
void thin_out(SimulateOptions& options, const SimulateReport& report) {
  const double enough = std::min<double>(most_samples, static_cast<double>(report.steps) / 4);
  while (options.duration / (options.step * options.every) > enough &&
         options.every < most_interval)
    options.every *= 2;
}

// Two steps at a time; error control only catches what went wrong beyond the order.
SecondRun follow_steps(const FirstRun& first, const IntegratorInfo& method) {
  SecondRun second{first.options, 1, "steps twice as long"};
  second.options.follow = &first.mesh;
  second.options.tolerance = std::min(
      loosest_tolerance, beyond_order * std::pow(2.0, method.order) * first.report.tolerance);
  second.ratio = first.mesh.calc_growth(
      second.options.together, std::min(method.order, first.order_limit.value_or(method.order)));
  thin_out(second.options, first.report);
  return second;
}

SecondRun loosen_tolerance(const FirstRun& first, const IntegratorInfo& method, bool timid) {
  SecondRun second{first.options, 1, ""};
  const SimulateReport& report = first.report;
  const int order = method.order > 0 ? method.order : multistep_order;
  // of few steps most begin the motion anew, which takes the same in both runs
  const double bold = std::pow(2.0, report.steps < few_steps ? order + 5 : order + 3);
  const double factor = std::min(timid ? 10 : bold, loosest_tolerance / report.tolerance);
  second.options.tolerance = factor * report.tolerance;
  second.ratio = std::pow(factor, follows_tolerance);
  second.what = fmt::format("tolerance {:.2g}", second.options.tolerance);
  thin_out(second.options, report);
  return second;
}

// Implicit methods iterate more where steps are longer; their stages need not be solved better than
// the difference of the runs is to be known.
SecondRun lengthen_steps(const FirstRun& first, const IntegratorInfo& method, bool timid) {
  SecondRun second{first.options, 1, ""};
  const double factor = timid ? 1.5 : method.implicit ? 3 : 2;
  if (method.implicit)
    second.options.tolerance = std::max(first.report.tolerance, method.order > 4   ? 3e-11
                                                                : method.order > 2 ? 1e-12
                                                                                   : 1e-13);
  second.options.step = factor * first.options.step;
  second.options.follow = &first.mesh;
  const bool limited = first.order_limit.value_or(method.order) < method.order;
  second.ratio = limited ? std::pow(factor, *first.order_limit)
                         : (std::pow(factor, method.order) - 1) / margin + 1;
  second.what = fmt::format("step {:.3g} s", second.options.step);
  return second;
}

// `timid`: closer to the first run, where a bold one has failed.
SecondRun plan_second_run(const FirstRun& first, bool timid) {
  const IntegratorInfo& method = *find_integrator(first.options.integrator);
  if (!method.adaptive || first.options.fixed_step) return lengthen_steps(first, method, timid);
  const bool known = method.order > 0 && first.mesh.whole() && !first.mesh.empty();
  return known && !timid ? follow_steps(first, method) : loosen_tolerance(first, method, timid);
}

double rounding_of(const Separation& apart) {
  return std::max(rounding_level, rounding_part * apart.size);
}

ErrorEstimate say(std::string how, long evaluations = 0) {
  return {std::nullopt, std::move(how), evaluations};
}

// An impact more or less is no small error: no power of the steps tells how the motions differ.
ErrorEstimate tell_impacts(long mine, long others, const SecondRun& second) {
  return say(fmt::format("none: this run has {} impact{}, a second run with {} has {}", mine,
                         mine == 1 ? "" : "s", second.what, others));
}

ErrorEstimate judge(const Separation& apart, const SecondRun& second) {
  if (apart.lost && apart.exponential)
    return say(fmt::format(
        "chaotic: a second run with {} has nothing in common with this one from t = {:.3g} s on",
        second.what, *apart.lost));
  if (apart.lost)
    return {apart.at_end,
            fmt::format("a second run with {} has nothing in common with this one from t = {:.3g} "
                        "s on: both are too coarse",
                        second.what, *apart.lost)};
  const double error = apart.at_end / (second.ratio - 1);
  if (error < rounding_of(apart))
    return say(fmt::format("at rounding level (second run with {})", second.what));
  return {error, fmt::format("second run with {}", second.what)};
}

struct SecondMotion {
  SimulateReport report;
  Separation apart;
  bool chaotic = false;  // given up
};

SecondMotion run_second(const System& system, const State& start, const SecondRun& second,
                        const std::vector<Place>& mine, PlaceReader& place,
                        const std::function<void(double)>& on_progress) {
  SeparationWatch apart(mine);
  SimulateOptions options = second.options;
  std::atomic<bool> stop = false;
  Observer observer;
  observer.on_progress = on_progress;
  observer.on_sample = [&](const State& state) {
    if (apart.wants(state.t)) apart.add(place(state));
    if (apart.is_chaotic()) stop = true;
  };
  observer.on_step = [&](const DenseStep&) {
    const std::atomic<bool>* asked = second.options.stop_requested;
    if (asked && asked->load(std::memory_order_relaxed)) stop = true;
  };
  options.stop_requested = &stop;
  SecondMotion other{simulate(system, start, options, observer), {}, false};
  other.apart = apart.result(place(other.report.final_state));
  other.chaotic = other.report.status == RunStatus::cancelled && apart.is_chaotic();
  return other;
}

}  // namespace

std::optional<int> find_order_limit(const Model& model, bool located) {
  std::optional<int> limit;
  const auto look = [&](int more) {
    return [&limit, located, more](const Formula& formula) {
      if (!formula.given()) return;
      const auto jump = find_lowest_jump(formula.program, located);
      if (jump) limit = std::max(1, std::min(limit.value_or(*jump + more), *jump + more));
    };
  };
  const auto of_rate = look(1), of_position = look(-1);
  of_rate(model.gravity);
  for (const Force& force : model.forces) for_each_expression(force, of_rate);
  // derived twice
  for (const auto& constraint : model.constraints) for_each_expression(constraint, of_position);
  for (const auto& variable : model.variables) of_rate(variable.rate);
  if (model.implicit) of_rate(model.implicit->form);
  return limit;
}

ErrorEstimate estimate_error(const System& system, const State& start, const FirstRun& first,
                             const std::function<void(double)>& on_progress) {
  if (first.options.duration <= 0) return say("there is no motion");
  PlaceReader place(system);
  std::vector<Place> mine = first.path.places();
  mine.push_back(place(first.report.final_state));
  std::string failure;
  long evaluations = 0;
  for (const bool timid : {false, true}) {
    const SecondRun second = plan_second_run(first, timid);
    if (!(second.ratio > 1.2))
      return say(second.options.follow
                     ? "none: between changes of the motion there is hardly more than one step"
                     : "none: the tolerance leaves no room for a second run with a larger one");
    const SecondMotion other = run_second(system, start, second, mine, place, on_progress);
    const SimulateReport& coarse = other.report;
    evaluations += coarse.counts.evaluations;
    if (coarse.status == first.report.status || other.chaotic) {
      ErrorEstimate result = judge(other.apart, second);
      if (coarse.impacts != first.report.impacts && !other.chaotic &&
          other.apart.at_end > rounding_of(other.apart))
        result = tell_impacts(first.report.impacts, coarse.impacts, second);
      result.evaluations = evaluations;
      return result;
    }
    failure = fmt::format("none: a second run with {} {}", second.what,
                          coarse.ok() ? "ends in another way" : "failed: " + coarse.message);
    if (coarse.status == RunStatus::cancelled) break;
  }
  return say(failure, evaluations);
}

}  // namespace cartan::results
