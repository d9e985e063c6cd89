#include "results/fit/fit_setup.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "formulations/formulations.h"
#include "mechanics/machine/state_expression.h"
#include "results/fit/fit_start.h"
#include "results/load/parameter_slopes.h"
#include "results/refusal.h"

namespace cartan::results {
namespace {

using Eigen::VectorXd;

double spread(const std::vector<double>& values) {
  double sum = 0, squares = 0;
  int count = 0;
  for (double v : values)
    if (!std::isnan(v)) sum += v, ++count;
  if (count == 0) return 1;
  for (double v : values)
    if (!std::isnan(v)) squares += (v - sum / count) * (v - sum / count);
  const double deviation = std::sqrt(squares / count);
  const double mean = std::fabs(sum / count);
  // a column that is constant to rounding (an energy) must not outweigh all others
  return deviation > 1e-9 * mean && deviation > 0 ? deviation : std::max(mean, 1.0);
}

// What is compared: values, or by how much they fall from row to row.
std::vector<double> compared(const ColumnText& column) {
  if (!column.losses) return column.measured;
  std::vector<double> losses;
  for (std::size_t i = 1; i < column.measured.size(); ++i)
    losses.push_back(column.measured[i - 1] - column.measured[i]);
  return losses;
}

class Builder {
 public:
  Builder(const FitChoice& choice, const ExperimentsText& text, const api::Watch& watch)
      : choice_(choice), text_(text), watch_(watch) {}

  FitSetup build() {
    setup_.names = choice_.free;
    for (const ExperimentText& experiment : text_.experiments) add(experiment);
    set_unknowns();
    return std::move(setup_);
  }

 private:
  [[noreturn]] void complain(const std::string& message, Location where = {}) const {
    if (where.line > 0) refuse_at(choice_.file, where, message);
    refuse_at("cartan fit", message);
  }

  // The free parameters' places in a model.
  void find_free(const Model& model, std::vector<int>& which) {
    for (const std::string& name : choice_.free) {
      const int index = model.find_parameter(name);
      if (index < 0) {
        std::vector<std::string> known;
        for (const Parameter& p : model.parameters) known.push_back(p.name);
        const std::string near = suggestion(name, known);
        complain(
            fmt::format("--free: the model has no parameter '{}'{}", name,
                        near.empty() ? fmt::format("; it has: {}", fmt::join(known, ", ")) : near));
      }
      if (std::find(which.begin(), which.end(), index) != which.end())
        complain(fmt::format("--free: '{}' is named twice", name));
      which.push_back(index);
    }
  }

  void check_sets(const ExperimentText& text) {
    for (const std::string& set : text.sets) {
      const std::string name = set.substr(0, set.find('='));
      if (std::find(choice_.free.begin(), choice_.free.end(), name) != choice_.free.end())
        complain(fmt::format("'{}' is free, so '{}' cannot set it; free parameters have one "
                             "value for all experiments",
                             name, text.name),
                 text.where);
    }
  }

  void check_joints(const std::map<std::string, std::vector<double>>& joints, const Model& model,
                    bool position, Location where) {
    for (const auto& [name, numbers] : joints) {
      const int j = model.find_joint(name);
      if (j < 0)
        complain(
            fmt::format("the model has no joint '{}'{}", name, suggestion(name, names_of(model))),
            where);
      const int size = position ? model.joints[j].nq() : model.joints[j].nv();
      if (static_cast<int>(numbers.size()) != size)
        complain(fmt::format("{} of joint '{}': expected {} numbers, got {}", position ? "q" : "v",
                             name, size, numbers.size()),
                 where);
    }
  }
  static std::vector<std::string> names_of(const Model& model) {
    std::vector<std::string> names;
    for (const Joint& joint : model.joints) names.push_back(joint.name);
    return names;
  }

  void add(const ExperimentText& text) {
    ModelArguments arguments = choice_.model;
    arguments.sets.insert(arguments.sets.end(), text.sets.begin(), text.sets.end());
    setup_.models.push_back(load_model(arguments, watch_, setup_.models.size() > 0));
    const Model* model = setup_.models.back().get();
    FitExperiment experiment;
    experiment.name = text.name;
    find_free(*model, experiment.parameters);
    check_sets(text);
    check_joints(text.q, *model, true, text.where);
    check_joints(text.v, *model, false, text.where);
    StateValues values = start_values(text, *model);
    if (!text.state.empty()) values = read_state(text.state, *model);
    add_columns(text, *model, experiment);
    experiment.times = text.event.empty() ? text.times : std::vector<double>{};
    experiment.duration = text.duration.value_or(default_duration(text, *model));
    experiment.make = [model, values, quantities = quantities_,
                       formulation = choose_formulation(*model, choice_.formulation),
                       which = experiment.parameters](const VectorXd& theta,
                                                      FitInstance& instance) -> std::string {
      std::string problem;
      instance.system =
          make_system(*model, parameter_values(*model, which, {theta.data(), which.size()}),
                      formulation, problem);
      if (!instance.system) return problem;
      for (const Formula& formula : quantities) {
        instance.quantities.push_back(make_state_function(*instance.system, formula));
        if (!instance.quantities.back())
          return "the state of this formulation is not made of joint coordinates and speeds; use "
                 "the formulation recursive";
      }
      return fill_start(values, which, instance);
    };
    setup_.problem.experiments.push_back(std::move(experiment));
    try_once(setup_.problem.experiments.back(), *model, text);
  }

  // So that wrong expressions and formulations are told before anything is computed.
  void try_once(const FitExperiment& experiment, const Model& model, const ExperimentText& text) {
    const std::vector<double> all = parameter_values(model);
    VectorXd theta(experiment.parameters.size());
    for (int j = 0; j < theta.size(); ++j) theta(j) = all[experiment.parameters[j]];
    FitInstance instance;
    std::string problem = experiment.make(theta, instance);
    if (problem.empty())
      problem = refuse_parameter_slopes(model, *instance.system, experiment.parameters);
    if (!problem.empty()) complain(problem, text.where);
  }

  void add_columns(const ExperimentText& text, const Model& model, FitExperiment& experiment) {
    quantities_.clear();
    if (!text.event.empty()) {
      std::vector<std::string> known;
      for (std::size_t k = 0; k < model.events.size(); ++k) {
        known.push_back(model.events[k].name);
        if (model.events[k].name == text.event) experiment.event = static_cast<int>(k);
      }
      if (experiment.event < 0)
        complain(
            fmt::format("the model has no event '{}'{}", text.event, suggestion(text.event, known)),
            text.event_where);
    }
    for (const ColumnText& column : text.columns) {
      FitColumn c;
      c.name = column.column;
      c.scale = column.scale;
      c.offset = column.offset;
      c.measured = column.measured;
      c.losses = column.losses;
      c.sigma = column.sigma > 0 ? column.sigma : spread(compared(column));
      if (!column.quantity.empty()) {
        c.quantity = static_cast<int>(quantities_.size());
        add_quantity(model, column);
      }
      experiment.columns.push_back(std::move(c));
    }
  }

  // An expression, or the name of an output of the model.
  void add_quantity(const Model& model, const ColumnText& column) {
    for (const Output& output : model.outputs)
      if (output.name == column.quantity) {
        quantities_.push_back(output.value);
        return;
      }
    Diagnostics problems(column.quantity);
    std::optional<Formula> formula = compile_expression(model, column.quantity, problems);
    if (!formula)
      complain(fmt::format("column '{}', quantity '{}': {}", column.column, column.quantity,
                           problems.findings().front().message),
               column.where);
    quantities_.push_back(std::move(*formula));
  }

  static double default_duration(const ExperimentText& text, const Model& model) {
    double last = -1;
    for (const double t : text.times) last = std::isnan(t) ? last : t;
    if (last > 0) return last * (text.event.empty() ? 1 : 1.2);
    return model.simulate.duration.given() ? evaluate_number(model.simulate.duration, model) : 10;
  }
  static double evaluate_number(const Formula& formula, const Model& model) {
    const std::vector<double> parameters = parameter_values(model);
    return evaluate<double>(formula, parameters)[0];
  }

  void set_unknowns() {
    FitProblem& problem = setup_.problem;
    const Model& model = *setup_.models.front();
    const std::vector<double> values = parameter_values(model);
    const std::vector<int>& which = problem.experiments.front().parameters;
    const int k = static_cast<int>(which.size());
    constexpr double infinity = std::numeric_limits<double>::infinity();
    problem.start.resize(k);
    problem.lower.setConstant(k, -infinity);
    problem.upper.setConstant(k, infinity);
    for (int j = 0; j < k; ++j) problem.start(j) = values[which[j]];
    for (const BoundText& bound : text_.bounds) {
      std::vector<std::string> known;
      for (const Parameter& parameter : model.parameters) known.push_back(parameter.name);
      if (std::find(known.begin(), known.end(), bound.parameter) == known.end())
        complain(fmt::format("the model has no parameter '{}'{}", bound.parameter,
                             suggestion(bound.parameter, known)),
                 bound.where);
      const auto found = std::find(choice_.free.begin(), choice_.free.end(), bound.parameter);
      if (found == choice_.free.end()) continue;
      const auto j = found - choice_.free.begin();
      problem.lower(j) = bound.low;
      problem.upper(j) = bound.high;
      if (problem.start(j) < bound.low || problem.start(j) > bound.high)
        complain(fmt::format("'{}' begins at {:g}, outside its bounds", bound.parameter,
                             problem.start(j)),
                 bound.where);
    }
    problem.size = problem.start.cwiseAbs();
    for (int j = 0; j < k; ++j)
      if (problem.size(j) == 0)
        problem.size(j) = std::isfinite(problem.upper(j) - problem.lower(j))
                              ? problem.upper(j) - problem.lower(j)
                              : 1;
    problem.simulate.integrator = "dop853";
    problem.simulate.tolerance = 1e-11;
  }

  const FitChoice& choice_;
  const ExperimentsText& text_;
  const api::Watch& watch_;
  FitSetup setup_;
  std::vector<Formula> quantities_;
};

}  // namespace

FitSetup make_fit_setup(const FitChoice& choice, const ExperimentsText& text,
                        const api::Watch& watch) {
  return Builder(choice, text, watch).build();
}

}  // namespace cartan::results
