// cartan inverse: the generalised forces that make a mechanism follow a prescribed motion.
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/arguments.h"
#include "cli/experiments.h"
#include "cli/ik_path.h"
#include "cli/ik_targets.h"
#include "cli/json_values.h"
#include "cli/load.h"
#include "cli/motion_table.h"
#include "cli/out_option.h"
#include "cli/state_file.h"
#include "io/csv.h"
#include "io/output_files.h"

namespace cartan {
namespace {

struct InverseArguments {
  ModelArguments model;
  std::string motion, formulation, out;
  bool json = false, force = false;
};

std::optional<int> read_inverse_arguments(const Words& words, InverseArguments& o) {
  Arguments arguments(
      "inverse",
      "Generalised forces, to be added to those of the model, that make it follow a motion. In a "
      "closed mechanism they act on as many tree joints as there are degrees of freedom: driven "
      "ones, then the first independent ones of the file. A drive of the model is taken as a "
      "force to be found: its joint moves as the table says. Where dry friction sticks, the force "
      "of least size is given. A table of some coordinates, or of other expressions (the crank of "
      "an engine, the hand of an arm), is enough where the rest follows from the constraints.",
      "  cartan inverse arm.toml --motion path.csv --out forces.csv\n"
      "with the columns t, JOINT.q0.. and, where known, JOINT.v0.., JOINT.a0..");
  declare_model(arguments, o.model);
  arguments.option("--motion", "FILE", "CSV table with the columns of trajectory.csv", o.motion);
  declare_formulation(arguments, o.formulation);
  arguments.option("--out", "FILE", "write the table to this file instead of the terminal", o.out);
  declare_force(arguments, o.force);
  arguments.flag("--json", "print one JSON object", o.json);
  return arguments.parse(words);
}

// Tree joints with speeds, file order: the order of generalised forces.
std::vector<int> moving_joints(const Model& model) {
  std::vector<bool> in_tree(model.joints.size(), false);
  for (const TreeJoint& step : model.tree) in_tree[step.joint] = true;
  std::vector<int> joints;
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    if (in_tree[j] && model.joints[j].nv() > 0) joints.push_back(static_cast<int>(j));
  return joints;
}

// Per time, all speeds in file order; how often each force of the model stuck.
struct Forces {
  std::vector<std::vector<double>> rows;
  std::vector<int> sticking;
};

Forces calc_forces(const MechanicalSystem& system, const MotionTable& motion) {
  const Model& model = system.model();
  const std::vector<int> joints = moving_joints(model);
  const auto workspace = system.make_workspace();
  std::vector<std::optional<std::vector<double>>> q(model.joints.size()), v(model.joints.size());
  Forces forces;
  forces.sticking.assign(model.forces.size(), 0);
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
    const State state = system.make_state(motion.t[k], q, v);
    InverseForces found = system.calc_inverse_dynamics(state, vdot, *workspace);
    for (int element : found.sticking) ++forces.sticking[element];
    forces.rows.push_back(std::move(found.force));
    if (!system.constrained()) continue;
    system.observe(state, now, *workspace);
    largest_gap = std::max(largest_gap, now.position_violation);
    for (int j : model.loop_joints) q[j] = now.q[j];  // turns are counted from row to row
  }
  if (largest_gap > 1e-6)
    fmt::print(stderr,
               "cartan inverse: warning: the motion violates the constraints by up to {:.3g}\n",
               largest_gap);
  return forces;
}

std::string csv_text(const Model& model, const MotionTable& motion,
                     const std::vector<std::vector<double>>& forces) {
  std::string text = "t";
  for (int j : moving_joints(model))
    for (const std::string& name : speed_columns(model.joints[j], 'f')) text += "," + name;
  text += '\n';
  for (std::size_t k = 0; k < motion.t.size(); ++k) {
    append_number(text, motion.t[k]);
    for (double force : forces[k]) {
      text += ',';
      append_number(text, force);
    }
    text += '\n';
  }
  return text;
}

std::vector<std::string> drive_names(const Model& model) {
  std::vector<std::string> names;
  for (const Constraint& constraint : model.constraints)
    if (constraint.is_drive()) names.push_back(constraint.name);
  return names;
}

// "" or the first force that is no finite number.
std::string find_undefined(const Model& model, const MotionTable& motion,
                           const std::vector<std::vector<double>>& forces) {
  std::vector<std::string> names;
  for (int j : moving_joints(model))
    for (const std::string& name : speed_columns(model.joints[j], 'f')) names.push_back(name);
  for (std::size_t k = 0; k < forces.size(); ++k)
    for (std::size_t i = 0; i < forces[k].size(); ++i)
      if (!std::isfinite(forces[k][i]))
        return fmt::format("the force {} is not a finite number at t = {:.9g}",
                           i < names.size() ? names[i] : "", motion.t[k]);
  return "";
}

Json json_object(const Model& model, const MotionTable& motion, const Forces& forces) {
  Json by_joint = Json::object();
  std::size_t first = 0;
  for (int j : moving_joints(model)) {
    const std::size_t count = model.joints[j].nv();
    Json rows = Json::array();
    for (const std::vector<double>& row : forces.rows)
      rows.push_back(std::vector<double>(row.begin() + first, row.begin() + first + count));
    by_joint[model.joints[j].name] = std::move(rows);
    first += count;
  }
  Json sticking = Json::object();  // in how many rows
  for (std::size_t k = 0; k < model.forces.size(); ++k)
    if (forces.sticking[k] > 0) sticking[model.forces[k].name] = forces.sticking[k];
  return {{"model", model.name},          {"t", motion.t},
          {"force", std::move(by_joint)}, {"derived", motion.derived},
          {"drives", drive_names(model)}, {"sticking", std::move(sticking)}};
}

// What the numbers mean where a drive or dry friction has a part in them.
void tell_meaning(const Model& model, const MotionTable& motion, const Forces& forces) {
  for (const Constraint& constraint : model.constraints)
    if (const auto* drive = std::get_if<DriveConstraint>(&constraint.law))
      fmt::print(stderr,
                 "cartan inverse: drive '{}' is left out: joint '{}' moves as the table says, and "
                 "what the drive would supply is part of the forces\n",
                 constraint.name, model.joints[drive->joint].name);
  for (std::size_t k = 0; k < model.forces.size(); ++k)
    if (forces.sticking[k] > 0)
      fmt::print(stderr,
                 "cartan inverse: friction '{}' sticks in {} of {} rows: every force within its "
                 "limit keeps the motion, and the one of least size is given\n",
                 model.forces[k].name, forces.sticking[k], motion.t.size());
}

void tell_derived(const MotionTable& motion) {
  if (!motion.derived.empty())
    fmt::print(stderr, "cartan inverse: differentiated by splines: {}\n",
               fmt::join(motion.derived, ", "));
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

// The motion of all joints from a path of some of them, or of other expressions; nothing, with the
// exit status, after a complaint.
std::optional<MotionTable> complete_motion(const std::string& file, Analysis& analysis,
                                           int& status) {
  status = exit_bad_input;
  const auto& mechanism = dynamic_cast<const MechanicalSystem&>(*analysis.system);
  Diagnostics problems(file);
  const std::optional<TablePath> path = read_path(analysis, file, problems);
  fmt::print(stderr, "{}", problems.text());
  if (!path) return std::nullopt;
  analysis.start = analysis.system->initial_state();
  const auto workspace = mechanism.make_workspace();
  const PathResult result =
      follow_path(mechanism, path->targets, {}, path->t, analysis.start, *workspace);
  if (result.freedom > 0) {
    complain("inverse",
             fmt::format("the table and the constraints leave {} coordinate{} open; expected the "
                         "columns of trajectory.csv for every joint, or enough expressions",
                         result.freedom, result.freedom > 1 ? "s" : ""));
    return std::nullopt;
  }
  if (!result.problem.empty()) {
    status = exit_failed;
    complain("inverse", result.problem);
    return std::nullopt;
  }
  fmt::print(stderr,
             "cartan inverse: the table tells {} of {} coordinates; the others follow from "
             "the constraints\n",
             path->targets.size(), tangent_place(mechanism.space(), mechanism.kinematic_size()));
  return motion_of(mechanism, result);
}

}  // namespace

int inverse_command(const Words& words) {
  InverseArguments options;
  if (const std::optional<int> status = read_inverse_arguments(words, options)) return *status;
  if (options.motion.empty())
    return complain("inverse", "expected --motion FILE.csv, the motion to follow");
  if (const std::string taken = refuse_existing(options.out, replace_if(options.force));
      !taken.empty())
    return complain("inverse", taken);
  Analysis analysis;
  analysis.model = load_model(options.model);
  const std::unique_ptr<const Model>& model = analysis.model;
  if (!model) return exit_bad_input;
  if (!model->is_mechanism())
    return complain("inverse", "a file with [variables] has no joints to drive");
  analysis.system = load_system(*model, choose_formulation(*model, options.formulation));
  const std::unique_ptr<System>& system = analysis.system;
  if (!system) return exit_bad_input;
  std::optional<MotionTable> motion;
  int status = exit_bad_input;
  if (tells_all_joints(options.motion, *model)) {
    Diagnostics problems(options.motion);
    motion = read_motion(options.motion, *model, problems);
    fmt::print(stderr, "{}", problems.text());
  } else {
    motion = complete_motion(options.motion, analysis, status);
  }
  if (!motion) return status;
  tell_derived(*motion);
  const auto forces = calc_forces(dynamic_cast<const MechanicalSystem&>(*system), *motion);
  if (const std::string problem = find_undefined(*model, *motion, forces.rows); !problem.empty()) {
    complain("inverse", problem);
    return exit_failed;
  }
  tell_meaning(*model, *motion, forces);
  if (!options.out.empty()) {
    std::string problem;
    if (!write_whole_file(options.out, csv_text(*model, *motion, forces.rows),
                          replace_if(options.force), problem))
      return complain("inverse", problem);
  }
  if (options.json)
    print_json(json_object(*model, *motion, forces));
  else if (options.out.empty())
    fmt::print("{}", csv_text(*model, *motion, forces.rows));
  else
    fmt::print("Written: {} ({} rows)\n", options.out, forces.rows.size());
  return exit_done;
}

}  // namespace cartan
