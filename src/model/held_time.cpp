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

  void operator()(SpringForce&) const {}
  void operator()(TorsionForce&) const {}
  void operator()(WrenchForce& f) const { (*this)(f.force), (*this)(f.torque); }
  void operator()(JointForce& f) const { (*this)(f.value); }
  void operator()(PotentialForce& f) const { (*this)(f.value); }
  void operator()(FrictionForce& f) const { (*this)(f.load); }
  void operator()(DragForce& f) const { (*this)(f.medium); }
};

}  // namespace

Model hold_time(const Model& model, double t) {
  Model held = model;
  const TimeHolder hold{t};
  hold(held.gravity);
  for (Force& force : held.forces) std::visit(hold, force.law);
  for (Constraint& constraint : held.constraints)
    if (auto* drive = std::get_if<DriveConstraint>(&constraint.law)) hold(drive->position);
  for (Event& event : held.events) hold(event.when);
  for (Output& output : held.outputs) hold(output.value);
  for (Variable& variable : held.variables) hold(variable.rate);
  if (held.implicit) hold(held.implicit->form);
  return held;
}

}  // namespace cartan
