#include "mechanics/absolute/absolute_system.h"

#include <algorithm>

#include <fmt/format.h>

#include "mechanics/absolute/absolute_solver.h"
#include "mechanics/constraints/constraints.h"
#include "mechanics/joints/turns.h"
#include "mechanics/tree/recursive.h"
#include "mechanics/tree/tree_system_class.h"
#include "model/formulas.h"
#include "model/mass_properties.h"

namespace cartan::mechanics {

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

// The same mechanism in the joints of the file, and the way between the two states.
class JointSide {
 public:
  JointSide(const Model& model, const std::vector<double>& parameters, bool product)
      : model_(model),
        absolute_(make_absolute_model(model, parameters)),
        tree_(make_tree_system(model, parameters,
                               {"recursive", solve_accelerations<double>,
                                solve_accelerations<Dual4>, solve_accelerations<Pack4>})),
        free_(make_mechanism<double>(absolute_, parameters)),
        assembly_(tree_->assembly()) {
    for (std::size_t b = 0; b < model.bodies.size(); ++b)
      bodies_.product.push_back(choose_product(model, static_cast<int>(b), product));
    count_rows();
    if (assembly_.problem.empty())
      bodies_.start =
          from_tree(tree_->initial_state(), free_.has_power ? 1 : 0, &assembly_.problem);
  }

 protected:
  // Which rows of the free bodies' system are rows of the tree's, in the same order.
  void count_rows() {
    std::vector<bool> closes(model_.joints.size(), false);
    for (int j : model_.loop_joints) closes[j] = true;
    for (const ConstraintRow& row : free_.rows) {
      owners_.push_back(row_owner(absolute_, row));
      in_tree_.push_back(row.loop < 0 || closes[free_.loops[row.loop].joint]);
    }
    for (const LinkBody<double>& body : free_.bodies) centres_.push_back(-body.X_LB.p);
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

  State from_tree(const State& tree, int quadratures, std::string* problem = nullptr) const {
    Observation now;
    tree_->observe(tree, now, *tree_->make_workspace());
    const std::size_t n = model_.bodies.size();
    State state;
    state.t = tree.t;
    const std::size_t nz = model_.variables.size();
    state.x.resize(13 * n + nz + quadratures);
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
    state.mode.assign(free_.mode_count, 0);  // switches are free
    // contacts are the same places in the same order, before the rows
    const long contacts = static_cast<long>(free_.contacts.size());
    const long rows = std::count(in_tree_.begin(), in_tree_.end(), true);
    const auto modes = tree.mode.end() - tree_->turn_entries() - rows - contacts;
    std::copy(modes, modes + contacts, state.mode.end() - contacts);
    for (const int active : choose_rows(tree)) state.mode.push_back(active);
    state.mode.resize(free_.mode_size(), no_turn);
    const std::string too_large = set_turns(free_, now.q, state.mode.data() + free_.turn0());
    if (problem) *problem = too_large;
    return state;
  }

  const Model& model_;
  const Model absolute_;
  std::unique_ptr<MechanicalSystem> tree_;  // in the joints of the file
  Mechanism<double> free_;                  // every body free
  AbsoluteBodies bodies_;
  std::vector<std::string> owners_;    // per row
  std::vector<bool> in_tree_;          // per row: a row of the tree's system, too
  std::vector<Vec3<double>> centres_;  // per body: centre of mass in the body frame
  AssemblyReport assembly_;
};

// The motion is that of a tree whose joints are all free; reports and states are those of the
// joints of the file.
class AbsoluteSystem final : private JointSide, public TreeSystem {
 public:
  AbsoluteSystem(const Model& model, const std::vector<double>& parameters, const char* name,
                 bool product)
      : JointSide(model, parameters, product),
        TreeSystem(absolute_, parameters,
                   {name, solve_absolute<double>, solve_absolute<Dual4>, solve_absolute<Pack4>,
                    &bodies_}) {
    bodies_.choose_rows = [this](StateView at) { return JointSide::choose_rows(to_tree(at)); };
  }

  const Model& model() const override { return JointSide::model_; }
  const AssemblyReport& assembly() const override { return JointSide::assembly_; }

  // ---- reports, in the joints of the file

  void observe(StateView at, Observation& result, Workspace& w) const override {
    TreeSystem::observe(at, result, w);
    result.q.resize(model().joints.size());
    result.v.resize(model().joints.size());
  }
  DynamicsReport report_dynamics(StateView at, Workspace& w) const override {
    DynamicsReport report = TreeSystem::report_dynamics(at, w);
    report.acceleration.resize(model().joints.size());
    report.reactions.resize(model().joints.size());
    return report;
  }
  ConstraintReport report_constraints(StateView at, Workspace&) const override {
    const State tree = to_tree(at);
    const ConstraintReport inner = tree_->report_constraints(tree, *tree_->make_workspace());
    const std::vector<int> active = JointSide::choose_rows(tree);
    ConstraintReport report;
    report.owners = owners_;
    report.rows = static_cast<int>(owners_.size());
    report.speeds = 6 * static_cast<int>(model().bodies.size());
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

  // The tree's system chooses the rows that are independent: its rows are the same.
  std::string set_world_rows(bool world_axes) override {
    turn_rows(world_axes);
    dynamic_cast<TreeSystem&>(*tree_).turn_rows(world_axes);
    if (!initial_.x.empty()) initial_.mode = from_tree(to_tree(initial_), quadratures()).mode;
    return "";
  }

  // ---- states from the joints of the file

  State make_state(double t, const std::vector<std::optional<std::vector<double>>>& q,
                   const std::vector<std::optional<std::vector<double>>>& v) const override {
    return from_tree(tree_->make_state(t, q, v), quadratures());
  }
  AssemblyReport assemble(State& state, const WrittenStart& written, Workspace&) const override {
    State tree = to_tree(state);
    AssemblyReport report = tree_->assemble(tree, written, *tree_->make_workspace());
    if (report.problem.empty()) {
      const std::vector<double> works(state.x.end() - quadratures(), state.x.end());
      state = from_tree(tree, quadratures());
      std::copy(works.begin(), works.end(), state.x.end() - quadratures());
    }
    return report;
  }
  std::string fill_start_slopes(const State& start, std::span<const int> which,
                                const std::vector<bool>& q_given, const std::vector<bool>& v_given,
                                Eigen::Ref<Eigen::MatrixXd> J) const override {
    return MechanicalSystem::fill_start_slopes(start, which, q_given, v_given, J);
  }

 private:
  State to_tree(StateView at) const {
    Observation now;
    observe(at, now, *make_workspace());
    State tree =
        tree_->make_state(at.t, {now.q.begin(), now.q.end()}, {now.v.begin(), now.v.end()});
    std::copy(now.variables.begin(), now.variables.end(),
              tree.x.begin() + tree_->variables_begin());
    return tree;
  }
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
  return std::make_unique<AbsoluteSystem>(model, parameters, "absolute-se3", false);
}
std::unique_ptr<MechanicalSystem> make_absolute_so3r3(const Model& model,
                                                      std::vector<double> parameters) {
  return std::make_unique<AbsoluteSystem>(model, parameters, "absolute-so3r3", true);
}

}  // namespace cartan::mechanics
