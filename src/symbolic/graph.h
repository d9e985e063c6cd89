// Expressions as one graph in which equal expressions are one node.
//
// A node is an operation on earlier nodes (the operations of expr/program.h), so the list of nodes
// is the computation sequence: nothing swells, whatever is substituted into whatever. Every node is
// normalised when it is made, by rules that look at its operands and theirs only:
//   negation        is a factor -1; a difference is a sum with such a term
//   numbers         are folded; in a sum or product the number stands first and there is one
//   coefficients    c x + d x = (c + d) x,  c x + c y = c (x + y),  c x / y = c (x / y)
//   order           operands of +, *, min, max are sorted; x - y and y - x are one node up to sign,
//                   1 - x is -(x - 1)
//   pairs           sin^2 + cos^2 = 1
//   same product    x (y z) is the node of (x y) z or (x z) y where there is one already, and
//                   likewise (x y)(z w); no node is made for the comparison
//   functions       odd and even ones lose the sign of their argument; inverse pairs cancel
//   0 x = 0, x / x = 1: identities of expressions, not of numbers (x may be infinite somewhere)
// Sums and products stay binary: to flatten them would take apart what is shared. A form in which
// everything is collected is made on demand (simplify.h).
//
// Each node carries its value at a sample point, the values the symbols were given. Algorithms that
// look at numbers (which pivot is large enough) see those, and generated code carries them as a
// check of itself.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "expr/program.h"
#include "symbolic/node_table.h"

namespace cartan::symbolic {

class Expression;

class ExpressionGraph {
 public:
  ExpressionGraph();
  ExpressionGraph(const ExpressionGraph&) = delete;  // expressions point to their graph
  ExpressionGraph& operator=(const ExpressionGraph&) = delete;

  // The symbol of that name; made with its sample value when it is new.
  Expression symbol(const std::string& name, double sample = 0);
  // Whether there is one, and which.
  int find_symbol(const std::string& name) const;  // node or -1
  int symbol_count() const { return static_cast<int>(names_.size()); }
  // Symbols in the order in which they were made.
  const std::string& symbol_name(int symbol) const { return names_[symbol]; }
  int symbol_node(int symbol) const { return symbol_nodes_[symbol]; }

  // A function known by name only (its code is given elsewhere): f(x1, ...). Its derivative by
  // argument i (from 1) is the function NAME_i, by arguments i and j NAME_i_j with i <= j.
  struct Function {
    std::string name;
    int base = -1;        // the function it is a derivative of; itself when it is none
    std::vector<int> by;  // ascending: the arguments (from 0) by which it is differentiated
  };
  Expression call(const std::string& name, const std::vector<Expression>& arguments,
                  double sample = 0);
  Expression make_call(int function, const std::vector<int>& arguments, double sample);
  int function_named(const std::string& name) { return function_of_name(name, {}); }
  int function_count() const { return static_cast<int>(functions_.size()); }
  // Of Op::call: a counts the functions, b the lists of arguments.
  const Function& function(int which) const { return functions_[which]; }
  const std::string& function_name(int which) const { return functions_[which].name; }
  const std::vector<int>& arguments(int list) const { return lists_[list]; }
  // The derivative of a function by argument `argument` (from 0).
  int derivative_function(int function, int argument);
  // Where sample values of calls come from; without it they are what the caller gives, and those of
  // derivatives are NaN (not known).
  using CallSampler = std::function<double(const Function&, std::span<const double>)>;
  void set_call_sampler(CallSampler sampler) { call_sampler_ = std::move(sampler); }

  // ---- nodes

  int size() const { return static_cast<int>(nodes_.size()); }
  const Instruction& node(int i) const { return nodes_[i]; }
  double sample(int i) const { return samples_[i]; }
  bool is_number(int i) const { return nodes_[i].op == Op::constant; }
  bool is_number(int i, double value) const { return is_number(i) && number(i) == value; }
  double number(int i) const { return numbers_[nodes_[i].a]; }
  // Of Op::table and its derivatives: nodes_[i].a counts here; the argument is b.
  const std::shared_ptr<const TableFunction>& table(int which) const { return tables_[which]; }

  int make_number(double value);
  int find_number(double value) const;  // its node, or -1
  int make_table(const std::shared_ptr<const TableFunction>& table, int order, int argument);
  // Any other operation, normalised; unused operands stay 0. Op::subtract and Op::negate are
  // accepted and come out as sums and factors.
  int make(Op op, int a, int b = 0, int c = 0);

  // c x where the node is a product with a number, else (1, node).
  struct Term {
    double factor;
    int base;
  };
  Term term(int i) const;

 private:
  int place(const Instruction& instruction);
  int find(const Instruction& instruction) const;  // its node, or -1
  double calc_sample(const Instruction& instruction) const;
  int make_sum(int a, int b);
  int make_product(int a, int b);
  int find_product(int a, int b) const;
  int find_same_product(int a, int b) const;
  int make_quotient(int a, int b);
  int make_power(int base, int exponent);
  int scaled(double factor, int x);
  bool is_square_of(int node, Op function, int argument) const;
  double number_in(int node, int& rest);
  int other_square(double n, const Term& t);
  int add_number(double n, int b);
  int simplify_pair(const Term& x, const Term& y);
  int simplify_function(Op op, int a);
  int function_of_name(const std::string& name, const Function& if_new);
  double calc_call(int function, const std::vector<int>& arguments) const;

  std::vector<Instruction> nodes_;
  std::vector<double> samples_;
  std::vector<double> numbers_;
  std::vector<std::string> names_;
  std::vector<int> symbol_nodes_;
  std::vector<std::shared_ptr<const TableFunction>> tables_;
  NodeTable known_;
  NodeTable known_numbers_;  // by bit pattern
  std::unordered_map<std::string, int> known_symbols_;
  std::vector<Function> functions_;
  std::vector<std::vector<int>> lists_;
  std::map<std::string, int> known_functions_;
  std::map<std::vector<int>, int> known_lists_;
  CallSampler call_sampler_;
};

}  // namespace cartan::symbolic
