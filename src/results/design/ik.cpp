#include "results/design/ik.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/csv.h"
#include "io/output_files.h"
#include "results/design/ik_path.h"
#include "results/design/ik_targets.h"
#include "results/load/state_file.h"
#include "results/output_room.h"
#include "results/refusal.h"
#include "results/task.h"

namespace cartan::results {
namespace {

constexpr int most_unknowns_of_search = 60;

struct IkCase {
  KinematicOptions options;
  Analysis analysis;
  std::unique_ptr<Workspace> workspace;
  TargetList list;
  std::vector<ValueRange> ranges;
  std::vector<const StateEquations*> targets() const {
    std::vector<const StateEquations*> pointers;
    for (const auto& target : list) pointers.push_back(target.get());
    return pointers;
  }
};

void check_ik_options(const api::IkOptions& o) {
  if (o.starts && (*o.starts < 1 || *o.starts > 1000000))
    refuse("ik", "--starts: expected a number from 1 to 1000000");
  if (o.starts && !o.all) refuse("ik", "--starts goes with --all");
  if (!o.distinct.empty() && !o.all) refuse("ik", "--distinct goes with --all");
  if (!o.path.empty() && o.all) refuse("ik", "--path and --all do not go together");
  if (o.target.empty() && o.path.empty())
    refuse("ik", "expected --target \"EXPR = EXPR\", what shall hold");
}

IkCase load_ik(const ModelArguments& model, const api::IkOptions& o) {
  IkCase ik;
  ik.options.stop_requested = o.watch.stop;
  ik.analysis = load_analysis({model, o.formulation, o.from}, o.watch);
  ik.workspace = ik.analysis.system->make_workspace();
  for (const std::string& text : o.path.empty() ? o.target : std::vector<std::string>{})
    if (const std::string problem = add_target(ik.analysis, text, ik.list); !problem.empty())
      refuse("ik", "--target: " + problem);
  for (const std::string& text : o.range) {
    ik.ranges.emplace_back();
    const std::string problem = read_value_range(ik.analysis, text, ik.ranges.back());
    if (!problem.empty()) refuse("ik", "--range: " + problem);
  }
  add_stop_ranges(ik.analysis, ik.ranges);
  return ik;
}

// How far coordinates that are lengths may have to go: all arms of the mechanism laid out.
double reach_of(const Model& model) {
  const std::vector<double> parameters = parameter_values(model);
  double length = 0;
  for (const Joint& joint : model.joints)
    for (const Placement* side : {&joint.parent, &joint.child})
      if (side->at.given()) {
        const std::vector<double> at = evaluate<double>(side->at, parameters);
        if (at.size() == 3) length += std::hypot(at[0], at[1], at[2]);
      }
  return std::max(length, 1.0);
}

// Speeds that go with a configuration: those of the start, with the least change that the
// constraints and targets of speeds ask for.
KinematicSolution settle_speeds(const IkCase& ik, KinematicSolution found) {
  const TargetProblem speeds(*ik.analysis.system, ik.targets(), {}, Unknowns::speeds,
                             ik.analysis.start, *ik.workspace);
  if (speeds.size() == 0 || !found.found) return found;
  State from = found.state;
  KinematicSolution moving = solve_targets(speeds, from, ik.options);
  found.found = moving.found;
  found.residual = std::max(found.residual, moving.residual);
  found.iterations += moving.iterations;
  found.missed.insert(found.missed.end(), moving.missed.begin(), moving.missed.end());
  found.state = moving.state;
  return found;
}

TargetProblem position_problem(const IkCase& ik) {
  return TargetProblem(*ik.analysis.system, ik.targets(), ik.ranges, Unknowns::positions,
                       ik.analysis.start, *ik.workspace);
}

// ----------------------------------------------------------------------------------------- one

std::string explain_miss(const KinematicSolution& solution) {
  std::string text = fmt::format(
      "no configuration found that meets the targets; nearest in the sense of least squares: "
      "residual {:.6g}",
      solution.residual);
  if (!solution.missed.empty())
    text += fmt::format("; not met: {}", fmt::join(solution.missed, ", "));
  if (!solution.at_limit.empty())
    text += fmt::format("; at the end of its range: {}", fmt::join(solution.at_limit, ", "));
  if (solution.singular()) text += "; " + singular_note(solution);
  return text + ". Another start (--from) may lead elsewhere, --all tries many";
}

void solve_one(const IkCase& ik, IkResult& result) {
  KinematicSolution best =
      settle_speeds(ik, solve_targets(position_problem(ik), ik.analysis.start, ik.options));
  result.found = best.found;
  if (!best.found) result.problem = explain_miss(best);
  result.solutions.push_back(std::move(best));
}

// ----------------------------------------------------------------------------------------- all

std::string explain_search(const IkResult& result) {
  const IkSearch& search = *result.search;
  if (result.solutions.empty())
    return fmt::format("no configuration meets the targets: {} starts, no solution", search.starts);
  if (search.continuum > 0)
    return fmt::format(
        "the solutions form a continuum: the targets leave {} unknown{} free, so that there is no "
        "list of them; name further targets. {} samples are given",
        search.continuum, search.continuum > 1 ? "s" : "", result.solutions.size());
  return fmt::format(
      "the list may not be whole: after {} starts not every solution has been found often enough; "
      "a larger --starts goes on",
      search.starts);
}

void solve_all(const api::IkOptions& o, const IkCase& ik, IkResult& result) {
  const TargetProblem problem = position_problem(ik);
  if (problem.size() > most_unknowns_of_search)
    refuse("ik", fmt::format("--all searches small mechanisms: this one has {} unknowns, "
                             "at most {} are searched",
                             problem.size(), most_unknowns_of_search));
  AllOptions options;
  options.length = reach_of(*ik.analysis.model);
  options.each = ik.options;
  if (o.starts) options.most_starts = *o.starts;
  if (!o.distinct.empty())
    if (const std::string problem = read_distinct(ik.analysis, o.distinct, options.distinct);
        !problem.empty())
      refuse("ik", "--distinct: " + problem);
  AllSolutions all = find_all_solutions(problem, ik.analysis.start, options);
  for (KinematicSolution& solution : all.solutions)
    result.solutions.push_back(settle_speeds(ik, std::move(solution)));
  result.search =
      IkSearch{all.found, all.starts, all.failures, all.complete, all.continuum, all.unseen_share};
  result.found = all.complete && !result.solutions.empty();
  if (!result.found) result.problem = explain_search(result);
}

// -------------------------------------------------------------------------------------- a path

TablePath load_path(const api::IkOptions& o, const Analysis& analysis) {
  Diagnostics problems(o.path);
  std::optional<TablePath> table = read_path(analysis, o.path, problems);
  if (!table) refuse(problems);
  std::istringstream lines(problems.text());
  for (std::string line; std::getline(lines, line);) tell(o.watch, line);
  for (const std::string& text : o.target) {
    const auto sides = split_equation(text);
    const std::string problem =
        sides ? add_path_target(analysis, sides->first, sides->second, table->targets)
              : fmt::format("expected EXPR = EXPR, got '{}'", text);
    if (!problem.empty()) refuse("ik", "--target: " + problem);
  }
  if (table->targets.empty()) refuse("ik", "--path: the table has no column beside t");
  return std::move(*table);
}

void solve_path(const api::IkOptions& o, const IkCase& ik, IkResult& result) {
  const auto* mechanism = dynamic_cast<const MechanicalSystem*>(ik.analysis.system.get());
  if (!mechanism) refuse("ik", "--path: a file with [variables] has no joints that move");
  const TablePath table = load_path(o, ik.analysis);
  result.path = follow_path(*mechanism, table.targets, ik.ranges, table.t, ik.analysis.start,
                            *ik.workspace, ik.options);
  result.motion = motion_of(*mechanism, *result.path);
  result.problem = result.path->problem;
  result.found = result.problem.empty();
  for (const double t : result.path->singular_times)
    tell(o.watch, fmt::format("cartan ik: singular position at t = {:.9g}", t));
}

// ------------------------------------------------------------------------------------- results

Json solution_json(const Analysis& analysis, const KinematicSolution& solution) {
  Json json = {{"state", analysis_state_json(analysis, solution.state)},
               {"residual", solution.residual},
               {"change", solution.change}};
  if (solution.singular()) json["singular"] = true;
  if (!solution.at_limit.empty()) json["at_limit"] = solution.at_limit;
  return json;
}

void add_best(const IkResult& result, Json& json) {
  const KinematicSolution& best = result.solutions.front();
  json["found"] = best.found;
  json.update(solution_json(result.analysis, best));
  json["iterations"] = best.iterations;
  json["rank"] = best.rank;
  json["freedom"] = best.freedom;
  json["singular"] = best.singular();
  json["missed"] = best.missed;
}

void add_search(const IkResult& result, Json& json) {
  json["solutions"] = Json::array();
  for (std::size_t k = 0; k < result.solutions.size(); ++k) {
    json["solutions"].push_back(solution_json(result.analysis, result.solutions[k]));
    json["solutions"].back()["hits"] = result.search->hits[k];
  }
  json["starts"] = result.search->starts;
  json["failures"] = result.search->failures;
  json["complete"] = result.search->complete;
  json["continuum"] = result.search->continuum;
  json["unseen_share"] = result.search->unseen_share;
}

void add_path_json(const IkResult& result, Json& json) {
  const PathResult& path = *result.path;
  json["rows"] = path.points.size();
  json["residual"] = result.path_residual();
  json["freedom"] = path.freedom;
  json["singular_times"] = path.singular_times;
  if (!result.found) json["problem"] = result.problem;
  if (!path.points.empty())
    json["state"] = analysis_state_json(result.analysis, path.points.back().state);
}

std::vector<std::string> ik_files(const api::IkOptions& o) {
  std::vector<std::string> names = {"ik.json", "state.json"};
  if (o.all) names.push_back("solutions.csv");
  if (!o.path.empty()) names.push_back("path.csv");
  return names;
}

void write_ik(const api::IkOptions& o, const IkResult& result) {
  std::string problem;
  const auto output = OutputFolder::open(o.out, "ik", replace_if(o.force), problem);
  if (!output) refuse("ik", problem);
  const Json json = ik_json(result);
  bool written = output->write("ik.json", json.dump(2) + "\n", problem) &&
                 output->write("state.json", json["state"].dump(2) + "\n", problem);
  if (written && o.all) written = output->write("solutions.csv", ik_solutions_csv(result), problem);
  if (written && result.path) written = output->write("path.csv", ik_path_csv(result), problem);
  if (!written || !output->commit(problem)) fail("ik", problem);
}

}  // namespace

double IkResult::path_residual() const {
  double residual = 0;
  for (const PathPoint& point : path->points) residual = std::max(residual, point.residual);
  return residual;
}

IkResult solve_ik(const ModelArguments& model, const api::IkOptions& o) {
  check_ik_options(o);
  IkCase ik = load_ik(model, o);
  require_room("ik", "ik", o.out, o.force, ik_files(o));
  IkResult result;
  if (!o.path.empty())
    solve_path(o, ik, result);
  else if (o.all)
    solve_all(o, ik, result);
  else
    solve_one(ik, result);
  if (stopped(o.watch)) fail("ik", "interrupted");
  ik.list.clear();  // refers to the analysis, which goes on in the result
  result.analysis = std::move(ik.analysis);
  if (result.found && !o.out.empty()) write_ik(o, result);
  return result;
}

Json ik_json(const IkResult& result) {
  Json json = {{"model", result.analysis.model->name},
               {"found", result.path ? result.found : !result.solutions.empty()}};
  if (!result.solutions.empty()) add_best(result, json);
  if (result.search) add_search(result, json);
  if (result.path) add_path_json(result, json);
  return json;
}

int ik_columns(const System& system) {
  return system.space().size() - system.quadratures();
}

std::string singular_note(const KinematicSolution& solution) {
  return fmt::format(
      "singular: here targets and constraints have rank {}, beside it {}; speeds that follow the "
      "targets are not unique or grow without bound",
      solution.rank, solution.generic);
}

std::string ik_solutions_csv(const IkResult& result) {
  const System& system = *result.analysis.system;
  const int count = ik_columns(system);
  std::string text = "residual,change";
  for (int i = 0; i < count; ++i) text += "," + system.component_name(i);
  text += '\n';
  for (const KinematicSolution& solution : result.solutions) {
    append_number(text, solution.residual);
    text += ',';
    append_number(text, solution.change);
    for (int i = 0; i < count; ++i) {
      text += ',';
      append_number(text, solution.state.x[i]);
    }
    text += '\n';
  }
  return text;
}

std::string ik_path_csv(const IkResult& result) {
  const Model& model = *result.analysis.model;
  const MotionTable& motion = result.motion;
  std::string text = "t";
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    for (const std::string& name : coordinate_columns(joint)) text += "," + name;
    for (const std::string& name : speed_columns(joint)) text += "," + name;
    if (!motion.joints[j].a.empty())
      for (const std::string& name : speed_columns(joint, 'a')) text += "," + name;
  }
  text += ",residual\n";
  for (std::size_t k = 0; k < motion.t.size(); ++k) {
    append_number(text, motion.t[k]);
    const auto append = [&](const std::vector<double>& numbers) {
      for (const double number : numbers) {
        text += ',';
        append_number(text, number);
      }
    };
    for (const PrescribedJoint& joint : motion.joints) {
      append(joint.q[k]);
      append(joint.v[k]);
      if (!joint.a.empty()) append(joint.a[k]);
    }
    append({result.path->points[k].residual});
    text += '\n';
  }
  return text;
}

}  // namespace cartan::results
