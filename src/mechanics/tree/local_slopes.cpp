// Forces, constraints and rates of variables in motion_slopes.h: each by dual numbers over the few
// links, joints and variables it reads.
//
// A link is moved by twists about the common point c, as its whole motion moves with it:
//   eta = (a, b):  dR = a x R, do = b + a x (o - c), and w, u, dw, du turn by a
//   xi  = (a, b):  dw = a, du = b + a x (o - c), dw' = a x w, du' = 2 a x u
// so that a column of the mechanism moves it by its eta and xi, whatever lies between (of
// accelerations also by zeta). A wrench of the subtree is turned with it already (eta x* f): what a
// law adds is the difference.
#include <algorithm>

#include "mechanics/joints/joint_motion.h"
#include "mechanics/machine/expression_inputs.h"
#include "mechanics/machine/single_laws.h"
#include "mechanics/tree/motion_slopes.h"

namespace cartan {
namespace {

constexpr int link_directions = 12;

void set_lane(Vec3<Dual4>& to, int lane, const Vec3<double>& slope) {
  to.x.d[lane] = slope.x, to.y.d[lane] = slope.y, to.z.d[lane] = slope.z;
}
Vec3<Dual4> constant(const Vec3<double>& a) {
  return {Dual4(a.x), Dual4(a.y), Dual4(a.z)};
}
Vec3<double> lane_of(const Vec3<Dual4>& a, int lane) {
  return {a.x.d[lane], a.y.d[lane], a.z.d[lane]};
}

void set_link_at(const LinkState<double>& from, LinkState<Dual4>& to) {
  for (int j = 0; j < 3; ++j) to.R.c[j] = constant(from.R.c[j]);
  to.o = constant(from.o);
  to.w = constant(from.w);
  to.u = constant(from.u);
  to.dw = constant(from.dw);
  to.du = constant(from.du);
}

// Directions first ... first + 3 of the twelve: eta, then xi.
void seed_link(const LinkState<double>& from, const Vec3<double>& arm, int first,
               LinkState<Dual4>& to) {
  set_link_at(from, to);
  for (int lane = 0; lane < 4; ++lane) {
    const int k = (first + lane) % 6;
    const bool velocity = first + lane >= 6;
    const Vec3<double> e = unit_vector<double>(k % 3);
    if (k >= 3) {
      set_lane(velocity ? to.u : to.o, lane, e);
    } else if (velocity) {
      set_lane(to.w, lane, e);
      set_lane(to.u, lane, cross(e, arm));
      set_lane(to.dw, lane, cross(e, from.w));
      set_lane(to.du, lane, 2.0 * cross(e, from.u));
    } else {
      for (int j = 0; j < 3; ++j) set_lane(to.R.c[j], lane, cross(e, from.R.c[j]));
      set_lane(to.o, lane, cross(e, arm));
      set_lane(to.w, lane, cross(e, from.w));
      set_lane(to.u, lane, cross(e, from.u));
      set_lane(to.dw, lane, cross(e, from.dw));
      set_lane(to.du, lane, cross(e, from.du));
    }
  }
}

// Places on the paths of two links: of both, of one alone.
struct Paths {
  std::span<const int> common, a, b;
  Paths(const SlopePlan& plan, int link_a, int link_b) {
    if (link_a != world) a = plan.paths[link_a];
    if (link_b != world) b = plan.paths[link_b];
    std::size_t shared = 0;
    while (shared < a.size() && shared < b.size() && a[shared] == b[shared]) ++shared;
    common = a.first(shared);
    a = a.subspan(shared);
    b = b.subspan(shared);
  }
};

}  // namespace

void MotionSlopes::add_laws(const MotionWorkspace<double>& ws, MotionWorkspace<Dual4>& dual) {
  dual.t = ws.t;
  std::copy(ws.mode.begin(), ws.mode.end(), dual.mode.begin());
  std::copy_n(ws.q, mechanism_.nq, dual_q_.begin());
  std::copy_n(ws.v, mechanism_.nv, dual_v_.begin());
  std::copy(ws.variables.begin(), ws.variables.end(), dual.variables.begin());
  dual.q = dual_q_.data();
  dual.v = dual_v_.data();
  dual.gravity = constant(ws.gravity);
  for (const int i : plan_.read_links) set_link_at(ws.links[i], dual.links[i]);
  if (!active_.empty()) {
    std::fill(row_slopes_.begin(), row_slopes_.end(), 0.0);
    std::fill(rows_.begin(), rows_.end(), 0.0);
    for (const RowTerm<double>& term : mechanism_.terms)
      if (const int r = place_of_row_[term.row]; r >= 0)
        rows_[r * N_ + plan_.place[mechanism_.links[term.link].v0 + term.component]] += term.factor;
  }
  for (const LocalLaw& law : plan_.laws) {
    if (law.rows > 0)
      add_rows(law, ws, dual);
    else if (law.pair)
      add_pair(law, ws, dual);
    else
      add_general(law, ws, dual);
  }
}

void MotionSlopes::evaluate_law(const LocalLaw& law, MotionWorkspace<Dual4>& dual) {
  if (law.kind == LocalLaw::Kind::variable)
    return evaluate_program(dual_mechanism_, dual,
                            mechanism_.model->variables[law.index].rate.program, &rate_);
  const auto clear = [&](int i) {
    if (i != world) dual.wrench_n[i] = dual.wrench_f[i] = {};
  };
  for (const int i : law.out_links) clear(i);
  if (law.pair) clear(law.a), clear(law.b);
  for (const int i : law.out_joints)
    for (int k = 0; k < mechanism_.links[i].nv; ++k)
      dual.tau[mechanism_.links[i].v0 + k] = Dual4(0);
  apply_force(dual_mechanism_, dual, law.index);
}

int MotionSlopes::output_count(const LocalLaw& law) const {
  int count = 6 * static_cast<int>(law.pair ? 1 : law.out_links.size()) + 1;
  for (const int i : law.out_joints) count += mechanism_.links[i].nv;
  return count;
}

// Evaluates and reads four directions: wrenches about c, forces on joints, a power or rate.
void MotionSlopes::read_outputs(const LocalLaw& law, const MotionWorkspace<Dual4>& dual,
                                int direction) {
  const int count = output_count(law);
  double* to = outputs_.data() + static_cast<std::size_t>(direction) * count;
  int at = 0;
  const auto put = [&](const Dual4& value) {
    for (int lane = 0; lane < 4; ++lane) to[lane * count + at] = value.d[lane];
    ++at;
  };
  const auto put_vector = [&](const Vec3<Dual4>& a) { put(a.x), put(a.y), put(a.z); };
  const auto put_wrench = [&](int i) {
    put_vector(dual.wrench_n[i] + cross(dual.links[i].o - constant(c_), dual.wrench_f[i]));
    put_vector(dual.wrench_f[i]);
  };
  if (law.pair) put_wrench(law.a);
  for (const int i : law.out_links) put_wrench(i);
  for (const int i : law.out_joints)
    for (int k = 0; k < mechanism_.links[i].nv; ++k) put(dual.tau[mechanism_.links[i].v0 + k]);
  put(law.kind == LocalLaw::Kind::variable ? rate_ : dual.force_energy[law.index].power);
}

// ------------------------------------------------------------------- anything that reads anything

// `by`: derivatives of all outputs along one column.
void MotionSlopes::apply_outputs(const LocalLaw& law, int column, const double* by) {
  double* const W = W_.data() + column;
  for (const int i : law.out_links) {
    for (const int p : plan_.paths[i]) {
      double sum = 0;
      for (int k = 0; k < 6; ++k) sum += S_[k * N_ + p] * by[k];
      W[static_cast<std::size_t>(p) * ld_] -= sum;
    }
    by += 6;
  }
  for (const int i : law.out_joints)
    for (int k = 0; k < mechanism_.links[i].nv; ++k)
      W[static_cast<std::size_t>(plan_.place[mechanism_.links[i].v0 + k]) * ld_] -= *by++;
  for (const int s : law.scalars) scalars_[static_cast<std::size_t>(s) * ld_ + column] += *by;
}

void MotionSlopes::add_general(const LocalLaw& law, const MotionWorkspace<double>& ws,
                               MotionWorkspace<Dual4>& dual) {
  for (const int i : law.in_links) add_link_slot(law, i, ws, dual);
  for (const int i : law.in_joints) add_joint_slot(law, i, ws, dual);
  add_variable_slots(law, dual);
}

void MotionSlopes::add_link_slot(const LocalLaw& law, int link, const MotionWorkspace<double>& ws,
                                 MotionWorkspace<Dual4>& dual) {
  const int count = output_count(law);
  const Vec3<double>& arm = bodies_[plan_.position[link]].arm;
  for (int first = 0; first < link_directions; first += 4) {
    seed_link(ws.links[link], arm, first, dual.links[link]);
    evaluate_law(law, dual);
    read_outputs(law, dual, first);
  }
  // a wrench on the link itself: without eta x* f
  const auto own = std::find(law.out_links.begin(), law.out_links.end(), link);
  if (own != law.out_links.end()) {
    const auto number = [](const Vec3<Dual4>& a) { return Vec3<double>{a.x.a, a.y.a, a.z.a}; };
    const Vec3<double> f = number(dual.wrench_f[link]),
                       n = number(dual.wrench_n[link]) + cross(arm, f);
    const int at = 6 * static_cast<int>(own - law.out_links.begin());
    for (int k = 0; k < 6; ++k) {
      const Vec3<double> e = unit_vector<double>(k % 3);
      const Vec3<double> turned_n = k < 3 ? cross(e, n) : cross(e, f);
      const Vec3<double> turned_f = k < 3 ? cross(e, f) : Vec3<double>{};
      double* to = outputs_.data() + k * count + at;
      for (int j = 0; j < 3; ++j) to[j] -= turned_n[j], to[3 + j] -= turned_f[j];
    }
  }
  set_link_at(ws.links[link], dual.links[link]);
  double* const by = outputs_.data() + static_cast<std::size_t>(link_directions) * count;
  for (const int p : plan_.paths[link]) {
    const auto combine = [&](const std::vector<double>* eta, const std::vector<double>& xi) {
      for (int o = 0; o < count; ++o) {
        double sum = 0;
        for (int k = 0; k < 6; ++k) {
          if (eta) sum += outputs_[k * count + o] * (*eta)[k * N_ + p];
          sum += outputs_[(6 + k) * count + o] * xi[k * N_ + p];
        }
        by[o] = sum;
      }
    };
    combine(&S_, xi_);
    apply_outputs(law, p, by);
    combine(nullptr, S_);
    apply_outputs(law, plan_.by_v() + p, by);
  }
}

// Displacements of the joint, the length of its quaternion, its speeds.
void MotionSlopes::add_joint_slot(const LocalLaw& law, int i, const MotionWorkspace<double>& ws,
                                  MotionWorkspace<Dual4>& dual) {
  const Link<double>& link = mechanism_.links[i];
  const int count = output_count(law), nv = link.nv, p0 = plan_.links[plan_.position[i]].p0;
  const int lengths = has_quaternion(link) ? 1 : 0, directions = 2 * nv + lengths;
  const double* q = ws.q + link.q0;
  for (int first = 0; first < directions; first += 4) {
    const int lanes = std::min(4, directions - first);
    for (int lane = 0; lane < lanes; ++lane) {
      const int k = first + lane;
      if (k >= nv + lengths) {
        dual_v_[link.v0 + k - nv - lengths].d[lane] = 1;
      } else if (k >= nv) {
        for (int j = 0; j < 4; ++j) dual_q_[link.q0 + j].d[lane] = q[j];
      } else {
        double unit[6] = {}, rate[7];
        unit[k] = 1;
        calc_coordinate_rates(link, q, unit, rate);
        for (int j = 0; j < link.nq; ++j) dual_q_[link.q0 + j].d[lane] = rate[j];
      }
    }
    evaluate_law(law, dual);
    read_outputs(law, dual, 0);
    for (int j = 0; j < link.nq; ++j) dual_q_[link.q0 + j] = q[j];
    for (int j = 0; j < nv; ++j) dual_v_[link.v0 + j] = ws.v[link.v0 + j];
    for (int lane = 0; lane < lanes; ++lane) {
      const int k = first + lane;
      int column = p0 + k;
      if (k >= nv + lengths)
        column = plan_.by_v() + p0 + k - nv - lengths;
      else if (k >= nv)
        column = plan_.by_radius() +
                 static_cast<int>(std::find(plan_.radial.begin(), plan_.radial.end(), i) -
                                  plan_.radial.begin());
      apply_outputs(law, column, outputs_.data() + static_cast<std::size_t>(lane) * count);
    }
  }
}

void MotionSlopes::add_variable_slots(const LocalLaw& law, MotionWorkspace<Dual4>& dual) {
  const int count = output_count(law);
  for (std::size_t first = 0; first < law.in_variables.size(); first += 4) {
    const std::size_t lanes = std::min<std::size_t>(4, law.in_variables.size() - first);
    for (std::size_t lane = 0; lane < lanes; ++lane)
      dual.variables[law.in_variables[first + lane]].d[lane] = 1;
    evaluate_law(law, dual);
    read_outputs(law, dual, 0);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const int z = law.in_variables[first + lane];
      dual.variables[z] = Dual4(dual.variables[z].a);
      apply_outputs(law, plan_.by_z() + z, outputs_.data() + lane * count);
    }
  }
}

// --------------------------------------------------------------------- two bodies, relative motion

// With K eta + C xi the change of the wrench f on a when a moves: b gets the opposite, and moving b
// is moving both and a back. Columns k and rows i on the side of a (s = 1) or b (s = -1) change by
//   s_i s_k S_i . (K eta_k + C xi_k - [i on the side of a] eta_k x* f)
// beyond the turning of wrenches with their subtrees, rows of joints that carry both by
//   -s_k S_i . (eta_k x* f)    which takes that turning away: nothing changes there.
void MotionSlopes::add_pair(const LocalLaw& law, const MotionWorkspace<double>& ws,
                            MotionWorkspace<Dual4>& dual) {
  if (law.a == world || law.a == law.b) return;
  const int count = output_count(law);
  const Vec3<double>& arm = bodies_[plan_.position[law.a]].arm;
  for (int first = 0; first < link_directions; first += 4) {
    seed_link(ws.links[law.a], arm, first, dual.links[law.a]);
    evaluate_law(law, dual);
    read_outputs(law, dual, first);
  }
  set_link_at(ws.links[law.a], dual.links[law.a]);
  const auto number = [](const Vec3<Dual4>& a) { return Vec3<double>{a.x.a, a.y.a, a.z.a}; };
  const Vec3<double> f = number(dual.wrench_f[law.a]);
  const Vec3<double> n = number(dual.wrench_n[law.a]) + cross(arm, f);
  const Paths paths(plan_, law.a, law.b);
  const auto add = [&](std::span<const int> places, int column, double sign, const double* by) {
    for (const int i : places) {
      double sum = 0;
      for (int k = 0; k < 6; ++k) sum += S_[k * N_ + i] * by[k];
      W_[static_cast<std::size_t>(i) * ld_ + column] -= sign * sum;
    }
  };
  for (const double side : {1.0, -1.0})
    for (const int p : side > 0 ? paths.a : paths.b) {
      double by_q[7], by_v[7];
      for (int o = 0; o < 7; ++o) {
        by_q[o] = by_v[o] = 0;
        for (int k = 0; k < 6; ++k) {
          const double damping = outputs_[(6 + k) * count + o];
          by_q[o] += outputs_[k * count + o] * S_[k * N_ + p] + damping * xi_[k * N_ + p];
          by_v[o] += damping * S_[k * N_ + p];
        }
      }
      for (const int s : law.scalars) {
        scalars_[static_cast<std::size_t>(s) * ld_ + p] += side * by_q[6];
        scalars_[static_cast<std::size_t>(s) * ld_ + plan_.by_v() + p] += side * by_v[6];
      }
      add(paths.b, p, -side, by_q);
      add(paths.a, plan_.by_v() + p, side, by_v);
      add(paths.b, plan_.by_v() + p, -side, by_v);
      const Spatial eta = column(S_, p);
      const Vec3<double> turned_n = cross(eta.n, n) + cross(eta.f, f), turned_f = cross(eta.n, f);
      double turned[6];
      for (int k = 0; k < 3; ++k) turned[k] = turned_n[k], turned[3 + k] = turned_f[k];
      for (int k = 0; k < 6; ++k) by_q[k] -= turned[k];
      add(paths.a, p, side, by_q);
      add(paths.common, p, -side, turned);
    }
}

// Rows of a loop joint or constraint: the same for the wrench of their multipliers, and for
//   Y = y' = sum source . acceleration + rest,
// which also changes by source . zeta.
void MotionSlopes::add_rows(const LocalLaw& law, const MotionWorkspace<double>& ws,
                            MotionWorkspace<Dual4>& dual) {
  if (law.a == world || law.a == law.b) return;
  const int count = 6 + law.rows;
  const Vec3<double>& arm = bodies_[plan_.position[law.a]].arm;
  const bool of_loop = law.kind == LocalLaw::Kind::loop;
  bool any = false;
  for (int r = law.row0; r < law.row0 + law.rows; ++r) any |= place_of_row_[r] >= 0;
  if (!any) return;
  const auto source_of_a = [&](int r) {
    return law.source0 + 2 * static_cast<std::size_t>(r) + (law.a_first ? 0 : 1);
  };
  const auto acceleration = [&](int link, Vec3<Dual4>& dw, Vec3<Dual4>& du) {
    dw = link == world ? Vec3<Dual4>() : dual.links[link].dw;
    du = link == world ? -dual.gravity : dual.links[link].du;
  };
  for (int first = 0; first < link_directions; first += 4) {
    seed_link(ws.links[law.a], arm, first, dual.links[law.a]);
    fill_rows_of(dual_mechanism_, dual, of_loop ? law.index : -1, law.index, law.row0, law.source0);
    Vec3<Dual4> dw_a, du_a, dw_b, du_b, n, f;
    acceleration(law.a, dw_a, du_a);
    acceleration(law.b, dw_b, du_b);
    double* to = outputs_.data() + first * count;
    for (int r = 0; r < law.rows; ++r) {
      const std::size_t a = source_of_a(r), b = law.a_first ? a + 1 : a - 1;
      const Dual4 Y = dot(dual.source_n[a], dw_a) + dot(dual.source_f[a], du_a) +
                      dot(dual.source_n[b], dw_b) + dot(dual.source_f[b], du_b) +
                      dual.row_rest[law.row0 + r];
      for (int lane = 0; lane < 4; ++lane) to[lane * count + 6 + r] = Y.d[lane];
      const Dual4 lambda(place_of_row_[law.row0 + r] >= 0 ? ws.lambda[law.row0 + r] : 0.0);
      n += lambda * dual.source_n[a];
      f += lambda * dual.source_f[a];
    }
    n += cross(dual.links[law.a].o - constant(c_), f);
    for (int lane = 0; lane < 4; ++lane)
      for (int k = 0; k < 3; ++k) {
        to[lane * count + k] = lane_of(n, lane)[k];
        to[lane * count + 3 + k] = lane_of(f, lane)[k];
      }
  }
  set_link_at(ws.links[law.a], dual.links[law.a]);

  Vec3<double> n, f;
  for (int r = 0; r < law.rows; ++r) {
    if (place_of_row_[law.row0 + r] < 0) continue;
    n += ws.lambda[law.row0 + r] * ws.source_n[source_of_a(r)];
    f += ws.lambda[law.row0 + r] * ws.source_f[source_of_a(r)];
  }
  n += cross(arm, f);
  const Paths paths(plan_, law.a, law.b);
  const auto add = [&](std::span<const int> places, int column, double sign, const double* by) {
    for (const int i : places) {
      double sum = 0;
      for (int k = 0; k < 6; ++k) sum += S_[k * N_ + i] * by[k];
      W_[static_cast<std::size_t>(i) * ld_ + column] -= sign * sum;
    }
  };
  for (const double side : {1.0, -1.0})
    for (const int p : side > 0 ? paths.a : paths.b) {
      // wrenches of constraints do not depend on speeds
      double by[6];
      for (int o = 0; o < 6; ++o) {
        by[o] = 0;
        for (int k = 0; k < 6; ++k) by[o] += outputs_[k * count + o] * S_[k * N_ + p];
      }
      add(paths.b, p, -side, by);
      const Spatial eta = column(S_, p);
      const Vec3<double> turned_n = cross(eta.n, n) + cross(eta.f, f), turned_f = cross(eta.n, f);
      double turned[6];
      for (int k = 0; k < 3; ++k) turned[k] = turned_n[k], turned[3 + k] = turned_f[k];
      for (int k = 0; k < 6; ++k) by[k] -= turned[k];
      add(paths.a, p, side, by);
      add(paths.common, p, -side, turned);
      const Spatial zeta = column(zeta_, p), zeta_v = column(zeta_v_, p);
      for (int r = 0; r < law.rows; ++r) {
        const int place = place_of_row_[law.row0 + r];
        if (place < 0) continue;
        const std::size_t a = source_of_a(r);
        const Vec3<double>& force = ws.source_f[a];
        const Vec3<double> torque = ws.source_n[a] + cross(arm, force);
        double by_q = dot(torque, zeta.n) + dot(force, zeta.f);
        double by_v = dot(torque, zeta_v.n) + dot(force, zeta_v.f);
        for (int k = 0; k < 6; ++k) {
          const double velocity = outputs_[(6 + k) * count + 6 + r];
          by_q += outputs_[k * count + 6 + r] * S_[k * N_ + p] + velocity * xi_[k * N_ + p];
          by_v += velocity * S_[k * N_ + p];
        }
        double* slopes = row_slopes_.data() + static_cast<std::size_t>(place) * ld_;
        slopes[p] += side * by_q;
        slopes[plan_.by_v() + p] += side * by_v;
        rows_[place * N_ + p] += side * (dot(torque, eta.n) + dot(force, eta.f));
      }
    }
}

}  // namespace cartan
