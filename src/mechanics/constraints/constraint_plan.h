// How constraint forces are eliminated along the tree: which rows travel through which joint, and
// at which link they are solved.
//
// From the tips inward, a link carries beside its articulated inertia the rows that reach beyond
// it:
//     wrench = I a + b - K lambda,      y' = K^T a + G lambda + g
// A row whose sources all lie in the subtree of a link is solved there, at the lowest such link:
// what remains is again an articulated inertia, so loops that are local cost O(1) each, and the
// whole is linear in the number of links. The rows that travel together form a front (a dense
// matrix G); a front begins where rows enter, merge or are solved.
#pragma once

#include <vector>

#include "core/vec3.h"

namespace cartan::mechanics {

struct ChildFront {
  int front = 0;
  std::vector<int> to;    // its remaining rows, as places in the front it is added to
  bool in_order = false;  // these places follow each other
};
struct FrontSource {
  int place = 0;   // in the front
  int source = 0;  // in the mechanism
};
struct FrontTerm {
  int place = 0;
  int term = 0;
};

struct Front {
  int node = -1;          // link, or world
  std::vector<int> rows;  // in the mechanism: first those solved here, then those that go on
  int solved = 0;
  bool goes_on = false;  // all rows of the first child and no others: its G goes on in its place
  std::vector<ChildFront> children;
  std::vector<FrontSource> sources;
  std::size_t g0 = 0, G0 = 0;  // where its numbers start in ConstraintFronts
  int size() const { return static_cast<int>(rows.size()); }
  // Rows of its matrix are padded to whole groups of four numbers.
  int width() const { return (size() + 3) & ~3; }
};

struct ConstraintPlan {
  std::vector<int> active;         // per row: as in the mode
  std::vector<Front> fronts;       // in the order in which they are met
  std::vector<int> front_at;       // per link: the front that begins there, or -1
  std::vector<int> front_through;  // per link: the front that passes its joint, or -1
  std::vector<std::size_t> Q0;     // per link: where its numbers start in ConstraintFronts
  std::vector<std::vector<FrontTerm>> terms;  // per link
  int world_front = -1;
  bool valid = false;
};

// Numbers of the fronts.
template <class S>
struct ConstraintFronts {
  std::vector<Vec3<S>> Kn, Kf;  // per front and row; rows solved: L^-1 K^T
  std::vector<S> G;             // per front, upper half by rows; solved: D L^T with D inverted
  std::vector<S> g;             // per front and row; rows solved: scratch after L^-1 g
  std::vector<Vec3<S>> Qn, Qf;  // per link and row: what lambda adds to the joint's acceleration
  std::vector<Vec3<S>> Ln, Lf;  // doubles: K as it leaves that joint, for derivatives
  std::vector<S> diagonal;      // of the G being factorised
  std::vector<S> lanes;         // scratch, 6 x the largest width
  double least_pivot = 1;       // smallest squared sine between a row and those before it
};

template <class S>
struct Mechanism;

// The plan for the rows with active[row] != 0.
template <class S>
void make_constraint_plan(const Mechanism<S>& mechanism, const int* active, ConstraintPlan& plan,
                          ConstraintFronts<S>& fronts);

}  // namespace cartan::mechanics
