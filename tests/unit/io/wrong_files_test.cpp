// Every file of tests/bad says in its first lines what must be found, and where:
//   # expect LINE:COLUMN part of the message
// Exactly these errors must be found, no more: one mistake must not be told twice. Mistakes that
// show only when the mechanism is put together are found by make_system.
#include <gtest/gtest.h>

#include <regex>

#include "formulations/formulations.h"
#include "unit/io/model_files.h"

namespace cartan::test {
namespace {

struct Expectation {
  Location where;
  std::string part;
};

std::vector<Expectation> expectations(const std::string& path) {
  std::vector<Expectation> result;
  std::istringstream lines(file_content(path));
  const std::regex form("# expect ([0-9]+):([0-9]+) (.*)");
  std::smatch match;
  for (std::string line; std::getline(lines, line) && std::regex_match(line, match, form);)
    result.push_back({{std::stoi(match[1]), std::stoi(match[2])}, match[3]});
  return result;
}

bool found(const Diagnostics& problems, const Expectation& expected) {
  const auto& findings = problems.findings();
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& f) {
    return f.severity == Severity::error && f.where.line == expected.where.line &&
           f.where.column == expected.where.column &&
           f.message.find(expected.part) != std::string::npos;
  });
}

class WrongFile : public testing::TestWithParam<std::string> {};

TEST_P(WrongFile, IsRefusedAtItsMistakeAndOnlyThere) {
  const std::vector<Expectation> expected = expectations(GetParam());
  ASSERT_FALSE(expected.empty()) << "the file says no expectation";
  Loaded loaded = load_file(GetParam());
  if (loaded.model) {
    std::string problem;
    Location where;
    EXPECT_FALSE(
        make_system(*loaded.model, parameter_values(*loaded.model), "recursive", problem, &where));
    if (!problem.empty()) loaded.problems.error(where, problem);
  }
  for (const Expectation& e : expected)
    EXPECT_TRUE(found(loaded.problems, e))
        << "expected " << e.where.line << ":" << e.where.column << " " << e.part << "\ngot\n"
        << loaded.problems.text();
  EXPECT_EQ(loaded.problems.findings().size(), expected.size()) << loaded.problems.text();
}

std::string wrong_file_name(const testing::TestParamInfo<std::string>& info) {
  return std::filesystem::path(info.param).stem().string();
}
INSTANTIATE_TEST_SUITE_P(Bad, WrongFile, testing::ValuesIn(model_files("tests/bad")),
                         wrong_file_name);

TEST(WrongFiles, ThereAreEnough) {
  EXPECT_GE(model_files("tests/bad").size(), 150u);
}

}  // namespace
}  // namespace cartan::test
