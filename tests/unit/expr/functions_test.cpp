// Functions of the user in expressions: formulas written out, and code with declared derivatives.
#include "expr/linear_form.h"
#include "support.h"

namespace cartan::test::expr_test {
namespace {

// f(x, k) = k sin(x) + x^2 k^2 and its derivatives, as the naming rule of source 004 has them.
double f(double x, double k) {
  return k * std::sin(x) + x * x * k * k;
}
double dfdx(double x, double k) {
  return k * std::cos(x) + 2 * x * k * k;
}
double slope_by_k(double x, double k) {
  return std::sin(x) + 2 * x * x * k;
}
double d2fdxdx(double x, double k) {
  return -k * std::sin(x) + 2 * k * k;
}
double d2fdkdx(double x, double k) {
  return std::cos(x) + 4 * x * k;
}
double d2fdkdk(double x, double) {
  return 2 * x * x;
}

void* address(const std::string& name) {
  const std::map<std::string, double (*)(double, double)> known = {{"f", f},
                                                                   {"dfdx", dfdx},
                                                                   {"slope_by_k", slope_by_k},
                                                                   {"d2fdxdx", d2fdxdx},
                                                                   {"d2fdkdx", d2fdkdx},
                                                                   {"d2fdkdk", d2fdkdk}};
  const auto at = known.find(name);
  return at == known.end() ? nullptr : reinterpret_cast<void*>(at->second);
}

class FunctionsOfTheUser : public testing::Test {
 protected:
  FunctionsOfTheUser() {
    add_formula("same", {"x", "k"}, "k*sin(x) + x^2*k^2");
    add_formula("twice", {"u"}, "2*half(u)*2");
    add_formula("half", {"u"}, "u/2");
    const ExternalFunction declared{"f", {"x", "k"}, {{"k", "slope_by_k"}}};
    functions_.add(
        {"f", {"x", "k"}, nullptr, std::make_shared<const FunctionCode>(declared, address)});
    functions_.add({"g",
                    {"x"},
                    nullptr,
                    std::make_shared<const FunctionCode>(ExternalFunction{"g", {"x"}, {}})});
  }
  void add_formula(const std::string& name, std::vector<std::string> arguments,
                   const std::string& text) {
    functions_.add({name, std::move(arguments), nullptr, nullptr});
    texts_.push_back(text);
    ExpressionError error;
    for (std::size_t k = 0; k < texts_.size(); ++k)
      functions_[k].body = parse_expression(texts_[k], error, &functions_);
  }
  Program program(const std::string& text, bool equation = false) {
    ExpressionError error;
    const Syntax tree = equation ? parse_equation(text, error, &functions_)
                                 : parse_expression(text, error, &functions_);
    EXPECT_TRUE(tree) << text << ": " << error.message;
    std::vector<CompileError> errors;
    const Names plain;
    const auto names = [&](const std::string& name, int index) {
      Meaning meaning;
      for (int k = 0; k < 3; ++k)
        if (name == std::string(1, "xyz"[k]) + "'")
          meaning.symbol = Symbol{Quantity::variable_rate, k};
      return meaning.symbol ? meaning : plain(name, index);
    };
    Program made = compile(std::span(&tree, 1), names, read_table, errors, &functions_);
    for (const CompileError& e : errors) ADD_FAILURE() << text << ": " << e.message;
    return made;
  }
  std::string problem_of(const std::string& text, bool equation = false) {
    ExpressionError error;
    const Syntax tree = equation ? parse_equation(text, error, &functions_)
                                 : parse_expression(text, error, &functions_);
    EXPECT_FALSE(tree) << text;
    return error.message;
  }

  UserFunctions functions_;
  std::vector<std::string> texts_;
};

TEST_F(FunctionsOfTheUser, FormulasAndCodeGiveTheSameValuesAndDerivatives) {
  const Program code = program("x*f(x*y, t) + 3*f(y, z)");
  const Program formula = program("x*same(x*y, t) + 3*same(y, z)");
  for (int k = 0; k < 20; ++k) {
    const std::vector<double> at = {0.3 + 0.1 * k, 1.1 - 0.2 * k, 0.4 + 0.05 * k, -0.7};
    EXPECT_NEAR(value_at<double>(code, at), value_at<double>(formula, at), 1e-12);
    const Dual4 a = value_at<Dual4>(code, as_variables(at)),
                b = value_at<Dual4>(formula, as_variables(at));
    const std::vector<Dual4> ga = gradient_at<Dual4>(code, as_variables(at)),
                             gb = gradient_at<Dual4>(formula, as_variables(at));
    for (int d = 0; d < 4; ++d) {
      EXPECT_NEAR(a.d[d], b.d[d], 1e-12 * (1 + std::fabs(b.d[d])));
      EXPECT_NEAR(ga[d].a, b.d[d], 1e-12 * (1 + std::fabs(b.d[d])));
      for (int e = 0; e < 4; ++e)  // second derivatives, reverse over forward
        EXPECT_NEAR(ga[d].d[e], gb[d].d[e], 1e-11 * (1 + std::fabs(gb[d].d[e])));
      const Program slope = differentiate(code, all_symbols[d]);
      EXPECT_NEAR(value_at<double>(slope, at), b.d[d], 1e-12 * (1 + std::fabs(b.d[d])));
      EXPECT_NEAR(value_at<double>(differentiate(slope, all_symbols[d]), at), gb[d].d[d],
                  1e-11 * (1 + std::fabs(gb[d].d[d])));
    }
    std::vector<Pack4> lanes;
    for (double x : at) lanes.push_back(Pack4::map([&](int lane) { return x + 0.1 * lane; }));
    const Pack4 pa = value_at<Pack4>(code, lanes), pb = value_at<Pack4>(formula, lanes);
    for (int lane = 0; lane < 4; ++lane) EXPECT_NEAR(pa.lane[lane], pb.lane[lane], 1e-12);
  }
}

TEST_F(FunctionsOfTheUser, FormulasMayCallEachOtherAndConstantsAreFolded) {
  EXPECT_NEAR(value_at<double>(program("twice(x + 1)"), {0, 4, 0, 0}), 10, 1e-15);
  const Program folded = program("f(0.5, 2) + twice(3)");
  EXPECT_TRUE(folded.is_constant());
  EXPECT_EQ(folded.code.size(), 1u);
  EXPECT_NEAR(value_at<double>(folded, {0, 0, 0, 0}), f(0.5, 2) + 6, 1e-14);
}

TEST_F(FunctionsOfTheUser, ADerivativeIsAskedForOnlyWhereSomethingMoves) {
  const Program code = program("g(x)");
  EXPECT_TRUE(std::isnan(value_at<double>(code, {0, 1, 0, 0})));  // known by name only
  const ExternalFunction declared{"f", {"x", "k"}, {}};
  const auto only_x = [](const std::string& name) {
    return name == "dfdk" ? nullptr : address(name);
  };
  const FunctionCode partly(declared, only_x);
  EXPECT_FALSE(partly.has(partly.find(std::vector<int>{1})));
  EXPECT_TRUE(partly.has(partly.find(std::vector<int>{0, 1})));
  EXPECT_EQ(partly.name_of(partly.find(std::vector<int>{0, 1})), "d2fdkdx");
}

TEST_F(FunctionsOfTheUser, WrongCallsAreTold) {
  EXPECT_EQ(problem_of("f(x)"), "'f' takes 2 arguments, not 1; write f(x, k) as in [functions]");
  EXPECT_EQ(problem_of("halv(x)"), "unknown function 'halv'; did you mean 'half'?");
  EXPECT_EQ(problem_of("bessel(x)"),
            "unknown function 'bessel'; declare it in [functions], or write products with '*'");
}

// ------------------------------------------------------------------------------------- equations

TEST_F(FunctionsOfTheUser, EquationsAreTakenApart) {
  const Program residual =
      program("2*x' + sin(y)*(y' - x) = f(x, y)*z' - if(t > 1, x', 3*x')", true);
  const std::vector<Symbol> rates = {
      {Quantity::variable_rate, 0}, {Quantity::variable_rate, 1}, {Quantity::variable_rate, 2}};
  const auto form = linear_form(residual, rates);
  ASSERT_TRUE(form);
  EXPECT_EQ(form->column, (std::vector<int>{0, 1, 2}));
  EXPECT_FALSE(form->program.depends_on(Quantity::variable_rate));
  for (const double t : {0.5, 1.5}) {
    const std::vector<double> at = {t, 0.7, -0.4, 0};
    EXPECT_NEAR(value_at<double>(form->program, at, 0), 2 + (t > 1 ? 1 : 3), 1e-15);
    EXPECT_NEAR(value_at<double>(form->program, at, 1), std::sin(-0.4), 1e-15);
    EXPECT_NEAR(value_at<double>(form->program, at, 2), -f(0.7, -0.4), 1e-15);
    EXPECT_NEAR(value_at<double>(form->program, at, 3), std::sin(-0.4) * 0.7, 1e-15);
  }
}

TEST_F(FunctionsOfTheUser, WrongEquationsAreTold) {
  EXPECT_NE(problem_of("x' + y", true).find("'=' is missing"), std::string::npos);
  EXPECT_NE(problem_of("x' = y = 3", true).find("a second '='"), std::string::npos);
  EXPECT_NE(problem_of("x'' = y", true).find("a second rate"), std::string::npos);
  EXPECT_NE(problem_of("", true).find("the equation is empty"), std::string::npos);
  EXPECT_NE(problem_of("x' + 1").find("may stand only in `equations`"), std::string::npos);
  EXPECT_NE(problem_of("x = 1").find("'=' is not an operator"), std::string::npos);
}

}  // namespace
}  // namespace cartan::test::expr_test
