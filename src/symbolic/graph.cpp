#include "symbolic/graph.h"

#include <algorithm>
#include <bit>

#include "symbolic/expression.h"
#include "symbolic/operations.h"

namespace cartan::symbolic {
namespace {

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
  return x ^ (x >> 32);
}

std::uint32_t hash_of(const Instruction& i) {
  const auto word = [](int high, int low) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(high)) << 32 |
           static_cast<std::uint32_t>(low);
  };
  return static_cast<std::uint32_t>(
      mixed(mixed(word(i.a, i.b)) + word(i.c, static_cast<int>(i.op)) * 0x9e3779b97f4a7c15u));
}

std::uint32_t hash_of(double number) {
  return static_cast<std::uint32_t>(mixed(std::bit_cast<std::uint64_t>(number)));
}

}  // namespace

ExpressionGraph::ExpressionGraph() = default;

// ------------------------------------------------------------------------------------------ nodes

int ExpressionGraph::place(const Instruction& instruction) {
  const std::uint32_t hash = hash_of(instruction);
  const int known = known_.find(hash, [&](int i) { return nodes_[i] == instruction; });
  if (known >= 0) return known;
  const int made = size();
  nodes_.push_back(instruction);
  samples_.push_back(calc_sample(instruction));
  known_.insert(hash, made);
  return made;
}

int ExpressionGraph::find(const Instruction& instruction) const {
  return known_.find(hash_of(instruction), [&](int i) { return nodes_[i] == instruction; });
}

double ExpressionGraph::calc_sample(const Instruction& i) const {
  auto value = [&](int k) { return samples_[k]; };
  switch (i.op) {
    case Op::constant:
      return numbers_[i.a];
    case Op::input:
    case Op::call:
      return 0;  // set by who makes it
    case Op::if_positive:
      return value(i.a) > 0 ? value(i.b) : value(i.c);
    case Op::table:
    case Op::table_slope:
    case Op::table_curvature:
    case Op::table_jerk:
      return tables_[i.a]->derivative(table_order(i.op), value(i.b));
    default:
      return value_of_operation(i.op, value(i.a), operand_count(i.op) > 1 ? value(i.b) : 0);
  }
}

Expression ExpressionGraph::symbol(const std::string& name, double sample) {
  const auto [at, is_new] = known_symbols_.try_emplace(name, symbol_count());
  if (is_new) {
    names_.push_back(name);
    symbol_nodes_.push_back(place({Op::input, at->second, 0, 0}));
    samples_.back() = sample;
  }
  return {*this, symbol_nodes_[at->second]};
}

int ExpressionGraph::find_symbol(const std::string& name) const {
  const auto at = known_symbols_.find(name);
  return at == known_symbols_.end() ? -1 : symbol_nodes_[at->second];
}

Expression ExpressionGraph::call(const std::string& name, const std::vector<Expression>& arguments,
                                 double sample) {
  std::vector<int> list;
  for (const Expression& x : arguments) list.push_back(x.node_in(*this));
  return make_call(function_of_name(name, {}), list, sample);
}

int ExpressionGraph::function_of_name(const std::string& name, const Function& if_new) {
  const auto [at, is_new] = known_functions_.try_emplace(name, static_cast<int>(functions_.size()));
  if (is_new) {
    functions_.push_back(if_new);
    functions_.back().name = name;
    if (functions_.back().base < 0) functions_.back().base = at->second;
  }
  return at->second;
}

int ExpressionGraph::derivative_function(int function, int argument) {
  Function made = functions_[function];
  made.by.insert(std::upper_bound(made.by.begin(), made.by.end(), argument), argument);
  made.name = functions_[made.base].name;
  for (const int i : made.by) made.name += "_" + std::to_string(i + 1);
  return function_of_name(std::string(made.name), made);
}

Expression ExpressionGraph::make_call(int function, const std::vector<int>& list, double sample) {
  const auto [place_of_list, new_list] =
      known_lists_.try_emplace(list, static_cast<int>(lists_.size()));
  if (new_list) lists_.push_back(list);
  const int before = size();
  const int made = place({Op::call, function, place_of_list->second, 0});
  if (made == before) samples_.back() = call_sampler_ ? calc_call(function, list) : sample;
  return {*this, made};
}

double ExpressionGraph::calc_call(int function, const std::vector<int>& list) const {
  std::vector<double> values;
  for (const int i : list) values.push_back(samples_[i]);
  return call_sampler_(functions_[function], values);
}

int ExpressionGraph::make_number(double value) {
  const int known = find_number(value);
  if (known >= 0) return known;
  if (value == 0) value = 0;  // one zero
  const int made = size();
  numbers_.push_back(value);
  nodes_.push_back({Op::constant, static_cast<int>(numbers_.size()) - 1, 0, 0});
  samples_.push_back(value);
  known_numbers_.insert(hash_of(value), made);
  return made;
}

int ExpressionGraph::find_number(double value) const {
  if (value == 0) value = 0;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return known_numbers_.find(
      hash_of(value), [&](int i) { return std::bit_cast<std::uint64_t>(number(i)) == bits; });
}

int ExpressionGraph::make_table(const std::shared_ptr<const TableFunction>& table, int order,
                                int argument) {
  if (order > 3) return make_number(0);
  if (is_number(argument)) return make_number(table->derivative(order, number(argument)));
  std::size_t which = 0;
  while (which < tables_.size() && tables_[which] != table) ++which;
  if (which == tables_.size()) tables_.push_back(table);
  const Op op = static_cast<Op>(static_cast<int>(Op::table) + order);
  return place({op, static_cast<int>(which), argument, 0});
}

}  // namespace cartan::symbolic
