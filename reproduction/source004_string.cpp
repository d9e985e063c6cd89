// Source 004, section 7.3: two particles on a string.
#include "reproduction/source004.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "derivations/coupled_pendulums.h"
#include "report/spectrum.h"
#include "reproduction/drawing.h"
#include "reproduction/workshop.h"
#include "reproduction/written_code.h"

namespace cartan::reproduction {
namespace {

// Seconds for the derivation and its code with common subexpressions taken out, the best of three.
double derivation_time(bool with_subexpressions) {
  using Clock = std::chrono::steady_clock;
  double best = INFINITY;
  for (int i = 0; i < 3; ++i) {
    const auto begin = Clock::now();
    const auto derived = derivations::derive_coupled_pendulums(with_subexpressions);
    std::vector<Expression> values = derived->equations.M;
    values.insert(values.end(), derived->equations.f.begin(), derived->equations.f.end());
    const std::string code = write_equations(derived->graph, values, false);
    best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return best;
}

// Section 7.3.6.
void add_derivation_times(Record& record) {
  const auto row = [&](const char* how, double printed, bool with_subexpressions,
                       const char* remark) {
    const double seconds = derivation_time(with_subexpressions);
    record.rows.push_back(
        {fmt::format("derivation and code, {}", how), fmt::format("{:g} s (Sun Ultra 1)", printed),
         fmt::format("{:.3g} s", seconds), compare_errors(printed, seconds), remark});
  };
  row("without intermediate variables", 518, false, "");
  row("with subexpressions, put back before code is generated", 395, true,
      "the 21 s of the document, with subexpressions left in the code, have no counterpart: "
      "expressions are shared here whether they were given names or not");
}

}  // namespace

void string_frequencies(Workshop& shop, Record& record) {
  const Json linear = shop.json(
      {"linearize", shop.model("coupled_pendulums"), "--at", "equilibrium", "--set", "together=0"});
  std::vector<double> f;
  for (const auto& value : linear.at("frequencies_hz")) f.push_back(value);
  std::sort(f.begin(), f.end());
  const double first = f[1], plane = f[3], second = f[5];
  const auto near = [](double a, double b) {
    return std::fabs(a - b) < 6e-4 ? Verdict::agrees : Verdict::differs;
  };
  record.rows = {
      {"swinging in the plane", "4.251 Hz", fmt::format("{:.9f} Hz", plane), near(plane, 4.251)},
      {"out of the plane, together", "2.505 Hz", fmt::format("{:.9f} Hz", first),
       near(first, 2.505)},
      {"out of the plane, against each other", "4.309 Hz, printed as omega_op1",
       fmt::format("{:.9f} Hz", second), near(second, 4.309), "the second omega_op1 is omega_op2"}};
  const auto run =
      shop.run({shop.model("coupled_pendulums"), "--set", "along=0.01", "--set", "against=0.005",
                "--duration", fmt::format("{:g}", shop.choose(40, 10)), "--step", "0.005"});
  const ResultTable table = run.table("bodies.csv");
  Chart chart = figure_chart("Frequencies in a run", "frequency [Hz]", "amplitude [m]");
  chart.y_log = true;
  for (const auto& [words, name] :
       {std::pair("in the plane (z)", "left.z"), std::pair("out of the plane (y)", "left.y")}) {
    std::vector<double> frequency, amplitude;
    for (const auto& [hz, size] : amplitude_spectrum(column(table, "t"), column(table, name)))
      if (hz < 8) frequency.push_back(hz), amplitude.push_back(size);
    add_line(chart, words, frequency, amplitude);
  }
  record.figures.push_back({chart,
                            "Amplitude spectrum of the left particle's motion, started with small "
                            "speeds in all three modes: the peaks lie at the frequencies of the "
                            "table."});
  record.notes = {"Values are frequencies in Hz, not angular frequencies.",
                  "delta = sqrt(L^2 - d.d) must be sqrt(L^2 - d.d/4): half of the middle piece is "
                  "meant; the code in 7.3.4 has the 4."};
  // The time of integrating 400 units, which the document also gives.
  const auto timed =
      shop.run({shop.model("coupled_pendulums"), "--duration",
                fmt::format("{:g}", shop.choose(400, 40)), "--step", "0.01", "--every", "100"});
  record.rows.push_back(
      {"time to integrate 400 units", "11.7 to 12.1 s (generated code, Sun Ultra 1)",
       fmt::format("{:.2g} s (gl4, h = 0.01, three constraints)",
                   timed.summary.at("wall_seconds").get<double>() * shop.choose(1, 10)),
       Verdict::own, "other machine, other units"});
  add_derivation_times(record);
}

void string_equilibrium(Workshop& shop, Record& record) {
  const double L = 0.198;
  std::vector<double> ratios, angles, formula, singular;
  double worst = 0;
  for (double K = 1.2; K < 2.95; K += shop.choose(0.1, 0.35)) {
    const Json found =
        shop.json({"equilibrium", shop.model("coupled_pendulums"), "--set", "together=0", "--set",
                   fmt::format("K={:.10g}", K * L), "--set", "theta=acos((K - L)/(2*L)) + 0.02"});
    const Json& place = found.at("state").at("q").at("left_place");
    const double angle = std::atan2(-place[2].get<double>(), place[0].get<double>());
    ratios.push_back(K);
    angles.push_back(angle);
    worst = std::max(worst, std::fabs(angle - std::acos((K - 1) / 2)));
  }
  std::vector<double> fine;
  for (double K = 1.01; K < 2.999; K += 0.01) {
    fine.push_back(K);
    formula.push_back(std::acos((K - 1) / 2));
    singular.push_back(std::acos(std::min(1.0, (K * K + 3) / (4 * K))));
  }
  Chart chart = figure_chart("String with two particles: equilibrium", "K / L", "angle [rad]");
  add_line(chart, "arccos((K - L)/(2L))", fine, formula);
  add_line(chart, "where the coordinates are singular", fine, singular).dashed = true;
  ChartLine& points = add_points(chart, "equilibria found by Newton's method", ratios, angles);
  points.colour = 6;
  record.figures.push_back({chart,
                            "Angle of the outer pieces of string at equilibrium over the "
                            "distance of the supports, by formula and by `cartan "
                            "equilibrium`, and the angle at which the document's coordinates "
                            "are singular (middle and outer piece in one line with the far "
                            "support)."});
  const double here = std::acos((0.586 - L) / (2 * L));
  const double close = std::acos((0.586 * 0.586 + 3 * L * L) / (4 * 0.586 * L));
  record.rows = {
      {"q1 at equilibrium for K = 0.586, L = 0.198", "0.20135 rad", fmt::format("{:.8f} rad", here),
       std::fabs(here - 0.20135) < 6e-6 ? Verdict::agrees : Verdict::differs},
      {"Newton's method against the formula", "", few_digits(worst) + " rad", Verdict::own},
      {"singular angle there", "0.11572 rad (7.3.3)", fmt::format("{:.8f} rad", close),
       std::fabs(close - 0.11572) < 6e-6 ? Verdict::agrees : Verdict::differs}};
}

}  // namespace cartan::reproduction
