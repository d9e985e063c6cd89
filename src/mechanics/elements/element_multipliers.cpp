#include "mechanics/elements/element_multipliers.h"

#include <algorithm>

#include "core/dense.h"
#include "mechanics/absolute/absolute_solver.h"
#include "mechanics/constraints/constraints.h"
#include "mechanics/forces/dry_friction.h"
#include "mechanics/forces/forces.h"

namespace cartan::mechanics {
namespace {

using Matrix3 = Mat3<double>;
using Vector3 = Vec3<double>;

// Z, world axes on the left, of the wrench a unit of the source's multiplier makes.
Matrix3 source_matrix(const ElementMechanism<double>& elements, const ElementWorkspace<double>& ws,
                      std::size_t s) {
  const Matrix3& R = ws.motion.links[elements.mechanism.sources[s].link].R;
  const Vector3& f = ws.motion.source_f[s];
  const Vector3 couple = ws.motion.source_n[s] - cross(R * ws.point[s], f);
  return outer(f, ws.point[s]) + 0.5 * cross(couple, R);
}

Matrix3 applied_matrix(const ElementMechanism<double>& elements, const ElementWorkspace<double>& ws,
                       std::size_t i) {
  if (!elements.mechanism.has_forces) return {};
  Vector3 couple = ws.motion.wrench_n[i];
  if (!elements.mechanism.loop_rotors.empty()) couple += ws.motion.rotor_n[i];
  return 0.5 * cross(couple, ws.motion.links[i].R);
}

double contract(const Matrix3& a, const Matrix3& b) {
  return dot(a.c[0], b.c[0]) + dot(a.c[1], b.c[1]) + dot(a.c[2], b.c[2]);
}

Sym3<double> symmetric_part(const Matrix3& m) {
  return symmetric(0.5 * (m + transpose(m)));
}

Matrix3 matrix_times(const Matrix3& m, const Sym3<double>& n) {
  return m * full(n);
}

// Symmetric matrices with which Lambda = sum of six numbers times these.
Matrix3 basis(int k) {
  constexpr int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  Matrix3 m;
  m(row[k], column[k]) = m(column[k], row[k]) = 1;
  return m;
}

}  // namespace

// The Lyapunov equation is solved with R^T Z as it is: from the link's acceleration it would differ
// by R^T R - 1, which K^-1 makes large where multipliers are held.
Sym3<double> calc_body_multiplier(const ElementMechanism<double>& elements,
                                  const ElementWorkspace<double>& ws, std::size_t link) {
  const LinkState<double>& x = ws.motion.links[link];
  const ElementBody<double>& body = elements.bodies[link];
  Matrix3 Z = applied_matrix(elements, ws, link);
  for (std::size_t s = 0; s < elements.mechanism.sources.size(); ++s) {
    const RowSource& source = elements.mechanism.sources[s];
    if (source.link == static_cast<int>(link))
      Z += ws.motion.lambda[source.row] * source_matrix(elements, ws, s);
  }
  Z = transpose(x.R) * Z;
  Vector3 a = transpose_times(x.R, x.dw);
  if (has_full_inertia(elements, link)) {
    const Vector3 b =
        ws.motion.gyration[link] + Vector3{Z(2, 1) - Z(1, 2), Z(0, 2) - Z(2, 0), Z(1, 0) - Z(0, 1)};
    a = inverse(elements.mechanism.bodies[link].J_com_L) * b;
  }
  return symmetric_part(matrix_times(hat(a) + full(ws.stretch[link]), body.K) - Z);
}

ElementMultipliers report_multipliers(const ElementMechanism<double>& elements,
                                      const ElementWorkspace<double>& ws) {
  const Mechanism<double>& mechanism = elements.mechanism;
  ElementMultipliers report;
  report.Lambda.resize(elements.bodies.size());
  for (std::size_t i = 0; i < elements.bodies.size(); ++i)
    report.Lambda[mechanism.bodies[i].body] =
        full(rotate(elements.bodies[i].A0, calc_body_multiplier(elements, ws, i)));
  report.joint.resize(mechanism.loops.size());
  for (std::size_t l = 0; l < mechanism.loops.size(); ++l) {
    const int row = mechanism.loop_row0[l], count = 6 - mechanism.loops[l].shape.nv;
    for (int r = row; r < row + count; ++r)
      report.joint[mechanism.loops[l].joint].push_back(-ws.motion.lambda[r]);
  }
  return report;
}

void restore_rows(const ElementMechanism<double>& elements, ElementWorkspace<double>& ws) {
  MotionWorkspace<double>& m = ws.motion;
  const Mechanism<double>& mechanism = elements.mechanism;
  const int* active = m.mode.data() + mechanism.mode_count;
  for (std::size_t l = 0; l < mechanism.loops.size(); ++l) {
    const int row = mechanism.loop_row0[l];
    if (!info(mechanism.loops[l].shape.type).holds_point) continue;
    if (!(active[row] && active[row + 1] && active[row + 2])) continue;
    double* lambda = m.lambda.data() + row;
    const Vector3 along_P =
        transpose_times(m.loops[l].R_P, Vector3{lambda[0], lambda[1], lambda[2]});
    for (int k = 0; k < 3; ++k) lambda[k] = along_P[k];
  }
  if (!mechanism.rows.empty()) fill_constraints(mechanism, m);
}

bool has_full_inertia(const ElementMechanism<double>& elements, std::size_t link) {
  const Sym3<double>& K = elements.bodies[link].K;
  if (!(elements.mechanism.links[link].mass > 0)) return false;
  const double size = K.xx + K.yy + K.zz;
  const double b = K.yy * K.zz - K.yz * K.yz;
  const double det =
      K.xx * b - K.xy * (K.xy * K.zz - K.xz * K.yz) + K.xz * (K.xy * K.yz - K.xz * K.yy);
  return det > 1e-12 * size * size * size;
}

// ---------------------------------------------------------------------------------- in one step

OneStepElimination::OneStepElimination(const ElementMechanism<double>& elements)
    : elements_(elements) {
  const std::size_t links = elements.bodies.size(), sources = elements.mechanism.sources.size();
  for (const ElementBody<double>& body : elements.bodies) inverse_K_.push_back(inverse(body.K));
  Lambda_.resize(links);
  applied_.resize(links);
  sources_.resize(links);
  for (std::size_t s = 0; s < sources; ++s)
    if (const int link = elements.mechanism.sources[s].link; link != world)
      sources_[link].push_back(static_cast<int>(s));
  matrix_.resize(sources);
  response_.resize(sources);
  place_.resize(elements.mechanism.rows.size());
}

void OneStepElimination::operator()(double t, const double* x, double* rates,
                                    ElementWorkspace<double>& ws) {
  fill_element_kinematics(elements_, t, x, ws);
  fill_forces(elements_.mechanism, ws.motion);
  assemble(ws);
  Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> cholesky(G_);
  cholesky.solveInPlace(right_);
  finish(ws);
  const int n = elements_.size();
  std::copy(x + n, x + 2 * n, rates);
  write_element_accelerations(elements_, ws, rates);
}

// Equations, symmetric: basis : S = basis : H per body, and per row
//   sum over its sources of f . G'' + (R^T Z) : S  + rest = 0,     S = (R^T Z + Lambda) K^-1
// (in ws the rest has the part of H already).
void OneStepElimination::assemble(const ElementWorkspace<double>& ws) {
  const Mechanism<double>& mechanism = elements_.mechanism;
  const int links = static_cast<int>(elements_.bodies.size());
  int unknowns = 6 * links;
  const int* active = ws.motion.mode.data() + mechanism.mode_count;
  for (std::size_t r = 0; r < place_.size(); ++r) place_[r] = active[r] ? unknowns++ : -1;
  G_.setZero(unknowns, unknowns);
  right_.setZero(unknowns);
  for (std::size_t r = 0; r < place_.size(); ++r)
    if (place_[r] >= 0) right_[place_[r]] = -ws.motion.row_rest[r];
  for (std::size_t s = 0; s < mechanism.sources.size(); ++s) {
    const int at = place_[mechanism.sources[s].row];
    if (mechanism.sources[s].link == world && at >= 0)
      right_[at] += dot(ws.motion.source_f[s], ws.motion.gravity);
  }
  for (int i = 0; i < links; ++i) add_link(ws, i);
}

void OneStepElimination::add_link(const ElementWorkspace<double>& ws, std::size_t i) {
  const Sym3<double>& inverse_K = inverse_K_[i];
  const double inverse_mass = 1 / elements_.mechanism.links[i].mass;
  const Matrix3 to_link = transpose(ws.motion.links[i].R);
  applied_[i] = to_link * applied_matrix(elements_, ws, i);
  const Matrix3 free = matrix_times(applied_[i], inverse_K);
  Vector3 force;
  if (elements_.mechanism.has_forces) force = ws.motion.wrench_f[i];
  const int first = static_cast<int>(6 * i);
  const Matrix3 H = full(ws.stretch[i]);
  for (int k = 0; k < 6; ++k) {
    const Matrix3 response = matrix_times(basis(k), inverse_K);
    for (int j = 0; j < 6; ++j) G_(first + j, first + k) = contract(basis(j), response);
    right_[first + k] = contract(basis(k), H - free);
  }
  for (int s : sources_[i]) {
    const int at = place_[elements_.mechanism.sources[s].row];
    if (at < 0) continue;
    matrix_[s] = to_link * source_matrix(elements_, ws, s);
    response_[s] = matrix_times(matrix_[s], inverse_K);
    const Vector3& f = ws.motion.source_f[s];
    for (int k = 0; k < 6; ++k) {
      const double entry = contract(basis(k), response_[s]);
      G_(at, first + k) += entry;
      G_(first + k, at) += entry;
    }
    right_[at] -= inverse_mass * dot(f, force) + contract(matrix_[s], free - H);
    for (int r : sources_[i]) {
      const int other = place_[elements_.mechanism.sources[r].row];
      if (other < 0) continue;
      if (r > s) continue;
      const double entry =
          inverse_mass * dot(f, ws.motion.source_f[r]) + contract(matrix_[s], response_[r]);
      G_(at, other) += entry;
      if (r != s) G_(other, at) += entry;
    }
  }
}

// Accelerations of the links as the two steps leave them: dw is the antisymmetric part of S.
void OneStepElimination::finish(ElementWorkspace<double>& ws) {
  const Mechanism<double>& mechanism = elements_.mechanism;
  for (std::size_t r = 0; r < place_.size(); ++r)
    ws.motion.lambda[r] = place_[r] < 0 ? 0 : right_[place_[r]];
  for (std::size_t i = 0; i < elements_.bodies.size(); ++i) {
    const auto y = right_.segment(static_cast<Eigen::Index>(6 * i), 6);
    Lambda_[i] = {y[0], y[1], y[2], y[3], y[4], y[5]};
    Matrix3 Z = applied_[i] + full(Lambda_[i]);
    Vector3 force;
    if (mechanism.has_forces) force = ws.motion.wrench_f[i];
    for (int s : sources_[i]) {
      const double lambda = ws.motion.lambda[mechanism.sources[s].row];
      if (place_[mechanism.sources[s].row] < 0) continue;
      Z += lambda * matrix_[s];
      force += lambda * ws.motion.source_f[s];
    }
    const Matrix3 S = matrix_times(Z, inverse_K_[i]);
    LinkState<double>& link = ws.motion.links[i];
    link.dw = link.R * (0.5 * Vector3{S(2, 1) - S(1, 2), S(0, 2) - S(2, 0), S(1, 0) - S(0, 1)});
    link.du = (1 / mechanism.links[i].mass) * force;
  }
}

// ------------------------------------------------------------------------------------------ held

void calc_held_rates(const ElementMechanism<double>& elements, double t, const double* x,
                     std::span<const double> multipliers, double* rates,
                     ElementWorkspace<double>& ws) {
  const Mechanism<double>& mechanism = elements.mechanism;
  MotionWorkspace<double>& m = ws.motion;
  fill_element_kinematics(elements, t, x, ws);
  fill_forces(mechanism, m);
  m.failed = false;
  if (mechanism.has_friction) solve_with_friction(mechanism, m, &solve_absolute<double>);
  std::copy_n(multipliers.begin(), m.lambda.size(), m.lambda.begin());
  std::vector<Matrix3>& Z = ws.Z;
  std::vector<Vector3>& X = ws.X;
  Z.resize(elements.bodies.size());
  X.assign(elements.bodies.size(), {});
  const double* six = multipliers.data() + m.lambda.size();
  for (std::size_t i = 0; i < Z.size(); ++i, six += 6) {
    Z[i] = applied_matrix(elements, ws, i) +
           matrix_times(m.links[i].R, {six[0], six[1], six[2], six[3], six[4], six[5]});
    if (mechanism.has_forces) X[i] = m.wrench_f[i];
  }
  for (std::size_t s = 0; s < mechanism.sources.size(); ++s) {
    const RowSource& source = mechanism.sources[s];
    if (source.link == world) continue;
    Z[source.link] += m.lambda[source.row] * source_matrix(elements, ws, s);
    X[source.link] += m.lambda[source.row] * m.source_f[s];
  }
  const int n = elements.size();
  std::copy(x + n, x + 2 * n, rates);
  for (std::size_t i = 0; i < Z.size(); ++i) {
    write_link_acceleration(elements, i, matrix_times(Z[i], inverse(elements.bodies[i].K)),
                            (1 / mechanism.links[i].mass) * X[i] + m.gravity, rates);
  }
}

}  // namespace cartan::mechanics
