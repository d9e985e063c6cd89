#include "cli/equilibrium_search.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "analysis/equilibrium_search.h"
#include "cli/command.h"
#include "cli/out_option.h"
#include "cli/progress.h"
#include "cli/ranges.h"
#include "cli/steady_json.h"
#include "core/diagnostics.h"
#include "io/csv.h"
#include "io/output_files.h"
#include "report/chart.h"
#include "report/column_units.h"

namespace cartan {
namespace {

constexpr std::size_t most_starts = 1000000;
constexpr std::size_t most_cells = 40000;  // of the picture

// A number of the state the box varies.
struct Varied {
  Range range;
  Symbol symbol;
};

bool is_rotation(const Model& model, const Symbol& symbol) {
  const JointType type = model.joints[symbol.index].type;
  return symbol.quantity == Quantity::joint_q && symbol.component < 4 &&
         (type == JointType::spherical || type == JointType::free);
}

// The names of the box as numbers of the state; false after a complaint.
bool find_numbers(const SteadyCase& steady, const std::vector<Range>& ranges,
                  std::vector<Varied>& varied) {
  for (const Range& range : ranges) {
    Diagnostics problems("--search " + range.name);
    const std::optional<Formula> formula = compile_expression(*steady.model, range.name, problems);
    if (!formula) {
      fmt::print(stderr, "{}", problems.text());
      return false;
    }
    const Program& program = formula->program;
    const bool single = program.inputs.size() == 1 && program.code.size() == 1;
    const Quantity quantity = single ? program.inputs[0].quantity : Quantity::time;
    if (quantity != Quantity::joint_q && quantity != Quantity::joint_v &&
        quantity != Quantity::variable) {
      complain("equilibrium",
               fmt::format("--search: expected a joint's coordinate or speed (JOINT.q, JOINT.v[i]) "
                           "or a variable, got '{}'",
                           range.name));
      return false;
    }
    if (quantity != Quantity::variable && is_rotation(*steady.model, program.inputs[0])) {
      complain(
          "equilibrium",
          fmt::format("--search: '{}' is part of a quaternion; numbers of a rotation cannot be "
                      "varied one by one",
                      range.name));
      return false;
    }
    varied.push_back({range, program.inputs[0]});
  }
  return true;
}

SearchStart make_start(const SteadyCase& steady, const std::vector<Varied>& varied,
                       const std::vector<double>& values) {
  SearchStart start;
  start.state = initial_state(steady);
  const auto* mechanism = dynamic_cast<const MechanicalSystem*>(steady.system.get());
  if (!mechanism) {
    for (std::size_t k = 0; k < varied.size(); ++k)
      start.state.x[varied[k].symbol.index] = values[k];
    return start;
  }
  Observation now;
  mechanism->observe(start.state, now, *steady.workspace);
  std::vector<std::optional<std::vector<double>>> q(now.q.begin(), now.q.end()),
      v(now.v.begin(), now.v.end());
  WrittenStart written(now.q.size());  // the joints that are varied
  for (std::size_t k = 0; k < varied.size(); ++k) {
    const Symbol& symbol = varied[k].symbol;
    auto& numbers = symbol.quantity == Quantity::joint_q ? q : v;
    (*numbers[symbol.index])[symbol.component] = values[k];
  }
  for (const Varied& one : varied) {
    const int joint = one.symbol.index;
    if (one.symbol.quantity == Quantity::joint_q)
      written[joint].q = *q[joint];
    else
      written[joint].v = *v[joint];
  }
  start.state = mechanism->make_state(start.state.t, q, v);
  if (steady.system->constrained())
    start.problem = mechanism->assemble(start.state, written, *steady.workspace).problem;
  return start;
}

// Every combination of the ranges' values, the last one fastest.
std::vector<std::vector<double>> make_grid(const std::vector<Varied>& varied) {
  std::vector<std::vector<double>> grid(1);
  for (const Varied& one : varied) {
    std::vector<std::vector<double>> finer;
    for (const std::vector<double>& point : grid)
      for (const double value : one.range.values) {
        finer.push_back(point);
        finer.back().push_back(value);
      }
    grid = std::move(finer);
  }
  return grid;
}

// Where bodies are and how they move: equal for angles that differ by whole turns.
std::vector<double> sign_state(const SteadyCase& steady, const State& state) {
  const auto* mechanism = dynamic_cast<const MechanicalSystem*>(steady.system.get());
  if (!mechanism) return state.x;
  Observation now;
  mechanism->observe(state, now, *steady.workspace);
  std::vector<double> signature;
  for (const BodyState& body : now.bodies) {
    const Mat3<double> R = rotation_matrix(body.orientation);
    for (const Vec3<double>& a : {body.position, R.c[0], R.c[1], body.angular, body.linear})
      signature.insert(signature.end(), {a.x, a.y, a.z});
  }
  return signature;
}

Json found_json(const SteadyCase& steady, const FoundState& found) {
  Json json = {{"state", state_json_of(steady, found.equilibrium.state)},
               {"residual", found.equilibrium.residual},
               {"stable", found.linear.problem.empty() && found.linear.stable},
               {"starts", found.starts},
               {"held", found.equilibrium.held},
               {"symmetries", motion_json(steady, found.equilibrium.c)}};
  if (found.linear.problem.empty()) json.update(spectrum_json(found.linear));
  return json;
}

std::string map_table(const std::vector<Varied>& varied,
                      const std::vector<std::vector<double>>& grid, const SearchResult& result) {
  std::string text;
  for (const Varied& one : varied) text += one.range.name + ",";
  text += "residual,rate,equilibrium\n";
  for (std::size_t i = 0; i < grid.size(); ++i) {
    for (const double value : grid[i]) {
      append_number(text, value);
      text += ',';
    }
    append_number(text, result.residuals[i]);
    text += ',';
    append_number(text, result.rates[i]);
    text += fmt::format(",{}\n", result.reached[i]);
  }
  return text;
}

// Is it an angle, the same after a whole turn?
bool is_angle(const Model& model, const Symbol& symbol) {
  if (symbol.quantity != Quantity::joint_q) return false;
  const JointType type = model.joints[symbol.index].type;
  return type == JointType::revolute || type == JointType::universal ||
         (type == JointType::cylindrical && symbol.component == 0) ||
         (type == JointType::planar && symbol.component == 2);
}

// The number the box varies, at a state; an angle within half a turn of the middle of the box.
double number_at(const SteadyCase& steady, const State& state, const Varied& varied) {
  const Symbol& symbol = varied.symbol;
  const auto* mechanism = dynamic_cast<const MechanicalSystem*>(steady.system.get());
  if (!mechanism) return state.x[symbol.index];
  Observation now;
  mechanism->observe(state, now, *steady.workspace);
  const double value =
      (symbol.quantity == Quantity::joint_q ? now.q : now.v)[symbol.index][symbol.component];
  if (!is_angle(*steady.model, symbol)) return value;
  const double middle = (varied.range.values.front() + varied.range.values.back()) / 2;
  return middle + std::remainder(value - middle, 2 * std::numbers::pi);
}

// Cells whose middles are the places of two ranges; `values` row by row of the second.
ChartMap cells_around(const std::vector<double>& x, const std::vector<double>& y,
                      const std::vector<double>& values) {
  const auto half = [](const std::vector<double>& places) {
    const double count = static_cast<double>(places.size());
    return count > 1 ? (places.back() - places.front()) / (count - 1) / 2 : 0.5;
  };
  ChartMap map;
  map.columns = static_cast<int>(x.size());
  map.rows = static_cast<int>(y.size());
  map.x_low = x.front() - half(x);
  map.x_high = x.back() + half(x);
  map.y_low = y.front() - half(y);
  map.y_high = y.back() + half(y);
  map.values = values;
  return map;
}

// How far from steady the starts are (the rate that symmetries do not explain): over one number as
// a line, over two as a map; over more the least of all starts that share the first two. Marked:
// the states found in the box.
std::string map_picture(const SteadyCase& steady, const std::vector<Varied>& varied,
                        const SearchResult& result) {
  Chart chart;
  chart.title = steady.model->name;
  const ColumnUnits units = ColumnUnits::of(*steady.model);
  chart.x_label = units.with_unit(varied[0].range.name);
  const char* const quantity = "log10 of the rate";
  const std::size_t nx = varied[0].range.values.size();
  const std::size_t ny = varied.size() > 1 ? varied[1].range.values.size() : 1;
  const std::size_t others = result.rates.size() / (nx * ny);
  std::vector<double> least(nx * ny, INFINITY);  // row by row of the second number
  for (std::size_t k = 0; k < result.rates.size(); ++k) {
    const std::size_t i = k / (ny * others), j = k / others % ny;
    if (result.rates[k] < least[j * nx + i]) least[j * nx + i] = result.rates[k];
  }
  double most = 0;
  for (const double value : least)
    if (std::isfinite(value)) most = std::max(most, value);
  const double floor = std::log10(std::max(most, 1e-300)) - 4;  // what is less is shown as this
  for (double& value : least)
    value = std::isfinite(value) ? std::max(std::log10(value), floor) : std::nan("");
  if (varied.size() > 1) {
    chart.y_label = units.with_unit(varied[1].range.name);
    chart.map = cells_around(varied[0].range.values, varied[1].range.values, least);
    chart.map->label = quantity;
  } else {
    chart.y_label = quantity;
    ChartLine line;
    for (std::size_t i = 0; i < nx; ++i)
      line.points.emplace_back(varied[0].range.values[i], least[i]);
    chart.lines.push_back(line);
  }
  const auto inside = [](const Range& range, double value) {
    const auto [low, high] = std::minmax_element(range.values.begin(), range.values.end());
    return value >= *low - 1e-9 && value <= *high + 1e-9;
  };
  for (std::size_t k = 0; k < result.states.size(); ++k) {
    const FoundState& found = result.states[k];
    ChartMark mark;
    mark.x = number_at(steady, found.equilibrium.state, varied[0]);
    mark.y = varied.size() > 1 ? number_at(steady, found.equilibrium.state, varied[1]) : floor;
    mark.label = fmt::format(
        "{} {}", k, found.linear.problem.empty() && found.linear.stable ? "stable" : "unstable");
    if (inside(varied[0].range, mark.x) && (varied.size() == 1 || inside(varied[1].range, mark.y)))
      chart.marks.push_back(std::move(mark));
  }
  return chart_svg(chart);
}

void print_states(const SteadyCase& steady, const SearchResult& result) {
  fmt::print("{}: {} steady states from {} starts\n", steady.model->name, result.states.size(),
             result.residuals.size());
  for (std::size_t k = 0; k < result.states.size(); ++k) {
    const FoundState& found = result.states[k];
    fmt::print("\n{}: {}, from {} starts, residual {:.3g}\n", k,
               !found.linear.problem.empty() ? "stability unknown"
               : found.linear.asymptotic     ? "asymptotically stable"
               : found.linear.stable         ? "stable to first order"
                                             : "unstable",
               found.starts, found.equilibrium.residual);
    const std::string motion = describe_motion(steady, found.equilibrium.c);
    if (!motion.empty()) fmt::print("  moves: {}\n", motion);
    const State& state = found.equilibrium.state;
    for (int i = 0; i < steady.problem->size(); ++i)
      fmt::print("  {} = {:.12g}\n", steady.system->component_name(i), state.x[i]);
  }
}

}  // namespace

int search_box(const SteadyCase& steady, const SearchArguments& arguments) {
  std::string problem;
  const auto ranges = read_ranges(arguments.box, *steady.model, problem);
  if (!ranges) return complain("equilibrium", "--search: " + problem);
  std::size_t count = 1;
  for (const Range& range : *ranges) count = std::min(count * range.values.size(), most_starts + 1);
  if (count > most_starts)
    return complain("equilibrium",
                    fmt::format("--search: more than {} starts; take fewer values", most_starts));
  std::vector<Varied> varied;
  if (!find_numbers(steady, *ranges, varied)) return exit_bad_input;
  if (!read_holds("equilibrium", steady, arguments.holds, initial_state(steady)))
    return exit_bad_input;

  if (!may_write("equilibrium", "equilibrium --search", arguments.out, arguments.force,
                 {"search.csv", "units.json", "search.svg", "equilibria.json"}))
    return exit_bad_input;

  const std::vector<std::vector<double>> grid = make_grid(varied);
  std::vector<SearchStart> starts;
  for (const std::vector<double>& point : grid) starts.push_back(make_start(steady, varied, point));
  Progress progress("equilibrium", !arguments.json);
  SearchOptions options;
  options.signature = [&](const State& state) { return sign_state(steady, state); };
  options.progress = [&](double fraction) { progress.show(fraction); };
  options.holds = [&](const State& state) {
    return read_holds("equilibrium", steady, arguments.holds, state).value_or(std::vector<Held>{});
  };
  const SearchResult result = search_equilibria(*steady.problem, starts, options);

  Json json = {{"model", steady.model->name}, {"starts", grid.size()}};
  json["equilibria"] = Json::array();
  for (const FoundState& found : result.states)
    json["equilibria"].push_back(found_json(steady, found));
  if (!arguments.out.empty()) {
    const std::unique_ptr<OutputFolder> output = OutputFolder::open(
        arguments.out, "equilibrium --search", replace_if(arguments.force), problem);
    if (!output) return complain("equilibrium", problem);
    const bool drawn = grid.size() <= most_cells;
    if (!drawn)
      fmt::print(stderr, "cartan equilibrium: search.svg is left out: more than {} starts\n",
                 most_cells);
    const std::string table = map_table(varied, grid, result);
    const ColumnUnits units = ColumnUnits::of(*steady.model);
    if (!output->write("search.csv", table, problem) ||
        !output->write("units.json", units.json_for(table), problem) ||
        (drawn && !output->write("search.svg", map_picture(steady, varied, result), problem)) ||
        !output->write("equilibria.json", json.dump(2) + "\n", problem) || !output->commit(problem))
      return complain("equilibrium", problem, exit_failed);
  }
  if (arguments.json)
    print_json(json);
  else if (!result.states.empty())
    print_states(steady, result);
  if (result.states.empty())
    return complain("equilibrium",
                    fmt::format("{}: no steady state was reached from any of {} starts",
                                arguments.path, grid.size()),
                    exit_failed);
  return exit_done;
}

}  // namespace cartan
