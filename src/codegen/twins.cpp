#include "codegen/twins.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "symbolic/needed.h"

namespace cartan::codegen {
namespace {

constexpr int widest = 8;         // numbers in a register, at most
constexpr int fewest_saved = 50;  // operations
constexpr int worth = 2;          // operations saved for each number that moves

std::uint64_t mixed(std::uint64_t x, std::uint64_t y) {
  x = (x ^ (y + 0x9E3779B97F4A7C15u + (x << 6) + (x >> 2))) * 0xBF58476D1CE4E5B9u;
  return x ^ (x >> 29);
}

bool is_arithmetic(Op op) {
  return op == Op::add || op == Op::multiply || op == Op::divide;
}

class TwinFinder {
 public:
  TwinFinder(const ExpressionGraph& graph, const PreparedFunction& function)
      : graph_(graph), builds_(graph), depth_(graph.size(), 0), stage_(graph.size(), 0) {
    for (const StoredArray& array : function.arrays)
      for (const int node : array.nodes)
        if (node >= 0) results_.push_back(node);
    needed_ = needed_nodes(graph, results_);
    for (const int i : needed_) {  // a sign is no step
      const Instruction& x = graph_.node(i);
      if (x.op == Op::input)
        if (const auto found = function.solutions.find(x.a); found != function.solutions.end())
          stage_[i] = found->second.first + 1;
      for_each_operand(graph_, i, [&](int k) {
        depth_[i] = std::max(depth_[i], depth_[k] + (plain(i).node == i ? 1 : 0));
        stage_[i] = std::max(stage_[i], stage_[k]);
      });
    }
    twins_.set_of.assign(graph.size(), -1);
    twins_.place_of.assign(graph.size(), 0);
  }

  Twins find() {
    long saved = 0;
    for (const std::vector<int>& alike : results_alike())
      for (std::size_t first = 0; first < alike.size(); first += widest) {
        const std::size_t count = std::min<std::size_t>(widest, alike.size() - first);
        std::vector<SignedNode> nodes;
        for (std::size_t k = 0; k < count; ++k) nodes.push_back({alike[first + k], false});
        saved += join(nodes);
      }
    if (saved < fewest_saved) return {};
    choose_signs();
    return std::move(twins_);
  }

 private:
  SignedNode plain(int node) const { return without_sign(graph_, node); }

  // Those that stand farthest from the symbols first: they lead through a whole branch.
  std::vector<std::vector<int>> results_alike() {
    std::map<std::tuple<int, int, std::uint64_t>, std::vector<int>> alike;
    std::vector<char> seen(graph_.size(), 0);
    for (const int result : results_) {
      const int node = plain(result).node;
      if (seen[node] || !is_arithmetic(graph_.node(node).op)) continue;
      seen[node] = 1;
      alike[{-depth_[node], stage_[node], builds_.of(node)}].push_back(node);
    }
    std::vector<std::vector<int>> lists;
    for (auto& [build, list] : alike) lists.push_back(std::move(list));
    return lists;
  }

  // Operations that this saves; none are joined where it does not pay.
  long join(const std::vector<SignedNode>& results) {
    const std::size_t before = twins_.sets.size();
    std::vector<std::vector<SignedNode>> open = {results};
    while (!open.empty()) {
      const std::vector<SignedNode> nodes = std::move(open.back());
      open.pop_back();
      if (!can_join(nodes)) continue;
      const int set = static_cast<int>(twins_.sets.size());
      TwinSet made;
      for (const SignedNode& x : nodes) {
        twins_.set_of[x.node] = set;
        twins_.place_of[x.node] = static_cast<int>(made.nodes.size());
        made.nodes.push_back(x.node);
        add_operands(made);
      }
      open.push_back(made.a);
      open.push_back(made.b);
      twins_.sets.push_back(std::move(made));
    }
    const long saved = calc_saved(before);
    if (saved > 0) return saved;
    for (std::size_t s = before; s < twins_.sets.size(); ++s)
      for (const int node : twins_.sets[s].nodes) twins_.set_of[node] = -1;
    twins_.sets.resize(before);
    return 0;
  }

  bool can_join(const std::vector<SignedNode>& nodes) {
    if (nodes.size() < 2) return false;
    const int first = nodes[0].node;
    if (!is_arithmetic(graph_.node(first).op)) return false;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const int node = nodes[k].node;
      if (twins_.set_of[node] >= 0 || builds_.of(node) != builds_.of(first) ||
          depth_[node] != depth_[first] || stage_[node] != stage_[first] ||
          graph_.node(node).op != graph_.node(first).op)
        return false;
      for (std::size_t l = 0; l < k; ++l)
        if (nodes[l].node == node) return false;
    }
    return true;
  }

  // Of the last node of a set: those that are built like the first one's stand beside them, and
  // beside their own set where both orders would do.
  void add_operands(TwinSet& set) {
    const Instruction& x = graph_.node(set.nodes.back());
    SignedNode a = plain(x.a), b = plain(x.b);
    if (!set.a.empty() && x.op != Op::divide) {
      const int a0 = set.a[0].node, b0 = set.b[0].node;
      const bool straight =
          builds_.of(a.node) == builds_.of(a0) && builds_.of(b.node) == builds_.of(b0);
      const bool crossed =
          builds_.of(a.node) == builds_.of(b0) && builds_.of(b.node) == builds_.of(a0);
      const bool met = twins_.set_of[a0] >= 0 && twins_.set_of[a0] == twins_.set_of[b.node];
      if (crossed && (!straight || met || (a.node == b0 || b.node == a0))) std::swap(a, b);
    }
    set.a.push_back(a);
    set.b.push_back(b);
  }

  // By the sets from `first` on: operations, unless too many numbers would move for them.
  long calc_saved(std::size_t first) const {
    long saved = 0, moved = 0;
    std::set<std::vector<int>> gathered;
    std::vector<char> read(twins_.sets.size(), 0);  // as a vector
    for (std::size_t s = first; s < twins_.sets.size(); ++s) {
      const TwinSet& set = twins_.sets[s];
      saved += static_cast<long>(set.nodes.size()) - 1;
      for (const auto* operands : {&set.a, &set.b}) {
        if (is_shared(*operands)) continue;
        if (const int found = twins_.find(*operands); found >= 0) {
          read[found] = 1;
          continue;
        }
        std::vector<int> nodes;
        for (const SignedNode& x : *operands)
          if (!graph_.is_number(x.node)) nodes.push_back(x.node);
        if (gathered.insert(nodes).second) moved += static_cast<long>(nodes.size());
      }
    }
    for (std::size_t s = first; s < twins_.sets.size(); ++s)
      if (!read[s]) moved += static_cast<long>(twins_.sets[s].nodes.size());
    return saved >= worth * moved ? saved : 0;
  }

  // Sums take the signs of a term, and of numbers none; products have those of both factors.
  void choose_signs() {
    std::vector<int> order(twins_.sets.size());
    std::iota(order.begin(), order.end(), 0);
    const auto depth = [&](int set) { return depth_[twins_.sets[set].nodes[0]]; };
    std::stable_sort(order.begin(), order.end(), [&](int x, int y) { return depth(x) < depth(y); });
    for (TwinSet& set : twins_.sets) set.flipped.assign(set.nodes.size(), 0);
    for (const int s : order) {
      TwinSet& set = twins_.sets[s];
      std::vector<char> a = twins_.signs(graph_, set.a), b = twins_.signs(graph_, set.b);
      for (std::vector<char>* signs : {&a, &b})
        for (std::size_t k = signs->size(); k-- > 0;) (*signs)[k] ^= (*signs)[0];
      if (graph_.node(set.nodes[0]).op != Op::add)
        for (std::size_t k = 0; k < a.size(); ++k) set.flipped[k] = a[k] ^ b[k];
      else
        set.flipped = decides_sign(set.b, set.a) ? b : a;
    }
  }
  // Whether a sum takes the signs of x rather than those of y: of a product it has to, as another
  // term is multiplied by its signs while it is added.
  bool decides_sign(const std::vector<SignedNode>& x, const std::vector<SignedNode>& y) const {
    if (are_numbers(graph_, x) || are_numbers(graph_, y)) return are_numbers(graph_, y);
    const auto is_product = [&](const std::vector<SignedNode>& nodes) {
      return twins_.find(nodes) >= 0 && graph_.node(nodes[0].node).op == Op::multiply;
    };
    if (is_product(x) != is_product(y)) return is_product(x);
    return twins_.find(x) >= 0 && twins_.find(y) < 0;
  }

  const ExpressionGraph& graph_;
  std::vector<int> results_, needed_;
  NodeBuilds builds_;
  std::vector<int> depth_, stage_;  // stage: after which block that is solved by a loop
  Twins twins_;
};

}  // namespace

SignedNode without_sign(const ExpressionGraph& graph, int node) {
  SignedNode x{node, false};
  while (graph.node(x.node).op == Op::multiply && graph.is_number(graph.node(x.node).a, -1))
    x = {graph.node(x.node).b, !x.negative};
  return x;
}

std::uint64_t NodeBuilds::calc(int node) const {
  const Instruction& x = graph_.node(node);
  if (const SignedNode unsigned_node = without_sign(graph_, node); unsigned_node.node != node)
    return builds_[unsigned_node.node];
  std::uint64_t build = mixed(static_cast<std::uint64_t>(x.op), 1);
  if (x.op == Op::add || x.op == Op::multiply) {
    build = mixed(build, builds_[x.a] + builds_[x.b]);
    return mixed(build, builds_[x.a] ^ builds_[x.b]);
  }
  for_each_operand(graph_, node, [&](int k) { build = mixed(build, builds_[k]); });
  return build;
}

int TwinSet::width() const {
  return static_cast<int>(std::bit_ceil(nodes.size()));
}

int Twins::find(const std::vector<SignedNode>& nodes) const {
  const int set = set_of[nodes[0].node];
  if (set < 0 || sets[set].nodes.size() != nodes.size()) return -1;
  for (std::size_t k = 0; k < nodes.size(); ++k)
    if (sets[set].nodes[k] != nodes[k].node) return -1;
  return set;
}

std::vector<char> Twins::signs(const ExpressionGraph& graph,
                               const std::vector<SignedNode>& nodes) const {
  const int set = find(nodes);
  std::vector<char> result;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const bool own = graph.is_number(nodes[k].node) && std::signbit(graph.number(nodes[k].node));
    const bool flipped = set >= 0 && sets[set].flipped[k] != 0;
    result.push_back(nodes[k].negative != (own || flipped));
  }
  return result;
}

bool are_numbers(const ExpressionGraph& graph, const std::vector<SignedNode>& nodes) {
  return std::all_of(nodes.begin(), nodes.end(),
                     [&](const SignedNode& x) { return graph.is_number(x.node); });
}

bool is_shared(const std::vector<SignedNode>& nodes) {
  return std::all_of(nodes.begin(), nodes.end(),
                     [&](const SignedNode& x) { return x.node == nodes[0].node; });
}

Twins find_twins(const ExpressionGraph& graph, const PreparedFunction& function) {
  return TwinFinder(graph, function).find();
}

}  // namespace cartan::codegen
