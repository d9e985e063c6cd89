#include "expr/compile.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "expr/functions.h"
#include "expr/program_builder.h"
#include "expr/syntax_tree.h"

namespace cartan::expr {
namespace {

// Definitions are compiled inside each other; this bounds the stack.
constexpr std::size_t deepest_definitions = 500;
// Functions are written out where they are called, and those that call others grow.
constexpr int most_calls = 10000;
constexpr int most_instructions = 1000000;
constexpr int deepest_calls = 200;

using NameKey = std::pair<std::string, int>;  // name and index

std::string shown(const NameKey& key) {
  return key.second < 0 ? key.first : key.first + "[" + std::to_string(key.second) + "]";
}

class Compiler {
 public:
  Compiler(const Resolver& resolve, const TableReader& tables, std::vector<CompileError>& errors,
           const UserFunctions* functions)
      : resolve_(resolve), tables_(tables), errors_(errors), functions_(functions) {}

  Program compile(std::span<const Syntax> trees) {
    std::vector<int> outputs;
    for (std::size_t k = 0; k < trees.size(); ++k) {
      tree_ = static_cast<int>(k);
      outputs.push_back(trees[k] ? compile_tree(*trees[k]) : builder_.constant(0));
    }
    std::vector<FoldProblem> problems;
    Program program = builder_.finish(outputs, &problems);
    for (const FoldProblem& problem : problems) report(problem.place, problem.message);
    return program;
  }

 private:
  int compile_tree(const SyntaxTree& tree) {
    std::vector<int> code;  // instruction of each node
    code.reserve(tree.nodes.size());
    for (const SyntaxNode& node : tree.nodes) code.push_back(compile_node(tree, node, code));
    return code.back();
  }

  int compile_node(const SyntaxTree& tree, const SyntaxNode& node, const std::vector<int>& code) {
    const auto operand = [&](int k) { return code[node.operands[k]]; };
    const TextPlace place = place_of(node);
    switch (node.kind) {
      case NodeKind::number:
        return builder_.constant(node.number);
      case NodeKind::name:
        return compile_name({tree.texts[node.text], node.index}, place);
      case NodeKind::table:
        return compile_table({tree.texts[node.text], tree.texts[node.text + 1], node.rule},
                             operand(0), place);
      case NodeKind::call: {
        std::vector<int> arguments;
        for (int k = 0; k < node.operands[1]; ++k)
          arguments.push_back(code[tree.arguments[node.operands[0] + k]]);
        return compile_call(tree.texts[node.text], std::move(arguments), place);
      }
      case NodeKind::operation:
        break;
    }
    builder_.set_place(place);
    switch (operand_count(node.op)) {
      case 1:
        return builder_.make(node.op, operand(0));
      case 2:
        return builder_.make(node.op, operand(0), operand(1));
      default:
        return builder_.make(node.op, operand(0), operand(1), operand(2));
    }
  }

  // ----------------------------------------------------------------------------------------- names

  int compile_name(const NameKey& name, const TextPlace& place) {
    if (function_) return compile_argument(name, place);
    if (const auto known = known_.find(name); known != known_.end()) return known->second;
    if (is_open(name)) return fail(place, cycle_message(name));
    const Meaning meaning = resolve_ ? resolve_(name.first, name.second) : Meaning{};
    if (meaning.symbol) return known_[name] = builder_.input(*meaning.symbol);
    if (meaning.number) {
      if (std::isfinite(*meaning.number)) return known_[name] = builder_.constant(*meaning.number);
      return fail(place, "the value of '" + shown(name) + "' is not a finite number");
    }
    if (meaning.definition)
      return known_[name] = compile_definition(name, *meaning.definition, place);
    return fail(place,
                meaning.problem.empty() ? "unknown name '" + shown(name) + "'" : meaning.problem);
  }

  int compile_definition(const NameKey& name, const SyntaxTree& definition,
                         const TextPlace& place) {
    if (open_.size() >= deepest_definitions)
      return fail(place, "definitions use each other more than 500 deep");
    if (open_.empty()) use_offset_ = place.offset;
    open_.push_back(static_cast<int>(definitions_.size()));
    definitions_.push_back(name);
    const int instruction = compile_tree(definition);
    open_.pop_back();
    return instruction;
  }

  bool is_open(const NameKey& name) const {
    return std::any_of(open_.begin(), open_.end(), [&](int d) { return definitions_[d] == name; });
  }

  std::string cycle_message(const NameKey& name) const {
    std::string chain;
    bool inside = false;
    for (int d : open_) {
      inside = inside || definitions_[d] == name;
      if (inside) chain += shown(definitions_[d]) + " -> ";
    }
    return "'" + shown(name) + "' is defined by itself (" + chain + shown(name) +
           "); break the cycle";
  }

  // ------------------------------------------------------------------------------------- functions

  // The part of x after the point: 0 at whole numbers, just below 1 before them. A table, so that
  // its jumps are located, held and written as code like those of any other.
  int compile_fraction(int x) {
    static const auto sawtooth =
        std::make_shared<const TableFunction>(std::vector<double>{0, 1}, std::vector<double>{0, 1},
                                              Interpolation::linear, Outside::periodic, "floor");
    return builder_.table(sawtooth, 0, x);
  }

  int compile_composed(const std::string& name, const std::vector<int>& x, const TextPlace& place) {
    builder_.set_place(place);
    if (name == "mod")
      return builder_.make(Op::multiply, x[1],
                           compile_fraction(builder_.make(Op::divide, x[0], x[1])));
    const int shifted =
        name == "round" ? builder_.make(Op::add, x[0], builder_.constant(0.5)) : x[0];
    return builder_.make(Op::subtract, shifted, compile_fraction(shifted));
  }

  int compile_call(const std::string& name, std::vector<int> arguments, const TextPlace& place) {
    const UserFunction* function = functions_ ? functions_->find(name) : nullptr;
    if (!function && find_composed_function(name)) return compile_composed(name, arguments, place);
    if (!function) return fail(place, "the function '" + name + "' cannot be used here");
    builder_.set_place(place);
    if (function->code) return builder_.call({function->code, 0}, arguments);
    if (!function->body) return builder_.constant(0);  // reported where it is declared
    if (++calls_ > most_calls || depth_ == deepest_calls || builder_.size() > most_instructions)
      return fail(place, "functions call each other too often to be written out; make '" + name +
                             "' a function of C code in [functions]");
    if (!function_) call_place_ = place;
    const UserFunction* const outer = std::exchange(function_, function);
    std::swap(arguments_, arguments);
    ++depth_;
    const int instruction = compile_tree(*function->body);
    --depth_;
    std::swap(arguments_, arguments);
    function_ = outer;
    return instruction;
  }

  // Inside of a function only its arguments have names.
  int compile_argument(const NameKey& name, const TextPlace& place) {
    const std::vector<std::string>& list = function_->arguments;
    const auto at = std::find(list.begin(), list.end(), name.first);
    if (at != list.end() && name.second < 0) return arguments_[at - list.begin()];
    return fail(place, "'" + shown(name) + "' is no argument of the function '" + function_->name +
                           "'; hand it over as an argument");
  }

  // ---------------------------------------------------------------------------------------- tables

  struct KnownTable {
    std::shared_ptr<const TableFunction> function;
    std::string problem;
  };
  using TableKey =
      std::tuple<std::string, std::string, std::optional<Interpolation>, std::optional<Outside>>;

  int compile_table(const TableText& text, int argument, const TextPlace& place) {
    auto [entry, is_new] = known_tables_.try_emplace(
        TableKey(text.file, text.column, text.rule.interpolation, text.rule.outside));
    KnownTable& table = entry->second;
    if (is_new && tables_) table.function = tables_(text, table.problem);
    builder_.set_place(place);
    if (table.function) return builder_.table(table.function, 0, argument);
    return fail(place, table.problem.empty() ? "tables cannot be used here" : table.problem);
  }

  // ---------------------------------------------------------------------------------------
  // problems

  // In a definition, places are told where the tree uses it: its own text is not the caller's.
  TextPlace place_of(const SyntaxNode& node) const {
    if (function_) return call_place_;
    if (open_.empty()) return {tree_, node.offset, -1};
    return {tree_, use_offset_, open_.back()};
  }

  void report(const TextPlace& place, std::string message) {
    if (place.definition >= 0)
      message = "in the definition of '" + shown(definitions_[place.definition]) + "': " + message;
    errors_.push_back({place.tree, place.offset, std::move(message)});
  }

  // Something must stand for what failed; the errors say that the program is not to be used. No
  // number: 1/0 would be a second complaint about the same.
  int fail(const TextPlace& place, std::string message) {
    report(place, std::move(message));
    return builder_.input({Quantity::variable_rate, -1 - static_cast<int>(errors_.size()), 0});
  }

  const Resolver& resolve_;
  const TableReader& tables_;
  std::vector<CompileError>& errors_;
  const UserFunctions* functions_;
  const UserFunction* function_ = nullptr;  // the one being written out ...
  std::vector<int> arguments_;              // ... and the instructions of its arguments
  TextPlace call_place_;                    // where the outermost one is called
  int calls_ = 0, depth_ = 0;
  ProgramBuilder builder_;
  std::map<NameKey, int> known_;  // instruction of each name met
  std::map<TableKey, KnownTable> known_tables_;
  std::vector<NameKey> definitions_;  // in the order they were opened
  std::vector<int> open_;             // those being compiled, outermost first
  int tree_ = 0;
  int use_offset_ = 0;  // where the tree mentions the outermost open definition
};

}  // namespace

Program compile(std::span<const Syntax> trees, const Resolver& resolve, const TableReader& tables,
                std::vector<CompileError>& errors, const UserFunctions* functions) {
  const std::size_t before = errors.size();
  Program program = Compiler(resolve, tables, errors, functions).compile(trees);
  std::stable_sort(errors.begin() + before, errors.end(),
                   [](const CompileError& a, const CompileError& b) {
                     return std::pair(a.tree, a.offset) < std::pair(b.tree, b.offset);
                   });
  return program;
}

}  // namespace cartan::expr
