// Source 003, figures 30 to 51 (its appendix B): every law with each of the four measurements.
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "reproduction/drawing.h"
#include "reproduction/source003.h"
#include "reproduction/source003_releases.h"
#include "reproduction/workshop.h"

namespace cartan::reproduction {
namespace {

struct Law {
  std::vector<std::string> sets;
  std::string words;
};
using MakeLaw = Law (*)(Workshop&);

std::string setting(const char* name, double value) {
  return fmt::format("{}={:.17g}", name, value);
}
std::string fitted_setting(const Json& fitted, const char* name) {
  return setting(name, fitted.at("parameters").at(name).get<double>());
}

// ------------------------------------------------------------------------------------------- arm

Law constant_law(Workshop& shop) {
  return {{setting("C2", single_constant(swings(shop), 0))}, "-C2 sign v"};
}
Law viscous_law(Workshop& shop) {
  return {{setting("C1", single_constant(swings(shop), 1))}, "-C1 v"};
}
Law quadratic_law(Workshop& shop) {
  const auto [c3, c4] = two_constants(swings(shop));
  return {{setting("C3", c3), setting("C4", c4)}, "-(C3 v^2 + C4) sign v"};
}
Law lowered_law(Workshop& shop) {
  const auto [c3, c4] = two_constants(swings(shop));
  return {{setting("C3", c3), setting("C4", c4 - 0.02)}, "-(C3 v^2 + C4 - 0.02) sign v"};
}
Law fitted_law(Workshop& shop) {
  const Json fitted = fit_arm(shop, "C3=1e-3,C4=0.05");
  return {{fitted_setting(fitted, "C3"), fitted_setting(fitted, "C4")},
          "-(C3 v^2 + C4) sign v, fitted"};
}
Law bearing_law(Workshop&) {
  return {{"C10=0.001"}, "loads of the bearings, C10 = 0.001"};
}
Law fitted_bearing_law(Workshop& shop) {
  return {{fitted_setting(fit_arm(shop, "C10=1e-3"), "C10")}, "loads of the bearings, fitted"};
}

const char* const letters[] = {"a", "b", "c", "d"};

// Of the k-th turning points, computed and measured.
double largest_distance(const ResultTable& events, const Measured& measured) {
  const auto& turning = column(events, "shoulder.q0");
  std::size_t first = 0;
  while (first < events.rows() && events.numbers[0][first] < 1e-6) ++first;
  double worst = 0;
  for (std::size_t i = 0; i < measured.t.size() && first + i < turning.size(); ++i)
    worst = std::max(worst, std::fabs(turning[first + i] - measured.angle[i]));
  return worst;
}

void arm_releases(Workshop& shop, Record& record, const Law& law, bool energy) {
  for (int number = 1; number <= releases; ++number) {
    std::vector<std::string> words = {shop.model("arm_friction"),
                                      "--set",
                                      fmt::format("start={:g}", released_at(number)),
                                      "--duration",
                                      "12",
                                      "--step",
                                      "0.01"};
    for (const std::string& set : law.sets) words.insert(words.end(), {"--set", set});
    const auto run = shop.run(words);
    const ResultTable table = run.table();
    const Measured measured = read_measured(shop, number);
    const std::string title = fmt::format("Arm, release {}: {}", number, law.words);
    Chart chart = figure_chart(title, "t [s]", energy ? "energy [J]" : "angle [rad]");
    if (energy) {
      const double lowest = arm_mass * arm_gravity * arm_radius;
      add_line(chart, "computed", column(table, "t"),
               map_values(column(table, "energy"), [&](double e) { return e + lowest; }));
      add_points(chart, "measured (synthetic)", measured.t,
                 map_values(measured.angle, arm_energy_at));
    } else {
      add_line(chart, "computed", column(table, "t"), column(table, "shoulder.q0"));
      add_points(chart, "measured (synthetic)", measured.t, measured.angle);
    }
    record.figures.push_back(
        {chart,
         fmt::format("({}) {} of the arm released at {:g} rad, column held, friction law \"{}\". "
                     "Line: computed; points: turning points (synthetic).",
                     letters[number - 1], energy ? "Energy" : "Angle", released_at(number),
                     law.words)});
    const double off = largest_distance(run.table("events.csv"), measured);
    record.rows.push_back(
        {fmt::format("release {}, largest distance from a measured turning point", number),
         "a plot, not in the scan", few_digits(off) + " rad", Verdict::silent});
  }
  record.notes = {
      "The document's measurements are not printed; the four releases here are synthetic, so that "
      "the figures show what each law can follow and say nothing of the document's numbers."};
}

// ---------------------------------------------------------------------------------------- column

Law column_bearing_law(Workshop&) {
  return {{"C8=0.001", "C9=0.001"}, "loads of the bearings, before the fit"};
}
Law column_bearing_fitted(Workshop& shop) {
  const Json fitted = fit_column_spins(shop, "C8=0.001,C9=0.001", {});
  return {{fitted_setting(fitted, "C8"), fitted_setting(fitted, "C9")},
          "loads of the bearings, fitted"};
}
Law column_simple_law(Workshop&) {
  return {{"C8=0", "C9=0", "quadratic=0.001", "constant=0.1"},
          "-(C7 v^2 + C8) sign v, before the fit"};
}
Law column_simple_fitted(Workshop& shop) {
  const Json fitted = fit_column_spins(shop, "quadratic=0.001,constant=0.1", {"C8=0", "C9=0"});
  return {{"C8=0", "C9=0", fitted_setting(fitted, "quadratic"), fitted_setting(fitted, "constant")},
          "-(C7 v^2 + C8) sign v, fitted"};
}

void column_runs(Workshop& shop, Record& record, const Law& law, bool energy) {
  const double moment = column_moment(shop);
  const auto kinetic = [&](double v) { return moment * v * v / 2; };
  for (int number = 1; number <= spins; ++number) {
    std::vector<std::string> words = {shop.model("column_friction"), "--set", spin_setting(number),
                                      "--duration", "22"};
    for (const std::string& set : law.sets) words.insert(words.end(), {"--set", set});
    const ResultTable table = shop.run(words).table();
    const Spin spin = measured_spin(shop, number);
    Chart chart = figure_chart(fmt::format("Column, run {}: {}", number, law.words), "t [s]",
                               energy ? "energy [J]" : "rate [rad/s]");
    const auto shown = [&](const std::vector<double>& rates) {
      return energy ? map_values(rates, kinetic) : rates;
    };
    add_line(chart, "computed", column(table, "t"), shown(column(table, "base.v0")));
    add_points(chart, "measured (synthetic)", spin.t, shown(spin.rate));
    record.figures.push_back(
        {chart,
         fmt::format("({}) {} of the column, arm locked, left alone near 100 rpm, run {}, "
                     "friction law \"{}\". Line: computed; points: readings (synthetic).",
                     letters[number - 1], energy ? "Kinetic energy" : "Rate", number, law.words)});
    double worst = 0;
    for (std::size_t i = 0; i < spin.t.size(); ++i)
      worst = std::max(worst, std::fabs(value_near(table, "base.v0", spin.t[i]) - spin.rate[i]));
    record.rows.push_back({fmt::format("run {}, largest distance from a reading", number),
                           "a plot, not in the scan", few_digits(worst) + " rad/s",
                           Verdict::silent});
  }
  record.notes = {"The document's readings are not printed; the four runs here are synthetic."};
}

template <MakeLaw law, bool energy>
void arm_item(Workshop& shop, Record& record) {
  arm_releases(shop, record, law(shop), energy);
}
template <MakeLaw law, bool energy>
void column_item(Workshop& shop, Record& record) {
  column_runs(shop, record, law(shop), energy);
}

}  // namespace

std::vector<Item> appendix_items() {
  return {
      {"003.30", "figure 30: four releases, constant friction", arm_item<constant_law, false>},
      {"003.31", "figure 31: their energies", arm_item<constant_law, true>},
      {"003.32", "figure 32: four releases, viscous friction", arm_item<viscous_law, false>},
      {"003.33", "figure 33: their energies", arm_item<viscous_law, true>},
      {"003.34", "figure 34: four releases, quadratic and constant",
       arm_item<quadratic_law, false>},
      {"003.35", "figure 35: their energies", arm_item<quadratic_law, true>},
      {"003.36", "figure 36: four releases, lowered by hand", arm_item<lowered_law, false>},
      {"003.37", "figure 37: their energies", arm_item<lowered_law, true>},
      {"003.38", "figure 38: four releases, fitted", arm_item<fitted_law, false>},
      {"003.39", "figure 39: their energies", arm_item<fitted_law, true>},
      {"003.40", "figure 40: four releases, bearings before", arm_item<bearing_law, false>},
      {"003.41", "figure 41: their energies", arm_item<bearing_law, true>},
      {"003.42", "figure 42: four releases, bearings fitted", arm_item<fitted_bearing_law, false>},
      {"003.43", "figure 43: their energies", arm_item<fitted_bearing_law, true>},
      {"003.44", "figure 44: four runs of the column, bearings before",
       column_item<column_bearing_law, false>},
      {"003.45", "figure 45: their energies", column_item<column_bearing_law, true>},
      {"003.46", "figure 46: four runs of the column, bearings fitted",
       column_item<column_bearing_fitted, false>},
      {"003.47", "figure 47: their energies", column_item<column_bearing_fitted, true>},
      {"003.48", "figure 48: four runs of the column, simplified friction before",
       column_item<column_simple_law, false>},
      {"003.49", "figure 49: their energies", column_item<column_simple_law, true>},
      {"003.50", "figure 50: four runs of the column, simplified friction fitted",
       column_item<column_simple_fitted, false>},
      {"003.51", "figure 51: their energies", column_item<column_simple_fitted, true>},
  };
}

}  // namespace cartan::reproduction
