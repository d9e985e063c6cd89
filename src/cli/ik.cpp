// cartan ik: configurations that satisfy targets, one or all of them.
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/kinematics/inverse_kinematics.h"
#include "cli/terminal/arguments.h"
#include "cli/terminal/json_output.h"
#include "cli/terminal/model_options.h"
#include "cli/terminal/out_option.h"
#include "cli/terminal/terminal_watch.h"
#include "io/csv.h"
#include "io/output_files.h"
#include "results/design/ik_path.h"
#include "results/design/ik_targets.h"
#include "results/load/state_file.h"

namespace cartan {
namespace {

struct IkArguments {
  AnalysisArguments analysis;
  std::vector<std::string> targets, ranges;
  std::string path, out;
  std::optional<int> starts;
  bool all = false, json = false, force = false;
};

std::optional<int> read_ik_arguments(const Words& words, IkArguments& o) {
  Arguments arguments(
      "ik",
      "Inverse kinematics: a configuration that satisfies targets together with the loops and "
      "constraints of the model, with the least change from its start; or all of them.",
      "  cartan ik arm.toml --target \"hand = [0.4, 0.2, 0.3]\" --target \"hand.R = [0, 0, "
      "pi/2]\"\n"
      "  cartan ik examples/four_bar.toml --target \"motor.q = pi/3\" --all --json");
  declare_model(arguments, o.analysis.model);
  declare_formulation(arguments, o.analysis.formulation);
  declare_start(arguments, o.analysis.from);
  arguments.repeated("--target", "EXPR=EXPR",
                     "what shall hold, repeatable: expressions of the model's names; BODY = [x, y, "
                     "z] (its origin); BODY.R = [[..], [..], [..]] or [roll, pitch, yaw]",
                     o.targets);
  arguments.repeated("--range", "EXPR=[LOW, HIGH]", "values to stay within, repeatable", o.ranges);
  arguments.option("--path", "FILE.csv",
                   "follow a path: columns t and expressions (hand.x, crank.q), smooth curves "
                   "through their numbers; gives coordinates, speeds and accelerations",
                   o.path);
  arguments.flag("--all", "all solutions, angles modulo 2 pi", o.all);
  arguments.option("--starts", "N", "with --all: at most so many starts (default 4096)", o.starts);
  arguments.option(
      "--out", "DIR",
      "write ik.json and state.json (for --from), with --all solutions.csv, with --path "
      "path.csv (for `inverse --motion`)",
      o.out);
  declare_force(arguments, o.force);
  arguments.flag("--json", "print one JSON object", o.json);
  return arguments.parse(words);
}

struct IkCase {
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

// The exit status after a complaint, or 0.
int load_ik(const IkArguments& o, IkCase& ik) {
  ik.analysis = load_analysis(o.analysis, terminal_watch(true, !o.json));
  ik.workspace = ik.analysis.system->make_workspace();
  for (const std::string& text : o.path.empty() ? o.targets : std::vector<std::string>{})
    if (const std::string problem = add_target(ik.analysis, text, ik.list); !problem.empty())
      return complain("ik", "--target: " + problem);
  for (const std::string& text : o.ranges) {
    ik.ranges.emplace_back();
    const std::string problem = read_value_range(ik.analysis, text, ik.ranges.back());
    if (!problem.empty()) return complain("ik", "--range: " + problem);
  }
  add_stop_ranges(ik.analysis, ik.ranges);
  if (ik.list.empty() && o.path.empty())
    return complain("ik", "expected --target \"EXPR = EXPR\", what shall hold");
  return exit_done;
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
KinematicSolution settle_speeds(const IkCase& ik, const State& start, KinematicSolution found) {
  const TargetProblem speeds(*ik.analysis.system, ik.targets(), {}, Unknowns::speeds, start,
                             *ik.workspace);
  if (speeds.size() == 0 || !found.found) return found;
  State from = found.state;
  KinematicSolution moving = solve_targets(speeds, from);
  found.found = moving.found;
  found.residual = std::max(found.residual, moving.residual);
  found.iterations += moving.iterations;
  found.missed.insert(found.missed.end(), moving.missed.begin(), moving.missed.end());
  found.state = moving.state;
  return found;
}

// ------------------------------------------------------------------------------------- results

Json solution_json(const IkCase& ik, const KinematicSolution& solution) {
  Json json = {{"state", analysis_state_json(ik.analysis, solution.state)},
               {"residual", solution.residual},
               {"change", solution.change}};
  if (solution.singular()) json["singular"] = true;
  if (!solution.at_limit.empty()) json["at_limit"] = solution.at_limit;
  return json;
}

Json ik_json(const IkCase& ik, const KinematicSolution& best) {
  Json json = {{"model", ik.analysis.model->name}, {"found", best.found}};
  json.update(solution_json(ik, best));
  json["iterations"] = best.iterations;
  json["rank"] = best.rank;
  json["freedom"] = best.freedom;
  json["singular"] = best.singular();
  json["missed"] = best.missed;
  return json;
}

std::string singular_note(const KinematicSolution& solution) {
  return fmt::format(
      "singular: here targets and constraints have rank {}, beside it {}; speeds that follow the "
      "targets are not unique or grow without bound",
      solution.rank, solution.generic);
}

std::string not_found(const KinematicSolution& solution) {
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

void print_solution(const IkCase& ik, const KinematicSolution& solution) {
  fmt::print("residual {:.3g}, change {:.6g}{}\n", solution.residual, solution.change,
             solution.freedom > 0
                 ? fmt::format(", {} left free: the least change", solution.freedom)
                 : "");
  if (solution.singular()) fmt::print("{}\n", singular_note(solution));
  for (const std::string& name : solution.at_limit)
    fmt::print("at the end of its range: {}\n", name);
  const System& system = *ik.analysis.system;
  const int count = system.space().size() - system.quadratures();
  for (int i = 0; i < count; ++i)
    fmt::print("  {} = {:.15g}\n", system.component_name(i), solution.state.x[i]);
}

std::string solutions_csv(const IkCase& ik, const std::vector<KinematicSolution>& solutions) {
  const System& system = *ik.analysis.system;
  const int count = system.space().size() - system.quadratures();
  std::string text = "residual,change";
  for (int i = 0; i < count; ++i) text += "," + system.component_name(i);
  text += '\n';
  for (const KinematicSolution& solution : solutions) {
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

int write_ik(const IkArguments& o, const IkCase& ik, const Json& json,
             const std::vector<KinematicSolution>& solutions) {
  if (o.out.empty()) return exit_done;
  std::string problem;
  const auto output = OutputFolder::open(o.out, "ik", replace_if(o.force), problem);
  if (!output) return complain("ik", problem);
  bool written = output->write("ik.json", json.dump(2) + "\n", problem) &&
                 output->write("state.json", json["state"].dump(2) + "\n", problem);
  if (written && o.all)
    written = output->write("solutions.csv", solutions_csv(ik, solutions), problem);
  if (written && output->commit(problem)) return exit_done;
  return complain("ik", problem, exit_failed);
}

// ----------------------------------------------------------------------------------------- one

int solve_one(const IkArguments& o, const IkCase& ik) {
  const State& start = ik.analysis.start;
  const TargetProblem problem(*ik.analysis.system, ik.targets(), ik.ranges, Unknowns::positions,
                              start, *ik.workspace);
  const KinematicSolution best = settle_speeds(ik, start, solve_targets(problem, start));
  const Json json = ik_json(ik, best);
  if (best.found)
    if (const int status = write_ik(o, ik, json, {best}); status != exit_done) return status;
  if (o.json) print_json(json);
  if (!best.found) return complain("ik", not_found(best), exit_failed);
  if (!o.json) {
    fmt::print("{}: found after {} steps\n", ik.analysis.model->name, best.iterations);
    print_solution(ik, best);
  }
  return exit_done;
}

// ----------------------------------------------------------------------------------------- all

Json all_json(const IkCase& ik, const AllSolutions& all) {
  const bool any = !all.solutions.empty();
  Json json = {{"model", ik.analysis.model->name}, {"found", any}};
  if (any) json.update(ik_json(ik, all.solutions.front()));
  json["solutions"] = Json::array();
  for (std::size_t k = 0; k < all.solutions.size(); ++k) {
    json["solutions"].push_back(solution_json(ik, all.solutions[k]));
    json["solutions"].back()["hits"] = all.found[k];
  }
  json["starts"] = all.starts;
  json["failures"] = all.failures;
  json["complete"] = all.complete;
  json["continuum"] = all.continuum;
  return json;
}

std::string explain_all(const AllSolutions& all) {
  if (all.solutions.empty())
    return fmt::format("no configuration meets the targets: {} starts, no solution", all.starts);
  if (all.continuum > 0)
    return fmt::format(
        "the solutions form a continuum: the targets leave {} unknown{} free, so that there is no "
        "list of them; name further targets. {} samples are given",
        all.continuum, all.continuum > 1 ? "s" : "", all.solutions.size());
  return fmt::format(
      "the list may not be whole: after {} starts not every solution has been found often enough; "
      "a larger --starts goes on",
      all.starts);
}

int solve_all(const IkArguments& o, const IkCase& ik) {
  const State& start = ik.analysis.start;
  const TargetProblem problem(*ik.analysis.system, ik.targets(), ik.ranges, Unknowns::positions,
                              start, *ik.workspace);
  if (problem.size() > 60)
    return complain("ik", fmt::format("--all searches small mechanisms: this one has {} unknowns, "
                                      "at most 60 are searched",
                                      problem.size()));
  AllOptions options;
  options.length = reach_of(*ik.analysis.model);
  if (o.starts) options.most_starts = *o.starts;
  AllSolutions all = find_all_solutions(problem, start, options);
  for (KinematicSolution& solution : all.solutions)
    solution = settle_speeds(ik, start, std::move(solution));
  const Json json = all_json(ik, all);
  const bool done = all.complete && !all.solutions.empty();
  if (done)
    if (const int status = write_ik(o, ik, json, all.solutions); status != exit_done) return status;
  if (o.json) {
    print_json(json);
  } else if (!all.solutions.empty()) {
    fmt::print("{}: {} solutions from {} starts\n", ik.analysis.model->name, all.solutions.size(),
               all.starts);
    for (std::size_t k = 0; k < all.solutions.size(); ++k) {
      fmt::print("\n{}, found {} times: ", k + 1, all.found[k]);
      print_solution(ik, all.solutions[k]);
    }
  }
  return done ? exit_done : complain("ik", explain_all(all), exit_failed);
}

// ---------------------------------------------------------------------------------------- a path

std::string path_csv(const Model& model, const MotionTable& motion, const PathResult& path) {
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
    append({path.points[k].residual});
    text += '\n';
  }
  return text;
}

int solve_path(const IkArguments& o, const IkCase& ik) {
  const auto* mechanism = dynamic_cast<const MechanicalSystem*>(ik.analysis.system.get());
  if (!mechanism) return complain("ik", "--path: a file with [variables] has no joints that move");
  Diagnostics problems(o.path);
  std::optional<TablePath> table = read_path(ik.analysis, o.path, problems);
  fmt::print(stderr, "{}", problems.text());
  if (!table) return exit_bad_input;
  for (const std::string& text : o.targets) {
    const auto sides = split_equation(text);
    const std::string problem =
        sides ? add_path_target(ik.analysis, sides->first, sides->second, table->targets)
              : fmt::format("expected EXPR = EXPR, got '{}'", text);
    if (!problem.empty()) return complain("ik", "--target: " + problem);
  }
  if (table->targets.empty()) return complain("ik", "--path: the table has no column beside t");
  const PathResult path = follow_path(*mechanism, table->targets, ik.ranges, table->t,
                                      ik.analysis.start, *ik.workspace);
  const bool whole = path.problem.empty();
  const MotionTable motion = motion_of(*mechanism, path);
  const std::string csv = path_csv(*ik.analysis.model, motion, path);
  double residual = 0;
  for (const PathPoint& point : path.points) residual = std::max(residual, point.residual);
  Json json = {{"model", ik.analysis.model->name}, {"found", whole},
               {"rows", path.points.size()},       {"residual", residual},
               {"freedom", path.freedom},          {"singular_times", path.singular_times}};
  if (!whole) json["problem"] = path.problem;
  if (!path.points.empty())
    json["state"] = analysis_state_json(ik.analysis, path.points.back().state);
  if (whole && !o.out.empty()) {
    std::string problem;
    const auto output = OutputFolder::open(o.out, "ik", replace_if(o.force), problem);
    if (!output) return complain("ik", problem);
    if (!output->write("path.csv", csv, problem) ||
        !output->write("state.json", json["state"].dump(2) + "\n", problem) ||
        !output->write("ik.json", json.dump(2) + "\n", problem) || !output->commit(problem))
      return complain("ik", problem, exit_failed);
  }
  if (o.json)
    print_json(json);
  else if (whole && o.out.empty())
    fmt::print("{}", csv);
  else if (whole)
    fmt::print("{}: {} rows, largest residual {:.3g}\n", ik.analysis.model->name,
               path.points.size(), residual);
  for (const double t : path.singular_times)
    fmt::print(stderr, "cartan ik: singular position at t = {:.9g}\n", t);
  return whole ? exit_done : complain("ik", path.problem, exit_failed);
}

}  // namespace

int ik_command(const Words& words) {
  IkArguments o;
  if (const std::optional<int> status = read_ik_arguments(words, o)) return *status;
  if (o.starts && (*o.starts < 1 || *o.starts > 1000000))
    return complain("ik", "--starts: expected a number from 1 to 1000000");
  if (o.starts && !o.all) return complain("ik", "--starts goes with --all");
  if (!o.path.empty() && o.all) return complain("ik", "--path and --all do not go together");
  IkCase ik;
  if (const int status = load_ik(o, ik); status != exit_done) return status;
  if (!o.path.empty()) return solve_path(o, ik);
  return o.all ? solve_all(o, ik) : solve_one(o, ik);
}

}  // namespace cartan
