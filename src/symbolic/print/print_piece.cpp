#include "symbolic/print/print_piece.h"

#include <algorithm>
#include <cmath>

#include "expr/functions.h"
#include "symbolic/operations.h"
#include "symbolic/print/number_text.h"

namespace cartan::symbolic {
namespace {

std::string text_name(Op op) {
  for (const FunctionRow& row : all_functions())
    if (row.op == op) return std::string(row.name);
  return {};
}

const char* latex_command(Op op) {
  switch (op) {
    case Op::sin:
      return "\\sin";
    case Op::cos:
      return "\\cos";
    case Op::tan:
      return "\\tan";
    case Op::asin:
      return "\\arcsin";
    case Op::acos:
      return "\\arccos";
    case Op::atan:
      return "\\arctan";
    case Op::atan2:
      return "\\operatorname{atan2}";
    case Op::sinh:
      return "\\sinh";
    case Op::cosh:
      return "\\cosh";
    case Op::tanh:
      return "\\tanh";
    case Op::exp:
      return "\\exp";
    case Op::log:
      return "\\ln";
    case Op::sign:
      return "\\operatorname{sgn}";
    case Op::step:
      return "\\operatorname{step}";
    case Op::min:
      return "\\min";
    case Op::max:
      return "\\max";
    default:
      return "";
  }
}

}  // namespace

PiecePrinter::PiecePrinter(const ExpressionGraph& graph, PrintStyle style, NameHook names,
                           std::function<int(int)> rank,
                           std::function<const std::string*(int)> name_of)
    : graph_(graph),
      style_(style),
      names_(std::move(names)),
      name_of_(std::move(name_of)),
      reader_(
          graph, [this](int node) { return name_of_(node) != nullptr; }, std::move(rank)) {}

std::string PiecePrinter::definition(int node) const {
  return looked_into(node).text;
}

std::string PiecePrinter::number(double x) const {
  return number_piece(x).text;
}

std::string PiecePrinter::in_brackets(const std::string& text) const {
  return is_latex() ? "\\left(" + text + "\\right)" : "(" + text + ")";
}

std::string PiecePrinter::at_least(const Piece& piece, Level level) const {
  return piece.level < level ? in_brackets(piece.text) : piece.text;
}

Piece PiecePrinter::product(const std::vector<Piece>& factors) const {
  if (factors.size() == 1) return factors[0];
  std::string text;
  for (const Piece& factor : factors) {
    if (!text.empty()) text += is_latex() ? " \\, " : "*";
    text += at_least(factor, Level::product);
  }
  return {text, Level::product};
}

// What is long does not stand above the line of a fraction: it could not be broken there.
Piece PiecePrinter::quotient(const std::vector<Piece>& above,
                             const std::vector<Piece>& below) const {
  const Piece dividend = above.empty() ? Piece{"1", Level::atom} : product(above);
  const Piece divisor = product(below);
  if (!is_latex())
    return {at_least(dividend, Level::product) + "/" +
                (below.size() > 1 ? in_brackets(divisor.text) : at_least(divisor, Level::product)),
            Level::product};
  constexpr int many = 30;
  if (std::count(dividend.text.begin(), dividend.text.end(), ' ') <= many)
    return {"\\frac{" + dividend.text + "}{" + divisor.text + "}", Level::product};
  return {"\\frac{1}{" + divisor.text + "} \\, " + at_least(dividend, Level::product),
          Level::product};
}

Piece PiecePrinter::piece(int node) const {
  if (const std::string* name = name_of_(node)) return {*name, Level::atom};
  return looked_into(node);
}

Piece PiecePrinter::looked_into(int node) const {
  const Instruction& x = graph_.node(node);
  switch (x.op) {
    case Op::constant:
      return number_piece(graph_.number(node));
    case Op::input:
      return {names_(graph_.symbol_name(x.a)), Level::atom};
    case Op::add:
    case Op::multiply:
    case Op::divide:
      return sum(reader_.terms(node));
    case Op::if_positive:
      return branch(node);
    case Op::power: {
      const std::vector<Monomial> terms = reader_.terms(node);
      if (terms[0].factors.size() != 1 || terms[0].factors[0].node != node) return sum(terms);
      return power(piece(x.a), piece(x.b).level == Level::atom || is_latex()
                                   ? piece(x.b).text
                                   : in_brackets(piece(x.b).text));
    }
    default:
      return function(node);
  }
}

Piece PiecePrinter::sum(const std::vector<Monomial>& terms) const {
  Piece result = monomial(terms[0]);
  if (terms.size() == 1) return result;
  for (std::size_t k = 1; k < terms.size(); ++k) {
    Monomial term = terms[k];
    const Piece signed_piece = monomial(term);
    const bool negative = signed_piece.text[0] == '-';
    result.text += negative ? " - " : " + ";
    result.text += negative ? signed_piece.text.substr(1) : signed_piece.text;
  }
  result.level = Level::sum;
  return result;
}

// Whether the negative of a sum reads better: it has a negative term.
bool PiecePrinter::can_be_flipped(int node) const {
  if (!reader_.is_sum(node) || name_of_(node)) return false;
  const std::vector<Monomial> terms = reader_.terms(node);
  return std::any_of(terms.begin(), terms.end(),
                     [](const Monomial& x) { return x.coefficient < 0; });
}

Piece PiecePrinter::monomial(Monomial m) const {
  if (m.factors.empty()) return number_piece(m.coefficient);
  int flipped = -1;  // the factor that takes the sign
  if (m.coefficient < 0 && (m.factors.size() > 1 || m.coefficient != -1))
    for (std::size_t k = 0; k < m.factors.size() && flipped < 0; ++k)
      if (m.factors[k].power == 1 && can_be_flipped(m.factors[k].node)) flipped = m.factors[k].node;
  const bool negative = (m.coefficient < 0) != (flipped >= 0);
  const double size = std::fabs(m.coefficient);

  std::vector<Piece> above, below;
  const auto simple = simple_number(size);
  if (!simple) {
    above.push_back({number(size), Level::product});
  } else {
    if (simple->numerator != 1) above.push_back({simple->numerator_digits(), Level::atom});
    if (simple->times_pi) above.push_back({is_latex() ? "\\pi" : "pi", Level::atom});
    if (simple->denominator != 1)
      below.push_back({std::to_string(simple->denominator), Level::atom});
  }
  for (const Factor& f : m.factors)
    (f.power > 0 ? above : below).push_back(factor({f.node, std::abs(f.power)}, f.node == flipped));
  Piece result = below.empty() ? product(above) : quotient(above, below);
  if (negative) result.text = at_least(result, Level::product);
  if (negative) result = {"-" + result.text, Level::sum};
  return result;
}

Piece PiecePrinter::factor(const Factor& f, bool flipped) const {
  Piece base;
  if (flipped) {
    std::vector<Monomial> terms = reader_.terms(f.node);
    for (Monomial& term : terms) term.coefficient = -term.coefficient;
    const auto positive = std::find_if(terms.begin(), terms.end(),
                                       [](const Monomial& x) { return x.coefficient > 0; });
    std::rotate(terms.begin(), positive, positive + 1);
    base = sum(terms);
  } else {
    base = piece(f.node);
  }
  if (f.power == 1) return base;
  const std::string exponent = std::to_string(f.power);
  const Op op = graph_.node(f.node).op;
  if (is_latex() && !name_of_(f.node) && op >= Op::sin && op <= Op::tanh && op != Op::atan2) {
    const std::string command = latex_command(op);
    return {command + "^{" + exponent + "}" + base.text.substr(command.size()), Level::product};
  }
  return power(base, exponent);
}

Piece PiecePrinter::power(const Piece& base, const std::string& exponent) const {
  const std::string text = at_least(base, Level::atom);
  return {text + "^" + (is_latex() ? "{" + exponent + "}" : exponent), Level::power};
}

Piece PiecePrinter::number_piece(double x) const {
  if (!std::isfinite(x)) {
    if (is_latex()) return {std::isnan(x) ? "\\mathrm{NaN}" : x > 0 ? "\\infty" : "-\\infty"};
    return {std::isnan(x) ? "(0/0)" : x > 0 ? "(1/0)" : "(-1/0)"};
  }
  const bool negative = x < 0;
  const double size = std::fabs(x);
  Piece result;
  const auto simple = simple_number(size);
  const bool dyadic =
      simple && !simple->times_pi &&
      (simple->denominator == 2 || simple->denominator == 4 || simple->denominator == 8);
  if (simple && !dyadic) {
    std::string above =
        simple->numerator == 1 && simple->times_pi ? "" : simple->numerator_digits();
    if (simple->times_pi) above += is_latex() ? "\\pi" : (above.empty() ? "pi" : "*pi");
    result = {above, simple->times_pi && simple->numerator != 1 ? Level::product : Level::atom};
    if (simple->denominator != 1) {
      const std::string below = std::to_string(simple->denominator);
      result = {is_latex() ? "\\frac{" + above + "}{" + below + "}" : above + "/" + below,
                Level::product};
    }
  } else {
    result.text = shortest_digits(size);
    const auto e = result.text.find('e');
    if (is_latex() && e != std::string::npos)
      result = {result.text.substr(0, e) + " \\cdot 10^{" +
                    std::to_string(std::stoi(result.text.substr(e + 1))) + "}",
                Level::product};
  }
  if (negative) result = {"-" + result.text, Level::sum};
  return result;
}

Piece PiecePrinter::function(int node) const {
  const Instruction& x = graph_.node(node);
  std::vector<Piece> arguments;
  if (x.op == Op::call) {
    for (const int k : graph_.arguments(x.b)) arguments.push_back(piece(k));
    return named_function(names_(graph_.function_name(x.a)), arguments);
  }
  if (is_table(x.op)) {
    const std::string which = "table" + std::to_string(x.a + 1);
    return named_function(
        (is_latex() ? "\\mathrm{" + which + "}" : which) + std::string(table_order(x.op), '\''),
        {piece(x.b)});
  }
  for_each_operand(x, [&](int k) { arguments.push_back(piece(k)); });
  if (is_latex()) return latex_function(x.op, arguments);
  return named_function(text_name(x.op), arguments);
}

Piece PiecePrinter::named_function(const std::string& name,
                                   const std::vector<Piece>& arguments) const {
  std::string list;
  for (const Piece& argument : arguments) list += (list.empty() ? "" : ", ") + argument.text;
  return {name + in_brackets(list), Level::atom};
}

Piece PiecePrinter::latex_function(Op op, const std::vector<Piece>& arguments) const {
  const std::string& first = arguments[0].text;
  if (op == Op::sqrt) return {"\\sqrt{" + first + "}", Level::atom};
  if (op == Op::abs) return {"\\left|" + first + "\\right|", Level::atom};
  const std::string command = latex_command(op);
  if (arguments.size() == 1 && arguments[0].level == Level::atom)
    return {command + "{" + first + "}", Level::product};
  return named_function(command, arguments);
}

Piece PiecePrinter::branch(int node) const {
  const Instruction& x = graph_.node(node);
  const std::string condition = piece(x.a).text, yes = piece(x.b).text, no = piece(x.c).text;
  if (!is_latex()) return {"if(" + condition + " > 0, " + yes + ", " + no + ")", Level::atom};
  return {"\\begin{cases} " + yes + " & " + condition + " > 0 \\\\ " + no +
              " & \\text{otherwise} \\end{cases}",
          Level::sum};
}

}  // namespace cartan::symbolic
