// Units of random expressions with every operation, and what their functions must give.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "codegen/code_unit.h"
#include "support/random.h"

namespace cartan::test {

struct TestUnit {
  std::unique_ptr<ExpressionGraph> graph = std::make_unique<ExpressionGraph>();
  CodeUnit unit;  // arguments t, x, p
};

// `operations` random operations (all of them outputs when `all`); dense and sparse outputs,
// scalars, zeros, a table.
TestUnit random_unit(const std::string& name, std::uint64_t seed, int operations, bool all = false);
// Linear systems: small and large, full and with zeros, symmetric and not, several right sides.
TestUnit solving_unit(const std::string& name, std::uint64_t seed);
// Tables read in every way, inside of their range and outside, with their derivatives.
TestUnit tables_unit(const std::string& name);
// A function known by name only, f(q, k) = -k q for q < 0, else 0, and its derivatives.
TestUnit external_unit(const std::string& name);
// C code of those, and what its outputs must be.
extern const char* const external_code;
std::vector<double> external_values(const std::vector<double>& point);

// Values of the arguments, one after the other.
std::vector<double> random_point(const CodeUnit& unit, Random& random);
std::vector<double> sample_point(const CodeUnit& unit);
// All entries of all outputs of all functions at a point, computed from the graph.
std::vector<double> reference_values(const CodeUnit& unit, const std::vector<double>& point);
// How many entries each output has: [function][output].
std::vector<std::vector<int>> output_sizes(const CodeUnit& unit);

// The largest |x - y| / max(1, |y|); values that are no numbers on both sides are equal.
double largest_error(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace cartan::test
