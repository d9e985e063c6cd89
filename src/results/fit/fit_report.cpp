#include "results/fit/fit_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "io/csv.h"
#include "report/chart.h"
#include "results/json_values.h"

namespace cartan::results {
namespace {

struct ColumnMisfit {
  double before = 0, after = 0;  // root mean square, units of the data
  int count = 0;
};

std::vector<std::vector<ColumnMisfit>> calc_misfits(const FitReport& report) {
  std::vector<std::vector<ColumnMisfit>> misfits;
  for (const FitExperiment& e : report.setup.problem.experiments)
    misfits.emplace_back(e.columns.size());
  for (const FitPoint& p : report.result.points) {
    ColumnMisfit& m = misfits[p.experiment][p.column];
    m.before += (p.before - p.measured) * (p.before - p.measured);
    m.after += (p.after - p.measured) * (p.after - p.measured);
    ++m.count;
  }
  for (auto& list : misfits)
    for (ColumnMisfit& m : list)
      m.before = std::sqrt(m.before / std::max(m.count, 1)),
      m.after = std::sqrt(m.after / std::max(m.count, 1));
  return misfits;
}

bool at_bound(const FitResult& result, std::size_t j) {
  return std::find(result.at_bound.begin(), result.at_bound.end(), static_cast<int>(j)) !=
         result.at_bound.end();
}

// Correlation of neighbours: of each residual with the next of its column. Independent errors leave
// about 1 / sqrt(count).
struct NeighbourCorrelation {
  double value = 0;
  int count = 0;
  bool is_visible() const { return count > 10 && std::fabs(value) > 3 / std::sqrt(count); }
};

NeighbourCorrelation calc_correlation(const FitReport& report) {
  const std::vector<FitPoint>& points = report.result.points;
  NeighbourCorrelation result;
  double products = 0, squares = 0;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const FitPoint &a = points[i], &b = points[i + 1];
    if (a.experiment != b.experiment || a.column != b.column) continue;
    const int k = static_cast<int>(i);
    products += report.result.residuals(k) * report.result.residuals(k + 1);
    squares += 0.5 * (std::pow(report.result.residuals(k), 2) +
                      std::pow(report.result.residuals(k + 1), 2));
    ++result.count;
  }
  if (squares > 0) result.value = products / squares;
  return result;
}

// "0.8 c3 - 0.6 c4": a direction in units of the parameters' sizes.
std::string direction_text(const FitReport& report, const Eigen::VectorXd& direction) {
  std::string text;
  for (int j = 0; j < direction.size(); ++j) {
    if (std::fabs(direction(j)) < 0.01) continue;
    const char* sign =
        direction(j) < 0 ? (text.empty() ? "-" : " - ") : (text.empty() ? "" : " + ");
    text += fmt::format("{}{:.2f} {}", sign, std::fabs(direction(j)), report.setup.names[j]);
  }
  return text;
}

// Text as one cell of a table.
std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

// Intervals over which the model is far from linear.
std::string curvature_text(const FitReport& report) {
  constexpr double far = 1.5;
  std::string text;
  for (int j = 0; j < report.result.curvature.size(); ++j)
    if (report.result.curvature(j) > far)
      text += fmt::format(
          "the interval of {} is a rough one: at its ends the cost rises {:.2g} times more or less "
          "than the linear model says\n",
          report.setup.names[j], report.result.curvature(j));
  return text;
}

}  // namespace

std::string fit_text(const FitReport& report) {
  const FitResult& r = report.result;
  std::string text = fmt::format("{} measurements, {} free parameter{}, {} iterations\n\n",
                                 r.points.size(), report.setup.names.size(),
                                 report.setup.names.size() == 1 ? "" : "s", r.iterations);
  text += fmt::format("{:<16} {:>16} {:>18} {:>14} {:>36}\n", "parameter", "at the start", "fitted",
                      "standard error", "95 per cent interval");
  for (std::size_t j = 0; j < report.setup.names.size(); ++j) {
    const int i = static_cast<int>(j);
    text += fmt::format("{:<16} {:>16.9g} {:>18.12g}", report.setup.names[j],
                        report.setup.problem.start(i), r.theta(i));
    if (r.standard_errors.size() > 0)
      text += fmt::format(" {:>14.3g} {:>36}", r.standard_errors(i),
                          fmt::format("{:.9g} .. {:.9g}", r.interval_low(i), r.interval_high(i)));
    text += at_bound(r, j) ? "  (at its bound)\n" : "\n";
  }
  text += fmt::format("\ncost 1/2 |r|^2: {:.6g} at the start, {:.6g} now\n", r.initial_cost,
                      r.final_cost);
  if (r.scale > 0)
    text += fmt::format(
        "residuals are {:.3g} times the sigmas (intervals take this into account)\n", r.scale);
  if (const NeighbourCorrelation c = calc_correlation(report); c.is_visible())
    text += fmt::format(
        "neighbouring residuals are correlated ({:.2f}): the model misses something, or errors are "
        "not independent; intervals are then too short\n",
        c.value);
  text += curvature_text(report);
  text += "\nroot mean square of what is left, in units of the data:\n";
  const auto misfits = calc_misfits(report);
  for (std::size_t e = 0; e < misfits.size(); ++e)
    for (std::size_t c = 0; c < misfits[e].size(); ++c) {
      const FitExperiment& experiment = report.setup.problem.experiments[e];
      text += fmt::format("  {:<24} {:<20} {:>12.4g} -> {:<12.4g} ({} values, sigma {:.4g})\n",
                          experiment.name, experiment.columns[c].name, misfits[e][c].before,
                          misfits[e][c].after, misfits[e][c].count, experiment.columns[c].sigma);
    }
  return text;
}

std::string fit_json(const FitReport& report) {
  const FitResult& r = report.result;
  const bool known = r.standard_errors.size() > 0;
  Json values = Json::object(), start = Json::object(), errors = Json::object(),
       intervals = Json::object(), curvature = Json::object(), open = Json::array(),
       bound = Json::array();
  for (std::size_t j = 0; j < report.setup.names.size(); ++j) {
    const int i = static_cast<int>(j);
    const std::string& name = report.setup.names[j];
    values[name] = r.theta(i);
    start[name] = report.setup.problem.start(i);
    if (at_bound(r, j)) bound.push_back(name);
    if (!known) continue;
    curvature[name] = r.curvature(i);
    errors[name] = r.standard_errors(i);
    intervals[name] = {r.interval_low(i), r.interval_high(i)};
  }
  for (const OpenDirection& d : r.open) {
    Json direction = Json::object();
    for (std::size_t j = 0; j < report.setup.names.size(); ++j)
      direction[report.setup.names[j]] = d.direction(static_cast<int>(j));
    open.push_back({{"strength", d.strength}, {"direction", std::move(direction)}});
  }
  Json columns = Json::array();
  const auto misfits = calc_misfits(report);
  for (std::size_t e = 0; e < misfits.size(); ++e)
    for (std::size_t c = 0; c < misfits[e].size(); ++c) {
      const FitExperiment& experiment = report.setup.problem.experiments[e];
      columns.push_back({{"experiment", experiment.name},
                         {"column", experiment.columns[c].name},
                         {"sigma", experiment.columns[c].sigma},
                         {"count", misfits[e][c].count},
                         {"rms_before", misfits[e][c].before},
                         {"rms_after", misfits[e][c].after}});
    }
  const Json json = {{"parameters", std::move(values)},
                     {"start", std::move(start)},
                     {"initial_cost", r.initial_cost},
                     {"final_cost", r.final_cost},
                     {"covariance", known ? json_of(r.covariance) : Json(nullptr)},
                     {"standard_errors", std::move(errors)},
                     {"intervals", std::move(intervals)},
                     {"curvature", std::move(curvature)},
                     {"residual_scale", r.scale},
                     {"residual_correlation", calc_correlation(report).value},
                     {"at_bound", std::move(bound)},
                     {"undetermined", std::move(open)},
                     {"residuals", r.points.size()},
                     {"iterations", r.iterations},
                     {"converged", r.converged},
                     {"columns", std::move(columns)}};
  return json.dump(2) + "\n";
}

// Akaike's criterion for Gaussian errors of unknown size: n log(2 cost / n) + 2 k.
static double calc_criterion(const FitResult& r) {
  const double n = static_cast<double>(r.points.size());
  return n * std::log(std::max(2 * r.final_cost / n, 1e-300)) + 2.0 * r.theta.size();
}

std::string alternatives_text(const std::vector<FitReport>& reports) {
  std::string text =
      fmt::format("{} measurements\n\n{:>12} {:>12} {:>10}  {}\n", reports[0].result.points.size(),
                  "cost before", "cost after", "criterion", "fitted");
  for (const FitReport& report : reports) {
    const FitResult& r = report.result;
    std::string values;
    for (std::size_t j = 0; j < report.setup.names.size(); ++j) {
      const int i = static_cast<int>(j);
      values += fmt::format("{}{} = {:.6g}", j > 0 ? ", " : "", report.setup.names[j], r.theta(i));
      if (r.standard_errors.size() > 0) values += fmt::format(" +- {:.2g}", r.standard_errors(i));
    }
    text += fmt::format("{:>12.5g} {:>12.5g} {:>10.1f}  {}\n", r.initial_cost, r.final_cost,
                        calc_criterion(r), values);
  }
  return text +
         "\ncost: 1/2 |r|^2; criterion: n log(2 cost/n) + 2 k (Akaike), the smallest is best\n";
}

std::string alternatives_json(const std::vector<FitReport>& reports) {
  Json list = Json::array();
  for (const FitReport& report : reports) {
    Json json = Json::parse(fit_json(report));
    json["criterion"] = calc_criterion(report.result);
    list.push_back(std::move(json));
  }
  return Json{{"alternatives", std::move(list)}}.dump(2) + "\n";
}

std::string residuals_csv(const FitReport& report) {
  std::string text = "experiment,column,row,t,measured,before,after\n";
  for (const FitPoint& p : report.result.points) {
    const FitExperiment& e = report.setup.problem.experiments[p.experiment];
    text += fmt::format("{},{},{}", csv_cell(e.name), csv_cell(e.columns[p.column].name), p.row);
    for (double number : {p.t, p.measured, p.before, p.after}) {
      text += ',';
      append_number(text, number);
    }
    text += '\n';
  }
  return text;
}

std::string residuals_svg(const FitReport& report, int experiment) {
  const FitExperiment& e = report.setup.problem.experiments[experiment];
  Chart chart;
  chart.title = fmt::format("Residuals, {}", e.name);
  chart.x_label = "t";
  chart.y_label = "(model - measured) / sigma";
  chart.solid_means = "after the fit";
  chart.dashed_means = "before";
  for (int c = 0; c < static_cast<int>(e.columns.size()); ++c) {
    ChartLine before{{}, true, c}, after{{}, false, c};
    for (const FitPoint& p : report.result.points) {
      if (p.experiment != experiment || p.column != c) continue;
      before.points.emplace_back(p.t, (p.before - p.measured) / e.columns[c].sigma);
      after.points.emplace_back(p.t, (p.after - p.measured) / e.columns[c].sigma);
    }
    if (after.points.empty()) continue;
    const auto [t, last] = before.points.back();
    chart.marks.push_back({t, last, e.columns[c].name});
    chart.lines.push_back(std::move(before));
    chart.lines.push_back(std::move(after));
  }
  return chart_svg(chart);
}

std::string fit_warnings(const FitReport& report) {
  std::string text;
  if (!report.result.converged)
    text +=
        "cartan fit: the iteration has not converged; more --iterations or a better start may "
        "help\n";
  for (const OpenDirection& d : report.result.open)
    text += fmt::format(
        "cartan fit: the data do not determine the parameters: along {} (in units of their sizes) "
        "nothing changes; fix one of them, or measure something else\n",
        direction_text(report, d.direction));
  return text;
}

}  // namespace cartan::results
