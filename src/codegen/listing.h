// One function as a list of statements: which nodes get a name of their own, and in which order.
//
// Only the nodes that the outputs need are there, each once. The order is that of a depth-first
// walk from the outputs, the operand that needs more intermediate values first, so that values are
// used soon after they are made; for processors it is improved (statement_order.h). A node gets a
// name (a temporary) when it is used more than once, when the expression would become too long, or
// when it is one of a pair sin, cos; all others are written where they are used. Nodes that stand
// side by side (twins.h) are made by one statement and have one name.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "codegen/prepared_function.h"
#include "codegen/twins.h"
#include "symbolic/graph.h"

namespace cartan::codegen {

struct Statement {
  enum class Kind { temporary, store, solve };
  Kind kind = Kind::temporary;
  int node = 0;              // of temporary and store; of twins the first
  int array = 0, entry = 0;  // store: array of the prepared function; solve: array = which block
  bool opens_pair = false;   // temporary: sin x, the next statement is cos x
};

struct Listing {
  std::vector<Statement> statements;
  // By node of the graph: number of the temporary, from 0, or -1.
  std::vector<int> temporary_of;
  // By temporary: the statement that makes it, the last that uses it; how many numbers it is.
  std::vector<int> made_by, last_use, width;
  // Pairs sin, cos of angles that arguments alone make: the statements that open them, and their
  // places, in which those that twins read together are neighbours.
  std::vector<int> turns, turn_place;
  Twins twins;
  // Symbols that stand for solutions of blocks: array of the prepared function, entry.
  std::map<int, std::pair<int, int>> solutions;
  // What appears: operations, tables of the graph, calls (their nodes).
  std::set<Op> operations;
  std::set<int> tables;
  std::vector<int> calls;

  int temporaries() const { return static_cast<int>(made_by.size()); }
  int set_of(int node) const { return twins.empty() ? -1 : twins.set_of[node]; }
};

struct ListingOptions {
  bool shared = true;         // false: no temporaries at all, every result is one expression
  bool side_by_side = false;  // twins.h
  bool few_values = false;    // statement_order.h
};
Listing make_listing(const ExpressionGraph& graph, const PreparedFunction& function,
                     const ListingOptions& options = {});

}  // namespace cartan::codegen
