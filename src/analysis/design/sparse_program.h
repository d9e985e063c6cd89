// Large smooth programs with sparse exact derivatives, and their solution by Ipopt.
//
//   min f(x)   with   low <= g(x) <= high,   lower <= x <= upper
//
// Ipopt (Debian package coinor-libipopt1v5) is loaded when it is first asked for: a program without
// it is complete but for this. It is an interior-point method: a point it calls solved satisfies
// the conditions of first order, and where its last matrices needed no correction, those of second
// order, too (`strict`).
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "core/folders.h"

namespace cartan::analysis {

// Places of the entries of a sparse matrix; a place that occurs twice means the sum.
struct SparsePattern {
  std::vector<int> row, column;

  int size() const { return static_cast<int>(row.size()); }
  void add(int i, int j) {
    row.push_back(i);
    column.push_back(j);
  }
};

class SparseProgram {
 public:
  virtual ~SparseProgram() = default;

  virtual int unknowns() const = 0;
  virtual int constraints() const = 0;
  virtual void fill_bounds(Eigen::VectorXd& lower, Eigen::VectorXd& upper, Eigen::VectorXd& low,
                           Eigen::VectorXd& high) const = 0;
  // Each is false where there is no finite value.
  virtual bool objective(const double* x, double& f) = 0;
  virtual bool gradient(const double* x, double* entries) = 0;
  virtual bool values(const double* x, double* g) = 0;
  virtual const SparsePattern& jacobian_pattern() const = 0;
  virtual bool jacobian(const double* x, double* entries) = 0;
  // Of factor f + weights . g, the triangle below the diagonal. Without it, the solver collects
  // curvature from its own steps.
  virtual bool has_hessian() const = 0;
  virtual const SparsePattern& hessian_pattern() const = 0;
  virtual bool hessian(const double* x, double factor, const double* weights, double* entries) = 0;
};

struct ProgramOptions {
  double tolerance = 1e-9;
  int iterations = 500;
  bool near_solution = false;  // the start is good: barriers begin small
  const std::atomic<bool>* stop_requested = nullptr;
  std::function<void(int iteration, double objective)> on_iteration;
};

struct ProgramResult {
  bool converged = false;
  std::string problem;  // why not
  bool strict = false;  // conditions of second order hold, too
  Eigen::VectorXd x, multipliers;
  double objective = 0;
  int iterations = 0;
};

// "" or why there is no Ipopt: a sentence with the remedy.
std::string refuse_ipopt();

// `start` is the first point. One program at a time: further threads wait.
ProgramResult solve_program(SparseProgram& program, const Eigen::VectorXd& start,
                            const ProgramOptions& options);

}  // namespace cartan::analysis
