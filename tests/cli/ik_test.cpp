// cartan ik as a user types it. The arm's solutions are those of its closed form (shoulder, elbow,
// wrist), the four-bar's those of two circles that meet.
#include <cmath>
#include <numbers>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "cli/control_models.h"

namespace cartan::test {
namespace {

using nlohmann::json;
constexpr double turn = 2 * std::numbers::pi;

const double arm_solutions[8][6] = {{0.1842894770759314, 0.4116608823951278, -1.861975719966963,
                                     0.1886339309701367, 2.352752173395744, -0.3362649885957838},
                                    {0.1842894770759314, 0.4116608823951278, -1.861975719966963,
                                     -2.952958722619657, -2.352752173395744, 2.805327664994009},
                                    {0.1842894770759314, -1.498851081360093, 1.955931552663129,
                                     0.296867424247669, 0.4721840389884459, -0.7359649964778532},
                                    {0.1842894770759314, -1.498851081360093, 1.955931552663129,
                                     -2.844725229342124, -0.4721840389884459, 2.40562765711194},
                                    {-2.282349598283952, -1.642741572229701, -1.861975719966963,
                                     2.665483674491397, 0.6449917484237282, 0.4604379915143578},
                                    {-2.282349598283952, -1.642741572229701, -1.861975719966963,
                                     -0.4761089790983967, -0.6449917484237282, -2.681154662075435},
                                    {-2.282349598283952, 2.729931771194665, 1.955931552663129,
                                     2.696601112638621, 2.446934985857106, -0.2816327296011124},
                                    {-2.282349598283952, 2.729931771194665, 1.955931552663129,
                                     -0.4449915409511724, -2.446934985857106, 2.859959923988681}};

double distance_to(const json& solution, const double* reference) {
  double most = 0;
  for (int k = 0; k < 6; ++k) {
    const double q = solution["state"]["q"][fmt::format("q{}", k + 1)][0];
    most = std::max(most, std::fabs(std::remainder(q - reference[k], turn)));
  }
  return most;
}

TEST(InverseKinematics, AllEightConfigurationsOfAnArm) {
  const Scratch scratch;
  const std::string arm = scratch.write("arm.toml", six_joint_arm());
  for (const std::string& orientation :
       {std::string("tool.R = [-0.3, 0.9, 0.4]"),
        std::string("tool.R = [[0.5725406952574801, -0.5852409761081357, 0.5741865133892277], "
                    "[0.242066323406495, 0.7897771408135439, 0.5636097612008205], "
                    "[-0.7833269096274834, -0.1836983062860955, 0.5938466846931759]]")}) {
    const json result = expect_json(run_cartan({"ik", arm, "--target", "tool = [0.45, 0.25, 0.85]",
                                                "--target", orientation, "--all", "--json"}));
    ASSERT_EQ(result["solutions"].size(), 8u);
    EXPECT_TRUE(result["complete"]);
    for (const auto& reference : arm_solutions) {
      double best = 1;
      for (const json& solution : result["solutions"])
        best = std::min(best, distance_to(solution, reference));
      EXPECT_LT(best, 1e-12);
    }
  }
}

// Starts lie within ranges of coordinates: a shoulder that is kept on one side is half of the
// solutions, and every start reaches one.
TEST(InverseKinematics, AllConfigurationsWithinRanges) {
  const Scratch scratch;
  const std::string arm = scratch.write("arm.toml", six_joint_arm());
  const json result = expect_json(
      run_cartan({"ik", arm, "--target", "tool = [0.45, 0.25, 0.85]", "--target",
                  "tool.R = [-0.3, 0.9, 0.4]", "--all", "--range", "q1.q = [0, 1]", "--json"}));
  EXPECT_TRUE(result["complete"]);
  ASSERT_EQ(result["solutions"].size(), 4u);
  for (int k = 0; k < 4; ++k) {
    double best = 1;
    for (const json& solution : result["solutions"])
      best = std::min(best, distance_to(solution, arm_solutions[k]));
    EXPECT_LT(best, 1e-12);
  }
  const int reached = result["starts"].get<int>() - result["failures"].get<int>();
  EXPECT_GT(reached, 390);
  EXPECT_NEAR(result["unseen_share"].get<double>(), 3.0 / reached, 1e-12);
}

TEST(InverseKinematics, BothBranchesOfAFourBar) {
  const Scratch scratch;
  const std::string model = scratch.write("four_bar.toml", plane_four_bar());
  const json result = expect_json(run_cartan(
      {"ik", model, "--target", "O.q = pi/3", "--all", "--json", "--out", scratch.path("out")}));
  ASSERT_EQ(result["solutions"].size(), 2u);
  const double coupler[] = {-0.4712364172568041, -2.290105029640056},
               rocker[] = {1.683987342942598, -2.350933687446262};
  for (int k = 0; k < 2; ++k) {
    const json& q = result["solutions"][k]["state"]["q"];
    EXPECT_NEAR(q["A"][0].get<double>(), coupler[k], 1e-12);
    EXPECT_NEAR(q["D"][0].get<double>(), rocker[k], 1e-12);
    EXPECT_LT(result["solutions"][k]["residual"].get<double>(), 1e-12);
  }
  EXPECT_EQ(read_table(scratch.path("out/solutions.csv")).rows.size(), 2u);
  // what is written can be run
  EXPECT_EQ(run_cartan({"run", model, "--from", scratch.path("out/state.json"), "--duration", "0.1",
                        "--quiet"})
                .status,
            0);
}

// Least change: at the solution the way back to the start has no part along what is left free. A
// planar arm of two slides x, y on the circle x^2 + y^2 = 1: the point nearest to (2, 1).
TEST(InverseKinematics, LeastChangeAndRanges) {
  const Scratch scratch;
  const std::string model =
      scratch.write("slides.toml", "name = \"slides\"\n" + slide("x", "1", "position = 2\n") +
                                       slide("y", "1", "position = 1\n"));
  const json free =
      expect_json(run_cartan({"ik", model, "--target", "x.q^2 + y.q^2 = 1", "--json"}));
  EXPECT_EQ(free["freedom"], 1);
  EXPECT_NEAR(free["state"]["q"]["x"][0].get<double>(), 2 / std::sqrt(5.0), 1e-9);
  EXPECT_NEAR(free["state"]["q"]["y"][0].get<double>(), 1 / std::sqrt(5.0), 1e-9);
  const json kept = expect_json(run_cartan(
      {"ik", model, "--target", "x.q^2 + y.q^2 = 1", "--range", "x.q = [-1, 0.6]", "--json"}));
  EXPECT_NEAR(kept["state"]["q"]["x"][0].get<double>(), 0.6, 1e-9);
  EXPECT_NEAR(kept["state"]["q"]["y"][0].get<double>(), 0.8, 1e-9);
  EXPECT_EQ(kept["at_limit"], json({"x.q"}));
}

TEST(InverseKinematics, SpeedsAreTargetsToo) {
  const Scratch scratch;
  const std::string model = scratch.write("four_bar.toml", plane_four_bar());
  const json result = expect_json(
      run_cartan({"ik", model, "--target", "O.q = pi/3", "--target", "O.v = 2", "--json"}));
  const json& v = result["state"]["v"];
  EXPECT_NEAR(v["A"][0].get<double>(), 2 * (-0.2491917190966443 - 1), 1e-11);
  EXPECT_NEAR(v["D"][0].get<double>(), 2 * 0.217436543532047, 1e-11);
}

TEST(InverseKinematics, WhatCannotBeMetIsTold) {
  const Scratch scratch;
  const std::string arm = scratch.write("arm.toml", six_joint_arm());
  const CommandResult far = run_cartan({"ik", arm, "--target", "tool.x = 4", "--json"});
  const json result = expect_json(far, 1);
  EXPECT_FALSE(result["found"]);
  EXPECT_GT(result["residual"].get<double>(), 1);
  EXPECT_NE(far.err.find("tool.x = 4"), std::string::npos);
  const CommandResult many =
      run_cartan({"ik", arm, "--target", "tool = [0.45, 0.25, 0.85]", "--all", "--json"});
  EXPECT_EQ(expect_json(many, 1)["continuum"], 3);
  EXPECT_NE(many.err.find("continuum"), std::string::npos);
  // stretched out: the wrist is singular at the zero configuration
  const json zero = expect_json(run_cartan({"ik", arm, "--target", "tool = [0.9636, 0.15, 0.6903]",
                                            "--target", "tool.R = [0, 0, 0]", "--json"}));
  EXPECT_TRUE(zero["singular"]);
  EXPECT_EQ(zero["rank"], 5);
}

TEST(InverseKinematics, BadWords) {
  const Scratch scratch;
  const std::string arm = scratch.write("arm.toml", six_joint_arm());
  expect_refusal(run_cartan({"ik", arm}), "--target");
  expect_refusal(run_cartan({"ik", arm, "--target", "tool.x"}), "EXPR = EXPR");
  expect_refusal(run_cartan({"ik", arm, "--target", "toll.x = 1"}), "toll.x");
  expect_refusal(run_cartan({"ik", arm, "--target", "tool = [1, 2]"}), "list of 2");
  expect_refusal(run_cartan({"ik", arm, "--target", "tool.R = [[1,0,0],[0,1,0],[0,0,2]]"}),
                 "no rotation");
  expect_refusal(run_cartan({"ik", arm, "--target", "tool.x = 1", "--range", "q1.q = [1, 0]"}),
                 "low end");
  expect_refusal(run_cartan({"ik", arm, "--target", "tool.x = 1", "--starts", "5"}), "--all");
  expect_refusal(run_cartan({"ik", arm, "--target", "tool.x = 1", "--distinct", "tool"}), "--all");
  expect_refusal(run_cartan({"ik", arm, "--target", "tool.x = 1", "--all", "--distinct", "toll"}),
                 "toll");
}

// The crank moves as sin: speeds and accelerations of the others against those of a run in which a
// drive moves it.
TEST(InverseKinematics, PathOfACrank) {
  const Scratch scratch;
  const std::string model = scratch.write("four_bar.toml", plane_four_bar());
  std::string table = "t,O.q0\n";
  for (int k = 0; k <= 20; ++k)
    table += fmt::format("{:.17g},{:.17g}\n", 0.1 * k, 1 + 0.2 * 0.1 * k + 0.1 * 0.01 * k * k);
  const std::string path = scratch.write("crank.csv", table);
  const json result = expect_json(
      run_cartan({"ik", model, "--path", path, "--out", scratch.path("out"), "--json"}));
  EXPECT_TRUE(result["found"]);
  EXPECT_EQ(result["rows"], 21);
  const std::string driven =
      scratch.write("driven.toml",
                    plane_four_bar() +
                        "[[constraint]]\ntype = \"drive\"\njoint = \"O\"\nposition = \"1 + 0.2*t + "
                        "0.1*t^2\"\n");
  EXPECT_EQ(run_cartan({"run", driven, "--duration", "2", "--step", "0.1", "--integrator", "dop853",
                        "--tolerance", "1e-12", "--out", scratch.path("run"), "--quiet"})
                .status,
            0);
  const Table own = read_table(scratch.path("out/path.csv")),
              run = read_table(scratch.path("run/trajectory.csv"));
  ASSERT_EQ(own.rows.size(), run.rows.size());
  for (const char* name : {"A.q0", "D.q0", "B.q0", "A.v0", "D.v0", "B.v0"})
    for (std::size_t k = 0; k < own.rows.size(); ++k)
      EXPECT_NEAR(own[name][k], run[name][k], 1e-8) << name << " row " << k;
  // accelerations at the end from `eval`
  const json at = expect_json(run_cartan({"eval", driven, "--at", scratch.path("run"), "--json"}));
  for (const char* joint : {"O", "A", "D"})
    EXPECT_NEAR(own[std::string(joint) + ".a0"].back(), at["acceleration"][joint][0].get<double>(),
                1e-7);
  // and `inverse` takes the same table
  const CommandResult partial = run_cartan({"inverse", model, "--motion", path, "--json"});
  const json forces = expect_json(partial);
  const json whole = expect_json(
      run_cartan({"inverse", model, "--motion", scratch.path("out/path.csv"), "--json"}));
  for (std::size_t k = 0; k < 21; ++k) {
    const double a = forces["force"]["O"][k][0], b = whole["force"]["O"][k][0];
    EXPECT_NEAR(a, b, 1e-12);
    EXPECT_GT(std::fabs(a), 1e-6);
  }
}

TEST(InverseKinematics, PathOutOfReachEndsWithItsTime) {
  const Scratch scratch;
  const std::string arm =
      scratch.write("slides.toml", "name = \"slides\"\n" + slide("x", "1", "position = 0.5\n") +
                                       slide("y", "1", "position = 0.5\n"));
  // a circle of radius one, x moves outwards: the fold is where x reaches one, at t = 0.5
  const std::string path =
      scratch.write("path.csv", "t,x.q0,x.q^2+y.q^2\n0,0.5,1\n0.5,1,1\n0.75,1.25,1\n1,1.5,1\n");
  const CommandResult result = run_cartan({"ik", arm, "--path", path, "--json"});
  const json told = expect_json(result, 1);
  EXPECT_FALSE(told["found"]);
  EXPECT_NE(result.err.find("t = 0.5"), std::string::npos) << result.err;
}

// A path of a point and of an angle of orientation, each linear in time: with sin q = t/2
// q' = 1/(2 cos q), q'' = sin q/(4 cos^3 q).
TEST(InverseKinematics, PathOfAPointAndOfAnOrientation) {
  const Scratch scratch;
  const std::string model = scratch.write("arm.toml", R"([[body]]
name = "arm"
mass = 1
inertia = [1, 1, 1]
[[joint]]
name = "pivot"
type = "revolute"
axis = [1, 0, 0]
parent = { body = "world" }
child = { body = "arm" }
[[point]]
name = "tip"
body = "arm"
at = [0, 1, 0]
)");
  const auto follow = [&](const std::string& column, double slope) {
    std::string table = "t," + column + "\n";
    for (int k = 0; k <= 10; ++k) table += fmt::format("{},{}\n", 0.1 * k, slope * 0.1 * k);
    const std::string out = scratch.path("out");
    expect_json(run_cartan({"ik", model, "--path", scratch.write("path.csv", table), "--out", out,
                            "--force", "--json"}));
    return read_table(out + "/path.csv");
  };
  const Table tip = follow("tip.z", 0.5);
  ASSERT_EQ(tip["t"].size(), 11u);
  for (std::size_t k = 0; k < 11; ++k) {
    const double q = std::asin(0.5 * tip["t"][k]), c = std::cos(q);
    EXPECT_NEAR(tip["pivot.q0"][k], q, 1e-10);
    EXPECT_NEAR(tip["pivot.v0"][k], 0.5 / c, 1e-9);
    EXPECT_NEAR(tip["pivot.a0"][k], 0.25 * std::sin(q) / (c * c * c), 1e-9);
  }
  const Table roll = follow("arm.roll", 0.8);
  for (std::size_t k = 0; k < 11; ++k) {
    EXPECT_NEAR(roll["pivot.q0"][k], 0.8 * roll["t"][k], 1e-10);
    EXPECT_NEAR(roll["pivot.v0"][k], 0.8, 1e-9);
    EXPECT_NEAR(roll["pivot.a0"][k], 0, 1e-9);
  }
}

// Poses (place, rotation) of the platform of examples/stewart.toml with the lengths of its legs at
// the start: Levenberg and Marquardt's method on the six lengths alone, from random poses.
std::vector<std::pair<Eigen::Vector3d, Eigen::Matrix3d>> platform_poses(
    Eigen::Matrix<double, 6, 1>& lengths, int starts) {
  const double deg = std::numbers::pi / 180;
  const double base[] = {-10, 10, 110, 130, 230, 250}, top[] = {-50, 50, 70, 170, 190, 290};
  Eigen::Matrix<double, 3, 6> b, p;
  for (int k = 0; k < 6; ++k) {
    b.col(k) << 0.5 * std::cos(base[k] * deg), 0.5 * std::sin(base[k] * deg), 0;
    p.col(k) << 0.25 * std::cos(top[k] * deg), 0.25 * std::sin(top[k] * deg), -0.02;
  }
  const Eigen::Vector3d place(0.03, -0.02, 0.62), axis(0.1, -0.15, 0.2);
  const Eigen::Matrix3d turned(Eigen::AngleAxisd(axis.norm(), axis.normalized()));
  lengths = ((turned * p - b).colwise() + place).colwise().norm().transpose();
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<std::pair<Eigen::Vector3d, Eigen::Matrix3d>> found;
  using Six = Eigen::Matrix<double, 6, 1>;
  for (int n = 0; n < starts; ++n) {
    Eigen::Vector3d x(normal(random), normal(random), normal(random));
    Eigen::Quaterniond u(normal(random), normal(random), normal(random), normal(random));
    Eigen::Matrix3d R = u.normalized().toRotationMatrix();
    const auto residual = [&](const Eigen::Vector3d& at, const Eigen::Matrix3d& turned) -> Six {
      const Eigen::Matrix<double, 3, 6> legs = (turned * p - b).colwise() + at;
      return 0.5 * (legs.colwise().squaredNorm().transpose() - lengths.cwiseAbs2());
    };
    Six r = residual(x, R);
    double mu = 1e-2;
    for (int i = 0; i < 200 && r.norm() > 1e-13 && mu < 1e8; ++i) {
      const Eigen::Matrix<double, 3, 6> arms = R * p, legs = (arms - b).colwise() + x;
      Eigen::Matrix<double, 6, 6> J;
      for (int k = 0; k < 6; ++k)
        J.row(k) << legs.col(k).transpose(), arms.col(k).cross(legs.col(k)).transpose();
      const Six d = (J.transpose() * J + mu * Eigen::Matrix<double, 6, 6>::Identity())
                        .ldlt()
                        .solve(-J.transpose() * r);
      const Eigen::Vector3d w = d.tail<3>();
      const Eigen::Matrix3d moved =
          w.norm() > 0 ? Eigen::AngleAxisd(w.norm(), w.normalized()) * R : R;
      const Six next = residual(x + d.head<3>(), moved);
      const bool better = next.norm() < r.norm();
      mu *= better ? 0.1 : 8;
      if (!better) continue;
      x += d.head<3>();
      R = moved;
      r = next;
    }
    if (!(r.norm() < 1e-11)) continue;
    const bool known = std::any_of(found.begin(), found.end(), [&](const auto& other) {
      return (other.first - x).norm() + (other.second - R).norm() < 1e-4;
    });
    if (!known) found.emplace_back(x, R);
  }
  return found;
}

// What `ik --all` finds of them, as it should be told apart.
void expect_platform_poses(int starts, const std::vector<std::string>& more) {
  const std::string model = std::string(CARTAN_ROOT) + "/examples/stewart.toml";
  Eigen::Matrix<double, 6, 1> lengths;
  const auto expected = platform_poses(lengths, starts);
  std::vector<std::string> words = {"ik", model, "--all", "--json"};
  for (int k = 0; k < 6; ++k)
    words.insert(words.end(), {"--target", fmt::format("slide{}.q = {:.17g}", k + 1, lengths[k])});
  words.insert(words.end(), more.begin(), more.end());
  EXPECT_EQ(expected.size(), 12u);
  const json all = expect_json(run_cartan(words));
  EXPECT_TRUE(all["complete"]);
  EXPECT_LT(all["unseen_share"].get<double>(), 0.02);
  EXPECT_EQ(all["solutions"].size(), expected.size());
  for (const auto& [x, R] : expected) {
    double nearest = 1;
    for (const json& solution : all["solutions"]) {
      const json& q = solution["state"]["q"]["place"];
      const Eigen::Quaterniond u(q[0].get<double>(), q[1].get<double>(), q[2].get<double>(),
                                 q[3].get<double>());
      const Eigen::Vector3d place(q[4].get<double>(), q[5].get<double>(), q[6].get<double>());
      nearest = std::min(nearest, (place - x).norm() + (u.toRotationMatrix() - R).norm());
    }
    EXPECT_LT(nearest, 1e-8);
  }
}

// Legs count once, whichever way their feet are turned.
TEST(InverseKinematics, AllPosesOfTheStewartPlatform) {
  expect_platform_poses(2000, {"--distinct", "platform"});
}

// Against 1e5 random starts; and each leg on one side of its foot.
TEST(LongInverseKinematics, AllPosesOfTheStewartPlatform) {
  expect_platform_poses(100000, {"--distinct", "platform"});
  std::vector<std::string> ranges;
  for (int k = 1; k <= 6; ++k)
    ranges.insert(ranges.end(), {"--range", fmt::format("foot{}.q1 = [-pi/2, pi/2]", k)});
  expect_platform_poses(2000, ranges);
}

// A pair of angles that turns a tool the same way counts once where the tool alone tells.
TEST(InverseKinematics, SolutionsThatDifferElsewhereCountOnce) {
  const Scratch scratch;
  const std::string arm = scratch.write("arm.toml", six_joint_arm());
  const std::vector<std::string> words = {"ik",       arm,
                                          "--target", "tool = [0.45, 0.25, 0.85]",
                                          "--target", "tool.R = [-0.3, 0.9, 0.4]",
                                          "--all",    "--json"};
  const auto count = [&](const std::string& distinct) {
    std::vector<std::string> more = words;
    more.insert(more.end(), {"--distinct", distinct});
    return expect_json(run_cartan(more))["solutions"].size();
  };
  EXPECT_EQ(count("tool"), 1u);
  EXPECT_EQ(count("link4"), 8u);
  EXPECT_EQ(count("link3"), 4u);  // the wrist stands either way
  EXPECT_EQ(count("sin(q1.q),cos(q1.q)"), 2u);
}

}  // namespace
}  // namespace cartan::test
