#include "codegen/emitters.h"
namespace cartan {
std::vector<GeneratedFile> emit_latex(const UnitPlan&) {
  return {};
}
}  // namespace cartan
