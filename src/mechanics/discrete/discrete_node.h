// A node of the discrete motion (discrete_motion.h) for one scalar: forces, momenta and speeds.
//
// Momenta and forces are lists: six numbers per link (moment about the centre of mass and force,
// world axes), then one per speed (what acts in the joints; of momenta: those of rotors).
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "mechanics/absolute/absolute_solver.h"
#include "mechanics/forces/dry_friction.h"
#include "mechanics/forces/forces.h"
#include "mechanics/machine/expression_inputs.h"
#include "mechanics/tree/recursive.h"

namespace cartan::mechanics::discrete {

// A node of one scalar: the moving mechanism for forces, the still one for M and J.
template <class S>
struct Node {
  MotionWorkspace<S> moving, still;
  std::vector<S> zeros, q, v, F, solved;

  explicit Node(const Mechanism<S>& mechanism)
      : moving(make_motion_workspace(mechanism)),
        still(make_motion_workspace(mechanism)),
        zeros(mechanism.nv, S(0)),
        q(mechanism.nq),
        v(mechanism.nv),
        F(6 * mechanism.links.size() + mechanism.nv),
        solved(mechanism.nv) {}
};

template <class S>
void set_mode(std::span<const int> mode, MotionWorkspace<S>& ws) {
  std::copy(mode.begin(), mode.end(), ws.mode.begin());
}

template <class S>
void fill_still(const Mechanism<S>& mechanism, const S& t, const S* q, const std::vector<S>& zeros,
                MotionWorkspace<S>& ws) {
  fill_kinematics<S>(mechanism, t, q, zeros.data(), ws);
  if (mechanism.absolute) fill_columns(mechanism, ws);
}

// S^T (joint_n, joint_f): the wrenches of the links, summed inward.
template <class S>
void take_along_columns(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, std::span<S> out) {
  for (int i = static_cast<int>(mechanism.links.size()) - 1; i >= 0; --i) {
    const Link<S>& link = mechanism.links[i];
    for (int k = 0; k < link.nv; ++k) out[link.v0 + k] = joint_force_component(mechanism, ws, i, k);
    if (link.parent == world) continue;
    ws.joint_n[link.parent] += ws.joint_n[i] + cross(ws.links[i].r, ws.joint_f[i]);
    ws.joint_f[link.parent] += ws.joint_f[i];
  }
}

// Momenta or forces of one link in a list of them.
template <class S>
Vec3<S> moment_at(std::span<const S> list, std::size_t i) {
  return {list[6 * i], list[6 * i + 1], list[6 * i + 2]};
}
template <class S>
Vec3<S> force_at(std::span<const S> list, std::size_t i) {
  return {list[6 * i + 3], list[6 * i + 4], list[6 * i + 5]};
}
template <class S>
void put_link(const Vec3<S>& moment, const Vec3<S>& force, std::size_t i, std::span<S> list) {
  for (int k = 0; k < 3; ++k) {
    list[6 * i + k] = moment[k];
    list[6 * i + 3 + k] = force[k];
  }
}

// Where all links are free, forces in their joints are wrenches on them.
template <class S>
void move_joint_forces(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  if (!mechanism.absolute) return;
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    const Link<S>& link = mechanism.links[i];
    S* tau = ws.tau.data() + link.v0;
    const Vec3<S> push{tau[3], tau[4], tau[5]};
    ws.wrench_n[i] += ws.links[i].R * Vec3<S>{tau[0], tau[1], tau[2]};
    ws.wrench_f[i] += link.product ? push : ws.links[i].R * push;
    std::fill_n(tau, 6, S(0));
  }
}

// Solves M a = [wrenches, tau] + J^T lambda, J a + rest = 0 at the still position of ws, with
// `rest` and `prescribed` as they are there: a into ws.vdot.
template <class S>
void solve_still(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  ws.gravity = {};
  move_joint_forces(mechanism, ws);
  mechanism.absolute ? solve_absolute(mechanism, ws) : solve_accelerations(mechanism, ws);
}

template <class S, class F>
void for_each_tree_drive(const Mechanism<S>& mechanism, F&& f) {
  if (!mechanism.has_drives) return;
  for (const ConstraintElement<S>& element : mechanism.constraints) {
    const auto* drive = std::get_if<DriveElement<S>>(&element);
    if (drive && mechanism.link_of_joint[drive->joint] >= 0)
      f(*drive, mechanism.links[mechanism.link_of_joint[drive->joint]]);
  }
}

template <class S>
void leave_accelerations(const Mechanism<S>&, MotionWorkspace<S>&) {}

template <class S>
bool calc_forces(const Mechanism<S>& mechanism, const S& t, const S* q, const S* v,
                 std::span<const int> mode, Node<S>& node, std::span<S> F) {
  MotionWorkspace<S>& ws = node.moving;
  set_mode(mode, ws);
  fill_kinematics<S>(mechanism, t, q, v, ws);
  if (mechanism.absolute) fill_columns(mechanism, ws);
  fill_forces(mechanism, ws);
  ws.failed = false;
  if (mechanism.has_friction) {  // only loads of bearings need the accelerations
    const AccelerationSolver<S> solve =
        mechanism.absolute ? solve_absolute<S> : solve_accelerations<S>;
    solve_with_friction(mechanism, ws,
                        mechanism.bearing_count > 0 ? solve : leave_accelerations<S>);
  }
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    const Vec3<S> arm = ws.links[i].R * mechanism.bodies[i].com_L, &f = ws.wrench_f[i];
    put_link(ws.wrench_n[i] - cross(arm, f), f + mechanism.links[i].mass * ws.gravity, i, F);
  }
  std::copy_n(ws.tau.begin(), mechanism.nv, F.end() - mechanism.nv);
  return !ws.failed;
}

// Momenta of link i that moves as in ws, about its centre of mass.
template <class S>
void calc_link_momenta(const Mechanism<S>& mechanism, const MotionWorkspace<S>& ws, std::size_t i,
                       Vec3<S>& L, Vec3<S>& P) {
  const LinkState<S>& x = ws.links[i];
  const LinkBody<S>& body = mechanism.bodies[i];
  L = x.R * (body.J_com_L * transpose_times(x.R, x.w));
  P = mechanism.links[i].mass * (x.u + cross(x.w, x.R * body.com_L));
}

// The speeds are those of the guess and what the momenta it lacks add to them.
template <class S>
void calc_speeds(const Mechanism<S>& mechanism, const S& t, const S* q, const S* guess,
                 std::span<const int> mode, std::span<const S> p, Node<S>& node, S* v) {
  MotionWorkspace<S>&ws = node.still, &moving = node.moving;
  set_mode(mode, ws);
  set_mode(mode, moving);
  fill_kinematics<S>(mechanism, t, q, guess, moving);
  fill_still(mechanism, t, q, node.zeros, ws);
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    Vec3<S> L, P;
    calc_link_momenta(mechanism, moving, i, L, P);
    const Vec3<S> f = force_at(p, i) - P;
    ws.wrench_n[i] = moment_at(p, i) - L + cross(ws.links[i].R * mechanism.bodies[i].com_L, f);
    ws.wrench_f[i] = f;
  }
  for (int j = 0; j < mechanism.nv; ++j)
    ws.tau[j] = p[p.size() - mechanism.nv + j] - mechanism.rotor[j] * guess[j];
  ws.row_rest = moving.row_speed;
  for_each_tree_drive(mechanism, [&](const DriveElement<S>& drive, const Link<S>& link) {
    S* to = ws.prescribed.data() + link.v0;
    evaluate_program(mechanism, ws, drive.rate, to);
    for (int k = 0; k < link.nv; ++k) to[k] -= guess[link.v0 + k];
  });
  solve_still(mechanism, ws);
  for (int j = 0; j < mechanism.nv; ++j) v[j] = guess[j] + ws.vdot[j];
  for_each_tree_drive(mechanism, [&](const DriveElement<S>& drive, const Link<S>& link) {
    evaluate_program(mechanism, ws, drive.rate, v + link.v0);  // exactly
  });
}

}  // namespace cartan::mechanics::discrete
