// Code of [variables] files with equations: the same functions as those of the system solved by
// hand, which has no linear system anywhere.
#include <gtest/gtest.h>

#include <fstream>

#include "core/child_process.h"
#include "core/compiled_library.h"
#include "core/dense.h"
#include "generated/example_units.h"
#include "support/implicit_system.h"
#include "unit/codegen/work_folder.h"

namespace cartan::test {
namespace {

struct Code {
  Example example;
  std::unique_ptr<Derivation> derivation;
  CodeUnit unit;
};

Code make_code(const char* text, const std::string& name, bool extras) {
  Code made;
  made.example = load_text(text);
  EXPECT_TRUE(made.example) << made.example.problem;
  made.derivation =
      std::make_unique<Derivation>(*made.example.model, parameter_values(*made.example.model),
                                   made.example.system->initial_state());
  UnitOptions options;
  options.extras = extras;
  options.jacobian = options.variational = options.parameter_jacobian = true;
  made.unit = make_unit(*made.derivation, options, name);
  EXPECT_EQ(problem_of(made.unit), "");
  return made;
}

const CodeFunction& function_of(const CodeUnit& unit, const std::string& name) {
  for (const CodeFunction& function : unit.functions)
    if (function.name == name) return function;
  ADD_FAILURE() << name;
  return unit.functions[0];
}

std::vector<double> random_numbers(std::mt19937_64& random, int count) {
  std::uniform_real_distribution<double> number(-0.4, 0.4);
  std::vector<double> x(count);
  for (double& value : x) value = number(random);
  return x;
}

// A function of both units, as full matrices.
struct Compiled {
  using Function = void(double, const double*, const double*, const double*, double*);
  std::shared_ptr<const CompiledLibrary> library;
  const Code& code;

  Eigen::MatrixXd value(const std::string& name, double t, const std::vector<double>& x,
                        const std::vector<double>& dx) const {
    const CodeMatrix& shape = function_of(code.unit, name).outputs[0];
    const std::vector<double> p = {0.7};
    std::vector<double> entries(shape.entries.size());
    (*library->function<Function>(code.unit.name + "_" + name))(t, x.data(), p.data(), dx.data(),
                                                                entries.data());
    Eigen::MatrixXd full = Eigen::MatrixXd::Zero(shape.rows, shape.columns);
    for (std::size_t k = 0; k < entries.size(); ++k) {
      const int index = static_cast<int>(k);
      full(shape.is_sparse() ? shape.row[k] : index / shape.columns,
           shape.is_sparse() ? shape.column[k] : index % shape.columns) = entries[k];
    }
    return full;
  }
};

Compiled compile_code(const Code& code, const WorkFolder& folder) {
  CompileOptions options;
  options.flags = {"-O1"};
  options.cache = folder.path();
  std::string problem;
  auto library = CompiledLibrary::compile(emit(code.unit, Language::c)[0].text, options, problem);
  EXPECT_TRUE(library) << problem;
  return {library, code};
}

TEST(ImplicitCode, AllFunctionsInCAreThoseOfTheSystemSolvedByHand) {
  const WorkFolder folder;
  const Code implicit = make_code(implicit_text, "implicit", true),
             by_hand = make_code(explicit_text, "by_hand", false);
  const Compiled a = compile_code(implicit, folder), b = compile_code(by_hand, folder);
  ASSERT_TRUE(a.library && b.library);
  EXPECT_LT((*a.library->function<double()>("implicit_check"))(), 1e-12);
  std::mt19937_64 random(21);
  for (int k = 0; k < 50; ++k) {
    std::vector<double> x = implicit.example.system->initial_state().x;
    const std::vector<double> step = random_numbers(random, 8), dx = random_numbers(random, 8);
    for (int i = 0; i < 8; ++i) x[i] += step[i];
    const double t = step[0];
    for (const char* name :
         {"derivative", "jacobian", "parameter_jacobian", "variational", "variational_jacobian"}) {
      const Eigen::MatrixXd found = a.value(name, t, x, dx), expected = b.value(name, t, x, dx);
      ASSERT_EQ(found.rows(), expected.rows()) << name;
      EXPECT_LE((found - expected).cwiseAbs().maxCoeff(),
                1e-12 * (1 + expected.cwiseAbs().maxCoeff()))
          << name;
    }
    // the Jacobian of the dual numbers
    State state = implicit.example.system->initial_state();
    state.t = t;
    state.x = x;
    Eigen::MatrixXd J(8, 8);
    implicit.example.system->jacobian(state, J, *implicit.example.system->make_workspace());
    EXPECT_LE((a.value("jacobian", t, x, dx) - J).cwiseAbs().maxCoeff(),
              1e-12 * (1 + J.cwiseAbs().maxCoeff()));
  }
}

// Two unknowns, then one, one and three: no system is larger.
TEST(ImplicitCode, BlocksAreSolvedInTurn) {
  const Code code = make_code(implicit_text, "implicit", false);
  const std::string text = emit(code.unit, Language::c)[0].text;
  EXPECT_NE(text.find("solve_general(2, 1, matrix1, right1)"), std::string::npos) << text;
  EXPECT_NE(text.find("solve_general(3, 1, matrix2, right2)"), std::string::npos) << text;
  EXPECT_EQ(text.find("solve_general(4"), std::string::npos);
  EXPECT_EQ(text.find("solve_general(5"), std::string::npos);
  EXPECT_EQ(text.find("solve_general(7"), std::string::npos);
}

// The other languages check themselves at a sample that C has been compared at.
TEST(ImplicitCode, ChecksItselfInPythonAndOctave) {
  const WorkFolder folder;
  const Code code = make_code(implicit_text, "implicit", true);
  const std::string f = folder.path().string();
  for (const Language language : {Language::python, Language::octave, Language::cpp})
    for (const GeneratedFile& file : emit(code.unit, language)) folder.write(file.name, file.text);
  folder.write("main.py",
               "import sys\nsys.path.insert(0, '" + f +
                   "')\nimport implicit\nimport numpy as np\n"
                   "assert implicit.check() < 1e-12\n"
                   "assert implicit.outputs(0, np.ones(8), [0.7], np.zeros(8))[1].shape == (2, 3)\n"
                   "assert list(implicit.outputs_few_row) == [0, 1, 1]\n"
                   "assert implicit.outputs_few_shape == (2, 4)\n"
                   "a = implicit.derivative(0.1, np.ones((8, 3)), [0.7], np.zeros(8))\n"
                   "b = implicit.derivative(0.1, np.ones(8), [0.7], np.zeros(8))\n"
                   "assert np.allclose(a, b[:, None], 1e-13)\n");
  if (run_child({"python3", "-c", "import numpy"}).status == 0) {
    const ChildResult result = run_child({"python3", f + "/main.py"});
    EXPECT_EQ(result.status, 0) << result.output();
  }
  folder.write("main_script.m",
               "addpath('" + f +
                   "');\nassert(implicit_check() < 1e-12);\n"
                   "[o, d, l, s] = implicit_outputs(0, ones(8, 1), 0.7, ones(8, 1));\n"
                   "assert(issparse(s) && all(size(s) == [2 4]) && nnz(s) == 3);\n"
                   "assert(abs(s(2, 1) - e) < 1e-14);\n");
  if (run_child({"octave", "--version"}).started) {
    const ChildResult result =
        run_child({"octave", "--no-gui", "--norc", "--quiet", f + "/main_script.m"});
    EXPECT_EQ(result.status, 0) << result.output();
  }
  folder.write(
      "main.cpp",
      "#include \"implicit.hpp\"\nint main() { return implicit::check() < 1e-12 ? 0 : 1; }\n");
  ASSERT_EQ(run_child({"c++", "-std=c++20", "-O0", f + "/main.cpp", "-o", f + "/main"}).status, 0);
  EXPECT_EQ(run_child({f + "/main"}).status, 0);
}

}  // namespace
}  // namespace cartan::test
