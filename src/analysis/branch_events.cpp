#include "analysis/branch_events.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "core/dense.h"

namespace cartan::analysis {
namespace {

using Complex = std::complex<double>;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Test = std::function<double(const BranchSample&)>;

constexpr double family_tolerance = 1e-9;

double last(const VectorXd& v) {
  return v[v.size() - 1];
}

// sign and size of a determinant without overflow: the size is a logarithm
struct Determinant {
  double sign = 1, log = 0;
};

Determinant determinant(const MatrixXd& A) {
  const Eigen::PartialPivLU<MatrixXd> lu(A);
  Determinant d;
  d.sign = lu.permutationP().determinant();
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    const double pivot = lu.matrixLU()(i, i);
    if (pivot == 0) return {0, 0};
    if (pivot < 0) d.sign = -d.sign;
    d.log += std::log(std::fabs(pivot));
  }
  return d;
}

// det (U^T A; t) with the basis U of A's column space at one sample, relative to the value there.
// Where solutions form families that nothing fixes (A annihilates more than t everywhere) it means
// nothing and is 1.
class CrossingTest {
 public:
  explicit CrossingTest(const BranchSample& a) {
    Eigen::ColPivHouseholderQR<MatrixXd> qr(a.matrix.rows(), a.matrix.cols());
    qr.setThreshold(family_tolerance);
    qr.compute(a.matrix);
    if (qr.rank() < a.matrix.cols() - 1) return;
    const MatrixXd Q = qr.householderQ();
    U_ = Q.leftCols(std::min(Q.cols(), a.matrix.cols() - 1));
    at_a_ = value(a);
  }
  double operator()(const BranchSample& s) const {
    const Determinant d = value(s);
    return at_a_.sign * d.sign * std::exp(std::min(d.log - at_a_.log, 300.0));
  }

 private:
  Determinant value(const BranchSample& s) const {
    const Eigen::Index n = s.matrix.cols();
    if (s.matrix.rows() != U_.rows() || U_.cols() != n - 1) return {1, 0};
    MatrixXd B(n, n);
    B << U_.transpose() * s.matrix, s.tangent.cwiseProduct(s.weights).transpose();
    return determinant(B);
  }
  MatrixXd U_;
  Determinant at_a_;
};

// From the most unstable on.
std::vector<Complex> by_growth(const Spectrum& spectrum) {
  std::vector<Complex> values = spectrum.values;
  std::sort(values.begin(), values.end(), [&](const Complex& a, const Complex& b) {
    const double x = spectrum.growth(a), y = spectrum.growth(b);
    return x != y ? x > y : a.imag() > b.imag();
  });
  return values;
}

Complex kth_value(const Spectrum& spectrum, int k) {
  const std::vector<Complex> values = by_growth(spectrum);
  if (values.empty()) return {-1, 0};
  return values[std::clamp<std::size_t>(k, 1, values.size()) - 1];
}

// What grows: an eigenvalue, or the logarithm of a multiplier.
Complex exponent(const Spectrum& spectrum, Complex value) {
  return spectrum.multipliers ? std::log(value) : value;
}

// The two exponents with imaginary parts >= 0 that are next to a frequency. The square of their
// difference is smooth where they meet: negative while both are on the axis, positive beyond.
std::pair<Complex, Complex> two_nearest(const Spectrum& spectrum, double frequency) {
  std::vector<Complex> list;
  for (const Complex& value : spectrum.values)
    if (value.imag() >= 0) list.push_back(exponent(spectrum, value));
  if (list.size() < 2) return {0, 0};
  const Complex target(0, frequency);
  std::partial_sort(list.begin(), list.begin() + 2, list.end(),
                    [&](const Complex& x, const Complex& y) {
                      return std::abs(x - target) < std::abs(y - target);
                    });
  return {list[0], list[1]};
}

// The zero of a test function between a and b: false position in Illinois' form with halvings.
BranchSample locate(BranchFollower& follower, const BranchSample& a, const BranchSample& b,
                    const Test& test) {
  double left = 0, right = b.arc - a.arc, f_left = test(a), f_right = test(b);
  const double width = right, size = std::max(std::fabs(f_left), std::fabs(f_right));
  BranchSample best = std::fabs(f_left) < std::fabs(f_right) ? a : b;
  double f_best = test(best);
  int side = 0;
  for (int k = 0; k < 80 && right - left > 1e-13 * width && std::fabs(f_best) > 1e-14 * size; ++k) {
    double s = (left * f_right - right * f_left) / (f_right - f_left);
    if (!(s > left && s < right) || k % 6 == 5) s = (left + right) / 2;
    int iterations = 0;
    const std::optional<BranchSample> middle = follower.advance(a, s, iterations);
    if (!middle) break;
    const double f = test(*middle);
    if (std::fabs(f) <= std::fabs(f_best)) best = *middle, f_best = f;
    if (f * f_right < 0) {
      left = s, f_left = f;
      if (side == -1) f_right /= 2;
      side = -1;
    } else {
      right = s, f_right = f;
      if (side == 1) f_left /= 2;
      side = 1;
    }
  }
  return best;
}

// A second vector that A annihilates at a branch point, across the branch's own tangent.
VectorXd find_other_direction(const BranchSample& at) {
  const Eigen::JacobiSVD<MatrixXd> svd(at.matrix, Eigen::ComputeFullV);
  const MatrixXd two = svd.matrixV().rightCols(2);
  const VectorXd t = at.tangent.cwiseProduct(at.weights).normalized();
  VectorXd best = VectorXd::Zero(t.size());
  for (int j = 0; j < 2; ++j) {
    const VectorXd d = two.col(j) - t.dot(two.col(j)) * t;
    if (d.norm() > best.norm()) best = d;
  }
  return best.normalized().cwiseQuotient(at.weights);
}

class Finder {
 public:
  Finder(BranchFollower& follower, const BranchSample& a, const BranchSample& b)
      : follower_(follower), a_(a), b_(b) {}

  void add(BifurcationKind kind, const Test& test) {
    Bifurcation found;
    found.kind = kind;
    found.at = locate(follower_, a_, b_, test);
    found.unstable_before = a_.spectrum.unstable();
    found.unstable_after = b_.spectrum.unstable();
    found.critical = nearest_critical(found.at.spectrum, kind);
    if (kind == BifurcationKind::branch_point)
      found.other_direction = find_other_direction(found.at);
    list.push_back(std::move(found));
  }

  void add_pair() {
    const int k = std::max(a_.spectrum.unstable(), b_.spectrum.unstable());
    if (const std::optional<double> frequency = leaves_axis(k)) {
      add_collision(*frequency);
      return;
    }
    const Test growth = [k](const BranchSample& s) {
      return s.spectrum.growth(kth_value(s.spectrum, k));
    };
    const bool crosses = growth(a_) * growth(b_) < 0;
    const Test test = crosses ? growth : [&growth](const BranchSample& s) {
      return growth(s) - s.spectrum.margin();  // from the axis itself
    };
    add(a_.spectrum.multipliers ? BifurcationKind::torus : BifurcationKind::hopf, test);
    Complex& critical = list.back().critical;
    critical = kth_value(list.back().at.spectrum, k);
    critical = {critical.real(), std::fabs(critical.imag())};
    if (critical.imag() <= 1e-7 * (1 + std::abs(critical))) list.pop_back();  // two real values
  }

  std::vector<Bifurcation> list;

 private:
  // Without losses values come as l and -conj(l): a pair cannot pass the axis, two pairs on it meet
  // and leave it to both sides. The frequency where they do, if that is what happens.
  std::optional<double> leaves_axis(int k) const {
    const bool grows = b_.spectrum.unstable() > a_.spectrum.unstable();
    const Spectrum &calm = (grows ? a_ : b_).spectrum, &wild = (grows ? b_ : a_).spectrum;
    const Complex value = exponent(wild, kth_value(wild, k));
    const auto mirrored = [&](const Complex& other) {
      return std::abs(exponent(wild, other) + std::conj(value)) < 1e-6 * (1 + std::abs(value));
    };
    const bool mirror = std::any_of(wild.values.begin(), wild.values.end(), mirrored);
    const double frequency = std::fabs(value.imag());
    if (!mirror || std::fabs(calm.growth(kth_value(calm, k))) > calm.margin() ||
        frequency < 1e-7 * (1 + std::abs(value)))
      return std::nullopt;
    return frequency;
  }

  void add_collision(double frequency) {
    const Test test = [frequency](const BranchSample& s) {
      const auto [x, y] = two_nearest(s.spectrum, frequency);
      return std::real((x - y) * (x - y));
    };
    add(a_.spectrum.multipliers ? BifurcationKind::krein_collision
                                : BifurcationKind::hamiltonian_hopf,
        test);
    const Spectrum& at = list.back().at.spectrum;
    const auto [x, y] = two_nearest(at, frequency);
    const Complex middle = (x + y) / 2.0;
    list.back().critical = at.multipliers ? std::exp(middle) : middle;
  }

  static Complex nearest_critical(const Spectrum& spectrum, BifurcationKind kind) {
    const Complex target = !spectrum.multipliers                      ? 0.0
                           : kind == BifurcationKind::period_doubling ? -1.0
                                                                      : 1.0;
    Complex best = 1e300;
    for (const Complex& value : spectrum.values)
      if (std::abs(value - target) < std::abs(best - target)) best = value;
    return spectrum.values.empty() ? target : Complex(best.real(), std::fabs(best.imag()));
  }

  BranchFollower& follower_;
  const BranchSample &a_, &b_;
};

}  // namespace

BranchEvents compare_samples(const BranchSample& a, const BranchSample& b) {
  BranchEvents e;
  e.turns = last(a.tangent) * last(b.tangent) < 0;
  e.crosses = CrossingTest(a)(b) < 0;
  const bool comparable = a.spectrum.values.size() == b.spectrum.values.size();
  const bool zero = comparable && a.spectrum.zero_test() * b.spectrum.zero_test() < 0;
  e.zero = zero && !e.turns && !e.crosses && !a.spectrum.multipliers;
  e.flips =
      comparable && a.spectrum.multipliers && a.spectrum.flip_test() * b.spectrum.flip_test() < 0;
  // what passes 0, +1 or -1 changes the number of unstable values by one, a pair by two
  const int change = std::abs(a.spectrum.unstable() - b.spectrum.unstable());
  const int single = (zero ? 1 : 0) + (e.flips ? 1 : 0);
  e.pair = change - single >= 2;
  e.tangled = change - single > 2 || e.count() > 1;
  return e;
}

std::vector<Bifurcation> locate_events(BranchFollower& follower, const BranchEvents& events,
                                       const BranchSample& a, const BranchSample& b) {
  Finder finder(follower, a, b);
  if (events.crosses)
    finder.add(BifurcationKind::branch_point, CrossingTest(a));
  else if (events.turns)
    finder.add(BifurcationKind::fold, [](const BranchSample& s) { return last(s.tangent); });
  if (events.zero)
    finder.add(BifurcationKind::zero_eigenvalue,
               [](const BranchSample& s) { return s.spectrum.zero_test(); });
  if (events.flips)
    finder.add(BifurcationKind::period_doubling,
               [](const BranchSample& s) { return s.spectrum.flip_test(); });
  if (events.pair) finder.add_pair();
  std::sort(finder.list.begin(), finder.list.end(),
            [](const Bifurcation& x, const Bifurcation& y) { return x.at.arc < y.at.arc; });
  return std::move(finder.list);
}

double Spectrum::growth(Complex value) const {
  return multipliers ? std::log(std::max(std::abs(value), 1e-300)) : value.real();
}

double Spectrum::margin() const {
  if (multipliers) return 1e-6;
  double size = 1;
  for (const Complex& value : values) size = std::max(size, std::abs(value));
  return 1e-9 * size;
}

int Spectrum::unstable() const {
  const double least = margin();
  return static_cast<int>(std::count_if(
      values.begin(), values.end(), [&](const Complex& value) { return growth(value) > least; }));
}

double Spectrum::zero_test() const {
  Complex product = 1;
  for (const Complex& value : values) {
    const Complex d = multipliers ? value - 1.0 : value;
    product *= d / (1 + std::abs(d));
  }
  return product.real();
}

double Spectrum::flip_test() const {
  Complex product = 1;
  for (const Complex& value : values) product *= (value + 1.0) / (2 + std::abs(value));
  return product.real();
}

const char* to_string(BifurcationKind kind) {
  switch (kind) {
    case BifurcationKind::fold:
      return "fold";
    case BifurcationKind::branch_point:
      return "branch-point";
    case BifurcationKind::zero_eigenvalue:
      return "zero-eigenvalue";
    case BifurcationKind::hopf:
      return "hopf";
    case BifurcationKind::period_doubling:
      return "period-doubling";
    case BifurcationKind::torus:
      return "torus";
    case BifurcationKind::hamiltonian_hopf:
      return "hamiltonian-hopf";
    case BifurcationKind::krein_collision:
      return "krein-collision";
  }
  return "";
}

}  // namespace cartan::analysis
