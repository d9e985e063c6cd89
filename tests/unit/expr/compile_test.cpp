// How programs are built: what becomes one instruction, what is folded, what is refused.
#include <gtest/gtest.h>

#include "support.h"

namespace cartan::test::expr_test {
namespace {

std::size_t code_size(const std::string& text) {
  return program_of(text).code.size();
}

TEST(Compile, EqualSubexpressionsAreOneInstruction) {
  EXPECT_EQ(code_size("sin(x)*cos(y) + sin(x)*cos(y)"), 6u);  // x, sin, y, cos, *, +
  EXPECT_EQ(code_size("(x + y)*(y + x)"), 4u);
  EXPECT_EQ(code_size("(x - y)*(y - x)"), 5u);
  EXPECT_EQ(code_size("x^2 + x*x"), 3u);
  const Compiled two = compile_texts({"sin(x) + 1", "1 + sin(x)", "sin(x)"});
  EXPECT_EQ(two.program.code.size(), 4u);
  EXPECT_EQ(two.program.outputs[0], two.program.outputs[1]);
}

TEST(Compile, Algebra) {
  EXPECT_EQ(code_size("x*1 + 0"), 1u);
  EXPECT_EQ(code_size("0 + 1*x/1 - 0"), 1u);
  EXPECT_EQ(code_size("x^1"), 1u);
  EXPECT_EQ(code_size("-(-x)"), 1u);
  EXPECT_EQ(code_size("x^8"), 4u);
  EXPECT_EQ(code_size("0*sin(x)"), 1u);
  EXPECT_EQ(code_size("sin(x) - sin(x)"), 1u);
  EXPECT_EQ(code_size("x^0"), 1u);
  EXPECT_EQ(code_size("if(2 > 1, x, y)"), 1u);
  EXPECT_EQ(code_size("if(y, x, x)"), 1u);
  EXPECT_EQ(code_size("2*3 + sin(0)"), 1u);
  EXPECT_TRUE(program_of("0*x").is_constant());
}

TEST(Compile, ZeroTimesSomethingThatCanBeInfiniteIsKept) {
  EXPECT_TRUE(std::isnan(value_of_text("0*log(x)", 0)));
  EXPECT_TRUE(std::isnan(value_of_text("1/x - 1/x", 0)));
}

TEST(Compile, DeadCodeLeavesNoInput) {
  const Program program = program_of("if(1, x, sin(y)*z) + 0*t");
  EXPECT_EQ(program.inputs, std::vector<Symbol>{symbol_x});
  EXPECT_FALSE(program.depends_on(Quantity::time));
  EXPECT_TRUE(program.depends_on(Quantity::variable));
}

TEST(Compile, ConstantsWithoutFiniteValueAreErrors) {
  const std::vector<std::tuple<std::string, int, std::string>> cases = {
      {"x + 1/0", 5, "division by zero"},
      {"2*sqrt(-1)", 2, "sqrt of a negative"},
      {"log(0)", 0, "log of zero"},
      {"log(-1)", 0, "log of a negative"},
      {"asin(2)", 0, "outside -1..1"},
      {"acos(-2)", 0, "outside -1..1"},
      {"0^-1.5", 1, "negative power"},
      {"x*(-2)^0.5", 6, "fractional power"},
      {"exp(1000)", 0, "too large"},
      {"1e300*1e300", 5, "too large"},
      {"infinite*x", 0, "not a finite number"},
      {"1/zero", 1, "division by zero"},
      {"table(\"sine.csv\", \"y\", 1e200)", 0, "too large"}};
  for (const auto& [text, offset, part] : cases) {
    const Compiled compiled = compile_texts({"x", text});
    ASSERT_EQ(compiled.errors.size(), 1u) << text;
    EXPECT_EQ(compiled.errors[0].tree, 1);
    EXPECT_EQ(compiled.errors[0].offset, offset) << text;
    EXPECT_NE(compiled.errors[0].message.find(part), std::string::npos)
        << compiled.errors[0].message;
  }
}

TEST(Compile, ABranchNeverTakenMayBeUndefined) {
  EXPECT_EQ(value_of_text("if(zero > 0, 1/zero, x)", 4), 4);
}

TEST(Compile, Definitions) {
  const Names names(Definitions{{"r", "sqrt(x^2 + y^2)"}, {"energy", "1/(1 + r) + r"}});
  const Program program = program_of("energy + r", names);
  EXPECT_DOUBLE_EQ(value_at<double>(program, {0, 3, 4, 0}), 1 / 6.0 + 10);
  EXPECT_EQ(program.code.size(), program_of("energy", names).code.size() + 1);
}

TEST(Compile, DefinitionsAreAskedForOnce) {
  int asked = 0;
  const Syntax definition = parsed("2*x");
  const Resolver resolve = [&](const std::string& name, int) {
    Meaning meaning;
    if (name == "x") meaning.symbol = symbol_x;
    if (name == "d") {
      meaning.definition = definition;
      ++asked;
    }
    return meaning;
  };
  std::vector<CompileError> errors;
  compile(std::vector<Syntax>{parsed("d + d"), parsed("d*d")}, resolve, nullptr, errors);
  EXPECT_TRUE(errors.empty());
  EXPECT_EQ(asked, 1);
}

TEST(Compile, CyclesAreNamed) {
  const Names names(Definitions{{"a", "1 + b"}, {"b", "2*c"}, {"c", "x + b"}});
  const Compiled compiled = compile_texts({"3 + a"}, names);
  ASSERT_EQ(compiled.errors.size(), 1u);
  EXPECT_EQ(compiled.errors[0].offset, 4);
  EXPECT_NE(compiled.errors[0].message.find("b -> c -> b"), std::string::npos)
      << compiled.errors[0].message;
}

TEST(Compile, LongChainsOfDefinitionsAreRefused) {
  const Resolver resolve = [](const std::string& name, int) {
    Meaning meaning;
    meaning.definition = parsed(name + "_");
    return meaning;
  };
  std::vector<CompileError> errors;
  compile(std::vector<Syntax>{parsed("a")}, resolve, nullptr, errors);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_NE(errors[0].message.find("more than 500 deep"), std::string::npos);
}

TEST(Compile, AllProblemsAreToldAtOnce) {
  const Names names(Definitions{{"bad", "1 + unknown_inside"}});
  const Compiled compiled =
      compile_texts({"foo + 1/0 + bar", "x", "bad + bad + table(\"none.csv\", \"y\", t)"}, names);
  ASSERT_EQ(compiled.errors.size(), 5u);
  EXPECT_EQ(compiled.errors[0].offset, 0);
  EXPECT_EQ(compiled.errors[1].offset, 7);
  EXPECT_EQ(compiled.errors[2].offset, 12);
  EXPECT_EQ(compiled.errors[3].tree, 2);
  EXPECT_EQ(compiled.errors[3].offset, 0);
  EXPECT_EQ(compiled.errors[3].message,
            "in the definition of 'bad': unknown name 'unknown_inside'");
  EXPECT_EQ(compiled.errors[4].message, "no column 'y' in 'none.csv'");
  EXPECT_EQ(compiled.program.outputs.size(), 3u);
}

TEST(Compile, MissingPiecesAreNotFollowed) {
  std::vector<CompileError> errors;
  const Program program =
      compile(std::vector<Syntax>{nullptr, parsed("2")}, nullptr, nullptr, errors);
  EXPECT_TRUE(errors.empty());
  EXPECT_EQ(value_at<double>(program, {}, 0), 0);
  EXPECT_EQ(value_at<double>(program, {}, 1), 2);
  compile(std::vector<Syntax>{parsed("x + table(\"a\", \"b\", 1)")}, nullptr, nullptr, errors);
  EXPECT_EQ(errors.size(), 2u);
}

TEST(Compile, ConstantProgram) {
  const std::vector<double> values{1, 2.5, 1};
  const Program program = constant_program(values);
  EXPECT_TRUE(program.is_constant());
  EXPECT_EQ(program.code.size(), 2u);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(value_at<double>(program, {}, k), values[k]);
  EXPECT_TRUE(constant_program({}).outputs.empty());
}

}  // namespace
}  // namespace cartan::test::expr_test
