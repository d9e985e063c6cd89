#include "integrate/stage_history.h"

#include <algorithm>
#include <cmath>

namespace cartan {

StageHistory::StageHistory(const CollocationTableau& tableau, int n)
    : tab_(tableau),
      s_(tableau.stages),
      n_(n),
      deepest_(std::clamp(max_nodes / tableau.stages, 1, max_depth)),
      slots_(deepest_ + 1),
      storage_(static_cast<std::size_t>(slots_) * s_ * n_),
      lengths_(slots_),
      weights_(deepest_ + 1),
      nodes_(static_cast<std::size_t>(deepest_) * s_) {
  for (int d = 1; d <= deepest_; ++d) weights_[d].values.resize(static_cast<std::size_t>(d) * s_ * s_);
}

const std::vector<double>& StageHistory::weights(int depth, double h) {
  Weights& w = weights_[depth];
  bool valid = w.lengths[0] == h;
  for (int back = 1; back <= depth; ++back) valid = valid && w.lengths[back] == lengths_[back];
  if (valid) return w.values;

  // times of the known slopes in units of h from the start of the new step
  const std::size_t count = static_cast<std::size_t>(depth) * s_;
  double start = 0;
  for (int back = 1; back <= depth; ++back) {
    start -= lengths_[back] / h;
    for (int j = 0; j < s_; ++j)
      nodes_[(back - 1) * s_ + j] = start + tab_.c[j] * lengths_[back] / h;
    w.lengths[back] = lengths_[back];
  }
  w.lengths[0] = h;
  for (int i = 0; i < s_; ++i)
    fill_lagrange_weights(std::span<const double>(nodes_).first(count), tab_.c[i],
                          std::span<double>(w.values).subspan(i * count, count));
  return w.values;
}

void StageHistory::predict(double h) {
  const int depth = std::min(depth_, count_);
  const std::vector<double>& w = weights(depth, h);
  const int count = depth * s_;
  for (int i = 0; i < s_; ++i) {
    double* guess = slot(0).data() + static_cast<std::size_t>(i) * n_;
    std::fill_n(guess, n_, 0.0);
    for (int m = 0; m < count; ++m) {
      const double factor = w[i * count + m];
      const double* known = slot(1 + m / s_).data() + static_cast<std::size_t>(m % s_) * n_;
      for (int k = 0; k < n_; ++k) guess[k] += factor * known[k];
    }
  }
}

double StageHistory::guess_error(int depth, double h, std::span<const double> scale) {
  const std::vector<double>& w = weights(depth, h);
  const int count = depth * s_;
  double worst = 0;
  for (int i = 0; i < s_; ++i) {
    const double* truth = slot(0).data() + static_cast<std::size_t>(i) * n_;
    for (std::size_t k = 0; k < scale.size(); ++k) {
      double guess = 0;
      for (int m = 0; m < count; ++m)
        guess += w[i * count + m] * slot(1 + m / s_)[static_cast<std::size_t>(m % s_) * n_ + k];
      worst = std::max(worst, std::fabs(guess - truth[k]) * scale[k]);
    }
  }
  return worst;
}

void StageHistory::push(double h, std::span<const double> scale) {
  constexpr int interval = 16;  // steps between two comparisons of depths
  const int deepest = std::min(count_, deepest_);
  if (deepest > 0 && (count_ <= deepest_ || ++since_choice_ >= interval)) {
    since_choice_ = 0;
    double best = 0;
    for (int d = 1; d <= deepest; ++d) {
      const double error = guess_error(d, h, scale);
      if (d == 1 || error < best) {
        best = error;
        depth_ = d;
      }
    }
    if (count_ < deepest_ && depth_ == deepest) ++depth_;  // the history is still growing
  }
  lengths_[0] = h;
  for (int back = slots_ - 1; back > 0; --back) lengths_[back] = lengths_[back - 1];
  newest_ = (newest_ + 1) % slots_;
  count_ = std::min(count_ + 1, deepest_);
}

}  // namespace cartan
