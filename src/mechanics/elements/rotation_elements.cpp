#include "mechanics/elements/rotation_elements.h"

#include "mechanics/absolute/absolute_solver.h"
#include "mechanics/forces/dry_friction.h"
#include "mechanics/forces/forces.h"
#include "mechanics/machine/kinematics.h"
#include "symbolic/expression.h"

namespace cartan::mechanics {
namespace {

template <class S>
Mat3<S> matrix_at(const S* x) {
  return Mat3<S>::columns({x[0], x[1], x[2]}, {x[3], x[4], x[5]}, {x[6], x[7], x[8]});
}
template <class S>
Vec3<S> vector_at(const S* x) {
  return {x[0], x[1], x[2]};
}

// a^T b
template <class S>
Mat3<S> product(const Mat3<S>& a, const Mat3<S>& b) {
  return Mat3<S>::columns(transpose_times(a, b.c[0]), transpose_times(a, b.c[1]),
                          transpose_times(a, b.c[2]));
}

// The symmetric part H of R^T R'' from D'' = -2 rate D' - rate^2 D, D = R^T R - 1.
template <class S>
Sym3<S> calc_stretch(const Mat3<S>& R, const Mat3<S>& rates, const Mat3<S>& spin, const S& rate) {
  Sym3<S> H = S(-1) * symmetric(product(rates, rates));
  if (value_of(rate) == 0) return H;
  const Sym3<S> D = symmetric(product(R, R)) - Sym3<S>::diagonal(S(1), S(1), S(1));
  return H - rate * symmetric(spin + transpose(spin)) - S(0.5) * rate * rate * D;
}

// b of -(H K - K H) = hat(b)
template <class S>
Vec3<S> calc_gyration(const Sym3<S>& H, const Sym3<S>& K) {
  const Mat3<S> m = K * full(H);  // K H; H K is its transpose
  return {m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1)};
}

template <class S>
void place_link(const ElementBody<S>& body, const S* x, const S* v, const S& baumgarte,
                LinkState<S>& link, Mat3<S>& turning, Sym3<S>& stretch, Vec3<S>& gyration) {
  const Mat3<S> R = matrix_at(x), rate = matrix_at(v);
  link.R = R * body.A0;
  link.o = link.r = vector_at(x + 9) + R * body.G0;
  link.u = vector_at(v + 9) + rate * body.G0;
  link.cw = link.cu = {};
  turning = rate * body.A0;
  const Mat3<S> spin = product(link.R, turning);
  const S half(0.5);
  link.w = link.R * Vec3<S>{half * (spin(2, 1) - spin(1, 2)), half * (spin(0, 2) - spin(2, 0)),
                            half * (spin(1, 0) - spin(0, 1))};
  stretch = calc_stretch(link.R, turning, spin, baumgarte);
  gyration = calc_gyration(stretch, body.K);
}

// Equations (13): o_C - o_P = 0 in world axes.
template <class S>
void write_point_rows(const ElementMechanism<S>& elements, std::size_t l, ElementWorkspace<S>& ws) {
  MotionWorkspace<S>& m = ws.motion;
  const LoopJoint<S>& loop = elements.mechanism.loops[l];
  const LoopState<S>& x = m.loops[l];
  Vec3<S> arm[2] = {x.o_C, x.o_P}, rest, gap_rate;
  const int links[2] = {loop.child, loop.parent};
  const Vec3<S>* points[2] = {&loop.C.p, &loop.P.p};
  for (int side = 0; side < 2; ++side) {
    const S sign = side == 0 ? S(1) : S(-1);
    if (links[side] == world) continue;
    const LinkState<S>& link = m.links[links[side]];
    arm[side] = link.R * *points[side];
    rest += sign * (link.R * (ws.stretch[links[side]] * *points[side]));
    gap_rate += sign * (link.u + ws.turning[links[side]] * *points[side]);
  }
  const S& rate = elements.mechanism.baumgarte;
  if (value_of(rate) != 0) rest += S(2) * rate * gap_rate + rate * rate * (x.o_C - x.o_P);
  const int row = elements.mechanism.loop_row0[l];
  for (int k = 0; k < 3; ++k) {
    Vec3<S> e;
    e[k] = S(1);
    m.row_rest[row + k] = rest[k];
    m.row_speed[row + k] = gap_rate[k];
    for (int side = 0; side < 2; ++side) {
      const std::size_t s = elements.source0[l] + 2 * k + side;
      m.source_f[s] = side == 0 ? e : -e;
      m.source_n[s] = cross(arm[side], m.source_f[s]);
      ws.point[s] = *points[side];
    }
  }
}

// Where the force acts, and there R'' in place of w x (w x r).
template <class S>
void correct_source(const ElementMechanism<S>& elements, std::size_t s, ElementWorkspace<S>& ws) {
  MotionWorkspace<S>& m = ws.motion;
  const RowSource& source = elements.mechanism.sources[s];
  ws.point[s] = {};
  if (source.link == world || elements.acts[s] == ActsAt::centre) return;
  const LinkState<S>& link = m.links[source.link];
  ws.point[s] = elements.acts[s] == ActsAt::joint
                    ? transpose_times(link.R, m.loops[source.loop].o_C - link.o)
                    : elements.point[s];
  const Vec3<S> arm = link.R * ws.point[s];
  m.row_rest[source.row] += dot(m.source_f[s], link.R * (ws.stretch[source.link] * ws.point[s]) -
                                                   cross(link.w, cross(link.w, arm)));
}

template <class S>
void rewrite_rows(const ElementMechanism<S>& elements, ElementWorkspace<S>& ws) {
  const Mechanism<S>& mechanism = elements.mechanism;
  const int* active = ws.motion.mode.data() + mechanism.mode_count;
  std::size_t s = 0;
  for (std::size_t l = 0; l < mechanism.loops.size(); ++l) {
    const int* first = active + mechanism.loop_row0[l];
    const std::size_t end = s + 2 * (6 - mechanism.loops[l].shape.nv);
    if (info(mechanism.loops[l].shape.type).holds_point && first[0] && first[1] && first[2]) {
      write_point_rows(elements, l, ws);
      s += 6;
    }
    for (; s < end; ++s) correct_source(elements, s, ws);
  }
  for (; s < mechanism.sources.size(); ++s) correct_source(elements, s, ws);
}

template <class S>
void place_sources(ElementMechanism<S>& elements) {
  const Mechanism<S>& mechanism = elements.mechanism;
  const std::size_t count = mechanism.sources.size();
  elements.acts.assign(count, ActsAt::centre);
  elements.point.resize(count);
  elements.source0.assign(mechanism.loops.size(), 0);
  for (std::size_t s = count; s-- > 0;) {
    const RowSource& source = mechanism.sources[s];
    const ConstraintRow& row = mechanism.rows[source.row];
    if (row.loop >= 0) {
      elements.acts[s] = ActsAt::joint;
      elements.source0[row.loop] = static_cast<int>(s);
      continue;
    }
    const auto* e = std::get_if<DistanceElement<S>>(&mechanism.constraints[row.element]);
    if (!e) continue;
    const bool first = s == 0 || mechanism.sources[s - 1].row != source.row;  // `to`, then `from`
    elements.acts[s] = ActsAt::point;
    elements.point[s] = first ? e->to.p : e->from.p;
  }
}

}  // namespace

template <class S>
ElementMechanism<S> make_element_mechanism(const Model& model, std::span<const double> parameters,
                                           std::span<const BodyState> start) {
  return make_element_mechanism<S>(make_with_constants<S>(model, parameters), start);
}

template <class S>
ElementMechanism<S> make_element_mechanism(Mechanism<S> mechanism,
                                           std::span<const BodyState> start) {
  ElementMechanism<S> elements;
  elements.mechanism = std::move(mechanism);
  elements.mechanism.absolute = true;
  for (Link<S>& link : elements.mechanism.links) link.product = true;
  for (const LinkBody<S>& link : elements.mechanism.bodies) {
    const BodyState& body = start[link.body];
    const Mat3<double> A0 = rotation_matrix(body.orientation);
    const Sym3<S>& J = link.J_com_L;
    const S half = S(0.5) * (J.xx + J.yy + J.zz);
    elements.bodies.push_back({Mat3<S>(A0), Vec3<S>(body.position) - Mat3<S>(A0) * link.X_LB.p,
                               Sym3<S>::diagonal(half, half, half) - J});
  }
  place_sources(elements);
  return elements;
}

template <class S>
ElementWorkspace<S> make_element_workspace(const ElementMechanism<S>& elements) {
  ElementWorkspace<S> ws;
  ws.motion = make_motion_workspace(elements.mechanism);
  ws.motion.gyration.resize(elements.bodies.size());
  ws.turning.resize(elements.bodies.size());
  ws.stretch.resize(elements.bodies.size());
  ws.point.resize(elements.mechanism.sources.size());
  return ws;
}

template <class S>
void fill_element_kinematics(const ElementMechanism<S>& elements, const S& t, const S* x,
                             ElementWorkspace<S>& ws) {
  MotionWorkspace<S>& m = ws.motion;
  m.t = t;
  m.q = x;  // of the links' own joints, which nothing asks for
  m.v = x + elements.size();
  for (std::size_t i = 0; i < elements.bodies.size(); ++i)
    place_link(elements.bodies[i], x + element_count * i, m.v + element_count * i,
               elements.mechanism.baumgarte, m.links[i], ws.turning[i], ws.stretch[i],
               m.gyration[i]);
  finish_kinematics(elements.mechanism, m);
  if (!elements.mechanism.rows.empty()) rewrite_rows(elements, ws);
}

template <class S>
void write_link_acceleration(const ElementMechanism<S>& elements, std::size_t i,
                             const Mat3<S>& turning, const Vec3<S>& acceleration, S* rates) {
  const ElementBody<S>& body = elements.bodies[i];
  const Mat3<S> R = turning * transpose(body.A0);
  const Vec3<S> T = acceleration - R * body.G0;
  S* out = rates + elements.size() + element_count * i;
  for (int c = 0; c < 3; ++c)
    for (int r = 0; r < 3; ++r) out[3 * c + r] = R(r, c);
  for (int r = 0; r < 3; ++r) out[9 + r] = T[r];
}

template <class S>
void write_element_accelerations(const ElementMechanism<S>& elements, const ElementWorkspace<S>& ws,
                                 S* rates) {
  for (std::size_t i = 0; i < elements.bodies.size(); ++i) {
    const LinkState<S>& link = ws.motion.links[i];
    write_link_acceleration<S>(elements, i, cross(link.dw, link.R) + link.R * full(ws.stretch[i]),
                               link.du + ws.motion.gravity, rates);
  }
}

template <class S>
void calc_element_rates(const ElementMechanism<S>& elements, const S& t, const S* x, S* rates,
                        ElementWorkspace<S>& ws) {
  fill_element_kinematics(elements, t, x, ws);
  fill_forces(elements.mechanism, ws.motion);
  solve_with_friction(elements.mechanism, ws.motion, &solve_absolute<S>);
  const int n = elements.size();
  for (int k = 0; k < n; ++k) rates[k] = x[n + k];
  write_element_accelerations(elements, ws, rates);
}

#define CARTAN_INSTANTIATE(S)                                                                   \
  template ElementMechanism<S> make_element_mechanism<S>(const Model&, std::span<const double>, \
                                                         std::span<const BodyState>);           \
  template ElementWorkspace<S> make_element_workspace<S>(const ElementMechanism<S>&);           \
  template void fill_element_kinematics<S>(const ElementMechanism<S>&, const S&, const S*,      \
                                           ElementWorkspace<S>&);                               \
  template void write_element_accelerations<S>(const ElementMechanism<S>&,                      \
                                               const ElementWorkspace<S>&, S*);                 \
  template void write_link_acceleration<S>(const ElementMechanism<S>&, std::size_t,             \
                                           const Mat3<S>&, const Vec3<S>&, S*);                 \
  template void calc_element_rates<S>(const ElementMechanism<S>&, const S&, const S*, S*,       \
                                      ElementWorkspace<S>&);
CARTAN_FOR_EACH_SCALAR(CARTAN_INSTANTIATE)
#undef CARTAN_INSTANTIATE

// What equations to be read are made of (codegen/element_sheet.cpp).
template ElementMechanism<Expression> make_element_mechanism<Expression>(
    Mechanism<Expression>, std::span<const BodyState>);
template ElementWorkspace<Expression> make_element_workspace<Expression>(
    const ElementMechanism<Expression>&);
template void fill_element_kinematics<Expression>(const ElementMechanism<Expression>&,
                                                  const Expression&, const Expression*,
                                                  ElementWorkspace<Expression>&);

}  // namespace cartan::mechanics
