// How smooth a table must be: a motion is differentiated twice; a potential that jumps would push
// with infinite force.
#include <optional>

#include <fmt/format.h>

#include "expr/operands.h"
#include "model/formulas.h"
#include "model/program_use.h"

namespace cartan::model {
namespace {

// The highest derivative that may not jump; nothing: all may.
std::optional<int> demanded_order(Scope scope) {
  if (scope == Scope::drive || scope == Scope::coordinates) return 2;
  if (scope == Scope::positions) return 0;
  return std::nullopt;
}

std::string describe(const TableFunction& table, const TableFunction::Corner& corner, int order) {
  constexpr const char* jumping[] = {"value", "slope", "curvature"};
  const bool at_end = corner.x == table.first() || corner.x == table.last();
  const bool is_end = at_end && table.interpolation() == Interpolation::spline;
  return fmt::format("{} its {} jumps at {:.9g} (read as '{}'), and {}; use {}", table.name(),
                     jumping[corner.order], corner.x,
                     interpolation_names[static_cast<int>(table.interpolation())],
                     order == 2 ? "the motion of a drive or coupler must be twice differentiable"
                                : "the force of a potential that jumps would be infinite",
                     is_end       ? "'error', 'periodic' or 'extrapolate' outside of its range"
                     : order == 2 ? "'spline'"
                                  : "'linear', 'pchip' or 'spline'");
}

}  // namespace

void FormulaCompiler::check_tables(const Program& program, const Values& values, Scope scope,
                                   bool& failed) {
  const std::optional<int> order = demanded_order(scope);
  if (!order || program.tables.empty()) return;
  const std::vector<char> moves = moving_instructions(program);
  for (int i = 0; i < static_cast<int>(program.code.size()); ++i) {
    const Instruction& x = program.code[i];
    if (!is_table(x.op) || !moves[x.b]) continue;
    const TableFunction& table = *program.tables[x.a];
    const std::vector<TableFunction::Corner> corners = table.corners(*order);
    if (corners.empty()) continue;
    const Value& value = values[find_output(program, i)];
    failed = true;
    problems_.error(value.where, "in '" + value.text + "': " + describe(table, corners[0], *order));
    return;
  }
}

}  // namespace cartan::model
