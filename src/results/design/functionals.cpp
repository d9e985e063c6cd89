#include "results/design/functionals.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "analysis/design/integrals.h"
#include "analysis/equilibrium.h"
#include "formulations/formulations.h"
#include "mechanics/machine/parameter_seeds.h"
#include "mechanics/machine/state_expression.h"
#include "results/design/ik_targets.h"
#include "results/fit/fit_start.h"
#include "results/load/numbers.h"

namespace cartan::results {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Kind = Functional::Kind;

constexpr int grid_rows = 400;   // of maxima, before they are refined
constexpr int refined_rows = 9;  // Chebyshev points around the highest

const std::map<std::string, Kind>& functional_kinds() {
  static const std::map<std::string, Kind> kinds = {
      {"final", Kind::final},     {"at", Kind::at},           {"integral", Kind::integral},
      {"maximum", Kind::maximum}, {"minimum", Kind::minimum}, {"event", Kind::event}};
  return kinds;
}
const std::map<std::string, Kind>& linear_kinds() {
  static const std::map<std::string, Kind> kinds = {{"largest_real_part", Kind::real_part},
                                                    {"period", Kind::period},
                                                    {"frequency", Kind::frequency}};
  return kinds;
}

bool is_linear(Kind kind) {
  return kind == Kind::real_part || kind == Kind::period || kind == Kind::frequency;
}
bool is_name_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '\'';
}

std::string stand_in(int k) {
  return fmt::format("functional_{}_of_the_run", k);
}

// The place of the bracket that closes the one at `open`.
std::size_t closing(const std::string& text, std::size_t open) {
  int depth = 0;
  for (std::size_t k = open; k < text.size(); ++k) {
    depth += text[k] == '(';
    depth -= text[k] == ')';
    if (depth == 0) return k;
  }
  return std::string::npos;
}

// Barycentric weights turn values at Chebyshev points of [-1, 1] into the polynomial's value.
struct ChebyshevCurve {
  std::vector<double> s;
  explicit ChebyshevCurve(int n) {
    for (int k = 0; k < n; ++k) s.push_back(-std::cos(M_PI * k / (n - 1)));
  }
  std::vector<double> weights_at(double x) const {
    std::vector<double> w(s.size(), 0.0);
    double sum = 0;
    for (std::size_t k = 0; k < s.size(); ++k) {
      if (x == s[k]) {
        std::fill(w.begin(), w.end(), 0.0);
        w[k] = 1;
        return w;
      }
      const double end = k == 0 || k + 1 == s.size() ? 0.5 : 1;
      w[k] = (k % 2 == 0 ? end : -end) / (x - s[k]);
      sum += w[k];
    }
    for (double& weight : w) weight /= sum;
    return w;
  }
};

struct RunInstance : FitInstance {
  std::unique_ptr<IntegralSystem> whole;
  std::vector<std::unique_ptr<StateFunction>> functions;  // of `whole`, per functional
  State begin;
  MatrixXd begin_by_parameters;
};

}  // namespace

Functionals::Functionals(const Model& model, std::vector<int> free, double duration,
                         std::string formulation, bool at_equilibrium)
    : model_(model),
      free_(std::move(free)),
      duration_(duration),
      formulation_(std::move(formulation)),
      at_equilibrium_(at_equilibrium) {}

bool Functionals::needs_run() const {
  return std::any_of(functionals_.begin(), functionals_.end(),
                     [](const Functional& f) { return !is_linear(f.kind); });
}

// ----------------------------------------------------------------------------------------- reading

int Functionals::add_functional(const std::string& name, const std::vector<std::string>& arguments,
                                const std::string& text, std::string& problem) {
  for (std::size_t k = 0; k < functionals_.size(); ++k)
    if (functionals_[k].text == text) return static_cast<int>(k);
  Functional functional;
  functional.text = text;
  std::string expression;
  if (const auto linear = linear_kinds().find(name); linear != linear_kinds().end()) {
    functional.kind = linear->second;
  } else {
    functional.kind = functional_kinds().at(name);
    const std::size_t count = arguments.size();
    const bool timed = functional.kind == Kind::at, event = functional.kind == Kind::event;
    if (event ? count != 2 && count != 3 : count != (timed ? 2u : 1u)) {
      problem = fmt::format("'{}': expected {}", text,
                            event   ? "event(NAME, EXPR) or event(NAME, EXPR, K)"
                            : timed ? "at(TIME, EXPR)"
                                    : name + "(EXPR)");
      return -1;
    }
    expression = arguments[timed || event ? 1 : 0];
    if (timed) {
      const auto time = read_number(arguments[0], &model_, problem);
      if (!time) return -1;
      functional.time = *time;
      if (!(*time >= 0 && *time <= duration_)) {
        problem = fmt::format("'{}': the time is outside the run of {:g} s", text, duration_);
        return -1;
      }
    }
    if (event) {
      std::string wanted = arguments[0];
      if (wanted.size() > 1 && (wanted.front() == '\'' || wanted.front() == '"'))
        wanted = wanted.substr(1, wanted.size() - 2);
      std::vector<std::string> known;
      for (std::size_t k = 0; k < model_.events.size(); ++k) {
        known.push_back(model_.events[k].name);
        if (known.back() == wanted) functional.event = static_cast<int>(k);
      }
      if (functional.event < 0) {
        problem = fmt::format("the model has no event '{}'{}", wanted, suggestion(wanted, known));
        return -1;
      }
      if (count == 3) {
        const auto crossing = read_number(arguments[2], &model_, problem);
        if (!crossing) return -1;
        if (*crossing < 1 || *crossing != std::floor(*crossing) || *crossing > 1e6) {
          problem = fmt::format("'{}': expected the number of the crossing, from 1", text);
          return -1;
        }
        functional.crossing = static_cast<int>(*crossing);
      }
    }
    Diagnostics problems(expression);
    std::optional<Formula> formula = compile_expression(model_, expression, problems);
    for (const Output& output : model_.outputs)
      if (output.name == expression) formula = output.value;
    if (!formula) {
      problem = fmt::format("'{}': {}", text, problems.findings().front().message);
      return -1;
    }
    functional.formula = std::move(*formula);
  }
  functionals_.push_back(std::move(functional));
  return static_cast<int>(functionals_.size()) - 1;
}

// Every functional becomes a name.
std::string Functionals::replace_functionals(const std::string& text, std::string& problem) {
  std::string result;
  for (std::size_t k = 0; k < text.size();) {
    if (!is_name_letter(text[k])) {
      result += text[k++];
      continue;
    }
    std::size_t end = k;
    while (end < text.size() && is_name_letter(text[end])) ++end;
    const std::string word = text.substr(k, end - k);
    std::size_t open = end;
    while (open < text.size() && text[open] == ' ') ++open;
    const bool call = open < text.size() && text[open] == '(';
    int number = -2;
    std::size_t next = end;
    if (call && functional_kinds().count(word)) {
      const std::size_t close = closing(text, open);
      if (close == std::string::npos) {
        problem = fmt::format("'{}': a bracket is not closed", text);
        return "";
      }
      next = close + 1;
      const auto arguments = split_list("[" + text.substr(open + 1, close - open - 1) + "]");
      number = add_functional(word, *arguments, text.substr(k, next - k), problem);
    } else if (!call && linear_kinds().count(word) && model_.find_parameter(word) < 0) {
      number = add_functional(word, {}, word, problem);
    }
    if (number == -1) return "";
    result += number >= 0 ? stand_in(number) : word;
    k = next;
  }
  return result;
}

int Functionals::add(const std::string& text, std::string& problem) {
  problem.clear();
  const std::string replaced = replace_functionals(text, problem);
  if (!problem.empty()) return -1;
  expressions_.push_back({text, {}});
  // parameters of the model, then the functionals, as parameters without formulas
  Model outer;
  const auto add_parameter = [&](const std::string& name) {
    Parameter parameter;
    parameter.name = name;
    const double zero = 0;
    parameter.value.program = constant_program({&zero, 1});
    outer.parameter_order.push_back(static_cast<int>(outer.parameters.size()));
    outer.parameters.push_back(std::move(parameter));
  };
  for (const Parameter& parameter : model_.parameters) add_parameter(parameter.name);
  for (std::size_t k = 0; k < functionals_.size(); ++k)
    add_parameter(stand_in(static_cast<int>(k)));
  Diagnostics problems(text);
  std::optional<Formula> formula = compile_expression(outer, replaced, problems);
  if (!formula) {
    problem = fmt::format(
        "'{}': {}. States belong into final(..), integral(..), maximum(..), at(T, ..) or "
        "event(NAME, ..)",
        text, problems.findings().front().message);
    return -1;
  }
  for (const Symbol& symbol : formula->program.inputs)
    if (symbol.quantity != Quantity::parameter) {
      problem = fmt::format("'{}': time and states belong into final(..), integral(..), ..", text);
      return -1;
    }
  expressions_.back().formula = std::move(*formula);
  return static_cast<int>(expressions_.size()) - 1;
}

// -------------------------------------------------------------------------------------- evaluation

std::string Functionals::run(const VectorXd& theta, const VectorXd& size,
                             const SimulateOptions& options, bool slopes, Numbers& numbers) const {
  if (!needs_run()) return "";
  RunInstance instance;
  std::string problem;
  instance.system = make_system(
      model_, parameter_values(model_, free_, {theta.data(), free_.size()}), formulation_, problem);
  if (!instance.system) return problem;
  const std::vector<int> which = slopes ? free_ : std::vector<int>{};
  StateValues values;
  values.q.resize(model_.joints.size());
  values.v.resize(model_.joints.size());
  values.variables.resize(model_.variables.size());
  if (problem = fill_start(values, which, instance); !problem.empty()) return problem;
  std::vector<const StateFunction*> integrands;
  std::vector<double> scales;
  std::vector<int> place(functionals_.size(), -1);
  for (std::size_t k = 0; k < functionals_.size(); ++k) {
    instance.quantities.emplace_back();
    if (is_linear(functionals_[k].kind)) continue;
    instance.quantities[k] = make_state_function(*instance.system, functionals_[k].formula);
    if (!instance.quantities[k])
      return "the state of this formulation is not made of joint coordinates and speeds; use the "
             "formulation recursive";
    if (functionals_[k].kind != Kind::integral) continue;
    place[k] = static_cast<int>(integrands.size());
    integrands.push_back(instance.quantities[k].get());
    scales.push_back(k < scales_.size() && scales_[k] > 0 ? scales_[k] : 1);
  }
  instance.whole = std::make_unique<IntegralSystem>(*instance.system, integrands, scales);
  for (std::size_t k = 0; k < functionals_.size(); ++k)
    instance.functions.push_back(place[k] >= 0 ? make_integral_function(*instance.whole, place[k])
                                 : instance.quantities[k]
                                     ? make_inner_function(*instance.whole, *instance.quantities[k])
                                     : nullptr);
  instance.begin = instance.whole->inside(instance.start);
  instance.begin_by_parameters = MatrixXd::Zero(instance.whole->space().size(), which.size());
  instance.begin_by_parameters.topRows(instance.start_by_parameters.rows()) =
      instance.start_by_parameters;
  std::vector<double> units;
  for (std::size_t j = 0; j < which.size(); ++j) units.push_back(size(static_cast<int>(j)));

  std::vector<int> column(functionals_.size(), -1);  // of predictions
  int columns = 0;
  for (std::size_t k = 0; k < functionals_.size(); ++k)
    if (instance.functions[k]) column[k] = columns++;
  const auto predict_at = [&](Protocol protocol) {
    protocol.duration = duration_;
    for (const auto& function : instance.functions)
      if (function) protocol.quantities.push_back(function.get());
    return predict(*instance.whole, instance.begin, instance.begin_by_parameters, which, protocol,
                   options, units);
  };
  const double t0 = instance.begin.t;
  const auto take = [&](std::size_t k, const Prediction& prediction, int row) {
    numbers.values(k) = prediction.values(row, column[k]);
    if (slopes) numbers.slopes.row(k) = prediction.by_parameters[row].row(column[k]);
  };
  // everything at times in one simulation
  std::vector<double> times = {t0 + duration_};
  bool extremes = false, timed = false;
  for (const Functional& f : functionals_) {
    if (f.kind == Kind::at) times.push_back(t0 + f.time);
    extremes |= f.kind == Kind::maximum || f.kind == Kind::minimum;
    timed |= !is_linear(f.kind) && f.kind != Kind::event;
  }
  if (extremes)
    for (int k = 0; k <= grid_rows; ++k) times.push_back(t0 + duration_ * k / grid_rows);
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  if (timed) {
    Protocol protocol;
    protocol.times = times;
    const Prediction all = predict_at(protocol);
    if (!all.problem.empty()) return all.problem;
    for (std::size_t k = 0; k < functionals_.size(); ++k) {
      const Functional& f = functionals_[k];
      if (f.kind == Kind::final || f.kind == Kind::integral)
        take(k, all, static_cast<int>(times.size()) - 1);
      if (f.kind == Kind::at)
        take(k, all,
             static_cast<int>(std::find(times.begin(), times.end(), t0 + f.time) - times.begin()));
      if (f.kind != Kind::maximum && f.kind != Kind::minimum) continue;
      const double sign = f.kind == Kind::maximum ? 1 : -1;
      int best = 0;
      for (int row = 1; row < all.values.rows(); ++row)
        if (sign * all.values(row, column[k]) > sign * all.values(best, column[k])) best = row;
      take(k, all, best);
      // a polynomial through points around the highest; at an end of the run it may be highest too
      const int last = static_cast<int>(times.size()) - 1;
      const double a = times[std::max(best - 1, 0)], b = times[std::min(best + 1, last)];
      const ChebyshevCurve curve(refined_rows);
      Protocol fine;
      for (const double s : curve.s)
        fine.times.push_back(std::clamp(a + (b - a) * (s + 1) / 2, a, b));
      const Prediction near = predict_at(fine);
      if (!near.problem.empty()) return near.problem;
      const auto value_at = [&](double s) {
        const std::vector<double> w = curve.weights_at(s);
        double sum = 0;
        for (int i = 0; i < refined_rows; ++i) sum += w[i] * near.values(i, column[k]);
        return sum;
      };
      double low = -1, high = 1;
      for (int i = 0; i < 100; ++i) {
        const double c = low + (high - low) * 0.381966011250105, d = high - (c - low);
        (sign * value_at(c) >= sign * value_at(d) ? high : low) =
            sign * value_at(c) >= sign * value_at(d) ? d : c;
      }
      const std::vector<double> w = curve.weights_at(0.5 * (low + high));
      numbers.values(k) = 0;
      if (slopes) numbers.slopes.row(k).setZero();
      for (int i = 0; i < refined_rows; ++i) {
        numbers.values(k) += w[i] * near.values(i, column[k]);
        if (slopes) numbers.slopes.row(k) += w[i] * near.by_parameters[i].row(column[k]);
      }
    }
  }
  for (std::size_t k = 0; k < functionals_.size(); ++k) {
    if (functionals_[k].kind != Kind::event) continue;
    Protocol protocol;
    protocol.event = functionals_[k].event;
    protocol.event_count = functionals_[k].crossing;
    const Prediction at = predict_at(protocol);
    if (!at.problem.empty()) return functionals_[k].text + ": " + at.problem;
    take(k, at, functionals_[k].crossing - 1);
  }
  return "";
}

std::string Functionals::linearised(const VectorXd& theta, std::vector<double>& values) const {
  std::string problem;
  const auto system = make_system(
      model_, parameter_values(model_, free_, {theta.data(), free_.size()}), formulation_, problem);
  if (!system) return problem;
  if (problem = refuse_steady(*system); !problem.empty()) return problem;
  const auto workspace = system->make_workspace();
  State state = system->initial_state();
  const SteadyProblem steady(*system, find_symmetries(*system, state, *workspace), *workspace);
  if (at_equilibrium_) {
    const Equilibrium found = find_equilibrium(steady, state);
    if (!found.found) return found.problem;
    state = found.state;
  }
  const Linearisation linear = linearise(steady, state);
  if (!linear.problem.empty()) return linear.problem;
  double most = -INFINITY, slowest = INFINITY;
  for (const std::complex<double>& value : linear.eigenvalues) {
    if (value == std::complex<double>(0, 0)) continue;
    most = std::max(most, value.real());
    if (std::fabs(value.imag()) > 0) slowest = std::min(slowest, std::fabs(value.imag()));
  }
  values.assign(functionals_.size(), 0.0);
  for (std::size_t k = 0; k < functionals_.size(); ++k) {
    const Kind kind = functionals_[k].kind;
    if (kind == Kind::real_part) values[k] = most;
    if (kind == Kind::period) values[k] = 2 * M_PI / slowest;
    if (kind == Kind::frequency) values[k] = slowest / (2 * M_PI);
    if (!is_linear(kind)) continue;
    if (!std::isfinite(values[k]) || (kind != Kind::real_part && values[k] == 0))
      return kind == Kind::real_part ? "the linearisation has neutral directions only"
                                     : "the linearisation has no oscillation";
  }
  return "";
}

// Central differences of three steps, extrapolated: their error is of sixth order.
std::string Functionals::add_linearised(const VectorXd& theta, const VectorXd& size, bool slopes,
                                        Numbers& numbers) const {
  if (std::none_of(functionals_.begin(), functionals_.end(),
                   [](const Functional& f) { return is_linear(f.kind); }))
    return "";
  std::vector<double> here;
  if (std::string problem = linearised(theta, here); !problem.empty()) return problem;
  for (std::size_t k = 0; k < functionals_.size(); ++k)
    if (is_linear(functionals_[k].kind)) numbers.values(k) = here[k];
  if (!slopes) return "";
  for (int j = 0; j < theta.size(); ++j) {
    std::vector<VectorXd> quotients;
    for (const double part : {0.01, 0.005, 0.0025}) {
      VectorXd up = theta, down = theta;
      up(j) += part * size(j);
      down(j) -= part * size(j);
      std::vector<double> above, below;
      std::string problem = linearised(up, above);
      if (problem.empty()) problem = linearised(down, below);
      if (!problem.empty()) return problem;
      quotients.push_back((Eigen::Map<VectorXd>(above.data(), above.size()) -
                           Eigen::Map<VectorXd>(below.data(), below.size())) /
                          (up(j) - down(j)));
    }
    const VectorXd first = (4 * quotients[1] - quotients[0]) / 3,
                   second = (4 * quotients[2] - quotients[1]) / 3,
                   slope = (16 * second - first) / 15;
    for (std::size_t k = 0; k < functionals_.size(); ++k)
      if (is_linear(functionals_[k].kind)) numbers.slopes(k, j) = slope(k);
  }
  return "";
}

std::string Functionals::evaluate(const VectorXd& theta, const VectorXd& size,
                                  const SimulateOptions& options, VectorXd& values,
                                  MatrixXd* slopes) const {
  const int count = static_cast<int>(functionals_.size()), n = static_cast<int>(theta.size());
  Numbers numbers{VectorXd::Zero(count), MatrixXd::Zero(count, n)};
  if (std::string problem = run(theta, size, options, slopes, numbers); !problem.empty())
    return problem;
  if (std::string problem = add_linearised(theta, size, slopes, numbers); !problem.empty())
    return problem;
  // parameters that follow from free ones move with them
  const std::vector<double> parameters =
      parameter_values(model_, free_, {theta.data(), free_.size()});
  MatrixXd moves = MatrixXd::Zero(parameters.size(), n);
  for (std::size_t first = 0; slopes && first < free_.size(); first += 4) {
    const std::vector<Dual4> seeded = seed_parameters(model_, parameters, free_, first);
    for (std::size_t i = 0; i < seeded.size(); ++i)
      for (std::size_t k = first; k < std::min(first + 4, free_.size()); ++k)
        moves(i, k) = seeded[i].d[k - first];
  }
  values.resize(expressions_.size());
  if (slopes) slopes->setZero(expressions_.size(), n);
  for (std::size_t e = 0; e < expressions_.size(); ++e) {
    const Program& program = expressions_[e].formula.program;
    std::vector<double> inputs, scratch(program.scratch_size()), adjoints(program.scratch_size()),
        gradient(program.inputs.size());
    const int own = static_cast<int>(parameters.size());
    for (const Symbol& symbol : program.inputs)
      inputs.push_back(symbol.index < own ? parameters[symbol.index]
                                          : numbers.values(symbol.index - own));
    values(e) = evaluate_gradient<double>(program, 0, inputs, scratch, adjoints, gradient);
    for (std::size_t k = 0; slopes && k < gradient.size(); ++k) {
      const int index = program.inputs[k].index;
      slopes->row(e) +=
          gradient[k] * (index < own ? Eigen::RowVectorXd(moves.row(index))
                                     : Eigen::RowVectorXd(numbers.slopes.row(index - own)));
    }
  }
  return "";
}

void Functionals::set_scales(const VectorXd& theta, const VectorXd& size,
                             const SimulateOptions& options) {
  Numbers numbers{VectorXd::Zero(functionals_.size()),
                  MatrixXd::Zero(functionals_.size(), theta.size())};
  if (!run(theta, size, options, false, numbers).empty()) return;
  scales_.assign(functionals_.size(), 0.0);
  for (std::size_t k = 0; k < functionals_.size(); ++k)
    if (functionals_[k].kind == Kind::integral) scales_[k] = std::fabs(numbers.values(k));
}

}  // namespace cartan::results
