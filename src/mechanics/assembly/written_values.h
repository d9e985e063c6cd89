// The numbers written for the start of a mechanism, one by one in the order of the file: how far a
// state is from each of them, and how that changes with the speeds.
//
// Coordinates of a rotation (spherical, free) count as three values, the components of the rotation
// vector that leads from the written rotation to the present one, in the axes of C; those of a free
// joint come before its place. A loop joint's angle is the same after a full turn. Values of
// [speeds] come before speeds of joints.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "mechanics/assembly/chosen_speeds.h"
#include "mechanics/constraints/row_blocks.h"
#include "mechanics/machine/mechanism_system.h"
#include "mechanics/machine/motion_workspace.h"

namespace cartan::mechanics {

// Present minus written, and the rows that give its rate from the speeds of the tree.
struct ValueRows {
  Eigen::VectorXd off;
  SparseMatrix rows;
};

class WrittenValues {
 public:
  WrittenValues(const Mechanism<double>& mechanism, const WrittenStart& written);

  int position_count() const { return static_cast<int>(positions_.size()); }
  int speed_count() const { return static_cast<int>(speeds_.size()); }
  bool of_loop(int position) const { return is_loop(positions_[position]); }
  bool speed_of_loop(int speed) const { return is_loop(speeds_[speed]); }
  int chosen_count() const { return chosen_.count(); }
  ChosenSpeeds& chosen() { return chosen_; }
  bool any_loop_position() const;
  // A value this close to the written one is kept.
  double position_tolerance(int position) const;
  double speed_tolerance(int speed) const;

  // At the state in ws (fill_kinematics).
  ValueRows at_positions(MotionWorkspace<double>& ws) const;
  Eigen::VectorXd position_offsets(MotionWorkspace<double>& ws) const;  // off alone
  ValueRows at_speeds(MotionWorkspace<double>& ws) const;               // after chosen().place

  // Puts the numbers of tree joints that belong to these values back as they were written.
  void restore_positions(const std::vector<int>& held, double* q) const;
  void restore_speeds(const std::vector<int>& held, double* v) const;

  // What differs from the written numbers at the state in ws.
  std::vector<ChangedValues> list_changes(MotionWorkspace<double>& ws) const;

 private:
  struct Value {
    int joint = 0;      // in the model; -1: of [speeds]
    int component = 0;  // of the speeds, or of those chosen
    double written = 0;
    bool turn = false;  // of a rotation
  };
  bool is_loop(const Value& value) const {
    return value.joint >= 0 && mechanism_.link_of_joint[value.joint] < 0;
  }
  const Link<double>& shape_of(int joint) const;
  double calc_offset(const Value& value, MotionWorkspace<double>& ws, double* factor) const;

  const Mechanism<double>& mechanism_;
  const WrittenStart& written_;
  ChosenSpeeds chosen_;
  std::vector<Value> positions_, speeds_;
};

}  // namespace cartan::mechanics
