// The same units in other languages, run by their compilers and interpreters, against the graph.
// Every interpreter is started once for all cases: it starts slowly.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "codegen/emit.h"
#include "core/child_process.h"
#include "random_unit.h"
#include "support/interpreters.h"
#include "work_folder.h"

namespace cartan::test {
namespace {

constexpr int points = 3;

struct Cases {
  std::vector<TestUnit> units;
  std::vector<std::vector<std::vector<double>>> inputs;  // [unit][point]
  std::vector<double> expected;                          // all values, one after the other
};

Cases make_cases() {
  Cases cases;
  for (int seed = 1; seed <= 2; ++seed)
    cases.units.push_back(random_unit("random" + std::to_string(seed), 20 + seed, 60 * seed));
  cases.units.push_back(solving_unit("systems", 7));
  cases.units.push_back(external_unit("device"));
  cases.units.push_back(tables_unit("curves"));
  Random random(17);
  for (const TestUnit& made : cases.units) {
    cases.inputs.emplace_back();
    for (int k = 0; k < points; ++k) {
      cases.inputs.back().push_back(random_point(made.unit, random));
      const std::vector<double>& point = cases.inputs.back().back();
      const auto values =
          made.unit.externals.empty() ? reference_values(made.unit, point) : external_values(point);
      cases.expected.insert(cases.expected.end(), values.begin(), values.end());
    }
  }
  return cases;
}

void write_files(const Cases& cases, Language language, const WorkFolder& folder) {
  for (const TestUnit& made : cases.units)
    for (const GeneratedFile& file : emit(made.unit, language)) folder.write(file.name, file.text);
}

std::string list(const double* from, std::size_t count, const char* between) {
  std::ostringstream text;
  text.precision(17);
  for (std::size_t k = 0; k < count; ++k) text << (k ? between : "") << from[k];
  return text.str();
}

std::string joined_numbers(const std::vector<double>& point, std::size_t from, std::size_t count,
                           const char* between) {
  return list(point.data() + from, count, between);
}

std::vector<double> numbers_in(const std::string& text) {
  std::vector<double> values;
  const char* at = text.c_str();
  for (char* end = nullptr;; at = end) {
    const double value = std::strtod(at, &end);
    if (end == at) break;
    values.push_back(value);
  }
  return values;
}

// After all values come the results of the checks, one per unit.
void expect_values(const Cases& cases, const std::string& output) {
  std::vector<double> values = numbers_in(output);
  ASSERT_EQ(values.size(), cases.expected.size() + cases.units.size()) << output.substr(0, 2000);
  for (std::size_t k = 0; k < cases.units.size(); ++k) {
    EXPECT_LT(values.back(), 1e-12);
    values.pop_back();
  }
  EXPECT_LT(largest_error(values, cases.expected), 1e-12);
}

// ------------------------------------------------------------------------------------- C++, CUDA

// One call per point and function; `cuda`: functions carry the name of the unit in front.
std::string cpp_driver(const Cases& cases, bool cuda) {
  std::string text = cuda ? "#define __device__\n" : "extern \"C\" {\n";
  text += external_code;
  if (!cuda) text += "}\n";
  text += "#include <cstdio>\n#include <vector>\n";
  for (const TestUnit& made : cases.units)
    text += "#include \"" + made.unit.name + (cuda ? ".cuh\"\n" : ".hpp\"\n");
  text += "int main() {\n";
  for (std::size_t u = 0; u < cases.units.size(); ++u) {
    const CodeUnit& unit = cases.units[u].unit;
    const auto sizes = output_sizes(unit);
    const std::size_t n = unit.arguments[1].symbols.size(), m = unit.arguments[2].symbols.size();
    for (const auto& point : cases.inputs[u]) {
      text += "  {\n    const double x[] = {" + joined_numbers(point, 1, n, ", ") + "}, p[] = {" +
              joined_numbers(point, 1 + n, m, ", ") + "};\n";
      for (std::size_t f = 0; f < unit.functions.size(); ++f) {
        std::string declared, passed, printed;
        for (std::size_t k = 0; k < sizes[f].size(); ++k) {
          const std::string name = "o" + std::to_string(k), size = std::to_string(sizes[f][k]);
          declared += " std::vector<double> " + name + "(" + size + ");";
          passed +=
              cuda ? ", " + name + ".data()" : ", std::span<double, " + size + ">(" + name + ")";
          printed += " for (double v : " + name + ") std::printf(\"%.17g\\n\", v);";
        }
        text += "    {" + declared + " " + unit.name + (cuda ? "_" : "::") +
                unit.functions[f].name + "(" + list(point.data(), 1, "") + ", x, p" + passed +
                ");" + printed + " }\n";
      }
      text += "  }\n";
    }
  }
  for (const TestUnit& made : cases.units) {
    const std::string& name = made.unit.name;
    text += cuda ? "  { std::vector<double> work(" + name +
                       "_check_work); std::printf(\"%g\\n\", " + name + "_check(work.data())); }\n"
                 : "  std::printf(\"%g\\n\", " + name + "::check());\n";
  }
  return text + "}\n";
}

void compile_and_run(const Cases& cases, const WorkFolder& folder, const std::string& driver) {
  folder.write("main.cpp", driver);
  const std::string f = folder.path().string() + "/";
  const ChildResult compiled =
      run_child({"c++", "-std=c++20", "-O0", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function",
                 "-Wno-unused-variable", f + "main.cpp", "-o", f + "main"});
  ASSERT_EQ(compiled.status, 0) << compiled.output().substr(0, 3000);
  expect_values(cases, run_child({f + "main"}).output());
}

TEST(CodegenLanguages, CppEqualsTheGraph) {
  const WorkFolder folder;
  const Cases cases = make_cases();
  write_files(cases, Language::cpp, folder);
  compile_and_run(cases, folder, cpp_driver(cases, false));
}

// Without a GPU: device functions are C++ functions.
TEST(CodegenLanguages, CudaEqualsTheGraph) {
  const WorkFolder folder;
  const Cases cases = make_cases();
  write_files(cases, Language::cuda, folder);
  compile_and_run(cases, folder, cpp_driver(cases, true));
}

// ------------------------------------------------------------------------------- Python and Octave

TEST(CodegenLanguages, PythonEqualsTheGraph) {
  const std::string python = test::python_with_numpy();
  if (python.empty()) GTEST_SKIP() << "no Python with NumPy here";
  const WorkFolder folder;
  const Cases cases = make_cases();
  write_files(cases, Language::python, folder);
  folder.write("device_functions.py",
               "import numpy as np\n"
               "def f1(q, k):\n    return np.where(q > 0, 0.0, -k * q)\n"
               "def df1dq(q, k):\n    return np.where(q > 0, 0.0, -k)\n"
               "def d2f1dkdq(q, k):\n    return np.where(q > 0, 0.0, -1.0)\n"
               "def stiffness(q, k):\n    return np.where(q > 0, 0.0, -q)\n");
  std::string text = "import sys\nsys.path.insert(0, " + std::string("'") + folder.path().string() +
                     "')\nimport numpy as np\nimport warnings\nwarnings.simplefilter('error')\n"
                     "def show(o):\n    for a in (o if isinstance(o, tuple) else (o,)):\n"
                     "        for v in np.ravel(a):\n            print(repr(float(v)))\n";
  for (std::size_t u = 0; u < cases.units.size(); ++u) {
    const CodeUnit& unit = cases.units[u].unit;
    const std::size_t n = unit.arguments[1].symbols.size(), m = unit.arguments[2].symbols.size();
    text += "import " + unit.name + "\n";
    for (const auto& point : cases.inputs[u])
      for (const CodeFunction& function : unit.functions)
        text += "show(" + unit.name + "." + function.name + "(" + list(point.data(), 1, "") +
                ", [" + joined_numbers(point, 1, n, ", ") + "], [" +
                joined_numbers(point, 1 + n, m, ", ") + "]))\n";
    // two points at once give what they give one by one
    const std::string x = "np.array([[" + joined_numbers(cases.inputs[u][0], 1, n, ", ") + "], [" +
                          joined_numbers(cases.inputs[u][1], 1, n, ", ") + "]]).T";
    const std::string p = "[" + joined_numbers(cases.inputs[u][0], 1 + n, m, ", ") + "]";
    for (const CodeFunction& function : unit.functions)
      text +=
          "x = " + x + "\np = np.array(" + p + ")\nf = " + unit.name + "." + function.name +
          "\nboth = f(0.5, x, p[:, None])\nboth = both if isinstance(both, tuple) else (both,)\n"
          "for k in (0, 1):\n    one = f(0.5, x[:, k], p)\n"
          "    one = one if isinstance(one, tuple) else (one,)\n"
          "    assert all(np.allclose(b[..., k], o, 1e-12, 1e-12, True) for b, o in zip(both, "
          "one))\n";
  }
  for (const TestUnit& made : cases.units) text += "print(" + made.unit.name + ".check())\n";
  folder.write("main.py", text);
  expect_values(cases, run_child({python, (folder.path() / "main.py").string()}).output());
}

TEST(CodegenLanguages, OctaveEqualsTheGraph) {
  if (!run_child({"octave", "--version"}).started) GTEST_SKIP() << "no Octave here";
  const WorkFolder folder;
  const Cases cases = make_cases();
  write_files(cases, Language::octave, folder);
  for (const auto& [name, value] :
       {std::pair{"f1", "-k * q"}, {"df1dq", "-k"}, {"d2f1dkdq", "-1"}, {"stiffness", "-q"}})
    folder.write(std::string(name) + ".m", std::string("function y = ") + name + "(q, k)\n  y = (" +
                                               value + ") * (q <= 0);\nend\n");
  std::string text = "addpath('" + folder.path().string() + "');\n";
  for (std::size_t u = 0; u < cases.units.size(); ++u) {
    const CodeUnit& unit = cases.units[u].unit;
    const std::size_t n = unit.arguments[1].symbols.size(), m = unit.arguments[2].symbols.size();
    for (const auto& point : cases.inputs[u])
      for (const CodeFunction& function : unit.functions) {
        std::string outputs, printed;
        for (std::size_t k = 0; k < function.outputs.size() + (function.solve ? 1 : 0); ++k) {
          const std::string o = "o" + std::to_string(k);
          outputs += (k ? ", " : "") + o;
          const bool sparse = k < function.outputs.size() && function.outputs[k].is_sparse();
          if (!sparse) printed += " printf('%.17g\\n', " + o + ".');";
          if (sparse)
            for (std::size_t e = 0; e < function.outputs[k].row.size(); ++e)
              printed += " printf('%.17g\\n', full(" + o + "(" +
                         std::to_string(function.outputs[k].row[e] + 1) + ", " +
                         std::to_string(function.outputs[k].column[e] + 1) + ")));";
        }
        text += "[" + outputs + "] = " + unit.name + "_" + function.name + "(" +
                list(point.data(), 1, "") + ", [" + joined_numbers(point, 1, n, ", ") + "], [" +
                joined_numbers(point, 1 + n, m, ", ") + "]);" + printed + "\n";
      }
  }
  for (const TestUnit& made : cases.units)
    text += "printf('%g\\n', " + made.unit.name + "_check());\n";
  folder.write("main.m", text);
  expect_values(cases, run_child({"octave", "--no-gui", "--norc", "--quiet",
                                  (folder.path() / "main.m").string()})
                           .output());
}

// ------------------------------------------------------------------------------------------- LaTeX

TEST(CodegenLanguages, LatexIsBalanced) {
  for (const Cases cases = make_cases(); const TestUnit& made : cases.units) {
    const std::string text = emit(made.unit, Language::latex)[0].text;
    int depth = 0, lefts = 0, begins = 0;
    for (std::size_t k = 0; k < text.size(); ++k) {
      if (text[k] == '\\' && (text[k + 1] == '{' || text[k + 1] == '}')) {
        ++k;
        continue;
      }
      depth += text[k] == '{' ? 1 : text[k] == '}' ? -1 : 0;
      ASSERT_GE(depth, 0);
      lefts += text.compare(k, 5, "\\left") == 0 ? 1 : text.compare(k, 6, "\\right") == 0 ? -1 : 0;
      ASSERT_GE(lefts, 0);
      begins += text.compare(k, 6, "\\begin") == 0 ? 1 : text.compare(k, 4, "\\end") == 0 ? -1 : 0;
    }
    EXPECT_EQ(depth, 0);
    EXPECT_EQ(lefts, 0);
    EXPECT_EQ(begins, 0);
  }
}

TEST(CodegenLanguages, LatexCompiles) {
  if (!run_child({"pdflatex", "--version"}).started) GTEST_SKIP() << "no TeX here";
  const WorkFolder folder;
  const TestUnit made = random_unit("paper", 4, 60);
  for (const GeneratedFile& file : emit(made.unit, Language::latex))
    folder.write(file.name, file.text);
  const ChildResult result =
      run_child({"pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-output-directory",
                 folder.path().string(), (folder.path() / "paper.tex").string()});
  EXPECT_EQ(result.status, 0) << result.output();
}

}  // namespace
}  // namespace cartan::test
