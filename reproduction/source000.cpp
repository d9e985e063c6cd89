// Source 000: coordinate-free moving frames for N-body spherical pendulums. Its items, and
// sections 3.1 to 3.2.2.
#include "reproduction/source000.h"

#include <cmath>

#include <fmt/format.h>

#include "reproduction/drawing.h"
#include "reproduction/items.h"
#include "reproduction/workshop.h"

namespace cartan::reproduction {
namespace {

// sin(theta/2) = k cd(w t, k): the exact pendulum. cd = cn/dn by descending Landen steps on the
// amplitude (arithmetic-geometric mean).
double exact_pendulum(double tilt, double rate, double t) {
  const double k = std::sin(tilt / 2);
  double a[12] = {1}, c[12] = {k}, b = std::sqrt(1 - k * k);
  int n = 0;
  for (; n < 10 && c[n] > 1e-17; ++n) {
    a[n + 1] = (a[n] + b) / 2;
    c[n + 1] = (a[n] - b) / 2;
    b = std::sqrt(a[n] * b);
  }
  double phi = std::ldexp(a[n] * rate * t, n), before = phi;
  for (int i = n; i > 0; --i) {
    before = phi;
    phi = (phi + std::asin(c[i] / a[i] * std::sin(phi))) / 2;
  }
  const double cn = std::cos(phi), dn = n > 0 ? std::cos(phi) / std::cos(before - phi) : 1;
  return 2 * std::asin(k * cn / dn);
}

void spy_plot(Workshop& shop, Record& record) {
  // a state in which no entry vanishes by chance
  const std::string state = shop.write_data(
      "general_state.json",
      "{\"q\": {\"joint1\": [0.8, 0.36, 0.48, 0], \"joint2\": [0.5, -0.5, 0.1, 0.7], \"joint3\": "
      "[0.7, 0.1, -0.5, 0.5], \"joint4\": [0.6, 0.48, 0, 0.64]}}\n");
  const Json result =
      shop.json({"eval", shop.model("four_link"), "--formulation", "moving-frame", "--at", state});
  const Json& B = result.at("B");
  const int rows = static_cast<int>(B.size()), columns = static_cast<int>(B[0].size());
  Chart chart = figure_chart("Nonzero entries of B, four links", "column", "row");
  chart.y_downwards = true;
  chart.width = 420;
  chart.height = 560;
  std::vector<double> xs, ys, unit_x, unit_y;
  int count = 0;
  bool stair = true;  // nothing right of the steps, ones on them
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      const double value = B[i][j];
      if (std::fabs(value) < 1e-14) continue;
      ++count;
      stair &= j / 3 <= i / 6;
      const bool one = i % 6 >= 3 && i / 6 == j / 3;  // the identity blocks of the proof
      (one ? unit_x : xs).push_back(j + 1);
      (one ? unit_y : ys).push_back(i + 1);
      if (one) stair &= i % 3 != j % 3 || std::fabs(value - 1) < 1e-12;
    }
  add_points(chart, "entry", xs, ys);
  add_points(chart, "identity block", unit_x, unit_y);
  record.figures.push_back(
      {chart,
       "Entries of the 24 x 12 matrix B of the four-link pendulum at a general state that are not "
       "zero: rows 1-3 of each six belong to the velocity of a link's centre of mass, rows "
       "4-6 to its angular velocity. The orange steps are identity blocks in different "
       "rows, so the columns are independent and M* = B^T M B is positive definite."});
  record.rows = {{"size of B", "24 x 12", fmt::format("{} x {}", rows, columns),
                  rows == 24 && columns == 12 ? Verdict::agrees : Verdict::differs},
                 {"shape", "stair of blocks, identity on the steps",
                  fmt::format("block lower triangular, {} entries not zero at this state", count),
                  agrees_if(stair)}};
}

void single_pendulum(Workshop& shop, Record& record) {
  const auto run = shop.run({shop.model("pendulum"), "--integrator", "gl3", "--step", "0.01",
                             "--tolerance", "1e-16", "--duration", "10"});
  const auto planar = shop.run({shop.model("planar_pendulum"), "--integrator", "rk45",
                                "--tolerance", "1e-13", "--step", "0.01", "--duration", "10"});
  const auto thin = shop.run({shop.model("planar_pendulum"), "--set", "J=m*L^2/3", "--integrator",
                              "rk45", "--tolerance", "1e-13", "--step", "0.01"});
  const ResultTable table = run.table(), classical = planar.table(), other = thin.table();
  const auto& t = column(table, "t");
  const auto& angle = column(table, "angle");
  const auto error = difference(column(classical, "theta"), angle);
  const double J = 50 * (4 + 0.04) / 12 + 50, rate = std::sqrt(50 * 9.81 / J);
  std::vector<double> exact;
  for (const double time : t) exact.push_back(exact_pendulum(0.1, rate, time));
  const auto to_exact = difference(angle, exact);
  Chart chart =
      figure_chart("Single pendulum: difference of the angle", "t [s]", "difference [rad]");
  add_line(chart, "classical (rk45, 1e-13) - coordinate-free (gl3, h = 0.01)", t, error);
  add_line(chart, "coordinate-free (gl3) - exact formula", t, to_exact);
  record.figures.push_back(
      {chart,
       "Angle of the single rod pendulum (50 kg, 2 m, tilted by 0.1 rad): the classical "
       "equation solved by rk45 with tolerance 1e-13 minus the quaternion model solved by "
       "gl3 with h = 0.01, and the latter minus the exact solution in elliptic functions."});
  record.rows = {
      {"difference at t = 10 s", "1.92e-13 rad", few_digits(std::fabs(error.back())) + " rad",
       std::fabs(error.back()) < 1e-12 ? Verdict::order : Verdict::differs,
       "both are the rounding of the explicit reference"},
      {"gl3 against the exact formula, largest", "", few_digits(largest(to_exact)) + " rad",
       Verdict::own},
      {"classical model with J = m l^2/3, difference at 10 s", "(the same 1.92e-13)",
       few_digits(std::fabs(column(other, "theta").back() - angle.back())) + " rad",
       Verdict::differs,
       "the thin rod of (3.8) is another pendulum: 3.1e-3 rad away (a separate program: "
       "3.13e-3), so the 1e-13 can only come from the prism's moment in both models"}};
  record.notes = {
      "g is not given; 9.81 m/s^2 is used everywhere.",
      "The classical model is printed with J = m l^2/3, the three-dimensional one with the inertia "
      "of a prism. Their periods differ by 2.9e-3 s.",
      "(3.11), theta = 2 arccos(u0), loses the sign of the angle and is ill-conditioned at 0: an "
      "error of 1e-16 in u0 becomes 2e-8 rad there. 2 atan2(u1, u0) is used here."};
}

void double_pendulum(Workshop& shop, Record& record) {
  const auto run = shop.run({shop.model("double_pendulum"), "--integrator", "gl3", "--step", "0.01",
                             "--tolerance", "1e-16", "--duration", "10"});
  const auto planar = shop.run({shop.model("planar_double"), "--integrator", "rk45", "--tolerance",
                                "1e-13", "--step", "0.01", "--duration", "10"});
  const ResultTable table = run.table(), classical = planar.table();
  const auto& t = column(table, "t");
  const auto angle = [&](const std::string& joint) {
    std::vector<double> result;
    const auto &w = column(table, joint + ".q0"), &x = column(table, joint + ".q1");
    for (std::size_t i = 0; i < w.size(); ++i) result.push_back(2 * std::atan2(x[i], w[i]));
    return result;
  };
  const auto first = angle("joint1");
  auto second = angle("joint2");
  for (std::size_t i = 0; i < second.size(); ++i) second[i] += first[i];
  const auto e1 = difference(column(classical, "phi"), first);
  const auto e2 = difference(column(classical, "psi"), second);
  Chart chart =
      figure_chart("Double pendulum: difference of the angles", "t [s]", "difference [rad]");
  add_line(chart, "body 1", t, e1);
  add_line(chart, "body 2", t, e2);
  record.figures.push_back(
      {chart,
       "Angles of the two rods from the vertical: planar equations (rk45, tolerance 1e-13) "
       "minus the quaternion model (gl3, h = 0.01), both started at 0.1 rad at rest."});
  record.rows = {
      {"body 1, largest difference in 10 s", "about 3e-13 rad (axis of figure 3.5a)",
       few_digits(largest(e1)) + " rad", Verdict::order},
      {"body 2, largest difference in 10 s", "less than 1e-12 rad",
       few_digits(largest(e2)) + " rad", largest(e2) < 1e-12 ? Verdict::agrees : Verdict::order}};
}

void single_conservation(Workshop& shop, Record& record) {
  const auto run = shop.run({shop.model("pendulum"), "--integrator", "gl3", "--step", "0.01",
                             "--tolerance", "1e-16", "--duration", "10"});
  conservation_figures(record, run, {"joint1"}, "Single pendulum", "gl3, h = 0.01");
  record.rows = {
      {"unit length, largest deviation", "about 1e-15", few_digits(worst_length(run, {"joint1"})),
       compare_errors(1e-15, worst_length(run, {"joint1"}))},
      {"relative energy error, largest", "1e-12 (axis of figure 3.6b)",
       few_digits(largest(relative_energy_error(run.table()))),
       compare_errors(1e-12, largest(relative_energy_error(run.table())))}};
  record.notes = {
      "\"Order 6, so an error of 1e-7 at h = 0.01 and the energy conserved to the "
      "same order\": h^6 is 1e-12, and Gauss-Legendre methods do not conserve energy "
      "to their order but keep it near a constant for ever."};
}

}  // namespace

Document document_000() {
  return {
      "000",
      "A coordinate-free moving-frame formulation of N-body spherical pendulums",
      {{"000.3.1", "figure 3.1: spy plot of B", spy_plot},
       {"000.3.3", "figure 3.3: single pendulum against the classical one", single_pendulum},
       {"000.step", "section 3.2.1: step length for a tolerance", step_length},
       {"000.3.5", "figure 3.5: double pendulum against the planar one", double_pendulum},
       {"000.3.6", "figure 3.6: single pendulum, unit length and energy", single_conservation},
       {"000.3.8", "figure 3.8: four links with GL3", four_link_gl3},
       {"000.3.9", "figure 3.9: four links with GL2, looser stages", four_link_gl2},
       {"000.3.10", "figure 3.10: four links with RK45", four_link_rk45},
       {"000.table3.2", "table 3.2: invariants and evaluations", table_32},
       {"000.table3.3", "table 3.3 and figure 3.11: time over the number of links", table_33},
       {"000.top", "section 3.3.1: heavy top, momentum and animation", heavy_top},
       {"000.3.14", "figure 3.14 and animation: torsional springs", torsion},
       {"000.3.16", "figure 3.16: sixteen links", sixteen_links},
       {"000.3.18", "figure 3.18 and animation: sixteen links, spring and dampers", spring_damper},
       {"000.coil", "section 3.3.4: animation of 64 links", coiled},
       {"000.A.2", "appendix A.2.1: B of the double pendulum as symbols", symbolic_B}}};
}

}  // namespace cartan::reproduction
