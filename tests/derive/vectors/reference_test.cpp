// Derivations in the vector language against values computed elsewhere (cases S4.1, S4.3, S4.4,
// S4.7, S4.8).
#include <cmath>
#include <complex>

#include <gtest/gtest.h>
#include <Eigen/Dense>

#include "core/dense.h"
#include "derivations/bicycle.h"
#include "derivations/coupled_pendulums.h"
#include "derivations/pendulum_chain.h"
#include "derivations/spherical_pendulum.h"
#include "derivations/swinging_legs.h"
#include "symbolic/differentiate.h"
#include "symbolic/flatten.h"
#include "symbolic/simplify/zero.h"
#include "symbolic/vectors/velocity_transformation.h"

namespace cartan::derivations {
namespace {

const Values legs_state = {{"u1", 0.2}, {"u2", -0.5}, {"u3", 0.7},
                           {"q1", 0.1}, {"q2", 0.4},  {"q3", -0.3}};

TEST(SwingingLegs, AccelerationsAndMassMatrix) {
  const auto legs = derive_swinging_legs();
  ASSERT_TRUE(legs->kinematics.ok()) << legs->kinematics.problems().text();
  const std::vector<double> found = accelerations(*legs, legs_state);
  const double udot[] = {-1.1575536779547632, -6.8850409920478790, 10.012266235048693};
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(found[k], udot[k], 1e-14 * std::fabs(udot[k]));
  const std::vector<double> M = evaluate(*legs, legs->equations.M, legs_state);
  const double M12 = 1.3815914910043276e-01, M13 = 1.1464037869507272e-01;
  const double expected[] = {1.9, M12, M13, M12, 0.06, 0, M13, 0, 0.048};
  for (int k = 0; k < 9; ++k) EXPECT_NEAR(M[k], expected[k], 1e-15) << k;
}

// 1/12 is no binary fraction: where numbers were folded in another order, up to rounding.
bool are_zero(ExpressionGraph& graph, const Expression& x) {
  return is_identically_zero(graph, x) || is_zero_to_rounding(graph, x);
}

struct ChainCase {
  Angles angles;
  int links;
  std::vector<double> udot;
};

TEST(PendulumChain, MeetsTheReference) {
  const ChainCase cases[] = {
      {Angles::absolute, 1, {-0.561976444895116325, -0.564900061236942001}},
      {Angles::relative, 1, {-0.561976444895116325, -0.564900061236942001}},
      {Angles::absolute,
       2,
       {-0.683132254256292913, -0.939330861135571283, 0.685692704075964141, 1.45507531861383495}},
      {Angles::relative,
       2,
       {-0.247771988336914365, -0.574568636180512165, -0.188302181254209528, 0.977125401660880665}},
      {Angles::absolute,
       4,
       {-0.817659039082838765, -1.60953731116614677, 0.188905880858465392, 2.16672321133735425,
        0.96899956595542582, -0.598340314147269024, -1.06290262507953989, -0.30623936774880061}},
      {Angles::relative,
       4,
       {0.307039516885196112, -0.749657197305310223, -1.6968955496151982, 1.32049286593652408,
        2.5848563454502976, -0.448359767398311113, -2.25426035464096063, -1.15139012937173895}}};
  for (const ChainCase& c : cases) {
    const auto chain = derive_pendulum_chain(c.links, c.angles);
    ASSERT_TRUE(chain->kinematics.ok()) << chain->kinematics.problems().text();
    const std::vector<double> found = accelerations(*chain, {{"t", 0.7}});
    // condition of M at four links: about 1e3
    for (std::size_t k = 0; k < found.size(); ++k)
      EXPECT_NEAR(found[k], c.udot[k], 1e-13 * (1 + std::fabs(c.udot[k]))) << c.links << " " << k;
  }
}

// Kane's equations as the document forms them: tangent vectors, rates of the momenta, projection,
// coefficients of u'.
TEST(PendulumChain, DocumentsWayGivesTheSame) {
  for (const Angles angles : {Angles::relative, Angles::absolute})
    for (const Components components : {Components::delayed, Components::evaluated}) {
      const auto chain = describe_pendulum_chain(3, angles, components);
      const std::vector<Expression> equations = derive_as_document(*chain, components);
      std::vector<Expression> unknowns;
      for (const Expression& u : chain->u) unknowns.push_back(chain->kinematics.acceleration(u));
      const LinearEquations linear = collect(chain->kinematics, equations, unknowns);
      ASSERT_TRUE(chain->kinematics.ok()) << chain->kinematics.problems().text();
      const auto direct = derive_pendulum_chain(3, angles);
      const std::vector<double> M = evaluate(*chain, linear.matrix, {{"t", 0.7}});
      const std::vector<double> f = evaluate(*chain, linear.right, {{"t", 0.7}});
      const std::vector<double> M0 = evaluate(*direct, direct->equations.M, {{"t", 0.7}});
      const std::vector<double> f0 = evaluate(*direct, direct->equations.f, {{"t", 0.7}});
      // the document's equations are tangent . (F - p'): -M u' + f
      for (std::size_t k = 0; k < M.size(); ++k) EXPECT_NEAR(M[k], -M0[k], 1e-13);
      for (std::size_t k = 0; k < f.size(); ++k) EXPECT_NEAR(f[k], -f0[k], 1e-13);
    }
}

// The same as an identity: M u' - f is what the document's way gives, up to sign.
TEST(PendulumChain, DocumentsWayProvedEqual) {
  for (const Angles angles : {Angles::relative, Angles::absolute})
    for (const Components components : {Components::delayed, Components::evaluated}) {
      const auto chain = describe_pendulum_chain(2, angles, components);
      const std::vector<Expression> equations = derive_as_document(*chain, components);
      const MotionEquations direct = chain->system->equations(chain->u);
      for (int i = 0; i < direct.size(); ++i) {
        Expression sum = equations[i] - direct.f[i];
        for (int k = 0; k < direct.size(); ++k)
          sum += direct.M[i * direct.size() + k] * chain->kinematics.acceleration(chain->u[k]);
        EXPECT_TRUE(are_zero(chain->graph, sum)) << i;
      }
      EXPECT_FALSE(is_zero_to_rounding(chain->graph, equations[0]));
    }
}

// The pendulum that is shaken until it stands on its head: the motion to t = 1, 2, 4, integrated
// from the derived equations (Runge and Kutta's method, error about 1e-8 at this step).
TEST(SphericalPendulum, MotionMeetsTheReference) {
  const auto pendulum = derive_spherical_pendulum();
  ASSERT_TRUE(pendulum->kinematics.ok()) << pendulum->kinematics.problems().text();
  const ExpressionGraph& graph = pendulum->graph;
  std::vector<Expression> inputs, outputs = pendulum->equations.M;
  outputs.insert(outputs.end(), pendulum->equations.f.begin(), pendulum->equations.f.end());
  std::vector<double> values;
  std::map<std::string, int> place;
  for (int i = 0; i < graph.symbol_count(); ++i) {
    place[graph.symbol_name(i)] = i;
    inputs.push_back({pendulum->graph, graph.symbol_node(i)});
    values.push_back(graph.sample(graph.symbol_node(i)));
  }
  const Program program = flatten(graph, outputs, inputs);
  std::vector<double> scratch(program.scratch_size()), result(6);
  using State = Eigen::Vector4d;  // q1 q2 u1 u2
  auto rate = [&](double t, const State& x) {
    values[place["t"]] = t;
    values[place["q1"]] = x[0], values[place["q2"]] = x[1];
    values[place["u1"]] = x[2], values[place["u2"]] = x[3];
    evaluate<double>(program, values, scratch, result);
    const double determinant = result[0] * result[3] - result[1] * result[2];
    return State(x[2], x[3], (result[4] * result[3] - result[1] * result[5]) / determinant,
                 (result[0] * result[5] - result[2] * result[4]) / determinant);
  };
  State x(0.5, 0.8, 0, 0);
  const int steps = 8000;
  const double h = 4.0 / steps;
  for (int i = 0; i < steps; ++i) {
    const double t = i * h;
    const State k1 = rate(t, x), k2 = rate(t + h / 2, x + h / 2 * k1);
    const State k3 = rate(t + h / 2, x + h / 2 * k2), k4 = rate(t + h, x + h * k3);
    x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  EXPECT_NEAR(x[0], 3.17489851112905, 1e-7);
  EXPECT_NEAR(x[1], -0.0713945705015939, 1e-7);
  EXPECT_NEAR(x[2], 0.525020576886824, 1e-7);
  EXPECT_NEAR(x[3], -1.12120099193369, 1e-7);
}

// Small oscillations about the hanging position: M x'' = (df/dq) x.
TEST(CoupledPendulums, Frequencies) {
  for (const bool with_subexpressions : {false, true}) {
    const auto pendulums = derive_coupled_pendulums(with_subexpressions);
    ASSERT_TRUE(pendulums->kinematics.ok()) << pendulums->kinematics.problems().text();
    const Values at = {
        {"q1", 0.201347507101153085}, {"q2", 0}, {"q3", 0}, {"u1", 0}, {"u2", 0}, {"u3", 0}};
    Eigen::Matrix3d M, K;
    const std::vector<double> mass = evaluate(*pendulums, pendulums->equations.M, at);
    for (int k = 0; k < 3; ++k) {
      const Expression q = pendulums->kinematics.coordinates()[k];
      const std::vector<double> slope =
          evaluate(*pendulums, differentiate(pendulums->graph, pendulums->equations.f, q), at);
      for (int i = 0; i < 3; ++i) M(i, k) = mass[3 * i + k], K(i, k) = -slope[i];
    }
    for (const double f : evaluate(*pendulums, pendulums->equations.f, at))
      EXPECT_NEAR(f, 0, 1e-15);
    const Eigen::VectorXcd squares = Eigen::MatrixXd(M.inverse() * K).eigenvalues();
    std::vector<double> found;
    for (int i = 0; i < 3; ++i) found.push_back(std::sqrt(squares[i].real()));
    std::sort(found.begin(), found.end());
    const double expected[] = {15.7370680647896875, 26.7123466839293046, 27.0732277097579694};
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(found[i], expected[i], 1e-11 * expected[i]) << i;
  }
}

TEST(CoupledPendulums, SubexpressionsChangeNothing) {
  const auto plain = derive_coupled_pendulums(false), named = derive_coupled_pendulums(true);
  EXPECT_GT(named->names.definitions().size(), 20u);
  const Values at = {{"q1", 0.19}, {"q2", 0.1}, {"q3", 0.2},  {"u1", 0.3},  {"u2", -0.2},
                     {"u3", 0.5},  {"vd", 0.1}, {"wa", 0.01}, {"omega", 7}, {"t", 0.3}};
  const std::vector<double> a = accelerations(*plain, at), b = accelerations(*named, at);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(a[k], b[k], 1e-11 * (1 + std::fabs(a[k])));
}

// Mass matrix and forces of the swinging legs as the document prints them (sec. 3.3).
TEST(SwingingLegs, PrintedEquationsProved) {
  const auto legs = derive_swinging_legs();
  ExpressionGraph& graph = legs->graph;
  const Expression m1 = graph.symbol("m1"), m2 = graph.symbol("m2"), m3 = graph.symbol("m3");
  const Expression L = graph.symbol("L"), k = graph.symbol("k"), g = graph.symbol("g");
  const auto &q = legs->q, &u = legs->u;
  const Expression I2 = m2 * 4 * L * L / 12, I3 = m3 * 4 * L * L / 12;
  const Expression M12 = cos(q[1]) * m2 * L, M13 = cos(q[2]) * m3 * L;
  const std::vector<Expression> M = {m1 + m2 + m3,   M12, M13, M12, m2 * L * L + I2, 0, M13, 0,
                                     m3 * L * L + I3};
  const std::vector<Expression> f = {
      sin(q[2]) * u[2] * u[2] * m3 * L - k * q[0] + sin(q[1]) * u[1] * u[1] * m2 * L,
      -L * sin(q[1]) * m2 * g, -L * sin(q[2]) * m3 * g};
  for (int i = 0; i < 9; ++i) EXPECT_TRUE(are_zero(graph, M[i] - legs->equations.M[i])) << i;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(are_zero(graph, f[i] - legs->equations.f[i])) << i;
}

// ---------------------------------------------------------------------------------------- bicycle

struct BicycleCase {
  double u1, u2, u5, q1, q2, delta;
  double pitch_rate, yaw_rate, u4;
  double udot[3];
  double M[6], f[3];  // M11 M12 M13 M22 M23 M33
};
const BicycleCase bicycle_cases[] = {
    {0,
     0,
     14,
     0.1,
     -0.2,
     9.705202960851574e-04,
     2.812999161923241e-21,
     -8.730984785966069e-01,
     1.371427546017877e+01,
     {6.535871070707128e+00, 7.025973474717486e+00, 1.160795679775133e+00},
     {5.342440739565644e+00, 3.612863996083874e-01, -3.213915241088338e-01, 1.225560401861471e-01,
      2.725244036476298e-02, 1.644646577284886e+00},
     {3.708282264441712e+01, 3.254031329993420e+00, 0}},
    {0.3,
     -0.5,
     12,
     0.2,
     0.4,
     -5.717987089186510e-03,
     1.358272022960704e-03,
     1.471868113717788e+00,
     1.102609327248022e+01,
     {-3.510769283871651e+00, 4.620221978540987e+00, 9.250526327701015e-01},
     {5.327061957777214e+00, 1.856093489698528e-01, 5.798846339854712e-01, 8.625433013990359e-02,
      -1.780676171371800e-02, 1.376446970037195e+00},
     {-1.730810529374104e+01, -2.695896411104455e-01, -8.448264595203726e-01}},
    {0.4,
     -0.9,
     11,
     0.3,
     0.7,
     -7.057836149917492e-03,
     -2.525961210994988e-03,
     2.281431292553078e+00,
     8.200579476465801e+00,
     {-1.950147857865501e+00, 3.218355038871162e+00, -2.724482800368959e-01},
     {5.264415552440555e+00, -2.281508755606247e-02, 8.640350319520958e-01, 6.743478664671837e-02,
      2.910482042914353e-02, 9.865297665480735e-01},
     {-1.057522062285109e+01, 2.535923212574340e-01, -1.860104759299778e+00}}};

TEST(Bicycle, MeetsTheReference) {
  const auto bicycle = derive_bicycle();
  ASSERT_TRUE(bicycle->kinematics.ok()) << bicycle->kinematics.problems().text();
  for (const BicycleCase& c : bicycle_cases) {
    const Values at = {{"u1", c.u1}, {"u2", c.u2}, {"u5", c.u5},
                       {"q1", c.q1}, {"q2", c.q2}, {"delta", c.delta}};
    EXPECT_NEAR(evaluate(*bicycle, {bicycle->gap}, at)[0], 0, 1e-15);
    const std::vector<double> dependent = evaluate(*bicycle, bicycle->rolling.values, at);
    const double expected[] = {c.yaw_rate, c.u4, c.pitch_rate};
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(dependent[k], expected[k], 1e-13 * (1 + std::fabs(expected[k])));
    const std::vector<double> udot = accelerations(*bicycle, at);
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(udot[k], c.udot[k], 2e-13 * (1 + std::fabs(c.udot[k]))) << k;
    const std::vector<double> M = evaluate(*bicycle, bicycle->equations.M, at);
    const std::vector<double> f = evaluate(*bicycle, bicycle->equations.f, at);
    const double upper[] = {M[0], M[1], M[2], M[4], M[5], M[8]};
    for (int k = 0; k < 6; ++k) EXPECT_NEAR(upper[k], c.M[k], 1e-14) << k;
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(f[k], c.f[k], 2e-13 * (1 + std::fabs(c.f[k]))) << k;
  }
}

// M q'' + v C1 q' + (g K0 + v^2 K2) q = 0: A(v) as one formula for all speeds.
TEST(Bicycle, LinearisationAtAllSpeeds) {
  const auto bicycle = derive_bicycle();
  const BicycleLinearisation linear = linearise(*bicycle);
  Eigen::Matrix2d M, C1, K0, K2;
  M << 5.3425177561838193, 0.35145636730684524, 0.35145636730684524, 0.11695909945093615;
  C1 << 0.0, 4.5472336295086481, -0.34512539734560057, 0.51639167770935611;
  K0 << -6.7677389340678862, -0.56683566796580366, -0.56683566796580366, -0.19470566357586566;
  K2 << 0.0, 6.5483800677125649, 0.0, 0.5980461769584504;
  for (const double v : {0.0, 1.0, 3.2, 5.0, 10.0, 50.0}) {
    const std::vector<double> A = evaluate(*bicycle, linear.A, {{"v", v}});
    const Eigen::Matrix2d position = -M.inverse() * (9.80665 * K0 + v * v * K2);
    const Eigen::Matrix2d speed = -M.inverse() * (v * C1);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        EXPECT_NEAR(A[8 + 4 * i + j], position(i, j), 1e-11 * (1 + v * v)) << v << i << j;
        EXPECT_NEAR(A[8 + 4 * i + 2 + j], speed(i, j), 1e-11 * (1 + v)) << v << i << j;
      }
  }
}

// The speeds between which it rides by itself, from the eigenvalues of A(v).
TEST(Bicycle, StableSpeeds) {
  const auto bicycle = derive_bicycle();
  const BicycleLinearisation linear = linearise(*bicycle);
  auto growth = [&](double v) {
    const std::vector<double> A = evaluate(*bicycle, linear.A, {{"v", v}});
    const Eigen::MatrixXd matrix =
        Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(A.data());
    return matrix.eigenvalues().real().maxCoeff();
  };
  auto zero = [&](double stable, double unstable) {
    for (int i = 0; i < 60; ++i) {
      const double v = (stable + unstable) / 2;
      (growth(v) < 0 ? stable : unstable) = v;
    }
    return stable;
  };
  EXPECT_NEAR(zero(4, 2), 3.20654620778209, 1e-11);
  EXPECT_NEAR(zero(4, 7), 5.39624933842446, 1e-11);
}

}  // namespace
}  // namespace cartan::derivations
