// linearize with inputs and outputs: state space, frequency response, regulators. Reference values
// were computed in 40 digits from closed forms (eigenvectors of the Hamiltonian matrix, rational
// transfer functions).
#include <cmath>
#include <complex>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "cli/control_models.h"

namespace cartan::test {
namespace {

using nlohmann::json;

TEST(LinearControl, CartWithPole) {
  const Scratch scratch;
  const std::string model = scratch.write("cart.toml", cart_with_pole());
  const json result = expect_json(
      run_cartan({"linearize", model, "--inputs", "force", "--outputs", "cart.q,pole.q", "--lqr-q",
                  "1,10,1,1", "--lqr-r", "0.1", "--json", "--out", scratch.path("out")}));
  EXPECT_EQ(result["states"], json({"cart.q0", "pole.q0", "cart.v0", "pole.v0"}));
  const double A[4][4] = {{0, 0, 1, 0}, {0, 0, 0, 1}, {0, 2.943, 0, 0}, {0, 25.506, 0, 0}};
  const double B[] = {0, 0, 1, 2};
  const double K[] = {-3.162277660168379, 49.14527793221734, -5.784659094315711, 10.64243529496112};
  const double P[] = {1.829269822564442, 27.04974172120343, 1.802880592460988, 1.127458390221196};
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) EXPECT_NEAR(result["A"][i][j].get<double>(), A[i][j], 1e-12);
    EXPECT_NEAR(result["B"][i][0].get<double>(), B[i], 1e-12);
    EXPECT_NEAR(result["lqr"]["gains"][0][i].get<double>(), K[i], 1e-10);
    EXPECT_NEAR(result["lqr"]["P"][i][i].get<double>(), P[i], 1e-10);
    for (int k = 0; k < 2; ++k) EXPECT_EQ(result["C"][k][i].get<double>(), k == i ? 1 : 0);
  }
  const double poles[4][2] = {{-1.347491232538939, 0.2246359547492975},
                              {-1.347491232538939, -0.2246359547492975},
                              {-3.619225203773128, 0},
                              {-9.186003826755517, 0}};
  for (int k = 0; k < 4; ++k)
    for (int part = 0; part < 2; ++part)
      EXPECT_NEAR(result["lqr"]["poles"][k][part].get<double>(), poles[k][part], 1e-9);
  EXPECT_EQ(result["controllability"]["rank"], 4);
  EXPECT_EQ(result["observability"]["rank"], 4);
  // zeros of the cart: the pole swings upside down about a cart that stands, s^2 = g/l
  const json& zeros = result["channels"][0]["zeros"];
  ASSERT_EQ(zeros.size(), 2u);
  EXPECT_NEAR(zeros[0][0].get<double>(), std::sqrt(9.81 / 0.5), 1e-10);
  EXPECT_NEAR(zeros[1][0].get<double>(), -std::sqrt(9.81 / 0.5), 1e-10);
  // M of the equations as written by hand, upright
  EXPECT_NEAR(result["second_order"]["M"][0][0].get<double>(), 1.3, 1e-12);
  EXPECT_NEAR(result["second_order"]["M"][0][1].get<double>(), -0.15, 1e-12);
  EXPECT_NEAR(result["second_order"]["K"][1][1].get<double>(), -0.3 * 0.5 * 9.81, 1e-12);
  for (const char* file : {"A.csv", "B.csv", "C.csv", "D.csv", "lqr.toml", "second_order.csv"})
    EXPECT_FALSE(read_file(scratch.path(std::string("out/") + file)).empty()) << file;
}

// The gains as definitions, pasted into the model: the pole stands up.
TEST(LinearControl, RegulatorStandsUp) {
  const Scratch scratch;
  const std::string model = scratch.write("cart.toml", cart_with_pole());
  const json result = expect_json(run_cartan({"linearize", model, "--inputs", "force", "--lqr-q",
                                              "1,10,1,1", "--lqr-r", "0.1", "--json"}));
  const std::string closed = scratch.write(
      "closed.toml",
      cart_with_pole(result["lqr"]["definitions"].get<std::string>(), "lqr_force", "pi - 0.3"));
  const json run =
      expect_json(run_cartan({"run", closed, "--duration", "20", "--json", "--estimate", "off"}));
  EXPECT_NEAR(run["final"]["q"]["pole"][0].get<double>(), M_PI, 1e-6);
  EXPECT_NEAR(run["final"]["q"]["cart"][0].get<double>(), 0, 1e-6);
}

TEST(LinearControl, DoubleIntegrator) {
  const Scratch scratch;
  const std::string model =
      scratch.write("mass.toml", "[parameters]\nF = 0\n" + slide("x", "2") + joint_force("x", "F"));
  const json result = expect_json(run_cartan(
      {"linearize", model, "--inputs", "F", "--lqr-q", "x.q=1", "--lqr-r", "1", "--json"}));
  EXPECT_NEAR(result["lqr"]["gains"][0][0].get<double>(), 1, 1e-13);
  EXPECT_NEAR(result["lqr"]["gains"][0][1].get<double>(), 2, 1e-13);
  for (int k = 0; k < 2; ++k) {
    EXPECT_NEAR(result["lqr"]["poles"][k][0].get<double>(), -0.5, 1e-13);
    EXPECT_NEAR(result["lqr"]["poles"][k][1].get<double>(), k == 0 ? 0.5 : -0.5, 1e-13);
  }
}

TEST(LinearControl, FrequencyResponseOfTwoMasses) {
  const Scratch scratch;
  const std::string model = scratch.write(
      "masses.toml",
      "[parameters]\nF = 0\n" + slide("x1", "2") + slide("x2", "1") +
          joint_force("x1", "F - 100*x1.q - x1.v - 50*(x1.q - x2.q) - 0.5*(x1.v - x2.v)") +
          joint_force("x2", "50*(x1.q - x2.q) + 0.5*(x1.v - x2.v)"));
  const json result = expect_json(
      run_cartan({"linearize", model, "--inputs", "F", "--outputs", "x1.q,x2.q", "--frequency",
                  "lin(1,30,30)", "--json", "--out", scratch.path("out")}));
  struct Row {
    int w;
    double size1, phase1, size2, phase2;
  };
  const Row rows[] = {
      {1, 0.01031089921372668, -0.5909044961317613, 0.01052130403933219, -0.6025963191534533},
      {4, 0.02236253054376753, -5.700042076386374, 0.03285557820024005, -6.775892697177645},
      {8, 0.005055144319276894, -25.53853016365319, 0.01741489846437785, 174.9807869971705},
      {12, 0.008674894030441515, -166.9529785463127, 0.004637971080663781, 23.54201764662456},
      {30, 0.0006067885838135927, -178.3723169690635, 3.725925060949961e-5, 19.33792431726057}};
  const json& responses = result["frequency"]["responses"];
  for (const Row& row : rows) {
    const int k = row.w - 1;
    EXPECT_NEAR(responses[0]["magnitude"][k].get<double>() / row.size1, 1, 1e-11);
    EXPECT_NEAR(responses[0]["phase_deg"][k].get<double>(), row.phase1, 1e-9);
    EXPECT_NEAR(responses[1]["magnitude"][k].get<double>() / row.size2, 1, 1e-11);
    EXPECT_NEAR(responses[1]["phase_deg"][k].get<double>(), row.phase2, 1e-9);
  }
  EXPECT_EQ(read_table(scratch.path("out/frequency.csv")).rows.size(), 30u);
  for (const char* file : {"bode_magnitude.svg", "bode_phase.svg", "nyquist.svg"})
    EXPECT_NE(read_file(scratch.path(std::string("out/") + file)).find("<svg"), std::string::npos);
  // zeros by hand: x1 stands still where m2 swings on spring and damper; x2: -k2/c2
  const json& first = result["channels"][0]["zeros"];
  ASSERT_EQ(first.size(), 2u);
  EXPECT_NEAR(first[0][0].get<double>(), -0.25, 1e-10);
  EXPECT_NEAR(first[0][1].get<double>(), std::sqrt(50 - 0.0625), 1e-10);
  ASSERT_EQ(result["channels"][1]["zeros"].size(), 1u);
  EXPECT_NEAR(result["channels"][1]["zeros"][0][0].get<double>(), -100, 1e-8);
}

// A closed loop: the four-bar has one degree of freedom; its crank is the state that is told.
TEST(LinearControl, ClosedLoopHasMinimalStates) {
  const Scratch scratch;
  const std::string model =
      scratch.write("four_bar.toml", "gravity = [0, -9.81, 0]\n" + plane_four_bar() +
                                         joint_force("O", "torque") + "[parameters]\ntorque = 0\n");
  const json result = expect_json(run_cartan({"linearize", model, "--at", "equilibrium", "--inputs",
                                              "torque", "--outputs", "D.q", "--json"}));
  EXPECT_EQ(result["states"], json({"O.q0", "O.v0"}));
  EXPECT_EQ(result["controllability"]["rank"], 2);
  // poles of A are the eigenvalues: s^2 = A[1][0] where nothing is damped
  const double a = result["A"][1][0];
  const json& value = result["eigenvalues"][0];
  const std::complex<double> s(value[0].get<double>(), value[1].get<double>());
  EXPECT_NEAR((s * s).real(), a, 1e-9 * std::fabs(a));
  EXPECT_NE(a, 0);
}

// What no input reaches is named, and a regulator is told to be impossible or does without it.
TEST(LinearControl, UnreachedDirections) {
  const Scratch scratch;
  const std::string two =
      scratch.write("two.toml", "[parameters]\nF = 0\nk = 4\n" + slide("x", "2") + slide("y", "1") +
                                    joint_force("x", "F") + joint_force("y", "k*y.q"));
  const CommandResult unstable = run_cartan(
      {"linearize", two, "--inputs", "F", "--lqr-q", "1,1,1,1", "--lqr-r", "1", "--json"});
  EXPECT_EQ(unstable.status, 1);
  EXPECT_NE(unstable.err.find("no input reaches the unstable modes 2"), std::string::npos)
      << unstable.err;
  const CommandResult neutral = run_cartan({"linearize", two, "--set", "k=0", "--inputs", "F",
                                            "--lqr-q", "x.q=1,y.q=1", "--lqr-r", "1", "--json"});
  const json result = expect_json(neutral);
  EXPECT_EQ(result["lqr"]["removed"]["not_reached"].size(), 2u);
  EXPECT_EQ(result["controllability"]["rank"], 2);
  EXPECT_NEAR(result["lqr"]["gains"][0][0].get<double>(), 1, 1e-12);
  EXPECT_NEAR(result["lqr"]["gains"][0][1].get<double>(), 0, 1e-12);
  EXPECT_NE(neutral.err.find("left out"), std::string::npos);
}

TEST(LinearControl, BadWords) {
  const Scratch scratch;
  const std::string model = scratch.write("cart.toml", cart_with_pole());
  expect_refusal(run_cartan({"linearize", model, "--inputs", "forec"}), "did you mean 'force'");
  expect_refusal(run_cartan({"linearize", model, "--outputs", "cart.w"}), "cart.w");
  expect_refusal(run_cartan({"linearize", model, "--frequency", "lin(1,2,3)"}), "--inputs");
  expect_refusal(run_cartan({"linearize", model, "--inputs", "force", "--lqr-q", "1,2"}),
                 "together");
  expect_refusal(
      run_cartan({"linearize", model, "--inputs", "force", "--lqr-q", "1,2", "--lqr-r", "1"}),
      "expected 4 numbers");
}

}  // namespace
}  // namespace cartan::test
