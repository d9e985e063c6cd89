#pragma once

#include "cli/command.h"

namespace cartan {

int reproduce_command(const Words& words);

}  // namespace cartan
