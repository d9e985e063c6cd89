#include "results/orbits/branch_search.h"

#include <cmath>

#include <fmt/format.h>

#include "results/load/analysis_state.h"
#include "results/orbits/branch_work.h"
#include "results/output_room.h"
#include "results/refusal.h"

namespace cartan::results {
namespace {

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
  return request.orbits ? search_orbits(request) : search_steady(request);
}

}  // namespace cartan::results
