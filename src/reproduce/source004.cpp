#include "reproduce/items.h"

namespace cartan {
Document document_004() {
  return {"004", "", {}};
}
}  // namespace cartan
