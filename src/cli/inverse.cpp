// cartan inverse: the generalised forces that make a mechanism follow a prescribed motion.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/arguments.h"
#include "cli/json_values.h"
#include "cli/load.h"
#include "cli/motion_table.h"
#include "cli/state_file.h"
#include "io/csv.h"
#include "io/output_files.h"

namespace cartan {
namespace {

struct Options {
  ModelArguments model;
  std::string motion, formulation, out;
  bool json = false;
};

std::optional<int> read_options(const Words& words, Options& o) {
  Arguments arguments(
      "inverse",
      "Generalised forces, to be added to those of the model, that make it follow a motion. In a "
      "closed mechanism they act on as many tree joints as there are degrees of freedom: the first "
      "independent ones of the file.",
      "  cartan inverse arm.toml --motion path.csv --out forces.csv\n"
      "with the columns t, JOINT.q0.. and, where known, JOINT.v0.., JOINT.a0..");
  declare_model(arguments, o.model);
  arguments.option("--motion", "FILE", "CSV table with the columns of trajectory.csv", o.motion);
  arguments.option("--formulation", "NAME", "how the equations are formed", o.formulation);
  arguments.option("--out", "FILE", "write the table to this file instead of the terminal", o.out);
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

// Per time, all speeds in file order.
std::vector<std::vector<double>> calc_forces(const MechanicalSystem& system,
                                             const MotionTable& motion) {
  const Model& model = system.model();
  const std::vector<int> joints = moving_joints(model);
  const auto workspace = system.make_workspace();
  std::vector<std::optional<std::vector<double>>> q(model.joints.size()), v(model.joints.size());
  std::vector<std::vector<double>> forces;
  Observation now;
  double largest_gap = 0;
  for (std::size_t k = 0; k < motion.t.size(); ++k) {
    std::vector<double> vdot;
    for (int j : joints) {
      const JointMotion& joint = motion.joints[j];
      q[j] = joint.q[k];
      v[j] = joint.v[k];
      vdot.insert(vdot.end(), joint.a[k].begin(), joint.a[k].end());
    }
    const State state = system.make_state(motion.t[k], q, v);
    forces.push_back(system.calc_inverse_dynamics(state, vdot, *workspace));
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

Json json_object(const Model& model, const MotionTable& motion,
                 const std::vector<std::vector<double>>& forces) {
  Json by_joint = Json::object();
  std::size_t first = 0;
  for (int j : moving_joints(model)) {
    const std::size_t count = model.joints[j].nv();
    Json rows = Json::array();
    for (const std::vector<double>& row : forces)
      rows.push_back(std::vector<double>(row.begin() + first, row.begin() + first + count));
    by_joint[model.joints[j].name] = std::move(rows);
    first += count;
  }
  return {{"model", model.name},
          {"t", motion.t},
          {"force", std::move(by_joint)},
          {"derived", motion.derived}};
}

void tell_derived(const MotionTable& motion) {
  if (!motion.derived.empty())
    fmt::print(stderr, "cartan inverse: differentiated by splines: {}\n",
               fmt::join(motion.derived, ", "));
}

int complain(const std::string& message) {
  fmt::print(stderr, "cartan inverse: {}\n", message);
  return exit_bad_input;
}

}  // namespace

int inverse_command(const Words& words) {
  Options options;
  if (const std::optional<int> status = read_options(words, options)) return *status;
  if (options.motion.empty()) return complain("expected --motion FILE.csv, the motion to follow");
  const std::unique_ptr<const Model> model = load_model(options.model);
  if (!model) return exit_bad_input;
  if (!model->is_mechanism()) return complain("a file with [variables] has no joints to drive");
  const std::unique_ptr<System> system =
      load_system(*model, choose_formulation(*model, options.formulation));
  if (!system) return exit_bad_input;
  Diagnostics problems(options.motion);
  const std::optional<MotionTable> motion = read_motion(options.motion, *model, problems);
  fmt::print(stderr, "{}", problems.text());
  if (!motion) return exit_bad_input;
  tell_derived(*motion);
  const auto forces = calc_forces(dynamic_cast<const MechanicalSystem&>(*system), *motion);
  if (!options.out.empty()) {
    std::string problem;
    if (!write_whole_file(options.out, csv_text(*model, *motion, forces), problem))
      return complain(problem);
  }
  if (options.json)
    print_json(json_object(*model, *motion, forces));
  else if (options.out.empty())
    fmt::print("{}", csv_text(*model, *motion, forces));
  else
    fmt::print("Written: {} ({} rows)\n", options.out, forces.size());
  return exit_done;
}

}  // namespace cartan
