// A run through contacts with what the reference cases are compared by.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/example.h"

namespace cartan::test {

struct ContactRun {
  SimulateReport report;
  std::vector<Impact> impacts;
  std::vector<EventRecord> events;
  double drift = 0;      // of energy less work
  double least_gap = 1;  // of all samples
  Observation end;
};

inline ContactRun run_contacts(const Example& example, const SimulateOptions& options) {
  ContactRun run;
  const MechanicalSystem& system = example.mechanism();
  const auto workspace = system.make_workspace();
  double start = NAN;
  Observer observer;
  observer.on_impact = [&](const Impact& impact) { run.impacts.push_back(impact); };
  observer.on_event = [&](const EventRecord& event) { run.events.push_back(event); };
  observer.on_sample = [&](const State& state) {
    system.observe(state, run.end, *workspace);
    const double energy = run.end.kinetic + run.end.potential - run.end.work;
    if (std::isnan(start)) start = energy;
    run.drift = std::max(run.drift, std::fabs(energy - start));
    for (const ContactReport& c : system.report_contacts(state, *workspace))
      run.least_gap = std::min(run.least_gap, c.gap);
  };
  run.report = simulate(system, system.initial_state(), options, observer);
  return run;
}

}  // namespace cartan::test
