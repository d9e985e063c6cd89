// Source 004, chapter 6: the systems its code was tried on.
#include "reproduction/source004.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "reproduction/drawing.h"
#include "reproduction/workshop.h"

namespace cartan::reproduction {

void driven(Workshop& shop, Record& record) {
  const auto run = shop.run({shop.model("driven_pendulum"), "--duration", "4", "--every", "1"});
  const ResultTable table = run.table();
  const std::string first = "hinge.q0", second = "hinge.q1";
  Chart chart = figure_chart("Pendulum on a shaken hinge", "t [s]", "angle [rad]");
  add_line(chart, "q1", column(table, "t"), column(table, first)).dashed = true;
  add_line(chart, "q2", column(table, "t"), column(table, second));
  record.figures.push_back({chart,
                            "Angles of the spherical pendulum whose hinge moves up and down "
                            "by 0.2 sin 30 t: q1 (dashed) goes to pi, the pendulum stands on "
                            "its head."});
  const double e1 = column(table, first).back(), e2 = column(table, second).back();
  record.rows = {
      {"q1 after 4 s", "tends towards pi", fmt::format("{:.6f}", e1),
       agrees_if(std::fabs(e1 - 3.174899) < 1e-5), "an independent solution has 3.174899"},
      {"q2 after 4 s", "a curve", fmt::format("{:.6f}", e2), Verdict::silent,
       "an independent solution has -0.071395"}};
}

void foucault(Workshop& shop, Record& record) {
  const std::string duration = fmt::format("{:g}", shop.choose(100, 30));
  for (const auto& [drag, latitude] :
       {std::pair<std::string, std::string>("0.01", "1.04"), {"0.001", "1"}}) {
    const auto run = shop.run({shop.model("foucault"), "--set", "drag=" + drag, "--set",
                               "latitude=" + latitude, "--duration", duration});
    const ResultTable table = run.table();
    const bool named = table.find("east") >= 0;
    Chart chart = figure_chart("Foucault's pendulum, c = " + drag, "east [m]", "north [m]");
    chart.same_scale = true;
    chart.width = 420, chart.height = 520;
    if (!named) throw ItemFailure("foucault.toml has no outputs east and north");
    add_line(chart, "", column(table, "east"), column(table, "north")).width = 1;
    record.figures.push_back(
        {chart, fmt::format("Track over the floor of a pendulum of 10 m at latitude {} on a planet "
                            "that turns at 0.01 rad/s, released to the north at 0.5 rad; drag c = "
                            "{}, {} s.",
                            latitude, drag, duration)});
    record.rows.push_back({fmt::format("c = {}: position at the end (east, north)", drag),
                           "a track (not in the scan)",
                           fmt::format("({:.5f}, {:.5f}) m", column(table, "east").back(),
                                       column(table, "north").back()),
                           Verdict::silent});
  }
  record.notes = {
      "The text says the latitude of both tracks is Stockholm's; the script has 1.04 and 1.",
      "Swings of 0.5 rad precess slower than Omega sin(latitude): by 3.4 and 6.1 per cent, because "
      "their ellipses turn by themselves. Only as the amplitude goes to zero is the rate "
      "Omega sin(latitude)."};
}

void van_der_pol(Workshop& shop, Record& record) {
  Chart chart = figure_chart("Van der Pol's oscillator", "x2", "x1");
  const std::pair<const char*, const char*> starts[] = {
      {"0", "1"}, {"0", "0.2"}, {"0", "0"}, {"0", "-0.2"}, {"2", "-2"}};
  std::vector<double> begin_x, begin_y;
  int k = 0;
  for (const auto& [x1, x2] : starts) {
    const std::string state = shop.write_data(
        fmt::format("van_der_pol_{}.json", ++k),
        fmt::format("{{\"t\": 0, \"variables\": {{\"x1\": {}, \"x2\": {}}}}}", x1, x2));
    const auto run = shop.run(
        {shop.model("van_der_pol"), "--from", state, "--duration", "10", "--step", "0.02"});
    const ResultTable table = run.table();
    add_line(chart, fmt::format("from ({}, {})", x1, x2), column(table, "x2"), column(table, "x1"));
    begin_x.push_back(std::stod(x2));
    begin_y.push_back(std::stod(x1));
  }
  add_points(chart, "", begin_x, begin_y).colour = 6;
  record.figures.push_back({chart,
                            "Van der Pol's oscillator (mu = 1) in its phase plane, five starts "
                            "marked by dots, 10 time units each: all but the one in the "
                            "origin end on the limit cycle."});
  const std::string origin = shop.data("van_der_pol_3.json");
  const Json linear = shop.json({"linearize", shop.model("van_der_pol"), "--at", origin});
  const Json orbit =
      shop.json({"orbit", shop.model("van_der_pol"), "--section", "x1", "--period", "6.6"});
  const auto& e = linear.at("eigenvalues")[0];
  record.rows = {
      {"eigenvalues in the origin", "0.5 +- 0.86602540378444 i",
       fmt::format("{:.14g} +- {:.14f} i", e[0].get<double>(), std::fabs(e[1].get<double>())),
       std::fabs(e[0].get<double>() - 0.5) < 1e-12 ? Verdict::agrees : Verdict::differs},
      {"period of the limit cycle", "not given",
       fmt::format("{:.12f}", orbit.at("period").get<double>()), Verdict::silent,
       "Taylor series of 32 digits give 6.663286859323"}};
}

void roessler_orbit(Workshop& shop, Record& record) {
  const auto run = shop.run({shop.model("roessler"), "--duration", "100", "--step", "0.02"});
  const ResultTable table = run.table();
  Chart chart = figure_chart("Roessler's system, a = 0.3", "x", "y");
  add_line(chart, "", column(table, "x"), column(table, "y")).width = 1;
  record.figures.push_back({chart,
                            "A trajectory of Roessler's system (a = 0.3, b = 2, c = 4) from (3, "
                            "0, 2), 100 time units, seen along z: it settles on a closed "
                            "orbit."});
  Chart side = figure_chart("The same from the side", "x", "z");
  add_line(side, "", column(table, "x"), column(table, "z")).width = 1;
  record.figures.push_back(
      {side,
       "A trajectory of Roessler's system (a = 0.3, b = 2, c = 4) from (3, 0, 2), seen "
       "along y: z stays small except where x is large."});
  const ResultTable events = run.table("events.csv");
  const double last = column(events, "x").back(), before = column(events, "x")[events.rows() - 2];
  record.rows = {{"x at the last two crossings of y = 0", "settles on a periodic orbit",
                  fmt::format("{:.6f}, {:.6f}", before, last),
                  agrees_if(std::fabs(last - before) < 1e-2)}};
}

void roessler_newton(Workshop& shop, Record& record) {
  const Json orbit =
      shop.json({"orbit", shop.model("roessler"), "--section", "y", "--period", "6.3"});
  const Json& state = orbit.at("state").at("variables");
  const double x = state.at("x"), z = state.at("z"), period = orbit.at("period");
  const std::string at = shop.write_data("roessler_orbit.json", orbit.at("state").dump());
  const auto closed = shop.run({shop.model("roessler"), "--from", at, "--duration",
                                fmt::format("{:.15g}", period), "--step", "0.02"});
  const auto guess = shop.run({shop.model("roessler"), "--duration", "6.3", "--step", "0.02"});
  Chart chart = figure_chart("Newton's iteration for the orbit", "x", "y");
  const ResultTable first = guess.table(), last = closed.table();
  add_line(chart, "start: (3, 0, 2), T = 6.3", column(first, "x"), column(first, "y")).dashed =
      true;
  add_line(chart, "result", column(last, "x"), column(last, "y"));
  record.figures.push_back({chart,
                            "Roessler's system at a = 0.3: the first guess, which does not "
                            "close, and the periodic orbit that Newton's method on the "
                            "section y = 0 finds from it."});
  const auto near = [](double a, double b, double half_digit) {
    return std::fabs(a - b) <= half_digit ? Verdict::agrees : Verdict::differs;
  };
  record.rows = {
      {"x on the section y = 0", "3.1525486", fmt::format("{:.10f}", x), near(x, 3.1525486, 6e-8)},
      {"z", "2.6631716", fmt::format("{:.10f}", z), near(z, 2.6631716, 6e-8)},
      {"period", "6.1746375", fmt::format("{:.10f}", period), near(period, 6.1746375, 6e-8)},
      {"Newton steps", "3 to 1e-7",
       fmt::format("{} to {}", orbit.at("newton_steps").get<int>(),
                   few_digits(orbit.at("residual").get<double>())),
       Verdict::order},
      {"multipliers", "not given",
       fmt::format("{:.8f}, {:.3g}", orbit.at("multipliers")[1][0].get<double>(),
                   orbit.at("multipliers")[2][0].get<double>()),
       Verdict::silent, "the orbit is stable"}};
}

}  // namespace cartan::reproduction
