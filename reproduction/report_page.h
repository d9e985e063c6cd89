// The report of a reproduction as one HTML file.
#pragma once

#include <string>
#include <vector>

#include "reproduction/items.h"
#include "reproduction/record.h"

namespace cartan::reproduction {

struct ReproducedDocument {
  const Document* document = nullptr;
  std::vector<Record> records;
};

struct ReportFacts {
  std::string version, date, machine;
  bool quick = false;
  double seconds = 0;
};

std::string report_page(const std::vector<ReproducedDocument>& documents, const ReportFacts& facts);

// The same without the pictures, for programs.
std::string report_json(const std::vector<ReproducedDocument>& documents, const ReportFacts& facts);

}  // namespace cartan::reproduction
