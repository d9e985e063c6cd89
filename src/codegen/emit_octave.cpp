#include "codegen/emitters.h"
namespace cartan {
std::vector<GeneratedFile> emit_octave(const UnitPlan&) {
  return {};
}
}  // namespace cartan
