// Systems that know their Jacobian as formulas, and multiply it with a vector without forming it.
#pragma once

#include <span>

#include "system/system.h"

namespace cartan {

class StateProducts {
 public:
  virtual ~StateProducts() = default;

  // result = J u and result = w^T J, exact, J = d xdot / d x in embedded numbers; as many numbers
  // as a state has.
  virtual void jvp(StateView at, std::span<const double> u, std::span<double> result,
                   Workspace& workspace) const = 0;
  virtual void vjp(StateView at, std::span<const double> w, std::span<double> result,
                   Workspace& workspace) const = 0;

  // J as formulas where there are any, else as System::jacobian. Many times faster, and less exact:
  // moments about the world's origin lose digits far from it (1e-9 of the largest entry for a
  // chain of sixteen links, where dual numbers have 1e-13). For Newton's method, which an error
  // of J slows down and does not mislead; what analyses print comes from System::jacobian.
  virtual void quick_jacobian(StateView at, Eigen::Ref<Eigen::MatrixXd> J,
                              Workspace& workspace) const = 0;
};

inline void fill_quick_jacobian(const System& system, StateView at, Eigen::Ref<Eigen::MatrixXd> J,
                                Workspace& workspace) {
  if (const auto* quick = dynamic_cast<const StateProducts*>(&system))
    quick->quick_jacobian(at, J, workspace);
  else
    system.jacobian(at, J, workspace);
}

}  // namespace cartan
