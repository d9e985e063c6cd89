// Which columns of derivatives (slope_plan.h) pass through which link, in groups of as many as are
// computed at once. A column is there where its joint or a law makes a wrench, and on the way from
// there to the root; what is at the root comes back to every link of the tree, and where trees are
// held together by constraints to those of all trees.
#pragma once

#include "mechanics/tree/slope_plan.h"

namespace cartan::mechanics {

// Columns [first, last), multiples of lanes::width.
struct ColumnRun {
  int first = 0, last = 0;
  bool turned = false;    // some of them turn the parent
  bool answered = false;  // on the way out: something may be there already
};

struct SlopeFlow {
  std::vector<std::vector<ColumnRun>> up, down;  // per link
  std::vector<std::vector<char>> there;          // per link and group: it is in `up`
  // Per link of a row of hinges, each the only child of the one before: the first and the last.
  // Others: -1.
  std::vector<int> chain_first, chain_last;
  std::vector<char> has_children;
  // Arrays of numbers per column: six inward, nine outward. Inward a link shares that of its parent
  // unless brothers have columns in common (then it is added to the parent's), outward unless the
  // parent's is still needed.
  std::vector<int> up_slot, down_slot;
  int up_slots = 0, down_slots = 0;
  bool several_roots = false;
  std::vector<int> staged;  // per link: its place among those on which laws act, or -1
  int staged_count = 0;
  int columns = 0;  // rounded up
};

SlopeFlow make_slope_flow(const Mechanism<double>& mechanism, const SlopePlan& plan);

}  // namespace cartan::mechanics
