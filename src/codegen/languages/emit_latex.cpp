// LaTeX: the equations as a document, intermediate results by name.
#include <fmt/format.h>

#include <map>

#include "codegen/languages/dialect.h"
#include "codegen/languages/emitters.h"
#include "codegen/languages/line_breaks.h"
#include "symbolic/print/print.h"

namespace cartan::codegen {
namespace {

// Text outside of formulas.
std::string latex_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (std::string("#$%&_{}").find(c) != std::string::npos)
      result += '\\', result += c;
    else if (c == '\\')
      result += "\\textbackslash{}";
    else if (c == '^' || c == '~')
      result += std::string("\\") + c + "{}";
    else
      result += static_cast<unsigned char>(c) < 32 ? ' ' : c;
  }
  return result;
}

std::string entry_name(const CodeMatrix& matrix, int entry) {
  const std::string name = latex_name(matrix.name);
  if (matrix.rows == 1 && matrix.columns == 1) return name;
  const int row = matrix.is_sparse() ? matrix.row[entry] : entry / matrix.columns;
  const int column = matrix.is_sparse() ? matrix.column[entry] : entry % matrix.columns;
  if (matrix.columns == 1) return fmt::format("{{{}}}_{{{}}}", name, row + 1);
  return fmt::format("{{{}}}_{{{},{}}}", name, row + 1, column + 1);
}

// A linear system is printed as it stands, not solved.
CodeFunction with_system_as_outputs(CodeFunction function) {
  std::vector<LinearSolve> systems = function.inner;
  if (function.solve) systems.push_back(*function.solve);
  for (std::size_t k = 0; k < systems.size(); ++k) {
    const LinearSolve& solve = systems[k];
    const std::string number = systems.size() > 1 ? std::to_string(k + 1) : "";
    function.outputs.push_back({"A" + number, solve.size, solve.size, {}, {}, solve.matrix});
    function.outputs.push_back({"b" + number, solve.size, solve.columns(), {}, {}, solve.rhs});
    function.comment +=
        fmt::format("{}{} solves A{} {} = b{}.", function.comment.empty() ? "" : ". ", solve.result,
                    number, solve.result, number);
  }
  return function;
}

std::string equations(const ExpressionGraph& graph, const CodeFunction& function,
                      const PrintOptions& options) {
  std::vector<Expression> values;
  std::vector<std::string> names;
  bool has_zeros = false;
  for (const CodeMatrix& output : function.outputs)
    for (std::size_t k = 0; k < output.entries.size(); ++k) {
      if (output.entries[k].is_number() && output.entries[k].number() == 0) {
        has_zeros = true;
        continue;
      }
      values.push_back(output.entries[k]);
      names.push_back(entry_name(output, static_cast<int>(k)));
    }
  const Printed printed = print_latex(graph, values, options);
  std::vector<LatexEquation> lines;
  for (const PrintedLine& line : printed.lines) lines.push_back({line.name, line.text});
  for (std::size_t k = 0; k < values.size(); ++k) lines.push_back({names[k], printed.values[k]});
  std::string text = fmt::format("\\section*{{{}}}\n", latex_text(function.name));
  if (!function.comment.empty()) text += latex_text(function.comment) + "\n";
  if (!lines.empty()) text += latex_display(lines);
  if (has_zeros) text += "All other entries are zero.\n";
  return text;
}

}  // namespace

std::vector<GeneratedFile> emit_latex(const CodeUnit& unit) {
  std::string text =
      "\\documentclass[10pt]{article}\n\\usepackage{amsmath}\n"
      "\\usepackage[landscape,margin=15mm]{geometry}\n\\allowdisplaybreaks\n"
      "\\setlength{\\parindent}{0pt}\n\\begin{document}\n";
  text += "\\section*{" + latex_text(unit.title.empty() ? unit.name : unit.title) + "}\n";
  for (const std::string& remark : unit.remarks) text += latex_text(remark) + "\n\n";
  for (const CodeArgument& argument : unit.arguments) {
    if (argument.symbols.empty()) continue;
    std::vector<std::string> symbols;
    for (std::size_t k = 0; k < argument.symbols.size(); ++k) {
      const std::string measure = k < argument.units.size() ? argument.units[k] : "";
      symbols.push_back("$" + to_latex(*unit.graph, argument.symbols[k]) + "$" +
                        (measure.empty() ? "" : " [" + latex_text(measure) + "]"));
    }
    text += fmt::format("{}: {}\n\n", latex_text(argument.name), joined(symbols, ", "));
  }
  PrintOptions options;
  options.written_out = 60;  // lines must fit on a page
  options.longest = 40;
  for (const CodeFunction& function : unit.functions)
    text += equations(*unit.graph, with_system_as_outputs(function), options);
  return {{identifier(unit.name) + ".tex", text + "\\end{document}\n"}};
}

}  // namespace cartan::codegen
