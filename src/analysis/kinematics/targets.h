// What a configuration has to satisfy: targets, the constraints of the System, ranges.
//
// Unknown are the positions of a System (its first kinematic_size() numbers) as tangent numbers d,
// x (+) d; or its speeds, with the positions given; or all numbers of a System without that split.
// Targets and constraints that speeds enter belong to the speeds.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/tangents.h"
#include "system/state_equations.h"
#include "system/state_function.h"

namespace cartan::analysis {

// A scalar expression that shall vanish.
class FunctionTarget final : public StateEquations {
 public:
  FunctionTarget(const System& system, std::shared_ptr<const StateFunction> function,
                 std::string name)
      : system_(system), function_(std::move(function)), name_(std::move(name)) {}
  std::string name() const override { return name_; }
  int rows() const override { return 1; }
  void values(StateView at, Eigen::Ref<Eigen::VectorXd> e, Workspace& workspace) const override;
  void jacobian(StateView at, Eigen::Ref<Eigen::MatrixXd> J, Workspace& workspace) const override;

 private:
  const System& system_;
  std::shared_ptr<const StateFunction> function_;
  std::string name_;
};

// low <= value <= high
struct ValueRange {
  std::string name;
  std::shared_ptr<const StateFunction> function;
  double low = 0, high = 0;
};

enum class Unknowns { positions, speeds };

// The equations for one kind of unknowns. References must outlive it.
class TargetProblem {
 public:
  TargetProblem(const System& system, std::vector<const StateEquations*> targets,
                std::vector<ValueRange> ranges, Unknowns unknowns, const State& start,
                Workspace& workspace);

  const System& system() const { return system_; }
  Workspace& workspace() const { return workspace_; }
  int size() const { return last_ - first_; }  // unknowns
  int target_rows() const { return target_rows_; }
  const std::vector<const StateEquations*>& targets() const { return targets_; }

  State moved(const State& state, const Eigen::VectorXd& d) const;
  // The displacement of the unknowns from one state to another.
  Eigen::VectorXd change(const State& from, const State& to) const;

  // Rows: targets, constraints, ranges (what is missing to the nearer end where a value is outside
  // or, with `held`, at the end it is held at; else zero).
  Eigen::VectorXd residual(const State& state, const std::vector<int>& held) const;
  Eigen::MatrixXd matrix(const State& state, const std::vector<int>& held) const;
  int range_row(int k) const { return target_rows_ + constraint_rows_ + k; }
  const std::vector<ValueRange>& ranges() const { return ranges_; }
  // -1, 0, 1: the value of range k is at or below its low end, inside, at or above its high end.
  int range_side(int k, const State& state) const;

 private:
  const System& system_;
  std::vector<const StateEquations*> targets_;
  std::vector<ValueRange> ranges_;
  Workspace& workspace_;
  int first_ = 0, last_ = 0;  // tangent numbers that are unknown
  int first_constraint_ = 0, constraint_rows_ = 0, target_rows_ = 0;
};

// Whether speeds enter: exact derivatives by them at speeds that are not special.
bool depends_on_speeds(const System& system, const StateEquations& equations, const State& state,
                       Workspace& workspace);

}  // namespace cartan::analysis
