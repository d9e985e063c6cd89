// Code for the rates of a System, derived, emitted as C, compiled and loaded when it is asked for.
#pragma once

#include <memory>
#include <vector>

#include "core/compiled_library.h"
#include "mechanics/machine/rate_code.h"
#include "model/model.h"

namespace cartan::codegen {

// How equations of motion of so many characters are compiled. Long functions of straight-line code
// keep GCC busy with questions of aliasing that `restrict` and its own scalar passes have answered
// already (points-to analysis, dead stores): without them it takes half the time, and the code is
// as fast. Very long ones are optimised less.
CompileOptions compile_options_for(std::size_t length);

// The model must outlive it.
std::shared_ptr<RateCompiler> make_rate_compiler(const Model& model,
                                                 std::vector<double> parameters);

}  // namespace cartan::codegen
