// Normal forms on reduced manifolds: the same oscillator plain, behind constraints, in a turning
// frame and in a family has the same coefficients.
#include <gtest/gtest.h>

#include "analysis/expansions/doubling_form.h"
#include "toy_system.h"

namespace cartan::test {
namespace {

// x' = p x - y + .., with a slave r that both feel: r' = -2 r + 0.3 x + x^2.
template <class S>
void oscillator(const S& x, const S& y, const S& r, const S& p, S& dx, S& dy, S& dr) {
  dx = p * x - y + r * x - S(0.4) * x * y - x * x * x;
  dy = x + p * y + S(0.2) * x * x + S(0.5) * r * y;
  dr = S(-2) * r + S(0.3) * x * y + x * x;
}

struct Plain {
  static constexpr int numbers = 3, constraints = 0, fields = 0;
  template <class S>
  static void rates(const S* x, const S& p, S* d) {
    oscillator(x[0], x[1], x[2], p, d[0], d[1], d[2]);
  }
  template <class S>
  static void constraint_values(const S*, const S&, S*) {}
  template <class S>
  static void field(int, const S*, S*) {}
  template <class S>
  static S held(const S*) {
    return S(0);
  }
};

// A fourth number w = r + x y + x^3 takes the place of r where it acts.
struct Constrained {
  static constexpr int numbers = 4, constraints = 1, fields = 0;
  template <class S>
  static void rates(const S* x, const S& p, S* d) {
    const S r = x[3] - x[0] * x[1] - x[0] * x[0] * x[0];
    oscillator(x[0], x[1], r, p, d[0], d[1], d[2]);
    d[3] = d[2] + d[0] * x[1] + x[0] * d[1] + S(3) * x[0] * x[0] * d[0];
  }
  template <class S>
  static void constraint_values(const S* x, const S&, S* g) {
    g[0] = x[3] - x[2] - x[0] * x[1] - x[0] * x[0] * x[0];
  }
  template <class S>
  static void field(int, const S*, S*) {}
  template <class S>
  static S held(const S*) {
    return S(0);
  }
};

// r is the distance from a circle that is gone around at a pace that depends on everything:
// (X, Y) = (1 + r) (cos f, sin f).
struct Turning {
  static constexpr int numbers = 4, constraints = 0, fields = 1;
  template <class S>
  static void rates(const S* x, const S& p, S* d) {
    const S radius = sqrt(x[2] * x[2] + x[3] * x[3]), r = radius - S(1);
    S dr;
    oscillator(x[0], x[1], r, p, d[0], d[1], dr);
    const S pace = S(0.7) + r + x[0] * x[1] + S(0.2) * x[0];
    d[2] = dr * x[2] / radius - pace * x[3];
    d[3] = dr * x[3] / radius + pace * x[2];
  }
  template <class S>
  static void constraint_values(const S*, const S&, S*) {}
  template <class S>
  static void field(int, const S* x, S* d) {
    d[0] = d[1] = S(0);
    d[2] = -x[3];
    d[3] = x[2];
  }
  template <class S>
  static S held(const S*) {
    return S(0);
  }
};

// p is a number of the state that is conserved up to what x and y borrow of it: e = p + x^2 - y.
struct Family {
  static constexpr int numbers = 4, constraints = 0, fields = 0;
  template <class S>
  static void rates(const S* x, const S&, S* d) {
    const S p = held(x);
    oscillator(x[0], x[1], x[2], p, d[0], d[1], d[2]);
    d[3] = d[1] - S(2) * x[0] * d[0];
  }
  template <class S>
  static void constraint_values(const S*, const S&, S*) {}
  template <class S>
  static void field(int, const S*, S*) {}
  template <class S>
  static S held(const S* x) {
    return x[3] + x[0] * x[0] - x[1];
  }
};

// The form at x, a steady state with speed c along the field; the branch is x for every p.
template <class F>
NormalForm hopf_form(const std::vector<double>& x, const std::vector<double>& c,
                     bool family = false) {
  const ToySystem<F> system(0);
  const auto workspace = system.make_workspace();
  Symmetries symmetries;
  symmetries.fields = Eigen::MatrixXd::Identity(F::fields, F::fields);
  symmetries.names.assign(F::fields, "turn");
  const SteadyProblem problem(system, symmetries, *workspace);
  ToyCurvature<F> curvature(0);
  const Eigen::Index n = F::numbers, k = F::fields;
  SteadyPoint point{problem,
                    {0, x, {}},
                    Eigen::Map<const Eigen::VectorXd>(c.data(), k),
                    {},
                    Eigen::VectorXd::Zero(n + k + 1),
                    {},
                    !family};
  point.tangent[n + k] = 1;
  if (family) {
    point.tangent[3] = 1;
    Held held;
    held.name = "p";
    held.function = std::make_shared<ToyHeld<F>>();
    point.held.push_back(held);
  }
  return calc_hopf_form(point, {0, 1}, curvature);
}

TEST(NormalForms, TheSameOnEveryReducedManifold) {
  const NormalForm plain = hopf_form<Plain>({0, 0, 0}, {});
  ASSERT_EQ(plain.problem, "");
  EXPECT_NEAR(plain.crossing.real(), 1, 1e-12);
  EXPECT_GT(std::abs(plain.cubic.real()), 0.05);
  ASSERT_TRUE(plain.slope);
  // Kuznetsov's formula for these polynomials, written out by hand in another language
  EXPECT_NEAR(plain.coefficient, -0.353125, 1e-12);
  EXPECT_NEAR(plain.cubic.imag(), -0.09395833333333334, 1e-12);

  const NormalForm constrained = hopf_form<Constrained>({0, 0, 0, 0}, {});
  ASSERT_EQ(constrained.problem, "");
  EXPECT_NEAR(constrained.coefficient, plain.coefficient, 1e-12);
  EXPECT_NEAR(*constrained.slope, *plain.slope, 1e-12);

  const NormalForm turning = hopf_form<Turning>({0, 0, 1, 0}, {0.7});
  ASSERT_EQ(turning.problem, "");
  EXPECT_NEAR(*turning.slope, *plain.slope, 1e-12);
  EXPECT_NEAR(turning.crossing.real(), 1, 1e-12);

  const NormalForm family = hopf_form<Family>({0, 0, 0, 0}, {}, true);
  ASSERT_EQ(family.problem, "");
  EXPECT_NEAR(family.crossing.real(), 1, 1e-12);
  EXPECT_NEAR(*family.slope, *plain.slope, 1e-12);
}

// s' = p s + s r - 0.4 s^3, r' = -2 r + 3 s^2: r = 1.5 s^2, so the cubic coefficient is 1.1.
template <class S>
void stem(const S& s, const S& r, const S& p, S& ds, S& dr) {
  ds = p * s + s * r - S(0.4) * s * s * s;
  dr = S(-2) * r + S(3) * s * s;
}

struct PlainStem {
  static constexpr int numbers = 2, constraints = 0, fields = 0;
  template <class S>
  static void rates(const S* x, const S& p, S* d) {
    stem(x[0], x[1], p, d[0], d[1]);
  }
  template <class S>
  static void constraint_values(const S*, const S&, S*) {}
  template <class S>
  static void field(int, const S*, S*) {}
  template <class S>
  static S held(const S*) {
    return S(0);
  }
};

struct ConstrainedStem : PlainStem {
  static constexpr int numbers = 3, constraints = 1;
  template <class S>
  static void rates(const S* x, const S& p, S* d) {
    stem(x[0], x[2] - x[0] * x[0] - x[0] * x[0] * x[0], p, d[0], d[1]);
    d[2] = d[1] + (S(2) * x[0] + S(3) * x[0] * x[0]) * d[0];
  }
  template <class S>
  static void constraint_values(const S* x, const S&, S* g) {
    g[0] = x[2] - x[1] - x[0] * x[0] - x[0] * x[0] * x[0];
  }
};

// The pace changes with s at once: the branch that is born turns faster.
struct TurningStem : PlainStem {
  static constexpr int numbers = 3, fields = 1;
  template <class S>
  static void rates(const S* x, const S& p, S* d) {
    const S radius = sqrt(x[1] * x[1] + x[2] * x[2]), r = radius - S(1);
    S dr;
    stem(x[0], r, p, d[0], dr);
    const S pace = S(0.7) + x[0] + S(2) * r;
    d[1] = dr * x[1] / radius - pace * x[2];
    d[2] = dr * x[2] / radius + pace * x[1];
  }
  template <class S>
  static void field(int, const S* x, S* d) {
    d[0] = S(0);
    d[1] = -x[2];
    d[2] = x[1];
  }
};

struct FamilyStem : PlainStem {
  static constexpr int numbers = 3;
  template <class S>
  static void rates(const S* x, const S&, S* d) {
    stem(x[0], x[1], held(x), d[0], d[1]);
    d[2] = S(-2) * x[0] * d[0];
  }
  template <class S>
  static S held(const S* x) {
    return x[2] + x[0] * x[0];
  }
};

// s' = -p + 0.6 s^2 + s r, r' = -2 r + s: r = s / 2, so dp = 1.1 s^2, and 1.1 / |(1, 1/2)|.
struct PlainFold : PlainStem {
  template <class S>
  static void rates(const S* x, const S& p, S* d) {
    d[0] = -p + S(0.6) * x[0] * x[0] + x[0] * x[1];
    d[1] = S(-2) * x[1] + x[0];
  }
};

template <class F>
NormalForm steady_form(const std::vector<double>& x, const std::vector<double>& c, bool turns,
                       bool family = false) {
  const ToySystem<F> system(0);
  const auto workspace = system.make_workspace();
  Symmetries symmetries;
  symmetries.fields = Eigen::MatrixXd::Identity(F::fields, F::fields);
  symmetries.names.assign(F::fields, "turn");
  const SteadyProblem problem(system, symmetries, *workspace);
  ToyCurvature<F> curvature(0);
  const Eigen::Index n = F::numbers, k = F::fields;
  SteadyPoint point{problem,
                    {0, x, {}},
                    Eigen::Map<const Eigen::VectorXd>(c.data(), k),
                    {},
                    Eigen::VectorXd::Zero(n + k + 1),
                    Eigen::VectorXd::Zero(n + F::constraints + (family ? 1 : 0)),
                    !family};
  Eigen::MatrixXd by_p(n, 1);
  const int which[] = {0};
  system.parameter_jacobian(point.state, which, by_p, *workspace);
  if (!family) point.parameter_column.head(n) = by_p;
  point.tangent[turns ? 0 : n + k] = 1;
  if (k > 0) {  // the place along the circle
    Held place;
    place.name = "y";
    place.component = 2;
    place.reference = x;
    point.held.push_back(place);
    point.parameter_column.conservativeResize(point.parameter_column.size() + 1);
    point.parameter_column.tail(1).setZero();
  }
  if (family) {
    point.tangent[2] = 1;
    point.parameter_column[n] = -1;
    Held held;
    held.name = "p";
    held.function = std::make_shared<ToyHeld<F>>();
    point.held.push_back(held);
  }
  return calc_steady_form(point, turns, curvature);
}

TEST(NormalForms, PitchforkOnEveryReducedManifold) {
  const NormalForm forms[] = {steady_form<PlainStem>({0, 0}, {}, false),
                              steady_form<ConstrainedStem>({0, 0, 0}, {}, false),
                              steady_form<TurningStem>({0, 1, 0}, {0.7}, false),
                              steady_form<FamilyStem>({0, 0, 0}, {}, false, true)};
  for (const NormalForm& form : forms) {
    const auto which = &form - forms;
    ASSERT_EQ(form.problem, "") << which;
    EXPECT_EQ(form.kind, "pitchfork") << which;
    EXPECT_NEAR(form.coefficient, 1.1, 1e-10) << which;
    ASSERT_TRUE(form.slope) << which;
    EXPECT_NEAR(*form.slope, -1.1, 1e-10) << which;
    EXPECT_EQ(form.criticality(), "subcritical") << which;
  }
}

TEST(NormalForms, FoldWithASlave) {
  const NormalForm form = steady_form<PlainFold>({0, 0}, {}, true);
  ASSERT_EQ(form.problem, "");
  EXPECT_NEAR(form.coefficient, 1.1 / std::sqrt(1.25), 1e-12);
  EXPECT_NEAR(*form.slope, 1.1, 1e-12);
}

// Around a circle, in a plane that makes half a turn meanwhile: u' = k u^3 + m u (R - 1), w' = -w,
// R' = 1 - R + 0.2 u^2, and the way around takes longer the larger u is. Once around u becomes
// -u - (k + 0.2 m) u^3.
struct HalfTurn : PlainStem {
  static constexpr int numbers = 4;
  static constexpr double cubic = -0.3, pull = -2;
  template <class S>
  static void rates(const S* x, const S&, S* d) {
    const S radius = sqrt(x[0] * x[0] + x[1] * x[1]), half = S(0.5) * atan2(x[1], x[0]);
    const S c = cos(half), s = sin(half);
    const S u = x[2] * c + x[3] * s, w = x[3] * c - x[2] * s;
    const S turn = S(2 * pi) * (S(1) - S(0.3) * u * u);
    const S outward = (S(1) - radius + S(0.2) * u * u) / radius;
    d[0] = outward * x[0] - turn * x[1];
    d[1] = outward * x[1] + turn * x[0];
    const S du = S(cubic) * u * u * u + S(pull) * u * (radius - S(1)), dw = -w;
    d[2] = c * du - s * dw - S(0.5) * turn * x[3];
    d[3] = s * du + c * dw + S(0.5) * turn * x[2];
  }
};

TEST(NormalForms, PeriodDoublingAroundACircle) {
  const ToySystem<HalfTurn> system(0);
  ToyCurvature<HalfTurn> curvature(0);
  const NormalForm form =
      calc_doubling_form(system, {0, {1, 0, 0, 0}, {}}, 1, false, curvature, {});
  ASSERT_EQ(form.problem, "");
  EXPECT_NEAR(form.coefficient, -(HalfTurn::cubic + 0.2 * HalfTurn::pull), 1e-9);
  EXPECT_EQ(form.criticality(), "supercritical");
}

}  // namespace
}  // namespace cartan::test
