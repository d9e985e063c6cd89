// Starting values for the stages of a collocation method, by extrapolation of the stages before.
//
// Two families of guesses for the slopes K_i of the next step:
//   across stages  one polynomial through all slopes of the last d steps (d s values);
//   along a stage  for each stage i its own polynomial through K_i of the last d steps.
// A stage point lies off the motion by a multiple C_i h^(s+1) x^(s+1): the slopes of different
// stages are not on one smooth curve, those of one stage are. So the second family, which needs
// equal step lengths, goes on improving with d where the first stops; the first serves for the
// first steps, rough motion and changes of step. Which guess is best is seen after a step, when the
// true slopes are known, and used for the next ones.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "integrate/tableau.h"

namespace cartan::integrate {

class StageHistory {
 public:
  StageHistory(const CollocationTableau& tableau, int n);

  void clear() { count_ = 0; }
  bool empty() const { return count_ == 0; }
  // Slopes of the step being solved; s * n numbers, stage after stage.
  std::span<double> current() { return slot(0); }
  std::span<const double> last() const { return const_cast<StageHistory*>(this)->slot(1); }

  // Extrapolates into current() for a step of length h; the history must not be empty.
  void predict(double h);
  // The step of length h is done: current() becomes the newest entry. `scale_i` weighs number i
  // when guesses are compared (the first scale.size() numbers count).
  void push(double h, std::span<const double> scale);

 private:
  static constexpr int max_across = 3, max_along = 9, slots = max_along + 1;
  struct Guess {
    bool along = false;
    int depth = 1;
  };
  struct Weights {  // of an across guess: row i, column (step back, stage)
    std::vector<double> values;
    std::array<double, max_across + 1> lengths{};  // for which they hold; [0] = 0: none
  };

  std::span<double> slot(int back) {
    const std::size_t size = static_cast<std::size_t>(s_) * n_;
    return {storage_.data() + (newest_ + slots - back) % slots * size, size};
  }
  const std::vector<double>& across_weights(int depth, double h);
  bool possible(const Guess& guess, double h) const;
  // The guess for all numbers of one stage.
  void fill_guess(const Guess& guess, double h, int stage, std::span<double> values);
  double guess_error(const Guess& guess, double h, std::span<const double> scale);
  void choose(double h, std::span<const double> scale);

  const CollocationTableau& tab_;
  const int s_, n_;
  int newest_ = 0;  // slot of the step being solved
  int count_ = 0;   // finished steps at hand
  int since_choice_ = 0;
  Guess best_;
  std::vector<double> storage_, values_, nodes_;
  std::array<double, slots> lengths_{};  // [back]: length of the step so many steps ago
  std::array<Weights, max_across + 1> across_;
};

}  // namespace cartan::integrate
