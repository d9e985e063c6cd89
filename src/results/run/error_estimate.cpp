#include "results/run/error_estimate.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

namespace cartan::results {
namespace {

constexpr double margin = 2;                // fixed steps
constexpr double follows_tolerance = 0.78;  // error control: the error goes with this power of it
// Below either there is nothing that steps could change: metres or radians, part of the motion.
constexpr double rounding_level = 3e-12, rounding_part = 1e-14;
constexpr int multistep_order = 4;  // about what SUNDIALS uses
constexpr double loosest_tolerance = 0.01;
constexpr long few_steps = 100;
constexpr int most_samples = 500, most_interval = 1 << 29;

struct SecondRun {
  SimulateOptions options;
  double ratio = 1;  // of the errors of the two runs
  std::string what;  // "step 0.03"
};

// `timid`: closer to the first run, where a bold one has failed.
SecondRun plan_second_run(const SimulateOptions& first, const SimulateReport& report, bool timid) {
  const IntegratorInfo& method = *find_integrator(first.integrator);
  SecondRun second{first, 1, ""};
  if (method.adaptive && !first.fixed_step) {
    const int order = method.order > 0 ? method.order : multistep_order;
    // of few steps most begin the motion anew, which takes the same in both runs
    const double bold = std::pow(2.0, report.steps < few_steps ? order + 5 : order + 3);
    const double factor = std::min(timid ? 10 : bold, loosest_tolerance / report.tolerance);
    second.options.tolerance = factor * report.tolerance;
    second.ratio = std::pow(factor, follows_tolerance);
    // a sample between the ends of a step costs further evaluations, and the path between start
    // and end only tells whether the motion is chaotic
    const double count = first.duration / (first.step * first.every);
    const double enough = std::min<double>(most_samples, static_cast<double>(report.steps) / 4);
    while (count / (second.options.every / first.every) > enough &&
           second.options.every < most_interval)
      second.options.every *= 2;
    second.what = fmt::format("tolerance {:.2g}", second.options.tolerance);
    return second;
  }
  // Implicit methods iterate more where steps are longer; their stages need not be solved better
  // than the difference of the runs is to be known.
  const double factor = timid ? 1.5 : method.implicit ? 3 : 2;
  if (method.implicit)
    second.options.tolerance = std::max(report.tolerance, method.order > 4   ? 3e-11
                                                          : method.order > 2 ? 1e-12
                                                                             : 1e-13);
  second.options.step = factor * first.step;
  second.ratio = (std::pow(factor, method.order) - 1) / margin + 1;
  second.what = fmt::format("step {:.3g} s", second.options.step);
  return second;
}

ErrorEstimate say(std::string how, long evaluations = 0) {
  return {std::nullopt, std::move(how), evaluations};
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
  if (error < std::max(rounding_level, rounding_part * apart.size))
    return say(fmt::format("at rounding level (second run with {})", second.what));
  return {error, fmt::format("second run with {}", second.what)};
}

}  // namespace

ErrorEstimate estimate_error(const System& system, const State& start,
                             const SimulateOptions& options, const SimulateReport& report,
                             const Path& path, const std::function<void(double)>& on_progress) {
  if (options.duration <= 0) return say("there is no motion");
  PlaceReader place(system);
  std::vector<Place> mine = path.places();
  mine.push_back(place(report.final_state));
  std::string failure;
  long evaluations = 0;
  for (const bool timid : {false, true}) {
    const SecondRun second = plan_second_run(options, report, timid);
    if (!(second.ratio > 1.2))
      return say("none: the tolerance leaves no room for a second run with a larger one");
    Path other;
    Observer observer;
    observer.on_progress = on_progress;
    observer.on_sample = [&](const State& state) {
      if (other.wants()) other.add(place(state));
    };
    const SimulateReport coarse = simulate(system, start, second.options, observer);
    evaluations += coarse.counts.evaluations;
    if (coarse.status == report.status) {
      std::vector<Place> its = other.places();
      its.push_back(place(coarse.final_state));
      ErrorEstimate result = judge(compare_paths(mine, its), second);
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
