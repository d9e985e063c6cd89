// Results of single starts, from process to process.
#pragma once

#include <string>

#include "analysis/design/optimisation.h"

namespace cartan::results {

// Bytes that read_design_result turns into the same, to the last bit.
std::string write_design_result(const DesignResult& result);
DesignResult read_design_result(const std::string& bytes);

}  // namespace cartan::results
