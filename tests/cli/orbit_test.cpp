// orbit and lyapunov as a user types them.
#include <cmath>
#include <complex>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

using nlohmann::json;

TEST(OrbitCommand, Roessler) {
  const json result = expect_json(
      run_cartan({"orbit", example("roessler"), "--section", "y", "--period", "6", "--json"}));
  EXPECT_NEAR(result["period"], 6.174637520583301482, 1e-12);
  EXPECT_NEAR(result["state"]["variables"]["x"], 3.152548632195287254, 1e-12);
  EXPECT_NEAR(result["multipliers"][1][0], -0.600539137949363470, 1e-12);
  EXPECT_EQ(result["multipliers"][1][1], 0);
  EXPECT_EQ(result["stable"], true);
  EXPECT_LE(result["newton_steps"], 6);
}

// The state of the output is a start for other commands.
TEST(OrbitCommand, StateCanBeUsedAgain) {
  const Scratch scratch;
  const std::string model = example("four_bar");
  const json orbit = expect_json(run_cartan({"orbit", model, "--set", "speed=30", "--section",
                                             "motor.q - 0.5", "--period", "0.3", "--json"}));
  EXPECT_EQ(orbit["held"], json::array({"kinetic + potential"}));
  EXPECT_EQ(orbit["turns"]["motor.q0"], 1);
  const std::string state = scratch.write("state.json", orbit["state"].dump());
  const double period = orbit["period"];
  const json run = expect_json(
      run_cartan({"run", model, "--set", "speed=30", "--from", state, "--integrator", "dop853",
                  "--tolerance", "1e-13", "--duration", std::to_string(period), "--json"}));
  EXPECT_NEAR(
      std::remainder(run["final"]["q"]["motor"][0].get<double>() - 0.5, 2 * std::acos(-1.0)), 0,
      1e-4);  // six digits of the period
}

TEST(OrbitCommand, DrivenWithAPeriodOverParameters) {
  const json result = expect_json(run_cartan({"orbit", example("duffing"), "--set", "drive=0.2",
                                              "--driven", "--period", "2*pi/omega", "--json"}));
  EXPECT_NEAR(result["period"], 2 * std::acos(-1.0) / 1.2, 1e-15);
  EXPECT_EQ(result["attracting"], true);
  EXPECT_EQ(result["neutral"], 0);
}

TEST(OrbitCommand, Text) {
  const CommandResult result =
      run_cartan({"orbit", example("van_der_pol"), "--section", "x1", "--period", "6"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("6.6632868593231"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("attracting"), std::string::npos) << result.out;
}

TEST(OrbitCommand, BadWords) {
  expect_refusal(run_cartan({"orbit", example("roessler"), "--section", "y"}), "--period");
  expect_refusal(run_cartan({"orbit", example("roessler"), "--period", "-2"}), "positive");
  expect_refusal(run_cartan({"orbit", example("roessler"), "--period", "6", "--section", "yy"}),
                 "yy");
  expect_refusal(run_cartan({"orbit", example("roessler"), "--period", "6", "--shooting", "0"}),
                 "--shooting");
}

// A linear oscillator on the orbit its drive leads it along: H_0 is the response of the linear
// equation, and x seen through cos(Omega t) has its half at both neighbours.
TEST(OrbitCommand, FrequencyResponse) {
  const Scratch scratch;
  const std::string model =
      scratch.write("forced.toml",
                    "name = 'forced'\n[parameters]\nOmega = 1.5\n[inputs]\nu = 0\n[variables]\n"
                    "x = { initial = 0, rate = 'v' }\n"
                    "v = { initial = 0, rate = '-2*x - 0.2*v + cos(Omega*t) + u' }\n");
  const std::string out = scratch.path("out");
  const std::vector<std::string> words = {"orbit",
                                          model,
                                          "--driven",
                                          "--period",
                                          "2*pi/Omega",
                                          "--inputs",
                                          "u",
                                          "--outputs",
                                          "x,x*cos(Omega*t)",
                                          "--frequency",
                                          "lin(0.5,2.5,3)",
                                          "--harmonics",
                                          "1",
                                          "--out",
                                          out,
                                          "--json"};
  const json result = expect_json(run_cartan(words));
  const json& response = result["frequency"];
  EXPECT_NEAR(response["fundamental"], 1.5, 1e-15);
  EXPECT_LT(response["error"], 1e-9);
  ASSERT_EQ(response["responses"].size(), 6u);
  for (const json& channel : response["responses"]) {
    const int k = channel["harmonic"];
    const bool seen_through = channel["output"] != "x";
    for (int f = 0; f < 3; ++f) {
      const double w = response["w"][f];
      std::complex<double> exact = 1.0 / std::complex<double>(2 - w * w, 0.2 * w);
      if (seen_through) exact *= k == 0 ? 0 : 0.5;
      if (!seen_through && k != 0) exact = 0;
      EXPECT_NEAR(channel["re"][f], exact.real(), 1e-10) << channel["output"] << k;
      EXPECT_NEAR(channel["im"][f], exact.imag(), 1e-10) << channel["output"] << k;
    }
  }
  EXPECT_EQ(list_folder(out), (std::vector<std::string>{"bode_magnitude.svg", "bode_phase.svg",
                                                        "cartan-manifest.json", "frequency.csv",
                                                        "nyquist.svg", "orbit.json"}));
  EXPECT_NE(read_file(out + "/frequency.csv").find("x/u [-1].re,"), std::string::npos);
  const CommandResult text = run_cartan({words.begin(), words.end() - 3});
  EXPECT_NE(text.out.find("x / u [+0]"), std::string::npos) << text.out;
}

TEST(OrbitCommand, FrequencyResponseRefusals) {
  const auto refuse = [](std::vector<std::string> more, const std::string& text) {
    std::vector<std::string> words = {"orbit", example("duffing"), "--driven", "--period",
                                      "2*pi/omega"};
    words.insert(words.end(), more.begin(), more.end());
    expect_refusal(run_cartan(words), text);
  };
  refuse({"--inputs", "drive"}, "need --frequency");
  refuse({"--harmonics", "3"}, "needs --frequency");
  refuse({"--frequency", "lin(1,2,3)"}, "needs --inputs and --outputs");
  refuse({"--frequency", "lin(1,2,3)", "--inputs", "driv", "--outputs", "x"},
         "did you mean 'drive'");
  refuse({"--frequency", "lin(1,2,3)", "--inputs", "drive", "--outputs", "y"}, "--outputs");
  refuse({"--frequency", "1", "--inputs", "drive", "--outputs", "x"}, "expected lin(A,B,N)");
  refuse({"--frequency", "lin(1,2,3)", "--inputs", "drive", "--outputs", "x", "--harmonics", "51"},
         "0 to 50");
  refuse({"--frequency", "lin(1,2,3)", "--inputs", "drive", "--outputs", "x", "--swap", "x=v"},
         "leave --swap out");
}

TEST(OrbitCommand, FailureIsASentenceAndStatusOne) {
  const CommandResult result =
      run_cartan({"orbit", example("duffing"), "--period", "5", "--section", "x", "--json"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find("--driven"), std::string::npos) << result.err;
}

// States that lie on a manifold of which the formulation gives no derivatives.
TEST(OrbitCommand, RotationElementsAreRefused) {
  for (const char* command : {"orbit", "lyapunov"}) {
    std::vector<std::string> words = {command, example("double_pendulum"), "--formulation",
                                      "rotation-elements"};
    if (words[0] == "orbit") words.insert(words.end(), {"--period", "2"});
    const CommandResult result = run_cartan(words);
    EXPECT_EQ(result.status, 1);
    EXPECT_NE(result.err.find("--formulation recursive"), std::string::npos) << result.err;
  }
}

TEST(LyapunovCommand, ExponentsAndSection) {
  const Scratch scratch;
  const json result =
      expect_json(run_cartan({"lyapunov", example("lorenz"), "--duration", "50", "--section",
                              "z - 27", "--out", scratch.path("out"), "--json"}));
  ASSERT_EQ(result["exponents"].size(), 3u);
  double sum = 0;
  for (const json& value : result["exponents"]) sum += value.get<double>();
  EXPECT_NEAR(sum, -41.0 / 3, 1e-6);
  const Table table = read_table(scratch.path("out/section.csv"));
  EXPECT_EQ(table.names, (std::vector<std::string>{"t", "x", "y", "z"}));
  EXPECT_EQ(result["crossings"], table.rows.size());
  EXPECT_GT(table.rows.size(), 20u);
  for (double z : table["z"]) EXPECT_NEAR(z, 27, 1e-9);
}

TEST(LyapunovCommand, BadWords) {
  expect_refusal(run_cartan({"lyapunov", example("lorenz"), "--duration", "-1"}), "--duration");
  expect_refusal(run_cartan({"lyapunov", example("lorenz"), "--section", "x"}), "--out");
  expect_refusal(run_cartan({"lyapunov", example("lorenz"), "--duration", "1e-300", "--transient",
                             "0.01", "--quiet"}),
                 "cannot be told apart");
}

}  // namespace
}  // namespace cartan::test
