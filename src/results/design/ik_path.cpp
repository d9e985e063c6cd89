#include "results/design/ik_path.h"

#include <algorithm>

#include <fmt/format.h>

#include "expr/table_function.h"
#include "mechanics/machine/state_expression.h"
#include "results/fit/experiments.h"
#include "results/load/state_file.h"

namespace cartan::results {
namespace {

Formula symbol_formula(const Symbol& symbol) {
  Formula formula;
  formula.program.inputs = {symbol};
  formula.program.code = {Instruction{Op::input, 0}};
  formula.program.outputs = {0};
  return formula;
}

// R' = R [w]: the entries of a column change with the two others, w in body axes.
Formula rotation_rate(const Symbol& entry) {
  const int row = entry.component / 3, column = entry.component % 3;
  const int next = (column + 1) % 3, last = (column + 2) % 3;
  const auto rotation = [&](int k) {
    return Symbol{Quantity::body_rotation, entry.index, 3 * row + k};
  };
  const auto angular = [&](int k) { return Symbol{Quantity::body_angular, entry.index, k}; };
  Formula formula;
  formula.program.inputs = {rotation(next), angular(last), rotation(last), angular(next)};
  for (int k = 0; k < 4; ++k) formula.program.code.push_back(Instruction{Op::input, k});
  formula.program.code.push_back(Instruction{Op::multiply, 0, 1});
  formula.program.code.push_back(Instruction{Op::multiply, 2, 3});
  formula.program.code.push_back(Instruction{Op::subtract, 4, 5});
  formula.program.outputs = {6};
  return formula;
}

// What a symbol becomes per time: JOINT.v of JOINT.q, BODY.vx of BODY.x, 1 of t. Nothing where the
// rate has no name.
std::optional<Formula> symbol_rate(const Model& model, const Symbol& symbol) {
  const double one = 1;
  Formula formula;
  switch (symbol.quantity) {
    case Quantity::time:
      formula.program = constant_program({&one, 1});
      return formula;
    case Quantity::joint_q: {
      const JointType type = model.joints[symbol.index].type;
      if (has_quaternion(type)) return std::nullopt;
      return symbol_formula({Quantity::joint_v, symbol.index, symbol.component});
    }
    case Quantity::body_position:
      return symbol_formula({Quantity::body_velocity, symbol.index, symbol.component});
    case Quantity::point_position:
      return symbol_formula({Quantity::point_velocity, symbol.index, symbol.component});
    case Quantity::body_rotation:
      return rotation_rate(symbol);
    default:
      return std::nullopt;
  }
}

// f and f' = sum of df/ds s' over the symbols s of its expression.
std::string make_path_functions(const Analysis& analysis, const std::string& text,
                                PathTarget& target) {
  Diagnostics problems(text);
  const std::optional<Formula> formula = compile_expression(*analysis.model, text, problems);
  if (!formula) return fmt::format("'{}': {}", text, problems.findings().front().message);
  target.function = make_state_function(*analysis.system, *formula);
  std::vector<ProductSum::Term> terms;
  for (const Symbol& symbol : formula->program.inputs) {
    if (symbol.quantity == Quantity::parameter) continue;
    const std::optional<Formula> rate = symbol_rate(*analysis.model, symbol);
    if (!rate)
      return fmt::format(
          "'{}': along a path targets are made of JOINT.q (joints without a rotation), BODY.x .y "
          ".z, POINT.x .y .z, BODY.R[i,j], BODY.roll .pitch .yaw and t, whose rates are known "
          "exactly",
          text);
    Formula slope = *formula;
    slope.program = differentiate(formula->program, symbol);
    terms.push_back({make_state_function(*analysis.system, slope),
                     make_state_function(*analysis.system, *rate)});
    if (!terms.back().first || !terms.back().second || !target.function)
      return "the state of this formulation is not made of joint coordinates and speeds; use the "
             "formulation recursive";
  }
  target.rate = std::make_shared<ProductSum>(std::move(terms));
  return "";
}

// JOINT.v0, JOINT.a0 where JOINT.q0 is a column too.
bool follows_from_another(const CsvTable& table, const std::string& name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos || dot + 1 >= name.size()) return false;
  if (name[dot + 1] != 'v' && name[dot + 1] != 'a') return false;
  std::string other = name;
  other[dot + 1] = 'q';
  return table.find(other) != nullptr;
}

}  // namespace

std::string add_path_target(const Analysis& analysis, const std::string& left,
                            const std::string& right, std::vector<PathTarget>& targets) {
  PathTarget target;
  target.name = left + " = " + right;
  target.wanted = [](int, double) { return 0.0; };
  const std::string problem =
      make_path_functions(analysis, fmt::format("({}) - ({})", left, right), target);
  if (problem.empty()) targets.push_back(std::move(target));
  return problem;
}

std::optional<TablePath> read_path(const Analysis& analysis, const std::string& file,
                                   Diagnostics& problems) {
  const std::optional<CsvTable> table = read_csv(file, CsvRows::all, problems);
  if (!table) return std::nullopt;
  const std::vector<double>* t = table->find("t");
  if (!t || t->size() < 2) {
    problems.error({1, 1}, "expected a column 't' with at least two rows");
    return std::nullopt;
  }
  for (std::size_t k = 1; k < t->size(); ++k)
    if (!((*t)[k] > (*t)[k - 1])) {
      problems.error({}, fmt::format("column 't' must increase; row {} does not", k + 1));
      return std::nullopt;
    }
  TablePath path{*t, {}};
  for (std::size_t c = 0; c < table->names.size(); ++c) {
    const std::string& name = table->names[c];
    if (name == "t" || follows_from_another(*table, name)) continue;
    PathTarget target;
    target.name = name;
    const std::string problem = make_path_functions(analysis, quantity_of_column(name), target);
    if (!problem.empty()) {
      problems.error({1, 1}, "column " + problem);
      continue;
    }
    const auto curve = std::make_shared<TableFunction>(*t, table->columns[c], Interpolation::spline,
                                                       Outside::extrapolate, name);
    target.wanted = [curve](int order, double at) { return curve->derivative(order, at); };
    path.targets.push_back(std::move(target));
  }
  if (problems.has_errors()) return std::nullopt;
  return path;
}

MotionTable motion_of(const MechanicalSystem& system, const PathResult& path) {
  const Model& model = system.model();
  MotionTable motion;
  motion.joints.resize(model.joints.size());
  const auto workspace = system.make_workspace();
  Observation now;
  std::vector<bool> in_tree(model.joints.size(), false);
  for (const TreeJoint& step : model.tree) in_tree[step.joint] = true;
  for (const PathPoint& point : path.points) {
    system.observe(point.state, now, *workspace);
    motion.t.push_back(point.state.t);
    std::size_t speed = 0;  // tree joints stand in the order of the file
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
      PrescribedJoint& joint = motion.joints[j];
      joint.q.push_back(now.q[j]);
      joint.v.push_back(now.v[j]);
      if (!in_tree[j]) continue;
      const std::size_t count = model.joints[j].nv();
      joint.a.emplace_back(point.acceleration.begin() + speed,
                           point.acceleration.begin() + speed + count);
      speed += count;
    }
  }
  return motion;
}

}  // namespace cartan::results
