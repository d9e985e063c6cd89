// Python: one module over NumPy. Arguments may be arrays of many states at once (the last axes);
// results then carry the same axes.
#include <fmt/format.h>

#include <cmath>

#include "codegen/languages/c_family.h"
#include "codegen/languages/emitters.h"
#include "codegen/languages/expression_writer.h"

namespace cartan::codegen {
namespace {

std::string python_number(double value) {
  if (std::isnan(value)) return "np.nan";
  if (std::isinf(value)) return value > 0 ? "np.inf" : "-np.inf";
  return c_number(value);
}

std::string python_place(const StoredArray& array, int entry);

class PythonDialect : public Dialect {
 public:
  PythonDialect(const UnitPlan& plan, const PlannedFunction& function)
      : plan_(plan), function_(function) {}

  std::string number(double magnitude) const override { return python_number(magnitude); }
  std::string symbol(int argument, int entry) const override {
    const std::string& name = plan_.names.argument(argument);
    return entry < 0 ? name : fmt::format("{}[{}]", name, entry);
  }
  std::string temporary(int number) const override {
    return fmt::format("{}{}", plan_.names.temporary_prefix(), number + 1);
  }
  std::string function(Op op, const std::vector<std::string>& x) const override {
    switch (op) {
      case Op::sign:
        return "np.sign(" + x[0] + ")";
      case Op::step:
        return "np.where(" + x[0] + " < 0.0, 0.0, 1.0)";
      case Op::if_positive:
        return fmt::format("np.where({} > 0.0, {}, {})", x[0], x[1], x[2]);
      case Op::min:
        return fmt::format("_min({}, {})", x[0], x[1]);
      case Op::max:
        return fmt::format("_max({}, {})", x[0], x[1]);
      case Op::asin:
        return "np.arcsin(" + x[0] + ")";
      case Op::acos:
        return "np.arccos(" + x[0] + ")";
      case Op::atan:
        return "np.arctan(" + x[0] + ")";
      case Op::atan2:
        return fmt::format("np.arctan2({}, {})", x[0], x[1]);
      case Op::power:
        return fmt::format("np.power({}, {})", x[0], x[1]);
      default:
        return fmt::format("np.{}({})", c_function_name(op), joined(x, ", "));
    }
  }
  std::string table(int table, int order, const std::string& x) const override {
    const TableFunction& function = *plan_.unit.graph->table(table);
    return fmt::format("_table(_table{}, {}, {}, {}, {})", table + 1,
                       python_number(function.last()), static_cast<int>(function.outside()), order,
                       x);
  }
  std::string solution(int array, int entry) const override {
    return fmt::format("{}[{}]", function_.array_names[array],
                       python_place(function_.array(array), entry));
  }

 private:
  const UnitPlan& plan_;
  const PlannedFunction& function_;
};

// Nothing in it ends a string or begins an escape sequence.
std::string plain(std::string text) {
  for (char& c : text) {
    if (c == '"') c = '\'';
    if (c == '\\' || static_cast<unsigned char>(c) < 32) c = ' ';
  }
  return text;
}

// Shape of an array as NumPy has it, and the place of an entry.
std::string shape_text(const StoredArray& array) {
  if (array.is_sparse()) return fmt::format("({},)", array.size());
  if (!array.is_output) return fmt::format("({}, {})", array.rows, array.columns);
  if (array.rows == 1 && array.columns == 1) return "()";
  if (array.columns == 1) return fmt::format("({},)", array.rows);
  return fmt::format("({}, {})", array.rows, array.columns);
}

std::string python_place(const StoredArray& array, int entry) {
  if (array.is_sparse() || (array.is_output && array.columns == 1 && array.rows > 1))
    return std::to_string(entry);
  if (array.is_output && array.rows == 1 && array.columns == 1) return "...";
  return fmt::format("{}, {}", entry / array.columns, entry % array.columns);
}

std::string python_solve(const PlannedFunction& function, const DenseBlock& block) {
  const std::string& rhs = function.array_names[block.rhs];
  std::string text =
      fmt::format("        {} = _solve({}, {}, {})\n", rhs, function.array_names[block.matrix], rhs,
                  block.symmetric ? "True" : "False");
  for (std::size_t k = 0; k < block.result_entries.size(); ++k)
    text += fmt::format("        {}[{}] = {}[{}, {}]\n", function.array_names[block.result],
                        python_place(function.array(block.result), block.result_entries[k]), rhs,
                        k / block.columns, k % block.columns);
  return text;
}

std::string python_definition(const UnitPlan& plan, const PlannedFunction& function) {
  const ExpressionGraph& graph = *plan.unit.graph;
  const PythonDialect dialect(plan, function);
  const ExpressionWriter writer(graph, plan.names, function.listing, dialect);
  std::vector<std::string> arguments, shapes, outputs;
  std::string conversions;
  for (int a = 0; a < plan.names.arguments(); ++a) {
    const std::string& name = plan.names.argument(a);
    const bool scalar = plan.unit.arguments[a].scalar;
    arguments.push_back(name);
    shapes.push_back(scalar ? name + ".shape" : name + ".shape[1:]");
    conversions +=
        fmt::format("    {0} = np.asarray({0}, dtype=float){1}\n", name, scalar ? "[()]" : "");
  }
  std::string text = fmt::format(
      "def {}({}):\n    \"\"\"{}\n", function.name, joined(arguments, ", "),
      function.prepared.comment.empty() ? function.name : plain(function.prepared.comment));
  text += "\n    Returns:\n";
  for (int k = 0; k < function.outputs(); ++k) {
    outputs.push_back(function.array_names[k]);
    text += fmt::format("    {}: {}\n", outputs.back(), shape_of(function.array(k)));
  }
  text += "    \"\"\"\n" + conversions;
  text += fmt::format("    shape = np.broadcast_shapes({})\n", joined(shapes, ", "));
  for (std::size_t k = 0; k < function.prepared.arrays.size(); ++k)
    text += fmt::format("    {} = np.zeros({} + shape)\n", function.array_names[k],
                        shape_text(function.array(static_cast<int>(k))));
  text += "    with np.errstate(all=\"ignore\"):\n";
  const std::size_t begin = text.size();
  for (const Statement& s : function.listing.statements) {
    if (s.kind == Statement::Kind::temporary)
      text +=
          fmt::format("        {} = {}\n", dialect.temporary(function.listing.temporary_of[s.node]),
                      writer.definition(s.node));
    else if (s.kind == Statement::Kind::solve)
      text += python_solve(function, function.prepared.blocks[s.array]);
    else if (!graph.is_number(s.node, 0))
      text += fmt::format("        {}[{}] = {}\n", function.array_names[s.array],
                          python_place(function.array(s.array), s.entry), writer.value(s.node));
  }
  if (text.size() == begin) text += "        pass\n";
  if (!outputs.empty()) text += "    return " + joined(outputs, ", ") + "\n";
  return text + "\n\n";
}

std::string list_text(const std::vector<double>& values) {
  std::string text = "[";
  for (std::size_t k = 0; k < values.size(); ++k)
    text += (k == 0 ? "" : k % 4 == 0 ? ",\n     " : ", ") + python_number(values[k]);
  return text + "]";
}

template <class List>
std::string integers_text(const List& values) {
  std::vector<std::string> words;
  for (const int value : values) words.push_back(std::to_string(value));
  return "[" + joined(words, ", ") + "]";
}

std::string patterns(const PlannedFunction& function) {
  std::string text;
  for (int k = 0; k < function.outputs(); ++k) {
    const StoredArray& array = function.array(k);
    if (!array.is_sparse()) continue;
    const std::string name = function.name + "_" + function.array_names[k];
    text += fmt::format(
        "# entries of {0}: rows, columns, shape\n{0}_row = np.array({1}, dtype=int)\n"
        "{0}_column = np.array({2}, dtype=int)\n{0}_shape = ({3}, {4})\n\n\n",
        name, integers_text(array.row), integers_text(array.column), array.rows, array.columns);
  }
  return text;
}

constexpr const char* python_table_helper = R"(def _table(piece, last, outside, order, x):
    """Derivative `order` of the table with the cubic pieces x0, c0, c1, c2, c3 up to x = last; outside:
    0 no value (nan), 1 the values of the ends, 2 it repeats, 3 the end pieces continue."""
    first, period = piece[0, 0], last - piece[0, 0]
    if outside == 2:
        x = x - period * np.floor((x - first) / period)
    beyond = (x < first) | (x > last)
    if outside == 0:
        x = np.where((x >= first - 1e-9 * period) & (x <= last + 1e-9 * period), x, np.nan)
    if outside == 1:
        x = np.clip(x, first, last)
    value = _piece(piece, order, x)
    if outside == 0 and order == 3:
        value = np.where(np.isnan(x), np.nan, value)
    return np.where(beyond, 0.0, value) if outside == 1 and order > 0 else value


def _piece(piece, order, x):
    k = np.searchsorted(piece[1:, 0], x, side="right")
    s = x - piece[k, 0]
    c0, c1, c2, c3 = piece[k, 1], piece[k, 2], piece[k, 3], piece[k, 4]
    if order == 0:
        return c0 + s * (c1 + s * (c2 + s * c3))
    if order == 1:
        return c1 + s * (2.0 * c2 + s * 3.0 * c3)
    if order == 2:
        return 2.0 * c2 + s * 6.0 * c3
    return 6.0 * c3


)";

constexpr const char* solve_helper = R"(def _solve(a, b, symmetric):
    """a x = b on the first two axes; of a symmetric matrix the lower triangle is given."""
    a = np.moveaxis(a, (0, 1), (-2, -1))
    b = np.moveaxis(b, (0, 1), (-2, -1))
    if symmetric:
        a = np.tril(a) + np.swapaxes(np.tril(a, -1), -2, -1)
    return np.moveaxis(np.linalg.solve(a, b), (-2, -1), (0, 1))


)";

std::string python_helpers(const UnitPlan& plan) {
  std::string text;
  if (plan.operations.count(Op::min))
    text += "def _min(x, y):\n    return np.where(y < x, y, x)\n\n\n";
  if (plan.operations.count(Op::max))
    text += "def _max(x, y):\n    return np.where(x < y, y, x)\n\n\n";
  if (!plan.tables.empty()) text += python_table_helper;
  if (plan.has_symmetric_blocks || plan.has_general_blocks) text += solve_helper;
  for (const int table : plan.tables) {
    text += fmt::format("_table{} = np.array([\n", table + 1);
    for (const TableFunction::Piece& piece : plan.unit.graph->table(table)->pieces())
      text +=
          "    " + list_text({piece.x0, piece.c[0], piece.c[1], piece.c[2], piece.c[3]}) + ",\n";
    text += "])\n\n\n";
  }
  return text;
}

// Names of its own begin with an underscore, as no name of a function does: one of them, `outputs`,
// hid the function of that name once.
std::string python_check(const UnitPlan& plan) {
  std::string text =
      "def check():\n    \"\"\"The largest relative error at the sample values.\"\"\"\n"
      "    _error = 0.0\n    _arguments = [";
  for (int a = 0; a < plan.names.arguments(); ++a) {
    std::vector<double> samples;
    for (int k = 0; k < plan.argument_size(a); ++k) samples.push_back(plan.sample(a, k));
    text += (a ? ",\n     " : "") +
            (plan.unit.arguments[a].scalar ? python_number(samples[0]) : list_text(samples));
  }
  text += "]\n";
  for (const PlannedFunction& function : plan.functions) {
    if (function.outputs() == 0) continue;
    text += fmt::format("    _outputs = {}(*_arguments)\n", function.name);
    if (function.outputs() == 1) text += "    _outputs = (_outputs,)\n";
    for (int k = 0; k < function.outputs(); ++k) {
      const OutputCheck& values = function.checks[k];
      if (values.expected.empty()) continue;
      text += fmt::format(
          "    _expected = np.array({})\n"
          "    _known = ~np.isnan(_expected)\n"
          "    _error = np.max(np.abs(np.ravel(_outputs[{}])[::{}] - _expected)[_known] / {}, "
          "initial=_error)\n",
          list_text(values.expected), k, values.stride, python_number(values.scale));
    }
  }
  return text + "    return float(_error)\n";
}

std::string text_literal(const std::string& text) {
  return "\"" + plain(text) + "\"";
}

std::string value_table(const CodeTable& table) {
  if (!table.words.empty()) {
    std::vector<std::string> words;
    for (const std::string& word : table.words) words.push_back(text_literal(word));
    return fmt::format("# {}\n{} = [{}]\n", table.comment, table.name, joined(words, ", "));
  }
  const std::vector<int> whole(table.numbers.begin(), table.numbers.end());
  return fmt::format("# {}\n{} = np.array({}, dtype={})\n", table.comment, table.name,
                     table.whole ? integers_text(whole) : list_text(table.numbers),
                     table.whole ? "int" : "float");
}

}  // namespace

std::vector<GeneratedFile> emit_python(const UnitPlan& plan) {
  const std::string& unit = plan.names.unit();
  std::vector<std::string> usage = {
      fmt::format("Use:     import {}    (needs NumPy)", unit),
      fmt::format("Check:   {}.check() returns the largest relative error at the sample values",
                  unit),
      "Further axes of the arguments are many states at once; results carry the same axes."};
  std::string text;
  for (const std::string& line : head_lines(plan, usage))
    text += line.empty() ? "#\n" : "# " + line + "\n";
  text += "import numpy as np\n";
  if (!plan.externals.empty()) {
    std::vector<std::string> externals;
    for (const UnitPlan::External& external : plan.externals) externals.push_back(external.name);
    text += fmt::format("\nfrom {}_functions import {}  # given by the user\n", unit,
                        joined(externals, ", "));
  }
  text += "\n# (name, unit) of the entries of every argument\nnames = {\n";
  for (int a = 0; a < plan.names.arguments(); ++a) {
    text += fmt::format("    {}: [", text_literal(plan.names.argument(a)));
    for (int k = 0; k < plan.argument_size(a); ++k)
      text += fmt::format("{}({}, {})", k ? ", " : "", text_literal(plan.label(a, k)),
                          text_literal(plan.unit_of(a, k)));
    text += "],\n";
  }
  text += "}\n\n";
  for (const CodeTable& table : plan.unit.tables) text += value_table(table);
  text += "\n" + python_helpers(plan);
  for (const PlannedFunction& function : plan.functions)
    text += patterns(function) + python_definition(plan, function);
  text += python_check(plan);
  return {{unit + ".py", std::move(text)}};
}

}  // namespace cartan::codegen
