#include "results/inverse.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/csv.h"
#include "io/output_files.h"
#include "results/design/ik_path.h"
#include "results/design/ik_targets.h"
#include "results/fit/experiments.h"
#include "results/load/state_file.h"
#include "results/refusal.h"
#include "results/task.h"

namespace cartan::results {
namespace {

// Tree joints with speeds, file order: the order of generalised forces.
std::vector<int> moving_joints(const Model& model) {
  std::vector<bool> in_tree(model.joints.size(), false);
  for (const TreeJoint& step : model.tree) in_tree[step.joint] = true;
  std::vector<int> joints;
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    if (in_tree[j] && model.joints[j].nv() > 0) joints.push_back(static_cast<int>(j));
  return joints;
}

void calc_forces(const MechanicalSystem& system, InverseResult& result, const api::Watch& watch) {
  const Model& model = *result.model;
  const MotionTable& motion = result.motion;
  const std::vector<int> joints = moving_joints(model);
  const auto workspace = system.make_workspace();
  std::vector<std::optional<std::vector<double>>> q(model.joints.size()), v(model.joints.size());
  result.sticking.assign(model.forces.size(), 0);
  Observation now;
  double largest_gap = 0;
  for (std::size_t k = 0; k < motion.t.size(); ++k) {
    std::vector<double> vdot;
    for (int j : joints) {
      const PrescribedJoint& joint = motion.joints[j];
      q[j] = joint.q[k];
      v[j] = joint.v[k];
      vdot.insert(vdot.end(), joint.a[k].begin(), joint.a[k].end());
    }
    State state = system.make_state(motion.t[k], q, v);
    for (std::size_t i = 0; i < motion.variables.size(); ++i)
      if (!motion.variables[i].empty())
        state.x[system.variables_begin() + i] = motion.variables[i][k];
    InverseForces found = system.calc_inverse_dynamics(state, vdot, *workspace);
    for (int element : found.sticking) ++result.sticking[element];
    result.rows.push_back(std::move(found.force));
    if (!system.constrained()) continue;
    system.observe(state, now, *workspace);
    largest_gap = std::max(largest_gap, now.position_violation);
    for (int j : model.loop_joints) q[j] = now.q[j];  // turns are counted from row to row
  }
  if (largest_gap > 1e-6)
    tell(watch, fmt::format("cartan inverse: warning: the motion violates the constraints by up to "
                            "{:.3g}",
                            largest_gap));
}

// A force that is no finite number.
void check_finite(const InverseResult& result) {
  const std::vector<std::string> names = inverse_columns(*result.model);
  for (std::size_t k = 0; k < result.rows.size(); ++k)
    for (std::size_t i = 0; i < result.rows[k].size(); ++i)
      if (!std::isfinite(result.rows[k][i]))
        fail("inverse", fmt::format("the force {} is not a finite number at t = {:.9g}",
                                    i < names.size() ? names[i] : "", result.motion.t[k]));
}

// What the numbers mean where a drive or dry friction has a part in them.
void tell_meaning(const InverseResult& result, const api::Watch& watch) {
  const Model& model = *result.model;
  for (const Constraint& constraint : model.constraints)
    if (const auto* drive = std::get_if<DriveConstraint>(&constraint.law))
      tell(watch,
           fmt::format("cartan inverse: drive '{}' is left out: joint '{}' moves as the table "
                       "says, and what the drive would supply is part of the forces",
                       constraint.name, model.joints[drive->joint].name));
  for (std::size_t k = 0; k < model.forces.size(); ++k)
    if (result.sticking[k] > 0)
      tell(watch,
           fmt::format("cartan inverse: friction '{}' sticks in {} of {} rows: every force within "
                       "its limit keeps the motion, and the one of least size is given",
                       model.forces[k].name, result.sticking[k], result.motion.t.size()));
}

MotionTable load_motion(const std::string& path, const Model& model, const api::Watch& watch) {
  Diagnostics problems(path);
  std::optional<MotionTable> motion = read_motion(path, model, problems);
  if (!motion) refuse(problems);
  if (!motion->derived.empty())
    tell(watch, fmt::format("cartan inverse: differentiated by splines: {}",
                            fmt::join(motion->derived, ", ")));
  return std::move(*motion);
}

// Whether the table tells the coordinates of every joint of the tree; one that cannot be read
// counts as whole, and is then complained about.
bool tells_all_joints(const std::string& path, const Model& model) {
  Diagnostics problems(path);
  const std::optional<CsvTable> table = read_csv(path, CsvRows::all, problems);
  if (!table || !table->find("t") || table->names.size() < 2) return true;
  for (const std::string& name : table->names)
    if (!is_expression(model, quantity_of_column(name))) return true;
  for (const int j : moving_joints(model))
    for (const std::string& name : coordinate_columns(model.joints[j]))
      if (!table->find(name)) return false;
  return true;
}

// The motion of all joints from a path of some of them, or of other expressions.
MotionTable complete_motion(const std::string& file, const Analysis& analysis,
                            const api::Watch& watch) {
  const auto& mechanism = dynamic_cast<const MechanicalSystem&>(*analysis.system);
  Diagnostics problems(file);
  const std::optional<TablePath> path = read_path(analysis, file, problems);
  if (!path) refuse(problems);
  const auto workspace = mechanism.make_workspace();
  const PathResult result =
      follow_path(mechanism, path->targets, {}, path->t, analysis.start, *workspace);
  if (result.freedom > 0)
    refuse("inverse",
           fmt::format("the table and the constraints leave {} coordinate{} open; expected the "
                       "columns of trajectory.csv for every joint, or enough expressions",
                       result.freedom, result.freedom > 1 ? "s" : ""));
  if (!result.problem.empty()) fail("inverse", result.problem);
  tell(watch,
       fmt::format("cartan inverse: the table tells {} of {} coordinates; the others follow from "
                   "the constraints",
                   path->targets.size(),
                   tangent_place(mechanism.space(), mechanism.kinematic_size())));
  return motion_of(mechanism, result);
}

}  // namespace

InverseResult calc_inverse(const ModelArguments& source, const api::InverseOptions& options) {
  if (options.motion.empty()) refuse("inverse", "expected --motion FILE.csv, the motion to follow");
  const Replace replace = options.force ? Replace::yes : Replace::no;
  if (const std::string taken = refuse_existing(options.out, replace); !taken.empty())
    refuse("inverse", taken);
  Analysis analysis;
  analysis.model = load_model(source, options.watch);
  const Model& model = *analysis.model;
  if (!model.is_mechanism()) refuse("inverse", "a file with [variables] has no joints to drive");
  analysis.system = load_system(model, choose_formulation(model, options.formulation));
  analysis.start = analysis.system->initial_state();
  InverseResult result;
  result.motion = tells_all_joints(options.motion, model)
                      ? load_motion(options.motion, model, options.watch)
                      : complete_motion(options.motion, analysis, options.watch);
  result.model = std::move(analysis.model);
  calc_forces(dynamic_cast<const MechanicalSystem&>(*analysis.system), result, options.watch);
  check_finite(result);
  tell_meaning(result, options.watch);
  std::string problem;
  if (!options.out.empty() && !write_whole_file(options.out, inverse_csv(result), replace, problem))
    refuse("inverse", problem);
  return result;
}

std::vector<std::string> inverse_columns(const Model& model) {
  std::vector<std::string> names;
  for (int j : moving_joints(model))
    for (const std::string& name : speed_columns(model.joints[j], 'f')) names.push_back(name);
  return names;
}

std::vector<std::string> drive_names(const Model& model) {
  std::vector<std::string> names;
  for (const Constraint& constraint : model.constraints)
    if (constraint.is_drive()) names.push_back(constraint.name);
  return names;
}

std::string inverse_csv(const InverseResult& result) {
  std::string text = "t";
  for (const std::string& name : inverse_columns(*result.model)) text += "," + name;
  text += '\n';
  for (std::size_t k = 0; k < result.rows.size(); ++k) {
    append_number(text, result.motion.t[k]);
    for (double force : result.rows[k]) {
      text += ',';
      append_number(text, force);
    }
    text += '\n';
  }
  return text;
}

Json inverse_json(const InverseResult& result) {
  const Model& model = *result.model;
  Json by_joint = Json::object();
  std::size_t first = 0;
  for (int j : moving_joints(model)) {
    const std::size_t count = model.joints[j].nv();
    Json rows = Json::array();
    for (const std::vector<double>& row : result.rows)
      rows.push_back(std::vector<double>(row.begin() + first, row.begin() + first + count));
    by_joint[model.joints[j].name] = std::move(rows);
    first += count;
  }
  Json sticking = Json::object();  // in how many rows
  for (std::size_t k = 0; k < model.forces.size(); ++k)
    if (result.sticking[k] > 0) sticking[model.forces[k].name] = result.sticking[k];
  return {{"model", model.name},          {"t", result.motion.t},
          {"force", std::move(by_joint)}, {"derived", result.motion.derived},
          {"drives", drive_names(model)}, {"sticking", std::move(sticking)}};
}

}  // namespace cartan::results
