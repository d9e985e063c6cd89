// Values of [speeds] at the start: u = W(t, q) v + w(t, q), as rows on the speeds of the tree.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mechanics/constraints/row_blocks.h"
#include "mechanics/machine/mechanism_formula.h"

namespace cartan::mechanics {

class ChosenSpeeds {
 public:
  // `values` per entry of model.speeds; those without are left out.
  ChosenSpeeds(const Mechanism<double>& mechanism,
               const std::vector<std::optional<double>>& values);

  int count() const { return static_cast<int>(which_.size()); }
  int entry(int k) const { return which_[k]; }  // of model.speeds
  double value(int k) const { return values_[k]; }

  // W and w at a position, by nv + 2 evaluations. ws is at other speeds afterwards.
  void place(double t, const double* q, MotionWorkspace<double>& ws);
  const SparseMatrix& rows() const { return W_; }
  // W v + w - value
  Eigen::VectorXd off(const double* v) const;

  // Why a value was not reached with these speeds: a sentence, or "".
  std::string find_missed(const double* v) const;

 private:
  Eigen::VectorXd evaluate(double t, const double* q, const double* v, MotionWorkspace<double>& ws);

  const Mechanism<double>& mechanism_;
  std::vector<int> which_;
  std::vector<double> values_;
  std::vector<MechanismFormula> formulas_;
  SparseMatrix W_;
  Eigen::VectorXd w_;
  int bent_ = -1;  // the first that is not linear
};

}  // namespace cartan::mechanics
