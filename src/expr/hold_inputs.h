// A program with some of its inputs replaced by numbers; what becomes constant by that is folded,
// factors of zero included.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "expr/program.h"

namespace cartan::expr {

// `value`: the number that takes the place of an input, or nothing.
Program hold_inputs(const Program& program,
                    const std::function<std::optional<double>(const Symbol&)>& value);

// Whether the program depends on time where the parameters have these values: A * sin(w * t) does
// not where A is zero.
bool varies_with_time(const Program& program, std::span<const double> parameters);

}  // namespace cartan::expr
