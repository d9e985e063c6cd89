// run --from: continuing equals not stopping.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

using nlohmann::json;

double largest_difference(const json& a, const json& b) {
  if (a.is_number()) return std::abs(a.get<double>() - b.get<double>());
  double largest = 0;
  for (auto it = a.begin(); it != a.end(); ++it)
    largest = std::max(largest,
                       largest_difference(*it, a.is_object() ? b.at(it.key()) : b[it - a.begin()]));
  return largest;
}

class From : public testing::TestWithParam<const char*> {};

TEST_P(From, ContinuingEqualsNotStopping) {
  const Scratch scratch;
  const std::string model = scratch.write_template({GetParam()});
  const std::string first = scratch.path("first");
  const json half =
      expect_json(run_cartan({"run", model, "--duration", "0.5", "--out", first, "--json"}));
  const json whole = expect_json(run_cartan({"run", model, "--duration", "1", "--json"}));
  const std::string file = scratch.write("state.json", half["final"].dump());
  for (const std::string& from : {first, first + "/trajectory.csv", file}) {
    const json rest =
        expect_json(run_cartan({"run", model, "--from", from, "--duration", "0.5", "--json"}));
    EXPECT_EQ(rest["t_initial"], 0.5);
    EXPECT_EQ(rest["final"]["t"], 1.0);
    EXPECT_LT(largest_difference(rest["final"], whole["final"]), 1e-10) << from;
  }
  EXPECT_GT(largest_difference(half["final"], whole["final"]), 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Models, From,
                         testing::Values("double-pendulum", "top", "cartpole", "variables",
                                         "four-bar", "sleigh", "rolling-disc", "stewart"));

TEST(From, WhatIsMissingIsTheInitialValue) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"double-pendulum"});
  const std::string state = scratch.write("state.json", R"({"q": {"elbow": -0.25}})");
  const json run =
      expect_json(run_cartan({"run", model, "--from", state, "--duration", "0", "--json"}));
  EXPECT_EQ(run["final"]["q"]["elbow"][0], -0.25);
  EXPECT_EQ(run["final"]["q"]["shoulder"][0], 2.0);
  EXPECT_EQ(run["steps"], 0);
}

TEST(From, AnotherModelsTableIsRefused) {
  const Scratch scratch;
  const std::string out = scratch.path("out");
  ASSERT_EQ(
      run_cartan({"run", scratch.write_template({"pendulum"}), "--duration", "0.1", "--out", out})
          .status,
      0);
  expect_refusal(run_cartan({"run", scratch.write_template({"top"}), "--from", out}),
                 "no column belongs to the model");
  expect_refusal(run_cartan({"run", scratch.path("top.toml"), "--from", scratch.path("")}),
                 "there is no such file");
}

}  // namespace
}  // namespace cartan::test
