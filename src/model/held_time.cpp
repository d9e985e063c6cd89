#include "model/held_time.h"

#include "expr/hold_inputs.h"

namespace cartan {
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
  return held;
}

}  // namespace cartan
