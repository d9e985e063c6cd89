// Which numbered figures and tables of the documents have an item: coverage.txt beside the items
// (the build puts it into the program).
#pragma once

#include <string>
#include <vector>

#include "reproduction/items.h"

namespace cartan::reproduction {

// A line per figure and table, as the documents number them: the items that compute it, or what it
// is instead.
std::string coverage_text(const std::vector<Document>& documents);

}  // namespace cartan::reproduction
