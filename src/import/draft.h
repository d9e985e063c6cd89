// A model file in the making: what the readers of other formats fill, and the text that comes of
// it. Every line remembers the place in the source it comes from, so that complaints about the
// model point into the file the user has.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/diagnostics.h"
#include "lie/quaternion.h"

namespace cartan::import {

// What the model file can say today. Off: counted as not carried over.
inline constexpr bool rotor_inertia_is_read = true;  // `inertia` of a joint
inline constexpr bool inputs_are_read = true;        // [inputs]; off: [parameters] instead

// A frame in another. `rpy`: the angles the rotation was written with.
struct DraftPose {
  Vec3<double> p;
  Quat<double> q;
  std::optional<Vec3<double>> rpy;
};
DraftPose compose(const DraftPose& X_AB, const DraftPose& X_BC);
DraftPose inverse(const DraftPose& X_AB);
Vec3<double> rotate(const Quat<double>& q, const Vec3<double>& v);
Quat<double> quaternion_from_rpy(const Vec3<double>& rpy);
Quat<double> quaternion_from_axis(const Vec3<double>& axis, double angle);
// Of a rotation matrix by columns; they are made orthonormal first (x kept, y in its plane).
Quat<double> quaternion_from_axes(const Vec3<double>& x, const Vec3<double>& y);
// The least rotation that takes z to a direction.
Quat<double> quaternion_to_direction(const Vec3<double>& z);
DraftPose rpy_pose(const Vec3<double>& p, const Vec3<double>& rpy);

// Mass, centre of mass, and inertia about it: xx yy zz xy xz yz, axes of the body.
struct DraftInertia {
  double mass = 0;
  Vec3<double> com;
  double moments[6] = {0, 0, 0, 0, 0, 0};
};
// The same in the axes of B, for a piece whose frame P stands at X_BP.
DraftInertia placed(const DraftInertia& piece, const DraftPose& X_BP);
DraftInertia sum(const std::vector<DraftInertia>& pieces);
// A solid of a given mass about its centre. ellipsoid: semi-axes; box: full lengths; z: the axis.
DraftInertia solid_box(double mass, const Vec3<double>& size);
DraftInertia solid_ellipsoid(double mass, const Vec3<double>& semi_axes);
DraftInertia solid_cylinder(double mass, double radius, double length);
DraftInertia solid_capsule(double mass, double radius, double length);  // length of the cylinder

std::string number_text(double x);
std::string list_text(const Vec3<double>& v);
std::string list_text(const std::vector<double>& x);
std::string toml_text(const std::string& text);
// "{ rpy = [..] }" or "{ quaternion = [..] }"; "" for no rotation
std::string rotation_text(const DraftPose& pose);
// { body = "name", at = [..], rotate = {..} }
std::string placement_text(const std::string& body, const DraftPose& pose);
// NAME or 'NA-ME', to stand before .q in an expression
std::string in_expression(const std::string& name);

struct DraftLine {
  std::string key, value;
  Location where;
};

struct DraftItem {
  std::vector<DraftLine> lines;
  Location where;
  std::string comment;  // behind the head of the table

  DraftItem& set(const std::string& key, const std::string& value, Location place = {});
};

// Bounds of one coordinate.
struct DraftStop {
  std::optional<double> lower, upper;
  bool given() const { return lower || upper; }
};

struct DraftJoint {
  std::string name, type;
  std::string parent, child;
  DraftPose in_parent, in_child;
  std::vector<Vec3<double>> axes;  // one; two of a universal joint
  double pitch = 0;
  std::vector<double> position, velocity;  // plain coordinates; empty: zero
  std::optional<DraftPose> pose;           // spherical, free
  std::string rotor_inertia;               // a number or a quoted expression; "" for none
  std::vector<DraftStop> stops;            // none, or one per coordinate
  bool loop = false;
  Location where;
  std::string comment;
};

class Draft {
 public:
  std::string name, head;  // head: comment lines
  std::optional<Vec3<double>> gravity;
  Location gravity_where;
  std::vector<DraftLine> parameters, inputs;
  std::vector<DraftItem> bodies, forces, constraints;
  std::vector<DraftJoint> joints;

  // References hold until the next one is added.
  DraftItem& add_body(const std::string& body, const DraftInertia& inertia, Location where);
  DraftItem& add_force(const std::string& type, const std::string& force, Location where);
  DraftItem& add_constraint(const std::string& type, const std::string& constraint, Location where);
  void add_massless(const std::string& body, Location where);

  // A name nobody has: `wish`, or it with a number behind.
  std::string free_body_name(const std::string& wish);
  std::string free_joint_name(const std::string& wish);
  // Makes an entry of [parameters] or of [inputs]; returns its name, an identifier. A parameter of
  // the same wish and value is shared.
  std::string parameter(const std::string& wish, double value, Location where);
  std::string input(const std::string& wish, double value, Location where);

  struct Text {
    std::string text;
    std::vector<Location> places;  // of each line; line 0: none
  };
  Text write() const;

 private:
  std::string identifier(const std::string& wish);
  std::set<std::string> plain_names_ = {"t", "pi", "q", "v", "kinetic", "potential", "i"};
  std::unordered_set<std::string> body_names_, joint_names_;
  std::size_t indexed_bodies_ = 0, indexed_joints_ = 0;
  std::set<std::string> element_names_;  // forces and constraints
};

// Names a model file does not take get `_` for what it refuses.
std::string clean_name(const std::string& name);

}  // namespace cartan::import
