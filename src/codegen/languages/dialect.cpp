#include "codegen/languages/dialect.h"

#include <fmt/format.h>

#include <cmath>

namespace cartan::codegen {

std::string Dialect::number(double magnitude) const {
  std::string text = fmt::format("{}", magnitude);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string Dialect::call(const std::string& name,
                          const std::vector<std::string>& arguments) const {
  return name + "(" + joined(arguments, ", ") + ")";
}

std::string Dialect::fused(const std::string&, const std::string&, const std::string&, bool,
                           bool) const {
  return "";
}

// A product on the right would be regrouped without parentheses; changing sides keeps the result
// to the last bit. A number stands first all the same: 2 x y.
Written Dialect::product(const Written& x, const Written& y) const {
  const bool swap = y.binding == Binding::product && x.binding != Binding::product &&
                    !(x.text[0] >= '0' && x.text[0] <= '9');
  if (x.binding == Binding::atom && x.text[0] >= '0' && x.text[0] <= '9')
    return {x.text + " * " + at_least(y, Binding::product), Binding::product};
  const Written &left = swap ? y : x, &right = swap ? x : y;
  return {at_least(left, Binding::product) + " * " + at_least(right, Binding::atom),
          Binding::product};
}

Written Dialect::quotient(const Written& x, const Written& y) const {
  return {at_least(x, Binding::product) + " / " + at_least(y, Binding::atom), Binding::product};
}

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += between;
    text += word;
  }
  return text;
}

const char* c_function_name(Op op) {
  switch (op) {
    case Op::power:
      return "pow";
    case Op::sin:
      return "sin";
    case Op::cos:
      return "cos";
    case Op::tan:
      return "tan";
    case Op::asin:
      return "asin";
    case Op::acos:
      return "acos";
    case Op::atan:
      return "atan";
    case Op::atan2:
      return "atan2";
    case Op::sinh:
      return "sinh";
    case Op::cosh:
      return "cosh";
    case Op::tanh:
      return "tanh";
    case Op::exp:
      return "exp";
    case Op::log:
      return "log";
    case Op::sqrt:
      return "sqrt";
    case Op::abs:
      return "fabs";
    default:
      return nullptr;
  }
}

}  // namespace cartan::codegen
