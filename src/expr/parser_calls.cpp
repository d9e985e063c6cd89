// Calls: functions of the language and of the file, points, tables.
#include "core/diagnostics.h"
#include "expr/parser.h"

namespace cartan::expr {

int Parser::call(const std::string& name, int begin) {
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

int Parser::user_call(const UserFunction& function, int begin) {
  const std::vector<Part> given = arguments();
  const std::size_t count = function.arguments.size();
  if (given.size() != count) {
    std::string usage = function.name + "(";
    for (std::size_t k = 0; k < count; ++k) usage += (k ? ", " : "") + function.arguments[k];
    fail(begin, "'" + function.name + "' takes " + std::to_string(count) + " argument" +
                    (count == 1 ? "" : "s") + ", not " + std::to_string(given.size()) + "; write " +
                    usage + ") as in [functions]");
  }
  return add_call(function.name, given, begin);
}

// floor, mod and round jump: the compiler makes them of a table that repeats (compile.cpp).
int Parser::compose(const FunctionRow& function, const std::vector<Part>& given, int begin) {
  if (function.name == "deg" || function.name == "rpm") {
    const int unit = add_number(function.name == "deg" ? pi / 180 : pi / 30, begin);
    return add_operation(Op::multiply, begin, plain(given[0]), unit);
  }
  return add_call(std::string(function.name), given, begin);
}

int Parser::add_call(const std::string& name, const std::vector<Part>& given, int begin) {
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

int Parser::apply(const FunctionRow& function, const std::vector<Part>& arguments, int begin) {
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

std::vector<Parser::Part> Parser::arguments() {
  const int open = at_;
  accept('(');
  std::vector<Part> parts;
  if (accept(')')) return parts;
  do parts.push_back(comparison());
  while (accept(','));
  close(open, ')');
  return parts;
}

void Parser::fail_unknown_function(const std::string& name, int begin) const {
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

// ---------------------------------------------------------------------------------------- points

// distance(a, b) and angle(a, b, c), the angle at b, of points and bodies by their names.
int Parser::point_call(const std::string& name, int begin) {
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

Parser::Three Parser::difference_of(const std::string& a, const std::string& b, int begin) {
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

int Parser::scalar_product(const Three& a, const Three& b, int begin) {
  int sum = -1;
  for (int k = 0; k < 3; ++k) {
    const int product = add_operation(Op::multiply, begin, a[k], b[k]);
    sum = sum < 0 ? product : add_operation(Op::add, begin, sum, product);
  }
  return sum;
}

int Parser::length_of(const Three& a, int begin) {
  return add_operation(Op::sqrt, begin, scalar_product(a, a, begin));
}

// atan2(|a x b|, a.b): exact to rounding for small angles, too.
int Parser::angle_between(const Three& a, const Three& b, int begin) {
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

// ---------------------------------------------------------------------------------------- tables

// One of the names, in quotes.
template <class Kind>
Kind Parser::table_word(std::span<const std::string_view> names,
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

int Parser::table_call(int begin) {
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

}  // namespace cartan::expr
