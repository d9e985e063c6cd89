// Starting values for the stages of a collocation method, by extrapolation of the stages before.
//
// The slopes K of the last d steps (d s values at known times) define one polynomial per number of x;
// its values at the nodes of the new step are the starting slopes. More steps make the guess better
// until roughness of the motion or rounding (amplified by extrapolation) wins; which depth is best
// is seen after the step, when the true slopes are known, and used for the next ones.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "integrate/tableau.h"

namespace cartan {

class StageHistory {
 public:
  StageHistory(const CollocationTableau& tableau, int n);

  void clear() { count_ = 0; }
  bool empty() const { return count_ == 0; }
  // Slopes of the step being solved; s * n numbers, stage after stage.
  std::span<double> current() { return slot(0); }
  std::span<const double> last() const { return slot(1); }
  double last_length() const { return lengths_[1]; }

  // Extrapolates into current() for a step of length h; the history must not be empty.
  void predict(double h);
  // The step of length h is done: current() becomes the newest entry. `scale_i` weighs number i when
  // guesses are compared (the first scale.size() numbers count).
  void push(double h, std::span<const double> scale);
  int depth() const { return depth_; }

 private:
  static constexpr int max_depth = 4, max_nodes = 12;
  std::span<double> slot(int back) {
    return {storage_.data() + slot_offset(back), static_cast<std::size_t>(s_ * n_)};
  }
  std::span<const double> slot(int back) const {
    return {storage_.data() + slot_offset(back), static_cast<std::size_t>(s_ * n_)};
  }
  std::size_t slot_offset(int back) const {
    return static_cast<std::size_t>((newest_ + slots_ - back) % slots_) * s_ * n_;
  }
  // Weights of depth d for the lengths at hand: row i, column (step back, stage).
  const std::vector<double>& weights(int depth, double h);
  double guess_error(int depth, double h, std::span<const double> scale);

  const CollocationTableau& tab_;
  int s_, n_, deepest_, slots_;
  int newest_ = 0;  // slot of the step being solved
  int count_ = 0;   // finished steps at hand
  int depth_ = 1;
  int since_choice_ = 0;
  std::vector<double> storage_;
  std::vector<double> lengths_;  // [back]: length of the step `back` steps ago; [0] the present one
  struct Weights {
    std::vector<double> values;
    std::array<double, max_depth + 1> lengths{};  // for which they hold; [0] = 0: none
  };
  std::vector<Weights> weights_;
  std::vector<double> nodes_;
};

}  // namespace cartan
