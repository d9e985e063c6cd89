// Branches of orbits with impacts over a parameter: the impact oscillator and walkers.
#pragma once

#include "analysis/orbit_continuation.h"
#include "support/example.h"

namespace cartan::test {

constexpr double turn = 6.283185307179586;

inline State later(const System& system, const State& start, double t) {
  const SimulateReport r =
      simulate(system, start,
               {.integrator = "dop853", .duration = t, .step = 1, .tolerance = 1e-13}, Observer{});
  EXPECT_TRUE(r.ok()) << r.message;
  return r.final_state;
}

// A branch of the impact oscillator over the frequency of its drive, whose orbits take n periods of
// the drive.
inline Branch follow_oscillator(const Example& example, double from, double to, const State& start,
                                int n, double step) {
  OrbitSetting setting;
  setting.from = from;
  setting.to = to;
  setting.times = n;
  setting.family.parameter = example.model->find_parameter("w");
  setting.family.options.problem.driven = true;
  setting.period = [](double w, double& slope) {
    slope = -turn / (w * w);
    return turn / w;
  };
  setting.family.make = [&, setting](double p) {
    OrbitMember member;
    std::string problem;
    const int which[] = {setting.family.parameter};
    const double value[] = {p};
    member.system = make_system(*example.model, parameter_values(*example.model, which, value),
                                "recursive", problem);
    return member;
  };
  OrbitContinuation orbits(setting);
  ContinuationPoint point;
  EXPECT_EQ(orbits.start(start, turn * n / from, 1, point), "");
  ContinuationOptions way;
  way.from = from;
  way.to = to;
  way.step = way.largest_step = step;
  return follow_branch(orbits, point, way);
}

// From an impact at the phase psi with the speed v before it.
inline Branch follow_oscillator(const Example& example, double from, double to, double psi,
                                double v, int n, double step) {
  const MechanicalSystem& system = example.mechanism();
  const std::vector<double> values = parameter_values(*example.model);
  const double d = values[example.model->find_parameter("d")],
               r = values[example.model->find_parameter("r")];
  const State start =
      system.make_state(psi / from, {{std::vector<double>{d}}}, {{std::vector<double>{-r * v}}});
  return follow_oscillator(example, from, to, later(system, start, turn * n / from / 2), n, step);
}

inline Branch follow_walker(const Example& example, double from, double to, double period,
                            const State& start, const char* name, std::vector<int> swap,
                            double step) {
  OrbitSetting setting;
  setting.from = from;
  setting.to = to;
  setting.family.parameter = example.model->find_parameter(name);
  setting.family.options.problem.swap = std::move(swap);
  setting.family.make = [&, parameter = setting.family.parameter](double p) {
    OrbitMember member;
    std::string problem;
    const int which[] = {parameter};
    const double value[] = {p};
    member.system = make_system(*example.model, parameter_values(*example.model, which, value),
                                "recursive", problem);
    return member;
  };
  OrbitContinuation orbits(setting);
  ContinuationPoint point;
  EXPECT_EQ(orbits.start(start, period, 1, point), "");
  ContinuationOptions way;
  way.from = from;
  way.to = to;
  way.step = way.largest_step = step;
  return follow_branch(orbits, point, way);
}

}  // namespace cartan::test
