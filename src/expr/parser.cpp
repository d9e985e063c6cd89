// What is read without calls: characters, operators, numbers, names.
#include "expr/parser.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <system_error>

namespace cartan::expr {
namespace {

constexpr std::size_t longest_text = 64 * 1024;
constexpr int deepest_nesting = 200;
constexpr int largest_index = 1'000'000;

}  // namespace

// Counts the levels of the descent that are open.
class Parser::Level {
 public:
  explicit Level(Parser& parser) : depth_(parser.depth_) {
    if (++depth_ > deepest_nesting)
      parser.fail(parser.at_, "nested more than 200 deep; name parts of it in [definitions]");
  }
  ~Level() { --depth_; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

 private:
  int& depth_;
};

SyntaxTree Parser::parse() {
  begin("expression", "a number, a name or a formula");
  plain(comparison());
  if (!at_end()) fail_at_leftover();
  return std::move(tree_);
}

SyntaxTree Parser::parse_equation() {
  in_equation_ = true;
  begin("equation", "left = right");
  const int left = plain(comparison()), at = at_;
  if (at_end()) fail(at_, "'=' is missing; an equation reads left = right, as in \"2*x' = y\"");
  if (!accept('=')) fail_at_leftover();
  const int right = plain(comparison());
  if (peek() == '=') fail(at_, "a second '='; write one equation for each");
  if (!at_end()) fail_at_leftover();
  add_operation(Op::subtract, at, left, right);
  return std::move(tree_);
}

void Parser::begin(const std::string& what, const std::string& expected) {
  if (text_.size() > longest_text)
    fail(0, "the " + what + " is longer than 65536 characters; split it with [definitions]");
  skip_space();
  if (at_end()) fail(0, "the " + what + " is empty; expected " + expected);
}

// ------------------------------------------------------------------------------------ characters

char Parser::peek(int ahead) const {
  const std::size_t i = static_cast<std::size_t>(at_ + ahead);
  return i < text_.size() ? text_[i] : '\0';
}

void Parser::skip_space() {
  while (!at_end() && is_space(peek())) ++at_;
}

bool Parser::accept(char c) {
  if (peek() != c) return false;
  ++at_;
  skip_space();
  return true;
}

void Parser::fail(int offset, std::string message) const {
  throw Failure{{offset, std::move(message)}};
}

std::string Parser::shown_character() const {
  const unsigned char c = static_cast<unsigned char>(peek());
  if (c > 0x20 && c < 0x7f) return "'" + std::string(1, peek()) + "'";
  char hex[8];
  std::snprintf(hex, sizeof hex, "0x%02X", c);
  return std::string("byte ") + hex;
}

void Parser::fail_at_leftover() const {
  const char c = peek();
  if (c == ')') fail(at_, "')' without a matching '('; remove it or add '('");
  if (c == ',') fail(at_, "',' outside the arguments of a function; write a decimal point as '.'");
  if (c == '<' || c == '>')
    fail(at_, "comparisons cannot be chained; for a < x < b write min(x - a, b - x) > 0");
  if (c == '=' || c == '!')
    fail(at_, "'" + std::string(1, c) + "' is not an operator; comparisons are < > <= >=");
  if (is_digit(c) || is_letter(c) || c == '(' || c == '.' || c == '\'')
    fail(at_, "an operator is missing before " + shown_character() +
                  "; write products with '*', names with special characters in 'single quotes'");
  fail(at_, "unexpected " + shown_character() + "; operators are + - * / ^");
}

// ----------------------------------------------------------------------------------------- nodes

int Parser::add(SyntaxNode node) {
  tree_.nodes.push_back(node);
  return static_cast<int>(tree_.nodes.size()) - 1;
}

int Parser::add_number(double value, int offset) {
  return add({.kind = NodeKind::number, .offset = offset, .number = value});
}

int Parser::add_operation(Op op, int offset, int a, int b, int c) {
  return add({.kind = NodeKind::operation, .op = op, .offset = offset, .operands = {a, b, c}});
}

// Only the condition of `if` may be a comparison: its value is a truth, not a number.
int Parser::plain(Part part) const {
  if (part.comparison_at >= 0)
    fail(part.comparison_at, "a comparison may stand only as the condition of if(condition, a, b)");
  return part.node;
}

// ------------------------------------------------------------------------------------- operators

Parser::Part Parser::comparison() {
  const Part left = sum();
  const int at = at_;
  if (peek() != '<' && peek() != '>') return left;
  const bool less = peek() == '<';
  ++at_;
  const bool or_equal = peek() == '=';
  if (or_equal) ++at_;
  skip_space();
  const int a = plain(left), b = plain(sum());
  const int difference =
      less ? add_operation(Op::subtract, at, b, a) : add_operation(Op::subtract, at, a, b);
  // `if` asks for > 0; step makes the border count as well.
  return {or_equal ? add_operation(Op::step, at, difference) : difference, at};
}

Parser::Part Parser::sum() {
  Part left = product();
  while (peek() == '+' || peek() == '-') {
    const int at = at_;
    const Op op = peek() == '+' ? Op::add : Op::subtract;
    accept(peek());
    const int a = plain(left), b = plain(product());
    left = {add_operation(op, at, a, b)};
  }
  return left;
}

Parser::Part Parser::product() {
  Part left = unary();
  while (peek() == '*' || peek() == '/') {
    const int at = at_;
    if (peek() == '*' && peek(1) == '*') fail(at, "'**' is not an operator; write powers with '^'");
    const Op op = peek() == '*' ? Op::multiply : Op::divide;
    accept(peek());
    const int a = plain(left), b = plain(unary());
    left = {add_operation(op, at, a, b)};
  }
  return left;
}

Parser::Part Parser::unary() {
  const Level level(*this);
  const int at = at_;
  if (accept('-')) return {add_operation(Op::negate, at, plain(unary()))};
  if (accept('+')) return {plain(unary())};
  return power();
}

Parser::Part Parser::power() {
  const Part base = primary();
  const int at = at_;
  if (!accept('^')) return base;
  const int a = plain(base), b = plain(unary());
  return {add_operation(Op::power, at, a, b)};
}

// -------------------------------------------------------------------------------------- operands

Parser::Part Parser::primary() {
  const char c = peek();
  if (c == '(') return parenthesis();
  if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return {number()};
  if (is_letter(c) || c == '\'') return {name_or_call()};
  if (at_end()) fail(at_, "the expression ends too early; expected a number, a name or '('");
  if (c == '"') fail(at_, "a text may stand only in table(\"file\", \"column\", x)");
  if (c == ')' || c == ',')
    fail(at_, "expected a number, a name or '(' before " + shown_character());
  fail(at_, "unexpected " + shown_character() + "; expected a number, a name or '('");
}

Parser::Part Parser::parenthesis() {
  const int open = at_;
  accept('(');
  const Part inside = comparison();
  close(open, ')');
  return inside;
}

void Parser::close(int open, char bracket) {
  if (accept(bracket)) return;
  if (at_end())
    fail(open, "this '" + std::string(1, text_[open]) + "' is never closed; add '" + bracket + "'");
  if (peek() == ',') fail(at_, "',' outside the arguments of a function");
  fail_at_leftover();
}

int Parser::number() {
  const int begin = at_;
  const auto digits = [&] {
    while (is_digit(peek())) ++at_;
  };
  digits();
  if (peek() == '.') ++at_;
  digits();
  if (peek() == 'e' || peek() == 'E') {
    const int sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
    if (!is_digit(peek(1 + sign)))
      fail(at_, "the exponent of this number has no digits; write it as 1e-3");
    at_ += 1 + sign;
    digits();
  }
  double value = 0;
  const auto result = std::from_chars(text_.data() + begin, text_.data() + at_, value);
  if (result.ec == std::errc::result_out_of_range)
    fail(begin, "this number is too large or too small for double precision (1e-308 to 1e308)");
  skip_space();
  return add_number(value, begin);
}

int Parser::name_or_call() {
  const int begin = at_;
  const bool quoted = peek() == '\'';
  std::string name = segment();
  while (peek() == '.') {
    ++at_;
    name += '.' + segment();
  }
  skip_space();
  if (peek() == '(') return call(name, begin);
  if (!quoted && name == "pi") return add_number(pi, begin);
  if (!quoted && peek() == '\'') name += prime();
  SyntaxNode node{.kind = NodeKind::name, .offset = begin};
  node.index = index();
  node.text = static_cast<int>(tree_.texts.size());
  tree_.texts.push_back(std::move(name));
  return add(node);
}

// x' is the rate of a variable.
std::string Parser::prime() {
  if (!in_equation_)
    fail(at_, "a prime marks the rate of a variable and may stand only in `equations`");
  ++at_;
  if (peek() == '\'')
    fail(at_, "a second rate; give the first one a name as a variable of its own: y = x'");
  skip_space();
  return "'";
}

// One part of a dotted name.
std::string Parser::segment() {
  if (peek() == '\'') return quoted_text("a name");
  if (!is_letter(peek()))
    fail(at_,
         "a name is expected after '.'; names with special characters stand in 'single quotes'");
  const int begin = at_;
  while (is_letter(peek()) || is_digit(peek())) ++at_;
  return std::string(text_.substr(begin, at_ - begin));
}

std::string Parser::quoted_text(const char* what) {
  const int open = at_;
  const char quote = peek();
  const std::size_t end = text_.find(quote, open + 1);
  if (end == std::string_view::npos)
    fail(open, "this quote is never closed; add " + std::string(1, quote));
  if (end == static_cast<std::size_t>(open) + 1) fail(open, std::string(what) + " cannot be empty");
  at_ = static_cast<int>(end) + 1;
  return std::string(text_.substr(open + 1, end - open - 1));
}

// The optional [i] of a name, -1 when there is none.
int Parser::index() {
  const int open = at_;
  if (!accept('[')) return -1;
  if (!is_digit(peek())) fail(at_, "an index is a whole number from 0 on, as in joint.q[0]");
  const int begin = at_;
  long value = 0;
  for (; is_digit(peek()); ++at_)
    value = std::min<long>(10 * value + (peek() - '0'), largest_index + 1L);
  if (value > largest_index) fail(begin, "this index is too large");
  if (peek() == '.') fail(at_, "an index is a whole number from 0 on, as in joint.q[0]");
  skip_space();
  if (accept(',')) {  // an entry of a rotation matrix
    skip_space();
    const bool fits = value < 3 && is_digit(peek()) && peek() < '3';
    if (!fits) fail(begin, "rows and columns of a rotation matrix go from 0 to 2: body.R[0,1]");
    value = first_matrix_entry + 3 * value + (peek() - '0');
    ++at_;
    skip_space();
  }
  close(open, ']');
  return static_cast<int>(value);
}

}  // namespace cartan::expr
