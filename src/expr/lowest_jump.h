// How smooth an expression is (switches.cpp).
#pragma once

#include <optional>

#include "expr/program.h"

namespace cartan::expr {

// The lowest derivative (0: the value) that jumps somewhere as more than parameters change, where
// `located`: but at the switching points that hold_switches finds. Nothing: all are continuous.
std::optional<int> find_lowest_jump(const Program& program, bool located);

}  // namespace cartan::expr
