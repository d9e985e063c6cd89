// The System of a mechanism in joint coordinates (tree_system.h). Its functions by subject:
//   tree_system.cpp       evaluation, events, what is reported
//   tree_constraints.cpp  consistent starts, projection, independent rows
//   tree_products.cpp     products of the Jacobian with vectors, the matrix of implicit methods
//   tree_slopes.cpp       exact derivatives by the state, by parameters, of events and of the start
#pragma once

#include <limits>

#include "mechanics/assembly/assembly.h"
#include "mechanics/constraints/constraints.h"
#include "mechanics/contacts/contact_events.h"
#include "mechanics/contacts/contact_rows.h"
#include "mechanics/discrete/discrete_motion.h"
#include "mechanics/forces/forces.h"
#include "mechanics/joints/joint_motion.h"
#include "mechanics/joints/turns.h"
#include "mechanics/machine/kinematics.h"
#include "mechanics/machine/mechanism_geometry.h"
#include "mechanics/machine/parameter_seeds.h"
#include "mechanics/machine/state_expression.h"
#include "mechanics/machine/variable_states.h"
#include "mechanics/stepping/stepped_contacts.h"
#include "mechanics/tree/motion_slopes.h"
#include "mechanics/tree/second_order_motion.h"
#include "mechanics/tree/slopes/dual_solver.h"
#include "mechanics/tree/slopes/motion_products.h"
#include "mechanics/tree/stage_elimination.h"
#include "mechanics/tree/tree_rates.h"
#include "mechanics/tree/tree_report.h"
#include "mechanics/tree/tree_system.h"
#include "system/column_carrier.h"
#include "system/contact_holding.h"
#include "system/inverse_motion.h"
#include "system/stage_solver.h"
#include "system/state_products.h"

namespace cartan::mechanics {

struct TreeWorkspace : Workspace {
  MotionWorkspace<double> motion;
  std::optional<MotionWorkspace<Dual4>> dual;  // made at the first Jacobian
  std::vector<Dual4> dual_x, dual_xdot;
  std::optional<MotionWorkspace<Pack4>> pack;  // made at the first evaluation of several points
  std::vector<Pack4> pack_x, pack_xdot;
  SeededMechanisms<MotionWorkspace<Dual4>> seeded;  // for derivatives by parameters
  std::unique_ptr<DualSolver> solver;               // of both
  std::vector<double> direction;
  RateCodeUse code;
  SteppingScratch stepping;
  std::vector<double> entries, code_rates;
  std::unique_ptr<MotionSlopes> slopes;  // made at the first Jacobian
  int distrust = 0;                      // so many Jacobians more are left to dual numbers
  // products with vectors; the matrix where there is no short cut
  std::unique_ptr<MotionProducts> products;
  Eigen::MatrixXd product_matrix;
  std::vector<double> displacement, residual, mass;
  // implicit methods along the tree: equations at hand, factors of stages
  std::unique_ptr<StageElimination> elimination;
  struct StageOfMethod {
    bool real = false;
    StageFactors<double> of_reals;
    StageFactors<Complex> factors;
  };
  std::vector<StageOfMethod> stages;
  std::vector<Complex> stage_x, stage_forces;
  std::vector<double> real_x, real_forces;
  StageFactors<double> motion_factors;
  double choose_below = 1e-3;  // least pivot at which the rows are chosen anew
  double slide_t = 0;          // when speeds of sliding were looked at, and they, per contact
  std::vector<double> slides;

  // of the last evaluation
  double least_pivot() const {
    const double other = pack ? pack->fronts.least_pivot : 1;
    return std::min(motion.fronts.least_pivot, other);
  }
};

class TreeSystem : public MechanicalSystem,
                   public ColumnCarrier,
                   public StateProducts,
                   public InverseMotion,
                   public StageSolver,
                   public ContactHolding {
 public:
  TreeSystem(const Model& model, std::vector<double> parameters,
             const TreeFormulation& formulation);

  const StateSpace& space() const override { return space_; }
  int quadratures() const override { return work_.quadratures(); }
  const Model& model() const override { return model_; }
  std::string formulation() const override { return formulation_.name; }
  State initial_state() const override { return initial_; }
  std::unique_ptr<Workspace> make_workspace() const override;
  std::string component_name(int i) const override;

  // ---- evaluation

  void derivative(StateView at, std::span<double> xdot, Workspace& workspace) const override;
  void derivatives(std::span<const double> times, std::span<const double> x,
                   std::span<const int> mode, std::span<double> xdot,
                   Workspace& workspace) const override;
  int kinematic_size() const override { return mechanism_.nq; }
  void kinematic_rates(StateView at, std::span<double> rates, Workspace& workspace) const override;
  const std::vector<EventInfo>& events() const override { return events_; }
  void event_values(StateView at, std::span<double> values, Workspace& workspace) const override;
  bool handle_event(int which, State& state, Workspace& workspace) const override;
  bool settle(State& state, Workspace& workspace) const override;
  std::string jump_slope(int which, StateView before, StateView after,
                         std::span<const int> parameters, JumpSlope& slope,
                         Workspace& workspace) const override;
  int contact_count() const override {
    return model_.contacts_stepped ? 0 : static_cast<int>(model_.contacts.size());
  }
  const ContactStepping* contact_stepping() const override { return stepping_.get(); }
  std::string contact_name(int contact) const override { return model_.contacts[contact].name; }
  void close_contacts(std::span<const int> contacts, State& state,
                      Workspace& workspace) const override;
  std::string hold_contacts(std::span<const int> contacts, State& state,
                            Workspace& workspace) const override;
  int turn_entries() const override { return mechanism_.turn_count(); }
  std::string count_turns(StateView at, double length, std::span<int> turns,
                          Workspace& workspace) const override;

  // ---- derivatives

  void jacobian(StateView at, Eigen::Ref<Eigen::MatrixXd> J, Workspace& workspace) const override;
  int parameter_count() const override { return static_cast<int>(parameters_.size()); }
  void parameter_jacobian(StateView at, std::span<const int> which, Eigen::Ref<Eigen::MatrixXd> J,
                          Workspace& workspace) const override;
  void carry(StateView at, const Eigen::Ref<const Eigen::MatrixXd>& S, std::span<const int> which,
             std::span<double> xdot, Eigen::Ref<Eigen::MatrixXd> rates,
             Workspace& workspace) const override;
  void jvp(StateView at, std::span<const double> u, std::span<double> result,
           Workspace& workspace) const override;
  void vjp(StateView at, std::span<const double> weights, std::span<double> result,
           Workspace& workspace) const override;
  // slopes/inverse_slopes.cpp
  bool has_joint_coordinates() const override { return !mechanism_.absolute; }
  std::string refuse_inverse() const override;
  void joint_forces(StateView at, std::span<const double> a, std::span<double> forces,
                    Workspace& workspace) const override;
  void joint_force_jacobian(StateView at, std::span<const double> a,
                            Eigen::Ref<Eigen::MatrixXd> by_x, Workspace& workspace) const override;
  bool solves_stages() const override { return along_tree_; }
  bool linearise(StateView at, Workspace& workspace) const override;
  void factorise_stage(int which, std::complex<double> s, Workspace& workspace) const override;
  void solve_stage(int which, std::span<std::complex<double>> x,
                   Workspace& workspace) const override;
  void constraint_jacobian(StateView at, Eigen::Ref<Eigen::MatrixXd> C,
                           Workspace& workspace) const override;
  void constraint_parameter_jacobian(StateView at, std::span<const int> which,
                                     Eigen::Ref<Eigen::MatrixXd> C,
                                     Workspace& workspace) const override;
  void event_slope(int event, StateView at, std::span<const int> parameters, FunctionSlope& slope,
                   Workspace& workspace) const override;
  std::string fill_start_slopes(const State& start, std::span<const int> which,
                                const std::vector<bool>& q_given, const std::vector<bool>& v_given,
                                Eigen::Ref<Eigen::MatrixXd> J) const override;
  double turn(int i) const override;

  // ---- constraints

  bool constrained() const override { return !mechanism_.rows.empty(); }
  int constraint_count() const override { return 2 * mechanism_.row_count(); }
  void constraint_values(StateView at, std::span<double> values,
                         Workspace& workspace) const override;
  Projection project(State& state, Workspace& workspace) const override;
  std::string explain_failure(StateView at, Workspace& workspace) const override;
  std::string explain_singularity(StateView at, Workspace& workspace) const override;
  const AssemblyReport& assembly() const override { return assembly_; }
  AssemblyReport assemble(State& state, const WrittenStart& written,
                          Workspace& workspace) const override;
  ConstraintReport report_constraints(StateView at, Workspace& workspace) const override;
  void constraint_violations(StateView at, std::vector<double>& positions,
                             std::vector<double>& speeds, Workspace& workspace) const override;
  std::string find_dependent_friction(StateView at, Workspace& workspace) const override;
  State make_state(double t, const std::vector<std::optional<std::vector<double>>>& q,
                   const std::vector<std::optional<std::vector<double>>>& v) const override;
  void set_baumgarte(double rate) override {
    mechanism_.baumgarte = rate;
    dual_mechanism_.baumgarte = rate;
    pack_mechanism_.baumgarte = rate;
    if (formulation_.compiler) formulation_.compiler->set_baumgarte(rate);
  }

  // The axes in which gaps of loop joints are differentiated, for `absolute`.
  void turn_rows(bool world_axes) {
    mechanism_.world_rows = world_axes;
    dual_mechanism_.world_rows = world_axes;
    pack_mechanism_.world_rows = world_axes;
  }

  std::string split_work() override;

  // ---- reports

  void observe(StateView at, Observation& result, Workspace& workspace) const override;
  DynamicsReport report_dynamics(StateView at, Workspace& workspace) const override;
  std::vector<AppliedWrench> report_forces(StateView at, Workspace& workspace) const override;
  MassMatrixReport report_mass_matrix(StateView at, Workspace& workspace) const override;
  MovingFrameReport report_moving_frame(StateView at, Workspace& workspace) const override;
  InverseForces calc_inverse_dynamics(StateView at, std::span<const double> vdot,
                                      Workspace& workspace) const override;

  // ---- other sides

  std::unique_ptr<StateFunction> make_function(Formula formula) const override {
    if (mechanism_.absolute) return nullptr;
    return make_mechanism_function(mechanism_, dual_mechanism_, scratch(), std::move(formula));
  }
  const MotionGeometry* geometry() const override { return geometry_.get(); }
  // The equations of variables are of first order.
  const SecondOrderForm* second_order() const override {
    return mechanism_.nz > 0 ? nullptr : &*second_order_;
  }
  const DiscreteMechanics* discrete_mechanics() const override { return discrete_.get(); }
  std::vector<ContactReport> report_contacts(StateView at, Workspace& workspace) const override;

 private:
  // x' = (q', v', z', power) at x, with the multipliers of drives.
  template <class S>
  void evaluate(const Mechanism<S>& mechanism, AccelerationSolver<S> solve, const S& t, const S* x,
                std::span<const int> mode, S* xdot, MotionWorkspace<S>& ws) const {
    calc_tree_rates(mechanism, solve, t, x, mode, xdot, ws);
    calc_powers(mechanism, ws, work_, xdot + mechanism.nq + mechanism.nv + mechanism.nz);
  }
  // Compiled code knows no turns.
  bool code_applies(std::span<const int> mode) const {
    return stays_within_half_turn(mechanism_, mode.data() + mechanism_.turn0());
  }
  StateView without_turns(StateView at) const {
    return {at.t, at.x, at.mode.first(static_cast<std::size_t>(mechanism_.turn0()))};
  }
  void use_compiled_accelerations(StateView at, TreeWorkspace& w) const;
  void kinematics_at(StateView at, MotionWorkspace<double>& ws) const;
  void solve_at(StateView at, MotionWorkspace<double>& ws) const;
  void fill_energies(MotionWorkspace<double>& ws) const {
    ws.kinetic = calc_kinetic_energy(mechanism_, ws);
    ws.potential = calc_potential_energy(mechanism_, ws);
  }
  double energy_at(const State& state, MotionWorkspace<double>& ws) const {
    kinematics_at(state, ws);
    return calc_kinetic_energy(mechanism_, ws) + calc_potential_energy(mechanism_, ws);
  }
  FrictionState friction_state(State& state) const {
    return {state.t, state.x.data(), state.x.data() + mechanism_.nq, state.mode};
  }

  ContactEvents contact_events(State& state, MotionWorkspace<double>& ws, JumpNotes& notes) const {
    return {mechanism_, formulation_.solve, ws, state, notes};
  }
  bool any_closed(std::span<const int> mode) const;
  // Where the margins of contacts stand among the events.
  int contact_event0() const {
    return static_cast<int>(model_.events.size()) + mechanism_.friction_modes;
  }
  // Behind two margins per contact one for all of them.
  int turn_event0() const {
    const int contacts = static_cast<int>(mechanism_.contacts.size());
    return contact_event0() + 2 * contacts + (contacts > 0 ? 1 : 0);
  }
  void watch_sliding(const State& state, TreeWorkspace& w) const;
  bool make_jump(const Event& event, State& state, TreeWorkspace& w) const;
  void set_jumps(const Mechanism<Dual4>& mechanism, const Event& event, const Dual4& t,
                 const Dual4* x, Dual4* result, MotionWorkspace<Dual4>& ws) const;
  void make_space();
  template <class S>
  void set_absolute(Mechanism<S>& mechanism) const {
    mechanism.absolute = true;
    for (std::size_t i = 0; i < mechanism.links.size(); ++i)
      mechanism.links[i].product = formulation_.absolute->product[mechanism.bodies[i].body];
  }

  void start();
  WrittenStart list_written() const;
  bool starts_with_chosen() const;  // some of [speeds] has an `initial`
  AssemblyReport assemble_in(State& state, const WrittenStart& written,
                             MotionWorkspace<double>& ws) const;
  void settle_modes(State& state) const;
  void settle_turns(State& state, const std::vector<std::vector<double>>& likely) const;
  void watch_rows(double pivot, State& state, TreeWorkspace& w, Projection& result) const;
  void choose_rows_again(State& state, MotionWorkspace<double>& ws, Projection& result) const;
  std::string describe_gap(const State& state, const MotionWorkspace<double>& ws, double gap) const;

  // Where other sides of the system find their scratch in its workspace.
  MotionScratch scratch() const;
  MotionWorkspace<Dual4>& dual_of(TreeWorkspace& w) const {
    if (!w.dual) {
      w.dual = make_motion_workspace(dual_mechanism_);
      w.dual->solver = solver_in(w);
    }
    return *w.dual;
  }
  DualSolver* solver_in(TreeWorkspace& w) const {
    if (formulation_.solve_dual != solve_along_numbers) return nullptr;
    if (!w.solver) w.solver = std::make_unique<DualSolver>(mechanism_);
    return w.solver.get();
  }
  SeededMechanisms<MotionWorkspace<Dual4>>& seeded_of(TreeWorkspace& w,
                                                      std::span<const int> which) const;
  // Whether the derivatives by the state are those of motion_slopes.h; else dual numbers.
  bool slopes_apply(std::span<const int> mode) const {
    return slope_plan_ && mechanism_.baumgarte == 0 && !any_closed(mode);
  }
  // Whether they have kept their digits; if not, dual numbers, which go the way of the
  // accelerations and so let constraints act before joints give way, are trusted for a while.
  static bool keep_digits(double lost_factor, TreeWorkspace& w) {
    constexpr double most_lost = 3e3;
    constexpr int a_while = 32;
    if (lost_factor < most_lost) return true;
    w.distrust = a_while;
    return false;
  }
  // Rows of v', z' and powers, and of positions.
  void write_slopes(const TreeWorkspace& w, Eigen::Ref<Eigen::MatrixXd> J) const;
  void make_slopes();
  void make_slopes_in(TreeWorkspace& w) const {
    if (!w.slopes)
      w.slopes = std::make_unique<MotionSlopes>(mechanism_, dual_mechanism_, *slope_plan_);
  }
  void fill_slopes(StateView at, TreeWorkspace& w) const;
  // tree_products.cpp
  bool products_apply(std::span<const int> mode, const TreeWorkspace& w) const {
    return slopes_apply(mode) && w.distrust == 0;
  }
  void multiply_with_matrix(StateView at, std::span<const double> by, bool transposed,
                            std::span<double> result, Workspace& workspace) const;
  MotionProducts& begin_products(StateView at, TreeWorkspace& w) const;
  static void calc_displacement(const Link<double>& link, const double* q, const double* dq,
                                double* change);
  static void add_transposed_displacement(const Link<double>& link, const double* q,
                                          const double* change, double* dq);
  void fill_force_matrix(const MotionSlopes& slopes, const MotionDirections& directions,
                         Eigen::Ref<Eigen::MatrixXd> result) const;
  // tree_stages.cpp
  StageElimination& elimination_in(TreeWorkspace& w) const;
  bool factorise_residual(const MotionPoint& at, const MotionDirections& directions,
                          std::span<double> residual, Workspace& workspace) const;
  void solve_residual(std::span<double> residual, Workspace& workspace) const;
  bool fill_residual_matrix(const MotionPoint& at, const MotionDirections& directions,
                            Eigen::Ref<Eigen::MatrixXd> result, Workspace& workspace) const;
  Dual4 internal_margin(const Mechanism<Dual4>& mechanism, const Dual4& t, const Dual4* x,
                        StateView at, int component, MotionWorkspace<Dual4>& ws) const;
  void fill_file_slopes(std::span<const int> which, const std::vector<bool>& q_given,
                        const std::vector<bool>& v_given, Eigen::Ref<Eigen::MatrixXd> J) const;
  std::string keep_constraints(const State& start, std::span<const int> which,
                               const std::vector<bool>& q_given, const std::vector<bool>& v_given,
                               Eigen::Ref<Eigen::MatrixXd> J) const;
  Eigen::RowVectorXd chosen_rest(int entry, const State& start, std::span<const int> which,
                                 const Eigen::MatrixXd& by_q, Workspace& workspace) const;

  const Model& model_;
  TreeFormulation formulation_;
  std::vector<double> parameters_;
  Mechanism<double> mechanism_;
  Mechanism<Dual4> dual_mechanism_;
  Mechanism<Pack4> pack_mechanism_;
  WorkSplit work_;
  std::optional<SlopePlan> slope_plan_;  // none: dual numbers
  bool along_tree_ = false;              // implicit methods solve along the tree
  std::optional<SecondOrderMotion> second_order_;
  std::unique_ptr<DiscreteMechanics> discrete_;
  std::unique_ptr<ContactStepping> stepping_;  // contacts that are stepped over
  std::unique_ptr<MotionGeometry> geometry_;
  StateSpace space_;
  std::vector<EventInfo> events_;
  bool event_needs_energy_ = false;
  AssemblyReport assembly_;

 protected:
  State initial_;
};

}  // namespace cartan::mechanics
