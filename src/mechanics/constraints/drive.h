// drive: q = position(t).
// On a tree joint its rows carry no wrench and no equation is solved: v' is prescribed, the
// multiplier is what the joint transmits. On a loop joint they are rows on the joint's speeds.
#pragma once

#include <algorithm>

#include "mechanics/joints/turn_memory.h"
#include "mechanics/machine/links.h"

namespace cartan::mechanics {

template <class S>
struct DriveElement {
  int joint = 0;
  const Formula* position = nullptr;
  Program rate, acceleration;

  static DriveElement make(const DriveConstraint& c, const auto& build) {
    DriveElement e;
    e.joint = c.joint;
    e.position = &c.position;
    const Symbol time{Quantity::time, 0, 0};
    e.rate = differentiate(c.position.program, time);
    e.acceleration = differentiate(e.rate, time);
    auto& mechanism = build.mechanism;
    mechanism.has_drives = true;
    mechanism.has_power = true;
    const int i = mechanism.link_of_joint[c.joint];
    for (int k = 0; k < build.model.joints[c.joint].nv(); ++k) {
      const int row = build.add_element_row(true);
      mechanism.rows[row].drive = true;
      if (i >= 0) {
        mechanism.links[i].driven = true;
        mechanism.rows[row].driven_speed = mechanism.links[i].v0 + k;
      } else {
        build.add_speed(row, c.joint, k, S(1));
      }
    }
    return e;
  }

  void fill_rows(const Mechanism<S>& mechanism, RowWriter<S>& out) const {
    auto& ws = out.ws;
    S b[6], b_rate[6];
    evaluate_program(mechanism, ws, rate, b);
    evaluate_program(mechanism, ws, acceleration, b_rate);
    const int i = mechanism.link_of_joint[joint];
    const auto at = coordinates_of(mechanism, ws, joint);
    for (int k = 0; k < at.joint.nv; ++k) {
      out.clear_row();
      if (i >= 0) {
        ws.prescribed[at.joint.v0 + k] = b_rate[k];
        ws.row_speed[out.row] = at.v[k];
      } else {
        add_loop_speed(mechanism, mechanism.loop_of_joint[joint], k, S(1), out);
      }
      ws.row_speed[out.row] -= b[k];
      ws.row_rest[out.row] -= b_rate[k];
      ++out.row;
    }
  }
  void fill_positions(const Mechanism<S>& mechanism, PositionWriter<S>& out) const {
    S target[6];
    evaluate_program(mechanism, out.ws, position->program, target);
    const auto at = coordinates_of(mechanism, out.ws, joint);
    for (int k = 0; k < at.joint.nv; ++k) {
      const S d = at.q[k] - target[k];
      out.write(is_open_angle(mechanism, out.ws, joint, k) ? within_half_turn(d) : d);
    }
  }

  std::string find_degenerate(const MotionWorkspace<S>&) const { return ""; }
  template <class Visit>
  void for_each_coordinate(Visit&& visit) const {
    visit(joint, -1);
  }
  RowReach row_reach(const Mechanism<S>& mechanism) const {
    const bool by_time = std::all_of(
        position->program.inputs.begin(), position->program.inputs.end(), [](const Symbol& symbol) {
          return symbol.quantity == Quantity::time || symbol.quantity == Quantity::parameter ||
                 symbol.quantity == Quantity::branch;
        });
    return by_time && mechanism.link_of_joint[joint] >= 0 ? RowReach::prescribed : RowReach::other;
  }
  // Angles of a driven loop joint have the turns of their drive.
  void close_turns(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, OpenTurns& open) const {
    const int l = mechanism.loop_of_joint[joint];
    if (l < 0) return;
    S target[6];
    evaluate_program(mechanism, ws, position->program, target);
    for (int k = 0; k < mechanism.loops[l].shape.nv; ++k) {
      const int entry = turn_of(mechanism.loops[l], k);
      if (entry >= 0 && open.unknown[entry]) open.set_angle(entry, target[k]);
    }
  }

  void list_wrenches(auto& out) const {
    out.clear();
    const auto at = coordinates_of(out.mechanism(), out.ws(), joint);
    for (int k = 0; k < at.joint.nv; ++k) at.tau[k] += out.ws().lambda[out.first_row() + k];
    out.add_joint(joint);
  }
};

template <class S>
struct ElementOf<DriveConstraint, S> : std::type_identity<DriveElement<S>> {};

}  // namespace cartan::mechanics
