// The one interface numerics know. Mechanisms in any formulation and plain differential equations
// ([variables]) are Systems; integrators and analyses see nothing else.
//
//   x' = f(t, x; mode)      x on a StateSpace, f given for the embedded numbers
//
// `mode` is the discrete part of the state (exact Coulomb friction: slipping forward, backward,
// stuck); between events it is constant and f is smooth. Its last entries may be a memory of what x
// leaves open (whole turns of an angle): it is renewed after every step and changes f nowhere near.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "system/state_space.h"

namespace cartan::system {

class SecondOrderForm;    // system/second_order.h
class DiscreteMechanics;  // system/discrete_mechanics.h
class MotionGeometry;     // system/motion_geometry.h
class HeldMultipliers;    // system/held_multipliers.h
class ContactStepping;    // system/contact_stepping.h

struct State {
  double t = 0;
  std::vector<double> x;
  std::vector<int> mode;
};

// A state seen, not owned.
struct StateView {
  double t = 0;
  std::span<const double> x;
  std::span<const int> mode;
  StateView(double time, std::span<const double> point, std::span<const int> m)
      : t(time), x(point), mode(m) {}
  StateView(const State& s) : t(s.t), x(s.x), mode(s.mode) {}
};

// What one contact did in a jump of the speeds (an impact).
struct Impact {
  int contact = 0;  // System::contact_name
  double t = 0;
  double speed_before = 0, speed_after = 0;  // rate of the gap
  double normal = 0, tangential = 0;         // impulses
  double energy_lost = 0;
  // where, and the whole impulse on the first of the two bodies; world axes, of a stop zero
  double point[3] = {0, 0, 0}, impulse[3] = {0, 0, 0};
};

// What else came of a jump; the run takes it from the workspace (Workspace::jumps).
struct JumpNotes {
  std::vector<Impact> impacts;
  // impulses that end a sequence of impacts whose flights are lower than rounding; not told
  std::vector<Impact> closings;
  std::string problem;  // the motion cannot go on: a sentence
  std::string remark;   // a choice was made that a user must know
  double soon = 0;      // the next jump is expected after that time; 0: nothing is known
  // largest violation of the laws of contact, over the largest impulse or force
  double residual = 0;
  void clear() {
    impacts.clear();
    closings.clear();
    problem.clear();
    remark.clear();
    soon = residual = 0;
  }
  // Those of another one are added, which is then empty.
  void take(JumpNotes& other) {
    impacts.insert(impacts.end(), other.impacts.begin(), other.impacts.end());
    closings.insert(closings.end(), other.closings.begin(), other.closings.end());
    if (problem.empty()) problem = other.problem;
    if (remark.empty()) remark = other.remark;
    if (other.soon > 0 && !(soon > 0 && soon < other.soon)) soon = other.soon;
    if (other.residual > residual) residual = other.residual;
    other.clear();
  }
};

// Scratch for one thread. Never an input or a result, but for what jumps leave behind; allocates
// nothing once warm.
class Workspace {
 public:
  virtual ~Workspace() = default;
  long evaluations = 0;  // derivative evaluations so far
  long jacobians = 0;
  JumpNotes jumps;
};

// First-order change of a jump x+ = R(t, x-; p), embedded numbers without quadratures.
struct JumpSlope {
  Eigen::MatrixXd by_x, by_parameters;
  Eigen::VectorXd by_time;
};

// How a scalar function of time, state and parameters changes: exact derivatives, by x in embedded
// numbers, by the parameters that were asked for.
struct FunctionSlope {
  std::vector<double> by_x, by_parameters;
  double by_time = 0;
};

struct EventInfo {
  std::string name;
  int direction = 0;      // -1, 0, 1: which crossings count
  bool stop = false;      // the run ends there
  bool internal = false;  // changes the mode, is not reported
  double noise = 0;       // internal ones: values this close to zero may be rounding
};

// What bringing a state back to its constraints did.
struct Projection {
  double position_change = 0, velocity_change = 0;  // largest change of a number
  double energy_change = 0;
  bool moved = false;         // x has changed
  bool mode_changed = false;  // the integrator must restart
  std::string problem;        // the constraints cannot be kept: a sentence
};

class System {
 public:
  virtual ~System() = default;

  virtual const StateSpace& space() const = 0;
  // The last `quadratures()` numbers of x are integrals that nothing else depends on (work done).
  virtual int quadratures() const { return 0; }
  virtual State initial_state() const = 0;
  virtual std::unique_ptr<Workspace> make_workspace() const = 0;

  virtual void derivative(StateView at, std::span<double> xdot, Workspace& workspace) const = 0;
  // Derivatives at several points with one mode: point k stands at x[k * size()], its derivative is
  // written to the same place of xdot. A System that computes points side by side overrides this.
  virtual void derivatives(std::span<const double> times, std::span<const double> x,
                           std::span<const int> mode, std::span<double> xdot,
                           Workspace& workspace) const {
    const std::size_t n = space().size();
    for (std::size_t k = 0; k < times.size(); ++k)
      derivative({times[k], x.subspan(k * n, n), mode}, xdot.subspan(k * n, n), workspace);
  }
  // Rates that cost next to nothing: the first `kinematic_size()` numbers of x are positions with
  // q' = N(q) v. `kinematic_rates` writes these rates, equal to the first numbers of `derivative`.
  // Implicit methods let new velocities act on positions at once, which squares their contraction
  // at no evaluation of the dynamics. Zero: no such part.
  virtual int kinematic_size() const { return 0; }
  virtual void kinematic_rates(StateView at, std::span<double> rates, Workspace& workspace) const {
    (void)at, (void)rates, (void)workspace;
  }
  // J(i, j) = d xdot_i / d x_j in embedded numbers, exact.
  virtual void jacobian(StateView at, Eigen::Ref<Eigen::MatrixXd> J,
                        Workspace& workspace) const = 0;

  // Parameters of the model, in the order of the file, and J(i, j) = d xdot_i / d p_which[j],
  // exact. Those in `which` are the independent ones, each varied by itself; parameters that are
  // not listed follow their formulas, so a column contains all that depends on its parameter (as
  // with --set).
  virtual int parameter_count() const { return 0; }
  virtual void parameter_jacobian(StateView at, std::span<const int> which,
                                  Eigen::Ref<Eigen::MatrixXd> J, Workspace& workspace) const {
    (void)at, (void)which, (void)workspace;
    J.setZero();
  }

  // Functions c(t, x; p) that vanish on the states a System allows (of a mechanism: positions of
  // loops, then their speeds; some may depend on others), and their exact derivatives C(i, j) =
  // d c_i / d x_j (by the first numbers of x, as many as C has columns) and d c_i / d p_which[j].
  virtual int constraint_count() const { return 0; }
  virtual void constraint_values(StateView at, std::span<double> values,
                                 Workspace& workspace) const {
    (void)at, (void)values, (void)workspace;
  }
  virtual void constraint_jacobian(StateView at, Eigen::Ref<Eigen::MatrixXd> C,
                                   Workspace& workspace) const {
    (void)at, (void)workspace;
    C.setZero();
  }
  virtual void constraint_parameter_jacobian(StateView at, std::span<const int> which,
                                             Eigen::Ref<Eigen::MatrixXd> C,
                                             Workspace& workspace) const {
    (void)at, (void)which, (void)workspace;
    C.setZero();
  }

  // Where x_i may be an angle: the shift (a whole turn) after which it would be the same; zero: it
  // is none. Whether the rates are the same after the shift is for the caller to see.
  virtual double turn(int i) const {
    (void)i;
    return 0;
  }

  // The last entries of the mode that are such a memory, and what they become after a step of that
  // length to `at`, whose mode still has those of its start. "" or why they cannot be told: the
  // step was too long.
  virtual int turn_entries() const { return 0; }
  virtual std::string count_turns(StateView at, double length, std::span<int> turns,
                                  Workspace& workspace) const {
    (void)at, (void)length, (void)turns, (void)workspace;
    return "";
  }

  // What special methods need; null where a System has no such side.
  virtual const SecondOrderForm* second_order() const { return nullptr; }
  virtual const DiscreteMechanics* discrete_mechanics() const { return nullptr; }
  virtual const MotionGeometry* geometry() const { return nullptr; }
  virtual const HeldMultipliers* held_multipliers() const { return nullptr; }
  // Contacts that no event tells: methods step over them.
  virtual const ContactStepping* contact_stepping() const { return nullptr; }

  // Zero-crossing functions.
  virtual const std::vector<EventInfo>& events() const = 0;
  virtual void event_values(StateView at, std::span<double> values, Workspace& workspace) const = 0;
  // Derivatives of event function `event` in the mode of the state.
  virtual void event_slope(int event, StateView at, std::span<const int> parameters,
                           FunctionSlope& slope, Workspace& workspace) const {
    (void)event, (void)at, (void)workspace;
    slope.by_x.assign(space().size(), 0.0);
    slope.by_parameters.assign(parameters.size(), 0.0);
    slope.by_time = 0;
  }
  // Called with the state at a located crossing of event `which`; may change mode and x (a joint
  // that sticks gets exactly zero speed). True: the integrator must restart from `state`.
  virtual bool handle_event(int which, State& state, Workspace& workspace) const {
    (void)which, (void)state, (void)workspace;
    return false;
  }

  // Jumps that are due at a state (surfaces that approach each other and touch), at the start of a
  // run; true: the state has changed.
  virtual bool settle(State& state, Workspace& workspace) const {
    (void)state, (void)workspace;
    return false;
  }
  // Derivatives of the jump that handle_event(which) made from `before` to `after`. "" or why there
  // are none. The default is for events that change nothing but the mode.
  virtual std::string jump_slope(int which, StateView before, StateView after,
                                 std::span<const int> parameters, JumpSlope& slope,
                                 Workspace& workspace) const {
    (void)which, (void)after, (void)workspace;
    const int n = static_cast<int>(before.x.size()) - quadratures();
    slope.by_x.setIdentity(n, n);
    slope.by_parameters.setZero(n, static_cast<int>(parameters.size()));
    slope.by_time.setZero(n);
    return "";
  }
  // Contacts, whose impacts may accumulate. `close_contacts` ends that: what is listed touches and
  // stays, with speeds that fit.
  virtual int contact_count() const { return 0; }
  virtual std::string contact_name(int contact) const {
    (void)contact;
    return "";
  }
  virtual void close_contacts(std::span<const int> contacts, State& state,
                              Workspace& workspace) const {
    (void)contacts, (void)state, (void)workspace;
  }

  // States lie on a manifold that f is tangent to, and rounding and truncation leave it: `project`
  // goes back with the smallest change.
  virtual bool constrained() const { return false; }
  virtual Projection project(State& state, Workspace& workspace) const {
    (void)state, (void)workspace;
    return {};
  }

  // What is special about the state after which an integrator failed: a sentence, or nothing.
  virtual std::string explain_failure(StateView at, Workspace& workspace) const {
    (void)at, (void)workspace;
    return "";
  }

  // Names of the embedded numbers, for messages and tables.
  virtual std::string component_name(int i) const = 0;
};

}  // namespace cartan::system
