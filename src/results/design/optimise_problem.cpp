#include "results/design/optimise_problem.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "analysis/design/sparse_program.h"
#include "results/design/ik_targets.h"
#include "results/load/numbers.h"
#include "results/load/parameter_slopes.h"
#include "results/refusal.h"

namespace cartan::results {
namespace {

using Eigen::VectorXd;

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

void add_expressions(const api::OptimiseOptions& o, OptimiseCase& c) {
  std::string problem;
  c.sign = o.minimise.empty() ? -1 : 1;
  if (c.functionals->add(o.minimise.empty() ? o.maximise : o.minimise, problem) < 0)
    refuse("optimise", (c.sign > 0 ? "--minimise: " : "--maximise: ") + problem);
  std::vector<SubjectText> subjects;
  for (const std::string& text : o.subject) {
    const std::optional<SubjectText> subject = read_subject(text);
    if (!subject)
      refuse("optimise", fmt::format("--subject: expected EXPR <= EXPR, >= or =, got '{}'", text));
    subjects.push_back(*subject);
  }
  std::stable_partition(subjects.begin(), subjects.end(),
                        [](const SubjectText& s) { return s.equality; });
  for (const SubjectText& subject : subjects) {
    if (c.functionals->add(fmt::format("({}) - ({})", subject.left, subject.right), problem) < 0)
      refuse("optimise", "--subject: " + problem);
    c.subjects.push_back(subject.text);
    c.sides.push_back(subject.sign);
    c.problem.equalities += subject.equality;
  }
}

void read_bounds(const api::OptimiseOptions& o, OptimiseCase& c) {
  const std::vector<FreeEntry>& free = c.free.free;
  for (const std::string& text : o.bounds) {
    const auto sides = split_equation(text);
    const auto ends = sides ? split_list(sides->second) : std::nullopt;
    int place = -1;
    for (std::size_t k = 0; sides && k < free.size(); ++k)
      if (free[k].name == sides->first) place = static_cast<int>(k);
    if (!ends || ends->size() != 2 || place < 0)
      refuse("optimise", fmt::format("--bounds: expected NAME=[LOW, HIGH] of something that is "
                                     "free, got '{}'",
                                     text));
    for (int k = 0; k < 2; ++k) {
      std::string problem;
      const auto number = read_number((*ends)[k], &c.model(), problem);
      if (!number) refuse("optimise", "--bounds: " + problem);
      (k == 0 ? c.problem.lower : c.problem.upper)(place) = *number;
    }
    const double start = c.problem.start(place);
    if (!(c.problem.lower(place) <= start && start <= c.problem.upper(place)))
      refuse("optimise", fmt::format("--bounds: '{}' begins at {:g}, outside", text, start));
  }
}

// Where the unknowns begin, between which bounds, and how large they are.
void set_unknowns(const api::OptimiseOptions& o, OptimiseCase& c) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> values = parameter_values(c.model());
  const int n = static_cast<int>(c.free.free.size());
  DesignProblem& p = c.problem;
  p.start.resize(n);
  for (int j = 0; j < n; ++j) p.start(j) = values[c.free.which[j]];
  p.lower.setConstant(n, -infinity);
  p.upper.setConstant(n, infinity);
  read_bounds(o, c);
  p.size = p.start.cwiseAbs();
  for (int j = 0; j < n; ++j) {
    const double width = p.upper(j) - p.lower(j);
    if (p.size(j) == 0 || (std::isfinite(width) && width > 0 && width < p.size(j)))
      p.size(j) = std::isfinite(width) && width > 0 ? width : 1;
  }
}

std::string evaluate_design(const OptimiseCase& c, const VectorXd& theta, bool slopes,
                            DesignPoint& point) {
  VectorXd numbers;
  Eigen::MatrixXd J;
  std::string problem =
      c.functionals->evaluate(theta, c.problem.size, c.simulate, numbers, slopes ? &J : nullptr);
  if (!problem.empty()) return problem;
  const int n = static_cast<int>(theta.size()), m = static_cast<int>(c.subjects.size());
  point.objective = c.sign * numbers(0);
  point.constraints.resize(m);
  for (int i = 0; i < m; ++i) point.constraints(i) = c.sides[i] * numbers(1 + i);
  if (!slopes) return "";
  point.gradient = c.sign * J.row(0).transpose();
  point.slopes.resize(m, n);
  for (int i = 0; i < m; ++i) point.slopes.row(i) = c.sides[i] * J.row(1 + i);
  return "";
}

void make_problem(const api::OptimiseOptions& o, OptimiseCase& c) {
  set_unknowns(o, c);
  const Model& model = c.model();
  c.simulate.integrator = "dop853";
  c.simulate.tolerance = o.tolerance.value_or(1e-12);
  c.simulate.stop_requested = o.watch.stop;
  double duration = 10;
  if (model.simulate.duration.given())
    duration = evaluate<double>(model.simulate.duration, parameter_values(model))[0];
  c.functionals = std::make_unique<Functionals>(model, c.free.which, o.duration.value_or(duration),
                                                choose_formulation(model, o.formulation),
                                                o.at == "equilibrium");
  add_expressions(o, c);
  for (std::size_t k = 0; k < c.free.free.size(); ++k)
    if (c.free.free[k].added && !c.functionals->mentions(c.free.which[k]))
      refuse("optimise", "--free: " + explain_unknown_free(c.free.free[k].name));
  c.problem.evaluate = [&c](const VectorXd& theta, bool slopes, DesignPoint& point) {
    return evaluate_design(c, theta, slopes, point);
  };
}

void check_optimise_options(const api::OptimiseOptions& o) {
  if (o.free.empty()) refuse("optimise", "nothing is free; name it with --free A,B");
  if (o.minimise.empty() == o.maximise.empty())
    refuse("optimise", "expected --minimise EXPR (or --maximise EXPR)");
  if (!o.at.empty() && o.at != "equilibrium")
    refuse("optimise", fmt::format("--at: expected `equilibrium`, got '{}'", o.at));
  if (o.duration && !(*o.duration > 0))
    refuse("optimise", "--duration: expected a positive number");
  if (o.tolerance && !(*o.tolerance > 0 && *o.tolerance < 1))
    refuse("optimise", "--tolerance: expected a positive number below 1");
  if (o.iterations && *o.iterations < 1) refuse("optimise", "--iterations: expected at least 1");
  if (o.starts && (*o.starts < 1 || *o.starts > 10000))
    refuse("optimise", "--starts: expected a number from 1 to 10000");
  if (o.jobs && (*o.jobs < 1 || *o.jobs > 1000))
    refuse("optimise", "--jobs: expected a number from 1 to 1000");
  if (!o.solver.empty() && o.solver != "own" && o.solver != "ipopt")
    refuse("optimise", fmt::format("--solver: expected own or ipopt, got '{}'", o.solver));
  if (o.solver == "ipopt")
    if (const std::string refusal = refuse_ipopt(); !refusal.empty()) refuse("optimise", refusal);
}

}  // namespace

std::unique_ptr<OptimiseCase> make_optimise_case(const ModelArguments& source,
                                                 const api::OptimiseOptions& o) {
  check_optimise_options(o);
  auto made = std::make_unique<OptimiseCase>();
  OptimiseCase& c = *made;
  if (!o.solver.empty()) c.solver = o.solver;
  c.free = load_free("optimise", source, o.free, o.watch);
  make_problem(o, c);
  if (o.starts && *o.starts > 1 && !((c.problem.upper - c.problem.lower).array().isFinite().all()))
    refuse("optimise", "--starts needs --bounds of everything that is free");
  if (c.functionals->needs_run()) {
    const auto system = load_system(c.model(), choose_formulation(c.model(), o.formulation));
    const std::string refusal = refuse_parameter_slopes(c.model(), *system, c.free.which);
    if (!refusal.empty()) refuse("optimise", "--free: " + refusal);
  }
  return made;
}

}  // namespace cartan::results
