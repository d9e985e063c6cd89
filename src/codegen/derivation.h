// The equations of a model as expressions: the templates of mechanics/ run once, on symbols.
//
//   rates            q' = N(q) v and v' by the articulated-body recursion, O(n) operations; loops
//                    and constraints included
//   mass matrix      M(q) v' = f(t, q, v) + J^T lambda,  J v' = gamma
//   energies         T, V
//   and the model's events and outputs
// For [variables] files the rates are the file's own.
//
// What is discrete in a state (which joints stick, which way the others slip, which rows of a
// redundant mechanism are active) is that of the state the derivation starts from.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mechanics/forces/dry_friction.h"
#include "mechanics/machine/motion_workspace.h"
#include "mechanics/momenta/canonical.h"
#include "symbolic/expression.h"
#include "system/system.h"

namespace cartan::codegen {

// Which speeds stand in the equations: those of the joints, those of [speeds] (of the joints where
// there are none), or u = L^T v with M = L D L^T.
enum class SpeedChoice { joints, chosen, diagonal };

struct DeriveOptions {
  bool fold = false;  // parameters become numbers, but for inputs
  // Parameters that the file gives as formulas of others follow these. Otherwise every parameter
  // is a symbol of its own.
  bool follow = true;
  // Given: these parameters (in file order) stay symbols, all others are numbers, or follow.
  std::optional<std::vector<int>> keep = {};
  double baumgarte = 0;  // rate of Baumgarte's feedback
  bool dots = false;     // speeds that are rates of coordinates are called q1' instead of v1
  SpeedChoice speeds = SpeedChoice::joints;
};

struct DerivedSymbol {
  Expression symbol;
  std::string name;     // in printed equations: q1
  std::string label;    // in tables: hinge.q0
  std::string unit;     // "" where it is not known
  std::string meaning;  // "angle of joint 'hinge'"
};

struct MassMatrixForm {
  int nv = 0, rows = 0;          // speeds, active constraint rows
  std::vector<Expression> M, f;  // nv x nv row-major, nv
  std::vector<Expression> J, gamma;
};

// A [variables] file with equations: A u = b, u the rates that have no formula of their own.
struct ImplicitForm {
  int size = 0;
  std::vector<Expression> A, b;      // size x size row-major, size
  std::vector<Expression> unknowns;  // symbols for u
  std::vector<Expression> rates;     // of all variables: formulas, or unknowns
  // Equations without rates, g = 0; their rows above are dg/dt = 0 (AlgebraicEquations).
  std::vector<Expression> constraints;
};

// World axes; three numbers for each body (of its mass centre) or joint (of C's origin), file
// order.
struct DerivedPlaces {
  std::vector<Expression> centre, centre_velocity, joint, joint_velocity;
};

// Speeds u = W(t, q) v + w(t, q) in place of the joints' v (derivation/derivation_speeds.cpp).
struct SpeedForm {
  std::vector<Expression> joints;    // v as symbols; nothing else contains them but ..
  std::vector<Expression> formulas;  // .. u over these
  std::vector<Expression> W, V;      // V = W^-1; nv x nv row-major
  std::vector<Expression> back;      // v over the new speeds
  std::vector<Expression> D;         // diagonal: the entries of the mass matrix
};

class Derivation {
 public:
  // The model must outlive it; `parameters` in file order; `at` is a state of a System of the
  // model in joint coordinates (or of its variables).
  Derivation(const Model& model, std::span<const double> parameters, const State& at,
             const DeriveOptions& options = {});
  Derivation(const Derivation&) = delete;
  Derivation& operator=(const Derivation&) = delete;

  // Why there is no such derivation: a sentence, or "".
  static std::string refuse_mass_matrix(const Model& model);

  const Model& model() const { return model_; }
  ExpressionGraph& graph() { return graph_; }
  const Expression& time() const { return time_; }
  // The numbers of x without quadratures: q, v, then the variables.
  const std::vector<DerivedSymbol>& state() const { return state_; }
  const std::vector<DerivedSymbol>& parameters() const { return parameters_; }  // and inputs
  std::vector<DerivedSymbol> inputs() const;            // of these the inputs ...
  std::vector<DerivedSymbol> plain_parameters() const;  // ... and the others
  int nq() const { return mechanism_ ? mechanism_->nq : 0; }
  int nv() const { return mechanism_ ? mechanism_->nv : 0; }
  bool has_driven_speeds() const;  // drives of tree joints: their rows of M v' = f are v_j' = f_j
  std::vector<Expression> q() const;
  std::vector<Expression> v() const;  // of the joints: symbols, or formulas of other speeds
  // Given with other speeds than those of the joints; these are then in state().
  const std::optional<SpeedForm>& speed_form() const { return speeds_; }
  // Why [speeds] are no speeds, or "".
  const std::string& speed_problem() const { return speed_problem_; }
  static std::string refuse_speeds(const Model& model, SpeedChoice choice);
  // A state of joints' numbers in those of state().
  std::vector<double> in_own_speeds(const State& state);

  // Each may be asked for in any order; what is asked for twice is derived twice, at no cost in
  // nodes.
  std::vector<Expression> rates();    // of state(); implicit ones: as symbols
  ImplicitForm implicit_form();       // where model().implicit
  std::optional<Expression> power();  // what the quadrature of x integrates, if there is one
  std::vector<Expression> coordinate_rates();  // N(q) v
  // All parameters of the model, in file order, and a formula of them alone.
  const std::vector<Expression>& parameter_values() const { return parameter_values_; }
  std::vector<Expression> evaluate_of_parameters(const Formula& formula) const;
  // The start that the file writes down, before assembly.
  std::vector<Expression> written_start();

  // Contacts at the state, in the mode the derivation starts from: one entry for each place where
  // surfaces may touch. Sliding with friction has no equations here: what is closed sticks.
  struct PlaceOfContact {
    int contact = 0;      // in the model
    bool closed = false;  // in the mode
    bool acts[3] = {};    // which of its rows do: normal, two tangents
    bool rough = false;   // never slides
    Expression gap, gap_rate;
    Expression force[3];  // of the rows that act
    Expression friction, restitution;
    std::optional<Expression> active;  // where the file says when it counts
  };
  std::vector<PlaceOfContact> contacts();

  // An impact at the state: impulses on rows of some places change the speeds by M^-1 J^T P, loops
  // and constraints kept.
  struct ImpulseOnRow {
    int place, row;  // in contacts(); 0 the normal, 1 and 2 the tangents
    Expression amount;
  };
  struct ImpactForm {
    std::vector<Expression> change;         // of the speeds
    std::vector<Expression> before, after;  // speeds of the rows, three for each place asked for
  };
  ImpactForm impact(std::span<const int> places, std::span<const ImpulseOnRow> impulses);

  // Back to the constraints (mechanics/constraints/projection.h), one iteration of each kind; with
  // nothing to keep, none. Speeds change at the new positions; but the matrices of both changes are
  // those at q, factorised once: where the new positions are a billionth away, the change of
  // speeds, as small itself, is the same to rounding.
  struct ProjectionForm {
    // Positions: the violations g, 4 machine epsilons of the mechanism's size, and the new q.
    std::vector<Expression> position, moved;
    Expression position_goal;
    // Speeds: at q; at the new q, with the new v.
    std::vector<Expression> speed, moved_speed, changed;
    Expression speed_goal;
    // Driven joints of the tree: places in (q, v), and the numbers that belong there.
    std::vector<int> driven;
    std::vector<Expression> driven_values;
  };
  // Whether forces, constraints or events follow an angle beyond whole turns, which code does not.
  bool reads_turns() const;
  bool is_constrained() const { return mechanism_ && !mechanism_->rows.empty(); }
  ProjectionForm projection();
  // Least squared sine between an active constraint row and those before it.
  Expression least_pivot();
  std::vector<Expression> variable_rates();  // of [variables] beside bodies
  MassMatrixForm mass_matrix_form();
  Expression kinetic();
  Expression potential();
  DerivedPlaces places();  // of a mechanism
  std::vector<Expression> events();
  // None where one of them asks for reactions or multipliers, which the code does not have.
  std::vector<Expression> outputs();
  bool outputs_need_reactions() const;
  // What vanishes on the states a mechanism allows: positions of all rows of its loops and
  // constraints (0 for those that have none), then their speeds. Contacts are none of them.
  std::vector<Expression> constraint_values();
  // Of other expressions of the model, one after the other; none may ask for reactions or
  // multipliers.
  std::vector<Expression> values(std::span<const Formula* const> formulas);
  bool has_constraints() const { return mechanism_ && closed(); }
  // Coordinates and speeds of driven joints of the tree, which the time decides; places in x.
  struct DrivenNumbers {
    std::vector<int> places;
    std::vector<Expression> values;
  };
  DrivenNumbers driven_numbers();

  // What brings a state back to the constraints, over the active rows: g (zero for rows on speeds),
  // y - b, and with J d = -g the least change, M d = J^T mu. Rows and columns of `driven` speeds
  // are to be left out: these do not change.
  struct ConstraintForm {
    std::vector<Expression> positions, speeds;
    std::vector<Expression> M, J;  // row-major
    std::vector<int> driven;
  };
  ConstraintForm constraint_form();

  // Matrices of the moving frame, 6 rows per body in tree order:
  //   M* v' + N* v = F* + J^T lambda,  J v' = gamma  over the active constraint rows.
  // The equation of a speed whose v' is known (`held`: driven or stuck joints) contains, beside
  // F*, the force that holds it.
  struct MovingFrameForm {
    int rows = 0, nv = 0, constraints = 0;
    std::vector<Expression> B, Bdot;  // row-major
    std::vector<Expression> M_star, N_star, F_star;
    std::vector<Expression> J, gamma;
    struct Held {
      int speed;
      Expression acceleration;
    };
    std::vector<Held> held;
  };
  MovingFrameForm moving_frame();

  // Canonical equations of a tree without constraints, momenta as symbols p1, ...: speeds v(q, p),
  // rates of the momenta, H = T + V.
  struct CanonicalForm {
    std::vector<DerivedSymbol> momenta;
    std::vector<Expression> speeds, rates, coordinate_rates, variable_rates;
    Expression hamiltonian;
  };
  static std::string refuse_canonical(const Model& model);
  CanonicalForm canonical();

 private:
  void add_parameters(std::span<const double> values, const DeriveOptions& options);
  void add_mechanism(const State& at, const DeriveOptions& options);
  void add_variables(const State& at);
  DerivedSymbol make_symbol(const std::string& name, double sample);
  void evaluate_kinematics();
  void evaluate_forces();
  void evaluate_motion(bool accelerations);
  AccelerationSolver<Expression> choose_solver();
  void solve();
  bool closed() const;
  std::vector<Expression> evaluate_formulas(const Formula& formula);
  Expression evaluate_formula(const Formula& formula) { return evaluate_formulas(formula)[0]; }
  void sample_functions();
  void add_known(MovingFrameForm& form);
  std::string free_name(std::string name) const;
  void choose_speeds(SpeedChoice choice);
  std::vector<Expression> diagonal_speeds();
  bool are_linear(const std::vector<Expression>& formulas);
  bool invert_speeds();
  std::vector<Expression> speed_drift();
  void change_speeds(MassMatrixForm& form);
  std::vector<Expression> own_speed_rates();

  const Model& model_;
  ExpressionGraph graph_;
  Expression time_;
  std::vector<DerivedSymbol> state_, parameters_;
  std::vector<Expression> parameter_values_;  // all of the model's, in file order
  std::optional<Mechanism<Expression>> mechanism_;
  std::optional<MotionWorkspace<Expression>> ws_;
  std::vector<Expression> q_, v_;
  std::optional<SpeedForm> speeds_;
  std::string speed_problem_;
  std::vector<int> mode_;
  AccelerationSolver<Expression> solver_ = nullptr;  // chosen when it is first needed
};

}  // namespace cartan::codegen
