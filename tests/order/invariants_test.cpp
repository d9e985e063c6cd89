// What the Gauss-Legendre methods keep, and what the solution of their stages costs.
#include <gtest/gtest.h>

#include <cmath>

#include "integrate/simulate.h"
#include "order/problems.h"

namespace cartan::test {
namespace {

struct Kept {
  double unit = 0, energy = 0, moved = 0;
};

// Free body: |u| and the kinetic energy are quadratic invariants.
Kept run_free_body(const std::string& method, long steps, double tolerance = 0) {
  const Problem<FreeBodyRates> body = make_free_body();
  const State start = body.initial_state();
  const double energy = free_body_energy(start.x);
  Kept kept;
  Observer observer;
  observer.on_sample = [&](const State& s) {
    kept.unit = std::max(kept.unit, body.space().unit_norm_error(s.x));
    kept.energy = std::max(kept.energy, std::fabs(free_body_energy(s.x) / energy - 1));
    kept.moved = std::max(kept.moved, std::fabs(s.x[0] - start.x[0]));
  };
  SimulateOptions options;
  options.integrator = method;
  options.step = 0.05;
  options.tolerance = tolerance;
  options.duration = options.step * static_cast<double>(steps);
  const SimulateReport report = simulate(body, start, options, observer);
  EXPECT_EQ(report.status, RunStatus::completed) << report.message;
  return kept;
}

class Invariants : public testing::TestWithParam<const char*> {};

TEST_P(Invariants, FreeBody2000Steps) {
  const Kept kept = run_free_body(GetParam(), 2000);
  EXPECT_LT(kept.unit, 1e-13);
  EXPECT_LT(kept.energy, 1e-13);
  EXPECT_GT(kept.moved, 0.5);
}
class LongInvariants : public Invariants {};
TEST_P(LongInvariants, FreeBody100000Steps) {
  const Kept kept = run_free_body(GetParam(), 100000);
  EXPECT_LT(kept.unit, 1e-12);
  EXPECT_LT(kept.energy, 1e-12);
}
const auto gauss = testing::Values("gl1", "gl2", "gl3", "gl4", "gl5", "gl6", "gl7", "gl8");
INSTANTIATE_TEST_SUITE_P(Methods, Invariants, gauss);
INSTANTIATE_TEST_SUITE_P(LongMethods, LongInvariants, gauss);

// Case S0.3: four rods, tilt 0.1 rad, 10 s, h = 0.01.
struct ChainRun {
  double drift = 0;
  SimulateReport report;
};
ChainRun run_chain(const std::string& method, double tolerance, bool kinematics, double tilt = 0.1,
                   Vec3<double> w = {0, 0, 0}) {
  const Problem<ChainRates> chain = make_chain(4, tilt, w, kinematics);
  const ChainRates rates;
  const State start = chain.initial_state();
  const double energy = rates.energy(start.x);
  ChainRun run;
  Observer observer;
  observer.on_sample = [&](const State& s) {
    run.drift = std::max(run.drift, std::fabs(rates.energy(s.x) / energy - 1));
  };
  SimulateOptions options;
  options.integrator = method;
  options.tolerance = tolerance;
  run.report = simulate(chain, start, options, observer);
  EXPECT_EQ(run.report.status, RunStatus::completed) << run.report.message;
  EXPECT_EQ(run.report.steps, 1000);
  return run;
}

TEST(FourLinks, StateAtTenSeconds) {
  const ChainRun run = run_chain("gl4", 0, true);
  // absolute angles about x and rates, case S0.3
  const double angle[] = {0.0724657110147346, 0.0746088200033966, 0.0674183834043212,
                          0.0754045213296236};
  const double speed[] = {-0.0791006975059117, -0.150143063774788, -0.061519435259023,
                          -0.0206518503099115};
  const std::vector<double>& x = run.report.final_state.x;
  for (int j = 0; j < 4; ++j) {
    EXPECT_NEAR(2 * std::atan2(x[4 * j + 1], x[4 * j]), angle[j], 2e-13);
    EXPECT_NEAR(x[16 + 3 * j], speed[j], 2e-12);
  }
}

TEST(FourLinks, LooseStagesKeepEnergy) {
  const ChainRun with = run_chain("gl2", 1e-9, true);
  EXPECT_LT(with.drift, 3e-13);
  EXPECT_LE(with.report.counts.evaluations, 2500);
  EXPECT_LT(with.report.unit_norm_error, 5e-15);  // whatever the tolerance
  const ChainRun without = run_chain("gl2", 1e-9, false);
  EXPECT_LT(without.drift, 1e-12);
  EXPECT_LE(without.report.counts.evaluations, 4500);
}

TEST(FourLinks, TightStagesAreCheap) {
  for (bool kinematics : {false, true}) {
    const ChainRun run = run_chain("gl3", 1e-15, kinematics);
    EXPECT_LT(run.drift, 2e-15);
    EXPECT_LT(run.report.unit_norm_error, 1e-15);
    EXPECT_LE(run.report.counts.evaluations, kinematics ? 9500 : 12500);
    EXPECT_EQ(run.report.counts.newton_steps, 0);
  }
  EXPECT_LE(run_chain("gl3", 1e-15, true, 0.5, {0, 0.5, 3}).report.counts.evaluations, 13000);
  EXPECT_LE(run_chain("gl3", 1e-15, true, 1.5).report.counts.evaluations, 18500);
}

}  // namespace
}  // namespace cartan::test
