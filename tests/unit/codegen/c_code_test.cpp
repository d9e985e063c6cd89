// Generated C, compiled and loaded, against the graph it was made from.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "codegen/emit.h"
#include "core/child_process.h"
#include "core/compiled_library.h"
#include "random_unit.h"
#include "work_folder.h"

namespace cartan::test {
namespace {

const CompileOptions& strict_options(const WorkFolder& folder) {
  static thread_local CompileOptions options;
  options = {};
  options.cache = folder.path() / "cache";
  options.flags.insert(options.flags.end(), {"-Wall", "-Wextra", "-pedantic", "-Werror"});
  return options;
}

std::shared_ptr<const CompiledLibrary> compiled(const CodeUnit& unit,
                                                const CompileOptions& options) {
  EXPECT_EQ(problem_of(unit), "");
  std::string problem;
  const auto library = CompiledLibrary::compile(emit(unit, Language::c)[0].text, options, problem);
  EXPECT_EQ(problem, "");
  return library;
}

void call(void* function, const double* point, int states, std::vector<std::vector<double>>& out) {
  const double *x = point + 1, *p = x + states;
  using In = const double*;
  if (out.size() == 1)
    reinterpret_cast<void (*)(double, In, In, double*)>(function)(*point, x, p, out[0].data());
  else if (out.size() == 2)
    reinterpret_cast<void (*)(double, In, In, double*, double*)>(function)(
        *point, x, p, out[0].data(), out[1].data());
  else
    reinterpret_cast<void (*)(double, In, In, double*, double*, double*)>(function)(
        *point, x, p, out[0].data(), out[1].data(), out[2].data());
}

std::vector<double> values_of_library(const CompiledLibrary& library, const CodeUnit& unit,
                                      const std::vector<double>& point) {
  std::vector<double> result;
  const auto sizes = output_sizes(unit);
  for (std::size_t f = 0; f < unit.functions.size(); ++f) {
    void* const function = library.address(unit.name + "_" + unit.functions[f].name);
    EXPECT_NE(function, nullptr) << unit.functions[f].name;
    if (!function) continue;
    std::vector<std::vector<double>> out;
    for (const int size : sizes[f]) out.emplace_back(size, -777.0);
    call(function, point.data(), static_cast<int>(unit.arguments[1].symbols.size()), out);
    for (const auto& values : out) result.insert(result.end(), values.begin(), values.end());
  }
  return result;
}

void expect_equal_to_graph(const CompiledLibrary& library, const CodeUnit& unit) {
  Random random(99);
  for (int k = 0; k < 50; ++k) {
    const std::vector<double> point = random_point(unit, random);
    EXPECT_LT(largest_error(values_of_library(library, unit, point), reference_values(unit, point)),
              1e-12)
        << unit.name << " at point " << k;
  }
  auto* const check = library.function<double()>(unit.name + "_check");
  ASSERT_NE(check, nullptr);
  EXPECT_LT(check(), 1e-12) << unit.name;
}

TEST(CodegenC, TablesEqualTheGraphInEveryReading) {
  const WorkFolder folder;
  const TestUnit made = tables_unit("curves");
  const auto library = compiled(made.unit, strict_options(folder));
  ASSERT_TRUE(library);
  expect_equal_to_graph(*library, made.unit);
}

TEST(CodegenC, RandomExpressionsEqualTheGraph) {
  const WorkFolder folder;
  for (int seed = 1; seed <= 3; ++seed) {
    const TestUnit made = random_unit("random" + std::to_string(seed), seed, 40 << seed);
    const auto library = compiled(made.unit, strict_options(folder));
    ASSERT_NE(library, nullptr);
    expect_equal_to_graph(*library, made.unit);
  }
}

TEST(CodegenC, LinearSystemsAreSolved) {
  const WorkFolder folder;
  const TestUnit made = solving_unit("systems", 7);
  const auto library = compiled(made.unit, strict_options(folder));
  ASSERT_NE(library, nullptr);
  expect_equal_to_graph(*library, made.unit);
}

// Above a length, functions are cut into parts that hand values on.
TEST(CodegenC, LongFunctionsAreCut) {
  const WorkFolder folder;
  const TestUnit made = random_unit("longer", 11, 700, true);
  const std::string text = emit(made.unit, Language::c)[0].text;
  EXPECT_NE(text.find("longer_everything_part2"), std::string::npos);
  CompileOptions options = strict_options(folder);
  options.flags[0] = "-O1";
  const auto library = compiled(made.unit, options);
  ASSERT_NE(library, nullptr);
  Random random(3);
  const std::vector<double> point = random_point(made.unit, random);
  EXPECT_LT(largest_error(values_of_library(*library, made.unit, point),
                          reference_values(made.unit, point)),
            1e-10);
}

TEST(CodegenC, ExternalFunctionsAreCalledByTheRule) {
  const WorkFolder folder;
  folder.write("user.c", external_code);
  const TestUnit made = external_unit("device");
  CompileOptions options = strict_options(folder);
  options.sources = {folder.path() / "user.c"};
  options.flags.push_back("-Wno-missing-prototypes");
  const auto library = compiled(made.unit, options);
  ASSERT_NE(library, nullptr);
  for (const double q : {-0.7, 0.4}) {
    const std::vector<double> point = {0, q, 0, 3};
    EXPECT_LT(largest_error(values_of_library(*library, made.unit, point), external_values(point)),
              1e-15);
  }
  EXPECT_EQ(library->function<double()>("device_check")(), 0);  // values not known are passed over
}

TEST(CodegenC, SparseOutputsTellTheirPattern) {
  const WorkFolder folder;
  const TestUnit made = random_unit("pattern", 2, 30);
  const auto library = compiled(made.unit, strict_options(folder));
  ASSERT_NE(library, nullptr);
  const auto pattern = library->function<int(const int**, const int**)>("pattern_values_J_pattern");
  ASSERT_NE(pattern, nullptr);
  const int *row = nullptr, *column = nullptr;
  ASSERT_EQ(pattern(&row, &column), 4);
  EXPECT_EQ(std::vector<int>(row, row + 4), (std::vector<int>{0, 1, 3, 5}));
  EXPECT_EQ(std::vector<int>(column, column + 4), (std::vector<int>{2, 1, 5, 0}));
  const auto* names = static_cast<const char* const(*)[3]>(library->address("pattern_names"));
  ASSERT_NE(names, nullptr);
  EXPECT_STREQ(names[0][1], "time");
  EXPECT_STREQ(names[1][0], "x");
  EXPECT_STREQ(names[1][1], "q1");
  EXPECT_STREQ(names[1][2], "rad");
  EXPECT_EQ(names[9][0], nullptr);
}

// Nothing to compute, no arguments, names that clash, numbers that are none.
TEST(CodegenC, OddUnitsCompile) {
  const WorkFolder folder;
  TestUnit empty;
  empty.unit.name = "empty";
  empty.unit.graph = empty.graph.get();
  EXPECT_NE(compiled(empty.unit, strict_options(folder)), nullptr);
  TestUnit odd = random_unit("while", 3, 20);
  CodeUnit& unit = odd.unit;
  const double infinity = std::numeric_limits<double>::infinity();
  unit.arguments[0].name = "t1";
  unit.arguments[1].name = unit.arguments[2].name = "M";
  unit.title = unit.remarks.emplace_back("ends with */ and \\");
  unit.functions.push_back({"check", "quote \" here", {}, {}});
  unit.functions.push_back(
      {"w", "", {{"w", 3, 1, {}, {}, {infinity, -infinity, std::nan("")}}}, {}});
  const auto library = compiled(unit, strict_options(folder));
  ASSERT_NE(library, nullptr);
  double out[3];
  library->function<void(double, const double*, const double*, double*)>("while__w_")(0, {}, {},
                                                                                      out);
  EXPECT_EQ(out[0], infinity);
  EXPECT_EQ(out[1], -infinity);
  EXPECT_TRUE(std::isnan(out[2]));
  EXPECT_LT(library->function<double()>("while__check")(), 1e-12);
}

// The header is C and C++, and agrees with the code.
TEST(CodegenC, HeaderFitsTheCode) {
  const WorkFolder folder;
  const TestUnit made = random_unit("headed", 3, 30);
  for (const GeneratedFile& file : emit(made.unit, Language::c)) folder.write(file.name, file.text);
  folder.write(
      "main.c",
      "#include \"headed.h\"\n#include \"headed.c\"\n"
      "int main(void) { return headed_check() < 1e-12 && headed_values_J_size == 4 ? 0 : 1; }\n");
  folder.write("main.cpp",
               "#include \"headed.h\"\nint main() { return headed_check() < 1e-12 ? 0 : 1; }\n");
  const std::string f = folder.path().string() + "/";
  const std::vector<std::string> flags = {"-Wall", "-Wextra", "-pedantic", "-Werror"};
  auto run = [&](std::vector<std::string> words) {
    words.insert(words.end(), flags.begin(), flags.end());
    const ChildResult result = run_child(words);
    EXPECT_EQ(result.status, 0) << result.output();
  };
  run({"cc", "-std=c99", f + "main.c", "-o", f + "one", "-lm"});
  EXPECT_EQ(run_child({f + "one"}).status, 0);
  run({"cc", "-std=c99", "-c", f + "headed.c", "-o", f + "headed.o"});
  run({"c++", "-std=c++11", f + "main.cpp", f + "headed.o", "-o", f + "two"});
  EXPECT_EQ(run_child({f + "two"}).status, 0);
}

}  // namespace
}  // namespace cartan::test
