// A prescribed motion: coordinates, speeds and accelerations of every tree joint at given times.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/diagnostics.h"
#include "model/model.h"

namespace cartan::results {

struct PrescribedJoint {
  std::vector<std::vector<double>> q, v, a;  // per time, each a list
};

struct MotionTable {
  std::vector<double> t;
  std::vector<PrescribedJoint> joints;  // file order
  // [variables] beside the bodies, per variable and time; empty: not in the table
  std::vector<std::vector<double>> variables;
  std::vector<std::string> derived;  // what had to be differentiated: "v and a of joint 'x'", ...
};

// Columns as in trajectory.csv: t, JOINT.q0.., JOINT.v0.., and JOINT.a0.. for accelerations;
// [variables] that have no column keep their initial values. Speeds
// and accelerations that are missing come from smooth curves (C2 splines) through what is there.
std::optional<MotionTable> read_motion(const std::string& path, const Model& model,
                                       Diagnostics& problems);

}  // namespace cartan::results
