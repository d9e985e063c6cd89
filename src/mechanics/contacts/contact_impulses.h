// Impulses on the rows of contacts and what they do, over any scalar: with no speeds and no other
// loads, the accelerations of the dynamics are the changes of the speeds.
//
//   M dv = J^T P + (constraints),    the answer of a row is the change of its speed, J_r dv
#pragma once

#include <algorithm>

#include "mechanics/machine/motion_workspace.h"

namespace cartan::mechanics {

// Ready for impulses: no forces, no joint held. Needs fill_kinematics without speeds.
template <class S>
void clear_loads(MotionWorkspace<S>& ws) {
  std::fill(ws.row_rest.begin(), ws.row_rest.end(), S(0));
  std::fill(ws.prescribed.begin(), ws.prescribed.end(), S(0));
  std::fill(ws.tau.begin(), ws.tau.end(), S(0));
  std::fill(ws.wrench_n.begin(), ws.wrench_n.end(), Vec3<S>{});
  std::fill(ws.wrench_f.begin(), ws.wrench_f.end(), Vec3<S>{});
  ws.gravity = {};
  ws.any_locked = false;
}

template <class S>
void push_contact_row(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, int row,
                      const S& amount) {
  for (std::size_t s = mechanism.contact_source0; s < mechanism.sources.size(); ++s) {
    const int link = mechanism.sources[s].link;
    if (mechanism.sources[s].row != row || link == world) continue;
    ws.wrench_n[link] += amount * ws.source_n[s];
    ws.wrench_f[link] += amount * ws.source_f[s];
  }
  for (const RowTerm<S>& term : mechanism.terms)
    if (term.row == row)
      ws.tau[mechanism.links[term.link].v0 + term.component] += amount * term.factor;
}

template <class S>
S calc_row_answer(const Mechanism<S>& mechanism, const MotionWorkspace<S>& ws, int row) {
  S sum(0);
  for (std::size_t s = mechanism.contact_source0; s < mechanism.sources.size(); ++s) {
    const int link = mechanism.sources[s].link;
    if (mechanism.sources[s].row != row || link == world) continue;
    sum += dot(ws.source_n[s], ws.links[link].dw) + dot(ws.source_f[s], ws.links[link].du);
  }
  for (const RowTerm<S>& term : mechanism.terms)
    if (term.row == row)
      sum += term.factor * ws.vdot[mechanism.links[term.link].v0 + term.component];
  return sum;
}

// The rows of these contacts of the mechanism are filled, none of any contact acts.
template <class S>
void show_contacts(const Mechanism<S>& mechanism, std::span<const int> contacts,
                   MotionWorkspace<S>& ws) {
  for (std::size_t k = 0; k < mechanism.contacts.size(); ++k)
    ws.mode[mechanism.contact_mode0 + k] = contact_open;
  for (const int k : contacts) ws.mode[mechanism.contact_mode0 + k] = contact_closed;
  for (int r = mechanism.contact_row0; r < mechanism.row_count(); ++r)
    ws.mode[mechanism.mode_count + r] = 0;
}

}  // namespace cartan::mechanics
