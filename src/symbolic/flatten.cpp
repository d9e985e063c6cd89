#include "symbolic/flatten.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <limits>
#include <unordered_map>

#include "symbolic/needed.h"

namespace cartan::symbolic {
namespace {

// b where node i is (-1) b; -1 where it is none.
int negated(const ExpressionGraph& graph, int i) {
  const Instruction& x = graph.node(i);
  return x.op == Op::multiply && graph.is_number(x.a, -1) ? x.b : -1;
}

class Flattener {
 public:
  Flattener(const ExpressionGraph& graph, std::string* missing)
      : graph_(graph), place_(graph), missing_(missing) {}

  Program run(std::span<const Expression> values, std::span<const Expression> inputs) {
    const std::vector<int> given = nodes_of(inputs);
    assert(given.size() == inputs.size());
    std::vector<std::pair<int, int>> order;  // node of an input, its number
    for (int k = 0; k < static_cast<int>(given.size()); ++k) order.emplace_back(given[k], k);
    std::sort(order.begin(), order.end());
    for (int k = 0; k < static_cast<int>(given.size()); ++k)
      program_.inputs.push_back({Quantity::variable, k, 0});

    std::size_t next = 0;
    for (const int i : lowered_nodes(graph_, nodes_of(values), given)) {
      while (next < order.size() && order[next].first < i) ++next;
      if (next < order.size() && order[next].first == i)
        place_[i] = add({Op::input, order[next].second, 0, 0});
      else
        place_[i] = add(translated(i));
    }
    for (const Expression& x : values)
      program_.outputs.push_back(x.is_number() ? number(x.number()) : place_[x.node()]);
    return std::move(program_);
  }

 private:
  int add(const Instruction& x) {
    program_.code.push_back(x);
    return static_cast<int>(program_.code.size()) - 1;
  }

  int constant(double value) {
    program_.constants.push_back(value);
    return static_cast<int>(program_.constants.size()) - 1;
  }

  int number(double value) {
    const auto [at, is_new] = numbers_.try_emplace(std::bit_cast<std::uint64_t>(value), 0);
    if (is_new) at->second = add({Op::constant, constant(value), 0, 0});
    return at->second;
  }

  Instruction unknown(const std::string& what) {
    if (missing_ && missing_->empty()) *missing_ = what;
    return {Op::constant, constant(std::numeric_limits<double>::quiet_NaN()), 0, 0};
  }

  int table(const std::shared_ptr<const TableFunction>& table) {
    const auto at = std::find(program_.tables.begin(), program_.tables.end(), table);
    if (at == program_.tables.end()) program_.tables.push_back(table);
    return static_cast<int>(std::find(program_.tables.begin(), program_.tables.end(), table) -
                            program_.tables.begin());
  }

  Instruction translated(int i) {
    Instruction x = lowered(graph_, i);
    switch (x.op) {
      case Op::constant:
        return {Op::constant, constant(graph_.number(i)), 0, 0};
      case Op::input:
        return unknown(graph_.symbol_name(x.a));
      case Op::call:
        return unknown(graph_.function_name(x.a));
      case Op::table:
      case Op::table_slope:
      case Op::table_curvature:
      case Op::table_jerk:
        return {x.op, table(graph_.table(x.a)), place_[x.b], 0};
      default:
        break;
    }
    x.a = place_[x.a];
    if (operand_count(x.op) > 1) x.b = place_[x.b];
    if (operand_count(x.op) > 2) x.c = place_[x.c];
    return x;
  }

  const ExpressionGraph& graph_;
  PerNode<int> place_;
  std::string* missing_;
  Program program_;
  std::unordered_map<std::uint64_t, int> numbers_;  // of outputs that are numbers
};

}  // namespace

Instruction lowered(const ExpressionGraph& graph, int i) {
  const Instruction& x = graph.node(i);
  if (x.op == Op::add) {
    if (const int b = negated(graph, x.b); b >= 0) return {Op::subtract, x.a, b, 0};
    return x;
  }
  const int b = negated(graph, i);
  if (b < 0) return x;
  const Instruction& sum = graph.node(b);
  if (sum.op == Op::add) {
    if (const int c = negated(graph, sum.b); c >= 0) return {Op::subtract, c, sum.a, 0};
    // -(n + x) = (-n) - x, where the number -n has a node that comes before
    if (graph.is_number(sum.a))
      if (const int n = graph.find_number(-graph.number(sum.a)); n >= 0 && n < i)
        return {Op::subtract, n, sum.b, 0};
  }
  return {Op::negate, b, 0, 0};
}

std::vector<int> lowered_nodes(const ExpressionGraph& graph, std::span<const int> roots,
                               std::span<const int> ends) {
  return reachable_nodes(roots, ends, [&](int i, auto&& visit) {
    const Instruction x = lowered(graph, i);
    if (x.op == Op::call)
      for_each_operand(graph, i, visit);
    else
      for_each_operand(x, visit);
  });
}

Program flatten(const ExpressionGraph& graph, std::span<const Expression> values,
                std::span<const Expression> inputs, std::string* missing) {
  return Flattener(graph, missing).run(values, inputs);
}

}  // namespace cartan::symbolic
