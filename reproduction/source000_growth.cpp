// Source 000: computation time over the number of links (3.2.5, table 3.3).
#include "reproduction/source000.h"

#include <cmath>

#include <fmt/format.h>

#include "reproduction/drawing.h"

namespace cartan::reproduction {
namespace {

std::string chain_text(int links, double tilt) {
  std::string text = fmt::format(
      "# {0} rods on ball joints (source 000, table 3.3), written by `cartan reproduce`.\n\n"
      "name = \"chain of {0} rods\"\n\n[parameters]\nm = 50\nL = 2\nw = 0.2\ntilt = {1}\n",
      links, tilt);
  for (int i = 1; i <= links; ++i)
    text += fmt::format(
        "\n[[body]]\nname = \"link{0}\"\nmass = \"m\"\ncom = [0, 0, \"-L/2\"]\n"
        "inertia = [\"m*(L^2 + w^2)/12\", \"m*(L^2 + w^2)/12\", \"m*w^2/6\"]\n"
        "shape = {{ box = [\"w\", \"w\", \"L\"], at = [0, 0, \"-L/2\"] }}\n\n"
        "[[joint]]\nname = \"joint{0}\"\ntype = \"spherical\"\nparent = {{ body = \"{1}\"{2} }}\n"
        "child = {{ body = \"link{0}\" }}\n{3}",
        i, i == 1 ? "world" : fmt::format("link{}", i - 1), i == 1 ? "" : ", at = [0, 0, \"-L\"]",
        i == 1 ? "position = { axis = [1, 0, 0], angle = \"tilt\" }\n" : "");
  return text + "\n[simulate]\nduration = 10\nstep = 0.01\nintegrator = \"gl3\"\n";
}

struct Timing {
  int links;
  double printed;
};
const Timing timings[] = {{4, 0.719}, {8, 2.27}, {16, 10.7}, {32, 45.6}, {48, 103}, {64, 204}};

// The whole process: the program itself, the model, the run.
void add_memory(Workshop& shop, Record& record) {
  for (const int links : {4, 64}) {
    const double megabytes = shop.memory(
        {"run", shop.write_model(fmt::format("chain_{}", links), chain_text(links, 0.1)),
         "--duration", fmt::format("{:g}", shop.choose(10, 1)), "--quiet"});
    record.rows.push_back({fmt::format("most memory of the process, {} links", links),
                           "90 MB (the length is not said)", fmt::format("{:.0f} MB", megabytes),
                           megabytes < 90 ? Verdict::better : Verdict::differs,
                           "of the command below, as its parent is told when it ends"});
  }
}

}  // namespace

void table_33(Workshop& shop, Record& record) {
  Sheet sheet;
  sheet.caption =
      "Seconds to integrate 10 s with gl3, h = 0.01, mean and standard deviation of seven runs. "
      "Here: runs of moving-frame are shorter and scaled to 10 s";
  sheet.header = {"links", "document (Python)", "here, recursive", "here, moving-frame"};
  std::vector<double> links, printed, recursive, moving;
  for (const Timing& timing : timings) {
    const std::string model =
        shop.write_model(fmt::format("chain_{}", timing.links), chain_text(timing.links, 0.1));
    double seconds[2] = {}, deviation[2] = {};
    for (int k = 0; k < 2; ++k) {
      const double duration = k == 0 ? shop.choose(10, 1) : shop.choose(0.5, 0.05);
      const int times = shop.quick() ? 2 : 7;
      std::vector<double> all;
      for (int i = 0; i < times; ++i) {  // different words, so that nothing is taken from memory
        const auto run =
            shop.run({model, "--formulation", k == 0 ? "recursive" : "moving-frame", "--duration",
                      fmt::format("{:g}", duration), "--every", std::to_string(1000 + i)});
        all.push_back(run.summary.at("wall_seconds").get<double>() * 10 / duration);
      }
      for (const double s : all) seconds[k] += s / times;
      for (const double s : all) deviation[k] += (s - seconds[k]) * (s - seconds[k]) / (times - 1);
      deviation[k] = std::sqrt(deviation[k]);
    }
    links.push_back(timing.links);
    printed.push_back(timing.printed);
    recursive.push_back(seconds[0]);
    moving.push_back(seconds[1]);
    sheet.rows.push_back({std::to_string(timing.links), fmt::format("{:.3g}", timing.printed),
                          fmt::format("{:.3g} +- {:.1g}", seconds[0], deviation[0]),
                          fmt::format("{:.3g} +- {:.1g}", seconds[1], deviation[1])});
  }
  record.sheets.push_back(std::move(sheet));
  const auto slope = [&](const std::vector<double>& times) {
    return std::log(times.back() / times.front()) / std::log(links.back() / links.front());
  };
  record.rows = {
      {"exponent of the growth with the number of links", "2 (a line of slope 2)",
       fmt::format(
           "{:.2f} recursive, {:.2f} moving-frame (4 to 64 links); the printed times: {:.2f}",
           slope(recursive), slope(moving), slope(printed)),
       Verdict::differs,
       "the printed times themselves grow with this exponent, not with 2; moving-frame forms B and "
       "M* = B^T M B densely, recursive is proportional to n; times are those of a machine that "
       "may "
       "have had other work"},
      {"64 links, 10 s", "204 s",
       fmt::format("{:.2f} s recursive, {:.2f} s moving-frame", recursive.back(), moving.back()),
       Verdict::own, "other machine, other language: the growth is what can be compared"}};
  add_memory(shop, record);
  Chart chart = figure_chart("Time for 10 s of motion over the length of the chain",
                             "number of links", "time [s]");
  chart.x_log = chart.y_log = true;
  for (const auto& [name, times] :
       {std::pair("document, Python", &printed), std::pair("here, recursive", &recursive),
        std::pair("here, moving-frame", &moving)})
    add_line(chart, name, links, *times).drawn = ChartDrawn::both;
  record.figures.push_back(
      {chart,
       "Computation time of 10 s of motion (gl3, h = 0.01) over the number of rods, both axes "
       "logarithmic: the document's quadratic growth, the dense moving-frame formulation "
       "here, and the recursive one, whose time grows in proportion to the chain."});
}

}  // namespace cartan::reproduction
