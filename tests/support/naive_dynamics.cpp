#include "support/naive_dynamics.h"

#include <algorithm>
#include <cmath>

#include "support/naive_parts.h"

namespace cartan::test {

using namespace naive_parts;

namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

Eigen::Matrix3d hat_matrix(const Vec3<double>& a) {
  return eigen(hat(a));
}

// A dense system solved to the accuracy of its data: LU, then residuals in extended precision.
class RefinedSolver {
 public:
  explicit RefinedSolver(const MatrixXd& A) {
    rows_ = A.rowwise().lpNorm<Eigen::Infinity>().cwiseInverse();
    scaled_ = rows_.asDiagonal() * A;
    columns_ = scaled_.colwise().lpNorm<Eigen::Infinity>().transpose().cwiseInverse();
    scaled_ = scaled_ * columns_.asDiagonal();
    lu_.compute(scaled_);
    wide_ = scaled_.cast<long double>();
  }
  VectorXd solve(const VectorXd& b) const {
    const VectorXd rhs = rows_.cwiseProduct(b);
    VectorXd x = lu_.solve(rhs);
    for (int k = 0; k < 3; ++k) {
      const Eigen::Matrix<long double, -1, 1> r =
          rhs.cast<long double>() - wide_ * x.cast<long double>();
      x += lu_.solve(r.cast<double>());
    }
    return columns_.cwiseProduct(x);
  }

 private:
  MatrixXd scaled_;
  Eigen::Matrix<long double, -1, -1> wide_;
  VectorXd rows_, columns_;
  Eigen::PartialPivLU<MatrixXd> lu_;
};

struct Assembly {
  const NaiveTree& tree;
  const NaiveState& state;
  NaiveResult& result;
  int n, nv;
  std::vector<Eigen::Matrix3d> J;  // world axes, about the centres of mass
  std::vector<Vec3<double>> o;     // per joint: origin of C

  Assembly(const NaiveTree& t, const NaiveState& s, NaiveResult& r)
      : tree(t), state(s), result(r), n(static_cast<int>(t.bodies.size())), nv(t.nv) {
    J = world_inertias(t, r.bodies);
    for (const NaiveJoint& j : t.joints) o.push_back(naive_child_frame(j, r.bodies).p);
  }

  int acceleration(int body) const { return 6 * body; }
  int speed(int k) const { return 6 * n + k; }
  int wrench(int joint) const { return 6 * n + nv + 6 * joint; }
  int size() const { return 12 * n + nv; }

  // Motion of the outboard side relative to the inboard one at o, for a unit speed k.
  Eigen::Matrix<double, 6, 1> relative_column(int joint, int k) const {
    const NaiveJoint& j = tree.joints[joint];
    auto at = [&](int body) -> Eigen::Matrix<double, 6, 1> {
      Eigen::Matrix<double, 6, 1> c;
      c.setZero();
      if (body == world) return c;
      const Vector3d w = result.columns.block<3, 1>(6 * body, k);
      c << w, result.columns.block<3, 1>(6 * body + 3, k) +
                  w.cross(eigen(o[joint] - result.bodies[body].com));
      return c;
    };
    return at(j.outboard) - at(j.inboard);
  }

  MatrixXd make_matrix() const {
    MatrixXd A = MatrixXd::Zero(size(), size());
    for (int i = 0; i < n; ++i) {
      const int a = acceleration(i);
      A.block<3, 3>(a, a) = J[i];
      A.block<3, 3>(a + 3, a + 3).diagonal().setConstant(tree.bodies[i].mass);
      const int row = 6 * n + 6 * i;
      A.block<6, 6>(row, a).setIdentity();
      A.block(row, speed(0), 6, nv) = -result.columns.middleRows(6 * i, 6);
    }
    for (std::size_t k = 0; k < tree.joints.size(); ++k) {
      const NaiveJoint& j = tree.joints[k];
      const int w = wrench(static_cast<int>(k));
      auto act = [&](int body, double sign) {  // torque about the centre of mass, force
        if (body == world) return;
        const int row = acceleration(body);
        A.block<3, 3>(row, w) -= sign * Eigen::Matrix3d::Identity();
        A.block<3, 3>(row, w + 3) -= sign * hat_matrix(o[k] - result.bodies[body].com);
        A.block<3, 3>(row + 3, w + 3) -= sign * Eigen::Matrix3d::Identity();
      };
      act(j.outboard, 1);
      act(j.inboard, -1);
      for (int i = 0; i < j.nv; ++i)
        A.block<1, 6>(12 * n + j.v0 + i, w) =
            relative_column(static_cast<int>(k), j.v0 + i).transpose();
      // a rotor takes its part of the generalised force
      for (int i = j.v0; i < j.v0 + j.nv; ++i) A(12 * n + i, speed(i)) += tree.rotor[i];
    }
    return A;
  }

  VectorXd make_rhs(const NaiveForces& forces, const std::vector<double>& tau) const {
    VectorXd b = VectorXd::Zero(size());
    for (int i = 0; i < n; ++i) {
      const NaiveBody& body = result.bodies[i];
      const Vector3d w = eigen(body.w);
      b.segment<3>(6 * i) = eigen(forces.torque[i]) - w.cross(J[i] * w);
      b.segment<3>(6 * i + 3) = eigen(forces.force[i]);
      b.segment<3>(6 * n + 6 * i) = eigen(body.alpha);
      b.segment<3>(6 * n + 6 * i + 3) = eigen(body.com_acceleration);
    }
    for (int k = 0; k < nv; ++k) b[12 * n + k] = tau[k];
    return b;
  }

  NaiveWrench child_wrench(const VectorXd& x, int joint) const {
    const double sign = tree.joints[joint].reversed ? -1 : 1;
    return {sign * vec3(x.segment<3>(wrench(joint) + 3)), sign * vec3(x.segment<3>(wrench(joint)))};
  }
};

// The solution with friction: bearing loads by fixed-point iteration, each from the last reactions.
VectorXd solve_with_friction(const Assembly& assembly, NaiveForces& forces, NaiveResult& result) {
  const NaiveTree& tree = assembly.tree;
  const RefinedSolver solver(assembly.make_matrix());
  std::vector<double> load(tree.model->forces.size(), 0.0);
  VectorXd x;
  for (int iteration = 0; iteration < 500; ++iteration) {
    std::vector<double> tau = forces.tau;
    for (std::size_t k = 0; k < load.size(); ++k) {
      const auto* f = std::get_if<FrictionForce>(&tree.model->forces[k].law);
      if (!f) continue;
      const NaiveJoint& j = tree.joints[f->joint];
      const std::vector<double> friction =
          calc_naive_friction(tree, assembly.state, *f, load[k] + forces.elements[k].load);
      forces.elements[k].power = 0;
      for (int i = 0; i < j.nv; ++i) {
        tau[j.v0 + i] += friction[i];
        forces.elements[k].power += friction[i] * assembly.state.v[j.v0 + i];
      }
    }
    x = solver.solve(assembly.make_rhs(forces, tau));
    double change = 0;
    for (std::size_t k = 0; k < load.size(); ++k) {
      const auto* f = std::get_if<FrictionForce>(&tree.model->forces[k].law);
      if (!f || f->bearings.empty()) continue;
      const NaiveJoint& j = tree.joints[f->joint];
      const Mat3<double> R = naive_child_frame(j, result.bodies).R;
      const NaiveWrench w = assembly.child_wrench(x, f->joint);
      const double next = calc_naive_bearing_load(tree, *f, transpose_times(R, w.force),
                                                  transpose_times(R, w.torque));
      change = std::max(change, std::fabs(next - load[k]) / (1 + next));
      load[k] = next;
    }
    if (change < 4e-16) return x;
  }
  result.converged = false;
  return x;
}

void read_solution(const Assembly& assembly, const VectorXd& x, NaiveResult& result) {
  for (std::size_t k = 0; k < assembly.tree.joints.size(); ++k)
    result.reactions.push_back(assembly.child_wrench(x, static_cast<int>(k)));
  result.vdot = x.segment(assembly.speed(0), assembly.nv);
  for (int i = 0; i < assembly.n; ++i) {
    result.bodies[i].alpha = vec3(x.segment<3>(6 * i));
    result.bodies[i].com_acceleration = vec3(x.segment<3>(6 * i + 3));
  }
}

}  // namespace

NaiveResult calc_naive_dynamics(const NaiveTree& tree, const NaiveState& state) {
  NaiveResult result;
  result.bodies = calc_naive_motion(tree, state.q, state.v);
  NaiveForces forces = calc_naive_forces(tree, state, result.bodies);
  fill_columns(tree, state, result);
  const Assembly assembly(tree, state, result);
  fill_mass_matrix(tree, assembly.J, result);
  const VectorXd x = solve_with_friction(assembly, forces, result);
  read_solution(assembly, x, result);
  read_kinetic_rate(tree, state, assembly.J, forces, result);
  read_energies(forces, result);
  read_scales(tree, assembly.J, forces, result);
  return result;
}

}  // namespace cartan::test
