#include "codegen/short_paths.h"

#include <algorithm>
#include <optional>
#include <queue>
#include <tuple>

#include "codegen/twins.h"
#include "symbolic/substitute.h"

namespace cartan::codegen {
namespace {

// Cycles until a result can be used, as on processors of 2023.
constexpr int sum_latency = 3, product_latency = 3, fused_latency = 4, other_latency = 15;

// Cycles from the arguments to a node. Nodes are computed in the order of their numbers.
class OperationTimes {
 public:
  explicit OperationTimes(const ExpressionGraph& graph) : graph_(graph) {}

  int of(int node) {
    while (static_cast<int>(time_.size()) <= node)
      time_.push_back(calc_time(static_cast<int>(time_.size())));
    return time_[node];
  }

 private:
  int calc_time(int i) const {
    const Instruction& x = graph_.node(i);
    int latest = 0;
    for_each_operand(graph_, i, [&](int k) { latest = std::max(latest, time_[k]); });
    switch (x.op) {
      case Op::constant:
      case Op::input:
        return 0;
      case Op::multiply:
        return without_sign(graph_, i).node != i ? latest : latest + product_latency;
      case Op::add: {
        int time = latest + sum_latency;
        const int a = without_sign(graph_, x.a).node, b = without_sign(graph_, x.b).node;
        for (const auto& [product, other] : {std::pair(a, b), std::pair(b, a)})
          if (graph_.node(product).op == Op::multiply)
            time = std::min(time, std::max(time_of_factors(product), time_[other]) + fused_latency);
        return time;
      }
      case Op::sin:
      case Op::cos:  // those of arguments are computed first
        return latest == 0 ? 0 : latest + other_latency;
      default:
        return latest + other_latency;
    }
  }
  int time_of_factors(int product) const {
    const Instruction& x = graph_.node(product);
    return std::max(time_[x.a], time_[x.b]);
  }

  const ExpressionGraph& graph_;
  std::vector<int> time_;
};

class PathShortener {
 public:
  PathShortener(ExpressionGraph& graph, PreparedFunction& function)
      : graph_(graph),
        function_(function),
        builds_(graph),
        times_(graph),
        uses_(graph.size(), 0),
        inner_(graph.size(), 0) {}

  void run() {
    std::vector<int> roots;
    for (const StoredArray& array : function_.arrays)
      for (const int node : array.nodes)
        if (node >= 0) roots.push_back(node);
    const std::vector<int> needed = needed_nodes(graph_, roots);
    count_uses(roots, needed);
    image_.assign(graph_.size(), -1);
    for (const int i : needed) {
      if (inner_[i]) continue;
      image_[i] = graph_.node(i).op == Op::add
                      ? make_sum(i)
                      : rebuilt(graph_, i, [&](int k) { return image_[k]; });
    }
    for (StoredArray& array : function_.arrays)
      for (int& node : array.nodes)
        if (node >= 0) node = image_[node];
  }

 private:
  // In an order that is the same in equal branches (twins.h).
  struct Term {
    int time, node;
    bool negative;
    std::uint64_t build;
    bool operator<(const Term& o) const {  // of a queue: the earliest comes first
      return std::tie(time, build, node) > std::tie(o.time, o.build, o.node);
    }
  };
  Term term(int node, bool negative) { return {times_.of(node), node, negative, builds_.of(node)}; }

  bool is_negation(int i) const { return without_sign(graph_, i).node != i; }
  bool is_inner_sum(int i) const { return graph_.node(i).op == Op::add && uses_[i] == 1; }
  bool is_inner_negation(int i) const { return is_negation(i) && uses_[i] == 1; }

  void count_uses(const std::vector<int>& roots, const std::vector<int>& needed) {
    for (const int node : roots) ++uses_[node];
    for (const int i : needed) for_each_operand(graph_, i, [&](int k) { ++uses_[k]; });
    const auto mark = [&](int k) {
      if (is_inner_negation(k)) {
        inner_[k] = 1;
        k = graph_.node(k).b;
      }
      if (is_inner_sum(k)) inner_[k] = 1;
    };
    for (const int i : needed)
      if (graph_.node(i).op == Op::add) mark(graph_.node(i).a), mark(graph_.node(i).b);
  }

  int make_sum(int root) {
    std::priority_queue<Term> terms;
    std::vector<std::pair<int, bool>> open = {{root, false}};
    while (!open.empty()) {
      auto [i, negative] = open.back();
      open.pop_back();
      if (i != root && is_inner_negation(i)) {
        negative = !negative;
        i = graph_.node(i).b;
      }
      if (i == root || is_inner_sum(i)) {
        const Instruction x = graph_.node(i);
        open.insert(open.end(), {{x.b, negative}, {x.a, negative}});
      } else {
        terms.push(term(image_[i], negative));
      }
    }
    while (terms.size() > 1) {
      const Term x = terms.top();
      terms.pop();
      const Term y = terms.top();
      terms.pop();
      int sum = 0;
      if (x.negative == y.negative)
        sum = graph_.make(Op::add, x.node, y.node);
      else
        sum = graph_.make(Op::subtract, x.negative ? y.node : x.node, x.negative ? x.node : y.node);
      terms.push(term(sum, x.negative && y.negative));
    }
    const Term& all = terms.top();
    return all.negative ? graph_.make(Op::negate, all.node) : all.node;
  }

  ExpressionGraph& graph_;
  PreparedFunction& function_;
  NodeBuilds builds_;
  OperationTimes times_;
  std::vector<int> uses_;
  std::vector<char> inner_;  // part of the sum that uses it
  std::vector<int> image_;
};

}  // namespace

void shorten_paths(ExpressionGraph& graph, PreparedFunction& function) {
  PathShortener(graph, function).run();
}

int calc_longest_path(const std::vector<Expression>& values) {
  int longest = 0;
  std::optional<OperationTimes> times;
  for (const Expression& value : values) {
    if (!value.graph()) continue;
    if (!times) times.emplace(*value.graph());
    longest = std::max(longest, times->of(value.node()));
  }
  return longest;
}

}  // namespace cartan::codegen
