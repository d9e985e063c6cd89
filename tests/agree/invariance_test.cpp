// Symmetries of mechanics: momentum of a system left alone, another place and direction in the
// world.
#include <algorithm>

#include "agreement.h"

namespace cartan::test {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

// Linear momentum and angular momentum about the world origin: their rates, from x'' = B v' + B' v.
TEST(Momentum, IsConstantWhenNothingActsFromOutside) {
  RandomMechanismOptions options;
  options.floating = true;
  options.gravity = false;
  options.internal_only = true;
  double largest = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::unique_ptr<Case> c = make_case(seed, options);
    const NaiveTree tree = make_naive_tree(c->model, c->parameters);
    const std::vector<NaiveBody> bodies =
        calc_naive_motion(tree, c->naive_state().q, c->naive_state().v);
    for (const auto& system : c->systems) {
      SCOPED_TRACE(system->formulation());
      const std::unique_ptr<Workspace> workspace = system->make_workspace();
      const DynamicsReport report = system->report_dynamics(c->state, *workspace);
      const MovingFrameReport f = system->report_moving_frame(c->state, *workspace);
      const VectorXd rate = f.B * flat(report.acceleration) + f.Bdot * c->v();
      const VectorXd speed = f.B * c->v();
      const VectorXd size = f.B.cwiseAbs() * flat(report.acceleration).cwiseAbs() +
                            f.Bdot.cwiseAbs() * c->v().cwiseAbs();
      Vector3d linear(0, 0, 0), angular(0, 0, 0);
      double linear_size = 0, angular_size = 0;
      for (std::size_t i = 0; i < bodies.size(); ++i) {
        const double m = tree.bodies[i].mass;
        const Vec3<double> a{rate[6 * i], rate[6 * i + 1], rate[6 * i + 2]};
        const Vec3<double> dw{rate[6 * i + 3], rate[6 * i + 4], rate[6 * i + 5]};
        const Vec3<double> w{speed[6 * i + 3], speed[6 * i + 4], speed[6 * i + 5]};
        const Sym3<double>& J = tree.bodies[i].inertia;
        linear += eigen(m * a);
        angular += eigen(cross(bodies[i].com, m * a) + bodies[i].X.R * (J * dw + cross(w, J * w)));
        linear_size += m * size.segment<3>(6 * i).norm();
        angular_size += m * norm(bodies[i].com) * size.segment<3>(6 * i).norm() +
                        (J.xx + J.yy + J.zz) * (size.segment<3>(6 * i + 3).norm() + norm2(w));
      }
      const double kappa =
          calc_conditioning(system->report_mass_matrix(c->state, *workspace).mass_matrix).kappa;
      const double tolerance = 1e3 * kappa * eps;
      EXPECT_LE(linear.norm(), tolerance * linear_size);
      EXPECT_LE(angular.norm(), tolerance * angular_size);
      // so the joint to the world carries nothing
      for (std::size_t j = 0; j < c->model.joints.size(); ++j) {
        const Joint& joint = c->model.joints[j];
        if (joint.parent.body != world && joint.child.body != world) continue;
        EXPECT_LE(norm(report.reactions[j].force), tolerance * linear_size);
      }
      if (bodies.size() > 1) largest = std::max(largest, linear_size);
    }
  }
  EXPECT_GT(largest, 1);
}

// Everything that is tied to the world, moved and turned by X.
ModelDescription moved(ModelDescription d, const Quat<double>& turn, const Vec3<double>& shift) {
  const Mat3<double> R = rotation_matrix(turn);
  auto move_point = [&](Values& at) {
    Vec3<double> p;
    for (std::size_t k = 0; k < at.size(); ++k) p[static_cast<int>(k)] = at[k].number;
    const Vec3<double> x = R * p + shift;
    at = {x.x, x.y, x.z};
  };
  auto move_frame = [&](PlacementText& p) {
    if (p.body.name != "world") return;
    move_point(p.at);
    Rotation rotation;
    rotation.kind = p.rotate.kind;
    std::vector<double> values;
    for (const Value& v : p.rotate.values) values.push_back(v.number);
    rotation.values.program = constant_program(values);
    const Quat<double> q = turn * calc_quaternion<double>(rotation, std::span<const double>());
    p.rotate.kind = RotationText::Kind::quaternion;
    p.rotate.values = {q.w, q.x, q.y, q.z};
  };
  for (JointText& joint : d.joints) move_frame(joint.parent), move_frame(joint.child);
  for (ForceText& force : d.forces) {
    if (force.type == "bushing") {  // its ends have axes
      move_frame(force.from);
      move_frame(force.to);
      continue;
    }
    if (force.from.body.name == "world") move_point(force.from.at);
    if (force.to.body.name == "world") move_point(force.to.at);
  }
  const Vec3<double> g =
      R * Vec3<double>{d.gravity[0].number, d.gravity[1].number, d.gravity[2].number};
  d.gravity = {g.x, g.y, g.z};
  return d;
}

// What the laws of motion do not see: constant gravity, no expression of world positions, still
// air.
ModelDescription make_isotropic(std::uint64_t seed) {
  RandomMechanismOptions options;
  options.expressions = options.varying_gravity = false;
  options.wrenches = options.joint_forces = options.potentials = false;
  ModelDescription d = make_random_mechanism(seed, options);
  if (d.gravity.empty()) d.gravity = {0, 0, -9.81};
  for (ForceText& force : d.forces) force.medium = {};
  return d;
}

Model checked_model(const ModelDescription& d) {
  Diagnostics problems;
  std::optional<Model> model = check_model(d, problems);
  EXPECT_TRUE(model) << problems.text();
  return std::move(*model);
}

TEST(Invariance, AnotherPlaceAndDirectionInTheWorldChangesNothing) {
  double largest = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ModelDescription d = make_isotropic(seed);
    Random random(seed + 1000);
    const Quat<double> turn = random.rotation();
    const Mat3<double> R = rotation_matrix(turn);
    const std::unique_ptr<Case> a = make_case(checked_model(d), 0.3);
    const std::unique_ptr<Case> b = make_case(checked_model(moved(d, turn, random.vector(2))), 0.3);
    if (a->nv == 0) continue;
    double weight = 0;  // of all bodies: a size of force where reactions vanish
    for (const MassProperties<double>& body : make_naive_tree(a->model, a->parameters).bodies)
      weight += 10 * body.mass;
    for (std::size_t s = 0; s < a->systems.size(); ++s) {
      SCOPED_TRACE(a->systems[s]->formulation());
      const auto workspace_a = a->systems[s]->make_workspace(),
                 workspace_b = b->systems[s]->make_workspace();
      const DynamicsReport first = a->systems[s]->report_dynamics(a->state, *workspace_a);
      const DynamicsReport second = b->systems[s]->report_dynamics(b->state, *workspace_b);
      const MassMatrixReport m = a->systems[s]->report_mass_matrix(a->state, *workspace_a);
      const Conditioning c = calc_conditioning(m.mass_matrix);
      const double tolerance = 1e3 * c.kappa * eps;
      const VectorXd va = flat(first.acceleration), vb = flat(second.acceleration);
      EXPECT_LE(c.scale.cwiseProduct(va - vb).norm(), tolerance * c.scale.cwiseProduct(va).norm());
      double force = weight, torque = 0;
      for (const JointReaction& r : first.reactions)
        force = std::max(force, norm(r.force)), torque = std::max(torque, norm(r.torque));
      for (std::size_t j = 0; j < first.reactions.size(); ++j) {
        EXPECT_LE(norm(R * first.reactions[j].force - second.reactions[j].force),
                  tolerance * force);
        EXPECT_LE(norm(R * first.reactions[j].torque - second.reactions[j].torque),
                  tolerance * (torque + force));
      }
      const double power = a->v().cwiseAbs().dot(m.mass_matrix.cwiseAbs() * va.cwiseAbs());
      EXPECT_NEAR(first.power.kinetic_rate, second.power.kinetic_rate, tolerance * power);
      largest = std::max(largest, va.norm());
    }
  }
  EXPECT_GT(largest, 1);
}

}  // namespace
}  // namespace cartan::test
