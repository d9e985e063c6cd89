// Branches of orbits, those that cross them, and those of twice the period.
#include <cmath>

#include <fmt/format.h>

#include "analysis/expansions/doubling_form.h"
#include "mechanics/machine/parameter_seeds.h"
#include "mechanics/machine/state_expression.h"
#include "results/orbits/branch_work.h"
#include "results/orbits/swap.h"

namespace cartan::results {
namespace {

constexpr int most_doublings = 3;  // one after the other
constexpr const char* energy = "kinetic + potential";

class OrbitSearch : public BranchWork {
 public:
  using BranchWork::BranchWork;

  BranchDiagram run() {
    if (parameter_ < 0 && request_.driven)
      refuse_branch("--driven: the parameter must be an entry of [parameters]");
    std::string problem;
    const std::shared_ptr<System> system = make_at(request_.from, problem);
    const std::vector<std::string> holds = choose_holds(*system);
    OrbitSetting setting = orbit_setting(holds);
    double period = 0;
    read_period(setting, period);
    const auto workspace = system->make_workspace();
    for (const std::string& text : holds)
      setting.hold_values.push_back(
          make_state_function(*system, model(), text, problem)->value(start_, *workspace));
    diagram_.held.assign(holds.begin(), holds.end() - (parameter_ < 0 ? 1 : 0));
    if (!request_.swap.empty())
      setting.family.options.problem.swap = read_swap("continue", *system, request_.swap);
    const auto orbits = std::make_unique<OrbitContinuation>(setting);
    ContinuationPoint point;
    problem = find_first_orbit(setting, *orbits, period, point);
    if (!problem.empty())
      fail_branch(fmt::format("there is no branch to follow at {} = {:g}: {}", request_.parameter,
                              request_.from, problem));
    set_systems();
    Branch branch = follow(*orbits, point);
    add(std::move(branch), true, "");
    if (!request_.follow_crossings || diagram_.branches.empty()) {
      for (FoundBifurcation& found : diagram_.bifurcations) expand_doubling(setting, found);
      return std::move(diagram_);
    }
    follow_crossings(*orbits);
    for (std::size_t b = 1; b < diagram_.branches.size(); ++b) diagram_.branches[b].orbits = true;
    for (std::size_t k = 0; k < diagram_.bifurcations.size(); ++k) {
      if (diagram_.bifurcations[k].what.kind != BifurcationKind::period_doubling) continue;
      expand_doubling(setting, diagram_.bifurcations[k]);
      follow_doubling(setting, k);
    }
    return std::move(diagram_);
  }

 private:
  // Without losses and drives there is an orbit for every energy: this one.
  std::vector<std::string> choose_holds(const System& system) {
    std::vector<std::string> holds = request_.holds;
    if (parameter_ < 0)
      holds.push_back(request_.parameter);
    else if (holds.empty() && !request_.driven && model().is_mechanism() &&
             system.quadratures() == 0)
      holds.push_back(energy);
    return holds;
  }

  void read_period(OrbitSetting& setting, double& period) {
    Diagnostics problems("--period");
    const std::optional<Formula> formula = compile_expression(model(), request_.period, problems);
    if (!formula) refuse_branch(problems.text());
    for (const Symbol& symbol : formula->program.inputs)
      if (symbol.quantity != Quantity::parameter)
        refuse_branch("--period: expected a number or an expression of the parameters");
    setting.period = [this, formula = *formula](double p, double& slope) {
      const std::vector<int> which(parameter_ >= 0 ? 1 : 0, parameter_);
      const std::vector<Dual4> seeded = seed_parameters(model(), values_at(p), which, 0);
      const Dual4 result = evaluate<Dual4>(formula, std::span<const Dual4>(seeded))[0];
      slope = which.empty() ? 0 : result.d[0];
      return result.a;
    };
    double slope = 0;
    period = setting.period(request_.from, slope);
    if (!(period > 0) || !std::isfinite(period))
      refuse_branch(fmt::format("--period {}: expected a positive number, got {:g}",
                                request_.period, period));
  }

  void expand_doubling(const OrbitSetting& setting, FoundBifurcation& found) {
    if (found.what.kind != BifurcationKind::period_doubling) return;
    const ContinuationPoint& at = found.what.at.point;
    std::string problem;
    const std::shared_ptr<System> system = make_at(at.parameter(), problem);
    if (!system) return;
    found.form.kind = "period-doubling";
    if (!setting.family.options.problem.swap.empty()) {
      found.form.problem = "the orbit closes up to a swap of its parts";
      return;
    }
    const auto curvature = make_curvature_at(*system, at.parameter(), {});
    found.form = calc_doubling_form(*system, at.states[0], at.numbers[0], request_.driven,
                                    *curvature, setting.family.options.flow);
    found.criticality = found.form.criticality();
  }

  // At the first value of the parameter; where there is no orbit near the start, one at the value
  // in the file, followed to there.
  std::string find_first_orbit(const OrbitSetting& setting, OrbitContinuation& orbits,
                               double period, ContinuationPoint& point) {
    State start = start_;
    std::string problem = leave_event_at(request_.from, setting, period, start);
    if (problem.empty()) problem = orbits.start(start, period, request_.shooting, point);
    const double own = parameter_ >= 0 ? parameter_values(model())[parameter_] : request_.from;
    if (problem.empty() || own == request_.from || !request_.start.empty()) return problem;
    OrbitSetting approach = setting;
    approach.from = own;
    approach.to = request_.from;
    std::string other;
    const std::shared_ptr<System> system = make_at(own, other);
    if (!system) return problem;
    start = system->initial_state();
    double slope = 0;
    const double own_period = setting.period(own, slope);
    if (!leave_event_at(own, setting, own_period, start).empty()) return problem;
    OrbitContinuation way(approach);
    ContinuationPoint first;
    if (!way.start(start, own_period, request_.shooting, first).empty()) return problem;
    Task task(request_.watch, "continue");
    ContinuationOptions options = options_;
    options.from = own;
    options.to = request_.from;
    const Branch branch = follow_branch(way, first, options);
    if (branch.samples.empty() || std::fabs(branch.samples.back().point.parameter() -
                                            request_.from) > 1e-9 * std::fabs(own - request_.from))
      return problem;
    point = branch.samples.back().point;
    point.numbers[1] = request_.from;
    diagram_.notes.push_back(
        fmt::format("the branch begins with the orbit at {} = {:.9g}, the value of the file, "
                    "followed to {:.9g}",
                    request_.parameter, own, request_.from));
    return orbits.start(point.states[0], point.numbers[0], request_.shooting, point);
  }

  std::string leave_event_at(double p, const OrbitSetting& setting, double period, State& start) {
    std::string problem;
    const std::shared_ptr<System> system = make_at(p, problem);
    if (!system) return problem;
    OrbitOptions options = setting.family.options;
    options.period = period;
    bool moved = false;
    return leave_event(*system, options, start, moved);
  }

  void follow_doubling(OrbitSetting setting, std::size_t k) {
    const Bifurcation doubling = diagram_.bifurcations[k].what;
    const int doublings = diagram_.branches[diagram_.bifurcations[k].branch].doublings + 1;
    const std::string origin =
        fmt::format("the period doubling at {:.9g}", doubling.at.point.parameter());
    if (doublings > most_doublings || diagram_.branches.size() >= most_branches) {
      diagram_.notes.push_back(
          fmt::format("{}: not followed (at most {} doublings one after the other, {} branches)",
                      origin, most_doublings, most_branches));
      return;
    }
    setting.times = 1 << doublings;
    Task task(request_.watch, "continue");
    Branch branch =
        OrbitContinuation(std::move(setting)).follow_doubling(doubling, with_progress(task));
    if (!branch.samples.empty())
      judge(branch.samples[0].spectrum, origin, diagram_.bifurcations[k]);
    const std::size_t before = diagram_.branches.size();
    add(std::move(branch), true, origin);
    if (diagram_.branches.size() > before) diagram_.branches.back().doublings = doublings;
  }
};

}  // namespace

BranchDiagram search_orbits(const BranchRequest& request) {
  return OrbitSearch(request).run();
}

}  // namespace cartan::results
