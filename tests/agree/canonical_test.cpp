// Formulation `canonical` (state (q, p)): everything a formulation reports against the naive
// reference, and the equations of motion p' themselves against d/dt (M v), by dual numbers.
//
// Tolerances as in compare.h: 1e3 kappa eps. Momenta and their rates are measured in the scaling of
// the mass matrix, p_i / sqrt(M_ii).
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "compare.h"
#include "mechanics/forces/forces.h"
#include "mechanics/machine/kinematics.h"
#include "mechanics/momenta/canonical.h"
#include "mechanics/tree/recursive.h"
#include "support/example.h"

namespace cartan::test {
namespace {

using Eigen::VectorXd;

RandomMechanismOptions without_sticking(int bodies = 40) {
  RandomMechanismOptions options;
  options.exact_friction = false;
  options.max_bodies = bodies;
  return options;
}

std::unique_ptr<MechanicalSystem> make_canonical(const Case& c) {
  const FormulationInfo* row = find_formulation("canonical");
  EXPECT_EQ(row->refusal(c.model), "");
  return row->make(c.model, c.parameters);
}

// Of the momenta in states: cases stand in the model's initial position.
double momentum_unit(const Case& c) {
  const Mechanism<double> mechanism = make_mechanism<double>(c.model, c.parameters);
  MotionWorkspace<double> ws = make_motion_workspace(mechanism);
  fill_kinematics<double>(mechanism, c.state.t, c.q().data(), c.v().data(), ws);
  return calc_momentum_unit(mechanism, ws);
}

TEST(Canonical, ReportsAgreeWithNaiveNewtonEuler) {
  Worst worst;
  for (std::uint64_t seed = 1; seed <= tree_count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::unique_ptr<Case> c = make_case(seed, without_sticking());
    c->systems.push_back(make_canonical(*c));
    compare_with_naive(*c, worst);
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_LT(std::max({worst.acceleration, worst.reaction, worst.energy, worst.power}), 0.1);
}

// q' from p, p' = M v' + M' v, and v' by the chain rule through v(q, p).
TEST(Canonical, RatesAgainstTheDerivativeOfTheMomentum) {
  double worst_p = 0, worst_rate = 0, worst_acceleration = 0, moved = 0;
  for (std::uint64_t seed = 1; seed <= tree_count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::unique_ptr<Case> c = make_case(seed, without_sticking());
    if (c->nv == 0) continue;
    const int nq = c->nq, nv = c->nv;
    const NaiveState at = c->naive_state();
    const NaiveTree tree = make_naive_tree(c->model, c->parameters);
    const NaiveResult naive = calc_naive_dynamics(tree, at);
    ASSERT_TRUE(naive.converged);
    const Conditioning conditioning = calc_conditioning(naive.mass_matrix);
    const double tolerance = 1e3 * conditioning.kappa * eps;
    const VectorXd inverse_scale = conditioning.scale.cwiseInverse();

    const auto canonical = make_canonical(*c);
    const State state = state_in(*canonical, *c);
    ASSERT_EQ(state.x.size(), c->state.x.size());
    const auto workspace = canonical->make_workspace();
    std::vector<double> xdot(state.x.size());
    canonical->derivative(state, xdot, *workspace);
    const double unit = momentum_unit(*c);
    const VectorXd p = unit * Eigen::Map<const VectorXd>(state.x.data() + nq, nv),
                   dp = unit * Eigen::Map<const VectorXd>(xdot.data() + nq, nv);
    Observation now;
    canonical->observe(state, now, *workspace);
    EXPECT_EQ(flat(now.p), p);

    // M v and its derivative along the naive motion, by composite bodies over dual numbers
    const std::vector<double> rates = calc_naive_rates(tree, at.q, at.v);
    const std::vector<Dual4> parameters(c->parameters.begin(), c->parameters.end());
    const Mechanism<Dual4> mechanism = make_mechanism<Dual4>(c->model, parameters);
    CanonicalWorkspace<Dual4> w = make_canonical_workspace(mechanism, unit);
    std::vector<Dual4> q(at.q.begin(), at.q.end()), v(at.v.begin(), at.v.end());
    for (int k = 0; k < nq; ++k) q[k].d[0] = rates[k];
    for (int k = 0; k < nv; ++k) v[k].d[0] = naive.vdot[k];
    fill_kinematics<Dual4>(mechanism, Dual4(at.t), q.data(), v.data(), w.motion);
    std::vector<Dual4> M(static_cast<std::size_t>(nv) * nv);
    calc_mass_matrix<Dual4>(mechanism, w.motion, M);
    VectorXd Mv = VectorXd::Zero(nv), slope = Mv, size = Mv, slope_size = naive.applied_scale;
    for (int i = 0; i < nv; ++i)
      for (int k = 0; k < nv; ++k) {
        const Dual4 term = M[static_cast<std::size_t>(i) * nv + k] * v[k];
        Mv[i] += term.a;
        slope[i] += term.d[0];
        size[i] += std::fabs(term.a);
        slope_size[i] += std::fabs(term.d[0]);
      }
    const double p_error = inverse_scale.cwiseProduct(p - Mv).norm(),
                 p_limit = 1e3 * eps * inverse_scale.cwiseProduct(size).norm();
    EXPECT_LE(p_error, p_limit);
    const double rate_error = inverse_scale.cwiseProduct(dp - slope).norm(),
                 rate_limit = tolerance * inverse_scale.cwiseProduct(slope_size).norm();
    EXPECT_LE(rate_error, rate_limit);
    for (int k = 0; k < nq; ++k)
      EXPECT_NEAR(xdot[k], rates[k], tolerance * (1 + std::fabs(rates[k])));

    // v' = d/dt v(q, p)
    std::vector<Dual4> momenta(state.x.begin() + nq, state.x.begin() + nq + nv);
    for (int k = 0; k < nq; ++k) q[k].d[0] = xdot[k];
    for (int k = 0; k < nv; ++k) momenta[k].d[0] = xdot[nq + k];
    solve_speeds(mechanism, Dual4(at.t), q.data(), momenta.data(), w);
    VectorXd vdot(nv);
    for (int k = 0; k < nv; ++k) vdot[k] = w.v[k].d[0];
    const double a_error = conditioning.scale.cwiseProduct(vdot - naive.vdot).norm();
    const double a_limit =
        tolerance * std::max(conditioning.scale.cwiseProduct(naive.vdot).norm(),
                             inverse_scale.cwiseProduct(slope_size).norm() / conditioning.largest);
    EXPECT_LE(a_error, a_limit);

    worst_p = std::max(worst_p, p_error / p_limit);
    worst_rate = std::max(worst_rate, rate_error / rate_limit);
    worst_acceleration = std::max(worst_acceleration, a_error / a_limit);
    moved = std::max(moved, naive.kinetic);
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(moved, 0);
  EXPECT_LT(std::max({worst_p, worst_rate, worst_acceleration}), 0.1);
  std::printf("largest error / tolerance: p %.2g p' %.2g v' %.2g\n", worst_p, worst_rate,
              worst_acceleration);
}

TEST(Canonical, HamiltonianIsTheEnergy) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::unique_ptr<Case> c = make_case(seed, without_sticking());
    if (c->nv == 0) continue;
    const auto canonical = make_canonical(*c);
    const auto workspace = canonical->make_workspace();
    const State state = state_in(*canonical, *c);
    Observation now;
    canonical->observe(state, now, *workspace);
    ASSERT_TRUE(now.hamiltonian);
    const double kappa =
        calc_conditioning(canonical->report_mass_matrix(state, *workspace).mass_matrix).kappa;
    EXPECT_NEAR(*now.hamiltonian, now.kinetic + now.potential,
                100 * kappa * eps * (now.kinetic + std::fabs(now.potential)));
    EXPECT_GT(now.kinetic, 0);
  }
}

// Plain coordinates, gravity: q' = dH/dp, p' = -dH/dq, with H(q, p) over dual numbers.
TEST(Canonical, HamiltonsEquationsOfPlainJoints) {
  RandomMechanismOptions options = without_sticking(12);
  options.joints = {JointType::fixed,       JointType::revolute,   JointType::prismatic,
                    JointType::screw,       JointType::universal,  JointType::planar,
                    JointType::cylindrical, JointType::translation};
  options.forces = options.varying_gravity = false;
  double largest = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::unique_ptr<Case> c = make_case(seed, options);
    if (c->nv == 0) continue;
    ASSERT_EQ(c->nq, c->nv);
    const auto canonical = make_canonical(*c);
    const auto workspace = canonical->make_workspace();
    const State state = state_in(*canonical, *c);
    std::vector<double> xdot(state.x.size());
    canonical->derivative(state, xdot, *workspace);
    const std::vector<Dual4> parameters(c->parameters.begin(), c->parameters.end());
    const Mechanism<Dual4> mechanism = make_mechanism<Dual4>(c->model, parameters);
    const double unit = momentum_unit(*c);
    CanonicalWorkspace<Dual4> w = make_canonical_workspace(mechanism, unit);
    const int n = c->nv;
    std::vector<double> gradient(2 * n);  // with respect to q and p / unit
    for (int j = 0; j < 2 * n; ++j) {
      std::vector<Dual4> x(state.x.begin(), state.x.begin() + 2 * n);
      x[j] = Dual4::variable(state.x[j], 0);
      solve_speeds(mechanism, Dual4(state.t), x.data(), x.data() + n, w);
      fill_kinematics<Dual4>(mechanism, Dual4(state.t), x.data(), w.v.data(), w.motion);
      Dual4 H = calc_potential_energy(mechanism, w.motion);
      for (int k = 0; k < n; ++k) H += Dual4(0.5 * unit) * x[n + k] * w.v[k];
      gradient[j] = H.d[0];
    }
    const double kappa =
        calc_conditioning(canonical->report_mass_matrix(state, *workspace).mass_matrix).kappa;
    const VectorXd g = Eigen::Map<const VectorXd>(gradient.data(), 2 * n) / unit;
    const VectorXd rate = Eigen::Map<const VectorXd>(xdot.data(), 2 * n);
    EXPECT_LE((rate.head(n) - g.tail(n)).norm(), 1e3 * kappa * eps * g.tail(n).norm());
    EXPECT_LE((rate.tail(n) + g.head(n)).norm(), 1e3 * kappa * eps * (1 / unit + g.head(n).norm()));
    largest = std::max(largest, unit * g.head(n).norm());
    // and the Jacobian is that of a Hamiltonian field, which makes the midpoint rule symplectic
    const int size = static_cast<int>(state.x.size());
    Eigen::MatrixXd J(size, size);
    canonical->jacobian(state, J, *workspace);
    const Eigen::MatrixXd qq = J.block(0, 0, n, n), qp = J.block(0, n, n, n),
                          pq = J.block(n, 0, n, n), pp = J.block(n, n, n, n);
    const double limit = 1e4 * kappa * eps;
    EXPECT_LE((qp - qp.transpose()).norm(), limit * qp.norm());
    EXPECT_LE((pq - pq.transpose()).norm(), limit * (pq.norm() + qq.norm()));
    EXPECT_LE((qq + pp.transpose()).norm(), limit * (qq.norm() + pq.norm()));
  }
  EXPECT_GT(largest, 1);
}

// Dual numbers and packs compute what doubles do.
TEST(Canonical, JacobianAndPacks) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::unique_ptr<Case> c = make_case(seed, without_sticking(8));
    if (c->nv == 0) continue;
    const auto canonical = make_canonical(*c);
    const auto workspace = canonical->make_workspace();
    const State state = state_in(*canonical, *c);
    const int n = static_cast<int>(state.x.size()), m = c->nq + c->nv;
    Eigen::MatrixXd J(n, n);
    canonical->jacobian(state, J, *workspace);
    EXPECT_EQ(J.rightCols(n - m).cwiseAbs().sum(), 0);
    // three points on a line
    Random random(seed);
    VectorXd direction = VectorXd::Zero(n);
    for (int i = 0; i < m; ++i)
      direction[i] = random.uniform(-1, 1) * (i < c->nq ? 1 : std::fabs(state.x[i]));
    const VectorXd x = Eigen::Map<const VectorXd>(state.x.data(), n);
    const double h = 1e-4;
    std::vector<double> points, rates(5 * n), times(5, state.t), one(n);
    for (double s : {-h, -h / 2, h / 2, h, 0.0})
      for (int i = 0; i < n; ++i) points.push_back(x[i] + s * direction[i]);
    canonical->derivatives(times, points, state.mode, rates, *workspace);
    auto at = [&](int k) { return Eigen::Map<const VectorXd>(rates.data() + k * n, n); };
    const double kappa =
        calc_conditioning(canonical->report_mass_matrix(state, *workspace).mass_matrix).kappa;
    for (int k = 0; k < 5; ++k) {
      const std::span<const double> point(points.data() + k * n, n);
      canonical->derivative({state.t, point, state.mode}, one, *workspace);
      const Eigen::Map<const VectorXd> single(one.data(), n);
      EXPECT_LE((at(k) - single).norm(), 1e3 * kappa * eps * (1 + single.norm())) << "point " << k;
    }
    const VectorXd slope = (4 * (at(2) - at(1)) / h - (at(3) - at(0)) / (2 * h)) / 3;
    const double size = (J.cwiseAbs() * direction.cwiseAbs()).maxCoeff();
    EXPECT_LE((slope - J * direction).lpNorm<Eigen::Infinity>(), 1e-6 * size);
  }
}

TEST(Canonical, SaysWhatItDoesNotDo) {
  const auto refusal = [](const ModelDescription& d) {
    Diagnostics problems;
    const std::optional<Model> model = check_model(d, problems);
    EXPECT_TRUE(model) << problems.text();
    return model ? find_formulation("canonical")->refusal(*model) : "";
  };
  int sticking = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const ModelDescription d = make_random_mechanism(seed);
    const std::string text = refusal(d);
    if (text.empty()) continue;
    ++sticking;
    EXPECT_NE(text.find("give 'smoothing' or use 'recursive'"), std::string::npos) << text;
  }
  EXPECT_GT(sticking, 5);
}

TEST(Canonical, RefusesConstraints) {
  for (const char* name : {"four_bar", "stewart", "driven_pendulum", "rolling_coin"}) {
    const test::Example example = test::load_example(name);
    ASSERT_TRUE(example) << name;
    std::string problem;
    EXPECT_EQ(make_system(*example.model, parameter_values(*example.model), "canonical", problem),
              nullptr);
    EXPECT_NE(problem.find("no multipliers; use 'recursive'"), std::string::npos) << problem;
  }
}

}  // namespace
}  // namespace cartan::test
