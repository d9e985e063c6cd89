#include "results/orbits/branch_work.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "formulations/formulations.h"
#include "mechanics/machine/state_expression.h"
#include "mechanics/machine/system_curvature.h"
#include "results/load/analysis_state.h"
#include "results/load/parameter_slopes.h"
#include "results/load/state_file.h"
#include "results/option_names.h"
#include "results/refusal.h"

namespace cartan::results {

BranchWork::BranchWork(const BranchRequest& request) : request_(diagram_.request) {
  diagram_.request = request;
  prepare();
}

void BranchWork::refuse_branch(const std::string& problem) const {
  refuse("continue", fmt::format("{}: {}", request_.model.path, problem));
}
void BranchWork::fail_branch(const std::string& problem) const {
  fail("continue", fmt::format("{}: {}", request_.model.path, problem));
}

// The model, what the parameter is, the state to begin with.
void BranchWork::prepare() {
  diagram_.model = load_model(request_.model, request_.watch);
  parameter_ = model().find_parameter(request_.parameter);
  std::string problem;
  const std::shared_ptr<System> system = make_at(request_.from, problem);
  if (!system) refuse_branch(fmt::format("{}: {}", model().file, problem));
  if (parameter_ >= 0) {
    problem = refuse_parameter_slopes(model(), *system, {&parameter_, 1});
    if (!problem.empty()) refuse_branch(fmt::format("{}: {}", model().file, problem));
  }
  if (parameter_ < 0) {
    expression_ = make_state_function(*system, model(), request_.parameter, problem);
    fixed_ = system;
    if (!expression_)
      refuse_branch("--parameter: neither a parameter nor an expression: " + problem);
  }
  const auto wrong = [&](const std::string& text) {
    return !text.empty() && !make_state_function(*system, model(), text, problem);
  };
  for (const std::string& text : request_.holds)
    if (wrong(text)) refuse_branch("--hold: " + problem);
  if (wrong(request_.section)) refuse_branch("--section: " + problem);
  if (wrong(request_.show)) refuse_branch("--show: " + problem);
  start_ = system->initial_state();
  if (!request_.start.empty()) start_ = make_start(*system, read_state(request_.start, model()));
  options_.from = request_.from;
  options_.to = request_.to;
  options_.largest_step = request_.step;
  options_.step = request_.step / 4;
  options_.most_points = request_.points;
  options_.stop_requested = request_.watch.stop;
}

std::shared_ptr<System> BranchWork::make_at(double p, std::string& problem) const {
  if (fixed_) return fixed_;
  return make_system(model(), values_at(p), request_.formulation, problem);
}

std::vector<double> BranchWork::values_at(double p) const {
  if (parameter_ < 0) return parameter_values(model());
  const int which[] = {parameter_};
  const double value[] = {p};
  return parameter_values(model(), which, value);
}

std::unique_ptr<StateCurvature> BranchWork::make_curvature_at(
    const System& system, double p, std::vector<Formula> functions) const {
  std::vector<int> which;
  if (parameter_ >= 0) which.push_back(parameter_);
  return make_state_curvature(system, values_at(p), std::move(which), std::move(functions));
}

void BranchWork::set_systems() {
  diagram_.system_at = [model = diagram_.model.get(), parameter = parameter_, fixed = fixed_,
                        formulation = request_.formulation, last = std::shared_ptr<System>(),
                        at = std::nan("")](double p) mutable -> const System& {
    if (fixed) return *fixed;
    if (!last || at != p) {
      const int which[] = {parameter};
      const double value[] = {p};
      std::string problem;
      last = make_system(*model, parameter_values(*model, which, value), formulation, problem);
      at = p;
    }
    return *last;
  };
}

Branch BranchWork::follow(ContinuationProblem& problem, const ContinuationPoint& point) {
  Task task(request_.watch, "continue");
  const ContinuationOptions options = with_progress(task);
  return follow_branch(problem, point, options);
}

ContinuationOptions BranchWork::with_progress(Task& task) const {
  ContinuationOptions options = options_;
  options.on_point = [&task, this](int points, double p) {
    const double way = std::fabs((p - request_.from) / (request_.to - request_.from));
    task.show(std::max(static_cast<double>(points) / request_.points, 0.99 * way));
  };
  return options;
}

void BranchWork::add(Branch branch, bool orbits, const std::string& origin) {
  if (!branch.problem.empty()) {
    if (origin.empty()) fail_branch(branch.problem);
    diagram_.notes.push_back(fmt::format("{}: {}", origin, name_options(branch.problem)));
    return;
  }
  const int index = static_cast<int>(diagram_.branches.size());
  for (const Bifurcation& one : branch.bifurcations)
    diagram_.bifurcations.push_back({index, one, "", 0, {}});
  diagram_.branches.push_back({std::move(branch), orbits, origin});
}

// Is this a branch point another branch has come through already?
bool BranchWork::is_known(std::size_t k) const {
  const ContinuationPoint& point = diagram_.bifurcations[k].what.at.point;
  for (std::size_t i = 0; i < k; ++i) {
    const FoundBifurcation& other = diagram_.bifurcations[i];
    if (other.what.kind != BifurcationKind::branch_point ||
        other.what.at.point.states.size() != point.states.size())
      continue;
    double distance = (other.what.at.point.numbers - point.numbers).lpNorm<Eigen::Infinity>();
    for (std::size_t s = 0; s < point.states.size(); ++s)
      for (std::size_t j = 0; j < point.states[s].x.size(); ++j)
        distance = std::max(distance,
                            std::fabs(point.states[s].x[j] - other.what.at.point.states[s].x[j]));
    if (distance < 1e-4) return true;
  }
  return false;
}

void BranchWork::follow_crossings(ContinuationProblem& problem) {
  for (std::size_t k = 0; k < diagram_.bifurcations.size(); ++k) {
    if (diagram_.bifurcations[k].what.kind != BifurcationKind::branch_point || is_known(k))
      continue;
    if (diagram_.branches.size() + 2 > most_branches) {
      diagram_.notes.push_back(
          fmt::format("more than {} branches: the others are not followed", most_branches));
      return;
    }
    const Bifurcation at = diagram_.bifurcations[k].what;
    const std::string origin = fmt::format("the branch point at {:.9g}", at.at.point.parameter());
    Task task(request_.watch, "continue");
    std::vector<Branch> branches = switch_branch(problem, at, with_progress(task));
    if (branches.empty())
      diagram_.notes.push_back(origin + ": the branch that crosses could not be followed");
    for (Branch& branch : branches) add(std::move(branch), false, origin);
  }
}

void BranchWork::judge(const Spectrum& small, const std::string& origin, FoundBifurcation& found) {
  std::complex<double> nearest = 1e300;
  for (const auto& m : small.values)
    if (std::abs(m - 1.0) < std::abs(nearest - 1.0)) nearest = m;
  found.criticality = std::abs(nearest) < 1 ? "supercritical" : "subcritical";
  const std::string other = found.form.criticality();
  if (!other.empty() && other != found.criticality)
    diagram_.notes.push_back(fmt::format(
        "{}: the first orbit is {}, the coefficient {:.3g} of the normal form says {}: take "
        "smaller steps (--step)",
        origin, found.criticality, found.form.coefficient, other));
}

OrbitSetting BranchWork::orbit_setting(const std::vector<std::string>& holds) {
  OrbitSetting setting;
  setting.from = request_.from;
  setting.to = request_.to;
  setting.by_value = parameter_ < 0;
  setting.family.parameter = parameter_;
  setting.family.options.flow.stop_requested = request_.watch.stop;
  setting.family.options.problem.driven = request_.orbits && request_.driven;
  const std::string section = request_.orbits && !request_.driven ? request_.section : "";
  setting.family.make = [this, holds, section](double p) {
    OrbitMember member;
    std::string problem;
    member.system = make_system(model(), values_at(p), request_.formulation, problem);
    if (!member.system) return member;
    if (!section.empty())
      member.section = make_state_function(*member.system, model(), section, problem);
    for (const std::string& text : holds)
      member.holds.push_back(make_state_function(*member.system, model(), text, problem));
    return member;
  };
  return setting;
}

}  // namespace cartan::results
