// [functions], `equations` and matrices of outputs as a user meets them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/closed_models.h"

namespace cartan::test {
namespace {

const char* law_code =
    "double law(double x, double k) { return k * x * x * x; }\n"
    "double dlawdx(double x, double k) { return 3 * k * x * x; }\n";

std::string oscillator_with(const std::string& function) {
  return "[parameters]\nk = 2\n[functions]\nlaw = " + function +
         "\n[variables]\nx = { initial = 1, rate = \"v\" }\n"
         "v = { initial = 0, rate = \"-law(x, k)\" }\n[simulate]\nduration = 2\n";
}

double final_x(const std::string& file, const std::vector<std::string>& more) {
  std::vector<std::string> words = {"run", file, "--json", "--trust"};
  words.insert(words.end(), more.begin(), more.end());
  return expect_json(run_cartan(words))["final"]["variables"]["x"];
}

TEST(Functions, AFormulaAndCodeRunAlikeInterpretedAndGenerated) {
  const Scratch scratch;
  scratch.write("law.c", law_code);
  const std::string formula = scratch.write(
      "formula.toml", oscillator_with("{ arguments = [\"x\", \"k\"], value = \"k*x^3\" }"));
  const std::string code = scratch.write(
      "code.toml", oscillator_with("{ arguments = [\"x\", \"k\"], source = \"law.c\" }"));
  for (const char* integrator : {"dop853", "gl3", "cvode"})  // gl3 and cvode use the Jacobian
    for (const char* formulation : {"recursive", "generated"}) {
      SCOPED_TRACE(std::string(integrator) + " " + formulation);
      const std::vector<std::string> options = {"--integrator", integrator,    "--formulation",
                                                formulation,    "--tolerance", "1e-12"};
      EXPECT_NEAR(final_x(formula, options), final_x(code, options), 1e-11);
    }
}

TEST(Functions, ASharedLibraryWillDo) {
  const Scratch scratch;
  const std::string source = scratch.write("law.c", law_code);
  ASSERT_EQ(std::system(("cc -shared -fPIC -o " + scratch.path("law.so") + " " + source).c_str()),
            0);
  const std::string file = scratch.write(
      "library.toml", oscillator_with("{ arguments = [\"x\", \"k\"], library = \"law.so\" }"));
  const std::string code = scratch.write(
      "code.toml", oscillator_with("{ arguments = [\"x\", \"k\"], source = \"law.c\" }"));
  for (const char* formulation : {"recursive", "generated"})
    EXPECT_NEAR(final_x(file, {"--formulation", formulation}), final_x(code, {}), 1e-11);
}

TEST(Functions, KnownByNameOnlyTheyAreEnoughForEquationsAndCode) {
  const Scratch scratch;
  const std::string file = scratch.write(
      "name.toml", oscillator_with("{ arguments = [\"x\", \"k\"], derivatives = { x = "
                                   "\"slope\" } }"));
  expect_refusal(run_cartan({"run", file}), "the function 'law' is known by name only");
  expect_refusal(run_cartan({"eval", file}), "give its `value`, or the `source` of its C code");
  const CommandResult equations = run_cartan({"equations", file});
  EXPECT_TRUE(equations.status == 0 && contains(equations.out, "-law(x, k)"))
      << equations.out << equations.err;
  const CommandResult generated =
      run_cartan({"generate", file, "--language", "c", "--jacobian", "--out", scratch.path("c")});
  ASSERT_EQ(generated.status, 0) << generated.err;
  const std::string text = read_file(scratch.path("c/name.c"));
  EXPECT_TRUE(contains(text, "extern double law(double, double);")) << text;
  EXPECT_TRUE(contains(text, "extern double slope(double, double);")) << text;
  for (const char* language : {"c++", "python", "octave", "cuda", "latex"})
    EXPECT_EQ(run_cartan({"generate", file, "--language", language, "--jacobian", "--out",
                          scratch.path(language)})
                  .status,
              0)
        << language;
}

TEST(Functions, ADerivativeThatTheCodeLacksIsAskedForInTime) {
  const Scratch scratch;
  scratch.write("law.c", law_code);
  const std::string file = scratch.write(
      "code.toml", oscillator_with("{ arguments = [\"x\", \"k\"], source = \"law.c\" }"));
  EXPECT_EQ(
      run_cartan({"generate", file, "--trust", "--jacobian", "--out", scratch.path("c")}).status,
      0);
  expect_refusal(
      run_cartan({"generate", file, "--trust", "--variational", "--out", scratch.path("d")}),
      "the code needs 'd2lawdxdx'");
}

// A derivative by an argument that only parameters enter is asked for by who varies them.
TEST(Functions, FitAndContinueAskForDerivativesByParameters) {
  const Scratch scratch;
  scratch.write("law.c", law_code);
  const std::string data = scratch.write("data.csv", "t,x\n0,1\n0.5,0.8\n1,0.3\n1.5,-0.2\n");
  const std::string code = scratch.write(
      "code.toml", oscillator_with("{ arguments = [\"x\", \"k\"], source = \"law.c\" }"));
  expect_refusal(run_cartan({"fit", code, "--trust", "--data", data, "--free", "k"}),
                 "the code lacks: dlawdk");
  scratch.write("whole.c", std::string(law_code) +
                               "double dlawdk(double x, double k) { return x * x * x; }\n");
  const std::string whole = scratch.write(
      "whole.toml", oscillator_with("{ arguments = [\"x\", \"k\"], source = \"whole.c\" }"));
  const std::string formula = scratch.write(
      "formula.toml", oscillator_with("{ arguments = [\"x\", \"k\"], value = \"k*x^3\" }"));
  const auto fitted = [&](const std::string& file) -> double {
    return expect_json(run_cartan(
        {"fit", file, "--trust", "--data", data, "--free", "k", "--json"}))["parameters"]["k"];
  };
  EXPECT_NEAR(fitted(whole), fitted(formula), 1e-8);
  expect_refusal(
      run_cartan({"continue", code, "--trust", "--parameter", "k", "--from", "1", "--to", "2"}),
      "the code lacks: dlawdk");
}

TEST(Implicit, AFileRunsIsEvaluatedAnalysedAndGenerated) {
  const Scratch scratch;
  const std::string example = example_path("implicit_pair");
  const CommandResult run = run_cartan({"run", example, "--out", scratch.path("run"), "--quiet"});
  ASSERT_EQ(run.status, 0) << run.err;
  const LastRow row = last_row(scratch.path("run/trajectory.csv"));
  EXPECT_NEAR(row["radius"], 1, 1e-9);  // the orbit the right sides were chosen for
  EXPECT_EQ(row["A[0][0]"], 2);
  EXPECT_EQ(row["A[0][1]"], row["A[1][0]"]);
  EXPECT_EQ(std::count(row.names.begin(), row.names.end(), "A[0][2]"), 0);
  const auto rates = expect_json(run_cartan({"eval", example, "--json"}))["rates"];
  EXPECT_NEAR(rates["x1"], 0.8 * 0.2 * (1 - 0.05) - 2 * 0.1, 1e-14);
  EXPECT_NEAR(rates["x2"], 0.8 * 0.1 * (1 - 0.05) + 2 * 0.2, 1e-14);
  const double generated = expect_json(run_cartan(
      {"run", example, "--formulation", "generated", "--json"}))["final"]["variables"]["y"];
  EXPECT_NEAR(generated, row["y"], 1e-9);
  const CommandResult equations = run_cartan({"equations", example});
  EXPECT_TRUE(contains(equations.out, "2*x1' + cos(x2)*x2' = ")) << equations.out << equations.err;
  EXPECT_TRUE(contains(equations.out, "z' = ")) << equations.out;
  EXPECT_EQ(run_cartan({"equations", example, "--format", "latex"}).status, 0);
  for (const char* language : {"c", "c++", "python", "octave", "cuda", "latex"})
    EXPECT_EQ(run_cartan({"generate", example, "--language", language, "--variational", "--out",
                          scratch.path(language)})
                  .status,
              0)
        << language;
  EXPECT_TRUE(
      contains(read_file(scratch.path("c/implicit_pair.c")), "implicit_pair_outputs_A_pattern"));
}

TEST(Implicit, WhatIsSingularIsToldWithItsTime) {
  const Scratch scratch;
  const std::string file = scratch.write(
      "singular.toml", "equations = [\"x*x' = -1\"]\n[variables]\nx = { initial = 1 }\n");
  const CommandResult run = run_cartan({"run", file, "--integrator", "dop853", "--duration", "1"});
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(contains(run.err, "the equations do not determine x' at t = 0.")) << run.err;
  const std::string start = scratch.write("state.json", "{\"variables\": {\"x\": 0}}");
  const CommandResult eval = run_cartan({"eval", file, "--at", start});
  EXPECT_EQ(eval.status, 1);
  EXPECT_TRUE(contains(eval.err, "Start elsewhere")) << eval.err << eval.out;
  EXPECT_FALSE(contains(eval.out, "nan")) << eval.out;
}

}  // namespace
}  // namespace cartan::test
