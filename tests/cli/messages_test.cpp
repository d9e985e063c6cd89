// Messages stay readable whatever the file: causes without their consequences, long texts cut, many
// findings counted.
#include <algorithm>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

long lines_of(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

// Computing time of the commands that have ended.
double seconds_of_children() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

TEST(Messages, AnEquationWithoutRatesBesideBodiesIsOneMessage) {
  const Scratch scratch;
  const std::string model = "equations = [\"x^2 = 2\"]\n" +
                            read_file(CARTAN_ROOT "/examples/four_bar.toml") +
                            "\n[variables]\nx = { initial = 1 }\n";
  const CommandResult result = run_cartan({"check", scratch.write("mixed.toml", model)});
  expect_refusal(result, "no rate is in it");
  EXPECT_EQ(lines_of(result.err), 1) << result.err;
}

// One fault, one message: in a good file, each of these changes has one cause.
TEST(Messages, WhatAnotherMessageExplainsIsNotTold) {
  const Scratch scratch;
  const std::string good = read_file(CARTAN_ROOT "/examples/double_pendulum.toml");
  const auto expect_one = [&](const std::string& old, const std::string& by,
                              const std::string& text) {
    std::string model = good;
    ASSERT_NE(model.find(old), std::string::npos) << old;
    model.replace(model.find(old), old.size(), by);
    const CommandResult result = run_cartan({"check", scratch.write("fault.toml", model)});
    expect_refusal(result, text);
    EXPECT_EQ(lines_of(result.err), 1) << result.err;
  };
  expect_one("[parameters]", "[parameter]", "did you mean 'parameters'?");
  expect_one("\nm = 50", "\nmm = 50", "unknown name 'm'; did you mean 'mm'?");
  expect_one("[[body]]", "[[bodyx]]", "did you mean 'body'?");
  expect_one("[[joint]]", "[[jiont]]", "did you mean 'joint'?");
  expect_one("name = \"link1\"", "nmae = \"link1\"", "did you mean 'name'?");
  expect_one("name = \"link1\"", "name = 1", "expected a text in quotes");
  expect_one("name = \"link1\"", "name = \"link9\"", "unknown body 'link1'");
  expect_one("mass = \"m\"", "mas = \"m\"", "did you mean 'mass'?");
  expect_one("type = \"spherical\"", "tpye = \"spherical\"", "did you mean 'type'?");
  expect_one("name = \"joint1\"", "name = \"jointt1\"", "unknown name 'joint1.q'");
  expect_one("\nm = 50", "\nm = \"1/nothing\"", "unknown name 'nothing'");
}

// Two causes are two messages, whatever else follows.
TEST(Messages, CausesAreAllTold) {
  const Scratch scratch;
  std::string model = read_file(CARTAN_ROOT "/examples/double_pendulum.toml");
  for (const auto& [old, by] : {std::pair("mass = \"m\"", "mas = \"m\""),
                                std::pair("type = \"spherical\"", "type = \"sphericl\""),
                                std::pair("w = 0", "w = \"1/0\" # 0")})
    model.replace(model.find(old), std::string(old).size(), by);
  const CommandResult result = run_cartan({"check", scratch.write("faults.toml", model)});
  expect_refusal(result, "did you mean 'mass'?");
  expect_refusal(result, "did you mean 'spherical'?");
  expect_refusal(result, "division by zero");
}

TEST(Messages, LongTextsAreCut) {
  const Scratch scratch;
  const std::string model =
      "[variables]\nx = { initial = 1, rate = \"x" + std::string(50000, '+') + "y_unknown\" }\n";
  const CommandResult result = run_cartan({"check", scratch.write("long.toml", model)});
  expect_refusal(result, "bytes ...]");
  EXPECT_LT(result.err.size(), 2000u);
  const CommandResult option =
      run_cartan({"run", scratch.path("long.toml"), "--duration", std::string(60000, '(')});
  EXPECT_EQ(option.status, 2);
  EXPECT_LT(option.err.size(), 2000u);
}

TEST(Messages, ManyFindingsAreCounted) {
  const Scratch scratch;
  std::string model = "[variables]\n";
  for (int k = 0; k < 100000; ++k)
    model +=
        "x" + std::to_string(k) + " = { initial = 1, rate = \"wrong" + std::to_string(k) + "\" }\n";
  const CommandResult result = run_cartan({"check", scratch.write("many.toml", model)});
  expect_refusal(result, "99950 more findings, 100000 in all (100000 errors)");
  EXPECT_EQ(lines_of(result.err), 51);
}

// A column per output must not be looked for among all others.
TEST(Messages, ManyOutputsTakeTimeInProportion) {
  const Scratch scratch;
  const auto seconds = [&](int count) {
    std::string model = "[variables]\nx = { initial = 1, rate = \"-x\" }\n";
    for (int k = 0; k < count; ++k) {
      const std::string n = std::to_string(k);
      model += "[[output]]\nname = \"o" + n + "\"\nvalue = \"x + " + n + "\"\n";
    }
    const std::string file = scratch.write("outputs.toml", model);
    const std::string out = scratch.path("out");
    const double begin = seconds_of_children();
    EXPECT_EQ(
        run_cartan({"run", file, "--duration", "0.01", "--step", "0.01", "--out", out, "--quiet"})
            .status,
        0);
    EXPECT_EQ(run_cartan({"eval", file, "--at", out}).status, 0);
    EXPECT_EQ(run_cartan({"run", file, "--duration", "0.01", "--step", "0.01", "--json"}).status,
              0);
    return seconds_of_children() - begin;
  };
  const double few = seconds(5000), many = seconds(40000);
  EXPECT_LT(many, 30 * few + 1);  // eight times as many; quadratic would be 64 times
}

TEST(Messages, ShootingHasALimit) {
  for (const char* command : {"orbit", "continue"}) {
    std::vector<std::string> words = {command,      CARTAN_ROOT "/examples/van_der_pol.toml",
                                      "--period",   "6.6",
                                      "--shooting", "1000000000"};
    if (std::string(command) == "continue")
      words.insert(words.end(), {"--of", "orbit", "--parameter", "mu", "--from", "1", "--to", "2"});
    expect_refusal(run_cartan(words), "--shooting: expected 1 to 200 nodes");
  }
}

}  // namespace
}  // namespace cartan::test
