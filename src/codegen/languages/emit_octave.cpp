// Octave and MATLAB: one file per function.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "codegen/languages/c_family.h"
#include "codegen/languages/emitters.h"
#include "codegen/languages/expression_writer.h"

namespace cartan::codegen {
namespace {

std::string octave_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Inf" : "-Inf";
  return c_number(value);
}

std::string octave_place(const StoredArray& array, int entry) {
  if (array.is_sparse() || array.columns == 1) return std::to_string(entry + 1);
  return fmt::format("{}, {}", entry / array.columns + 1, entry % array.columns + 1);
}

// Outside of their range sqrt, log, asin, acos and powers give complex numbers there; elsewhere in
// this project they give NaN.
class OctaveDialect : public Dialect {
 public:
  OctaveDialect(const UnitPlan& plan, const PlannedFunction& function)
      : plan_(plan), function_(function) {}

  std::string number(double magnitude) const override { return octave_number(magnitude); }
  std::string symbol(int argument, int entry) const override {
    const std::string& name = plan_.names.argument(argument);
    return entry < 0 ? name : fmt::format("{}({})", name, entry + 1);
  }
  std::string temporary(int number) const override {
    return fmt::format("{}{}", plan_.names.temporary_prefix(), number + 1);
  }
  std::string function(Op op, const std::vector<std::string>& x) const override {
    switch (op) {
      case Op::sign:
        return "sign(" + x[0] + ")";
      case Op::step:
        return "step_(" + x[0] + ")";
      case Op::if_positive:
        return fmt::format("if_positive_({}, {}, {})", x[0], x[1], x[2]);
      case Op::min:
        return fmt::format("min_({}, {})", x[0], x[1]);
      case Op::max:
        return fmt::format("max_({}, {})", x[0], x[1]);
      case Op::abs:
        return "abs(" + x[0] + ")";
      case Op::power:
        return fmt::format("real_(power({}, {}))", x[0], x[1]);
      case Op::asin:
      case Op::acos:
      case Op::log:
      case Op::sqrt:
        return fmt::format("real_({}({}))", c_function_name(op), x[0]);
      default:
        return fmt::format("{}({})", c_function_name(op), joined(x, ", "));
    }
  }
  std::string table(int table, int order, const std::string& x) const override {
    const TableFunction& function = *plan_.unit.graph->table(table);
    return fmt::format("table_(table{}_(), {}, {}, {}, {})", table + 1, number(function.last()),
                       static_cast<int>(function.outside()), order, x);
  }
  std::string solution(int array, int entry) const override {
    return fmt::format("{}({})", function_.array_names[array],
                       octave_place(function_.array(array), entry));
  }

 private:
  const UnitPlan& plan_;
  const PlannedFunction& function_;
};

constexpr const char* octave_table_helper = R"(
function y = table_(piece, last, outside, order, x)
  % derivative `order` of the table with the cubic pieces x0, c0, c1, c2, c3 up to x = last; outside:
  % 0 no value (NaN), 1 the values of the ends, 2 it repeats, 3 the end pieces continue
  first = piece(1, 1);
  period = last - first;
  if outside == 2
    x = x - period * floor((x - first) / period);
  elseif x < first || x > last
    if outside == 0 && ! (x >= first - 1e-9 * period && x <= last + 1e-9 * period)
      y = NaN;
      return
    end
    if outside == 1
      if order > 0
        y = 0.0;
        return
      end
      x = min(max(x, first), last);
    end
  end
  k = 1 + sum(piece(2:end, 1) <= x);
  s = x - piece(k, 1);
  c = piece(k, 2:5);
  switch order
    case 0
      y = c(1) + s * (c(2) + s * (c(3) + s * c(4)));
    case 1
      y = c(2) + s * (2.0 * c(3) + s * 3.0 * c(4));
    case 2
      y = 2.0 * c(3) + s * 6.0 * c(4);
    otherwise
      y = 6.0 * c(4);
  end
end
)";

// Functions of the same file.
std::string octave_helpers(const UnitPlan& plan, const Listing& listing) {
  std::string text;
  auto has = [&](Op op) { return listing.operations.count(op) > 0; };
  if (has(Op::sqrt) || has(Op::log) || has(Op::asin) || has(Op::acos) || has(Op::power))
    text += "\nfunction y = real_(y)\n  if ~isreal(y)\n    y = NaN;\n  end\nend\n";
  if (has(Op::step)) text += "\nfunction y = step_(x)\n  y = double(~(x < 0));\nend\n";
  if (has(Op::min)) text += "\nfunction y = min_(x, y)\n  if ~(y < x)\n    y = x;\n  end\nend\n";
  if (has(Op::max)) text += "\nfunction y = max_(x, y)\n  if ~(x < y)\n    y = x;\n  end\nend\n";
  if (has(Op::if_positive))
    text += "\nfunction y = if_positive_(c, x, y)\n  if c > 0\n    y = x;\n  end\nend\n";
  if (!listing.tables.empty()) text += octave_table_helper;
  for (const int table : listing.tables) {
    text += fmt::format("\nfunction piece = table{}_()\n  piece = [\n", table + 1);
    for (const TableFunction::Piece& piece : plan.unit.graph->table(table)->pieces()) {
      text += "    " + octave_number(piece.x0);
      for (const double c : piece.c) text += ", " + octave_number(c);
      text += ";\n";
    }
    text += "  ];\nend\n";
  }
  return text;
}

std::string indices_text(const std::vector<int>& values) {
  std::vector<std::string> words;
  for (const int value : values) words.push_back(std::to_string(value + 1));
  return "[" + joined(words, ", ") + "]";
}

std::string octave_solve(const PlannedFunction& function, const DenseBlock& block) {
  const std::string &matrix = function.array_names[block.matrix],
                    &rhs = function.array_names[block.rhs];
  std::string text;
  if (block.symmetric) text += fmt::format("  {0} = {0} + tril({0}, -1)';\n", matrix);
  text += fmt::format("  {0} = {1} \\ {0};\n", rhs, matrix);
  for (std::size_t k = 0; k < block.result_entries.size(); ++k)
    text += fmt::format("  {}({}) = {}({}, {});\n", function.array_names[block.result],
                        octave_place(function.array(block.result), block.result_entries[k]), rhs,
                        k / block.columns + 1, k % block.columns + 1);
  return text;
}

std::string comment(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line.empty() ? "%\n" : "% " + line + "\n";
  return text;
}

std::string arguments_text(const UnitPlan& plan) {
  std::vector<std::string> arguments;
  for (int a = 0; a < plan.names.arguments(); ++a) arguments.push_back(plan.names.argument(a));
  return joined(arguments, ", ");
}

std::string octave_definition(const UnitPlan& plan, const PlannedFunction& function) {
  const ExpressionGraph& graph = *plan.unit.graph;
  const OctaveDialect dialect(plan, function);
  const ExpressionWriter writer(graph, plan.names, function.listing, dialect);
  std::vector<std::string> outputs(function.array_names.begin(),
                                   function.array_names.begin() + function.outputs());
  std::string text = fmt::format(
      "function {}{}{}_{}({})\n", outputs.empty() ? "" : "[" + joined(outputs, ", ") + "]",
      outputs.empty() ? "" : " = ", plan.names.unit(), function.name, arguments_text(plan));
  if (!function.prepared.comment.empty()) {
    std::string line = function.prepared.comment;
    std::replace_if(
        line.begin(), line.end(), [](unsigned char c) { return c < 32; }, ' ');
    text += "  % " + line + "\n";
  }
  for (std::size_t k = 0; k < function.prepared.arrays.size(); ++k) {
    const StoredArray& array = function.array(static_cast<int>(k));
    text += fmt::format("  {} = zeros({}, {});\n", function.array_names[k],
                        array.is_sparse() ? array.size() : array.rows,
                        array.is_sparse() ? 1 : array.columns);
  }
  for (const Statement& s : function.listing.statements) {
    if (s.kind == Statement::Kind::temporary)
      text += fmt::format("  {} = {};\n", dialect.temporary(function.listing.temporary_of[s.node]),
                          writer.definition(s.node));
    else if (s.kind == Statement::Kind::solve)
      text += octave_solve(function, function.prepared.blocks[s.array]);
    else if (!graph.is_number(s.node, 0))
      text += fmt::format("  {}({}) = {};\n", function.array_names[s.array],
                          octave_place(function.array(s.array), s.entry), writer.value(s.node));
  }
  for (int k = 0; k < function.outputs(); ++k) {
    const StoredArray& array = function.array(k);
    if (array.is_sparse())
      text += fmt::format("  {0} = sparse({1}, {2}, {0}, {3}, {4});\n", function.array_names[k],
                          indices_text(array.row), indices_text(array.column), array.rows,
                          array.columns);
  }
  return text + "end\n" + octave_helpers(plan, function.listing);
}

std::string column_text(const std::vector<double>& values) {
  std::string text = "[";
  for (std::size_t k = 0; k < values.size(); ++k)
    text += (k == 0 ? "" : k % 4 == 0 ? "; ...\n    " : "; ") + octave_number(values[k]);
  return text + "]";
}

// The entries of an output as C stores them, every stride-th.
std::string entries_text(const StoredArray& array, const std::string& name, int stride) {
  std::string flat;
  if (array.is_sparse())
    flat = fmt::format("full({}(sub2ind([{}, {}], {}, {})))", name, array.rows, array.columns,
                       indices_text(array.row), indices_text(array.column));
  else
    flat = fmt::format("reshape({}.', [], 1)", name);
  return fmt::format("  values = {}; values = values(1:{}:end);\n", flat, stride);
}

std::string octave_check(const UnitPlan& plan) {
  std::string text = fmt::format(
      "function error_ = {}_check()\n  % the largest relative error at the sample values\n"
      "  error_ = 0; undefined = false;\n",
      plan.names.unit());
  std::vector<std::string> arguments;
  for (int a = 0; a < plan.names.arguments(); ++a) {
    std::vector<double> samples;
    for (int k = 0; k < plan.argument_size(a); ++k) samples.push_back(plan.sample(a, k));
    arguments.push_back(fmt::format("argument{}", a + 1));
    text += fmt::format("  {} = {};\n", arguments.back(), column_text(samples));
  }
  for (const PlannedFunction& function : plan.functions) {
    std::vector<std::string> outputs;
    for (int k = 0; k < function.outputs(); ++k) outputs.push_back(fmt::format("output{}", k + 1));
    if (outputs.empty()) continue;
    text += fmt::format("  [{}] = {}_{}({});\n", joined(outputs, ", "), plan.names.unit(),
                        function.name, joined(arguments, ", "));
    for (int k = 0; k < function.outputs(); ++k) {
      const OutputCheck& values = function.checks[k];
      if (values.expected.empty()) continue;
      text += entries_text(function.array(k), outputs[k], values.stride);
      text += fmt::format(
          "  expected = {};\n  known = ~isnan(expected);\n"
          "  difference = abs(reshape(values(known), [], 1) - expected(known)) / {};\n"
          "  error_ = max([error_; difference]);  % which passes over what is not a number\n"
          "  undefined = undefined || any(isnan(difference));\n",
          column_text(values.expected), octave_number(values.scale));
    }
  }
  return text + "  if undefined, error_ = NaN; end\nend\n";
}

std::string octave_string(const std::string& text) {
  std::string result = "'";
  for (const char c : text)
    result += c == '\'' ? "''" : std::string(1, static_cast<unsigned char>(c) < 32 ? ' ' : c);
  return result + "'";
}

std::string names_file(const UnitPlan& plan) {
  std::string text = fmt::format(
      "function list = {}_names()\n  % argument, name, unit\n  list = {{\n", plan.names.unit());
  for (int a = 0; a < plan.names.arguments(); ++a)
    for (int k = 0; k < plan.argument_size(a); ++k)
      text += fmt::format("    {}, {}, {};\n", octave_string(plan.names.argument(a)),
                          octave_string(plan.label(a, k)), octave_string(plan.unit_of(a, k)));
  return text + "  };\nend\n";
}

// NAME_x0.m and the like: functions that return the values.
std::string value_file(const UnitPlan& plan, const CodeTable& table) {
  std::string values = column_text(table.numbers);
  if (!table.words.empty()) {
    values = "{";
    for (const std::string& word : table.words)
      values += (values.size() > 1 ? "; " : "") + octave_string(word);
    values += "}";
  }
  return fmt::format("function values = {}_{}()\n  % {}\n  values = {};\nend\n", plan.names.unit(),
                     table.name, table.comment, values);
}

}  // namespace

std::vector<GeneratedFile> emit_octave(const UnitPlan& plan) {
  const std::string& unit = plan.names.unit();
  const std::string head = comment(head_lines(
      plan,
      {fmt::format("Use:     put the files {}_*.m into a folder of the path", unit),
       fmt::format("Check:   {}_check() returns the largest relative error at the sample values",
                   unit),
       "Places are counted from 0 below, from 1 in the code."}));
  std::vector<GeneratedFile> files;
  for (const PlannedFunction& function : plan.functions)
    files.push_back({fmt::format("{}_{}.m", unit, function.name),
                     octave_definition(plan, function) + "\n" + head});
  files.push_back({unit + "_check.m", octave_check(plan) + "\n" + head});
  files.push_back({unit + "_names.m", names_file(plan)});
  for (const CodeTable& table : plan.unit.tables)
    files.push_back({fmt::format("{}_{}.m", unit, table.name), value_file(plan, table)});
  return files;
}

}  // namespace cartan::codegen
