// Products of the Jacobian of a mechanism with vectors, and the matrix of its second-order form.
#include <algorithm>

#include "mechanics/tree/recursive.h"
#include "mechanics/tree/slopes/kinematic_slopes.h"
#include "mechanics/tree/tree_system_class.h"

namespace cartan::mechanics {

// The Jacobian where forces, constraints or variables are in the way.
void TreeSystem::jvp(StateView at, std::span<const double> u, std::span<double> result,
                     Workspace& workspace) const {
  TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
  const int n = static_cast<int>(at.x.size());
  if (!products_apply(at.mode)) {
    w.product_matrix.resize(n, n);
    jacobian(at, w.product_matrix, workspace);
    Eigen::Map<Eigen::VectorXd>(result.data(), n).noalias() =
        w.product_matrix * Eigen::Map<const Eigen::VectorXd>(u.data(), n);
    return;
  }
  begin_products(at, w);
  const int nq = mechanism_.nq, nv = mechanism_.nv;
  const std::span<double> dq = w.product_numbers(0, nv), dv = w.product_numbers(1, nv),
                          rates = w.product_numbers(2, nv);
  for (const Link<double>& link : mechanism_.links) {
    double change[6];
    calc_displacement(link, at.x.data() + link.q0, u.data() + link.q0, change);
    for (int k = 0; k < link.nv; ++k) {
      const int place = slope_plan_->place[link.v0 + k];
      dq[place] = change[k];
      dv[place] = u[nq + link.v0 + k];
    }
  }
  w.link_slopes->multiply(dq, dv, rates);
  for (int p = 0; p < nv; ++p) result[nq + slope_plan_->speed[p]] = rates[p];
  for (int i = nq + nv; i < n; ++i) result[i] = 0;
  for (const Link<double>& link : mechanism_.links) {
    const double *dq_in = u.data() + link.q0, *dv_in = u.data() + nq + link.v0;
    double* const rate = result.data() + link.q0;
    std::fill_n(rate, link.nq, 0.0);
    list_kinematic_slopes(
        link, at.x.data() + link.q0, at.x.data() + nq + link.v0,
        [&](int i, int j, double value) { rate[i] += value * dq_in[j]; },
        [&](int i, int j, double value) { rate[i] += value * dv_in[j]; });
  }
}

void TreeSystem::vjp(StateView at, std::span<const double> weights, std::span<double> result,
                     Workspace& workspace) const {
  TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
  const int n = static_cast<int>(at.x.size());
  if (!products_apply(at.mode)) {
    w.product_matrix.resize(n, n);
    jacobian(at, w.product_matrix, workspace);
    Eigen::Map<Eigen::VectorXd>(result.data(), n).noalias() =
        w.product_matrix.transpose() * Eigen::Map<const Eigen::VectorXd>(weights.data(), n);
    return;
  }
  begin_products(at, w);
  const int nq = mechanism_.nq, nv = mechanism_.nv;
  const std::span<double> by_q = w.product_numbers(0, nv), by_v = w.product_numbers(1, nv),
                          of_rates = w.product_numbers(2, nv);
  for (int p = 0; p < nv; ++p) of_rates[p] = weights[nq + slope_plan_->speed[p]];
  w.link_slopes->multiply_transposed(of_rates, by_q, by_v);
  std::fill(result.begin(), result.end(), 0.0);
  for (std::size_t i = 0; i < mechanism_.links.size(); ++i) {
    const Link<double>& link = mechanism_.links[i];
    const int p0 = slope_plan_->links[slope_plan_->position[i]].p0;
    const double *q = at.x.data() + link.q0, *weight = weights.data() + link.q0;
    double *const to_q = result.data() + link.q0, *const to_v = result.data() + nq + link.v0;
    for (int k = 0; k < link.nv; ++k) to_v[k] += by_v[p0 + k];
    add_transposed_displacement(link, q, by_q.data() + p0, to_q);
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

void TreeSystem::begin_products(StateView at, TreeWorkspace& w) const {
  solve_at(at, w.motion);
  if (!w.link_slopes)
    w.link_slopes = std::make_unique<LinkSlopes>(mechanism_, dual_mechanism_, *slope_plan_);
  w.link_slopes->fill(w.motion, LinkSlopes::Held::as_it_is);
}

bool TreeSystem::products_apply(std::span<const int> mode) const {
  return slopes_apply(mode) && slope_plan_->laws.empty() && slope_plan_->drives.empty() &&
         mechanism_.nz == 0 && mechanism_.rows.empty();
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
        double by_q = T ? 0 : slopes.value(i, k);
        if (T)
          for (int l = at.p0; l < at.p0 + at.nv; ++l)
            by_q += slopes.value(i, l) * (*T)(plan.speed[l], column);
        result(plan.speed[i], column) =
            directions.v_scale * slopes.value(i, plan.by_v() + k) + directions.q_scale * by_q;
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
