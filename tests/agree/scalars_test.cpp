// The same physics over other scalars: dual numbers differentiate it, packs compute four at once.
#include <algorithm>

#include "agreement.h"
#include "mechanics/forces/dry_friction.h"
#include "mechanics/forces/forces.h"
#include "mechanics/machine/kinematics.h"
#include "mechanics/tree/moving_frame.h"
#include "mechanics/tree/recursive.h"

namespace cartan::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

RandomMechanismOptions smaller(int bodies) {
  RandomMechanismOptions options;
  options.max_bodies = bodies;
  return options;
}

// ---------------------------------------------------------------------------- derivatives of B, of
// x'

// d/dt B by dual numbers along the motion is the Bdot of the formulas.
TEST(DualNumbers, RateOfTheMovingFrame) {
  double largest = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::unique_ptr<Case> c = make_case(seed);
    if (c->nv == 0) continue;
    const NaiveState at = c->naive_state();
    const NaiveTree tree = make_naive_tree(c->model, c->parameters);
    const std::vector<double> rates = calc_naive_rates(tree, at.q, at.v);
    const std::vector<Dual4> parameters(c->parameters.begin(), c->parameters.end());
    const Mechanism<Dual4> mechanism = make_mechanism<Dual4>(c->model, parameters);
    MotionWorkspace<Dual4> ws = make_motion_workspace(mechanism);
    std::vector<Dual4> q(at.q.begin(), at.q.end()), v(at.v.begin(), at.v.end());
    for (std::size_t k = 0; k < q.size(); ++k) q[k].d[0] = rates[k];
    fill_kinematics<Dual4>(mechanism, Dual4(at.t), q.data(), v.data(), ws);
    fill_moving_frame(mechanism, ws);
    const MovingFrame<Dual4>& frame = *ws.moving_frame;
    double size = 0;
    for (const Dual4& entry : frame.Bdot) size = std::max(size, std::fabs(entry.a));
    for (std::size_t k = 0; k < frame.B.size(); ++k)
      EXPECT_NEAR(frame.B[k].d[0], frame.Bdot[k].a, 1e-12 * size);
    largest = std::max(largest, size);
  }
  EXPECT_GT(largest, 1);
}

// x' of the naive reference for a state x = (q, v).
VectorXd naive_derivative(const NaiveTree& tree, double t, const VectorXd& x) {
  NaiveState at{t, {x.begin(), x.begin() + tree.nq}, {x.begin() + tree.nq, x.end()}};
  const std::vector<double> rates = calc_naive_rates(tree, at.q, at.v);
  VectorXd result(x.size());
  result << Eigen::Map<const VectorXd>(rates.data(), tree.nq), calc_naive_dynamics(tree, at).vdot;
  return result;
}

// Central differences with one Richardson step: error of order h^4, rounding 1e-16/h.
VectorXd naive_slope(const NaiveTree& tree, double t, const VectorXd& x, const VectorXd& d) {
  auto central = [&](double h) -> VectorXd {
    return (naive_derivative(tree, t, x + h * d) - naive_derivative(tree, t, x - h * d)) / (2 * h);
  };
  const double h = 2e-4;
  return (4 * central(h / 2) - central(h)) / 3;
}

// The exact Jacobian against differences of the naive reference, in random directions (all columns
// at once), off the unit length of quaternions too.
TEST(DualNumbers, JacobianAgainstDifferencesOfTheNaiveReference) {
  double largest = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::unique_ptr<Case> c = make_case(seed, smaller(8));
    if (c->nv == 0) continue;
    const NaiveTree tree = make_naive_tree(c->model, c->parameters);
    const int n = static_cast<int>(c->state.x.size()), m = c->nq + c->nv;
    const VectorXd x = Eigen::Map<const VectorXd>(c->state.x.data(), m);
    Random random(seed);
    VectorXd direction(m);
    for (double& entry : direction) entry = random.uniform(-1, 1);
    const VectorXd expected = naive_slope(tree, c->state.t, x, direction);
    for (const auto& system : c->systems) {
      SCOPED_TRACE(system->formulation());
      const std::unique_ptr<Workspace> workspace = system->make_workspace();
      MatrixXd J(n, n);
      system->jacobian(c->state, J, *workspace);
      const VectorXd slope = J.topLeftCorner(m, m) * direction;
      const double size = (J.topLeftCorner(m, m).cwiseAbs() * direction.cwiseAbs()).maxCoeff();
      EXPECT_LE((slope - expected).lpNorm<Eigen::Infinity>(), 1e-6 * size);
      largest = std::max(largest, slope.lpNorm<Eigen::Infinity>());
    }
  }
  EXPECT_GT(largest, 1);
}

// Column by column the formulations have the same Jacobian; nothing depends on the work done.
TEST(DualNumbers, JacobiansOfAllFormulationsAreEqual) {
  double largest = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::unique_ptr<Case> c = make_case(seed, smaller(15));
    if (c->nv == 0) continue;
    const int n = static_cast<int>(c->state.x.size());
    std::vector<MatrixXd> all;
    double kappa = 1;
    for (const auto& system : c->systems) {
      const std::unique_ptr<Workspace> workspace = system->make_workspace();
      all.emplace_back(n, n);
      system->jacobian(c->state, all.back(), *workspace);
      kappa = calc_conditioning(system->report_mass_matrix(c->state, *workspace).mass_matrix).kappa;
      EXPECT_EQ(all.back().rightCols(n - c->nq - c->nv).cwiseAbs().sum(), 0);
    }
    const double size = all[0].cwiseAbs().maxCoeff();
    for (const MatrixXd& J : all)
      EXPECT_LE((J - all[0]).cwiseAbs().maxCoeff(), 1e3 * kappa * eps * size);
    largest = std::max(largest, size);
  }
  EXPECT_GT(largest, 1);
}

// ------------------------------------------------------------------------------------------- packs

template <class S>
std::vector<S> accelerations(const Model& model, const std::vector<double>& parameters, double t,
                             const std::vector<S>& q, const std::vector<S>& v,
                             const std::vector<int>& mode, AccelerationSolver<S> solve) {
  const std::vector<S> lifted(parameters.begin(), parameters.end());
  const Mechanism<S> mechanism = make_mechanism<S>(model, lifted);
  MotionWorkspace<S> ws = make_motion_workspace(mechanism);
  ws.mode = mode;
  fill_kinematics<S>(mechanism, S(t), q.data(), v.data(), ws);
  fill_forces(mechanism, ws);
  solve_with_friction<S>(mechanism, ws, solve);
  return ws.vdot;
}

// Four states that differ (the same signs of all speeds, so that one friction mode serves).
TEST(Packs, LanesEqualTheDoubleResult) {
  double spread = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::unique_ptr<Case> c = make_case(seed);
    if (c->nv == 0) continue;
    const NaiveState at = c->naive_state();
    std::vector<Pack4> q(c->nq), v(c->nv);
    std::vector<std::vector<double>> lane_q(4, at.q), lane_v(4, at.v);
    for (int lane = 0; lane < 4; ++lane) {
      for (int k = 0; k < c->nq; ++k) q[k][lane] = lane_q[lane][k] *= 1 + 0.02 * lane;
      for (int k = 0; k < c->nv; ++k) v[k][lane] = lane_v[lane][k] *= 1 - 0.2 * lane;
    }
    const std::unique_ptr<Workspace> workspace = c->systems[0]->make_workspace();
    const double kappa =
        calc_conditioning(c->systems[0]->report_mass_matrix(c->state, *workspace).mass_matrix)
            .kappa;
    auto compare = [&](AccelerationSolver<double> one, AccelerationSolver<Pack4> four) {
      const std::vector<Pack4> packed =
          accelerations<Pack4>(c->model, c->parameters, at.t, q, v, c->state.mode, four);
      for (int lane = 0; lane < 4; ++lane) {
        const std::vector<double> single = accelerations<double>(
            c->model, c->parameters, at.t, lane_q[lane], lane_v[lane], c->state.mode, one);
        const double size = Eigen::Map<const VectorXd>(single.data(), c->nv).norm();
        for (int k = 0; k < c->nv; ++k) {
          EXPECT_NEAR(packed[k][lane], single[k], 1e3 * kappa * eps * size);
          spread = std::max(spread, std::fabs(packed[k][lane] - packed[k][0]));
        }
      }
    };
    compare(solve_accelerations<double>, solve_accelerations<Pack4>);
    compare(solve_moving_frame<double>, solve_moving_frame<Pack4>);
  }
  EXPECT_GT(spread, 1);
}

}  // namespace
}  // namespace cartan::test
