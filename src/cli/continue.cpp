// cartan continue: branches of steady motions or orbits along a parameter, with their bifurcations.
#include <cmath>

#include <fmt/format.h>

#include "cli/analysis_state.h"
#include "cli/arguments.h"
#include "cli/branch_report.h"
#include "cli/interrupt.h"
#include "cli/option_names.h"
#include "cli/out_option.h"
#include "io/output_files.h"
#include "report/column_units.h"

namespace cartan {
namespace {

struct ContinueArguments {
  BranchRequest request;
  std::optional<double> from, to, step;
  std::optional<int> points, orbit_points, shooting;
  std::string of, out;
  bool json = false, force = false;
};

std::optional<int> read_continue_arguments(const Words& words, ContinueArguments& o) {
  Arguments arguments(
      "continue",
      "Follow a steady motion (an equilibrium, steady rolling, a steady turn) or a periodic orbit "
      "along a parameter; tell stability along the branch and locate its bifurcations.",
      "  cartan continue examples/bicycle.toml --set lean=0 --set steer=0 --parameter "
      "\"R2*front_axle.v\" --from 2.5 --to 6 --switch\n"
      "  cartan continue examples/roessler.toml --of orbit --section y --period 6 --parameter a "
      "--from 0.3 --to 0.36");
  BranchRequest& r = o.request;
  declare_model(arguments, r.model);
  arguments.option("--parameter", "P",
                   "an entry of [parameters], or an expression of the state (\"R*axle.v\", "
                   "\"kinetic + potential\")",
                   r.parameter);
  arguments.option("--from", "A", "where the parameter begins", o.from);
  arguments.option("--to", "B", "where it ends; may be smaller than A", o.to);
  arguments.option("--of", "WHAT", "`equilibrium` (default; steady motions too) or `orbit`", o.of);
  arguments.option(
      "--start", "STATE",
      "a STATE.json, a trajectory.csv or the folder of a run near the branch; default: "
      "the initial state",
      r.start);
  arguments.repeated("--hold", "EXPR",
                     "what keeps its initial value; repeatable. Otherwise, and where that leaves "
                     "motions open, initial values are held, and the output says which",
                     r.holds);
  arguments.option("--points", "N", "most points of a branch; default 500", o.points);
  arguments.option("--step", "S",
                   "longest step along a branch, parameter and state measured together (the "
                   "interval from A to B counts as 1); default 0.02",
                   o.step);
  arguments.flag("--switch",
                 "also follow branches that cross at branch points, orbits born at Hopf points "
                 "(up to symmetries too), and orbits of twice the period at period doublings",
                 r.follow_crossings);
  arguments.option("--orbit-points", "N",
                   "most points of a branch of orbits born at a Hopf point; 0: only tell the "
                   "point. Default: as --points; 20 where orbits close up to symmetries only, "
                   "which takes longer",
                   o.orbit_points);
  arguments.option("--period", "T", "of orbits: a guess, or with --driven the period itself",
                   r.period);
  arguments.option("--section", "EXPR", "of orbits: they begin where EXPR = 0", r.section);
  arguments.flag("--driven", "of orbits: the equations depend on time and repeat after the period",
                 r.driven);
  arguments.option("--shooting", "N", "of orbits: nodes (multiple shooting); default 1",
                   o.shooting);
  arguments.option("--show", "EXPR",
                   "what is shown over the parameter; default: the coordinate that changes most",
                   r.show);
  declare_steady_formulation(arguments, r.formulation);
  arguments.option("--out", "DIR", "write branch.csv, bifurcations.json and branch.svg", o.out);
  declare_force(arguments, o.force);
  arguments.flag("--json", "print one JSON object", o.json);
  return arguments.parse(words);
}

// "" or what is wrong with the options.
std::string complete(ContinueArguments& o) {
  BranchRequest& r = o.request;
  if (r.parameter.empty()) return "expected --parameter P";
  if (!o.from || !o.to) return "expected --from A and --to B, values of the parameter";
  r.from = *o.from;
  r.to = *o.to;
  if (r.from == r.to) return "--from and --to are equal";
  if (!o.of.empty() && o.of != "equilibrium" && o.of != "orbit")
    return fmt::format("--of {}: expected equilibrium or orbit", o.of);
  r.orbits = o.of == "orbit";
  r.points = o.points.value_or(500);
  if (r.points < 2) return "--points: expected 2 or more";
  r.orbit_points = o.orbit_points;
  if (r.orbit_points && (*r.orbit_points < 0 || *r.orbit_points == 1))
    return "--orbit-points: expected 0, or 2 or more";
  r.step = o.step.value_or(0.02);
  if (!(r.step > 0) || !std::isfinite(r.step)) return "--step: expected a positive number";
  r.shooting = o.shooting.value_or(1);
  if (!(r.shooting >= 1 && r.shooting <= most_shooting_nodes)) return refuse_shooting(r.shooting);
  if (r.orbits && r.period.empty())
    return "--of orbit: expected --period T, a guess (or with --driven the period)";
  if (!r.orbits && (!r.period.empty() || !r.section.empty() || r.driven || o.shooting))
    return "--period, --section, --driven and --shooting go with --of orbit";
  r.quiet = o.json;
  return "";
}

int write_branches(const ContinueArguments& o, const BranchDiagram& diagram,
                   const ShownQuantity& shown) {
  std::string problem;
  const std::unique_ptr<OutputFolder> output =
      OutputFolder::open(o.out, "continue", replace_if(o.force), problem);
  if (!output) return complain("continue", problem);
  const std::string table = branch_table(diagram);
  const ColumnUnits units = ColumnUnits::of(*diagram.model);
  const bool written =
      output->write("branch.csv", table, problem) &&
      output->write("units.json", units.json_for(table), problem) &&
      output->write("bifurcations.json", bifurcations_json(diagram).dump(2) + "\n", problem) &&
      output->write("branch.svg", branch_picture(diagram, shown), problem) &&
      output->commit(problem);
  return written ? exit_done : complain("continue", problem, exit_failed);
}

// What a user should know about how the first branch ended.
int tell_end(const BranchDiagram& diagram) {
  const Branch& first = diagram.branches[0].branch;
  if (first.reached) return exit_done;
  std::string text = fmt::format("{} = {:g} was not reached: {}", diagram.request.parameter,
                                 diagram.request.to, first.end);
  for (const Bifurcation& one : first.bifurcations)
    if (one.kind == BifurcationKind::fold) {
      text +=
          fmt::format("; the branch turns round in a fold at {:.10g}", one.at.point.parameter());
      break;
    }
  return complain("continue", text, first.failed ? exit_failed : exit_done);
}

}  // namespace

int continue_command(const Words& words) {
  ContinueArguments o;
  if (const std::optional<int> status = read_continue_arguments(words, o)) return *status;
  if (const std::string problem = complete(o); !problem.empty())
    return complain("continue", problem);
  if (!may_write("continue", "continue", o.out, o.force,
                 {"branch.csv", "units.json", "bifurcations.json", "branch.svg"}))
    return exit_bad_input;
  const BranchDiagram diagram = [&] {
    const InterruptDeadline deadline("continue");
    return search_branches(o.request);
  }();
  if (diagram.branches.empty()) {
    if (diagram.problem.empty()) return exit_bad_input;  // told already
    return complain("continue", fmt::format("{}: {}", o.request.model.path, diagram.problem),
                    diagram.bad_input ? exit_bad_input : exit_failed);
  }
  const ShownQuantity shown = choose_shown(diagram);
  if (!o.out.empty())
    if (const int status = write_branches(o, diagram, shown); status != exit_done) return status;
  if (o.json)
    print_json(branches_json(diagram));
  else
    print_branches(diagram, shown);
  return tell_end(diagram);
}

}  // namespace cartan
