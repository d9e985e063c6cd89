#include "analysis/expansions/normal_forms.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/SVD>

#include "analysis/null_space.h"

namespace cartan::analysis {
namespace {

using Complex = std::complex<double>;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using ComplexVector = Eigen::VectorXcd;
using ComplexMatrix = Eigen::MatrixXcd;

constexpr double contradicts_above = 1e-6;  // of equations that must have a solution
constexpr double vanishing_size = 1e-7;     // of the largest singular value
constexpr double no_quadratic = 1e-6;       // of what its terms sum up to

const char* const no_solution =
    "the equations of second order contradict each other: more than this motion is critical";

// D2 and D3 of complex vectors from those of real ones.
template <class Second>
ComplexVector second_of(Second&& second, const ComplexVector& u, const ComplexVector& w) {
  const Vector a = u.real(), b = u.imag(), c = w.real(), d = w.imag();
  const Complex i(0, 1);
  return (second(a, c) - second(b, d)).template cast<Complex>() +
         i * (second(a, d) + second(b, c)).template cast<Complex>();
}
// of (q, q, conj q): q = a + i b
template <class Third>
ComplexVector third_of(Third&& third, const ComplexVector& q) {
  const Vector a = q.real(), b = q.imag();
  const Complex i(0, 1);
  return (third(a, a, a) + third(a, b, b)).template cast<Complex>() +
         i * (third(a, a, b) + third(b, b, b)).template cast<Complex>();
}

// The steady equations on the tangent space: unknowns (y, a), rows h and what is held.
class SteadyRows {
 public:
  SteadyRows(const SteadyPoint& point, StateCurvature& curvature)
      : point_(point),
        curvature_(curvature),
        expansion_(point.problem, point.state, point.c, curvature),
        m_(expansion_.Z().cols()),
        held_(static_cast<Eigen::Index>(point.held.size())) {
    const SteadyProblem& problem = point.problem;
    const Eigen::Index k = point.c.size();
    Y_ = problem.generators(point.state);
    tangent_ = problem.to_tangent(point.state, expansion_.Z());
    const Matrix full = problem.matrix(point.state, point.c, point.held);
    K_ = Matrix::Zero(m_ + held_ + k, m_ + k);
    K_.topLeftCorner(m_, m_) = expansion_.A();
    K_.topRightCorner(m_, k).topRows(m_) = -expansion_.Z().transpose() * Y_;
    K_.block(m_, 0, held_, m_) = full.bottomRows(held_).leftCols(problem.tangent()) * tangent_;
    if (k > 0) {  // combinations of symmetries that do nothing here, or that drives decide
      const Matrix N = null_space(problem.to_tangent(point.state, Y_), 1e-8, 1.0);
      const Matrix beside = Y_ - expansion_.Z() * (expansion_.Z().transpose() * Y_);
      K_.bottomRightCorner(k, k) = N * N.transpose() + beside.transpose() * beside;
    }
    gradients_ = Matrix::Zero(held_, problem.size());
    for (Eigen::Index j = 0; j < held_; ++j) {
      if (!point.held[j].function) continue;
      std::vector<double> gradient(problem.system().space().size());
      point.held[j].function->gradient(point.state, gradient, problem.workspace());
      gradients_.row(j) = Eigen::Map<const Vector>(gradient.data(), problem.size());
    }
  }

  const FieldExpansion& expansion() const { return expansion_; }
  const Matrix& matrix() const { return K_; }
  const Matrix& tangent() const { return tangent_; }
  Eigen::Index directions() const { return m_; }
  int parameter() const { return point_.moves_system ? 0 : -1; }

  Vector embedded(const Vector& y) const { return expansion_.Z() * y; }
  // All rows: a field in embedded numbers with its normal part, and what is held.
  Vector rows(const Vector& field, const Vector& normal, const Vector& of_held) const {
    Vector result = Vector::Zero(K_.rows());
    result.head(m_) = expansion_.Z().transpose() * (field + expansion_.B() * normal);
    result.segment(m_, held_) = of_held + gradients_ * normal;
    return result;
  }
  Vector held_second(const Vector& u, const Vector& w, int parameter) const {
    return held_part(u, w, Vector::Zero(u.size()), parameter, &Mixed::uw);
  }
  Vector held_third(const Vector& u, const Vector& w, const Vector& v) const {
    return held_part(u, w, v, -1, &Mixed::uwv);
  }

  // Along the branch, by the parameter: X = dx/dp, c' (empty where the parameter turns).
  bool branch_slopes(Vector& X, Vector& c) const {
    const Vector& t = point_.tangent;
    if (t.size() == 0) return false;
    const double p = t[t.size() - 1];
    if (!(std::fabs(p) > 1e-9 * t.norm())) return false;
    const Eigen::Index n = point_.problem.tangent();
    X = point_.problem.embedding(point_.state) * t.head(n) / p;
    c = t.segment(n, point_.c.size()) / p;
    return true;
  }

  // The column of the parameter, on the tangent space.
  Vector parameter_rows() const {
    const Vector& column = point_.parameter_column;
    const Eigen::Index n = point_.problem.size(), g = point_.problem.system().constraint_count();
    return rows(column.head(n), expansion_.normal().follow(column.segment(n, g)),
                column.tail(held_));
  }

 private:
  Vector held_part(const Vector& u, const Vector& w, const Vector& v, int parameter,
                   double Mixed::*part) const {
    Vector result = Vector::Zero(held_);
    int k = 0;
    for (Eigen::Index j = 0; j < held_; ++j)
      if (point_.held[j].function)
        result[j] =
            curvature_.function(k++, point_.state, view(u), view(w), view(v), parameter).*part;
    return result;
  }
  static std::span<const double> view(const Vector& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
  }

  const SteadyPoint& point_;
  StateCurvature& curvature_;
  const FieldExpansion expansion_;
  const Eigen::Index m_, held_;
  Matrix Y_, tangent_, K_, gradients_;
};

ComplexVector vector_nearest(const Matrix& A, Complex value) {
  const Eigen::EigenSolver<Matrix> solver(A);
  Eigen::Index best = 0;
  (solver.eigenvalues().array() - value).abs().minCoeff(&best);
  return solver.eigenvectors().col(best);
}

class HopfExpansion {
 public:
  HopfExpansion(const SteadyPoint& point, Complex critical, StateCurvature& curvature)
      : rows_(point, curvature), e_(rows_.expansion()), w_(std::fabs(critical.imag())) {
    const Complex value(0, w_);
    ComplexVector right = vector_nearest(e_.A(), value);
    left_ = vector_nearest(e_.A().transpose(), value);
    const ComplexVector numbers = rows_.tangent() * right;
    right /= numbers.norm();
    left_ /= left_.transpose() * right;  // p^T q = 1
    largest_ = (rows_.tangent() * right).cwiseAbs().maxCoeff();
    q_ = e_.Z() * right;
  }

  NormalForm run() {
    NormalForm form;
    form.kind = "hopf";
    if (!find_mean()) {
      form.problem = no_solution;
      return form;
    }
    find_double();
    form.cubic = calc_cubic();
    form.coefficient = form.cubic.real() / w_;
    Vector X, c;
    if (rows_.branch_slopes(X, c)) {
      form.crossing = calc_crossing(X, c);
      if (std::fabs(form.crossing.real()) > 1e-12 * (1 + std::abs(form.crossing)))
        form.slope = -form.cubic.real() / (4 * form.crossing.real() * largest_ * largest_);
    }
    return form;
  }

 private:
  // W11 and the change of the speeds along symmetries.
  bool find_mean() {
    const Vector a = q_.real(), b = q_.imag();
    const Vector D2 = e_.second(a, a) + e_.second(b, b),
                 n = e_.normal().second(a, a) + e_.normal().second(b, b);
    const Vector held = rows_.held_second(a, a, -1) + rows_.held_second(b, b, -1);
    const Vector right = -rows_.rows(D2, n, held);
    Eigen::CompleteOrthogonalDecomposition<Matrix> solver(rows_.matrix().rows(),
                                                          rows_.matrix().cols());
    solver.setThreshold(1e-10);
    const Vector solution = solver.compute(rows_.matrix()).solve(right);
    const Vector left = rows_.matrix() * solution - right;
    // symmetric motions have nothing of second order: what rounding leaves of it is no
    // contradiction
    const double rounding = 1e-12 * rows_.matrix().norm();
    if (!(left.norm() <= contradicts_above * right.norm() + rounding)) return false;
    mean_ = rows_.embedded(solution.head(rows_.directions())) + n;
    drift_ = e_.drift_matrix(solution.tail(solution.size() - rows_.directions()));
    return true;
  }

  void find_double() {
    const ComplexVector D2 = second(q_, q_), n = normal(q_, q_);
    const Complex twice(0, 2 * w_);
    ComplexMatrix shifted = -e_.A().cast<Complex>();
    shifted.diagonal().array() += twice;
    const ComplexVector y = shifted.partialPivLu().solve(e_.Z().transpose() * (D2 + e_.B() * n));
    double_ = e_.Z() * y + n;
  }

  Complex calc_cubic() const {
    const ComplexVector mean = mean_.cast<Complex>(), conj = q_.conjugate();
    const ComplexVector n = third_of([&](const auto& u, const auto& w,
                                         const auto& v) { return e_.normal().third(u, w, v); },
                                     q_) +
                            2.0 * normal(q_, mean) + normal(conj, double_);
    const ComplexVector D3 =
        third_of([&](const auto& u, const auto& w, const auto& v) { return e_.third(u, w, v); },
                 q_) +
        2.0 * second(q_, mean) + second(conj, double_) + 2.0 * (drift_ * q_);
    return 0.5 * project(D3 + e_.B() * n);
  }

  Complex calc_crossing(const Vector& X, const Vector& c) const {
    const int p = rows_.parameter();
    const Complex i(0, 1);
    const Vector a = q_.real(), b = q_.imag();
    const ComplexVector D2 = e_.second(a, X, p) + i * e_.second(b, X, p),
                        n = e_.normal().second(a, X, p) + i * e_.normal().second(b, X, p);
    return project(D2 + e_.drift_matrix(c) * q_ + e_.B() * n);
  }

  Complex project(const ComplexVector& field) const {
    return (left_.transpose() * (e_.Z().transpose() * field))(0);
  }
  ComplexVector second(const ComplexVector& u, const ComplexVector& w) const {
    return second_of([&](const Vector& a, const Vector& b) { return e_.second(a, b); }, u, w);
  }
  ComplexVector normal(const ComplexVector& u, const ComplexVector& w) const {
    return second_of([&](const Vector& a, const Vector& b) { return e_.normal().second(a, b); }, u,
                     w);
  }

  const SteadyRows rows_;
  const FieldExpansion& e_;
  const double w_;
  double largest_ = 1;
  ComplexVector q_, left_, double_;
  Vector mean_;
  Matrix drift_;
};

class ZeroExpansion {
 public:
  ZeroExpansion(const SteadyPoint& point, StateCurvature& curvature)
      : rows_(point, curvature),
        e_(rows_.expansion()),
        m_(rows_.directions()),
        svd_(rows_.matrix(), Eigen::ComputeFullU | Eigen::ComputeThinV) {}

  NormalForm run(bool turns) {
    NormalForm form;
    form.kind = turns ? "fold" : "pitchfork";
    form.problem = find_null_vector();
    if (!form.problem.empty()) return form;
    find_second();
    Vector X, c;
    const bool along = rows_.branch_slopes(X, c);
    const Vector changing = turns ? rows_.parameter_rows() : along ? calc_changing(X, c) : second_;
    if (form.problem = find_left(changing); !form.problem.empty()) return form;
    const double quadratic = left_.dot(second_) / 2;
    if (turns) {
      form.coefficient = quadratic;
      form.slope = -quadratic / left_.dot(changing) / (largest_ * largest_);
      return form;
    }
    const double crossing = along ? left_.dot(changing) : 0;
    form.crossing = crossing;
    if (std::fabs(quadratic) >
        no_quadratic * (left_.norm() * second_.norm() + std::fabs(crossing))) {
      form.kind = "transcritical";
      form.coefficient = quadratic;
      if (crossing != 0) form.slope = -quadratic / crossing / largest_;
      return form;
    }
    if (!find_cubic(form.coefficient)) {
      form.problem = no_solution;
      return form;
    }
    if (crossing != 0) form.slope = -form.coefficient / crossing / (largest_ * largest_);
    return form;
  }

 private:
  std::string find_null_vector() {
    const Vector& sizes = svd_.singularValues();
    const Eigen::Index last = sizes.size() - 1;
    if (last > 0 && sizes[last - 1] <= vanishing_size * sizes[0])
      return "several directions are critical at once";
    const Vector null = svd_.matrixV().col(last);
    const Vector numbers = rows_.tangent() * null.head(m_);
    Eigen::Index most = 0;
    numbers.cwiseAbs().maxCoeff(&most);  // the largest number of q is positive
    const double length = numbers[most] < 0 ? -numbers.norm() : numbers.norm();
    if (!(std::fabs(length) > 1e-9)) return "only speeds along symmetries are critical";
    y_ = null.head(m_) / length;
    drift_ = null.tail(null.size() - m_) / length;
    largest_ = numbers[most] / length;
    q_ = rows_.embedded(y_);
    return "";
  }

  // D2(q, q) of all rows.
  void find_second() {
    normal_ = e_.normal().second(q_, q_);
    const Vector field = e_.second(q_, q_) + 2 * (e_.drift_matrix(drift_) * q_);
    second_ = rows_.rows(field, normal_, rows_.held_second(q_, q_, -1));
  }

  // d/dp of K (q, a) along the branch.
  Vector calc_changing(const Vector& X, const Vector& c) const {
    const int p = rows_.parameter();
    const Vector field =
        e_.second(q_, X, p) + e_.drift_matrix(c) * q_ + e_.drift_matrix(drift_) * X;
    return rows_.rows(field, e_.normal().second(q_, X, p), rows_.held_second(q_, X, p));
  }

  // Rows may depend on each other for every motion (a quantity is conserved): of the left null
  // space the direction counts along which what drives the bifurcation acts.
  std::string find_left(const Vector& drives) {
    const Vector& sizes = svd_.singularValues();
    const Eigen::Index regular = sizes.size() - 1, all = svd_.matrixU().cols();
    const Matrix L = svd_.matrixU().rightCols(all - regular);
    left_ = L * (L.transpose() * drives);
    const double pairing = left_.head(m_).dot(y_);
    if (!(std::fabs(pairing) > 1e-12 * left_.norm()))
      return "the critical direction has no partner: two eigenvalues meet at zero";
    left_ /= pairing;
    return "";
  }

  bool find_cubic(double& cubic) const {
    Eigen::CompleteOrthogonalDecomposition<Matrix> solver(rows_.matrix().rows(),
                                                          rows_.matrix().cols());
    solver.setThreshold(vanishing_size);
    const Vector solution = solver.compute(rows_.matrix()).solve(-second_);
    if (!((rows_.matrix() * solution + second_).norm() <= 1e-4 * (second_.norm() + 1e-12)))
      return false;
    const Vector W = rows_.embedded(solution.head(m_)) + normal_,
                 drift = solution.tail(solution.size() - m_);
    const Vector n = e_.normal().third(q_, q_, q_) + 3 * e_.normal().second(q_, W);
    const Vector field = e_.third(q_, q_, q_) + 3 * e_.second(q_, W) +
                         3 * e_.drift_second(drift_, q_, q_) + 3 * e_.drift_matrix(drift_) * W +
                         3 * e_.drift_matrix(drift) * q_;
    const Vector held = rows_.held_third(q_, q_, q_) + 3 * rows_.held_second(q_, W, -1);
    cubic = left_.dot(rows_.rows(field, n, held)) / 6;
    return true;
  }

  const SteadyRows rows_;
  const FieldExpansion& e_;
  const Eigen::Index m_;
  const Eigen::JacobiSVD<Matrix> svd_;
  Vector y_, q_, drift_, normal_, second_, left_;
  double largest_ = 1;
};

}  // namespace

std::string NormalForm::criticality() const {
  if (!problem.empty() || coefficient == 0 || !std::isfinite(coefficient)) return "";
  if (kind == "hopf" || kind == "pitchfork")
    return coefficient < 0 ? "supercritical" : "subcritical";
  if (kind == "period-doubling") return coefficient > 0 ? "supercritical" : "subcritical";
  return "";
}

NormalForm calc_hopf_form(const SteadyPoint& point, Complex critical, StateCurvature& curvature) {
  return HopfExpansion(point, critical, curvature).run();
}

NormalForm calc_steady_form(const SteadyPoint& point, bool turns, StateCurvature& curvature) {
  return ZeroExpansion(point, curvature).run(turns);
}

}  // namespace cartan::analysis
