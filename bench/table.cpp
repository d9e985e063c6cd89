// Turns the lines of the other benchmark programs into the tables of docs/performance.md.
//
//   bench_table LINES DOCUMENT
//
// replaces what stands in DOCUMENT between `<!-- figures -->` and `<!-- end of figures -->` and
// prints it.
#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

using nlohmann::json;

namespace {

const std::vector<std::string> works = {"sph1", "sph4", "sph16", "sph64", "sph256", "sph1024",
                                        "rev6", "rev7", "arm7",  "rev30", "rev100", "hum32"};
const std::vector<std::string> peers = {"mujoco", "simbody", "dart"};

using Figures = std::map<std::string, std::map<std::string, double>>;  // engine -> work -> us

std::string cell(const Figures& figures, const std::string& engine, const std::string& work) {
  const auto row = figures.find(engine);
  if (row == figures.end() || !row->second.count(work)) return "-";
  return fmt::format("{:.3g}", row->second.at(work));
}

std::string row(const std::string& name, auto&& cell_of) {
  std::string text = "| " + name + " |";
  for (const std::string& work : works) text += " " + cell_of(work) + " |";
  return text + "\n";
}

std::string header(const std::string& first) {
  std::string text = "| " + first + " |", rule = "|---|";
  for (const std::string& work : works) text += " " + work + " |", rule += "---|";
  return text + "\n" + rule + "\n";
}

double best_peer(const Figures& figures, const std::string& work) {
  double best = std::numeric_limits<double>::infinity();
  for (const std::string& peer : peers)
    if (figures.count(peer) && figures.at(peer).count(work))
      best = std::min(best, figures.at(peer).at(work));
  return best;
}

std::string ratio_to_best(const Figures& figures, const std::string& work) {
  const double best = best_peer(figures, work);
  if (!figures.count("cartan") || !figures.at("cartan").count(work) || best > 1e300) return "-";
  return fmt::format("{:.2f}", figures.at("cartan").at(work) / best);
}

Figures figures_of(const std::vector<json>& lines, const std::string& quantity) {
  Figures figures;
  for (const json& line : lines)
    if (line.value("quantity", "") == quantity) figures[line["engine"]][line["work"]] = line["us"];
  return figures;
}

std::string peer_table(const std::vector<json>& lines, const std::string& quantity,
                       const std::string& title) {
  const Figures figures = figures_of(lines, quantity);
  std::string text = fmt::format("**{}** (microseconds per call)\n\n", title) + header("engine");
  text += row("cartan", [&](const std::string& w) { return cell(figures, "cartan", w); });
  for (const std::string& peer : peers)
    if (figures.count(peer))
      text += row(peer, [&](const std::string& w) { return cell(figures, peer, w); });
  return text +
         row("cartan / best of these",
             [&](const std::string& w) { return ratio_to_best(figures, w); }) +
         "\n";
}

// Generated code, `recursive` and the fastest of the other engines, all of one run.
std::string generated_table(const std::vector<json>& lines) {
  const Figures figures = figures_of(lines, "forward");
  std::string text =
      "**Forward dynamics as generated C** (`bench_generated`: code and `recursive` in one "
      "process, "
      "in turn; microseconds)\n\n"
      "| work | operations | generated | recursive | generated / recursive | best of these engines "
      "| "
      "generated / best | relative difference of the accelerations |\n"
      "|---|---|---|---|---|---|---|---|\n";
  for (const json& line : lines) {
    if (line.value("table", "") != "generated") continue;
    const std::string work = line["work"];
    const double generated = line["generated_us"], recursive = line["recursive_us"];
    const double best = best_peer(figures, work);
    const bool known = best < 1e300;
    text += fmt::format("| {} | {} | {:.3g} | {:.3g} | {:.2f} | {} | {} | {:.1e} |\n", work,
                        line["operations"].get<long>(), generated, recursive, generated / recursive,
                        known ? fmt::format("{:.3g}", best) : "-",
                        known ? fmt::format("{:.2f}", generated / best) : "-",
                        line["difference"].get<double>());
  }
  return text + "\n";
}

std::string formulation_table(const std::vector<json>& lines) {
  std::string text =
      "**One evaluation of x' = f(t, x)**, chains of rods on spherical joints (microseconds)\n\n"
      "| formulation | links | us |\n|---|---|---|\n";
  for (const json& line : lines)
    if (line.value("table", "") == "formulation")
      text += fmt::format("| {} | {} | {:.3g} |\n", line["formulation"].get<std::string>(),
                          line["links"].get<int>(), line["us"].get<double>());
  return text + "\n";
}

std::string closed_table(const std::vector<json>& lines) {
  std::string text =
      "**Closed mechanisms**: one converged acceleration, `recursive` (microseconds)\n\n"
      "| mechanism | speeds | equations | rank | us | us per four-bar "
      "|\n|---|---|---|---|---|---|\n";
  for (const json& line : lines)
    if (line.value("table", "") == "closed") {
      const int cells = line["cells"];
      const double us = line["us"];
      text +=
          fmt::format("| {} | {} | {} | {} | {:.3g} | {} |\n", line["mechanism"].get<std::string>(),
                      line["speeds"].get<int>(), line["rows"].get<int>(), line["rank"].get<int>(),
                      us, cells > 0 ? fmt::format("{:.2g}", us / cells) : "-");
    }
  return text + "\n";
}

std::string start_table(const std::vector<json>& lines) {
  std::string text =
      "**Consistent starts**: ladders of four-bars from guessed angles: the system with its "
      "assembly, "
      "and ranks (CPU milliseconds)\n\n| four-bars | system and assembly | ranks "
      "|\n|---|---|---|\n";
  for (const json& line : lines)
    if (line.value("table", "") == "start")
      text += fmt::format("| {} | {:.3g} | {:.3g} |\n", line["cells"].get<int>(),
                          line["assembly_ms"].get<double>(), line["ranks_ms"].get<double>());
  return text + "\n";
}

// Seconds printed in source 000, table 3.3 (other hardware, Python).
std::string growth_table(const std::vector<json>& lines) {
  const std::map<int, double> printed = {{4, 0.719}, {8, 2.27}, {16, 10.7},
                                         {32, 45.6}, {48, 113}, {64, 204}};
  std::string text =
      "**Growth with the number of links**: gl3, h = 0.01, 10 s, stages to 1e-15 (pendulum thesis, "
      "table 3.3)\n\n| links | printed there s | cartan s | evaluations | factor |\n"
      "|---|---|---|---|---|\n";
  for (const json& line : lines)
    if (line.value("table", "") == "growth") {
      const int n = line["links"];
      const double seconds = line["seconds"];
      text += fmt::format("| {} | {:g} | {:.3g} | {} | {:.0f} |\n", n, printed.at(n), seconds,
                          line["evaluations"].get<long>(), printed.at(n) / seconds);
    }
  return text + "\n";
}

std::string precision_table(const std::vector<json>& lines) {
  std::string text =
      "**Work against precision**: 10 s of motion; error = angle between the last link's "
      "orientation and the converged one\n\n| problem | method | step | tolerance | s | error | "
      "evaluations |\n|---|---|---|---|---|---|---|\n";
  for (const json& line : lines)
    if (line.value("table", "") == "precision") {
      const double tolerance = line["tolerance"], step = line["step"];
      const bool adaptive = step >= 10;
      text += fmt::format(
          "| {} | {} | {} | {} | {:.2g} | {:.1e} | {} |\n", line["problem"].get<std::string>(),
          line["method"].get<std::string>(), adaptive ? "-" : fmt::format("{:g}", step),
          tolerance > 0 ? fmt::format("{:g}", tolerance) : "-", line["seconds"].get<double>(),
          line["error"].get<double>(), line["evaluations"].get<long>());
    }
  return text;
}

std::string read_all(const char* path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: bench_table LINES DOCUMENT\n";
    return 2;
  }
  std::vector<json> lines;
  std::ifstream input(argv[1]);
  for (std::string line; std::getline(input, line);)
    if (!line.empty()) lines.push_back(json::parse(line));

  const std::string tables = peer_table(lines, "forward", "Forward dynamics") +
                             peer_table(lines, "inverse", "Inverse dynamics") +
                             peer_table(lines, "mass", "Mass matrix") + generated_table(lines) +
                             formulation_table(lines) + closed_table(lines) + start_table(lines) +
                             growth_table(lines) + precision_table(lines);
  std::cout << tables;

  const std::string begin = "<!-- figures -->\n", end = "<!-- end of figures -->";
  std::string document = read_all(argv[2]);
  const std::size_t from = document.find(begin), to = document.find(end);
  if (from == std::string::npos || to == std::string::npos) {
    std::cerr << argv[2] << ": no place for the figures\n";
    return 1;
  }
  document.replace(from + begin.size(), to - from - begin.size(), tables);
  std::ofstream(argv[2]) << document;
}
