// cartan continue: branches of steady motions or orbits along a parameter, with their bifurcations.
#include <fmt/format.h>

#include "cli/terminal/arguments.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/json_output.h"
#include "cli/terminal/model_options.h"
#include "cli/terminal/out_option.h"
#include "cli/terminal/terminal_watch.h"
#include "io/csv.h"
#include "results/option_names.h"
#include "results/orbits/branch_report.h"

namespace cartan::cli {
namespace {

struct ContinueArguments {
  ModelArguments model;
  api::ContinueOptions follow;
  bool json = false;
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
  api::ContinueOptions& r = o.follow;
  declare_model(arguments, o.model);
  arguments.option("--parameter", "P",
                   "an entry of [parameters], or an expression of the state (\"R*axle.v\", "
                   "\"kinetic + potential\")",
                   r.parameter);
  arguments.option("--from", "A", "where the parameter begins", r.from);
  arguments.option("--to", "B", "where it ends; may be smaller than A", r.to);
  arguments.option("--of", "WHAT", "`equilibrium` (default; steady motions too) or `orbit`", r.of);
  arguments.option(
      "--start", "STATE",
      "a STATE.json, a trajectory.csv or the folder of a run near the branch; default: "
      "the initial state",
      r.start);
  arguments.repeated("--hold", "EXPR",
                     "what keeps its initial value; repeatable. Otherwise, and where that leaves "
                     "motions open, initial values are held, and the output says which",
                     r.hold);
  arguments.option("--points", "N", "most points of a branch; default 500", r.points);
  arguments.option("--step", "S",
                   "longest step along a branch, parameter and state measured together (the "
                   "interval from A to B counts as 1); default 0.02",
                   r.step);
  arguments.flag("--switch",
                 "also follow branches that cross at branch points, orbits born at Hopf points "
                 "(up to symmetries too), and orbits of twice the period at period doublings",
                 r.switch_branches);
  arguments.option("--orbit-points", "N",
                   "most points of a branch of orbits born at a Hopf point; 0: only tell the "
                   "point. Default: as --points; 20 where orbits close up to symmetries only, "
                   "which takes longer",
                   r.orbit_points);
  arguments.option("--period", "T", "of orbits: a guess, or with --driven the period itself",
                   r.period);
  arguments.option("--section", "EXPR", "of orbits: they begin where EXPR = 0", r.section);
  arguments.flag("--driven", "of orbits: the equations depend on time and repeat after the period",
                 r.driven);
  arguments.option("--shooting", "N", "of orbits: nodes (multiple shooting); default 1",
                   r.shooting);
  arguments.option("--swap", "A=B",
                   "of orbits: they close after parts have exchanged their names, as in `orbit`",
                   r.swap);
  arguments.option("--show", "EXPR",
                   "what is shown over the parameter; default: the coordinate that changes most",
                   r.show);
  declare_steady_formulation(arguments, r.formulation);
  arguments.option("--out", "DIR", "write branch.csv, bifurcations.json and branch.svg", r.out);
  declare_force(arguments, r.force);
  arguments.flag("--json", "print one JSON object", o.json);
  return arguments.parse(words);
}

constexpr std::size_t most_rows = 24;  // of the printed table, per branch

void print_branches(const BranchDiagram& diagram, const ShownQuantity& shown) {
  const std::string& name = diagram.request.parameter;
  fmt::print("{}: {} along {} from {:g} to {:g}\n", diagram.model->title(),
             diagram.request.orbits ? "orbits" : "steady motions", name, diagram.request.from,
             diagram.request.to);
  for (const std::string& held : diagram.held) fmt::print("held: {}\n", held);
  for (const std::string& held : diagram.not_held)
    fmt::print("not held (no steady state has its initial value): {}\n", held);
  for (std::size_t b = 0; b < diagram.branches.size(); ++b) {
    const FollowedBranch& followed = diagram.branches[b];
    const auto& samples = followed.branch.samples;
    fmt::print("\nbranch {}: {} {}{}\n", b + 1, samples.size(),
               followed.orbits ? "orbits" : "steady motions",
               followed.origin.empty() ? "" : ", from " + followed.origin);
    fmt::print("{:>18} {:>20} {:>8} {:>9} {:>16}{}\n", name, shown.label, "stable", "unstable",
               followed.orbits ? "log multiplier" : "real part",
               followed.orbits ? "           period" : "");
    const std::size_t every = thinning(samples.size(), most_rows);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      if (i % every != 0 && i + 1 != samples.size()) continue;
      const BranchSample& s = samples[i];
      const bool neutral_only = s.spectrum.values.empty();
      fmt::print("{:18.10g} {:20.10g} {:>8} {:>9} {:>16}", s.point.parameter(), shown.values[b][i],
                 s.stable ? "yes" : "no", s.spectrum.unstable(),
                 neutral_only ? "-" : fmt::format("{:.8g}", growth_of(s.spectrum)));
      if (followed.orbits) fmt::print(" {:16.10g}", s.point.numbers[0]);
      fmt::print("\n");
    }
    fmt::print("ends: {}\n", name_options(followed.branch.end));
  }
  fmt::print("\n{}\n", diagram.bifurcations.empty() ? "no bifurcations" : "bifurcations");
  for (std::size_t k = 0; k < diagram.bifurcations.size(); ++k) {
    const FoundBifurcation& found = diagram.bifurcations[k];
    fmt::print(
        "  branch {}: {:<24} {} = {:.12g}, {} = {:.10g}, unstable {} -> {}{}\n", found.branch + 1,
        describe(found), name, found.what.at.point.parameter(), shown.label,
        shown.at_bifurcations[k], found.what.unstable_before, found.what.unstable_after,
        found.slope != 0 ? fmt::format(", d {}/d amplitude^2 = {:.6g}", name, found.slope) : "");
    if (const std::string form = describe_form(found.form); !form.empty())
      fmt::print("    normal form: {}\n", form);
    if (!found.form.problem.empty())
      fmt::print("    no coefficient of the normal form: {}\n", found.form.problem);
  }
  for (const std::string& note : diagram.notes) fmt::print("{}\n", note);
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
  o.model.quiet = o.json;
  o.follow.watch = interruptible(terminal_watch(true, !o.json));
  const BranchRequest request = make_branch_request(o.model, o.follow);
  const BranchDiagram diagram = [&] {
    const InterruptDeadline deadline("continue");
    return search_branches(request);
  }();
  const ShownQuantity shown = choose_shown(diagram);
  if (!o.follow.out.empty()) write_branches(diagram, shown, o.follow.out, o.follow.force);
  if (o.json)
    print_json(branches_json(diagram));
  else
    print_branches(diagram, shown);
  return tell_end(diagram);
}

}  // namespace cartan::cli
