// Code for the rates of a System, derived, emitted as C, compiled and loaded when it is asked for.
#pragma once

#include <memory>
#include <vector>

#include "dynamics/rate_code.h"
#include "model/model.h"

namespace cartan {

// The model must outlive it.
std::shared_ptr<RateCompiler> make_rate_compiler(const Model& model,
                                                 std::vector<double> parameters);

}  // namespace cartan
