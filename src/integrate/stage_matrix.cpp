#include "integrate/stage_matrix.h"

#include <complex>
#include <vector>

#include "core/dense.h"

namespace cartan::integrate {
namespace {

using Complex = std::complex<double>;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXcd;
using Eigen::VectorXd;

// x = (L U)^-1 P x without temporaries
template <class Lu, class Vector>
void solve_in_place(const Lu& lu, Vector& x, Vector& scratch) {
  scratch.noalias() = lu.permutationP() * x;
  lu.matrixLU().template triangularView<Eigen::UnitLower>().solveInPlace(scratch);
  lu.matrixLU().template triangularView<Eigen::Upper>().solveInPlace(scratch);
  x.swap(scratch);
}

}  // namespace

struct StageMatrix::Parts {
  int s, n;
  // one entry per real eigenvalue or complex pair
  struct Pair {
    Complex value;
    bool real;
    std::vector<Complex> to, from;  // row of T^-1, column of T
    Eigen::PartialPivLU<MatrixXcd> complex_lu;
    Eigen::PartialPivLU<MatrixXd> real_lu;
  };
  std::vector<Pair> pairs;
  MatrixXcd complex_matrix;
  MatrixXd real_matrix;
  VectorXcd w, scratch;
  VectorXd real_w, real_scratch;
  const StageSolver* solver = nullptr;  // has the factors
  Workspace* workspace = nullptr;
  MatrixXd sum;  // n x s
};

StageMatrix::StageMatrix(const CollocationTableau& tableau, int n) : parts_(new Parts) {
  Parts& p = *parts_;
  p.s = tableau.stages;
  p.n = n;
  MatrixXd A(p.s, p.s);
  for (int i = 0; i < p.s; ++i)
    for (int j = 0; j < p.s; ++j) A(i, j) = tableau.at(i, j);
  const Eigen::EigenSolver<MatrixXd> eigen(A);
  const MatrixXcd T = eigen.eigenvectors();
  const MatrixXcd T_inverse = T.inverse();
  for (int e = 0; e < p.s; ++e) {
    const Complex value = eigen.eigenvalues()[e];
    if (value.imag() < 0) continue;  // the partner of a pair
    Parts::Pair pair;
    pair.value = value;
    pair.real = value.imag() == 0;
    for (int j = 0; j < p.s; ++j) {
      pair.to.push_back(T_inverse(e, j));
      pair.from.push_back(T(j, e));
    }
    p.pairs.push_back(std::move(pair));
  }
  p.w.resize(n);
  p.scratch.resize(n);
  p.real_w.resize(n);
  p.real_scratch.resize(n);
  p.sum.resize(n, p.s);
}

StageMatrix::~StageMatrix() = default;

void StageMatrix::factorise(const Eigen::Ref<const Eigen::MatrixXd>& J,
                            const Eigen::Ref<const Eigen::MatrixXd>& P, double h) {
  Parts& p = *parts_;
  p.solver = nullptr;
  for (Parts::Pair& pair : p.pairs) {
    if (pair.real) {
      const double hl = h * pair.value.real();
      p.real_matrix = -hl * J;
      if (P.size() > 0) p.real_matrix -= hl * hl * P;
      p.real_matrix.diagonal().array() += 1;
      pair.real_lu.compute(p.real_matrix);
    } else {
      const Complex hl = h * pair.value;
      p.complex_matrix = -hl * J.cast<Complex>();
      if (P.size() > 0) p.complex_matrix -= hl * hl * P.cast<Complex>();
      p.complex_matrix.diagonal().array() += 1;
      pair.complex_lu.compute(p.complex_matrix);
    }
  }
}

void StageMatrix::factorise(const StageSolver& solver, double h, Workspace& workspace) {
  Parts& p = *parts_;
  p.solver = &solver;
  p.workspace = &workspace;
  for (std::size_t k = 0; k < p.pairs.size(); ++k)
    solver.factorise_stage(static_cast<int>(k), h * p.pairs[k].value, workspace);
}

void StageMatrix::solve(std::span<const double> r, std::span<double> dK, int stride) {
  Parts& p = *parts_;
  p.sum.setZero();
  for (std::size_t e = 0; e < p.pairs.size(); ++e) {
    Parts::Pair& pair = p.pairs[e];
    if (p.solver || !pair.real) {
      p.w.setZero();
      for (int j = 0; j < p.s; ++j)
        p.w += pair.to[j] * Eigen::Map<const VectorXd>(r.data() + j * stride, p.n);
      if (p.solver)
        p.solver->solve_stage(static_cast<int>(e), {p.w.data(), static_cast<std::size_t>(p.n)},
                              *p.workspace);
      else
        solve_in_place(pair.complex_lu, p.w, p.scratch);
      // a pair contributes a number and its conjugate
      for (int j = 0; j < p.s; ++j)
        p.sum.col(j) += (pair.real ? 1 : 2) * (pair.from[j] * p.w).real();
    } else {
      p.real_w.setZero();
      for (int j = 0; j < p.s; ++j)
        p.real_w += pair.to[j].real() * Eigen::Map<const VectorXd>(r.data() + j * stride, p.n);
      solve_in_place(pair.real_lu, p.real_w, p.real_scratch);
      for (int j = 0; j < p.s; ++j) p.sum.col(j) += pair.from[j].real() * p.real_w;
    }
  }
  for (int j = 0; j < p.s; ++j) Eigen::Map<VectorXd>(dK.data() + j * stride, p.n) = p.sum.col(j);
}

}  // namespace cartan::integrate
