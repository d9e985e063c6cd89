#include "random_unit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/dense.h"
#include "symbolic/differentiate.h"
#include "symbolic/flatten.h"

namespace cartan::test {
namespace {

void add_arguments(TestUnit& made, Random& random, int states, int parameters) {
  ExpressionGraph& graph = *made.graph;
  CodeArgument t{"t", {graph.symbol("t", 0.3)}, {"time"}, {"s"}, true};
  CodeArgument x{"x", {}, {}, {}, false}, p{"p", {}, {}, {}, false};
  for (int k = 0; k < states; ++k) {
    x.symbols.push_back(graph.symbol("q" + std::to_string(k + 1), random.uniform(-1, 1)));
    x.units.push_back("rad");
  }
  for (int k = 0; k < parameters; ++k)
    p.symbols.push_back(graph.symbol("m" + std::to_string(k + 1), random.uniform(0.5, 2)));
  made.unit.arguments = {t, x, p};
  made.unit.graph = made.graph.get();
}

// Arguments that every function accepts, whatever the symbols are.
Expression random_operation(Random& random, const std::vector<Expression>& pool,
                            const std::shared_ptr<const TableFunction>& table) {
  const Expression x = random.pick(pool), y = random.pick(pool), z = random.pick(pool);
  switch (random.integer(0, 30)) {
    case 0:
      return sin(x);
    case 1:
      return cos(x);
    case 2:
      return tan(0.5 * sin(x));
    case 3:
      return asin(0.9 * sin(x));
    case 4:
      return acos(0.9 * cos(x));
    case 5:
      return atan(x);
    case 6:
      return atan2(x, 2.0 + sin(y));
    case 7:
      return sinh(sin(x));
    case 8:
      return cosh(cos(x));
    case 9:
      return tanh(x);
    case 10:
      return exp(sin(x));
    case 11:
      return log(0.5 + y * y);
    case 12:
      return sqrt(0.3 + x * x);
    case 13:
      return abs(x);
    case 14:
      return sign(x) * y;
    case 15:
      return step(x) + y;
    case 16:
      return min(x, y);
    case 17:
      return max(x, y);
    case 18:
      return select(less(x, y), z, cos(x));
    case 19:
      return pow(1.5 + sin(x), cos(y));
    case 20:
      return pow(sin(x), 5);
    case 21:
      return apply_table(table, random.integer(0, 3), sin(x));
    case 22:
      return x / (2.0 + cos(y));
    case 23:
      return -3.5 * x / (1.5 + y * y);
    case 24:
      return x - y;
    case 25:
      return -(x - y) * sin(z);
    case 26:
      return random.uniform(-2, 2) - sin(y);
    case 27:
      return random.uniform(-1, 1) * x;
    case 28:
      return 1 / (1.0 + x * x);
    case 29:
      return x + y - z;
    default:
      return sin(x) * cos(x) * sin(y);
  }
}

// Kept in a range where one rounding error stays one.
Expression tamed(const Expression& x) {
  return std::fabs(x.sample()) > 20 ? tanh(x) : x;
}

}  // namespace

TestUnit random_unit(const std::string& name, std::uint64_t seed, int operations, bool all) {
  Random random(seed);
  TestUnit made;
  made.unit.name = name;
  made.unit.title = "Random expressions */ of a test";
  made.unit.model_hash = "0123456789abcdef";
  add_arguments(made, random, 5, 3);
  std::vector<double> at, value;
  for (int k = 0; k < 7; ++k) at.push_back(-0.9 + 0.3 * k), value.push_back(random.uniform(-1, 1));
  const auto table =
      std::make_shared<const TableFunction>(at, value, Interpolation::spline, Outside::extrapolate);
  std::vector<Expression> pool;
  for (const CodeArgument& argument : made.unit.arguments)
    pool.insert(pool.end(), argument.symbols.begin(), argument.symbols.end());
  for (int k = 0; k < operations; ++k) pool.push_back(tamed(random_operation(random, pool, table)));

  auto late = [&] {
    const int n = static_cast<int>(pool.size());
    return pool[random.integer(n / 2, n - 1)];
  };
  CodeMatrix scalar{"energy", 1, 1, {}, {}, {late()}};
  CodeMatrix matrix{"M", 4, 5, {}, {}, {}};
  for (int k = 0; k < 20; ++k)
    matrix.entries.push_back(k % 3 == 0 ? Expression(0) : k % 7 == 1 ? Expression(-2.5) : late());
  CodeMatrix sparse{"J", 6, 6, {0, 1, 3, 5}, {2, 1, 5, 0}, {late(), late(), -late(), pool[1]}};
  CodeMatrix empty{"none", 3, 3, {}, {}, {}};
  made.unit.functions.push_back({"values", "all at once", {scalar, matrix, sparse}, {}});
  made.unit.functions.push_back(
      {"rates", "", {{"lambda", 3, 1, {}, {}, {late(), late(), late()}}, empty}, {}});
  made.unit.functions.push_back({"constants", "", {{"c", 2, 1, {}, {}, {1.0 / 3, -1e300}}}, {}});
  if (all)
    made.unit.functions.push_back(
        {"everything", "", {{"pool", static_cast<int>(pool.size()), 1, {}, {}, pool}}, {}});
  return made;
}

TestUnit solving_unit(const std::string& name, std::uint64_t seed) {
  Random random(seed);
  TestUnit made;
  made.unit.name = name;
  add_arguments(made, random, 6, 2);
  std::vector<Expression> s;
  for (const Expression& x : made.unit.arguments[1].symbols)
    s.push_back(sin(x)), s.push_back(cos(x));
  for (const Expression& x : made.unit.arguments[2].symbols) s.push_back(x);

  // density < 1: neighbours along a chain only
  auto symmetric = [&](const std::string& function, int n, bool is_full, int columns) {
    LinearSolve solve{n, std::vector<Expression>(n * n), {}, true, "a"};
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < i; ++j)
        if (is_full || i - j == 1 || (j == 0 && i % 5 == 0))
          solve.matrix[i * n + j] = solve.matrix[j * n + i] = 0.4 * random.pick(s) * random.pick(s);
      solve.matrix[i * n + i] = double(n) + random.pick(s);
      for (int c = 0; c < columns; ++c) solve.rhs.push_back(random.pick(s) + random.uniform(-1, 1));
    }
    made.unit.functions.push_back({function, "", {{"T", 1, 1, {}, {}, {s[0] * s[1]}}}, solve});
  };
  symmetric("small", 4, true, 1);
  symmetric("unrolled", 9, false, 2);
  symmetric("large", 15, true, 1);
  symmetric("chain", 30, false, 1);
  // two blocks, the first of them full; equations with one unknown; order mixed up
  auto general = [&](const std::string& function, int n, int columns) {
    std::vector<int> place(n);
    for (int i = 0; i < n; ++i) place[i] = i;
    random.shuffle(place);
    LinearSolve solve{n, std::vector<Expression>(n * n), {}, false, "rate"};
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        if (i == j || (i < n / 3 && j < n / 3) || (i >= 2 * n / 3 && j < i))
          solve.matrix[place[i] * n + j] =
              (i == j ? 2.0 : 0.0) + random.pick(s) * random.uniform(-1, 1);
    for (int i = 0; i < n * columns; ++i) solve.rhs.push_back(random.pick(s) - 0.3);
    made.unit.functions.push_back({function, "", {}, solve});
  };
  general("general", 9, 1);
  general("columns", 6, 3);
  return made;
}

TestUnit tables_unit(const std::string& name) {
  Random random(3);
  TestUnit made;
  made.unit.name = name;
  add_arguments(made, random, 3, 1);
  const std::vector<double> at{-0.7, -0.4, -0.1, 0.35, 0.8}, value{0.3, -1, 0.5, 1.2, 0.3};
  std::vector<Expression> values;
  for (int kind = 0; kind < 4; ++kind)
    for (int outside = 0; outside < 4; ++outside) {
      const auto table = std::make_shared<const TableFunction>(
          at, value, static_cast<Interpolation>(kind), static_cast<Outside>(outside));
      for (int order = 0; order < 4; ++order)
        for (const Expression& x : made.unit.arguments[1].symbols)
          values.push_back(apply_table(table, order, x));
    }
  const int count = static_cast<int>(values.size());
  made.unit.functions.push_back({"tables", "", {{"y", count, 1, {}, {}, values}}, {}});
  return made;
}

const char* const external_code =
    "double f1(double q, double k) { return q > 0 ? 0.0 : -k * q; }\n"
    "double df1dq(double q, double k) { return q > 0 ? 0.0 : -k; }\n"
    "double d2f1dkdq(double q, double k) { (void)k; return q > 0 ? 0.0 : -1.0; }\n"
    "double stiffness(double q, double k) { (void)k; return q > 0 ? 0.0 : -q; }\n";

std::vector<double> external_values(const std::vector<double>& point) {
  const double q = point[1], k = point[3], below = q > 0 ? 0 : 1;
  return {-2 * k * q * below, -k * below, -below, -q * below};
}

TestUnit external_unit(const std::string& name) {
  Random random(5);
  TestUnit made;
  made.unit.name = name;
  add_arguments(made, random, 2, 1);
  ExpressionGraph& graph = *made.graph;
  const Expression q = made.unit.arguments[1].symbols[0], k = made.unit.arguments[2].symbols[0];
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  const Expression force = graph.call("f1", {q, k}, unknown);
  const Expression slope = gradient(graph, force, std::vector{q})[0];
  const Expression by_k = gradient(graph, force, std::vector{k})[0];
  const Expression mixed = gradient(graph, slope, std::vector{k})[0];
  made.unit.externals = {{"f1", {"q", "k"}, {{"k", "stiffness"}}}};
  made.unit.functions.push_back(
      {"forces", "", {{"F", 4, 1, {}, {}, {2.0 * force, slope, mixed, by_k}}}, {}});
  return made;
}

// --------------------------------------------------------------------------------------- reference

namespace {

// By one flat program.
std::vector<double> values_of(const CodeUnit& unit, std::span<const Expression> values,
                              const std::vector<double>& point) {
  std::vector<Expression> inputs;
  for (const CodeArgument& argument : unit.arguments)
    inputs.insert(inputs.end(), argument.symbols.begin(), argument.symbols.end());
  std::string missing;
  const Program program = flatten(*unit.graph, values, inputs, &missing);
  EXPECT_EQ(missing, "");
  std::vector<double> scratch(program.scratch_size()), result(values.size());
  evaluate<double>(program, point, scratch, result);
  return result;
}

}  // namespace

std::vector<double> reference_values(const CodeUnit& unit, const std::vector<double>& point) {
  std::vector<Expression> all;
  for (const CodeFunction& function : unit.functions) {
    for (const CodeMatrix& output : function.outputs)
      all.insert(all.end(), output.entries.begin(), output.entries.end());
    if (!function.solve) continue;
    all.insert(all.end(), function.solve->matrix.begin(), function.solve->matrix.end());
    all.insert(all.end(), function.solve->rhs.begin(), function.solve->rhs.end());
  }
  const std::vector<double> values = values_of(unit, all, point);
  auto next = values.begin();
  std::vector<double> result;
  for (const CodeFunction& function : unit.functions) {
    for (const CodeMatrix& output : function.outputs)
      for (std::size_t k = 0; k < output.entries.size(); ++k) result.push_back(*next++);
    if (!function.solve) continue;
    const LinearSolve& solve = *function.solve;
    const int n = solve.size, columns = solve.columns();
    Eigen::MatrixXd a(n, n), b(n, columns);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) a(i, j) = *next++;
    for (int i = 0; i < n; ++i)
      for (int c = 0; c < columns; ++c) b(i, c) = *next++;
    const Eigen::MatrixXd x = Eigen::HouseholderQR<Eigen::MatrixXd>(a).solve(b);
    for (int i = 0; i < n; ++i)
      for (int c = 0; c < columns; ++c) result.push_back(x(i, c));
  }
  return result;
}

std::vector<std::vector<int>> output_sizes(const CodeUnit& unit) {
  std::vector<std::vector<int>> result;
  for (const CodeFunction& function : unit.functions) {
    result.emplace_back();
    for (const CodeMatrix& output : function.outputs)
      result.back().push_back(static_cast<int>(output.entries.size()));
    if (function.solve) result.back().push_back(static_cast<int>(function.solve->rhs.size()));
  }
  return result;
}

std::vector<double> random_point(const CodeUnit& unit, Random& random) {
  std::vector<double> point = sample_point(unit);
  for (double& x : point) x = random.uniform(-1.5, 1.5);
  return point;
}

std::vector<double> sample_point(const CodeUnit& unit) {
  std::vector<double> point;
  for (const CodeArgument& argument : unit.arguments)
    for (const Expression& symbol : argument.symbols) point.push_back(symbol.sample());
  return point;
}

double largest_error(const std::vector<double>& x, const std::vector<double>& y) {
  if (x.size() != y.size()) return std::numeric_limits<double>::infinity();
  double largest = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (std::isnan(x[k]) && std::isnan(y[k])) continue;
    const double error = std::fabs(x[k] - y[k]) / std::max(1.0, std::fabs(y[k]));
    if (!(error <= largest)) largest = error;
  }
  return largest;
}

}  // namespace cartan::test
