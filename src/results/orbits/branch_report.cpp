#include "results/orbits/branch_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "io/csv.h"
#include "io/output_files.h"
#include "report/chart.h"
#include "report/column_units.h"
#include "results/load/analysis_state.h"
#include "results/option_names.h"
#include "results/output_room.h"
#include "results/refusal.h"

namespace cartan::results {
namespace {

int number_count(const System& system) {
  return system.space().size() - system.quadratures();
}

template <class Use>
void for_each_state(const BranchDiagram& diagram, Use&& use) {
  for (const FollowedBranch& followed : diagram.branches)
    for (const BranchSample& sample : followed.branch.samples) use(sample.point);
}

// The number with the largest range among coordinates (else among all).
int most_changing(const BranchDiagram& diagram) {
  const System& system = diagram.system_at(diagram.request.from);
  const int all = number_count(system);
  const int positions = system.kinematic_size() > 0 ? system.kinematic_size() : all;
  std::vector<double> low(all, INFINITY), high(all, -INFINITY);
  for_each_state(diagram, [&](const ContinuationPoint& point) {
    for (int i = 0; i < all; ++i) {
      low[i] = std::min(low[i], point.states[0].x[i]);
      high[i] = std::max(high[i], point.states[0].x[i]);
    }
  });
  const auto best = [&](int count) {
    int result = 0;
    for (int i = 0; i < count; ++i)
      if (high[i] - low[i] > high[result] - low[result]) result = i;
    return result;
  };
  const int position = best(positions);
  return high[position] - low[position] > 1e-6 ? position : best(all);
}

}  // namespace

double growth_of(const Spectrum& spectrum) {
  double most = -INFINITY;
  for (const auto& value : spectrum.values) most = std::max(most, spectrum.growth(value));
  return most;
}

std::string describe(const FoundBifurcation& found) {
  std::string text = to_string(found.what.kind);
  if (!found.criticality.empty()) text += " (" + found.criticality + ")";
  return text;
}

ShownQuantity choose_shown(const BranchDiagram& diagram) {
  const std::string& text = diagram.request.show;
  ShownQuantity shown;
  std::function<double(const ContinuationPoint&)> value;
  std::string problem;
  if (text.empty()) {
    const int i = most_changing(diagram);
    const System& system = diagram.system_at(diagram.request.from);
    const std::string name = system.component_name(i);
    shown.label = ColumnUnits::of(*diagram.model).with_unit(name);
    value = [i](const ContinuationPoint& point) { return point.states[0].x[i]; };
  } else {
    shown.label = ColumnUnits::of(*diagram.model).with_unit(text);
    value = [&](const ContinuationPoint& point) {
      const System& system = diagram.system_at(point.parameter());
      const auto function = make_state_function(system, *diagram.model, text, problem);
      return function->value(point.states[0], *system.make_workspace());
    };
  }
  for (const FollowedBranch& followed : diagram.branches) {
    shown.values.emplace_back();
    for (const BranchSample& sample : followed.branch.samples)
      shown.values.back().push_back(value(sample.point));
  }
  for (const FoundBifurcation& found : diagram.bifurcations)
    shown.at_bifurcations.push_back(value(found.what.at.point));
  return shown;
}

std::string describe_form(const NormalForm& form) {
  if (form.kind.empty() || !form.problem.empty()) return "";
  const bool hopf = form.kind == "hopf";
  const bool quadratic = form.kind == "fold" || form.kind == "transcritical";
  return fmt::format("{} {:.6g}{}",
                     hopf        ? "first Lyapunov coefficient"
                     : quadratic ? form.kind + ", quadratic coefficient"
                                 : form.kind + ", cubic coefficient",
                     form.coefficient,
                     form.slope ? fmt::format(", d parameter/d amplitude{} {:.6g}",
                                              form.kind == "transcritical" ? "" : "^2", *form.slope)
                                : "");
}

Json normal_form_json(const NormalForm& form) {
  Json json = {{"kind", form.kind}};
  if (!form.problem.empty()) {
    json["problem"] = form.problem;
    return json;
  }
  json["coefficient"] = form.coefficient;
  if (form.kind == "hopf") json["cubic"] = {form.cubic.real(), form.cubic.imag()};
  if (form.kind != "fold" && form.kind != "period-doubling")
    json["crossing"] = {form.crossing.real(), form.crossing.imag()};
  if (form.slope) json["slope"] = *form.slope;
  return json;
}

Json bifurcations_json(const BranchDiagram& diagram) {
  Json list = Json::array();
  for (const FoundBifurcation& found : diagram.bifurcations) {
    const ContinuationPoint& point = found.what.at.point;
    const bool orbits = diagram.branches[found.branch].orbits;
    Json entry = {{"kind", to_string(found.what.kind)},
                  {"parameter", point.parameter()},
                  {"branch", found.branch + 1},
                  {"state", model_state_json(*diagram.model, diagram.system_at(point.parameter()),
                                             point.states[0])},
                  {"critical", {found.what.critical.real(), found.what.critical.imag()}},
                  {"unstable_before", found.what.unstable_before},
                  {"unstable_after", found.what.unstable_after}};
    if (!found.criticality.empty()) entry["criticality"] = found.criticality;
    if (found.slope != 0) entry["slope"] = found.slope;
    if (!found.form.kind.empty()) entry["normal_form"] = normal_form_json(found.form);
    if (orbits) entry["period"] = point.numbers[0];
    list.push_back(std::move(entry));
  }
  return list;
}

Json branches_json(const BranchDiagram& diagram) {
  Json points = Json::array(), branches = Json::array();
  for (std::size_t b = 0; b < diagram.branches.size(); ++b) {
    const FollowedBranch& followed = diagram.branches[b];
    for (const BranchSample& s : followed.branch.samples) {
      Json entry = {
          {"branch", b + 1},
          {"parameter", s.point.parameter()},
          {"state", model_state_json(*diagram.model, diagram.system_at(s.point.parameter()),
                                     s.point.states[0])},
          {followed.orbits ? "multipliers" : "eigenvalues", complex_json(s.spectrum.values)},
          {"neutral", s.spectrum.neutral},
          {"stable", s.stable},
          {"unstable", s.spectrum.unstable()}};
      if (followed.orbits) entry["period"] = s.point.numbers[0];
      points.push_back(std::move(entry));
    }
    branches.push_back({{"branch", b + 1},
                        {"of", followed.orbits ? "orbit" : "equilibrium"},
                        {"origin", followed.origin},
                        {"points", followed.branch.samples.size()},
                        {"reached", followed.branch.reached},
                        {"end", name_options(followed.branch.end)}});
  }
  Json json = {{"model", diagram.model->name},
               {"parameter", diagram.request.parameter},
               {"of", diagram.request.orbits ? "orbit" : "equilibrium"},
               {"held", diagram.held},
               {"branch", std::move(points)},
               {"bifurcations", bifurcations_json(diagram)},
               {"branches", std::move(branches)},
               {"notes", diagram.notes}};
  if (!diagram.not_held.empty()) json["not_held"] = diagram.not_held;
  return json;
}

std::string branch_table(const BranchDiagram& diagram) {
  const System& system = diagram.system_at(diagram.request.from);
  const int count = number_count(system);
  std::size_t most = 0;
  bool periods = false;
  for (const FollowedBranch& followed : diagram.branches) {
    periods |= followed.orbits;
    for (const BranchSample& s : followed.branch.samples)
      most = std::max(most, s.spectrum.values.size());
  }
  std::string text = "branch,";
  const std::string& name = diagram.request.parameter;
  text += name.find_first_of(",\"") == std::string::npos ? name : "parameter";
  text += ",stable,unstable,orbit";
  if (periods) text += ",period";
  for (std::size_t k = 0; k < most; ++k) text += fmt::format(",re{0},im{0}", k);
  for (int i = 0; i < count; ++i) text += "," + system.component_name(i);
  text += '\n';
  const auto add = [&](double value) {
    text += ',';
    append_number(text, value);
  };
  for (std::size_t b = 0; b < diagram.branches.size(); ++b)
    for (const BranchSample& s : diagram.branches[b].branch.samples) {
      const bool orbits = diagram.branches[b].orbits;
      text += fmt::format("{}", b + 1);
      add(s.point.parameter());
      text += fmt::format(",{},{},{}", s.stable ? 1 : 0, s.spectrum.unstable(), orbits ? 1 : 0);
      if (periods) add(orbits ? s.point.numbers[0] : 0);
      for (std::size_t k = 0; k < most; ++k) {
        const bool there = k < s.spectrum.values.size();
        add(there ? s.spectrum.values[k].real() : std::nan(""));
        add(there ? s.spectrum.values[k].imag() : std::nan(""));
      }
      for (int i = 0; i < count; ++i) add(s.point.states[0].x[i]);
      text += '\n';
    }
  return text;
}

std::string branch_picture(const BranchDiagram& diagram, const ShownQuantity& shown) {
  Chart chart;
  chart.title = diagram.model->title();
  chart.x_label = ColumnUnits::of(*diagram.model).with_unit(diagram.request.parameter);
  chart.y_label = shown.label;
  chart.solid_means = "stable";
  chart.dashed_means = "unstable";
  for (std::size_t b = 0; b < diagram.branches.size(); ++b) {
    const auto& samples = diagram.branches[b].branch.samples;
    ChartLine line;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const std::pair<double, double> point(samples[i].point.parameter(), shown.values[b][i]);
      if (i == 0 || samples[i].stable == line.dashed) {  // stability changes: a line of its own
        if (i > 0) {
          line.points.push_back(point);
          chart.lines.push_back(line);
        }
        line = {{}, !samples[i].stable, static_cast<int>(b)};
      }
      line.points.push_back(point);
    }
    chart.lines.push_back(line);
  }
  for (std::size_t k = 0; k < diagram.bifurcations.size(); ++k)
    chart.marks.push_back({diagram.bifurcations[k].what.at.point.parameter(),
                           shown.at_bifurcations[k], describe(diagram.bifurcations[k])});
  return chart_svg(chart);
}

void write_branches(const BranchDiagram& diagram, const ShownQuantity& shown,
                    const std::string& folder, bool force) {
  std::string problem;
  const std::unique_ptr<OutputFolder> output =
      OutputFolder::open(folder, "continue", replace_if(force), problem);
  if (!output) refuse("continue", problem);
  const std::string table = branch_table(diagram);
  const ColumnUnits units = ColumnUnits::of(*diagram.model);
  const bool written =
      output->write("branch.csv", table, problem) &&
      output->write("units.json", units.json_for(table), problem) &&
      output->write("bifurcations.json", bifurcations_json(diagram).dump(2) + "\n", problem) &&
      output->write("branch.svg", branch_picture(diagram, shown), problem) &&
      output->commit(problem);
  if (!written) fail("continue", problem);
}

}  // namespace cartan::results
