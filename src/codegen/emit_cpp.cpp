#include "codegen/emitters.h"
namespace cartan {
std::vector<GeneratedFile> emit_cpp(const UnitPlan&) {
  return {};
}
}  // namespace cartan
