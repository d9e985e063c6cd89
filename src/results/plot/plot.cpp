#include "results/plot/plot.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "io/output_files.h"
#include "report/plots.h"
#include "results/output_room.h"
#include "results/plot/chart_pictures.h"
#include "results/refusal.h"

namespace cartan::results {
namespace fs = std::filesystem;
namespace {

// "" or what contradicts itself.
std::string fill_plot(const api::PlotOptions& o, PlotRequest& r) {
  r.quantities = o.quantity;
  r.x = o.x;
  r.y = o.y;
  r.spectrum = o.spectrum;
  r.from = o.from;
  r.to = o.to;
  if (r.x.empty() != r.y.empty()) return "--x and --y belong together";
  if (!r.x.empty() && !r.quantities.empty())
    return "--quantity is drawn over time; with --x, name the columns with --y";
  if (r.spectrum && r.quantities.empty()) return "--spectrum needs --quantity";
  if (r.from && r.to && !(*r.from < *r.to)) return "--from: expected less than --to";
  if (!o.log.empty()) {
    if (o.log != "x" && o.log != "y" && o.log != "xy" && o.log != "none")
      return fmt::format("--log: expected x, y, xy or none, got '{}'", o.log);
    r.x_log = o.log[0] == 'x';
    r.y_log = o.log == "y" || o.log == "xy";
  }
  for (const std::string& format : o.format)
    if (format != "svg" && format != "png")
      return fmt::format("--format: expected svg or png, got '{}'", format);
  for (const auto& size : {o.width, o.height})
    if (size && !(*size >= 200 && *size <= 4000)) return "--width, --height: expected 200 to 4000";
  return "";
}

bool wants(const api::PlotOptions& o, const char* format) {
  return std::count(o.format.begin(), o.format.end(), format) > 0;
}

std::vector<std::string> picture_names(const api::PlotOptions& o,
                                       const std::vector<NamedChart>& charts) {
  std::vector<std::string> names;
  for (const NamedChart& named : charts)
    for (const char* format : {"svg", "png"})
      if (wants(o, format)) names.push_back(named.name + "." + format);
  return names;
}

bool draw(const api::PlotOptions& o, std::vector<NamedChart>& charts, OutputFolder& output,
          std::string& problem) {
  std::vector<ChartPicture> pictures;
  for (NamedChart& named : charts) {
    Chart& chart = named.chart;
    if (!o.title.empty()) chart.title = o.title;
    if (!o.x_label.empty()) chart.x_label = o.x_label;
    if (!o.y_label.empty()) chart.y_label = o.y_label;
    chart.width = o.width.value_or(chart.width);
    chart.height = o.height.value_or(chart.height);
    const std::string text = chart_svg(chart);
    if (wants(o, "svg") && !output.write(named.name + ".svg", text, problem)) return false;
    if (wants(o, "png")) pictures.push_back({text, output.add(named.name + ".png")});
  }
  return pictures.empty() || write_pictures(pictures, o.watch.stop, problem);
}

std::string default_folder(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return (fs::path(path) / "plots").string();
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

}  // namespace

std::vector<std::string> draw_plots(const std::vector<std::string>& paths,
                                    const api::PlotOptions& o) {
  PlotRequest request;
  request.paths = paths;
  if (paths.empty()) refuse("plot", "expected the folder of a result or a table");
  if (const std::string why = fill_plot(o, request); !why.empty()) refuse("plot", why);
  std::string problem;
  std::vector<NamedChart> charts = make_plots(request, problem);
  if (charts.empty()) refuse("plot", problem);
  const std::string folder = o.out.empty() ? default_folder(paths[0]) : o.out;
  const std::unique_ptr<OutputFolder> output =
      OutputFolder::open(folder, "plot", replace_if(o.force), problem);
  if (!output) refuse("plot", problem);
  output->keep_earlier();  // pictures of other quantities
  problem = output->find_conflict(picture_names(o, charts));
  if (!problem.empty()) refuse("plot", problem);
  if (!draw(o, charts, *output, problem) || !output->commit(problem)) fail("plot", problem);
  std::vector<std::string> files;
  for (const std::string& name : output->names())
    files.push_back((fs::path(folder) / name).string());
  return files;
}

}  // namespace cartan::results
