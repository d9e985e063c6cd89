#include "mechanics/tree/local_slopes.h"

#include <algorithm>

#include "mechanics/forces/joint_slopes.h"
#include "mechanics/joints/joint_motion.h"

namespace cartan::mechanics {

namespace {

using namespace seeds;

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
    : mechanism_(mechanism), plan_(plan), duals_(mechanism, dual, plan) {
  std::size_t outputs = 0;
  int rows = 0;
  for (const LocalLaw& law : plan.laws) {
    outputs = std::max<std::size_t>(outputs, output_stride(law));
    rows = std::max(rows, law.rows);
  }
  outputs_.assign((link_directions + 2) * outputs, 0.0);
  turned_.resize(rows);
}

void LocalSlopes::fill(const MotionWorkspace<double>& ws, MotionWorkspace<Dual4>& dual,
                       const LinkSlopes& links, std::span<const int> place_of_row,
                       SlopeSink& sink) {
  ws_ = &ws;
  links_ = &links;
  place_of_row_ = place_of_row;
  sink_ = &sink;
  duals_.begin(ws, dual);
  for (const LocalLaw& law : plan_.laws) {
    if (law.has_joint_slopes)
      add_in_joint(law);
    else if (law.rows > 0)
      add_rows(law);
    else if (law.pair)
      add_pair(law);
    else
      add_general(law);
  }
}

// The twist of a link that rides on the joint of a place.
LinkTwist LocalSlopes::calc_twist(int link, int place) const {
  const LinkState<double>&x = ws_->links[link], &j = ws_->links[plan_.link_of_place[place]];
  const SlopeColumn& c = links_->column(place);
  const Vec3<double> d = x.o - j.o, v = x.u - j.u;
  return {c.phi, c.psi + cross(c.phi, d), cross(c.phi, x.w) + c.o,
          c.slide + cross(c.phi, v) + cross(c.o, d)};
}

// Of a direction: its numbers fill whole lanes.
int LocalSlopes::output_stride(const LocalLaw& law) const {
  int count = 6 * static_cast<int>(law.pair ? 1 : law.out_links.size()) + 1 + law.rows;
  for (const int i : law.out_joints) count += mechanism_.links[i].nv;
  return lanes::round_up(count);
}

// Reads four directions: wrenches about origins, forces on joints, a power or rate.
void LocalSlopes::read_outputs(const LocalLaw& law, int direction) {
  const MotionWorkspace<Dual4>& dual = duals_.scratch();
  const int count = output_stride(law);
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
  put(duals_.power(law));
}

// ------------------------------------------------------------------- forces with slopes of their
// own

void LocalSlopes::add_in_joint(const LocalLaw& law) {
  const SlopeLink& at = plan_.links[plan_.position[law.in_joints.front()]];
  JointSlopes slopes;
  fill_joint_slopes(mechanism_, *ws_, law.index, slopes);
  for (int k = 0; k < at.nv; ++k) {
    const int by_q = SlopePlan::by_q(at.p0 + k), by_v = SlopePlan::by_v(at.p0 + k);
    for (int i = 0; i < at.nv; ++i) {
      if (slopes.by_q[i][k] != 0) sink_->add_force(at.p0 + i, by_q, slopes.by_q[i][k]);
      if (slopes.by_v[i][k] != 0) sink_->add_force(at.p0 + i, by_v, slopes.by_v[i][k]);
    }
    for (const int s : law.scalars) sink_->add_scalar(s, by_v, slopes.power_by_v[k]);
  }
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

// Outputs along a twist, into the last two directions.
LocalSlopes::Combined LocalSlopes::combine_outputs(const LinkTwist& twist, int count) {
  double* const by_q = outputs_.data() + static_cast<std::size_t>(link_directions) * count;
  double* const by_v = by_q + count;
  for (int o = 0; o < count; o += lanes::width) {
    lanes::Lanes q{}, v{};
    const auto along = [&](int direction) {
      return lanes::load(outputs_.data() + direction * count + o);
    };
    for (int k = 0; k < 3; ++k) {
      const lanes::Lanes spin = along(6 + k), slide = along(9 + k);
      q += along(k) * twist.turn[k] + along(3 + k) * twist.shift[k] + spin * twist.spin[k] +
           slide * twist.slide[k];
      v += spin * twist.turn[k] + slide * twist.shift[k];
    }
    lanes::put(by_q + o, q);
    lanes::put(by_v + o, v);
  }
  return {by_q, by_v};
}

void LocalSlopes::add_general(const LocalLaw& law) {
  for (const int i : law.in_links) add_link_slot(law, i);
  for (const int i : law.in_joints) add_joint_slot(law, i);
  add_variable_slots(law);
}

void LocalSlopes::add_link_slot(const LocalLaw& law, int link) {
  const MotionWorkspace<double>& ws = *ws_;
  MotionWorkspace<Dual4>& dual = duals_.scratch();
  const int count = output_stride(law);
  for (int first = 0; first < link_directions; first += 4) {
    seed_link(ws.links[link], first, dual.links[link]);
    duals_.evaluate(law);
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
  duals_.rest_link(link);
  for (const int p : plan_.paths[link]) {
    const auto [by_q, by_v] = combine_outputs(calc_twist(link, p), count);
    apply_outputs(law, SlopePlan::by_q(p), by_q);
    apply_outputs(law, SlopePlan::by_v(p), by_v);
  }
}

// Displacements of the joint, the length of its quaternion, its speeds.
void LocalSlopes::add_joint_slot(const LocalLaw& law, int i) {
  const MotionWorkspace<double>& ws = *ws_;
  const Link<double>& link = mechanism_.links[i];
  const int count = output_stride(law), nv = link.nv, p0 = plan_.links[plan_.position[i]].p0;
  const int lengths = has_quaternion(link) ? 1 : 0, directions = 2 * nv + lengths;
  const double* q = ws.q + link.q0;
  const std::span<Dual4> dual_q = duals_.q(link), dual_v = duals_.v(link);
  for (int first = 0; first < directions; first += 4) {
    const int lanes = std::min(4, directions - first);
    for (int lane = 0; lane < lanes; ++lane) {
      const int k = first + lane;
      if (k >= nv + lengths) {
        dual_v[k - nv - lengths].d[lane] = 1;
      } else if (k >= nv) {
        for (int j = 0; j < 4; ++j) dual_q[j].d[lane] = q[j];
      } else {
        double unit[6] = {}, rate[7];
        unit[k] = 1;
        calc_coordinate_rates(link, q, unit, rate);
        for (int j = 0; j < link.nq; ++j) dual_q[j].d[lane] = rate[j];
      }
    }
    duals_.evaluate(law);
    read_outputs(law, 0);
    for (int j = 0; j < link.nq; ++j) dual_q[j] = q[j];
    for (int j = 0; j < nv; ++j) dual_v[j] = ws.v[link.v0 + j];
    for (int lane = 0; lane < lanes; ++lane) {
      const int k = first + lane;
      int column = SlopePlan::by_q(p0 + k);
      if (k >= nv + lengths)
        column = SlopePlan::by_v(p0 + k - nv - lengths);
      else if (k >= nv)
        column = plan_.by_radius() +
                 static_cast<int>(std::find(plan_.radial.begin(), plan_.radial.end(), i) -
                                  plan_.radial.begin());
      apply_outputs(law, column, outputs_.data() + static_cast<std::size_t>(lane) * count);
    }
  }
}

void LocalSlopes::add_variable_slots(const LocalLaw& law) {
  MotionWorkspace<Dual4>& dual = duals_.scratch();
  const int count = output_stride(law);
  for (std::size_t first = 0; first < law.in_variables.size(); first += 4) {
    const std::size_t lanes = std::min<std::size_t>(4, law.in_variables.size() - first);
    for (std::size_t lane = 0; lane < lanes; ++lane)
      dual.variables[law.in_variables[first + lane]].d[lane] = 1;
    duals_.evaluate(law);
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
  MotionWorkspace<Dual4>& dual = duals_.scratch();
  if (law.a == world || law.a == law.b) return;
  const int count = output_stride(law);
  for (int first = 0; first < link_directions; first += 4) {
    seed_link(ws.links[law.a], first, dual.links[law.a]);
    duals_.evaluate(law);
    read_outputs(law, first);
  }
  duals_.rest_link(law.a);
  const Vec3<double> n = number_of(dual.wrench_n[law.a]), f = number_of(dual.wrench_f[law.a]);
  const Paths paths(plan_, law.a, law.b);
  for (const double side : {1.0, -1.0})
    for (const int p : side > 0 ? paths.a : paths.b) {
      const LinkTwist twist = calc_twist(law.a, p);
      const auto [by_q, by_v] = combine_outputs(twist, count);
      for (const int s : law.scalars) {
        sink_->add_scalar(s, SlopePlan::by_q(p), side * by_q[6]);
        sink_->add_scalar(s, SlopePlan::by_v(p), side * by_v[6]);
      }
      add_pair_wrench(law, SlopePlan::by_q(p), side, twist, by_q, n, f);
      const LinkTwist still{};
      add_pair_wrench(law, SlopePlan::by_v(p), side, still, by_v, n, f);
    }
}

void LocalSlopes::add_pair_wrench(const LocalLaw& law, int column, double side,
                                  const LinkTwist& twist, const double* by, const Vec3<double>& n,
                                  const Vec3<double>& f) {
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
  const auto is_wanted = [&](int r) { return place_of_row_[law.row0 + r] >= 0; };
  bool any = false;
  for (int r = 0; r < law.rows; ++r) any |= is_wanted(r);
  if (!any) return;
  duals_.evaluate_moved_rows(law, place_of_row_);
  const int count = output_stride(law);
  write_moved_rows(law, count);
  Vec3<double> n, f;
  for (int r = 0; r < law.rows; ++r) {
    if (!is_wanted(r)) continue;
    n += ws_->lambda[law.row0 + r] * ws_->source_n[LawDuals::source_of_a(law, r)];
    f += ws_->lambda[law.row0 + r] * ws_->source_f[LawDuals::source_of_a(law, r)];
  }
  const Paths paths(plan_, law.a, law.b);
  for (const double side : {1.0, -1.0}) {
    const std::span<const int> path = side > 0 ? paths.a : paths.b;
    if (path.empty()) continue;
    turn_rows(law, links_->velocity(law.a, path.front()));
    for (const int p : path) {
      const LinkTwist twist = calc_twist(law.a, p);
      const auto [by_q, by_v] = combine_outputs(twist, count);
      add_pair_wrench(law, SlopePlan::by_q(p), side, twist, by_q, n, f);
      const SlopeColumn& c = links_->column(p);
      for (int r = 0; r < law.rows; ++r) {
        if (!is_wanted(r)) continue;
        const double q = by_q[6 + r] + dot(turned_[r], c.o);
        const double v = by_v[6 + r] + dot(turned_[r], c.phi);
        sink_->add_row(law.row0 + r, SlopePlan::by_q(p), side * q);
        sink_->add_row(law.row0 + r, SlopePlan::by_v(p), side * v);
      }
    }
  }
}

// What o makes of the accelerations of a, as a product with o; u: the velocity of a, as columns on
// a path have it.
void LocalSlopes::turn_rows(const LocalLaw& law, const Vec3<double>& u) {
  for (int r = 0; r < law.rows; ++r) {
    const std::size_t a = LawDuals::source_of_a(law, r);
    turned_[r] = cross(ws_->links[law.a].w, ws_->source_n[a]) + 2.0 * cross(u, ws_->source_f[a]);
  }
}

// Wrench and rows along turn, shift, spin and slide: eight outputs at a time, transposed. Along a
// turn, rows feel the accelerations of a turned with it.
void LocalSlopes::write_moved_rows(const LocalLaw& law, int count) {
  const FoundRows<lanes::Lanes>& found = duals_.moved_rows();
  const LinkState<double>& x = ws_->links[law.a];
  for (int o = 0; o < count; o += lanes::width) {
    lanes::Lanes moved[lanes::width]{}, faster[lanes::width]{};
    for (int k = 0; k < lanes::width; ++k) {
      const int r = o + k - 6;
      if (r >= law.rows) break;
      if (r < 0) {
        moved[k] = (o + k < 3 ? found.n : found.f)[(o + k) % 3];
        continue;
      }
      const RowSlopeOf<lanes::Lanes>& row = found.rows[r];
      const std::size_t a = LawDuals::source_of_a(law, r);
      const Vec3<double> felt = cross(x.dw, ws_->source_n[a]) + cross(x.du, ws_->source_f[a]);
      const Vec3<double>&n = row.source_rate_n, &f = row.source_rate_f;
      moved[k] = row.rate + lanes::Lanes{felt.x, felt.y, felt.z};
      faster[k] = row.speed + lanes::Lanes{n.x, n.y, n.z, f.x, f.y, f.z};
    }
    lanes::transpose(moved);
    lanes::transpose(faster);
    for (int k = 0; k < 6; ++k) {
      lanes::put(outputs_.data() + k * count + o, moved[k]);
      lanes::put(outputs_.data() + (6 + k) * count + o, faster[k]);
    }
  }
}

}  // namespace cartan::mechanics
