#include "results/steady/equilibrium_search.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "core/diagnostics.h"
#include "io/csv.h"
#include "io/output_files.h"
#include "report/chart.h"
#include "report/column_units.h"
#include "results/load/ranges.h"
#include "results/output_room.h"
#include "results/refusal.h"
#include "results/steady/steady_json.h"
#include "results/task.h"

namespace cartan::results {
namespace {

constexpr std::size_t most_starts = 1000000;
constexpr std::size_t most_cells = 40000;  // of the picture

// A number of the state the box varies.
struct Varied {
  Range range;
  Symbol symbol;
};

bool is_rotation(const Model& model, const Symbol& symbol) {
  return symbol.quantity == Quantity::joint_q && symbol.component < 4 &&
         has_quaternion(model.joints[symbol.index].type);
}

// The names of the box as numbers of the state.
std::vector<Varied> find_numbers(const SteadyCase& steady, const std::vector<Range>& ranges) {
  std::vector<Varied> varied;
  for (const Range& range : ranges) {
    Diagnostics problems("--search " + range.name);
    const std::optional<Formula> formula = compile_expression(*steady.model, range.name, problems);
    if (!formula) refuse(problems);
    const Program& program = formula->program;
    const bool single = program.inputs.size() == 1 && program.code.size() == 1;
    const Quantity quantity = single ? program.inputs[0].quantity : Quantity::time;
    if (quantity != Quantity::joint_q && quantity != Quantity::joint_v &&
        quantity != Quantity::variable)
      refuse("equilibrium",
             fmt::format("--search: expected a joint's coordinate or speed (JOINT.q, JOINT.v[i]) "
                         "or a variable, got '{}'",
                         range.name));
    if (quantity != Quantity::variable && is_rotation(*steady.model, program.inputs[0]))
      refuse("equilibrium",
             fmt::format("--search: '{}' is part of a quaternion; numbers of a rotation cannot be "
                         "varied one by one",
                         range.name));
    varied.push_back({range, program.inputs[0]});
  }
  return varied;
}

SearchStart make_search_start(const SteadyCase& steady, const std::vector<Varied>& varied,
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
  return symbol.quantity == Quantity::joint_q &&
         is_angle(model.joints[symbol.index].type, symbol.component);
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
  chart.title = steady.model->title();
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

void write_search(const api::EquilibriumOptions& o, const BoxSearch& search,
                  const std::vector<Varied>& varied) {
  std::string problem;
  const std::unique_ptr<OutputFolder> output =
      OutputFolder::open(o.out, "equilibrium --search", replace_if(o.force), problem);
  if (!output) refuse("equilibrium", problem);
  const bool drawn = search.result.residuals.size() <= most_cells;
  if (!drawn)
    tell(o.watch, fmt::format("cartan equilibrium: search.svg is left out: more than {} starts",
                              most_cells));
  const ColumnUnits units = ColumnUnits::of(*search.steady->model);
  if (!output->write("search.csv", search.table, problem) ||
      !output->write("units.json", units.json_for(search.table), problem) ||
      (drawn &&
       !output->write("search.svg", map_picture(*search.steady, varied, search.result), problem)) ||
      !output->write("equilibria.json", search_json(search).dump(2) + "\n", problem) ||
      !output->commit(problem))
    fail("equilibrium", problem);
}

}  // namespace

BoxSearch search_box(const ModelArguments& source, const api::EquilibriumOptions& o) {
  BoxSearch search;
  search.steady = load_steady("equilibrium", source, o.formulation, o.time, o.watch);
  const SteadyCase& steady = *search.steady;
  if (!o.from.empty() || o.minimise)
    refuse("equilibrium",
           "--search starts from the points of its box; --from and --minimise do not go with it");
  std::string problem;
  const auto ranges = read_ranges(o.search, *steady.model, problem);
  if (!ranges) refuse("equilibrium", "--search: " + problem);
  std::size_t count = 1;
  for (const Range& range : *ranges) count = std::min(count * range.values.size(), most_starts + 1);
  if (count > most_starts)
    refuse("equilibrium",
           fmt::format("--search: more than {} starts; take fewer values", most_starts));
  const std::vector<Varied> varied = find_numbers(steady, *ranges);
  read_holds("equilibrium", steady, o.hold, initial_state(steady));  // refuses bad ones

  require_room("equilibrium", "equilibrium --search", o.out, o.force,
               {"search.csv", "units.json", "search.svg", "equilibria.json"});

  const std::vector<std::vector<double>> grid = make_grid(varied);
  std::vector<SearchStart> starts;
  for (const std::vector<double>& point : grid)
    starts.push_back(make_search_start(steady, varied, point));
  {
    Task task(o.watch, "equilibrium");
    SearchOptions options;
    options.signature = [&](const State& state) { return sign_state(steady, state); };
    options.progress = [&](double fraction) { task.show(fraction); };
    options.holds = [&](const State& state) {
      try {
        return read_holds("equilibrium", steady, o.hold, state);
      } catch (const Refusal&) {  // no finite value there
        return std::vector<Held>();
      }
    };
    search.result = search_equilibria(*steady.problem, starts, options);
  }
  search.table = map_table(varied, grid, search.result);
  if (!o.out.empty()) write_search(o, search, varied);
  return search;
}

void require_found(const BoxSearch& search, const ModelArguments& source) {
  if (search.result.states.empty())
    fail("equilibrium", fmt::format("{}: no steady state was reached from any of {} starts",
                                    source.path, search.result.residuals.size()));
}

Json search_json(const BoxSearch& search) {
  Json json = {{"model", search.steady->model->name}, {"starts", search.result.residuals.size()}};
  json["equilibria"] = Json::array();
  for (const FoundState& found : search.result.states)
    json["equilibria"].push_back(found_json(*search.steady, found));
  return json;
}

}  // namespace cartan::results
