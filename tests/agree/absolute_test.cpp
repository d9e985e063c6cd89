// Absolute formulations as systems: exact Jacobians, points side by side, the group of each body.
#include <algorithm>

#include "agreement.h"
#include "support/example.h"

namespace cartan::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

RandomMechanismOptions smooth(int bodies) {
  RandomMechanismOptions options;
  options.max_bodies = bodies;
  options.exact_friction = false;
  return options;
}

VectorXd derivative(const MechanicalSystem& system, const State& state, const VectorXd& x,
                    Workspace& workspace) {
  VectorXd result(x.size());
  system.derivative({state.t, {x.data(), static_cast<std::size_t>(x.size())}, state.mode},
                    {result.data(), static_cast<std::size_t>(x.size())}, workspace);
  return result;
}

TEST(AbsoluteCoordinates, JacobianAgainstDifferences) {
  double largest = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::unique_ptr<Case> c = make_case(seed, smooth(6));
    for (const auto& system : c->absolute) {
      SCOPED_TRACE(system->formulation());
      if (system->formulation() != std::string("rotation-elements")) {
        ASSERT_EQ(system->set_world_rows(seed % 2 == 0), "");  // both kinds of rows
      }
      const State state = c->absolute_state(*system);
      const auto workspace = system->make_workspace();
      const VectorXd x = Eigen::Map<const VectorXd>(state.x.data(), state.x.size());
      Random random(seed);
      VectorXd d(x.size());
      for (double& entry : d) entry = random.uniform(-1, 1);
      auto central = [&](double h) -> VectorXd {
        return (derivative(*system, state, x + h * d, *workspace) -
                derivative(*system, state, x - h * d, *workspace)) /
               (2 * h);
      };
      const VectorXd expected = (4 * central(1e-4) - central(2e-4)) / 3;
      MatrixXd J(x.size(), x.size());
      system->jacobian(state, J, *workspace);
      const double size = (J.cwiseAbs() * d.cwiseAbs()).maxCoeff();
      EXPECT_LE((J * d - expected).lpNorm<Eigen::Infinity>(), 1e-6 * size);
      largest = std::max(largest, size);
    }
  }
  EXPECT_GT(largest, 1);
}

// Gaps in world axes: on random states beside the constraints the residuals y of both kinds of rows
// are the rates of their own g, and the constraints' Jacobian is exact.
TEST(AbsoluteCoordinates, WorldRowsAreRatesOfTheirGaps) {
  double largest = 0, apart = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::unique_ptr<Case> c = make_case(seed, smooth(5));
    for (const auto& system : c->absolute) {
      if (system->formulation() == std::string("rotation-elements")) continue;  // has no rows
      SCOPED_TRACE(system->formulation());
      State state = c->absolute_state(*system);
      const auto workspace = system->make_workspace();
      Random random(seed);
      const std::size_t nv = 6 * c->model.bodies.size(), nq = 7 * c->model.bodies.size();
      for (std::size_t k = nq; k < nq + nv; ++k) state.x[k] += random.uniform(-1, 1);
      std::vector<std::vector<double>> rates;
      for (const bool world : {false, true}) {
        ASSERT_EQ(system->set_world_rows(world), "");
        std::vector<double> g0, g1, y;
        // positions moved on along the velocities by +-h
        auto values = [&](double h, std::vector<double>& g) {
          std::vector<double> rate(state.x.size());
          system->kinematic_rates(state, rate, *workspace);
          State moved = state;
          for (std::size_t k = 0; k < nq; ++k) moved.x[k] += h * rate[k];
          std::vector<double> speeds;
          system->constraint_violations(moved, g, speeds, *workspace);
          if (h == 0) y = speeds;
        };
        values(0, g0);
        const double h = 1e-6;
        std::vector<double> before;
        values(h, g1), values(-h, before);
        rates.emplace_back();
        for (std::size_t r = 0; r < y.size(); ++r) {
          if (g1[r] == 0 && before[r] == 0) continue;  // a row without a position
          const double expected = (g1[r] - before[r]) / (2 * h);
          EXPECT_NEAR(y[r], expected, 1e-6 * (1 + std::fabs(expected))) << r;
          largest = std::max(largest, std::fabs(y[r]));
          rates.back().push_back(y[r]);
        }
      }
      for (std::size_t r = 0; r < rates[0].size(); ++r)
        apart = std::max(apart, std::fabs(rates[0][r] - rates[1][r]));
      ASSERT_EQ(system->set_world_rows(false), "");
    }
  }
  EXPECT_GT(largest, 0.1);
  EXPECT_GT(apart, 0.1);
}

TEST(AbsoluteCoordinates, PointsSideBySideEqualSinglePoints) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::unique_ptr<Case> c = make_case(seed, smooth(8));
    for (const auto& system : c->absolute) {
      SCOPED_TRACE(system->formulation());
      const State state = c->absolute_state(*system);
      const auto workspace = system->make_workspace();
      const std::size_t n = state.x.size();
      std::vector<double> times, x, xdot(4 * n);
      for (int k = 0; k < 4; ++k) {
        times.push_back(state.t + 0.1 * k);
        for (double entry : state.x) x.push_back(entry * (1 + 0.01 * k));
      }
      system->derivatives(times, x, state.mode, xdot, *workspace);
      for (int k = 0; k < 4; ++k) {
        State single = state;
        single.t = times[k];
        const VectorXd point = Eigen::Map<const VectorXd>(x.data() + k * n, n);
        const VectorXd expected = derivative(*system, single, point, *workspace);
        const VectorXd found = Eigen::Map<const VectorXd>(xdot.data() + k * n, n);
        EXPECT_LE((found - expected).norm(), 1e-7 * (1 + expected.norm()));
      }
    }
  }
}

// `group` decides for a body; bodies without one follow the formulation.
TEST(AbsoluteCoordinates, GroupOfEachBody) {
  RandomMechanismOptions options = smooth(6);
  options.min_bodies = 3;
  Model model = make_checked_random_model(3, options);
  ASSERT_GE(model.bodies.size(), 2u);
  model.bodies[0].group = BodyGroup::so3r3;
  model.bodies[1].group = BodyGroup::se3;
  auto count = [&](const char* formulation) {
    const auto system = find_formulation(formulation)->make(model, parameter_values(model));
    const auto& blocks = system->space().blocks();
    return std::count_if(blocks.begin(), blocks.end(),
                         [](const StateBlock& b) { return b.kind == StateBlock::Kind::pose; });
  };
  EXPECT_EQ(count("absolute-se3"), static_cast<long>(model.bodies.size()) - 1);
  EXPECT_EQ(count("absolute-so3r3"), 1);
}

// Smoothed friction in every hinge of a four-bar, the one that closes the loop included.
TEST(LoopFriction, AllFormulationsAgree) {
  std::string text = test::example_text("four_bar");
  for (const char* joint : {"motor", "knee", "foot", "wrist"})
    text += std::string("\n[[force]]\nname = \"rub ") + joint +
            "\"\ntype = \"friction\"\njoint = \"" + joint +
            "\"\ncoulomb = 0.05\nviscous = 0.01\nsmoothing = 0.5\n";
  std::vector<DynamicsReport> reports;
  for (const FormulationInfo& row : formulation_table()) {
    SCOPED_TRACE(row.name);
    if (std::string(row.name) == "canonical") continue;  // takes no loops
    const test::Example example = test::load_text(text, row.name);
    ASSERT_TRUE(example) << example.problem;
    const MechanicalSystem& system = example.mechanism();
    const auto workspace = system.make_workspace();
    reports.push_back(system.report_dynamics(system.initial_state(), *workspace));
    const DynamicsReport &a = reports.front(), &b = reports.back();
    EXPECT_LE((flat(a.acceleration) - flat(b.acceleration)).norm(),
              1e-11 * flat(a.acceleration).norm());
    for (std::size_t k = 0; k < a.forces.size(); ++k) {
      EXPECT_LT(b.forces[k].power, -1e-6);
      EXPECT_NEAR(a.forces[k].power, b.forces[k].power, 1e-11);
    }
    const PowerBalance& p = b.power;
    EXPECT_NEAR(p.kinetic_rate + p.potential_rate, p.nonconservative, 1e-10);
    // the plane part of the hinges' forces is unique
    for (std::size_t j = 0; j < a.reactions.size(); ++j) {
      EXPECT_NEAR(a.reactions[j].force.x, b.reactions[j].force.x, 1e-9);
      EXPECT_NEAR(a.reactions[j].force.z, b.reactions[j].force.z, 1e-9);
      EXPECT_NEAR(a.reactions[j].torque.y, b.reactions[j].torque.y, 1e-9);
    }
  }
}

}  // namespace
}  // namespace cartan::test
