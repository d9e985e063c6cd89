// A message that another one explains is not printed: whoever mends the cause has mended it too.
#pragma once

#include <vector>

#include "core/diagnostics.h"

namespace cartan::model {

// The findings without those that follow from others:
//   - what is unknown is told once, at its first place;
//   - a missing key beside a misspelled one that was meant to be it;
//   - unknown names, bodies and joints where the section or the name that would declare them could
//     not be read, and bodies that hang in the air without such a joint.
std::vector<Finding> without_explained(const std::vector<Finding>& findings);

}  // namespace cartan::model
