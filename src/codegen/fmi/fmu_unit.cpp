#include "codegen/fmi/fmu_unit.h"

#include <algorithm>

#include <fmt/format.h>

#include "codegen/implicit_unit.h"
#include "symbolic/differentiate.h"

namespace cartan::codegen {

const CodeFunction* FmuUnit::find(const std::string& function) const {
  for (const CodeFunction& f : unit.functions)
    if (f.name == function) return &f;
  return nullptr;
}

std::string refuse_fmu(const Model& model) {
  if (!model.contacts.empty())
    return fmt::format(
        "contact '{}': an FMU has no impacts and one-sided forces; remove the contacts and stops, "
        "or write them as forces",
        model.contacts[0].name);
  for (const Force& force : model.forces) {
    const auto* friction = std::get_if<FrictionForce>(&force.law);
    if (!friction) continue;
    if (!friction->smoothing.given())
      return fmt::format(
          "friction '{}' is exact: an FMU does not change between sticking and slipping; give it a "
          "`smoothing`",
          force.name);
    if (!friction->bearings.empty() && (!model.loop_joints.empty() || !model.constraints.empty()))
      return fmt::format(
          "friction '{}' depends on the loads of its bearings, and the mechanism is closed: an FMU "
          "cannot keep its constraints; remove `bearings`",
          force.name);
  }
  for (const UserFunction& function : model.functions.list())
    if (function.code && function.code->is_name_only())
      return fmt::format(
          "the function '{}' is known by its name only, and an FMU needs its code; give its "
          "`value`, "
          "or the `source` of its C code, in [functions]",
          function.name);
  return "";
}

namespace {

class FmuUnitBuilder {
 public:
  FmuUnitBuilder(Derivation& derivation, const FmuRequest& request, FmuUnit& result)
      : derivation_(derivation), request_(request), result_(result) {}

  void build() {
    add_arguments();
    add_rates();
    add_indicators();
    add_jumps();
    if (derivation_.has_constraints())
      add_constraints();
    else
      add_initial();
    const Derivation::DrivenNumbers driven = derivation_.driven_numbers();
    result_.drive_places = driven.places;
    if (!driven.values.empty())
      add("drives", "coordinates and speeds of driven joints", {column("value", driven.values)});
  }

 private:
  ExpressionGraph& graph() { return derivation_.graph(); }
  const Model& model() const { return derivation_.model(); }
  CodeUnit& unit() { return result_.unit; }

  void add(const std::string& name, const std::string& comment, std::vector<CodeMatrix> outputs) {
    unit().functions.push_back({name, comment, std::move(outputs), std::nullopt});
  }

  CodeArgument argument(const std::string& name, const std::vector<DerivedSymbol>& list) {
    CodeArgument result;
    result.name = name;
    for (const DerivedSymbol& s : list) {
      result.symbols.push_back(s.symbol);
      result.labels.push_back(s.label);
      result.units.push_back(s.unit);
    }
    return result;
  }

  void add_arguments() {
    for (const DerivedSymbol& s : derivation_.parameters()) {
      const int index = model().find_parameter(s.name);
      const bool from_outside = std::count(request_.inputs.begin(), request_.inputs.end(), index);
      (from_outside ? result_.inputs : result_.parameters).push_back(s);
    }
    CodeArgument time;
    time.name = "t";
    time.scalar = true;
    time.symbols = {derivation_.time()};
    time.labels = {"time"};
    time.units = {"s"};
    unit().arguments = {time, argument("x", derivation_.state()), argument("p", result_.parameters),
                        argument("u", result_.inputs)};
    moving_ = unit().arguments[1].symbols;
    moving_.insert(moving_.end(), unit().arguments[3].symbols.begin(),
                   unit().arguments[3].symbols.end());
    moving_.push_back(derivation_.time());
    parameters_ = unit().arguments[2].symbols;
  }
  const std::vector<Expression>& x() { return unit().arguments[1].symbols; }

  void add_jacobian(const std::string& name, const std::string& comment,
                    const std::vector<Expression>& values, const std::vector<Expression>& by) {
    SparseJacobian J = jacobian(graph(), values, by);
    CodeMatrix matrix{
        "J", J.rows, J.columns, std::move(J.row), std::move(J.column), std::move(J.entries)};
    if (!matrix.entries.empty()) add(name, comment, {std::move(matrix)});
  }

  void add_implicit(CodeFunction function, const std::string& name, const std::string& comment) {
    if (function.outputs[0].entries.empty()) return;
    function.name = name;
    function.comment = comment;
    function.outputs[0].name = "J";
    unit().functions.push_back(std::move(function));
  }

  // Rates and outputs with their switches held.
  void add_rates() {
    std::vector<const Formula*> formulas;
    for (const FmuRequest::Output& output : request_.outputs) formulas.push_back(output.value);
    result_.outputs = static_cast<int>(formulas.size());
    std::optional<ImplicitForm> form;
    std::vector<Expression> all;
    const auto append = [&](const std::vector<Expression>& more) {
      all.insert(all.end(), more.begin(), more.end());
    };
    if (model().implicit) {
      form = derivation_.implicit_form();
      append(form->A);
      append(form->b);
      append(form->rates);
    } else {
      append(derivation_.rates());
    }
    const std::size_t deciding = all.size();
    if (!formulas.empty()) append(derivation_.values(formulas));
    HeldSwitches held = hold_graph_switches(graph(), all, deciding, moving_);
    switches_ = held.functions;
    CodeArgument& p = unit().arguments[2];
    p.symbols.insert(p.symbols.end(), held.branches.begin(), held.branches.end());
    auto next = held.values.begin();
    const auto take = [&](std::size_t count) {
      const auto first = next;
      next += static_cast<long>(count);
      return std::vector<Expression>(first, next);
    };
    if (form) {
      form->A = take(form->A.size());
      form->b = take(form->b.size());
      form->rates = take(form->rates.size());
      add_implicit_rates(*form);
    } else {
      add_explicit_rates(take(deciding));
    }
    if (formulas.empty()) return;
    const std::vector<Expression> values = take(all.size() - deciding);
    add("outputs", "outputs", {column("y", values)});
    add_jacobian("output_jacobian", "of the outputs by (x, u, t)", values, moving_);
    add_jacobian("output_slopes", "of the outputs by p", values, parameters_);
  }

  void add_implicit_rates(const ImplicitForm& form) {
    ImplicitUnit implicit(graph(), form, x());
    unit().functions.push_back(implicit.derivative());
    add_implicit(implicit.parameter_jacobian(moving_), "jacobian", "of xdot by (x, u, t)");
    add_implicit(implicit.parameter_jacobian(parameters_), "slopes", "of xdot by p");
  }

  void add_explicit_rates(const std::vector<Expression>& rates) {
    if (rates.empty()) return;
    add("derivative", "xdot = f(t, x, p, u)", {column("xdot", rates)});
    add_jacobian("jacobian", "of xdot by (x, u, t)", rates, moving_);
    add_jacobian("slopes", "of xdot by p", rates, parameters_);
  }

  void add_indicators() {
    std::vector<Expression> values = derivation_.events();
    result_.events = static_cast<int>(values.size());
    values.insert(values.end(), switches_.begin(), switches_.end());
    result_.indicators = static_cast<int>(values.size());
    if (!values.empty()) add("indicators", "event indicators", {column("z", values)});
  }

  // Where a jump writes to: in x.
  int first_place(const Jump& jump) const {
    if (jump.what == Jump::What::variable) return derivation_.nq() + derivation_.nv() + jump.index;
    const bool speed = jump.what == Jump::What::speed;
    const std::string prefix =
        model().joints[jump.index].name + (speed ? ".v" : ".q") + std::to_string(jump.component);
    const auto& state = derivation_.state();
    for (std::size_t k = 0; k < state.size(); ++k)
      if (state[k].label == prefix) return static_cast<int>(k);
    return -1;  // of a loop joint; refused when the system was made
  }

  void add_jumps() {
    std::vector<const Formula*> formulas;
    result_.jump_begin = {0};
    for (const Event& event : model().events) {
      for (const Jump& jump : event.jumps) {
        const int first = first_place(jump);
        if (first < 0) continue;
        formulas.push_back(&jump.value);
        for (int k = 0; k < jump.value.size(); ++k) result_.jump_target.push_back(first + k);
      }
      result_.jump_begin.push_back(static_cast<int>(result_.jump_target.size()));
    }
    if (!formulas.empty())
      add("jumps", "new values at events", {column("value", derivation_.values(formulas))});
  }

  void add_constraints() {
    const Derivation::ConstraintForm form = derivation_.constraint_form();
    result_.constraints = static_cast<int>(form.positions.size());
    if (result_.constraints == 0) return;
    result_.driven = form.driven;
    add("constraint_positions", "violation of positions", {column("g", form.positions)});
    add("constraint_speeds", "violation of speeds", {column("r", form.speeds)});
    add("constraint_matrices", "mass matrix, derivatives of the constraints by speeds",
        {CodeMatrix{"M", derivation_.nv(), derivation_.nv(), {}, {}, form.M},
         CodeMatrix{"J", result_.constraints, derivation_.nv(), {}, {}, form.J}});
    add("coordinate_rates", "q' = N(q) v", {column("qdot", derivation_.coordinate_rates())});
  }

  void add_initial() {
    const std::vector<Expression> start = derivation_.written_start();
    result_.initial = std::any_of(start.begin(), start.end(),
                                  [](const Expression& value) { return !value.is_number(); });
    if (result_.initial) add("initial", "the state at the start", {column("x0", start)});
  }

  Derivation& derivation_;
  const FmuRequest& request_;
  FmuUnit& result_;
  std::vector<Expression> moving_, parameters_, switches_;
};

}  // namespace

FmuUnit make_fmu_unit(Derivation& derivation, const FmuRequest& request, const std::string& name) {
  FmuUnit result;
  result.unit.name = name;
  result.unit.title = derivation.model().name;
  result.unit.graph = &derivation.graph();
  result.unit.checks = false;
  for (const UserFunction& function : derivation.model().functions.list())
    if (function.code) result.unit.externals.push_back(function.code->declaration());
  FmuUnitBuilder(derivation, request, result).build();
  return result;
}

}  // namespace cartan::codegen
