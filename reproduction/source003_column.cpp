// Source 003, figures 22 to 28: friction of the column, and the main behaviour.
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "reproduction/drawing.h"
#include "reproduction/noise.h"
#include "reproduction/source003.h"
#include "reproduction/workshop.h"

namespace cartan::reproduction {
namespace {

constexpr double half_turn = std::numbers::pi;

const char* const synthetic =
    "The document's measurements are not printed. The data here are synthetic, from its full "
    "friction model with its constants, with errors of the size of a reading.";

std::string value_with_error(double value, double error) {
  return std::isfinite(error) ? fmt::format("{:.5g} +- {:.1g}", value, error)
                              : fmt::format("{:.5g}, at its bound or not determined", value);
}

// ------------------------------------------------------------------------------------- column

}  // namespace

std::string spin_setting(int number) {
  constexpr double rpm[] = {100, 98.4, 101.3, 99.2};
  return fmt::format("rpm={:g}", rpm[number - 1]);
}

// Readings every 0.7 s while it turns, good to 0.3 rpm.
Spin measured_spin(Workshop& shop, int number) {
  const auto run = shop.run({shop.model("column_friction"), "--set", spin_setting(number),
                             "--duration", "22", "--step", "0.7"});
  const ResultTable table = run.table();
  Noise noise(number - 1);
  Spin spin;
  std::string text = "t,base.v0\n";
  for (std::size_t i = 1; i < table.rows(); ++i) {
    const double rate = column(table, "base.v0")[i] + 0.3 * 2 * half_turn / 60 * noise();
    if (column(table, "base.v0")[i] < 0.5) break;
    spin.t.push_back(column(table, "t")[i]);
    spin.rate.push_back(rate);
    text += fmt::format("{:.17g},{:.17g}\n", spin.t.back(), rate);
  }
  shop.write_data(fmt::format("column_{}.csv", number), text);
  return spin;
}

Json fit_column_spins(Workshop& shop, const std::string& free,
                      const std::vector<std::string>& fixed) {
  std::string text = "# Rates of the column, synthetic: four runs.\n";
  for (int number = 1; number <= spins; ++number) {
    measured_spin(shop, number);
    const std::string rpm = spin_setting(number);
    text += fmt::format(
        "[[experiment]]\nname = \"run {0}\"\ndata = \"column_{0}.csv\"\nset = {{ rpm = {1} }}\n"
        "columns.\"base.v0\" = {{ quantity = \"base.v\", sigma = {2:.6g} }}\n",
        number, rpm.substr(rpm.find('=') + 1), 0.3 * 2 * half_turn / 60);
  }
  std::vector<std::string> words = {"fit",           shop.model("column_friction"),
                                    "--experiments", shop.write_data("column.toml", text),
                                    "--free",        free};
  for (const std::string& set : fixed) words.insert(words.end(), {"--set", set});
  return shop.json(words, true);
}

double column_moment(Workshop& shop) {
  return shop.json({"eval", shop.model("column_friction")}).at("mass_matrix")[0][0];
}

namespace {

void spin_figures(Workshop& shop, Record& record, const std::vector<std::string>& sets,
                  const std::string& law) {
  std::vector<std::string> words = {shop.model("column_friction"), "--duration", "22"};
  for (const std::string& set : sets) words.insert(words.end(), {"--set", set});
  const ResultTable table = shop.run(words).table();
  const Spin spin = measured_spin(shop, 1);
  const double moment = column_moment(shop);
  const auto energy = [&](double v) { return moment * v * v / 2; };
  Chart rate = figure_chart("Column: " + law, "t [s]", "rate [rad/s]");
  add_line(rate, "computed", column(table, "t"), column(table, "base.v0"));
  add_points(rate, "measured (synthetic)", spin.t, spin.rate);
  record.figures.push_back(
      {rate,
       fmt::format(
           "Rate of the column of source 003's pendulum, arm locked, left alone at 100 rpm. Line: "
           "computed with the friction law \"{}\"; points: readings (synthetic).",
           law)});
  Chart kinetic = figure_chart("Column: energy, " + law, "t [s]", "energy [J]");
  add_line(kinetic, "computed", column(table, "t"), map_values(column(table, "base.v0"), energy));
  add_points(kinetic, "measured (synthetic)", spin.t, map_values(spin.rate, energy));
  record.figures.push_back(
      {kinetic,
       fmt::format(
           "Kinetic energy of the column while it slows down from 100 rpm. Line: computed with the "
           "friction law \"{}\"; points: from the readings (synthetic).",
           law)});
}

// A constant that was put into data made here and is found again says nothing of the document.
void judge_recovery(Row& row, double errors) {
  row.verdict = Verdict::own;
  row.remark = fmt::format(
      "the data were made here with the document's value, so that nothing of the document is "
      "tested; the fit finds it again to {:.1f} standard errors",
      errors);
}

std::vector<std::string> fit_column(Workshop& shop, Record& record, const std::string& free,
                                    const std::vector<std::string>& fixed,
                                    const std::vector<std::pair<std::string, double>>& truths) {
  const Json fitted = fit_column_spins(shop, free, fixed);
  std::vector<std::string> sets = fixed;
  for (const auto& [name, truth] : truths) {
    const double value = fitted.at("parameters").at(name);
    const bool has_error =
        fitted.contains("standard_errors") && fitted.at("standard_errors").contains(name);
    const double error = has_error ? fitted.at("standard_errors").at(name).get<double>() : NAN;
    sets.push_back(fmt::format("{}={:.17g}", name, value));
    Row row{name, truth > 0 ? fmt::format("{:.6g}", truth) : "not given",
            value_with_error(value, error), Verdict::silent};
    if (truth > 0) judge_recovery(row, std::fabs(value - truth) / error);
    record.rows.push_back(std::move(row));
  }
  record.rows.push_back({"cost before and after", "",
                         fmt::format("{:.4g} -> {:.4g}", fitted.at("initial_cost").get<double>(),
                                     fitted.at("final_cost").get<double>()),
                         Verdict::own});
  return sets;
}

// --------------------------------------------------------------------------------- main behaviour

struct Behaviour {
  std::vector<double> t, rate, angle;
};

// main.csv with its errors of measurement; `bounds`: lines of a table of that name.
std::string write_experiments(Workshop& shop, const std::string& name, const std::string& bounds,
                              const std::string& duration) {
  return shop.write_data(
      name + ".toml",
      fmt::format("# Turning points of the constructed pendulum, synthetic.\n[bounds]\n{}\n"
                  "[[experiment]]\nname = \"main behaviour\"\ndata = \"main.csv\"\n"
                  "event = \"turning point\"\nduration = {}\n"
                  "columns.angle = {{ quantity = \"shoulder.q\", sigma = 0.01 }}\n"
                  "columns.rate = {{ quantity = \"base.v\", sigma = 0.05 }}\n"
                  "columns.t = {{ sigma = 0.005 }}\n",
                  bounds, duration));
}

std::string main_duration(const Workshop& shop) {
  return fmt::format("{:g}", shop.choose(15, 5));
}

// Turning points of the arm with the rate of the column there, from the model with bearings.
Behaviour measured_behaviour(Workshop& shop) {
  const auto run =
      shop.run({shop.model("bearing_friction"), "--integrator", "dop853", "--tolerance", "1e-10",
                "--step", "0.01", "--every", "1", "--duration", main_duration(shop)});
  const ResultTable events = run.table("events.csv");
  Noise noise;
  Behaviour result;
  std::string text = "t,angle,rate\n";
  for (std::size_t i = 0; i + 1 < events.rows(); ++i) {
    if (events.numbers[0][i] < 1e-6) continue;
    result.t.push_back(events.numbers[0][i] + 0.005 * noise());
    result.angle.push_back(column(events, "shoulder.q0")[i] + 0.01 * noise());
    result.rate.push_back(column(events, "base.v0")[i] + 0.05 * noise());
    text += fmt::format("{:.17g},{:.17g},{:.17g}\n", result.t.back(), result.angle.back(),
                        result.rate.back());
  }
  shop.write_data("main.csv", text);
  return result;
}

// (75) with the arm at rest against the column, and the height above the lowest points.
double main_energy_at(double rate, double angle) {
  const double m1 = 3.3645051, m2 = 4.6811, l2 = 0.12675638, c = std::cos(angle),
               s = std::sin(angle);
  const double arm = 0.25 + l2 * c;
  const double moment = 0.061726572 + m1 * (0.11705442 * 0.11705442 + 0.019696113 * 0.019696113) +
                        m2 * arm * arm + 4.1857e-3 * s * s + 1.97783e-2 * c * c;
  return moment * rate * rate / 2 + m2 * 9.81 * l2 * (1 - s);
}

std::vector<double> measured_energy(const Behaviour& b) {
  std::vector<double> energy;
  for (std::size_t i = 0; i < b.t.size(); ++i)
    energy.push_back(main_energy_at(b.rate[i], b.angle[i]));
  return energy;
}

void main_figures(Workshop& shop, Record& record, const std::string& model,
                  const std::vector<std::string>& sets, const std::string& law) {
  std::vector<std::string> words = {
      shop.model(model),  "--integrator", "dop853",  "--tolerance", "1e-10",
      "--step",           "0.01",         "--every", "1",           "--duration",
      main_duration(shop)};
  for (const std::string& set : sets) words.insert(words.end(), {"--set", set});
  const ResultTable table = shop.run(words).table();
  const Behaviour b = measured_behaviour(shop);
  const auto& t = column(table, "t");
  const auto rpm = [](double rate) { return rate * 60 / (2 * half_turn); };
  Chart rate = figure_chart("Column: " + law, "t [s]", "rate [rpm]");
  add_line(rate, "computed", t, map_values(column(table, "base.v0"), rpm));
  add_points(rate, "measured (synthetic)", b.t, map_values(b.rate, rpm));
  record.figures.push_back({rate, fmt::format("Rate of the column of the constructed pendulum, "
                                              "released at 91.7 rpm and 3.6477 rad, with {}.",
                                              law)});
  Chart angle = figure_chart("Arm: " + law, "t [s]", "angle [rad]");
  add_line(angle, "computed", t, column(table, "shoulder.q0"));
  add_points(angle, "measured (synthetic)", b.t, b.angle);
  record.figures.push_back(
      {angle, fmt::format("Angle of the arm of the constructed pendulum, released at 91.7 rpm and "
                          "3.6477 rad. Line: "
                          "computed with {}; points: turning points (synthetic).",
                          law)});
  Chart energy = figure_chart("Energy: " + law, "t [s]", "energy [J]");
  const double lowest = 9.81 * (3.3645051 * 0.30102662 + 4.6811 * (0.29205324 - 0.12675638));
  add_line(energy, "computed", t,
           map_values(column(table, "energy"), [&](double e) { return e - lowest; }));
  add_points(energy, "measured (synthetic)", b.t, measured_energy(b));
  record.figures.push_back(
      {energy,
       fmt::format(
           "Energy of the constructed pendulum above its lowest position, over time, with {}; "
           "points: at the turning points (synthetic).",
           law)});
}

void fit_main(Workshop& shop, Record& record, const std::string& model, const std::string& free,
              const std::vector<std::pair<std::string, double>>& truths, const std::string& law) {
  const Behaviour b = measured_behaviour(shop);
  std::string bounds;  // constants must be positive, as in the document
  for (const auto& [name, truth] : truths) bounds += fmt::format("{} = [0, 10]\n", name);
  const std::string experiments =
      write_experiments(shop, model, bounds,
                        // longer than the data: other constants may turn later
                        fmt::format("{:g}", shop.choose(25, 10)));
  const Json fitted = shop.json({"fit", shop.model(model), "--experiments", experiments, "--free",
                                 free, "--tolerance", shop.quick() ? "1e-7" : "1e-9"},
                                true);
  std::vector<std::string> sets;
  for (const auto& [name, truth] : truths) {
    const double value = fitted.at("parameters").at(name);
    sets.push_back(fmt::format("{}={:.17g}", name, value));
    const bool known =
        fitted.contains("standard_errors") && fitted.at("standard_errors").contains(name);
    const double error = known ? fitted.at("standard_errors").at(name).get<double>() : NAN;
    Row row{name, truth > 0 ? fmt::format("{:.6g}", truth) : "not given",
            value_with_error(value, error), Verdict::silent};
    if (truth > 0 && known) judge_recovery(row, std::fabs(value - truth) / error);
    record.rows.push_back(std::move(row));
  }
  record.rows.push_back({fmt::format("cost before and after ({} measurements)", 3 * b.t.size()), "",
                         fmt::format("{:.4g} -> {:.4g}", fitted.at("initial_cost").get<double>(),
                                     fitted.at("final_cost").get<double>()),
                         Verdict::own,
                         fmt::format("{:g} is what errors of measurement alone would leave",
                                     1.5 * static_cast<double>(b.t.size()))});
  main_figures(shop, record, model, sets, law);
}

}  // namespace

void column_measurements(Workshop& shop, Record& record) {
  const double moment = column_moment(shop);
  Chart rate = figure_chart("Column: measured rate", "t [s]", "rate [rpm]");
  Chart energy = figure_chart("Column: energy", "t [s]", "energy [J]");
  for (int number = 1; number <= spins; ++number) {
    const Spin spin = measured_spin(shop, number);
    const std::string name = fmt::format("run {}", number);
    add_points(rate, name, spin.t,
               map_values(spin.rate, [](double v) { return v * 60 / (2 * half_turn); }));
    add_points(energy, name, spin.t,
               map_values(spin.rate, [&](double v) { return moment * v * v / 2; }));
  }
  record.figures.push_back({rate,
                            "Rate of the column with its arm locked, read every 0.7 s while it "
                            "slows down from 100 rpm (synthetic)."});
  record.figures.push_back(
      {energy,
       "Kinetic energy of the column with its arm locked, from each reading of its rate (118), "
       "while it slows down from 100 rpm (synthetic)."});
  record.rows = {{"data", "four runs, not printed", "four synthetic runs", Verdict::silent}};
  record.notes = {synthetic, "The angle at which the arm was locked is not given; it hangs here."};
}

void column_bearings(Workshop& shop, Record& record) {
  spin_figures(shop, record, {"C8=0.001", "C9=0.001"},
               "loads of the bearings, constants before the fit");
  const auto sets = fit_column(shop, record, "C8=0.001,C9=0.001", {},
                               {{"C8", 0.001523114066306}, {"C9", 0.001282456249998}});
  spin_figures(shop, record, sets, "loads of the bearings, constants fitted");
}

void column_simplified(Workshop& shop, Record& record) {
  const std::vector<std::string> off = {"C8=0", "C9=0"};
  std::vector<std::string> before = off;
  before.insert(before.end(), {"quadratic=0.001", "constant=0.1"});
  spin_figures(shop, record, before, "-(C7 v^2 + C8) sign v, constants before the fit");
  const auto sets = fit_column(shop, record, "quadratic=0.001,constant=0.1", off,
                               {{"quadratic", 0}, {"constant", 0}});
  spin_figures(shop, record, sets, "-(C7 v^2 + C8) sign v, constants fitted");
}

void main_measurements(Workshop& shop, Record& record) {
  const Behaviour b = measured_behaviour(shop);
  Chart chart = figure_chart("Main behaviour: measured", "t [s]", "angle [rad], rate [rad/s]");
  add_points(chart, "angle of the arm", b.t, b.angle);
  add_points(chart, "rate of the column", b.t, b.rate);
  record.figures.push_back({chart,
                            "Angle of the arm and rate of the column at each turning point of "
                            "the arm (synthetic), released at 91.7 rpm and 3.6477 rad."});
  record.rows = {{"data", "one run, not printed", "one synthetic run", Verdict::silent}};
  record.notes = {synthetic};
}

void main_energy(Workshop& shop, Record& record) {
  const Behaviour b = measured_behaviour(shop);
  Chart chart = figure_chart("Main behaviour: energy", "t [s]", "energy [J]");
  add_points(chart, "", b.t, measured_energy(b));
  record.figures.push_back({chart,
                            "Energy of the pendulum at each turning point of the arm, from the "
                            "measured rate and angle (synthetic)."});
  record.rows = {{"energy at the release", "a plot (not in the scan)",
                  fmt::format("{:.3f} J", main_energy_at(91.7 * 2 * half_turn / 60, 3.6477)),
                  Verdict::silent}};
}

void main_bearings(Workshop& shop, Record& record) {
  fit_main(shop, record, "bearing_friction", "C8=0.0012,C9=0.0012,C10=0.0014",
           {{"C8", 0.001523114066306}, {"C9", 0.001282456249998}, {"C10", 0.001592442688858}},
           "friction by the loads of the bearings, constants fitted");
  record.notes = {
      "The printed X2 for the full force has two constants, (131) has one; d and L4 of "
      "the bearings are not given."};
}

void main_simplified(Workshop& shop, Record& record) {
  fit_main(shop, record, "constructed_pendulum_friction_b",
           "c5=1e-3,c6=0.15,c7=1e-4,c3=1e-3,c4=0.08,cB=1e-3",
           {{"c5", 0}, {"c6", 0}, {"c7", 0}, {"c3", 0}, {"c4", 0}, {"cB", 0}},
           "simplified friction, constants fitted");
  record.notes = {
      "The simplified law cannot be reconstructed uniquely: (132) uses three constants, "
      "(126) two, X2 has three, and (132) has theta2' squared in the centrifugal term "
      "where theta1' would be expected. Reading B is used: the third constant of the arm "
      "multiplies the square of the column's rate.",
      "The data come from the bearings' law: what this one cannot follow stays as cost. The "
      "document's own "
      "constants belong to its data and are a hundred times smaller in c6 and c4."};
}

}  // namespace cartan::reproduction
