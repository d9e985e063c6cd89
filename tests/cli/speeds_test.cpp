// Speeds of the user's choice, and equations without rates, as a user meets them.
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "support/two_arms.h"

namespace cartan::test {
namespace {

using nlohmann::json;

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string two_links(const std::string& more) {
  return two_arms({"", "velocity = 0.25\n", "velocity = 1\n"}, more);
}

TEST(SpeedCommands, EquationsCodeAndColumns) {
  const Scratch scratch;
  const std::string model =
      scratch.write("m.toml", two_links("[speeds]\nfirst = \"a.v\"\nsecond = \"fore.wy\"\n"));
  const CommandResult kane = run_cartan({"equations", model});
  ASSERT_EQ(kane.status, 0) << kane.err;
  EXPECT_TRUE(says(kane.out, "q2' = second - first")) << kane.out;
  EXPECT_TRUE(says(kane.out, "*second'")) << kane.out;
  const CommandResult lagrange = run_cartan({"equations", model, "--form", "lagrange"});
  EXPECT_TRUE(says(lagrange.out, "belong to the form kane")) << lagrange.out;
  // the state of the code is (q, u), and so is its start
  for (const auto& [form, start] : {std::pair("recursive", "0.0, 0.0, 0.25, 1.25"),
                                    std::pair("mass-matrix", "0.0, 0.0, 0.25, 1.25")}) {
    const std::string out = scratch.path(std::string("code_") + form);
    const json made = expect_json(
        run_cartan({"generate", model, "--form", form, "--out", out, "--name", "m", "--json"}));
    EXPECT_EQ(made["states"], json({"a.q0", "b.q0", "first", "second"}));
    EXPECT_TRUE(says(read_file(out + "/m.c"), std::string("m_x0[4] = {") + start)) << form;
  }
  const std::string run = scratch.path("run");
  ASSERT_EQ(run_cartan({"run", model, "--duration", "0.1", "--out", run}).status, 0);
  const std::string table = read_file(run + "/trajectory.csv");
  EXPECT_TRUE(says(table.substr(0, table.find('\n')), ",first,second"));
  // their names stand in expressions
  EXPECT_EQ(run_cartan({"run", model, "--duration", "0.1", "--quiet"}).status, 0);
  const CommandResult diagonal =
      run_cartan({"generate", model, "--form", "diagonal", "--out", scratch.path("d")});
  EXPECT_EQ(diagonal.status, 0) << diagonal.err;
}

TEST(SpeedCommands, WrongOnesAreRefused) {
  const Scratch scratch;
  int number = 0;
  const auto refused = [&](const std::string& text, const std::string& part,
                           const std::string& command = "check") {
    const std::string model = scratch.write("r" + std::to_string(++number) + ".toml", text);
    std::vector<std::string> words = {command, model};
    if (command == "generate") words.insert(words.end(), {"--out", scratch.path("none")});
    const CommandResult result = run_cartan(words);
    EXPECT_EQ(result.status, 2) << part;
    EXPECT_TRUE(says(result.err, part)) << result.err;
  };
  refused(two_links("[speeds]\nu = \"a.v\"\n"), "there are 1 in [speeds]");
  refused(two_links("[speeds]\nu = \"a.v\"\nw = \"a.q\"\n"), "no speed is in it");
  refused(two_links("[speeds]\nu = \"a.v\"\nw = \"kinetic*b.v\"\n"), "kinetic energy");
  refused(two_links("[speeds]\nu = \"a.v\"\nu2 = \"unknown.v\"\n"), "unknown");
  refused(two_links("[speeds]\nu = \"a.v\"\nw = \"a.v*b.v\"\n"), "not linear", "equations");
  refused(two_links("[speeds]\nu = \"a.v\"\nw = \"2*a.v\"\n"), "depend on each other", "generate");
  refused(two_links("[[constraint]]\ntype = \"drive\"\njoint = \"a\"\nposition = \"0.25*t\"\n"
                    "[speeds]\nu = \"a.v\"\nw = \"b.v\"\n"),
          "driven joint", "equations");
  refused("[variables]\nx = { initial = 1, rate = \"-x\" }\n[speeds]\nu = \"x\"\n",
          "[speeds] are those of joints");
}

const char* const circuit = R"toml(name = "circuit"
[parameters]
R = 2
[variables]
u = { initial = 1, rate = "-i" }
i = { initial = 5 }
equations = ["u = R*i"]
[simulate]
duration = 2
step = 0.01
integrator = "gl3"
)toml";

TEST(AlgebraicCommands, RunAnalyseAndGenerate) {
  const Scratch scratch;
  const std::string model = scratch.write("c.toml", circuit);
  const CommandResult told = run_cartan({"run", model});
  ASSERT_EQ(told.status, 0) << told.err;
  EXPECT_TRUE(says(told.err, "the equations decide i: it starts at 0.5 (written: 5)")) << told.err;
  const json run = expect_json(run_cartan({"run", model, "--json"}));
  EXPECT_NEAR(run["final"]["variables"]["u"].get<double>(), std::exp(-1.0), 1e-12) << run["final"];
  const json linear =
      expect_json(run_cartan({"linearize", model, "--at", "equilibrium", "--json"}));
  ASSERT_EQ(linear["eigenvalues"].size(), 1u);
  EXPECT_NEAR(linear["eigenvalues"][0][0].get<double>(), -0.5, 1e-13);
  const CommandResult equations = run_cartan({"equations", model});
  EXPECT_TRUE(says(equations.out, "0 = u - R*i")) << equations.out;
  const json made = expect_json(
      run_cartan({"generate", model, "--jacobian", "--out", scratch.path("code"), "--json"}));
  EXPECT_TRUE(made["operations"].contains("constraints"));
  EXPECT_TRUE(says(read_file(scratch.path("code/c.c")), "c_x0[2] = {1.0, 0.5}"));
  // parameters are found through the equation: u at times from a run with another R
  ASSERT_EQ(run_cartan({"run", model, "--set", "R=3", "--step", "0.2", "--out",
                        scratch.path("data"), "--quiet"})
                .status,
            0);
  const json fitted = expect_json(run_cartan(
      {"fit", model, "--data", scratch.path("data/trajectory.csv"), "--free", "R=1", "--json"}));
  EXPECT_NEAR(fitted["parameters"]["R"].get<double>(), 3, 1e-7);
}

TEST(AlgebraicCommands, HigherIndexIsNamed) {
  const Scratch scratch;
  const std::string model = scratch.write("p.toml", R"toml([variables]
x = { initial = 1, rate = "p" }
p = { initial = 0 }
equations = ["x^2 = 1 + t"]
)toml");
  const CommandResult refused = run_cartan({"check", model});
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(says(refused.err, ":4:")) << refused.err;
  EXPECT_TRUE(says(refused.err, "hidden constraint, 2*x*p - 1 = 0")) << refused.err;
}

}  // namespace
}  // namespace cartan::test
