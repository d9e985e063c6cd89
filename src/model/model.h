// The checked, constant model: names resolved to indices, expressions compiled, spanning tree
// found.
//
// Nothing here depends on parameter values: numbers are Formulas over the parameters, evaluated
// when a formulation builds its flat arrays from (Model, parameter values).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/block_triangular.h"
#include "core/diagnostics.h"
#include "core/vec3.h"
#include "model/consent.h"
#include "model/constraint_list.h"
#include "model/description.h"
#include "model/force_list.h"
#include "model/joint_types.h"
#include "model/mesh.h"
#include "model/polyhedron.h"
#include "model/quantities.h"

namespace cartan::model {

struct Shape {
  ShapeText::Kind kind = ShapeText::Kind::box;
  Formula size;
  Formula at;
  Rotation rotate;
  std::string color;
  // A mesh: `size` is its scale, three numbers; `solid` its inside, where a density asks for it.
  std::string mesh_file;
  std::shared_ptr<const Mesh> mesh;
  MeshSolid solid;
};

// Where the state of a body lives when it is free. `formulation`: nothing is said in the file, the
// formulation decides; `automatic`: SE(3) for bodies jointed to the world, the product elsewhere.
enum class BodyGroup { formulation, automatic, se3, so3r3 };

struct Body {
  std::string name;
  Formula mass, com, inertia;  // 1, 3, 6 (xx yy zz xy xz yz); not given when `density` is
  std::vector<Shape> shapes;
  Formula density;
  Formula line;  // given: the ends (6) of a uniform rod; com and inertia follow
  BodyGroup group = BodyGroup::formulation;
  Location where;
};

struct Joint {
  std::string name;
  JointType type = JointType::fixed;
  Placement parent, child;  // frames P and C
  Formula axes;             // 0, 3 (axis, normal) or 6 (universal); normalised when evaluated
  Formula sizes;            // numbers of the type's own (joint_types.h): pitch, ...
  Formula coordinates;      // initial: those behind the quaternion, if there is one
  Rotation rotation;        // initial: joints with a quaternion
  Formula velocity;         // initial: nv numbers
  Formula inertia;          // given: of a rotor, nv numbers (joints with plain coordinates)
  bool position_given = false, velocity_given = false;
  bool at_centre_of_mass = false;  // the child's frame lies there, whatever `child.at` says
  Location where;

  int nq() const { return info(type).nq; }
  int nv() const { return info(type).nv; }
};

struct NamedPoint {
  std::string name;
  int body = world;
  Formula at;  // 3
};

// A plane through a body (mechanics/cuts).
struct Cut {
  std::string name;
  int body = 0;
  Formula at, normal;  // body axes
};

// ------------------------------------------------------------------------------------------ forces

// `law`: one of the types in model/forces, in the order of their files' names.
struct Force {
  std::string name;
  ForceLaw law;
  Location where;
};
// visit(formula) for the expressions of a force or constraint: of more than parameters,
// evaluated as it moves.
template <class Element, class Visit>
void for_each_expression(Element& element, Visit&& visit) {
  std::visit([&](auto& law) { law.for_each_expression(law, visit); }, element.law);
}

// ------------------------------------------------------------------------------------- constraints

// `law`: one of the types in model/constraints, in the order of their files' names.
struct Constraint {
  std::string name;
  std::string type;
  ConstraintLaw law;
  Location where;

  bool is_drive() const { return std::holds_alternative<DriveConstraint>(law); }
};

// ---------------------------------------------------------------------------------------- contacts

enum class ContactShape { point, sphere, disc, capsule, box, ellipsoid, mesh, plane };
struct ContactSide {
  Placement place;
  ContactShape shape = ContactShape::point;
  Formula size;  // see ContactSideText
  Formula axis;  // disc
  bool inside = false;
  std::shared_ptr<const Polyhedron> hull;  // mesh, without its scale
};
// Two surfaces that may not pass through each other, or a stop of a joint coordinate. Stops come
// first, in the order of the joints.
struct Contact {
  std::string name;
  int joint = -1, component = 0;  // a stop: which coordinate ...
  bool upper = false;             // ... and which of its bounds
  Formula bound;
  ContactSide a, b;
  Formula restitution;
  Formula friction;  // given or not
  bool rough = false, poisson = false;
  Formula active;  // given: counts only where positive
  Location where;
  int group = -1;  // in contact_groups, which it was written out of

  bool is_stop() const { return joint >= 0; }
  bool rubs() const { return rough || friction.given(); }
};

// Shapes of bodies, every one against every other one of another body and against surfaces. Its
// pairs are among the contacts where `not_located` says nothing else.
struct ContactGroup {
  std::vector<ContactSide> sides, surfaces;
  Contact law;
  std::string not_located;
};

// ------------------------------------------------------------------------------------------- rest

// A new value, from the values before: of a coordinate or a speed of a joint, or of a variable.
struct Jump {
  enum class What { position, speed, variable };
  What what = What::variable;
  int index = 0;      // joint or variable
  int component = 0;  // first of the numbers
  Formula value;      // one or several
};
struct Event {
  std::string name;
  Formula when;
  int direction = 0;
  bool stop = false;
  std::vector<Jump> jumps;
};
struct Output {
  std::string name;  // of an entry of a list or matrix: NAME[i], NAME[i][j]
  Formula value;
  bool is_input = false;  // the value of an input, which is a column like those of the file
};
// Outputs that belong together: outputs[first + k] stands at row[k], column[k].
struct OutputMatrix {
  std::string name;
  int rows = 0, columns = 1;
  bool sparse = false;
  int first = 0;
  std::vector<int> row, column;
};
struct Variable {
  std::string name;
  Formula initial;  // over parameters
  Formula rate;     // over t, parameters, variables; not given: see ImplicitRates
};
// Rates that follow from equations linear in them, A(t, x) x' = b(t, x).
struct ImplicitRates {
  Formula form;                  // the entries of A at (row, column), then b
  std::vector<int> row, column;  // equation, variable (those with a rate of their own among them)
  std::vector<int> unknowns;     // variables without a rate, ascending; as many as equations
  // Small systems in the order of their solution: rows are equations, columns count `unknowns`.
  std::vector<EquationBlock> blocks;
  std::vector<Location> where;  // of the equations

  int size() const { return static_cast<int>(unknowns.size()); }
};
// Equations without rates, g(t, x) = 0, among those of ImplicitRates: their rows there are dg/dt =
// 0, and the variables they decide (as many, d g / d these regular) are those whose rates no
// equation has.
struct AlgebraicEquations {
  std::vector<int> rows, decided;
  Formula residuals;  // g, one after the other
};
// A speed u_i = W_i(t, q) v + w_i(t, q) of the user's choice; as many as the tree has.
struct ChosenSpeed {
  std::string name;
  Formula value;
  Formula initial;  // at the start; not given: as the joints say
};
struct Parameter {
  std::string name;
  Formula value;  // over parameters that come earlier in `parameter_order`
  Location where;
};
// A number that comes from outside while a run goes on. In expressions it is a parameter, an entry
// of `parameters` behind those of the file, or, where a run gives it as a function of time, a
// definition.
struct Input {
  std::string name;
  int parameter = -1;  // -1: a function of time
  std::string text;    // its value as written, here or on the command line
};
struct Definition {
  std::string name, text;
};
struct SimulateDefaults {
  Formula duration, step, tolerance;  // given or not
  std::optional<int> every;
  std::string formulation, integrator;  // "" when not given
};

// A joint of the spanning tree, in an order in which the inboard body comes first.
struct TreeJoint {
  int joint = 0;
  int inboard = world, outboard = 0;  // bodies
  bool reversed = false;              // outboard is the joint's parent side
};

struct Model {
  // Out of line: a program that uses models need not compile what copies and destroys them.
  Model();
  Model(const Model&);
  Model(Model&&) noexcept;
  Model& operator=(const Model&);
  Model& operator=(Model&&) noexcept;
  ~Model();

  std::string name;
  std::string file;    // where it was read from, "" otherwise
  std::string folder;  // tables are looked up relative to it
  Consent consent;     // given when it was checked
  Formula gravity;     // 3, over t and parameters
  int gravity_frame = world;
  std::vector<Parameter> parameters;
  std::vector<int> parameter_order;  // an order in which each can be evaluated
  std::vector<Input> inputs;
  std::vector<Definition> definitions;
  UserFunctions functions;
  std::vector<std::string> function_files;  // C files and shared libraries with their code
  // Functions known by name only that expressions call: enough for equations and code, not for
  // numbers.
  struct UnknownFunction {
    std::string name;
    Location where;
    bool withheld = false;  // there is code, which was not loaded: see Consent
  };
  std::vector<UnknownFunction> unknown_functions;
  bool bounded_tables = false;  // some table has no value outside of its range
  std::vector<Body> bodies;
  std::vector<Joint> joints;
  std::vector<NamedPoint> points;
  std::vector<Cut> cuts;
  std::vector<Force> forces;
  std::vector<Constraint> constraints;
  std::vector<Contact> contacts;
  std::vector<ContactGroup> contact_groups;
  bool contacts_stepped = false;  // for methods that step over contacts: no rows, no events
  // Of the first contact, for messages; "" where there is none.
  std::string a_contact() const {
    if (!contacts.empty()) return contacts[0].name;
    return contact_groups.empty() ? "" : "of [[contacts]]";
  }
  std::vector<Event> events;
  std::vector<Output> outputs;
  std::vector<OutputMatrix> matrices;  // lists and matrices among the outputs
  std::vector<Variable> variables;
  std::optional<ImplicitRates> implicit;
  SimulateDefaults simulate;

  std::vector<TreeJoint> tree;   // one per body
  std::vector<int> loop_joints;  // joints that close loops, file order

  std::optional<AlgebraicEquations> algebraic;
  std::vector<ChosenSpeed> speeds;  // for equations and code; columns of a run

  // With bodies; [variables] may stand beside them.
  bool is_mechanism() const { return variables.empty() || !bodies.empty(); }
  bool is_input(int parameter) const;
  // What texts and pictures call it.
  const std::string& title() const { return name.empty() ? file : name; }
  int find_body(std::string_view name) const;       // world for "world", -2 when absent
  int find_joint(std::string_view name) const;      // -1 when absent
  int find_parameter(std::string_view name) const;  // -1 when absent
};

// Overrides of entries of [parameters] (--set).
using Overrides = std::vector<std::pair<std::string, Value>>;

// Checks everything that can be known without a state. Adds all problems to `problems`; the model
// is returned only when there is no error. Numbers are checked at the values the parameters have.
// `consent`: what a model from elsewhere may not do unasked.
std::optional<Model> check_model(const ModelDescription& description, Diagnostics& problems,
                                 const Overrides& overrides = {}, const Consent& consent = {});

// Compiles an expression of everything a state of the model has (a section, a quantity to hold),
// with the model's own definitions.
std::optional<Formula> compile_expression(const Model& model, const std::string& text,
                                          Diagnostics& problems);

// The parameters' values in file order.
std::vector<double> parameter_values(const Model& model);
// The same where some have other values than the file gives them; what depends on these follows.
std::vector<double> parameter_values(const Model& model, std::span<const int> which,
                                     std::span<const double> values);

// Evaluates a formula over the parameters only.
template <class S>
std::vector<S> evaluate(const Formula& formula, std::span<const S> parameters);

}  // namespace cartan::model
