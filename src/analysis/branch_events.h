// What happens between two neighbouring points of a branch, and where.
#pragma once

#include "analysis/branch_follower.h"

namespace cartan::analysis {

// Sign changes of the test functions of continuation.h.
struct BranchEvents {
  bool turns = false, crosses = false, zero = false, flips = false, pair = false;
  bool tangled = false;  // more than these can explain: the points are too far apart

  int count() const { return (turns || crosses) + zero + flips + pair; }
};

BranchEvents compare_samples(const BranchSample& a, const BranchSample& b);

// All of them located, in the order of the arc. b must have been reached from a in one step.
std::vector<Bifurcation> locate_events(BranchFollower& follower, const BranchEvents& events,
                                       const BranchSample& a, const BranchSample& b);

}  // namespace cartan::analysis
