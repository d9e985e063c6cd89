#include "mechanics/forces/joint_slopes.h"

#include "mechanics/forces/force_laws.h"

namespace cartan::mechanics {
namespace {

template <class E>
concept TellsJointSlopes = requires(const E& e, const Mechanism<double>& mechanism,
                                    const MotionWorkspace<double>& ws, JointSlopes& slopes) {
  { e.has_joint_slopes(mechanism) } -> std::same_as<bool>;
  e.fill_joint_slopes(mechanism, ws, slopes);
};

}  // namespace

bool has_joint_slopes(const Mechanism<double>& mechanism, int k) {
  return std::visit(
      [&](const auto& e) {
        if constexpr (TellsJointSlopes<std::decay_t<decltype(e)>>)
          return e.has_joint_slopes(mechanism);
        else
          return false;
      },
      mechanism.forces[k]);
}

void fill_joint_slopes(const Mechanism<double>& mechanism, const MotionWorkspace<double>& ws, int k,
                       JointSlopes& slopes) {
  std::visit(
      [&](const auto& e) {
        if constexpr (TellsJointSlopes<std::decay_t<decltype(e)>>)
          e.fill_joint_slopes(mechanism, ws, slopes);
      },
      mechanism.forces[k]);
}

}  // namespace cartan::mechanics
