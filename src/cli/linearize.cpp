// cartan linearize: eigenvalues and modes at a steady motion, and sweeps of them.
#include <cmath>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/linear_control.h"
#include "cli/model_variants.h"
#include "cli/option_names.h"
#include "cli/out_option.h"
#include "cli/parallel.h"
#include "cli/progress.h"
#include "cli/ranges.h"
#include "cli/state_file.h"
#include "cli/steady_json.h"
#include "io/csv.h"
#include "io/output_files.h"
#include "mechanics/machine/state_expression.h"
#include "report/column_units.h"

namespace cartan {
namespace {

struct LinearizeArguments {
  ModelArguments model;
  std::string at, sweep, out, formulation = steady_formulation;
  std::vector<std::string> holds;
  std::optional<double> time;
  ControlArguments control;
  bool json = false, force = false;
};

std::optional<int> read_linearize_arguments(const Words& words, LinearizeArguments& o) {
  Arguments arguments(
      "linearize",
      "Eigenvalues, frequencies, damping and modes at a steady motion: an equilibrium, or a state "
      "that moves along its symmetries (steady rolling, spinning, turning).",
      "  cartan linearize examples/benchmark_bicycle.toml --set push=0 --set v=5\n"
      "  cartan linearize examples/benchmark_bicycle.toml --set push=0 --sweep \"v=lin(0,10,101)\" "
      "--out result\n"
      "  cartan linearize cart_pole.toml --inputs force --outputs cart.q,pole.q --lqr-q 1,10,1,1 "
      "--lqr-r 0.1");
  declare_model(arguments, o.model);
  arguments.option(
      "--at", "WHERE",
      "`equilibrium`: the steady state near the initial one; or a STATE.json; default: "
      "the initial state",
      o.at);
  arguments.repeated("--hold", "EXPR",
                     "with --at equilibrium: what keeps its initial value; repeatable", o.holds);
  arguments.option(
      "--sweep", "P=lin(A,B,N)",
      "repeat for values of a parameter, or of an expression (\"R*axle.v=lin(1,9,81)\"), "
      "which is then held at them",
      o.sweep);
  declare_control(arguments, o.control);
  declare_time(arguments, o.time);
  declare_steady_formulation(arguments, o.formulation);
  arguments.option("--out", "DIR",
                   "write linearize.json and eigenvalues.csv, or sweep.csv; with inputs or outputs "
                   "A.csv, B.csv, .., with --frequency frequency.csv and charts, with --lqr-q "
                   "lqr.toml",
                   o.out);
  declare_force(arguments, o.force);
  arguments.flag("--json", "print one JSON object", o.json);
  return arguments.parse(words);
}

// One linearisation and, where it was looked for, the equilibrium it belongs to.
struct LinearizeResult {
  Linearisation linear;
  std::optional<Equilibrium> equilibrium;
  int status = exit_done;
  std::string problem;
};

LinearizeResult analyse(const SteadyCase& steady, const State& start, const std::vector<Held>& held,
                        bool search) {
  LinearizeResult result;
  State at = start;
  if (search) {
    EquilibriumOptions options;
    options.held = held;
    result.equilibrium = find_equilibrium(*steady.problem, start, options);
    if (!result.equilibrium->found) {
      result.problem = result.equilibrium->problem;
      result.status = exit_failed;
      return result;
    }
    at = result.equilibrium->state;
  }
  result.linear = linearise(*steady.problem, at);
  result.problem = result.linear.problem;
  if (!result.problem.empty()) result.status = exit_bad_input;
  return result;
}

// ----------------------------------------------------------------------------------- one state

Json linearisation_json(const SteadyCase& steady, const LinearizeResult& result) {
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
  return json;
}

void print_linearisation(const SteadyCase& steady, const LinearizeResult& result) {
  const Linearisation& linear = result.linear;
  fmt::print("{}: {} directions, {} of them neutral\n", steady.model->name, linear.dimension,
             linear.neutral);
  const std::string motion = describe_motion(steady, linear.c);
  fmt::print("steady: {}\n", motion.empty() ? "at rest" : motion);
  if (result.equilibrium)
    for (const std::string& name : result.equilibrium->held) fmt::print("held: {}\n", name);
  fmt::print("\n{:>24} {:>24} {:>14} {:>12}\n", "real part 1/s", "imaginary part rad/s",
             "frequency Hz", "damping");
  for (std::size_t k = 0; k < linear.eigenvalues.size(); ++k)
    fmt::print("{:24.15g} {:24.15g} {:14.8g} {:12.6g}\n", linear.eigenvalues[k].real(),
               linear.eigenvalues[k].imag(), linear.frequency(k), linear.damping(k));
  fmt::print("\n{}\n", linear.asymptotic ? "asymptotically stable (neutral directions aside)"
                       : linear.stable   ? "stable to first order: no real part is positive"
                                         : "unstable");
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

int write_linearisation(const LinearizeArguments& o, const std::string& command,
                        const std::vector<std::pair<std::string, std::string>>& files) {
  std::string problem;
  const std::unique_ptr<OutputFolder> output =
      OutputFolder::open(o.out, command, replace_if(o.force), problem);
  if (!output) return complain("linearize", problem);
  for (const auto& [name, content] : files)
    if (!output->write(name, content, problem)) return complain("linearize", problem, exit_failed);
  if (!output->commit(problem)) return complain("linearize", problem, exit_failed);
  return exit_done;
}

int linearize_once(const LinearizeArguments& o) {
  const std::unique_ptr<SteadyCase> steady =
      load_steady("linearize", o.model, o.formulation, o.time);
  if (!steady) return exit_bad_input;
  State start = initial_state(*steady);
  const bool search = o.at == "equilibrium";
  if (!search && !o.at.empty()) {
    const std::optional<StateValues> given = read_state(o.at, *steady->model);
    if (!given) return exit_bad_input;
    start = make_start(*steady->system, *given);
  }
  const std::optional<std::vector<Held>> held = read_holds("linearize", *steady, o.holds, start);
  if (!held) return exit_bad_input;
  const LinearizeResult result = analyse(*steady, start, *held, search);
  if (result.status != exit_done)
    return complain("linearize", fmt::format("{}: {}", o.model.path, result.problem),
                    result.status);
  Json json = linearisation_json(*steady, result);
  std::vector<std::pair<std::string, std::string>> files = {
      {"eigenvalues.csv", eigenvalue_table(result.linear)},
      {"units.json", ColumnUnits::of(*steady->model).json_for("")}};
  std::string more;
  if (o.control.wanted()) {
    int status = exit_done;
    std::optional<ControlReport> control =
        report_control(*steady, result.linear, o.control, status);
    if (!control) return status;
    json.update(control->json);
    files.insert(files.end(), control->files.begin(), control->files.end());
    more = control->text;
    for (const std::string& note : control->notes)
      fmt::print(stderr, "cartan linearize: {}\n", note);
  }
  files.push_back({"linearize.json", json.dump(2) + "\n"});
  if (!o.out.empty())
    if (const int status = write_linearisation(o, "linearize", files); status != exit_done)
      return status;
  if (o.json) {
    print_json(json);
  } else {
    print_linearisation(*steady, result);
    fmt::print("{}", more);
  }
  return exit_done;
}

// --------------------------------------------------------------------------------------- sweeps

struct SweepPoint {
  double value = 0;
  LinearizeResult result;
};

// One value of a parameter: a model of its own. False after a complaint.
bool analyse_value(const LinearizeArguments& o, const ModelDescription& description,
                   const std::string& name, SweepPoint& point) {
  ModelArguments arguments = o.model;
  arguments.sets.push_back(fmt::format("{}={:.17g}", name, point.value));
  const std::unique_ptr<SteadyCase> steady =
      make_steady("linearize", make_model(description, arguments), o.formulation, o.time);
  if (!steady) return false;
  const State start = initial_state(*steady);
  const auto held = read_holds("linearize", *steady, o.holds, start);
  if (!held) return false;
  point.result = analyse(*steady, start, *held, o.at == "equilibrium");
  return true;
}

bool sweep_parameter(const LinearizeArguments& o, const Range& range,
                     std::vector<SweepPoint>& points) {
  Progress progress("linearize", !o.json);
  const std::optional<ModelDescription> description = read_description(o.model);
  if (!description) return false;
  for (const double value : range.values) points.push_back({value, {}});
  std::atomic<bool> failed = false;
  for_each_in_parallel(
      static_cast<int>(points.size()),
      [&](int i) {
        if (!failed && !analyse_value(o, *description, range.name, points[i])) failed = true;
      },
      [&](int done) { progress.show(static_cast<double>(done) / points.size()); });
  return !failed;
}

// An expression is held at every value, each search starting where the last one ended.
bool sweep_expression(const LinearizeArguments& o, const SteadyCase& steady, const Range& range,
                      std::vector<SweepPoint>& points) {
  std::string problem;
  State start = initial_state(steady);
  auto held = read_holds("linearize", steady, o.holds, start);
  if (!held) return false;
  Held varied;
  varied.name = range.name;
  varied.function = make_state_function(*steady.system, *steady.model, range.name, problem);
  if (!varied.function) {
    complain("linearize", "--sweep: neither a parameter nor an expression: " + problem);
    return false;
  }
  held->insert(held->begin(), varied);
  Progress progress("linearize", !o.json);
  for (std::size_t i = 0; i < range.values.size(); ++i) {
    held->front().target = range.values[i];
    points.push_back({range.values[i], analyse(steady, start, *held, true)});
    if (points.back().result.status == exit_done) start = points.back().result.linear.state;
    progress.show(static_cast<double>(i + 1) / range.values.size());
  }
  return true;
}

std::string sweep_table(const Range& range, const std::vector<SweepPoint>& points) {
  std::size_t most = 0;
  for (const SweepPoint& p : points) most = std::max(most, p.result.linear.eigenvalues.size());
  std::string text =
      (range.name.find(',') == std::string::npos ? range.name : "\"" + range.name + "\"") +
      ",steady,stable,neutral";
  for (std::size_t k = 0; k < most; ++k) text += fmt::format(",re{0},im{0}", k);
  text += '\n';
  for (const SweepPoint& p : points) {
    const Linearisation& linear = p.result.linear;
    const bool steady = p.result.status == exit_done;
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

Json sweep_json(const std::string& model, const Range& range,
                const std::vector<SweepPoint>& points) {
  Json list = Json::array();
  for (const SweepPoint& p : points) {
    Json entry = {{"value", p.value}};
    if (p.result.status == exit_done)
      entry.update(spectrum_json(p.result.linear));
    else
      entry["problem"] = name_options(p.result.problem);
    list.push_back(std::move(entry));
  }
  return {{"model", model}, {"parameter", range.name}, {"sweep", std::move(list)}};
}

// Where the largest real part changes sign: between which values.
void print_sweep(const Range& range, const std::vector<SweepPoint>& points) {
  fmt::print("{:>16} {:>8} {:>10} {:>20}\n", range.name, "neutral", "stable", "largest real part");
  for (const SweepPoint& p : points) {
    const Linearisation& linear = p.result.linear;
    if (p.result.status != exit_done) {
      fmt::print("{:16.9g} {}\n", p.value, name_options(p.result.problem));
      continue;
    }
    double most = -INFINITY;
    for (const auto& value : linear.eigenvalues)
      if (value != std::complex<double>(0, 0)) most = std::max(most, value.real());
    fmt::print("{:16.9g} {:>8} {:>10} {:20.12g}\n", p.value, linear.neutral,
               linear.stable ? "yes" : "no", most);
  }
}

int linearize_sweep(const LinearizeArguments& o) {
  if (o.control.wanted())
    return complain("linearize",
                    "--sweep lists eigenvalues; --inputs, --outputs and what goes with them are "
                    "for one state");
  if (!o.at.empty() && o.at != "equilibrium")
    return complain("linearize", "--sweep goes with the initial state or with --at equilibrium");
  const std::unique_ptr<const Model> model = load_model(o.model);
  if (!model) return exit_bad_input;
  std::string problem;
  const std::optional<Range> range = read_range(o.sweep, *model, problem);
  if (!range) return complain("linearize", "--sweep: " + problem);
  std::vector<SweepPoint> points;
  if (model->find_parameter(range->name) >= 0) {
    if (!sweep_parameter(o, *range, points)) return exit_bad_input;
  } else {
    const std::unique_ptr<SteadyCase> steady =
        load_steady("linearize", o.model, o.formulation, o.time, true);
    if (!steady || !sweep_expression(o, *steady, *range, points)) return exit_bad_input;
  }
  if (!o.out.empty()) {
    const std::string table = sweep_table(*range, points);
    const int status = write_linearisation(
        o, "linearize --sweep",
        {{"sweep.csv", table}, {"units.json", ColumnUnits::of(*model).json_for(table)}});
    if (status != exit_done) return status;
  }
  if (o.json)
    print_json(sweep_json(model->name, *range, points));
  else
    print_sweep(*range, points);
  const bool any = std::any_of(points.begin(), points.end(),
                               [](const SweepPoint& p) { return p.result.status == exit_done; });
  return any ? exit_done
             : complain("linearize", "no value has a steady state: " + points[0].result.problem,
                        points[0].result.status);
}

}  // namespace

int linearize_command(const Words& words) {
  LinearizeArguments options;
  if (const std::optional<int> status = read_linearize_arguments(words, options)) return *status;
  return options.sweep.empty() ? linearize_once(options) : linearize_sweep(options);
}

}  // namespace cartan
