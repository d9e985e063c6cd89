#include "analysis/orbit_grazing.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "integrate/simulate.h"

namespace cartan::analysis {
namespace {

using integrate::Observer;
using integrate::SimulateOptions;

constexpr int coarse = 1000, fine = 100;  // samples: of the motion, about the place where it turns

// Watches all event functions at equal times. Three neighbours without an event between them of
// which the middle one is nearest to zero have a turning point; a parabola through them has its
// place and value.
class TurnWatch {
 public:
  explicit TurnWatch(const System& system)
      : system_(system),
        workspace_(system.make_workspace()),
        values_(system.events().size()),
        size_(values_.size(), 0) {}

  void run(const State& start, double duration, int samples) {
    const double step = duration / samples;
    Observer observer;
    observer.on_sample = [&](const State& state) { add(state, step); };
    observer.on_event = [&](const integrate::EventRecord&) { known_ = 0; };
    observer.on_jump = [&](const State&, const State&, const auto&) { known_ = 0; };
    known_ = 0;
    simulate(system_, start,
             SimulateOptions{
                 .integrator = "dop853", .duration = duration, .step = step, .tolerance = 1e-13},
             observer);
    if (found_.event >= 0) found_.size = size_[found_.event];
  }
  const NearTouch& found() const { return found_; }
  const State& before() const { return around_; }  // two samples earlier than the nearest one

 private:
  void add(const State& state, double step) {
    std::swap(first_, second_);
    std::swap(second_, values_);
    std::swap(at_first_, at_second_);
    std::swap(at_second_, at_);
    at_ = state;
    values_.resize(size_.size());
    system_.event_values(state, values_, *workspace_);
    for (std::size_t k = 0; k < size_.size(); ++k)
      size_[k] = std::max(size_[k], std::fabs(values_[k]));
    if (++known_ < 3) return;
    for (std::size_t k = 0; k < size_.size(); ++k) look_at(k, step);
  }
  void look_at(std::size_t k, double step) {
    const double a = first_[k], b = second_[k], c = values_[k];
    const bool one_side = (a > 0 && b > 0 && c > 0) || (a < 0 && b < 0 && c < 0);
    if (!one_side || !(std::fabs(b) < std::fabs(a)) || !(std::fabs(b) <= std::fabs(c))) return;
    const double bend = a - 2 * b + c, rise = 0.5 * (c - a);
    const double value = b - 0.5 * rise * rise / bend;
    if (std::fabs(value) >= nearest_ * std::max(size_[k], std::numeric_limits<double>::min()))
      return;
    nearest_ = std::fabs(value) / size_[k];
    found_ = {static_cast<int>(k), value, at_second_.t - step * rise / bend, 0};
    around_ = at_first_;
  }

  const System& system_;
  const std::unique_ptr<Workspace> workspace_;
  std::vector<double> first_, second_, values_, size_;
  State at_first_, at_second_, at_, around_;
  int known_ = 0;
  double nearest_ = std::numeric_limits<double>::infinity();
  NearTouch found_;
};

}  // namespace

NearTouch find_near_touch(const System& system, const State& start, double duration) {
  if (system.events().empty()) return {};
  TurnWatch whole(system);
  whole.run(start, duration, coarse);
  if (whole.found().event < 0) return {};
  TurnWatch closer(system);
  closer.run(whole.before(), 2 * duration / coarse, fine);
  NearTouch touch = whole.found();
  if (closer.found().event == touch.event) {
    touch.value = closer.found().value;
    touch.t = closer.found().t;
  }
  return touch;
}

}  // namespace cartan::analysis
