// Source 001: elements of rotation matrices as dependent parameters; the double pendulum of
// section 6.
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "reproduction/drawing.h"
#include "reproduction/items.h"
#include "reproduction/source001.h"
#include "reproduction/workshop.h"

namespace cartan::reproduction {
namespace {

constexpr double straight_angle = std::numbers::pi;

std::string duration(const Workshop& shop) {
  return fmt::format("{:g}", shop.choose(2, 1));
}

Workshop::Run accurate_run(Workshop& shop) {
  return shop.run({shop.model("bar_double"), "--integrator", "gl3", "--step", "0.005", "--duration",
                   duration(shop)});
}

// The document does not bring its bars back to the constraints (5.: (23), (24) in place of (19),
// (20)).
Workshop::Run held_run(Workshop& shop, const char* step, bool projected = false) {
  return shop.run({shop.model("bar_double"), "--integrator", "held-multipliers", "--stabilisation",
                   projected ? "projection" : "none", "--step", step, "--duration",
                   duration(shop)});
}

// As equation (27) prints it: T2* is added to a direction.
double printed_psi(double psi, double joint_x, double joint_y) {
  const double start_x = 0.2 * std::cos(straight_angle / 9),
               start_y = 0.2 * std::sin(straight_angle / 9);
  const double turn = psi - straight_angle / 18, c = std::cos(turn), s = std::sin(turn);
  const double T_x = joint_x - (c * start_x - s * start_y);
  const double T_y = joint_y - (s * start_x + c * start_y);
  return std::atan2(T_y + std::sin(psi), T_x + std::cos(psi));
}

void elements_figure_2(Workshop& shop, Record& record) {
  const auto reference =
      shop.run({shop.model("planar_double"), "--set", "m=0.108", "--set", "L=0.2", "--set",
                "w=0.02", "--set", "tilt1=pi/9", "--set", "tilt2=pi/18", "--integrator", "rk4",
                "--step", "0.001", "--every", "5", "--duration", duration(shop)});
  const auto accurate = accurate_run(shop);
  const auto held = held_run(shop, "0.001");
  const ResultTable ref = reference.table(), rt = accurate.table(), scheme = held.table();
  const ResultTable bodies = accurate.table("bodies.csv");
  Chart chart = figure_chart("Angles of the two bars", "t [s]", "angle [rad]");
  add_line(chart, "phi, rotation elements", column(rt, "t"), column(rt, "phi"));
  add_line(chart, "psi, rotation elements", column(rt, "t"), column(rt, "psi"));
  ChartLine& phi = add_line(chart, "phi, Lagrange (26)", column(ref, "t"), column(ref, "phi"));
  phi.dashed = true, phi.colour = 5;
  ChartLine& psi = add_line(chart, "psi, Lagrange (26)", column(ref, "t"), column(ref, "psi"));
  psi.dashed = true, psi.colour = 4;
  record.figures.push_back(
      {chart,
       "Double pendulum of two bars (0.108 kg, 20 cm), released at 20 and 10 degrees: angles "
       "from the twelve elements per bar with both kinds of multipliers eliminated (gl3, h = "
       "0.005), and from the two classical equations (rk4, h = 0.001). The curves lie on "
       "each other."});
  const auto e1 = difference(column(rt, "phi"), column(ref, "phi"));
  const auto e2 = difference(column(rt, "psi"), column(ref, "psi"));
  Chart errors =
      figure_chart("Difference to the classical equations", "t [s]", "|difference| [rad]");
  errors.y_log = true;
  const auto size = [](const std::vector<double>& values) {
    return map_values(values, [](double x) { return std::fabs(x); });
  };
  add_line(errors, "phi, gl3, h = 0.005", column(rt, "t"), size(e1));
  add_line(errors, "psi, gl3, h = 0.005", column(rt, "t"), size(e2));
  std::vector<double> t, held_phi, held_psi;
  const auto& times = column(scheme, "t");
  for (std::size_t i = 0, k = 0; i < times.size() && k < ref.rows(); i += 5, ++k) {
    t.push_back(times[i]);
    held_phi.push_back(std::fabs(column(scheme, "phi")[i] - column(ref, "phi")[k]));
    held_psi.push_back(std::fabs(column(scheme, "psi")[i] - column(ref, "psi")[k]));
  }
  add_line(errors, "phi, multipliers held, h = 0.001", t, held_phi);
  add_line(errors, "psi, multipliers held, h = 0.001", t, held_psi);
  record.figures.push_back(
      {errors,
       "Difference of the angles to the classical solution: with the multipliers found at "
       "every stage, and with the document's scheme, which holds them over a step."});
  const ResultTable coarse = held_run(shop, "0.002").table();
  const double end = column(ref, "psi").back();
  const double order = std::log2(std::fabs(column(coarse, "psi").back() - end) /
                                 std::fabs(column(scheme, "psi").back() - end));
  double wrong = 0, wrong_early = 0;
  for (std::size_t i = 0; i < bodies.rows(); ++i) {
    const double exact = column(rt, "psi")[i];
    const double error = std::fabs(
        printed_psi(exact, column(bodies, "bar2.x")[i], column(bodies, "bar2.y")[i]) - exact);
    wrong = std::max(wrong, error);
    if (std::fabs(column(rt, "t")[i] - 0.1) < 1e-9) wrong_early = error;
  }
  double out_of_plane = 0;
  for (const char* name : {"bar1.z", "bar2.z"})
    out_of_plane = std::max(out_of_plane, largest(column(bodies, name)));
  record.rows = {
      {"angles of both methods", "\"similar\" (curves lie on each other)",
       fmt::format("largest difference {} rad in {} s",
                   few_digits(std::max(largest(e1), largest(e2))), duration(shop)),
       agrees_if(std::max(largest(e1), largest(e2)) < 1e-6)},
      {"the document's scheme, multipliers constant over a step (h = 0.001)",
       "\"no major influence on the accuracy\"",
       fmt::format("{} rad; observed order {:.2f} (from h = 0.002) instead of 4",
                   few_digits(std::max(largest(held_phi), largest(held_psi))), order),
       Verdict::own,
       "the document gives no step, so that nothing can differ; holding costs three orders, and "
       "with a step that is small enough it has no influence"},
      {"the same, brought back to the constraints after every step", "",
       fmt::format("psi {} rad away at the end",
                   few_digits(std::fabs(
                       column(held_run(shop, "0.001", true).table(), "psi").back() - end))),
       Verdict::own},
      {"psi by equation (27) as printed", "psi",
       fmt::format("wrong by {} rad at 0.1 s, by up to {} rad", few_digits(wrong_early),
                   few_digits(wrong)),
       Verdict::differs, "T2* must not be added: a direction has no translation"},
      {"components along z0", "none develops", few_digits(out_of_plane) + " m",
       agrees_if(out_of_plane < 1e-14)}};
  record.notes = {
      "(27) for psi is printed with T2* + R2 H1G2,0; H1G2 is a vector of the bar, R2 "
      "H1G2,0 alone (and the factor l/2 is lost in its last form).",
      "The equations for the multipliers Lambda, A X + X A = B, are the continuous "
      "Lyapunov equation, not a discrete one.",
      "g and the step are not given."};
}

struct Multipliers {
  std::vector<double> t;
  std::vector<std::array<double, 6>> first, second;  // 11, 12, 22, 13, 23, 33 of Lambda
  std::vector<std::array<double, 3>> force01, force12;
  double reaction_error = 0;
};

std::array<double, 6> elements(const Json& matrix) {
  return {matrix[0][0], matrix[0][1], matrix[1][1], matrix[0][2], matrix[1][2], matrix[2][2]};
}

// `eval` at states along the accurate run.
Multipliers multipliers_along(Workshop& shop) {
  const ResultTable table = accurate_run(shop).table();
  const std::size_t every = std::max<std::size_t>(1, (table.rows() - 1) / (shop.quick() ? 25 : 80));
  Multipliers result;
  for (std::size_t i = 0; i < table.rows(); i += every) {
    Json state = {{"t", column(table, "t")[i]}};
    for (const char* joint : {"O", "H1"}) {
      for (int k = 0; k < 4; ++k)
        state["q"][joint].push_back(column(table, fmt::format("{}.q{}", joint, k))[i]);
      for (int k = 0; k < 3; ++k)
        state["v"][joint].push_back(column(table, fmt::format("{}.v{}", joint, k))[i]);
    }
    const std::string file = shop.write_data(fmt::format("bars/{:04}.json", i), state.dump());
    const Json now = shop.json(
        {"eval", shop.model("bar_double"), "--formulation", "rotation-elements", "--at", file});
    result.t.push_back(column(table, "t")[i]);
    result.first.push_back(elements(now.at("Lambda").at("bar1")));
    result.second.push_back(elements(now.at("Lambda").at("bar2")));
    const auto triple = [](const Json& list) {
      return std::array<double, 3>{list[0], list[1], list[2]};
    };
    result.force01.push_back(triple(now.at("Lambda_joint").at("O")));
    result.force12.push_back(triple(now.at("Lambda_joint").at("H1")));
    if (result.t.size() % 5 != 1) continue;
    const Json other =
        shop.json({"eval", shop.model("bar_double"), "--formulation", "recursive", "--at", file});
    for (int k = 0; k < 3; ++k) {
      const double reaction = other.at("reactions").at("O").at("force")[k];
      result.reaction_error =
          std::max(result.reaction_error, std::fabs(reaction + result.force01.back()[k]));
    }
  }
  return result;
}

template <class List>
std::vector<double> entries(const List& list, int k) {
  std::vector<double> values;
  for (const auto& one : list) values.push_back(one[k]);
  return values;
}

void lambda_figure(Workshop& shop, Record& record, bool second) {
  const Multipliers m = multipliers_along(shop);
  const auto& list = second ? m.second : m.first;
  const std::string name = second ? "Lambda2" : "Lambda1";
  Chart chart = figure_chart("Multipliers of orthogonality, bar " + std::string(second ? "2" : "1"),
                             "t [s]", name + " [N m]");
  const char* labels[] = {"11", "12", "22"};
  for (int k = 0; k < 3; ++k) add_line(chart, name + "," + labels[k], m.t, entries(list, k));
  record.figures.push_back(
      {chart, fmt::format("The elements of the symmetric matrix {} that are not zero, over time: "
                          "multipliers of R^T R = 1 of bar {} of the double pendulum.",
                          name, second ? 2 : 1)});
  double zero = 0;
  for (int k = 3; k < 6; ++k) zero = std::max(zero, largest(entries(list, k)));
  const std::array<double, 3> expected =
      second ? std::array<double, 3>{-0.0898613961310001, -0.0159637493817982, -0.00283578044842319}
             : std::array<double, 3>{-0.252882946764582, -0.0919301333727183, -0.033419165056443};
  double off = 0;
  for (int k = 0; k < 3; ++k) off = std::max(off, std::fabs(list[0][k] - expected[k]));
  record.rows = {
      {"elements with index 3", "zero", "at most " + few_digits(zero), agrees_if(zero < 1e-12)},
      {"elements 11, 12, 22", "curves (not in the scan)",
       fmt::format("at the start {:.6f}, {:.6f}, {:.6f}", list[0][0], list[0][1], list[0][2]),
       Verdict::silent},
      {"elements at the start against an independent 18 x 18 solution", "",
       few_digits(off) + " away", Verdict::own}};
}

void elements_figure_3(Workshop& shop, Record& record) {
  lambda_figure(shop, record, false);
}
void figure_4(Workshop& shop, Record& record) {
  lambda_figure(shop, record, true);
}

void force_figure(Workshop& shop, Record& record, bool second) {
  const Multipliers m = multipliers_along(shop);
  const auto& list = second ? m.force12 : m.force01;
  const std::string name = second ? "Lambda12" : "Lambda01";
  Chart chart = figure_chart(second ? "Force in the joint between the bars" : "Force in the pivot",
                             "t [s]", name + " [N]");
  const char* axes[] = {"x (down)", "y", "z"};
  for (int k = 0; k < 3; ++k) add_line(chart, axes[k], m.t, entries(list, k));
  record.figures.push_back(
      {chart,
       fmt::format("Components of the multipliers of the spherical joint {}: the force of {}, "
                   "in world axes (x down).",
                   second ? "H1" : "O", second ? "bar 2 on bar 1" : "bar 1 on the ground")});
  record.rows = {
      {"component along z0", "zero", "at most " + few_digits(largest(entries(list, 2))) + " N",
       agrees_if(largest(entries(list, 2)) < 1e-12)},
      {"components x, y", "curves (not in the scan)",
       fmt::format("at the start {:.6f}, {:.6f} N", list[0][0], list[0][1]), Verdict::silent}};
  if (!second)
    record.rows.push_back({"multiplier against the reaction of the recursive formulation", "",
                           few_digits(m.reaction_error) + " N away", Verdict::own});
}

void elements_figure_5(Workshop& shop, Record& record) {
  force_figure(shop, record, false);
}
void elements_figure_6(Workshop& shop, Record& record) {
  force_figure(shop, record, true);
}

void stewart(Workshop& shop, Record& record) {
  const auto run =
      shop.run({shop.model("stewart"), "--formulation", "rotation-elements", "--integrator", "gl4",
                "--step", "0.0025", "--duration", fmt::format("{:g}", shop.choose(1, 0.25))});
  const auto other = shop.run({shop.model("stewart"), "--integrator", "gl4", "--step", "0.0025",
                               "--duration", fmt::format("{:g}", shop.choose(1, 0.25))});
  const ResultTable a = run.table("bodies.csv"), b = other.table("bodies.csv");
  Chart chart = figure_chart("Stewart platform: path of the platform", "t [s]", "position [m]");
  double off = 0;
  for (const char* name : {"platform.x", "platform.y", "platform.z"}) {
    add_line(chart, name, column(a, "t"), column(a, name));
    off = std::max(off, largest(difference(column(a, name), column(b, name))));
  }
  record.figures.push_back(
      {chart,
       "The next step the document announces: a Stewart platform with six legs, 13 bodies "
       "with twelve numbers each, by rotation elements. Position of the platform."});
  record.rows = {{"rotation elements against joint coordinates, largest distance", "",
                  few_digits(off) + " m", Verdict::own}};
  shop.add_animation(run, "stewart", "Animation: Stewart platform");
}

}  // namespace

Document document_001() {
  return {"001",
          "Elements of rotation matrices as dependent parameters",
          {{"001.2", "figure 2: angles of the double pendulum", elements_figure_2},
           {"001.3", "figure 3: multipliers Lambda1", elements_figure_3},
           {"001.4", "figure 4: multipliers Lambda2", figure_4},
           {"001.5", "figure 5: joint multipliers Lambda01", elements_figure_5},
           {"001.6", "figure 6: joint multipliers Lambda12", elements_figure_6},
           {"001.claims", "section 2: the quoted claim about eigenvalues of Lambda", quoted_claims},
           {"001.held", "section 6: multipliers held over a step, over h", held_study},
           {"001.next", "section 7: the announced Stewart platform", stewart}}};
}

}  // namespace cartan::reproduction
