#include "support/naive_motion.h"

namespace cartan::test {
namespace {

Vec3<double> unit(const Vec3<double>& a) {
  return (1 / norm(a)) * a;
}

Pose<double> frame_of(const Placement& placement, std::span<const double> parameters) {
  return {calc_rotation<double>(placement.rotate, parameters),
          calc_vec3<double>(placement.at, parameters)};
}

NaiveJoint make_joint(const Joint& joint, std::span<const double> parameters) {
  NaiveJoint j;
  j.type = joint.type;
  j.parent = joint.parent.body;
  j.child = joint.child.body;
  j.X_parent = frame_of(joint.parent, parameters);
  j.X_child = frame_of(joint.child, parameters);
  j.nq = joint.nq();
  j.nv = joint.nv();
  if (joint.axes.given()) {
    const std::vector<double> a = evaluate<double>(joint.axes, parameters);
    j.axis = unit({a[0], a[1], a[2]});
    if (a.size() == 6) j.axis2 = unit({a[3], a[4], a[5]});
  }
  if (joint.sizes.given()) j.sizes = evaluate<double>(joint.sizes, parameters);
  return j;
}

// The coordinates of a joint as paths with speeds v and v' = 0.
//   plain:      q(t) = q + v t
//   quaternion: u' = 1/2 u (0, w), u'' = 1/2 u' (0, w)
//   free:       p' = R(u) v, p'' = R' v
void fill_paths(const NaiveJoint& j, const double* q, const double* v, Jet* path) {
  if (!has_quaternion(j.type)) {
    for (int k = 0; k < j.nq; ++k) path[k] = Jet(q[k], v[k], 0);
    return;
  }
  const Quat<double> w(0, v[0], v[1], v[2]), u(q[0], q[1], q[2], q[3]);
  const Quat<double> du = 0.5 * (u * w), ddu = 0.5 * (du * w);
  path[0] = Jet(u.w, du.w, ddu.w);
  path[1] = Jet(u.x, du.x, ddu.x);
  path[2] = Jet(u.y, du.y, ddu.y);
  path[3] = Jet(u.z, du.z, ddu.z);
  if (j.type != JointType::free) return;
  const Mat3<Jet> R = rotation_matrix(Quat<Jet>(path[0], path[1], path[2], path[3]));
  const Vec3<double> linear{v[3], v[4], v[5]};
  const Vec3<double> dp = value(R) * linear, ddp = rate(R) * linear;
  for (int k = 0; k < 3; ++k) path[4 + k] = Jet(q[4 + k], dp[k], ddp[k]);
}

// Rodrigues: cos 1 + sin hat(a) + (1 - cos) a a^T
Mat3<Jet> turn(const Vec3<double>& axis, const Jet& angle) {
  const Vec3<Jet> a(axis);
  const Jet c = cos(angle), s = sin(angle);
  return c * Mat3<Jet>::identity() + s * hat(a) + (Jet(1) - c) * outer(a, a);
}

Pose<Jet> lifted(const Pose<double>& X) {
  return {Mat3<Jet>(X.R), Vec3<Jet>(X.p)};
}

// hat(w) = R' R^T and its derivative
NaiveBody read_body(const Pose<Jet>& X, const Vec3<double>& com) {
  NaiveBody b;
  const Mat3<double> R = value(X.R), Rd = rate(X.R), Rdd = second(X.R);
  b.X = {R, value(X.p)};
  b.w = skew_part(Rd * transpose(R));
  b.alpha = skew_part(Rdd * transpose(R) + Rd * transpose(Rd));
  b.origin_velocity = rate(X.p);
  const Vec3<Jet> x = X * Vec3<Jet>(com);
  b.com = value(x);
  b.com_velocity = rate(x);
  b.com_acceleration = second(x);
  return b;
}

}  // namespace

// X_PC of the contract's table.
Pose<Jet> calc_naive_joint_pose(const NaiveJoint& j, const Jet* q) {
  const Vec3<Jet> axis(j.axis);
  Pose<Jet> X;
  switch (j.type) {
    case JointType::fixed:
      break;
    case JointType::revolute:
      X.R = turn(j.axis, q[0]);
      break;
    case JointType::prismatic:
      X.p = q[0] * axis;
      break;
    case JointType::screw:
      X.R = turn(j.axis, q[0]);
      X.p = (Jet(j.sizes[0]) * q[0]) * axis;
      break;
    case JointType::cylindrical:
      X.R = turn(j.axis, q[0]);
      X.p = q[1] * axis;
      break;
    case JointType::universal:
      X.R = turn(j.axis, q[0]) * turn(j.axis2, q[1]);
      break;
    case JointType::planar: {
      const Vec3<double>& n = j.axis;
      const Vec3<double> start =
          std::fabs(n.x) > 0.9 ? Vec3<double>{0, 1, 0} : Vec3<double>{1, 0, 0};
      const Vec3<double> e1 = unit(start - dot(start, n) * n), e2 = cross(n, e1);
      X.R = turn(n, q[2]);
      X.p = q[0] * Vec3<Jet>(e1) + q[1] * Vec3<Jet>(e2);
      break;
    }
    case JointType::spherical:
      X.R = rotation_matrix(Quat<Jet>(q[0], q[1], q[2], q[3]));
      break;
    case JointType::ellipsoidal:
      X.R = rotation_matrix(Quat<Jet>(q[0], q[1], q[2], q[3]));
      for (int k = 0; k < 3; ++k) X.p[k] = Jet(j.sizes[k]) * X.R(k, 2);
      break;
    case JointType::translation:
      X.p = {q[0], q[1], q[2]};
      break;
    case JointType::free:
      X.R = rotation_matrix(Quat<Jet>(q[0], q[1], q[2], q[3]));
      X.p = {q[4], q[5], q[6]};
      break;
  }
  return X;
}

NaiveTree make_naive_tree(const Model& model, std::span<const double> parameters) {
  NaiveTree tree;
  tree.model = &model;
  tree.parameters.assign(parameters.begin(), parameters.end());
  for (const Joint& joint : model.joints) {
    NaiveJoint j = make_joint(joint, parameters);
    j.q0 = tree.nq;
    j.v0 = tree.nv;
    tree.nq += j.nq;
    tree.nv += j.nv;
    tree.rotor.resize(tree.nv, 0.0);
    if (joint.inertia.given()) {
      const std::vector<double> inertia = evaluate<double>(joint.inertia, parameters);
      std::copy(inertia.begin(), inertia.end(), tree.rotor.begin() + j.v0);
    }
    tree.joints.push_back(j);
  }
  for (const Variable& variable : model.variables)
    tree.variables.push_back(evaluate<double>(variable.initial, parameters)[0]);
  for (const Body& body : model.bodies)
    tree.bodies.push_back(calc_mass_properties<double>(body, parameters));
  tree.loops = model.loop_joints;
  for (int k : tree.loops) tree.joints[k].loop = true;
  // Which side is nearer to the world: walk outward until all bodies are reached.
  std::vector<bool> reached(model.bodies.size(), false), used(model.joints.size(), false);
  auto is_reached = [&](int body) { return body == world || reached[body]; };
  for (std::size_t round = 0; round < model.bodies.size(); ++round)
    for (std::size_t k = 0; k < tree.joints.size(); ++k) {
      NaiveJoint& j = tree.joints[k];
      if (j.loop || used[k] || is_reached(j.parent) == is_reached(j.child)) continue;
      j.reversed = is_reached(j.child);
      j.inboard = j.reversed ? j.child : j.parent;
      j.outboard = j.reversed ? j.parent : j.child;
      used[k] = reached[j.outboard] = true;
      tree.order.push_back(static_cast<int>(k));
    }
  return tree;
}

NaivePaths calc_naive_paths(const NaiveTree& tree, std::span<const double> q,
                            std::span<const double> v) {
  NaivePaths paths;
  paths.q.resize(tree.nq);
  paths.bodies.resize(tree.bodies.size());
  for (const NaiveJoint& j : tree.joints)
    fill_paths(j, q.data() + j.q0, v.data() + j.v0, paths.q.data() + j.q0);
  for (int k : tree.order) {
    const NaiveJoint& j = tree.joints[k];
    const Pose<Jet> X_PC = calc_naive_joint_pose(j, paths.q.data() + j.q0);
    const Pose<Jet> X_parent = lifted(j.X_parent), X_child = lifted(j.X_child);
    Pose<Jet> X = j.reversed ? X_child * inverse(X_PC) * inverse(X_parent)
                             : X_parent * X_PC * inverse(X_child);
    if (j.inboard != world) X = paths.bodies[j.inboard] * X;
    paths.bodies[j.outboard] = X;
  }
  return paths;
}

std::vector<NaiveBody> calc_naive_motion(const NaiveTree& tree, std::span<const double> q,
                                         std::span<const double> v) {
  const NaivePaths paths = calc_naive_paths(tree, q, v);
  std::vector<NaiveBody> bodies;
  for (std::size_t i = 0; i < paths.bodies.size(); ++i)
    bodies.push_back(read_body(paths.bodies[i], tree.bodies[i].com));
  return bodies;
}

std::vector<double> calc_naive_rates(const NaiveTree& tree, std::span<const double> q,
                                     std::span<const double> v) {
  std::vector<double> rates;
  for (const NaiveJoint& j : tree.joints) {
    Jet path[7];
    fill_paths(j, q.data() + j.q0, v.data() + j.v0, path);
    for (int k = 0; k < j.nq; ++k) rates.push_back(path[k].d);
  }
  return rates;
}

Pose<double> naive_child_frame(const NaiveJoint& joint, const std::vector<NaiveBody>& bodies) {
  return joint.child == world ? joint.X_child : bodies[joint.child].X * joint.X_child;
}

}  // namespace cartan::test
