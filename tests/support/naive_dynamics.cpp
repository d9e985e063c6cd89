#include "support/naive_dynamics.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace cartan {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

Vector3d eigen(const Vec3<double>& a) {
  return {a.x, a.y, a.z};
}
Vec3<double> vec3(const Eigen::Ref<const Vector3d>& a) {
  return {a.x(), a.y(), a.z()};
}
Eigen::Matrix3d eigen(const Mat3<double>& m) {
  Eigen::Matrix3d e;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) e(i, j) = m(i, j);
  return e;
}
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
    for (int i = 0; i < n; ++i) {
      const Eigen::Matrix3d R = eigen(r.bodies[i].X.R);
      J.push_back(R * eigen(full(t.bodies[i].inertia)) * R.transpose());
    }
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

void fill_columns(const NaiveTree& tree, const NaiveState& state, NaiveResult& result) {
  result.columns.setZero(6 * static_cast<int>(tree.bodies.size()), tree.nv);
  std::vector<double> unit(tree.nv, 0.0);
  for (int k = 0; k < tree.nv; ++k) {
    unit[k] = 1;
    const std::vector<NaiveBody> moved = calc_naive_motion(tree, state.q, unit);
    unit[k] = 0;
    for (std::size_t i = 0; i < moved.size(); ++i) {
      result.columns.block<3, 1>(6 * i, k) = eigen(moved[i].w);
      result.columns.block<3, 1>(6 * i + 3, k) = eigen(moved[i].com_velocity);
    }
  }
}

void fill_mass_matrix(const Assembly& assembly, NaiveResult& result) {
  result.mass_matrix.setZero(assembly.nv, assembly.nv);
  for (int i = 0; i < assembly.n; ++i) {
    const MatrixXd w = result.columns.middleRows(6 * i, 3),
                   x = result.columns.middleRows(6 * i + 3, 3);
    result.mass_matrix +=
        w.transpose() * assembly.J[i] * w + assembly.tree.bodies[i].mass * x.transpose() * x;
  }
}

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
      const std::vector<double> friction = calc_naive_friction(tree, assembly.state, *f, load[k]);
      forces.elements[k] = {};
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

void read_solution(const Assembly& assembly, const VectorXd& x, const NaiveForces& forces,
                   NaiveResult& result) {
  const NaiveTree& tree = assembly.tree;
  for (std::size_t k = 0; k < tree.joints.size(); ++k)
    result.reactions.push_back(assembly.child_wrench(x, static_cast<int>(k)));
  result.vdot = x.segment(assembly.speed(0), assembly.nv);
  for (int i = 0; i < assembly.n; ++i) {
    NaiveBody& b = result.bodies[i];
    b.alpha = vec3(x.segment<3>(6 * i));
    b.com_acceleration = vec3(x.segment<3>(6 * i + 3));
    const double turning = dot(b.w, vec3(assembly.J[i] * eigen(b.alpha)));
    const double moving = tree.bodies[i].mass * dot(b.com_velocity, b.com_acceleration);
    result.kinetic_rate += turning + moving;
    const double force = tree.bodies[i].mass * (norm(b.com_acceleration) + norm(forces.gravity));
    result.power_scale += norm(b.com_velocity) * force;
    result.power_scale += norm(b.w) * (assembly.J[i] * eigen(b.alpha)).norm();
  }
}

void read_energies(const NaiveForces& forces, NaiveResult& result) {
  result.kinetic = forces.kinetic;
  result.potential = forces.potential;
  result.potential_rate = forces.gravity_rate;
  result.nonconservative = forces.gravity_power;
  result.power_scale += std::fabs(forces.gravity_rate) + std::fabs(forces.gravity_power);
  result.elements = forces.elements;
  for (const NaiveEnergy& e : forces.elements) {
    result.potential_rate += e.potential_rate;
    result.nonconservative += e.power;
    result.power_scale += std::fabs(e.potential_rate) + std::fabs(e.power);
  }
}

void read_scales(const Assembly& assembly, const NaiveForces& forces, NaiveResult& result) {
  result.length_scale = 1;
  result.applied_scale = Eigen::Map<const VectorXd>(forces.tau.data(), assembly.nv).cwiseAbs();
  for (int i = 0; i < assembly.n; ++i) {
    const NaiveBody& b = result.bodies[i];
    const double m = assembly.tree.bodies[i].mass;
    result.length_scale = std::max({result.length_scale, norm(b.com), norm(b.X.p)});
    result.speed_scale = std::max(result.speed_scale, norm(b.origin_velocity));
    result.potential_scale += std::fabs(m * dot(forces.gravity, b.com));
    // what columns project: external forces and the rate of momentum
    const Vector3d w = eigen(b.w), turning = assembly.J[i] * eigen(b.alpha);
    Eigen::Matrix<double, 6, 1> size;
    size << eigen(forces.torque[i]).cwiseAbs() + w.cross(assembly.J[i] * w).cwiseAbs() +
                turning.cwiseAbs(),
        eigen(forces.force[i]).cwiseAbs() + m * eigen(b.com_acceleration).cwiseAbs();
    result.applied_scale += result.columns.middleRows(6 * i, 6).cwiseAbs().transpose() * size;
  }
  for (const NaiveEnergy& e : forces.elements) result.potential_scale += std::fabs(e.potential);
  for (const NaiveWrench& w : result.reactions) {
    result.force_scale = std::max(result.force_scale, norm(w.force));
    result.torque_scale = std::max(result.torque_scale, norm(w.torque));
  }
  for (const Vec3<double>& f : forces.force)
    result.force_scale = std::max(result.force_scale, norm(f));
  for (const Vec3<double>& n : forces.torque)
    result.torque_scale = std::max(result.torque_scale, norm(n));
}

}  // namespace

NaiveResult calc_naive_dynamics(const NaiveTree& tree, const NaiveState& state) {
  NaiveResult result;
  result.bodies = calc_naive_motion(tree, state.q, state.v);
  NaiveForces forces = calc_naive_forces(tree, state, result.bodies);
  fill_columns(tree, state, result);
  const Assembly assembly(tree, state, result);
  fill_mass_matrix(assembly, result);
  const VectorXd x = solve_with_friction(assembly, forces, result);
  read_solution(assembly, x, forces, result);
  read_energies(forces, result);
  read_scales(assembly, forces, result);
  return result;
}

}  // namespace cartan
