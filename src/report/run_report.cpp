#include "report/run_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/html_page.h"
#include "report/plots.h"
#include "report/viewer_data.h"
#include "report/viewer_page.h"

namespace cartan::report {
namespace {

// What a chart shows, by the name of its file.
std::string caption_of(const NamedChart& named) {
  const std::string& name = named.name;
  if (name == "energies") return "Kinetic, potential and total energy over time.";
  if (name == "drift")
    return "Change of the total energy since the start. Drives and forces without a potential "
           "change "
           "it rightly; what is left after their work is the drift in the summary.";
  if (name == "violations")
    return "Largest violation of any constraint on positions, logarithmic: what the integration "
           "and "
           "its stabilisation leave.";
  if (name.starts_with("coordinates")) return "Coordinates of the joints over time.";
  if (name.starts_with("speeds")) return "Speeds of the joints over time.";
  if (name.starts_with("phase"))
    return "Phase portrait: " + named.chart.y_label + " over " + named.chart.x_label + ".";
  if (name.starts_with("spectrum"))
    return "Amplitude spectrum of the coordinates (a straight line taken off, Hann window): peaks "
           "are "
           "frequencies of the motion.";
  return "Quantities of the run over time.";
}

std::string table_of(const std::vector<std::pair<std::string, std::string>>& rows) {
  std::string text = "<table>\n";
  for (const auto& [what, which] : rows)
    text +=
        fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", escape_markup(what), escape_markup(which));
  return text + "</table>\n";
}

std::string parameters_part(const std::string& summary) {
  const auto json = nlohmann::ordered_json::parse(summary, nullptr, false);
  if (!json.is_object() || !json.contains("parameters") || json["parameters"].empty()) return "";
  std::string text = "<h3>Parameters</h3>\n<div class=\"parameters\">\n";
  for (const auto& [name, value] : json["parameters"].items())
    text += fmt::format("<span><b>{}</b> {}</span>\n", escape_markup(name),
                        escape_markup(value.dump()));
  return text + "</div>\n";
}

std::string viewer_part(const ViewerRun& run, const ViewerLimits& limits) {
  std::string problem;
  const auto page = read_viewer_page(problem);
  if (!page)
    return fmt::format(
        "<p>The motion can be watched with <code>cartan view</code>; it is not in this "
        "file: {}.</p>\n",
        escape_markup(problem));
  return fmt::format("<iframe title=\"the motion\" srcdoc=\"{}\"></iframe>\n",
                     escape_markup(page_with_data(*page, viewer_data({run}, "run", "", limits))));
}

}  // namespace

std::string run_report_page(const std::string& folder, const RunReportFacts& facts,
                            std::string& problem) {
  ViewerLimits limits;
  limits.frames = 2001;
  limits.samples = 2001;
  limits.pose_numbers = 1000000;
  limits.table_numbers = 200000;
  ViewerRun run;
  if (!read_viewer_run(folder, limits, run, problem)) return "";
  const std::vector<NamedChart> charts = run_plots(folder, problem);
  if (!problem.empty()) return "";
  const auto model = nlohmann::json::parse(run.model, nullptr, false);
  const std::string name =
      model.is_object() && model.contains("name") && model["name"].is_string() ? model["name"] : "";
  std::string body =
      fmt::format("<h1>{}</h1>\n<h2>Summary</h2>\n<pre>{}</pre>\n",
                  escape_markup(name.empty() ? "Run" : name), escape_markup(facts.summary));
  body += "<h2>Motion</h2>\n" + viewer_part(run, limits);
  body += "<h2>Charts</h2>\n<div class=\"figures\">\n";
  for (NamedChart named : charts) {
    named.chart.width = 640;
    named.chart.height = 400;
    body += html_figure(named.chart, caption_of(named));
  }
  body +=
      "</div>\n<h2>Provenance</h2>\n" + table_of(facts.provenance) + parameters_part(run.summary);
  body += fmt::format("<details><summary>Model file {}</summary><pre>{}</pre></details>\n",
                      escape_markup(facts.model_file), escape_markup(facts.model_text));
  return html_page(name.empty() ? "Run" : name, body);
}

}  // namespace cartan::report
