#include "analysis/expansions/steady_slopes.h"

#include <cmath>

#include "core/dense.h"

namespace cartan::analysis {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr double slope_rank_tolerance = 1e-10;
constexpr double contradiction = 1e-6;  // of linear equations that must have a solution

std::span<const double> numbers_of(const Vector& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}
std::span<double> numbers_of(Vector& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

Eigen::CompleteOrthogonalDecomposition<Matrix> rank_aware(const Matrix& A) {
  Eigen::CompleteOrthogonalDecomposition<Matrix> solver(A.rows(), A.cols());
  solver.setThreshold(slope_rank_tolerance);
  return solver.compute(A);
}

// df/dp and dg/dp of the parameters.
struct ParameterSlopes {
  Matrix rates, constraints;
  ParameterSlopes(const SteadyProblem& problem, const State& state, std::span<const int> which) {
    const System& system = problem.system();
    rates.resize(system.space().size(), static_cast<Eigen::Index>(which.size()));
    system.parameter_jacobian(state, which, rates, problem.workspace());
    rates = rates.topRows(problem.size()).eval();
    constraints.setZero(system.constraint_count(), static_cast<Eigen::Index>(which.size()));
    if (constraints.rows() > 0)
      system.constraint_parameter_jacobian(state, which, constraints, problem.workspace());
  }
};

// How the symmetries S change with the parameters: L S = 0 with the conditions L on factors of
// fields, [f, Y_i] and C Y_i, at several points. So L S' = -L' S, where a point follows the
// constraints when a parameter changes.
class TurningSymmetries {
 public:
  TurningSymmetries(const SteadyProblem& problem, std::span<const int> which,
                    StateCurvature& curvature)
      : problem_(problem),
        which_(which),
        curvature_(curvature),
        S_(problem.symmetries().fields),
        changes_(which.size()) {}

  void add(const State& point) {
    const System& system = problem_.system();
    const MotionGeometry& geometry = *system.geometry();
    const int n = system.space().size(), kept = problem_.size();
    const int fields = geometry.field_count(), rows = system.constraint_count();
    Point at{point, Vector(n), Matrix(n, n), Matrix(rows, n), Matrix(n, fields)};
    Matrix D(n, fields);
    system.derivative(point, numbers_of(at.rate), problem_.workspace());
    system.jacobian(point, at.J, problem_.workspace());
    system.constraint_jacobian(point, at.C, problem_.workspace());
    geometry.fields(point, numbers_of(at.rate), at.Y, D);
    Matrix L(kept + rows, fields);
    L.topRows(kept) = (at.J * at.Y - D).topRows(kept);
    L.bottomRows(rows) = at.C * at.Y;
    drop_moving_rows(L);
    append(L, conditions_);
    const ParameterSlopes by(problem_, point, which_);
    const Matrix E = problem_.embedding(point);
    const auto constraints = rank_aware(at.C.leftCols(kept) * E);
    for (std::size_t k = 0; k < which_.size(); ++k) {
      const auto column = static_cast<Eigen::Index>(k);
      Vector follows = Vector::Zero(n), pushed = Vector::Zero(n);
      if (rows > 0) follows.head(kept) = -E * constraints.solve(by.constraints.col(column));
      pushed.head(kept) = by.rates.col(column);
      Matrix change(kept + rows, S_.cols());
      for (Eigen::Index s = 0; s < S_.cols(); ++s)
        change.col(s) = calc_change(at, S_.col(s), follows, pushed, static_cast<int>(k));
      drop_moving_rows(change);
      append(change, changes_[k]);
    }
  }

  // False: what is a symmetry with these parameters is none with others.
  bool solve(std::vector<Matrix>& slopes) const {
    const auto solver = rank_aware(conditions_);
    const double size = conditions_.norm() * S_.norm();
    bool all = true;
    for (const Matrix& change : changes_) {
      slopes.push_back(Matrix::Zero(S_.rows(), S_.cols()));
      if (change.norm() <= 1e-12 * size) continue;
      slopes.back() = -solver.solve(change);
      all &= (conditions_ * slopes.back() + change).norm() <=
             contradiction * (change.norm() + 1e-6 * size);
    }
    return all;
  }

 private:
  struct Point {
    const State& state;
    Vector rate;
    Matrix J, C, Y;
  };

  // d/dp of Df Y_a - DY_a f and of C Y_a.
  Vector calc_change(const Point& at, const Vector& a, const Vector& follows, const Vector& pushed,
                     int parameter) {
    const MotionGeometry& geometry = *problem_.system().geometry();
    const Eigen::Index n = at.Y.rows(), kept = problem_.size(), rows = at.C.rows();
    Matrix again(n, at.Y.cols()), D_follows(n, at.Y.cols()), D_rate(n, at.Y.cols());
    const Vector rate_change = at.J * follows + pushed;
    geometry.fields(at.state, numbers_of(follows), again, D_follows);
    geometry.fields(at.state, numbers_of(rate_change), again, D_rate);
    const Vector Ya = at.Y * a, Ya_change = D_follows * a;
    Vector second(kept), bend = Vector::Zero(n), normal = Vector::Zero(rows);
    curvature_.rates(at.state, numbers_of(Ya), numbers_of(follows), parameter, numbers_of(second));
    geometry.add_field_curvature(at.state, numbers_of(a), numbers_of(at.rate), numbers_of(follows),
                                 numbers_of(bend));
    if (rows > 0)
      curvature_.constraints(at.state, numbers_of(Ya), numbers_of(follows), parameter,
                             numbers_of(normal));
    Vector change(kept + rows);
    change.head(kept) = second + (at.J * Ya_change - bend - D_rate * a).head(kept);
    change.tail(rows) = normal + at.C * Ya_change;
    return change;
  }

  void drop_moving_rows(Matrix& conditions) const {
    for (int i = 0; i < problem_.system().constraint_count(); ++i)
      if (problem_.system().geometry()->constraint_moves(i))
        conditions.row(problem_.size() + i).setZero();
  }
  static void append(const Matrix& rows, Matrix& all) {
    const Eigen::Index before = all.rows();
    all.conservativeResize(before + rows.rows(), rows.cols());
    all.bottomRows(rows.rows()) = rows;
  }

  const SteadyProblem& problem_;
  std::span<const int> which_;
  StateCurvature& curvature_;
  const Matrix S_;
  Matrix conditions_{0, 0};
  std::vector<Matrix> changes_;  // per parameter
};

std::string fill_turning(const SteadyProblem& problem, const SteadyMotion& motion,
                         std::span<const int> which, StateCurvature& curvature,
                         std::vector<Matrix>& slopes) {
  const Matrix& S = problem.symmetries().fields;
  if (S.cols() == 0) {
    slopes.assign(which.size(), Matrix::Zero(S.rows(), 0));
    return "";
  }
  TurningSymmetries turning(problem, which, curvature);
  for (const State& point : symmetry_samples(problem.system(), motion.state, problem.workspace()))
    turning.add(point);
  if (turning.solve(slopes)) return "";
  return "a symmetry of the steady motion is lost when a free parameter changes";
}

}  // namespace

SteadySlopes calc_steady_slopes(const SteadyProblem& problem, const SteadyMotion& motion,
                                std::span<const int> which, StateCurvature& curvature) {
  SteadySlopes result;
  const Eigen::Index n = problem.tangent(), count = motion.c.size(),
                     parameters = static_cast<Eigen::Index>(which.size());
  result.problem = fill_turning(problem, motion, which, curvature, result.symmetries);
  if (!result.problem.empty()) return result;
  result.factors.resize(problem.symmetries().fields.rows(), parameters);
  for (Eigen::Index k = 0; k < parameters; ++k)
    result.factors.col(k) = result.symmetries[k] * motion.c;
  const MotionGeometry& geometry = *problem.system().geometry();
  Matrix Y(problem.system().space().size(), geometry.field_count()), D(Y.rows(), Y.cols());
  const Vector still = Vector::Zero(Y.rows());
  geometry.fields(motion.state, numbers_of(still), Y, D);

  Matrix K = problem.matrix(motion.state, motion.c, motion.held);
  std::vector<bool> moves(count, false);
  for (const int k : problem.independent_symmetries(motion.state)) moves[k] = true;
  for (Eigen::Index k = 0; k < count; ++k)
    if (!moves[k]) K.col(n + k).setZero();
  const ParameterSlopes by(problem, motion.state, which);
  Matrix known = Matrix::Zero(K.rows(), parameters);
  known.topRows(problem.size()) = by.rates - Y.topRows(problem.size()) * result.factors;
  known.middleRows(problem.size(), by.constraints.rows()) = by.constraints;
  const Eigen::Index first = problem.size() + by.constraints.rows();
  for (std::size_t j = 0; j < motion.held.size(); ++j)
    for (Eigen::Index k = 0; k < parameters; ++k) {
      const Vector rate = motion.start_slopes.col(k);
      known(first + static_cast<Eigen::Index>(j), k) =
          problem.reference_slope(motion.state, motion.held[j], numbers_of(rate));
    }
  Matrix z = Matrix::Zero(n + count, parameters);
  if (motion.is_start) {  // x' is known; what c' leaves over is moved away from it
    z.topRows(n) = problem.to_tangent(motion.state, motion.start_slopes);
    if (count > 0) z.bottomRows(count) = -rank_aware(K.rightCols(count)).solve(known + K * z);
  }
  z -= rank_aware(K).solve(known + K * z);
  const double left = (known + K * z).norm(), size = known.norm() + K.norm() * (z.norm() + 1e-6);
  if (!z.allFinite() || !(left <= contradiction * size)) {
    result.problem =
        "the steady motion has no derivative by a free parameter: it ends or branches "
        "at these values";
    return result;
  }
  result.state = problem.embedding(motion.state) * z.topRows(n);
  result.factors += problem.symmetries().fields * z.bottomRows(count);
  return result;
}

}  // namespace cartan::analysis
