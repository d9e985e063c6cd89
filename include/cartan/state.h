// A state of a machine by names.
//
//   const cartan::Model model = cartan::load("model.toml");
//   cartan::State state = cartan::eval(model).state;
//   state.joints[0].q = {0.3};
//   cartan::run(model, {.duration = 1, .from = state.json()});
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cartan/export.h>

namespace cartan::api {

// A joint's coordinates and speeds (docs/joints.md).
struct JointState {
  std::string name;
  std::vector<double> q;  // spherical: w, x, y, z; free: the quaternion, then the place
  std::vector<double> v;
};

// Where a body is and how it moves.
struct BodyPlace {
  std::string name;
  std::array<double, 3> position;    // of its origin, in the world
  std::array<double, 4> quaternion;  // w, x, y, z
  std::array<double, 3> angular;     // angular velocity, body axes
  std::array<double, 3> linear;      // velocity of the origin, world axes
};

// A name and its number.
using NamedNumber = std::pair<std::string, double>;

// What a STATE.json says, and the bodies that follow from it.
struct State {
  double t = 0;
  std::vector<JointState> joints;      // of a mechanism, file order
  std::vector<BodyPlace> bodies;       // follow from the joints: changing them has no effect
  std::vector<NamedNumber> variables;  // of a [variables] file

  // As the options `from`, `at` and `start` take it.
  CARTAN_API std::string json() const;
};

}  // namespace cartan::api
