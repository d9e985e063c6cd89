#include "codegen/equations.h"

#include <algorithm>

#include <fmt/format.h>

#include "codegen/element_sheet.h"
#include "symbolic/differentiate.h"
#include "symbolic/print/print.h"
#include "symbolic/simplify/zero.h"
#include "symbolic/substitute.h"

namespace cartan::codegen {
namespace {

bool has_drive(const Model& model) {
  return std::any_of(model.constraints.begin(), model.constraints.end(),
                     [](const Constraint& c) { return c.is_drive(); });
}

std::string symbol_latex(const std::string& letter, int i) {
  return fmt::format("{}_{{{}}}", letter, i);
}

// What a matrix is called, entry by entry.
std::string entry_text(const std::string& name, int i, int j) {
  return fmt::format("{}[{},{}]", name, i + 1, j + 1);
}
std::string entry_latex(const std::string& name, int i, int j) {
  return fmt::format("{}_{{{},{}}}", name, i + 1, j + 1);
}

class SheetBuilder {
 public:
  SheetBuilder(Derivation& derivation, const SheetOptions& options)
      : derivation_(derivation), options_(options) {
    sheet_.title = derivation.model().title();
    sheet_.symbols = derivation.state();
  }

  EquationSheet build() {
    if (!derivation_.model().is_mechanism()) {
      add_variables();
      return std::move(sheet_);
    }
    switch (options_.form) {
      case EquationsForm::kane:
      case EquationsForm::diagonal:
        add_kinematics();
        add_speeds();
        add_energies();
        add_motion(derivation_.mass_matrix_form());
        break;
      case EquationsForm::lagrange:
        add_lagrange();
        break;
      case EquationsForm::canonical:
        add_canonical();
        break;
      case EquationsForm::moving_frame:
        add_moving_frame();
        break;
      case EquationsForm::rotation_elements:  // element_sheet.cpp
        break;
    }
    if (!derivation_.model().speeds.empty() && !derivation_.speed_form())
      remark("The [speeds] of the file belong to the form kane; here are those of the joints.",
             "The [speeds] of the file belong to the form kane; here are those of the joints.");
    add_rates_of_variables();
    if (options_.solved) add_accelerations();
    if (shows("power")) add_power();
    if (options_.linearize) add_linearisation();
    return std::move(sheet_);
  }

 private:
  ExpressionGraph& graph() { return derivation_.graph(); }
  bool shows(const char* name) const {
    return std::any_of(options_.show.begin(), options_.show.end(),
                       [&](const std::string& s) { return s == name || s == "all"; });
  }

  void heading(const std::string& text) {
    EquationLine line;
    line.kind = EquationLine::Kind::heading;
    line.text = line.latex = text;
    sheet_.lines.push_back(std::move(line));
  }
  void remark(const std::string& text, const std::string& latex) {
    EquationLine line;
    line.kind = EquationLine::Kind::remark;
    line.text = text;
    line.latex = latex;
    sheet_.lines.push_back(std::move(line));
  }
  void equation(const std::string& text, const std::string& latex, const Expression& right) {
    EquationLine line;
    line.text = text;
    line.latex = latex;
    line.right = right;
    sheet_.lines.push_back(std::move(line));
  }
  void matrix(const std::string& name, const std::string& latex, int rows, int columns,
              const std::vector<Expression>& entries, bool symmetric = false) {
    const std::vector<bool> zero = which_are_identically_zero(graph(), entries);
    if (std::all_of(zero.begin(), zero.end(), [](bool z) { return z; })) equation(name, latex, 0);
    for (int i = 0; i < rows; ++i)
      for (int j = symmetric ? i : 0; j < columns; ++j) {
        const std::size_t place = static_cast<std::size_t>(i) * columns + j;
        if (zero[place]) continue;
        const Expression& entry = entries[place];
        equation(columns == 1 ? fmt::format("{}[{}]", name, i + 1) : entry_text(name, i, j),
                 columns == 1 ? symbol_latex(latex, i + 1) : entry_latex(latex, i, j), entry);
      }
  }

  // How the rate of speed j is written: q1'' where the speed is q1', else v1'.
  std::string acceleration_text(int j) const { return speed(j).name + "'"; }
  std::string acceleration_latex(int j) const {
    const std::string& name = speed(j).name;
    const bool dotted = name.back() == '\'';
    if (!dotted && derivation_.speed_form()) return fmt::format("\\dot{{{}}}", latex_name(name));
    const std::string letter(1, name[0]);
    return fmt::format("\\{} {}_{{{}}}", dotted ? "ddot" : "dot", letter,
                       name.substr(1, name.size() - (dotted ? 2 : 1)));
  }
  const DerivedSymbol& speed(int j) const { return derivation_.state()[derivation_.nq() + j]; }

  // One line per equation: sum of A_ij x_j' = b_i, then the rates that have formulas.
  void add_equations() {
    const ImplicitForm form = derivation_.implicit_form();
    heading("Equations");
    for (const Expression& g : form.constraints) equation("0", "0", g);
    if (!form.constraints.empty() && form.constraints.size() < form.b.size())
      remark("With rates:", "With rates:");
    std::vector<int> algebraic;
    if (derivation_.model().algebraic) algebraic = derivation_.model().algebraic->rows;
    for (int i = 0; i < form.size; ++i) {
      if (std::find(algebraic.begin(), algebraic.end(), i) != algebraic.end()) continue;
      EquationLine line;
      line.right = form.b[i];
      for (int j = 0; j < form.size; ++j) {
        const std::string& name =
            derivation_.state()[derivation_.model().implicit->unknowns[j]].name;
        add_factor(line, form.A[static_cast<std::size_t>(i) * form.size + j], name + "'",
                   fmt::format("\\dot{{{}}}", latex_name(name)));
      }
      sheet_.lines.push_back(std::move(line));
    }
    if (form.size == static_cast<int>(form.rates.size())) return;
    heading("Rates");
    for (std::size_t i = 0; i < form.rates.size(); ++i) {
      if (!derivation_.model().variables[i].rate.given()) continue;
      const std::string& name = derivation_.state()[i].name;
      equation(name + "'", fmt::format("\\dot{{{}}}", latex_name(name)), form.rates[i]);
    }
  }

  void add_variables() {
    if (derivation_.model().implicit) return add_equations();
    heading("Rates");
    const std::vector<Expression> rates = derivation_.rates();
    for (std::size_t i = 0; i < rates.size(); ++i) {
      const std::string& name = derivation_.state()[i].name;
      equation(name + "'", latex_name(name + "'"), rates[i]);
    }
  }

  // [variables] beside the bodies.
  void add_rates_of_variables() {
    const std::vector<Expression> rates = derivation_.variable_rates();
    if (!rates.empty()) heading("Rates of the variables");
    for (std::size_t k = 0; k < rates.size(); ++k) {
      const std::string& name = derivation_.state()[derivation_.nq() + derivation_.nv() + k].name;
      equation(name + "'", fmt::format("\\dot{{{}}}", latex_name(name)), rates[k]);
    }
  }

  // q' = N(q) v, where it says more than that a speed is the rate of its coordinate.
  void add_kinematics() {
    const std::vector<Expression> rates = derivation_.coordinate_rates();
    bool told = false;
    for (std::size_t i = 0; i < rates.size(); ++i) {
      const std::string& name = derivation_.state()[i].name;
      const bool plain = std::any_of(derivation_.state().begin() + derivation_.nq(),
                                     derivation_.state().end(), [&](const DerivedSymbol& s) {
                                       return identical(s.symbol, rates[i]) && s.name == name + "'";
                                     });
      if (plain) continue;
      if (!told) heading("Kinematics: rates of the coordinates");
      told = true;
      equation(name + "'", "\\dot " + symbol_latex(name.substr(0, 1), static_cast<int>(i) + 1),
               rates[i]);
    }
  }

  void add_energies() {
    if (!shows("T") && !shows("V") && !shows("L")) return;
    heading("Energies");
    const Expression T = derivation_.kinetic(), V = derivation_.potential();
    if (shows("T")) equation("T", "T", T);
    if (shows("V")) equation("V", "V", V);
    if (shows("L")) equation("L", "L", T - V);
  }

  // One line per speed: sum of M_ij v_j' - J^T lambda = f_i; then J v' = gamma.
  void add_motion(const MassMatrixForm& form) {
    heading("Equations of motion");
    const int n = form.nv;
    for (int i = 0; i < n; ++i) {
      EquationLine line;
      line.right = form.f[i];
      for (int j = 0; j < n; ++j)
        add_factor(line, form.M[static_cast<std::size_t>(i) * n + j], acceleration_text(j),
                   acceleration_latex(j));
      for (int k = 0; k < form.rows; ++k)
        add_factor(line, -form.J[static_cast<std::size_t>(k) * n + i],
                   fmt::format("lambda{}", k + 1), symbol_latex("\\lambda", k + 1));
      sheet_.lines.push_back(std::move(line));
    }
    add_constraints(form.J, form.gamma, n);
  }
  // J v' = gamma
  void add_constraints(const std::vector<Expression>& J, const std::vector<Expression>& gamma,
                       int n) {
    if (!gamma.empty()) heading("Constraints, differentiated");
    for (std::size_t k = 0; k < gamma.size(); ++k) {
      EquationLine line;
      line.right = gamma[k];
      for (int j = 0; j < n; ++j)
        add_factor(line, J[k * n + j], acceleration_text(j), acceleration_latex(j));
      sheet_.lines.push_back(std::move(line));
    }
  }
  static void add_factor(EquationLine& line, const Expression& factor, std::string text,
                         std::string latex) {
    if (factor.is_number() && factor.number() == 0) return;
    line.factors.push_back(factor);
    line.unknowns.push_back(std::move(text));
    line.unknowns_latex.push_back(std::move(latex));
  }

  // p_i = dT/dv_i,  d p_i/dt - dT/dq_i + dV/dq_i = Q_i, written as sum of M_ij q_j'' = Q_i - h_i.
  // Q_i: what the forces of the same system formed by projection have beside.
  void add_lagrange() {
    const Expression T = derivation_.kinetic(), V = derivation_.potential();
    heading("Energies");
    equation("T", "T", T);
    equation("V", "V", V);
    if (shows("L")) equation("L", "L = T - V", T - V);
    const std::vector<Expression> q = derivation_.q(), v = derivation_.v();
    const std::vector<Expression> p = gradient(graph(), T, v);
    if (shows("p")) {
      heading("Momenta");
      for (std::size_t i = 0; i < p.size(); ++i)
        equation(fmt::format("p{}", i + 1),
                 fmt::format("{} = \\partial L/\\partial \\dot {}",
                             symbol_latex("p", static_cast<int>(i) + 1),
                             symbol_latex("q", static_cast<int>(i) + 1)),
                 p[i]);
    }
    const std::vector<Expression> T_q = gradient(graph(), T, q), V_q = gradient(graph(), V, q);
    std::vector<Expression> states = q, rates = v;
    states.push_back(derivation_.time());
    rates.push_back(Expression(1));
    const std::vector<Expression> drift = total_time_derivative(graph(), p, states, rates);
    MassMatrixForm form = derivation_.mass_matrix_form();
    const SparseJacobian M = jacobian(graph(), p, v);
    std::fill(form.M.begin(), form.M.end(), Expression(0));
    for (std::size_t e = 0; e < M.entries.size(); ++e)
      form.M[static_cast<std::size_t>(M.row[e]) * form.nv + M.column[e]] = M.entries[e];
    for (int i = 0; i < form.nv; ++i) {
      const Expression h = drift[i] - T_q[i] + V_q[i];
      const Expression Q = form.f[i] + h;
      form.f[i] = is_identically_zero(graph(), Q) ? -h : Q - h;
    }
    add_motion(form);
  }

  // q1'' = .. by itself
  void add_accelerations() {
    heading("Accelerations");
    const std::vector<Expression> rates = derivation_.rates();
    for (int j = 0; j < derivation_.nv(); ++j)
      equation(acceleration_text(j), acceleration_latex(j), rates[derivation_.nq() + j]);
  }

  // Speeds in place of those of the joints: what they are, and back.
  void add_speeds() {
    if (!derivation_.speed_form()) return;
    const SpeedForm& form = *derivation_.speed_form();
    heading(form.D.empty() ? "Speeds" : "Speeds with a diagonal mass matrix");
    for (int j = 0; j < derivation_.nv(); ++j)
      equation(speed(j).name, speed_latex(j), form.formulas[j]);
    heading("and back");
    for (int j = 0; j < derivation_.nv(); ++j) {
      const std::string name = graph().symbol_name(symbol_of(form.joints[j]));
      equation(name, latex_name(name), form.back[j]);
    }
  }
  int symbol_of(const Expression& symbol) {
    for (int k = 0; k < graph().symbol_count(); ++k)
      if (graph().symbol_node(k) == symbol.node()) return k;
    return 0;
  }
  std::string speed_latex(int j) const { return latex_name(speed(j).name); }
  // Symbols of the speeds in state().
  std::vector<Expression> speeds() const {
    std::vector<Expression> list;
    for (int j = 0; j < derivation_.nv(); ++j) list.push_back(speed(j).symbol);
    return list;
  }

  // T' = dT/dq q' + dT/dv v', V' = dV/dq q' + dV/dt, and what drives and forces that are not
  // conservative put in: T' + V' = P.
  void add_power() {
    const int n = derivation_.nv();
    std::vector<Expression> accelerations;
    for (int j = 0; j < n; ++j)
      accelerations.push_back(graph().symbol(acceleration_text(j), 0.1 * (j + 1)));
    const auto rate_of = [&](const Expression& energy) {
      std::vector<Expression> states = derivation_.q(), rates = derivation_.coordinate_rates();
      const std::vector<Expression> own = speeds();
      states.insert(states.end(), own.begin(), own.end());
      rates.insert(rates.end(), accelerations.begin(), accelerations.end());
      states.push_back(derivation_.time());
      rates.push_back(Expression(1));
      return total_time_derivative(graph(), std::vector<Expression>{energy}, states, rates)[0];
    };
    heading("Power: T' + V' = P");
    equation("T'", "\\dot T", rate_of(derivation_.kinetic()));
    equation("V'", "\\dot V", rate_of(derivation_.potential()));
    const std::optional<Expression> power = derivation_.power();
    equation("P", "P", power ? *power : Expression(0));
  }

  // About rest, v = 0 and f = 0: M dq'' + C dq' + K dq = 0 with C = -df/dv, K = -df/dq; and for
  // x = (q, v) the matrix A of dx' = A dx.
  void add_linearisation() {
    const MassMatrixForm form = derivation_.mass_matrix_form();
    const int n = form.nv;
    const std::vector<Expression> q = derivation_.q(), v = derivation_.v();
    const std::vector<Expression> zeros(v.size(), Expression(0));
    const auto at_rest = [&](const std::vector<Expression>& values,
                             const std::vector<Expression>& by, double sign) {
      const SparseJacobian J = jacobian(graph(), values, by);
      std::vector<Expression> entries(values.size() * by.size(), Expression(0));
      const std::vector<Expression> rest = substitute(graph(), J.entries, v, zeros);
      for (std::size_t e = 0; e < rest.size(); ++e)
        entries[J.row[e] * by.size() + J.column[e]] = Expression(sign) * rest[e];
      return entries;
    };
    heading("Linearised about rest: M dq'' + C dq' + K dq = 0");
    remark("Speeds are zero and the forces balance at the coordinates q.",
           "Speeds are zero and the forces balance at the coordinates $q$.");
    matrix("M", "M", n, n, substitute(graph(), form.M, v, zeros), true);
    matrix("C", "C", n, n, at_rest(form.f, v, -1));
    matrix("K", "K", n, n, at_rest(form.f, q, -1));
    heading("The same as dx' = A dx, x = (q, v)");
    std::vector<Expression> x = q, rates = derivation_.rates();
    x.insert(x.end(), v.begin(), v.end());
    rates.resize(x.size());
    matrix("A", "A", 2 * n, 2 * n, at_rest(rates, x, 1));
  }

  // Coordinates whose rates are speeds; quaternions are not.
  std::vector<Expression> plain_coordinates() const {
    std::vector<Expression> list;
    for (const DerivedSymbol& s : derivation_.state()) {
      const std::string joint = s.label.substr(0, s.label.rfind('.'));
      for (const Joint& j : derivation_.model().joints)
        if (j.name == joint && j.nq() == j.nv() && s.label[joint.size() + 1] == 'q')
          list.push_back(s.symbol);
    }
    return list;
  }

  // Coordinates on which an expression does not depend, whatever is written there, drop out of it.
  std::vector<Expression> without_idle(const std::vector<Expression>& values) {
    std::vector<Expression> result = values;
    for (const Expression& q : plain_coordinates()) {
      const std::vector<Expression> slopes = differentiate(graph(), result, q);
      const std::vector<bool> idle = which_are_identically_zero(graph(), slopes);
      for (std::size_t k = 0; k < result.size(); ++k) {
        if (!idle[k]) continue;
        const Expression still = substitute(graph(), result[k], std::vector<Expression>{q},
                                            std::vector<Expression>{Expression(0)});
        if (are_identical(graph(), still, result[k])) result[k] = still;
      }
    }
    const std::vector<bool> zero = which_are_identically_zero(graph(), result);
    for (std::size_t k = 0; k < result.size(); ++k)
      if (zero[k]) result[k] = Expression(0);
    return result;
  }

  void add_canonical() {
    Derivation::CanonicalForm form = derivation_.canonical();
    form.hamiltonian = without_idle({form.hamiltonian})[0];
    form.coordinate_rates = without_idle(form.coordinate_rates);
    form.rates = without_idle(form.rates);
    sheet_.symbols.resize(derivation_.nq());
    sheet_.symbols.insert(sheet_.symbols.end(), form.momenta.begin(), form.momenta.end());
    heading("Hamiltonian");
    equation("H", "H", form.hamiltonian);
    heading("Canonical equations");
    for (std::size_t i = 0; i < form.coordinate_rates.size(); ++i)
      equation(fmt::format("q{}'", i + 1), "\\dot " + symbol_latex("q", static_cast<int>(i) + 1),
               form.coordinate_rates[i]);
    for (std::size_t i = 0; i < form.rates.size(); ++i)
      equation(form.momenta[i].name + "'", "\\dot " + symbol_latex("p", static_cast<int>(i) + 1),
               form.rates[i]);
  }

  void add_moving_frame() {
    const Derivation::MovingFrameForm form = derivation_.moving_frame();
    add_kinematics();
    add_energies();
    const bool closed = form.constraints > 0;
    remark(fmt::format("M* v' + N* v = F*{};  rows of B: velocity of the centre of mass (world "
                       "axes), angular velocity (body axes), body by body",
                       closed ? " + J^T lambda" : ""),
           fmt::format("$M^* \\dot v + N^* v = F^*{}$; rows of $B$: velocity of the centre of mass "
                       "(world axes), angular velocity (body axes), body by body",
                       closed ? " + J^T \\lambda" : ""));
    if (shows("B")) {
      heading("B");
      matrix("B", "B", form.rows, form.nv, form.B);
    }
    if (shows("Bdot")) {
      heading("B'");
      matrix("B'", "\\dot B", form.rows, form.nv, form.Bdot);
    }
    heading("M*, symmetric");
    matrix("M*", "M^*", form.nv, form.nv, form.M_star, true);
    heading("N*");
    matrix("N*", "N^*", form.nv, form.nv, form.N_star);
    heading("F*");
    matrix("F*", "F^*", form.nv, 1, form.F_star);
    add_held(form);
    if (closed) {
      heading("J");
      matrix("J", "J", form.constraints, form.nv, form.J);
      add_constraints(form.J, form.gamma, form.nv);
    }
  }
  void add_held(const Derivation::MovingFrameForm& form) {
    if (form.held.empty()) return;
    heading("Held speeds");
    remark("Their equations above contain, beside F*, the force that holds them.",
           "Their equations above contain, beside $F^*$, the force that holds them.");
    for (const auto& held : form.held)
      equation(acceleration_text(held.speed), acceleration_latex(held.speed), held.acceleration);
  }

  Derivation& derivation_;
  const SheetOptions& options_;
  EquationSheet sheet_;
};

}  // namespace

SpeedChoice speeds_of_form(EquationsForm form) {
  if (form == EquationsForm::diagonal) return SpeedChoice::diagonal;
  return form == EquationsForm::kane ? SpeedChoice::chosen : SpeedChoice::joints;
}

std::string refuse_form(const Model& model, EquationsForm form) {
  if (!model.is_mechanism())
    return form == EquationsForm::kane
               ? ""
               : "a [variables] file has its rates only; leave the form of the equations out";
  if (form == EquationsForm::rotation_elements) return refuse_element_sheet(model);
  std::string refusal = Derivation::refuse_mass_matrix(model);
  if (!refusal.empty()) return refusal;
  if (form == EquationsForm::kane || form == EquationsForm::diagonal)
    return Derivation::refuse_speeds(model, speeds_of_form(form));
  if (form == EquationsForm::canonical) return Derivation::refuse_canonical(model);
  if (form != EquationsForm::lagrange) return "";
  for (const Joint& joint : model.joints)
    if (joint.nq() != joint.nv() &&
        std::any_of(model.tree.begin(), model.tree.end(),
                    [&](const TreeJoint& t) { return &model.joints[t.joint] == &joint; }))
      return fmt::format(
          "the speeds of joint '{}' are not rates of its coordinates, which Lagrange's equations "
          "ask for; use the form kane, or describe the rotation by revolute or universal joints",
          joint.name);
  if (has_drive(model))
    return "a driven joint is no unknown of Lagrange's equations; use the form kane";
  return "";
}

std::string refuse_linearize(const Model& model) {
  if (!model.is_mechanism())
    return "a [variables] file has no mass matrix; `cartan linearize` gives the numbers of its "
           "Jacobian";
  if (!model.loop_joints.empty() || !model.constraints.empty())
    return "M, C, K and A are derived for trees without loops and constraints; `cartan linearize` "
           "gives the numbers on the constraints";
  for (const TreeJoint& t : model.tree)
    if (model.joints[t.joint].nq() != model.joints[t.joint].nv())
      return fmt::format(
          "the speeds of joint '{}' are not rates of its coordinates; describe the rotation by "
          "revolute or universal joints, or use `cartan linearize` for the numbers",
          model.joints[t.joint].name);
  return "";
}

EquationSheet make_sheet(Derivation& derivation, const SheetOptions& options) {
  return SheetBuilder(derivation, options).build();
}

}  // namespace cartan::codegen
