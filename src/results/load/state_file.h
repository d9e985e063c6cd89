// A state given by the user: STATE.json, or the last row of an earlier run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/model.h"
#include "system/system.h"

namespace cartan::results {

// What a state says; what it does not say keeps the model's initial value.
struct StateValues {
  double t = 0;
  std::vector<std::optional<std::vector<double>>> q, v;  // per joint, file order
  std::vector<std::optional<double>> variables;          // of a [variables] file
};

// Numbers of a quaternion within this distance of length one are taken as they are; others are
// refused.
inline constexpr double unit_length_tolerance = 1e-6;

// `path`: a STATE.json, a trajectory.csv (its last row), the folder of an earlier run, or the text
// of a STATE.json itself, which begins with a brace.
StateValues read_state(const std::string& path, const Model& model);

// Column names of trajectory.csv: JOINT.q0.. or JOINT.v0.. of a joint.
std::vector<std::string> coordinate_columns(const Joint& joint);
std::vector<std::string> speed_columns(const Joint& joint, char letter = 'v');

// Complains where the quaternion among a joint's coordinates is not of unit length.
bool check_coordinates(const Joint& joint, const std::vector<double>& q, Diagnostics& problems,
                       Location where = {});

// The state of a system with these values.
State make_start(const System& system, const StateValues& values);

}  // namespace cartan::results
