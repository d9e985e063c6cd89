// Source 004, section 7.4: the bicycle without rider.
#include <algorithm>
#include <cmath>
#include <fstream>

#include <fmt/format.h>

#include "reproduction/bicycle_states.h"
#include "reproduction/bicycle_sweeps.h"
#include "reproduction/drawing.h"
#include "reproduction/source004.h"
#include "reproduction/workshop.h"

namespace cartan::reproduction {
namespace {

void eigenvalue_figures(Record& record, const Sweep& s, double sign, const std::string& what) {
  for (const bool real : {true, false}) {
    Chart chart = figure_chart(what + (real ? ": real parts" : ": imaginary parts"), "speed [m/s]",
                               real ? "real part [1/s]" : "imaginary part [rad/s]");
    const auto speed = map_values(s.table.numbers[0], [&](double v) { return sign * v; });
    add_line(chart, "", {speed.front(), speed.back()}, {0, 0}).dashed = true;
    chart.lines[0].colour = 6;
    chart.lines[0].width = 1;
    std::vector<double> x, y;
    for (int k = 0; s.table.find(fmt::format("re{}", k)) >= 0; ++k) {
      const auto& re = column(s.table, fmt::format("re{}", k));
      const auto& im = column(s.table, fmt::format("im{}", k));
      for (std::size_t i = 0; i < re.size(); ++i)
        if (re[i] != 0 || im[i] != 0) x.push_back(speed[i]), y.push_back(real ? re[i] : im[i]);
    }
    add_points(chart, "", x, y).colour = 0;
    record.figures.push_back(
        {chart, fmt::format("{}: {} parts of the eigenvalues over the forward speed; "
                            "six neutral zeros (position, heading, wheel angles, "
                            "speed) are left out.",
                            what, real ? "real" : "imaginary")});
  }
}

struct Followed {
  ResultTable table;
  Json bifurcations;
};

Followed follow(Workshop& shop, const std::vector<std::string>& more) {
  std::vector<std::string> words = {"continue", shop.model("bicycle"), "--parameter",
                                    "R2*front_axle.v"};
  words.insert(words.end(), more.begin(), more.end());
  const std::string folder = shop.folder_of(words);
  std::string problem;
  auto table = read_result_table(folder + "/branch.csv", problem);
  std::ifstream stream(folder + "/bifurcations.json");
  const Json json = Json::parse(stream, nullptr, false);
  if (!table || json.is_discarded()) throw ItemFailure(problem + " no bifurcations");
  return {std::move(*table), json.is_object() ? json.at("bifurcations") : json};
}

// The frame's second axis points up by sin(lean): asin(2 (yz + wx)).
std::vector<double> lean_of(const ResultTable& table) {
  std::vector<double> result;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const double w = column(table, "frame_place.q0")[i], x = column(table, "frame_place.q1")[i],
                 y = column(table, "frame_place.q2")[i], z = column(table, "frame_place.q3")[i];
    result.push_back(std::asin(std::clamp(2 * (y * z + w * x), -1.0, 1.0)));
  }
  return result;
}

double parameter_of(const Json& list, const std::string& kind, double from, double to) {
  for (const auto& one : list)
    if (one.at("kind") == kind && one.at("parameter") >= from && one.at("parameter") <= to)
      return one.at("parameter");
  return NAN;
}

}  // namespace

void bicycle_run(Workshop& shop, Record& record) {
  const double length = shop.choose(60, 10);
  const auto run = shop.run({shop.model("bicycle"), "--duration", fmt::format("{:g}", length)});
  const ResultTable table = run.table();
  const auto lean = lean_of(table);
  Chart chart = figure_chart("Bicycle: sample simulation", "t [s]", "angle [rad]");
  std::vector<double> t, q1, q2;
  for (std::size_t i = 0; i < table.rows() && table.numbers[0][i] <= 10; ++i) {
    t.push_back(table.numbers[0][i]);
    q1.push_back(lean[i]);
    q2.push_back(column(table, "steering.q0")[i]);
  }
  add_line(chart, "lean q1", t, q1);
  add_line(chart, "steer q2", t, q2);
  record.figures.push_back({chart,
                            "Riderless bicycle started at 5 m/s with 0.1 rad of lean and -0.2 rad "
                            "of steer: lean and steering angle during 10 s. It wobbles for a "
                            "second, then slowly comes upright."});
  const double at_10 = value_near(table, "front_speed", 10);
  record.rows = {
      {"speed after 10 s", "4.982 m/s", fmt::format("{:.4f} m/s", at_10), Verdict::differs,
       fmt::format(
           "4.982 m/s is the speed when it is upright: the lean is still {:.3f} rad at 10 s",
           q1.back())},
      {"energy, largest relative change", "constant",
       few_digits(largest(relative_energy_error(table))),
       agrees_if(largest(relative_energy_error(table)) < 1e-10)}};
  if (!shop.quick())
    record.rows.push_back({fmt::format("speed after {:g} s", length), "4.982 m/s",
                           fmt::format("{:.4f} m/s", column(table, "front_speed").back()),
                           near(column(table, "front_speed").back(), 4.982, 2e-3)});
  record.notes = {
      rounded_geometry,
      "The text's 1.5 m R^2 (0.11 kg m^2) is 1.5 m R^2/2; R2 is not in table 7.1 and taken as "
      "R1; moments of the fork are about its steering axes, which only appendix B.2 says."};
  shop.add_animation(run, "bicycle", "Animation: the bicycle rides by itself");
}

void bicycle_straight(Workshop& shop, Record& record) {
  const int points = static_cast<int>(shop.choose(240, 80));
  eigenvalue_figures(record, sweep_bicycle(shop, fmt::format("v=lin(0.05,10,{})", points), upright),
                     1, "Bicycle running straight");
  std::vector<std::string> words = upright;
  words.insert(words.end(), {"--set", "v=2", "--from", "2", "--to", "6"});
  const Followed branch = follow(shop, words);
  const double weave = parameter_of(branch.bifurcations, "hopf", 2, 6);
  const double capsize = parameter_of(branch.bifurcations, "branch-point", 2, 6);
  record.rows = {
      {"stable from (weave speed, Hopf)", "3.207 m/s", fmt::format("{:.6f} m/s", weave),
       near(weave, 3.207, 1e-3), "0.0005 apart: rounding of the geometry"},
      {"stable up to (capsize speed, pitchfork)", "5.3984 m/s", fmt::format("{:.6f} m/s", capsize),
       near(capsize, 5.3984, 3e-3), "0.002 apart: rounding of the geometry"}};
  std::vector<std::string> exact = words;
  exact.insert(exact.end(), {"--set", "sigma=0.3507", "--set", "b=0.04797"});
  const Followed fine = follow(shop, exact);
  record.rows.push_back(
      {"both with sigma = 0.3507 rad, b = 0.04797 m", "3.207, 5.3984 m/s",
       fmt::format("{:.6f}, {:.6f} m/s", parameter_of(fine.bifurcations, "hopf", 2, 6),
                   parameter_of(fine.bifurcations, "branch-point", 2, 6)),
       near(parameter_of(fine.bifurcations, "branch-point", 2, 6), 5.3984, 1e-4)});
  record.notes = {rounded_geometry};
}

void bicycle_reversed(Workshop& shop, Record& record) {
  const int points = static_cast<int>(shop.choose(400, 100));
  const Sweep s =
      sweep_bicycle(shop, fmt::format("v=lin(-20,-0.25,{})", points),
                    {"--set", "lean=0", "--set", "steer=pi", "--set", "pitch=0.0316770242651653",
                     "--set", "yaw_rate=0", "--set", "rear_speed=-v"});
  eigenvalue_figures(record, s, -1, "Bicycle with its fork reversed");
  std::vector<double> ends = zeros(s.table.numbers[0], s.growth());
  for (double& v : ends) v = -v;
  std::sort(ends.begin(), ends.end());
  if (ends.size() < 2) throw ItemFailure("no stable range with the fork reversed");
  record.rows = {{"stable from", "about 3.6 m/s", fmt::format("{:.3f} m/s", ends.front()),
                  near(ends.front(), 3.6, 0.05)},
                 {"stable up to", "some 14.25 m/s", fmt::format("{:.3f} m/s", ends.back()),
                  near(ends.back(), 14.25, 0.06)}};
  record.notes = {"Ends of the range by straight lines between the points of the figure."};
}

void bicycle_turns(Workshop& shop, Record& record) {
  const Followed other =
      follow(shop, {"--set", "lean=0.85", "--set", "steer=0.34", "--set", "v=6", "--set",
                    "yaw_rate=2.55", "--set", "rear_speed=5.25", "--from", "6", "--to", "2",
                    "--step", shop.quick() ? "0.02" : "0.012", "--points", "900"});
  std::vector<std::string> words = upright;
  words.insert(words.end(),
               {"--set", "v=1", "--from", "1", "--to", "6", "--switch", "--orbit-points", "0"});
  const Followed straight = follow(shop, words);
  Chart chart = figure_chart("Bicycle: steady turns", "R2 u5 [m/s]", "angle [rad]");
  chart.height = 480;
  const auto add = [&](const ResultTable& table, int branch, const std::string& name, int colour,
                       bool lean) {
    const std::vector<double> leans = lean_of(table);
    std::vector<double> x, y;
    for (std::size_t i = 0; i < table.rows(); ++i) {
      if (static_cast<int>(table.numbers[0][i]) != branch) continue;
      x.push_back(table.numbers[1][i]);
      y.push_back(lean ? leans[i] : column(table, "steering.q0")[i]);
    }
    const double side = !y.empty() && !lean && y.back() < 0 ? -1 : 1;
    ChartLine& line = add_line(chart, name, x, map_values(y, [&](double a) { return side * a; }));
    line.colour = colour;
    line.dashed = lean;
  };
  add(other.table, 1, "lean q1, first family", 1, true);
  add(other.table, 1, "steer q2, first family", 1, false);
  // The family of the pitchfork: its arm with positive steer.
  int arm = 2;
  for (std::size_t i = 0; i < straight.table.rows(); ++i)
    if (straight.table.numbers[0][i] > 1 && column(straight.table, "steering.q0")[i] > 0.5)
      arm = static_cast<int>(straight.table.numbers[0][i]);
  add(straight.table, arm, "lean q1, from the pitchfork", 0, true);
  add(straight.table, arm, "steer q2, from the pitchfork", 0, false);
  for (const auto& one : other.bifurcations)
    if (one.at("kind") == "fold")
      chart.marks.push_back(
          {one.at("parameter"), one.at("state").at("q").at("steering")[0], "fold"});
  record.figures.push_back(
      {chart,
       "Steady turns of the bicycle over the speed of its front wheel: lean (dashed) and steering "
       "angle (solid) of two families, the one that ends in straight running at the pitchfork and "
       "the one with three folds. Each has its mirror image; all these turns are unstable."});
  const Json& found = other.bifurcations;
  const double fold1 = parameter_of(found, "fold", 2, 2.5),
               fold2 = parameter_of(found, "fold", 3, 3.5),
               fold3 = parameter_of(found, "fold", 3.6, 4);
  const double zero2 = parameter_of(found, "zero-eigenvalue", 3.2, 3.3);
  const double weave = parameter_of(straight.bifurcations, "hopf", 2, 6);
  const double capsize = parameter_of(straight.bifurcations, "branch-point", 2, 6);
  record.rows = {
      {"first saddle-node", "just below 2.18 m/s", fmt::format("{:.5f} m/s", fold1),
       near(fold1, 2.179, 1.5e-3)},
      {"Hopf, supercritical", "3.207 m/s", fmt::format("{:.5f} m/s", weave),
       near(weave, 3.207, 1e-3)},
      {"second saddle-node", "3.256 m/s", fmt::format("{:.5f} m/s", fold2), Verdict::differs,
       fmt::format("an eigenvalue passes zero at {:.5f} m/s on the same branch", zero2)},
      {"third saddle-node", "close to 3.8 m/s", fmt::format("{:.5f} m/s", fold3),
       near(fold3, 3.8, 0.02)},
      {"pitchfork, subcritical", "5.3984 m/s", fmt::format("{:.5f} m/s", capsize),
       near(capsize, 5.3984, 3e-3)}};
  record.notes = {
      "Speeds are R2 u5, that of the front wheel; in sharp turns the rear wheel has another one, "
      "it even "
      "rolls backwards at the first fold. A fold in R2 u5 and a zero eigenvalue are different "
      "points of "
      "such a branch, because the family is really labelled by the energy: the eigenvalue vanishes "
      "where the energy, not R2 u5, turns round. The document's 3.256 is the zero eigenvalue next "
      "to the "
      "second fold; its other figures are too coarse to tell.",
      rounded_geometry};
}

void bicycle_map(Workshop& shop, Record& record) {
  const int n = static_cast<int>(shop.choose(60, 24));
  const std::string path = shop.model("bicycle");
  for (const double speed : {2.5, 5.0}) {
    ChartMap map;
    map.columns = map.rows = n;
    map.x_low = -1.2, map.x_high = 1.2, map.y_low = 0, map.y_high = 3;
    map.label = "log10 |accelerations|";
    map.values = residual_map(path, speed, map);
    double least = INFINITY;
    for (const double value : map.values)
      if (std::isfinite(value)) least = std::min(least, value);
    Chart chart =
        figure_chart(fmt::format("Residual at {:g} m/s", speed), "lean q1 [rad]", "steer q2 [rad]");
    chart.height = 460;
    chart.map = std::move(map);
    record.figures.push_back(
        {chart,
         fmt::format("How far a turn with constant lean and steer is from steady at R2 u5 = {:g} "
                     "m/s: norm of all accelerations of the joints, logarithmic. Dark spots are "
                     "where steady turns are to be looked for; white: no position with both "
                     "wheels on the ground was found.",
                     speed)});
    record.rows.push_back({fmt::format("map at {:g} m/s", speed), "contours, not printed",
                           fmt::format("{} x {} states, least residual 10^{:.1f}", n, n, least),
                           Verdict::silent});
  }
  // one state of such a map by a command: that of the model file
  const Json at = shop.json({"eval", path, "--set", "v=5"});
  double sum = 0;
  for (const auto& [joint, numbers] : at.at("acceleration").items())
    for (const double a : numbers) sum += a * a;
  record.rows.push_back({"the same norm at lean 0.1, steer -0.2 and 5 m/s, by `eval`", "",
                         fmt::format("10^{:.2f}", std::log10(std::sqrt(sum))), Verdict::own});
  record.notes.push_back(
      "The maps are thousands of evaluations, which the program of this report asks the library "
      "for; `eval` is the command for one of them.");
}

}  // namespace cartan::reproduction
