// Rotation elements: two-step against one-step elimination, Lambda against the Lyapunov equation
// (25) of source 001 solved in principal axes, motions against `recursive`.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "agreement.h"
#include "mechanics/absolute/absolute_system.h"
#include "mechanics/elements/element_multipliers.h"
#include "support/example.h"
#include "support/random_closed.h"

namespace cartan::test {
namespace {

using Eigen::Matrix3d;
using Eigen::VectorXd;

// A model with its element mechanism, in the state of its start.
struct Elements {
  Model absolute;
  std::unique_ptr<MechanicalSystem> system;
  ElementMechanism<double> mechanism;
  State state;
};

std::unique_ptr<Elements> make_elements(const Model& model) {
  auto e = std::make_unique<Elements>();
  const std::vector<double> parameters = parameter_values(model);
  e->absolute = make_absolute_model(model, parameters);
  e->system = find_formulation("rotation-elements")->make(model, parameters);
  e->state = e->system->initial_state();
  Observation start;
  e->system->observe(e->state, start, *e->system->make_workspace());
  e->mechanism = make_element_mechanism<double>(e->absolute, parameters, start.bodies);
  return e;
}

using test::eigen;  // beside that of vectors (agreement.h)
Matrix3d eigen(const Mat3<double>& m) {
  Matrix3d result;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) result(r, c) = m(r, c);
  return result;
}

ElementWorkspace<double> workspace_of(const Elements& e) {
  ElementWorkspace<double> ws = make_element_workspace(e.mechanism);
  std::copy(e.state.mode.begin(), e.state.mode.end(), ws.motion.mode.begin());
  return ws;
}

double relative(const VectorXd& a, const VectorXd& b) {
  return (a - b).norm() / std::max(1e-3, b.norm());
}
VectorXd vector(const std::vector<double>& list) {
  return Eigen::Map<const VectorXd>(list.data(), static_cast<Eigen::Index>(list.size()));
}

struct RotationWorst {
  double rates = 0, joints = 0, bodies = 0;
  int compared = 0, rows = 0;
};

void compare_eliminations(const Elements& e, RotationWorst& worst) {
  for (std::size_t i = 0; i < e.mechanism.bodies.size(); ++i)
    if (!has_full_inertia(e.mechanism, i)) return;
  ElementWorkspace<double> two = workspace_of(e), one = workspace_of(e);
  const int n = 2 * e.mechanism.size();
  VectorXd rates(n), expected(n);
  calc_element_rates(e.mechanism, e.state.t, e.state.x.data(), rates.data(), two);
  OneStepElimination eliminate(e.mechanism);
  eliminate(e.state.t, e.state.x.data(), expected.data(), one);
  VectorXd Lambda(6 * e.mechanism.bodies.size()), other(Lambda.size());
  for (std::size_t i = 0; i < e.mechanism.bodies.size(); ++i) {
    const Sym3<double> a = calc_body_multiplier(e.mechanism, two, i), b = eliminate.Lambda()[i];
    Lambda.segment(6 * i, 6) << a.xx, a.yy, a.zz, a.xy, a.xz, a.yz;
    other.segment(6 * i, 6) << b.xx, b.yy, b.zz, b.xy, b.xz, b.yz;
  }
  worst.rates = std::max(worst.rates, relative(rates, expected));
  worst.joints =
      std::max(worst.joints, relative(vector(two.motion.lambda), vector(one.motion.lambda)));
  worst.bodies = std::max(worst.bodies, relative(Lambda, other));
  worst.rows = std::max(worst.rows, static_cast<int>(two.motion.lambda.size()));
  ++worst.compared;
}

void print(const char* what, const RotationWorst& worst) {
  std::printf("%s: %d compared, rates %.2g, joints %.2g, Lambda %.2g, up to %d rows\n", what,
              worst.compared, worst.rates, worst.joints, worst.bodies, worst.rows);
}

TEST(RotationElements, OneStepAndTwoStepsAgreeOnTrees) {
  RandomMechanismOptions options;
  options.exact_friction = options.bearings = options.thin_bodies = false;
  options.rotors = 0;  // the elimination in one step knows none
  RotationWorst worst;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    Model model = make_checked_random_model(seed, options);
    std::erase_if(model.forces,
                  [](const Force& f) { return std::holds_alternative<FrictionForce>(f.law); });
    compare_eliminations(*make_elements(model), worst);
  }
  print("trees", worst);
  EXPECT_GT(worst.compared, 60);
  EXPECT_LT(worst.rates, 1e-10);
  EXPECT_LT(worst.joints, 1e-10);
  EXPECT_LT(worst.bodies, 1e-10);
}

TEST(RotationElements, OneStepAndTwoStepsAgreeOnClosedMechanisms) {
  RandomClosedOptions options;
  options.tree.thin_bodies = options.tree.exact_friction = options.tree.bearings = false;
  options.tree.rotors = 0;
  RotationWorst worst;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    ClosedModel m(make_random_closed_mechanism(seed, options));
    std::erase_if(m.model.forces,
                  [](const Force& f) { return std::holds_alternative<FrictionForce>(f.law); });
    compare_eliminations(*make_elements(m.model), worst);
  }
  print("closed", worst);
  EXPECT_GT(worst.compared, 20);
  EXPECT_LT(worst.rates, 1e-8);
  EXPECT_LT(worst.joints, 1e-8);
  EXPECT_LT(worst.bodies, 1e-8);
}

// (25): Lambda K^-1 + K^-1 Lambda = 2 H - R^T Z K^-1 - K^-1 Z^T R, by diagonalising K. Z from (12):
// R'' K = Z + R Lambda must hold as well.
TEST(RotationElements, LambdaSolvesTheLyapunovEquation) {
  const test::Example example = test::load_example("spherical_double", "rotation-elements");
  ASSERT_TRUE(example) << example.problem;
  const auto e = make_elements(*example.model);
  ElementWorkspace<double> ws = workspace_of(*e);
  std::vector<double> rates(2 * e->mechanism.size());
  calc_element_rates(e->mechanism, 0.0, e->state.x.data(), rates.data(), ws);
  ASSERT_EQ(ws.motion.lambda.size(), 6u);
  double size = 0;
  for (std::size_t i = 0; i < e->mechanism.bodies.size(); ++i) {
    const LinkState<double>& link = ws.motion.links[i];
    const Matrix3d K = eigen(full(e->mechanism.bodies[i].K)), H = eigen(full(ws.stretch[i]));
    Matrix3d Z = Matrix3d::Zero();  // R^T Z, point forces only
    for (std::size_t s = 0; s < e->mechanism.mechanism.sources.size(); ++s) {
      const RowSource& source = e->mechanism.mechanism.sources[s];
      if (source.link != static_cast<int>(i)) continue;
      const Eigen::Vector3d f = eigen(transpose_times(link.R, ws.motion.source_f[s]));
      const Eigen::Vector3d r = eigen(ws.point[s]);
      Z += ws.motion.lambda[source.row] * f * r.transpose();
    }
    const Eigen::SelfAdjointEigenSolver<Matrix3d> axes(K);
    const Matrix3d Q = axes.eigenvectors();
    const Eigen::Vector3d k = axes.eigenvalues();
    const Matrix3d right =
        Q.transpose() * (2 * H - Z * K.inverse() - K.inverse() * Z.transpose()) * Q;
    Matrix3d expected;
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) expected(a, b) = right(a, b) / (1 / k[a] + 1 / k[b]);
    expected = (Q * expected * Q.transpose()).eval();
    const Matrix3d found = eigen(full(calc_body_multiplier(e->mechanism, ws, i)));
    size = std::max(size, expected.norm());
    EXPECT_LE((found - expected).norm(), 1e-12 * expected.norm());
    // (12)
    const Mat3<double> turned = cross(link.dw, link.R) + link.R * full(ws.stretch[i]);
    const Matrix3d R = eigen(link.R);
    EXPECT_LE((eigen(turned) * K - R * (Z + found)).norm(), 1e-12 * expected.norm());
  }
  EXPECT_GT(size, 0.1);
  RotationWorst worst;
  compare_eliminations(*e, worst);
  print("two bars", worst);
  EXPECT_EQ(worst.compared, 1);
  EXPECT_LT(std::max({worst.rates, worst.joints, worst.bodies}), 1e-13);
}

// At the start of every example that is taken, closed or not.
TEST(RotationElements, ExamplesAccelerateAsInRecursive) {
  int compared = 0;
  double worst = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(CARTAN_ROOT) + "/examples")) {
    if (entry.path().extension() != ".toml") continue;
    SCOPED_TRACE(entry.path().stem().string());
    const test::Example a = test::load_example(entry.path().stem().string());
    if (!a || !a.model->is_mechanism() ||
        !find_formulation("rotation-elements")->refusal(*a.model).empty())
      continue;
    const test::Example b = test::load_example(entry.path().stem().string(), "rotation-elements");
    ASSERT_TRUE(b) << b.problem;
    const auto acceleration = [](const MechanicalSystem& system) {
      return flat(
          system.report_dynamics(system.initial_state(), *system.make_workspace()).acceleration);
    };
    const VectorXd expected = acceleration(a.mechanism());
    const double error = (acceleration(b.mechanism()) - expected).norm() / (1 + expected.norm());
    EXPECT_LT(error, 1e-11);
    worst = std::max(worst, error);
    ++compared;
  }
  std::printf("%d examples, largest relative difference %.2g\n", compared, worst);
  EXPECT_GE(compared, 40);
}

// Poses and speeds of all bodies after a run.
std::vector<double> bodies_after(const test::Example& example, double duration, double step) {
  const SimulateReport report =
      simulate(*example.system, example.system->initial_state(),
               {.integrator = "gl4", .duration = duration, .step = step}, Observer{});
  EXPECT_TRUE(report.ok()) << report.message;
  std::vector<double> numbers;
  for (const BodyState& body : test::observe(example.mechanism(), report.final_state).bodies) {
    test::append(numbers, body.position);
    test::append(numbers, test::world_rate(body));
    test::append(numbers, body.linear);
  }
  return numbers;
}

TEST(RotationElements, StewartPlatformMovesAsInRecursive) {
  const test::Example a = test::load_example("stewart", "recursive"),
                      b = test::load_example("stewart", "rotation-elements");
  ASSERT_TRUE(a && b) << b.problem;
  const double difference =
      test::largest_difference(bodies_after(a, 0.5, 0.005), bodies_after(b, 0.5, 0.005));
  std::printf("Stewart platform after 0.5 s: difference %.2g\n", difference);
  EXPECT_LT(difference, 1e-9);
}

// Baumgarte's feedback brings back what has drifted, R^T R = 1 included.
TEST(RotationElements, BaumgarteHoldsTheRotations) {
  test::Example example = test::load_example("four_bar", "rotation-elements");
  ASSERT_TRUE(example) << example.problem;
  auto& system = dynamic_cast<MechanicalSystem&>(*example.system);
  const auto defects = [&](double rate) {
    system.set_baumgarte(rate);
    const SimulateReport report =
        simulate(system, system.initial_state(),
                 {.integrator = "rk4", .duration = 2, .step = 0.01, .project = false}, Observer{});
    EXPECT_TRUE(report.ok()) << report.message;
    const Observation now = test::observe(system, report.final_state);
    return std::max(now.unit_norm_error, now.position_violation);
  };
  const double without = defects(0), with = defects(20);
  std::printf("largest violation %.2g without feedback, %.2g with\n", without, with);
  EXPECT_GT(without, 1e-9);
  EXPECT_LT(with, 0.2 * without);
}

}  // namespace
}  // namespace cartan::test
