// Source 003, figures 12 to 21: friction of the arm, its column held.
#include <cmath>

#include <fmt/format.h>

#include "reproduction/drawing.h"
#include "reproduction/source003.h"
#include "reproduction/source003_releases.h"
#include "reproduction/workshop.h"

namespace cartan::reproduction {
namespace {

const char* const synthetic_points =
    "The document's measurements are not printed. The data here are synthetic: turning "
    "points of "
    "the arm with friction in its bearings (C10 = 0.001592442688858, the document's constant), "
    "with "
    "errors of 0.01 rad and 0.005 s; four releases.";

// Angle and energy of the first release with some constants, beside the measurements.
double law_figures(Workshop& shop, Record& record, const std::vector<std::string>& sets,
                   const std::string& law) {
  std::vector<std::string> words = {
      shop.model("arm_friction"), "--set", "start=2.9", "--duration", "14", "--step", "0.01"};
  for (const std::string& set : sets) words.insert(words.end(), {"--set", set});
  const auto run = shop.run(words);
  const ResultTable table = run.table();
  const Measured measured = read_measured(shop, 1);
  Chart angle = figure_chart("Arm: " + law, "t [s]", "angle [rad]");
  add_line(angle, "computed", column(table, "t"), column(table, "shoulder.q0"));
  add_points(angle, "measured (synthetic)", measured.t, measured.angle);
  record.figures.push_back(
      {angle,
       fmt::format("Angle of the swinging arm, column held, friction law \"{}\" (v: rate of the "
                   "arm). Line: computed; points: turning points (synthetic).",
                   law)});
  Chart energy = figure_chart("Arm: energy, " + law, "t [s]", "energy [J]");
  add_line(energy, "computed", column(table, "t"),
           map_values(column(table, "energy"),
                      [](double e) { return e + arm_mass * arm_gravity * arm_radius; }));
  add_points(energy, "measured (synthetic)", measured.t, map_values(measured.angle, arm_energy_at));
  record.figures.push_back(
      {energy,
       fmt::format("Energy of the swinging arm above its lowest point, friction law \"{}\". Line: "
                   "computed; points: at the turning points (synthetic).",
                   law)});
  double worst = 0;  // of the measured angles at the k-th turning point
  const ResultTable events = run.table("events.csv");
  const auto& turning = column(events, "shoulder.q0");
  std::size_t first = 0;
  while (first < events.rows() && events.numbers[0][first] < 1e-6) ++first;
  for (std::size_t i = 0; i < measured.t.size() && first + i < turning.size(); ++i)
    worst = std::max(worst, std::fabs(turning[first + i] - measured.angle[i]));
  return worst;
}

std::string set_of(const Json& fitted, const std::string& name) {
  return fmt::format("{}={:.17g}", name, fitted.at("parameters").at(name).get<double>());
}

void add_fit_row(Record& record, const Json& fitted, const std::string& name,
                 const std::string& printed = "not given") {
  record.rows.push_back(
      {name, printed,
       fmt::format("{:.5g} +- {:.1g}", fitted.at("parameters").at(name).get<double>(),
                   fitted.at("standard_errors").at(name).get<double>()),
       Verdict::silent});
}

void add_cost_row(Workshop& shop, Record& record, const Json& fitted) {
  std::size_t numbers = 0;  // a time and an angle each
  for (int number = 1; number <= releases; ++number)
    numbers += 2 * read_measured(shop, number).t.size();
  record.rows.push_back(
      {fmt::format("cost 1/2 |r|^2 before and after ({} measurements)", numbers), "",
       fmt::format("{:.4g} -> {:.4g}", fitted.at("initial_cost").get<double>(),
                   fitted.at("final_cost").get<double>()),
       Verdict::own,
       fmt::format("{} is what the errors of measurement alone would leave", numbers / 2)});
}

void add_distance_row(Record& record, double distance) {
  record.rows.push_back({"largest distance from a measured turning point", "a plot",
                         few_digits(distance) + " rad", Verdict::silent});
}

}  // namespace

void arm_measurements(Workshop& shop, Record& record) {
  Chart chart = figure_chart("Arm: measured turning points", "t [s]", "angle [rad]");
  for (int number = 1; number <= releases; ++number) {
    const Measured m = read_measured(shop, number);
    add_points(chart, fmt::format("released at {:g} rad", released_at(number)), m.t, m.angle);
  }
  record.figures.push_back({chart,
                            "Angle of the arm at each end of a swing, column held, four "
                            "synthetic releases; pi/2 hangs straight down."});
  record.rows = {{"data", "four runs, not printed", "four synthetic runs", Verdict::silent}};
  record.notes = {synthetic_points};
}

void arm_energy(Workshop& shop, Record& record) {
  Chart energy = figure_chart("Arm: energy at the turning points", "t [s]", "energy [J]");
  for (int number = 1; number <= releases; ++number) {
    const Measured m = read_measured(shop, number);
    add_points(energy, fmt::format("released at {:g} rad", released_at(number)), m.t,
               map_values(m.angle, arm_energy_at));
  }
  record.figures.push_back(
      {energy,
       "Potential energy of the swinging arm at its turning points (121), where it has no "
       "other, over time: what friction leaves (synthetic)."});
  std::vector<double> rates, losses;
  for (const Swing& s : swings(shop)) rates.push_back(s.rate), losses.push_back(-s.loss);
  Chart change =
      figure_chart("Arm: energy change of half a swing", "mean rate [rad/s]", "change [J]");
  add_points(change, "", rates, losses);
  record.figures.push_back({change,
                            "Energy change of each half swing over its mean angular rate "
                            "(angle passed over time). The loss grows with the rate, which "
                            "suggested a first-order law to the document's author; the scatter "
                            "is that of the readings."});
  double mean_rate = 0, mean_loss = 0, both = 0, rate_square = 0, loss_square = 0;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    mean_rate += rates[i] / static_cast<double>(rates.size());
    mean_loss += losses[i] / static_cast<double>(rates.size());
  }
  for (std::size_t i = 0; i < rates.size(); ++i) {
    both += (rates[i] - mean_rate) * (losses[i] - mean_loss);
    rate_square += (rates[i] - mean_rate) * (rates[i] - mean_rate);
    loss_square += (losses[i] - mean_loss) * (losses[i] - mean_loss);
  }
  const double correlation = both / std::sqrt(rate_square * loss_square);
  record.rows = {{"dissipation over the rate", "looks like a first-order polynomial",
                  fmt::format("correlation with a straight line {:.2f}", correlation),
                  Verdict::silent,
                  "the plot is not in the scan; errors of reading of 0.01 rad hide the shape"}};
  record.notes = {
      "A half swing of larger rate is also longer: its energy loss is force times angle. "
      "The straight line therefore speaks for a constant moment as much as for a "
      "viscous one."};
}

void arm_dissipation(Workshop& shop, Record& record) {
  const auto list = swings(shop);
  const double c1 = single_constant(list, 1), c2 = single_constant(list, 0);
  std::vector<double> rates, losses, first, second;
  for (const Swing& s : list) {
    rates.push_back(s.rate);
    losses.push_back(-s.loss);
    first.push_back(-c1 * s.angle * s.rate);
    second.push_back(-c2 * s.angle);
  }
  Chart chart =
      figure_chart("Arm: first dissipation laws", "mean rate [rad/s]", "energy change [J]");
  add_points(chart, "measured (synthetic)", rates, losses);
  add_points(chart, "C1 v", rates, first);
  add_points(chart, "C2 sign v", rates, second);
  record.figures.push_back({chart,
                            "Energy change of each half swing with the two laws fitted to it: "
                            "a moment in proportion to the rate, and a constant one."});
  record.rows = {{"C1", "not given", fmt::format("{:.4g} N m s", c1), Verdict::silent},
                 {"C2", "not given", fmt::format("{:.4g} N m", c2), Verdict::silent}};
  // the same from motions instead of mean rates
  for (const auto& [name, free] : {std::pair("C1", "C1=0.02"), std::pair("C2", "C2=0.06")}) {
    const Json fitted = fit_arm(shop, free, true);
    record.rows.push_back(
        {fmt::format("{} by `fit` from the energy losses of computed motions", name), "not given",
         fmt::format("{:.4g} +- {:.1g}", fitted.at("parameters").at(name).get<double>(),
                     fitted.at("standard_errors").at(name).get<double>()),
         Verdict::own});
  }
}

void arm_viscous(Workshop& shop, Record& record) {
  const double c1 = single_constant(swings(shop), 1);
  const double off = law_figures(shop, record, {fmt::format("C1={:.17g}", c1)}, "-C1 v");
  add_distance_row(record, off);
  const Json fitted = fit_arm(shop, "C1=0.02");
  add_fit_row(record, fitted, "C1");
  add_cost_row(shop, record, fitted);
  record.notes = {
      "The document: fits at the beginning, but does not stop. A moment in proportion to the "
      "rate never stops the arm."};
}

void arm_constant(Workshop& shop, Record& record) {
  const double c2 = single_constant(swings(shop), 0);
  const double off = law_figures(shop, record, {fmt::format("C2={:.17g}", c2)}, "-C2 sign v");
  add_distance_row(record, off);
  const Json fitted = fit_arm(shop, "C2=0.06");
  add_fit_row(record, fitted, "C2");
  add_cost_row(shop, record, fitted);
  record.notes = {
      "The document: stops, but does not follow the curve at the start. A constant moment takes "
      "the same "
      "angle off every swing.",
      "F = -C2 n is printed although n already points against the velocity: one minus "
      "sign too many."};
}

void arm_quadratic(Workshop& shop, Record& record) {
  const auto [c3, c4] = two_constants(swings(shop));
  const double off =
      law_figures(shop, record, {fmt::format("C3={:.17g}", c3), fmt::format("C4={:.17g}", c4)},
                  "-(C3 v^2 + C4) sign v, constants from the energy losses");
  add_distance_row(record, off);
  record.rows.push_back({"C3, C4 from the losses", "not given",
                         fmt::format("{:.4g} N m s^2, {:.4g} N m", c3, c4), Verdict::silent});
}

void arm_quadratic_lowered(Workshop& shop, Record& record) {
  const auto [c3, c4] = two_constants(swings(shop));
  const double off = law_figures(
      shop, record, {fmt::format("C3={:.17g}", c3), fmt::format("C4={:.17g}", c4 - 0.02)},
      "-(C3 v^2 + C4 - 0.02) sign v");
  add_distance_row(record, off);
  record.notes = {
      "The document lowers C4 by 0.02 N m by hand so that its arm stops within the time of the "
      "plot."};
}

void arm_quadratic_fitted(Workshop& shop, Record& record) {
  const Json fitted = fit_arm(shop, "C3=1e-3,C4=0.05");
  const double off = law_figures(shop, record, {set_of(fitted, "C3"), set_of(fitted, "C4")},
                                 "-(C3 v^2 + C4) sign v, fitted");
  add_distance_row(record, off);
  add_fit_row(record, fitted, "C3");
  add_fit_row(record, fitted, "C4");
  add_cost_row(shop, record, fitted);
}

void arm_bearings(Workshop& shop, Record& record) {
  const double off = law_figures(shop, record, {"C10=0.001"}, "loads of the bearings, C10 = 0.001");
  add_distance_row(record, off);
  record.notes = {"The start of the document's optimisation is not given; 0.001 is used."};
}

void arm_bearings_fitted(Workshop& shop, Record& record) {
  const Json fitted = fit_arm(shop, "C10=1e-3");
  const double off =
      law_figures(shop, record, {set_of(fitted, "C10")}, "loads of the bearings, fitted");
  add_distance_row(record, off);
  const double value = fitted.at("parameters").at("C10");
  const double error = fitted.at("standard_errors").at("C10");
  record.rows.push_back(
      {"C10", "0.001592442688858 (behind the synthetic data)",
       fmt::format("{:.6g} +- {:.1g}", value, error), Verdict::own,
       fmt::format("the data were made here with this value, so that nothing of the document is "
                   "tested; the fit finds it again to {:.1f} standard errors",
                   std::fabs(value - arm_truth) / error)});
  add_cost_row(shop, record, fitted);
}

}  // namespace cartan::reproduction
