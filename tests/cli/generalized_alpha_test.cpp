// run --integrator generalized-alpha: the spectral radius from the command line and the file, and
// what is refused.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

TEST(GeneralizedAlpha, SummaryTellsTheSpectralRadius) {
  std::vector<std::string> words = {"run",          example("four_bar"),
                                    "--integrator", "generalized-alpha",
                                    "--duration",   "0.1",
                                    "--step",       "0.001"};
  CommandResult result = run_cartan(words);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("spectral radius 0.9 (default)"), std::string::npos) << result.out;
  for (const char* word : {"--spectral-radius", "0.5", "--json"}) words.push_back(word);
  const nlohmann::json json = expect_json(run_cartan(words));
  EXPECT_EQ(json["spectral_radius"], 0.5);
  EXPECT_EQ(json["integrator"], "generalized-alpha");
  EXPECT_LT(json["constraint"]["max_position"], 1e-14);
}

// Without projection positions stay on the constraints all the same, and so do speeds: the method
// settles them itself.
TEST(GeneralizedAlpha, KeepsConstraintsWithoutProjection) {
  const nlohmann::json json = expect_json(
      run_cartan({"run", example("stewart"), "--integrator", "generalized-alpha", "--duration",
                  "0.2", "--step", "0.001", "--stabilisation", "none", "--json"}));
  EXPECT_LT(json["constraint"]["max_position"], 1e-14);
  EXPECT_LT(json["constraint"]["max_velocity"], 1e-12);
}

TEST(GeneralizedAlpha, Refusals) {
  const auto run = [](const std::string& model, const std::vector<std::string>& more) {
    std::vector<std::string> words = {"run", example(model), "--duration", "0.1"};
    words.insert(words.end(), more.begin(), more.end());
    return run_cartan(words);
  };
  const std::string alpha = "generalized-alpha";
  expect_refusal(run("pendulum", {"--integrator", alpha, "--spectral-radius", "1.2"}),
                 "from 0 to 1");
  expect_refusal(run("pendulum", {"--integrator", alpha, "--spectral-radius", "-0.1"}),
                 "from 0 to 1");
  expect_refusal(run("pendulum", {"--integrator", "gl3", "--spectral-radius", "0.5"}),
                 "gl3 has no spectral radius");
  expect_refusal(run("lorenz", {"--integrator", alpha}), "equations of motion");
  expect_refusal(run("four_link", {"--integrator", alpha, "--formulation", "canonical"}),
                 "use it with the formulations recursive");
  expect_refusal(run("four_bar", {"--integrator", alpha, "--stabilisation", "baumgarte"}),
                 "no effect on generalized-alpha");
}

}  // namespace
}  // namespace cartan::test
