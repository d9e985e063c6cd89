#include "study/lanes/lane_method.h"

#include <cmath>

#include <fmt/format.h>

#include "integrate/tableau.h"

namespace cartan::study {
namespace {

std::string literal(double value) {
  return fmt::format("lane_number({:a})", value);
}

// The text `for all numbers i of a state: TARGET[i] = VALUE`.
std::string for_each_state(const std::string& target, const std::string& value) {
  return fmt::format("  LANE_EACH(LANE_STATES, i, {}[i], {})\n", target, value);
}

// sum_j weights_j k[j][i]
std::string weighted_sum(const std::vector<double>& weights, bool one_slope = false) {
  std::string text;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (weights[j] == 0) continue;
    const std::size_t row = one_slope ? 0 : j;
    text = text.empty() ? fmt::format("{} * k[{}][i]", literal(weights[j]), row)
                        : fmt::format("lane_fma({}, k[{}][i], {})", literal(weights[j]), row, text);
  }
  return text.empty() ? "lane_number(0.0)" : text;
}

class ExplicitText {
 public:
  ExplicitText(const ExplicitTableau& tableau, bool dense) : tab_(tableau), dense_(dense) {
    for (int i = 1; i < tab_.stages; ++i)
      for (int j = 0; j + 1 < i; ++j) follows_ = follows_ && tab_.a[i][j] == 0;
  }

  std::string write() const {
    const bool controlled = !tab_.error.empty();
    const bool ends = dense_ || tab_.error_uses_end();
    std::string text = fmt::format(
        "#define LANE_GAUSS 0\n#define LANE_STAGES {}\n#define LANE_SLOPES {}\n"
        "#define LANE_CONTROLLED {:d}\n#define LANE_KEEPS_END {:d}\n"
        "#define LANE_ERROR_USES_END {:d}\n#define LANE_TWO_ESTIMATES {:d}\n"
        "#define LANE_POWER {}\n#define LANE_BETA {}\n#define LANE_DENSE_ROWS {}\n",
        tab_.stages,
        dense_        ? tab_.stages + 1 + tab_.extra
        : one_slope() ? 1
                      : tab_.stages + ends,
        controlled, ends, tab_.error_uses_end(), !tab_.error_low.empty(), tab_.error_order + 1,
        tab_.error_low.empty() ? 0.04 : 0.0, tab_.d.size());
    text += one_slope() ? "#define LANE_TEAM_STAGES LANE_TEAM\n#if LANE_TEAM_STAGES\n" +
                              team_stages() + "#else\n" + stages(controlled) + "#endif\n"
                        : "#define LANE_TEAM_STAGES 0\n" + stages(controlled);
    if (tab_.error_uses_end())
      text += "LANE_INLINE void lane_add_end_error(const V* end, V* fine)\n{\n" +
              for_each_state("fine", fmt::format("lane_fma({}, end[i], fine[i])",
                                                 literal(tab_.error[tab_.stages]))) +
              "}\n";
    if (dense_) text += dense_text();
    return text;
  }

 private:
  // Every stage needs the one before alone, and nobody the others afterwards.
  bool one_slope() const { return follows_ && !dense_ && tab_.error.empty(); }

  // Sums that go on with every stage: the new point, the errors.
  std::string accumulate(int stage, bool controlled) const {
    std::string text;
    const auto add = [&](const char* name, const std::vector<double>& weights) {
      const double weight =
          stage < static_cast<int>(weights.size()) ? weights[static_cast<std::size_t>(stage)] : 0;
      if (stage == 0)
        text += for_each_state(name, fmt::format("{} * k[0][i]", literal(weight)));
      else if (weight != 0)
        text += for_each_state(name, fmt::format("lane_fma({}, k[{}][i], {}[i])", literal(weight),
                                                 one_slope() ? 0 : stage, name));
    };
    add("x1", tab_.b());
    if (controlled) add("fine", tab_.error);
    if (controlled && !tab_.error_low.empty()) add("coarse", tab_.error_low);
    return text;
  }

  std::string evaluate(int stage) const {
    return for_each_state("y", fmt::format("lane_fma(h, {}, x0[i])",
                                           weighted_sum(tab_.a[stage], one_slope()))) +
           fmt::format("  lane_rates(lane_fma({}, h, t), y, p, c, k[{}]);\n",
                       literal(tab_.c[stage]), one_slope() ? 0 : stage);
  }

  std::string stages(bool controlled) const {
    std::string text =
        "LANE_INLINE void lane_stages(V t, V h, const V* x0, const V* p, const V* c, "
        "V (*k)[LANE_RATE_SIZE], V* x1, V* fine, V* coarse)\n{\n"
        "  V y[LANE_STATES];\n  (void)fine, (void)coarse;\n";
    text += accumulate(0, controlled);
    for (int i = 1; i < tab_.stages; ++i) text += evaluate(i) + accumulate(i, controlled);
    return text + for_each_state("x1", "lane_fma(h, x1[i], x0[i])") + "}\n";
  }

  // The same by a team, the whole step in one go: k, the start x0 and the sum x1 of every number
  // are with the role whose share it is in; y goes to where the rates read it. The end takes x0's
  // place there, its quaternions of unit length.
  std::string team_stages() const {
    std::string cases, calls = "  TEAM_RATES(t)\n";
    for (int stage = 1; stage < tab_.stages; ++stage) {
      const double slope = tab_.a[stage][static_cast<std::size_t>(stage - 1)];
      cases += fmt::format(
          "      case {}:\n        TEAM_SHARE_EACH({}, TEAM_SUM(i) = {};{} TEAM_X(i) = lane_fma(h, "
          "{}, "
          "x0[j]);)\n        break;\n",
          stage, stage == 1 ? "TEAM_X" : "TEAM_START", team_sum(stage),
          stage == 1 ? " TEAM_START(i) = x0[j];" : "",
          slope == 0 ? "lane_number(0.0)" : literal(slope) + " * k[j]");
      calls += fmt::format("  TEAM_SUMS({})\n  TEAM_RATES(lane_fma({}, h, t))\n", stage,
                           literal(tab_.c[stage]));
    }
    return "#define TEAM_LAST_SUM " + team_sum(tab_.stages) +
           "\nTEAM_ROLE void lane_stage_role(TEAM_STAGE_PLACE, int stage, int role)\n{\n"
           "  const V h = TEAM_LENGTH;\n  if (stage == LANE_STAGES) {\n    TEAM_END(role)\n    "
           "return;\n  }\n  LANE_EACH_LOOP\n"
           "  for (int first = role; first < LANE_STATES; first += TEAM_SHARE * TEAM_ROLES) {\n"
           "    V k[TEAM_SHARE], x0[TEAM_SHARE], sum[TEAM_SHARE];\n    switch (stage) {\n" +
           cases + "    }\n  }\n}\nTEAM_STEP(\n" + calls + "  TEAM_SUMS(LANE_STAGES))\n";
  }
  std::string team_sum(int stage) const {
    const double weight = tab_.b()[static_cast<std::size_t>(stage - 1)];
    return stage == 1    ? fmt::format("{} * k[j]", literal(weight))
           : weight == 0 ? "sum[j]"
                         : fmt::format("lane_fma({}, k[j], sum[j])", literal(weight));
  }

  std::string dense_text() const {
    std::string text =
        "LANE_INLINE void lane_extra_stages(V t, V h, const V* x0, const V* p, const V* c, "
        "V (*k)[LANE_RATE_SIZE])\n{\n"
        "  V y[LANE_STATES];\n  (void)t, (void)h, (void)x0, (void)p, (void)c, (void)k, (void)y;\n";
    for (int e = tab_.stages + 1; e <= tab_.stages + tab_.extra; ++e) text += evaluate(e);
    text +=
        "}\nLANE_INLINE void lane_dense_rows(V h, V (*k)[LANE_RATE_SIZE], V (*shape)[LANE_STATES])"
        "\n{\n  (void)h, (void)k, (void)shape;\n";
    for (std::size_t r = 0; r < tab_.d.size(); ++r)
      text += for_each_state(fmt::format("shape[{}]", 3 + r),
                             fmt::format("h * ({})", weighted_sum(tab_.d[r])));
    return text + "}\n";
  }

  const ExplicitTableau& tab_;
  const bool dense_;
  bool follows_ = true;  // a_ij = 0 for j < i - 1
};

// Coefficients of the Lagrange polynomials on the nodes c, lowest power first.
std::vector<std::vector<double>> lagrange_coefficients(const std::vector<double>& c) {
  std::vector<std::vector<double>> all;
  for (std::size_t j = 0; j < c.size(); ++j) {
    std::vector<long double> product = {1};
    for (std::size_t m = 0; m < c.size(); ++m) {
      if (m == j) continue;
      const long double scale = 1 / (static_cast<long double>(c[j]) - c[m]);
      product.push_back(0);
      for (std::size_t k = product.size(); k-- > 0;)
        product[k] = scale * ((k > 0 ? product[k - 1] : 0) - product[k] * c[m]);
    }
    all.emplace_back(product.begin(), product.end());
  }
  return all;
}

std::string gauss_text(int stages) {
  const CollocationTableau tab = make_gauss_legendre(stages);
  std::string text = fmt::format(
      "#define LANE_GAUSS 1\n#define LANE_STAGES {}\n#define LANE_CONTROLLED 0\n"
      "#define LANE_TEAM_STAGES 0\n",
      stages);
  const auto list = [](const std::vector<double>& values) {
    std::string numbers;
    for (const double value : values) numbers += fmt::format("{:a}, ", value);
    return numbers;
  };
  text += fmt::format(
      "LANE_INLINE V lane_gauss_a(int i, int j)\n{{\n  const double a[] = {{{}}};\n"
      "  return lane_number(a[i * LANE_STAGES + j]);\n}}\n",
      list(tab.a));
  text += fmt::format(
      "LANE_INLINE V lane_gauss_b(int j)\n{{\n  const double b[] = {{{}}};\n"
      "  return lane_number(b[j]);\n}}\n",
      list(tab.b));
  text += fmt::format(
      "LANE_INLINE V lane_gauss_c(int i)\n{{\n  const double c[] = {{{}}};\n"
      "  return lane_number(c[i]);\n}}\n",
      list(tab.c));
  std::vector<double> values, integrals;
  for (const std::vector<double>& polynomial : lagrange_coefficients(tab.c))
    for (std::size_t m = 0; m < polynomial.size(); ++m) {
      values.push_back(polynomial[m]);
      integrals.push_back(polynomial[m] / static_cast<double>(m + 1));
    }
  const auto horner = [&](const char* name, const std::vector<double>& numbers, const char* times) {
    text += fmt::format(
        "LANE_INLINE V lane_gauss_{}(int j, V x)\n{{\n  const double a[] = {{{}}};\n"
        "  V sum = lane_number(0.0);\n  for (int m = LANE_STAGES - 1; m >= 0; m -= 1)\n"
        "    sum = lane_fma(sum, x, lane_number(a[j * LANE_STAGES + m]));\n  return sum{};\n}}\n",
        name, list(numbers), times);
  };
  horner("value", values, "");
  horner("integral", integrals, " * x");
  return text;
}

}  // namespace

LaneMethod make_lane_method(const std::string& integrator, bool dense) {
  LaneMethod method;
  const std::string dense_line = fmt::format("#define LANE_DENSE {:d}\n", dense);
  if (integrator == "rk4")
    method.text = dense_line + ExplicitText(classical_rk4(), dense).write();
  else if (integrator == "rk45")
    method.text = dense_line + ExplicitText(dormand_prince_54(), dense).write();
  else if (integrator == "dop853")
    method.text = dense_line + ExplicitText(dormand_prince_853(), dense).write();
  else if (integrator.size() == 3 && integrator.starts_with("gl") && integrator[2] >= '1' &&
           integrator[2] <= '8') {
    method.gauss = true;
    method.text = dense_line + gauss_text(integrator[2] - '0');
  } else {
    method.problem = fmt::format(
        "the method {} is not among those for lanes (rk4, rk45, dop853, gl1 to gl8)", integrator);
  }
  return method;
}

}  // namespace cartan::study
