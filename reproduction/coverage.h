// Which numbered figures and tables of the documents have an item: coverage.txt beside the items.
#pragma once

#include <string>
#include <vector>

#include "reproduction/items.h"

namespace cartan::reproduction {

// A line per figure and table, as the documents number them: the items that compute it, or what it
// is instead. "" and a problem where the list cannot be read.
std::string coverage_text(const std::vector<Document>& documents, std::string& problem);

}  // namespace cartan::reproduction
