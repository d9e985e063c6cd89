// Branches of steady motions, those that cross them, and the orbits born at their Hopf points.
#include <fmt/format.h>

#include "analysis/relative_orbits.h"
#include "analysis/steady_branch.h"
#include "mechanics/machine/state_expression.h"
#include "results/option_names.h"
#include "results/orbits/branch_work.h"

namespace cartan::results {
namespace {

class SteadySearch : public BranchWork {
 public:
  using BranchWork::BranchWork;

  BranchDiagram run() {
    SteadyFamily family;
    family.parameter = parameter_;
    family.expression = expression_;
    family.name = request_.parameter;
    family.held = request_.holds;
    family.from = request_.from;
    family.to = request_.to;
    family.make = [this](double p) {
      SteadyMember member;
      member.system = make_at(p, member.problem);
      if (!member.system) return member;
      for (const std::string& text : request_.holds)
        member.held.push_back(make_state_function(*member.system, model(), text, member.problem));
      member.problem.clear();
      return member;
    };
    const auto steady = std::make_unique<SteadyBranch>(std::move(family));
    ContinuationPoint point;
    const std::string problem = steady->start(start_, point);
    if (!problem.empty() && steady->refused()) refuse_branch(problem);
    if (!problem.empty()) fail_branch(problem);
    diagram_.held = steady->held();
    diagram_.not_held = steady->not_held();
    set_systems();
    add(follow(*steady, point), false, "");
    if (request_.follow_crossings && !diagram_.branches.empty()) follow_crossings(*steady);
    for (FoundBifurcation& found : diagram_.bifurcations) expand_steady(*steady, found);
    const std::size_t steady_bifurcations = diagram_.bifurcations.size();
    for (std::size_t k = 0; k < steady_bifurcations && request_.follow_crossings; ++k)
      if (diagram_.bifurcations[k].what.kind == BifurcationKind::hopf) follow_hopf(*steady, k);
    return std::move(diagram_);
  }

 private:
  // Coefficients of the normal form, exact, whether or not the branch that is born is followed.
  void expand_steady(SteadyBranch& steady, FoundBifurcation& found) {
    const BifurcationKind kind = found.what.kind;
    const bool hopf = kind == BifurcationKind::hopf, turns = kind == BifurcationKind::fold;
    if (!hopf && !turns && kind != BifurcationKind::branch_point) return;
    const SteadyPoint at = steady.expand_at(found.what.at);
    const auto curvature =
        make_curvature_at(at.problem.system(), found.what.at.point.parameter(), held_formulas());
    found.form = hopf ? calc_hopf_form(at, found.what.critical, *curvature)
                      : calc_steady_form(at, turns, *curvature);
    found.criticality = found.form.criticality();
  }

  // What keeps its value along a branch of steady motions, the parameter last where it is one.
  std::vector<Formula> held_formulas() const {
    std::vector<std::string> texts = request_.holds;
    if (parameter_ < 0) texts.push_back(request_.parameter);
    std::vector<Formula> formulas;
    for (const std::string& text : texts) {
      Diagnostics problems(text);
      formulas.push_back(*compile_expression(model(), text, problems));
    }
    return formulas;
  }

  void follow_hopf(SteadyBranch& steady, std::size_t k) {
    if (request_.orbit_points && *request_.orbit_points == 0) return;
    const Bifurcation hopf = diagram_.bifurcations[k].what;
    const std::string origin = fmt::format("the Hopf point at {:.9g}", hopf.at.point.parameter());
    const Linearisation linear = steady.linearise_at(hopf.at.point);
    std::string reason = refuse_flow(steady.system_at(request_.from));
    RelativeOrbitSetting setting;
    if (reason.empty() && linear.neutral > 0)
      reason = RelativeOrbits::choose(steady, linear.state, linear.neutral, setting);
    if (!reason.empty()) {
      diagram_.notes.push_back(fmt::format("{}: {}", origin, name_options(reason)));
      return;
    }
    Task task(request_.watch, "continue");
    ContinuationOptions options = with_progress(task);
    if (request_.orbit_points || linear.neutral > 0)
      options.most_points = std::min(options.most_points, request_.orbit_points.value_or(20));
    Branch branch;
    if (linear.neutral > 0) {
      setting.flow.stop_requested = request_.watch.stop;
      branch = RelativeOrbits(std::move(setting)).follow_hopf(hopf, linear, options);
    } else {
      branch = OrbitContinuation(orbit_setting({})).follow_hopf(hopf, linear, options);
    }
    if (!branch.samples.empty()) {
      judge(branch.samples[0].spectrum, origin, diagram_.bifurcations[k]);
      diagram_.bifurcations[k].slope = branch.slope;
    }
    add(std::move(branch), true, origin);
  }
};

}  // namespace

BranchDiagram search_steady(const BranchRequest& request) {
  return SteadySearch(request).run();
}

}  // namespace cartan::results
