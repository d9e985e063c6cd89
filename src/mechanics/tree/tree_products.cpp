// Products of the Jacobian of a mechanism with vectors, and the matrix of its second-order form.
#include <algorithm>

#include "mechanics/tree/recursive.h"
#include "mechanics/tree/slopes/kinematic_slopes.h"
#include "mechanics/tree/tree_system_class.h"

namespace cartan::mechanics {

// Where dual numbers have the Jacobian, products are with it.
void TreeSystem::multiply_with_matrix(StateView at, std::span<const double> by, bool transposed,
                                      std::span<double> result, Workspace& workspace) const {
  TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
  const int n = static_cast<int>(at.x.size());
  w.product_matrix.resize(n, n);
  jacobian(at, w.product_matrix, workspace);
  const Eigen::Map<const Eigen::VectorXd> from(by.data(), n);
  Eigen::Map<Eigen::VectorXd> to(result.data(), n);
  if (transposed)
    to.noalias() = w.product_matrix.transpose() * from;
  else
    to.noalias() = w.product_matrix * from;
}

MotionProducts& TreeSystem::begin_products(StateView at, TreeWorkspace& w) const {
  solve_at(at, w.motion);
  if (!w.products) {
    w.products = std::make_unique<MotionProducts>(mechanism_, dual_mechanism_, *slope_plan_);
    w.displacement.resize(mechanism_.nv);
  }
  w.products->begin(w.motion, dual_of(w));
  return *w.products;
}

void TreeSystem::jvp(StateView at, std::span<const double> u, std::span<double> result,
                     Workspace& workspace) const {
  TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
  if (!products_apply(at.mode, w)) return multiply_with_matrix(at, u, false, result, workspace);
  MotionProducts& products = begin_products(at, w);
  const int nq = mechanism_.nq;
  for (const Link<double>& link : mechanism_.links)
    calc_displacement(link, at.x.data() + link.q0, u.data() + link.q0,
                      w.displacement.data() + link.v0);
  products.multiply(w.displacement, u, result.subspan(nq));
  if (!keep_digits(products.lost_factor(), w))
    return multiply_with_matrix(at, u, false, result, workspace);
  for (const Link<double>& link : mechanism_.links) {
    const double *dq = u.data() + link.q0, *dv = u.data() + nq + link.v0;
    double* const rate = result.data() + link.q0;
    std::fill_n(rate, link.nq, 0.0);
    list_kinematic_slopes(
        link, at.x.data() + link.q0, at.x.data() + nq + link.v0,
        [&](int i, int j, double value) { rate[i] += value * dq[j]; },
        [&](int i, int j, double value) { rate[i] += value * dv[j]; });
  }
}

void TreeSystem::vjp(StateView at, std::span<const double> weights, std::span<double> result,
                     Workspace& workspace) const {
  TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
  if (!products_apply(at.mode, w))
    return multiply_with_matrix(at, weights, true, result, workspace);
  MotionProducts& products = begin_products(at, w);
  const int nq = mechanism_.nq;
  std::fill(result.begin(), result.end(), 0.0);
  std::fill(w.displacement.begin(), w.displacement.end(), 0.0);
  products.multiply_transposed(weights.subspan(nq), w.displacement, result);
  if (!keep_digits(products.lost_factor(), w))
    return multiply_with_matrix(at, weights, true, result, workspace);
  for (const Link<double>& link : mechanism_.links) {
    const double *q = at.x.data() + link.q0, *weight = weights.data() + link.q0;
    double *const to_q = result.data() + link.q0, *const to_v = result.data() + nq + link.v0;
    add_transposed_displacement(link, q, w.displacement.data() + link.v0, to_q);
    list_kinematic_slopes(
        link, q, at.x.data() + nq + link.v0,
        [&](int k, int j, double value) { to_q[j] += value * weight[k]; },
        [&](int k, int j, double value) { to_v[j] += value * weight[k]; });
  }
}

// The tangent displacement of a joint from a change of its embedded numbers.
void TreeSystem::calc_displacement(const Link<double>& link, const double* q, const double* dq,
                                   double* change) {
  if (!has_quaternion(link)) {
    std::copy_n(dq, link.nv, change);
    return;
  }
  const Quat<double> u = quaternion_at(q), du = quaternion_at(dq);
  const Quat<double> turn = conjugate(u) * du;
  const double scale = 2 / norm2(u);
  change[0] = scale * turn.x, change[1] = scale * turn.y, change[2] = scale * turn.z;
  if (!has_place(link)) return;
  const Vec3<double> slide = transpose_times(rotation_matrix(u), Vec3<double>{dq[4], dq[5], dq[6]});
  for (int k = 0; k < 3; ++k) change[3 + k] = slide[k];
}

// Its transpose: g . (w dv - dw v - v x dv), R g.
void TreeSystem::add_transposed_displacement(const Link<double>& link, const double* q,
                                             const double* change, double* dq) {
  if (!has_quaternion(link)) {
    for (int k = 0; k < link.nv; ++k) dq[k] += change[k];
    return;
  }
  const Quat<double> u = quaternion_at(q);
  const Vec3<double> g = (2 / norm2(u)) * Vec3<double>{change[0], change[1], change[2]};
  const Vec3<double> v = u.vector(), rest = u.w * g - cross(g, v);
  dq[0] -= dot(g, v);
  for (int k = 0; k < 3; ++k) dq[1 + k] += rest[k];
  if (!has_place(link)) return;
  const Vec3<double> slide = rotation_matrix(u) * Vec3<double>{change[3], change[4], change[5]};
  for (int k = 0; k < 3; ++k) dq[4 + k] += slide[k];
}

// v_scale dID/dv + q_scale dID/dq T, T block-diagonal by joints; null: identity.
void TreeSystem::fill_force_matrix(const MotionSlopes& slopes, const MotionDirections& directions,
                                   Eigen::Ref<Eigen::MatrixXd> result) const {
  const SlopePlan& plan = *slope_plan_;
  const TurnBlocks* T = directions.turn;
  for (int i = 0; i < plan.nv; ++i)
    for (const SlopeLink& at : plan.links)
      for (int k = at.p0; k < at.p0 + at.nv; ++k) {
        const int column = plan.speed[k];
        double by_q = T ? 0 : slopes.value(i, SlopePlan::by_q(k));
        if (T)
          for (int l = at.p0; l < at.p0 + at.nv; ++l)
            by_q += slopes.value(i, SlopePlan::by_q(l)) * (*T)(plan.speed[l], column);
        result(plan.speed[i], column) =
            directions.v_scale * slopes.value(i, SlopePlan::by_v(k)) + directions.q_scale * by_q;
      }
}

// Without constraints and bearings the unknowns are the accelerations alone.
bool TreeSystem::fill_residual_matrix(const MotionPoint& at, const MotionDirections& directions,
                                      Eigen::Ref<Eigen::MatrixXd> result,
                                      Workspace& workspace) const {
  if (!slope_plan_ || !mechanism_.rows.empty() || mechanism_.nv == 0) return false;
  TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
  w.residual.resize(mechanism_.nv);
  calc_motion_residual<double>(mechanism_,
                               {at.t, at.q.data(), at.v.data(), at.a.data(), at.lambda.data()},
                               at.mode, w.residual.data(), w.motion);
  make_slopes_in(w);
  w.slopes->fill_forces(w.motion, dual_of(w));
  fill_force_matrix(*w.slopes, directions, result);
  // M + v_scale dID/dv + q_scale dID/dq T
  const int nv = mechanism_.nv;
  w.mass.resize(static_cast<std::size_t>(nv) * nv);
  calc_mass_matrix<double>(mechanism_, w.motion, w.mass);
  result += Eigen::Map<const Eigen::MatrixXd>(w.mass.data(), nv, nv);
  if (w.motion.any_locked)
    for (int j = 0; j < mechanism_.nv; ++j)
      if (w.motion.locked[j]) {
        result.row(j).setZero();
        result(j, j) = 1;
      }
  return true;
}

}  // namespace cartan::mechanics
