// What the instructions of a program depend on, for the checks of formulas.
#pragma once

#include <cstddef>

#include "expr/program.h"

namespace cartan::model {

// The first output that needs an instruction.
std::size_t find_output(const Program& program, int instruction);

}  // namespace cartan::model
