#include "expr/program.h"

#include <algorithm>

#include "expr/program_builder.h"

namespace cartan::expr {

bool Program::depends_on(Quantity quantity) const {
  return std::any_of(inputs.begin(), inputs.end(),
                     [&](const Symbol& symbol) { return symbol.quantity == quantity; });
}

Program constant_program(std::span<const double> values) {
  ProgramBuilder builder;
  std::vector<int> outputs;
  for (double value : values) outputs.push_back(builder.constant(value));
  return builder.finish(outputs);
}

}  // namespace cartan::expr
