#include "import/import_context.h"
namespace cartan {
void import_mjcf(XmlElement root, ImportContext& context) {
  context.problems.error(root.where, "not read yet");
}
}  // namespace cartan
