// The field of a steady motion, h = f - sum_k c_k Y_k, expanded about a state where it vanishes.
//
// Everything is in embedded numbers without quadratures. Orthonormal columns Z span the tangent
// space of the constraints, neutral directions first (linearisation.h); B = Dh, A = Z^T B Z. What
// normal parts curves on the manifold have is in manifold_bend.h.
#pragma once

#include "analysis/expansions/manifold_bend.h"
#include "analysis/linearisation.h"

namespace cartan::analysis {

class FieldExpansion {
 public:
  using Matrix = Eigen::MatrixXd;
  using Vector = Eigen::VectorXd;

  // `curvature` is that of the problem's system. All must outlive this one.
  FieldExpansion(const SteadyProblem& problem, const State& state, const Vector& c,
                 StateCurvature& curvature);

  const SteadyProblem& problem() const { return problem_; }
  const State& state() const { return state_; }
  const NeutralSplit& split() const { return split_; }
  const Matrix& Z() const { return Z_; }
  const Matrix& A() const { return A_; }
  const Matrix& B() const { return B_; }

  // D2 h(u, w), with parameter number `parameter` of the curvature's list moving along w.
  Vector second(const Vector& u, const Vector& w, int parameter = -1) const;
  Vector third(const Vector& u, const Vector& w, const Vector& v) const;
  const ManifoldBend& normal() const { return normal_; }

  // -sum_k a_k DY_k and -sum_k a_k D2 Y_k(u, w) for speeds a along the symmetries.
  Matrix drift_matrix(const Vector& a) const;
  Vector drift_second(const Vector& a, const Vector& u, const Vector& w) const;

 private:
  Vector padded(const Vector& x) const;

  const SteadyProblem& problem_;
  const State state_;
  const Vector factors_;  // of the geometry's fields in h
  StateCurvature& curvature_;
  const int n_;
  const NeutralSplit split_;
  const Matrix B_;
  const ManifoldBend normal_;
  Matrix Z_, A_;
};

}  // namespace cartan::analysis
