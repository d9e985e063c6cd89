#include "mechanics/machine/kinematics.h"

#include "core/lanes/sines.h"
#include "core/mixed.h"
#include "mechanics/constraints/constraints.h"
#include "mechanics/constraints/loop_rotors.h"
#include "mechanics/joints/joint_motion.h"
#include "mechanics/machine/expression_inputs.h"
#include "symbolic/expression.h"

namespace cartan::mechanics {
namespace {

// The world as the parent of the first links.
template <class S>
const LinkState<S>& ground() {
  static const LinkState<S> state = [] {
    LinkState<S> s;
    s.R = Mat3<S>::identity();
    return s;
  }();
  return state;
}

template <class S>
const LinkState<S>& parent_state(const MotionWorkspace<S>& ws, int parent) {
  return parent == world ? ground<S>() : ws.links[parent];
}

// R exp(e_k angle): a planar rotation of two columns.
template <class S, int K>
void turn_columns(Mat3<S>& R, const S& s, const S& c) {
  constexpr int i = (K + 1) % 3, j = (K + 2) % 3;
  const Vec3<S> a = R.c[i], b = R.c[j];
  R.c[i] = c * a + s * b;
  R.c[j] = c * b - s * a;
}

// Sines and cosines of all angles before the first link: numbers are taken several at once.
template <class S>
void fill_sines_of_angles(const Mechanism<S>& mechanism, const S* q, MotionWorkspace<S>& ws) {
  const std::vector<int>& turning = mechanism.turning;
  if constexpr (std::is_same_v<S, double>) {
    if (turning.size() > 1) {
      for (std::size_t k = 0; k < turning.size(); ++k) ws.sine[k] = q[turning[k]];
      return fill_sines(ws.sine.size(), ws.sine.data(), ws.sine.data(), ws.cosine.data());
    }
  }
  for (std::size_t k = 0; k < turning.size(); ++k) sincos(q[turning[k]], ws.sine[k], ws.cosine[k]);
}

template <class S>
void fill_rotation1(const Link<S>& link, const LinkState<S>& p, const S* v, const S& s, const S& c,
                    LinkState<S>& x) {
  x.R = link.turned ? p.R * link.R_tree : p.R;
  switch (link.axis_index) {
    case 0:
      x.s = x.R.c[0];
      turn_columns<S, 0>(x.R, s, c);
      break;
    case 1:
      x.s = x.R.c[1];
      turn_columns<S, 1>(x.R, s, c);
      break;
    case 2:
      x.s = x.R.c[2];
      turn_columns<S, 2>(x.R, s, c);
      break;
    default:
      x.s = x.R * link.axis;
      x.R = x.R * turned_about(link.axis, s, c);
  }
  x.r = p.R * link.p_tree;
  x.o = p.o + x.r;
  const Vec3<S> rate = v[link.v0] * x.s;
  x.w = p.w + rate;
  x.cw = cross(p.w, rate);
  const Vec3<S> wr = cross(p.w, x.r);
  x.u = p.u + wr;
  x.cu = cross(p.w, wr);
}

template <class S>
void fill_rotation3(const Link<S>& link, const LinkState<S>& p, const S* q, const S* v,
                    LinkState<S>& x) {
  const Mat3<S> R_joint = rotation_matrix(quaternion_at(q + link.q0));
  x.R = link.turned ? p.R * (link.R_tree * R_joint) : p.R * R_joint;
  x.r = p.R * link.p_tree;
  x.o = p.o + x.r;
  const Vec3<S> rate = x.R * Vec3<S>{v[link.v0], v[link.v0 + 1], v[link.v0 + 2]};
  x.w = p.w + rate;
  x.cw = cross(p.w, rate);
  const Vec3<S> wr = cross(p.w, x.r);
  x.u = p.u + wr;
  x.cu = cross(p.w, wr);
}

template <int K, class S>
void fill_general(const Link<S>& link, const LinkState<S>& p, const S* q, const S* v,
                  LinkState<S>& x, MotionWorkspace<S>& ws) {
  const JointMotion<S> m = calc_joint_motion(link, q + link.q0, v + link.v0);
  const Mat3<S> R_inboard = link.turned ? p.R * link.R_tree : p.R;
  Vec3<S>* const phi = ws.phi.data() + link.v0;
  Vec3<S>* const psi = ws.psi.data() + link.v0;
  x.R = R_inboard * m.R;
  x.r = p.R * link.p_tree + R_inboard * m.p;
  x.o = p.o + x.r;
  Vec3<S> turn, slide;
  for (int k = 0; k < K; ++k) {
    phi[k] = x.R * m.phi[k];
    psi[k] = x.R * m.psi[k];
    turn += v[link.v0 + k] * phi[k];
    slide += v[link.v0 + k] * psi[k];
  }
  x.w = p.w + turn;
  const Vec3<S> wr = cross(p.w, x.r);
  x.u = p.u + wr + slide;
  x.cw = cross(p.w, turn);
  x.cu = cross(p.w, wr + slide) + cross(x.w, slide);
  for (int k = 0; k < K; ++k) {
    Vec3<S>&phi_rate = ws.phi_rate[link.v0 + k], &psi_rate = ws.psi_rate[link.v0 + k];
    phi_rate = cross(x.w, phi[k]);
    psi_rate = cross(x.w, psi[k]);
    if (!m.varies) continue;
    const Vec3<S> turned = x.R * m.phi_dot[k], shifted = x.R * m.psi_dot[k];
    phi_rate += turned;
    psi_rate += shifted;
    x.cw += v[link.v0 + k] * turned;
    x.cu += v[link.v0 + k] * shifted;
  }
}

template <class S>
void fill_any(const Link<S>& link, const LinkState<S>& p, const S* q, const S* v, LinkState<S>& x,
              MotionWorkspace<S>& ws) {
  switch (link.nv) {
    case 0:
      return fill_general<0>(link, p, q, v, x, ws);
    case 1:
      return fill_general<1>(link, p, q, v, x, ws);
    case 2:
      return fill_general<2>(link, p, q, v, x, ws);
    case 3:
      return fill_general<3>(link, p, q, v, x, ws);
    default:
      return fill_general<6>(link, p, q, v, x, ws);
  }
}

// A free link on the world whose origin is the centre of mass; no columns.
template <class S>
void fill_absolute(const Link<S>& link, const S* q, const S* v, LinkState<S>& x) {
  x.R = rotation_matrix(quaternion_at(q));
  x.o = x.r = {q[4], q[5], q[6]};
  x.w = x.R * Vec3<S>{v[0], v[1], v[2]};
  const Vec3<S> linear{v[3], v[4], v[5]};
  x.cw = x.cu = {};
  x.u = link.product ? linear : x.R * linear;
  if (!link.product) x.cu = cross(x.w, x.u);
}

template <class S>
void fill_gravity(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  if (!mechanism.gravity_varies) {
    ws.gravity = mechanism.gravity;
    return;
  }
  Vec3<S> g = evaluate_vector(mechanism, ws, mechanism.model->gravity.program);
  Vec3<S> rate = evaluate_vector(mechanism, ws, mechanism.gravity_rate);
  if (mechanism.model->gravity_frame != world) {
    const int link = mechanism.link_of_body[mechanism.model->gravity_frame];
    const Mat3<S> R = body_pose(mechanism, ws, link).R;
    g = R * g;
    rate = R * rate + cross(ws.links[link].w, g);
  }
  ws.gravity = g;
  ws.gravity_rate = rate;
}

}  // namespace

template <class S>
void fill_kinematics(const Mechanism<S>& mechanism, const S& t, const S* q, const S* v,
                     MotionWorkspace<S>& ws) {
  ws.t = t;
  ws.q = q;
  ws.v = v;
  const std::size_t n = mechanism.links.size();
  fill_sines_of_angles(mechanism, q, ws);
  for (std::size_t i = 0; i < n; ++i) {
    const Link<S>& link = mechanism.links[i];
    const LinkState<S>& p = parent_state(ws, link.parent);
    LinkState<S>& x = ws.links[i];
    if (mechanism.absolute)
      fill_absolute(link, q + link.q0, v + link.v0, x);
    else if (link.motion == Motion::rotation1)
      fill_rotation1(link, p, v, ws.sine[link.turn], ws.cosine[link.turn], x);
    else if (link.motion == Motion::rotation3)
      fill_rotation3(link, p, q, v, x);
    else
      fill_any(link, p, q, v, x, ws);
  }
  finish_kinematics(mechanism, ws);
}

template <class S>
void finish_kinematics(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  fill_gravity(mechanism, ws);
  if (!mechanism.rows.empty() || !mechanism.loops.empty()) fill_constraints(mechanism, ws);
}

template <class S>
void fill_columns(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    const Link<S>& link = mechanism.links[i];
    const LinkState<S>& x = ws.links[i];
    const int j = link.v0;
    if (link.motion == Motion::rotation1) {
      ws.phi[j] = x.s;
      ws.psi[j] = {};
      ws.phi_rate[j] = cross(x.w, x.s);
      ws.psi_rate[j] = {};
    } else if (link.motion == Motion::rotation3) {
      for (int k = 0; k < 3; ++k) {
        ws.phi[j + k] = x.R.c[k];
        ws.psi[j + k] = {};
        ws.phi_rate[j + k] = cross(x.w, x.R.c[k]);
        ws.psi_rate[j + k] = {};
      }
    } else if (mechanism.absolute) {
      for (int k = 0; k < 3; ++k) {
        Vec3<S> axis;
        axis[k] = S(1);
        ws.phi[j + k] = x.R.c[k];
        ws.psi[j + 3 + k] = link.product ? axis : x.R.c[k];
        ws.psi[j + k] = ws.phi[j + 3 + k] = ws.psi_rate[j + k] = ws.phi_rate[j + 3 + k] = {};
        ws.phi_rate[j + k] = cross(x.w, x.R.c[k]);
        ws.psi_rate[j + 3 + k] = link.product ? Vec3<S>{} : ws.phi_rate[j + k];
      }
    }
  }
}

template <class S>
void fill_acceleration(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, int i) {
  const Link<S>& link = mechanism.links[i];
  LinkState<S>& x = ws.links[i];
  Vec3<S> dw_p, du_p = -ws.gravity;
  if (link.parent != world) {
    dw_p = ws.links[link.parent].dw;
    du_p = ws.links[link.parent].du;
  }
  const S* a = ws.vdot.data() + link.v0;
  x.dw = dw_p + x.cw;
  x.du = (du_p + x.cu) + cross(dw_p, x.r);
  if (link.motion == Motion::rotation1) {
    x.dw += a[0] * x.s;
  } else if (link.motion == Motion::rotation3) {
    x.dw += x.R * Vec3<S>{a[0], a[1], a[2]};
  } else {
    for (int k = 0; k < link.nv; ++k) {
      x.dw += a[k] * ws.phi[link.v0 + k];
      x.du += a[k] * ws.psi[link.v0 + k];
    }
  }
}

//   n = J dw + mc x du + w x J w,  f = m du + dw x mc + w x (w x mc), with J in link axes
template <class S>
void start_reaction(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, int i) {
  const Link<S>& link = mechanism.links[i];
  const LinkState<S>& x = ws.links[i];
  const Vec3<S> mc = x.R * link.mc;
  const Vec3<S> w_L = transpose_times(x.R, x.w);
  const Vec3<S> dw_L = transpose_times(x.R, x.dw);
  const Vec3<S> momentum = link.principal ? scaled(link.J, w_L) : link.J * w_L;
  const Vec3<S> change = link.principal ? scaled(link.J, dw_L) : link.J * dw_L;
  ws.joint_n[i] = x.R * (change + cross(w_L, momentum)) + cross(mc, x.du);
  ws.joint_f[i] = link.mass * x.du + cross(x.dw, mc) + cross(x.w, cross(x.w, mc));
  if (!mechanism.has_forces) return;
  ws.joint_n[i] -= ws.wrench_n[i];
  ws.joint_f[i] -= ws.wrench_f[i];
}

namespace {

// Rotors in loop joints and constraint forces push on the links like any other force.
template <class S>
void add_wrenches_of_loops(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  if (!mechanism.loop_rotors.empty()) {
    fill_rotor_wrenches(mechanism, ws);
    for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
      ws.joint_n[i] -= ws.rotor_n[i];
      ws.joint_f[i] -= ws.rotor_f[i];
    }
  }
  for (std::size_t s = 0; s < mechanism.sources.size(); ++s) {
    const RowSource& source = mechanism.sources[s];
    if (source.link == world) continue;
    ws.joint_n[source.link] -= ws.lambda[source.row] * ws.source_n[s];
    ws.joint_f[source.link] -= ws.lambda[source.row] * ws.source_f[s];
  }
}

template <class S>
void add_reaction_to_parent(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, int i) {
  const int parent = mechanism.links[i].parent;
  if (parent == world) return;
  ws.joint_n[parent] += ws.joint_n[i] + cross(ws.links[i].r, ws.joint_f[i]);
  ws.joint_f[parent] += ws.joint_f[i];
}

}  // namespace

template <class S>
void fill_accelerations(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  const int n = static_cast<int>(mechanism.links.size());
  for (int i = 0; i < n; ++i) fill_acceleration(mechanism, ws, i);
}

template <class S>
void fill_reactions(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  const int n = static_cast<int>(mechanism.links.size());
  for (int i = 0; i < n; ++i) start_reaction(mechanism, ws, i);
  add_wrenches_of_loops(mechanism, ws);
  for (int i = n - 1; i >= 0; --i) add_reaction_to_parent(mechanism, ws, i);
}

// The steps of one link wait for each other, those of different kinds do not: so all kinds go along
// the links together.
template <class S>
void calc_inverse_dynamics(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws,
                           std::span<S> tau) {
  const int n = static_cast<int>(mechanism.links.size());
  for (int i = 0; i < n; ++i) {
    fill_acceleration(mechanism, ws, i);
    start_reaction(mechanism, ws, i);
  }
  add_wrenches_of_loops(mechanism, ws);
  for (int i = n - 1; i >= 0; --i) {
    const Link<S>& link = mechanism.links[i];
    if (link.motion == Motion::rotation3) {
      const Vec3<S> torque = transpose_times(ws.links[i].R, ws.joint_n[i]);
      for (int k = 0; k < 3; ++k) tau[link.v0 + k] = torque[k];
    } else {
      for (int k = 0; k < link.nv; ++k)
        tau[link.v0 + k] = joint_force_component(mechanism, ws, i, k);
    }
    add_reaction_to_parent(mechanism, ws, i);
    if (!link.geared) continue;
    for (int j = link.v0; j < link.v0 + link.nv; ++j) tau[j] += mechanism.rotor[j] * ws.vdot[j];
  }
}

#define CARTAN_INSTANTIATE(S)                                                         \
  template void fill_kinematics<S>(const Mechanism<S>&, const S&, const S*, const S*, \
                                   MotionWorkspace<S>&);                              \
  template void finish_kinematics<S>(const Mechanism<S>&, MotionWorkspace<S>&);       \
  template void fill_columns<S>(const Mechanism<S>&, MotionWorkspace<S>&);            \
  template void fill_accelerations<S>(const Mechanism<S>&, MotionWorkspace<S>&);      \
  template void fill_reactions<S>(const Mechanism<S>&, MotionWorkspace<S>&);          \
  template void calc_inverse_dynamics<S>(const Mechanism<S>&, MotionWorkspace<S>&, std::span<S>);
CARTAN_FOR_EACH_SCALAR_AND_EXPRESSION(CARTAN_INSTANTIATE)
CARTAN_INSTANTIATE(Mixed)
#undef CARTAN_INSTANTIATE
template void fill_acceleration<Dual4>(const Mechanism<Dual4>&, MotionWorkspace<Dual4>&, int);
template void start_reaction<Dual4>(const Mechanism<Dual4>&, MotionWorkspace<Dual4>&, int);

}  // namespace cartan::mechanics
