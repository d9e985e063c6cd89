#include "results/design/steer_contacts.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "analysis/control/steering_program.h"
#include "system/contact_holding.h"

namespace cartan::results {
namespace {

using Eigen::VectorXd;

constexpr int looks_at_contacts = 12;  // per interval

double slack_of(const SteerSetup& setup) {
  return 10 * std::max(setup.task.tolerance, 1e-9);
}

// Contacts that count only where `active` is positive have no path of their own.
std::string find_early_contact(const SteerSetup& setup, const SteeringMotion& motion, int p) {
  const SteerPhase& phase = setup.phases[p];
  const PhaseMotion& path = motion.phases[p];
  for (std::size_t c = 0; c < setup.model->contacts.size(); ++c) {
    const Contact& contact = setup.model->contacts[c];
    const bool closed = std::find(phase.closed.begin(), phase.closed.end(), static_cast<int>(c)) !=
                        phase.closed.end();
    if (closed || !contact.active.given()) continue;
    const auto counts = setup.mechanism()->make_function(contact.active);
    if (!counts) continue;
    State state = phase.at;
    std::vector<double> x;
    for (int k = 0; k < looks_at_contacts * path.intervals(); ++k) {
      const double begin = path.interval_begin(k / looks_at_contacts),
                   end = path.interval_end(k / looks_at_contacts);
      state.t = begin + (end - begin) * (k % looks_at_contacts) / looks_at_contacts;
      path.state_at(*setup.charts, state.t, x);
      std::copy(x.begin(), x.end(), state.x.begin());
      if (!(counts->value(state, *setup.workspace) > 0)) continue;
      const double gap = setup.mechanism()->report_contacts(state, *setup.workspace)[c].gap;
      if (gap >= -slack_of(setup)) continue;
      return fmt::format(
          "phase '{}': contact '{}' would close at t = {:.9g}, where it counts and its surfaces "
          "overlap by {:.3g} m; keep it open by a [path], or let it count later ('active')",
          phase.name, contact.name, state.t, -gap);
    }
  }
  return "";
}

}  // namespace

State edge_state(const SteerSetup& setup, const SteeringMotion& motion, int phase, bool at_end) {
  const PhaseMotion& path = motion.phases[phase];
  State state = setup.phases[phase].at;
  state.t = at_end ? path.times.back() : path.times.front();
  const std::vector<double>& base = at_end ? path.base.back() : path.base.front();
  const VectorXd& y = at_end ? path.node.back() : path.node.front();
  setup.charts->to_point(base.data(), y.data(),
                         {state.x.data(), (std::size_t)setup.charts->size()});
  return state;
}

RepeatedImpact repeat_impact(const SteerSetup& setup, const SteeringMotion& motion,
                             std::size_t junction) {
  RepeatedImpact result;
  const SteeringJunction& j = setup.problem.junctions[junction];
  if (j.closings == 0) return result;
  State state = edge_state(setup, motion, j.from, true);
  // gaps that are zero to rounding: the law asks for it
  State placed = state;
  std::vector<int> touching = setup.phases[j.from].closed;
  for (const JunctionMap::ImpulseRow& row : setup.junctions[junction].impulses)
    touching.push_back(row.contact);
  const auto* holder = dynamic_cast<const ContactHolding*>(setup.system.get());
  if (holder && holder->hold_contacts(touching, placed, *setup.workspace).empty() &&
      setup.system->project(placed, *setup.workspace).problem.empty())
    for (int i = 0; i < setup.system->kinematic_size(); ++i) state.x[i] = placed.x[i];
  setup.workspace->jumps.clear();
  State after = state;
  setup.system->settle(after, *setup.workspace);
  result.impacts = setup.workspace->jumps.impacts;
  result.problem = setup.workspace->jumps.problem;
  setup.workspace->jumps.clear();
  // the speeds of the plan, in the names before parts were exchanged
  VectorXd z(j.map->inputs), f(j.map->outputs);
  const PhaseMotion& before = motion.phases[j.from];
  z << before.node.back(), before.times.back(), motion.impulses[junction];
  const std::vector<double> a = junction_numbers(j, motion);
  j.map->value(z.data(), a.data(), f.data());
  const int size = setup.charts->size(), first = setup.system->kinematic_size();
  for (int i = first; i < size - setup.mechanism()->variable_count(); ++i) {
    const int to = j.repeats && !setup.swap.empty() ? setup.swap[i] : i;
    const double planned = f(setup.charts->coordinate_of(to));
    result.difference =
        std::max(result.difference, std::fabs(planned - after.x[i]) / (1 + std::fabs(planned)));
  }
  return result;
}

std::string find_unplanned_contact(const SteerSetup& setup, const SteeringMotion& motion) {
  if (setup.task.phases.empty()) return "";
  for (int p = 0; p < static_cast<int>(setup.phases.size()); ++p) {
    if (std::string found = find_early_contact(setup, motion, p); !found.empty()) return found;
  }
  for (std::size_t k = 0; k < setup.problem.junctions.size(); ++k) {
    const RepeatedImpact impact = repeat_impact(setup, motion, k);
    const std::string& name = setup.phases[setup.problem.junctions[k].from].name;
    if (!impact.problem.empty())
      return fmt::format("at the end of phase '{}': {}", name, impact.problem);
    if (impact.difference > 1e-6)
      return fmt::format(
          "at the end of phase '{}' the law of impacts gives speeds that differ by {:.2g} from "
          "those of the plan: a contact slides, bounces or parts there; change the phases",
          name, impact.difference);
  }
  return "";
}

}  // namespace cartan::results
