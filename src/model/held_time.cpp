#include "model/held_time.h"

#include "expr/hold_inputs.h"

namespace cartan::model {
namespace {

struct TimeHolder {
  double t = 0;

  void operator()(Formula& formula) const {
    if (!formula.program.depends_on(Quantity::time)) return;
    formula.program = hold_inputs(formula.program, [&](const Symbol& symbol) {
      return symbol.quantity == Quantity::time ? std::optional(t) : std::nullopt;
    });
  }
};

}  // namespace

Model hold_time(const Model& model, double t) {
  Model held = model;
  const TimeHolder hold{t};
  hold(held.gravity);
  for (Force& force : held.forces) for_each_expression(force, hold);
  for (Constraint& constraint : held.constraints) for_each_expression(constraint, hold);
  for (Event& event : held.events) hold(event.when);
  for (Output& output : held.outputs) hold(output.value);
  for (Variable& variable : held.variables) hold(variable.rate);
  if (held.implicit) hold(held.implicit->form);
  if (!held.algebraic) return held;
  hold(held.algebraic->residuals);
  // equations without rates stand still too: dg/dt = g_x x'
  Program& form = held.implicit->form.program;
  for (const int row : held.algebraic->rows) {
    form.constants.push_back(0);
    form.code.push_back({Op::constant, static_cast<int>(form.constants.size()) - 1, 0, 0});
    form.outputs[held.implicit->row.size() + row] = static_cast<int>(form.code.size()) - 1;
  }
  return held;
}

}  // namespace cartan::model
