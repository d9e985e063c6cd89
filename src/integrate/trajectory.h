// What a run leaves: samples in one flat array, events, and how they were made.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "integrate/events.h"

namespace cartan::integrate {

struct Provenance {
  std::string integrator;
  double step = 0, duration = 0, tolerance = 0;
  int every = 1;
  bool fixed_step = false;
};

struct Trajectory {
  int size = 0;       // numbers per sample
  int mode_size = 0;  // discrete numbers per sample
  std::vector<double> t;
  std::vector<double> x;  // sample after sample
  std::vector<int> mode;
  std::vector<EventRecord> events;
  Provenance provenance;

  std::size_t count() const { return t.size(); }
  std::span<const double> point(std::size_t i) const {
    return {x.data() + i * size, static_cast<std::size_t>(size)};
  }
  StateView view(std::size_t i) const {
    return {t[i], point(i), {mode.data() + i * mode_size, static_cast<std::size_t>(mode_size)}};
  }
  State state(std::size_t i) const {
    const StateView v = view(i);
    return {v.t, {v.x.begin(), v.x.end()}, {v.mode.begin(), v.mode.end()}};
  }
  void append(const State& s) {
    size = static_cast<int>(s.x.size());
    mode_size = static_cast<int>(s.mode.size());
    t.push_back(s.t);
    x.insert(x.end(), s.x.begin(), s.x.end());
    mode.insert(mode.end(), s.mode.begin(), s.mode.end());
  }
};

}  // namespace cartan::integrate
