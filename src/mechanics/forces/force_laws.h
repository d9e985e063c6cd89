// All that the laws of force elements (mechanics/forces/TYPE.h) need to be applied. The files that
// do it: forces.cpp, which sums them up, and applied_forces.cpp, which tells them apart.
#pragma once

#include <concepts>

#include "lie/so3.h"
#include "mechanics/constraints/constraints.h"
#include "mechanics/joints/joint_motion.h"
#include "mechanics/joints/turns.h"
#include "mechanics/machine/expression_inputs.h"
#include "mechanics/machine/law_reach.h"

namespace cartan::mechanics {

// What an element tells of itself; one that does not tell everything does not compile.
template <class E>
concept ForceElementLaw = requires(const E& e, const Mechanism<double>& mechanism,
                                   MotionWorkspace<double>& ws, ReachList& reach) {
  // adds its wrenches and generalised forces
  { e.apply(mechanism, ws) } -> std::same_as<ElementEnergy<double>>;
  // its potential energy alone, for expressions that mention it
  { e.potential(mechanism, ws) } -> std::same_as<double>;
  // has it a power beside its potential; does its force depend on speeds
  { e.does_work() } -> std::same_as<bool>;
  { e.uses_speeds() } -> std::same_as<bool>;
  // the joint whose angles it measures, -1: none
  { e.measured_joint() } -> std::same_as<int>;
  // what it reads and acts on
  e.list_reach(reach);
};

template <class... E>
constexpr bool are_laws(const std::variant<E...>*) {
  return (ForceElementLaw<E> && ...);
}
static_assert(are_laws(static_cast<const ForceElement<double>*>(nullptr)));

}  // namespace cartan::mechanics
