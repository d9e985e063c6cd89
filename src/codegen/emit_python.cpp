#include "codegen/emitters.h"
namespace cartan {
std::vector<GeneratedFile> emit_python(const UnitPlan&) {
  return {};
}
}  // namespace cartan
