#include "codegen/element_sheet.h"

#include <algorithm>

#include <fmt/format.h>

#include "mechanics/absolute/absolute_system.h"
#include "mechanics/elements/rotation_elements.h"
#include "mechanics/forces/forces.h"
#include "symbolic/print/print.h"

namespace cartan::codegen {
namespace {

using Vector = Vec3<Expression>;
using Matrix = Mat3<Expression>;
using Kind = EquationLine::Kind;

constexpr int sym_row[6] = {0, 1, 2, 0, 0, 1}, sym_column[6] = {0, 1, 2, 1, 2, 2};

class ElementSheetBuilder {
 public:
  ElementSheetBuilder(ExpressionGraph& graph, const Model& model,
                      std::span<const double> parameters, const State& at,
                      std::span<const BodyState> start)
      : graph_(graph),
        model_(model),
        absolute_(make_absolute_model(model, {parameters.begin(), parameters.end()})) {
    time_ = graph.symbol("t", at.t);
    std::vector<Expression> values(parameters.begin(), parameters.end());
    for (std::size_t i = 0; i < values.size(); ++i)
      if (model.is_input(static_cast<int>(i)))
        values[i] = graph.symbol(model.parameters[i].name, parameters[i]);
    elements_ = make_element_mechanism<Expression>(
        make_mechanism<Expression>(absolute_, std::span<const Expression>(values)), start);
    ws_ = make_element_workspace(elements_);
    const auto modes = std::min(at.mode.size(), ws_.motion.mode.size());
    std::copy_n(at.mode.begin(), modes, ws_.motion.mode.begin());
    add_symbols(at);
    fill_element_kinematics(elements_, time_, x_.data(), ws_);
    fill_forces(elements_.mechanism, ws_.motion);
  }

  EquationSheet build() {
    sheet_.title = model_.title();
    remark(
        "x = T + R x0: x0 is the place of a point at the start, where R = 1 and T = 0; world axes.",
        "$x = T + R x_0$: $x_0$ is the place of a point at the start, where $R = 1$ and $T = "
        "0$; world axes. ");
    remark("Parameters are numbers: the places of the start depend on them.",
           "Parameters are numbers: the places of the start depend on them. ");
    remark("Unknown: T'', R'', symmetric Lambda of each body, Lambda of each joint.",
           "Unknown: $\\ddot T$, $\\ddot R$, symmetric $\\Lambda$ of each body, $\\Lambda$ of "
           "each joint.");
    for (std::size_t i = 0; i < elements_.bodies.size(); ++i) add_body(i);
    for (std::size_t i = 0; i < elements_.bodies.size(); ++i) add_orthogonality(i);
    add_joints();
    return std::move(sheet_);
  }

 private:
  // ---- names
  static std::string entry(const char* letter, std::size_t i, int row, int column,
                           const char* primes) {
    return fmt::format("{}{}[{},{}]{}", letter, i + 1, row + 1, column + 1, primes);
  }
  static std::string place(std::size_t i, int row, const char* primes) {
    return fmt::format("T{}[{}]{}", i + 1, row + 1, primes);
  }
  static std::string entry_latex(const char* letter, std::size_t i, int row, int column) {
    return fmt::format("{{{}}}^{{({})}}_{{{}{}}}", letter, i + 1, row + 1, column + 1);
  }
  static std::string place_latex(std::size_t i, int row) {
    return fmt::format("\\ddot T^{{({})}}_{{{}}}", i + 1, row + 1);
  }
  std::string joint_name(int row) const {
    const ConstraintRow& r = elements_.mechanism.rows[row];
    const std::string owner = r.loop >= 0
                                  ? model_.joints[elements_.mechanism.loops[r.loop].joint].name
                                  : fmt::format("constraint {}", r.element + 1);
    int first = row;
    while (first > 0 && elements_.mechanism.rows[first - 1].loop == r.loop &&
           elements_.mechanism.rows[first - 1].element == r.element)
      --first;
    return fmt::format("Lambda_{}[{}]", owner, row - first + 1);
  }

  void add_symbols(const State& at) {
    const std::size_t bodies = elements_.bodies.size();
    for (const char* primes : {"", "'"})
      for (std::size_t i = 0; i < bodies; ++i) {
        for (int c = 0; c < 3; ++c)
          for (int r = 0; r < 3; ++r) add_symbol(entry("R", i, r, c, primes), at.x[x_.size()]);
        for (int r = 0; r < 3; ++r) add_symbol(place(i, r, primes), at.x[x_.size()]);
        if (*primes) continue;
        const std::string& body = model_.bodies[elements_.mechanism.bodies[i].body].name;
        add_legend(fmt::format("R{}", i + 1), "",
                   "R of body '" + body + "', elements R[row,column]");
        add_legend(fmt::format("T{}", i + 1), "m", "T* of body '" + body + "'");
      }
    for (int k = 0; k < elements_.mechanism.nz; ++k) {
      const std::string& name = model_.variables[k].name;
      add_symbol(name, at.x[x_.size()]);
      add_legend(name, "", "variable '" + name + "'");
      ws_.motion.variables[k] = x_.back();
    }
  }
  void add_symbol(const std::string& name, double sample) {
    // a sample beside the start, where R = 1 would make much of everything vanish
    x_.push_back(graph_.symbol(name, sample + 0.01 * static_cast<double>(x_.size() % 7 + 1)));
  }
  void add_legend(const std::string& name, const char* unit, const std::string& meaning) {
    sheet_.symbols.push_back({Expression(0), name, name, unit, meaning});
  }

  // ---- lines
  void heading(const std::string& text) {
    EquationLine line;
    line.kind = Kind::heading;
    line.text = line.latex = text;
    sheet_.lines.push_back(std::move(line));
  }
  void remark(const std::string& text, const std::string& latex) {
    EquationLine line;
    line.kind = Kind::remark;
    line.text = text;
    line.latex = latex;
    sheet_.lines.push_back(std::move(line));
  }
  static void add_factor(EquationLine& line, const Expression& factor, std::string text,
                         std::string latex) {
    if (factor.is_number() && factor.number() == 0) return;
    line.factors.push_back(factor);
    line.unknowns.push_back(std::move(text));
    line.unknowns_latex.push_back(std::move(latex));
  }
  static void add_R(EquationLine& line, const Expression& factor, std::size_t i, int r, int c) {
    add_factor(line, factor, entry("R", i, r, c, "''"), entry_latex("\\ddot R", i, r, c));
  }
  static void add_T(EquationLine& line, const Expression& factor, std::size_t i, int r) {
    add_factor(line, factor, place(i, r, "''"), place_latex(i, r));
  }
  // factor . (T'' + R'' G0)
  void add_centre(EquationLine& line, const Vector& factor, std::size_t i) const {
    const Vector& G0 = elements_.bodies[i].G0;
    for (int r = 0; r < 3; ++r) add_T(line, factor[r], i, r);
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) add_R(line, factor[r] * G0[c], i, r, c);
  }

  // ---- what a unit of a multiplier does: f on the mass centre, and Z in the axes of the start
  bool acts(std::size_t s, std::size_t i) const {
    const RowSource& source = elements_.mechanism.sources[s];
    return source.link == static_cast<int>(i) && is_active(source.row);
  }
  bool is_active(int row) const {
    return ws_.motion.mode[elements_.mechanism.mode_count + row] != 0;
  }
  Matrix source_Z(std::size_t s) const {
    const std::size_t i = elements_.mechanism.sources[s].link;
    const Matrix& R = ws_.motion.links[i].R;
    const Vector& f = ws_.motion.source_f[s];
    const Vector couple = ws_.motion.source_n[s] - cross(R * ws_.point[s], f);
    return in_start_axes(outer(f, ws_.point[s]) + Expression(0.5) * cross(couple, R), i);
  }
  Matrix in_start_axes(const Matrix& Z, std::size_t i) const {
    return Z * transpose(elements_.bodies[i].A0);
  }

  void add_body(std::size_t i) {
    const Mechanism<Expression>& mechanism = elements_.mechanism;
    const Expression& m = mechanism.links[i].mass;
    heading(fmt::format("Body {}: {}", i + 1, model_.bodies[mechanism.bodies[i].body].name));
    Vector force = m * ws_.motion.gravity;
    Matrix Z;
    if (mechanism.has_forces) {
      force += ws_.motion.wrench_f[i];
      Z = in_start_axes(Expression(0.5) * cross(ws_.motion.wrench_n[i], ws_.motion.links[i].R), i);
    }
    for (int r = 0; r < 3; ++r) {
      EquationLine line;
      line.right = force[r];
      Vector mass;
      mass[r] = m;
      add_centre(line, mass, i);
      for (std::size_t s = 0; s < mechanism.sources.size(); ++s)
        if (acts(s, i)) add_multiplier(line, ws_.motion.source_f[s][r], mechanism.sources[s].row);
      sheet_.lines.push_back(std::move(line));
    }
    const Matrix K = full(rotate(elements_.bodies[i].A0, elements_.bodies[i].K));
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) add_turning(i, r, c, K, Z(r, c));
  }
  // (R'' K)_rc - (R Lambda)_rc = Z_rc
  void add_turning(std::size_t i, int r, int c, const Matrix& K, const Expression& Z) {
    const Mechanism<Expression>& mechanism = elements_.mechanism;
    EquationLine line;
    line.right = Z;
    for (int k = 0; k < 3; ++k) add_R(line, K(k, c), i, r, k);
    for (int k = 0; k < 3; ++k) {
      const int low = std::min(k, c), high = std::max(k, c);
      add_factor(line, -R(i, r, k), entry("Lambda", i, low, high, ""),
                 entry_latex("\\Lambda", i, low, high));
    }
    for (std::size_t s = 0; s < mechanism.sources.size(); ++s)
      if (acts(s, i)) add_multiplier(line, source_Z(s)(r, c), mechanism.sources[s].row);
    sheet_.lines.push_back(std::move(line));
  }
  // The source's multiplier of a joint is what the child exerts: the sign on the left is plus.
  void add_multiplier(EquationLine& line, const Expression& factor, int row) const {
    const std::string name = joint_name(row);
    add_factor(line, factor, name, latex_name(name));
  }
  const Expression& R(std::size_t i, int r, int c) const {
    return x_[element_count * i + 3 * c + r];
  }
  const Expression& R_rate(std::size_t i, int r, int c) const {
    return x_[elements_.size() + element_count * i + 3 * c + r];
  }

  // R''^T R + R^T R'' = -2 R'^T R'
  void add_orthogonality(std::size_t i) {
    heading(fmt::format("R{}^T R{} = 1, differentiated twice", i + 1, i + 1));
    for (int k = 0; k < 6; ++k) {
      const int a = sym_row[k], b = sym_column[k];
      EquationLine line;
      line.right = Expression(0);
      for (int r = 0; r < 3; ++r) {
        line.right -= Expression(2) * R_rate(i, r, a) * R_rate(i, r, b);
        if (a == b) {
          add_R(line, Expression(2) * R(i, r, a), i, r, a);
        } else {
          add_R(line, R(i, r, b), i, r, a);
          add_R(line, R(i, r, a), i, r, b);
        }
      }
      sheet_.lines.push_back(std::move(line));
    }
  }

  // Rows of joints and constraints: sum of f . G'' + Z : R'' + rest = 0
  void add_joints() {
    const Mechanism<Expression>& mechanism = elements_.mechanism;
    if (mechanism.rows.empty()) return;
    add_positions();
    heading("Joints and constraints, differentiated twice");
    for (int row = 0; row < mechanism.row_count(); ++row) {
      if (!is_active(row)) continue;
      EquationLine line;
      line.right = -ws_.motion.row_rest[row];
      for (std::size_t s = 0; s < mechanism.sources.size(); ++s) {
        const RowSource& source = mechanism.sources[s];
        if (source.row != row || source.link == world) continue;
        const std::size_t i = source.link;
        add_centre(line, ws_.motion.source_f[s], i);
        const Matrix Z = source_Z(s);
        for (int r = 0; r < 3; ++r)
          for (int c = 0; c < 3; ++c) add_R(line, Z(r, c), i, r, c);
        // R'' has its symmetric part with it, which the rest term tells too
        line.right +=
            dot(ws_.motion.source_f[s], ws_.motion.links[i].R * (ws_.stretch[i] * ws_.point[s]));
      }
      sheet_.lines.push_back(std::move(line));
    }
  }
  void add_positions() {
    bool told = false;
    for (std::size_t l = 0; l < elements_.mechanism.loops.size(); ++l) {
      const LoopJoint<Expression>& loop = elements_.mechanism.loops[l];
      if (!info(loop.shape.type).holds_point) continue;
      if (!told) heading("Joints that hold a point");
      told = true;
      const Vector gap = ws_.motion.loops[l].o_C - ws_.motion.loops[l].o_P;
      for (int r = 0; r < 3; ++r) {
        EquationLine line;
        line.text = line.latex = "0";
        line.right = gap[r];
        sheet_.lines.push_back(std::move(line));
      }
    }
  }

  ExpressionGraph& graph_;
  const Model& model_;
  const Model absolute_;
  Expression time_;
  std::vector<Expression> x_;
  ElementMechanism<Expression> elements_;
  ElementWorkspace<Expression> ws_;
  EquationSheet sheet_;
};

}  // namespace

std::string refuse_element_sheet(const Model& model) {
  if (!model.is_mechanism())
    return "a [variables] file has no bodies; leave the form of the equations out";
  for (const Force& force : model.forces)
    if (std::holds_alternative<FrictionForce>(force.law))
      return fmt::format(
          "friction '{}' may depend on multipliers, which these equations have as unknowns; use "
          "the form kane, or take it out",
          force.name);
  for (const Joint& joint : model.joints)
    if (joint.inertia.given())
      return fmt::format(
          "joint '{}' has a rotor (`inertia`), which has no place in these equations; use the form "
          "kane, or give the inertia to a body",
          joint.name);
  return "";
}

EquationSheet make_element_sheet(ExpressionGraph& graph, const Model& model,
                                 std::span<const double> parameters, const State& at,
                                 std::span<const BodyState> start) {
  return ElementSheetBuilder(graph, model, parameters, at, start).build();
}

}  // namespace cartan::codegen
