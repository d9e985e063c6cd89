// Regulators of a cart with a pole, a rolling disc and a bicycle: closed-loop poles against SciPy's
// Riccati solver on what inputs reach and weights see (found by singular values), and the nonlinear
// machine with the feedback pasted in stands up.
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/closed_models.h"
#include "cli/command_line.h"
#include "cli/control_models.h"
#include "core/child_process.h"

namespace cartan::test {
namespace {

using nlohmann::json;

std::string python_with_scipy() {
  for (const char* name : {"python3", "/usr/bin/python3"})
    if (run_child({name, "-c", "import scipy.linalg"}).status == 0) return name;
  return "";
}

const char* const scipy_poles = R"py(
import json, sys
import numpy as np
from scipy.linalg import solve_continuous_are, svd
d = json.load(open(sys.argv[1]))
A, B = np.array(d["A"]), np.array(d["B"])
W = np.array(json.loads(sys.argv[2]))   # rows whose squares are weighted
R = np.eye(B.shape[1]) * float(sys.argv[3])
def span(columns):
    U, s, _ = svd(columns)
    return U, int(np.sum(s > 1e-9 * s[0]))
def krylov(A, B):
    blocks, scale = [B / np.linalg.norm(B)], np.linalg.norm(A)
    for _ in range(A.shape[0] - 1):
        blocks.append(A @ blocks[-1] / scale)
    return np.hstack(blocks)
U, r = span(krylov(A, B))
T = U[:, :r]                            # what the inputs reach
A, B, W = T.T @ A @ T, T.T @ B, W @ T
U, r = span(krylov(A.T, W.T))
T = U[:, :r]                            # what the weights see
A, B, W = T.T @ A @ T, T.T @ B, W @ T
P = solve_continuous_are(A, B, W.T @ W, R)
K = np.linalg.solve(R, B.T @ P)
poles = sorted(np.linalg.eigvals(A - B @ K), key=lambda p: (-p.real, -p.imag))
print(json.dumps([[p.real, p.imag] for p in poles]))
)py";

// `weights`: rows over the states.
void expect_poles_of_scipy(const Scratch& scratch, const json& result,
                           const std::vector<std::vector<double>>& weights, double r) {
  const std::string python = python_with_scipy();
  if (python.empty()) GTEST_SKIP() << "there is no SciPy";
  const std::string file = scratch.write("linear.json", result.dump());
  const std::string script = scratch.write("poles.py", scipy_poles);
  const ChildResult theirs =
      run_child({python, script, file, json(weights).dump(), fmt::format("{}", r)});
  ASSERT_EQ(theirs.status, 0) << theirs.err;
  const json poles = json::parse(theirs.out);
  ASSERT_GE(poles.size(), 2u);
  for (const json& pole : poles) {
    double nearest = 1e300;
    for (const json& ours : result["lqr"]["poles"])
      nearest = std::min(nearest, std::hypot(ours[0].get<double>() - pole[0].get<double>(),
                                             ours[1].get<double>() - pole[1].get<double>()));
    EXPECT_LT(nearest, 1e-9 * (1 + std::hypot(pole[0].get<double>(), pole[1].get<double>())))
        << pole;
    EXPECT_LT(pole[0].get<double>(), -1e-3);
  }
}

std::vector<double> row_of(const json& result, const std::string& state, double weight = 1) {
  std::vector<double> row;
  for (const json& name : result["states"]) row.push_back(name == state ? std::sqrt(weight) : 0);
  return row;
}

TEST(Regulators, CartWithPole) {
  const Scratch scratch;
  const std::string model = scratch.write("cart.toml", cart_with_pole());
  const json result = expect_json(run_cartan({"linearize", model, "--inputs", "force", "--lqr-q",
                                              "1,10,1,1", "--lqr-r", "0.1", "--json"}));
  expect_poles_of_scipy(scratch, result,
                        {row_of(result, "cart.q0"), row_of(result, "pole.q0", 10),
                         row_of(result, "cart.v0"), row_of(result, "pole.v0")},
                        0.1);
}

// A disc that rolls upright, too slowly to stay so, in a yoke that does not turn with it.
std::string rolling_disc(const std::string& feedback, double push) {
  return feedback + (feedback.empty() ? "[inputs]\ntorque = 0\n" : "") +
         fmt::format(R"toml(
[parameters]
r = 0.35
m = 2
rate = 2.5
push = {}
[[body]]
name = "yoke"
mass = 0.1
inertia = [0.002, 0.002, 0.002]
[[body]]
name = "disc"
mass = "m"
inertia = ["m*r^2/4", "m*r^2/2", "m*r^2/4"]
[[joint]]
name = "place"
type = "free"
parent = {{ body = "world" }}
child = {{ body = "yoke" }}
position = {{ at = [0, 0, "r"] }}
velocity = ["push", 0, 0, "rate*r", "-push*r", 0]
[[joint]]
name = "axle"
type = "revolute"
axis = [0, 1, 0]
parent = {{ body = "yoke" }}
child = {{ body = "disc" }}
velocity = "rate"
[[constraint]]
name = "rolling"
type = "rolling-disc"
body = "disc"
center = [0, 0, 0]
axis = [0, 1, 0]
radius = "r"
plane = {{ point = [0, 0, 0], normal = [0, 0, 1] }}
[[force]]
name = "weights"
type = "wrench"
body = "yoke"
at = [0, 0, 0]
force = [0, 0, 0]
torque = ["{}", 0, 0]
frame = "body"
[[output]]
name = "roll"
value = "yoke.R[2,1]"
)toml",
                     push, feedback.empty() ? "torque" : "lqr_torque");
}

TEST(Regulators, RollingDisc) {
  const Scratch scratch;
  const std::string model = scratch.write("disc.toml", rolling_disc("", 0));
  const json result =
      expect_json(run_cartan({"linearize", model, "--inputs", "torque", "--lqr-q",
                              "place.r0=1,place.v0=0.5", "--lqr-r", "1", "--json"}));
  ASSERT_GT(result["eigenvalues"][0][0].get<double>(), 0.5);  // it would fall
  expect_poles_of_scipy(scratch, result,
                        {row_of(result, "place.r0"), row_of(result, "place.v0", 0.5)}, 1);
  const std::string closed = scratch.write(
      "closed.toml", rolling_disc(result["lqr"]["definitions"].get<std::string>(), 0.05));
  const json run =
      expect_json(run_cartan({"run", closed, "--duration", "5", "--json", "--estimate", "off"}));
  EXPECT_NEAR(run["final"]["outputs"]["roll"].get<double>(), 0, 1e-4);
  const std::string alone = scratch.write("alone.toml", rolling_disc("", 0.05));
  const json fallen =
      expect_json(run_cartan({"run", alone, "--duration", "1", "--json", "--estimate", "off"}));
  EXPECT_GT(std::fabs(fallen["final"]["outputs"]["roll"].get<double>()), 0.1);
}

// The bicycle below the speed at which it is stable by itself, with a torque on its handlebar.
std::string bicycle_with_rider(const std::string& feedback) {
  std::string text = read_file(std::string(CARTAN_ROOT) + "/examples/bicycle.toml");
  text = replaced(text, "\n[[event]]",
                  fmt::format("\n[[force]]\nname = \"rider\"\ntype = \"joint\"\njoint = "
                              "\"steering\"\nvalue = \"{}\"\n\n[[event]]",
                              feedback.empty() ? "torque" : "lqr_torque"));
  return replaced(text, "\n[[body]]",
                  "\n" + (feedback.empty() ? "[inputs]\ntorque = 0\n" : feedback) + "\n[[body]]");
}

TEST(Regulators, Bicycle) {
  const Scratch scratch;
  const std::string model = scratch.write("bicycle.toml", bicycle_with_rider(""));
  const std::vector<std::string> straight = {"--set", "v=3",     "--set", "rear_speed=3",
                                             "--set", "pitch=0", "--set", "yaw_rate=0",
                                             "--set", "steer=0"};
  std::vector<std::string> words = {"linearize",
                                    model,
                                    "--inputs",
                                    "torque",
                                    "--json",
                                    "--lqr-q",
                                    "steering.q=1,frame_place.r0=1,frame_place.v0=1",
                                    "--lqr-r",
                                    "1",
                                    "--set",
                                    "lean=0"};
  words.insert(words.end(), straight.begin(), straight.end());
  const json result = expect_json(run_cartan(words));
  ASSERT_GT(result["eigenvalues"][0][0].get<double>(), 0.1);  // it would fall
  expect_poles_of_scipy(scratch, result,
                        {row_of(result, "steering.q0"), row_of(result, "frame_place.r0"),
                         row_of(result, "frame_place.v0")},
                        1);
  const std::string closed = scratch.write(
      "closed.toml", bicycle_with_rider(result["lqr"]["definitions"].get<std::string>()));
  std::vector<std::string> run = {"run",        closed, "--json", "--duration", "6",
                                  "--estimate", "off",  "--set",  "lean=0.05"};
  run.insert(run.end(), straight.begin(), straight.end());
  const json after = expect_json(run_cartan(run));
  EXPECT_NEAR(after["final"]["q"]["steering"][0].get<double>(), 0, 2e-3);
  EXPECT_NEAR(after["final"]["v"]["frame_place"][0].get<double>(), 0, 2e-3);
}

}  // namespace
}  // namespace cartan::test
