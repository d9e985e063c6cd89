// Pseudo-arclength continuation of solutions of F(u) = 0 with one unknown more than equations.
//
// A problem gives, at a point, the residual and the exact matrix A = dF/du in local unknowns, of
// which the last is the parameter; A may have rows that depend on others (redundant constraints).
//   tangent:    A t = 0, |W t| = 1, turned so that it goes on as before
//   predictor:  u + s t
//   corrector:  Gauss-Newton on (F(u), t . (u - u_predicted)) = 0, smallest steps
// W weighs unknowns to comparable sizes. The step s grows where the corrector needs few iterations
// and shrinks where it needs many or fails.
//
// Stability comes with the spectrum of each point (eigenvalues, or Floquet multipliers). Where the
// number of unstable ones changes between two points something happened in between; it is located
// along the arc and named:
//   fold              the parameter turns round
//   branch-point      one real eigenvalue through zero (multiplier through +1), no fold
//   hopf              a complex pair through the imaginary axis
//   period-doubling   a multiplier through -1
//   torus             a complex pair of multipliers through the unit circle
#pragma once

#include <atomic>
#include <complex>
#include <functional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "system/system.h"

namespace cartan {

// A solution: states on their manifold and plain numbers, the parameter last.
struct ContinuationPoint {
  std::vector<State> states;
  Eigen::VectorXd numbers;

  double parameter() const { return numbers(numbers.size() - 1); }
};

struct Spectrum {
  std::vector<std::complex<double>> values;  // neutral ones left out
  int neutral = 0;
  bool multipliers = false;  // stable inside the unit circle, not in the left half plane
  std::string problem;

  // How far a value is on the unstable side: its real part, or the logarithm of its size.
  double growth(std::complex<double> value) const;
  int unstable(double margin = 0) const;
};

class ContinuationProblem {
 public:
  virtual ~ContinuationProblem() = default;

  struct Equations {
    std::string problem;  // why there are none
    Eigen::VectorXd residual;
    Eigen::MatrixXd matrix;  // the last column belongs to the parameter
    Eigen::VectorXd weights;  // of the unknowns, positive
    double size = 1;          // of what the residual is a difference of
  };
  virtual Equations linearise(const ContinuationPoint& point) = 0;
  // Moves the point by a step of the unknowns; "" or why not.
  virtual std::string move(const Eigen::VectorXd& step, ContinuationPoint& point) = 0;
  virtual Spectrum calc_spectrum(const ContinuationPoint& point) = 0;
};

enum class BifurcationKind { fold, branch_point, hopf, period_doubling, torus };
const char* to_string(BifurcationKind kind);

struct BranchSample {
  ContinuationPoint point;
  Spectrum spectrum;
  bool stable = false;
  Eigen::VectorXd tangent;
  double arc = 0;  // along the branch
};

struct Bifurcation {
  BifurcationKind kind = BifurcationKind::fold;
  BranchSample at;
  std::complex<double> critical;   // the value on the axis (of positive imaginary part)
  Eigen::VectorXd other_direction;  // branch points: a second tangent
};

struct ContinuationOptions {
  double from = 0, to = 1;  // of the parameter; the branch ends when it leaves this interval
  int direction = 1;        // of the parameter at the start
  double step = 0.01, least_step = 1e-10, largest_step = 0.1;  // of arc length
  int most_points = 500;
  double tolerance = 1e-11;  // of the corrector, relative
  std::function<void(int points, double parameter)> on_point;
  const std::atomic<bool>* stop_requested = nullptr;
};

struct Branch {
  std::vector<BranchSample> samples;
  std::vector<Bifurcation> bifurcations;
  std::string end;      // why it ended: a sentence
  std::string problem;  // why there is no branch at all
  bool reached = false;  // the parameter left the interval asked for
};

// From a solution (or a point near one).
Branch follow_branch(ContinuationProblem& problem, const ContinuationPoint& start,
                     const ContinuationOptions& options);

// The branch that crosses at a branch point, both ways.
std::vector<Branch> switch_branch(ContinuationProblem& problem, const Bifurcation& at,
                                  const ContinuationOptions& options);

// Solves F(u) = 0 with the parameter as it is. "" or a sentence.
std::string solve_at_parameter(ContinuationProblem& problem, ContinuationPoint& point,
                               double tolerance);

}  // namespace cartan
