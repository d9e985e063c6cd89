#include "io/model_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "unit/io/model_files.h"

namespace cartan::test {
namespace {

nlohmann::json written(const std::string& file) {
  const Loaded loaded = load_file(test_folder(file));
  if (!loaded.model) throw std::runtime_error(loaded.problems.text());
  return nlohmann::json::parse(model_json(*loaded.model, parameter_values(*loaded.model)));
}

TEST(ModelJson, HoldsEveryElement) {
  const nlohmann::json j = written("tests/good/everything.toml");
  EXPECT_EQ(j["name"], "everything");
  EXPECT_EQ(j["bodies"].size(), 10u);
  EXPECT_EQ(j["joints"].size(), 12u);
  EXPECT_EQ(j["forces"].size(), 12u);
  EXPECT_EQ(j["constraints"].size(), 7u);
  EXPECT_EQ(j["tree"].size(), 10u);
  EXPECT_EQ(j["loops"], (std::vector<std::string>{"closing", "closing_too"}));
}
TEST(ModelJson, NumbersAreEvaluatedAndExpressionsStayTexts) {
  const nlohmann::json j = written("tests/good/everything.toml");
  EXPECT_EQ(j["parameters"]["half"], 0.25);
  EXPECT_EQ(j["bodies"][0]["shapes"][0]["size"], (std::vector<double>{0.4, 0.5, 0.1}));
  EXPECT_EQ(j["gravity"][0], "0.1*sin(t)");
  EXPECT_EQ(j["forces"][0]["stiffness"], 100);
  EXPECT_EQ(j["forces"][3]["force"][1], "-arm.vx");
  EXPECT_NEAR(j["joints"][1]["child"]["quaternion"][0].get<double>(), std::sqrt(0.5), 1e-15);
  EXPECT_EQ(j["joints"][8]["axes"].size(), 2u);
}
TEST(ModelJson, MassFollowsFromShapes) {
  const nlohmann::json arm = written("tests/good/everything.toml")["bodies"][1];
  const double pi = 3.14159265358979323846;
  const double rod = 2700 * pi * 0.02 * 0.02 * 0.5, tube = 2700 * pi * (0.0004 - 0.0001) * 0.1;
  EXPECT_NEAR(arm["mass"].get<double>(), rod + tube, 1e-14);
  EXPECT_NEAR(arm["com"][2].get<double>(), (-0.25 * rod + 0.1 * tube) / (rod + tube), 1e-14);
}
TEST(ModelJson, PlainEquationsHaveVariables) {
  const nlohmann::json j = written("tests/good/variables.toml");
  ASSERT_EQ(j["variables"].size(), 3u);
  EXPECT_EQ(j["variables"][1]["initial"], 0);
  EXPECT_EQ(j["variables"][2]["rate"], "b + z*(x - c)");
}

}  // namespace
}  // namespace cartan::test
