#include "report/run_plots.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include <fmt/format.h>

#include "report/run_lines.h"

namespace cartan::report {
namespace {

constexpr std::size_t most_lines = 7;  // of a chart: as many as there are colours

bool has_digit_after(const std::string& name, char letter) {
  const std::size_t dot = name.rfind('.');
  return dot != std::string::npos && name.size() > dot + 2 && name[dot + 1] == letter &&
         name.find_first_not_of("0123456789", dot + 2) == std::string::npos;
}

bool is_quaternion_part(const std::string& name) {
  for (const char* end : {".qw", ".qx", ".qy", ".qz"})
    if (name.ends_with(end)) return true;
  return false;
}

// Of many columns evenly spaced ones.
std::vector<std::string> thin_names(const std::vector<std::string>& names) {
  if (names.size() <= most_lines) return names;
  std::vector<std::string> kept;
  for (std::size_t k = 0; k < most_lines; ++k)
    kept.push_back(names[k * (names.size() - 1) / (most_lines - 1)]);
  return kept;
}

// " (7 of 12)", so that nobody takes what is shown for all there is.
std::string part_of(const std::vector<std::string>& shown, const std::vector<std::string>& names) {
  if (shown.size() == names.size()) return "";
  return fmt::format(" ({} of {})", shown.size(), names.size());
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
    for (const auto& [unit, names] : group_by_unit(runs_[0], others_))
      coordinate_chart("quantities", unit, names);
    phase_portraits();
    spectra();
    load_diagrams();
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
    const ResultTable& table = runs_[0].tables[0];
    for (std::size_t i = 1; i < table.names.size(); ++i) {
      const std::string& name = table.names[i];
      if (!table.has_numbers(i)) continue;
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
    Chart chart = start_chart(runs_, title + part_of(shown, names));
    const std::string quantity = names.size() == 1 ? names[0] : "value";
    chart.y_label = with_unit(quaternions            ? "number"
                              : what == "quantities" ? quantity
                                                     : what,
                              unit);
    LinesOfRuns lines(runs_, chart);
    for (const std::string& name : shown) lines.add(name, course);
    keep(file_name(what, unit), std::move(chart));
  }

  // Pairs of a coordinate and its speed; of [variables] the first two. Two columns of which no more
  // is known than their names make no portrait.
  std::vector<std::pair<std::string, std::string>> portrait_pairs() const {
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const auto& [unit, names] : coordinates_)
      for (const std::string& name : names) {
        std::string speed = name;
        speed[speed.rfind('.') + 1] = 'v';
        if (!unit.empty() && name.ends_with(".q0") && !runs_[0].find(speed).empty())
          pairs.emplace_back(name, speed);
      }
    const std::vector<std::string>& variables = runs_[0].variables;
    if (variables.size() > 1) pairs.emplace_back(variables[0], variables[1]);
    if (pairs.size() > 4) pairs.resize(4);
    return pairs;
  }

  void phase_portraits() {
    if (runs_[0].lists_items) return;
    for (const auto& [x, y] : portrait_pairs()) {
      Chart chart = start_chart(runs_, fmt::format("{} over {}", y, x));
      chart.x_label = runs_[0].units.with_unit(x);
      chart.y_label = runs_[0].units.with_unit(y);
      LinesOfRuns lines(runs_, chart);
      const std::string& across = x;
      lines.add(y, [&](const PlottedRun& run, const std::string& name) {
        return portrait(run, across, name);
      });
      if (runs_.size() == 1 && !chart.lines.empty()) chart.lines[0].name = "";
      keep("phase-" + x.substr(0, x.rfind('.')), std::move(chart));
    }
  }

  // Of coordinates, or of what a table has besides its time. Lengths and angles have an axis each.
  void spectra() {
    if (runs_[0].lists_items) return;
    std::vector<UnitGroup> groups;
    for (const auto& [unit, names] : coordinates_)
      if (!unit.empty()) groups.push_back({unit, names});
    std::vector<std::string> others;  // numbers of a quaternion do not swing each for itself
    std::copy_if(others_.begin(), others_.end(), std::back_inserter(others),
                 [](const std::string& name) { return !is_quaternion_part(name); });
    if (groups.empty()) groups = group_by_unit(runs_[0], others);
    for (const auto& [unit, names] : groups) {
      const std::vector<std::string> shown = thin_names(names);
      Chart chart = start_chart(runs_, "amplitude spectrum" + part_of(shown, names));
      chart.x_label = frequency_label(runs_[0]);
      chart.y_label = with_unit("amplitude", unit);
      chart.y_log = true;
      LinesOfRuns lines(runs_, chart);
      for (const std::string& name : shown) lines.add(name, spectrum_of);
      keep(&unit == &groups[0].unit ? "spectrum" : file_name("spectrum", unit), std::move(chart));
    }
  }

  // Loads along a body with several cuts: what they reach during the run, and at its end.
  void load_diagrams() {
    const std::vector<PlottedCut>& cuts = runs_[0].cuts;
    for (std::size_t i = 0; i < cuts.size();) {
      std::size_t end = i;
      while (end < cuts.size() && cuts[end].body == cuts[i].body) ++end;
      const std::vector<PlottedCut> of_body(cuts.begin() + static_cast<long>(i),
                                            cuts.begin() + static_cast<long>(end));
      load_diagram(of_body, "force", "N", "axial", "shear");
      load_diagram(of_body, "moment", "N m", "torsion", "bending");
      i = end;
    }
  }
  void load_diagram(const std::vector<PlottedCut>& cuts, const std::string& what, const char* unit,
                    const char* along, const char* across) {
    Chart chart;
    chart.title = fmt::format("{} in the cuts of {}", what, cuts[0].body);
    chart.x_label = "place along the normal [m]";
    chart.y_label = with_unit(what, unit);
    const auto add = [&](const char* part, const char* words, int colour, bool dashed, auto pick) {
      ChartLine line;
      line.name = fmt::format("{}, {}", part, words);
      line.colour = colour;
      line.dashed = dashed;
      line.drawn = ChartDrawn::both;
      for (const PlottedCut& cut : cuts) {
        const auto found = runs_[0].find(cut.name + "." + part);
        if (found.empty() || found[0].values().empty()) continue;
        line.points.emplace_back(cut.place, pick(found[0].values()));
      }
      if (!line.points.empty()) chart.lines.push_back(std::move(line));
    };
    const auto most = [](const std::vector<double>& v) {
      return *std::max_element(v.begin(), v.end());
    };
    const auto least = [](const std::vector<double>& v) {
      return *std::min_element(v.begin(), v.end());
    };
    const auto last = [](const std::vector<double>& v) { return v.back(); };
    add(along, "largest", 0, false, most);
    add(along, "least", 1, false, least);
    add(along, "at the end", 0, true, last);
    add(across, "largest", 2, false, most);
    add(across, "at the end", 2, true, last);
    keep(fmt::format("loads-{}-{}", cuts[0].body, what), std::move(chart));
  }

  const std::vector<PlottedRun>& runs_;
  Groups coordinates_, speeds_;
  std::vector<std::string> others_;
  std::vector<NamedChart> charts_;
};

}  // namespace

std::vector<NamedChart> draw_runs(const std::vector<PlottedRun>& runs) {
  return RunDrawer(runs).draw();
}

std::vector<NamedChart> draw_over_first(const PlottedRun& run) {
  const std::vector<PlottedRun> runs = {run};
  const ResultTable& table = run.tables[0];
  const std::vector<double>& x = table.numbers[0];
  const auto steady = [&](auto before) {
    return std::adjacent_find(x.begin(), x.end(),
                              [&](double a, double b) { return !before(a, b); }) == x.end();
  };
  const bool course_of_x = !run.lists_items && (steady(std::less<>()) || steady(std::greater<>()));
  std::vector<std::string> names;
  for (std::size_t i = 1; i < table.names.size(); ++i)
    if (table.has_numbers(i)) names.push_back(table.names[i]);
  // items have their words along the axis, where these have room
  constexpr std::size_t most_words = 12, most_letters = 90;
  std::vector<std::pair<double, std::string>> words;
  if (table.names[0] == "row" && table.names.size() > 1 && table.rows() <= most_words)
    for (std::size_t i = 0; i < table.words[1].size(); ++i)
      words.emplace_back(x[i], table.words[1][i]);
  std::size_t letters = 0;
  for (const auto& [at, word] : words) letters += word.size() + 2;
  if (letters > most_letters) words.clear();
  const std::string across = words.empty() ? table.names[0] : table.names[1];
  std::vector<NamedChart> charts;
  for (const auto& [unit, columns] : group_by_unit(run, names)) {
    const std::vector<std::string> shown = thin_names(columns);
    const bool single = columns.size() == 1;
    Chart chart =
        start_chart(runs, fmt::format("{}: {}{} over {}", run.name, single ? columns[0] : "columns",
                                      part_of(shown, columns), across));
    chart.x_names = words;
    chart.x_label = run.units.with_unit(across);
    chart.y_label = single ? run.units.with_unit(columns[0]) : with_unit("value", unit);
    LinesOfRuns lines(runs, chart);
    for (const std::string& name : shown) lines.add(name, course);
    for (ChartLine& line : chart.lines) {
      line.drawn = course_of_x ? ChartDrawn::both : ChartDrawn::points;
      if (single) line.name = "";
    }
    charts.push_back({file_name("quantities", unit), std::move(chart)});
  }
  return charts;
}

}  // namespace cartan::report
