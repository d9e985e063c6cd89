// Storage of the sparse factorisation of constraint rows (absolute_solver.h).
//
// The rows of one joint or constraint form a node; nodes that share a body are neighbours. Nodes
// are eliminated in an order of least degree. Each has a panel of numbers, by rows: its own rows of
// G, then the rows of the later nodes it is coupled to, as wide as the node.
#pragma once

#include <vector>

#include "core/vec3.h"

namespace cartan::mechanics {

struct SparseNode {
  int row0 = 0, size = 0;     // its rows are order[row0 ...]
  int panel = 0;              // first number of its panel
  int below0 = 0, below = 0;  // its later neighbours, in `blocks`
  int update0 = 0;            // in `updates`; below (below + 1) / 2 of them
};
struct SparseBlock {
  int node = 0;  // the later node
  int at = 0;    // first number in the panel
};
struct SparsePair {  // two sources on one link add to one number of G
  int a = 0, b = 0;
  int to = 0;
};

template <class S>
struct SparseRows {
  std::vector<int> order;         // active rows of the mechanism as eliminated
  std::vector<SparseNode> nodes;  // as eliminated
  std::vector<SparseBlock> blocks;
  std::vector<int> updates;  // where block pairs (a >= b) of a node go: first number
  std::vector<int> pair0;    // per link: its first pair
  std::vector<SparsePair> pairs;
  std::vector<int> source0;  // per link: its first source
  std::vector<int> sources;  // of active rows, by link
  std::vector<int> world_sources;
  std::vector<int> place;  // per row of the mechanism: in `order`, or -1
  std::vector<S> panels, diagonal, right, first;
  std::vector<Vec3<S>> push_n, push_f;  // per source: M^-1 (n, f)
  std::vector<Sym3<S>> inverse_J;       // per link, about the centre of mass in link axes
  std::vector<S> inverse_mass;
  // inertia added to bodies that have none of their own in some direction, and taken away again by
  // iteration
  bool thin = false;
  std::vector<S> extra_J, extra_mass;  // per link
  std::vector<Vec3<S>> before_dw, before_du;
};

}  // namespace cartan::mechanics
