#pragma once

#include "cli/command.h"

namespace cartan::reproduction {

int reproduce_command(const Words& words);

}  // namespace cartan::reproduction
