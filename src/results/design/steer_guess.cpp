// What the solution is looked for from: a straight line between the ends, a file, formulas; and
// other starts that are bent away from these.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "core/scalar.h"
#include "io/csv.h"
#include "mechanics/machine/mechanism_system.h"
#include "results/design/steer_conditions.h"
#include "results/design/steer_setup.h"
#include "results/refusal.h"

namespace cartan::results {
namespace {

using Eigen::VectorXd;

// NAME = expression of s, over the model's parameters.
struct GuessedNumber {
  int number = -1;  // of the state; -1: an input
  int input = -1;
  int speed = -1;  // of the state: its rate, where that is not guessed itself
  Formula formula;
};

// Numbers of a formula: parameters, then s.
Model names_of_guesses(const Model& model) {
  Model outer;
  const auto add_parameter = [&](const std::string& name) {
    Parameter parameter;
    parameter.name = name;
    const double zero = 0;
    parameter.value.program = constant_program({&zero, 1});
    outer.parameter_order.push_back(static_cast<int>(outer.parameters.size()));
    outer.parameters.push_back(std::move(parameter));
  };
  for (const Parameter& parameter : model.parameters) add_parameter(parameter.name);
  add_parameter("s");
  return outer;
}

// The number of the speed that is the rate of coordinate `number`, or -1.
int speed_of_number(const SteerSetup& setup, const StateName& name, int number) {
  if (name.joint < 0 || name.velocity) return -1;
  const Joint& joint = setup.model->joints[name.joint];
  if (joint.nq() != joint.nv()) return -1;
  std::string wanted = setup.system->component_name(number);
  wanted[wanted.rfind('.') + 1] = 'v';
  for (int i = 0; i < setup.charts->size(); ++i)
    if (setup.system->component_name(i) == wanted) return i;
  return -1;
}

std::vector<GuessedNumber> read_guesses(const SteerSetup& setup,
                                        const std::vector<SteerGuess>& texts) {
  std::vector<GuessedNumber> list;
  const Model outer = names_of_guesses(*setup.model);
  for (const auto& [name, text, where] : texts) {
    GuessedNumber guessed;
    Diagnostics problems(setup.task.file);
    const std::optional<Formula> formula = compile_expression(outer, text, problems);
    if (!formula)
      refuse_at(setup.task.file, where,
                fmt::format("[guess] '{}': {}; expected an expression of s, which "
                            "goes from 0 to 1, and parameters",
                            name, problems.findings().front().message));
    guessed.formula = *formula;
    const auto input = std::find(setup.inputs.begin(), setup.inputs.end(), name);
    const StateName state = find_state_name(*setup.model, name);
    if (input != setup.inputs.end()) {
      guessed.input = static_cast<int>(input - setup.inputs.begin());
    } else {
      const std::vector<int> numbers =
          state.known() ? numbers_of_name(*setup.model, *setup.system, state) : std::vector<int>();
      if (numbers.size() != 1)
        refuse_at(setup.task.file, where,
                  fmt::format("[guess] '{}': expected `file`, an input, or one coordinate, speed "
                              "or variable",
                              name));
      guessed.number = numbers[0];
      guessed.speed = speed_of_number(setup, state, numbers[0]);
    }
    list.push_back(std::move(guessed));
  }
  return list;
}

// Writes the numbers of some guesses at the part s of a time of that length.
void apply_guesses(const std::vector<GuessedNumber>& guesses, std::vector<Dual4>& numbers, double s,
                   double length, State& state, VectorXd& u) {
  numbers.back() = Dual4::variable(s, 0);
  // speeds that follow first, so that those that are guessed themselves are kept
  for (const bool rates : {true, false})
    for (const GuessedNumber& guessed : guesses) {
      const Dual4 value = evaluate<Dual4>(guessed.formula, std::span<const Dual4>(numbers))[0];
      if (rates && guessed.speed >= 0) state.x[guessed.speed] = value.d[0] / length;
      if (!rates) (guessed.number >= 0 ? state.x[guessed.number] : u(guessed.input)) = value.a;
    }
}

// Columns of a trajectory.csv.
struct GuessTable {
  CsvTable table;
  const std::vector<double>* t = nullptr;
  std::vector<const std::vector<double>*> states, inputs;  // null: not in the file

  double at(const std::vector<double>& column, double s) const {
    const double time = t->front() + s * (t->back() - t->front());
    const std::size_t k = std::clamp<std::size_t>(
        std::upper_bound(t->begin(), t->end(), time) - t->begin(), 1, t->size() - 1);
    const double length = (*t)[k] - (*t)[k - 1];
    const double part = length > 0 ? (time - (*t)[k - 1]) / length : 0;
    return column[k - 1] + part * (column[k] - column[k - 1]);
  }
};

std::shared_ptr<GuessTable> read_guess_table(const SteerSetup& setup) {
  if (setup.task.guess_file.empty()) return nullptr;
  const std::string path =
      (std::filesystem::path(setup.task.folder) / setup.task.guess_file).string();
  Diagnostics problems(path);
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored))
    refuse_at(setup.task.file, setup.task.guess_file_where,
              fmt::format("[guess] file: there is no file '{}'", path));
  std::optional<CsvTable> table = read_csv(path, CsvRows::all, problems);
  if (!table) refuse(problems);
  auto result = std::make_shared<GuessTable>();
  result->table = std::move(*table);
  result->t = result->table.find("t");
  if (!result->t || result->t->size() < 2)
    refuse_at(path, "expected a table with a column t and at least two rows");
  for (int i = 0; i < setup.charts->size(); ++i)
    result->states.push_back(result->table.find(setup.system->component_name(i)));
  for (const std::string& name : setup.inputs) result->inputs.push_back(result->table.find(name));
  return result;
}

// How a start is bent aside: amplitudes of two half and whole waves per tangent number.
std::vector<std::pair<double, double>> bends_of(const VectorXd& way, int count, int start) {
  std::vector<std::pair<double, double>> bends(count, {0, 0});
  if (start == 0) return bends;
  double g = 2;  // multiples of a generalised golden ratio spread evenly
  for (int k = 0; k < 60; ++k) g = std::pow(1 + g, 1.0 / (2 * count + 1));
  double step = 1;
  const auto next = [&] {
    step /= g;
    return 2 * std::fmod(0.5 + step * start, 1.0) - 1;
  };
  for (int i = 0; i < count; ++i) {
    const double size = 0.6 * std::max(1.0, std::fabs(way(i)));
    bends[i].first = size * next();
    bends[i].second = 0.5 * size * next();
  }
  return bends;
}

}  // namespace

SteeringGuess make_steering_guess(const SteerSetup& setup, int start) {
  const System& system = *setup.system;
  const StateSpace& space = system.space();
  const auto* mechanism = dynamic_cast<const MechanicalSystem*>(&system);
  VectorXd way(space.tangent_size());
  space.minus(setup.end.x, setup.start.x, {way.data(), (std::size_t)way.size()});
  const int rest = system.quadratures() + (mechanism ? mechanism->variable_count() : 0);
  const int speeds = mechanism ? (space.tangent_size() - rest) / 2 : 0;
  const int places = mechanism ? speeds : space.tangent_size();  // numbers that are bent
  const auto bends = bends_of(way, places, start);
  const auto table = read_guess_table(setup);
  const std::vector<GuessedNumber> everywhere = read_guesses(setup, setup.task.guess);
  std::vector<std::vector<GuessedNumber>> of_phase(setup.phases.size());
  for (std::size_t p = 0; p < setup.task.phases.size(); ++p)
    of_phase[p] = read_guesses(setup, setup.task.phases[p].guess);
  std::vector<double> parameters = parameter_values(*setup.model);
  VectorXd inputs(static_cast<int>(setup.inputs.size()));
  for (std::size_t k = 0; k < setup.inputs.size(); ++k)
    inputs(static_cast<int>(k)) = parameters[setup.model->find_parameter(setup.inputs[k])];
  std::vector<Dual4> numbers(parameters.begin(), parameters.end());
  numbers.emplace_back(0.0);
  const double T = setup.duration();
  return [=, &setup, &system, &space](int phase, double part, std::vector<double>& x,
                                      VectorXd& u) mutable {
    const double length = setup.problem.phases[phase].duration_guess;
    double before = 0;
    for (int p = 0; p < phase; ++p) before += setup.problem.phases[p].duration_guess;
    const bool last = phase + 1 == static_cast<int>(setup.phases.size());
    const bool inside = !(phase == 0 && part == 0) && !(last && part == 1);
    const double s = last && part == 1 ? 1 : (before + part * length) / T;
    VectorXd d = s * way;
    std::vector<double> rates(places);
    for (int i = 0; i < places; ++i) {
      d(i) += bends[i].first * std::sin(pi * s) + bends[i].second * std::sin(2 * pi * s);
      rates[i] = (way(i) + pi * bends[i].first * std::cos(pi * s) +
                  2 * pi * bends[i].second * std::cos(2 * pi * s)) /
                 T;
    }
    State state = mode_of_phase(setup.phases[phase], setup.start);
    if (setup.way.size() > 1) {  // between two states of the way, and bent from there
      const std::size_t pieces = setup.way.size() - 1;
      const std::size_t k = std::min<std::size_t>(static_cast<std::size_t>(s * pieces), pieces - 1);
      VectorXd piece(space.tangent_size());
      space.minus(setup.way[k + 1].x, setup.way[k].x, {piece.data(), (std::size_t)piece.size()});
      for (int i = 0; i < places; ++i)
        rates[i] += (piece(i) * static_cast<double>(pieces) - way(i)) / T;
      d += (s * static_cast<double>(pieces) - static_cast<double>(k)) * piece - s * way;
      space.plus(setup.way[k].x, {d.data(), (std::size_t)d.size()}, state.x);
    } else {
      space.plus(setup.start.x, {d.data(), (std::size_t)d.size()}, state.x);
    }
    state.t = setup.start.t + s * T;
    const int first_speed =
        setup.charts->size() - (mechanism ? mechanism->variable_count() : 0) - speeds;
    if (mechanism && inside)
      for (int i = 0; i < speeds; ++i) state.x[first_speed + i] = rates[i];
    u = inputs;
    if (table) {
      for (std::size_t i = 0; i < table->states.size(); ++i)
        if (table->states[i]) state.x[i] = table->at(*table->states[i], s);
      for (std::size_t j = 0; j < table->inputs.size(); ++j)
        if (table->inputs[j]) u(static_cast<int>(j)) = table->at(*table->inputs[j], s);
      space.normalise(state.x);
    }
    apply_guesses(everywhere, numbers, s, T, state, u);
    apply_guesses(of_phase[phase], numbers, part, length, state, u);
    if (system.constrained() && inside) {
      const auto workspace = system.make_workspace();
      State moved = state;
      if (system.project(moved, *workspace).problem.empty()) state = moved;
    }
    x.assign(state.x.begin(), state.x.begin() + setup.charts->size());
  };
}

}  // namespace cartan::results
