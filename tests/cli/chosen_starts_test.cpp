// Starts given in [speeds].
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "support/two_arms.h"

namespace cartan::test {
namespace {

using nlohmann::json;

std::string bent(const std::string& more) {
  return two_arms(bent_arms, more);
}

json first_row_of(const std::string& model, const std::vector<std::string>& more = {}) {
  const Scratch scratch;
  std::vector<std::string> words = {
      "run", model, "--duration", "0.01", "--out", scratch.path("out"), "--quiet"};
  words.insert(words.end(), more.begin(), more.end());
  const CommandResult result = run_cartan(words);
  EXPECT_EQ(result.status, 0) << result.err;
  const std::string text = read_file(scratch.path("out/trajectory.csv"));
  const std::size_t begin = text.find('\n') + 1;
  std::string head = text.substr(0, begin - 1),
              row = text.substr(begin, text.find('\n', begin) - begin);
  json values;
  for (std::size_t i = 0, j = 0; i != std::string::npos;) {
    const std::size_t end = head.find(',', i);
    values[head.substr(i, end - i)] = std::stod(row.substr(j));
    i = end == std::string::npos ? end : end + 1;
    j = row.find(',', j) + 1;
  }
  return values;
}

// u1 = (1 + cos b) a' + 0.1, u2 = a' + b'.
const char* const two_given = R"toml(
[speeds]
reach = { value = "(1 + cos(b.q))*a.v + 0.1", initial = "first" }
turn = { value = "fore.wy", initial = "second" }
)toml";

TEST(ChosenStarts, JointsFollow) {
  const Scratch scratch;
  const std::string model = scratch.write("m.toml", bent(two_given));
  const double a = (0.7 - 0.1) / (1 + std::cos(0.4));
  for (const std::string formulation :
       {"recursive", "absolute-se3", "rotation-elements", "canonical", "generated"}) {
    const json start = first_row_of(model, {"--formulation", formulation});
    EXPECT_NEAR(start["a.v0"], a, 1e-12) << formulation;
    EXPECT_NEAR(start["b.v0"], -1.2 - a, 1e-12) << formulation;
    EXPECT_NEAR(start["reach"], 0.7, 1e-12) << formulation;
    EXPECT_NEAR(start["turn"], -1.2, 1e-12) << formulation;
  }
  // and generated code starts there: its state is (q, u)
  const std::string out = scratch.path("code");
  expect_json(run_cartan({"generate", model, "--out", out, "--name", "m", "--json"}));
  const std::string code = read_file(out + "/m.c");
  const std::size_t at = code.find("m_x0[4] = {");
  ASSERT_NE(at, std::string::npos);
  std::string numbers = code.substr(at + 11, code.find('}', at) - at - 11);
  for (const double expected : {0.3, 0.4, 0.7, -1.2}) {
    EXPECT_NEAR(std::stod(numbers), expected, 1e-12);
    numbers = numbers.substr(std::min(numbers.size(), numbers.find(',') + 1)) + " ";
  }
}

// One value alone: the other speed changes least, measured with the mass matrix. With b' written
// and free that one is held.
TEST(ChosenStarts, WhatIsLeftOpenChangesLeast) {
  const Scratch scratch;
  const std::string one =
      "[speeds]\nturn = { value = \"a.v + b.v\", initial = 2 }\nown = \"b.v\"\n";
  const json free = first_row_of(scratch.write("free.toml", bent(one)));
  EXPECT_NEAR(free["a.v0"].get<double>() + free["b.v0"].get<double>(), 2, 1e-12);
  // e = M^-1 J^T lambda: M e is along (1, 1)
  const json mass = expect_json(run_cartan({"eval", scratch.path("free.toml"), "--json"}));
  const json& M = mass["mass_matrix"];
  const double v[2] = {free["a.v0"], free["b.v0"]};
  EXPECT_NEAR(M[0][0].get<double>() * v[0] + M[0][1].get<double>() * v[1],
              M[1][0].get<double>() * v[0] + M[1][1].get<double>() * v[1], 1e-11);
  const json held = first_row_of(scratch.write("held.toml", bent("velocity = 0.5\n" + one)));
  EXPECT_NEAR(held["b.v0"], 0.5, 1e-12);
  EXPECT_NEAR(held["a.v0"], 1.5, 1e-12);
}

// One freedom: a single speed decides all, and a second one cannot be chosen.
TEST(ChosenStarts, LoopsKeepTheirConstraints) {
  const Scratch scratch;
  const std::string text = read_file(example("four_bar"));
  const auto with = [&](const std::string& third) {
    return text + "\n[speeds]\nu = { value = \"2*knee.v\", initial = 3 }\nu2 = \"motor.v\"\n" +
           third;
  };
  const json start = first_row_of(scratch.write("one.toml", with("u3 = \"foot.v\"\n")));
  EXPECT_NEAR(start["u"], 3, 1e-11);
  // all speeds are proportional to one another where constraints do not move
  const json before = first_row_of(scratch.write("as_it_is.toml", text));
  const double factor = 1.5 / before["knee.v0"].get<double>();
  EXPECT_NEAR(start["u2"], factor * before["motor.v0"].get<double>(), 1e-9);
  EXPECT_NEAR(start["u3"], factor * before["foot.v0"].get<double>(), 1e-9);
  const CommandResult two = run_cartan(
      {"check", scratch.write("two.toml", with("u3 = { value = \"foot.v\", initial = 100 }\n"))});
  EXPECT_NE(two.status, 0);
  EXPECT_NE((two.err + two.out).find("'u3' cannot start with 100"), std::string::npos) << two.err;
}

TEST(ChosenStarts, WhatCannotBeIsRefused) {
  const Scratch scratch;
  const auto refused = [&](const std::string& more, const std::string& says) {
    const CommandResult result = run_cartan({"check", scratch.write("wrong.toml", bent(more))});
    EXPECT_NE(result.status, 0) << says;
    EXPECT_NE((result.err + result.out).find(says), std::string::npos) << result.err << result.out;
  };
  refused(
      "[speeds]\nu = { value = \"a.v\", initial = 1 }\nw = { value = \"2*a.v\", initial = 3 }\n",
      "'w' cannot start with 3");
  refused("[speeds]\nu = { value = \"a.v^2\", initial = 1 }\nw = \"b.v\"\n", "not linear");
  refused("[speeds]\nu = { initial = 1 }\nw = \"b.v\"\n", "missing key 'value'");
  refused("[speeds]\nu = { value = \"a.v\", start = 1 }\nw = \"b.v\"\n", "start");
  refused("[speeds]\nu = { value = \"a.v\", initial = \"a.q\" }\nw = \"b.v\"\n", "a.q");
}

}  // namespace
}  // namespace cartan::test
