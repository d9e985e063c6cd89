#include "codegen/languages/c_family.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "codegen/c_function.h"
#include "codegen/languages/turn_helper.h"
#include "codegen/replace_all.h"

namespace cartan::codegen {

std::string c_number(double value) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value > 0 ? "INFINITY" : "-INFINITY";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string c_string(const std::string& text) {
  std::string result = "\"";
  for (const unsigned char c : text) {
    if (c == '"' || c == '\\')
      result += '\\', result += static_cast<char>(c);
    else if (c < 32 || c == 127)
      result += ' ';
    else if (c == '?')
      result += "\\?";  // no trigraphs
    else
      result += static_cast<char>(c);
  }
  return result + "\"";
}

std::string c_comment(const std::vector<std::string>& lines) {
  std::string text = "/*\n";
  for (const std::string& line : lines) text += line.empty() ? " *\n" : " * " + line + "\n";
  return text + " */\n";
}

bool joins_turns(const CFlavour& flavour, const PlannedFunction& function) {
  return flavour.joins_turns && function.listing.turns.size() > 1;
}

std::string CFamilyWriter::number_list(const std::vector<double>& values) const {
  std::string text;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (k > 0) text += k % 4 == 0 ? ",\n    " : ", ";
    text += c_number(values[k]);
  }
  return text;
}

// -------------------------------------------------------------------------------------- functions

std::string CFamilyWriter::external_prototype(const UnitPlan::External& external) {
  return "double " + external.name + "(" +
         (external.arguments == 0
              ? "void"
              : joined(std::vector<std::string>(external.arguments, "double"), ", ")) +
         ")";
}

std::string CFamilyWriter::head(const PlannedFunction& function) const {
  std::vector<std::string> parameters;
  for (int a = 0; a < plan_.names.arguments(); ++a)
    parameters.push_back(parameter_of_argument(plan_, flavour_, a));
  for (int k = 0; k < function.outputs(); ++k)
    parameters.push_back(parameter_of_array(flavour_, function.array_names[k]));
  return flavour_.function_qualifier + "void " + flavour_.prefix + function.name + "(" +
         (parameters.empty() ? "void" : joined(parameters, ", ")) + ")";
}

std::string CFamilyWriter::definition(const PlannedFunction& function) const {
  return CFunctionWriter(plan_, flavour_, function).write(head(function));
}

std::string CFamilyWriter::pattern_head(const PlannedFunction& function, int output) const {
  return fmt::format("{}int {}{}_{}_pattern(const int** row, const int** column)",
                     flavour_.function_qualifier, flavour_.prefix, function.name,
                     function.array_names[output]);
}

std::string CFamilyWriter::pattern_definition(const PlannedFunction& function, int output) const {
  const StoredArray& array = function.array(output);
  auto list = [](const std::vector<int>& values) {
    std::string text;
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (k > 0) text += k % 16 == 0 ? ",\n    " : ", ";
      text += std::to_string(values[k]);
    }
    return text.empty() ? std::string("0") : text;
  };
  return fmt::format(
      "/* Rows and columns of the entries of {}; returns how many there are. */\n"
      "{}\n{{\n  {} int rows[] = {{{}}};\n  {} int columns[] = {{{}}};\n  *row = rows;\n"
      "  *column = columns;\n  return {};\n}}\n",
      function.array_names[output], pattern_head(function, output), flavour_.index_qualifier,
      list(array.row), flavour_.index_qualifier, list(array.column), array.size());
}

// ---------------------------------------------------------------------------------------- helpers

namespace {

constexpr const char* table_helper =
    R"(/* Derivative `order` of the table with the cubic pieces {x0, c0, c1, c2, c3} up to x = last. Outside:
   0 no value (NAN), 1 the values of the ends, 2 it repeats, 3 the end pieces continue. */
@qualifier double @name(const double (*piece)[5], int count, double last, int outside, int order, double x)
{
  const double first = piece[0][0], period = last - first;
  int low = 0, high = count;
  if (outside == 2) {
    x -= period * @floor((x - first) / period);
  } else if (x < first || x > last) {
    if (outside == 0 && !(x >= first - 1e-9 * period && x <= last + 1e-9 * period)) return @undefined;
    if (outside == 1) {
      if (order > 0) return 0.0;
      x = x < first ? first : last;
    }
  }
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (x < piece[middle][0])
      high = middle;
    else
      low = middle;
  }
  const double* c = piece[low] + 1;
  const double s = x - piece[low][0];
  switch (order) {
    case 0:
      return c[0] + s * (c[1] + s * (c[2] + s * c[3]));
    case 1:
      return c[1] + s * (2.0 * c[2] + s * 3.0 * c[3]);
    case 2:
      return 2.0 * c[2] + s * 6.0 * c[3];
    default:
      return 6.0 * c[3];
  }
}
)";

constexpr const char* symmetric_helper =
    R"(/* Solves a x = b for `columns` right sides; x replaces b. a is symmetric and positive definite, n x n;
   its lower triangle is read. It becomes L (below the diagonal) and D L^T. */
@static void @solve_symmetric(int n, int columns, double* @restrict a, double* @restrict b)
{
  for (int k = 0; k < n; ++k) {
    double* upper = a + k * n;
    const double inverse = 1.0 / upper[k];
    for (int i = k + 1; i < n; ++i) {
      double* row = a + i * n;
      const double factor = row[k] * inverse;
      upper[i] = row[k];
      row[k] = factor;
      for (int j = k + 1; j <= i; ++j) row[j] -= factor * upper[j];
      for (int c = 0; c < columns; ++c) b[i * columns + c] -= factor * b[k * columns + c];
    }
    for (int c = 0; c < columns; ++c) b[k * columns + c] *= inverse;
  }
  for (int k = n - 1; k > 0; --k)
    for (int i = 0; i < k; ++i)
      for (int c = 0; c < columns; ++c)
        b[i * columns + c] -= a[k * n + i] * b[k * columns + c];
}
)";

constexpr const char* general_helper =
    R"(/* Solves a x = b for `columns` right sides by L U with partial pivoting; x replaces b. */
@static void @solve_general(int n, int columns, double* @restrict a, double* @restrict b)
{
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i)
      if (fabs(a[i * n + k]) > fabs(a[pivot * n + k])) pivot = i;
    if (pivot != k) {
      for (int j = k; j < n; ++j) {
        const double held = a[k * n + j];
        a[k * n + j] = a[pivot * n + j];
        a[pivot * n + j] = held;
      }
      for (int c = 0; c < columns; ++c) {
        const double held = b[k * columns + c];
        b[k * columns + c] = b[pivot * columns + c];
        b[pivot * columns + c] = held;
      }
    }
    const double inverse = 1.0 / a[k * n + k];
    for (int i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] * inverse;
      for (int j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
      for (int c = 0; c < columns; ++c) b[i * columns + c] -= factor * b[k * columns + c];
    }
  }
  for (int k = n - 1; k >= 0; --k)
    for (int c = 0; c < columns; ++c) {
      double sum = b[k * columns + c];
      for (int j = k + 1; j < n; ++j) sum -= a[k * n + j] * b[j * columns + c];
      b[k * columns + c] = sum / a[k * n + k];
    }
}
)";

}  // namespace

std::string table_function(const std::string& qualifier, const std::string& name,
                           const std::string& floor, const std::string& undefined) {
  std::string text = table_helper;
  replace_all(text, "@qualifier ", qualifier);
  replace_all(text, "@name", name);
  replace_all(text, "@floor", floor);
  replace_all(text, "@undefined", undefined);
  return text;
}

std::string CFamilyWriter::helpers() const {
  std::string text;
  auto one_line = [&](Op op, const char* name, const char* parameters, const char* value) {
    if (plan_.operations.count(op))
      text += fmt::format("@static double @{}({}) {{ return {}; }}\n", name, parameters, value);
  };
  one_line(Op::sign, "sign", "double x", "0.0 < x ? 1.0 : (x < 0.0 ? -1.0 : 0.0)");
  one_line(Op::step, "step", "double x", "x < 0.0 ? 0.0 : 1.0");
  one_line(Op::min, "min", "double x, double y", "y < x ? y : x");
  one_line(Op::max, "max", "double x, double y", "x < y ? y : x");
  if (!plan_.tables.empty()) text += table_function("@static ", "@table", "floor", "NAN");
  if (std::any_of(plan_.functions.begin(), plan_.functions.end(),
                  [&](const PlannedFunction& f) { return joins_turns(flavour_, f); }))
    text += turn_helper;
  if (plan_.has_symmetric_blocks) text += symmetric_helper;
  if (plan_.has_general_blocks) text += general_helper;
  replace_all(text, "@static ", flavour_.helper_qualifier);
  replace_all(text, "@restrict", flavour_.restrict_word);
  const bool is_scoped = flavour_.helper_prefix.find("::") != std::string::npos;
  replace_all(text, "@", is_scoped ? "" : flavour_.helper_prefix);
  text += table_data();
  if (!text.empty()) text += "\n";
  return text;
}

std::string CFamilyWriter::table_data() const {
  std::string text;
  const bool is_scoped = flavour_.helper_prefix.find("::") != std::string::npos;
  for (const int table : plan_.tables) {
    const auto& pieces = plan_.unit.graph->table(table)->pieces();
    text += fmt::format("{} double {}table{}[{}][5] = {{\n", flavour_.table_qualifier,
                        is_scoped ? "" : flavour_.helper_prefix, table + 1, pieces.size());
    for (const TableFunction::Piece& piece : pieces)
      text +=
          "  {" + number_list({piece.x0, piece.c[0], piece.c[1], piece.c[2], piece.c[3]}) + "},\n";
    text += "};\n";
  }
  return text;
}

// ------------------------------------------------------------------------------------------ tables

std::string CFamilyWriter::names_table() const {
  std::string text;
  for (int a = 0; a < plan_.names.arguments(); ++a)
    for (int k = 0; k < plan_.argument_size(a); ++k)
      text += fmt::format("  {{{}, {}, {}}},\n", c_string(plan_.names.argument(a)),
                          c_string(plan_.label(a, k)), c_string(plan_.unit_of(a, k)));
  return text + "  {0, 0, 0}\n";
}

// An array of C has one entry at least.
std::string CFamilyWriter::table_head(const CodeTable& table) const {
  const char* type = !table.words.empty() ? "char* const " : table.whole ? "int " : "double ";
  return fmt::format("const {}{}{}[{}]", type, flavour_.prefix, table.name,
                     std::max<std::size_t>({1, table.words.size(), table.numbers.size()}));
}
std::string CFamilyWriter::table_values(const CodeTable& table) const {
  std::vector<std::string> values;
  for (const std::string& word : table.words) values.push_back(c_string(word));
  for (const double number : table.numbers)
    values.push_back(table.whole ? fmt::format("{:.0f}", number) : c_number(number));
  if (values.empty()) values.push_back("0");
  return "{" + joined(values, ", ") + "}";
}

std::string CFamilyWriter::check_statements(std::string (*declare)(const std::string&, int),
                                            std::string (*release)(const std::string&)) const {
  std::string text;
  std::vector<std::string> values;
  for (int a = 0; a < plan_.names.arguments(); ++a) {
    std::vector<double> samples;
    for (int k = 0; k < plan_.argument_size(a); ++k) samples.push_back(plan_.sample(a, k));
    if (samples.empty()) samples.push_back(0);
    const std::string name = fmt::format("argument{}", a + 1);
    if (plan_.unit.arguments[a].scalar)
      text += fmt::format("  const double {} = {};\n", name, c_number(samples[0]));
    else
      text += fmt::format("  {} double {}[] = {{\n    {}}};\n", flavour_.index_qualifier, name,
                          number_list(samples));
    values.push_back(name);
  }
  for (const std::string& name : values) text += fmt::format("  (void){};\n", name);
  text += "  double error = 0.0;\n";
  for (const PlannedFunction& function : plan_.functions) {
    std::vector<std::string> arguments = values;
    std::string body, end;
    for (int k = 0; k < function.outputs(); ++k) {
      const std::string name = fmt::format("output{}", k + 1);
      const OutputCheck& check = function.checks[k];
      text += k == 0 ? "  {\n" : "";
      text += declare(name, std::max(1, function.array(k).size()));
      arguments.push_back(name);
      end += release(name);
      if (check.expected.empty()) continue;
      body += fmt::format(
          "    {} double expected{}[] = {{\n    {}}};\n"
          "    for (int i = 0; i < {}; ++i) {{\n"
          "      const double difference = fabs(output{}[{}i] - expected{}[i]) / {};\n"
          "      if (difference > error || (difference != difference && "
          "expected{}[i] == expected{}[i])) error = difference;\n    }}\n",
          flavour_.index_qualifier, k + 1, number_list(check.expected), check.expected.size(),
          k + 1, check.stride == 1 ? "" : fmt::format("{} * ", check.stride), k + 1,
          c_number(check.scale), k + 1, k + 1);
    }
    if (function.outputs() == 0) continue;
    text += fmt::format("    {}{}({});\n", flavour_.prefix, function.name, joined(arguments, ", "));
    text += body + end + "  }\n";
  }
  return text;
}

}  // namespace cartan::codegen
