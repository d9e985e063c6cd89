// Pseudo-arclength continuation of solutions of F(u) = 0 with one unknown more than equations.
//
// A problem gives, at a point, the residual and the exact matrix A = dF/du in local unknowns, of
// which the last is the parameter; A may have rows that depend on others (redundant constraints).
//   tangent:    A t = 0, |W t| = 1, turned so that it goes on as before
//   predictor:  u + s t
//   corrector:  Gauss-Newton on (F(u), t . W^2 (u - u_predicted)) = 0, smallest steps
// W weighs unknowns to comparable sizes. The step s grows where the corrector needs few iterations
// and shrinks where it needs many, where it fails and where the tangent turns much.
//
// Between neighbouring points smooth test functions are compared; where one changes sign its zero
// is located along the arc and named:
//   fold             the parameter turns round: t_p = 0
//   branch-point     another branch crosses: det (U^T A; t) = 0, U a basis of A's column space
//   zero-eigenvalue  a real eigenvalue passes zero where the branch neither turns nor crosses
//                    another (a fold in a quantity that is not the parameter)
//   hopf             a complex pair passes the imaginary axis
//   period-doubling  a multiplier passes -1
//   torus            a complex pair of multipliers passes the unit circle
//   hamiltonian-hopf two pairs on the imaginary axis meet and leave it to both sides (no losses)
//   krein-collision  the same on the unit circle
#pragma once

#include <atomic>
#include <complex>
#include <functional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "system/system.h"

namespace cartan::analysis {

// A solution: states on their manifold and plain numbers, the parameter last.
struct ContinuationPoint {
  std::vector<State> states;
  Eigen::VectorXd numbers;

  double parameter() const { return numbers[numbers.size() - 1]; }
};

struct Spectrum {
  std::vector<std::complex<double>> values;  // neutral ones left out
  int neutral = 0;
  bool multipliers = false;  // stable inside the unit circle, not in the left half plane
  std::string problem;       // why there is none

  // How far a value is on the unstable side: its real part, or the logarithm of its size.
  double growth(std::complex<double> value) const;
  // Growth below it is rounding.
  double margin() const;
  int unstable() const;  // values that grow by more than the margin
  // Products that change sign where a real value passes 0 (eigenvalues), +1 or -1 (multipliers).
  double zero_test() const;
  double flip_test() const;
};

struct BranchSample;

class ContinuationProblem {
 public:
  virtual ~ContinuationProblem() = default;

  struct Equations {
    std::string problem;  // why there are none
    Eigen::VectorXd residual;
    Eigen::MatrixXd matrix;   // the last column belongs to the parameter
    Eigen::VectorXd weights;  // of the unknowns, positive
    double size = 1;          // of what the residual is a difference of
  };
  virtual Equations linearise(const ContinuationPoint& point) = 0;
  // Moves the point by a step of the unknowns; "" or why not.
  virtual std::string move(const Eigen::VectorXd& step, ContinuationPoint& point) = 0;
  virtual Spectrum calc_spectrum(const ContinuationPoint& point) = 0;
  // Why a branch ends between two neighbouring points; "" where it does not.
  virtual std::string look_for_end(const ContinuationPoint& before,
                                   const ContinuationPoint& after) {
    (void)before, (void)after;
    return "";
  }
  // Why a branch cannot be followed beyond its last two points; "" where it is not known.
  virtual std::string explain_end(const ContinuationPoint& before, const ContinuationPoint& last) {
    (void)before, (void)last;
    return "";
  }
};

enum class BifurcationKind {
  fold,
  branch_point,
  zero_eigenvalue,
  hopf,
  period_doubling,
  torus,
  hamiltonian_hopf,
  krein_collision
};
const char* to_string(BifurcationKind kind);

struct BranchSample {
  ContinuationPoint point;
  Spectrum spectrum;
  bool stable = false;
  Eigen::VectorXd tangent;  // of the unknowns
  Eigen::MatrixXd matrix;   // A W^-1
  Eigen::VectorXd weights;
  double arc = 0;  // along the branch
};

struct Bifurcation {
  BifurcationKind kind = BifurcationKind::fold;
  BranchSample at;
  int unstable_before = 0, unstable_after = 0;
  std::complex<double> critical;    // the value on the axis or circle (imaginary part >= 0)
  Eigen::VectorXd other_direction;  // branch points: where the other branch goes
};

struct ContinuationOptions {
  double from = 0, to = 1;  // of the parameter; the branch ends when it leaves this interval
  double step = 0.005, least_step = 1e-9, largest_step = 0.02;  // of arc length
  int most_points = 500;
  double tolerance = 1e-12;  // of the corrector, relative
  std::function<void(int points, double parameter)> on_point;
  const std::atomic<bool>* stop_requested = nullptr;
};

struct Branch {
  std::vector<BranchSample> samples;
  std::vector<Bifurcation> bifurcations;
  std::string end;       // why it ended: a sentence
  std::string problem;   // why there is no branch at all
  bool reached = false;  // `to` was reached
  bool failed = false;   // it ended because it could not be followed further
  // Of orbits born at a Hopf point: d parameter / d e^2 there, with the amplitude e of the number
  // that swings most.
  double slope = 0;
};

// From a solution at options.from (or a point near one) towards options.to.
Branch follow_branch(ContinuationProblem& problem, const ContinuationPoint& start,
                     const ContinuationOptions& options);

// From a point along a direction, the first step being along it; what happens at the point itself
// is not told again.
Branch follow_direction(ContinuationProblem& problem, const BranchSample& from,
                        const Eigen::VectorXd& direction, const ContinuationOptions& options);

// The branch that crosses at a branch point, both ways.
std::vector<Branch> switch_branch(ContinuationProblem& problem, const Bifurcation& at,
                                  const ContinuationOptions& options);

}  // namespace cartan::analysis
