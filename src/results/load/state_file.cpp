#include "results/load/state_file.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/core.h>

#include "io/csv.h"
#include "io/result_folder.h"
#include "lie/quaternion.h"
#include "mechanics/machine/mechanism_system.h"
#include "results/load/load.h"
#include "results/load/state_json.h"
#include "results/refusal.h"

namespace cartan::results {
namespace fs = std::filesystem;
namespace {

// All of the columns, or none of them; a part is a mistake.
std::optional<std::vector<double>> last_values(const CsvTable& table,
                                               const std::vector<std::string>& names,
                                               Diagnostics& problems) {
  std::vector<double> values;
  for (const std::string& name : names)
    if (const std::vector<double>* column = table.find(name)) values.push_back(column->back());
  if (values.empty()) return std::nullopt;
  if (values.size() != names.size())
    problems.error({}, fmt::format("expected all of the columns {} to {}, got {} of {}",
                                   names.front(), names.back(), values.size(), names.size()));
  if (std::any_of(values.begin(), values.end(), [](double x) { return !std::isfinite(x); }))
    problems.error({}, fmt::format("the last row has no number for one of the columns {} to {}",
                                   names.front(), names.back()));
  return values;
}

StateValues state_of_row(const CsvTable& table, const Model& model, Diagnostics& problems) {
  StateValues state;
  if (const std::vector<double>* time = table.find("t"))
    state.t = time->back();
  else
    problems.error({}, "there is no column 't'; expected the columns of trajectory.csv");
  if (!std::isfinite(state.t)) problems.error({}, "the last row has no number for 't'");
  bool any = false;
  for (const Joint& joint : model.joints) {
    state.q.push_back(last_values(table, coordinate_columns(joint), problems));
    state.v.push_back(last_values(table, speed_columns(joint), problems));
    any |= state.q.back() || state.v.back();
    if (state.q.back() && !problems.has_errors())
      check_coordinates(joint, *state.q.back(), problems);
  }
  for (const Variable& variable : model.variables) {
    const std::vector<double>* column = table.find(variable.name);
    if (column && !std::isfinite(column->back()))
      problems.error({}, fmt::format("the last row has no number for '{}'", variable.name));
    state.variables.push_back(column ? std::optional(column->back()) : std::nullopt);
    any |= column != nullptr;
  }
  if (!any && !problems.has_errors())
    problems.error({}, fmt::format("no column belongs to the model '{}'; expected those of its "
                                   "trajectory.csv, such as '{}'",
                                   model.name,
                                   model.is_mechanism()
                                       ? model.joints[0].name + (model.joints[0].nq() ? ".q0" : "")
                                       : model.variables[0].name));
  return state;
}

}  // namespace

std::vector<std::string> coordinate_columns(const Joint& joint) {
  std::vector<std::string> names;
  for (int k = 0; k < joint.nq(); ++k) names.push_back(fmt::format("{}.q{}", joint.name, k));
  return names;
}

std::vector<std::string> speed_columns(const Joint& joint, char letter) {
  std::vector<std::string> names;
  for (int k = 0; k < joint.nv(); ++k)
    names.push_back(fmt::format("{}.{}{}", joint.name, letter, k));
  return names;
}

bool check_coordinates(const Joint& joint, const std::vector<double>& q, Diagnostics& problems,
                       Location where) {
  if (!has_quaternion(joint.type)) return true;
  const double length = norm(Quat<double>(q[0], q[1], q[2], q[3]));
  if (std::fabs(length - 1) <= unit_length_tolerance) return true;
  problems.error(where,
                 fmt::format("q of joint '{}': the quaternion (w, x, y, z) has length {:.9g}, off "
                             "by {:.2g}; expected length 1 within {:g}",
                             joint.name, length, length - 1, unit_length_tolerance));
  return false;
}

State make_start(const System& system, const StateValues& values) {
  if (const auto* mechanism = dynamic_cast<const MechanicalSystem*>(&system)) {
    State state = mechanism->make_state(values.t, values.q, values.v);
    for (std::size_t i = 0; i < values.variables.size(); ++i)
      if (values.variables[i]) state.x[mechanism->variables_begin() + i] = *values.variables[i];
    return state;
  }
  State state = system.initial_state();
  state.t = values.t;
  for (std::size_t i = 0; i < values.variables.size(); ++i)
    if (values.variables[i]) state.x[i] = *values.variables[i];
  return state;
}

StateValues read_state(const std::string& path, const Model& model) {
  if (path.starts_with('{')) {
    Diagnostics problems("state");
    const std::optional<StateValues> state = parse_state_json(path, model, problems);
    if (!state || problems.has_errors()) refuse(problems);
    return *state;
  }
  std::error_code ignored;
  const bool folder = fs::is_directory(path, ignored);
  const std::string file = folder ? (fs::path(path) / "trajectory.csv").string() : path;
  if (!fs::exists(file, ignored))
    refuse_at(file,
              fmt::format("there is no such file{}",
                          folder ? "; expected the folder of an earlier run" : suggest_file(file)));
  std::string damage;
  if ((folder && !ResultFolder::open(path, damage)) || !check_result_file(file, damage))
    refuse_line(damage);
  Diagnostics problems(file);
  std::optional<StateValues> state;
  if (!file.ends_with(".csv"))
    state = read_state_json(file, model, problems);
  else if (const std::optional<CsvTable> table = read_csv(file, CsvRows::last, problems))
    state = state_of_row(*table, model, problems);
  if (!state || problems.has_errors()) refuse(problems);
  return *state;
}

}  // namespace cartan::results
