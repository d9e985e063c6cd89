// A System seen from a frame that moves along its symmetries, with averages taken along:
//
//   x' = f(x) - sum_k c_k Y_k(x),     z_j' = e_j(x)
//
// The Y_k commute with f, so that this flow over a time T is that of f, moved back by the symmetry
// exp(T sum c_k Y_k): a motion of f that repeats up to a symmetry (a weaving bicycle that has gone
// on meanwhile) is a closed orbit here, for the right constants c. They count as parameters after
// those of the model. Quadratures of the System are left out; z follows x.
#pragma once

#include <vector>

#include "analysis/extended_system.h"
#include "analysis/symmetries.h"
#include "system/state_function.h"

namespace cartan::analysis {

class CoMovingSystem final : public ExtendedSystem {
 public:
  // System, symmetries and functions must outlive this one. The system does not depend on time.
  CoMovingSystem(const System& base, const Symmetries& symmetries, Eigen::VectorXd c,
                 std::vector<const StateFunction*> averages);

  using ExtendedSystem::outside;
  // A state of the base as it is here (`like`: what the base's quadratures and mode are).
  State outside(const State& own, const State& like) const;
  // The symmetries at a state of this system, in its tangent numbers (columns; zero for z).
  Eigen::MatrixXd symmetry_directions(const State& own) const;
  int averages() const { return static_cast<int>(averages_.size()); }
  int first_speed() const { return base_.parameter_count(); }  // number of c_0 among parameters

  std::unique_ptr<Workspace> make_workspace() const override;
  void derivative(StateView at, std::span<double> xdot, Workspace& workspace) const override;
  void jacobian(StateView at, Eigen::Ref<Eigen::MatrixXd> J, Workspace& workspace) const override;
  int parameter_count() const override {
    return base_.parameter_count() + static_cast<int>(c_.size());
  }
  void parameter_jacobian(StateView at, std::span<const int> which, Eigen::Ref<Eigen::MatrixXd> J,
                          Workspace& workspace) const override;
  // Constraints, events and jumps know nothing of the frame.
  void constraint_parameter_jacobian(StateView at, std::span<const int> which,
                                     Eigen::Ref<Eigen::MatrixXd> C,
                                     Workspace& workspace) const override;
  void event_slope(int event, StateView at, std::span<const int> parameters, FunctionSlope& slope,
                   Workspace& workspace) const override;
  std::string jump_slope(int which, StateView before, StateView after,
                         std::span<const int> parameters, JumpSlope& slope,
                         Workspace& workspace) const override;

 private:
  std::string name_more(int j) const override { return "average " + std::to_string(j); }
  Eigen::MatrixXd fields(StateView base_at) const;

  const Symmetries& symmetries_;
  Eigen::VectorXd c_, factors_;  // factors_: of the geometry's fields in -sum c_k Y_k
  std::vector<const StateFunction*> averages_;
};

}  // namespace cartan::analysis
