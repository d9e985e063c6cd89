// One function per language, each in a file of its own.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "codegen/emit.h"
#include "codegen/unit_plan.h"

namespace cartan::codegen {

std::vector<GeneratedFile> emit_c(const UnitPlan& plan);
std::vector<GeneratedFile> emit_cpp(const UnitPlan& plan);
std::vector<GeneratedFile> emit_python(const UnitPlan& plan);
std::vector<GeneratedFile> emit_octave(const UnitPlan& plan);
std::vector<GeneratedFile> emit_cuda(const UnitPlan& plan);
// Functions for runs side by side (codegen/lane_code.h), to stand behind study/kernel/lanes.h.
std::string emit_lanes(const UnitPlan& plan);
// The same with the functions named in `shared` as the work of a team (codegen/team_function.h);
// they need memory: slots near and far, and the longest of their results.
struct TeamForm;
struct TeamSizes {
  int near = 0, far = 0, outputs = 0;
};
std::string emit_team_lanes(const UnitPlan& plan, const TeamForm& form,
                            const std::set<std::string>& shared, TeamSizes& sizes);
std::vector<GeneratedFile> emit_latex(const CodeUnit& unit);

}  // namespace cartan::codegen
