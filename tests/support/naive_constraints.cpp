#include "support/naive_constraints.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "support/jet_functions.h"

namespace cartan::test {
namespace {

using Eigen::VectorXd;

// Everything a constraint may look at, on its way.
struct Scene {
  const NaiveTree& tree;
  const NaivePaths& paths;
  Jet t;
  std::vector<NaiveRow>& rows;

  Pose<Jet> pose(int body) const { return body == world ? Pose<Jet>() : paths.bodies[body]; }
  double number(const Formula& f) const {
    return evaluate<double>(f, std::span<const double>(tree.parameters))[0];
  }
  Vec3<Jet> vec3(const Formula& f) const {
    return Vec3<Jet>(calc_vec3<double>(f, std::span<const double>(tree.parameters)));
  }
  Vec3<Jet> point(int body, const Formula& at) const { return pose(body) * vec3(at); }

  void hold(const Jet& g) const { rows.push_back({g.a, g.d, g.dd, true}); }  // g = 0
  void stop(const Jet& u) const { rows.push_back({0, u.a, u.d, false}); }    // u = 0, u a velocity
};

// The rate of a Jet as a Jet; its second derivative is not known and never asked for.
Jet rate_of(const Jet& x) {
  return {x.d, x.dd, 0};
}
Vec3<Jet> rate_of(const Vec3<Jet>& x) {
  return {rate_of(x.x), rate_of(x.y), rate_of(x.z)};
}
Mat3<Jet> rate_of(const Mat3<Jet>& m) {
  return Mat3<Jet>::columns(rate_of(m.c[0]), rate_of(m.c[1]), rate_of(m.c[2]));
}
Vec3<Jet> unit(const Vec3<Jet>& a) {
  return (Jet(1) / sqrt(dot(a, a))) * a;
}

// Velocity of the point of a body that is at x now: R' (R^T (x - p)) + p'.
Vec3<Jet> material_velocity(const Pose<Jet>& X, const Vec3<Jet>& x) {
  return rate_of(X.R) * transpose_times(X.R, x - X.p) + rate_of(X.p);
}

void add_closure(const Scene& s, const NaiveJoint& j) {
  auto lifted = [](const Pose<double>& X) { return Pose<Jet>{Mat3<Jet>(X.R), Vec3<Jet>(X.p)}; };
  const Pose<Jet> X_P = s.pose(j.parent) * lifted(j.X_parent);
  const Pose<Jet> X_C = s.pose(j.child) * lifted(j.X_child);
  const Pose<Jet> X_PC = calc_naive_joint_pose(j, s.paths.q.data() + j.q0);
  const Pose<Jet> E = inverse(X_PC) * inverse(X_P) * X_C;
  const Vec3<Jet> turn = skew_part(E.R);
  for (int k = 0; k < 3; ++k) s.hold(turn[k]);
  for (int k = 0; k < 3; ++k) s.hold(E.p[k]);
}

void add(const Scene& s, const DistanceConstraint& c) {
  const Vec3<Jet> d = s.point(c.to.body, c.to.at) - s.point(c.from.body, c.from.at);
  s.hold(sqrt(dot(d, d)) - Jet(s.number(c.length)));
}

void add(const Scene& s, const DriveConstraint& c) {
  const NaiveJoint& j = s.tree.joints[c.joint];
  const Program& program = c.position.program;
  std::vector<Jet> inputs, scratch(program.scratch_size()), given(program.outputs.size());
  for (const Symbol& symbol : program.inputs)
    inputs.push_back(symbol.quantity == Quantity::time ? s.t
                                                       : Jet(s.tree.parameters[symbol.index]));
  evaluate<Jet>(program, inputs, scratch, given);
  for (int k = 0; k < j.nq; ++k) s.hold(s.paths.q[j.q0 + k] - given[k]);
}

// sum of factor times coordinate = offset, a function of coordinates
void add(const Scene& s, const CouplerConstraint& c) {
  const Program& program = c.offset.program;
  std::vector<Jet> inputs, scratch(program.scratch_size()), offset(1);
  for (const Symbol& symbol : program.inputs)
    inputs.push_back(symbol.quantity == Quantity::joint_q
                         ? s.paths.q[s.tree.joints[symbol.index].q0 + symbol.component]
                         : Jet(s.tree.parameters[symbol.index]));
  evaluate<Jet>(program, inputs, scratch, offset);
  Jet sum = -offset[0];
  for (const CouplerTerm& term : c.terms)
    sum += Jet(s.number(term.factor)) * s.paths.q[s.tree.joints[term.joint].q0 + term.component];
  s.hold(sum);
}

// Contact at center + (radius - rim) d - rim n, where d is what remains of -n across the axis a,
// made a unit vector.
void add(const Scene& s, const RollingDiscConstraint& c) {
  const Pose<Jet> wheel = s.pose(c.body), plane = s.pose(c.plane.body);
  const Vec3<Jet> a = unit(wheel.R * s.vec3(c.axis)), local_n = unit(s.vec3(c.plane.normal));
  const Vec3<Jet> n = plane.R * local_n;
  const Vec3<Jet> d = unit(dot(n, a) * a - n);
  const Jet rim(s.number(c.rim)), circle = Jet(s.number(c.radius)) - rim;
  const Vec3<Jet> contact = s.point(c.body, c.center) + circle * d - rim * n;
  s.hold(dot(n, contact - plane * s.vec3(c.plane.point)));
  const Vec3<Jet> slip = material_velocity(wheel, contact) - material_velocity(plane, contact);
  // two directions of the plane, fixed to it
  const Vec3<Jet> start = std::fabs(local_n.x.a) < 0.7 ? Vec3<Jet>{1, 0, 0} : Vec3<Jet>{0, 1, 0};
  const Vec3<Jet> e1 = unit(cross(local_n, start)), e2 = cross(local_n, e1);
  s.stop(dot(plane.R * e1, slip));
  s.stop(dot(plane.R * e2, slip));
}

void add(const Scene& s, const PointOnPlaneConstraint& c) {
  const Vec3<Jet> n = unit(s.pose(c.plane.body).R * s.vec3(c.plane.normal));
  s.hold(dot(n, s.point(c.body, c.at) - s.point(c.plane.body, c.plane.point)));
}

void add(const Scene& s, const KnifeEdgeConstraint& c) {
  const Pose<Jet> edge = s.pose(c.body);
  const Vec3<Jet> x = s.point(c.body, c.at), n = unit(edge.R * s.vec3(c.normal));
  s.stop(dot(n, material_velocity(edge, x) - material_velocity(s.pose(c.on), x)));
}

// One body in motion (w, v of its centre of mass), everything else at rest.
NaivePaths disturbed(const NaiveTree& tree, NaivePaths paths, int body, int component) {
  Vec3<double> w, v;
  (component < 3 ? w : v)[component % 3] = 1;
  Pose<Jet>& X = paths.bodies[body];
  const Pose<double> at{value(X.R), value(X.p)};
  const Mat3<double> dR = hat(w) * at.R;
  const Vec3<double> dp = v + cross(w, at.p - at * tree.bodies[body].com);
  for (int i = 0; i < 3; ++i) {
    X.p[i].d = dp[i];
    for (int k = 0; k < 3; ++k) X.R(i, k).d = dR(i, k);
  }
  return paths;
}

VectorXd rates(const std::vector<NaiveRow>& rows) {
  VectorXd r(static_cast<int>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) r[static_cast<int>(i)] = rows[i].rate;
  return r;
}

}  // namespace

std::vector<NaiveRow> calc_naive_rows(const NaiveTree& tree, const NaivePaths& paths,
                                      const Jet& t) {
  std::vector<NaiveRow> rows;
  const Scene s{tree, paths, t, rows};
  for (int k : tree.loops) add_closure(s, tree.joints[k]);
  for (const Constraint& c : tree.model->constraints)
    std::visit([&](const auto& law) { add(s, law); }, c.law);
  return rows;
}

NaiveRows calc_naive_row_system(const NaiveTree& tree, const NaiveState& state) {
  const std::vector<double> rest(tree.nv, 0.0);
  const NaivePaths still = calc_naive_paths(tree, state.q, rest);
  NaiveRows result;
  result.time_rate = rates(calc_naive_rows(tree, still, Jet(state.t, 1, 0)));
  const int m = static_cast<int>(result.time_rate.size()), n = static_cast<int>(tree.bodies.size());
  result.J.resize(m, tree.nv);
  std::vector<double> unit = rest;
  for (int k = 0; k < tree.nv; ++k) {
    unit[k] = 1;
    result.J.col(k) = rates(calc_naive_rows(tree, calc_naive_paths(tree, state.q, unit), state.t));
    unit[k] = 0;
  }
  result.on_bodies.resize(m, 6 * n);
  for (int k = 0; k < 6 * n; ++k)
    result.on_bodies.col(k) =
        rates(calc_naive_rows(tree, disturbed(tree, still, k / 6, k % 6), state.t));
  const std::vector<NaiveRow> moving =
      calc_naive_rows(tree, calc_naive_paths(tree, state.q, state.v), Jet(state.t, 1, 0));
  result.position.resize(m);
  result.gamma.resize(m);
  for (int i = 0; i < m; ++i) {
    result.position[i] = moving[i].position;
    result.gamma[i] = -moving[i].second;
    result.holonomic.push_back(moving[i].holonomic);
  }
  result.rate = rates(moving);
  return result;
}

NaiveState calc_naive_initial_state(const NaiveTree& tree) {
  NaiveState state;
  const std::span<const double> parameters(tree.parameters);
  auto append = [](std::vector<double>& list, const std::vector<double>& more, int size) {
    for (int k = 0; k < size; ++k) list.push_back(more.empty() ? 0 : more[k]);
  };
  auto numbers = [&](const Formula& f) {
    return f.given() ? evaluate<double>(f, parameters) : std::vector<double>();
  };
  for (const Joint& joint : tree.model->joints) {
    int plain = joint.nq();
    if (has_quaternion(joint.type)) {
      const Quat<double> u = calc_quaternion<double>(joint.rotation, parameters);
      append(state.q, {u.w, u.x, u.y, u.z}, 4);
      plain -= 4;
    }
    append(state.q, numbers(joint.coordinates), plain);
    append(state.v, numbers(joint.velocity), joint.nv());
  }
  return state;
}

void advance_naive_coordinates(const NaiveJoint& j, const double* step, double* q) {
  if (!has_quaternion(j.type)) {
    for (int k = 0; k < j.nq; ++k) q[k] += step[k];
    return;
  }
  const Quat<double> u(q[0], q[1], q[2], q[3]);
  if (j.type == JointType::free) {  // along a constant twist
    const Twist<double> twist{{step[0], step[1], step[2]}, {step[3], step[4], step[5]}};
    const Vec3<double> moved = rotation_matrix(u) * SE3<double>::exp(twist).p;
    for (int k = 0; k < 3; ++k) q[4 + k] += moved[k];
  }
  const Quat<double> next = normalized(u * exp_quat(Vec3<double>{step[0], step[1], step[2]}));
  q[0] = next.w, q[1] = next.x, q[2] = next.y, q[3] = next.z;
}

namespace {

// The joint's motion for each of its speeds, as (angular, linear) in C's axes: X' = X hat(column).
Eigen::MatrixXd own_motion(const NaiveTree& tree, const NaiveJoint& j, const NaiveState& state) {
  Eigen::MatrixXd columns(6, j.nv);
  std::vector<double> unit(tree.nv, 0.0);
  for (int k = 0; k < j.nv; ++k) {
    unit[j.v0 + k] = 1;
    const NaivePaths paths = calc_naive_paths(tree, state.q, unit);
    unit[j.v0 + k] = 0;
    const Pose<Jet> X = calc_naive_joint_pose(j, paths.q.data() + j.q0);
    const Vec3<double> w = skew_part(transpose(value(X.R)) * rate(X.R)),
                       v = transpose_times(value(X.R), rate(X.p));
    columns.col(k) << w.x, w.y, w.z, v.x, v.y, v.z;
  }
  return columns;
}

// Where C really is, seen from where the joint's coordinates put it.
Pose<double> misplacement(const NaiveTree& tree, const NaiveJoint& j, const NaiveState& state) {
  const std::vector<double> rest(tree.nv, 0.0);
  const NaivePaths paths = calc_naive_paths(tree, state.q, rest);
  auto frame = [&](int body, const Pose<double>& X) {
    if (body == world) return X;
    return Pose<double>{value(paths.bodies[body].R), value(paths.bodies[body].p)} * X;
  };
  const Pose<Jet> X = calc_naive_joint_pose(j, paths.q.data() + j.q0);
  return inverse(Pose<double>{value(X.R), value(X.p)}) * inverse(frame(j.parent, j.X_parent)) *
         frame(j.child, j.X_child);
}

}  // namespace

void fill_naive_loop_joints(const NaiveTree& tree, NaiveState& state) {
  for (int joint : tree.loops) {
    const NaiveJoint& j = tree.joints[joint];
    double largest = j.nv;
    for (int iteration = 0; iteration < 100 && largest > 1e-15; ++iteration) {
      const Pose<double> E = misplacement(tree, j, state);
      const Vec3<double> turn = log(from_rotation_matrix(E.R));
      VectorXd wanted(6);
      wanted << turn.x, turn.y, turn.z, E.p.x, E.p.y, E.p.z;
      const VectorXd step = own_motion(tree, j, state).colPivHouseholderQr().solve(wanted);
      largest = step.lpNorm<Eigen::Infinity>();
      advance_naive_coordinates(j, step.data(), state.q.data() + j.q0);
    }
    std::fill_n(state.v.begin() + j.v0, j.nv, 0.0);
  }
  // Closure rows of loop joint l begin at 6 l: r + J_l v = 0.
  const NaiveRows rows = calc_naive_row_system(tree, state);
  for (std::size_t l = 0; l < tree.loops.size(); ++l) {
    const NaiveJoint& j = tree.joints[tree.loops[l]];
    if (j.nv == 0) continue;
    const VectorXd v = rows.J.block(6 * l, j.v0, 6, j.nv)
                           .colPivHouseholderQr()
                           .solve(-rows.rate.segment<6>(6 * l));
    std::copy(v.begin(), v.end(), state.v.begin() + j.v0);
  }
}

}  // namespace cartan::test
