// The tables and figures of the five source documents, one entry each.
#pragma once

#include <string>
#include <vector>

#include "reproduction/record.h"

namespace cartan::reproduction {

class Workshop;

struct Item {
  const char* id;  // "000.3.3"
  const char* title;
  void (*make)(Workshop&, Record&);  // null: not delivered yet
  const char* missing = nullptr;     // then: by whom
};

struct Document {
  const char* number;
  const char* title;
  std::vector<Item> items;
};

Document document_000();
Document document_001();
Document document_002();
Document document_003();
Document document_004();

}  // namespace cartan::reproduction
