// Linearisation at a steady motion, on the reduced tangent space, in the co-moving frame.
//
// At a state with f = sum c_k Y_k the field h = f - sum c_k Y_k vanishes, so its derivative A is a
// linear map of the tangent space T of the constraint manifold (positions n - m_h, velocities
// n - m_h - m_n dimensions), independent of coordinates. A maps the span G of the symmetries into
// itself: G is split off, and so is what A then annihilates (families of steady motions: another
// speed). These are the neutral directions, exact zeros; the eigenvalues of the rest are computed.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "analysis/steady_problem.h"

namespace cartan::analysis {

inline constexpr double steady_tolerance = 1e-9;  // relative; above it a state is not steady

struct Linearisation {
  std::string problem;  // why there is none: a sentence
  State state;          // where (the state given, moved onto the steady motion to rounding)
  double residual = 0;  // of the state given
  Eigen::VectorXd c;    // speeds along the symmetries
  int dimension = 0;    // of the reduced tangent space
  int neutral = 0;
  // Sorted by real, then imaginary part, descending; neutral ones are exact zeros.
  std::vector<std::complex<double>> eigenvalues;
  // Column k: mode k in tangent numbers, largest number one. Neutral ones first found, first shown.
  Eigen::MatrixXcd modes;
  bool stable = false;      // no eigenvalue (neutral ones aside) has a positive real part
  bool asymptotic = false;  // all of them have negative ones

  // Frequency in Hz and damping ratio -Re / |.| of eigenvalue k; zero for neutral ones.
  double frequency(std::size_t k) const;
  double damping(std::size_t k) const;
};

Linearisation linearise(const SteadyProblem& problem, const State& state);

// The tangent space of the constraints at a steady state: orthonormal tangent vectors T =
// (symmetries, further neutral directions, the rest), and A, which is block triangular in them.
struct NeutralSplit {
  Eigen::MatrixXd T, A;
  int symmetric = 0, neutral = 0;
};
NeutralSplit split_neutral(const SteadyProblem& problem, const State& state,
                           const Eigen::VectorXd& c);

// Symmetries, problem and linearisation in one; for callers with one state.
Linearisation linearise(const System& system, const State& state, Workspace& workspace);

// "" or why steady motions of this system cannot be analysed: it depends on time, it has no
// geometry.
std::string refuse_steady(const System& system);

}  // namespace cartan::analysis
