// drive: the coordinates of a joint are given functions of time.
#pragma once

#include "model/joint_types.h"
#include "model/quantities.h"

namespace cartan::model {

struct DriveConstraint {
  static constexpr const char* type = "drive";
  static constexpr ElementKey keys[] = {{"joint"}, {"position"}};

  int joint = 0;
  Formula position;  // nv expressions of t

  template <class Self, class Visit>
  static void for_each_expression(Self&& drive, Visit&& visit) {
    visit(drive.position);
  }

  void write(auto& out) const {
    out.joint("joint", joint);
    out.numbers("position", position);
  }

  static DriveConstraint check(auto& check, const ConstraintText& text, const auto& owner) {
    DriveConstraint drive;
    drive.joint = check.joint(text.joint, {"joint", owner});
    check.require(text.position, {"position", owner});
    if (drive.joint == unresolved) return drive;
    const JointType type = *check.names.joint_type(drive.joint);
    if (!plain_coordinates(type)) {
      check.problems.error(text.joint.where,
                           "constraint '" + owner.name + "': a " + info(type).name +
                               " joint cannot be driven; expected a joint with plain "
                               "coordinates");
      return drive;
    }
    drive.position =
        check.expressions(text.position, {"position", owner, {info(type).nv}}, Scope::drive);
    return drive;
  }
};

}  // namespace cartan::model
