// Source 004: efficient multibody dynamics by computer algebra. Its items, and those of chapters 4
// and 5.
#include "reproduction/source004.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <vector>

#include <fmt/format.h>

#include "reproduction/drawing.h"
#include "reproduction/items.h"
#include "reproduction/workshop.h"

namespace cartan::reproduction {
namespace {

void sleigh(Workshop& shop, Record& record) {
  const auto run = shop.run({shop.model("sleigh"), "--record", "power", "--duration", "20"});
  const ResultTable table = run.table(), power = run.table("power.csv");
  Chart path = figure_chart("Sleigh: path on the turntable", "q1 [m]", "q2 [m]");
  path.same_scale = true;
  path.width = path.height = 480;
  add_line(path, "", column(table, "place.q0"), column(table, "place.q1"));
  record.figures.push_back({path,
                            "Path of the sleigh's centre of mass in the frame that turns with "
                            "the table (20 s, kappa = 10, I3 = 25, L_C3 = 2)."});
  Chart chart = figure_chart("Sleigh: power", "t [s]", "power [W]");
  add_line(chart, "T'", column(power, "t"), column(power, "kinetic_rate"));
  add_line(chart, "V'", column(power, "t"), column(power, "potential_rate"));
  add_line(chart, "P_C = T' + V'", column(power, "t"), column(power, "constraint"));
  record.figures.push_back({chart,
                            "Rates of kinetic and potential energy of the sleigh and the power "
                            "of the motor that keeps the table turning, P_C; no other force "
                            "does work."});
  const auto& jacobi = column(table, "jacobi");
  record.rows = {{"T' + V' = P_C, largest residual", "0 (4.38)",
                  few_digits(largest(column(power, "residual"))) + " W",
                  agrees_if(largest(column(power, "residual")) < 1e-9)},
                 {"Jacobi's integral, largest change", "",
                  few_digits(largest(map_values(jacobi, [&](double j) { return j - jacobi[0]; }))) +
                      fmt::format(" of {:.6g}", jacobi[0]),
                  Verdict::own},
                 {"motor power at 20 s", "a curve (not in the scan)",
                  fmt::format("{:.6f} W", column(power, "constraint").back()), Verdict::silent,
                  "an independent solution has 187.126760"}};
  record.notes = {
      "(4.49) has a wrong sign: its last line must read kappa (-q2 + L_C3 (...)), printed with "
      "+q2.",
      "(4.51) is labelled -V' but is +V'.",
      "(4.46) lists no torque; (4.48)-(4.51) do contain the moment of the spring about the centre "
      "of "
      "mass and can be had only with it."};
}

// Links whose angles are all measured from the world: frames alone, no chain.
const char* const absolute_frames =
    R"toml(# Six frames of the 6-pendulum, each defined from the inertial one.
name = "absolute frames"
[[body]]
repeat = 6
name = "link{i}"
mass = 1
com = [0, 0, -1]
[[joint]]
repeat = 6
name = "joint{i}"
type = "universal"
axes = [[1, 0, 0], [0, 1, 0]]
parent = { body = "world" }
child = { body = "link{i}" }
)toml";

// For frames 1 to 6 the one each is defined from (0: the inertial one), as the run has them.
std::vector<int> definitions_of(Workshop& shop, bool relative) {
  const auto run = shop.run({relative ? shop.write_model("n_pendulum_6", chain_model(6))
                                      : shop.write_model("absolute_frames", absolute_frames),
                             "--duration", "0.01"});
  std::ifstream stream(run.folder + "/model.json");
  const Json model = Json::parse(stream, nullptr, false);
  std::vector<int> from(7, 0);
  const auto number = [](const std::string& body) {
    return body == "world" ? 0 : std::stoi(body.substr(4));
  };
  for (const Json& step : model.at("tree"))
    from[number(step.at("outboard"))] = number(step.at("inboard"));
  return from;
}

// Simple rotations on the way between two frames: an edge of the tree of definitions is two.
int rotations_between(const std::vector<int>& from, int i, int j) {
  std::vector<int> up;  // frames from i to the inertial one
  for (int k = i; k != 0; k = from[k]) up.push_back(k);
  up.push_back(0);
  for (int k = j, steps = 0;; k = from[k], ++steps) {
    const auto met = std::find(up.begin(), up.end(), k);
    if (met != up.end()) return 2 * (steps + static_cast<int>(met - up.begin()));
  }
}

void definition_trees(Workshop& shop, Record& record) {
  double mean[2] = {};
  int longest[2] = {};
  for (const bool relative : {false, true}) {
    const std::vector<int> from = definitions_of(shop, relative);
    ChartMap map;
    map.columns = map.rows = 7;
    map.x_low = map.y_low = -0.5;
    map.x_high = map.y_high = 6.5;
    map.label = "simple rotations";
    for (int i = 0; i < 7; ++i)
      for (int j = 0; j < 7; ++j) {
        const int way = rotations_between(from, i, j);
        map.values.push_back(way);
        mean[relative] += way / 42.0;  // pairs of different frames
        longest[relative] = std::max(longest[relative], way);
      }
    Chart chart = figure_chart(relative ? "Relative coordinates" : "Absolute coordinates",
                               "frame (0: N)", "frame (0: N)");
    chart.width = 480;
    chart.map = std::move(map);
    record.figures.push_back(
        {chart, fmt::format(
                    "Number of simple rotations between any two of the seven reference frames of a "
                    "pendulum with six links when each link's angles are measured from {}: the "
                    "distance in the tree of definitions, two rotations an edge.",
                    relative ? "the link before" : "the inertial frame")});
  }
  record.rows = {{"longest way, absolute and relative coordinates", "4 and 12 (read off the trees)",
                  fmt::format("{} and {}", longest[0], longest[1]),
                  agrees_if(longest[0] == 4 && longest[1] == 12)},
                 {"mean way between two frames", "",
                  fmt::format("{:.2f} and {:.2f} rotations", mean[0], mean[1]), Verdict::own}};
}

}  // namespace

Document document_004() {
  return {
      "004",
      "Efficient multibody dynamics by computer algebra",
      {{"004.3.3", "section 3.3: swinging legs, speeds with a diagonal mass matrix",
        diagonal_speeds_of_legs},
       {"004.4.2", "figure 4.2: sleigh on a turntable, power", sleigh},
       {"004.5.3", "figure 5.3: definition trees of the 6-pendulum", definition_trees},
       {"004.5.4", "figure 5.4: derivation times, absolute coordinates", derivation_absolute},
       {"004.5.5", "figure 5.5: derivation times, relative coordinates", derivation_relative},
       {"004.6.1", "figure 6.1: a small system as C code", code_of_small_system},
       {"004.counts", "sections 6.2.4, 6.7.5: counts of operations, lines of code",
        operation_counts},
       {"004.6.4", "figure 6.4: pendulum on a shaken hinge", driven},
       {"004.6.5", "figure 6.5: Foucault's pendulum", foucault},
       {"004.6.6", "figure 6.6: van der Pol's oscillator", van_der_pol},
       {"004.6.7", "figure 6.7: Roessler's system", roessler_orbit},
       {"004.6.8", "figure 6.8: periodic orbit by Newton's method", roessler_newton},
       {"004.table6.1", "table 6.1: evaluation times, base system (N, C, S)", evaluation_base},
       {"004.table6.2", "table 6.2: evaluation times, variational system", evaluation_variational},
       {"004.7.1", "figure 7.1: equilibrium of the coupled pendulums", string_equilibrium},
       {"004.frequencies", "section 7.3: frequencies, times of integration and derivation",
        string_frequencies},
       {"004.7.3", "figure 7.3: bicycle, sample simulation", bicycle_run},
       {"004.7.4", "figure 7.4: bicycle, eigenvalues running straight", bicycle_straight},
       {"004.7.5", "figure 7.5: bicycle, fork reversed", bicycle_reversed},
       {"004.7.6", "figure 7.6: bicycle, steady turns", bicycle_turns},
       {"004.map", "section 7.4.4: map of the residual", bicycle_map},
       {"004.trail", "section 7.4.4: influence of the trail", bicycle_trail},
       {"004.wheels", "section 7.4.4: moment of inertia of the wheels", bicycle_wheels}}};
}

}  // namespace cartan::reproduction
