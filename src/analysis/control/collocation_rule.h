// Points, weights and matrices of collocation on [0, 1].
//
// The motion in an interval is a polynomial through its start and s points c; the input one through
// the points alone. Gauss: the points of Legendre, order 2 s. Radau: the last point is the end,
// order 2 s - 1; better where fast motions die out.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "core/folders.h"

namespace cartan::analysis {

enum class CollocationKind { gauss, radau };

struct CollocationRule {
  CollocationRule(CollocationKind kind, int points);

  CollocationKind kind;
  std::vector<double> c;  // points
  std::vector<double> b;  // weights of integrals
  Eigen::MatrixXd D;      // s x (s + 1): slopes at the points from the values at 0 and the points
  Eigen::VectorXd end;    // s + 1: the value at 1 from these
  Eigen::VectorXd input_at_start, input_at_end;  // s: of inputs, from the points alone

  int points() const { return static_cast<int>(c.size()); }
  int order() const { return 2 * points() - (kind == CollocationKind::radau); }
  // Weights of the values at 0 and the points (of the points alone) for the value at s.
  Eigen::VectorXd motion_weights(double s) const { return weights(nodes_, s); }
  Eigen::VectorXd input_weights(double s) const { return weights(c, s); }

 private:
  static Eigen::VectorXd weights(const std::vector<double>& nodes, double s);
  std::vector<double> nodes_;  // 0 and the points
};

}  // namespace cartan::analysis
