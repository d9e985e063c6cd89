// cartan optimise: parameters and initial values that minimise an expression of a run.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "analysis/design/optimisation.h"
#include "cli/terminal/arguments.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/json_output.h"
#include "cli/terminal/model_options.h"
#include "cli/terminal/out_option.h"
#include "cli/terminal/progress.h"
#include "io/output_files.h"
#include "results/design/functionals.h"
#include "results/design/ik_targets.h"
#include "results/json_values.h"
#include "results/load/model_variants.h"
#include "results/load/numbers.h"
#include "results/load/parameter_slopes.h"
#include "results/parallel.h"

namespace cartan {
namespace {

using Eigen::VectorXd;

struct OptimiseArguments {
  ModelArguments model;
  std::string free, minimise, maximise, formulation, at, out;
  std::vector<std::string> subjects, bounds;
  std::optional<double> duration, tolerance;
  std::optional<int> starts, iterations;
  bool json = false, force = false;
};

std::optional<int> read_optimise_arguments(const Words& words, OptimiseArguments& o) {
  Arguments arguments(
      "optimise",
      "Parameters and initial values that minimise an expression of a run, under constraints and "
      "bounds, with exact gradients: final(E), integral(E), maximum(E), minimum(E), at(T, E), "
      "event(NAME, E); largest_real_part, period, frequency of the linearisation.",
      "  cartan optimise absorber.toml --free k2,c2 --minimise \"integral(main.q^2)\" --duration "
      "60\n"
      "  cartan optimise examples/pendulum.toml --free \"L=0.5\" --minimise \"(period - 1)^2\" "
      "--bounds \"L=[0.1, 2]\" --at equilibrium");
  declare_model(arguments, o.model);
  arguments.option("--free", "A,B=START",
                   "entries of [parameters], or initial values JOINT.q, JOINT.v[i], VARIABLE, with "
                   "where they begin",
                   o.free);
  arguments.option("--minimise", "EXPR", "what shall be least", o.minimise);
  arguments.option("--maximise", "EXPR", "what shall be largest, in place of --minimise",
                   o.maximise);
  arguments.repeated("--subject", "EXPR <= EXPR",
                     "a condition (<=, >= or =) on such expressions, repeatable", o.subjects);
  arguments.repeated("--bounds", "A=[LOW, HIGH]", "of something free, repeatable", o.bounds);
  arguments.option("--duration", "T", "of the run (default: the model's, else 10)", o.duration);
  arguments.option("--at", "WHERE",
                   "`equilibrium`: linearisations belong to the steady state near the initial one; "
                   "default: the initial state",
                   o.at);
  arguments.option("--starts", "N",
                   "begin also at N - 1 points spread over the bounds and keep the best", o.starts);
  declare_formulation(arguments, o.formulation);
  arguments.option("--tolerance", "TOL", "of the simulations (default 1e-12)", o.tolerance);
  arguments.option("--iterations", "N", "at most (default 200)", o.iterations);
  arguments.option("--out", "DIR", "write optimise.json and parameters.toml", o.out);
  declare_force(arguments, o.force);
  arguments.flag("--json", "print one JSON object", o.json);
  return arguments.parse(words);
}

struct FreeEntry {
  std::string name;       // as written
  std::string parameter;  // the entry of [parameters] that stands for it
};

struct OptimiseCase {
  std::unique_ptr<const Model> model;
  std::vector<FreeEntry> free;
  std::vector<int> which;
  std::unique_ptr<Functionals> functionals;
  std::vector<std::string> subjects;  // as written, equalities first
  std::vector<int> sides;             // per constraint: the sign of left - right
  int objective = 0;
  double sign = 1;  // -1: maximise
  DesignProblem problem;
  SimulateOptions simulate;
};

// ------------------------------------------------------------------------------- initial values

// JOINT.q, JOINT.v[1], JOINT.q0: the joint, whether it is a speed, the component.
bool split_coordinate(const ModelDescription& description, const std::string& name, int& joint,
                      bool& speed, int& component) {
  for (std::size_t j = 0; j < description.joints.size(); ++j) {
    const std::string& own = description.joints[j].name;
    if (name.size() < own.size() + 2 || name.compare(0, own.size(), own) != 0) continue;
    std::string rest = name.substr(own.size());
    if (rest.compare(0, 2, ".q") != 0 && rest.compare(0, 2, ".v") != 0) continue;
    speed = rest[1] == 'v';
    rest = rest.substr(2);
    if (rest.size() > 2 && rest.front() == '[' && rest.back() == ']')
      rest = rest.substr(1, rest.size() - 2);
    component = 0;
    for (const char c : rest) {
      if (c < '0' || c > '9' || component > 100) return false;
      component = 10 * component + (c - '0');
    }
    joint = static_cast<int>(j);
    return true;
  }
  return false;
}

// An initial value becomes a parameter of the model: derivatives of the start by parameters are
// known. "" or why not.
std::string free_initial_value(ModelDescription& description, const Model& model, FreeEntry& entry,
                               const std::optional<std::string>& start) {
  entry.parameter = fmt::format("start_{}_of_optimise", description.parameters.size());
  Value value(entry.parameter);
  Value begin(0.0);
  int joint = 0, component = 0;
  bool speed = false;
  const int variable = [&] {
    for (std::size_t k = 0; k < description.variables.size(); ++k)
      if (description.variables[k].name == entry.name) return static_cast<int>(k);
    return -1;
  }();
  if (variable >= 0) {
    begin = description.variables[variable].initial;
    description.variables[variable].initial = value;
  } else if (split_coordinate(description, entry.name, joint, speed, component)) {
    JointText& text = description.joints[joint];
    const Joint& known = model.joints[joint];
    if (!speed && has_quaternion(known.type))
      return fmt::format(
          "'{}': the rotation of a {} joint has no single number to vary; write its position with "
          "a parameter of the file (an angle) and vary that",
          entry.name, text.type);
    if (component >= known.nv()) return fmt::format("'{}' does not exist", entry.name);
    Values& list = speed ? text.velocity : text.position.coordinates;
    if (static_cast<int>(list.size()) < known.nv()) list.resize(known.nv(), Value(0.0));
    begin = list[component];
    list[component] = value;
    (speed ? text.velocity_given : text.position.given) = true;
  } else {
    return fmt::format(
        "'{}' is neither a parameter nor an initial value (JOINT.q, JOINT.v[i], a "
        "variable)",
        entry.name);
  }
  NamedValue parameter;
  parameter.name = entry.parameter;
  parameter.value = start ? Value(*start) : begin;
  description.parameters.push_back(std::move(parameter));
  return "";
}

// The model with everything free among its parameters; false after a complaint.
bool load_free(const OptimiseArguments& o, OptimiseCase& c) {
  ModelArguments arguments = o.model;
  std::unique_ptr<const Model> model = load_model(arguments);
  if (!model) return false;
  std::optional<ModelDescription> description = read_description(arguments);
  if (!description) return false;
  const auto words = split_list("[" + o.free + "]");
  bool changed = false;
  for (const std::string& word : *words) {
    const auto sides = split_equation(word);
    FreeEntry entry;
    entry.name = sides ? sides->first : word;
    const std::optional<std::string> start = sides ? std::optional(sides->second) : std::nullopt;
    if (entry.name.empty() || (start && start->empty())) {
      complain("optimise", "--free: expected names, separated by commas, each with =START or not");
      return false;
    }
    for (const FreeEntry& other : c.free)
      if (other.name == entry.name) {
        complain("optimise", fmt::format("--free: '{}' is named twice", entry.name));
        return false;
      }
    if (model->find_parameter(entry.name) >= 0) {
      entry.parameter = entry.name;
      if (start) arguments.sets.push_back(entry.name + "=" + *start);
      changed |= start.has_value();
    } else {
      const std::string problem = free_initial_value(*description, *model, entry, start);
      if (!problem.empty()) {
        complain("optimise", "--free: " + problem);
        return false;
      }
      changed = true;
    }
    c.free.push_back(std::move(entry));
  }
  c.model = changed ? make_model(*description, arguments) : std::move(model);
  if (!c.model) return false;
  for (const FreeEntry& entry : c.free) c.which.push_back(c.model->find_parameter(entry.parameter));
  return true;
}

// ------------------------------------------------------------------------------------ the problem

struct SubjectText {
  std::string text, left, right;
  bool equality = false;
  int sign = 1;  // left - right <= 0, or right - left
};

std::optional<SubjectText> read_subject(const std::string& text) {
  SubjectText subject;
  subject.text = text;
  int depth = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    depth += text[k] == '(' || text[k] == '[';
    depth -= text[k] == ')' || text[k] == ']';
    if (depth > 0 || (text[k] != '<' && text[k] != '>' && text[k] != '=')) continue;
    const std::size_t length = k + 1 < text.size() && text[k + 1] == '=' ? 2 : 1;
    subject.equality = text[k] == '=';
    subject.sign = text[k] == '>' ? -1 : 1;
    subject.left = text.substr(0, k);
    subject.right = text.substr(k + length);
    if (subject.left.find_first_not_of(' ') == std::string::npos ||
        subject.right.find_first_not_of(' ') == std::string::npos)
      return std::nullopt;
    return subject;
  }
  return std::nullopt;
}

bool add_expressions(const OptimiseArguments& o, OptimiseCase& c) {
  std::string problem;
  c.sign = o.minimise.empty() ? -1 : 1;
  c.objective = c.functionals->add(o.minimise.empty() ? o.maximise : o.minimise, problem);
  if (c.objective < 0) {
    complain("optimise", (c.sign > 0 ? "--minimise: " : "--maximise: ") + problem);
    return false;
  }
  std::vector<SubjectText> subjects;
  for (const std::string& text : o.subjects) {
    const std::optional<SubjectText> subject = read_subject(text);
    if (!subject) {
      complain("optimise",
               fmt::format("--subject: expected EXPR <= EXPR, >= or =, got '{}'", text));
      return false;
    }
    subjects.push_back(*subject);
  }
  std::stable_partition(subjects.begin(), subjects.end(),
                        [](const SubjectText& s) { return s.equality; });
  for (const SubjectText& subject : subjects) {
    if (c.functionals->add(fmt::format("({}) - ({})", subject.left, subject.right), problem) < 0) {
      complain("optimise", "--subject: " + problem);
      return false;
    }
    c.subjects.push_back(subject.text);
    c.sides.push_back(subject.sign);
    c.problem.equalities += subject.equality;
  }
  return true;
}

bool read_bounds(const OptimiseArguments& o, OptimiseCase& c) {
  for (const std::string& text : o.bounds) {
    const auto sides = split_equation(text);
    const auto ends = sides ? split_list(sides->second) : std::nullopt;
    int place = -1;
    for (std::size_t k = 0; sides && k < c.free.size(); ++k)
      if (c.free[k].name == sides->first) place = static_cast<int>(k);
    if (!ends || ends->size() != 2 || place < 0) {
      complain("optimise", fmt::format("--bounds: expected NAME=[LOW, HIGH] of something that is "
                                       "free, got '{}'",
                                       text));
      return false;
    }
    for (int k = 0; k < 2; ++k) {
      std::string problem;
      const auto number = read_number((*ends)[k], c.model.get(), problem);
      if (!number) {
        complain("optimise", "--bounds: " + problem);
        return false;
      }
      (k == 0 ? c.problem.lower : c.problem.upper)(place) = *number;
    }
    const double start = c.problem.start(place);
    if (!(c.problem.lower(place) <= start && start <= c.problem.upper(place))) {
      complain("optimise", fmt::format("--bounds: '{}' begins at {:g}, outside", text, start));
      return false;
    }
  }
  return true;
}

bool make_problem(const OptimiseArguments& o, OptimiseCase& c) {
  const int n = static_cast<int>(c.free.size());
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> values = parameter_values(*c.model);
  DesignProblem& p = c.problem;
  p.start.resize(n);
  for (int j = 0; j < n; ++j) p.start(j) = values[c.which[j]];
  p.lower.setConstant(n, -infinity);
  p.upper.setConstant(n, infinity);
  if (!read_bounds(o, c)) return false;
  p.size = p.start.cwiseAbs();
  for (int j = 0; j < n; ++j) {
    const double width = p.upper(j) - p.lower(j);
    if (p.size(j) == 0 || (std::isfinite(width) && width > 0 && width < p.size(j)))
      p.size(j) = std::isfinite(width) && width > 0 ? width : 1;
  }
  c.simulate.integrator = "dop853";
  c.simulate.tolerance = o.tolerance.value_or(1e-12);
  c.simulate.stop_requested = &watch_interrupts();
  const std::vector<double> all = values;
  double duration = 10;
  if (c.model->simulate.duration.given())
    duration = evaluate<double>(c.model->simulate.duration, all)[0];
  c.functionals = std::make_unique<Functionals>(*c.model, c.which, o.duration.value_or(duration),
                                                choose_formulation(*c.model, o.formulation),
                                                o.at == "equilibrium");
  if (!add_expressions(o, c)) return false;
  const int m = static_cast<int>(c.subjects.size());
  p.evaluate = [&c, n, m](const VectorXd& theta, bool slopes, DesignPoint& point) -> std::string {
    VectorXd numbers;
    Eigen::MatrixXd J;
    std::string problem =
        c.functionals->evaluate(theta, c.problem.size, c.simulate, numbers, slopes ? &J : nullptr);
    if (!problem.empty()) return problem;
    point.objective = c.sign * numbers(0);
    point.constraints.resize(m);
    for (int i = 0; i < m; ++i) point.constraints(i) = c.sides[i] * numbers(1 + i);
    if (!slopes) return "";
    point.gradient = c.sign * J.row(0).transpose();
    point.slopes.resize(m, n);
    for (int i = 0; i < m; ++i) point.slopes.row(i) = c.sides[i] * J.row(1 + i);
    return "";
  };
  return true;
}

// ------------------------------------------------------------------------------------- the answer

// Starts spread over the bounds: multiples of a generalised golden ratio.
VectorXd spread_point(const DesignProblem& problem, int index) {
  const int n = static_cast<int>(problem.start.size());
  double g = 2;
  for (int k = 0; k < 60; ++k) g = std::pow(1 + g, 1.0 / (n + 1));
  VectorXd theta = problem.start;
  double step = 1;
  for (int j = 0; j < n; ++j) {
    step /= g;
    const double s = std::fmod(0.5 + step * index, 1.0);
    theta(j) = problem.lower(j) + s * (problem.upper(j) - problem.lower(j));
  }
  return theta;
}

struct StartRecord {
  VectorXd start;
  DesignResult result;
};

bool is_better(const DesignResult& a, const DesignResult& b) {
  if (a.converged != b.converged) return a.converged;
  if (a.point.gradient.size() == 0 || b.point.gradient.size() == 0)
    return a.point.gradient.size() > 0;
  return a.point.objective < b.point.objective;
}

Json named_values(const OptimiseCase& c, const VectorXd& theta) {
  Json json = Json::object();
  for (std::size_t k = 0; k < c.free.size(); ++k) json[c.free[k].name] = theta(static_cast<int>(k));
  return json;
}

Json optimise_json(const OptimiseCase& c, const std::vector<StartRecord>& records, int best) {
  const DesignResult& r = records[best].result;
  Json constraints = Json::array();
  for (std::size_t i = 0; i < c.subjects.size(); ++i) {
    const double value = r.point.constraints.size() > 0 ? r.point.constraints(i) : 0;
    const bool equality = static_cast<int>(i) < c.problem.equalities;
    constraints.push_back(
        {{"text", c.subjects[i]},
         {"value", c.sides[i] * value},
         {"violation", equality ? std::fabs(value) : std::max(0.0, value)},
         {"active", equality || value > -1e-7},
         {"multiplier",
          static_cast<Eigen::Index>(i) < r.multipliers.size() ? r.multipliers(i) : 0}});
  }
  std::vector<std::string> at_bound;
  for (const int j : r.at_bound) at_bound.push_back(c.free[j].name);
  Json json = {{"model", c.model->name},
               {"parameters", named_values(c, r.theta)},
               {"objective", c.sign * r.point.objective},
               {"converged", r.converged},
               {"iterations", r.iterations},
               {"evaluations", r.evaluations},
               {"constraints", std::move(constraints)},
               {"stationarity", r.stationarity},
               {"violation", r.violation},
               {"at_bound", at_bound}};
  if (!r.problem.empty()) json["problem"] = r.problem;
  if (records.size() > 1) {
    Json starts = Json::array();
    for (const StartRecord& record : records)
      starts.push_back({{"start", named_values(c, record.start)},
                        {"parameters", named_values(c, record.result.theta)},
                        {"objective", c.sign * record.result.point.objective},
                        {"converged", record.result.converged}});
    json["starts"] = std::move(starts);
  }
  return json;
}

void print_optimum(const OptimiseCase& c, const std::vector<StartRecord>& records, int best) {
  const DesignResult& r = records[best].result;
  fmt::print("{}: {} after {} iterations, {} evaluations\n", c.model->name,
             c.sign > 0 ? "minimum" : "maximum", r.iterations, r.evaluations);
  fmt::print("objective {:.15g}\n", c.sign * r.point.objective);
  for (std::size_t k = 0; k < c.free.size(); ++k)
    fmt::print("  {} = {:.15g}\n", c.free[k].name, r.theta(static_cast<int>(k)));
  for (const int j : r.at_bound) fmt::print("at its bound: {}\n", c.free[j].name);
  for (std::size_t i = 0; i < c.subjects.size(); ++i)
    fmt::print("{}: {:.6g}, multiplier {:.6g}\n", c.subjects[i],
               c.sides[i] * r.point.constraints(i),
               static_cast<Eigen::Index>(i) < r.multipliers.size() ? r.multipliers(i) : 0);
  if (records.size() == 1) return;
  fmt::print("\nfrom {} starts:\n", records.size());
  for (const StartRecord& record : records)
    fmt::print("  {:.12g}{}\n", c.sign * record.result.point.objective,
               record.result.converged ? "" : "  (not converged)");
}

int write_optimum(const OptimiseArguments& o, const OptimiseCase& c, const Json& json,
                  const VectorXd& theta) {
  if (o.out.empty()) return exit_done;
  std::string table = "[parameters]\n", problem;
  for (std::size_t k = 0; k < c.free.size(); ++k)
    table += c.free[k].name == c.free[k].parameter
                 ? fmt::format("{} = {:.17g}\n", c.free[k].name, theta(static_cast<int>(k)))
                 : fmt::format("# initial value {} = {:.17g}\n", c.free[k].name,
                               theta(static_cast<int>(k)));
  const auto output = OutputFolder::open(o.out, "optimise", replace_if(o.force), problem);
  if (!output) return complain("optimise", problem);
  if (output->write("optimise.json", json.dump(2) + "\n", problem) &&
      output->write("parameters.toml", table, problem) && output->commit(problem))
    return exit_done;
  return complain("optimise", problem, exit_failed);
}

int optimise(const OptimiseArguments& o, OptimiseCase& c) {
  std::vector<StartRecord> records(o.starts.value_or(1));
  records[0].start = c.problem.start;
  for (std::size_t k = 1; k < records.size(); ++k)
    records[k].start = spread_point(c.problem, static_cast<int>(k));
  c.functionals->set_scales(c.problem.start, c.problem.size, c.simulate);
  DesignOptions options;
  options.iterations = o.iterations.value_or(200);
  options.stop_requested = c.simulate.stop_requested;
  {
    Progress progress("optimising", !o.json);
    if (records.size() == 1)
      options.on_iteration = [&](int k, double) {
        progress.show(std::min(0.99, 1.0 * k / options.iterations));
      };
    for_each_in_parallel(
        static_cast<int>(records.size()),
        [&](int k) {
          DesignProblem problem = c.problem;
          problem.start = records[k].start;
          records[k].result = minimise(problem, options);
        },
        [&](int done) { progress.show(static_cast<double>(done) / records.size()); });
  }
  int best = 0;
  for (std::size_t k = 1; k < records.size(); ++k)
    if (is_better(records[k].result, records[best].result)) best = static_cast<int>(k);
  const DesignResult& result = records[best].result;
  if (result.point.gradient.size() == 0)
    return complain("optimise", "no value at the start: " + result.problem, exit_failed);
  const Json json = optimise_json(c, records, best);
  if (result.converged)
    if (const int status = write_optimum(o, c, json, result.theta); status != exit_done)
      return status;
  if (o.json)
    print_json(json);
  else
    print_optimum(c, records, best);
  return result.converged ? exit_done : complain("optimise", result.problem, exit_failed);
}

}  // namespace

int optimise_command(const Words& words) {
  OptimiseArguments o;
  if (const std::optional<int> status = read_optimise_arguments(words, o)) return *status;
  if (o.free.empty()) return complain("optimise", "nothing is free; name it with --free A,B");
  if (o.minimise.empty() == o.maximise.empty())
    return complain("optimise", "expected --minimise EXPR (or --maximise EXPR)");
  if (!o.at.empty() && o.at != "equilibrium")
    return complain("optimise", fmt::format("--at: expected `equilibrium`, got '{}'", o.at));
  if (o.duration && !(*o.duration > 0))
    return complain("optimise", "--duration: expected a positive number");
  if (o.tolerance && !(*o.tolerance > 0 && *o.tolerance < 1))
    return complain("optimise", "--tolerance: expected a positive number below 1");
  if (o.iterations && *o.iterations < 1)
    return complain("optimise", "--iterations: expected at least 1");
  if (o.starts && (*o.starts < 1 || *o.starts > 10000))
    return complain("optimise", "--starts: expected a number from 1 to 10000");
  OptimiseCase c;
  if (!load_free(o, c)) return exit_bad_input;
  if (!make_problem(o, c)) return exit_bad_input;
  if (o.starts && *o.starts > 1 && !((c.problem.upper - c.problem.lower).array().isFinite().all()))
    return complain("optimise", "--starts needs --bounds of everything that is free");
  if (c.functionals->needs_run()) {
    const auto system = load_system(*c.model, choose_formulation(*c.model, o.formulation));
    if (!system) return exit_bad_input;
    const std::string refusal = refuse_parameter_slopes(*c.model, *system, c.which);
    if (!refusal.empty()) return complain("optimise", "--free: " + refusal);
  }
  return optimise(o, c);
}

}  // namespace cartan
