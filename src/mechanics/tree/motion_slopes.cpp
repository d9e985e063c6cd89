#include "mechanics/tree/motion_slopes.h"

#include <algorithm>
#include <cmath>

#include "mechanics/joints/joint_motion.h"
#include "mechanics/tree/four_numbers.h"

namespace cartan {

using namespace fours;

namespace {

// (w, u) x (a, b)
void cross_motion(const Vec3<double>& w, const Vec3<double>& u, const Vec3<double>& a,
                  const Vec3<double>& b, Vec3<double>& angular, Vec3<double>& linear) {
  angular = cross(w, a);
  linear = cross(w, b) + cross(u, a);
}

}  // namespace

MotionSlopes::MotionSlopes(const Mechanism<double>& mechanism, const Mechanism<Dual4>& dual,
                           const SlopePlan& plan)
    : mechanism_(mechanism),
      dual_mechanism_(dual),
      plan_(plan),
      nv_(plan.nv),
      N_(round_up(plan.nv, 4) + 4),
      bodies_(plan.links.size()),
      inverse_(nv_, 0.0),
      place_of_row_(mechanism.row_count(), -1),
      dual_q_(mechanism.nq),
      dual_v_(mechanism.nv),
      held_(nv_, 0) {
  const int rows = mechanism.contact_row0;
  ld_ = round_up(plan.columns() + rows, 16);
  const std::size_t N = N_, ld = ld_;
  for (auto* columns : {&S_, &xi_, &zeta_, &zeta_v_}) columns->assign(6 * N, 0.0);
  M_.assign(nv_ * N, 0.0);
  W_.assign(nv_ * ld, 0.0);
  scalars_.assign(plan.scalars() * ld, 0.0);
  row_slopes_.assign(rows * ld, 0.0);
  rows_.assign(rows * N, 0.0);
  G_.assign(static_cast<std::size_t>(rows) * rows, 0.0);
  buffers_.assign(5 * N, 0.0);
  active_.reserve(rows);
  for (std::size_t d = 0; d < plan.links.size(); ++d)
    link_of_place_.insert(link_of_place_.end(), plan.links[d].nv, static_cast<int>(d));
  const std::size_t drives = plan.drives.size();
  driven_.assign(drives * ld, 0.0);
  driven_mass_.assign(drives * nv_, 0.0);
  driven_rows_.assign(drives * rows, 0.0);
  std::size_t outputs = 0, own = 0;
  for (const LocalLaw& law : plan.laws) {
    std::size_t numbers = 6 * std::max<std::size_t>(1, law.out_links.size()) + 1 + 2 * law.rows;
    for (const int i : law.out_joints) numbers += mechanism.links[i].nv;
    outputs = std::max(outputs, numbers);
  }
  outputs_.assign(14 * outputs, 0.0);
  for (const SlopeLink& x : plan.links)
    if (x.varying) own += x.nv * x.nv;
  own_.reserve(own);
}

// ------------------------------------------------------------------------------------- kinematics

void MotionSlopes::move_links(const MotionWorkspace<double>& ws) {
  c_ = {};
  for (const LinkState<double>& x : ws.links) c_ += x.o;
  if (!ws.links.empty()) c_ = (1.0 / static_cast<double>(ws.links.size())) * c_;
  Composite ground;
  ground.du = -ws.gravity;
  own_.clear();
  for (std::size_t d = 0; d < plan_.links.size(); ++d) {
    const SlopeLink& at = plan_.links[d];
    const Link<double>& link = mechanism_.links[at.link];
    const LinkState<double>& x = ws.links[at.link];
    Composite& b = bodies_[d];
    b.arm = x.o - c_;
    b.w = x.w;
    b.u = x.u + cross(b.arm, x.w);
    b.dw = x.dw;
    b.du = x.du - cross(x.w, x.u) + cross(b.arm, x.dw);
    b.m = link.mass;
    const Vec3<double> moment = x.R * link.mc;
    b.h = moment + link.mass * b.arm;
    // J about c: J_o + shift of the first moment and of the mass
    const Vec3<double>&r = b.arm, &m = moment;
    const double rc = 2 * dot(r, m);
    b.J =
        rotate(x.R, link.J) + link.mass * minus_hat_squared(r) +
        Sym3<double>{rc - 2 * r.x * m.x,       rc - 2 * r.y * m.y,       rc - 2 * r.z * m.z,
                     -(r.x * m.y + r.y * m.x), -(r.x * m.z + r.z * m.x), -(r.y * m.z + r.z * m.y)};
    const double half = 0.5 * (b.J.xx + b.J.yy + b.J.zz);
    const Sym3<double> second{half - b.J.xx, half - b.J.yy, half - b.J.zz,
                              -b.J.xy,       -b.J.xz,       -b.J.yz};
    b.E = outer(b.u, b.h) + cross(b.w, full(second));
    b.p = b.m * b.u + cross(b.w, b.h);
    const Vec3<double> L = b.J * b.w + cross(b.h, b.u);
    b.n = b.J * b.dw + cross(b.h, b.du) + cross(b.w, L) + cross(b.u, b.p);
    b.f = b.m * b.du + cross(b.dw, b.h) + cross(b.w, b.p);
    if (mechanism_.has_forces) {
      b.n -= ws.wrench_n[at.link] + cross(b.arm, ws.wrench_f[at.link]);
      b.f -= ws.wrench_f[at.link];
    }
    const Composite& parent = at.parent < 0 ? ground : bodies_[at.parent];
    set_columns(ws, at, parent, b);
    if (at.varying) correct_columns(ws, at, parent, b);
  }
  for (const int r : active_)
    for (const LocalLaw& law : plan_.laws) {
      if (law.rows == 0 || r < law.row0 || r >= law.row0 + law.rows) continue;
      for (std::size_t s = law.source0 + 2 * (r - law.row0), k = 0; k < 2; ++k, ++s) {
        const int link = mechanism_.sources[s].link;
        if (link == world) continue;
        Composite& b = bodies_[plan_.position[link]];
        b.n -= ws.lambda[r] * (ws.source_n[s] + cross(b.arm, ws.source_f[s]));
        b.f -= ws.lambda[r] * ws.source_f[s];
      }
    }
}

void MotionSlopes::set_columns(const MotionWorkspace<double>& ws, const SlopeLink& at,
                               const Composite& parent, const Composite& own) {
  const Link<double>& link = mechanism_.links[at.link];
  const LinkState<double>& x = ws.links[at.link];
  for (int k = 0; k < at.nv; ++k) {
    Spatial S, xi, zeta, more;
    switch (link.motion) {
      case Motion::rotation1:
        S.n = x.s;
        break;
      case Motion::rotation3:
        S.n = x.R.c[k];
        break;
      default:
        S.n = ws.phi[link.v0 + k];
        S.f = ws.psi[link.v0 + k];
    }
    S.f += cross(own.arm, S.n);
    cross_motion(parent.w, parent.u, S.n, S.f, xi.n, xi.f);
    cross_motion(parent.dw, parent.du, S.n, S.f, zeta.n, zeta.f);
    cross_motion(parent.w, parent.u, xi.n, xi.f, more.n, more.f);
    zeta.n += more.n;
    zeta.f += more.f;
    cross_motion(own.w, own.u, S.n, S.f, more.n, more.f);
    more.n += xi.n;
    more.f += xi.f;
    set_column(S_, at.p0 + k, S);
    set_column(xi_, at.p0 + k, xi);
    set_column(zeta_, at.p0 + k, zeta);
    set_column(zeta_v_, at.p0 + k, more);
  }
}

// The terms with D_k and S'. Columns and their rates are components in the axes of the link, about
// its origin.
void MotionSlopes::correct_columns(const MotionWorkspace<double>& ws, const SlopeLink& at,
                                   const Composite& parent, const Composite& own) {
  const Link<double>& link = mechanism_.links[at.link];
  const Link<Dual4>& dual = dual_mechanism_.links[at.link];
  const LinkState<double>& x = ws.links[at.link];
  const double *q = ws.q + link.q0, *v = ws.v + link.v0, *a = ws.vdot.data() + link.v0;
  const int nv = at.nv;
  const auto to_world = [&](const Vec3<double>& n, const Vec3<double>& f) {
    const Vec3<double> turned = x.R * n;
    return Spatial{turned, x.R * f + cross(own.arm, turned)};
  };
  const auto lane = [](const Vec3<Dual4>& from, int k) {
    return Vec3<double>{from.x.d[k], from.y.d[k], from.z.d[k]};
  };
  const auto add_to = [&](std::vector<double>& columns, int place, const Spatial& more) {
    Spatial sum = column(columns, place);
    sum.n += more.n;
    sum.f += more.f;
    set_column(columns, place, sum);
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
        add_to(zeta_v_, at.p0 + direction - nv, to_world(bias_n, bias_f));
        continue;
      }
      Vec3<double> speed_n, speed_f, rest_n = bias_n, rest_f = bias_f;
      for (int l = 0; l < nv; ++l) {
        const Vec3<double> n = lane(m.phi[l], k), f = lane(m.psi[l], k);
        own_.push_back({at.p0 + l, at.p0 + direction, to_world(n, f),
                        static_cast<int>(&at - plan_.links.data())});
        speed_n += v[l] * n;
        speed_f += v[l] * f;
        rest_n += a[l] * n;
        rest_f += a[l] * f;
      }
      const Spatial c = to_world(speed_n, speed_f);
      Spatial rest = to_world(rest_n, rest_f), more;
      cross_motion(parent.w + own.w, parent.u + own.u, c.n, c.f, more.n, more.f);
      rest.n += more.n;
      rest.f += more.f;
      add_to(xi_, at.p0 + direction, c);
      add_to(zeta_, at.p0 + direction, rest);
    }
  }
}

// ------------------------------------------------------------------------------- inverse dynamics

// For the speed at place p, whose link has its composite body.
MotionSlopes::Terms MotionSlopes::calc_terms(const Composite& b, int p) const {
  const Spatial S = column(S_, p), xi = column(xi_, p), zeta = column(zeta_, p),
                zeta_v = column(zeta_v_, p);
  const auto inertia = [&](const Spatial& a) {
    return Spatial{b.J * a.n + cross(b.h, a.f), b.m * a.f + cross(a.n, b.h)};
  };
  const double two_trace = 2 * trace(b.E);
  const auto by_velocity = [&](const Vec3<double>& a) {
    return Spatial{two_trace * a - 2.0 * (b.E * a), 2.0 * cross(a, b.p)};
  };
  Terms terms{inertia(S), two_trace * S.n - 2.0 * transpose_times(b.E, S.n) + 2.0 * cross(b.p, S.f),
              inertia(zeta), inertia(zeta_v)};
  const Spatial bq = by_velocity(xi.n), bv = by_velocity(S.n);
  terms.by_q.n += bq.n + cross(S.n, b.n) + cross(S.f, b.f);
  terms.by_q.f += bq.f + cross(S.n, b.f);
  terms.by_v.n += bv.n;
  terms.by_v.f += bv.f;
  return terms;
}

// Row and column of the speed at place p.
void MotionSlopes::fill_speed(int d, int p) {
  const auto [r, r2, uq, uv] = calc_terms(bodies_[d], p);
  const double R[9] = {r.n.x, r.n.y, r.n.z, r.f.x, r.f.y, r.f.z, r2.x, r2.y, r2.z};
  const double Q[6] = {uq.n.x, uq.n.y, uq.n.z, uq.f.x, uq.f.y, uq.f.z};
  const double V[6] = {uv.n.x, uv.n.y, uv.n.z, uv.f.x, uv.f.y, uv.f.z};
  const int N = N_, own = plan_.links[d].p0;
  double *mass = M_.data() + p * N, *row_q = buffers_.data(), *row_v = row_q + N,
         *column_q = row_v + N, *column_v = column_q + N;
  double* W = W_.data() + static_cast<std::size_t>(p) * ld_;
  for (int run = plan_.run0[d]; run < plan_.run0[d + 1]; ++run) {
    const PlaceRun places = plan_.runs[run];
    for (int a = places.first & ~3; a < places.last; a += 4) {
      const double *s = S_.data() + a, *x = xi_.data() + a, *z = zeta_.data() + a,
                   *y = zeta_v_.data() + a;
      Four m = R[0] * four(s), to_q = Q[0] * four(s), to_v = V[0] * four(s);
      Four from_q = R[0] * four(z), from_v = R[0] * four(y);
      for (int k = 1; k < 6; ++k) {
        const Four sk = four(s + k * N);
        m += R[k] * sk;
        to_q += Q[k] * sk;
        to_v += V[k] * sk;
        from_q += R[k] * four(z + k * N);
        from_v += R[k] * four(y + k * N);
      }
      for (int k = 0; k < 3; ++k) {
        from_q += R[6 + k] * four(x + k * N);
        from_v += R[6 + k] * four(s + k * N);
      }
      put(mass + a, m);
      put(row_q + a, from_q);
      put(row_v + a, from_v);
      put(column_q + a, to_q);
      put(column_v + a, to_v);
    }
    for (int a = places.first; a < places.last; ++a) {
      W[a] = row_q[a];
      W[nv_ + a] = row_v[a];
    }
    const int last = std::min(places.last, own);
    for (int a = places.first; a < last; ++a) {
      double* to = W_.data() + static_cast<std::size_t>(a) * ld_ + p;
      to[0] = column_q[a];
      to[nv_] = column_v[a];
    }
  }
}

void MotionSlopes::pass_to_parent(int d) {
  if (plan_.links[d].parent < 0) return;
  const Composite& b = bodies_[d];
  Composite& to = bodies_[plan_.links[d].parent];
  to.m += b.m;
  to.h += b.h;
  to.p += b.p;
  to.J += b.J;
  to.E += b.E;
  to.n += b.n;
  to.f += b.f;
}

void MotionSlopes::differentiate_inverse_dynamics() {
  std::fill(W_.begin(), W_.end(), 0.0);
  for (int d = static_cast<int>(plan_.links.size()) - 1; d >= 0; --d) {
    const SlopeLink& at = plan_.links[d];
    for (int k = 0; k < at.nv; ++k) fill_speed(d, at.p0 + k);
    pass_to_parent(d);
  }
  for (const OwnForce& own : own_) {
    const Composite& b = bodies_[own.link];
    W_[static_cast<std::size_t>(own.i) * ld_ + own.k] += dot(own.D.n, b.n) + dot(own.D.f, b.f);
  }
  for (int p = 0; p < nv_; ++p) M_[p * N_ + p] += mechanism_.rotor[plan_.speed[p]];
}

// ---------------------------------------------------------------------------------------- results

void MotionSlopes::fill(const MotionWorkspace<double>& ws, MotionWorkspace<Dual4>& dual) {
  active_.clear();
  const int* active = ws.mode.data() + mechanism_.mode_count;
  for (int r = 0; r < mechanism_.contact_row0; ++r) {
    const bool counts = active[r] != 0 && mechanism_.rows[r].driven_speed < 0;
    place_of_row_[r] = counts ? static_cast<int>(active_.size()) : -1;
    if (counts) active_.push_back(r);
  }
  const int rows = static_cast<int>(active_.size());
  std::fill(scalars_.begin(), scalars_.end(), 0.0);
  move_links(ws);
  differentiate_inverse_dynamics();
  if (!plan_.laws.empty() || rows > 0) add_laws(ws, dual);
  keep_driven_rows();
  hold_speeds(ws);
  const int columns = plan_.columns();
  for (int r = 0; r < rows; ++r)
    for (int p = 0; p < nv_; ++p)
      W_[static_cast<std::size_t>(p) * ld_ + columns + r] = rows_[r * N_ + p];
  factorise();
  solve(columns + rows);
  if (rows > 0) solve_multipliers(rows);
  if (!plan_.drives.empty()) add_drive_powers(ws);
}

// Displacements from embedded numbers: d = 2 vec(u^-1 du) / |u|^2 for quaternions, R^T dp for
// places behind them.
void MotionSlopes::write(const MotionWorkspace<double>& ws, Eigen::Ref<Eigen::MatrixXd> J) const {
  const int nq = mechanism_.nq, scalars = plan_.scalars();
  const Eigen::Index stride = J.outerStride();
  double* const to = J.data() + nq;
  // put(row of J below positions, derivatives by all columns, sign)
  const auto for_each_row = [&](auto&& put_row) {
    for (int p = 0; p < nv_; ++p)
      put_row(plan_.speed[p], W_.data() + static_cast<std::size_t>(p) * ld_, -1.0);
    for (int s = 0; s < scalars; ++s)
      put_row(nv_ + s, scalars_.data() + static_cast<std::size_t>(s) * ld_, 1.0);
  };
  // `count` columns one after the other
  const auto copy = [&](int column, int from, int count) {
    for (; count >= 4; count -= 4, column += 4, from += 4) {
      double* const at = to + column * stride;
      for_each_row([&](int i, const double* row, double sign) {
        const Four values = sign * four(row + from);
        for (int k = 0; k < 4; ++k) at[k * stride + i] = values[k];
      });
    }
    for (; count > 0; --count, ++column, ++from) {
      double* const at = to + column * stride;
      for_each_row([&](int i, const double* row, double sign) { at[i] = sign * row[from]; });
    }
  };
  for (int p = 0; p < nv_;) {  // speeds and places that follow each other alike
    int count = 1;
    while (p + count < nv_ && plan_.speed[p + count] == plan_.speed[p] + count) ++count;
    copy(nq + plan_.speed[p], plan_.by_v() + p, count);
    p += count;
  }
  for (std::size_t d = 0; d < plan_.links.size();) {
    const SlopeLink& at = plan_.links[d++];
    const Link<double>& link = mechanism_.links[at.link];
    if (!has_quaternion(link)) {
      int count = at.nv;
      for (; d < plan_.links.size(); ++d) {
        const Link<double>& next = mechanism_.links[plan_.links[d].link];
        if (has_quaternion(next) || next.q0 != link.q0 + count) break;
        count += next.nv;
      }
      copy(link.q0, at.p0, count);
      continue;
    }
    const double* q = ws.q + link.q0;
    const Quat<double> u = quaternion_at(q);
    const double scale = 2 / norm2(u);
    const Vec3<double> v = u.vector();
    double* const by = to + link.q0 * stride;
    for_each_row([&](int i, const double* row, double sign) {
      // g . (w dv - dw v - v x dv)
      const Vec3<double> g =
          (sign * scale) * Vec3<double>{row[at.p0], row[at.p0 + 1], row[at.p0 + 2]};
      const Vec3<double> rest = u.w * g - cross(g, v);
      by[i] = -dot(g, v);
      by[stride + i] = rest.x;
      by[2 * stride + i] = rest.y;
      by[3 * stride + i] = rest.z;
    });
    const auto radial = std::find(plan_.radial.begin(), plan_.radial.end(), at.link);
    if (radial != plan_.radial.end()) {
      const int length = plan_.by_radius() + static_cast<int>(radial - plan_.radial.begin());
      for_each_row([&](int i, const double* row, double sign) {
        for (int k = 0; k < 4; ++k) by[k * stride + i] += sign * row[length] * q[k] * 0.5 * scale;
      });
    }
    if (!has_place(link)) continue;
    const Mat3<double> R = rotation_matrix(u);
    for_each_row([&](int i, const double* row, double sign) {
      const Vec3<double> slide =
          R * Vec3<double>{sign * row[at.p0 + 3], sign * row[at.p0 + 4], sign * row[at.p0 + 5]};
      for (int k = 0; k < 3; ++k) by[(4 + k) * stride + i] = slide[k];
    });
  }
  copy(nq + nv_, plan_.by_z(), plan_.nz);
}

}  // namespace cartan
