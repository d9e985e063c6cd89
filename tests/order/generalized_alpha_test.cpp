// generalized-alpha is of second order in positions, velocities and multipliers, from the first
// step on, on spatial motions of trees and loops, rolling and driven ones, in every formulation it
// takes; the truth is dop853 with the multipliers of the index-1 equations.
#include "integrate/generalized_alpha.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "support/example.h"
#include "system/second_order.h"

namespace cartan::test {
namespace {

struct Errors {
  double q = 0, v = 0, lambda = 0, g = 0;  // relative, but for g
  double lambda_absolute = 0;
};

void enlarge(double& worst, double difference, double size) {
  const double error = std::fabs(difference) / std::max(1.0, size);
  if (!(error <= worst)) worst = error;
}

double largest_of(std::span<const double> numbers) {
  double result = 0;
  for (double x : numbers) result = std::max(result, std::fabs(x));
  return result;
}

// A motion known at times that all step lengths share.
class KnownMotion {
 public:
  KnownMotion(const std::string& example, const std::string& formulation, double duration,
              int checkpoints)
      : example_(load_example(example, formulation)), interval_(duration / checkpoints) {
    if (!example_) return;
    std::vector<double> times;
    for (int k = 1; k <= checkpoints; ++k) times.push_back(start().t + k * interval_);
    exact_ = states_at(*example_.system, times, {.integrator = "dop853", .tolerance = 1e-13});
  }
  explicit operator bool() const { return bool(example_); }
  State start() const { return example_.system->initial_state(); }
  const System& system() const { return *example_.system; }

  // Largest errors at the checkpoints with `steps` steps from one to the next.
  Errors run(double radius, int steps, bool project) const {
    Errors errors;
    IntegratorOptions options;
    options.spectral_radius = radius;
    const auto method = make_generalized_alpha(system(), options);
    State state = start();
    method->restart();
    for (const State& exact : exact_) {
      for (int n = 0; n < steps; ++n) {
        const StepReport step = method->step(state, interval_ / steps, state.t + interval_ / steps);
        if (step.status != StepStatus::ok)
          return {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};
        if (!project || !system().constrained()) continue;
        const Projection done = system().project(state, method->workspace());
        if (done.moved) method->moved();
        if (done.mode_changed) method->restart();
      }
      compare(*method, state, exact, errors);
    }
    return errors;
  }

 private:
  void compare(GeneralizedAlphaIntegrator& method, const State& state, const State& exact,
               Errors& errors) const {
    const SecondOrderForm& form = *system().second_order();
    const int nq = form.positions().size(), nv = form.positions().tangent_size();
    for (int i = 0; i < nq; ++i) enlarge(errors.q, state.x[i] - exact.x[i], std::fabs(exact.x[i]));
    const double speed = largest_of(std::span(exact.x).subspan(nq, nv));
    for (int i = nq; i < nq + nv; ++i) enlarge(errors.v, state.x[i] - exact.x[i], speed);
    MotionStart truth;
    form.start({exact.t, exact.x, state.mode}, truth, method.workspace());
    const double force = largest_of(truth.lambda);
    for (std::size_t k = 0; k < truth.lambda.size(); ++k) {
      const double error = method.multipliers()[k] - truth.lambda[k];
      enlarge(errors.lambda, error, force);
      enlarge(errors.lambda_absolute, error, 0);
    }
    std::vector<double> residual(nv + truth.lambda.size());
    form.residual({state.t, std::span(state.x).first(nq), std::span(state.x).subspan(nq, nv),
                   method.accelerations(), method.multipliers(), state.mode},
                  residual, method.workspace());
    std::vector<EquationLevel> levels;
    form.fill_levels(state.mode, levels);
    for (std::size_t k = 0; k < levels.size(); ++k)
      if (levels[k] == EquationLevel::position) enlarge(errors.g, residual[nv + k], 1);
  }

  Example example_;
  double interval_;
  std::vector<State> exact_;
};

void expect_second_order(double coarse, double fine, double ratio, const char* what) {
  const double order = std::log(coarse / fine) / std::log(ratio);
  if (fine < 1e-9) return;  // rounding
  EXPECT_GT(order, 1.85) << what << ": " << coarse << " -> " << fine;
}

struct AlphaCase {
  const char *example, *formulation;
  double duration;
  int checkpoints, steps;  // of the coarsest run between checkpoints
};

class AlphaOrder : public testing::TestWithParam<AlphaCase> {};

TEST_P(AlphaOrder, TwoInPositionsVelocitiesAndMultipliers) {
  const AlphaCase& c = GetParam();
  const KnownMotion motion(c.example, c.formulation, c.duration, c.checkpoints);
  ASSERT_TRUE(motion);
  for (const double radius : {0.9, 0.5}) {
    for (const bool project : {false, true}) {
      SCOPED_TRACE(testing::Message() << "radius " << radius << " projection " << project);
      const Errors coarse = motion.run(radius, c.steps, project);
      const Errors fine = motion.run(radius, 4 * c.steps, project);
      EXPECT_LT(fine.q, 1e-2);
      expect_second_order(coarse.q, fine.q, 4, "positions");
      expect_second_order(coarse.v, fine.v, 4, "velocities");
      expect_second_order(coarse.lambda, fine.lambda, 4, "multipliers");
      EXPECT_LT(fine.g, 1e-13);
    }
  }
}

// One step alone: without the corrected start the multipliers would be off by O(h) here.
TEST_P(AlphaOrder, HoldsInTheFirstStep) {
  const AlphaCase& c = GetParam();
  double before = 0;
  for (const double h : {1.0, 0.5, 0.25}) {
    const double length = h * c.duration / c.checkpoints / c.steps;
    const KnownMotion motion(c.example, c.formulation, length, 1);
    ASSERT_TRUE(motion);
    const Errors errors = motion.run(0.9, 1, false);
    if (h == 0.25) expect_second_order(before, errors.lambda_absolute, 2, "multipliers");
    before = errors.lambda_absolute;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Spatial, AlphaOrder,
    testing::Values(AlphaCase{"heavy_top", "recursive", 0.5, 10, 25},
                    AlphaCase{"heavy_top", "absolute-se3", 0.5, 10, 25},
                    AlphaCase{"heavy_top", "absolute-so3r3", 0.5, 10, 25},
                    AlphaCase{"spherical_three_bar", "recursive", 0.3, 10, 15},
                    AlphaCase{"spherical_three_bar", "absolute-se3", 0.3, 10, 15},
                    AlphaCase{"spherical_three_bar", "absolute-so3r3", 0.3, 10, 15},
                    AlphaCase{"floating_pair", "absolute-se3", 0.5, 10, 10},
                    AlphaCase{"floating_pair", "absolute-so3r3", 0.5, 10, 10},
                    AlphaCase{"stewart", "recursive", 0.4, 8, 10},
                    AlphaCase{"stewart", "absolute-se3", 0.4, 8, 10},
                    AlphaCase{"bricard", "recursive", 0.4, 8, 10},
                    AlphaCase{"rolling_coin", "recursive", 1, 10, 5},
                    AlphaCase{"benchmark_bicycle", "absolute-se3", 0.5, 10, 10},
                    AlphaCase{"driven_pendulum", "recursive", 1, 10, 20}),
    [](const auto& info) {
      std::string name = std::string(info.param.example) + "_" + info.param.formulation;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

}  // namespace
}  // namespace cartan::test
