// LaTeX: the equations as a document, intermediate results by name.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>

#include "codegen/emitters.h"
#include "codegen/expression_writer.h"

namespace cartan {
namespace {

constexpr const char* greek[] = {"alpha", "beta",  "gamma",   "delta",  "epsilon", "zeta",   "eta",
                                 "theta", "iota",  "kappa",   "lambda", "mu",      "nu",     "xi",
                                 "pi",    "rho",   "sigma",   "tau",    "upsilon", "phi",    "chi",
                                 "psi",   "omega", "Gamma",   "Delta",  "Theta",   "Lambda", "Xi",
                                 "Pi",    "Sigma", "Upsilon", "Phi",    "Psi",     "Omega"};

std::string latex_word(const std::string& word) {
  if (word.size() <= 1) return word;
  for (const char* letter : greek)
    if (word == letter) return "\\" + word + " ";
  return "\\mathit{" + word + "}";
}

// phi1 -> \phi_{1}, arm.q[2] -> \mathit{arm}_{q,2}, m_total -> m_{\mathit{total}}
std::string latex_name(const std::string& name) {
  std::vector<std::string> words(1);
  for (const unsigned char c : name) {
    const bool is_digit = std::isdigit(c), is_letter = c < 128 && std::isalpha(c);
    const bool after_digit =
        !words.back().empty() && std::isdigit(static_cast<unsigned char>(words.back().back()));
    if (!is_digit && !is_letter) {
      words.emplace_back();
      if (c == '\'') words.back() = "\\prime ", words.emplace_back();
      continue;
    }
    if (!words.back().empty() && is_digit != after_digit) words.emplace_back();
    words.back() += static_cast<char>(c);
  }
  words.erase(std::remove(words.begin(), words.end(), ""), words.end());
  if (words.empty()) return "x";
  std::string text = latex_word(words[0]), index;
  for (std::size_t k = 1; k < words.size(); ++k) {
    const bool is_number = std::isdigit(static_cast<unsigned char>(words[k][0]));
    index +=
        (k > 1 ? "," : "") + (is_number || words[k][0] == '\\' ? words[k] : latex_word(words[k]));
  }
  return index.empty() ? text : text + "_{" + index + "}";
}

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

class LatexDialect : public Dialect {
 public:
  explicit LatexDialect(const UnitPlan& plan) : plan_(plan) {}

  std::string number(double magnitude) const override {
    if (std::isnan(magnitude)) return "\\mathrm{NaN}";
    if (std::isinf(magnitude)) return "\\infty ";
    std::string text = fmt::format("{}", magnitude);
    const std::size_t e = text.find('e');
    if (e == std::string::npos) return text;
    const std::string mantissa = text.substr(0, e);
    const std::string power = fmt::format("10^{{{}}}", std::stoi(text.substr(e + 1)));
    return mantissa == "1" ? power : mantissa + " \\cdot " + power;
  }
  std::string symbol(int argument, int entry) const override {
    return latex_name(plan_.label(argument, std::max(0, entry)));
  }
  std::string temporary(int number) const override { return fmt::format("z_{{{}}}", number + 1); }
  std::string in_parentheses(const std::string& text) const override {
    return "\\left(" + text + "\\right)";
  }
  std::string function(Op op, const std::vector<std::string>& x) const override {
    switch (op) {
      case Op::sqrt:
        return "\\sqrt{" + x[0] + "}";
      case Op::abs:
        return "\\left|" + x[0] + "\\right|";
      case Op::exp:
        return "e^{" + x[0] + "}";
      case Op::power:
        return in_parentheses(x[0]) + "^{" + x[1] + "}";
      case Op::log:
        return "\\ln " + in_parentheses(x[0]);
      case Op::asin:
      case Op::acos:
      case Op::atan:
        return std::string("\\arc") + (c_function_name(op) + 1) + " " + in_parentheses(x[0]);
      case Op::atan2:
      case Op::sign:
      case Op::step: {
        const char* name = op == Op::atan2 ? "atan2" : op == Op::sign ? "sgn" : "step";
        return fmt::format("\\operatorname{{{}}} ", name) + in_parentheses(joined(x, ", "));
      }
      case Op::min:
      case Op::max:
        return (op == Op::min ? "\\min " : "\\max ") + in_parentheses(joined(x, ", "));
      case Op::if_positive:
        return fmt::format(
            "\\begin{{cases}} {} & \\text{{if }} {} > 0 \\\\ {} & \\text{{else}} \\end{{cases}}",
            x[1], x[0], x[2]);
      default:
        return std::string("\\") + c_function_name(op) + " " + in_parentheses(x[0]);
    }
  }
  std::string table(int table, int order, const std::string& x) const override {
    return fmt::format("s_{{{}}}{} ", table + 1, std::string(order, '\'')) + in_parentheses(x);
  }
  std::string call(const std::string& name, const std::vector<std::string>& x) const override {
    return latex_name(name) + " " + in_parentheses(joined(x, ", "));
  }
  Written product(const Written& x, const Written& y) const override {
    const std::string left = at_least(x, Binding::product), right = at_least(y, Binding::product);
    const bool digits = std::isdigit(static_cast<unsigned char>(right[0]));
    return {left + (digits ? " \\cdot " : " \\, ") + right, Binding::product};
  }
  Written quotient(const Written& x, const Written& y) const override {
    return {"\\frac{" + x.text + "}{" + y.text + "}", Binding::product};
  }

 private:
  const UnitPlan& plan_;
};

std::string entry_name(const StoredArray& array, int entry) {
  const std::string name = latex_name(array.name);
  if (array.rows == 1 && array.columns == 1) return name;
  const std::string whole = name.find('_') == std::string::npos ? name : "{" + name + "}";
  const int row = array.is_sparse() ? array.row[entry] : entry / array.columns;
  const int column = array.is_sparse() ? array.column[entry] : entry % array.columns;
  if (array.columns == 1) return fmt::format("{}_{{{}}}", whole, row + 1);
  return fmt::format("{}_{{{},{}}}", whole, row + 1, column + 1);
}

std::string equations(const UnitPlan& plan, const PlannedFunction& function) {
  const ExpressionGraph& graph = *plan.unit.graph;
  const LatexDialect dialect(plan);
  const ExpressionWriter writer(graph, plan.names, function.listing, dialect);
  std::vector<std::string> lines;
  bool has_zeros = false;
  for (const Statement& s : function.listing.statements) {
    if (s.kind == Statement::Kind::temporary)
      lines.push_back(dialect.temporary(function.listing.temporary_of[s.node]) +
                      " &= " + writer.definition(s.node));
    else if (s.kind == Statement::Kind::store && graph.is_number(s.node, 0))
      has_zeros = true;
    else if (s.kind == Statement::Kind::store)
      lines.push_back(entry_name(function.array(s.array), s.entry) + " &= " + writer.value(s.node));
  }
  std::string text = fmt::format("\\section*{{{}}}\n", latex_text(function.prepared.name));
  if (!function.prepared.comment.empty()) text += latex_text(function.prepared.comment) + "\n";
  if (!lines.empty()) text += "\\begin{align*}\n" + joined(lines, " \\\\\n") + "\n\\end{align*}\n";
  if (has_zeros) text += "All other entries are zero.\n";
  return text;
}

// A linear system is printed as it stands, not solved.
CodeUnit with_systems_as_outputs(const CodeUnit& unit) {
  CodeUnit result = unit;
  for (CodeFunction& function : result.functions) {
    if (!function.solve) continue;
    const LinearSolve& solve = *function.solve;
    function.outputs.push_back({"A", solve.size, solve.size, {}, {}, solve.matrix});
    function.outputs.push_back({"b", solve.size, solve.columns(), {}, {}, solve.rhs});
    function.comment += (function.comment.empty() ? "" : ". ") + std::string("The solution ") +
                        solve.result + " of A " + solve.result + " = b.";
    function.solve.reset();
  }
  return result;
}

}  // namespace

std::vector<GeneratedFile> emit_latex(const UnitPlan& given) {
  const CodeUnit unit = with_systems_as_outputs(given.unit);
  const UnitPlan plan(unit);
  std::string text =
      "\\documentclass[10pt]{article}\n\\usepackage{amsmath}\n"
      "\\usepackage[landscape,margin=15mm]{geometry}\n\\allowdisplaybreaks\n"
      "\\setlength{\\parindent}{0pt}\n\\begin{document}\n";
  text += "\\section*{" + latex_text(unit.title.empty() ? unit.name : unit.title) + "}\n";
  for (const std::string& remark : unit.remarks) text += latex_text(remark) + "\n\n";
  for (int a = 0; a < plan.names.arguments(); ++a) {
    if (plan.argument_size(a) == 0) continue;
    std::vector<std::string> symbols;
    for (int k = 0; k < plan.argument_size(a); ++k) {
      const std::string measure = plan.unit_of(a, k);
      symbols.push_back("$" + latex_name(plan.label(a, k)) + "$" +
                        (measure.empty() ? "" : " [" + latex_text(measure) + "]"));
    }
    text += fmt::format("{}: {}\n\n", latex_text(unit.arguments[a].name), joined(symbols, ", "));
  }
  for (const PlannedFunction& function : plan.functions) text += equations(plan, function);
  return {{plan.names.unit() + ".tex", text + "\\end{document}\n"}};
}

}  // namespace cartan
