#include "mechanics/assembly/chosen_speeds.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace cartan::mechanics {

ChosenSpeeds::ChosenSpeeds(const Mechanism<double>& mechanism,
                           const std::vector<std::optional<double>>& values)
    : mechanism_(mechanism) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!values[k]) continue;
    which_.push_back(static_cast<int>(k));
    values_.push_back(*values[k]);
    formulas_.emplace_back(mechanism, mechanism.model->speeds[k].value);
  }
}

Eigen::VectorXd ChosenSpeeds::evaluate(double t, const double* q, const double* v,
                                       MotionWorkspace<double>& ws) {
  std::vector<double> x(mechanism_.state_size(), 0.0);
  std::copy_n(q, mechanism_.nq, x.begin());
  std::copy_n(v, mechanism_.nv, x.begin() + mechanism_.nq);
  Eigen::VectorXd result(count());
  for (int k = 0; k < count(); ++k)
    result[k] = formulas_[k].value<double>(mechanism_, t, x.data(), {}, ws);
  return result;
}

void ChosenSpeeds::place(double t, const double* q, MotionWorkspace<double>& ws) {
  std::vector<double> v(mechanism_.nv, 0.0);
  w_ = evaluate(t, q, v.data(), ws);
  std::vector<Eigen::Triplet<double, int>> entries;
  for (int j = 0; j < mechanism_.nv; ++j) {
    v[j] = 1;
    const Eigen::VectorXd column = evaluate(t, q, v.data(), ws) - w_;
    for (int k = 0; k < count(); ++k)
      if (column[k] != 0) entries.emplace_back(k, j, column[k]);
    v[j] = 0;
  }
  W_.resize(count(), mechanism_.nv);
  W_.setFromTriplets(entries.begin(), entries.end());
  for (int j = 0; j < mechanism_.nv; ++j) v[j] = 1.7 + 0.3 * j;  // linear also there?
  const Eigen::VectorXd there = evaluate(t, q, v.data(), ws);
  const Eigen::VectorXd expected = W_ * Eigen::Map<const Eigen::VectorXd>(v.data(), mechanism_.nv);
  bent_ = -1;
  for (int k = count() - 1; k >= 0; --k) {
    const double size =
        Eigen::RowVectorXd(W_.row(k)).cwiseAbs().sum() * v.back() + std::fabs(w_[k]);
    if (!(std::fabs(there[k] - expected[k] - w_[k]) <= 1e-9 * (1 + size))) bent_ = k;
  }
}

Eigen::VectorXd ChosenSpeeds::off(const double* v) const {
  return W_ * Eigen::Map<const Eigen::VectorXd>(v, mechanism_.nv) + w_ -
         Eigen::Map<const Eigen::VectorXd>(values_.data(), count());
}

std::string ChosenSpeeds::find_missed(const double* v) const {
  constexpr double reached = 1e-9;
  const auto name = [&](int k) { return mechanism_.model->speeds[which_[k]].name; };
  if (bent_ >= 0)
    return fmt::format(
        "[speeds]: '{}' is not linear in the speeds of the joints, so that they do not follow from "
        "its `initial`",
        name(bent_));
  const Eigen::VectorXd left = off(v);
  for (int k = 0; k < count(); ++k)
    if (!(std::fabs(left[k]) <= reached * (1 + std::fabs(values_[k]))))
      return fmt::format(
          "[speeds]: '{}' cannot start with {:.9g}: the constraints, and the speeds before it that "
          "have an `initial`, make it {:.9g}; give it that value, or none",
          name(k), values_[k], values_[k] + left[k]);
  return "";
}

}  // namespace cartan::mechanics
