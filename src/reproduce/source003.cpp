#include "reproduce/items.h"

namespace cartan {
Document document_003() {
  return {"003", "", {}};
}
}  // namespace cartan
