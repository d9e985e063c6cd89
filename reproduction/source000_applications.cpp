// Source 000, section 3.3: the top, springs and dampers, long chains.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "reproduction/drawing.h"
#include "reproduction/source000.h"

namespace cartan::reproduction {
namespace {

const std::vector<std::string> sixteen_joints = {"joint4", "joint8", "joint12", "joint16"};

// T + V with k/2 (roll^2 + pitch^2 + yaw^2) of the joints, which torsion_literal does not count.
std::vector<double> with_springs(const ResultTable& table) {
  std::vector<double> total = column(table, "energy");
  for (int j = 1; j <= 4; ++j) {
    const std::string name = fmt::format("joint{}", j);
    const auto &w = column(table, name + ".q0"), &x = column(table, name + ".q1"),
               &y = column(table, name + ".q2"), &z = column(table, name + ".q3");
    for (std::size_t i = 0; i < total.size(); ++i) {
      const double r31 = 2 * (x[i] * z[i] - w[i] * y[i]), r32 = 2 * (y[i] * z[i] + w[i] * x[i]),
                   r33 = 1 - 2 * (x[i] * x[i] + y[i] * y[i]), r21 = 2 * (x[i] * y[i] + w[i] * z[i]),
                   r11 = 1 - 2 * (y[i] * y[i] + z[i] * z[i]);
      const double roll = std::atan2(r32, r33), pitch = std::asin(-r31), yaw = std::atan2(r21, r11);
      total[i] += 500.0 * (5 - j) * (roll * roll + pitch * pitch + yaw * yaw);
    }
  }
  return total;
}

}  // namespace

void conservation_figures(Record& record, const Workshop::Run& run,
                          const std::vector<std::string>& joints, const std::string& what,
                          const std::string& method, bool energy) {
  const ResultTable table = run.table();
  const auto& t = column(table, "t");
  Chart lengths = figure_chart(what + ": unit length", "t [s]", "|u| - 1");
  for (const std::string& joint : joints)
    add_line(lengths, joints.size() > 1 ? joint : "", t, unit_length_error(table, joint));
  const char* remark =
      method.starts_with("rk")
          ? "Explicit methods are brought back to length one after every step here; how far a step "
            "led away is in the table."
          : "Nothing is normalised during the integration.";
  record.figures.push_back(
      {lengths, fmt::format("{}, {}: deviation of the quaternions' length from one. {}", what,
                            method, remark)});
  if (!energy) return;
  Chart chart = figure_chart(what + ": energy", "t [s]", "(E - E0) / |E0|");
  add_line(chart, "", t, relative_energy_error(table));
  record.figures.push_back(
      {chart, fmt::format("{}, {}: change of the total energy over its initial value, over time.",
                          what, method)});
}

double worst_length(const Workshop::Run& run, const std::vector<std::string>& joints) {
  const ResultTable table = run.table();
  double most = 0;
  for (const std::string& joint : joints)
    most = std::max(most, largest(unit_length_error(table, joint)));
  return most;
}

void torsion(Workshop& shop, Record& record) {
  const std::string duration = fmt::format("{:g}", shop.choose(15, 3));
  const std::vector<std::string> more = {"--integrator", "gl2",   "--step",      "0.01",
                                         "--every",      "1",     "--tolerance", "1e-12",
                                         "--duration",   duration};
  const auto start = [&](const char* name) {
    std::vector<std::string> words = {shop.model(name)};
    words.insert(words.end(), more.begin(), more.end());
    return shop.run(words);
  };
  const auto literal = start("torsion_literal"), conservative = start("torsion_euler");
  conservation_figures(record, literal, four_joints, "Four links with torsional springs",
                       "gl2, h = 0.01, moments as printed", false);
  Chart chart = figure_chart("Total energy with both kinds of springs", "t [s]", "E - E0 [J]");
  const ResultTable a = literal.table(), b = conservative.table();
  const auto printed = with_springs(a);
  const auto printed_change = map_values(printed, [&](double e) { return e - printed[0]; });
  add_line(chart, "moments as printed", column(a, "t"), printed_change);
  add_line(chart, "moments from the potential", column(b, "t"), energy_change(b));
  record.figures.push_back(
      {chart,
       "Kinetic energy, gravity and k/2 (roll^2 + pitch^2 + yaw^2) of the four joints, relative "
       "to the start: constant where the moments follow from that potential, not with the "
       "moments as the document prints them."});
  record.rows = {{"unit length, largest deviation", "2e-13 in 15 s (axes of figure 3.14)",
                  few_digits(worst_length(literal, four_joints)),
                  compare_errors(2e-13, worst_length(literal, four_joints))},
                 {"energy with the moments as printed, largest change", "",
                  few_digits(largest(printed_change)) + " J", Verdict::own},
                 {"energy of the conservative springs, largest relative change (gl2, h = 0.01)", "",
                  few_digits(largest(relative_energy_error(b))), Verdict::own}};
  record.notes = {
      "The moments as printed, -k (phi, theta, psi) along the axes of the inner link, are not the "
      "gradient of any potential: over 5 s T + V + k/2 (phi^2 + theta^2 + psi^2) drifts from "
      "-4218.94 to -4215.27 J. torsion_euler.toml has the conservative springs.",
      "theta0 is not given: 0.3 rad about each axis is used. The scan leaves open whether the "
      "arctangent for phi has R33/R32 or R32/R33; only the latter gives an angle that vanishes at "
      "rest."};
  shop.add_animation(literal, "torsional_springs", "Animation: four links with torsional springs");
}

void sixteen_links(Workshop& shop, Record& record) {
  const std::string duration = fmt::format("{:g}", shop.choose(10, 3));
  const auto run = shop.run({shop.model("sixteen_link"), "--integrator", "gl2", "--step", "0.01",
                             "--duration", duration});
  conservation_figures(record, run, sixteen_joints, "Sixteen links", "gl2, h = 0.01");
  record.rows = {{"unit length, largest deviation", "order of 1e-15 (axes of figure 3.16a)",
                  few_digits(worst_length(run, sixteen_joints)),
                  compare_errors(1e-15, worst_length(run, sixteen_joints))},
                 {"relative energy error, largest", "1e-14 (axis of figure 3.16b)",
                  few_digits(largest(relative_energy_error(run.table()))),
                  compare_errors(1e-14, largest(relative_energy_error(run.table())))},
                 {"numbers of the state", "122, later 112", "112 = 16 (4 + 3)", Verdict::differs,
                  "122 is a misprint"}};
  record.notes = {"The initial tilt cannot be read in the scan; 0.1 rad is used."};
}

void spring_damper(Workshop& shop, Record& record) {
  const std::string duration = fmt::format("{:g}", shop.choose(10, 2));
  const auto run = shop.run({shop.model("spring_damper_chain"), "--integrator", "gl3", "--step",
                             "0.01", "--duration", duration});
  conservation_figures(record, run, sixteen_joints, "Sixteen links with spring and dampers",
                       "gl3, h = 0.01", false);
  record.rows = {{"unit length, largest deviation", "3e-13 in 10 s (axes of figure 3.18)",
                  few_digits(worst_length(run, sixteen_joints)),
                  compare_errors(3e-13, worst_length(run, sixteen_joints))}};
  record.notes = {
      "The damper is printed with the wrong sign: f_d = +c v_d n would accelerate the end. With "
      "n from the anchor to the end the force is -c (n.v) n.",
      "Anchor, rest length and initial angle are not given; (3, 20, -5) m, 10 m and a horizontal "
      "chain are used.",
      "The document steps with h = 0.01 and fights for convergence of its functional iteration; "
      "here stages that converge slowly are solved by Newton's method."};
  shop.add_animation(run, "spring_damper", "Animation: sixteen links on a spring with damper");
}

void heavy_top(Workshop& shop, Record& record) {
  const auto run = shop.run({shop.model("heavy_top"), "--integrator", "gl3", "--step", "0.01",
                             "--every", "1", "--duration", "10"});
  const ResultTable table = run.table();
  const auto spin = map_values(column(table, "pivot.v2"),
                               [](double w) { return 2.01454628911445491 * (w - 50); });
  Chart chart =
      figure_chart("Heavy top: momentum about the figure axis", "t [s]", "H3 - H3(0) [kg m^2/s]");
  add_line(chart, "", column(table, "t"), spin);
  record.figures.push_back(
      {chart,
       "Heavy symmetric top (gl3, h = 0.01): change of the angular momentum about its own "
       "axis, which has to stay what it is because gravity has no moment about it."});
  record.rows = {{"change of the momentum about the figure axis", "\"conserved exactly\"",
                  few_digits(largest(spin)) + " kg m^2/s", agrees_if(largest(spin) < 1e-11)},
                 {"relative energy error, largest", "",
                  few_digits(largest(relative_energy_error(table))), Verdict::own}};
  record.notes = {
      "Tilt and spin are not given; 0.3 rad and 50 rad/s are used. With xi = omega/2 "
      "the printed xi_v = theta' e3 would be a spin of 2 theta'."};
  shop.add_animation(run, "heavy_top", "Animation: heavy symmetric top");
}

void coiled(Workshop& shop, Record& record) {
  const std::string duration = fmt::format("{:g}", shop.choose(10, 1));
  const auto run = shop.run({shop.model("coiled_drop"), "--every", "2", "--duration", duration});
  const ResultTable bodies = run.table("bodies.csv");
  Chart chart = figure_chart("Sixty-four links: height of three links", "t [s]", "height [m]");
  for (const char* name : {"link16", "link40", "link64"})
    add_line(chart, name, column(bodies, "t"), column(bodies, std::string(name) + ".z"));
  record.figures.push_back(
      {chart,
       "A chain of 64 rods, coiled up in a horizontal plane and let go, with a damper in "
       "every joint: height of the joint ends of three links over time."});
  record.rows = {{"numbers of the state", "672, on (S^3)^16", "448 = 64 (4 + 3), on (S^3)^64",
                  Verdict::differs, "misprints"},
                 {"unit length, largest deviation", "",
                  few_digits(run.summary.at("unit_norm_error").get<double>()), Verdict::own}};
  record.notes = {"The coil is shown as a picture only; a spiral is used, see coiled_drop.toml."};
  shop.add_animation(run, "coiled_drop", "Animation: 64 links falling from a coil");
}

}  // namespace cartan::reproduction
