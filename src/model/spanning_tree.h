// The spanning tree of a set of joints, by the rule of the model file: repeat, the first joint with
// exactly one side reached (the world is reached) joins the tree.
#pragma once

#include <vector>

#include "model/model.h"

namespace cartan::model {

struct SpanningTree {
  std::vector<TreeJoint> joints;  // in the order in which they joined
  std::vector<int> loops;         // the other joints, in file order
  std::vector<int> unreached;     // bodies
};

// may_join[j] is false for joints that must close a loop.
SpanningTree find_spanning_tree(const std::vector<Joint>& joints, const std::vector<bool>& may_join,
                                int body_count);

}  // namespace cartan::model
