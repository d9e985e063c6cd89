// The parser behind parse.h: recursive descent over the grammar given there. Nesting is bounded, so
// no text can exhaust the stack. Operators, numbers and names are in parser.cpp, calls of functions
// in parser_calls.cpp.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "expr/functions.h"
#include "expr/parse.h"
#include "expr/syntax_tree.h"

namespace cartan::expr {

inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
inline bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
inline bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

class Parser {
 public:
  // The first problem ends the parse; every caller up the chain would only tell its consequences.
  struct Failure {
    ExpressionError error;
  };

  Parser(std::string_view text, const UserFunctions* functions)
      : text_(text), functions_(functions) {}

  SyntaxTree parse();
  SyntaxTree parse_equation();

 private:
  // A part of the text that has been read: its node, and where its comparison sign is if it is one.
  struct Part {
    int node = 0;
    int comparison_at = -1;
  };
  class Level;  // counts the levels of the descent that are open
  using Three = std::array<int, 3>;

  void begin(const std::string& what, const std::string& expected);

  // Characters
  bool at_end() const { return at_ >= static_cast<int>(text_.size()); }
  char peek(int ahead = 0) const;
  void skip_space();
  bool accept(char c);
  [[noreturn]] void fail(int offset, std::string message) const;
  std::string shown_character() const;
  [[noreturn]] void fail_at_leftover() const;

  // Nodes
  int add(SyntaxNode node);
  int add_number(double value, int offset);
  int add_operation(Op op, int offset, int a, int b = 0, int c = 0);
  int plain(Part part) const;

  // Operators
  Part comparison();
  Part sum();
  Part product();
  Part unary();
  Part power();

  // Operands
  Part primary();
  Part parenthesis();
  void close(int open, char bracket);
  int number();
  int name_or_call();
  std::string prime();
  std::string segment();
  std::string quoted_text(const char* what);
  int index();

  // Calls
  int call(const std::string& name, int begin);
  int user_call(const UserFunction& function, int begin);
  int compose(const FunctionRow& function, const std::vector<Part>& given, int begin);
  int add_call(const std::string& name, const std::vector<Part>& given, int begin);
  int apply(const FunctionRow& function, const std::vector<Part>& arguments, int begin);
  std::vector<Part> arguments();
  [[noreturn]] void fail_unknown_function(const std::string& name, int begin) const;

  // Points
  int point_call(const std::string& name, int begin);
  Three difference_of(const std::string& a, const std::string& b, int begin);
  int scalar_product(const Three& a, const Three& b, int begin);
  int length_of(const Three& a, int begin);
  int angle_between(const Three& a, const Three& b, int begin);

  // Tables
  int table_call(int begin);
  template <class Kind>
  Kind table_word(std::span<const std::string_view> names,
                  std::optional<Kind> (*find)(std::string_view), const std::string& what);

  std::string_view text_;
  const UserFunctions* functions_;
  bool in_equation_ = false;
  int at_ = 0;
  int depth_ = 0;
  SyntaxTree tree_;
};

}  // namespace cartan::expr
