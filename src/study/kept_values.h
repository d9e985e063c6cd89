// What is kept of a run, gathered while it goes: the last value, extremes, integrals, values at
// times and at events.
//
// Extremes are those of the motion, not of its samples: where a step may hold one above (below) all
// so far, it is located on the method's dense output. (A peak much narrower than a step is not
// seen.) Integrals are Lobatto's formula with five points on the dense output of every step, of
// order eight.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "integrate/simulate.h"
#include "mechanics/machine/mechanism_system.h"
#include "study/study.h"

namespace cartan::study {

class KeptValues {
 public:
  explicit KeptValues(const Study& study);

  // A system of study.model, which must live until finish().
  void use(const System& system);
  void begin(const State& start);
  // To be called for every step and event of the run.
  void take_step(const DenseStep& step);
  void take_event(const EventRecord& event);
  // One number per quantity, not a number where there is none.
  void finish(const State& end, std::span<double> row);

  bool wants_steps() const { return wants_steps_; }
  bool wants_events() const { return wants_events_; }

 private:
  struct Track {
    double last = 0;             // value at the end of the last step
    double before = 0, gap = 0;  // at its start, and its length; gap 0: there is none
    double best = 0;             // extreme so far
    double sum = 0, carry = 0;   // integral, compensated
    bool taken = false;          // at, event
    bool undefined = false;      // not a number somewhere
  };

  double value(std::size_t k, StateView at);
  double inside(std::size_t k, const DenseStep& step, double t);
  void take_extreme(std::size_t k, const DenseStep& step, double end_value);
  double locate(std::size_t k, const DenseStep& step, double left, double right, double sign);
  void integrate(std::size_t k, const DenseStep& step, double end_value);

  const Study& study_;
  bool wants_steps_ = false, wants_events_ = false, wants_ends_ = false;
  const System* system_ = nullptr;
  const MechanicalSystem* observed_ = nullptr;  // given: expressions are outputs it reports
  std::unique_ptr<Workspace> workspace_;
  std::vector<std::unique_ptr<StateFunction>> functions_;  // per quantity
  Observation observation_;
  std::vector<Track> tracks_;
  std::vector<double> x_;
  double t_begin_ = 0;
  bool jumped_ = false;  // the last step was cut: the next one may begin elsewhere
};

}  // namespace cartan::study
