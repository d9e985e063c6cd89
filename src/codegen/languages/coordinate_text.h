// What the numbers of a joint are called, and their units.
#pragma once

#include "model/model.h"

namespace cartan::codegen {

struct ComponentText {
  const char* meaning;
  const char* unit;
};

// Of number k of a joint's q, and of its v.
ComponentText position_text(JointType type, int k);
ComponentText velocity_text(JointType type, int k);

}  // namespace cartan::codegen
