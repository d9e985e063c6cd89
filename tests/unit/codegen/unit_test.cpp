// Names, problems, shapes of the code: what does not need a compiler.
#include <gtest/gtest.h>

#include "codegen/emit.h"
#include "codegen/names.h"
#include "random_unit.h"

namespace cartan::test {
namespace {

TEST(CodegenNames, IdentifiersAreFreeEverywhere) {
  EXPECT_EQ(identifier("arm.q[0]"), "arm_q_0_");
  EXPECT_EQ(identifier("lambda"), "lambda_");
  EXPECT_EQ(identifier("3d"), "x3d");
  EXPECT_EQ(identifier(""), "x");
  EXPECT_EQ(identifier("\xcf\x86"), "x__");
  EXPECT_EQ(function_identifier("check"), "check_");
}

// 004 sec. 6.4: d + NAME + d + ARGUMENT; of mixed derivatives the later argument comes first.
TEST(CodegenNames, DerivativesFollowTheRule) {
  const ExternalFunction f{"f", {"u1", "u2", "u3"}, {{"u3", "slope"}}};
  EXPECT_EQ(derivative_name(f, {}), "f");
  EXPECT_EQ(derivative_name(f, {0}), "dfdu1");
  EXPECT_EQ(derivative_name(f, {2}), "slope");
  EXPECT_EQ(derivative_name(f, {0, 0}), "d2fdu1du1");
  EXPECT_EQ(derivative_name(f, {0, 1}), "d2fdu2du1");
  EXPECT_EQ(derivative_name(f, {1, 2}), "d2fdu3du2");
}

TEST(CodegenNames, LanguagesAreKnown) {
  EXPECT_EQ(language_named("c++"), Language::cpp);
  EXPECT_EQ(language_named("octave"), Language::octave);
  EXPECT_FALSE(language_named("fortran"));
}

TEST(CodegenProblems, AreSentences) {
  TestUnit made = random_unit("bad", 1, 20);
  EXPECT_EQ(problem_of(made.unit), "");
  CodeUnit unit = made.unit;
  unit.functions[0].outputs[0].entries.push_back(made.graph->symbol("stranger") + 1);
  unit.functions[0].outputs[0].rows = 2;
  EXPECT_EQ(problem_of(unit), "'stranger' appears in the equations and is no argument of the code");
  unit = made.unit;
  unit.functions[0].outputs[1].entries.pop_back();
  EXPECT_NE(problem_of(unit).find("has 19 entries, but its size is 4 x 5"), std::string::npos);
  unit = made.unit;
  unit.functions[0].outputs[2].row[1] = 6;
  EXPECT_NE(problem_of(unit).find("entry 1 stands outside of 6 x 6"), std::string::npos);
  unit = made.unit;
  unit.functions.push_back(unit.functions[0]);
  EXPECT_NE(problem_of(unit).find("two functions are named 'values'"), std::string::npos);
  unit = made.unit;
  unit.functions[0].solve = LinearSolve{2, {1.0, 2.0, 3.0}, {1.0, 2.0}, false, "a"};
  EXPECT_NE(problem_of(unit).find("is not of size 2 x 2"), std::string::npos);
}

// x = a + b c is one line; what is used twice is computed once; -(a - b) is b - a.
TEST(CodegenText, IsShortAndPlain) {
  TestUnit made;
  ExpressionGraph& graph = *made.graph;
  const Expression a = graph.symbol("a", 1), b = graph.symbol("b", 2), c = graph.symbol("c", 3);
  made.unit.name = "plain";
  made.unit.graph = &graph;
  made.unit.arguments = {{"x", {a, b, c}, {}, {}, false}};
  const Expression shared = a * b + 3.0 * c;
  made.unit.functions = {
      {"f",
       "",
       {{"y",
         5,
         1,
         {},
         {},
         {a + b * c, sin(shared) + cos(shared), b - a, -2.0 * a * b, c * c * c}}},
       {}}};
  const std::string text = emit(made.unit, Language::c)[0].text;
  for (const char* line :
       {"  y[0] = x[0] + x[1] * x[2];\n", "  const double t1 = x[0] * x[1];\n",
        "  const double t2 = 3.0 * x[2] + t1;\n", "  const double t3 = sin(t2);\n",
        "  const double t4 = cos(t2);\n", "  y[1] = t3 + t4;\n", "  y[2] = x[1] - x[0];\n",
        "  y[3] = -2.0 * t1;\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

// A chain of n links: the elimination keeps its zeros, so its code grows linearly.
TEST(CodegenText, EliminationUsesTheZeros) {
  auto length = [](int n) {
    TestUnit made;
    ExpressionGraph& graph = *made.graph;
    made.unit.name = "chain";
    made.unit.graph = &graph;
    LinearSolve solve{n, std::vector<Expression>(n * n), {}, true, "a"};
    CodeArgument x{"x", {}, {}, {}, false};
    for (int i = 0; i < n; ++i) {
      x.symbols.push_back(graph.symbol("q" + std::to_string(i), 0.1 * i));
      solve.matrix[i * n + i] = 4.0;
      if (i > 0) solve.matrix[i * n + i - 1] = solve.matrix[(i - 1) * n + i] = sin(x.symbols[i]);
      solve.rhs.push_back(x.symbols[i]);
    }
    made.unit.arguments = {x};
    made.unit.functions = {{"f", "", {}, solve}};
    const std::string text = emit(made.unit, Language::c)[0].text;
    EXPECT_EQ(text.find("solve_symmetric"), std::string::npos);
    const std::size_t begin = text.find("\n{\n"), end = text.find("\n}\n", begin);
    return static_cast<double>(end - begin);
  };
  EXPECT_LT(length(48) / length(24), 2.4);
}

}  // namespace
}  // namespace cartan::test
