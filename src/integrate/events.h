// Zero crossings of a System's event functions inside the steps of an integrator.
//
// Detection: signs at both ends of a step and at samples of its dense output; where |g| dips
// between samples without a change of sign, the bottom of the dip is looked at too, so two
// crossings in one step are seen. A function that stays on its side and within a factor of two at
// both ends and between is far from zero and not looked at further. Location: a first root on the
// dense output, then with real steps of shorter length from the start of the step
// (Integrator::restep), so that the state at the event has the full order of the method; to the
// resolution of t.
//
// Which side of zero each event is on is remembered; a function that is exactly zero when the
// search starts, or whose event has just been handled and left it there (to rounding), is on no
// side until it leaves zero: it does not fire again by itself. (An internal event that counts
// when falling is taken to be above zero then: a mode may begin at its limit and be left at once.
// Where its value at the start is rounding or below zero (EventInfo::noise: surfaces that have just
// met), it counts as crossing where it falls below what it was, less the noise, until it has been
// clearly above zero.)
#pragma once

#include <span>
#include <string>
#include <vector>

#include "integrate/integrator.h"

namespace cartan::integrate {

struct EventRecord {
  int index = 0;  // in System::events(); -1: the limit of a sequence of impacts
  std::string name;
  int direction = 0;  // +1: from negative to positive
  State state;        // with its time
};

struct Crossing {
  int index = 0;
  int direction = 0;
  double length = 0;  // from the start of the step
};

class EventFinder {
 public:
  // `loose`: to what is far below the error of the method, with fewer steps.
  explicit EventFinder(const System& system, bool loose = false);

  bool active() const { return count_ > 0; }
  // An event of the user whose function was not a number when last looked at, and the time; -1:
  // none. Its crossings cannot be told.
  int undefined() const { return undefined_; }
  double undefined_time() const { return undefined_time_; }
  // From here on; `handled`: crossings just dealt with at this state.
  void restart(const State& state, std::span<const Crossing> handled, Workspace& workspace);
  // Crossings inside the last step that count, in order of time; `end` is the state after it.
  std::span<const Crossing> find(Integrator& integrator, const State& end);
  // Loosely: whether the dense output stands for a step of that part.
  bool is_near_end(double theta) const;
  // The last search saw a switch cross and could not locate where.
  bool missed_switch() const { return missed_switch_; }

 private:
  struct Sample {
    double theta = 0;
    std::vector<double> g;
  };
  static constexpr int sample_count = 7;

  void look_for_undefined(std::span<const double> values, double t);
  void take_level(std::span<double> values) const;
  void choose_levels(std::span<double> values);
  void forget_levels(std::span<double> values);
  double value(int which, double t, std::span<const double> x);
  double dense_value(int which, double theta);
  double true_value(int which, double theta);
  void look_roughly();
  bool note_far_ones();
  void fill_sample(int j, int otherwise);
  void fill_probe(int j, int end, int next);
  void look_at(int which);
  bool find_dip(int which, int left, double& theta);
  void add_crossing(int which, double left, double right, int after);
  bool locate(int which, double left, double right, int after, double& theta);
  double dense_root(int which, double left, double right, int after);
  bool polish(int which, int after, double& theta);
  bool bracket(int which, double left, double right, int after, double& theta);
  double resolution() const;

  const System& system_;
  const bool loose_;
  const int count_;
  Integrator* integrator_ = nullptr;  // during find
  const State* end_ = nullptr;
  Sample samples_[sample_count];
  int undefined_ = -1;
  double undefined_time_ = 0;
  std::vector<int> side_;
  std::vector<double> noise_, values_, rough_, x_;
  std::vector<double> level_;  // what stands for zero
  bool missed_switch_ = false;
  std::vector<char> is_far_;     // in the last step
  std::vector<char> is_switch_;  // its branch is right at the start: above zero (switches.h)
  std::vector<Crossing> crossings_;
};

}  // namespace cartan::integrate
