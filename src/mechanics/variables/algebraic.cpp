#include "mechanics/variables/algebraic.h"

#include <limits>

#include <fmt/format.h>

namespace cartan::mechanics {
namespace {

class AlgebraicSearch {
 public:
  AlgebraicSearch(const Model& model, double t, std::span<double> x,
                  const std::vector<double>& parameters, ProgramScratch<double>& s,
                  ProgramScratch<Dual4>& dual, AlgebraicScratch& room)
      : model_(model),
        equations_(*model.algebraic),
        n_(static_cast<int>(equations_.decided.size())),
        t_(t),
        x_(x),
        parameters_(parameters),
        s_(s),
        dual_(dual),
        room_(room) {
    room_.values.resize(n_);
    room_.dual_values.resize(n_);
    room_.step.resize(n_);
    room_.next.resize(n_);
    room_.slopes.resize(static_cast<std::size_t>(n_) * n_);
  }

  AlgebraicSolution run() {
    room_.kept.assign(x_.begin(), x_.end());
    std::string problem = search();
    if (!problem.empty()) {
      std::copy(room_.kept.begin(), room_.kept.end(), x_.begin());
      return {0, std::move(problem)};
    }
    double change = 0;
    for (const int j : equations_.decided)
      change = std::max(change, std::fabs(x_[j] - room_.kept[j]));
    return {change, ""};
  }

 private:
  static constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  static constexpr int most_iterations = 100;

  std::string search() {
    fill_values();
    for (int iteration = 0; iteration < most_iterations; ++iteration) {
      fill_matrix();
      room_.step = room_.values;
      if (!solve(room_.step)) return explain("is singular");
      const double size = size_of(room_.step);
      if (!std::isfinite(size)) return explain("has no finite values");
      if (size <= rounding) return "";
      double next = 0;
      if (!take_step(size, next)) {
        // nothing is gained any more: rounding of g is all that is left
        return size < 1e-9 ? "" : explain("leads nowhere");
      }
      if (next <= rounding) return "";
    }
    return explain("leads nowhere");
  }

  // x - factor * step, the largest of 1, 1/2, 1/4, .. that makes the next correction smaller.
  bool take_step(double size, double& next) {
    for (double factor = 1; factor > 1e-4; factor /= 2) {
      for (int k = 0; k < n_; ++k) x_[equations_.decided[k]] -= factor * room_.step[k];
      fill_values();
      room_.next = room_.values;
      if (solve(room_.next)) {
        next = size_of(room_.next);
        if (next <= (1 - factor / 4) * size) return true;
      }
      for (int k = 0; k < n_; ++k) x_[equations_.decided[k]] += factor * room_.step[k];
    }
    fill_values();
    return false;
  }

  double size_of(const std::vector<double>& change) const {
    double size = 0;
    for (int k = 0; k < n_; ++k) {
      const double part = std::fabs(change[k]) / (1 + std::fabs(x_[equations_.decided[k]]));
      size = part <= size ? size : part;  // NaN counts
    }
    return size;
  }

  void fill_values() {
    evaluate_formula<double>(equations_.residuals, t_, x_, parameters_, s_, room_.values.data());
  }

  // d g / d z, four columns at a time
  void fill_matrix() {
    std::copy(x_.begin(), x_.end(), dual_.x.begin());
    for (int first = 0; first < n_; first += 4) {
      const int count = std::min(4, n_ - first);
      for (int k = 0; k < count; ++k) {
        const int j = equations_.decided[first + k];
        dual_.x[j] = Dual4::variable(x_[j], k);
      }
      evaluate_formula<Dual4>(equations_.residuals, Dual4(t_), dual_.x, parameters_, dual_,
                              room_.dual_values.data());
      for (int k = 0; k < count; ++k) {
        const int j = equations_.decided[first + k];
        for (int i = 0; i < n_; ++i) room_.slopes[i * n_ + first + k] = room_.dual_values[i].d[k];
        dual_.x[j] = x_[j];
      }
    }
  }

  bool solve(std::vector<double>& right) {
    room_.matrix = room_.slopes;
    return solve_block(n_, room_.matrix.data(), right.data());
  }

  std::string explain(const char* what) const {
    std::string names;
    for (const int j : equations_.decided)
      names += (names.empty() ? "" : ", ") + model_.variables[j].name;
    return fmt::format(
        "the equations without rates (the first: '{}') do not decide {} at t = {:.10g}: Newton's "
        "method {} there. Write initial values nearer to a solution; where the derivative by {} "
        "vanishes for good, the equation has an index above 1 and its derivative by t is a hidden "
        "constraint",
        equations_.residuals.texts[0], names, t_, what, names);
  }

  const Model& model_;
  const AlgebraicEquations& equations_;
  const int n_;
  const double t_;
  const std::span<double> x_;
  const std::vector<double>& parameters_;
  ProgramScratch<double>& s_;
  ProgramScratch<Dual4>& dual_;
  AlgebraicScratch& room_;
};

}  // namespace

AlgebraicSolution solve_algebraic(const Model& model, double t, std::span<double> x,
                                  const std::vector<double>& parameters, ProgramScratch<double>& s,
                                  ProgramScratch<Dual4>& dual, AlgebraicScratch& room) {
  return AlgebraicSearch(model, t, x, parameters, s, dual, room).run();
}

}  // namespace cartan::mechanics
