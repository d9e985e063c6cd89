// Friction and bearing loads of the naive reference.
#include <Eigen/Geometry>
#include <Eigen/QR>
#include <cmath>

#include "support/naive_forces.h"

namespace cartan::test {
namespace {

std::vector<double> numbers(const NaiveTree& tree, const Formula& f, int size) {
  return f.given() ? evaluate<double>(f, std::span<const double>(tree.parameters))
                   : std::vector<double>(size, 0.0);
}

}  // namespace

// -(coulomb + load + viscous |v| + quadratic v^2) sign v; a ball: along w/|w|.
std::vector<double> calc_naive_friction(const NaiveTree& tree, const NaiveState& state,
                                        const FrictionForce& f, double load) {
  const NaiveJoint& j = tree.joints[f.joint];
  const bool spherical = is_ball(j.type);
  const int size = spherical ? 1 : j.nv;
  const std::vector<double> coulomb = numbers(tree, f.coulomb, size),
                            viscous = numbers(tree, f.viscous, size),
                            quadratic = numbers(tree, f.quadratic, size);
  const double smoothing = f.smoothing.given() ? numbers(tree, f.smoothing, 1)[0] : 0;
  auto force = [&](int c, double speed) {  // speed >= 0
    const double sign = smoothing > 0 ? std::tanh(speed / smoothing) : 1;
    return (coulomb[c] + load + viscous[c] * speed + quadratic[c] * speed * speed) * sign;
  };
  std::vector<double> tau(j.nv);
  const double* v = state.v.data() + j.v0;
  const double w = spherical ? std::hypot(v[0], v[1], v[2]) : 0;
  for (int i = 0; i < j.nv; ++i)
    tau[i] = spherical ? -force(0, w) * v[i] / w : -std::copysign(force(i, std::fabs(v[i])), v[i]);
  return tau;
}

// Loads of least norm that balance the part of the wrench the joint does not yield to.
double calc_naive_bearing_load(const NaiveTree& tree, const FrictionForce& f, Vec3<double> force,
                               Vec3<double> torque) {
  const NaiveJoint& j = tree.joints[f.joint];
  const Vec3<double>& a = j.axis;
  const bool turns = j.type == JointType::revolute || j.type == JointType::cylindrical;
  const bool slides = j.type == JointType::prismatic || j.type == JointType::cylindrical;
  if (turns) torque -= dot(a, torque) * a;
  if (slides) force -= dot(a, force) * a;
  if (j.type == JointType::spherical) torque = {};
  if (j.type == JointType::screw) {
    const double pitch = j.sizes[0];
    const double share = (dot(a, torque) + pitch * dot(a, force)) / (1 + pitch * pitch);
    torque -= share * a;
    force -= share * pitch * a;
  }
  // one column per load component; groups of components whose norm counts
  struct Group {
    int first, size;
    double factor;
  };
  std::vector<Group> groups;
  std::vector<Eigen::Matrix<double, 6, 1>> columns;
  auto add = [&](const Vec3<double>& at, const Vec3<double>& d) {
    const Vec3<double> n = cross(at, d);
    columns.push_back({d.x, d.y, d.z, n.x, n.y, n.z});
  };
  for (const Bearing& b : f.bearings) {
    const Vec3<double> at = calc_vec3<double>(b.at, std::span<const double>(tree.parameters));
    const int first = static_cast<int>(columns.size());
    if (j.type == JointType::spherical) {
      for (int k = 0; k < 3; ++k) add(at, Vec3<double>(k == 0, k == 1, k == 2));
      groups.push_back({first, 3, numbers(tree, b.radial, 1)[0]});
      continue;
    }
    if (b.radial.given()) {
      // any two directions across the axis will do: only the norm counts
      const Eigen::Vector3d axis(a.x, a.y, a.z), d = axis.unitOrthogonal(), e = axis.cross(d);
      add(at, {d.x(), d.y(), d.z()});
      add(at, {e.x(), e.y(), e.z()});
      groups.push_back({first, 2, numbers(tree, b.radial, 1)[0]});
    }
    if (b.axial.given()) {
      groups.push_back({static_cast<int>(columns.size()), 1, numbers(tree, b.axial, 1)[0]});
      add(at, a);
    }
  }
  Eigen::MatrixXd A(6, columns.size());
  for (std::size_t k = 0; k < columns.size(); ++k) A.col(k) = columns[k];
  Eigen::Matrix<double, 6, 1> wrench;
  wrench << force.x, force.y, force.z, torque.x, torque.y, torque.z;
  const Eigen::VectorXd load = A.completeOrthogonalDecomposition().solve(wrench);
  double sum = 0;
  for (const Group& g : groups) sum += g.factor * load.segment(g.first, g.size).norm();
  return sum;
}

}  // namespace cartan::test
