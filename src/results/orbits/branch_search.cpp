#include "results/orbits/branch_search.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "analysis/expansions/doubling_form.h"
#include "analysis/orbit_continuation.h"
#include "analysis/relative_orbits.h"
#include "analysis/steady_branch.h"
#include "formulations/formulations.h"
#include "mechanics/machine/parameter_seeds.h"
#include "mechanics/machine/state_expression.h"
#include "mechanics/machine/system_curvature.h"
#include "results/load/analysis_state.h"
#include "results/load/parameter_slopes.h"
#include "results/load/state_file.h"
#include "results/option_names.h"
#include "results/orbits/swap.h"
#include "results/output_room.h"
#include "results/refusal.h"
#include "results/task.h"

namespace cartan::results {
namespace {

constexpr std::size_t most_branches = 16;
constexpr int most_doublings = 3;  // one after the other
constexpr const char* energy = "kinetic + potential";

class Search {
 public:
  explicit Search(const BranchRequest& request) : request_(diagram_.request) {
    diagram_.request = request;
  }

  BranchDiagram run() {
    prepare();
    if (request_.orbits)
      follow_orbits();
    else
      follow_steady();
    return std::move(diagram_);
  }

 private:
  [[noreturn]] void refuse_branch(const std::string& problem) const {
    refuse("continue", fmt::format("{}: {}", request_.model.path, problem));
  }
  [[noreturn]] void fail_branch(const std::string& problem) const {
    fail("continue", fmt::format("{}: {}", request_.model.path, problem));
  }

  // The model, what the parameter is, the state to begin with.
  void prepare() {
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

  const Model& model() const { return *diagram_.model; }

  std::shared_ptr<System> make_at(double p, std::string& problem) const {
    if (fixed_) return fixed_;
    return make_system(model(), values_at(p), request_.formulation, problem);
  }

  std::vector<double> values_at(double p) const {
    if (parameter_ < 0) return parameter_values(model());
    const int which[] = {parameter_};
    const double value[] = {p};
    return parameter_values(model(), which, value);
  }

  // ------------------------------------------------------------------------------ steady motions

  void follow_steady() {
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
    if (request_.follow_crossings && !diagram_.branches.empty()) follow_crossings(*steady, 0);
    for (FoundBifurcation& found : diagram_.bifurcations) expand_steady(*steady, found);
    if (!request_.follow_crossings) return;
    const std::size_t steady_bifurcations = diagram_.bifurcations.size();
    for (std::size_t k = 0; k < steady_bifurcations; ++k)
      if (diagram_.bifurcations[k].what.kind == BifurcationKind::hopf) follow_hopf(*steady, k);
  }

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

  std::unique_ptr<StateCurvature> make_curvature_at(const System& system, double p,
                                                    std::vector<Formula> functions) const {
    std::vector<int> which;
    if (parameter_ >= 0) which.push_back(parameter_);
    return make_state_curvature(system, values_at(p), std::move(which), std::move(functions));
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

  // Systems by value for the report, a few kept.
  void set_systems() {
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

  Branch follow(ContinuationProblem& problem, const ContinuationPoint& point) {
    Task task(request_.watch, "continue");
    const ContinuationOptions options = with_progress(task);
    return follow_branch(problem, point, options);
  }

  ContinuationOptions with_progress(Task& task) const {
    ContinuationOptions options = options_;
    options.on_point = [&task, this](int points, double p) {
      const double way = std::fabs((p - request_.from) / (request_.to - request_.from));
      task.show(std::max(static_cast<double>(points) / request_.points, 0.99 * way));
    };
    return options;
  }

  void add(Branch branch, bool orbits, const std::string& origin) {
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
  bool is_known(std::size_t k) const {
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

  // All branches that cross those known, and those that cross them.
  void follow_crossings(ContinuationProblem& problem, std::size_t first) {
    for (std::size_t k = first; k < diagram_.bifurcations.size(); ++k) {
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

  // The multiplier that is one at the Hopf point itself tells on which side small orbits attract.
  // The normal form must say the same.
  void judge(const Spectrum& small, const std::string& origin, FoundBifurcation& found) {
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

  // -------------------------------------------------------------------------------------- orbits

  OrbitSetting orbit_setting(const std::vector<std::string>& holds) {
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

  void follow_orbits() {
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
      return;
    }
    follow_crossings(*orbits, 0);
    for (std::size_t b = 1; b < diagram_.branches.size(); ++b) diagram_.branches[b].orbits = true;
    for (std::size_t k = 0; k < diagram_.bifurcations.size(); ++k) {
      if (diagram_.bifurcations[k].what.kind != BifurcationKind::period_doubling) continue;
      expand_doubling(setting, diagram_.bifurcations[k]);
      follow_doubling(setting, k);
    }
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

  BranchDiagram diagram_;
  const BranchRequest& request_;
  int parameter_ = -1;
  std::shared_ptr<const StateFunction> expression_;
  std::shared_ptr<System> fixed_;  // where the parameter is an expression
  State start_;
  ContinuationOptions options_;
};

// "" or what is wrong with the options.
std::string fill_request(const api::ContinueOptions& o, BranchRequest& r) {
  if (o.parameter.empty()) return "expected --parameter P";
  if (!o.from || !o.to) return "expected --from A and --to B, values of the parameter";
  r.parameter = o.parameter;
  r.from = *o.from;
  r.to = *o.to;
  if (r.from == r.to) return "--from and --to are equal";
  if (o.of != "equilibrium" && o.of != "orbit")
    return fmt::format("--of {}: expected equilibrium or orbit", o.of);
  r.orbits = o.of == "orbit";
  r.points = o.points;
  if (r.points < 2) return "--points: expected 2 or more";
  r.orbit_points = o.orbit_points;
  if (r.orbit_points && (*r.orbit_points < 0 || *r.orbit_points == 1))
    return "--orbit-points: expected 0, or 2 or more";
  r.step = o.step;
  if (!(r.step > 0) || !std::isfinite(r.step)) return "--step: expected a positive number";
  r.shooting = o.shooting.value_or(1);
  if (!(r.shooting >= 1 && r.shooting <= most_shooting_nodes)) return refuse_shooting(r.shooting);
  r.start = o.start;
  r.holds = o.hold;
  r.period = o.period;
  r.section = o.section;
  r.swap = o.swap;
  r.driven = o.driven;
  r.follow_crossings = o.switch_branches;
  r.show = o.show;
  r.formulation = o.formulation;
  r.watch = o.watch;
  if (r.orbits && r.period.empty())
    return "--of orbit: expected --period T, a guess (or with --driven the period)";
  if (!r.orbits && (!r.period.empty() || !r.section.empty() || r.driven || o.shooting))
    return "--period, --section, --driven and --shooting go with --of orbit";
  if (!r.orbits && !r.swap.empty()) return "--swap goes with --of orbit";
  return "";
}

}  // namespace

BranchRequest make_branch_request(const ModelArguments& model, const api::ContinueOptions& o) {
  BranchRequest r;
  if (const std::string problem = fill_request(o, r); !problem.empty()) refuse("continue", problem);
  require_room("continue", "continue", o.out, o.force,
               {"branch.csv", "units.json", "bifurcations.json", "branch.svg"});
  r.model = model;
  return r;
}

BranchDiagram search_branches(const BranchRequest& request) {
  return Search(request).run();
}

}  // namespace cartan::results
