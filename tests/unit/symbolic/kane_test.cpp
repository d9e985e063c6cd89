// Linear maps, system vectors, dependent speeds, subexpressions: small cases, and what is refused.
#include <cmath>

#include <gtest/gtest.h>

#include "support/random.h"
#include "symbolic/flatten.h"
#include "symbolic/print/print.h"
#include "symbolic/simplify/simplify.h"
#include "symbolic/vectors/dependent_speeds.h"
#include "symbolic/vectors/linear_map.h"
#include "symbolic/vectors/subexpressions.h"
#include "symbolic/vectors/vector_tools.h"

namespace cartan::test {
namespace {

TEST(LinearMap, ColumnsRestAndTranspose) {
  ExpressionGraph graph;
  const Expression x = graph.symbol("x", 0.3), y = graph.symbol("y", 0.7),
                   a = graph.symbol("a", 1.7);
  const std::vector<Expression> symbols = {x, y};
  const Expression shared = x * cos(a) + 3 * y;
  const std::vector<Expression> values = {shared + a, a * shared - y / a, a * a, 2 * x};
  const LinearMap map(graph, values, symbols);
  EXPECT_EQ(map.nonlinear_value(), -1);
  const double c = std::cos(1.7), A[4][2] = {{c, 3}, {1.7 * c, 5.1 - 1 / 1.7}, {0, 0}, {2, 0}};
  for (int k = 0; k < 2; ++k) {
    const std::vector<Expression> column = map.column(k);
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(column[i].sample(), A[i][k], 1e-14);
  }
  const std::vector<Expression> rest = map.rest();
  EXPECT_NEAR(rest[0].sample(), 1.7, 1e-15);
  EXPECT_EQ(rest[1].sample(), 0);
  EXPECT_NEAR(rest[2].sample(), 1.7 * 1.7, 1e-15);
  const std::vector<Expression> seeds = {0.2, -0.4, 5, 0.6}, back = map.apply_transposed(seeds);
  for (int k = 0; k < 2; ++k)
    EXPECT_NEAR(back[k].sample(), 0.2 * A[0][k] - 0.4 * A[1][k] + 0.6 * A[3][k], 1e-14);
  EXPECT_EQ(map.apply_transposed(seeds, 1)[0].sample(), 0);  // not asked for
  const std::vector<Expression> at = {0.3, 0.7}, image = map.apply(at);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(image[i].sample(), 0.3 * A[i][0] + 0.7 * A[i][1], 1e-14);
}

TEST(LinearMap, SaysWhatIsNotLinear) {
  ExpressionGraph graph;
  const Expression x = graph.symbol("x"), y = graph.symbol("y"), a = graph.symbol("a");
  const std::vector<Expression> symbols = {x, y};
  for (const Expression& bad : {x * y, x * x, a / x, sin(x), sqrt(x + a), 1 + x * (a + y)}) {
    const std::vector<Expression> values = {a * x, bad};
    EXPECT_EQ(LinearMap(graph, values, symbols).nonlinear_value(), 1);
  }
}

std::vector<double> values_at(const ExpressionGraph& graph,
                              const std::vector<Expression>& expressions,
                              const std::vector<Expression>& symbols,
                              const std::vector<double>& at) {
  const Program program = flatten(graph, expressions, symbols);
  std::vector<double> scratch(program.scratch_size()), result(expressions.size());
  evaluate<double>(program, at, scratch, result);
  return result;
}

struct Skate {
  ExpressionGraph graph;
  Kinematics kinematics{graph};
  Frames frames{kinematics};
};

// A knife edge under the mass centre: u = speed along the edge, turning freely; x' = u cos q, ...
TEST(KaneSystem, KnifeEdge) {
  Skate s;
  const Expression m = s.graph.symbol("m", 2), I = s.graph.symbol("I", 0.5),
                   F = s.graph.symbol("F", 3);
  const Expression x = s.kinematics.coordinate("x", 0.1), y = s.kinematics.coordinate("y", 0.2);
  const Expression q = s.kinematics.coordinate("q", 0.4);
  const Expression vx = s.kinematics.speed("vx", 0.5), vy = s.kinematics.speed("vy", 0.6);
  const Expression w = s.kinematics.speed("w", 0.7);
  s.kinematics.set_rate(x, vx), s.kinematics.set_rate(y, vy), s.kinematics.set_rate(q, w);
  const Frame N = s.frames.frame("N"), B = s.frames.rotate(N, "B", 3, q);
  const Vector v = derivative(Vector(N, x, y, 0), N);
  KaneSystem system(N);
  system.add_body(m, Dyad::inertia(B, 0, 0, I), v, s.frames.angular_velocity(B, N),
                  Vector(B, F, 0, 0));
  const MotionEquations free = system.equations({vx, vy, w});
  const DependentSpeeds edge =
      solve_for_dependent(s.kinematics, {dot(v, Vector(B, 0, 1, 0))}, {vx, vy, w}, {vy});
  ASSERT_TRUE(s.kinematics.ok()) << s.kinematics.problems().text();
  EXPECT_NEAR(edge.values[0].sample(), 0.5 * std::tan(0.4), 1e-15);
  const MotionEquations reduced = reduce(s.graph, free, edge);
  ASSERT_EQ(reduced.size(), 2);
  // along the edge m s' = F with vx = s cos q: vx' = F cos q / m - vx w tan q
  const double M11 = reduced.M[0].sample(), M12 = reduced.M[1].sample();
  EXPECT_NEAR(M12, 0, 1e-15);
  EXPECT_NEAR(reduced.f[0].sample() / M11, 3 * std::cos(0.4) / 2 - 0.5 * 0.7 * std::tan(0.4),
              1e-14);
  EXPECT_NEAR(reduced.f[1].sample(), 0, 1e-15);
}

TEST(KaneSystem, TangentsAndKineticEnergyAgreeWithTheMassMatrix) {
  Skate s;
  const auto [q, u] = s.kinematics.standard(3);
  const Expression t = s.kinematics.time(0.3), a = s.graph.symbol("a", 0.2);
  const Frame N = s.frames.frame("N"), A = s.frames.rotate(N, "A", 3, q[1]),
              B = s.frames.rotate(A, "B", 1, q[2]);
  KaneSystem system(N);
  const Vector r1 = Vector(N, q[0], a * sin(t), 0) + Vector(A, 0, -1, 0),
               r2 = r1 + Vector(B, 0, 0.3, 0.7);
  system.add_particle(1.5, derivative(r1, N), Vector(N, 0, -9.81, 0));
  system.add_body(2, Dyad::inertia(B, 0.2, 0.3, 0.4, 0.01, 0.02, 0.03), derivative(r2, N),
                  s.frames.angular_velocity(B, N), Vector(N, 0, -9.81, 0), Vector(B, 0.1, 0, 0));
  const MotionEquations equations = system.equations(u);
  const Tangents along = tangents(system.velocity(), u);
  ASSERT_TRUE(s.kinematics.ok()) << s.kinematics.problems().text();
  for (int k = 0; k < 3; ++k)
    for (int l = 0; l < 3; ++l)
      EXPECT_NEAR(inner_product(along.vectors[k], along.vectors[l], system.inertia()).sample(),
                  equations.M[3 * k + l].sample(), 1e-14);
  // all samples of q and u are zero but the time part of the velocity is not
  const double v = 0.2 * std::cos(0.3);
  EXPECT_NEAR(system.kinetic_energy().sample(), 0.5 * 3.5 * v * v, 1e-15);
  EXPECT_NEAR(along.time_part[0].terms()[0].c.y.sample(), v, 1e-15);
}

// The example of docs/vector_language.md.
TEST(KaneSystem, CartAndPendulum) {
  ExpressionGraph graph;
  Kinematics kinematics(graph);
  Frames frames(kinematics);
  const Expression M = graph.symbol("M", 3), m = graph.symbol("m", 2), L = graph.symbol("L", 0.5);
  const Expression k = graph.symbol("k", 7), g = graph.symbol("g", 9);
  const auto [q, u] = kinematics.standard(2);
  const Frame N = frames.frame("N"), A = frames.rotate(N, "A", 3, q[1]);
  const Vector cart(N, 0, q[0], 0), bob = cart + Vector(A, L, 0, 0);
  KaneSystem system(N);
  system.add_particle(M, derivative(cart, N), Vector(N, M * g, -k * q[0], 0));
  system.add_particle(m, derivative(bob, N), Vector(N, m * g, 0, 0));
  const MotionEquations equations = system.equations(u);
  ASSERT_TRUE(kinematics.ok()) << kinematics.problems().text();
  const std::vector<Expression> expected = {M + m,
                                            m * L * cos(q[1]),
                                            m * L * cos(q[1]),
                                            m * L * L,
                                            m * L * u[1] * u[1] * sin(q[1]) - k * q[0],
                                            -m * g * L * sin(q[1])};
  std::vector<Expression> found = equations.M;
  found.insert(found.end(), equations.f.begin(), equations.f.end());
  const char* text[] = {"M + m", "m*L*cos(q2)", "m*L*cos(q2)", "m*L^2"};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(to_text(graph, simplify(graph, found[i])), text[i]);
  const std::vector<Expression> symbols = {q[0], q[1], u[0], u[1], M, m, L, k, g};
  const std::vector<double> at = {0.3, 0.4, 0.5, 0.6, 3, 2, 0.5, 7, 9};
  const std::vector<double> a = values_at(graph, found, symbols, at),
                            b = values_at(graph, expected, symbols, at);
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(a[i], b[i], 1e-14) << i;
}

TEST(KaneSystem, NonlinearVelocityIsRefused) {
  Skate s;
  const auto [q, u] = s.kinematics.standard(2);
  const Frame N = s.frames.frame("N");
  KaneSystem system(N);
  system.add_particle(1, Vector(N, u[0] * u[1], 0, 0), {});
  system.equations(u);
  EXPECT_NE(s.kinematics.problems().text().find("not linear in the speeds"), std::string::npos);
  tangents(system.velocity(), u);
  EXPECT_EQ(s.kinematics.problems().findings().size(), 2u);
}

TEST(DependentSpeeds, ImpossibleChoicesAreRefused) {
  Skate s;
  const auto [q, u] = s.kinematics.standard(3);
  solve_for_dependent(s.kinematics, {u[0] + u[1]}, u, {u[0], u[1]});
  EXPECT_NE(s.kinematics.problems().text().find("name as many dependent speeds"),
            std::string::npos);
  const DependentSpeeds singular =
      solve_for_dependent(s.kinematics, {u[0] + sin(q[2]) * u[1]}, u, {u[1]});
  EXPECT_NE(s.kinematics.problems().text().find("do not determine the speeds u2"),
            std::string::npos)
      << s.kinematics.problems().text();
  EXPECT_EQ(reduce(s.graph, {}, singular).size(), 0);
  solve_for_dependent(s.kinematics, {u[0] * u[1]}, u, {u[1]});
  EXPECT_NE(s.kinematics.problems().text().find("is not linear"), std::string::npos);
}

TEST(SolveLinear, RandomSystems) {
  ExpressionGraph graph;
  Random random(3);
  for (const int n : {1, 2, 3, 5}) {
    std::vector<Expression> A, B;
    std::vector<double> a, x, b(n);
    for (int k = 0; k < n * n; ++k) {
      // some zeros on the diagonal: rows must be exchanged
      a.push_back(n > 1 && k % (n + 1) == 0 && random.chance(0.5) ? 0.0 : random.uniform(-1, 1));
      A.push_back(a.back() == 0
                      ? Expression(0)
                      : graph.symbol("a" + std::to_string(n) + "_" + std::to_string(k), a.back()));
    }
    for (int k = 0; k < n; ++k) x.push_back(random.uniform(-1, 1));
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < n; ++k) b[i] += a[i * n + k] * x[k];
    for (int i = 0; i < n; ++i)
      B.push_back(graph.symbol("b" + std::to_string(n) + "_" + std::to_string(i), b[i]));
    const std::vector<Expression> found = solve_linear(A, B, n, 1);
    ASSERT_EQ(found.size(), x.size());
    for (int i = 0; i < n; ++i) EXPECT_NEAR(found[i].sample(), x[i], 1e-11);
  }
}

TEST(VectorTools, SubstitutionAndText) {
  Skate s;
  const auto [q, u] = s.kinematics.standard(2);
  const Frame N = s.frames.frame("N"), A = s.frames.rotate(N, "A", 3, q[0]);
  const Vector v = Vector(N, q[0], 0, 2) + Vector(A, 0, sin(q[1]), 0);
  EXPECT_EQ(to_text(v), "[q1, 0, 2] N + [0, sin(q2), 0] A");
  EXPECT_EQ(to_text(Vector()), "0");
  EXPECT_EQ(to_text(Dyad::inertia(A, 1, 2, q[0])), "[[1, 0, 0], [0, 2, 0], [0, 0, q1]] A");
  const std::vector<Expression> symbols = {q[1]}, by = {0};
  EXPECT_EQ(to_text(substitute(v, symbols, by)), "[q1, 0, 2] N");
  EXPECT_EQ(to_text(substitute(SystemVector{v, v}, symbols, by)[1]), "[q1, 0, 2] N");
}

// --------------------------------------------------------------------------------- subexpressions

TEST(Subexpressions, RatesAreLinearInTheSpeeds) {
  Skate s;
  Subexpressions names(s.kinematics);
  const auto [q, u] = s.kinematics.standard(2);
  const Expression plain = sin(q[0]) * q[1] + cos(q[1]);
  const Expression z = names.define(plain, 2);
  const Expression rate = s.kinematics.rate(z);
  EXPECT_EQ(LinearMap(s.graph, std::vector{rate}, u).nonlinear_value(), -1);
  const Expression second = s.kinematics.rate(rate);
  EXPECT_TRUE(s.kinematics.ok()) << s.kinematics.problems().text();
  // the same as without names, at random values
  Random random(5);
  const std::vector<Expression> symbols = {
      q[0], q[1], u[0], u[1], s.kinematics.acceleration(u[0]), s.kinematics.acceleration(u[1])};
  const std::vector<Expression> both = {names.expand(rate), s.kinematics.rate(plain),
                                        names.expand(second),
                                        s.kinematics.rate(s.kinematics.rate(plain))};
  for (int trial = 0; trial < 5; ++trial) {
    std::vector<double> at;
    for (int k = 0; k < 6; ++k) at.push_back(random.uniform(-1, 1));
    const std::vector<double> values = values_at(s.graph, both, symbols, at);
    EXPECT_NEAR(values[0], values[1], 1e-14);
    EXPECT_NEAR(values[2], values[3], 1e-14);
  }
}

TEST(Subexpressions, VectorsAndEvaluation) {
  Skate s;
  Subexpressions names(s.kinematics);
  const auto [q, u] = s.kinematics.standard(1);
  const Frame N = s.frames.frame("N");
  const Vector r = names.define(Vector(N, cos(q[0]), sin(q[0]), 0), 2);
  EXPECT_EQ(names.definitions().size(), 2u);                             // the zero stays a zero
  EXPECT_TRUE(identical(names.define(cos(q[0]), 1), r.terms()[0].c.x));  // known already
  names.differentiate();
  EXPECT_GT(names.definitions().size(), 2u);
  EXPECT_TRUE(s.kinematics.ok());
  const std::vector<double> values = names.evaluate(q, {0.3});
  EXPECT_NEAR(values[0], std::cos(0.3), 1e-15);
  EXPECT_NEAR(values[1], std::sin(0.3), 1e-15);
  EXPECT_TRUE(std::isnan(names.evaluate({}, {})[0]));
}

TEST(Subexpressions, LevelIsKept) {
  Skate s;
  Subexpressions names(s.kinematics);
  const auto [q, u] = s.kinematics.standard(1);
  const Expression force = names.define(sin(q[0]), 0);
  s.kinematics.rate(force);
  EXPECT_NE(s.kinematics.problems().text().find(
                "Subexpression sx_1 is differentiated by time more often"),
            std::string::npos)
      << s.kinematics.problems().text();
  const Expression velocity = names.define(cos(q[0]), 1);
  const std::size_t before = s.kinematics.problems().findings().size();
  const Expression rate = s.kinematics.rate(velocity);
  EXPECT_EQ(s.kinematics.problems().findings().size(), before);
  s.kinematics.rate(rate);
  EXPECT_EQ(s.kinematics.problems().findings().size(), before + 1);
  names.define(sin(q[0]), 7);
  EXPECT_EQ(s.kinematics.problems().findings().size(), before + 2);
}

}  // namespace
}  // namespace cartan::test
