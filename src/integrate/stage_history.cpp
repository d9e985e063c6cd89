#include "integrate/stage_history.h"

#include <algorithm>
#include <cmath>

namespace cartan::integrate {

StageHistory::StageHistory(const CollocationTableau& tableau, int n)
    : tab_(tableau),
      s_(tableau.stages),
      n_(n),
      storage_(static_cast<std::size_t>(slots) * s_ * n_),
      values_(n_),
      nodes_(static_cast<std::size_t>(max_across) * s_) {
  for (int d = 1; d <= max_across; ++d)
    across_[d].values.resize(static_cast<std::size_t>(d) * s_ * s_);
}

const std::vector<double>& StageHistory::across_weights(int depth, double h) {
  Weights& w = across_[depth];
  bool valid = w.lengths[0] == h;
  for (int back = 1; back <= depth; ++back) valid = valid && w.lengths[back] == lengths_[back];
  if (valid) return w.values;

  // times of the known slopes in units of h from the start of the new step
  const std::size_t count = static_cast<std::size_t>(depth) * s_;
  double start = 0;
  for (int back = 1; back <= depth; ++back) {
    const double length = lengths_[back] / h;
    start -= length;
    for (int j = 0; j < s_; ++j) nodes_[(back - 1) * s_ + j] = start + tab_.c[j] * length;
    w.lengths[back] = lengths_[back];
  }
  w.lengths[0] = h;
  for (int i = 0; i < s_; ++i)
    fill_lagrange_weights(std::span<const double>(nodes_).first(count), tab_.c[i],
                          std::span<double>(w.values).subspan(i * count, count));
  return w.values;
}

bool StageHistory::possible(const Guess& guess, double h) const {
  if (guess.depth > count_) return false;
  if (guess.along)
    for (int back = 1; back <= guess.depth; ++back)
      if (lengths_[back] != h) return false;
  return true;
}

void StageHistory::fill_guess(const Guess& guess, double h, int stage, std::span<double> values) {
  std::fill(values.begin(), values.end(), 0.0);
  const auto add = [&](double factor, const double* known) {
    for (std::size_t k = 0; k < values.size(); ++k) values[k] += factor * known[k];
  };
  if (guess.along) {
    // the d-th difference vanishes: K(0) = sum_b (-1)^(b+1) binomial(d, b) K(-b)
    double factor = -1;
    for (int back = 1; back <= guess.depth; ++back) {
      factor *= -static_cast<double>(guess.depth - back + 1) / back;
      add(factor, slot(back).data() + static_cast<std::size_t>(stage) * n_);
    }
    return;
  }
  const int count = guess.depth * s_;
  const double* weights = across_weights(guess.depth, h).data() + stage * count;
  for (int m = 0; m < count; ++m)
    add(weights[m], slot(1 + m / s_).data() + static_cast<std::size_t>(m % s_) * n_);
}

void StageHistory::predict(double h) {
  Guess guess = best_;
  if (!possible(guess, h)) guess = {false, std::min({count_, 2, max_across})};
  for (int i = 0; i < s_; ++i)
    fill_guess(guess, h, i, slot(0).subspan(static_cast<std::size_t>(i) * n_, n_));
}

double StageHistory::guess_error(const Guess& guess, double h, std::span<const double> scale) {
  double worst = 0;
  for (int i = 0; i < s_; ++i) {
    const std::span<double> values = std::span<double>(values_).first(scale.size());
    fill_guess(guess, h, i, values);
    const double* truth = slot(0).data() + static_cast<std::size_t>(i) * n_;
    for (std::size_t k = 0; k < scale.size(); ++k)
      worst = std::max(worst, std::fabs(values[k] - truth[k]) * scale[k]);
  }
  return worst;
}

// Compares all guesses that could have been made for the step just solved.
void StageHistory::choose(double h, std::span<const double> scale) {
  double least = -1;
  const auto compare = [&](const Guess& guess) {
    if (!possible(guess, h)) return;
    const double error = guess_error(guess, h, scale);
    if (least >= 0 && error >= least) return;
    least = error;
    best_ = guess;
  };
  for (int d = 1; d <= max_across; ++d) compare({false, d});
  for (int d = 2; d <= max_along; ++d) compare({true, d});
}

void StageHistory::push(double h, std::span<const double> scale) {
  constexpr int interval = 8;  // steps between two comparisons, once the history is full
  if (count_ > 0 && (count_ < max_along || ++since_choice_ >= interval)) {
    since_choice_ = 0;
    choose(h, scale);
  }
  lengths_[0] = h;
  std::copy_backward(lengths_.begin(), lengths_.end() - 1, lengths_.end());
  newest_ = (newest_ + 1) % slots;
  count_ = std::min(count_ + 1, max_along);
}

}  // namespace cartan::integrate
