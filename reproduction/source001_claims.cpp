// Source 001: a claim it quotes, and the error of multipliers held over a step as a study over h.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include "reproduction/drawing.h"
#include "reproduction/source001.h"

namespace cartan::reproduction {
namespace {

const char* const free_body =
    R"toml(# A free body with principal moments 1 : 1.5 : 2, set turning about (1, 1, 1): the multipliers of R^T R = 1.
name = "free body"
gravity = [0, 0, 0]
[[body]]
name = "body"
mass = 1
inertia = [1, 1.5, 2]
[[joint]]
name = "place"
type = "spherical"
parent = { body = "world" }
child = { body = "body" }
velocity = [1, 1, 1]
)toml";

// Eigenvalues of Lambda of the body at every sample, ascending.
std::vector<std::array<double, 3>> eigenvalues_along(const ResultTable& table) {
  std::vector<std::array<double, 3>> list;
  const auto at = [&](const char* name, std::size_t i) {
    return column(table, std::string("body.Lambda") + name)[i];
  };
  for (std::size_t i = 0; i < table.rows(); ++i) {
    Eigen::Matrix3d L;
    L << at("11", i), at("12", i), at("13", i), at("12", i), at("22", i), at("23", i), at("13", i),
        at("23", i), at("33", i);
    const Eigen::Vector3d values =
        Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(L, Eigen::EigenvaluesOnly).eigenvalues();
    list.push_back({values[0], values[1], values[2]});
  }
  return list;
}

}  // namespace

void quoted_claims(Workshop& shop, Record& record) {
  const auto run = shop.run({shop.write_model("free_body", free_body), "--formulation",
                             "rotation-elements", "--integrator", "gl3", "--step", "0.01",
                             "--duration", "20", "--record", "elements"});
  const ResultTable table = run.table("elements.csv");
  const auto values = eigenvalues_along(table);
  Chart chart = figure_chart("Eigenvalues of Lambda, free body", "t [s]", "eigenvalue [N m]");
  double spread = 0;
  for (int k = 0; k < 3; ++k) {
    std::vector<double> y;
    for (const auto& one : values) y.push_back(one[k]);
    const auto [low, high] = std::minmax_element(y.begin(), y.end());
    spread = std::max(spread, *high - *low);
    add_line(chart, fmt::format("eigenvalue {}", k + 1), column(table, "t"), y);
  }
  record.figures.push_back({chart,
                            "Eigenvalues of the multiplier matrix of R^T R = 1 of a free body with "
                            "principal moments 1 : 1.5 : 2 that turns about (1, 1, 1) at the "
                            "start, over time: they change."});
  record.rows.push_back(
      {"\"the three eigenvalues of Lambda do not change with time\" (quoted from [23, 24])",
       "constant", fmt::format("one changes by {:.4f} N m in 20 s", spread), Verdict::differs,
       "Lambda = sym((A + H) K), H = -W^T W, follows w, whose components change along Euler's "
       "motion of a body without symmetry; a program of its own (judges/lambda_eigenvalues.py) "
       "finds 1.198"});
}

void held_study(Workshop& shop, Record& record) {
  const std::string duration = fmt::format("{:g}", shop.choose(2, 0.5));
  const auto exact = shop.run({shop.model("bar_double"), "--integrator", "dop853", "--tolerance",
                               "1e-13", "--step", "0.1", "--every", "1", "--duration", duration});
  const double psi = column(exact.table(), "psi").back();
  Sheet sheet{
      "Error of psi at the end where the multipliers are held over a step and R^T R = 1 is left "
      "to itself, and where it is restored after every step.",
      {"h [s]", "error, left alone [rad]", "order", "error, restored [rad]", "order"},
      {}};
  std::vector<double> steps, errors[2];
  for (const double h : {0.004, 0.002, 0.001, 0.0005}) {
    steps.push_back(h);
    std::vector<std::string> cells = {fmt::format("{:g}", h)};
    for (const bool projected : {false, true}) {
      const auto run = shop.run({shop.model("bar_double"), "--integrator", "held-multipliers",
                                 "--stabilisation", projected ? "projection" : "none", "--step",
                                 fmt::format("{:g}", h), "--duration", duration});
      std::vector<double>& list = errors[projected];
      list.push_back(std::fabs(column(run.table(), "psi").back() - psi));
      cells.push_back(few_digits(list.back()));
      cells.push_back(list.size() > 1
                          ? fmt::format("{:.2f}", std::log2(list[list.size() - 2] / list.back()))
                          : "");
    }
    sheet.rows.push_back(cells);
  }
  record.sheets.push_back(std::move(sheet));
  Chart chart =
      figure_chart("Held multipliers: error over the step", "h [s]", "error of psi [rad]");
  chart.x_log = chart.y_log = true;
  add_line(chart, "R^T R = 1 left alone", steps, errors[0]).drawn = ChartDrawn::both;
  add_line(chart, "restored after every step", steps, errors[1]).drawn = ChartDrawn::both;
  record.figures.push_back({chart,
                            "Double pendulum of source 001 with multipliers held over a step: "
                            "error of the second bar's angle at the end over the step, twice "
                            "logarithmic."});
  const double order = std::log2(errors[0][2] / errors[0][3]);
  record.rows.push_back({"order of the error in h", "no step is given, nothing is said of errors",
                         fmt::format("{:.2f}", order), Verdict::silent});
}

}  // namespace cartan::reproduction
