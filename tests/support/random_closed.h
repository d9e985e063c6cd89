// Seeded random closed mechanisms: a random tree (random_mechanism.h), then loops over all joint
// types, constraints of all kinds, and linkages whose constraints are redundant. Consistent by
// construction at t = 0: whatever closes a loop is fitted to where the bodies are, speeds are
// projected onto all constraints by the naive reference. States near a singularity, where the rank
// is not clear, are not taken.
#pragma once

#include "support/naive_closed.h"
#include "support/random_mechanism.h"

namespace cartan::test {

struct RandomClosedOptions {
  RandomClosedOptions();

  RandomMechanismOptions tree;
  int min_loops = 1, max_loops = 4;    // random ones, besides the linkages below
  std::vector<JointType> loop_joints;  // all; see also RandomMechanismOptions::ellipsoidal
  int max_constraints = 3;
  bool distances = true, drives = true, couplers = true, rolling_discs = true, knife_edges = true;
  bool points_on_planes = true;
  bool curved_couplers = true;  // half of the couplers, with offsets that depend on coordinates
  // likelihood of each: a planar linkage of revolute joints in space, a parallelogram with three
  // cranks, a joint of the tree built twice
  double planar_linkage = 0.25, parallelogram = 0.15, doubled_joint = 0.25;
  // likelihood that a random loop or constraint may be redundant, as it is where the bodies between
  // its ends have too little freedom and are frozen by it
  double accidental_redundancy = 0.1;
  double largest_kappa = 1e6;
};

ModelDescription make_random_closed_mechanism(std::uint64_t seed,
                                              const RandomClosedOptions& options = {});

// A description checked, with its state at t = 0 (loop joints filled in).
struct ClosedModel {
  Model model;
  NaiveTree tree;  // refers to the model
  NaiveState state;

  explicit ClosedModel(const ModelDescription& description);  // stops the program when not legal
  ClosedModel(const ClosedModel&) = delete;
  ClosedModel& operator=(const ClosedModel&) = delete;

  // X of a body, world the identity.
  Pose<double> pose(int body) const;
  NaiveClosedResult calc() const { return calc_naive_closed_dynamics(tree, state); }
};

// The same mechanism cut elsewhere: `loop` (a loop joint) carries the tree, `tree_joint` closes the
// loop. Both get the positions and speeds they have.
ModelDescription cut_at(const ModelDescription& description, const ClosedModel& closed,
                        const std::string& loop, const std::string& tree_joint);
// A joint of the tree made a loop joint; what hung on it hangs on a free joint named `name`.
ModelDescription rebuilt_as_loop(const ModelDescription& description, const ClosedModel& closed,
                                 const std::string& tree_joint, const std::string& name);

// Joints of the tree on the path between the two sides of a loop joint.
std::vector<int> joints_of_loop(const NaiveTree& tree, int loop_joint);

// Whether any force or gravity mentions the joint.
bool is_mentioned(const ModelDescription& description, const std::string& joint);

}  // namespace cartan::test
