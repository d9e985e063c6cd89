// cartan plot: charts of what commands have written, as SVG and PNG.
#include <algorithm>
#include <filesystem>

#include <fmt/core.h>

#include "cli/arguments.h"
#include "cli/chart_pictures.h"
#include "cli/json_values.h"
#include "cli/numbers.h"
#include "io/output_files.h"
#include "report/plots.h"

namespace cartan {
namespace fs = std::filesystem;
namespace {

struct PlotArguments {
  PlotRequest request;
  std::string out, title, x_label, y_label, log;
  std::vector<std::string> formats = {"svg"};
  std::optional<double> width, height;
  bool json = false;
};

std::optional<int> read_plot_arguments(const Words& words, PlotArguments& o) {
  Arguments arguments(
      "plot",
      "Draw what commands have written: the folder of a run (energies, drift, violations, "
      "coordinates, phase portraits, spectrum), of `linearize --sweep`, `continue`, "
      "`equilibrium --search`, `lyapunov --section`, `fit`, `study`; the table of `compare`; any "
      "CSV file. "
      "Several runs share their charts.",
      "  cartan plot result\n"
      "  cartan plot result --quantity \"crank.q,crank.v\" --format png\n"
      "  cartan plot result --x platform.x --y platform.y\n"
      "  cartan plot result --quantity \"pivot.q*\" --spectrum\n"
      "  cartan plot first second --quantity energy\n"
      "  cartan compare MODEL --integrators gl2,gl3,rk4 --steps 0.02,0.01 --csv table.csv\n"
      "  cartan plot table.csv --out pictures");
  arguments.positional("DIR", "folders of results, or tables (.csv; .json of `compare`)",
                       o.request.paths);
  arguments.list("--quantity", "NAMES",
                 "columns to draw over time, `*` for any letters (of a branch: over the parameter)",
                 o.request.quantities);
  arguments.option("--x", "NAME", "column across; with --y: a phase portrait, a path", o.request.x);
  arguments.list("--y", "NAMES", "columns upwards, with --x", o.request.y);
  arguments.flag("--spectrum", "amplitudes over frequency of --quantity", o.request.spectrum);
  arguments.option("--from", "T", "draw from this time on", o.request.from);
  arguments.option("--to", "T", "draw up to this time", o.request.to);
  arguments.option("--log", "AXES", "logarithmic axes: x, y, xy or none (what fits)", o.log);
  arguments.option("--title", "TEXT", "title of the charts", o.title);
  arguments.option("--x-label", "TEXT", "label of the axis across, with its unit", o.x_label);
  arguments.option("--y-label", "TEXT", "label of the axis upwards, with its unit", o.y_label);
  arguments.list("--format", "NAMES", "svg, png (svg); png needs chromium", o.formats);
  arguments.option("--width", "W", "of a picture, in pixels (800)", o.width);
  arguments.option("--height", "H", "of a picture, in pixels (540)", o.height);
  arguments.option("--out", "DIR", "where to write (`plots` in the folder, or beside the file)",
                   o.out);
  arguments.flag("--json", "print one JSON object: `files`", o.json);
  arguments.names_from([&o] { return read_run_parameters(o.request.paths[0]); });
  return arguments.parse(words);
}

std::string find_contradiction(PlotArguments& o) {
  PlotRequest& r = o.request;
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
  for (const std::string& format : o.formats)
    if (format != "svg" && format != "png")
      return fmt::format("--format: expected svg or png, got '{}'", format);
  for (const auto& size : {o.width, o.height})
    if (size && !(*size >= 200 && *size <= 4000)) return "--width, --height: expected 200 to 4000";
  return "";
}

std::string default_folder(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return (fs::path(path) / "plots").string();
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

}  // namespace

int plot_command(const Words& words) {
  PlotArguments o;
  if (const std::optional<int> status = read_plot_arguments(words, o)) return *status;
  if (const std::string why = find_contradiction(o); !why.empty()) return complain("plot", why);
  std::string problem;
  std::vector<NamedChart> charts = make_plots(o.request, problem);
  if (charts.empty()) return complain("plot", problem);
  const std::string folder = o.out.empty() ? default_folder(o.request.paths[0]) : o.out;
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return complain("plot", fmt::format("{}: {}", folder, failed.message()));
  const bool png = std::count(o.formats.begin(), o.formats.end(), "png") > 0;
  const bool svg = std::count(o.formats.begin(), o.formats.end(), "svg") > 0;
  std::vector<std::string> files;
  std::vector<ChartPicture> pictures;
  for (NamedChart& named : charts) {
    Chart& chart = named.chart;
    if (!o.title.empty()) chart.title = o.title;
    if (!o.x_label.empty()) chart.x_label = o.x_label;
    if (!o.y_label.empty()) chart.y_label = o.y_label;
    chart.width = o.width.value_or(chart.width);
    chart.height = o.height.value_or(chart.height);
    const std::string base = (fs::path(folder) / named.name).string(), text = chart_svg(chart);
    if (svg && !write_whole_file(base + ".svg", text, Replace::yes, problem))
      return complain("plot", problem, exit_failed);
    if (svg) files.push_back(base + ".svg");
    if (png) files.push_back(base + ".png"), pictures.push_back({text, base + ".png"});
  }
  if (png && !write_pictures(pictures, problem)) return complain("plot", problem, exit_failed);
  if (o.json)
    print_json({{"files", files}});
  else
    for (const std::string& file : files) fmt::print("{}\n", file);
  return exit_done;
}

}  // namespace cartan
