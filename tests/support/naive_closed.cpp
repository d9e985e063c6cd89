#include "support/naive_closed.h"

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "support/naive_parts.h"

namespace cartan::test {

using namespace naive_parts;

namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using Wide = Eigen::Matrix<long double, -1, -1>;
using WideVector = Eigen::Matrix<long double, -1, 1>;
using Vector6d = Eigen::Matrix<double, 6, 1>;

constexpr double rank_tolerance = 1e-9;  // rows are known to about 1e-15

// J scaled = U S V^T
struct Decomposition {
  NaiveRank rank;
  Wide U, V, J;  // J scaled
  WideVector S;

  int r() const { return rank.rank; }
  WideVector pseudo_solve(const WideVector& b) const {  // least-norm x with J x = b
    return V.leftCols(r()) * (U.leftCols(r()).transpose() * b).cwiseQuotient(S.head(r()));
  }
  WideVector pseudo_solve_transposed(const WideVector& b) const {
    return U.leftCols(r()) * (V.leftCols(r()).transpose() * b).cwiseQuotient(S.head(r()));
  }
  double misfit(const WideVector& b) const {  // what is outside the range of J
    if (b.size() == 0) return 0;
    return static_cast<double>((b - U.leftCols(r()) * (U.leftCols(r()).transpose() * b)).norm());
  }
};

NaiveRank choose_scales(const NaiveTree& tree, const NaiveRows& rows, const MatrixXd& columns,
                        const MatrixXd& mass_matrix) {
  NaiveRank rank;
  rank.speed_scale = VectorXd::Ones(tree.nv);
  for (const NaiveJoint& j : tree.joints)
    for (int k = j.v0; !j.loop && k < j.v0 + j.nv; ++k)
      rank.speed_scale[k] = std::sqrt(mass_matrix(k, k));
  // sizes of the terms: through bodies, and directly on joint coordinates
  const MatrixXd through = rows.on_bodies.cwiseAbs() * columns.cwiseAbs();
  const MatrixXd direct = (rows.J - rows.on_bodies * columns).cwiseAbs();
  const VectorXd inverse = rank.speed_scale.cwiseInverse();
  rank.row_scale = ((through + direct) * inverse.asDiagonal()).rowwise().norm();
  // between things that do not move nothing but rounding is left
  double largest = inverse.size() > 0 ? inverse.maxCoeff() : 1;
  for (double x : rank.row_scale) largest = std::max(largest, x);
  rank.row_scale = rank.row_scale.cwiseMax(1e-6 * largest);
  for (int k : tree.loops) {
    const NaiveJoint& j = tree.joints[k];
    for (int i = j.v0; i < j.v0 + j.nv; ++i)
      rank.speed_scale[i] = rows.J.col(i).cwiseQuotient(rank.row_scale).norm();
  }
  return rank;
}

Decomposition decompose(const NaiveTree& tree, const NaiveRows& rows, const MatrixXd& columns,
                        const MatrixXd& mass_matrix) {
  Decomposition d;
  d.rank = choose_scales(tree, rows, columns, mass_matrix);
  d.J = d.rank.row_scale.cast<long double>().cwiseInverse().asDiagonal() *
        rows.J.cast<long double>() *
        d.rank.speed_scale.cast<long double>().cwiseInverse().asDiagonal();
  if (d.J.size() == 0) {
    d.U = Wide::Identity(d.J.rows(), d.J.rows());
    d.V = Wide::Identity(d.J.cols(), d.J.cols());
    return d;
  }
  const Eigen::JacobiSVD<Wide> svd(d.J, Eigen::ComputeFullU | Eigen::ComputeFullV);
  d.U = svd.matrixU(), d.V = svd.matrixV(), d.S = svd.singularValues();
  d.rank.singular_values = d.S.cast<double>();
  for (double s : d.rank.singular_values) {
    const double relative = s / std::max(1.0, d.rank.singular_values[0]);
    if (relative > rank_tolerance) {
      ++d.rank.rank;
      d.rank.smallest_kept = relative;
    } else {
      d.rank.largest_dropped = std::max(d.rank.largest_dropped, relative);
    }
  }
  return d;
}

double condition_number(const Decomposition& d, const Wide& M) {
  const int n = static_cast<int>(M.rows()), m = static_cast<int>(d.J.rows());
  if (n == 0) return 1;
  MatrixXd K = MatrixXd::Zero(n + m, n + m);
  K.topLeftCorner(n, n) = M.cast<double>();
  K.bottomLeftCorner(m, n) = d.J.cast<double>();
  K.topRightCorner(n, m) = d.J.cast<double>().transpose();
  VectorXd values =
      Eigen::SelfAdjointEigenSolver<MatrixXd>(K, Eigen::EigenvaluesOnly).eigenvalues().cwiseAbs();
  std::sort(values.begin(), values.end());
  return values[n + m - 1] / values[m - d.r()];  // one zero for each redundant row
}

// Velocity-dependent inertia forces and applied forces on each body: (torque, force), about centres
// of mass.
VectorXd body_forces(const NaiveForces& forces, const std::vector<Eigen::Matrix3d>& J,
                     const std::vector<NaiveBody>& bodies) {
  VectorXd f(6 * static_cast<int>(bodies.size()));
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Vector3d w = eigen(bodies[i].w);
    f.segment<3>(6 * i) = eigen(forces.torque[i]) - w.cross(J[i] * w);
    f.segment<3>(6 * i + 3) = eigen(forces.force[i]);
  }
  return f;
}
VectorXd inertia_times(const NaiveTree& tree, const std::vector<Eigen::Matrix3d>& J, VectorXd a) {
  for (std::size_t i = 0; i < J.size(); ++i) {
    a.segment<3>(6 * i) = J[i] * a.segment<3>(6 * i);
    a.segment<3>(6 * i + 3) *= tree.bodies[i].mass;
  }
  return a;
}
VectorXd accelerations(const std::vector<NaiveBody>& bodies) {
  VectorXd a(6 * static_cast<int>(bodies.size()));
  for (std::size_t i = 0; i < bodies.size(); ++i)
    a.segment<6>(6 * i) << eigen(bodies[i].alpha), eigen(bodies[i].com_acceleration);
  return a;
}

void add_friction(const NaiveTree& tree, const NaiveState& state, NaiveForces& forces) {
  for (std::size_t k = 0; k < tree.model->forces.size(); ++k) {
    const auto* f = std::get_if<FrictionForce>(&tree.model->forces[k].law);
    if (!f) continue;
    const NaiveJoint& j = tree.joints[f->joint];
    const std::vector<double> friction =
        calc_naive_friction(tree, state, *f, forces.elements[k].load);
    for (int i = 0; i < j.nv; ++i) {
      forces.tau[j.v0 + i] += friction[i];
      forces.elements[k].power += friction[i] * state.v[j.v0 + i];
    }
  }
}

// The joint through which each body hangs in the tree.
std::vector<int> carriers(const NaiveTree& tree) {
  std::vector<int> carrier(tree.bodies.size());
  for (int k : tree.order) carrier[tree.joints[k].outboard] = k;
  return carrier;
}

// The wrenches (torque about C's origin, force; on the child; world axes) of all joints that make
// up the given need of each body (torque about its centre of mass, force) besides what loop joints
// give
// (`loop`, six for each, C's axes): a joint of the tree feeds all bodies outboard of it.
std::vector<Vector6d> joint_wrenches(const NaiveTree& tree, const std::vector<NaiveBody>& bodies,
                                     const VectorXd& need, const VectorXd& loop) {
  const std::vector<int> carrier = carriers(tree);
  std::vector<Vector6d> wrench(tree.joints.size(), Vector6d::Zero());
  for (std::size_t i = 0; i < bodies.size(); ++i)
    for (int body = static_cast<int>(i); body != world; body = tree.joints[carrier[body]].inboard) {
      const NaiveJoint& j = tree.joints[carrier[body]];
      const Vector3d arm = eigen(bodies[i].com - naive_child_frame(j, bodies).p);
      const Vector3d torque = need.segment<3>(6 * i), force = need.segment<3>(6 * i + 3);
      Vector6d part;
      part << torque + arm.cross(force), force;
      wrench[carrier[body]] += j.reversed ? Vector6d(-part) : part;
    }
  for (std::size_t l = 0; l < tree.loops.size(); ++l) {
    const Eigen::Matrix3d R = eigen(naive_child_frame(tree.joints[tree.loops[l]], bodies).R);
    wrench[tree.loops[l]] << R * loop.segment<3>(6 * l), R * loop.segment<3>(6 * l + 3);
  }
  return wrench;
}

// Wrenches that a multiplier vector brings about when nothing else changes.
std::vector<Vector6d> multiplier_wrenches(const NaiveTree& tree, const NaiveClosedResult& result,
                                          const VectorXd& lambda) {
  return joint_wrenches(tree, result.bodies, -result.rows.on_bodies.transpose() * lambda,
                        lambda.head(6 * tree.loops.size()));
}

void find_unique_reactions(const NaiveTree& tree, const Decomposition& d,
                           NaiveClosedResult& result) {
  const int m = result.rows.count();
  // torques and forces, through a metre
  std::vector<double> changed(tree.joints.size(), 0.0);
  double largest = 0;
  for (int i = 0; i < m; ++i) {
    VectorXd one = VectorXd::Zero(m);
    one[i] = 1 / d.rank.row_scale[i];
    for (const Vector6d& w : multiplier_wrenches(tree, result, one))
      largest = std::max(largest, w.norm());
  }
  for (int i = d.r(); i < m; ++i) {
    const VectorXd null = d.U.col(i).cast<double>().cwiseQuotient(d.rank.row_scale);
    const std::vector<Vector6d> w = multiplier_wrenches(tree, result, null);
    for (std::size_t k = 0; k < w.size(); ++k) changed[k] = std::max(changed[k], w[k].norm());
  }
  for (double size : changed) result.unique.push_back(size <= 1e-9 * largest);
}

struct Solution {
  VectorXd vdot, lambda;
};

// Null-space method: v' = J^+ gamma + N z with N^T M N z = N^T (f - M J^+ gamma).
Solution solve(const Decomposition& d, const Wide& M, const WideVector& f, const VectorXd& gamma,
               NaiveClosedResult& result) {
  const VectorXd scaled = gamma.cwiseQuotient(d.rank.row_scale);
  const WideVector g = scaled.cast<long double>();
  result.acceleration_residual = d.misfit(g);
  WideVector x = d.pseudo_solve(g);
  const Wide N = d.V.rightCols(d.V.cols() - d.r());
  if (N.cols() > 0)
    x += N * (N.transpose() * M * N).eval().llt().solve((N.transpose() * (f - M * x)).eval());
  const WideVector lambda = d.pseudo_solve_transposed(M * x - f);
  result.multiplier_scale = lambda.size() ? static_cast<double>(lambda.cwiseAbs().maxCoeff()) : 0;
  return {x.cast<double>().cwiseQuotient(d.rank.speed_scale),
          lambda.cast<double>().cwiseQuotient(d.rank.row_scale)};
}

void read_counts(const NaiveTree& tree, NaiveClosedResult& result) {
  int loop_speeds = 0;
  for (int k : tree.loops) loop_speeds += tree.joints[k].nv;
  const int rank_on_tree = result.rank.rank - loop_speeds;
  result.dof = tree.nv - loop_speeds - rank_on_tree;
  result.redundant = result.rows.count() - result.rank.rank;
}

}  // namespace

NaiveClosedResult calc_naive_closed_dynamics(const NaiveTree& tree, const NaiveState& state) {
  NaiveClosedResult result;
  result.bodies = calc_naive_motion(tree, state.q, state.v);
  NaiveForces forces = calc_naive_forces(tree, state, result.bodies);
  add_friction(tree, state, forces);
  fill_columns(tree, state, result);
  const std::vector<Eigen::Matrix3d> J = world_inertias(tree, result.bodies);
  fill_mass_matrix(tree, J, result);
  result.rows = calc_naive_row_system(tree, state);
  const Decomposition d = decompose(tree, result.rows, result.columns, result.mass_matrix);
  result.rank = d.rank;
  read_counts(tree, result);
  const VectorXd v = Eigen::Map<const VectorXd>(state.v.data(), tree.nv);
  result.velocity_residual =
      d.misfit(result.rows.time_rate.cwiseQuotient(d.rank.row_scale).cast<long double>());

  // -c: applied forces less what the velocities alone ask for
  const VectorXd applied = body_forces(forces, J, result.bodies);
  const VectorXd bias = accelerations(result.bodies);
  const VectorXd f = result.columns.transpose() * (applied - inertia_times(tree, J, bias)) +
                     Eigen::Map<const VectorXd>(forces.tau.data(), tree.nv);
  const auto inverse = d.rank.speed_scale.cast<long double>().cwiseInverse().eval();
  const Wide M =
      inverse.asDiagonal() * result.mass_matrix.cast<long double>() * inverse.asDiagonal();
  const Solution s =
      solve(d, M, inverse.cwiseProduct(f.cast<long double>()), result.rows.gamma, result);
  result.kappa = condition_number(d, M);
  result.vdot = s.vdot;
  result.multipliers = s.lambda;

  const VectorXd a = result.columns * s.vdot + bias;
  for (std::size_t i = 0; i < result.bodies.size(); ++i) {
    result.bodies[i].alpha = vec3(a.segment<3>(6 * i));
    result.bodies[i].com_acceleration = vec3(a.segment<3>(6 * i + 3));
  }
  const VectorXd need =
      inertia_times(tree, J, a) - applied - result.rows.on_bodies.transpose() * s.lambda;
  for (const Vector6d& w :
       joint_wrenches(tree, result.bodies, need, s.lambda.head(6 * tree.loops.size())))
    result.reactions.push_back({vec3(w.tail<3>()), vec3(w.head<3>())});
  find_unique_reactions(tree, d, result);
  result.constraint_power = -s.lambda.dot(result.rows.time_rate);
  read_kinetic_rate(tree, state, J, forces, result);
  read_energies(forces, result);
  read_scales(tree, J, forces, result);
  result.power_scale += s.lambda.cwiseAbs().dot(result.rows.J.cwiseAbs() * v.cwiseAbs());
  return result;
}

void project_naive_speeds(const NaiveTree& tree, NaiveState& state) {
  NaiveResult motion;
  motion.bodies = calc_naive_motion(tree, state.q, state.v);
  fill_columns(tree, state, motion);
  fill_mass_matrix(tree, world_inertias(tree, motion.bodies), motion);
  NaiveRows rows = calc_naive_row_system(tree, state);
  const Decomposition d = decompose(tree, rows, motion.columns, motion.mass_matrix);
  for (int pass = 0; pass < 2; ++pass) {  // the second takes away what rounding left
    if (pass > 0) rows = calc_naive_row_system(tree, state);
    const VectorXd change =
        d.pseudo_solve(-rows.rate.cwiseQuotient(d.rank.row_scale).cast<long double>())
            .cast<double>()
            .cwiseQuotient(d.rank.speed_scale);
    for (int k = 0; k < tree.nv; ++k) state.v[k] += change[k];
  }
}

}  // namespace cartan::test
