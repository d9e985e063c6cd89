// Derivatives through impacts, opening and sticking of random mechanisms against differences of
// motions, extrapolated (Richardson).
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <gtest/gtest.h>

#include "analysis/flow.h"
#include "analysis/tangents.h"
#include "formulations/formulations.h"
#include "integrate/simulate.h"
#include "support/random_contacts.h"

namespace cartan::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct HybridVerdict {
  int compared = 0, jumped = 0, refused = 0, far = 0;
  double worst = 0;
};

// The motion from a displaced start. With a column beside it, which is zero, infinitely many
// impacts are cut short as late as for derivatives.
bool end_of(const System& system, State start, const VectorXd& d, double t, int columns,
            State& end) {
  displace(system, d, start);
  Flow flow(system, columns, {}, {.tolerance = 3e-15});  // differences take its errors by 1e4
  flow.start(start, MatrixXd::Zero(tangent_numbers(system), columns));
  if (!flow.advance(t).empty()) return false;
  end = flow.state();
  return true;
}

// Central differences with steps h, h/2, h/4, h/8, extrapolated; false where they do not settle:
// another order of events lies between, or a standstill.
bool differ(const System& system, const State& start, const VectorXd& d, double t, int columns,
            VectorXd& slope) {
  constexpr double h = 1e-3;
  std::vector<VectorXd> column;
  VectorXd last;
  for (int k = 0; k < 4; ++k) {
    const double step = h / (1 << k);
    State plus, minus;
    if (!end_of(system, start, step * d, t, columns, plus) ||
        !end_of(system, start, -step * d, t, columns, minus))
      return false;
    column.push_back(difference(system, plus.x, minus.x) / (2 * step));
  }
  for (double power = 4; column.size() > 1; power *= 4) {
    last = column.back();
    for (std::size_t k = 0; k + 1 < column.size(); ++k)
      column[k] = (power * column[k + 1] - column[k]) / (power - 1);
    column.pop_back();
  }
  slope = column[0];
  return (slope - last).norm() < 3e-9 * (1 + slope.norm());
}

// Whether the motion goes through the end of a sequence of infinitely many impacts.
bool reaches_limit(const System& system, double t) {
  bool closes = false;
  Observer observer;
  observer.on_event = [&](const EventRecord& event) { closes |= event.index < 0; };
  observer.on_jump = [&](const State&, const State&, const JumpNotes& notes) {
    closes |= !notes.closings.empty();
  };
  simulate(system, system.initial_state(),
           {.integrator = "dop853", .duration = t, .step = 1, .tolerance = 1e-11}, observer);
  return closes;
}

void compare_hybrid(std::uint64_t seed, HybridVerdict& verdict) {
  RandomContactOptions options;
  options.friction = 0.6;
  options.rough = 0.2;
  options.closed = false;
  options.highest = 0.1;
  options.max_bodies = 3;
  const std::optional<ModelDescription> description = make_random_contacts(seed, options);
  if (!description) return;
  Diagnostics problems("random");
  const std::optional<Model> model = check_model(*description, problems);
  std::string problem;
  const auto system = make_system(*model, parameter_values(*model), "recursive", problem);
  if (!system || system->constraint_count() == 0 || !refuse_flow(*system).empty()) return;
  const State start = system->initial_state();
  const int n = tangent_numbers(*system);
  Random random(seed + 5);
  VectorXd d(n);
  for (int i = 0; i < n; ++i) d[i] = random.uniform(-1, 1);
  const double t = random.uniform(0.1, 0.4);
  Flow flow(*system, 1, {}, {.tolerance = 1e-13});
  flow.start(start, d);
  problem = flow.advance(t);
  if (!problem.empty()) {
    ++verdict.refused;
    if (std::getenv("CARTAN_TELL"))
      std::printf("%d: %s\n", static_cast<int>(seed), problem.c_str());
    return;
  }
  VectorXd slope;
  const VectorXd exact = flow.columns().col(0);
  const bool limit = reaches_limit(*system, t);
  if (!differ(*system, start, d, t, limit ? 1 : 0, slope)) {
    ++verdict.far;
    return;
  }
  ++verdict.compared;
  verdict.jumped += flow.jumps() > 0;
  const double off = (exact - slope).norm() / (1 + slope.norm());
  verdict.worst = std::max(verdict.worst, off);
  if (std::getenv("CARTAN_TELL"))
    std::printf("%d: off %.2g, %ld jumps\n", static_cast<int>(seed), off, flow.jumps());
  // Infinitely many impacts: where they are cut short, columns agree with the limit to the first
  // order of the time that is left. A nearer limit or smaller tolerance changes nothing: flights
  // lower than rounding of positions are none, and the last one before leaves some 1e-7 s. One
  // motion of a hundred is farther than 1e-8, up to 4e-8 (seed 105).
  EXPECT_LT(off, limit ? 5e-8 : 1e-8) << seed << " after " << t << " s, size " << slope.norm();
}

void compare_motions(int wanted) {
  HybridVerdict verdict;
  for (std::uint64_t seed = 1; verdict.jumped < wanted && seed < 1000; ++seed)
    compare_hybrid(seed, verdict);
  std::printf("%d compared, %d jumped, %d refused, %d between events; worst %.2g\n",
              verdict.compared, verdict.jumped, verdict.refused, verdict.far, verdict.worst);
  EXPECT_GE(verdict.jumped, wanted);
  EXPECT_LT(verdict.far, verdict.compared / 4);
}

TEST(HybridDerivatives, OfRandomMotions) {
  compare_motions(20);
}

TEST(LongHybridDerivatives, OfRandomMotions) {
  if (const char* seed = std::getenv("CARTAN_FIRST_SEED")) {
    HybridVerdict verdict;
    return compare_hybrid(std::stoull(seed), verdict);
  }
  compare_motions(100);
}

}  // namespace
}  // namespace cartan::test
