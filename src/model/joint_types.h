// The joint types: what the program wants to know of each beside its motion, one row per type.
// Keys, checks, columns, units and texts follow from the row; the motion is in
// mechanics/joints/TYPE.h.
//
// No other file asks for a type by its name: it asks for the kinds of its coordinates, the number
// of its motions, the keys it has.
#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

#include "core/folders.h"

namespace cartan::model {

enum class JointType {
  fixed,
  revolute,
  prismatic,
  screw,
  cylindrical,
  universal,
  planar,
  spherical,
  translation,
  free,
  ellipsoidal,
};

enum class CoordinateKind : unsigned char {
  angle,       // rad; the same place after a whole turn
  winding,     // rad; another place after a whole turn, unless the joint's size (a pitch) is zero
  length,      // m
  quaternion,  // one of the four numbers of a unit quaternion, which come first; its speeds are the
               // angular velocity in C's axes, and those of three lengths behind it are in C's axes
               // too
};
struct JointCoordinate {
  const char* name = nullptr;
  CoordinateKind kind = CoordinateKind::length;
};

// How a model file gives the joint's directions.
enum class DirectionKey : unsigned char { none, axis, normal, axes };
// A key with numbers of the type's own.
struct JointSize {
  const char* key = nullptr;
  int count = 0;
  bool may_be_negative = true;
};
// What bearings of a joint with friction can carry: loads across and along its axis, or at a ball.
enum class JointBearings : unsigned char { none, axis, ball };

struct JointKeys {
  DirectionKey directions = DirectionKey::none;
  JointSize size = {};
};

struct JointTypeInfo {
  JointType type;
  const char* name;
  int nq = 0, nv = 0;  // embedded numbers, speeds
  std::array<JointCoordinate, 7> coordinates = {};
  JointKeys keys;
  // Equations of the joint where it closes a loop, in their order: m(etres) or r(adians).
  std::string_view rows;
  JointBearings bearings;
  bool holds_point;  // the origins of P and C coincide

  constexpr JointTypeInfo(JointType type_, const char* name_,
                          std::initializer_list<JointCoordinate> list, JointKeys keys_,
                          std::string_view rows_, JointBearings bearings_, bool holds_point_)
      : type(type_),
        name(name_),
        keys(keys_),
        rows(rows_),
        bearings(bearings_),
        holds_point(holds_point_) {
    bool quaternion = false;
    for (const JointCoordinate& c : list) {
      quaternion |= c.kind == CoordinateKind::quaternion;
      coordinates[nq++] = c;
    }
    nv = quaternion ? nq - 1 : nq;
  }
};

namespace joint_rows {
constexpr JointCoordinate angle{"angle", CoordinateKind::angle};
constexpr JointCoordinate slide{"displacement", CoordinateKind::length};
constexpr JointCoordinate x{"x", CoordinateKind::length}, y{"y", CoordinateKind::length},
    z{"z", CoordinateKind::length};
constexpr JointCoordinate qw{"quaternion w", CoordinateKind::quaternion},
    qx{"quaternion x", CoordinateKind::quaternion}, qy{"quaternion y", CoordinateKind::quaternion},
    qz{"quaternion z", CoordinateKind::quaternion};
using Key = DirectionKey;
using Bearings = JointBearings;

// In the order of JointType. Coordinates; keys; equations; bearings; whether a point is held.
// clang-format off
inline constexpr JointTypeInfo table[] = {
    {JointType::fixed, "fixed", {}, {},
     "mmmrrr", Bearings::none, true},
    {JointType::revolute, "revolute", {angle}, {Key::axis},
     "mmmrr", Bearings::axis, true},
    {JointType::prismatic, "prismatic", {slide}, {Key::axis},
     "mmrrr", Bearings::axis, false},
    {JointType::screw, "screw", {{"angle", CoordinateKind::winding}}, {Key::axis, {"pitch", 1}},
     "mmrrm", Bearings::axis, false},
    {JointType::cylindrical, "cylindrical", {angle, slide}, {Key::axis},
     "mmrr", Bearings::axis, false},
    {JointType::universal, "universal",
     {{"first angle", CoordinateKind::angle}, {"second angle", CoordinateKind::angle}}, {Key::axes},
     "mmmr", Bearings::none, true},
    {JointType::planar, "planar", {x, y, angle}, {Key::normal},
     "mrr", Bearings::none, false},
    {JointType::spherical, "spherical", {qw, qx, qy, qz}, {},
     "mmm", Bearings::ball, true},
    {JointType::translation, "translation", {x, y, z}, {},
     "rrr", Bearings::none, false},
    {JointType::free, "free", {qw, qx, qy, qz, x, y, z}, {},
     "", Bearings::none, false},
    {JointType::ellipsoidal, "ellipsoidal", {qw, qx, qy, qz}, {Key::none, {"radii", 3, false}},
     "mmm", Bearings::none, false},
};
// clang-format on
}  // namespace joint_rows

inline constexpr int joint_type_count = static_cast<int>(std::size(joint_rows::table));

namespace joint_rows {
constexpr bool is_whole() {
  for (int k = 0; k < joint_type_count; ++k)
    if (static_cast<int>(table[k].type) != k ||
        static_cast<int>(table[k].rows.size()) != 6 - table[k].nv)
      return false;
  return true;
}
static_assert(is_whole(), "rows in the order of JointType, each with 6 - nv equations");
}  // namespace joint_rows

constexpr const JointTypeInfo& info(JointType type) {
  return joint_rows::table[static_cast<int>(type)];
}
constexpr std::span<const JointTypeInfo> all_joint_types() {
  return joint_rows::table;
}
constexpr std::optional<JointType> joint_type_from_name(std::string_view name) {
  for (const JointTypeInfo& row : joint_rows::table)
    if (name == row.name) return row.type;
  return std::nullopt;
}

// The first four coordinates are a unit quaternion.
constexpr bool has_quaternion(JointType type) {
  return info(type).nq > info(type).nv;
}
// ... and there are no others: a ball, whose speeds are its angular velocity.
constexpr bool is_ball(JointType type) {
  return has_quaternion(type) && info(type).nq == 4;
}
// The rates of the coordinates are the speeds, and there are some.
constexpr bool plain_coordinates(JointType type) {
  return info(type).nv > 0 && !has_quaternion(type);
}
constexpr bool is_weld(JointType type) {
  return info(type).nv == 0;
}
constexpr bool holds_nothing(JointType type) {
  return info(type).nv == 6;
}
// Coordinate k comes back to the same place after a whole turn.
constexpr bool is_angle(JointType type, int k) {
  return k < info(type).nq && info(type).coordinates[k].kind == CoordinateKind::angle;
}
// Coordinates behind the quaternion, if there is one.
constexpr int plain_count(JointType type) {
  return has_quaternion(type) ? info(type).nq - 4 : info(type).nq;
}

// "rad", "m", or "1" for the numbers of quaternions.
constexpr const char* coordinate_unit(JointType type, int k) {
  switch (info(type).coordinates[k].kind) {
    case CoordinateKind::length:
      return "m";
    case CoordinateKind::quaternion:
      return "1";
    default:
      return "rad";
  }
}
// Whether speed k turns: rad/s; otherwise m/s.
constexpr bool speed_turns(JointType type, int k) {
  if (has_quaternion(type)) return k < 3;
  return info(type).coordinates[k].kind != CoordinateKind::length;
}

}  // namespace cartan::model
