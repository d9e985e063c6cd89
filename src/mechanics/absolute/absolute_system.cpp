#include "mechanics/absolute/absolute_system.h"

#include <algorithm>

#include <fmt/format.h>

#include "mechanics/absolute/absolute_solver.h"
#include "mechanics/constraints/constraints.h"
#include "mechanics/joints/turns.h"
#include "mechanics/tree/recursive.h"
#include "mechanics/tree/tree_system.h"
#include "model/formulas.h"
#include "model/mass_properties.h"

namespace cartan {

Model make_absolute_model(const Model& model, const std::vector<double>& parameters) {
  Model result = model;
  result.tree.clear();
  result.loop_joints.clear();
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    result.loop_joints.push_back(static_cast<int>(j));
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Vec3<double> com = calc_mass_properties<double>(model.bodies[b], parameters).com;
    Joint joint;
    joint.name = model.bodies[b].name;
    joint.type = JointType::free;
    joint.child.body = static_cast<int>(b);
    joint.child.at = constant_formula({com.x, com.y, com.z});
    joint.at_centre_of_mass = true;  // also where parameters vary
    joint.where = model.bodies[b].where;
    result.tree.push_back({static_cast<int>(result.joints.size()), world, static_cast<int>(b)});
    result.joints.push_back(std::move(joint));
  }
  return result;
}

namespace {

// Whether the state of a body lives on SO(3) x R3. On SE(3) a joint to the world is kept to
// rounding; between moving bodies both groups drift alike (source 002) and the product costs less.
bool choose_product(const Model& model, int body, bool formulation_product) {
  switch (model.bodies[body].group) {
    case BodyGroup::formulation:
      return formulation_product;
    case BodyGroup::se3:
      return false;
    case BodyGroup::so3r3:
      return true;
    case BodyGroup::automatic:
      break;
  }
  return std::none_of(model.joints.begin(), model.joints.end(), [&](const Joint& joint) {
    return !holds_nothing(joint.type) &&
           ((joint.parent.body == body && joint.child.body == world) ||
            (joint.parent.body == world && joint.child.body == body));
  });
}

class AbsoluteSystem final : public MechanicalSystem {
 public:
  AbsoluteSystem(const Model& model, std::vector<double> parameters, const char* name, bool product)
      : model_(model), absolute_(make_absolute_model(model, parameters)) {
    tree_ = make_tree_system(model, parameters,
                             {"recursive", solve_accelerations<double>, solve_accelerations<Dual4>,
                              solve_accelerations<Pack4>});
    assembly_ = tree_->assembly();
    for (std::size_t b = 0; b < model.bodies.size(); ++b)
      bodies_.product.push_back(choose_product(model, static_cast<int>(b), product));
    count_rows(parameters);
    if (assembly_.problem.empty())
      bodies_.start = from_tree(tree_->initial_state(), &assembly_.problem);
    bodies_.choose_rows = [this](StateView at) { return choose_rows(to_tree(at)); };
    motion_ = make_tree_system(
        absolute_, std::move(parameters),
        {name, solve_absolute<double>, solve_absolute<Dual4>, solve_absolute<Pack4>, &bodies_});
  }

  const Model& model() const override { return model_; }
  std::string formulation() const override { return motion_->formulation(); }
  const AssemblyReport& assembly() const override { return assembly_; }

  // ---- the motion of the free bodies

  const StateSpace& space() const override { return motion_->space(); }
  int quadratures() const override { return motion_->quadratures(); }
  State initial_state() const override { return motion_->initial_state(); }
  std::unique_ptr<Workspace> make_workspace() const override { return motion_->make_workspace(); }
  void derivative(StateView at, std::span<double> xdot, Workspace& w) const override {
    motion_->derivative(at, xdot, w);
  }
  void derivatives(std::span<const double> times, std::span<const double> x,
                   std::span<const int> mode, std::span<double> xdot, Workspace& w) const override {
    motion_->derivatives(times, x, mode, xdot, w);
  }
  const DiscreteMechanics* discrete_mechanics() const override {
    return motion_->discrete_mechanics();
  }
  int kinematic_size() const override { return motion_->kinematic_size(); }
  void kinematic_rates(StateView at, std::span<double> rates, Workspace& w) const override {
    motion_->kinematic_rates(at, rates, w);
  }
  void jacobian(StateView at, Eigen::Ref<Eigen::MatrixXd> J, Workspace& w) const override {
    motion_->jacobian(at, J, w);
  }
  int parameter_count() const override { return motion_->parameter_count(); }
  void parameter_jacobian(StateView at, std::span<const int> which, Eigen::Ref<Eigen::MatrixXd> J,
                          Workspace& w) const override {
    motion_->parameter_jacobian(at, which, J, w);
  }
  int constraint_count() const override { return motion_->constraint_count(); }
  void constraint_values(StateView at, std::span<double> values, Workspace& w) const override {
    motion_->constraint_values(at, values, w);
  }
  void constraint_jacobian(StateView at, Eigen::Ref<Eigen::MatrixXd> C,
                           Workspace& w) const override {
    motion_->constraint_jacobian(at, C, w);
  }
  void constraint_parameter_jacobian(StateView at, std::span<const int> which,
                                     Eigen::Ref<Eigen::MatrixXd> C, Workspace& w) const override {
    motion_->constraint_parameter_jacobian(at, which, C, w);
  }
  const SecondOrderForm* second_order() const override { return motion_->second_order(); }
  const std::vector<EventInfo>& events() const override { return motion_->events(); }
  void event_values(StateView at, std::span<double> values, Workspace& w) const override {
    motion_->event_values(at, values, w);
  }
  bool handle_event(int which, State& state, Workspace& w) const override {
    return motion_->handle_event(which, state, w);
  }
  bool settle(State& state, Workspace& w) const override { return motion_->settle(state, w); }
  std::string jump_slope(int which, StateView before, StateView after,
                         std::span<const int> parameters, JumpSlope& slope,
                         Workspace& w) const override {
    return motion_->jump_slope(which, before, after, parameters, slope, w);
  }
  int contact_count() const override { return motion_->contact_count(); }
  std::string contact_name(int contact) const override { return motion_->contact_name(contact); }
  void close_contacts(std::span<const int> contacts, State& state, Workspace& w) const override {
    motion_->close_contacts(contacts, state, w);
  }
  std::vector<ContactReport> report_contacts(StateView at, Workspace& w) const override {
    return motion_->report_contacts(at, w);
  }
  int turn_entries() const override { return motion_->turn_entries(); }
  std::string count_turns(StateView at, double length, std::span<int> turns,
                          Workspace& w) const override {
    return motion_->count_turns(at, length, turns, w);
  }
  bool constrained() const override { return motion_->constrained(); }
  Projection project(State& state, Workspace& w) const override {
    return motion_->project(state, w);
  }
  std::string component_name(int i) const override { return motion_->component_name(i); }
  void set_baumgarte(double rate) override { motion_->set_baumgarte(rate); }
  std::string set_world_rows(bool world_axes) override {
    return motion_->set_world_rows(world_axes);
  }
  std::string split_work() override { return motion_->split_work(); }
  void constraint_violations(StateView at, std::vector<double>& positions,
                             std::vector<double>& speeds, Workspace& w) const override {
    motion_->constraint_violations(at, positions, speeds, w);
  }

  // ---- reports, in the joints of the file

  void observe(StateView at, Observation& result, Workspace& w) const override {
    motion_->observe(at, result, w);
    result.q.resize(model_.joints.size());
    result.v.resize(model_.joints.size());
  }
  DynamicsReport report_dynamics(StateView at, Workspace& w) const override {
    DynamicsReport report = motion_->report_dynamics(at, w);
    report.acceleration.resize(model_.joints.size());
    report.reactions.resize(model_.joints.size());
    return report;
  }
  std::vector<AppliedWrench> report_forces(StateView at, Workspace& w) const override {
    return motion_->report_forces(at, w);
  }
  ConstraintReport report_constraints(StateView at, Workspace&) const override {
    const State tree = to_tree(at);
    const ConstraintReport inner = tree_->report_constraints(tree, *tree_->make_workspace());
    const std::vector<int> active = choose_rows(tree);
    ConstraintReport report;
    report.owners = owners_;
    report.rows = static_cast<int>(owners_.size());
    report.speeds = 6 * static_cast<int>(model_.bodies.size());
    const int tree_rows = report.speeds - inner.speeds;
    report.rank = tree_rows + inner.rank;
    report.holonomic_rows = tree_rows + inner.holonomic_rows;
    report.holonomic_rank = tree_rows + inner.holonomic_rank;
    for (int r = 0; r < report.rows; ++r)
      if (!active[r]) report.redundant_rows.push_back(r);
    return report;
  }
  std::string find_dependent_friction(StateView, Workspace&) const override { return ""; }
  std::string explain_failure(StateView at, Workspace&) const override {
    return tree_->explain_failure(to_tree(at), *tree_->make_workspace());
  }
  std::string explain_singularity(StateView at, Workspace&) const override {
    return tree_->explain_singularity(to_tree(at), *tree_->make_workspace());
  }
  MassMatrixReport report_mass_matrix(StateView at, Workspace&) const override {
    return tree_->report_mass_matrix(to_tree(at), *tree_->make_workspace());
  }
  MovingFrameReport report_moving_frame(StateView at, Workspace&) const override {
    return tree_->report_moving_frame(to_tree(at), *tree_->make_workspace());
  }
  InverseForces calc_inverse_dynamics(StateView at, std::span<const double> vdot,
                                      Workspace&) const override {
    return tree_->calc_inverse_dynamics(to_tree(at), vdot, *tree_->make_workspace());
  }

  // ---- states from the joints of the file

  State make_state(double t, const std::vector<std::optional<std::vector<double>>>& q,
                   const std::vector<std::optional<std::vector<double>>>& v) const override {
    return from_tree(tree_->make_state(t, q, v));
  }
  AssemblyReport assemble(State& state, const WrittenStart& written, Workspace&) const override {
    State tree = to_tree(state);
    const AssemblyReport report = tree_->assemble(tree, written, *tree_->make_workspace());
    if (report.problem.empty()) {
      const std::vector<double> works(state.x.end() - quadratures(), state.x.end());
      state = from_tree(tree);
      std::copy(works.begin(), works.end(), state.x.end() - quadratures());
    }
    return report;
  }

 private:
  // Which rows of the free bodies' system are rows of the tree's, in the same order.
  void count_rows(const std::vector<double>& parameters) {
    mechanism_ = make_mechanism<double>(absolute_, parameters);
    const Mechanism<double>& mechanism = mechanism_;
    std::vector<bool> closes(model_.joints.size(), false);
    for (int j : model_.loop_joints) closes[j] = true;
    for (const ConstraintRow& row : mechanism.rows) {
      owners_.push_back(row_owner(absolute_, row));
      in_tree_.push_back(row.loop < 0 || closes[mechanism.loops[row.loop].joint]);
    }
    for (const LinkBody<double>& body : mechanism.bodies) centres_.push_back(-body.X_LB.p);
  }

  // Rows of tree joints are always independent; the others as the tree's system has them.
  std::vector<int> choose_rows(const State& tree) const {
    std::vector<int> active(in_tree_.size(), 1);
    const long others = std::count(in_tree_.begin(), in_tree_.end(), true);
    auto next = tree.mode.end() - tree_->turn_entries() - others;
    for (std::size_t r = 0; r < active.size(); ++r)
      if (in_tree_[r]) active[r] = *next++;
    return active;
  }

  State from_tree(const State& tree, std::string* problem = nullptr) const {
    Observation now;
    tree_->observe(tree, now, *tree_->make_workspace());
    const std::size_t n = model_.bodies.size();
    State state;
    state.t = tree.t;
    const std::size_t nz = model_.variables.size();
    state.x.resize(13 * n + nz + (motion_ ? quadratures() : mechanism_.has_power ? 1 : 0));
    std::copy_n(tree.x.begin() + tree_->variables_begin(), nz,
                state.x.begin() + static_cast<long>(13 * n));
    for (std::size_t b = 0; b < n; ++b) {
      const BodyState& body = now.bodies[b];
      const Mat3<double> R = rotation_matrix(body.orientation);
      const Vec3<double> place = body.position + R * centres_[b];
      Vec3<double> speed = body.linear + R * cross(body.angular, centres_[b]);
      if (!bodies_.product[b]) speed = transpose_times(R, speed);
      const Quat<double>& u = body.orientation;
      const double q[7] = {u.w, u.x, u.y, u.z, place.x, place.y, place.z};
      std::copy(q, q + 7, state.x.begin() + static_cast<long>(7 * b));
      double* v = state.x.data() + 7 * n + 6 * b;
      for (int k = 0; k < 3; ++k) v[k] = body.angular[k], v[3 + k] = speed[k];
    }
    state.mode.assign(mechanism_.mode_count, 0);  // switches are free
    // contacts are the same places in the same order, before the rows
    const long contacts = static_cast<long>(mechanism_.contacts.size());
    const long rows = std::count(in_tree_.begin(), in_tree_.end(), true);
    const auto modes = tree.mode.end() - tree_->turn_entries() - rows - contacts;
    std::copy(modes, modes + contacts, state.mode.end() - contacts);
    for (const int active : choose_rows(tree)) state.mode.push_back(active);
    state.mode.resize(mechanism_.mode_size(), no_turn);
    const std::string too_large =
        set_turns(mechanism_, now.q, state.mode.data() + mechanism_.turn0());
    if (problem) *problem = too_large;
    return state;
  }

  State to_tree(StateView at) const {
    Observation now;
    observe(at, now, *motion_->make_workspace());
    State tree =
        tree_->make_state(at.t, {now.q.begin(), now.q.end()}, {now.v.begin(), now.v.end()});
    std::copy(now.variables.begin(), now.variables.end(),
              tree.x.begin() + tree_->variables_begin());
    return tree;
  }

  const Model& model_;
  const Model absolute_;
  std::unique_ptr<MechanicalSystem> tree_;  // in the joints of the file
  AbsoluteBodies bodies_;
  std::unique_ptr<MechanicalSystem> motion_;
  std::vector<std::string> owners_;    // per row
  std::vector<bool> in_tree_;          // per row: a row of the tree's system, too
  std::vector<Vec3<double>> centres_;  // per body: centre of mass in the body frame
  Mechanism<double> mechanism_;        // every body free
  AssemblyReport assembly_;
};

}  // namespace

std::string refuse_absolute(const Model& model) {
  for (const Force& force : model.forces) {
    const auto* friction = std::get_if<FrictionForce>(&force.law);
    if (friction && !friction->smoothing.given())
      return fmt::format(
          "friction '{}': joints that stick belong to joint coordinates; give 'smoothing', or use "
          "the formulation 'recursive'",
          force.name);
  }
  return "";
}

std::unique_ptr<MechanicalSystem> make_absolute_se3(const Model& model,
                                                    std::vector<double> parameters) {
  return std::make_unique<AbsoluteSystem>(model, std::move(parameters), "absolute-se3", false);
}
std::unique_ptr<MechanicalSystem> make_absolute_so3r3(const Model& model,
                                                      std::vector<double> parameters) {
  return std::make_unique<AbsoluteSystem>(model, std::move(parameters), "absolute-so3r3", true);
}

}  // namespace cartan
