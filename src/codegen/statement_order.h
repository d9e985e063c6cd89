// Statements in an order that keeps few values at a time.
//
// A value that waits for its next use takes a register, or a store and a load; and where the code
// of a long function is longer than what the processor keeps decoded, every instruction counts.
// So the next statement is the one that uses most values for the last time, of those that are not
// far behind in the order given: what a processor looks over at once stays much the same.
#pragma once

#include <vector>

#include "core/folders.h"

namespace cartan::codegen {

// `reads`: by statement those whose values it reads, each earlier and once. Statements that are
// `kept` stay where they are, with all before them before and all behind them behind. The result
// has all statements, each behind those it reads.
std::vector<int> order_statements(const std::vector<std::vector<int>>& reads,
                                  const std::vector<char>& makes_value,
                                  const std::vector<char>& kept);

}  // namespace cartan::codegen
