// What the instructions of a program depend on, for the checks of formulas.
#pragma once

#include <cstddef>
#include <vector>

#include "expr/program.h"

namespace cartan::model {

// Per instruction: whether it depends on more than parameters.
std::vector<char> moving_instructions(const Program& program);

// The first output that needs an instruction.
std::size_t find_output(const Program& program, int instruction);

}  // namespace cartan::model
