// Sines and cosines in generated C and C++: all of them at the beginning, and right to the last
// place; sums in the order in which their terms are known.
#include <gtest/gtest.h>

#include <cmath>

#include "codegen/emit.h"
#include "codegen/unit_plan.h"
#include "core/compiled_library.h"
#include "random_unit.h"
#include "symbolic/count.h"
#include "work_folder.h"

namespace cartan::test {
namespace {

// out = (sin, cos of each x; of the product of the first two)
TestUnit turning_unit(int angles) {
  TestUnit made;
  ExpressionGraph& graph = *made.graph;
  CodeArgument t{"t", {graph.symbol("t", 0.3)}, {}, {}, true}, x{"x", {}, {}, {}, false},
      p{"p", {graph.symbol("p", 1.1)}, {}, {}, false};
  std::vector<Expression> out;
  for (int k = 0; k < angles; ++k) {
    x.symbols.push_back(graph.symbol("x" + std::to_string(k), 0.2 * (k + 1)));
    out.push_back(sin(x.symbols.back()));
    out.push_back(cos(x.symbols.back()));
  }
  const Expression product = x.symbols[0] * x.symbols.back() * p.symbols[0];
  out.push_back(sin(product));
  out.push_back(cos(product));
  made.unit.name = "turning";
  made.unit.graph = made.graph.get();
  made.unit.arguments = {t, x, p};
  CodeFunction function;
  function.name = "f";
  function.outputs.push_back(column("out", out));
  made.unit.functions.push_back(std::move(function));
  return made;
}

using Function = void(double, const double*, const double*, double*);

std::vector<double> values_at(const CompiledLibrary& library, const std::vector<double>& x) {
  std::vector<double> out(2 * x.size() + 2);
  const double p = 1.1;
  library.function<Function>("turning_f")(0.3, x.data(), &p, out.data());
  return out;
}

TEST(CodegenTurns, AreComputedTogetherAndRightToTheLastPlace) {
  const WorkFolder folder;
  const TestUnit made = turning_unit(7);
  const std::string text = emit(made.unit, Language::c)[0].text;
  EXPECT_NE(text.find("turning_turns(8, w);"), std::string::npos) << text;
  CompileOptions options;
  options.cache = folder.path() / "cache";
  options.flags.insert(options.flags.end(), {"-Wall", "-Wextra", "-pedantic", "-Werror"});
  std::string problem;
  // with the processor's fused operations, and as the text alone says
  for (const char* flag : {"-ffp-contract=fast", "-ffp-contract=off", "-march=x86-64"}) {
    options.flags.push_back(flag);
    const auto library = CompiledLibrary::compile(text, options, problem);
    ASSERT_TRUE(library) << problem;
    Random random(5);
    double worst = 0, worst_of_large = 0;  // units of the last place
    for (int k = 0; k < 20000; ++k) {
      std::vector<double> x;
      for (int i = 0; i < 7; ++i) x.push_back(random.uniform(-1, 1) * std::pow(10, k % 7));
      const std::vector<double> out = values_at(*library, x);
      for (int i = 0; i < 7; ++i) {
        const long double angle = x[i];
        const double s = static_cast<double>(std::sin(angle)),
                     c = static_cast<double>(std::cos(angle));
        const auto units = [](double a, long double b) {
          const double size = std::fabs(static_cast<double>(b));
          return static_cast<double>(std::fabs(a - b)) / (std::nextafter(size, INFINITY) - size);
        };
        double& most = k % 7 > 4 ? worst_of_large : worst;
        most = std::max(
            {most, units(out[2 * i], std::sin(angle)), units(out[2 * i + 1], std::cos(angle))});
        ASSERT_NEAR(out[2 * i], s, 1e-15);
        ASSERT_NEAR(out[2 * i + 1], c, 1e-15);
      }
    }
    EXPECT_LT(worst, 0.9) << flag;  // tests/unit/core/sines_test.cpp says why
    EXPECT_LT(worst_of_large, 1.7) << flag;
    options.flags.pop_back();
  }
}

TEST(CodegenTurns, LargeAnglesAndNoNumbersAreThoseOfTheLibrary) {
  const WorkFolder folder;
  const TestUnit made = turning_unit(4);
  CompileOptions options;
  options.cache = folder.path() / "cache";
  std::string problem;
  const auto library =
      CompiledLibrary::compile(emit(made.unit, Language::c)[0].text, options, problem);
  ASSERT_TRUE(library) << problem;
  const std::vector<double> out = values_at(*library, {1e300, std::nan(""), INFINITY, -0.5});
  EXPECT_EQ(out[0], std::sin(1e300));
  EXPECT_EQ(out[1], std::cos(1e300));
  for (int k = 2; k < 6; ++k) EXPECT_TRUE(std::isnan(out[k])) << k;
  EXPECT_NEAR(out[6], std::sin(-0.5), 1e-16);
}

TEST(CodegenTurns, OneAngleIsLeftToTheLibrary) {
  const TestUnit made = turning_unit(1);
  // x0^2 p is no angle of an argument alone, so one is left
  const std::string text = emit(made.unit, Language::c)[0].text;
  EXPECT_EQ(text.find("turns("), std::string::npos);
  EXPECT_NE(text.find("sin(x[0])"), std::string::npos);
}

// ((a + b) + c) + ... with a known last: by the order of writing every sum waits for it.
TEST(CodegenPaths, WhatIsKnownLastIsAddedLast) {
  TestUnit made;
  ExpressionGraph& graph = *made.graph;
  CodeArgument x{"x", {}, {}, {}, false};
  for (int k = 0; k < 8; ++k)
    x.symbols.push_back(graph.symbol("x" + std::to_string(k), 0.5 + 0.1 * k));
  Expression late = x.symbols[0];
  for (int k = 0; k < 20; ++k) late = exp(Expression(-0.5) * late);  // a long path
  Expression sum = late;
  for (int k = 1; k < 8; ++k) sum = sum - x.symbols[k];
  made.unit.name = "paths";
  made.unit.graph = made.graph.get();
  made.unit.arguments = {x};
  CodeFunction function;
  function.name = "f";
  function.outputs.push_back(column("out", {sum}));
  made.unit.functions.push_back(std::move(function));

  const UnitPlan plain(made.unit), ordered(made.unit, true);
  const int before = plain.functions[0].prepared.arrays[0].nodes[0];
  const int after = ordered.functions[0].prepared.arrays[0].nodes[0];
  EXPECT_NEAR(graph.sample(after), graph.sample(before), 1e-14);
  EXPECT_EQ(ordered.functions[0].shared.total(), plain.functions[0].shared.total());
  // the result itself is the one sum that has the late term
  const Instruction& last = graph.node(after);
  const Instruction& top = last.op == Op::multiply ? graph.node(last.b) : last;
  ASSERT_EQ(top.op, Op::add);
  const auto is_late = [&](int i) {
    const Instruction& n = graph.node(i);
    return i == late.node() || (n.op == Op::multiply && n.b == late.node());
  };
  EXPECT_TRUE(is_late(top.a) || is_late(top.b));
}

}  // namespace
}  // namespace cartan::test
