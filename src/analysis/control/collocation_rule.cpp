#include "analysis/control/collocation_rule.h"

#include <cmath>

namespace cartan::analysis {
namespace {

// P_n(x) and P_(n-1)(x).
struct LegendrePair {
  long double now = 1, before = 0;
};
LegendrePair legendre(int n, long double x) {
  LegendrePair p;
  for (int k = 1; k <= n; ++k) {
    const long double next = ((2 * k - 1) * x * p.now - (k - 1) * p.before) / k;
    p.before = p.now;
    p.now = next;
  }
  return p;
}

// Roots of P_s, or of P_s - P_(s-1) (of which 1 is one), by bisection between changes of sign.
std::vector<double> collocation_roots(CollocationKind kind, int s) {
  const auto value = [&](long double x) {
    const LegendrePair p = legendre(s, x);
    return kind == CollocationKind::gauss ? p.now : p.now - p.before;
  };
  std::vector<double> roots;
  const int grid = 200 * s;
  const int wanted = kind == CollocationKind::gauss ? s : s - 1;
  long double left = -1;
  for (int k = 1; k <= grid && static_cast<int>(roots.size()) < wanted; ++k) {
    const long double right = -std::cos(3.14159265358979323846L * k / grid);
    if ((value(left) > 0) != (value(right) > 0)) {
      long double low = left, high = right;
      for (int i = 0; i < 70; ++i) {
        const long double middle = (low + high) / 2;
        ((value(low) > 0) == (value(middle) > 0) ? low : high) = middle;
      }
      roots.push_back(static_cast<double>((1 + (low + high) / 2) / 2));
    }
    left = right;
  }
  if (kind == CollocationKind::radau) roots.push_back(1);
  return roots;
}

std::vector<double> barycentric(const std::vector<double>& nodes) {
  std::vector<double> w(nodes.size(), 1);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (std::size_t j = 0; j < nodes.size(); ++j)
      if (i != j) w[i] /= nodes[i] - nodes[j];
  return w;
}

}  // namespace

Eigen::VectorXd CollocationRule::weights(const std::vector<double>& nodes, double s) {
  const std::vector<double> w = barycentric(nodes);
  Eigen::VectorXd result = Eigen::VectorXd::Zero(static_cast<int>(nodes.size()));
  double sum = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (s == nodes[i]) {
      result.setZero();
      result(static_cast<int>(i)) = 1;
      return result;
    }
    result(static_cast<int>(i)) = w[i] / (s - nodes[i]);
    sum += result(static_cast<int>(i));
  }
  return result / sum;
}

CollocationRule::CollocationRule(CollocationKind kind_, int points)
    : kind(kind_), c(collocation_roots(kind_, points)) {
  const int s = points;
  nodes_ = {0};
  nodes_.insert(nodes_.end(), c.begin(), c.end());
  const std::vector<double> w = barycentric(nodes_);
  D.setZero(s, s + 1);
  for (int i = 1; i <= s; ++i) {
    double sum = 0;
    for (int j = 0; j <= s; ++j) {
      if (i == j) continue;
      D(i - 1, j) = w[j] / w[i] / (nodes_[i] - nodes_[j]);
      sum += D(i - 1, j);
    }
    D(i - 1, i) = -sum;
  }
  end = motion_weights(1);
  input_at_start = input_weights(0);
  input_at_end = input_weights(1);
  // weights of integrals: those of the polynomials, by a rule of Gauss that is exact for them
  const std::vector<double> gauss = collocation_roots(CollocationKind::gauss, s + 1);
  b.assign(s, 0);
  for (const double x : gauss) {
    const long double z = 2 * static_cast<long double>(x) - 1;
    const LegendrePair p = legendre(s + 1, z);
    const long double slope = (s + 1) * (z * p.now - p.before) / (z * z - 1);
    const double weight = static_cast<double>(1 / ((1 - z * z) * slope * slope));
    const Eigen::VectorXd l = input_weights(x);
    for (int i = 0; i < s; ++i) b[i] += weight * l(i);
  }
}

}  // namespace cartan::analysis
