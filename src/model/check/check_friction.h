// Friction of joints, the force element with the most to check.
#pragma once

#include "model/check/check_context.h"

namespace cartan::model {

FrictionForce check_friction(CheckContext& check, const ForceText& text, const Owner& owner);

}  // namespace cartan::model
