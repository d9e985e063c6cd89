#include "codegen/model_unit.h"

#include <fmt/format.h>

#include "codegen/implicit_unit.h"
#include "symbolic/differentiate.h"

namespace cartan::codegen {
namespace {

std::vector<Expression> symbols_of(const std::vector<DerivedSymbol>& list) {
  std::vector<Expression> symbols;
  for (const DerivedSymbol& s : list) symbols.push_back(s.symbol);
  return symbols;
}

CodeArgument argument_of(const std::string& name, const std::vector<DerivedSymbol>& list) {
  CodeArgument argument;
  argument.name = name;
  for (const DerivedSymbol& s : list) {
    argument.symbols.push_back(s.symbol);
    argument.labels.push_back(s.label);
    argument.units.push_back(s.unit);
  }
  return argument;
}

CodeMatrix dense(const std::string& name, int rows, int columns, std::vector<Expression> entries) {
  CodeMatrix matrix;
  matrix.name = name;
  matrix.rows = rows;
  matrix.columns = columns;
  matrix.entries = std::move(entries);
  return matrix;
}
CodeMatrix sparse(const std::string& name, SparseJacobian jacobian) {
  CodeMatrix matrix;
  matrix.name = name;
  matrix.rows = jacobian.rows;
  matrix.columns = jacobian.columns;
  matrix.row = std::move(jacobian.row);
  matrix.column = std::move(jacobian.column);
  matrix.entries = std::move(jacobian.entries);
  return matrix;
}

class UnitBuilder {
 public:
  UnitBuilder(Derivation& derivation, const UnitOptions& options, CodeUnit& unit)
      : derivation_(derivation), options_(options), unit_(unit) {}

  void build() {
    x_ = symbols_of(derivation_.state());
    if (derivation_.model().implicit && !derivation_.model().is_mechanism())
      return build_implicit();
    if (options_.derivative) add_derivative();
    if (options_.extras) add_extras();
    if (!options_.jacobian && !options_.variational && !options_.parameter_jacobian &&
        !options_.variational_matrix)
      return;
    if (rates_.empty()) rates_ = calc_rates();
    if (options_.jacobian)
      add("jacobian", "derivatives of xdot by x", {sparse("J", jacobian(graph(), rates_, x_))});
    if (options_.jacobian && options_.inputs_apart && !derivation_.inputs().empty())
      add("input_jacobian", "derivatives of xdot by u",
          {sparse("Ju", jacobian(graph(), rates_, symbols_of(derivation_.inputs())))});
    if (options_.parameter_jacobian)
      add("parameter_jacobian", "derivatives of xdot by p",
          {sparse("Jp", jacobian(graph(), rates_, symbols_of(p())))});
    if (options_.variational) add_variational();
    if (options_.variational_matrix) add_variational_matrix();
  }

 private:
  std::vector<DerivedSymbol> p() const {
    return options_.inputs_apart ? derivation_.plain_parameters() : derivation_.parameters();
  }
  ExpressionGraph& graph() { return derivation_.graph(); }
  void add(const std::string& name, const std::string& comment, std::vector<CodeMatrix> outputs) {
    unit_.functions.push_back({name, comment, std::move(outputs), std::nullopt});
  }

  std::vector<Expression> calc_rates() {
    std::vector<Expression> rates = derivation_.rates();
    if (options_.quadrature)
      if (const auto power = derivation_.power()) rates.push_back(*power);
    return rates;
  }

  void build_implicit() {
    ImplicitUnit implicit(graph(), derivation_.implicit_form(), x_);
    if (options_.derivative) unit_.functions.push_back(implicit.derivative());
    if (options_.extras) add_extras();
    if (const auto g = derivation_.implicit_form().constraints; options_.extras && !g.empty())
      add("constraints", "equations without rates: zero on the states of a motion",
          {column("constraint", g)});
    if (options_.jacobian) unit_.functions.push_back(implicit.jacobian());
    if (options_.parameter_jacobian)
      unit_.functions.push_back(implicit.parameter_jacobian(symbols_of(p())));
    if (!options_.variational) return;
    unit_.arguments.push_back(make_change());
    const std::vector<Expression>& dx = unit_.arguments.back().symbols;
    unit_.functions.push_back(implicit.variational(dx));
    unit_.functions.push_back(implicit.variational_jacobian(dx));
  }

  CodeArgument make_change() {
    CodeArgument dx;
    dx.name = "dx";
    for (const DerivedSymbol& s : derivation_.state()) {
      dx.symbols.push_back(graph().symbol("d" + s.name, 0.1));
      dx.labels.push_back("change of " + s.label);
      dx.units.push_back(s.unit);
    }
    return dx;
  }

  void add_derivative() {
    if (options_.form == EquationForm::recursive || !derivation_.model().is_mechanism()) {
      rates_ = calc_rates();
      add("derivative", "xdot = f(t, x, p)", {column("xdot", rates_)});
      return;
    }
    const MassMatrixForm form = derivation_.mass_matrix_form();
    CodeFunction function{"derivative", "", {column("qdot", derivation_.coordinate_rates())}, {}};
    if (!derivation_.model().variables.empty())
      function.outputs.push_back(column("zdot", derivation_.variable_rates()));
    LinearSolve solve;
    if (form.rows == 0) {
      function.comment = "qdot = N(q) v, M vdot = f";
      solve = {form.nv, form.M, form.f, true, "vdot"};
    } else {
      function.comment = "qdot = N(q) v, M vdot - J^T lambda = f, J vdot = gamma";
      solve = constrained(form);
    }
    function.solve = std::move(solve);
    unit_.functions.push_back(std::move(function));
  }

  // ( M  -J^T ) ( v'     )   ( f     )
  // ( J   0   ) ( lambda ) = ( gamma )
  static LinearSolve constrained(const MassMatrixForm& form) {
    const int n = form.nv, m = form.rows, size = n + m;
    LinearSolve solve;
    solve.size = size;
    solve.result = "vdot_lambda";
    solve.matrix.assign(static_cast<std::size_t>(size) * size, Expression(0));
    auto at = [&](int i, int j) -> Expression& {
      return solve.matrix[static_cast<std::size_t>(i) * size + j];
    };
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) at(i, j) = form.M[static_cast<std::size_t>(i) * n + j];
    for (int k = 0; k < m; ++k)
      for (int j = 0; j < n; ++j) {
        const Expression& entry = form.J[static_cast<std::size_t>(k) * n + j];
        at(n + k, j) = entry;
        at(j, n + k) = -entry;
      }
    solve.rhs = form.f;
    solve.rhs.insert(solve.rhs.end(), form.gamma.begin(), form.gamma.end());
    return solve;
  }

  void add_extras() {
    if (derivation_.model().is_mechanism()) {
      if (const auto power = derivation_.power())
        add("power", "power of nonconservative forces and drives", {column("power", {*power})});
      if (Derivation::refuse_mass_matrix(derivation_.model()).empty()) add_mass_matrix();
      add("energies", "kinetic and potential energy",
          {column("kinetic", {derivation_.kinetic()}),
           column("potential", {derivation_.potential()})});
    }
    if (!derivation_.model().events.empty())
      add("events", "event functions", {column("event", derivation_.events())});
    if (!derivation_.outputs().empty()) add("outputs", "outputs of the model", output_matrices());
    if (options_.places) add_places();
  }

  void add_places() {
    const DerivedPlaces at = derivation_.places();
    const auto rows = [](const char* name, const std::vector<Expression>& entries) {
      return dense(name, static_cast<int>(entries.size()) / 3, 3, entries);
    };
    add("places", "mass centres of bodies and origins of joints, world axes, a row each",
        {rows("centre", at.centre), rows("centre_velocity", at.centre_velocity),
         rows("joint", at.joint), rows("joint_velocity", at.joint_velocity)});
  }

  // Single outputs in one array, lists and matrices as arrays of their own.
  std::vector<CodeMatrix> output_matrices() {
    const std::vector<Expression> values = derivation_.outputs();
    const std::vector<OutputMatrix>& matrices = derivation_.model().matrices;
    std::vector<CodeMatrix> result;
    std::vector<Expression> single;
    auto next = matrices.begin();
    for (std::size_t k = 0; k < values.size();) {
      if (next == matrices.end() || next->first > static_cast<int>(k)) {
        single.push_back(values[k++]);
        continue;
      }
      CodeMatrix matrix{next->name, next->rows, next->columns, {}, {}, {}};
      if (next->sparse) matrix.row = next->row, matrix.column = next->column;
      matrix.entries.assign(values.begin() + static_cast<long>(k),
                            values.begin() + static_cast<long>(k + next->row.size()));
      k += next->row.size();
      result.push_back(std::move(matrix));
      ++next;
    }
    if (!single.empty()) result.insert(result.begin(), column("output", std::move(single)));
    return result;
  }

  void add_mass_matrix() {
    const MassMatrixForm form = derivation_.mass_matrix_form();
    std::vector<CodeMatrix> outputs = {dense("M", form.nv, form.nv, form.M),
                                       column("force", form.f)};
    std::string comment = "M(q) vdot = force";
    if (form.rows > 0) {
      outputs.push_back(dense("J", form.rows, form.nv, form.J));
      outputs.push_back(column("gamma", form.gamma));
      comment = "M(q) vdot = force + J^T lambda, J vdot = gamma";
    }
    if (derivation_.has_driven_speeds()) comment += "; in rows of driven speeds vdot as driven";
    add("mass_matrix", comment, std::move(outputs));
  }

  void add_variational() {
    CodeArgument dx = make_change();
    const std::vector<Expression> rates = total_time_derivative(graph(), rates_, x_, dx.symbols);
    add("variational", "dxdot = (d xdot / d x) dx", {column("dxdot", rates)});
    std::vector<Expression> both = rates_, by = x_;
    both.insert(both.end(), rates.begin(), rates.end());
    by.insert(by.end(), dx.symbols.begin(), dx.symbols.end());
    add("variational_jacobian", "derivatives of (xdot, dxdot) by (x, dx)",
        {sparse("J", jacobian(graph(), both, by))});
    unit_.arguments.push_back(std::move(dx));
  }

  // Column j of dX changes as the change of the start in x_j does.
  void add_variational_matrix() {
    const std::size_t n = x_.size();
    CodeArgument dX;
    dX.name = "dX";
    for (const DerivedSymbol& row : derivation_.state())
      for (const DerivedSymbol& column : derivation_.state()) {
        dX.symbols.push_back(
            graph().symbol("d" + row.name + "_d" + column.name, &row == &column ? 1.0 : 0.1));
        dX.labels.push_back("d " + row.label + " / d start of " + column.label);
        dX.units.push_back("");
      }
    const SparseJacobian J = jacobian(graph(), rates_, x_);
    std::vector<Expression> rates(n * n, Expression(0));
    for (std::size_t e = 0; e < J.entries.size(); ++e)
      for (std::size_t j = 0; j < n; ++j)
        rates[J.row[e] * n + j] += J.entries[e] * dX.symbols[J.column[e] * n + j];
    const int size = static_cast<int>(n);
    add("variational_matrix", "dXdot = (d xdot / d x) dX", {dense("dXdot", size, size, rates)});
    std::vector<Expression> both = rates_, by = x_;
    both.insert(both.end(), rates.begin(), rates.end());
    by.insert(by.end(), dX.symbols.begin(), dX.symbols.end());
    add("variational_matrix_jacobian", "derivatives of (xdot, dXdot) by (x, dX), both by rows",
        {sparse("J", jacobian(graph(), both, by))});
    unit_.arguments.push_back(std::move(dX));
  }

  Derivation& derivation_;
  const UnitOptions& options_;
  CodeUnit& unit_;
  std::vector<Expression> x_, rates_;
};

}  // namespace

CodeUnit make_unit(Derivation& derivation, const UnitOptions& options, const std::string& name) {
  CodeUnit unit;
  unit.name = name;
  unit.title = derivation.model().name;
  unit.graph = &derivation.graph();
  CodeArgument time;
  time.name = "t";
  time.scalar = true;
  time.symbols = {derivation.time()};
  time.labels = {"time"};
  time.units = {"s"};
  unit.arguments = {time, argument_of("x", derivation.state()),
                    argument_of("p", options.inputs_apart ? derivation.plain_parameters()
                                                          : derivation.parameters())};
  if (options.inputs_apart && !derivation.inputs().empty())
    unit.arguments.push_back(argument_of("u", derivation.inputs()));
  for (const UserFunction& function : derivation.model().functions.list())
    if (function.code) unit.externals.push_back(function.code->declaration());
  UnitBuilder(derivation, options, unit).build();
  return unit;
}

}  // namespace cartan::codegen
