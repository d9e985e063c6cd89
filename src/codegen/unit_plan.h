// Everything about a unit that does not depend on the language.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "codegen/listing.h"
#include "codegen/names.h"
#include "codegen/prepared_function.h"
#include "symbolic/count.h"

namespace cartan::codegen {

// The values an output must have at the sample values of the symbols: those of entries 0, stride,
// 2 stride, ... NaN: not known. Errors are told relative to `scale`.
struct OutputCheck {
  int stride = 1;
  double scale = 1;
  std::vector<double> expected;
};

struct PlannedFunction {
  PreparedFunction prepared;
  Listing listing;
  std::string name;
  std::vector<std::string> array_names;
  OperationCount written_out, shared;  // operations: without and with intermediate results
  std::vector<OutputCheck> checks;     // by output

  int outputs() const { return prepared.outputs; }
  const StoredArray& array(int k) const { return prepared.arrays[k]; }
};

struct UnitPlan {
  // `for_processors`: sums as in short_paths.h, statements as in statement_order.h.
  explicit UnitPlan(const CodeUnit& unit, bool for_processors = false, bool side_by_side = false);

  const CodeUnit& unit;
  UnitNames names;
  std::vector<PlannedFunction> functions;
  std::set<Op> operations;
  std::set<int> tables;
  struct External {
    std::string name;
    int arguments;
    auto operator<=>(const External&) const = default;
  };
  std::set<External> externals;
  bool has_symmetric_blocks = false, has_general_blocks = false;

  int argument_size(int which) const {
    return static_cast<int>(unit.arguments[which].symbols.size());
  }
  std::set<int> vector_widths() const;  // of what stands side by side
  const std::string& label(int argument, int entry) const;
  std::string unit_of(int argument, int entry) const;
  double sample(int argument, int entry) const {
    return unit.arguments[argument].symbols[entry].sample();
  }
};

// "12 x 12, row by row", "12 x 12, 40 entries that may differ from 0"
std::string shape_of(const StoredArray& array);
// The comment at the head of a file, line by line, without the marks of a comment.
std::vector<std::string> head_lines(const UnitPlan& plan, const std::vector<std::string>& usage);

}  // namespace cartan::codegen
