// A mechanism as a System, in any formulation whose state is the joint coordinates and speeds, and
// the view of a mechanism's state that outputs, tests and analyses share.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/vec3.h"
#include "lie/quaternion.h"
#include "lie/se3.h"
#include "model/model.h"
#include "system/state_function.h"
#include "system/switches.h"
#include "system/system.h"

namespace cartan::mechanics {

struct BodyState {
  Vec3<double> position;     // of the body frame's origin, world
  Quat<double> orientation;  // body axes in the world, w >= 0
  Vec3<double> angular;      // angular velocity, body axes
  Vec3<double> linear;       // velocity of the origin, world axes
};

struct BodyAcceleration {
  Vec3<double> angular;  // of the angular velocity, body axes
  Vec3<double> linear;   // of the body frame's origin, world axes
};

// T' + V' = nonconservative + constraint
struct PowerBalance {
  double kinetic_rate = 0, potential_rate = 0, nonconservative = 0, constraint = 0;
  // Every term is computed on its own: what is left over is rounding.
  double residual() const { return kinetic_rate + potential_rate - nonconservative - constraint; }
};

struct ForceReport {  // one force element
  double potential = 0, potential_rate = 0, power = 0;
};

// What a force or a constraint does to one body, world axes: a force at a point and a torque beside
// it.
struct AppliedWrench {
  int element = 0;          // in model.forces, or model.constraints
  bool constraint = false;  // which of the two
  int body = world;         // in model.bodies, or the world
  Vec3<double> point, force, torque;
  bool in_joint = false;  // part of what the joint between its two bodies transmits
};

struct JointReaction {  // the whole wrench the parent exerts on the child, about C's origin, world
                        // axes
  Vec3<double> force, torque;
};

// Everything cheap that can be said about a state, in the order of the file.
struct Observation {
  double t = 0;
  std::vector<std::vector<double>> q, v;  // per joint, loop joints too
  std::vector<BodyState> bodies;
  double kinetic = 0, potential = 0;
  // where momenta are the state: p per joint, and H(q, p)
  std::vector<std::vector<double>> p;
  std::optional<double> hamiltonian;
  std::vector<double> variables;  // [variables] beside the bodies
  double work = 0;                // of nonconservative forces and drives since the start
  // the same of every force and constraint, where it is known (split_work, or a single one)
  std::vector<double> force_work, constraint_work;
  Vec3<double> linear_momentum, angular_momentum;         // about the world origin
  double position_violation = 0, velocity_violation = 0;  // largest absolute
  double unit_norm_error = 0;
  std::vector<double> outputs;
};

// Multipliers of the formulation in elements of rotation matrices (rotation_elements.h).
struct ElementMultipliers {
  std::vector<Mat3<double>> Lambda;        // per body, symmetric: of R^T R = 1
  std::vector<std::vector<double>> joint;  // per joint: of its equations, as they act on the parent
};

// What needs the accelerations too.
struct DynamicsReport {
  std::vector<std::vector<double>> acceleration;  // d/dt of every joint's v
  std::vector<BodyAcceleration> bodies;           // per body
  std::vector<JointReaction> reactions;           // per joint
  Vec3<double> gravity;                           // world axes
  std::vector<double> multipliers;                // per constraint row (see `rows`), of least norm
  PowerBalance power;
  std::vector<ForceReport> forces;
  std::vector<double> constraint_power;  // per constraint: only drives have any
  std::vector<double> variable_rates;    // of the [variables] beside the bodies
  std::optional<ElementMultipliers> elements;
};

struct MassMatrixReport {
  Eigen::MatrixXd mass_matrix;
  Eigen::VectorXd bias;  // M v' + bias = J^T lambda, gravity and all forces included
};

struct MovingFrameReport {  // rows: x' (world axes), w (body axes) of each body in file order
  Eigen::MatrixXd B, Bdot, M_star, N_star;
  Eigen::VectorXd F_star;
};

// A contact of the model at a state. Of one with several places (a box) the smallest gap and the
// sums of forces.
struct ContactReport {
  double gap = 0;
  int mode = 0;  // 0 open, 1 closed, with friction sticking, 2 slipping
  double normal = 0, tangential = 0;
  Vec3<double> point, force, torque;   // on side a, world axes
  int body_a = world, body_b = world;  // of a stop: child and parent of its joint
  bool in_joint = false;               // a stop: part of what its joint transmits
};

// What the constraints of a mechanism are at a state.
struct ConstraintReport {
  int rows = 0, rank = 0, holonomic_rows = 0, holonomic_rank = 0;
  int speeds = 0;
  std::vector<std::string> owners;  // per row: "joint 'A'", "constraint 'b'"
  std::vector<int> redundant_rows;
  int dof() const { return speeds - rank; }
  int dof_position() const { return speeds - holonomic_rank; }
  int redundant() const { return rows - rank; }
};

// What a file says about a joint's start.
struct WrittenJoint {
  std::vector<double> q, v;                  // empty: nothing was written
  bool rotation = true, coordinates = true;  // q of a free joint: which of its two parts was
};
// Per joint of the model, loop joints too; and of its [speeds].
struct WrittenStart : std::vector<WrittenJoint> {
  using std::vector<WrittenJoint>::vector;
  std::vector<std::optional<double>> chosen;  // empty: none has a value
};

// Coordinates or speeds that could not be kept as written.
struct ChangedValues {
  int joint = 0;  // in the model
  bool velocity = false;
  std::vector<double> written, used;
};

// How what a file says became a state that satisfies the constraints (assembly.h).
struct AssemblyReport {
  double position_change = 0, velocity_change = 0;  // largest change of a tree joint's number
  double position_gap = 0, velocity_gap = 0;        // violation left over
  std::string problem;  // why there is no consistent state: a sentence with the owner and the gap
  int joint = -1, constraint = -1;     // what the problem belongs to, in the model
  std::vector<ChangedValues> changed;  // in file order, positions first
};

// Generalised forces, one per speed of the tree joints in file order.
struct InverseForces {
  std::vector<double> force;
  // Friction elements (in model.forces) that stick: they take any part up to their limit, so that
  // many forces would do. `force` is then the one of least size.
  std::vector<int> sticking;
};

class MechanicalSystem : public System, public Switched {
 public:
  virtual const Model& model() const = 0;
  virtual std::string formulation() const = 0;

  // [variables] beside the bodies: where they begin in x, in every formulation.
  int variable_count() const { return static_cast<int>(model().variables.size()); }
  int variables_begin() const { return space().size() - quadratures() - variable_count(); }

  // Of the initial state.
  virtual const AssemblyReport& assembly() const = 0;
  // Makes a state consistent with the constraints, keeping what was written where that is possible
  // (assembly.h). The state has these values already; a short list: nothing was written.
  virtual AssemblyReport assemble(State& state, const WrittenStart& written,
                                  Workspace& workspace) const = 0;
  virtual ConstraintReport report_constraints(StateView at, Workspace& workspace) const = 0;
  // Violations of every row: g (zero for rows without a position) and y - b.
  virtual void constraint_violations(StateView at, std::vector<double>& positions,
                                     std::vector<double>& speeds, Workspace& workspace) const = 0;
  // At or next to a position in which the constraints lose rank accelerations, multipliers and
  // reactions are arbitrary: says so, or nothing.
  virtual std::string explain_singularity(StateView at, Workspace& workspace) const = 0;
  // The friction element without smoothing whose joint, with all others stuck, could not move: then
  // it is not decided which of them sticks. "" when there is none.
  virtual std::string find_dependent_friction(StateView at, Workspace& workspace) const = 0;
  // Rate of Baumgarte's feedback; zero (the default) for none.
  virtual void set_baumgarte(double rate) = 0;
  // Axes in which the gaps of joints are differentiated: the world's, or (the default) those of the
  // joint on its parent. "" or why there is no choice.
  virtual std::string set_world_rows(bool world_axes) {
    if (!world_axes) return "";
    return "in this formulation joints have no equations of their own; rows in world axes are for "
           "absolute-se3 and absolute-so3r3";
  }
  // Multipliers of rotation-elements all in one dense system instead of in two steps. "" or why
  // not.
  virtual std::string set_one_step_elimination() {
    return "two-step and one-step elimination are ways of the formulation rotation-elements; "
           "choose it, or leave the kind of elimination open";
  }
  // Integrates the work of every force and drive beside the work of all, from now on: states grow.
  // "" or why that is not done here.
  virtual std::string split_work() = 0;

  virtual void observe(StateView at, Observation& result, Workspace& workspace) const = 0;
  virtual DynamicsReport report_dynamics(StateView at, Workspace& workspace) const = 0;
  // What every force, then every constraint does to every body it acts on; always the same elements
  // and bodies in the same order (applied_forces.h).
  virtual std::vector<AppliedWrench> report_forces(StateView at, Workspace& workspace) const = 0;
  // One per contact of the model; forces of least norm where they are not unique.
  virtual std::vector<ContactReport> report_contacts(StateView at, Workspace& workspace) const {
    (void)at, (void)workspace;
    return {};
  }
  virtual MassMatrixReport report_mass_matrix(StateView at, Workspace& workspace) const = 0;
  virtual MovingFrameReport report_moving_frame(StateView at, Workspace& workspace) const = 0;
  // Generalised forces (tree joints' speeds, file order) to be added to those of the model so that
  // the speeds change at the given rates (same order). With loops or constraints there are as many
  // forces as degrees of freedom: on the first speeds of the file that are independent.
  virtual InverseForces calc_inverse_dynamics(StateView at, std::span<const double> vdot,
                                              Workspace& workspace) const = 0;

  // d start / d p_which (numbers of x without quadratures) of a start that has the file's values
  // but for the joints whose coordinates or speeds are given otherwise. Constraints are kept as the
  // assembly does it. "" or why there is none.
  virtual std::string fill_start_slopes(const State& start, std::span<const int> which,
                                        const std::vector<bool>& q_given,
                                        const std::vector<bool>& v_given,
                                        Eigen::Ref<Eigen::MatrixXd> J) const {
    (void)start, (void)which, (void)q_given, (void)v_given, (void)J;
    return "derivatives of the start are known in joint coordinates only; use the formulation "
           "recursive or moving-frame";
  }

  // An expression over the names of the model (mechanics/machine/state_expression.h); null where
  // the state is not made of joint coordinates and speeds.
  virtual std::unique_ptr<StateFunction> make_function(Formula formula) const {
    (void)formula;
    return nullptr;
  }

  // The state with the given joint coordinates and speeds (by joint, file order; what is missing:
  // the model's initial value).
  virtual State make_state(double t, const std::vector<std::optional<std::vector<double>>>& q,
                           const std::vector<std::optional<std::vector<double>>>& v) const = 0;
};

}  // namespace cartan::mechanics
