#include "model/spanning_tree.h"

#include <gtest/gtest.h>

#include <random>

namespace cartan::test {
namespace {

Joint between(int parent, int child) {
  Joint joint;
  joint.parent.body = parent;
  joint.child.body = child;
  return joint;
}

// The rule as it is written, step by step.
std::vector<int> tree_by_the_rule(const std::vector<Joint>& joints,
                                  const std::vector<bool>& may_join, int bodies) {
  std::vector<bool> reached(bodies + 1, false);
  reached[bodies] = true;
  const auto is_reached = [&](int body) { return reached[body == world ? bodies : body]; };
  std::vector<int> tree;
  for (bool again = true; again;) {
    again = false;
    for (std::size_t j = 0; j < joints.size() && !again; ++j) {
      const int parent = joints[j].parent.body, child = joints[j].child.body;
      if (!may_join[j] || is_reached(parent) == is_reached(child)) continue;
      reached[is_reached(parent) ? child : parent] = true;
      tree.push_back(static_cast<int>(j));
      again = true;
    }
  }
  return tree;
}

TEST(SpanningTree, FollowsTheRuleOnRandomGraphs) {
  std::mt19937 random(7);
  int loops = 0, unreached = 0;
  for (int run = 0; run < 500; ++run) {
    const int bodies = 1 + static_cast<int>(random() % 12);
    std::vector<Joint> joints;
    std::vector<bool> may_join;
    for (int j = static_cast<int>(random() % 20); j >= 0; --j) {
      const int parent = static_cast<int>(random() % (bodies + 1)) - 1;
      const int child = static_cast<int>(random() % (bodies + 1)) - 1;
      if (parent == child) continue;
      joints.push_back(between(parent, child));
      may_join.push_back(random() % 8 != 0);
    }
    const SpanningTree tree = find_spanning_tree(joints, may_join, bodies);
    std::vector<int> order;
    for (const TreeJoint& link : tree.joints) {
      order.push_back(link.joint);
      const Joint& joint = joints[link.joint];
      EXPECT_EQ(link.inboard, link.reversed ? joint.child.body : joint.parent.body);
      EXPECT_EQ(link.outboard, link.reversed ? joint.parent.body : joint.child.body);
    }
    EXPECT_EQ(order, tree_by_the_rule(joints, may_join, bodies));
    EXPECT_EQ(tree.joints.size() + tree.loops.size(), joints.size());
    EXPECT_EQ(tree.joints.size() + tree.unreached.size(), static_cast<std::size_t>(bodies));
    loops += static_cast<int>(tree.loops.size());
    unreached += static_cast<int>(tree.unreached.size());
  }
  EXPECT_GT(loops, 100);
  EXPECT_GT(unreached, 100);
}

TEST(SpanningTree, IsFastForLongChainsInTheWrongOrder) {
  const int n = 100000;
  std::vector<Joint> joints;
  for (int i = n - 1; i >= 0; --i) joints.push_back(between(i - 1, i));
  const SpanningTree tree = find_spanning_tree(joints, std::vector<bool>(n, true), n);
  EXPECT_EQ(tree.joints.size(), static_cast<std::size_t>(n));
}

}  // namespace
}  // namespace cartan::test
