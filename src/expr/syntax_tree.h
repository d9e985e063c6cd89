// The tree behind `Syntax`, seen only by the parser and the compiler.
//
// Nodes stand in a flat list, operands before operators, the root last: a chain of ten thousand
// sums is walked and freed by a loop, not by recursion.
#pragma once

#include <string>
#include <vector>

#include "expr/program.h"

namespace cartan::expr {

enum class NodeKind : std::uint8_t { number, name, operation, table, call };

struct SyntaxNode {
  NodeKind kind = NodeKind::number;
  Op op = Op::constant;  // operation
  int offset = 0;        // of the character to point at in messages
  double number = 0;     // number
  // operation: earlier nodes; table: its argument; call: where its arguments stand in
  // SyntaxTree::arguments, how many there are
  int operands[3] = {0, 0, 0};
  int text = -1;   // name, call: its text; table: its file, the column follows
  int index = -1;  // name: the [i] written after it
  TableRule rule;  // table: what is written about it
};

struct SyntaxTree {
  std::vector<SyntaxNode> nodes;
  std::vector<std::string> texts;
  std::vector<int> arguments;  // of calls, one list after the other: nodes
};

}  // namespace cartan::expr
