// [variables] files whose rates follow from equations, against the same system solved by hand.
#include <gtest/gtest.h>

#include <random>

#include "core/dense.h"
#include "mechanics/variables/variables.h"
#include "support/example.h"
#include "support/implicit_system.h"

namespace cartan::test {
namespace {

TEST(ImplicitRates, AreThoseSolvedByHandWithAllTheirDerivatives) {
  const Example implicit = load_text(implicit_text), by_hand = load_text(explicit_text);
  ASSERT_TRUE(implicit) << implicit.problem;
  ASSERT_TRUE(by_hand) << by_hand.problem;
  ASSERT_EQ(implicit.model->implicit->blocks.size(), 4u);  // the pair, u, w, the three
  const auto a = implicit.system->make_workspace(), b = by_hand.system->make_workspace();
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> number(-1, 1);
  const std::vector<int> which = {0};
  for (int k = 0; k < 50; ++k) {
    State state = implicit.system->initial_state();
    state.t = number(random);
    for (double& x : state.x) x += 0.4 * number(random);
    std::vector<double> rates(8), expected(8);
    implicit.system->derivative(state, rates, *a);
    by_hand.system->derivative(state, expected, *b);
    Eigen::MatrixXd J(8, 8), K(8, 8), P(8, 1), Q(8, 1);
    implicit.system->jacobian(state, J, *a);
    by_hand.system->jacobian(state, K, *b);
    implicit.system->parameter_jacobian(state, which, P, *a);
    by_hand.system->parameter_jacobian(state, which, Q, *b);
    for (int i = 0; i < 8; ++i)
      EXPECT_NEAR(rates[i], expected[i], 1e-13 * (1 + std::fabs(expected[i])));
    EXPECT_LE((J - K).norm(), 1e-12 * (1 + K.norm()));
    EXPECT_LE((P - Q).norm(), 1e-12 * (1 + Q.norm()));
  }
}

// 40 variables in random blocks against a dense solver.
TEST(ImplicitRates, OfRandomLinearSystemsAreThoseOfADenseSolver) {
  std::mt19937_64 random(9);
  std::uniform_real_distribution<double> number(-1, 1);
  for (int trial = 0; trial < 5; ++trial) {
    const int n = 40;
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
    Eigen::VectorXd b(n);
    std::string text = "equations = [\n";
    for (int i = 0; i < n; ++i) {
      b(i) = number(random);
      text += "\"";
      for (int j = 0; j < n; ++j) {
        if (j != (i * 7) % n && random() % 12 != 0) continue;
        A(i, j) = number(random) + (j == (i * 7) % n ? 3 : 0);
        text += (text.back() == '"' ? "" : " + ") + std::to_string(A(i, j)) + "*x" +
                std::to_string(j) + "'";
        A(i, j) = std::stod(std::to_string(A(i, j)));
      }
      b(i) = std::stod(std::to_string(b(i)));
      text += " = " + std::to_string(b(i)) + "\",\n";
    }
    text += "]\n[variables]\n";
    for (int i = 0; i < n; ++i) text += "x" + std::to_string(i) + " = { initial = 0 }\n";
    const Example example = load_text(text);
    ASSERT_TRUE(example) << example.problem;
    std::vector<double> rates(n);
    example.system->derivative(example.system->initial_state(), rates,
                               *example.system->make_workspace());
    const Eigen::VectorXd x = Eigen::PartialPivLU<Eigen::MatrixXd>(A).solve(b);
    for (int i = 0; i < n; ++i) EXPECT_NEAR(rates[i], x(i), 1e-11 * (1 + x.norm()));
  }
}

// x x' = -1 from x = 1 ends at t = 1/2.
TEST(ImplicitRates, ASingularMatrixEndsTheRunWithASentence) {
  const Example example =
      load_text("equations = [\"x*x' = -1\"]\n[variables]\nx = { initial = 1 }\n");
  ASSERT_TRUE(example) << example.problem;
  SimulateOptions options;
  options.integrator = "dop853";
  options.duration = 1;
  const SimulateReport report =
      simulate(*example.system, example.system->initial_state(), options, Observer{});
  EXPECT_NE(report.status, RunStatus::completed);
  EXPECT_NEAR(report.final_state.t, 0.5, 1e-6);
  EXPECT_NE(report.message.find("the equations do not determine x' at t = 0."), std::string::npos)
      << report.message;
  EXPECT_NE(report.message.find("Start elsewhere"), std::string::npos) << report.message;

  State there = example.system->initial_state();
  there.x[0] = 0;
  const auto workspace = example.system->make_workspace();
  EXPECT_NE(example.system->explain_failure(there, *workspace).find("is singular there"),
            std::string::npos);
}

}  // namespace
}  // namespace cartan::test
