#include "codegen/languages/coordinate_text.h"

namespace cartan::codegen {

ComponentText position_text(JointType type, int k) {
  return {info(type).coordinates[k].name, coordinate_unit(type, k)};
}

// The speeds of quaternions and of places behind them have names of their own.
ComponentText velocity_text(JointType type, int k) {
  static constexpr const char* turning[] = {"angular velocity x", "angular velocity y",
                                            "angular velocity z"};
  static constexpr const char* moving[] = {"velocity x", "velocity y", "velocity z"};
  const char* unit = speed_turns(type, k) ? "rad/s" : "m/s";
  if (!has_quaternion(type)) return {info(type).coordinates[k].name, unit};
  return {k < 3 ? turning[k] : moving[k - 3], unit};
}

}  // namespace cartan::codegen
