#include "report/run_plots.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/spectrum.h"

namespace cartan {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t most_lines = 7;  // of a chart: as many as there are colours

const char* const run_tables[] = {"trajectory.csv", "bodies.csv",      "reactions.csv",
                                  "power.csv",      "constraints.csv", "multipliers.csv",
                                  "forces.csv"};

bool has_digit_after(const std::string& name, char letter) {
  const std::size_t dot = name.rfind('.');
  return dot != std::string::npos && name.size() > dot + 2 && name[dot + 1] == letter &&
         name.find_first_not_of("0123456789", dot + 2) == std::string::npos;
}

// Of many columns evenly spaced ones.
std::vector<std::string> thin_names(const std::vector<std::string>& names) {
  if (names.size() <= most_lines) return names;
  std::vector<std::string> kept;
  for (std::size_t k = 0; k < most_lines; ++k)
    kept.push_back(names[k * (names.size() - 1) / (most_lines - 1)]);
  return kept;
}

// Lines of several runs: a colour for each quantity while there are two runs (the second dashed),
// else for each run.
class LinesOfRuns {
 public:
  LinesOfRuns(const std::vector<PlottedRun>& runs, Chart& chart) : runs_(runs), chart_(chart) {}

  template <class Points>  // points(run, name), empty where the run has no such column
  void add(const std::string& name, const Points& points) {
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      ChartLine line;
      line.points = points(runs_[r], name);
      if (line.points.empty()) continue;
      line.dashed = runs_.size() == 2 && r == 1;
      line.colour = static_cast<int>(runs_.size() <= 2 ? quantity_ : r + quantity_ * runs_.size());
      line.name = runs_.size() == 1 ? name : fmt::format("{}: {}", runs_[r].name, name);
      line.width = line.points.size() > 3000 ? 1.2 : 1.8;
      chart_.lines.push_back(std::move(line));
    }
    ++quantity_;
  }

 private:
  const std::vector<PlottedRun>& runs_;
  Chart& chart_;
  std::size_t quantity_ = 0;
};

std::vector<std::pair<double, double>> course(const PlottedRun& run, const std::string& name) {
  std::vector<std::pair<double, double>> points;
  for (const auto& found : run.find(name)) {
    for (std::size_t i = 0; i < found.values().size(); ++i)
      points.emplace_back(found.first()[i], found.values()[i]);
    break;
  }
  return points;
}

// Change since the first sample.
std::vector<std::pair<double, double>> change(const PlottedRun& run, const std::string& name) {
  auto points = course(run, name);
  for (std::size_t i = points.size(); i-- > 0;) points[i].second -= points[0].second;
  return points;
}

std::vector<std::pair<double, double>> size_of_change(const PlottedRun& run,
                                                      const std::string& name) {
  auto points = change(run, name);
  for (auto& point : points) point.second = std::fabs(point.second);
  return points;
}

std::vector<std::pair<double, double>> spectrum_of(const PlottedRun& run, const std::string& name) {
  for (const auto& found : run.find(name)) return amplitude_spectrum(found.first(), found.values());
  return {};
}

std::vector<std::pair<double, double>> portrait(const PlottedRun& run, const std::string& x,
                                                const std::string& y) {
  std::vector<std::pair<double, double>> points;
  const auto across = run.find(x), upwards = run.find(y);
  if (across.empty() || upwards.empty()) return points;
  const std::size_t count = std::min(across[0].values().size(), upwards[0].values().size());
  for (std::size_t i = 0; i < count; ++i)
    points.emplace_back(across[0].values()[i], upwards[0].values()[i]);
  return points;
}

std::string time_label(const PlottedRun& run) {
  const std::string& name = run.tables[0].names[0];
  return run.units.with_unit(name);
}

Chart start_chart(const std::vector<PlottedRun>& runs, const std::string& title) {
  Chart chart;
  chart.title = runs[0].model.empty() ? title : fmt::format("{}: {}", runs[0].model, title);
  chart.x_label = time_label(runs[0]);
  return chart;
}

bool every_point_zero(const Chart& chart) {
  for (const ChartLine& line : chart.lines)
    for (const auto& point : line.points)
      if (point.second != 0) return false;
  return true;
}

// The default charts of one set of runs.
class RunDrawer {
 public:
  explicit RunDrawer(const std::vector<PlottedRun>& runs) : runs_(runs) {}

  std::vector<NamedChart> draw() {
    energies();
    violations();
    sort_columns();
    for (const auto& [unit, names] : coordinates_) coordinate_chart("coordinates", unit, names);
    for (const auto& [unit, names] : speeds_) coordinate_chart("speeds", unit, names);
    coordinate_chart("quantities", "", others_);
    phase_portraits();
    spectra();
    return std::move(charts_);
  }

 private:
  void keep(const std::string& name, Chart chart) {
    if (!chart.lines.empty()) charts_.push_back({name, std::move(chart)});
  }

  void energies() {
    if (runs_[0].find("energy").empty()) return;
    Chart chart = start_chart(runs_, "energies");
    chart.y_label = "energy [J]";
    LinesOfRuns lines(runs_, chart);
    for (const char* name : {"kinetic", "potential", "energy"}) lines.add(name, course);
    keep("energies", std::move(chart));

    Chart drift = start_chart(runs_, "change of the total energy");
    const bool compared = runs_.size() > 1;
    drift.y_label = compared ? "|E - E(0)| [J]" : "E - E(0) [J]";
    drift.y_log = compared;
    LinesOfRuns(runs_, drift).add("energy", compared ? size_of_change : change);
    for (ChartLine& line : drift.lines)
      if (!compared) line.name = "";
    keep("drift", std::move(drift));
  }

  void violations() {
    Chart chart = start_chart(runs_, "largest violation of a constraint");
    chart.y_label = "violation [m or rad]";
    chart.y_log = true;
    LinesOfRuns(runs_, chart).add("constraint", course);
    if (runs_.size() == 1)
      for (ChartLine& line : chart.lines) line.name = "";
    if (!every_point_zero(chart)) keep("violations", std::move(chart));
  }

  // Which columns of trajectory.csv are coordinates, speeds, or something else.
  void sort_columns() {
    static const std::vector<std::string> known = {"kinetic", "potential", "energy", "constraint"};
    for (const std::string& name : runs_[0].tables[0].names) {
      if (&name == &runs_[0].tables[0].names[0]) continue;
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      const std::string unit = runs_[0].units.unit(name);
      if (has_digit_after(name, 'q'))
        group(coordinates_, unit).push_back(name);
      else if (has_digit_after(name, 'v'))
        group(speeds_, unit).push_back(name);
      else
        others_.push_back(name);
    }
  }

  using Groups = std::vector<std::pair<std::string, std::vector<std::string>>>;
  static std::vector<std::string>& group(Groups& groups, const std::string& unit) {
    for (auto& [known, names] : groups)
      if (known == unit) return names;
    groups.emplace_back(unit, std::vector<std::string>());
    return groups.back().second;
  }

  void coordinate_chart(const std::string& what, const std::string& unit,
                        const std::vector<std::string>& names) {
    if (names.empty()) return;
    const std::vector<std::string> shown = thin_names(names);
    const bool quaternions = what == "coordinates" && unit.empty();
    std::string title = quaternions ? "quaternions and other numbers without unit" : what;
    if (shown.size() < names.size())
      title += fmt::format(" ({} of {})", shown.size(), names.size());
    Chart chart = start_chart(runs_, title);
    chart.y_label = with_unit(quaternions ? "number" : what == "quantities" ? "value" : what, unit);
    LinesOfRuns lines(runs_, chart);
    for (const std::string& name : shown) lines.add(name, course);
    std::string file = what + (unit.empty() || what == "quantities" ? "" : "-" + unit);
    std::replace(file.begin(), file.end(), '/', '-');
    keep(file, std::move(chart));
  }

  // Pairs of a coordinate and its speed; of [variables] the first two.
  std::vector<std::pair<std::string, std::string>> portrait_pairs() const {
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const auto& [unit, names] : coordinates_)
      for (const std::string& name : names) {
        std::string speed = name;
        speed[speed.rfind('.') + 1] = 'v';
        if (!unit.empty() && name.ends_with(".q0") && !runs_[0].find(speed).empty())
          pairs.emplace_back(name, speed);
      }
    if (coordinates_.empty() && others_.size() > 1) pairs.emplace_back(others_[0], others_[1]);
    if (pairs.size() > 4) pairs.resize(4);
    return pairs;
  }

  void phase_portraits() {
    for (const auto& [x, y] : portrait_pairs()) {
      Chart chart = start_chart(runs_, fmt::format("{} over {}", y, x));
      chart.x_label = runs_[0].units.with_unit(x);
      chart.y_label = runs_[0].units.with_unit(y);
      LinesOfRuns lines(runs_, chart);
      const std::string& across = x;
      lines.add(y, [&](const PlottedRun& run, const std::string& name) {
        return portrait(run, across, name);
      });
      if (runs_.size() == 1) chart.lines[0].name = "";
      keep("phase-" + x.substr(0, x.rfind('.')), std::move(chart));
    }
  }

  void spectra() {
    std::vector<std::string> names;
    for (const auto& [unit, columns] : coordinates_)
      if (!unit.empty()) names.insert(names.end(), columns.begin(), columns.end());
    if (names.empty()) names = others_;
    Chart chart = start_chart(runs_, "amplitude spectrum");
    chart.x_label =
        runs_[0].units.unit("t").empty() ? "frequency [1 per unit of t]" : "frequency [Hz]";
    chart.y_label = "amplitude";
    chart.y_log = true;
    LinesOfRuns lines(runs_, chart);
    for (const std::string& name : thin_names(names)) lines.add(name, spectrum_of);
    keep("spectrum", std::move(chart));
  }

  const std::vector<PlottedRun>& runs_;
  Groups coordinates_, speeds_;
  std::vector<std::string> others_;
  std::vector<NamedChart> charts_;
};

}  // namespace

std::vector<PlottedRun::Found> PlottedRun::find(const std::string& pattern) const {
  std::vector<Found> found;
  for (const ResultTable& table : tables)
    for (std::size_t i = 0; i < table.names.size(); ++i)
      if (table.words[i].empty() && fits_pattern(table.names[i], pattern) &&
          (i > 0 || &table == &tables[0]))
        found.push_back({&table, static_cast<int>(i)});
  if (found.empty() && pattern.find('*') == std::string::npos && !pattern.ends_with("0") &&
      pattern.size() > 2 && pattern[pattern.size() - 2] == '.')
    return find(pattern + "0");
  return found;
}

std::optional<PlottedRun> read_run(const std::string& folder, std::string& problem) {
  PlottedRun run;
  run.name = fs::path(folder).filename().empty()
                 ? fs::path(folder).parent_path().filename().string()
                 : fs::path(folder).filename().string();
  std::ifstream stream(fs::path(folder) / "model.json");
  const auto model = nlohmann::json::parse(stream, nullptr, false);
  run.units = ColumnUnits(model);
  if (model.is_object() && model.contains("name") && model["name"].is_string())
    run.model = model["name"];
  for (const char* name : run_tables) {
    const fs::path path = fs::path(folder) / name;
    std::error_code ignored;
    if (!fs::exists(path, ignored)) continue;
    auto table = read_result_table(path.string(), problem);
    if (!table) return std::nullopt;
    run.tables.push_back(std::move(*table));
  }
  return run;
}

std::optional<PlottedRun> read_single_table(const std::string& path, std::string& problem) {
  auto table = read_result_table(path, problem);
  if (!table) return std::nullopt;
  PlottedRun run;
  run.name = fs::path(path).stem().string();
  run.tables.push_back(std::move(*table));
  return run;
}

void cut_to(PlottedRun& run, const PlotRequest& request) {
  if (!request.from && !request.to) return;
  for (ResultTable& table : run.tables) {
    const std::vector<double> t = table.numbers[0];
    for (auto& column : table.numbers) {
      std::vector<double> kept;
      for (std::size_t i = 0; i < t.size(); ++i)
        if (!(request.from && t[i] < *request.from) && !(request.to && t[i] > *request.to))
          kept.push_back(column[i]);
      column = std::move(kept);
    }
  }
}

std::vector<NamedChart> draw_runs(const std::vector<PlottedRun>& runs) {
  return RunDrawer(runs).draw();
}

std::vector<NamedChart> draw_quantities(const std::vector<PlottedRun>& runs,
                                        const PlotRequest& request, std::string& problem) {
  const bool chosen_across = !request.x.empty();
  std::vector<std::string> names;
  for (const std::string& pattern : chosen_across ? request.y : request.quantities) {
    const auto found = runs[0].find(pattern);
    if (found.empty()) {
      problem = fmt::format("{}: there is no column '{}'", runs[0].name, pattern);
      return {};
    }
    for (const auto& one : found) names.push_back(one.name());
  }
  if (chosen_across && runs[0].find(request.x).empty()) {
    problem = fmt::format("{}: there is no column '{}'", runs[0].name, request.x);
    return {};
  }
  Chart chart;
  chart.title = runs[0].model;
  const ColumnUnits& units = runs[0].units;
  const std::string across = chosen_across ? runs[0].find(request.x)[0].name() : "";
  chart.x_label = chosen_across      ? units.with_unit(across)
                  : request.spectrum ? "frequency [Hz]"
                                     : time_label(runs[0]);
  std::string unit = units.unit(names[0]);
  for (const std::string& name : names)
    if (units.unit(name) != unit) unit = "";
  chart.y_label = names.size() == 1 ? units.with_unit(names[0]) : with_unit("value", unit);
  if (request.spectrum) chart.y_label = with_unit("amplitude", unit), chart.y_log = true;
  chart.same_scale = chosen_across && unit == "m" && units.unit(across) == "m";
  LinesOfRuns lines(runs, chart);
  for (const std::string& name : names) {
    if (chosen_across)
      lines.add(name, [&](const PlottedRun& run, const std::string& y) {
        return portrait(run, across, y);
      });
    else
      lines.add(name, request.spectrum ? spectrum_of : course);
  }
  if (names.size() == 1 && runs.size() == 1) chart.lines[0].name = "";
  return {{chosen_across ? "portrait" : request.spectrum ? "spectrum" : "quantities", chart}};
}

}  // namespace cartan
