// Recursive descent over the grammar in parse.h. Nesting is bounded, so no text can exhaust the
// stack.
#include "expr/parse.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <span>
#include <system_error>
#include <unordered_set>

#include "core/diagnostics.h"
#include "expr/functions.h"
#include "expr/syntax_tree.h"

namespace cartan {
namespace {

constexpr std::size_t longest_text = 64 * 1024;
constexpr int deepest_nesting = 200;
constexpr int largest_index = 1'000'000;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// A part of the text that has been read: its node, and where its comparison sign is if it is one.
struct Part {
  int node = 0;
  int comparison_at = -1;
};

// The first problem ends the parse; every caller up the chain would only tell its consequences.
struct Failure {
  ExpressionError error;
};

class Parser {
 public:
  Parser(std::string_view text, const UserFunctions* functions)
      : text_(text), functions_(functions) {}

  SyntaxTree parse() {
    begin("expression", "a number, a name or a formula");
    plain(comparison());
    if (!at_end()) fail_at_leftover();
    return std::move(tree_);
  }

  SyntaxTree parse_equation() {
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

 private:
  // Counts the levels of the descent that are open.
  class Level {
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

  void begin(const std::string& what, const std::string& expected) {
    if (text_.size() > longest_text)
      fail(0, "the " + what + " is longer than 65536 characters; split it with [definitions]");
    skip_space();
    if (at_end()) fail(0, "the " + what + " is empty; expected " + expected);
  }

  // ------------------------------------------------------------------------------------ characters

  bool at_end() const { return at_ >= static_cast<int>(text_.size()); }
  char peek(int ahead = 0) const {
    const std::size_t i = static_cast<std::size_t>(at_ + ahead);
    return i < text_.size() ? text_[i] : '\0';
  }
  void skip_space() {
    while (!at_end() && is_space(peek())) ++at_;
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    skip_space();
    return true;
  }

  [[noreturn]] void fail(int offset, std::string message) const {
    throw Failure{{offset, std::move(message)}};
  }

  std::string shown_character() const {
    const unsigned char c = static_cast<unsigned char>(peek());
    if (c > 0x20 && c < 0x7f) return "'" + std::string(1, peek()) + "'";
    char hex[8];
    std::snprintf(hex, sizeof hex, "0x%02X", c);
    return std::string("byte ") + hex;
  }

  [[noreturn]] void fail_at_leftover() const {
    const char c = peek();
    if (c == ')') fail(at_, "')' without a matching '('; remove it or add '('");
    if (c == ',')
      fail(at_, "',' outside the arguments of a function; write a decimal point as '.'");
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

  int add(SyntaxNode node) {
    tree_.nodes.push_back(node);
    return static_cast<int>(tree_.nodes.size()) - 1;
  }
  int add_number(double value, int offset) {
    return add({.kind = NodeKind::number, .offset = offset, .number = value});
  }
  int add_operation(Op op, int offset, int a, int b = 0, int c = 0) {
    return add({.kind = NodeKind::operation, .op = op, .offset = offset, .operands = {a, b, c}});
  }

  // Only the condition of `if` may be a comparison: its value is a truth, not a number.
  int plain(Part part) const {
    if (part.comparison_at >= 0)
      fail(part.comparison_at,
           "a comparison may stand only as the condition of if(condition, a, b)");
    return part.node;
  }

  // ------------------------------------------------------------------------------------- operators

  Part comparison() {
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

  Part sum() {
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

  Part product() {
    Part left = unary();
    while (peek() == '*' || peek() == '/') {
      const int at = at_;
      if (peek() == '*' && peek(1) == '*')
        fail(at, "'**' is not an operator; write powers with '^'");
      const Op op = peek() == '*' ? Op::multiply : Op::divide;
      accept(peek());
      const int a = plain(left), b = plain(unary());
      left = {add_operation(op, at, a, b)};
    }
    return left;
  }

  Part unary() {
    const Level level(*this);
    const int at = at_;
    if (accept('-')) return {add_operation(Op::negate, at, plain(unary()))};
    if (accept('+')) return {plain(unary())};
    return power();
  }

  Part power() {
    const Part base = primary();
    const int at = at_;
    if (!accept('^')) return base;
    const int a = plain(base), b = plain(unary());
    return {add_operation(Op::power, at, a, b)};
  }

  // -------------------------------------------------------------------------------------- operands

  Part primary() {
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

  Part parenthesis() {
    const int open = at_;
    accept('(');
    const Part inside = comparison();
    close(open, ')');
    return inside;
  }

  void close(int open, char bracket) {
    if (accept(bracket)) return;
    if (at_end())
      fail(open,
           "this '" + std::string(1, text_[open]) + "' is never closed; add '" + bracket + "'");
    if (peek() == ',') fail(at_, "',' outside the arguments of a function");
    fail_at_leftover();
  }

  int number() {
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

  int name_or_call() {
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
  std::string prime() {
    if (!in_equation_)
      fail(at_, "a prime marks the rate of a variable and may stand only in `equations`");
    ++at_;
    if (peek() == '\'')
      fail(at_, "a second rate; give the first one a name as a variable of its own: y = x'");
    skip_space();
    return "'";
  }

  // One part of a dotted name.
  std::string segment() {
    if (peek() == '\'') return quoted_text("a name");
    if (!is_letter(peek()))
      fail(at_,
           "a name is expected after '.'; names with special characters stand in 'single quotes'");
    const int begin = at_;
    while (is_letter(peek()) || is_digit(peek())) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::string quoted_text(const char* what) {
    const int open = at_;
    const char quote = peek();
    const std::size_t end = text_.find(quote, open + 1);
    if (end == std::string_view::npos)
      fail(open, "this quote is never closed; add " + std::string(1, quote));
    if (end == static_cast<std::size_t>(open) + 1)
      fail(open, std::string(what) + " cannot be empty");
    at_ = static_cast<int>(end) + 1;
    return std::string(text_.substr(open + 1, end - open - 1));
  }

  // The optional [i] of a name, -1 when there is none.
  int index() {
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

  // ----------------------------------------------------------------------------------------- calls

  int call(const std::string& name, int begin) {
    if (name == "table") return table_call(begin);
    const FunctionRow* function = find_function(name);
    if (!function && functions_)
      if (const UserFunction* user = functions_->find(name)) return user_call(*user, begin);
    if (!function && (name == "distance" || name == "angle")) return point_call(name, begin);
    if (!function) function = find_composed_function(name);
    if (!function) fail_unknown_function(name, begin);
    const std::vector<Part> arguments = this->arguments();
    const int count = static_cast<int>(arguments.size());
    if (count < function->arguments || (count > function->arguments && !function->or_more))
      fail(begin, "'" + name + "' takes " + std::to_string(function->arguments) +
                      (function->or_more ? " or more" : "") + " argument" +
                      (function->arguments == 1 ? "" : "s") + ", not " + std::to_string(count) +
                      "; write " + std::string(function->usage));
    return function->op == Op::call ? compose(*function, arguments, begin)
                                    : apply(*function, arguments, begin);
  }

  int user_call(const UserFunction& function, int begin) {
    const std::vector<Part> given = arguments();
    const std::size_t count = function.arguments.size();
    if (given.size() != count) {
      std::string usage = function.name + "(";
      for (std::size_t k = 0; k < count; ++k) usage += (k ? ", " : "") + function.arguments[k];
      fail(begin, "'" + function.name + "' takes " + std::to_string(count) + " argument" +
                      (count == 1 ? "" : "s") + ", not " + std::to_string(given.size()) +
                      "; write " + usage + ") as in [functions]");
    }
    return add_call(function.name, given, begin);
  }

  // floor, mod and round jump: the compiler makes them of a table that repeats (compile.cpp).
  int compose(const FunctionRow& function, const std::vector<Part>& given, int begin) {
    if (function.name == "deg" || function.name == "rpm") {
      const int unit = add_number(function.name == "deg" ? pi / 180 : pi / 30, begin);
      return add_operation(Op::multiply, begin, plain(given[0]), unit);
    }
    return add_call(std::string(function.name), given, begin);
  }

  int add_call(const std::string& name, const std::vector<Part>& given, int begin) {
    SyntaxNode node{.kind = NodeKind::call, .op = Op::call, .offset = begin};
    std::vector<int> parts;
    for (const Part& part : given) parts.push_back(plain(part));
    node.operands[0] = static_cast<int>(tree_.arguments.size());
    node.operands[1] = static_cast<int>(parts.size());
    tree_.arguments.insert(tree_.arguments.end(), parts.begin(), parts.end());
    node.text = static_cast<int>(tree_.texts.size());
    tree_.texts.push_back(name);
    return add(node);
  }

  // distance(a, b) and angle(a, b, c), the angle at b, of points and bodies by their names.
  int point_call(const std::string& name, int begin) {
    const bool angle = name == "angle";
    const std::string usage = angle ? "angle(a, b, c)" : "distance(a, b)";
    const int open = at_;
    accept('(');
    std::vector<std::string> points;
    do {
      skip_space();
      if (peek() != '\'' && !is_letter(peek()))
        fail(at_, "'" + name + "' takes names of points or bodies; write " + usage);
      std::string point = segment();
      while (peek() == '.') {
        ++at_;
        point += '.' + segment();
      }
      points.push_back(std::move(point));
      skip_space();
    } while (accept(','));
    close(open, ')');
    if (points.size() != (angle ? 3u : 2u))
      fail(begin, "'" + name + "' takes " + (angle ? "3" : "2") + " points, not " +
                      std::to_string(points.size()) + "; write " + usage);
    if (!angle) return length_of(difference_of(points[0], points[1], begin), begin);
    return angle_between(difference_of(points[0], points[1], begin),
                         difference_of(points[2], points[1], begin), begin);
  }

  using Three = std::array<int, 3>;
  Three difference_of(const std::string& a, const std::string& b, int begin) {
    Three result;
    for (int k = 0; k < 3; ++k) {
      const auto coordinate = [&](const std::string& point) {
        SyntaxNode node{.kind = NodeKind::name, .offset = begin};
        node.text = static_cast<int>(tree_.texts.size());
        tree_.texts.push_back(point + "." + "xyz"[k]);
        return add(node);
      };
      const int left = coordinate(a);
      result[k] = add_operation(Op::subtract, begin, left, coordinate(b));
    }
    return result;
  }
  int scalar_product(const Three& a, const Three& b, int begin) {
    int sum = -1;
    for (int k = 0; k < 3; ++k) {
      const int product = add_operation(Op::multiply, begin, a[k], b[k]);
      sum = sum < 0 ? product : add_operation(Op::add, begin, sum, product);
    }
    return sum;
  }
  int length_of(const Three& a, int begin) {
    return add_operation(Op::sqrt, begin, scalar_product(a, a, begin));
  }
  // atan2(|a x b|, a.b): exact to rounding for small angles, too.
  int angle_between(const Three& a, const Three& b, int begin) {
    Three normal;
    for (int k = 0; k < 3; ++k) {
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      const int left = add_operation(Op::multiply, begin, a[i], b[j]);
      normal[k] =
          add_operation(Op::subtract, begin, left, add_operation(Op::multiply, begin, a[j], b[i]));
    }
    const int side = length_of(normal, begin);
    return add_operation(Op::atan2, begin, side, scalar_product(a, b, begin));
  }

  int apply(const FunctionRow& function, const std::vector<Part>& arguments, int begin) {
    const bool is_if = function.op == Op::if_positive;
    const auto node = [&](int k) {
      return is_if && k == 0 ? arguments[k].node : plain(arguments[k]);
    };
    int operands[3] = {0, 0, 0};
    for (int k = 0; k < function.arguments; ++k) operands[k] = node(k);
    int result = add_operation(function.op, begin, operands[0], operands[1], operands[2]);
    for (std::size_t k = function.arguments; k < arguments.size(); ++k)
      result = add_operation(function.op, begin, result, plain(arguments[k]));
    return result;
  }

  std::vector<Part> arguments() {
    const int open = at_;
    accept('(');
    std::vector<Part> parts;
    if (accept(')')) return parts;
    do parts.push_back(comparison());
    while (accept(','));
    close(open, ')');
    return parts;
  }

  int table_call(int begin) {
    const char* usage = "expected table(\"file.csv\", \"column\", x)";
    const char* longest =
        "; the longest form is table(\"file.csv\", \"column\", x, \"spline\", \"hold\")";
    const int open = at_;
    accept('(');
    SyntaxNode node{.kind = NodeKind::table, .op = Op::table, .offset = begin};
    node.text = static_cast<int>(tree_.texts.size());
    for (const char* what : {"the file of a table", "the column of a table"}) {
      if (peek() != '"' && peek() != '\'')
        fail(at_, std::string(what) + " must be a text in quotes; " + usage);
      tree_.texts.push_back(quoted_text(what));
      skip_space();
      if (!accept(',')) fail(at_, std::string("',' is missing; ") + usage);
    }
    node.operands[0] = plain(comparison());
    if (accept(','))
      node.rule.interpolation = table_word<Interpolation>(interpolation_names, interpolation_named,
                                                          "between its points a table is read as");
    if (node.rule.interpolation && accept(','))
      node.rule.outside =
          table_word<Outside>(outside_names, outside_named, "outside of its range a table follows");
    if (peek() == ',') fail(at_, std::string("too many arguments") + longest);
    close(open, ')');
    return add(node);
  }

  // One of the names, in quotes.
  template <class Kind>
  Kind table_word(std::span<const std::string_view> names,
                  std::optional<Kind> (*find)(std::string_view), const std::string& what) {
    const std::vector<std::string> known(names.begin(), names.end());
    std::string expected = what;
    for (std::size_t k = 0; k < known.size(); ++k)
      expected += (k == 0 ? " '" : k + 1 < known.size() ? ", '" : " or '") + known[k] + "'";
    const int begin = at_;
    if (peek() != '"' && peek() != '\'') fail(at_, expected + ", a text in quotes");
    const std::string word = quoted_text("this word");
    skip_space();
    const std::optional<Kind> kind = find(word);
    if (kind) return *kind;
    const std::string nearest = nearest_name(word, known);
    fail(begin, "'" + word + "' is not known; " +
                    (nearest.empty() ? expected : "did you mean '" + nearest + "'?"));
  }

  [[noreturn]] void fail_unknown_function(const std::string& name, int begin) const {
    if (name == "pi") fail(begin, "'pi' is a number, not a function; write products with '*'");
    std::vector<std::string> known = function_names();
    for (const FunctionRow& row : composed_functions()) known.emplace_back(row.name);
    known.insert(known.end(), {"angle", "distance"});
    if (functions_)
      for (const UserFunction& user : functions_->list()) known.push_back(user.name);
    const std::string nearest = nearest_name(name, known);
    fail(begin, "unknown function '" + name + "'; " +
                    (nearest.empty() ? "declare it in [functions], or write products with '*'"
                                     : "did you mean '" + nearest + "'?"));
  }

  std::string_view text_;
  const UserFunctions* functions_;
  bool in_equation_ = false;
  int at_ = 0;
  int depth_ = 0;
  SyntaxTree tree_;
};

}  // namespace

Syntax parse_expression(std::string_view text, ExpressionError& error,
                        const UserFunctions* functions) {
  try {
    return std::make_shared<const SyntaxTree>(Parser(text, functions).parse());
  } catch (const Failure& failure) {
    error = failure.error;
    return nullptr;
  }
}

Syntax parse_equation(std::string_view text, ExpressionError& error,
                      const UserFunctions* functions) {
  try {
    return std::make_shared<const SyntaxTree>(Parser(text, functions).parse_equation());
  } catch (const Failure& failure) {
    error = failure.error;
    return nullptr;
  }
}

static std::vector<std::string> texts_of(const Syntax& tree, NodeKind kind) {
  std::vector<std::string> names;
  if (!tree) return names;
  std::unordered_set<std::string_view> seen;
  for (const SyntaxNode& node : tree->nodes) {
    if (node.kind != kind) continue;
    const std::string& name = tree->texts[node.text];
    if (seen.insert(name).second) names.push_back(name);
  }
  return names;
}

std::vector<std::string> names_in(const Syntax& tree) {
  return texts_of(tree, NodeKind::name);
}

std::vector<std::string> calls_in(const Syntax& tree) {
  return texts_of(tree, NodeKind::call);
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const FunctionRow& row : all_functions()) names.emplace_back(row.name);
  names.insert(std::lower_bound(names.begin(), names.end(), "table"), "table");
  return names;
}

}  // namespace cartan
