// Sheets of equations as text and as LaTeX.
#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "codegen/equations.h"
#include "codegen/languages/line_breaks.h"
#include "symbolic/print/print.h"
#include "symbolic/simplify/simplify.h"

namespace cartan::codegen {
namespace {

using Kind = EquationLine::Kind;

constexpr std::size_t text_width = 110;

// Simplification of a sheet: each expression once (M is symmetric), and the more there are the
// shorter those it is tried on. Pages of equations are not read for their elegance.
class Simplifier {
 public:
  Simplifier(ExpressionGraph& graph, std::size_t expressions) : graph_(graph) {
    constexpr long operations_of_a_sheet = 4'000'000, fewest = 200;
    const long most = limits_.operations,
               share = operations_of_a_sheet / static_cast<long>(expressions + 1);
    limits_.operations = std::clamp(share, fewest, most);
    limits_.terms = static_cast<int>(std::max(20L, limits_.terms * limits_.operations / most));
  }
  Expression operator()(const Expression& value) {
    if (value.is_number()) return value;
    const auto [place, is_new] = known_.try_emplace(value.node());
    if (is_new) place->second = simplify(graph_, value, limits_);
    return place->second;
  }

 private:
  ExpressionGraph& graph_;
  SimplifyLimits limits_;
  std::unordered_map<int, Expression> known_;
};

// All expressions of a sheet, simplified for reading, in the order of the lines: factors, then the
// right side.
std::vector<Expression> expressions_of(ExpressionGraph& graph, const EquationSheet& sheet) {
  std::vector<Expression> all;
  for (const EquationLine& line : sheet.lines) {
    if (line.kind != Kind::equation) continue;
    all.insert(all.end(), line.factors.begin(), line.factors.end());
    all.push_back(line.right);
  }
  Simplifier simplified(graph, all.size());
  for (Expression& value : all) value = simplified(value);
  return all;
}

// A sum that needs parentheses as a factor: + or - outside of all brackets, not at the beginning.
bool is_sum(const std::string& text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '{' || c == '[') ++depth;
    if (c == ')' || c == '}' || c == ']') --depth;
    const bool exponent = i > 0 && (text[i - 1] == 'e' || text[i - 1] == '^');
    if (depth == 0 && i > 0 && (c == '+' || c == '-') && !exponent) return true;
  }
  return false;
}

// sum of factor times unknown
std::string left_side(const std::vector<std::string>& factors,
                      const std::vector<std::string>& unknowns, const char* times, const char* open,
                      const char* close) {
  std::string text;
  for (std::size_t k = 0; k < factors.size(); ++k) {
    std::string factor = factors[k];
    if (factor == "0") continue;
    bool negative = false;
    if (is_sum(factor)) {
      factor = open + factor + close;
    } else if (factor.starts_with("-")) {
      negative = true;
      factor = factor.substr(1);
    }
    text += text.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
    text += factor == "1" ? unknowns[k] : factor + times + unknowns[k];
  }
  return text.empty() ? "0" : text;
}

struct Printer {
  const EquationSheet& sheet;
  Printed printed;
  std::size_t next = 0;

  std::vector<std::string> take(std::size_t count) {
    std::vector<std::string> some(printed.values.begin() + next,
                                  printed.values.begin() + next + count);
    next += count;
    return some;
  }
};

std::string legend_text(const EquationSheet& sheet) {
  std::size_t width = 0;
  for (const DerivedSymbol& s : sheet.symbols) width = std::max(width, s.name.size());
  std::string text;
  for (const DerivedSymbol& s : sheet.symbols)
    text += fmt::format("  {:<{}}  {}{}\n", s.name, width, s.meaning,
                        s.unit.empty() ? "" : fmt::format(" ({})", s.unit));
  return text;
}

std::string latex_escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("#$%&_{}").find(c) != std::string_view::npos) result += '\\';
    if (c == '\\' || c == '^' || c == '~')
      result += ' ';
    else
      result += c;
  }
  return result;
}

}  // namespace

std::string sheet_as_text(ExpressionGraph& graph, const EquationSheet& sheet) {
  Printer p{sheet, print_text(graph, expressions_of(graph, sheet))};
  std::string text = sheet.title + "\n\n" + legend_text(sheet);
  if (!p.printed.lines.empty()) text += "\nIntermediate results\n\n";
  const auto add = [&](const std::string& left, const std::string& right) {
    text += "  " + text_equation(left, right, text_width, "      ") + "\n";
  };
  for (const PrintedLine& line : p.printed.lines) add(line.name, line.text);
  for (const EquationLine& line : sheet.lines) {
    if (line.kind == Kind::heading) {
      text += fmt::format("\n{}\n\n", line.text);
      continue;
    }
    if (line.kind == Kind::remark) {
      text += fmt::format("{}{}\n", text.ends_with("\n\n") ? "" : "\n", line.text);
      continue;
    }
    const std::vector<std::string> factors = p.take(line.factors.size());
    const std::string right = p.take(1)[0];
    const std::string left =
        line.text.empty() ? left_side(factors, line.unknowns, "*", "(", ")") : line.text;
    add(left, right);
  }
  return text;
}

std::string sheet_as_latex(ExpressionGraph& graph, const EquationSheet& sheet) {
  Printer p{sheet, print_latex(graph, expressions_of(graph, sheet))};
  std::string text =
      "\\documentclass{article}\n\\usepackage{amsmath}\n\\usepackage[margin=2cm]{geometry}\n"
      "\\allowdisplaybreaks\n\\begin{document}\n";
  text += fmt::format("\\section*{{{}}}\n\\begin{{itemize}}\n", latex_escaped(sheet.title));
  for (const DerivedSymbol& s : sheet.symbols)
    text += fmt::format("\\item ${}$: {}{}\n", latex_name(s.name), latex_escaped(s.meaning),
                        s.unit.empty() ? "" : fmt::format(" ({})", latex_escaped(s.unit)));
  text += "\\end{itemize}\n";
  std::vector<LatexEquation> display;
  const auto flush = [&] {
    if (!display.empty()) text += latex_display(display);
    display.clear();
  };
  if (!p.printed.lines.empty()) text += "\\subsection*{Intermediate results}\n";
  for (const PrintedLine& line : p.printed.lines) display.push_back({line.name, line.text});
  for (const EquationLine& line : sheet.lines) {
    if (line.kind != Kind::equation) flush();
    if (line.kind == Kind::heading) {
      text += fmt::format("\\subsection*{{{}}}\n", latex_escaped(line.latex));
      continue;
    }
    if (line.kind == Kind::remark) {
      text += line.latex + "\n";
      continue;
    }
    const std::vector<std::string> factors = p.take(line.factors.size());
    const std::string right = p.take(1)[0];
    display.push_back({line.text.empty()
                           ? left_side(factors, line.unknowns_latex, "\\, ", "\\left(", "\\right)")
                           : line.latex,
                       right});
  }
  flush();
  return text + "\\end{document}\n";
}

}  // namespace cartan::codegen
