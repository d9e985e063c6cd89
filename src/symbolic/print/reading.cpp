#include "symbolic/print/reading.h"

#include <algorithm>
#include <climits>
#include <cmath>

#include "symbolic/operations.h"

namespace cartan::symbolic {
namespace {

// The power of x^n with a small whole number n; 0 where it is none.
int whole_power(const ExpressionGraph& graph, const Instruction& x) {
  if (x.op != Op::power || !graph.is_number(x.b)) return 0;
  const double n = graph.number(x.b);
  return n == std::floor(n) && std::fabs(n) < 1000 ? static_cast<int>(n) : 0;
}

}  // namespace

Reader::Reader(const ExpressionGraph& graph, std::function<bool(int)> is_named,
               std::function<int(int)> rank)
    : graph_(graph), is_named_(std::move(is_named)), rank_(std::move(rank)) {}

Reader::Key Reader::key(int node) const {
  const Instruction& x = graph_.node(node);
  if (x.op == Op::input) return {0, rank_ ? rank_(x.a) : x.a, node};
  if (is_named(node)) return {1, node, 0};
  if (x.op == Op::constant) return {2, node, 0};
  if (x.op == Op::add) {
    const int first = first_symbol(node);
    return first == INT_MAX ? Key{5, node, 0} : Key{0, first, graph_.size() + node};
  }
  const bool angle = x.op == Op::sin || x.op == Op::cos;
  return {angle ? 4 : 3, angle ? x.a : static_cast<int>(x.op), node};
}

// The lowest rank in a short sum of products of symbols, m1 c + 2 m2; INT_MAX where it is something
// else.
int Reader::first_symbol(int sum) const {
  int first = INT_MAX;
  std::vector<int> open{sum};
  for (int looked_at = 0; !open.empty(); ++looked_at) {
    const ExpressionGraph::Term t = graph_.term(open.back());
    open.pop_back();
    const Instruction& x = graph_.node(t.base);
    if (looked_at > 32) return INT_MAX;
    if (x.op == Op::add || x.op == Op::multiply) {
      open.push_back(x.a);
      open.push_back(x.b);
    } else if (x.op == Op::input) {
      first = std::min(first, rank_ ? rank_(x.a) : x.a);
    } else if (x.op != Op::constant) {
      return INT_MAX;
    }
  }
  return first;
}

bool Reader::is_sum(int node) const {
  const ExpressionGraph::Term t = graph_.term(node);
  return (t.factor == 1 || t.factor == -1) && graph_.node(t.base).op == Op::add &&
         !is_named(t.base);
}

void Reader::sort(std::vector<Factor>& factors) const {
  std::sort(factors.begin(), factors.end(),
            [&](const Factor& x, const Factor& y) { return key(x.node) < key(y.node); });
  std::vector<Factor> joined;
  for (const Factor& factor : factors) {
    if (!joined.empty() && joined.back().node == factor.node)
      joined.back().power += factor.power;
    else
      joined.push_back(factor);
  }
  std::erase_if(joined, [](const Factor& x) { return x.power == 0; });
  factors = std::move(joined);
}

Monomial Reader::monomial(int node, int root) const {
  Monomial result;
  std::vector<Factor> open{{node, 1}};
  while (!open.empty()) {
    const Factor next = open.back();
    open.pop_back();
    const Instruction& x = graph_.node(next.node);
    const bool closed = next.node != root && is_named(next.node);
    if (!closed && x.op == Op::constant) {
      result.coefficient *= std::pow(graph_.number(next.node), next.power);
    } else if (!closed && x.op == Op::multiply) {
      open.push_back({x.b, next.power});
      open.push_back({x.a, next.power});
    } else if (!closed && x.op == Op::divide) {
      open.push_back({x.b, -next.power});
      open.push_back({x.a, next.power});
    } else if (const int n = whole_power(graph_, x); !closed && n != 0) {
      open.push_back({x.a, n * next.power});
    } else {
      result.factors.push_back(next);
    }
  }
  sort(result.factors);
  return result;
}

// As in an expanded product: higher powers of the earlier symbol first, numbers last.
bool Reader::comes_before(const Monomial& x, const Monomial& y) const {
  const auto& a = x.factors;
  const auto& b = y.factors;
  if (a.empty() || b.empty()) return b.empty() && !a.empty();
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
    const Key p = key(a[k].node), q = key(b[k].node);
    if (p != q) return p < q;
    if (a[k].power != b[k].power) return a[k].power > b[k].power;
  }
  return a.size() < b.size();
}

std::vector<Monomial> Reader::terms(int node) const {
  std::vector<Monomial> result;
  std::vector<std::pair<int, double>> open{{node, 1.0}};
  while (!open.empty()) {
    const auto [next, sign] = open.back();
    open.pop_back();
    const ExpressionGraph::Term t = graph_.term(next);
    const Instruction& x = graph_.node(t.base);
    const bool closed = t.base != node && is_named(t.base);
    const bool unit = t.factor == 1 || t.factor == -1;
    if (!closed && unit && x.op == Op::add && (next == node || !is_named(next))) {
      open.emplace_back(x.b, sign * t.factor);
      open.emplace_back(x.a, sign * t.factor);
    } else {
      result.push_back(monomial(next, node));
      result.back().coefficient *= sign;
    }
  }
  std::stable_sort(result.begin(), result.end(),
                   [&](const Monomial& x, const Monomial& y) { return comes_before(x, y); });
  // a sum begins with a positive term where it has one
  const auto positive = std::find_if(result.begin(), result.end(),
                                     [](const Monomial& x) { return !(x.coefficient < 0); });
  if (positive != result.end()) std::rotate(result.begin(), positive, positive + 1);
  return result;
}

}  // namespace cartan::symbolic
