// How a change of a joint moves what it carries. The answers of the joints are in link_answers.cpp.
#include "mechanics/tree/link_slopes.h"

#include <algorithm>
#include <cmath>

#include "mechanics/joints/joint_motion.h"
#include "mechanics/tree/articulated_body.h"

namespace cartan::mechanics {

LinkSlopes::LinkSlopes(const Mechanism<double>& mechanism, const Mechanism<Dual4>& dual,
                       const SlopePlan& plan)
    : mechanism_(mechanism),
      dual_mechanism_(dual),
      plan_(plan),
      bodies_(plan.links.size()),
      columns_(plan.nv),
      held_(plan.nv, 0) {
  std::size_t own = 0;
  int balls = 0, loose = 0;
  for (const SlopeLink& x : plan.links) {
    if (x.varying) own += static_cast<std::size_t>(x.nv) * x.nv;
    root_.push_back(x.parent < 0 ? static_cast<int>(root_.size()) : root_[x.parent]);
    loose_at_.push_back(x.nv == 6 ? loose++ : -1);
    ball_.push_back(mechanism.links[x.link].motion == Motion::rotation3 ? balls++ : -1);
  }
  hinges_.resize(plan.links.size());
  balls_.resize(balls);
  loose_.resize(loose);
  joints_.resize(plan.links.size());
  own_.reserve(own);
}

template <bool with_turning>
void LinkSlopes::move_link(const MotionWorkspace<double>& ws, int d) {
  const SlopeLink& at = plan_.links[d];
  const Link<double>& link = mechanism_.links[at.link];
  const LinkState<double>& x = ws.links[at.link];
  SlopeBody& b = bodies_[d];
  b.r = x.r;
  b.w = x.w;
  b.m = link.mass;
  b.h = x.R * link.mc;
  b.J = link.principal ? articulated::rotate_principal(x.R, link.J) : rotate(x.R, link.J);
  const Vec3<double> Jw = b.J * b.w, wh = cross(b.w, b.h);
  b.n = b.J * x.dw + cross(b.h, x.du) + cross(b.w, Jw);
  b.f = b.m * x.du + cross(x.dw, b.h) + cross(b.w, wh);
  if (mechanism_.has_forces) {
    b.n -= ws.wrench_n[at.link];
    b.f -= ws.wrench_f[at.link];
  }
  if constexpr (!with_turning) return;
  // 2 w x J o - tr(J) w x o + 2 h x (o x u),  2 o x (m u + w x h)
  const double trace = b.J.xx + b.J.yy + b.J.zz, hu = 2 * dot(b.h, b.u);
  const Vec3<double> u = 2.0 * b.u;
  b.Cn = cross(b.w, Mat3<double>::columns({2 * b.J.xx - trace, 2 * b.J.xy, 2 * b.J.xz},
                                          {2 * b.J.xy, 2 * b.J.yy - trace, 2 * b.J.yz},
                                          {2 * b.J.xz, 2 * b.J.yz, 2 * b.J.zz - trace})) -
         outer(u, b.h);
  b.Cn.c[0].x += hu;
  b.Cn.c[1].y += hu;
  b.Cn.c[2].z += hu;
  b.Cf = hat(-(b.m * u) - 2.0 * wh);
}

// One turning column, constant in the axes of the link.
void LinkSlopes::set_hinge_column(const MotionWorkspace<double>& ws, int d) {
  const SlopeLink& at = plan_.links[d];
  const LinkState<double>& x = ws.links[at.link];
  SlopeBody& b = bodies_[d];
  SlopeColumn& c = columns_[at.p0];
  c.phi = x.s;
  c.psi = c.slide = c.o = {};
  b.u = {};
  c.by_q.n = c.by_v.n = {};
  if (at.parent >= 0) {
    const LinkState<double>& p = ws.links[plan_.links[at.parent].link];
    b.u = bodies_[at.parent].u + cross(p.w, x.r);
    c.o = cross(p.w, c.phi);
    c.by_q.n = cross(p.dw, c.phi) + cross(p.w, c.o);
    c.by_v.n = 2.0 * c.o;
  }
  c.by_q.f = cross(x.du, c.phi) - 2.0 * cross(c.o, b.u);
  c.by_v.f = 2.0 * cross(b.u, c.phi);
}

void LinkSlopes::set_columns(const MotionWorkspace<double>& ws, int d) {
  const SlopeLink& at = plan_.links[d];
  const Link<double>& link = mechanism_.links[at.link];
  if (link.motion == Motion::rotation1) return set_hinge_column(ws, d);
  const LinkState<double>& x = ws.links[at.link];
  SlopeBody& b = bodies_[d];
  Vec3<double> w_p, alpha_p, A_p = -ws.gravity;
  if (link.parent != world) {
    w_p = ws.links[link.parent].w;
    alpha_p = ws.links[link.parent].dw;
    A_p = ws.links[link.parent].du;
  }
  const bool slides = link.motion != Motion::rotation3;
  SlopeColumn* const columns = columns_.data() + at.p0;
  Vec3<double> s, l;
  for (int k = 0; k < at.nv; ++k) {
    SlopeColumn& c = columns[k];
    c.phi = slides ? ws.phi[link.v0 + k] : x.R.c[k];
    c.psi = slides ? ws.psi[link.v0 + k] : Vec3<double>{};
    s += ws.v[link.v0 + k] * c.phi;
    l += ws.v[link.v0 + k] * c.psi;
  }
  const Vec3<double> wr = cross(w_p, x.r);
  b.u = at.parent < 0 ? Vec3<double>{} : bodies_[at.parent].u + wr + l;
  const Vec3<double> A_t = A_p + cross(alpha_p, x.r) + cross(w_p, wr);
  for (int k = 0; k < at.nv; ++k) {
    SlopeColumn& c = columns[k];
    c.o = cross(w_p, c.phi);
    c.by_q.n = cross(alpha_p, c.phi) + cross(c.o, s);
    c.by_q.f = cross(A_t, c.phi);
    c.by_v.n = c.o;
    c.by_v.f = c.slide = {};
    if (!slides) continue;
    const Vec3<double> w_psi = cross(w_p, c.psi);
    c.slide = w_psi + cross(c.phi, l);
    c.by_q.f += cross(alpha_p, c.psi) + cross(w_p, w_psi) + 2.0 * cross(c.o, l);
    c.by_v.f = w_psi + cross(x.w, c.psi) + cross(c.phi, l);
  }
  if (at.varying) correct_columns(ws, d);
  for (int k = 0; k < at.nv; ++k) {
    SlopeColumn& c = columns[k];
    c.by_q.n -= cross(c.o, x.w);
    c.by_q.f -= 2.0 * cross(c.o, b.u);
    c.by_v.n -= cross(c.phi, x.w);
    c.by_v.f -= 2.0 * cross(c.phi, b.u);
  }
}

// The terms with D and S'. Columns and their rates are components in the axes of the link, about
// its origin.
void LinkSlopes::correct_columns(const MotionWorkspace<double>& ws, int d) {
  const SlopeLink& at = plan_.links[d];
  const Link<double>& link = mechanism_.links[at.link];
  const Link<Dual4>& dual = dual_mechanism_.links[at.link];
  const LinkState<double>& x = ws.links[at.link];
  const Vec3<double> w_p = link.parent == world ? Vec3<double>{} : ws.links[link.parent].w;
  const double *q = ws.q + link.q0, *v = ws.v + link.v0, *a = ws.vdot.data() + link.v0;
  const int nv = at.nv;
  Vec3<double> sliding;
  for (int k = 0; k < nv; ++k) sliding += v[k] * columns_[at.p0 + k].psi;
  const auto lane = [](const Vec3<Dual4>& from, int k) {
    return Vec3<double>{from.x.d[k], from.y.d[k], from.z.d[k]};
  };
  for (int first = 0; first < 2 * nv; first += 4) {
    Dual4 q_dual[7], v_dual[6];
    for (int k = 0; k < link.nq; ++k) q_dual[k] = q[k];
    for (int k = 0; k < nv; ++k) v_dual[k] = v[k];
    const int count = std::min(4, 2 * nv - first);
    for (int k = 0; k < count; ++k) {
      const int direction = first + k;
      if (direction >= nv) {
        v_dual[direction - nv].d[k] = 1;
        continue;
      }
      double unit[6] = {}, rate[7];
      unit[direction] = 1;
      calc_coordinate_rates(link, q, unit, rate);
      for (int i = 0; i < link.nq; ++i) q_dual[i].d[k] = rate[i];
    }
    const JointMotion<Dual4> m = calc_joint_motion(dual, q_dual, v_dual);
    for (int k = 0; k < count; ++k) {
      const int direction = first + k;
      // S' v, whose rates are linear in v
      Vec3<double> bias_n, bias_f;
      for (int l = 0; l < nv; ++l) {
        const double own_rate = direction - nv == l ? 1 : 0;
        bias_n += v[l] * lane(m.phi_dot[l], k) +
                  own_rate * Vec3<double>{m.phi_dot[l].x.a, m.phi_dot[l].y.a, m.phi_dot[l].z.a};
        bias_f += v[l] * lane(m.psi_dot[l], k) +
                  own_rate * Vec3<double>{m.psi_dot[l].x.a, m.psi_dot[l].y.a, m.psi_dot[l].z.a};
      }
      if (direction >= nv) {
        SlopeColumn& c = columns_[at.p0 + direction - nv];
        c.by_v.n += x.R * bias_n;
        c.by_v.f += x.R * bias_f;
        continue;
      }
      Vec3<double> speed_n, speed_f, rest_n = bias_n, rest_f = bias_f;
      for (int l = 0; l < nv; ++l) {
        const Vec3<double> n = lane(m.phi[l], k), f = lane(m.psi[l], k);
        own_.push_back({at.p0 + l, at.p0 + direction, {x.R * n, x.R * f}, d, 0});
        speed_n += v[l] * n;
        speed_f += v[l] * f;
        rest_n += a[l] * n;
        rest_f += a[l] * f;
      }
      SlopeColumn& c = columns_[at.p0 + direction];
      const Vec3<double> turn = x.R * speed_n, slide = x.R * speed_f;
      c.o += turn;
      c.slide += slide;
      c.by_q.n += x.R * rest_n + cross(w_p, turn);
      c.by_q.f += x.R * rest_f + cross(w_p + x.w, slide) + cross(turn, sliding);
    }
  }
}

Vec3<double> LinkSlopes::velocity(int link, int p) const {
  const int d = plan_.position[link], of_p = root_[plan_.position[plan_.link_of_place[p]]];
  if (root_[d] == of_p) return bodies_[d].u;
  return ws_->links[link].u - ws_->links[plan_.links[of_p].link].u;
}

// Wrenches of multipliers act on the links like forces.
void LinkSlopes::subtract_rows(const MotionWorkspace<double>& ws) {
  if (mechanism_.contact_row0 == 0) return;
  const int* active = ws.mode.data() + mechanism_.mode_count;
  for (const LocalLaw& law : plan_.laws)
    for (int r = law.row0; r < law.row0 + law.rows; ++r) {
      if (active[r] == 0) continue;
      for (std::size_t s = law.source0 + 2 * static_cast<std::size_t>(r - law.row0), k = 0; k < 2;
           ++k, ++s) {
        const int link = mechanism_.sources[s].link;
        if (link == world) continue;
        SlopeBody& b = bodies_[plan_.position[link]];
        b.n -= ws.lambda[r] * ws.source_n[s];
        b.f -= ws.lambda[r] * ws.source_f[s];
      }
    }
}

template <bool with_columns>
void LinkSlopes::fill_bodies(const MotionWorkspace<double>& ws) {
  ws_ = &ws;
  own_.clear();
  const int links = static_cast<int>(plan_.links.size());
  for (int d = 0; d < links; ++d) {
    const SlopeLink& at = plan_.links[d];
    const Link<double>& link = mechanism_.links[at.link];
    if (with_columns || link.motion != Motion::rotation3 || link.driven)
      set_columns(ws, d);
    else if (at.parent >= 0)
      bodies_[d].u = bodies_[at.parent].u + cross(bodies_[at.parent].w, ws.links[at.link].r);
    move_link<with_columns>(ws, d);
  }
  subtract_rows(ws);
  auto own = own_.rbegin();
  for (int d = links - 1; d >= 0; --d) {
    const SlopeBody& b = bodies_[d];
    for (; own != own_.rend() && own->link == d; ++own)
      own->value = dot(own->D.n, b.n) + dot(own->D.f, b.f);
    if (plan_.links[d].parent < 0) continue;
    SlopeBody& p = bodies_[plan_.links[d].parent];
    p.n += b.n + cross(b.r, b.f);
    p.f += b.f;
  }
  hold_speeds(ws);
}

template void LinkSlopes::fill_bodies<true>(const MotionWorkspace<double>&);
template void LinkSlopes::fill_bodies<false>(const MotionWorkspace<double>&);

}  // namespace cartan::mechanics
