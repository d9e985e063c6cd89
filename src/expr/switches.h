// Places where an expression is not smooth, and how a method gets across them.
//
// if, min, max, abs, sign, step and tables with corners follow one formula on each side of a
// switching point. A method of high order needs one formula throughout a step: `hold_switches`
// gives the program a further input for each switch, its branch. Zero leaves the expression as it
// is written; any other value keeps one formula, also beyond the switching point, so that the held
// program is smooth. With it comes, per switch, an event function: above zero while the branch held
// is the right one.
#pragma once

#include <string>
#include <vector>

#include "core/branches.h"
#include "expr/program.h"

namespace cartan::expr {

struct SwitchPoint {
  Op op = Op::sign;             // or Op::table
  int output = 0;               // the first output that depends on it
  Program event;                // one output
  std::vector<double> corners;  // of a table, ascending
  double period = 0;            // after which they repeat; 0: they do not
  bool root = false;            // a root or power of what it gives begins at its switching point
};

struct HeldProgram {
  Program program;                    // the same outputs
  std::vector<SwitchPoint> switches;  // the k-th has the branch {Quantity::branch, first + k}
};

// Whether there may be any: a quick look.
bool may_have_switches(const Program& program);

// Only switches whose argument depends on more than parameters; none: an empty list and the program
// as it was.
HeldProgram hold_switches(const Program& program, int first);

}  // namespace cartan::expr
