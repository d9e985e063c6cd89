#include "mechanics/machine/switched_model.h"

#include "expr/switches.h"

namespace cartan::mechanics {
namespace {

// The formulas of a model that its rates are made of.
template <class AnyModel, class Visit>
void for_each_rate_formula(AnyModel& model, Visit&& visit) {
  visit(model.gravity);
  for (auto& force : model.forces) for_each_expression(force, visit);
  for (auto& constraint : model.constraints) for_each_expression(constraint, visit);
  for (auto& variable : model.variables) visit(variable.rate);
  if (model.implicit) visit(model.implicit->form);
}

std::string text_of(const Formula& formula, int output) {
  if (formula.texts.empty()) return "";
  const std::size_t k = static_cast<std::size_t>(output);
  return formula.texts[k < formula.texts.size() ? k : 0];
}

int branch_at_zero(Op op) {
  if (op == Op::sign) return branch_zero;
  return op == Op::step ? branch_above : -branch_above;
}

}  // namespace

SwitchedModel make_switched_model(const Model& model, int first_mode) {
  bool any = false;  // the copy below costs more than all else of a small system
  for_each_rate_formula(model, [&](const Formula& formula) {
    any |= formula.given() && may_have_switches(formula.program);
  });
  if (!any) return {};
  auto held = std::make_shared<Model>(model);
  SwitchedModel result;
  for_each_rate_formula(*held, [&](Formula& formula) {
    if (!formula.given()) return;
    const int first = static_cast<int>(result.switches.size());
    HeldProgram program = hold_switches(formula.program, first);
    for (SwitchPoint& point : program.switches) {
      SwitchInfo info;
      info.text = text_of(formula, point.output);
      info.event = static_cast<int>(held->events.size());
      info.mode = first_mode + static_cast<int>(result.switches.size());
      info.at_zero = branch_at_zero(point.op);
      info.jumps = point.op == Op::sign || point.op == Op::step || point.op == Op::if_positive;
      info.root = point.root;
      info.corners = std::move(point.corners);
      info.period = point.period;
      result.switches.push_back(std::move(info));
      Event event;
      event.name = "switch " + std::to_string(first);
      event.when.program = std::move(point.event);
      event.direction = -1;
      held->events.push_back(std::move(event));
    }
    formula.program = std::move(program.program);
  });
  if (!result.switches.empty()) result.model = std::move(held);
  return result;
}

int count_switches(const Model& model) {
  int count = 0;
  for (const Event& event : model.events)
    for (const Symbol& symbol : event.when.program.inputs)
      if (symbol.quantity == Quantity::branch) count = std::max(count, symbol.index + 1);
  return count;
}

}  // namespace cartan::mechanics
