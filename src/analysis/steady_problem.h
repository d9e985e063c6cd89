// The equations of steady motion. A state is steady when it moves along symmetries only:
//
//   r(x, c) = f(x) - sum_k c_k Y_k(x) = 0,     g(x) = 0,  y(x) - b = 0,     h_j(x) = h_j(x0)
// with the symmetries Y_k of the System, its constraints, and what is held. Unknown are x and c;
// the derivatives of f, Y, g, y and h are exact. r is kept in embedded numbers, changes of x are
// tangent numbers d, x (+) d. Quadratures (work done) are left out everywhere.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "analysis/symmetries.h"
#include "system/state_function.h"

namespace cartan::analysis {

// One quantity that keeps its value: a function of the state, or a tangent number of x as seen from
// `reference` (a coordinate, a speed, a component of a rotation).
struct Held {
  std::string name;
  std::shared_ptr<const StateFunction> function;
  double target = 0;
  int component = -1;  // where there is no function
  std::vector<double> reference;
};

class SteadyProblem {
 public:
  // The system must have a geometry and, like the workspace, outlive the problem.
  SteadyProblem(const System& system, Symmetries symmetries, Workspace& workspace);

  const System& system() const { return system_; }
  const Symmetries& symmetries() const { return symmetries_; }
  Workspace& workspace() const { return workspace_; }
  int size() const { return size_; }        // numbers of x without quadratures
  int tangent() const { return tangent_; }  // tangent numbers without quadratures

  // Tangent to embedded numbers at x: size() x tangent().
  Eigen::MatrixXd embedding(const State& state) const;
  // The other way, for the columns of A: tangent() x columns.
  Eigen::MatrixXd to_tangent(const State& state, const Eigen::MatrixXd& A) const;
  State moved(const State& state, const Eigen::VectorXd& d) const;

  Eigen::VectorXd rate(const State& state) const;        // f
  Eigen::MatrixXd generators(const State& state) const;  // columns Y_k
  Eigen::VectorXd constraints(const State& state) const;
  Eigen::MatrixXd constraint_matrix(const State& state) const;  // in tangent numbers
  // D(f - sum c Y) in embedded numbers: size() x size().
  Eigen::MatrixXd field_matrix(const State& state, const Eigen::VectorXd& c) const;
  // The same in tangent directions; embedded rows: size() x tangent().
  Eigen::MatrixXd residual_matrix(const State& state, const Eigen::VectorXd& c) const;

  // The whole residual and its matrix: rows r, constraints, held; columns d, c.
  Eigen::VectorXd residual(const State& state, const Eigen::VectorXd& c,
                           const std::vector<Held>& held) const;
  Eigen::MatrixXd matrix(const State& state, const Eigen::VectorXd& c,
                         const std::vector<Held>& held) const;

  // Change of what is held when its reference (embedded numbers) moves with this rate.
  double reference_slope(const State& state, const Held& held,
                         std::span<const double> reference_rate) const;

  // The c that explain f best. Symmetries that are dependent at this state are passed over in the
  // order of their kinds: motions of the world do not take over what is a body's own spin.
  Eigen::VectorXd explain(const State& state) const;
  // The symmetries that are not passed over.
  std::vector<int> independent_symmetries(const State& state) const;
  // |r| relative to the rates, and the violation of constraints: the larger of the two.
  double steadiness(const State& state, const Eigen::VectorXd& c) const;

 private:
  double held_value(const State& state, const Held& held) const;
  Eigen::RowVectorXd held_row(const State& state, const Eigen::MatrixXd& E, const Held& held) const;

  const System& system_;
  const MotionGeometry& geometry_;
  Symmetries symmetries_;
  Workspace& workspace_;
  int size_, tangent_;
};

}  // namespace cartan::analysis
