// Every row of the table of formulations gives the bodies the same accelerations: on all examples,
// and on seeded random mechanisms, trees and closed ones, against the naive reference.
//
// Tolerance: 1e3 kappa eps of the largest acceleration; kappa is the condition number of the
// reference's system [M J^T; J 0], scaled free of units (naive_closed.h).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>

#include "agreement.h"
#include "support/example.h"
#include "support/random_closed.h"

namespace cartan::test {
namespace {

using Eigen::VectorXd;

// (angular, linear) of each body, world axes, the linear one at the body's origin.
VectorXd world_accelerations(const DynamicsReport& report, const Observation& now) {
  VectorXd a(6 * static_cast<Eigen::Index>(report.bodies.size()));
  for (std::size_t i = 0; i < report.bodies.size(); ++i) {
    const Mat3<double> R = rotation_matrix(now.bodies[i].orientation);
    a.segment<6>(6 * static_cast<Eigen::Index>(i)) << eigen(R * report.bodies[i].angular),
        eigen(report.bodies[i].linear);
  }
  return a;
}

// The same from the reference: at the centre of mass, so taken back to the origin.
VectorXd naive_accelerations(const ClosedModel& m, const NaiveState& at, const NaiveClosedResult& r,
                             const Observation& now) {
  const std::vector<NaiveBody> bias = calc_naive_motion(m.tree, at.q, at.v);
  VectorXd a = r.columns * r.vdot;
  for (std::size_t i = 0; i < bias.size(); ++i) {
    auto body = a.segment<6>(6 * static_cast<Eigen::Index>(i));
    body.head<3>() += eigen(bias[i].alpha);
    body.tail<3>() += eigen(bias[i].com_acceleration);
    const Eigen::Vector3d alpha = body.head<3>(), w = eigen(bias[i].w);
    const Eigen::Vector3d to_origin = eigen(now.bodies[i].position - bias[i].com);
    body.tail<3>() += alpha.cross(to_origin) + w.cross(w.cross(to_origin));
  }
  return a;
}

struct Tally {
  int mechanisms = 0;
  int turned = 0;    // of these, how many have a coordinate beyond half a turn
  double worst = 0;  // error / tolerance
};

void compare_all(const ClosedModel& m, std::map<std::string, Tally>& tally) {
  std::vector<std::optional<std::vector<double>>> q, v;
  for (const NaiveJoint& j : m.tree.joints) {
    const auto q0 = m.state.q.begin() + j.q0;
    const auto v0 = m.state.v.begin() + j.v0;
    q.emplace_back(std::vector<double>(q0, q0 + j.nq));
    v.emplace_back(std::vector<double>(v0, v0 + j.nv));
  }
  for (const FormulationInfo& row : formulation_table()) {
    SCOPED_TRACE(row.name);
    if (std::string(row.name) == "generated") continue;  // not compiled here: tests/generated
    if (!row.refusal(m.model).empty()) continue;
    std::string problem;
    const auto owner = make_system(m.model, m.tree.parameters, row.name, problem);
    ASSERT_TRUE(owner) << problem;
    const auto& system = dynamic_cast<const MechanicalSystem&>(*owner);
    const auto workspace = system.make_workspace();
    const State state = system.make_state(m.state.t, q, v);
    Observation now;
    system.observe(state, now, *workspace);
    const VectorXd found = world_accelerations(system.report_dynamics(state, *workspace), now);
    // whole turns and signs of quaternions are those of the joints, whatever the state is made of
    const VectorXd q_seen = flat(now.q), v_seen = flat(now.v);
    bool turned = false;
    for (std::size_t j = 0; j < now.q.size(); ++j) {
      if (m.tree.joints[j].loop) continue;
      for (std::size_t k = 0; k < now.q[j].size(); ++k) {
        EXPECT_NEAR(now.q[j][k], (*q[j])[k], 1e-9) << m.model.joints[j].name;
        turned |= std::fabs(now.q[j][k]) > 4;
      }
    }
    tally[row.name].turned += turned;
    const NaiveState at = {
        m.state.t, {q_seen.begin(), q_seen.end()}, {v_seen.begin(), v_seen.end()}};
    const NaiveClosedResult r = calc_naive_closed_dynamics(m.tree, at);
    const VectorXd expected = naive_accelerations(m, at, r, now);
    const double tolerance = 1e3 * r.kappa * eps * (1 + expected.lpNorm<Eigen::Infinity>());
    const double error = (found - expected).lpNorm<Eigen::Infinity>();
    EXPECT_LE(error, tolerance);
    Tally& t = tally[row.name];
    ++t.mechanisms;
    t.worst = std::max(t.worst, error / tolerance);
  }
}

TEST(AllFormulations, RandomMechanisms) {
  constexpr int count = 200;  // every second one a tree
  RandomMechanismOptions trees;
  trees.max_bodies = 8;
  trees.exact_friction = trees.bearings = false;
  trees.turned = 0.5;
  trees.variables = 2;
  trees.tyre = true;
  RandomClosedOptions closed;
  closed.tree.turned = 0.5;
  closed.tree.variables = 1;
  closed.tree.tyre = true;
  std::map<std::string, Tally> tally;
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    compare_all(ClosedModel(seed % 2 ? make_random_mechanism(seed, trees)
                                     : make_random_closed_mechanism(seed, closed)),
                tally);
  }
  for (const auto& [name, t] : tally) {
    std::printf("%-18s %3d mechanisms, largest error / tolerance %.2g\n", name.c_str(),
                t.mechanisms, t.worst);
    EXPECT_GE(t.mechanisms, name == "canonical" ? count / 2 : count) << name;
    EXPECT_GE(t.turned, t.mechanisms / 4) << name;
  }
  EXPECT_EQ(tally.size() + 1, formulation_table().size());
}

// At the start and after a while, so that what begins at rest has moved.
TEST(AllFormulations, Examples) {
  int compared = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(CARTAN_ROOT) + "/examples")) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() != ".toml") continue;
    SCOPED_TRACE(name);
    const test::Example reference = test::load_example(name);
    ASSERT_TRUE(reference) << reference.problem;
    if (!reference.model->is_mechanism()) continue;
    if (reference.system->contact_stepping()) continue;  // forces of whole steps only
    const MechanicalSystem& recursive = reference.mechanism();
    SimulateOptions options;
    options.integrator = "rk45";
    options.tolerance = 1e-8;
    options.duration = options.step = 0.05;
    const State later =
        simulate(recursive, recursive.initial_state(), options, Observer{}).final_state;
    for (const State& state : {recursive.initial_state(), later}) {
      const Observation now = test::observe(recursive, state);
      const VectorXd expected =
          world_accelerations(recursive.report_dynamics(state, *recursive.make_workspace()), now);
      for (const FormulationInfo& row : formulation_table()) {
        SCOPED_TRACE(row.name);
        if (!row.refusal(*reference.model).empty()) continue;
        const test::Example other = test::load_example(name, row.name);
        ASSERT_TRUE(other) << other.problem;
        const MechanicalSystem& system = other.mechanism();
        State same =
            system.make_state(state.t, {now.q.begin(), now.q.end()}, {now.v.begin(), now.v.end()});
        std::copy(now.variables.begin(), now.variables.end(),
                  same.x.begin() + system.variables_begin());
        const VectorXd found = world_accelerations(
            system.report_dynamics(same, *system.make_workspace()), test::observe(system, same));
        EXPECT_LE((found - expected).lpNorm<Eigen::Infinity>(),
                  1e-9 * (1 + expected.lpNorm<Eigen::Infinity>()));
        ++compared;
      }
    }
  }
  std::printf("%d comparisons\n", compared);
  EXPECT_GT(compared, 300);
}

}  // namespace
}  // namespace cartan::test
