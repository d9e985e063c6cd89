// Loads inside bodies, and the options of methods that the source documents use, as a user meets
// them.
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

using nlohmann::json;

const char* const rod = R"toml(name = "rod"
gravity = [0, 0, 0]
[[body]]
name = "arm"
mass = 2
line = { from = [0, 0, 0], to = [0.8, 0, 0] }
[[joint]]
name = "hinge"
type = "revolute"
axis = [0, 0, 1]
parent = { body = "world" }
child = { body = "arm" }
velocity = 3
[[cut]]
repeat = 5
name = "cut{i}"
body = "arm"
at = ["0.2*(i-1)", 0, 0]
normal = [1, 0, 0]
)toml";

bool contains_text(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(CutCommands, TableEvaluationAndDiagrams) {
  const Scratch scratch;
  const std::string model = scratch.write("rod.toml", rod);
  const CommandResult checked = run_cartan({"check", model});
  ASSERT_EQ(checked.status, 0) << checked.err;
  const json at = expect_json(run_cartan({"eval", model, "--json"}));
  ASSERT_EQ(at["cuts"].size(), 5u);
  // N = m / L w^2 (L^2 - s^2) / 2
  for (int i = 0; i < 5; ++i) {
    const json& cut = at["cuts"].at("cut" + std::to_string(i + 1));
    EXPECT_NEAR(cut["axial"].get<double>(), 2 / 0.8 * 9 * (0.64 - 0.04 * i * i) / 2, 1e-12);
    EXPECT_NEAR(cut["bending"].get<double>(), 0, 1e-12);
  }
  const std::string out = scratch.path("run");
  ASSERT_EQ(run_cartan({"run", model, "--duration", "0.1", "--out", out}).status, 0);
  const std::string table = read_file(out + "/cuts.csv");
  EXPECT_TRUE(contains_text(table.substr(0, table.find('\n')), "cut2.axial"));
  EXPECT_TRUE(contains_text(table.substr(0, table.find('\n')), "cut2.tz"));
  ASSERT_EQ(run_cartan({"plot", out}).status, 0);
  EXPECT_TRUE(contains_text(read_file(out + "/plots/loads-arm-force.svg"), "axial, largest"));
}

TEST(CutCommands, MassMustBeSpread) {
  const Scratch scratch;
  std::string text = rod;
  text.replace(text.find("line ="), text.find("\n", text.find("line =")) - text.find("line ="),
               "inertia = [0, 0.1, 0.1]");
  std::string model = scratch.write("point.toml", text);
  const CommandResult refused = run_cartan({"check", model});
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(contains_text(refused.err, "nothing says how the mass of body 'arm' is spread"))
      << refused.err;
  text = rod;
  text.insert(text.find("line ="), "inertia = [0, 0.1, 0.1]\n");
  model = scratch.write("both.toml", text);
  const CommandResult both = run_cartan({"check", model});
  EXPECT_EQ(both.status, 2);
  EXPECT_TRUE(contains_text(both.err, "'inertia' beside 'line'")) << both.err;
}

const std::string cut_examples = std::string(CARTAN_ROOT) + "/examples/";

TEST(MethodOptions, RowsOfJoints) {
  const std::vector<std::string> common = {"run",
                                           cut_examples + "spherical_double.toml",
                                           "--integrator",
                                           "rkmk4",
                                           "--step",
                                           "0.001",
                                           "--duration",
                                           "1",
                                           "--estimate",
                                           "off",
                                           "--stabilisation",
                                           "none",
                                           "--json"};
  double drift[2];
  for (const bool world : {false, true}) {
    std::vector<std::string> words = common;
    words.insert(words.end(),
                 {"--formulation", "absolute-se3", "--rows", world ? "world" : "joint"});
    const json summary = expect_json(run_cartan(words));
    EXPECT_EQ(summary["row_axes"], world ? "world" : "joint");
    drift[world] = summary["energy"]["max_drift"];
  }
  EXPECT_LT(drift[1], 0.1 * drift[0]);  // the document's axes; why: row_axes_test.cpp
  std::vector<std::string> words = common;
  words.insert(words.end(), {"--rows", "world"});
  const CommandResult refused = run_cartan(words);
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(contains_text(refused.err, "absolute-se3")) << refused.err;
  words.back() = "sideways";
  EXPECT_EQ(run_cartan(words).status, 2);
  EXPECT_EQ(run_cartan({"compare", cut_examples + "heavy_top.toml", "--formulations", "recursive",
                        "--integrators", "rk4", "--duration", "0.1", "--rows", "world"})
                .status,
            2);
}

TEST(MethodOptions, NormAndIteration) {
  const auto evaluations = [](std::vector<std::string> more) {
    std::vector<std::string> words = {
        "run", cut_examples + "four_link.toml", "--duration", "1", "--estimate", "off", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return expect_json(run_cartan(words))["evaluations"].get<long>();
  };
  const long largest = evaluations({"--integrator", "rk45", "--tolerance", "1e-10"});
  const long mean = evaluations({"--integrator", "rk45", "--tolerance", "1e-10", "--norm", "rms"});
  EXPECT_LT(mean, largest);
  EXPECT_GT(mean, largest / 2);
  const std::vector<std::string> gl2 = {"--integrator", "gl2",    "--tolerance",
                                        "1e-9",         "--step", "0.01"};
  std::vector<std::string> functional = gl2;
  functional.insert(functional.end(), {"--iteration", "functional"});
  EXPECT_GT(evaluations(functional), evaluations(gl2));
  for (const auto& [option, value, method] :
       {std::tuple("--norm", "rms", "rk4"), std::tuple("--iteration", "functional", "rk45"),
        std::tuple("--norm", "sum", "rk45")}) {
    const CommandResult refused =
        run_cartan({"run", cut_examples + "pendulum.toml", "--integrator", method, option, value});
    EXPECT_EQ(refused.status, 2) << option;
    EXPECT_TRUE(contains_text(refused.err, option)) << refused.err;
  }
}

TEST(MethodOptions, EliminationAndElements) {
  const Scratch scratch;
  double ends[2];
  for (const bool one : {false, true}) {
    const json summary = expect_json(
        run_cartan({"run", cut_examples + "spherical_double.toml", "--formulation",
                    "rotation-elements", "--integrator", "rk4", "--step", "0.002", "--duration",
                    "0.2", "--elimination", one ? "one-step" : "two-step", "--estimate", "off",
                    "--record", "elements", "--out", scratch.path(one ? "one" : "two"), "--json"}));
    ends[one] = summary["final"]["q"].begin().value()[0];
  }
  // beside R^T R = 1, where stages of rk4 are, the two are different equations: they differ by the
  // error of the method
  EXPECT_NE(ends[0], ends[1]);
  EXPECT_NEAR(ends[0], ends[1], 5e-5);
  const std::string table = read_file(scratch.path("two/elements.csv"));
  const std::string header = table.substr(0, table.find('\n'));
  for (const char* column : {".R11", ".T3", ".Lambda13", ".Lambda_joint3"})
    EXPECT_TRUE(contains_text(header, column)) << header;
  EXPECT_EQ(run_cartan({"run", cut_examples + "pendulum.toml", "--record", "elements", "--out",
                        scratch.path("none")})
                .status,
            2);
  EXPECT_EQ(run_cartan({"run", cut_examples + "pendulum.toml", "--elimination", "one-step"}).status,
            2);
}

TEST(EquationOptions, SolvedLinearisedDiagonalAndPower) {
  const std::string model = cut_examples + "planar_double_pendulum.toml";
  const auto text = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"equations", model};
    words.insert(words.end(), more.begin(), more.end());
    const CommandResult result = run_cartan(words);
    EXPECT_EQ(result.status, 0) << result.err;
    return result.out;
  };
  EXPECT_TRUE(contains_text(text({"--solved"}), "q1'' ="));
  const std::string linear = text({"--linearize"});
  for (const char* part : {"K[1,1]", "M[1,2]", "A[3,1]"})
    EXPECT_TRUE(contains_text(linear, part)) << linear;
  EXPECT_TRUE(contains_text(text({"--form", "diagonal"}), "*u1'"));
  EXPECT_TRUE(contains_text(text({"--show", "power"}), "T' ="));
  const CommandResult refused =
      run_cartan({"equations", cut_examples + "heavy_top.toml", "--linearize"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(contains_text(refused.err, "pivot")) << refused.err;
}

}  // namespace
}  // namespace cartan::test
