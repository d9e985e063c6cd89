// Equal branches side by side in vectors (codegen/twins.h): the numbers of the code without them,
// to the bit.
#include <gtest/gtest.h>

#include <cmath>

#include "codegen/emit.h"
#include "core/compiled_library.h"
#include "random_unit.h"
#include "work_folder.h"

namespace cartan::test {
namespace {

constexpr int own_symbols = 4;

// What all branches do, with numbers, signs and orders of terms of their own.
struct Step {
  int operation = 0, x = 0, y = 0;  // operands count back from the end
  double number = 0;
};

class Branch {
 public:
  Branch(std::vector<Expression> own, const std::vector<Expression>& shared, double equal,
         double signs, Random& random)
      : random_(random), equal_(equal), signs_(signs), pool_(std::move(own)) {
    pool_.insert(pool_.end(), shared.begin(), shared.end());
  }
  void take(const std::vector<Step>& steps) {
    for (const Step& step : steps) pool_.push_back(result(step));
  }
  void add(const Expression& x) { pool_.push_back(x); }
  const Expression& back(int k) const { return pool_[pool_.size() - 1 - k]; }

 private:
  Expression result(const Step& step) {
    const Expression x = back(step.x), y = back(step.y + (step.y >= step.x));
    switch (step.operation) {
      case 0:
      case 1:
        return sum(signed_one(number(step) * x), signed_one(number(step) * y));
      case 2:
        return sum(signed_one(x), product(signed_one(number(step) * x), y / (1.0 + x * x)));
      case 3:
        return signed_one(sum(x, y)) / (1.2 + y * y);
      case 4:
        return sum(signed_one(number(step) * x), signed_one(number(step) * y));
      case 5:
        return sum(product(sin(pool_[step.x % own_symbols]), x), number(step));
      case 6:
        return sum(product(cos(pool_[step.y % own_symbols]), y), signed_one(number(step) * x));
      default:
        return sum(number(step), x * y / (2.0 + x * x));
    }
  }
  Expression sum(const Expression& x, const Expression& y) {
    return random_.chance(0.5) ? x + y : y + x;
  }
  Expression product(const Expression& x, const Expression& y) {
    return random_.chance(0.5) ? x * y : y * x;
  }
  Expression signed_one(const Expression& x) { return random_.chance(signs_) ? -x : x; }
  double number(const Step& step) {
    const double own = random_.uniform(0.3, 0.9);
    return (random_.chance(equal_) ? step.number : own) * (random_.chance(signs_) ? -1 : 1);
  }

  Random& random_;
  const double equal_;  // how likely a number is that of other branches
  const double signs_;  // how likely a term has another sign
  std::vector<Expression> pool_;
};

std::vector<Step> random_steps(Random& random, int count) {
  std::vector<Step> steps(count);
  for (Step& step : steps)
    step = {random.integer(0, 7), random.integer(0, own_symbols),
            random.integer(0, own_symbols - 1), random.uniform(0.3, 0.9)};
  return steps;
}

// Branches that meet in one number, which all of them read on their way on.
TestUnit branching_unit(std::uint64_t seed, int branches, int length, double equal = 0,
                        double signs = 0.3) {
  Random random(seed);
  TestUnit made;
  ExpressionGraph& graph = *made.graph;
  CodeArgument t{"t", {graph.symbol("t", 0.3)}, {}, {}, true}, x{"x", {}, {}, {}, false},
      p{"p", {graph.symbol("p", 1.1)}, {}, {}, false};
  std::vector<Branch> all;
  for (int b = 0; b < branches; ++b) {
    std::vector<Expression> own;
    for (int k = 0; k < own_symbols; ++k)
      own.push_back(x.symbols.emplace_back(
          graph.symbol("x" + std::to_string(x.symbols.size()), random.uniform(-1, 1))));
    all.emplace_back(own, std::vector<Expression>{p.symbols[0]}, equal, signs, random);
  }
  const std::vector<Step> out = random_steps(random, length), on = random_steps(random, length);
  Expression meeting = 0.1 * t.symbols[0];
  for (Branch& branch : all) {
    branch.take(out);
    meeting = meeting + branch.back(0);
  }
  std::vector<Expression> results = {meeting};
  for (Branch& branch : all) {
    branch.add(meeting);
    branch.take(on);
    for (int k = 0; k < 3; ++k) results.push_back(k == 1 ? -branch.back(k) : branch.back(k));
  }
  made.unit.name = "branches";
  made.unit.graph = made.graph.get();
  made.unit.arguments = {t, x, p};
  made.unit.functions.push_back({"f", "", {column("out", results)}, {}});
  return made;
}

int count_of(const std::string& text, const std::string& word) {
  int count = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

using Function = void(double, const double*, const double*, double*);

class TwinCode {
 public:
  explicit TwinCode(CodeUnit unit, const std::vector<std::string>& flags = {}) {
    unit.checks = false;
    CompileOptions options;
    options.cache = folder_.path() / "cache";
    // without fused operations both round alike
    options.flags.insert(options.flags.end(), {"-ffp-contract=off", "-Wall", "-Wextra", "-pedantic",
                                               "-Wno-unused-parameter", "-Werror"});
    options.flags.insert(options.flags.end(), flags.begin(), flags.end());
    options.gcc_flags.push_back(vector_gcc_flag);
    for (const bool side_by_side : {false, true}) {
      unit.side_by_side = side_by_side;
      text_[side_by_side] = emit(unit, Language::c)[0].text;
      std::string problem;
      library_[side_by_side] = CompiledLibrary::compile(text_[side_by_side], options, problem);
      EXPECT_TRUE(library_[side_by_side]) << problem;
    }
    name_ = unit.name + "_f";
    outputs_ = output_sizes(unit)[0][0];
  }
  bool has_vectors() const { return codegen::has_vectors(text_[1]); }
  const std::string& text(bool side_by_side) const { return text_[side_by_side]; }
  // One output.
  std::vector<double> values(bool side_by_side, const std::vector<double>& point) const {
    std::vector<double> out(outputs_, -777.0);
    library_[side_by_side]->function<Function>(name_)(point[0], point.data() + 1, &point.back(),
                                                      out.data());
    return out;
  }

 private:
  const WorkFolder folder_;
  std::string text_[2], name_;
  std::shared_ptr<const CompiledLibrary> library_[2];
  int outputs_ = 0;
};

TEST(CodegenTwins, GiveTheSameNumbers) {
  int with_vectors = 0, mirrored = 0;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    constexpr int counts[] = {2, 3, 4, 5, 6, 8, 9, 11};
    const int branches = counts[seed % 8];
    const TestUnit made = branching_unit(seed, branches, 60, seed % 3 == 0 ? 0.5 : 0);
    const TwinCode code(made.unit);
    ASSERT_FALSE(codegen::has_vectors(code.text(false)));
    with_vectors += code.has_vectors();
    mirrored += code.text(true).find("{1.0, -1.0") != std::string::npos;
    Random random(seed);
    for (int k = 0; k < 20; ++k) {
      const std::vector<double> point = random_point(made.unit, random);
      const std::vector<double> one_by_one = code.values(false, point);
      EXPECT_LT(largest_error(code.values(true, point), one_by_one), 1e-13);
      EXPECT_LT(largest_error(one_by_one, reference_values(made.unit, point)), 1e-11);
      EXPECT_GT(std::fabs(one_by_one[1]), 0);
    }
    if (HasFailure()) return;
  }
  EXPECT_GE(with_vectors, 12);
  EXPECT_GE(mirrored, 3);
}

// Four branches of a long function: more than half of its operations are gone; vectors cross cuts.
TEST(CodegenTwins, SaveWhatBranchesHaveInCommon) {
  const TestUnit made = branching_unit(5, 4, 1500, 0, 0);
  const TwinCode code(made.unit, {"-O1"});
  const std::string &one_by_one = code.text(false), &twins = code.text(true);
  EXPECT_NE(twins.find("f_part2"), std::string::npos);
  EXPECT_NE(twins.find("_w4["), std::string::npos);
  EXPECT_LT(count_of(twins, " * "), 0.5 * count_of(one_by_one, " * "));
  Random random(2);
  const std::vector<double> point = random_point(made.unit, random);
  EXPECT_LT(largest_error(code.values(true, point), code.values(false, point)), 1e-13);
}

// What only a solved system gives is built like what the system is made of, and must not wait for
// it: u = A^-1 f(x), out = (f(u)_1 u_2, f(x)_2 u_3, ..).
TEST(CodegenTwins, StandOnOneSideOfASystem) {
  constexpr int n = 14;
  TestUnit made;
  ExpressionGraph& graph = *made.graph;
  CodeArgument t{"t", {graph.symbol("t", 0.3)}, {}, {}, true}, x{"x", {}, {}, {}, false},
      p{"p", {graph.symbol("p", 1.1)}, {}, {}, false};
  LinearSolve inner{n, std::vector<Expression>(n * n), {}, false, "u"};
  for (int k = 0; k < n; ++k) {
    x.symbols.push_back(graph.symbol("x" + std::to_string(k), 0.1 * k - 0.7));
    inner.unknowns.push_back(graph.symbol("u" + std::to_string(k), 0.2));
  }
  const auto calc_f = [&](const std::vector<Expression>& y) {
    std::vector<Expression> f;
    for (int k = 0; k < n; ++k) {
      Expression z = y[k];
      for (int j = 1; j < 8; ++j) z = (z * y[(k + 1) % n] + 0.01 * (k + j)) / (2.0 + z * z);
      f.push_back(z);
    }
    return f;
  };
  inner.rhs = calc_f(x.symbols);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      inner.matrix[i * n + j] = (i == j ? 3.0 : 0.0) + 0.1 * x.symbols[(i + 3 * j) % n];
  const std::vector<Expression> after = calc_f(inner.unknowns);
  std::vector<Expression> results;
  for (int k = 0; k < n; ++k)
    results.push_back((k % 2 ? inner.rhs[k] : after[k]) * inner.unknowns[(k + 1) % n]);
  made.unit.name = "system";
  made.unit.graph = made.graph.get();
  made.unit.arguments = {t, x, p};
  CodeFunction function;
  function.name = "f";
  function.outputs.push_back(column("out", results));
  function.inner.push_back(inner);
  made.unit.functions.push_back(std::move(function));
  ASSERT_EQ(problem_of(made.unit), "");

  const TwinCode code(made.unit);
  EXPECT_TRUE(code.has_vectors());
  Random random(3);
  for (int k = 0; k < 5; ++k) {
    const std::vector<double> point = random_point(made.unit, random);
    EXPECT_LT(largest_error(code.values(true, point), code.values(false, point)), 1e-13);
  }
}

// Vectors are an extension of GCC and Clang for C: other languages have none, and few operations
// are left as they are.
TEST(CodegenTwins, AreForCAndForLongBranches) {
  TestUnit made = branching_unit(5, 4, 60);
  made.unit.checks = false;
  const auto text_in = [&](Language language, bool side_by_side) {
    made.unit.side_by_side = side_by_side;
    std::string all;
    for (const GeneratedFile& file : emit(made.unit, language)) all += file.text;
    return all;
  };
  EXPECT_NE(text_in(Language::c, true), text_in(Language::c, false));
  EXPECT_EQ(text_in(Language::c, true), text_in(Language::c, true));
  for (const Language language :
       {Language::cpp, Language::python, Language::octave, Language::cuda, Language::latex})
    EXPECT_EQ(text_in(language, true), text_in(language, false));
  made = branching_unit(5, 2, 4);
  made.unit.checks = false;
  EXPECT_EQ(text_in(Language::c, true), text_in(Language::c, false));
}

// Names of a user may be like those of the code.
TEST(CodegenTwins, LeaveNamesToTheUser) {
  TestUnit made = branching_unit(5, 4, 1500, 0, 0);
  made.unit.arguments[1].name = "w4";
  made.unit.functions[0].outputs[0].name = "w2";
  made.unit.functions.push_back({"vector4", "", {{"w8", 1, 1, {}, {}, {2.5}}}, {}});
  const TwinCode code(made.unit, {"-O1"});
  EXPECT_TRUE(code.has_vectors());
}

// Both GCC and Clang, where they are there, and processors without wide vectors.
TEST(CodegenTwins, AreUnderstoodByBothCompilers) {
  const TestUnit made = branching_unit(7, 6, 60);
  CodeUnit unit = made.unit;
  unit.side_by_side = true;
  unit.checks = false;
  const WorkFolder folder;
  CompileOptions options;
  options.cache = folder.path() / "cache";
  options.flags.insert(options.flags.end(), {"-Wall", "-Wextra", "-pedantic", "-Werror"});
  options.gcc_flags.push_back(vector_gcc_flag);
  Random random(1);
  const std::vector<double> point = random_point(unit, random);
  const std::vector<double> expected = reference_values(unit, point);
  int compiled = 0;
  for (const std::string compiler : {"gcc", "clang"})
    for (const char* processor : {"-march=native", "-march=x86-64"}) {
      options.compiler = compiler;
      options.flags.push_back(processor);
      std::string problem;
      const auto library =
          CompiledLibrary::compile(emit(unit, Language::c)[0].text, options, problem);
      options.flags.pop_back();
      if (!library && problem.find("error") == std::string::npos) continue;  // is not there
      ASSERT_TRUE(library) << problem;
      ++compiled;
      std::vector<double> out(expected.size());
      library->function<Function>("branches_f")(point[0], point.data() + 1, &point.back(),
                                                out.data());
      EXPECT_LT(largest_error(out, expected), 1e-11) << compiler << " " << processor;
    }
  EXPECT_GE(compiled, 2);
}

}  // namespace
}  // namespace cartan::test
