// Equal branches of a computation side by side: the two legs of a humanoid, the four of a dog.
//
// Nodes that do the same with other numbers make a set, the entries of one vector. A set begins
// with results that are built alike, whatever symbols, numbers and signs stand in them. What they
// are built of, place by place, are sets again, as far as that is sums, products and quotients of
// different nodes. The nodes of a set stand at one depth above the symbols, so that no set waits
// for one that waits for it, and read the solutions of the same blocks.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/prepared_function.h"
#include "symbolic/graph.h"

namespace cartan::codegen {

// How nodes are built: equal numbers for all practical purposes say that two nodes are built alike,
// whatever symbols, numbers and signs stand in them and whatever the order of terms and factors.
class NodeBuilds {
 public:
  explicit NodeBuilds(const ExpressionGraph& graph) : graph_(graph) {}
  std::uint64_t of(int node) {
    while (static_cast<int>(builds_.size()) <= node)
      builds_.push_back(calc(static_cast<int>(builds_.size())));
    return builds_[node];
  }

 private:
  std::uint64_t calc(int node) const;

  const ExpressionGraph& graph_;
  std::vector<std::uint64_t> builds_;
};

struct SignedNode {
  int node = 0;  // no negation
  bool negative = false;
};
SignedNode without_sign(const ExpressionGraph& graph, int node);

struct TwinSet {
  std::vector<int> nodes;        // one per branch
  std::vector<SignedNode> a, b;  // their operands
  // The vector holds minus the node here; never in the first place. In mirror images half of all
  // numbers have opposite signs.
  std::vector<char> flipped;
  int width() const;  // of the vector: a power of two
};

struct Twins {
  std::vector<TwinSet> sets;
  std::vector<int> set_of, place_of;  // per node of the graph; -1: in none

  bool empty() const { return sets.empty(); }
  // The set whose nodes these are, in that order, or -1.
  int find(const std::vector<SignedNode>& nodes) const;
  // By which sign each of them is what a vector holds; of numbers, their own.
  std::vector<char> signs(const ExpressionGraph& graph, const std::vector<SignedNode>& nodes) const;
};

bool is_shared(const std::vector<SignedNode>& nodes);  // one node for all branches
bool are_numbers(const ExpressionGraph& graph, const std::vector<SignedNode>& nodes);

// Empty where it would not pay: every number that goes from a branch into a vector by itself, or
// out of it, is an instruction more.
Twins find_twins(const ExpressionGraph& graph, const PreparedFunction& function);

}  // namespace cartan::codegen
