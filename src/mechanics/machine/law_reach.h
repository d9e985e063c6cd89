// What a force, a constraint or the rate of a variable reads and acts on. Each tells it of itself
// (`list_reach` of a force, `row_reach` of a constraint); the derivatives as formulas
// (tree/slope_plan.h) move nothing else.
#pragma once

#include <algorithm>
#include <vector>

#include "mechanics/machine/mechanism.h"

namespace cartan::mechanics {

struct LawReach {
  // False: nothing here says it all, and dual numbers do the whole mechanism.
  bool covered = true;
  // An interaction of two bodies (b may be the world) that depends on nothing but their relative
  // motion: only a is moved, and joints that carry both change nothing.
  bool pair = false;
  int a = world, b = world;
  // Everything else: what it reads and what it acts on.
  std::vector<int> in_links, in_joints, in_variables;  // joints by their links
  std::vector<int> out_links, out_joints;
};

inline void add_once(std::vector<int>& list, int index) {
  if (std::find(list.begin(), list.end(), index) == list.end()) list.push_back(index);
}
inline void add_link_once(std::vector<int>& list, int link) {
  if (link != world) add_once(list, link);
}

// Takes down what a law says.
class ReachList {
 public:
  ReachList(const Mechanism<double>& mechanism, LawReach& reach)
      : mechanism_(mechanism), reach_(reach) {}

  const Mechanism<double>& mechanism() const { return mechanism_; }

  void leave_to_dual_numbers() { reach_.covered = false; }
  void between(int a, int b) {
    reach_.pair = true;
    reach_.a = a, reach_.b = b;
    if (a == world) std::swap(reach_.a, reach_.b);
  }
  void push(int link) {
    add_link_once(reach_.in_links, link);
    add_link_once(reach_.out_links, link);
  }
  // The power of a force in a joint depends on the joint's speeds.
  void act_in(int joint) {
    read_joint(joint);
    const int i = mechanism_.link_of_joint[joint];
    if (i >= 0) add_once(reach_.out_joints, i);
  }
  void read_link(int link) { add_link_once(reach_.in_links, link); }
  void read_joint(int joint) {
    const int i = mechanism_.link_of_joint[joint];
    reach_.covered &= i >= 0;
    if (i >= 0) add_once(reach_.in_joints, i);
  }
  void read(const Formula* formula) {
    if (formula) read(formula->program);
  }
  void read(const Program& program) {
    for (const Symbol& symbol : program.inputs) read(symbol);
  }
  void read(const Symbol& symbol) {
    switch (symbol.quantity) {
      case Quantity::time:
      case Quantity::parameter:
      case Quantity::branch:
        return;
      case Quantity::joint_q:
      case Quantity::joint_v:
        return read_joint(symbol.index);
      case Quantity::body_position:
      case Quantity::body_velocity:
      case Quantity::body_angular:
      case Quantity::body_rotation:
        return read_link(mechanism_.link_of_body[symbol.index]);
      case Quantity::point_position:
      case Quantity::point_velocity:
        return read_link(mechanism_.points[symbol.index].link);
      case Quantity::variable:
        return add_once(reach_.in_variables, symbol.index);
      default:
        leave_to_dual_numbers();
    }
  }

 private:
  const Mechanism<double>& mechanism_;
  LawReach& reach_;
};

}  // namespace cartan::mechanics
