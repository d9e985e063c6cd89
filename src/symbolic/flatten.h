// From a graph to a flat list of instructions.
//
// In the graph a difference is a sum with a factor -1 and x - y is -(y - x), so that equal things
// are one node. Computed so, they would cost operations; `lowered` gives the cheapest instruction
// for a node, and flatten and the code generators use it.
#pragma once

#include <span>
#include <string>

#include "symbolic/expression.h"

namespace cartan::symbolic {

// The instruction that computes node i; its operands are nodes of the graph. Differences and
// negations are restored: a + (-1) b is a - b, (-1)(a + (-1) b) is b - a, (-1) a is -a.
Instruction lowered(const ExpressionGraph& graph, int i);

// The nodes that must be computed for `roots` when every node is computed by its lowered
// instruction, ascending. Below the nodes of `ends` it does not look.
std::vector<int> lowered_nodes(const ExpressionGraph& graph, std::span<const int> roots,
                               std::span<const int> ends = {});

// A program whose k-th output is values[k] and whose k-th input is inputs[k] (symbols, or any nodes
// that stand for given values). Only what is needed is in it. The inputs are Quantity::variable k.
//
// Every symbol the values need has to be an input, and calls of functions known by name only have
// no program: `missing` names the first that is wrong, and that node gives 0. It stays empty
// otherwise.
Program flatten(const ExpressionGraph& graph, std::span<const Expression> values,
                std::span<const Expression> inputs, std::string* missing = nullptr);

}  // namespace cartan::symbolic
