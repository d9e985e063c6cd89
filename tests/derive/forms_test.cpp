// The forms of the equations that `equations` prints, proved equal to each other, symbol by symbol:
//   kane          M v' - J^T lambda = f,  J v' = gamma           by projection, recursively
//   lagrange      M and f from T and V alone (forces apart)
//   moving-frame  M* v' + N* v = F* + J^T lambda                 B^T M B, matrices written out
//   canonical     p = M v:  p' = M' v + f,  H = T + V
#include <map>

#include <gtest/gtest.h>

#include "codegen/equations.h"
#include "support/example.h"
#include "symbolic/differentiate.h"
#include "symbolic/simplify/zero.h"
#include "symbolic/substitute.h"

namespace cartan::test {
namespace {

// Coefficients of accelerations and multipliers, and the right sides, line by line.
struct Motion {
  std::vector<std::map<std::string, Expression>> left;
  std::vector<Expression> right;
};

struct Forms {
  explicit Forms(const std::string& name, bool fold = false) : example(load_example(name)) {
    if (!example) return;
    DeriveOptions options;
    options.dots = true;
    options.fold = fold;
    State state = example.system->initial_state();
    derivation = std::make_unique<Derivation>(*example.model, parameter_values(*example.model),
                                              state, options);
  }
  ExpressionGraph& graph() { return derivation->graph(); }
  EquationSheet sheet(EquationsForm form) {
    const std::string refusal = refuse_form(*example.model, form);
    EXPECT_EQ(refusal, "");
    return make_sheet(*derivation, {form, {"all"}});
  }
  Motion motion(EquationsForm form) {
    Motion result;
    for (const EquationLine& line : sheet(form).lines) {
      if (line.kind != EquationLine::Kind::equation || !line.text.empty()) continue;
      result.left.emplace_back();
      for (std::size_t k = 0; k < line.factors.size(); ++k)
        result.left.back()[line.unknowns[k]] = line.factors[k];
      result.right.push_back(line.right);
    }
    return result;
  }
  static std::map<std::string, Expression> named(const EquationSheet& sheet) {
    std::map<std::string, Expression> result;
    for (const EquationLine& line : sheet.lines)
      if (line.kind == EquationLine::Kind::equation && !line.text.empty())
        result[line.text] = line.right;
    return result;
  }

  Example example;
  std::unique_ptr<Derivation> derivation;
  int proved = 0, to_rounding = 0;

  // x = y; where decimals of the model file stand in the way, to rounding.
  void expect_equal(const Expression& x, const Expression& y, const std::string& what) {
    if (is_identically_zero(graph(), x - y) ||
        are_identical(graph(), x, y, Numbers::as_fractions)) {
      ++proved;
    } else {
      EXPECT_TRUE(are_equal_to_rounding(graph(), x, y)) << what;
      ++to_rounding;
    }
    if (is_identically_zero(graph(), x)) return;
    EXPECT_FALSE(is_identically_zero(graph(), x + y)) << "a wrong sign of " << what;
    EXPECT_FALSE(are_equal_to_rounding(graph(), x, -y)) << "a wrong sign of " << what;
  }
};

Expression entry(const std::map<std::string, Expression>& map, const std::string& name) {
  const auto at = map.find(name);
  return at == map.end() ? Expression(0) : at->second;
}

// Line by line, all coefficients and right sides.
void compare_motion(Forms& forms, const Motion& a, const Motion& b) {
  ASSERT_EQ(a.right.size(), b.right.size());
  for (std::size_t i = 0; i < a.right.size(); ++i) {
    std::map<std::string, Expression> all = a.left[i];
    all.insert(b.left[i].begin(), b.left[i].end());
    for (const auto& [unknown, factor] : all)
      forms.expect_equal(entry(a.left[i], unknown), entry(b.left[i], unknown),
                         "line " + std::to_string(i) + ": " + unknown);
    forms.expect_equal(a.right[i], b.right[i], "right side " + std::to_string(i));
  }
}

std::string acceleration(const Forms& forms, int j) {
  return forms.derivation->state()[forms.derivation->nq() + j].name + "'";
}

// The lines of the motion from M*, N*, F* and J; speeds that are held have no such line.
void compare_moving_frame(Forms& forms, const Motion& kane) {
  const auto found = forms.named(forms.sheet(EquationsForm::moving_frame));
  const Motion rows = forms.motion(EquationsForm::moving_frame);  // J v' = gamma
  const int n = forms.derivation->nv(), constraints = static_cast<int>(rows.right.size());
  const auto name = [](const std::string& letter, int i, int j) {
    return letter + "[" + std::to_string(i + 1) + "," + std::to_string(j + 1) + "]";
  };
  const std::vector<Expression> v = forms.derivation->v();
  for (int i = 0; i < n; ++i) {
    if (found.count(acceleration(forms, i))) {  // held
      forms.expect_equal(kane.right[i], entry(found, acceleration(forms, i)), "held");
      continue;
    }
    Expression right = entry(found, "F*[" + std::to_string(i + 1) + "]");
    for (int j = 0; j < n; ++j) {
      right -= entry(found, name("N*", i, j)) * v[j];
      const Expression M = entry(found, name("M*", std::min(i, j), std::max(i, j)));
      const auto held = found.find(acceleration(forms, j));
      if (held != found.end())
        right -= M * held->second;
      else
        forms.expect_equal(entry(kane.left[i], acceleration(forms, j)), M, name("M*", i, j));
    }
    for (int k = 0; k < constraints; ++k)
      forms.expect_equal(entry(kane.left[i], "lambda" + std::to_string(k + 1)),
                         -entry(found, name("J", k, i)), name("J", k, i));
    forms.expect_equal(kane.right[i], right, "F* - N* v, " + std::to_string(i));
  }
  const Motion constraints_of_kane{{kane.left.begin() + n, kane.left.end()},
                                   {kane.right.begin() + n, kane.right.end()}};
  compare_motion(forms, constraints_of_kane, rows);
}

// p = M v put into the canonical equations: q' = N v, p' = (M v)' = M' v + f, H = T + V.
void compare_canonical(Forms& forms, const Motion& kane) {
  const EquationSheet sheet = forms.sheet(EquationsForm::canonical);
  const auto found = forms.named(sheet);
  const int n = forms.derivation->nv(), nq = forms.derivation->nq();
  const std::vector<Expression> v = forms.derivation->v();
  std::vector<Expression> symbols, momenta(n, Expression(0));
  for (int i = 0; i < n; ++i) {
    symbols.push_back(sheet.symbols[nq + i].symbol);
    for (int j = 0; j < n; ++j) momenta[i] += entry(kane.left[i], acceleration(forms, j)) * v[j];
  }
  const auto with_momenta = [&](const std::string& name) {
    return substitute(forms.graph(), found.at(name), symbols, momenta);
  };
  const std::vector<Expression> rates = forms.derivation->coordinate_rates();
  const std::vector<Expression> drift =
      total_time_derivative(forms.graph(), momenta, forms.derivation->q(), rates);
  const Expression energy = forms.derivation->kinetic() + forms.derivation->potential();
  forms.expect_equal(with_momenta("H"), energy, "H");
  for (int i = 0; i < nq; ++i) {
    const std::string name = "q" + std::to_string(i + 1) + "'";
    forms.expect_equal(with_momenta(name), rates[i], name);
  }
  for (int i = 0; i < n; ++i) {
    const std::string name = sheet.symbols[nq + i].name + "'";
    forms.expect_equal(with_momenta(name), drift[i] + kane.right[i], name);
  }
}

// All of the motion from T and V alone: f = dL/dq - (d/dt dT/dq') at v' = 0.
void compare_energies(Forms& forms, const Motion& kane) {
  const Expression T = forms.derivation->kinetic(), V = forms.derivation->potential();
  const std::vector<Expression> q = forms.derivation->q(), v = forms.derivation->v();
  const std::vector<Expression> p = gradient(forms.graph(), T, v);
  const std::vector<Expression> T_q = gradient(forms.graph(), T, q);
  const std::vector<Expression> V_q = gradient(forms.graph(), V, q);
  const std::vector<Expression> drift = total_time_derivative(forms.graph(), p, q, v);
  for (std::size_t i = 0; i < q.size(); ++i)
    forms.expect_equal(T_q[i] - V_q[i] - drift[i], kane.right[i], "from T and V");
}

struct Case {
  const char* name;
  bool lagrange, conservative, canonical;
  int to_rounding = 0;  // at most so many comparisons
};

class FormsOfEquations : public testing::TestWithParam<Case> {};

TEST_P(FormsOfEquations, AreProvedEqual) {
  const Case& which = GetParam();
  Forms forms(which.name);
  ASSERT_TRUE(forms.example) << forms.example.problem;
  const Motion kane = forms.motion(EquationsForm::kane);
  compare_moving_frame(forms, kane);
  if (which.lagrange) compare_motion(forms, kane, forms.motion(EquationsForm::lagrange));
  if (which.conservative) compare_energies(forms, kane);
  if (which.canonical) compare_canonical(forms, kane);
  EXPECT_LE(forms.to_rounding, which.to_rounding);
  EXPECT_GE(forms.proved, 13);
}

INSTANTIATE_TEST_SUITE_P(
    Examples, FormsOfEquations,
    testing::Values(Case{"planar_double_pendulum", true, true, true},
                    Case{"cart_pole", true, false, true},               // a controller pushes
                    Case{"constructed_pendulum", true, true, true, 5},  // decimals
                    Case{"gyroscope", true, true, true}, Case{"swinging_legs", true, true, true},
                    Case{"kepler", true, true, true}, Case{"pendulum", false, false, true},
                    Case{"heavy_top", false, false, true, 5},  // multiples of pi
                    Case{"four_bar", true, true, false},       // loop
                    Case{"slider_crank", true, true, false},   // loop
                    Case{"gears", true, true, false},          // coupler
                    Case{"sleigh", false, false, false},       // nonholonomic, and a driven joint
                    Case{"rolling_coin", false, false, false}  // nonholonomic
                    ),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace cartan::test
