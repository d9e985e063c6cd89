#include <cartan/continue.h>
#include <cartan/equilibrium.h>
#include <cartan/linearize.h>
#include <cartan/lyapunov.h>
#include <cartan/orbit.h>

#include "api/inside.h"
#include "results/option_names.h"
#include "results/orbits/branch_report.h"
#include "results/orbits/exponents.h"
#include "results/orbits/orbit.h"
#include "results/steady/equilibrium.h"
#include "results/steady/equilibrium_search.h"
#include "results/steady/linearize.h"

namespace cartan::api {
namespace {

void add_spectrum(const Linearisation& linear, Linearization& result) {
  result.eigenvalues = linear.eigenvalues;
  for (std::size_t k = 0; k < linear.eigenvalues.size(); ++k) {
    result.frequencies_hz.push_back(linear.frequency(k));
    result.damping.push_back(linear.damping(k));
  }
  result.neutral = linear.neutral;
  result.stable = linear.stable;
  result.asymptotically_stable = linear.asymptotic;
  result.residual = linear.residual;
}

Equilibrium public_equilibrium(const SteadyCase& steady, const analysis::Equilibrium& found,
                               const Linearisation& linear) {
  Equilibrium result;
  result.state = public_state(*steady.model, *steady.system, found.state);
  result.residual = found.residual;
  result.iterations = found.iterations;
  result.held = found.held;
  result.not_held = found.contested;
  const Symmetries& symmetries = steady.problem->symmetries();
  for (int k = 0; k < symmetries.count(); ++k)
    result.symmetries.emplace_back(symmetries.names[k], found.c[k]);
  if (!linear.problem.empty()) return result;
  result.stable = linear.stable;
  result.asymptotically_stable = linear.asymptotic;
  result.neutral = linear.neutral;
  result.eigenvalues = linear.eigenvalues;
  return result;
}

}  // namespace

Linearization linearize(const Model& model, const LinearizeOptions& options) {
  const LinearizedModel linearized = linearize_model(source_of(model), options);
  const SteadyCase& steady = *linearized.steady;
  Linearization result;
  add_spectrum(linearized.result.linear, result);
  result.state = public_state(*steady.model, *steady.system, linearized.result.linear.state);
  if (linearized.result.equilibrium) result.held = linearized.result.equilibrium->held;
  result.json = linearisation_json(linearized).dump(2) + "\n";
  return result;
}

LinearizeSweep linearize_sweep(const Model& model, const LinearizeOptions& options) {
  const SweptModel swept = sweep_model(source_of(model), options);
  require_steady(swept);
  LinearizeSweep result;
  result.parameter = swept.range.name;
  for (const SweepPoint& point : swept.points) {
    Linearization one;
    one.value = point.value;
    one.problem = name_options(point.result.problem);
    if (one.problem.empty()) add_spectrum(point.result.linear, one);
    result.points.push_back(std::move(one));
  }
  result.csv = sweep_table(swept);
  result.json = sweep_json(swept).dump(2) + "\n";
  return result;
}

Equilibrium equilibrium(const Model& model, const EquilibriumOptions& options) {
  const ModelEquilibrium found = find_model_equilibrium(source_of(model), options);
  require_found(found, source_of(model));
  Equilibrium result = public_equilibrium(*found.steady, found.found, found.linear);
  result.json = equilibrium_json(found).dump(2) + "\n";
  return result;
}

EquilibriumSearch equilibrium_search(const Model& model, const EquilibriumOptions& options) {
  const BoxSearch search = search_box(source_of(model), options);
  require_found(search, source_of(model));
  EquilibriumSearch result;
  result.starts = static_cast<long>(search.result.residuals.size());
  for (const FoundState& found : search.result.states) {
    result.equilibria.push_back(
        public_equilibrium(*search.steady, found.equilibrium, found.linear));
    result.equilibria.back().starts = found.starts;
  }
  result.csv = search.table;
  result.json = search_json(search).dump(2) + "\n";
  return result;
}

Orbit orbit(const Model& model, const OrbitOptions& options) {
  const FoundOrbit found = find_model_orbit(source_of(model), options);
  const analysis::Orbit& orbit = found.orbit;
  Orbit result;
  result.state = public_state(*found.analysis.model, *found.analysis.system, orbit.state());
  result.period = orbit.point.period;
  result.multipliers = orbit.multipliers;
  result.stable = orbit.stable;
  result.attracting = orbit.attracting;
  result.neutral = orbit.neutral;
  result.held = found.held;
  result.newton_steps = orbit.newton_steps;
  result.residual = orbit.residual;
  result.evaluations = orbit.evaluations;
  result.wall_seconds = found.seconds;
  result.json = orbit_json(found).dump(2) + "\n";
  return result;
}

LyapunovExponents lyapunov(const Model& model, const LyapunovOptions& options) {
  const MotionExponents found = calc_model_exponents(source_of(model), options);
  const LyapunovResult& r = found.result;
  LyapunovExponents result;
  result.exponents = r.exponents;
  result.errors = r.errors;
  result.duration = r.duration;
  result.decompositions = r.decompositions;
  result.evaluations = r.evaluations;
  result.crossings = found.crossings.value_or(0);
  result.final = public_state(*found.analysis.model, *found.analysis.system, r.end);
  result.wall_seconds = found.seconds;
  result.json = exponents_json(found).dump(2) + "\n";
  return result;
}

Branches follow(const Model& model, const ContinueOptions& options) {
  const BranchDiagram diagram = search_branches(make_branch_request(source_of(model), options));
  const ShownQuantity shown = choose_shown(diagram);
  if (!options.out.empty()) write_branches(diagram, shown, options.out, options.force);
  const auto state_at = [&](const ContinuationPoint& point) {
    return public_state(*diagram.model, diagram.system_at(point.parameter()), point.states[0]);
  };
  Branches result;
  for (std::size_t b = 0; b < diagram.branches.size(); ++b) {
    const FollowedBranch& followed = diagram.branches[b];
    const auto& samples = followed.branch.samples;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const BranchSample& s = samples[i];
      result.points.push_back({static_cast<int>(b) + 1, s.point.parameter(), state_at(s.point),
                               s.spectrum.values, s.stable, s.spectrum.unstable(),
                               followed.orbits ? s.point.numbers[0] : 0, shown.values[b][i]});
    }
    result.branches.push_back({followed.orbits, followed.origin, followed.branch.reached,
                               name_options(followed.branch.end)});
  }
  for (const FoundBifurcation& found : diagram.bifurcations)
    result.bifurcations.push_back({to_string(found.what.kind), found.branch + 1,
                                   found.what.at.point.parameter(), state_at(found.what.at.point),
                                   found.criticality});
  result.held = diagram.held;
  result.not_held = diagram.not_held;
  result.notes = diagram.notes;
  result.shown = shown.label;
  result.csv = branch_table(diagram);
  result.picture = branch_picture(diagram, shown);
  result.json = branches_json(diagram).dump(2) + "\n";
  return result;
}

}  // namespace cartan::api
