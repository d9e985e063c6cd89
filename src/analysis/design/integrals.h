// A System with integrals of functions along its motion: x' = f(t, x), z_j' = e_j(t, x) / scale_j.
#pragma once

#include <memory>
#include <vector>

#include "analysis/extended_system.h"
#include "system/state_function.h"

namespace cartan::analysis {

class IntegralSystem final : public ExtendedSystem {
 public:
  // System and functions must outlive this one.
  IntegralSystem(const System& base, std::vector<const StateFunction*> integrands,
                 std::vector<double> scales);

  int first_integral() const { return first_more(); }
  double scale(int j) const { return scales_[j]; }

  std::unique_ptr<Workspace> make_workspace() const override;
  void derivative(StateView at, std::span<double> xdot, Workspace& workspace) const override;
  void jacobian(StateView at, Eigen::Ref<Eigen::MatrixXd> J, Workspace& workspace) const override;
  void parameter_jacobian(StateView at, std::span<const int> which, Eigen::Ref<Eigen::MatrixXd> J,
                          Workspace& workspace) const override;

 private:
  std::string name_more(int j) const override { return "integral " + std::to_string(j); }

  std::vector<const StateFunction*> integrands_;
  std::vector<double> scales_;
};

// A function of the base, and an integral, as functions of the whole.
std::unique_ptr<StateFunction> make_inner_function(const IntegralSystem& system,
                                                   const StateFunction& function);
std::unique_ptr<StateFunction> make_integral_function(const IntegralSystem& system, int j);

}  // namespace cartan::analysis
