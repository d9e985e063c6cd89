#include "analysis/symmetries.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <fmt/format.h>

#include "analysis/null_space.h"

namespace cartan::analysis {
namespace {

constexpr int samples = 3;
constexpr double spread = 0.2;     // of the points, in tangent numbers
constexpr double vanishes = 1e-9;  // a commutator, relative to its terms

using Matrix = Eigen::MatrixXd;

// A point of the manifold near the state, at which f is finite. Closer ones are tried where the
// constraints cannot be met.
State draw_point(const System& system, const State& state, std::mt19937& random,
                 Workspace& workspace) {
  const StateSpace& space = system.space();
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> d(space.tangent_size()), rate(space.size());
  for (double size = spread; size > 1e-4; size *= 0.3) {
    State point = state;
    for (double& number : d) number = size * uniform(random);
    for (int i = 0; i < system.quadratures(); ++i) d[d.size() - 1 - i] = 0;
    space.plus(state.x, d, point.x);
    space.normalise(point.x);
    if (system.constrained()) {
      const Projection done = system.project(point, workspace);
      if (!done.problem.empty() || done.mode_changed) continue;
    }
    system.derivative(point, rate, workspace);
    if (std::all_of(rate.begin(), rate.end(), [](double r) { return std::isfinite(r); }))
      return point;
  }
  return state;
}

// Each row relative to its size, unless that is itself rounding of the other rows (equations of a
// plane mechanism across its plane).
void divide_rows(Matrix& conditions, const Matrix& sizes, int first, int count) {
  if (count == 0) return;
  const double least = 1e-5 * sizes.middleRows(first, count).maxCoeff();
  for (int i = first; i < first + count; ++i) {
    const double size = std::max(sizes.row(i).maxCoeff(), least);
    if (size > 0) conditions.row(i) /= size;
  }
}

// The conditions at one point, each row relative to the largest of its terms.
Matrix calc_conditions(const System& system, const State& point, Workspace& workspace) {
  const MotionGeometry& geometry = *system.geometry();
  const int n = system.space().size(), kept = n - system.quadratures();
  const int fields = geometry.field_count(), rows = system.constraint_count();
  std::vector<double> rate(n);
  Matrix J(n, n), Y(n, fields), D(n, fields), C(rows, n);
  system.derivative(point, rate, workspace);
  system.jacobian(point, J, workspace);
  geometry.fields(point, rate, Y, D);
  system.constraint_jacobian(point, C, workspace);

  Matrix conditions(kept + rows, fields);
  Matrix sizes(kept + rows, fields);
  conditions.topRows(kept) = (J * Y - D).topRows(kept);
  sizes.topRows(kept) = (J.cwiseAbs() * Y.cwiseAbs() + D.cwiseAbs()).topRows(kept);
  conditions.bottomRows(rows) = C * Y;
  sizes.bottomRows(rows) = C.cwiseAbs() * Y.cwiseAbs();
  for (int i = 0; i < rows; ++i)
    if (geometry.constraint_moves(i)) conditions.row(kept + i).setZero();
  divide_rows(conditions, sizes, 0, kept);
  divide_rows(conditions, sizes, kept, rows);
  return conditions;
}

// Reduced row echelon form: the first columns that can be pivots are, so that combinations involve
// as few fields as possible, and early kinds stand alone.
void reduce(Matrix& A) {
  Eigen::Index row = 0;
  for (Eigen::Index column = 0; column < A.cols() && row < A.rows(); ++column) {
    Eigen::Index best;
    if (A.col(column).tail(A.rows() - row).cwiseAbs().maxCoeff(&best) < 1e-7) continue;
    A.row(row).swap(A.row(row + best));
    A.row(row) /= A(row, column);
    for (Eigen::Index i = 0; i < A.rows(); ++i)
      if (i != row) A.row(i) -= A(i, column) * A.row(row).eval();
    ++row;
  }
  A = (A.array().abs() < 1e-10).select(0.0, A);
}

// Small factors are zeros where the conditions hold without them as well: the derivatives they came
// of have few digits where an inertia is next to nothing.
void drop_rounding(const Matrix& conditions, Matrix& combinations) {
  constexpr double small = 1e-6;
  for (Eigen::Index s = 0; s < combinations.rows(); ++s) {
    const double limit =
        std::max(vanishes, 2 * (conditions * combinations.row(s).transpose()).norm());
    for (Eigen::Index k = 0; k < combinations.cols(); ++k) {
      const double factor = combinations(s, k);
      if (factor == 0 || std::fabs(factor) > small) continue;
      combinations(s, k) = 0;
      if ((conditions * combinations.row(s).transpose()).norm() > limit)
        combinations(s, k) = factor;
    }
  }
}

std::string describe(const MotionGeometry& geometry, const Eigen::VectorXd& factors) {
  std::string text;
  for (int k = 0; k < geometry.field_count(); ++k) {
    if (factors[k] == 0) continue;
    if (!text.empty()) text += " + ";
    if (factors[k] != 1) text += fmt::format("{:.6g} ", factors[k]);
    text += geometry.field_name(k);
  }
  return text;
}

}  // namespace

std::vector<State> symmetry_samples(const System& system, const State& state,
                                    Workspace& workspace) {
  std::mt19937 random(20240607);
  std::vector<State> points = {state};
  for (int i = 0; i < samples; ++i) points.push_back(draw_point(system, state, random, workspace));
  return points;
}

Symmetries find_symmetries(const System& system, const State& state, Workspace& workspace) {
  Symmetries result;
  const MotionGeometry* geometry = system.geometry();
  const int fields = geometry->field_count();
  result.fields.resize(fields, 0);
  if (fields == 0) return result;

  std::vector<Matrix> parts;
  Eigen::Index rows = 0;
  for (const State& point : symmetry_samples(system, state, workspace)) {
    parts.push_back(calc_conditions(system, point, workspace));
    rows += parts.back().rows();
  }
  std::vector<int> order(fields);  // fields by kind
  for (int k = 0; k < fields; ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return geometry->field_kind(a) < geometry->field_kind(b); });
  Matrix conditions(rows, fields);
  rows = 0;
  for (const Matrix& part : parts) {
    for (int k = 0; k < fields; ++k)
      conditions.col(k).segment(rows, part.rows()) = part.col(order[k]);
    rows += part.rows();
  }
  if (!conditions.allFinite()) return result;
  Matrix combinations = null_space(conditions, vanishes, 1.0).transpose();
  if (combinations.rows() == 0) return result;
  reduce(combinations);
  drop_rounding(conditions, combinations);
  result.fields = Matrix::Zero(fields, combinations.rows());
  for (int k = 0; k < fields; ++k) result.fields.row(order[k]) = combinations.col(k).transpose();
  for (int s = 0; s < result.count(); ++s)
    result.names.push_back(describe(*geometry, result.fields.col(s)));
  return result;
}

}  // namespace cartan::analysis
