#include "codegen/emitters.h"
namespace cartan {
std::vector<GeneratedFile> emit_cuda(const UnitPlan&) {
  return {};
}
}  // namespace cartan
