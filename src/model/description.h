// What a model file says, before any check: names as text, numbers as written.
//
// A reader (io/) fills it from a file; a program fills it directly:
//
//   ModelDescription d;
//   d.name = "heavy top";
//   d.parameters = {{"spin", "20*pi"}};
//   d.bodies.push_back({.name = "top", .mass = 21.6, .inertia = {0.36, 0.306, 0.09}});
//   d.joints.push_back({.name = "pivot", .type = "spherical", .parent = {"world"},
//                       .child = {"top", {-0.5, 0, 0}}, .velocity = {0, "spin", "10*pi"}});
//   Diagnostics problems;
//   std::optional<Model> model = check_model(d, problems);
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/diagnostics.h"

namespace cartan::model {

// A reader keeps going after a complaint, so that all problems are told at once. What it has
// complained about is left empty but with its place set (a Value: `reported`); the check then says
// nothing more.

// A number, or an expression over names known where it stands.
struct Value {
  double number = 0;
  std::string text;  // not empty: an expression
  Location where;
  Location text_where;  // of the first character of the text, where columns can be counted from it
  bool reported = false;

  Value() = default;
  Value(double x) : number(x) {}
  Value(int x) : number(x) {}
  Value(std::string expression) : text(std::move(expression)) {}
  Value(const char* expression) : text(expression) {}
  bool is_expression() const { return !text.empty(); }
};
struct Values : std::vector<Value> {
  using std::vector<Value>::vector;
  Location where;  // of the whole list
};

// A name that refers to something declared elsewhere.
struct Reference {
  std::string name;
  Location where = {};
  Reference() = default;
  Reference(const char* n) : name(n) {}
  Reference(std::string n) : name(std::move(n)) {}
  bool empty() const { return name.empty(); }
};

struct RotationText {
  enum class Kind { none, axis_angle, quaternion, rpy };
  Kind kind = Kind::none;
  Values values;  // axis_angle: x y z angle; quaternion: w x y z; rpy: roll pitch yaw
  Location where;
};

// A point (and frame) on a body.
struct PlacementText {
  Reference body = {};
  Values at = {};  // empty: the origin
  RotationText rotate = {};
  Location where = {};
};

struct ShapeText {
  enum class Kind { box, cylinder, tube, sphere, mesh };
  Kind kind = Kind::box;
  // box: x y z; cylinder: radius length; tube: inner outer length; sphere: radius; mesh: its scale,
  // one number, three or none
  Values size;
  Reference mesh = {};  // its file
  Values at;
  RotationText rotate;
  std::string color;
  Location where;
};

struct BodyText {
  std::string name;
  std::optional<Value> mass;
  Values com;      // 3 or empty
  Values inertia;  // 3, 6 or empty
  std::vector<ShapeText> shapes;
  std::optional<Value> density;
  Values line_from, line_to;  // both given: the mass is spread evenly along a straight line
  std::string group;          // "", se3, so3r3, auto: configuration space in absolute formulations
  Location where, name_where, group_where, shapes_where, line_where;
};

// Bounds of one coordinate of a joint, at which its motion ends.
struct StopText {
  std::optional<Value> lower, upper, restitution;
  Location where;
};

struct JointText {
  std::string name;
  std::string type;
  PlacementText parent, child;
  Values axis;                          // or normal
  std::vector<Values> axes;             // joints with two axes
  std::map<std::string, Values> sizes;  // numbers of the type's own under their key: pitch, ...
  struct Position {
    bool given = false;
    Values coordinates;     // joints with plain coordinates
    RotationText rotation;  // joints with a quaternion
    Values at;              // coordinates behind the quaternion
  } position;
  Values velocity;
  bool velocity_given = false;
  std::vector<StopText> stops;  // none, or one per coordinate
  bool loop = false;
  Values inertia;  // of a rotor: one per coordinate, or empty
  Location where, type_where, name_where, axes_where, stops_where;
};

// A point of a body that expressions can name.
struct PointText {
  std::string name;
  Reference body;
  Values at;  // empty: the origin
  Location where, name_where;
};

// A bearing that carries the load of a joint with friction
struct BearingText {
  Values at;
  std::optional<Value> radial, axial;
  Location where;
};

struct ForceText {
  std::string name;
  std::string type;
  Reference joint, body, on;    // whichever the type uses
  PlacementText from, to;       // spring
  Values at, force, torque;     // wrench, drag
  Reference frame;              // wrench: world, body or a body's name
  Values stiffness, damping;    // spring (one), torsion (one or several)
  std::optional<Value> length;  // spring
  Values rest;                  // torsion with plain coordinates
  RotationText rest_rotation;   // torsion of a spherical joint
  std::string measure;          // torsion of a spherical joint
  Location measure_where;
  Values value;                        // joint (one per speed), potential (one)
  Values coulomb, viscous, quadratic;  // friction: one or one per speed
  Values load;                         // friction: an expression of everything
  std::optional<Value> smoothing;
  std::vector<BearingText> bearings;
  std::optional<Value> coefficient;  // drag
  Values medium;
  Reference deflection;                   // tyre: one of [variables]
  std::map<std::string, Values> numbers;  // keys of other types
  Location where, type_where, name_where, bearings_where;
};

struct CouplerTermText {
  std::string coordinate;  // "joint" or "joint[i]"
  Value factor;
  Location where;
};

struct ConstraintText {
  std::string name;
  std::string type;
  Reference joint, body, on;
  PlacementText from, to;  // distance
  std::optional<Value> length;
  Values position;                     // drive
  std::vector<CouplerTermText> terms;  // coupler
  std::optional<Value> offset;
  Values center, axis;  // rolling-disc
  std::optional<Value> radius, rim;
  Values plane_point, plane_normal;
  Reference plane_body;
  Values at, normal;  // knife-edge
  Location where, type_where, name_where, plane_where, terms_where;
};

// One of the two surfaces that may not pass through each other.
struct ContactSideText {
  Reference body;
  std::string shape;  // point, sphere, disc, capsule, box, ellipsoid, mesh, plane
  // sphere, disc: radius; capsule: radius, length; box, ellipsoid: three; plane: outward normal;
  // mesh: its scale, one number, three or none
  Values size;
  Reference mesh = {};  // its file
  bool hull = false;    // a mesh touches as its convex hull, whatever it is itself
  Values axis;          // disc
  Values at;
  RotationText rotate;
  bool inside = false;  // a hollow sphere
  Location where;
};

struct ContactText {
  std::string name;
  ContactSideText a, b;
  std::optional<Value> restitution, friction;
  bool rough = false;  // friction = "rough"
  std::string law;     // "", newton, poisson
  std::optional<Value> active;
  Location where, name_where, law_where;
  int group = -1;  // written out for this group
};

// [[contacts]]: the shapes of some bodies against each other and against surfaces.
struct ContactGroupText {
  std::vector<ContactSideText> sides, surfaces;
  ContactText law;          // what it says of the touching itself
  std::string not_located;  // "" or why its pairs are not written out as contacts of their own
};

// A plane through a body, in its axes: loads inside it are told.
struct CutText {
  std::string name;
  Reference body;
  Values at, normal;
  Location where, name_where;
};

// A new value at an event: of "joint.v[i]", "joint.q[i]" or a variable.
struct JumpText {
  std::string name;
  Values values;
  Location where;
};

struct EventText {
  std::string name;
  Value when;
  int direction = 0;
  std::string action = "record";
  std::vector<JumpText> set;
  Location where, name_where, direction_where, action_where;
};

struct NamedValue {
  std::string name;
  Value value;
  std::optional<Value> initial;  // of [speeds]: what it is at the start
  Location where, name_where;
  NamedValue() = default;
  NamedValue(std::string n, Value v) : name(std::move(n)), value(std::move(v)) {}
};

// An entry of [functions]: a formula of its arguments, code of the user, or a name only.
struct FunctionText {
  std::string name;
  std::vector<Reference> arguments;
  std::optional<Value> value;
  Reference source, library;  // C file, shared library: paths from the folder of the model file
  struct Derivative {
    std::string by;  // "q1", "q1 q2"
    Reference name;
  };
  std::vector<Derivative> derivatives;
  Location where, arguments_where;
};

// A number, a list or a matrix by rows.
struct OutputText {
  std::string name;
  std::vector<Values> rows;  // empty: reported
  int dimensions = 0;        // 0: one value, 1: a list, 2: a matrix
  bool sparse = false;       // entries written as 0 are left out
  Location where, name_where, value_where, sparse_where;
  OutputText() = default;
  OutputText(std::string n, Value v) : name(std::move(n)), rows{{std::move(v)}} {}
};

struct VariableText {
  std::string name;
  Value initial;
  std::optional<Value> rate;  // none: `equations` say what it is
  Location where, table_where;
};

struct SimulateText {
  std::optional<Value> duration, step, tolerance;
  std::optional<int> every;
  std::string formulation, integrator;
  Location where, every_where, formulation_where, integrator_where;
};

struct ModelDescription {
  // Out of line: a program that uses descriptions need not compile what copies and destroys them.
  ModelDescription();
  ModelDescription(const ModelDescription&);
  ModelDescription(ModelDescription&&) noexcept;
  ModelDescription& operator=(const ModelDescription&);
  ModelDescription& operator=(ModelDescription&&) noexcept;
  ~ModelDescription();

  std::string name;
  std::string file;    // where it was read from, "" for a model built in C++
  std::string folder;  // tables are looked up relative to it
  Values gravity;      // empty: [0, 0, -9.81]
  Reference gravity_frame;
  std::vector<NamedValue> parameters;
  std::vector<NamedValue> inputs;   // with their default values
  std::vector<NamedValue> signals;  // what a run gives to inputs instead, as expressions of t
  std::vector<NamedValue> definitions;
  std::vector<FunctionText> functions;
  std::vector<BodyText> bodies;
  std::vector<JointText> joints;
  std::vector<PointText> points;
  std::vector<CutText> cuts;
  std::vector<ForceText> forces;
  std::vector<ConstraintText> constraints;
  std::vector<ContactText> contacts;
  std::vector<ContactGroupText> contact_groups;
  std::vector<EventText> events;
  std::vector<OutputText> outputs;
  std::vector<VariableText> variables;
  Values equations;  // of variables without a rate
  SimulateText simulate;
  Location where;
  std::vector<NamedValue> speeds;  // chosen by the user, linear in those of the joints
};

}  // namespace cartan::model
