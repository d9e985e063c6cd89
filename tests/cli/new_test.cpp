// Templates: each is a model that checks and runs as it stands.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

using Words = std::vector<std::string>;

class Templates : public testing::TestWithParam<Words> {};

TEST_P(Templates, ChecksAndRuns) {
  const Scratch scratch;
  const std::string model = scratch.write_template(GetParam());
  EXPECT_EQ(read_file(model)[0], '#') << "begins with what to look for";
  const CommandResult check = run_cartan({"check", model});
  EXPECT_EQ(check.status, 0);
  EXPECT_EQ(check.err, "") << "without warnings";
  const CommandResult run = run_cartan({"run", model, "--duration", "0.5"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("0 to 0.5 s"), std::string::npos) << run.out;
}

INSTANTIATE_TEST_SUITE_P(
    All, Templates,
    testing::Values(Words{"pendulum"}, Words{"double-pendulum"}, Words{"chain"},
                    Words{"chain", "--links", "3", "--joint", "revolute"},
                    Words{"chain", "--links", "1"}, Words{"top"}, Words{"cartpole"},
                    Words{"robot-arm"}, Words{"four-bar"}, Words{"slider-crank"}, Words{"stewart"},
                    Words{"bricard"}, Words{"scissor"}, Words{"scissor", "--links", "1"},
                    Words{"ladder"}, Words{"ladder", "--links", "12"}, Words{"bicycle"},
                    Words{"rolling-disc"}, Words{"sleigh"}, Words{"variables"}));

TEST(New, ChainHasTheLinksAskedFor) {
  const Scratch scratch;
  const std::string spherical = scratch.write_template({"chain", "--links", "20"});
  EXPECT_EQ(expect_json(run_cartan({"check", spherical, "--json"}))["dof"], 60);
  const std::string revolute =
      scratch.write_template({"chain", "--links", "20", "--joint", "revolute"});
  EXPECT_EQ(expect_json(run_cartan({"check", revolute, "--json"}))["dof"], 20);
}

TEST(New, LinkagesHaveTheStagesAskedFor) {
  const Scratch scratch;
  const auto count = [&](const std::vector<std::string>& words) {
    return expect_json(run_cartan({"check", scratch.write_template(words), "--json"}));
  };
  const auto scissor = count({"scissor", "--links", "5"});
  EXPECT_EQ(scissor["dof"], 1);
  EXPECT_EQ(scissor["loops"], 6);
  EXPECT_EQ(scissor["redundant"], 18);
  const auto ladder = count({"ladder", "--links", "7"});
  EXPECT_EQ(ladder["dof"], 7);
  EXPECT_EQ(ladder["loops"], 7);
}

// Most of them are the example itself; two come from a generator.
TEST(New, LinkagesAndWheelsAreTheExamples) {
  const std::pair<const char*, const char*> files[] = {
      {"four-bar", "four_bar"}, {"slider-crank", "slider_crank"}, {"stewart", "stewart"},
      {"bricard", "bricard"},   {"scissor", "scissor"},           {"ladder", "ladder"},
      {"bicycle", "bicycle"},   {"rolling-disc", "rolling_coin"}, {"sleigh", "sleigh"}};
  for (const auto& [name, file] : files) {
    std::string example = read_file(std::string(CARTAN_ROOT) + "/examples/" + file + ".toml");
    const auto replace_all = [&](const std::string& from, const std::string& to) {
      for (std::size_t at = 0; (at = example.find(from, at)) != std::string::npos; at += to.size())
        example.replace(at, from.size(), to);
    };
    replace_all("./cartan", "cartan");
    replace_all(std::string("examples/") + file + ".toml", "FILE");
    EXPECT_EQ(run_cartan({"new", name}).out, example) << name;
  }
}

TEST(New, WritesAFileButNeverOverOne) {
  const Scratch scratch;
  const std::string file = scratch.path("top.toml");
  EXPECT_EQ(run_cartan({"new", "top", "--out", file}).status, 0);
  EXPECT_EQ(read_file(file), run_cartan({"new", "top"}).out);
  expect_refusal(run_cartan({"new", "pendulum", "--out", file}), "replace it with --force");
  EXPECT_EQ(read_file(file), run_cartan({"new", "top"}).out);
  EXPECT_EQ(run_cartan({"new", "pendulum", "--out", file, "--force"}).status, 0);
  EXPECT_EQ(read_file(file), run_cartan({"new", "pendulum"}).out);
  EXPECT_EQ(list_folder(scratch.path("")), std::vector<std::string>{"top.toml"});
}

TEST(New, Refusals) {
  expect_refusal(run_cartan({"new", "pendulm"}), "did you mean 'pendulum'?");
  expect_refusal(run_cartan({"new", "four_bar"}), "did you mean 'four-bar'?");
  expect_refusal(run_cartan({"new", "nonsense"}), "double-pendulum");
  expect_refusal(run_cartan({"new", "chain", "--links", "0"}), "--links is 0");
  expect_refusal(run_cartan({"new", "chain", "--joint", "rubber"}),
                 "expected spherical or revolute");
  expect_refusal(run_cartan({"new", "top", "--links", "3"}), "--links belongs to 'chain'");
  expect_refusal(run_cartan({"new", "scissor", "--joint", "revolute"}),
                 "--joint belongs to 'chain'");
  expect_refusal(run_cartan({"new", "top", "--out", "/nonexistent/folder/x.toml"}), "cannot write");
}

}  // namespace
}  // namespace cartan::test
