// Values of the names that expressions mention, taken from the kinematics of a mechanism.
#pragma once

#include "mechanics/machine/kinematics.h"

namespace cartan::mechanics {

// Where the coordinates or speeds of a joint start, in the tree or in a loop.
template <class S>
const S* joint_number(const Mechanism<S>& mechanism, int joint, const S* tree,
                      const std::vector<S>& loops, int Link<S>::*offset) {
  const int i = mechanism.link_of_joint[joint];
  if (i >= 0) return tree + mechanism.links[i].*offset;
  return loops.data() + mechanism.loops[mechanism.loop_of_joint[joint]].shape.*offset;
}

template <class S>
S symbol_value(const Mechanism<S>& mechanism, const MotionWorkspace<S>& ws, const Symbol& symbol) {
  switch (symbol.quantity) {
    case Quantity::time:
      return ws.t;
    case Quantity::parameter:
      return mechanism.parameters[symbol.index];
    case Quantity::joint_q:
      return joint_number(mechanism, symbol.index, ws.q, ws.loop_q, &Link<S>::q0)[symbol.component];
    case Quantity::joint_v:
      return joint_number(mechanism, symbol.index, ws.v, ws.loop_v, &Link<S>::v0)[symbol.component];
    case Quantity::body_position: {
      const int link = mechanism.link_of_body[symbol.index];
      const LinkState<S>& x = ws.links[link];
      return (x.o + x.R * mechanism.bodies[link].X_LB.p)[symbol.component];
    }
    case Quantity::body_velocity: {
      const int link = mechanism.link_of_body[symbol.index];
      const LinkState<S>& x = ws.links[link];
      return (x.u + cross(x.w, x.R * mechanism.bodies[link].X_LB.p))[symbol.component];
    }
    case Quantity::body_angular: {
      const int link = mechanism.link_of_body[symbol.index];
      const LinkState<S>& x = ws.links[link];
      return dot(x.R * mechanism.bodies[link].X_LB.R.c[symbol.component], x.w);
    }
    case Quantity::kinetic:
      return ws.kinetic;
    case Quantity::potential:
      return ws.potential;
    case Quantity::branch:
      return S(static_cast<double>(ws.mode[mechanism.friction_modes + symbol.index]));
    case Quantity::variable:
      return ws.variables[symbol.index];
    case Quantity::body_rotation: {
      const int link = mechanism.link_of_body[symbol.index];
      const Vec3<S>& column = mechanism.bodies[link].X_LB.R.c[symbol.component % 3];
      return (ws.links[link].R * column)[symbol.component / 3];
    }
    case Quantity::point_position:
      return point_position(ws, mechanism.points[symbol.index])[symbol.component];
    case Quantity::point_velocity:
      return point_velocity(ws, mechanism.points[symbol.index])[symbol.component];
    case Quantity::joint_acceleration:
      return joint_number(mechanism, symbol.index, ws.vdot.data(), ws.loop_vdot,
                          &Link<S>::v0)[symbol.component];
    case Quantity::body_acceleration: {
      const int link = mechanism.link_of_body[symbol.index];
      return point_acceleration(ws,
                                Point<S>{link, mechanism.bodies[link].X_LB.p})[symbol.component];
    }
    case Quantity::point_acceleration:
      return point_acceleration(ws, mechanism.points[symbol.index])[symbol.component];
    case Quantity::reaction:
    case Quantity::multiplier:  // outputs get these elsewhere (tree_report.cpp)
    case Quantity::variable_rate:
      break;  // rates beside bodies are formulas
  }
  return S(0);
}

template <class S>
std::span<const S> gather_inputs(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws,
                                 const Program& program) {
  for (std::size_t k = 0; k < program.inputs.size(); ++k)
    ws.inputs[k] = symbol_value(mechanism, ws, program.inputs[k]);
  return {ws.inputs.data(), program.inputs.size()};
}

template <class S>
void evaluate_program(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, const Program& program,
                      S* outputs) {
  evaluate<S>(program, gather_inputs(mechanism, ws, program), ws.scratch,
              std::span<S>(outputs, program.outputs.size()));
}

template <class S>
Vec3<S> evaluate_vector(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws,
                        const Program& program) {
  S value[3];
  evaluate_program(mechanism, ws, program, value);
  return {value[0], value[1], value[2]};
}

}  // namespace cartan::mechanics
