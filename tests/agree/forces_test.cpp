// What is said of forces one by one (report_forces, forces.csv) is what moves the mechanism, on
// seeded random trees and closed mechanisms with all force elements and constraints:
//   power of each element   sum over its bodies of f . v(point) + torque . w  =  power - V'
//   generalised forces      sum B^T (f, torque)  =  bias without forces - bias with them
//   constraints             M v' + bias  =  sum B^T (f, torque) of the constraints
// Velocities and B come from other code (observe, the moving frame) than the list.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "agreement.h"
#include "support/example.h"
#include "support/random_closed.h"

namespace cartan::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

Model checked(const ModelDescription& description) {
  Diagnostics problems("random");
  std::optional<Model> model = check_model(description, problems);
  EXPECT_TRUE(model) << problems.text();
  return std::move(*model);
}

// Power, with the sum of the absolute values of its terms.
struct Power {
  double value = 0, size = 0;
  void add(double term) {
    value += term;
    size += std::fabs(term);
  }
};

struct BodyMotion {  // world axes
  Vec3<double> position, linear, angular, com;
  Mat3<double> R;
};

std::vector<BodyMotion> motions(const MechanicalSystem& system, const State& state,
                                Workspace& workspace, const NaiveTree& tree) {
  Observation now;
  system.observe(state, now, workspace);
  std::vector<BodyMotion> result;
  for (std::size_t i = 0; i < now.bodies.size(); ++i) {
    const BodyState& body = now.bodies[i];
    const Mat3<double> R = rotation_matrix(body.orientation);
    result.push_back(
        {body.position, body.linear, R * body.angular, body.position + R * tree.bodies[i].com, R});
  }
  return result;
}

struct Checked {
  double worst_power = 0, worst_force = 0;
  std::map<std::string, int> elements;  // with a force that is not zero, by kind
};

void check_powers(const MechanicalSystem& system, const std::vector<AppliedWrench>& applied,
                  const std::vector<BodyMotion>& bodies, const DynamicsReport& report,
                  double reaction_power, Checked& seen) {
  const Model& model = system.model();
  std::vector<Power> forces(model.forces.size()), constraints(model.constraints.size());
  for (const AppliedWrench& w : applied) {
    const bool acts = norm(w.force) + norm(w.torque) > 0;
    if (w.constraint)
      seen.elements["constraint " + std::to_string(model.constraints[w.element].law.index())] +=
          acts;
    else
      seen.elements["force " + std::to_string(model.forces[w.element].law.index())] += acts;
    if (w.body == world) continue;
    const BodyMotion& body = bodies[w.body];
    Power& power = (w.constraint ? constraints : forces)[w.element];
    for (int k = 0; k < 3; ++k) {
      power.add(w.force[k] * (body.linear + cross(body.angular, w.point - body.position))[k]);
      power.add(w.torque[k] * body.angular[k]);
    }
  }
  const auto compare = [&](const Power& power, double expected, double tolerance, double size) {
    size += power.size + std::fabs(expected) + 1e-12;
    EXPECT_LE(std::fabs(power.value - expected), tolerance * size);
    seen.worst_power = std::max(seen.worst_power, std::fabs(power.value - expected) / size);
  };
  for (std::size_t k = 0; k < forces.size(); ++k) {
    SCOPED_TRACE("force " + model.forces[k].name);
    const ForceReport& f = report.forces[k];
    compare(forces[k], f.power - f.potential_rate, 1e-11, std::fabs(f.potential_rate));
  }
  for (std::size_t k = 0; k < constraints.size(); ++k) {
    SCOPED_TRACE("constraint " + model.constraints[k].name);
    compare(constraints[k], report.constraint_power[k], 1e-9, reaction_power);
  }
}

// sum B^T (f, torque) of forces or of constraints, and the sum of absolute values.
struct Generalised {
  VectorXd value, size;
};
Generalised generalised(const std::vector<AppliedWrench>& applied, bool constraint,
                        const std::vector<BodyMotion>& bodies, const MatrixXd& B) {
  VectorXd sum = VectorXd::Zero(B.rows()), size = sum;
  for (const AppliedWrench& w : applied) {
    if (w.constraint != constraint || w.body == world) continue;
    const BodyMotion& body = bodies[w.body];
    const Vec3<double> moment =
        transpose_times(body.R, w.torque + cross(w.point - body.com, w.force));
    for (int k = 0; k < 3; ++k) {
      sum(6 * w.body + k) += w.force[k];
      sum(6 * w.body + 3 + k) += moment[k];
      size(6 * w.body + k) += norm(w.force);
      size(6 * w.body + 3 + k) += norm(w.torque) + norm(w.point - body.com) * norm(w.force);
    }
  }
  return {B.transpose() * sum, B.cwiseAbs().transpose() * size};
}

// `bare`: the same mechanism without forces, at the same state.
void check_forces(const MechanicalSystem& system, const State& state, const VectorXd& bare_bias,
                  const NaiveTree& tree, Checked& seen) {
  const auto workspace = system.make_workspace();
  const std::vector<AppliedWrench> applied = system.report_forces(state, *workspace);
  const std::vector<BodyMotion> bodies = motions(system, state, *workspace, tree);
  const DynamicsReport report = system.report_dynamics(state, *workspace);
  double speed = 0, multiplier = 0;
  for (const BodyMotion& body : bodies)
    speed = std::max({speed, norm(body.linear), norm(body.angular)});
  for (double lambda : report.multipliers) multiplier = std::max(multiplier, std::fabs(lambda));
  check_powers(system, applied, bodies, report, 10 * speed * multiplier, seen);
  const MassMatrixReport m = system.report_mass_matrix(state, *workspace);
  const MatrixXd B = system.report_moving_frame(state, *workspace).B;
  const Generalised found = generalised(applied, false, bodies, B);
  const VectorXd expected = bare_bias - m.bias;
  const double largest =
      found.size.size() == 0 ? 0 : (found.size + bare_bias.cwiseAbs()).maxCoeff() + 1e-9;
  if (largest == 0) return;
  // what holds a stuck joint is known as well as the accelerations
  const double tolerance = 1e-12 + 100 * eps * calc_conditioning(m.mass_matrix).kappa;
  const double error = (found.value - expected).lpNorm<Eigen::Infinity>();
  EXPECT_LE(error, tolerance * largest);
  seen.worst_force = std::max(seen.worst_force, error / largest);
}

void print(const char* title, const Checked& seen) {
  std::printf("%s: largest error of a power %.2g, of a generalised force %.2g\n", title,
              seen.worst_power, seen.worst_force);
}

TEST(ForcesOneByOne, AreThePowerAndTheGeneralisedForcesOfTrees) {
  Checked seen;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ModelDescription description = make_random_mechanism(seed);
    const double t = Random(seed).uniform(0.2, 2);
    const std::unique_ptr<Case> c = make_case(checked(description), t);
    description.forces.clear();
    const std::unique_ptr<Case> bare = make_case(checked(description), t);
    const NaiveTree tree = make_naive_tree(c->model, c->parameters);
    const auto workspace = bare->systems[0]->make_workspace();
    const VectorXd bias = bare->systems[0]->report_mass_matrix(bare->state, *workspace).bias;
    for (const auto* list : {&c->systems, &c->absolute})
      for (const auto& system : *list) {
        SCOPED_TRACE(system->formulation());
        check_forces(*system, state_in(*system, *c), bias, tree, seen);
      }
  }
  print("trees", seen);
  for (int kind = 0; kind < 7; ++kind)
    EXPECT_GT(seen.elements["force " + std::to_string(kind)], 50) << kind;
}

struct ClosedCase {
  ClosedModel closed;
  std::vector<std::optional<std::vector<double>>> q, v;
  explicit ClosedCase(const ModelDescription& description) : closed(description) {
    for (const NaiveJoint& j : closed.tree.joints) {
      const auto q0 = closed.state.q.begin() + j.q0;
      const auto v0 = closed.state.v.begin() + j.v0;
      q.emplace_back(std::vector<double>(q0, q0 + j.nq));
      v.emplace_back(std::vector<double>(v0, v0 + j.nv));
    }
  }
};

TEST(ForcesOneByOne, AreThePowerAndTheGeneralisedForcesOfClosedMechanisms) {
  Checked seen;
  for (std::uint64_t seed = 1; seed <= 80; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ModelDescription description = make_random_closed_mechanism(seed);
    const ClosedCase c(description);
    ModelDescription without = description;
    without.forces.clear();
    const Model bare_model = checked(without);
    std::string problem;
    const auto bare = make_system(bare_model, parameter_values(bare_model), "recursive", problem);
    ASSERT_TRUE(bare) << problem;
    const auto& bare_mechanism = dynamic_cast<const MechanicalSystem&>(*bare);
    const State bare_state = bare_mechanism.make_state(c.closed.state.t, c.q, c.v);
    const VectorXd bias =
        bare_mechanism.report_mass_matrix(bare_state, *bare->make_workspace()).bias;
    for (const char* formulation :
         {"recursive", "moving-frame", "absolute-se3", "absolute-so3r3", "rotation-elements"}) {
      SCOPED_TRACE(formulation);
      const auto owner =
          make_system(c.closed.model, c.closed.tree.parameters, formulation, problem);
      ASSERT_TRUE(owner) << problem;
      const auto& system = dynamic_cast<const MechanicalSystem&>(*owner);
      check_forces(system, system.make_state(c.closed.state.t, c.q, c.v), bias, c.closed.tree,
                   seen);
    }
  }
  print("closed", seen);
  for (int kind = 0; kind < 5; ++kind)
    EXPECT_GT(seen.elements["constraint " + std::to_string(kind)], 10) << kind;
}

// Without loop joints the constraints alone carry M v' + bias.
TEST(ForcesOneByOne, ConstraintForcesCloseTheEquations) {
  RandomClosedOptions options;
  options.planar_linkage = options.parallelogram = options.doubled_joint = 0;
  options.min_loops = options.max_loops = 0;
  double worst = 0, largest = 0;
  std::map<std::size_t, int> kinds;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ClosedCase c(make_random_closed_mechanism(seed, options));
    if (!c.closed.model.loop_joints.empty()) continue;
    const double kappa = c.closed.calc().kappa;
    for (const char* formulation : {"recursive", "absolute-se3", "rotation-elements"}) {
      SCOPED_TRACE(formulation);
      std::string problem;
      const auto owner =
          make_system(c.closed.model, c.closed.tree.parameters, formulation, problem);
      ASSERT_TRUE(owner) << problem;
      const auto& system = dynamic_cast<const MechanicalSystem&>(*owner);
      const auto workspace = system.make_workspace();
      const State state = system.make_state(c.closed.state.t, c.q, c.v);
      const std::vector<AppliedWrench> applied = system.report_forces(state, *workspace);
      for (const AppliedWrench& w : applied)
        if (w.constraint) ++kinds[c.closed.model.constraints[w.element].law.index()];
      const std::vector<BodyMotion> bodies = motions(system, state, *workspace, c.closed.tree);
      const MassMatrixReport m = system.report_mass_matrix(state, *workspace);
      const VectorXd vdot = flat(system.report_dynamics(state, *workspace).acceleration);
      if (vdot.size() == 0) continue;
      const MatrixXd B = system.report_moving_frame(state, *workspace).B;
      const Generalised found = generalised(applied, true, bodies, B);
      const VectorXd expected = m.mass_matrix * vdot + m.bias;
      const double size =
          (found.size + m.mass_matrix.cwiseAbs() * vdot.cwiseAbs() + m.bias.cwiseAbs()).maxCoeff();
      const double error = (found.value - expected).lpNorm<Eigen::Infinity>();
      EXPECT_LE(error, 1e3 * kappa * eps * size);
      worst = std::max(worst, error / size);
      largest = std::max(largest, expected.lpNorm<Eigen::Infinity>());
    }
  }
  std::printf("constraints: largest error %.2g\n", worst);
  EXPECT_GT(largest, 1);
  EXPECT_EQ(kinds.size(), 6u);
}

}  // namespace
}  // namespace cartan::test
