#include "results/steady/linearize.h"

#include <cmath>

#include <fmt/format.h>

#include "io/csv.h"
#include "io/output_files.h"
#include "mechanics/machine/state_expression.h"
#include "report/column_units.h"
#include "results/load/model_variants.h"
#include "results/load/state_file.h"
#include "results/option_names.h"
#include "results/output_room.h"
#include "results/parallel.h"
#include "results/refusal.h"
#include "results/steady/steady_json.h"
#include "results/task.h"

namespace cartan::results {
namespace {

LinearizeResult linearise_near(const SteadyCase& steady, const State& start,
                               const std::vector<Held>& held, bool search) {
  LinearizeResult result;
  State at = start;
  if (search) {
    EquilibriumOptions options;
    options.held = held;
    result.equilibrium = find_equilibrium(*steady.problem, start, options);
    if (!result.equilibrium->found) {
      result.problem = result.equilibrium->problem;
      result.failed = true;
      return result;
    }
    at = result.equilibrium->state;
  }
  result.linear = linearise(*steady.problem, at);
  result.problem = result.linear.problem;
  return result;
}

std::string eigenvalue_table(const Linearisation& linear) {
  std::string text = "re,im,frequency_hz,damping\n";
  for (std::size_t k = 0; k < linear.eigenvalues.size(); ++k) {
    const double row[] = {linear.eigenvalues[k].real(), linear.eigenvalues[k].imag(),
                          linear.frequency(k), linear.damping(k)};
    for (int i = 0; i < 4; ++i) {
      append_number(text, row[i]);
      text += i < 3 ? ',' : '\n';
    }
  }
  return text;
}

void write_linearisation(const api::LinearizeOptions& o, const std::string& command,
                         const std::vector<std::pair<std::string, std::string>>& files) {
  std::string problem;
  const std::unique_ptr<OutputFolder> output =
      OutputFolder::open(o.out, command, replace_if(o.force), problem);
  if (!output) refuse("linearize", problem);
  for (const auto& [name, content] : files)
    if (!output->write(name, content, problem)) fail("linearize", problem);
  if (!output->commit(problem)) fail("linearize", problem);
}

[[noreturn]] void refuse_result(const LinearizeResult& result, const std::string& message) {
  if (result.failed) fail("linearize", message);
  refuse("linearize", message);
}

// One value of a parameter: a model of its own.
void analyse_value(const ModelArguments& source, const api::LinearizeOptions& o,
                   const ModelDescription& description, const std::string& name,
                   SweepPoint& point) {
  ModelArguments arguments = source;
  arguments.sets.push_back(fmt::format("{}={:.17g}", name, point.value));
  const std::unique_ptr<SteadyCase> steady =
      make_steady("linearize", make_model(description, arguments), o.formulation, o.time);
  const State start = initial_state(*steady);
  point.result = linearise_near(*steady, start, read_holds("linearize", *steady, o.hold, start),
                                o.at == "equilibrium");
}

void sweep_parameter(const ModelArguments& source, const api::LinearizeOptions& o,
                     SweptModel& swept) {
  Task task(o.watch, "linearize");
  const ModelDescription description = read_description(source);
  std::vector<SweepPoint>& points = swept.points;
  for (const double value : swept.range.values) points.push_back({value, {}});
  for_each_in_parallel(
      static_cast<int>(points.size()),
      [&](int i) { analyse_value(source, o, description, swept.range.name, points[i]); },
      [&](int done) { task.show(static_cast<double>(done) / points.size()); });
}

// An expression is held at every value, each search starting where the last one ended.
void sweep_expression(const api::LinearizeOptions& o, const SteadyCase& steady, SweptModel& swept) {
  const Range& range = swept.range;
  std::string problem;
  State start = initial_state(steady);
  std::vector<Held> held = read_holds("linearize", steady, o.hold, start);
  Held varied;
  varied.name = range.name;
  varied.function = make_state_function(*steady.system, *steady.model, range.name, problem);
  if (!varied.function)
    refuse("linearize", "--sweep: neither a parameter nor an expression: " + problem);
  held.insert(held.begin(), varied);
  Task task(o.watch, "linearize");
  for (std::size_t i = 0; i < range.values.size(); ++i) {
    held.front().target = range.values[i];
    swept.points.push_back({range.values[i], linearise_near(steady, start, held, true)});
    const LinearizeResult& result = swept.points.back().result;
    if (result.problem.empty()) start = result.linear.state;
    task.show(static_cast<double>(i + 1) / range.values.size());
  }
}

}  // namespace

LinearizedModel linearize_model(const ModelArguments& source, const api::LinearizeOptions& o) {
  LinearizedModel linearized;
  linearized.steady = load_steady("linearize", source, o.formulation, o.time, o.watch);
  const SteadyCase& steady = *linearized.steady;
  State start = initial_state(steady);
  const bool search = o.at == "equilibrium";
  if (!search && !o.at.empty()) start = make_start(*steady.system, read_state(o.at, *steady.model));
  require_room("linearize", "linearize", o.out, o.force,
               {"eigenvalues.csv", "units.json", "linearize.json"});
  LinearizeResult& result = linearized.result;
  result = linearise_near(steady, start, read_holds("linearize", steady, o.hold, start), search);
  if (!result.problem.empty())
    refuse_result(result, fmt::format("{}: {}", source.path, result.problem));
  if (wants_control(o)) {
    linearized.control = report_control(steady, result.linear, o);
    for (const std::string& note : linearized.control->notes)
      tell(o.watch, "cartan linearize: " + note);
  }
  if (!o.out.empty()) {
    std::vector<std::pair<std::string, std::string>> files = {
        {"eigenvalues.csv", eigenvalue_table(result.linear)},
        {"units.json", ColumnUnits::of(*steady.model).json_for("")}};
    if (linearized.control)
      files.insert(files.end(), linearized.control->files.begin(), linearized.control->files.end());
    files.push_back({"linearize.json", linearisation_json(linearized).dump(2) + "\n"});
    write_linearisation(o, "linearize", files);
  }
  return linearized;
}

Json linearisation_json(const LinearizedModel& linearized) {
  const SteadyCase& steady = *linearized.steady;
  const LinearizeResult& result = linearized.result;
  const Linearisation& linear = result.linear;
  Json json = {{"model", steady.model->name}};
  json.update(spectrum_json(linear));
  json["dimension"] = linear.dimension;
  json["residual"] = linear.residual;
  json["state"] = state_json_of(steady, linear.state);
  json["symmetries"] = motion_json(steady, linear.c);
  if (result.equilibrium) json["held"] = result.equilibrium->held;
  json["modes"] = Json::array();
  for (std::size_t k = 0; k < linear.eigenvalues.size(); ++k)
    json["modes"].push_back(mode_json(steady, linear, static_cast<int>(k)));
  if (linearized.control) json.update(linearized.control->json);
  return json;
}

SweptModel sweep_model(const ModelArguments& source, const api::LinearizeOptions& o) {
  if (!o.at.empty() && o.at != "equilibrium")
    refuse("linearize", "--sweep goes with the initial state or with --at equilibrium");
  if (wants_control(o))
    refuse("linearize",
           "--sweep lists eigenvalues; --inputs, --outputs and what goes with them are for one "
           "state");
  SweptModel swept;
  swept.model = load_model(source, o.watch);
  std::string problem;
  const std::optional<Range> range = read_range(o.sweep, *swept.model, problem);
  if (!range) refuse("linearize", "--sweep: " + problem);
  swept.range = *range;
  require_room("linearize", "linearize --sweep", o.out, o.force, {"sweep.csv", "units.json"});
  if (swept.model->find_parameter(range->name) >= 0)
    sweep_parameter(source, o, swept);
  else
    sweep_expression(o, *load_steady("linearize", source, o.formulation, o.time, o.watch, true),
                     swept);
  if (!o.out.empty()) {
    const std::string table = sweep_table(swept);
    write_linearisation(
        o, "linearize --sweep",
        {{"sweep.csv", table}, {"units.json", ColumnUnits::of(*swept.model).json_for(table)}});
  }
  return swept;
}

void require_steady(const SweptModel& swept) {
  for (const SweepPoint& point : swept.points)
    if (point.result.problem.empty()) return;
  const LinearizeResult& first = swept.points[0].result;
  refuse_result(first, "no value has a steady state: " + first.problem);
}

std::string sweep_table(const SweptModel& swept) {
  const Range& range = swept.range;
  const std::vector<SweepPoint>& points = swept.points;
  std::size_t most = 0;
  for (const SweepPoint& p : points) most = std::max(most, p.result.linear.eigenvalues.size());
  std::string text =
      (range.name.find(',') == std::string::npos ? range.name : "\"" + range.name + "\"") +
      ",steady,stable,neutral";
  for (std::size_t k = 0; k < most; ++k) text += fmt::format(",re{0},im{0}", k);
  text += '\n';
  for (const SweepPoint& p : points) {
    const Linearisation& linear = p.result.linear;
    const bool steady = p.result.problem.empty();
    append_number(text, p.value);
    text += fmt::format(",{},{},{}", steady ? 1 : 0, steady && linear.stable ? 1 : 0,
                        steady ? linear.neutral : 0);
    for (std::size_t k = 0; k < most; ++k) {
      const bool there = steady && k < linear.eigenvalues.size();
      text += ',';
      append_number(text, there ? linear.eigenvalues[k].real() : std::nan(""));
      text += ',';
      append_number(text, there ? linear.eigenvalues[k].imag() : std::nan(""));
    }
    text += '\n';
  }
  return text;
}

Json sweep_json(const SweptModel& swept) {
  Json list = Json::array();
  for (const SweepPoint& p : swept.points) {
    Json entry = {{"value", p.value}};
    if (p.result.problem.empty())
      entry.update(spectrum_json(p.result.linear));
    else
      entry["problem"] = name_options(p.result.problem);
    list.push_back(std::move(entry));
  }
  return {
      {"model", swept.model->name}, {"parameter", swept.range.name}, {"sweep", std::move(list)}};
}

}  // namespace cartan::results
