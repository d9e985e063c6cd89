// [variables] beside bodies, rotors and inputs: exact derivatives of the rates against differences,
// in every formulation, and rates that are the same in all of them.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "formulations/formulations.h"
#include "support/example.h"
#include "support/random_mechanism.h"

namespace cartan::test {
namespace {

RandomMechanismOptions smooth_options() {
  RandomMechanismOptions options;
  options.max_bodies = 4;
  options.variables = 3;
  options.rotors = 0.6;
  options.exact_friction = options.bearings = options.thin_bodies = false;
  return options;
}

// The derivative of f along a number, from four points: of fourth order.
template <class F>
std::vector<double> difference(double h, F&& f) {
  const std::vector<double> a = f(-2 * h), b = f(-h), c = f(h), d = f(2 * h);
  std::vector<double> result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    result[i] = (a[i] - 8 * b[i] + 8 * c[i] - d[i]) / (12 * h);
  return result;
}

double size_of(const Eigen::MatrixXd& m) {
  return 1 + m.cwiseAbs().maxCoeff();
}

class EveryFormulation : public testing::TestWithParam<std::uint64_t> {
 protected:
  void for_each(const std::function<void(const Model&, const MechanicalSystem&)>& look) {
    const Model model = make_checked_random_model(GetParam(), smooth_options());
    for (const FormulationInfo& row : formulation_table()) {
      if (std::string(row.name) == "generated" || !row.refusal(model).empty()) continue;
      SCOPED_TRACE(row.name);
      const auto system = row.make(model, parameter_values(model));
      look(model, *system);
      ++looked_;
    }
    EXPECT_GE(looked_, 5);
  }
  int looked_ = 0;
};

TEST_P(EveryFormulation, JacobianByTheState) {
  for_each([](const Model&, const MechanicalSystem& system) {
    const State start = system.initial_state();
    const auto workspace = system.make_workspace();
    const int n = system.space().size(), z0 = system.variables_begin();
    Eigen::MatrixXd J(n, n);
    system.jacobian(start, J, *workspace);
    // columns of the variables, and of a few other numbers
    double largest = 0;
    for (int column = 0; column < n - system.quadratures(); ++column) {
      if (column < z0 && column % 5 != 0) continue;
      const std::vector<double> slope = difference(1e-4, [&](double change) {
        State moved = start;
        moved.x[column] += change;
        std::vector<double> rates(n);
        system.derivative(moved, rates, *workspace);
        return rates;
      });
      for (int i = 0; i < n; ++i)
        EXPECT_NEAR(J(i, column), slope[i], 1e-7 * size_of(J))
            << system.component_name(i) << " by " << system.component_name(column);
      if (column >= z0) largest = std::max(largest, J.col(column).head(z0).cwiseAbs().maxCoeff());
    }
    EXPECT_GT(largest, 1e-3) << "forces read the variables";
  });
}

TEST_P(EveryFormulation, JacobianByAnInput) {
  for_each([](const Model& model, const MechanicalSystem& system) {
    if (system.parameter_count() == 0) return;  // not offered by this formulation
    ASSERT_EQ(model.inputs.size(), 1u);
    const int which = model.inputs[0].parameter;
    ASSERT_GE(which, 0);
    const State start = system.initial_state();
    const auto workspace = system.make_workspace();
    const int n = system.space().size();
    Eigen::MatrixXd B(n, 1);
    const std::vector<int> list = {which};
    system.parameter_jacobian(start, list, B, *workspace);
    const std::vector<double> values = parameter_values(model);
    const std::vector<double> slope = difference(1e-3, [&](double change) {
      std::vector<double> moved = values;
      moved[which] += change;
      for (const FormulationInfo& row : formulation_table())
        if (system.formulation() == row.name) {
          const auto other = row.make(model, moved);
          std::vector<double> rates(n);
          other->derivative(start, rates, *other->make_workspace());
          return rates;
        }
      return std::vector<double>();
    });
    for (int i = 0; i < n; ++i) EXPECT_NEAR(B(i, 0), slope[i], 1e-7 * size_of(B)) << i;
    EXPECT_GT(B.cwiseAbs().maxCoeff(), 1e-4);
  });
}

TEST_P(EveryFormulation, HasTheSameRatesOfVariables) {
  std::vector<double> expected;
  for_each([&](const Model& model, const MechanicalSystem& system) {
    const auto workspace = system.make_workspace();
    State start = system.initial_state();
    std::vector<double> rates(start.x.size());
    system.derivative(start, rates, *workspace);
    const auto first = rates.begin() + system.variables_begin();
    const std::vector<double> found(first, first + model.variables.size());
    if (expected.empty()) expected = found;
    const DynamicsReport report = system.report_dynamics(start, *workspace);
    Observation now;
    system.observe(start, now, *workspace);
    for (std::size_t k = 0; k < found.size(); ++k) {
      EXPECT_NEAR(found[k], expected[k], 1e-9 * (1 + std::fabs(expected[k])));
      EXPECT_NEAR(report.variable_rates[k], found[k], 1e-12 * (1 + std::fabs(found[k])));
      EXPECT_EQ(now.variables[k], start.x[system.variables_begin() + k]);
      EXPECT_EQ(system.component_name(system.variables_begin() + static_cast<int>(k)),
                model.variables[k].name);
    }
  });
}

// The same where loops are closed: the examples with states beside the mechanism.
TEST(VariablesOfExamples, JacobianByTheState) {
  for (const char* name : {"engine", "dc_motor_winch"}) {
    SCOPED_TRACE(name);
    const test::Example example = test::load_example(name);
    ASSERT_TRUE(example) << example.problem;
    const System& system = *example.system;
    const auto workspace = system.make_workspace();
    const State start = system.initial_state();
    const int n = system.space().size();
    Eigen::MatrixXd J(n, n);
    system.jacobian(start, J, *workspace);
    for (int column = 0; column < n - system.quadratures(); ++column) {
      const double h = 1e-4 * std::max(1.0, 1e-3 * std::fabs(start.x[column]));
      const std::vector<double> slope = difference(h, [&](double change) {
        State moved = start;
        moved.x[column] += change;
        std::vector<double> rates(n);
        system.derivative(moved, rates, *workspace);
        return rates;
      });
      for (int i = 0; i < n; ++i)
        EXPECT_NEAR(J(i, column), slope[i], 1e-6 * (1 + J.row(i).cwiseAbs().maxCoeff()))
            << system.component_name(i) << " by " << system.component_name(column);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Random, EveryFormulation, testing::Range<std::uint64_t>(1, 13));

}  // namespace
}  // namespace cartan::test
