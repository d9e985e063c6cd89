// The code of every example in C, C++, Python and Octave, run at 50 states, against the system.
// Every compiler and interpreter is started as rarely as can be: states go in and values come out
// by files of plain doubles.
#include <cstdlib>
#include <fstream>

#include "core/child_process.h"
#include "core/compiled_library.h"
#include "generated/example_units.h"
#include "support/interpreters.h"
#include "unit/codegen/work_folder.h"

namespace cartan::test {
namespace {

void write_numbers(const std::filesystem::path& path, const std::vector<double>& numbers) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(numbers.data()),
             static_cast<std::streamsize>(numbers.size() * sizeof(double)));
}
std::vector<double> read_numbers(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  std::vector<double> numbers(bytes.size() / sizeof(double));
  std::copy_n(bytes.data(), numbers.size() * sizeof(double),
              reinterpret_cast<char*>(numbers.data()));
  return numbers;
}

int state_size(const ExampleUnit& e) {
  return static_cast<int>(e.unit.arguments[1].symbols.size());
}

// Per state t and x; then all parameters.
void write_inputs(const ExampleUnit& e, const WorkFolder& folder) {
  std::vector<double> numbers;
  for (const State& state : e.states) {
    numbers.push_back(state.t);
    numbers.insert(numbers.end(), state.x.begin(), state.x.begin() + state_size(e));
  }
  numbers.insert(numbers.end(), e.parameters.begin(), e.parameters.end());
  write_numbers(folder.path() / (e.name + ".in"), numbers);
}

void prepare_folder(const std::vector<ExampleUnit>& units, Language language,
                    const WorkFolder& folder) {
  for (const ExampleUnit& e : units) {
    ASSERT_EQ(problem_of(e.unit), "") << e.name;
    for (const GeneratedFile& file : emit(e.unit, language)) folder.write(file.name, file.text);
    write_inputs(e, folder);
  }
}

void expect_outputs(const std::vector<ExampleUnit>& units, const WorkFolder& folder) {
  for (const ExampleUnit& e : units)
    expect_native(e, read_numbers(folder.path() / (e.name + ".out")));
}

// clang takes half the time of gcc where nothing is optimised.
std::string quick_compiler(const char* quick, const char* other) {
  return run_child({quick, "--version"}).started ? quick : other;
}

TEST(GeneratedCode, OfEveryExampleInCHasTheNativeNumbers) {
  const WorkFolder folder;
  using Function = void(double, const double*, const double*, double*);
  for (const ExampleUnit& e : make_example_units()) {
    std::string problem;
    CompileOptions options;
    options.flags = {"-O0"};
    options.compiler = quick_compiler("clang", "");
    options.cache = folder.path();
    const std::vector<std::string>& files = e.example.model->function_files;
    options.sources.assign(files.begin(), files.end());
    const auto library =
        CompiledLibrary::compile(emit(e.unit, Language::c)[0].text, options, problem);
    ASSERT_TRUE(library) << e.name << ": " << problem;
    auto* const derivative = library->function<Function>(e.name + "_derivative");
    auto* const jacobian = library->function<Function>(e.name + "_jacobian");
    ASSERT_TRUE(derivative && (jacobian || !e.has_jacobian()));
    EXPECT_LT((*library->function<double()>(e.name + "_check"))(), 1e-12) << e.name;
    std::vector<double> values(e.expected.size());
    double* to = values.data();
    for (const State& state : e.states) {
      derivative(state.t, state.x.data(), e.parameters.data(), to);
      if (e.has_jacobian()) jacobian(state.t, state.x.data(), e.parameters.data(), to + e.rates);
      to += e.numbers();
    }
    expect_native(e, values);
  }
}

TEST(GeneratedCode, OfEveryExampleInCppHasTheNativeNumbers) {
  const WorkFolder folder;
  const std::vector<ExampleUnit> units = make_example_units();
  prepare_folder(units, Language::cpp, folder);
  std::string main =
      "#include <cstdio>\n#include <string>\n#include <vector>\n"
      "static std::vector<double> read(const std::string& n) { std::vector<double> v; double x;\n"
      "  FILE* f = std::fopen(n.c_str(), \"rb\"); while (std::fread(&x, 8, 1, f)) v.push_back(x);\n"
      "  std::fclose(f); return v; }\n"
      "static void write(const std::string& n, const std::vector<double>& v) {\n"
      "  FILE* f = std::fopen(n.c_str(), \"wb\"); std::fwrite(v.data(), 8, v.size(), f); "
      "std::fclose(f); }\n";
  for (const ExampleUnit& e : units) main += "#include \"" + e.name + ".hpp\"\n";
  main += "int main() {\n  const std::string f = \"" + folder.path().string() + "/\";\n";
  for (const ExampleUnit& e : units) {
    const std::string n = std::to_string(state_size(e)), p = std::to_string(e.parameters.size());
    const std::string rates = std::to_string(e.rates), entries = std::to_string(e.entries);
    main += "  {\n    auto in = read(f + \"" + e.name + ".in\");\n" +
            "    std::vector<double> out; const int n = " + n + ";\n" +
            "    std::span<const double, " + p + "> p(in.data() + in.size() - " + p + ", " + p +
            ");\n" + "    for (int k = 0; k < " + std::to_string(states_compared) + "; ++k) {\n" +
            "      std::vector<double> xdot(" + rates + "), J(" + entries + ");\n" +
            "      const double t = in[k * (n + 1)];\n      std::span<const double, " + n +
            "> x(in.data() + k * (n + 1) + 1, " + n + ");\n      " + e.name +
            "::derivative(t, x, p, std::span<double, " + rates + ">(xdot));\n";
    if (e.has_jacobian())
      main += "      " + e.name + "::jacobian(t, x, p, std::span<double, " + entries + ">(J));\n";
    main +=
        "      out.insert(out.end(), xdot.begin(), xdot.end());\n"
        "      out.insert(out.end(), J.begin(), J.end());\n    }\n    write(f + \"" +
        e.name + ".out\", out);\n  }\n";
  }
  folder.write("main.cpp", main + "}\n");
  const std::string f = folder.path().string() + "/";
  std::vector<std::string> words = {
      quick_compiler("clang++", "c++"), "-std=c++20", "-O0", f + "main.cpp", "-o", f + "main"};
  for (const ExampleUnit& e : units)
    for (const std::string& file : e.example.model->function_files) {
      words.push_back(f + e.name + ".o");
      ASSERT_EQ(run_child({quick_compiler("clang", "cc"), "-c", file, "-o", words.back()}).status,
                0);
    }
  const ChildResult compiled = run_child(words);
  ASSERT_EQ(compiled.status, 0) << compiled.output().substr(0, 3000);
  ASSERT_EQ(run_child({f + "main"}).status, 0);
  expect_outputs(units, folder);
}

TEST(GeneratedCode, OfEveryExampleInPythonHasTheNativeNumbers) {
  const std::string python = python_with_numpy();
  if (python.empty()) GTEST_SKIP() << "no Python with NumPy here";
  const WorkFolder folder;
  const std::vector<ExampleUnit> units = make_example_units();
  prepare_folder(units, Language::python, folder);
  std::string main = "import sys\nimport numpy as np\nf = '" + folder.path().string() +
                     "/'\nsys.path.insert(0, f)\n"
                     "def run(name, n, np_, jacobian):\n"
                     "    unit = __import__(name)\n"
                     "    data = np.fromfile(f + name + '.in')\n"
                     "    p = data[data.size - np_:]\n"
                     "    states = data[:data.size - np_].reshape(-1, n + 1)\n"
                     "    out = []\n"
                     "    for s in states:\n"
                     "        out.append(np.ravel(unit.derivative(s[0], s[1:], p)))\n"
                     "        if jacobian: out.append(np.ravel(unit.jacobian(s[0], s[1:], p)))\n"
                     "    np.concatenate(out).astype(float).tofile(f + name + '.out')\n";
  for (const ExampleUnit& e : units)
    main += "run('" + e.name + "', " + std::to_string(state_size(e)) + ", " +
            std::to_string(e.parameters.size()) + ", " + (e.has_jacobian() ? "True" : "False") +
            ")\n";
  folder.write("measured_spring_functions.py",
               "def stop(x, k, a):\n    return k * x * (1 + x**2 / a**2) * (x > 0)\n"
               "def dstopdx(x, k, a):\n    return k * (1 + 3 * x**2 / a**2) * (x > 0)\n");
  folder.write("main.py", main);
  const ChildResult result = run_child({python, (folder.path() / "main.py").string()});
  ASSERT_EQ(result.status, 0) << result.output().substr(0, 3000);
  expect_outputs(units, folder);
}

TEST(GeneratedCode, OfEveryExampleInOctaveHasTheNativeNumbers) {
  if (!run_child({"octave", "--version"}).started) GTEST_SKIP() << "no Octave here";
  const WorkFolder folder;
  const std::vector<ExampleUnit> units = make_example_units();
  prepare_folder(units, Language::octave, folder);
  std::string main =
      "function run(f, name, n, np, rows, columns)\n"
      "  id = fopen([f name '.in'], 'rb'); data = fread(id, Inf, 'double'); fclose(id);\n"
      "  p = data(end - np + 1:end); states = reshape(data(1:end - np), n + 1, []);\n"
      "  out = [];\n"
      "  for k = 1:size(states, 2)\n"
      "    s = states(:, k);\n"
      "    out = [out; feval([name '_derivative'], s(1), s(2:end), p)(:)];\n"
      "    if !isempty(rows)\n"
      "      J = feval([name '_jacobian'], s(1), s(2:end), p);\n"
      "      out = [out; full(J(sub2ind(size(J), rows, columns)))(:)];\n"
      "    end\n  end\n"
      "  id = fopen([f name '.out'], 'wb'); fwrite(id, out, 'double'); fclose(id);\nend\n"
      "f = '" +
      folder.path().string() + "/';\naddpath(f);\n";
  for (const ExampleUnit& e : units) {
    std::string rows, columns;
    if (e.has_jacobian())
      for (int k = 0; k < e.entries; ++k) {
        rows += std::to_string(e.unit.functions[1].outputs[0].row[k] + 1) + " ";
        columns += std::to_string(e.unit.functions[1].outputs[0].column[k] + 1) + " ";
      }
    main += "run(f, '" + e.name + "', " + std::to_string(state_size(e)) + ", " +
            std::to_string(e.parameters.size()) + ", [" + rows + "], [" + columns + "]);\n";
  }
  folder.write("stop.m",
               "function y = stop(x, k, a)\n  y = k * x * (1 + x^2 / a^2) * (x > 0);\nend\n");
  folder.write("dstopdx.m",
               "function y = dstopdx(x, k, a)\n  y = k * (1 + 3 * x^2 / a^2) * (x > 0);\nend\n");
  folder.write("main_script.m", "1;\n" + main);
  const ChildResult result = run_child(
      {"octave", "--no-gui", "--norc", "--quiet", (folder.path() / "main_script.m").string()});
  ASSERT_EQ(result.status, 0) << result.output().substr(0, 3000);
  expect_outputs(units, folder);
}

}  // namespace
}  // namespace cartan::test
