#include "mechanics/tree/local_slopes.h"

#include <algorithm>

#include "mechanics/joints/joint_motion.h"
#include "mechanics/machine/expression_inputs.h"
#include "mechanics/machine/single_laws.h"

namespace cartan::mechanics {

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
Vec3<double> number_of(const Vec3<Dual4>& a) {
  return {a.x.a, a.y.a, a.z.a};
}

void set_link_at(const LinkState<double>& from, LinkState<Dual4>& to) {
  for (int j = 0; j < 3; ++j) to.R.c[j] = constant(from.R.c[j]);
  to.o = constant(from.o);
  to.w = constant(from.w);
  to.u = constant(from.u);
  to.dw = constant(from.dw);
  to.du = constant(from.du);
}

// Directions first ... first + 3 of the twelve: turn, shift, spin, slide.
void seed_link(const LinkState<double>& from, int first, LinkState<Dual4>& to) {
  set_link_at(from, to);
  for (int lane = 0; lane < 4; ++lane) {
    const int k = first + lane;
    const Vec3<double> e = unit_vector<double>(k % 3);
    switch (k / 3) {
      case 0:
        for (int j = 0; j < 3; ++j) set_lane(to.R.c[j], lane, cross(e, from.R.c[j]));
        break;
      case 1:
        set_lane(to.o, lane, e);
        break;
      case 2:
        set_lane(to.w, lane, e);
        break;
      default:
        set_lane(to.u, lane, e);
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

LocalSlopes::LocalSlopes(const Mechanism<double>& mechanism, const Mechanism<Dual4>& dual,
                         const SlopePlan& plan)
    : mechanism_(mechanism),
      dual_mechanism_(dual),
      plan_(plan),
      dual_q_(mechanism.nq),
      dual_v_(mechanism.nv) {
  std::size_t outputs = 0;
  for (const LocalLaw& law : plan.laws) {
    std::size_t numbers = 6 * std::max<std::size_t>(1, law.out_links.size()) + 1 + law.rows;
    for (const int i : law.out_joints) numbers += mechanism.links[i].nv;
    outputs = std::max(outputs, numbers);
  }
  outputs_.assign((link_directions + 2) * outputs, 0.0);
}

void LocalSlopes::fill(const MotionWorkspace<double>& ws, MotionWorkspace<Dual4>& dual,
                       const LinkSlopes& links, std::span<const int> place_of_row,
                       SlopeSink& sink) {
  ws_ = &ws;
  dual_ = &dual;
  links_ = &links;
  place_of_row_ = place_of_row;
  sink_ = &sink;
  dual.t = ws.t;
  std::copy(ws.mode.begin(), ws.mode.end(), dual.mode.begin());
  std::copy_n(ws.q, mechanism_.nq, dual_q_.begin());
  std::copy_n(ws.v, mechanism_.nv, dual_v_.begin());
  std::copy(ws.variables.begin(), ws.variables.end(), dual.variables.begin());
  dual.q = dual_q_.data();
  dual.v = dual_v_.data();
  dual.gravity = constant(ws.gravity);
  for (const int i : plan_.read_links) set_link_at(ws.links[i], dual.links[i]);
  for (const LocalLaw& law : plan_.laws) {
    if (law.rows > 0)
      add_rows(law);
    else if (law.pair)
      add_pair(law);
    else
      add_general(law);
  }
}

// The twist of a link that rides on the joint of a place.
LocalSlopes::Twist LocalSlopes::calc_twist(int link, int place) const {
  const LinkState<double>&x = ws_->links[link], &j = ws_->links[plan_.link_of_place[place]];
  const SlopeColumn& c = links_->column(place);
  const Vec3<double> d = x.o - j.o, v = x.u - j.u;
  return {c.phi, c.psi + cross(c.phi, d), cross(c.phi, x.w) + c.o,
          c.slide + cross(c.phi, v) + cross(c.o, d)};
}

void LocalSlopes::evaluate_law(const LocalLaw& law) {
  MotionWorkspace<Dual4>& dual = *dual_;
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

int LocalSlopes::output_count(const LocalLaw& law) const {
  int count = 6 * static_cast<int>(law.pair ? 1 : law.out_links.size()) + 1;
  for (const int i : law.out_joints) count += mechanism_.links[i].nv;
  return count;
}

// Reads four directions: wrenches about origins, forces on joints, a power or rate.
void LocalSlopes::read_outputs(const LocalLaw& law, int direction) {
  const MotionWorkspace<Dual4>& dual = *dual_;
  const int count = output_count(law);
  double* to = outputs_.data() + static_cast<std::size_t>(direction) * count;
  int at = 0;
  const auto put = [&](const Dual4& value) {
    for (int lane = 0; lane < 4; ++lane) to[lane * count + at] = value.d[lane];
    ++at;
  };
  const auto put_vector = [&](const Vec3<Dual4>& a) { put(a.x), put(a.y), put(a.z); };
  const auto put_wrench = [&](int i) {
    put_vector(dual.wrench_n[i]);
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
void LocalSlopes::apply_outputs(const LocalLaw& law, int column, const double* by) {
  for (const int i : law.out_links) {
    sink_->add_wrench(i, column, {by[0], by[1], by[2]}, {by[3], by[4], by[5]});
    by += 6;
  }
  for (const int i : law.out_joints)
    for (int k = 0; k < mechanism_.links[i].nv; ++k)
      sink_->add_force(plan_.place[mechanism_.links[i].v0 + k], column, *by++);
  for (const int s : law.scalars) sink_->add_scalar(s, column, *by);
}

// Outputs along a twist: the first `used` of `count`.
void LocalSlopes::combine_outputs(const Twist& twist, int count, int used, double* by_q,
                                  double* by_v) const {
  for (int o = 0; o < used; ++o) {
    double q = 0, v = 0;
    for (int k = 0; k < 3; ++k) {
      const double turn = outputs_[k * count + o], shift = outputs_[(3 + k) * count + o];
      const double spin = outputs_[(6 + k) * count + o], slide = outputs_[(9 + k) * count + o];
      q += turn * twist.turn[k] + shift * twist.shift[k] + spin * twist.spin[k] +
           slide * twist.slide[k];
      v += spin * twist.turn[k] + slide * twist.shift[k];
    }
    by_q[o] = q;
    by_v[o] = v;
  }
}

void LocalSlopes::add_general(const LocalLaw& law) {
  for (const int i : law.in_links) add_link_slot(law, i);
  for (const int i : law.in_joints) add_joint_slot(law, i);
  add_variable_slots(law);
}

void LocalSlopes::add_link_slot(const LocalLaw& law, int link) {
  const MotionWorkspace<double>& ws = *ws_;
  MotionWorkspace<Dual4>& dual = *dual_;
  const int count = output_count(law);
  for (int first = 0; first < link_directions; first += 4) {
    seed_link(ws.links[link], first, dual.links[link]);
    evaluate_law(law);
    read_outputs(law, first);
  }
  // a wrench on the link itself: without phi x F
  const auto own = std::find(law.out_links.begin(), law.out_links.end(), link);
  if (own != law.out_links.end()) {
    const Vec3<double> n = number_of(dual.wrench_n[link]), f = number_of(dual.wrench_f[link]);
    const int at = 6 * static_cast<int>(own - law.out_links.begin());
    for (int k = 0; k < 3; ++k) {
      const Vec3<double> turned_n = cross(unit_vector<double>(k), n),
                         turned_f = cross(unit_vector<double>(k), f);
      double* to = outputs_.data() + k * count + at;
      for (int j = 0; j < 3; ++j) to[j] -= turned_n[j], to[3 + j] -= turned_f[j];
    }
  }
  set_link_at(ws.links[link], dual.links[link]);
  double* const by_q = outputs_.data() + static_cast<std::size_t>(link_directions) * count;
  double* const by_v = by_q + count;
  for (const int p : plan_.paths[link]) {
    combine_outputs(calc_twist(link, p), count, count, by_q, by_v);
    apply_outputs(law, p, by_q);
    apply_outputs(law, plan_.by_v() + p, by_v);
  }
}

// Displacements of the joint, the length of its quaternion, its speeds.
void LocalSlopes::add_joint_slot(const LocalLaw& law, int i) {
  const MotionWorkspace<double>& ws = *ws_;
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
    evaluate_law(law);
    read_outputs(law, 0);
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

void LocalSlopes::add_variable_slots(const LocalLaw& law) {
  MotionWorkspace<Dual4>& dual = *dual_;
  const int count = output_count(law);
  for (std::size_t first = 0; first < law.in_variables.size(); first += 4) {
    const std::size_t lanes = std::min<std::size_t>(4, law.in_variables.size() - first);
    for (std::size_t lane = 0; lane < lanes; ++lane)
      dual.variables[law.in_variables[first + lane]].d[lane] = 1;
    evaluate_law(law);
    read_outputs(law, 0);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const int z = law.in_variables[first + lane];
      dual.variables[z] = Dual4(dual.variables[z].a);
      apply_outputs(law, plan_.by_z() + z, outputs_.data() + lane * count);
    }
  }
}

// --------------------------------------------------------------------- two bodies, relative motion

// With D the change of the wrench F on a when a moves: b gets the opposite, and moving b is moving
// both and a back. A column on the side of a (s = 1) or b (s = -1), as a twist of a, changes the
// wrenches beyond their turning with their links by
//   on a:  s (D - turn x F)        on b, about its own origin:  -s (D_n + d x D_f + shift x f, D_f)
// with d from b to a. Joints that carry both change nothing.
void LocalSlopes::add_pair(const LocalLaw& law) {
  const MotionWorkspace<double>& ws = *ws_;
  MotionWorkspace<Dual4>& dual = *dual_;
  if (law.a == world || law.a == law.b) return;
  const int count = output_count(law);
  for (int first = 0; first < link_directions; first += 4) {
    seed_link(ws.links[law.a], first, dual.links[law.a]);
    evaluate_law(law);
    read_outputs(law, first);
  }
  set_link_at(ws.links[law.a], dual.links[law.a]);
  const Vec3<double> n = number_of(dual.wrench_n[law.a]), f = number_of(dual.wrench_f[law.a]);
  const Paths paths(plan_, law.a, law.b);
  for (const double side : {1.0, -1.0})
    for (const int p : side > 0 ? paths.a : paths.b) {
      const Twist twist = calc_twist(law.a, p);
      double by_q[7], by_v[7];
      combine_outputs(twist, count, 7, by_q, by_v);
      for (const int s : law.scalars) {
        sink_->add_scalar(s, p, side * by_q[6]);
        sink_->add_scalar(s, plan_.by_v() + p, side * by_v[6]);
      }
      add_pair_wrench(law, p, side, twist, by_q, n, f);
      const Twist still{};
      add_pair_wrench(law, plan_.by_v() + p, side, still, by_v, n, f);
    }
}

void LocalSlopes::add_pair_wrench(const LocalLaw& law, int column, double side, const Twist& twist,
                                  const double* by, const Vec3<double>& n, const Vec3<double>& f) {
  const Vec3<double> D_n{by[0], by[1], by[2]}, D_f{by[3], by[4], by[5]};
  sink_->add_wrench(law.a, column, side * (D_n - cross(twist.turn, n)),
                    side * (D_f - cross(twist.turn, f)));
  if (law.b == world) return;
  const Vec3<double> d = ws_->links[law.a].o - ws_->links[law.b].o;
  sink_->add_wrench(law.b, column, -side * (D_n + cross(d, D_f) + cross(twist.shift, f)),
                    -side * D_f);
}

// Rows of a loop joint or constraint: the same for the wrench of their multipliers. Their
//   y' = sum source . acceleration + rest
// changes by source . (a, b) (motion_solution.cpp), which is all where both links turn; and by a
// twist of a, with its accelerations turned and with what o makes of them.
void LocalSlopes::add_rows(const LocalLaw& law) {
  if (law.a == world || law.a == law.b) return;
  const MotionWorkspace<double>& ws = *ws_;
  MotionWorkspace<Dual4>& dual = *dual_;
  const int count = 6 + law.rows;
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
    seed_link(ws.links[law.a], first, dual.links[law.a]);
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
    for (int lane = 0; lane < 4; ++lane)
      for (int k = 0; k < 3; ++k) {
        to[lane * count + k] = lane_of(n, lane)[k];
        to[lane * count + 3 + k] = lane_of(f, lane)[k];
      }
  }
  set_link_at(ws.links[law.a], dual.links[law.a]);

  const LinkState<double>& x = ws.links[law.a];
  Vec3<double> n, f;
  for (int r = 0; r < law.rows; ++r) {
    if (place_of_row_[law.row0 + r] < 0) continue;
    n += ws.lambda[law.row0 + r] * ws.source_n[source_of_a(r)];
    f += ws.lambda[law.row0 + r] * ws.source_f[source_of_a(r)];
  }
  // what o makes of the accelerations of a, velocities as the column of p has them
  const auto turned = [&](int r, int p, const Vec3<double>& o) {
    const std::size_t a = source_of_a(r);
    return dot(ws.source_n[a], cross(o, x.w)) +
           2 * dot(ws.source_f[a], cross(o, links_->velocity(law.a, p)));
  };
  const auto add = [&](int r, int p, double by_q, double by_v) {
    if (place_of_row_[law.row0 + r] < 0) return;
    sink_->add_row(law.row0 + r, p, by_q);
    sink_->add_row(law.row0 + r, plan_.by_v() + p, by_v);
  };
  const Paths paths(plan_, law.a, law.b);
  double* const by_q = outputs_.data() + static_cast<std::size_t>(link_directions) * count;
  double* const by_v = by_q + count;
  for (const double side : {1.0, -1.0})
    for (const int p : side > 0 ? paths.a : paths.b) {
      const Twist twist = calc_twist(law.a, p);
      combine_outputs(twist, count, count, by_q, by_v);
      add_pair_wrench(law, p, side, twist, by_q, n, f);
      for (int r = 0; r < law.rows; ++r) {
        const std::size_t a = source_of_a(r);
        const double q = side * (by_q[6 + r] + dot(ws.source_n[a], cross(twist.turn, x.dw)) +
                                 dot(ws.source_f[a], cross(twist.turn, x.du)) +
                                 turned(r, p, links_->column(p).o));
        const double v = side * (by_v[6 + r] + turned(r, p, links_->column(p).phi));
        add(r, p, q, v);
      }
    }
}

}  // namespace cartan::mechanics
