// One function per language, each in a file of its own.
#pragma once

#include <vector>

#include "codegen/emit.h"
#include "codegen/unit_plan.h"

namespace cartan {

std::vector<GeneratedFile> emit_c(const UnitPlan& plan);
std::vector<GeneratedFile> emit_cpp(const UnitPlan& plan);
std::vector<GeneratedFile> emit_python(const UnitPlan& plan);
std::vector<GeneratedFile> emit_octave(const UnitPlan& plan);
std::vector<GeneratedFile> emit_cuda(const UnitPlan& plan);
// Functions for runs side by side (codegen/lane_code.h), to stand behind study/kernel/lanes.h.
std::string emit_lanes(const UnitPlan& plan);
std::vector<GeneratedFile> emit_latex(const CodeUnit& unit);

}  // namespace cartan
