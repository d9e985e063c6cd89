// Numbers and words of SDF, which stand between tags.
#pragma once

#include "import/xml_values.h"

namespace cartan::import {

inline double child_number(const XmlElement& owner, const char* name, double otherwise,
                           Diagnostics& problems) {
  const XmlElement* child = owner.child(name);
  return child ? text_number(*child, otherwise, problems) : otherwise;
}

inline bool child_flag(const XmlElement& owner, const char* name, bool otherwise) {
  const XmlElement* child = owner.child(name);
  return child ? read_flag(child->text, otherwise) : otherwise;
}

// Elements that would change the motion and are not understood.
inline bool acts_on_motion(const std::string& name) {
  return name == "drake:linear_bushing_rpy" || name == "drake:ball_constraint" ||
         name == "drake:joint" || name == "drake:linear_spring_damper" ||
         name == "drake:deformable_properties" || name == "drake:distance_constraint" ||
         name == "drake:prismatic_spring" || name == "drake:tendon_constraint";
}

}  // namespace cartan::import
