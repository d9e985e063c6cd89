// Source 004, section 3.3: the pair of swinging legs, its mass matrix and the speeds that make it
// diagonal.
#include <array>
#include <cmath>
#include <sstream>

#include <fmt/format.h>

#include "reproduction/source004.h"
#include "reproduction/workshop.h"

namespace cartan::reproduction {
namespace {

constexpr double m1 = 1, m2 = 0.5, m3 = 0.4, L = 0.3;  // examples/swinging_legs.toml

using Matrix3 = std::array<std::array<double, 3>, 3>;

std::vector<std::vector<std::string>> cells(const Matrix3& m) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& row : m) {
    rows.emplace_back();
    for (const double x : row) rows.back().push_back(fmt::format("{:.6g}", x));
  }
  return rows;
}

}  // namespace

void diagonal_speeds_of_legs(Workshop& shop, Record& record) {
  const std::string model = shop.model("swinging_legs");
  const Json at = shop.json({"eval", model});
  const double q2 = 0.4, q3 = -0.3, c2 = std::cos(q2), c3 = std::cos(q3);
  const double I23 = m2 * 4 * L * L / 12, I33 = m3 * 4 * L * L / 12;
  const Matrix3 printed = {{{m1 + m2 + m3, c2 * m2 * L, c3 * m3 * L},
                            {c2 * m2 * L, m2 * L * L + I23, 0},
                            {c3 * m3 * L, 0, m3 * L * L + I33}}};
  Matrix3 M{};
  double off = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      M[i][j] = at.at("mass_matrix")[i][j];
      off = std::max(off, std::fabs(M[i][j] - printed[i][j]));
    }
  // Gram and Schmidt: W with M = W^T W, upper triangular
  Matrix3 W{};
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j) {
      double sum = M[i][j];
      for (int k = 0; k < i; ++k) sum -= W[k][i] * W[k][j];
      W[i][j] = i == j ? std::sqrt(sum) : sum / W[i][i];
    }
  const double N1 = std::sqrt(m1 + m2 + m3);
  record.sheets.push_back({"Mass matrix in the rates of the coordinates at q2 = 0.4, q3 = -0.3.",
                           {"q1'", "q2'", "q3'"},
                           cells(M)});
  record.sheets.push_back(
      {"W of the orthonormal basis: speeds W q' have the identity as mass matrix.",
       {"q1'", "q2'", "q3'"},
       cells(W)});
  // the orthogonal speeds of the command, as text
  const std::string text = shop.command({"equations", model, "--form", "diagonal"});
  std::istringstream lines(text.substr(text.find("Speeds with a diagonal mass matrix")));
  Sheet sheet{
      "Speeds with a diagonal mass matrix, back, and the equations of motion, as symbols "
      "(`equations --form diagonal`).",
      {"equation"},
      {}};
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("  ")) sheet.rows.push_back({line.substr(2)});
  const std::size_t written = sheet.rows.size();
  record.sheets.push_back(std::move(sheet));
  record.rows = {
      {"mass matrix (mass_beta)", "nine entries", few_digits(off) + " away at a general state",
       agrees_if(off < 1e-15)},
      {"N1, first entry of W", "sqrt(m1 + m2 + m3)", fmt::format("{:.12g}", W[0][0]),
       agrees_if(std::fabs(W[0][0] - N1) < 1e-15)},
      {"entries of W below the diagonal", "zero", "zero by construction", Verdict::own},
      {"speeds, back, equations as symbols", "a Maple session", fmt::format("{} lines", written),
       Verdict::silent, "other W of the document are lost in the scan or too long to compare"}};
}

}  // namespace cartan::reproduction
