// The tree behind `Syntax`, seen only by the parser and the compiler.
//
// Nodes stand in a flat list, operands before operators, the root last: a chain of ten thousand
// sums is walked and freed by a loop, not by recursion.
#pragma once

#include <string>
#include <vector>

#include "expr/program.h"

namespace cartan {

enum class NodeKind : std::uint8_t { number, name, operation, table };

struct SyntaxNode {
  NodeKind kind = NodeKind::number;
  Op op = Op::constant;         // operation
  int offset = 0;               // of the character to point at in messages
  double number = 0;            // number
  int operands[3] = {0, 0, 0};  // operation: earlier nodes; table: the argument first
  int text = -1;                // name: its text; table: its file, the column follows
  int index = -1;               // name: the [i] written after it
};

struct SyntaxTree {
  std::vector<SyntaxNode> nodes;
  std::vector<std::string> texts;
};

}  // namespace cartan
