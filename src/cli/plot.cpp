// cartan plot: charts of what commands have written, as SVG and PNG.
#include <fmt/core.h>

#include "cli/terminal/arguments.h"
#include "cli/terminal/json_output.h"
#include "cli/terminal/out_option.h"
#include "cli/terminal/terminal_watch.h"
#include "results/load/numbers.h"
#include "results/plot/plot.h"

namespace cartan::cli {
namespace {

struct PlotArguments {
  std::vector<std::string> paths;
  api::PlotOptions plot;
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
  arguments.positional("DIR", "folders of results, or tables (.csv; .json of `compare`)", o.paths);
  arguments.list("--quantity", "NAMES",
                 "columns to draw over time, `*` for any letters (of a branch: over the parameter)",
                 o.plot.quantity);
  arguments.option("--x", "NAME", "column across; with --y: a phase portrait, a path", o.plot.x);
  arguments.list("--y", "NAMES", "columns upwards, with --x", o.plot.y);
  arguments.flag("--spectrum", "amplitudes over frequency of --quantity", o.plot.spectrum);
  arguments.option("--from", "T", "draw from this time on", o.plot.from);
  arguments.option("--to", "T", "draw up to this time", o.plot.to);
  arguments.option("--log", "AXES", "logarithmic axes: x, y, xy or none (what fits)", o.plot.log);
  arguments.option("--title", "TEXT", "title of the charts", o.plot.title);
  arguments.option("--x-label", "TEXT", "label of the axis across, with its unit", o.plot.x_label);
  arguments.option("--y-label", "TEXT", "label of the axis upwards, with its unit", o.plot.y_label);
  arguments.list("--format", "NAMES", "svg, png (svg); png needs chromium", o.plot.format);
  arguments.option("--width", "W", "of a picture, in pixels (800)", o.plot.width);
  arguments.option("--height", "H", "of a picture, in pixels (540)", o.plot.height);
  arguments.option("--out", "DIR", "where to write (`plots` in the folder, or beside the file)",
                   o.plot.out);
  declare_force(arguments, o.plot.force);
  arguments.flag("--json", "print one JSON object: `files`", o.json);
  arguments.names_from([&o] { return read_run_parameters(o.paths[0]); });
  return arguments.parse(words);
}

}  // namespace

int plot_command(const Words& words) {
  PlotArguments o;
  if (const std::optional<int> status = read_plot_arguments(words, o)) return *status;
  o.plot.watch = interruptible({});
  const std::vector<std::string> files = draw_plots(o.paths, o.plot);
  if (o.json)
    print_json({{"files", files}});
  else
    for (const std::string& file : files) fmt::print("{}\n", file);
  return exit_done;
}

}  // namespace cartan::cli
