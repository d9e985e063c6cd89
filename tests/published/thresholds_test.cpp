// Critical speeds and frequencies that are known in closed form: the sleeping top, the rolling coin
// (case S4.10), Ziegler's column, the coupled spherical pendulums (004 7.3, case S4.7), four
// hanging rods.
#include <numbers>

#include "../unit/analysis/continuation_support.h"
#include "core/dense.h"

namespace cartan::test {
namespace {

using Kind = BifurcationKind;

// A top asleep: A z'' - i C n z' - m g l z = 0 for its tip z. Two frequencies meet at C n / 2A
// where (C n)^2 = 4 A m g l and leave the imaginary axis to both sides: no Hopf point.
TEST(Thresholds, SleepingTop) {
  struct Case {
    double m, l, transverse, C;
  };
  for (const Case& c : {Case{1.5, 0.4, 0.3, 0.07}, Case{21.6, 0.5, 0.36, 0.09}}) {
    const Example e = load_text(
        "name = \"sleeping top\"\ngravity = [0, 0, -9.81]\n[[body]]\nname = \"top\"\nmass = " +
        std::to_string(c.m) + "\ncom = [0, 0, " + std::to_string(c.l) + "]\ninertia = [" +
        std::to_string(c.transverse) + ", " + std::to_string(c.transverse) + ", " +
        std::to_string(c.C) +
        "]\n[[joint]]\nname = \"pivot\"\ntype = \"spherical\"\nparent = { body = \"world\" }\n"
        "child = { body = \"top\" }\nvelocity = [0, 0, 1]\n");
    ASSERT_TRUE(e) << e.problem;
    const double A = c.transverse + c.m * c.l * c.l;
    const double n = std::sqrt(4 * A * c.m * 9.81 * c.l) / c.C;
    SteadyBranch problem(steady_family(e, "pivot.v[2]", 1.7 * n, 0.6 * n));
    const Branch branch = branch_of(problem, e, branch_options(1.7 * n, 0.6 * n));
    ASSERT_EQ(kinds_of(branch), std::vector{Kind::hamiltonian_hopf});
    const Bifurcation& at = branch.bifurcations[0];
    EXPECT_NEAR(at.at.point.parameter() / n, 1, 1e-11);
    EXPECT_NEAR(at.critical.imag() / (c.C * n / (2 * A)), 1, 1e-9);
    EXPECT_EQ(at.unstable_before, 0);
    EXPECT_EQ(at.unstable_after, 2);
  }
}

// Upright rolling straight on: v^2 > A m g r^3 / (C (C + m r^2)); upright spinning on the spot:
// psi'^2 > m g r / (A + m r^2). In both a pair of eigenvalues meets at zero.
TEST(Thresholds, RollingCoin) {
  struct Case {
    const char* what;
    double shape, turn, spin, from, to;  // C = 2 A = shape
    const char* speed;
  };
  for (const double shape : {0.5, 1.0}) {  // a disc, a hoop
    const double rolling = std::sqrt(shape / 2 / (shape * (shape + 1)));
    const double spinning = std::sqrt(1 / (shape / 2 + 1));
    for (const bool spins : {false, true}) {
      const Example e = load_example("rolling_coin", "recursive",
                                     {{"theta", std::numbers::pi / 2},
                                      {"A", shape / 2},
                                      {"C", shape},
                                      {"turn", spins ? 1.5 : 0},
                                      {"spin", spins ? 0 : -1.2}});
      ASSERT_TRUE(e) << e.problem;
      const char* speed = spins ? "coin.wy" : "-place.v[2]";
      const double from = spins ? 1.5 : 1.2, to = 0.3, expected = spins ? spinning : rolling;
      SteadyBranch problem(steady_family(e, speed, from, to));
      const Branch branch = branch_of(problem, e, branch_options(from, to));
      ASSERT_EQ(branch.bifurcations.size(), 1u) << spins << shape;
      EXPECT_NEAR(branch.bifurcations[0].at.point.parameter(), expected, 1e-10) << spins << shape;
      EXPECT_NEAR(std::abs(branch.bifurcations[0].critical), 0, 1e-6);
      EXPECT_TRUE(branch.samples.front().stable);
      EXPECT_FALSE(branch.samples.back().stable);
    }
  }
}

// Ziegler's column, two links under a follower force P, masses 2 and 1, damping c in both joints:
// flutter begins at P = (41/28) k/l + c^2/(2 m l^3) (Herrmann and Jong 1965), far below the 2.086
// of the column without damping; it is a Hopf point, and the flutter attracts.
TEST(Thresholds, FlutterOfZieglersColumn) {
  const auto model = [](double c) {
    std::string text = "name = \"column\"\ngravity = [0, 0, 0]\n[parameters]\nP = 1\n";
    for (const char* part : {"lower", "upper"})
      text += std::string("[[body]]\nname = \"") + part +
              "\"\nmass = " + (part[0] == 'l' ? "2" : "1") + "\ncom = [1, 0, 0]\n";
    for (const bool knee : {false, true})
      text += std::string("[[joint]]\nname = \"") + (knee ? "knee" : "base") +
              "\"\ntype = \"revolute\"\naxis = [0, 0, 1]\nparent = { body = \"" +
              (knee ? "lower\", at = [1, 0, 0] }\nchild = { body = \"upper"
                    : "world\" }\nchild = { body = \"lower") +
              "\" }\n[[force]]\ntype = \"torsion\"\njoint = \"" + (knee ? "knee" : "base") +
              "\"\nstiffness = 1\ndamping = " + std::to_string(c) + "\n";
    return text +
           "[[force]]\ntype = \"wrench\"\nbody = \"upper\"\nat = [1, 0, 0]\n"
           "force = [\"-P\", 0, 0]\nframe = \"body\"\n";
  };
  for (const double c : {0.1, 0.3}) {
    const Example e = load_text(model(c));
    ASSERT_TRUE(e) << e.problem;
    SteadyBranch problem(steady_family(e, "P", 1, 2));
    ContinuationOptions options = branch_options(1, 2);
    options.largest_step = 0.1;
    const Branch branch = branch_of(problem, e, options);
    ASSERT_EQ(kinds_of(branch), std::vector{Kind::hopf});
    const Bifurcation& hopf = branch.bifurcations[0];
    EXPECT_NEAR(hopf.at.point.parameter(), 41.0 / 28 + c * c / 2, 1e-11);
    OrbitContinuation orbits(orbit_setting(e, "P", 1, 2));
    const Branch flutter = orbits.follow_hopf(hopf, problem.linearise_at(hopf.at.point), options);
    ASSERT_EQ(flutter.problem, "");
    EXPECT_TRUE(flutter.reached) << flutter.end;
    EXPECT_GT(flutter.slope, 0);
    for (const BranchSample& s : flutter.samples) EXPECT_TRUE(s.stable) << s.point.parameter();
  }
}

std::vector<double> frequencies(const Example& e) {
  const auto workspace = e.system->make_workspace();
  const Linearisation linear = linearise(*e.system, e.system->initial_state(), *workspace);
  EXPECT_EQ(linear.problem, "");
  EXPECT_TRUE(linear.stable);
  std::vector<double> list;
  for (const auto& value : linear.eigenvalues) {
    EXPECT_NEAR(value.real(), 0, 1e-9);
    if (value.imag() > 0) list.push_back(value.imag());
  }
  std::sort(list.begin(), list.end());
  return list;
}

TEST(Thresholds, FrequenciesOfTheCoupledPendulums) {
  const Example e = load_example("coupled_pendulums", "recursive", {{"together", 0}});
  ASSERT_TRUE(e) << e.problem;
  const std::vector<double> got = frequencies(e);
  const double expected[] = {15.7370680647896875, 26.7123466839293046, 27.0732277097579694};
  ASSERT_EQ(got.size(), 3u);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(got[k] / expected[k], 1, 1e-12) << k;
}

// Rods of length L: with the angles of all of them, the centre of rod i is at
// L (sum_{j<i} a_j + a_i/2), which gives M; each joint lets what hangs below it rise: K is
// diagonal.
TEST(Thresholds, FrequenciesOfFourRods) {
  const Example e = load_example("four_link", "recursive", {{"tilt", 0}});
  ASSERT_TRUE(e) << e.problem;
  constexpr int n = 4;
  const double m = 50, L = 2, w = 0.2, g = 9.81, I = m * (L * L + w * w) / 12;
  Eigen::MatrixXd M = I * Eigen::MatrixXd::Identity(n, n), K = Eigen::MatrixXd::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    Eigen::VectorXd a = Eigen::VectorXd::Zero(n);
    a.head(i).setConstant(L);
    a[i] = L / 2;
    M += m * a * a.transpose();
    K(i, i) = m * g * L * (n - i - 0.5);
  }
  const Eigen::MatrixXd half = M.llt().matrixL();
  const Eigen::MatrixXd inverse = half.inverse();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(inverse * K * inverse.transpose());
  const std::vector<double> got = frequencies(e);
  ASSERT_EQ(got.size(), 8u);  // each in two planes
  for (int k = 0; k < n; ++k)
    for (const int plane : {0, 1})
      EXPECT_NEAR(got[2 * k + plane] / std::sqrt(solver.eigenvalues()[k]), 1, 1e-12) << k;
}

}  // namespace
}  // namespace cartan::test
