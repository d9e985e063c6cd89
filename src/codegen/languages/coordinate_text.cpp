#include "codegen/languages/coordinate_text.h"

namespace cartan {

ComponentText position_text(JointType type, int k) {
  static constexpr const char* along[] = {"x", "y", "z"};
  switch (type) {
    case JointType::revolute:
    case JointType::screw:
      return {"angle", "rad"};
    case JointType::prismatic:
      return {"displacement", "m"};
    case JointType::cylindrical:
      return k == 0 ? ComponentText{"angle", "rad"} : ComponentText{"displacement", "m"};
    case JointType::universal:
      return {k == 0 ? "first angle" : "second angle", "rad"};
    case JointType::planar:
      return k == 2 ? ComponentText{"angle", "rad"} : ComponentText{along[k], "m"};
    case JointType::translation:
      return {along[k], "m"};
    default: {
      static constexpr const char* quaternion[] = {"quaternion w", "quaternion x", "quaternion y",
                                                   "quaternion z"};
      return k < 4 ? ComponentText{quaternion[k], "1"} : ComponentText{along[k - 4], "m"};
    }
  }
}
ComponentText velocity_text(JointType type, int k) {
  static constexpr const char* turning[] = {"angular velocity x", "angular velocity y",
                                            "angular velocity z"};
  static constexpr const char* moving[] = {"velocity x", "velocity y", "velocity z"};
  switch (type) {
    case JointType::spherical:
      return {turning[k], "rad/s"};
    case JointType::free:
      return k < 3 ? ComponentText{turning[k], "rad/s"} : ComponentText{moving[k - 3], "m/s"};
    default: {
      const ComponentText position = position_text(type, k);
      return {position.meaning, position.unit[0] == 'r' ? "rad/s" : "m/s"};
    }
  }
}

}  // namespace cartan
