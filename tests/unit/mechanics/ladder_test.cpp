// Assembly of many loops: four-bars standing on each other's couplers, each closed by itself, from
// guessed angles.
#include <algorithm>
#include <cmath>
#include <ctime>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/dense.h"
#include "io/toml_reader.h"
#include "support/example.h"

namespace cartan::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Rung {
  std::string crank = "-1.4", coupler = "1.4", rocker = "1.3";  // angles; "" where none is written
  double length = 1.2;                                          // of the rocker
};

std::string body(const std::string& name, double length) {
  return fmt::format(
      "[[body]]\nname = \"{}\"\nmass = 1\ncom = [{}, 0, 0]\ninertia = [0.001, {}, {}]\n", name,
      length / 2, length * length / 12, length * length / 12);
}

std::string hinge(const std::string& name, const std::string& parent, double at,
                  const std::string& child, double child_at, const std::string& angle) {
  return fmt::format(
      "[[joint]]\nname = \"{}\"\ntype = \"revolute\"\naxis = [0, 1, 0]\nparent = {{ body = \"{}\", "
      "at = [{}, 0, 0] }}\nchild = {{ body = \"{}\", at = [{}, 0, 0] }}\n{}\n",
      name, parent, at, child, child_at, angle.empty() ? "" : "position = " + angle);
}

std::string ladder(const std::vector<Rung>& rungs) {
  std::string text = "name = \"ladder\"\n", ground = "world";
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    const std::string n = std::to_string(i);
    const Rung& r = rungs[i];
    text += body("crank" + n, 1) + body("coupler" + n, 1.1) + body("rocker" + n, r.length);
    text += hinge("a" + n, ground, 0, "crank" + n, 0, r.crank);
    text += hinge("b" + n, "crank" + n, 1, "coupler" + n, 0, r.coupler);
    text += hinge("c" + n, "coupler" + n, 1.1, "rocker" + n, 0, r.rocker);
    text += hinge("d" + n, ground, 1, "rocker" + n, r.length, "") + "loop = true\n";
    ground = "coupler" + n;
  }
  return text;
}

// The three angles of each rung.
std::vector<double> angles(const Example& e) {
  const State state = e.system->initial_state();
  const Observation seen = observe(e.mechanism(), state);
  std::vector<double> result;
  for (std::size_t j = 0; j < seen.q.size(); ++j)
    if (j % 4 != 3) result.push_back(seen.q[j][0]);
  return result;
}

// The cranks keep what is written, so that each rung is the one that stands alone, however many
// stand on it.
TEST(Ladder, EveryRungIsClosedLikeOneAlone) {
  const Example one = load_text(ladder({Rung{}}));
  ASSERT_TRUE(one) << one.problem;
  const std::vector<double> alone = angles(one);
  EXPECT_EQ(alone[0], -1.4);
  EXPECT_GT(std::fabs(alone[1] - 1.4), 0.1);  // the guess is not closed
  const Example many = load_text(ladder(std::vector<Rung>(120)));
  ASSERT_TRUE(many) << many.problem;
  const std::vector<double> found = angles(many);
  ASSERT_EQ(found.size(), 360u);
  for (std::size_t k = 0; k < found.size(); ++k) ASSERT_NEAR(found[k], alone[k % 3], 1e-11) << k;
}

// Nothing is written: the change from the guess is the least one, measured with the mass matrix of
// the whole. Where cranks are written, of those that keep them.
TEST(Ladder, TheRestChangesLeast) {
  for (const bool some_written : {false, true}) {
    const Example one = load_text(ladder({Rung{}}));
    ASSERT_TRUE(one);
    const std::vector<double> closed = angles(one);
    const auto text = [&](int k, double more) { return fmt::format("{}", closed[k] + more); };
    std::vector<Rung> rungs;
    const int count = 6;
    for (int i = 0; i < count; ++i)
      rungs.push_back({text(0, 0.02 * i), text(1, -0.03 * i), text(2, 0.01 * i)});
    const Example e = load_text(ladder(rungs));
    ASSERT_TRUE(e) << e.problem;
    // from the same guesses, as if nothing were written
    State state = e.system->initial_state();
    const int n = 3 * count;
    for (int i = 0; i < count; ++i) {
      state.x[3 * i] = std::stod(rungs[i].crank);
      state.x[3 * i + 1] = std::stod(rungs[i].coupler);
      state.x[3 * i + 2] = std::stod(rungs[i].rocker);
    }
    const VectorXd guess = Eigen::Map<const VectorXd>(state.x.data(), n);
    WrittenStart written(4 * count);
    if (some_written)
      for (int i = 0; i < count; i += 2) written[4 * i].q = {state.x[3 * i]};
    const auto workspace = e.system->make_workspace();
    const AssemblyReport report = e.mechanism().assemble(state, written, *workspace);
    ASSERT_EQ(report.problem, "");
    EXPECT_LT(report.position_gap, 1e-11);
    const VectorXd change = Eigen::Map<const VectorXd>(state.x.data(), n) - guess;
    EXPECT_GT(change.norm(), 0.01);
    const int rows = e.mechanism().report_constraints(state, *workspace).rows;
    MatrixXd C(2 * rows, 2 * n);
    e.mechanism().constraint_jacobian(state, C, *workspace);
    MatrixXd J(rows + n, n);
    J.setZero();
    J.topRows(rows) = C.topLeftCorner(rows, n);
    for (int j = 0; some_written && j < n; j += 6) {
      J(rows + j, j) = 1;
      EXPECT_EQ(change[j], 0);
    }
    const MatrixXd M = e.mechanism().report_mass_matrix(state, *workspace).mass_matrix;
    // rank 2 per rung, and what is held
    const MatrixXd allowed = Eigen::FullPivLU<MatrixXd>(J).setThreshold(1e-9).kernel();
    ASSERT_EQ(allowed.cols(), some_written ? count / 2 : count);
    const VectorXd momentum = M * change;
    for (Eigen::Index k = 0; k < allowed.cols(); ++k)
      EXPECT_LT(std::fabs(allowed.col(k).dot(momentum)),
                1e-7 * allowed.col(k).norm() * momentum.norm());
  }
}

// A rung that cannot be closed is named, wherever it is; the others are none of its business.
TEST(Ladder, TheRungThatCannotBeClosedIsNamed) {
  std::vector<Rung> rungs(30);
  rungs[17].length = 4;
  Diagnostics problems;
  const auto description = read_model_text(ladder(rungs), ".", problems);
  ASSERT_TRUE(description) << problems.text();
  const std::optional<Model> model = check_model(*description, problems);
  ASSERT_TRUE(model) << problems.text();
  std::string problem;
  EXPECT_FALSE(make_system(*model, parameter_values(*model), "recursive", problem));
  EXPECT_NE(problem.find("joint 'd17' cannot be satisfied"), std::string::npos) << problem;
}

// A crank that cannot stand as written gives way, and no other.
TEST(Ladder, AValueOutOfReachIsGivenUpAlone) {
  std::vector<Rung> rungs(30);
  rungs[11].crank = "0.01";  // the tip would be in the hinge of the rocker
  const Example e = load_text(ladder(rungs));
  ASSERT_TRUE(e) << e.problem;
  const std::vector<double> found = angles(e);
  for (int i = 0; i < 30; ++i) {
    if (i == 11)
      EXPECT_GT(std::fabs(found[3 * i]), 0.05);
    else
      EXPECT_EQ(found[3 * i], -1.4) << i;
  }
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double assembly_seconds(int rungs) {
  const std::string text = ladder(std::vector<Rung>(rungs));
  double least = INFINITY;
  for (int turn = 0; turn < 3; ++turn) {
    const Example e = load_text(text);
    EXPECT_TRUE(e) << e.problem;
    const std::unique_ptr<const Model>& model = e.model;
    std::string problem;
    const double before = cpu_seconds();
    EXPECT_TRUE(make_system(*model, parameter_values(*model), "recursive", problem));
    least = std::min(least, cpu_seconds() - before);
  }
  return least;
}

// Four times the rungs take four times as long; with matrices of all rows and all speeds it would
// be sixteen times and more.
TEST(Ladder, TimeGrowsWithTheNumberOfRungs) {
  const double small = assembly_seconds(40), large = assembly_seconds(160);
  EXPECT_LT(large, 9 * small);
  std::printf("40 rungs %.3g ms, 160 rungs %.3g ms\n", 1e3 * small, 1e3 * large);
}

}  // namespace
}  // namespace cartan::test
