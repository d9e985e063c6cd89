#include "mechanics/tree/slopes/law_products.h"

#include <algorithm>

#include "mechanics/forces/joint_slopes.h"

namespace cartan::mechanics {

namespace {

// to += weight * derivatives of a
void add_lanes(double weight, const Dual4& a, double (&to)[4]) {
  for (int lane = 0; lane < 4; ++lane) to[lane] += weight * a.d[lane];
}
void add_lanes(const Vec3<double>& weight, const Vec3<Dual4>& a, double (&to)[4]) {
  add_lanes(weight.x, a.x, to);
  add_lanes(weight.y, a.y, to);
  add_lanes(weight.z, a.z, to);
}

Vec3<double> lane_of(const lanes::VectorsOf<lanes::Four>& a, int lane) {
  return {a.x[lane], a.y[lane], a.z[lane]};
}

// Numbers of four of the twelve directions; o: of the spin.
void take_lanes(int first, const double (&from)[4], LinkChange& to) {
  Vec3<double>* const parts[4] = {&to.turn, &to.shift, &to.o, &to.slide};
  for (int lane = 0; lane < 4; ++lane) {
    const int k = first + lane;
    (*parts[k / 3])[k % 3] += from[lane];
  }
}

}  // namespace

LawProducts::LawProducts(const Mechanism<double>& mechanism, const Mechanism<Dual4>& dual,
                         const SlopePlan& plan, const LinkSlopes& links)
    : mechanism_(mechanism),
      plan_(plan),
      links_(links),
      duals_(mechanism, dual, plan),
      changes_(mechanism.links.size()),
      counts_(mechanism.row_count(), -1) {
  for (const LocalLaw& law : plan.laws) {
    reads_links_ |= law.rows > 0 || law.pair || !law.in_links.empty() || !law.out_links.empty();
  }
}

void LawProducts::begin(const MotionWorkspace<double>& ws, MotionWorkspace<Dual4>& scratch) {
  ws_ = &ws;
  duals_.begin(ws, scratch);
  const int* active = ws.mode.data() + mechanism_.mode_count;
  for (int r = 0; r < mechanism_.contact_row0; ++r)
    counts_[r] = active[r] != 0 && mechanism_.rows[r].driven_speed < 0 ? 0 : -1;
}

// ------------------------------------------------------------------------------ along a direction

void LawProducts::multiply(std::span<const double> dq, std::span<const double> u,
                           MotionResponse& response, std::span<double> scalars) {
  for (const LocalLaw& law : plan_.laws) {
    if (law.has_joint_slopes)
      multiply_in_joint(law, dq, u, response, scalars);
    else if (law.rows > 0)
      multiply_rows(law, response);
    else if (law.pair)
      multiply_pair(law, response, scalars);
    else
      multiply_general(law, u, response, scalars);
  }
}

void LawProducts::multiply_in_joint(const LocalLaw& law, std::span<const double> dq,
                                    std::span<const double> u, MotionResponse& response,
                                    std::span<double> scalars) {
  const Link<double>& link = mechanism_.links[law.in_joints.front()];
  const double *by_q = dq.data() + link.v0, *by_v = u.data() + mechanism_.nq + link.v0;
  JointSlopes slopes;
  fill_joint_slopes(mechanism_, *ws_, law.index, slopes);
  for (int i = 0; i < link.nv; ++i)
    for (int k = 0; k < link.nv; ++k)
      response.tau(link.v0 + i) += slopes.by_q[i][k] * by_q[k] + slopes.by_v[i][k] * by_v[k];
  for (const int s : law.scalars)
    for (int k = 0; k < link.nv; ++k) scalars[s] += slopes.power_by_v[k] * by_v[k];
}

void LawProducts::transpose_in_joint(const LocalLaw& law, const MotionResponse& response,
                                     std::span<const double> scalars, std::span<double> by_q,
                                     std::span<double> state) {
  const Link<double>& link = mechanism_.links[law.in_joints.front()];
  double *const to_q = by_q.data() + link.v0, *const to_v = state.data() + mechanism_.nq + link.v0;
  JointSlopes slopes;
  fill_joint_slopes(mechanism_, *ws_, law.index, slopes);
  for (int i = 0; i < link.nv; ++i) {
    const double weight = response.x()[link.v0 + i];
    for (int k = 0; k < link.nv; ++k) {
      to_q[k] += weight * slopes.by_q[i][k];
      to_v[k] += weight * slopes.by_v[i][k];
    }
  }
  for (const int s : law.scalars)
    for (int k = 0; k < link.nv; ++k) to_v[k] += scalars[s] * slopes.power_by_v[k];
}

// Of a when b stays: the law sees nothing else.
LinkChange LawProducts::relative_change(const LocalLaw& law) const {
  LinkChange by = changes_[law.a];
  if (law.b == world) return by;
  const LinkState<double>&a = ws_->links[law.a], &b = ws_->links[law.b];
  const LinkChange& of_b = changes_[law.b];
  const Vec3<double> d = a.o - b.o;
  by.turn -= of_b.turn;
  by.shift -= of_b.shift + cross(of_b.turn, d);
  by.o -= of_b.o;
  by.slide -= of_b.slide + cross(of_b.turn, a.u - b.u) + cross(of_b.o, d);
  return by;
}

// n, f: the wrench on a, D: its change.
void LawProducts::add_pair_wrench(const LocalLaw& law, const LinkChange& by, const SpatialPair& F,
                                  const SpatialPair& D, MotionResponse& response) {
  SpatialPair& on_a = response.link(law.a).P;
  on_a.n -= D.n - cross(by.turn, F.n);
  on_a.f -= D.f - cross(by.turn, F.f);
  if (law.b == world) return;
  SpatialPair& on_b = response.link(law.b).P;
  const Vec3<double> d = ws_->links[law.a].o - ws_->links[law.b].o;
  on_b.n += D.n + cross(d, D.f) + cross(by.shift, F.f);
  on_b.f += D.f;
}

void LawProducts::multiply_pair(const LocalLaw& law, MotionResponse& response,
                                std::span<double> scalars) {
  if (law.a == world || law.a == law.b) return;
  const LinkChange by = relative_change(law);
  const LinkState<double>& x = ws_->links[law.a];
  MotionWorkspace<Dual4>& dual = duals_.scratch();
  seeds::move_link(x, {by.turn, by.shift, cross(by.turn, x.w) + by.o, by.slide}, 0,
                   dual.links[law.a]);
  duals_.evaluate(law);
  duals_.rest_link(law.a);
  const Vec3<Dual4>&n = dual.wrench_n[law.a], &f = dual.wrench_f[law.a];
  add_pair_wrench(law, by, {seeds::number_of(n), seeds::number_of(f)},
                  {seeds::lane_of(n, 0), seeds::lane_of(f, 0)}, response);
  for (const int s : law.scalars) scalars[s] += duals_.power(law).d[0];
}

// What o makes of the accelerations of a, beside z (local_slopes.cpp).
double LawProducts::turned(const LocalLaw& law, int r) const {
  const std::size_t a = LawDuals::source_of_a(law, r);
  const Vec3<double>&n = ws_->source_n[a], &f = ws_->source_f[a];
  const Vec3<double>& w = ws_->links[law.a].w;
  const auto side = [&](int link) {
    if (link == world || plan_.paths[link].empty()) return 0.0;
    const Vec3<double>& o = changes_[link].o;
    return dot(n, cross(o, w)) +
           2 * dot(f, cross(o, links_.velocity(law.a, plan_.paths[link].front())));
  };
  return side(law.a) - side(law.b);
}

void LawProducts::multiply_rows(const LocalLaw& law, MotionResponse& response) {
  if (law.a == world || law.a == law.b) return;
  const LinkChange by = relative_change(law);
  const LinkState<double>& x = ws_->links[law.a];
  const Vec3<double> spin = cross(by.turn, x.w) + by.o;
  duals_.evaluate_rows(
      law, counts_,
      {law.a, lanes::side_by_side(by.turn, spin), lanes::side_by_side(by.shift, by.slide)});
  const Vec3<double> dw = cross(by.turn, x.dw), du = cross(by.turn, x.du);
  SpatialPair F;
  for (int r = 0; r < law.rows; ++r) {
    const int row = law.row0 + r;
    if (counts_[row] < 0) continue;
    const std::size_t a = LawDuals::source_of_a(law, r);
    const RowSlopeOf<lanes::Four>& slope = duals_.rows().rows[r];
    response.rest(row) += slope.rate[0] + slope.speed[1] + dot(slope.source_rate_n, spin) +
                          dot(slope.source_rate_f, by.slide) + dot(ws_->source_n[a], dw) +
                          dot(ws_->source_f[a], du) + turned(law, r);
    F.n += ws_->lambda[row] * ws_->source_n[a];
    F.f += ws_->lambda[row] * ws_->source_f[a];
  }
  add_pair_wrench(law, by, F, {lane_of(duals_.rows().n, 0), lane_of(duals_.rows().f, 0)}, response);
}

void LawProducts::multiply_general(const LocalLaw& law, std::span<const double> u,
                                   MotionResponse& response, std::span<double> scalars) {
  MotionWorkspace<Dual4>& dual = duals_.scratch();
  const int nq = mechanism_.nq, nv = mechanism_.nv;
  for (const int i : law.in_links) {
    const LinkChange& by = changes_[i];
    const LinkState<double>& x = ws_->links[i];
    seeds::move_link(x, {by.turn, by.shift, cross(by.turn, x.w) + by.o, by.slide}, 0,
                     dual.links[i]);
  }
  const auto move_joints = [&](double scale) {
    for (const int i : law.in_joints) {
      const Link<double>& link = mechanism_.links[i];
      for (int k = 0; k < link.nq; ++k) duals_.q(link)[k].d[0] = scale * u[link.q0 + k];
      for (int k = 0; k < link.nv; ++k) duals_.v(link)[k].d[0] = scale * u[nq + link.v0 + k];
    }
    for (const int z : law.in_variables) dual.variables[z].d[0] = scale * u[nq + nv + z];
  };
  move_joints(1);
  duals_.evaluate(law);
  move_joints(0);
  for (const int i : law.in_links) duals_.rest_link(i);
  for (const int i : law.out_links) {
    SpatialPair& P = response.link(i).P;
    const Vec3<Dual4>&n = dual.wrench_n[i], &f = dual.wrench_f[i];
    P.n -= seeds::lane_of(n, 0) - cross(changes_[i].turn, seeds::number_of(n));
    P.f -= seeds::lane_of(f, 0) - cross(changes_[i].turn, seeds::number_of(f));
  }
  for (const int i : law.out_joints)
    for (int j = mechanism_.links[i].v0; j < mechanism_.links[i].v0 + mechanism_.links[i].nv; ++j)
      response.tau(j) += dual.tau[j].d[0];
  for (const int s : law.scalars) scalars[s] += duals_.power(law).d[0];
}

// ----------------------------------------------------------------------------------------
// transpose

void LawProducts::multiply_transposed(const MotionResponse& response,
                                      std::span<const double> scalars, std::span<double> by_q,
                                      std::span<double> state) {
  for (const LocalLaw& law : plan_.laws) {
    if (law.has_joint_slopes)
      transpose_in_joint(law, response, scalars, by_q, state);
    else if (law.rows > 0)
      transpose_rows(law, response);
    else if (law.pair)
      transpose_pair(law, response, scalars);
    else
      transpose_general(law, response, scalars, state);
  }
}

// Weights of the change of the wrench on a; then, with D along the twelve directions of a, those of
// the directions, and of the turning of the wrench n, f itself (add_pair_wrench).
LawProducts::PairWeights LawProducts::begin_pair(const LocalLaw& law,
                                                 const MotionResponse& response) const {
  PairWeights weights;
  weights.n = response.link(law.a).z.n;
  weights.f = response.link(law.a).z.f;
  if (law.b == world) return weights;
  const SpatialPair& y = response.link(law.b).z;
  weights.n -= y.n;
  weights.f -= y.f + cross(y.n, ws_->links[law.a].o - ws_->links[law.b].o);
  return weights;
}

void LawProducts::end_pair(const LocalLaw& law, const MotionResponse& response,
                           const SpatialPair& F, LinkChange& by) {
  const SpatialPair& y = response.link(law.a).z;
  by.turn += cross(y.n, F.n) + cross(y.f, F.f) + cross(ws_->links[law.a].w, by.o);
  if (law.b != world) by.shift += cross(response.link(law.b).z.n, F.f);
  LinkChange& of_a = changes_[law.a];
  of_a.turn += by.turn;
  of_a.shift += by.shift;
  of_a.o += by.o;
  of_a.slide += by.slide;
  if (law.b == world) return;
  const LinkState<double>&a = ws_->links[law.a], &b = ws_->links[law.b];
  const Vec3<double> d = a.o - b.o;
  LinkChange& of_b = changes_[law.b];
  of_b.turn -= by.turn + cross(d, by.shift) + cross(a.u - b.u, by.slide);
  of_b.shift -= by.shift;
  of_b.o -= by.o + cross(d, by.slide);
  of_b.slide -= by.slide;
}

void LawProducts::transpose_pair(const LocalLaw& law, const MotionResponse& response,
                                 std::span<const double> scalars) {
  if (law.a == world || law.a == law.b) return;
  const PairWeights weights = begin_pair(law, response);
  double power = 0;
  for (const int s : law.scalars) power += scalars[s];
  MotionWorkspace<Dual4>& dual = duals_.scratch();
  const Vec3<Dual4>&n = dual.wrench_n[law.a], &f = dual.wrench_f[law.a];
  LinkChange by;
  for (int first = 0; first < seeds::link_directions; first += 4) {
    seeds::seed_link(ws_->links[law.a], first, dual.links[law.a]);
    duals_.evaluate(law);
    double lanes[4] = {};
    add_lanes(weights.n, n, lanes);
    add_lanes(weights.f, f, lanes);
    if (power != 0) add_lanes(power, duals_.power(law), lanes);
    take_lanes(first, lanes, by);
  }
  duals_.rest_link(law.a);
  end_pair(law, response, {seeds::number_of(n), seeds::number_of(f)}, by);
}

void LawProducts::transpose_rows(const LocalLaw& law, const MotionResponse& response) {
  if (law.a == world || law.a == law.b) return;
  const PairWeights weights = begin_pair(law, response);
  const LinkState<double>& x = ws_->links[law.a];
  duals_.evaluate_moved_rows(law, counts_);
  const FoundRows<lanes::Lanes>& found = duals_.moved_rows();
  lanes::Lanes faster{};
  lanes::Lanes moved = lanes::dot(weights.n, found.n) + lanes::dot(weights.f, found.f);
  for (int r = 0; r < law.rows; ++r) {
    if (counts_[law.row0 + r] < 0) continue;
    const double weight = response.lambda(law.row0 + r);
    moved += weight * found.rows[r].rate;
    faster += weight * found.rows[r].speed;
  }
  LinkChange by{{moved[0], moved[1], moved[2]},
                {moved[3], moved[4], moved[5]},
                {faster[0], faster[1], faster[2]},
                {faster[3], faster[4], faster[5]}};
  SpatialPair F, K;  // sums over rows: lambda source, weight source
  for (int r = 0; r < law.rows; ++r) {
    if (counts_[law.row0 + r] < 0) continue;
    const std::size_t a = LawDuals::source_of_a(law, r);
    const double weight = response.lambda(law.row0 + r), lambda = ws_->lambda[law.row0 + r];
    by.o += weight * found.rows[r].source_rate_n;
    by.slide += weight * found.rows[r].source_rate_f;
    F.n += lambda * ws_->source_n[a];
    F.f += lambda * ws_->source_f[a];
    K.n += weight * ws_->source_n[a];
    K.f += weight * ws_->source_f[a];
  }
  // accelerations turned with a, and what o makes of them
  by.turn += cross(x.dw, K.n) + cross(x.du, K.f);
  end_pair(law, response, F, by);
  for (const auto& [link, sign] : {std::pair(law.a, 1.0), std::pair(law.b, -1.0)})
    if (link != world && !plan_.paths[link].empty())
      changes_[link].o +=
          sign *
          (cross(x.w, K.n) + 2.0 * cross(links_.velocity(law.a, plan_.paths[link].front()), K.f));
}

// What the outputs of a law, in their weights, change by along each lane.
void LawProducts::weigh(const LocalLaw& law, const MotionResponse& response,
                        std::span<const double> scalars, double (&lanes)[4]) {
  const MotionWorkspace<Dual4>& dual = duals_.scratch();
  for (const int i : law.out_links) {
    add_lanes(response.link(i).z.n, dual.wrench_n[i], lanes);
    add_lanes(response.link(i).z.f, dual.wrench_f[i], lanes);
  }
  for (const int i : law.out_joints)
    for (int j = mechanism_.links[i].v0; j < mechanism_.links[i].v0 + mechanism_.links[i].nv; ++j)
      add_lanes(response.x()[j], dual.tau[j], lanes);
  for (const int s : law.scalars) add_lanes(scalars[s], duals_.power(law), lanes);
}

void LawProducts::transpose_general(const LocalLaw& law, const MotionResponse& response,
                                    std::span<const double> scalars, std::span<double> state) {
  MotionWorkspace<Dual4>& dual = duals_.scratch();
  const int nq = mechanism_.nq, nv = mechanism_.nv;
  for (const int i : law.in_links) {
    LinkChange by;
    for (int first = 0; first < seeds::link_directions; first += 4) {
      seeds::seed_link(ws_->links[i], first, dual.links[i]);
      duals_.evaluate(law);
      double lanes[4] = {};
      weigh(law, response, scalars, lanes);
      take_lanes(first, lanes, by);
    }
    duals_.rest_link(i);
    LinkChange& to = changes_[i];
    to.turn += by.turn + cross(ws_->links[i].w, by.o);
    to.shift += by.shift;
    to.o += by.o;
    to.slide += by.slide;
  }
  // numbers of joints and variables, up to four at a time
  Dual4* moved[4];
  double* to[4];
  int count = 0;
  const auto flush = [&] {
    if (count == 0) return;
    duals_.evaluate(law);
    double lanes[4] = {};
    weigh(law, response, scalars, lanes);
    for (int lane = 0; lane < count; ++lane) {
      *to[lane] += lanes[lane];
      moved[lane]->d[lane] = 0;
    }
    count = 0;
  };
  const auto add = [&](Dual4& number, double& weight) {
    number.d[count] = 1;
    moved[count] = &number;
    to[count] = &weight;
    if (++count == 4) flush();
  };
  for (const int i : law.in_joints) {
    const Link<double>& link = mechanism_.links[i];
    for (int k = 0; k < link.nq; ++k) add(duals_.q(link)[k], state[link.q0 + k]);
    for (int k = 0; k < link.nv; ++k) add(duals_.v(link)[k], state[nq + link.v0 + k]);
  }
  for (const int z : law.in_variables) add(dual.variables[z], state[nq + nv + z]);
  flush();
  // wrenches that turn with their links
  for (const int i : law.out_links) {
    const SpatialPair& y = response.link(i).z;
    changes_[i].turn += cross(y.n, seeds::number_of(dual.wrench_n[i])) +
                        cross(y.f, seeds::number_of(dual.wrench_f[i]));
  }
}

}  // namespace cartan::mechanics
