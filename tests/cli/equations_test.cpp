// cartan equations, cartan generate and the formulation `generated` as a user types them.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "cli/closed_models.h"

namespace cartan::test {
namespace {

using nlohmann::json;

// Long equations go over several lines; how they are broken is not the matter here.
std::string on_one_line(const std::string& text) {
  std::string result;
  for (const char c : text)
    if ((c != ' ' && c != '\n') || !result.ends_with(' ')) result += c == '\n' ? ' ' : c;
  return result;
}

// As on a blackboard.
TEST(Equations, PlanarDoublePendulum) {
  CommandResult kane = run_cartan({"equations", example_path("planar_double_pendulum")});
  ASSERT_EQ(kane.status, 0) << kane.err;
  for (std::size_t at = 0, end; (end = kane.out.find('\n', at)) != std::string::npos; at = end + 1)
    EXPECT_LE(end - at, 112u) << kane.out.substr(at, end - at);
  kane.out = on_one_line(kane.out);
  EXPECT_TRUE(contains(kane.out,
                       "((m1 + m2)*l1^2 + m2*l2*(2*l1*cos(q2) + l2))*q1'' + m2*l2*(l1*cos(q2) + "
                       "l2)*q2'' = "))
      << kane.out;
  EXPECT_TRUE(contains(kane.out,
                       "m2*l2*(l1*cos(q2) + l2)*q1'' + m2*l2^2*q2'' = "
                       "-m2*l2*(l1*q1'^2*sin(q2) + g*sin(q1 + q2))"))
      << kane.out;
  CommandResult lagrange =
      run_cartan({"equations", example_path("planar_double_pendulum"), "--form", "lagrange"});
  lagrange.out = on_one_line(lagrange.out);
  const std::string motion = "Equations of motion";
  ASSERT_TRUE(contains(lagrange.out, motion)) << lagrange.out << lagrange.err;
  EXPECT_EQ(lagrange.out.substr(lagrange.out.find(motion)), kane.out.substr(kane.out.find(motion)));
  EXPECT_TRUE(contains(lagrange.out, "V = -(m1 + m2)*l1*g*cos(q1) - m2*l2*g*cos(q1 + q2)"))
      << lagrange.out;
}

// Squares of sums, multiples of pi, constraints beside M*, N*, F*.
TEST(Equations, AreWrittenAsByHand) {
  const auto text_of = [](const char* name, const char* form) {
    const CommandResult result = run_cartan({"equations", example_path(name), "--form", form});
    EXPECT_EQ(result.status, 0) << result.err;
    return on_one_line(result.out);
  };
  const std::string crank = text_of("slider_crank", "kane"), top = text_of("heavy_top", "kane");
  EXPECT_TRUE(contains(crank, "q3*(q1' + q2')^2*cos(q1 + q2)")) << crank;
  EXPECT_TRUE(contains(crank, "1.57*L^3/3")) << crank;
  EXPECT_TRUE(contains(top, "9.81*pi*")) << top;
  EXPECT_TRUE(contains(top, "*(q1*q2 + q3*q4)/(q1^2 + q2^2 + q3^2 + q4^2)")) << top;
  const std::string sleigh = text_of("sleigh", "moving-frame");
  EXPECT_TRUE(contains(sleigh, "M* v' + N* v = F* + J^T lambda")) << sleigh;
  EXPECT_TRUE(contains(sleigh, "J[1,4] = LC1")) << sleigh;
  EXPECT_TRUE(contains(sleigh, "q1'' = 0")) << sleigh;
  EXPECT_FALSE(contains(sleigh, "] = 0 ")) << sleigh;
}

TEST(Equations, EveryFormOfEveryKindOfModelIsPrintedOrRefused) {
  for (const char* name : {"pendulum", "four_bar", "sleigh", "roessler", "driven_pendulum",
                           "stick_slip", "constructed_pendulum_friction_b"})
    for (const char* form : {"kane", "lagrange", "canonical", "moving-frame", "diagonal"}) {
      SCOPED_TRACE(std::string(name) + " " + form);
      const CommandResult result = run_cartan(
          {"equations", example_path(name), "--form", form, "--format", "latex", "--show", "all"});
      if (result.status == 0)
        EXPECT_TRUE(result.out.ends_with("\\end{document}\n"));
      else
        EXPECT_TRUE(result.status == 2 &&
                    contains(result.err, "use ") + contains(result.err, "leave "))
            << result.err;
    }
}

TEST(Equations, WrongWordsAreTold) {
  EXPECT_TRUE(
      contains(run_cartan({"equations", example_path("pendulum"), "--form", "newton"}).err,
               "expected kane, lagrange, canonical, moving-frame, diagonal or rotation-elements"));
  EXPECT_TRUE(contains(run_cartan({"equations", example_path("pendulum"), "--show", "W"}).err,
                       "expected T, V, L, p, B, Bdot, power or all"));
}

TEST(Generate, WritesCode) {
  const Scratch scratch;
  const json result =
      expect_json(run_cartan({"generate", example_path("bicycle"), "--jacobian", "--variational",
                              "--out", scratch.path("code"), "--json"}));
  EXPECT_EQ(result["files"].size(), 2u);
  EXPECT_GT(result["operations"]["derivative"]["total"], 100);
  EXPECT_TRUE(result["operations"].contains("variational_jacobian"));
  std::ifstream file(scratch.path("code") + "/bicycle.c");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT_TRUE(contains(text, "bicycle_derivative(double t"));
}

TEST(Generate, WrongWordsAreTold) {
  const std::string model = example_path("pendulum");
  EXPECT_TRUE(contains(run_cartan({"generate", model, "--language", "fortran", "--out", "x"}).err,
                       "expected c, c++, python"));
  EXPECT_TRUE(contains(run_cartan({"generate", model}).err, "--out DIR"));
  EXPECT_TRUE(contains(
      run_cartan({"generate", example_path("roessler"), "--form", "mass-matrix", "--out", "x"}).err,
      "no mass matrix"));
}

// All numbers of two JSON values of the same shape.
void expect_near(const json& a, const json& b, double tolerance, const std::string& where) {
  if (a.is_number()) {
    EXPECT_NEAR(a.get<double>(), b.get<double>(), tolerance * (1 + std::fabs(a.get<double>())))
        << where;
  } else if (a.is_structured()) {
    ASSERT_EQ(a.size(), b.size()) << where;
    const json left = a.flatten(), right = b.flatten();
    for (const auto& [key, value] : left.items()) {
      ASSERT_TRUE(right.contains(key)) << where << key;
      if (value.is_number()) expect_near(value, right[key], tolerance, where + key);
    }
  }
}

TEST(Generated, RunsLikeRecursive) {
  for (const char* name : {"revolute_chain_3", "four_bar", "stick_slip", "van_der_pol"}) {
    SCOPED_TRACE(name);
    const auto final_of = [&](const char* formulation) {
      return expect_json(run_cartan({"run", example_path(name), "--formulation", formulation,
                                     "--duration", "0.5", "--json"}))["final"];
    };
    const json native = final_of("recursive"), code = final_of("generated");
    for (const char* part : {"q", "v", "variables"})
      if (native.contains(part)) expect_near(native[part], code[part], 1e-9, part);
    EXPECT_TRUE(native.contains("q") || native.contains("variables"));
  }
}

TEST(Generated, IsAnalysedLikeRecursive) {
  const std::string bicycle = example_path("benchmark_bicycle"),
                    roessler = example_path("roessler");
  struct Question {
    std::vector<std::string> words;
    const char* part;
  };
  const std::vector<Question> questions = {
      {{"linearize", bicycle, "--set", "push=0", "--set", "v=5"}, "eigenvalues"},
      {{"equilibrium", example_path("governor"), "--hold", "bearing.v"}, "state"},
      {{"orbit", roessler, "--period", "6", "--section", "y", "--set", "a=0.3"}, "multipliers"},
      {{"continue", roessler, "--of", "orbit", "--section", "y", "--period", "6", "--parameter",
        "a", "--from", "0.32", "--to", "0.34"},
       "bifurcations"},
  };
  for (const Question& question : questions) {
    SCOPED_TRACE(question.words[0]);
    const auto answer = [&](const char* formulation) {
      std::vector<std::string> words = question.words;
      words.insert(words.end(), {"--formulation", formulation, "--json"});
      return expect_json(run_cartan(words))[question.part];
    };
    const json native = answer("recursive");
    EXPECT_FALSE(native.empty());
    expect_near(native, answer("generated"), 1e-6, "");
  }
  EXPECT_TRUE(contains(run_cartan({"linearize", bicycle, "--formulation", "absolute-se3"}).err,
                       "use the formulation recursive"));
}

TEST(Generated, ACompilerThatIsAbsentIsTold) {
  const Scratch scratch;
  setenv("CC", "/no/such/compiler", 1);
  setenv("XDG_CACHE_HOME", scratch.path("cache").c_str(), 1);
  const CommandResult result =
      run_cartan({"run", example_path("pendulum"), "--formulation", "generated"});
  unsetenv("CC");
  unsetenv("XDG_CACHE_HOME");
  EXPECT_NE(result.status, 0);
  EXPECT_TRUE(contains(result.err, "/no/such/compiler")) << result.err;
}

}  // namespace
}  // namespace cartan::test
