// A path of targets from a table: columns `t` and expressions of the model's names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/kinematics/path.h"
#include "io/csv.h"
#include "results/load/analysis_state.h"
#include "results/motion_table.h"

namespace cartan::results {

struct TablePath {
  std::vector<double> t;
  std::vector<PathTarget> targets;
};

// Columns become targets, smooth curves (C2 splines) through their numbers; "JOINT.v0" and
// "JOINT.a0" beside "JOINT.q0" are passed over. Nothing after complaints.
std::optional<TablePath> read_path(const Analysis& analysis, const std::string& file,
                                   Diagnostics& problems);

// A target LEFT = RIGHT that holds along the path (RIGHT may depend on t); "" or a sentence.
std::string add_path_target(const Analysis& analysis, const std::string& left,
                            const std::string& right, std::vector<PathTarget>& targets);

// Coordinates, speeds and accelerations of the tree joints along a path that was followed.
MotionTable motion_of(const MechanicalSystem& system, const PathResult& path);

}  // namespace cartan::results
