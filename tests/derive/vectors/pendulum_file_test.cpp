// The n-link pendulum with shaker (case S4.3) from model files, relative and absolute coordinates:
// the reference values, and how its code grows.
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codegen/derivation.h"
#include "codegen/emit.h"
#include "codegen/model_unit.h"
#include "cost.h"
#include "derivations/pendulum_chain_file.h"
#include "support/example.h"
#include "symbolic/count.h"

#ifndef __has_feature  // g++
#define __has_feature(name) 0
#endif

namespace cartan::derivations {
namespace {

using test::Example;

struct Case {
  Angles angles;
  int links;
  std::vector<double> udot;  // s4_3_udot.csv, computed with 40 digits
};

const std::vector<Case>& cases() {
  static const std::vector<Case> list = {
      {Angles::absolute, 1, {-0.561976444895116325, -0.564900061236942001}},
      {Angles::relative, 1, {-0.561976444895116325, -0.564900061236942001}},
      {Angles::absolute,
       2,
       {-0.683132254256292913, -0.939330861135571283, 0.685692704075964141, 1.45507531861383495}},
      {Angles::relative,
       2,
       {-0.247771988336914365, -0.574568636180512165, -0.188302181254209528, 0.977125401660880665}},
      {Angles::absolute,
       4,
       {-0.817659039082838765, -1.60953731116614677, 0.188905880858465392, 2.16672321133735425,
        0.96899956595542582, -0.598340314147269024, -1.06290262507953989, -0.30623936774880061}},
      {Angles::relative,
       4,
       {0.307039516885196112, -0.749657197305310223, -1.6968955496151982, 1.32049286593652408,
        2.5848563454502976, -0.448359767398311113, -2.25426035464096063, -1.15139012937173895}}};
  return list;
}

// Place of the first angle of link i among the joints of the file.
int joint_of(Angles angles, int link) {
  return angles == Angles::relative ? link : 3 * link - 1;  // place, joint, pin
}

TEST(PendulumFromFile, MeetsTheReference) {
  for (const char* formulation : {"recursive", "moving-frame"})
    for (const Case& c : cases()) {
      const Example example = test::load_text(pendulum_chain_file(c.links, c.angles), formulation);
      ASSERT_TRUE(example);
      const MechanicalSystem& system = example.mechanism();
      const auto workspace = system.make_workspace();
      const DynamicsReport report = system.report_dynamics(system.initial_state(), *workspace);
      for (int i = 1; i <= c.links; ++i)
        for (int k = 0; k < 2; ++k) {
          const double expected = c.udot[2 * (i - 1) + k];
          EXPECT_NEAR(report.acceleration[joint_of(c.angles, i)][k], expected,
                      1e-13 * (1 + std::fabs(expected)))
              << formulation << " " << c.links << " " << i;
        }
    }
}

// The same from the expressions that become code: their values at the sample point.
TEST(PendulumFromFile, DerivedExpressionsMeetTheReference) {
  for (const Case& c : cases()) {
    const Example example = test::load_text(pendulum_chain_file(c.links, c.angles));
    ASSERT_TRUE(example);
    codegen::Derivation derivation(*example.model, parameter_values(*example.model),
                                   example.system->initial_state());
    const std::vector<Expression> rates = derivation.rates();
    int found = 0;
    for (std::size_t k = 0; k < derivation.state().size(); ++k) {
      const std::string& label = derivation.state()[k].label;  // jointi.v0, jointi.v1
      int link = 0, entry = 0;
      if (std::sscanf(label.c_str(), "joint%d.v%d", &link, &entry) != 2) continue;
      const double expected = c.udot[2 * (link - 1) + entry];
      EXPECT_NEAR(rates[k].sample(), expected, 1e-13 * (1 + std::fabs(expected))) << label;
      ++found;
    }
    EXPECT_EQ(found, 2 * c.links);
  }
}

struct Size {
  double operations = 0, bytes = 0;
};

Size size_of_code(int links, Angles angles, EquationForm form) {
  const Example example = test::load_text(pendulum_chain_file(links, angles));
  EXPECT_TRUE(example);
  codegen::Derivation derivation(*example.model, parameter_values(*example.model),
                                 example.system->initial_state());
  UnitOptions options;
  options.form = form;
  options.extras = false;
  const CodeUnit unit = make_unit(derivation, options, "chain");
  std::vector<Expression> all;
  for (const CodeMatrix& output : unit.functions[0].outputs)
    all.insert(all.end(), output.entries.begin(), output.entries.end());
  if (unit.functions[0].solve) {
    const LinearSolve& solve = *unit.functions[0].solve;
    all.insert(all.end(), solve.matrix.begin(), solve.matrix.end());
    all.insert(all.end(), solve.rhs.begin(), solve.rhs.end());
  }
  return {static_cast<double>(count_shared(*unit.graph, all).total()),
          static_cast<double>(emit(unit, Language::c)[0].text.size())};
}

// At 8, 16, 24, 32 links: no second difference in O(n) form, no third one in mass-matrix form; the
// text grows with the operations (longer numbers in names take a few per cent more letters).
TEST(PendulumFromFile, CodeGrowsLinearlyOrQuadratically) {
  for (const Angles angles : {Angles::relative, Angles::absolute})
    for (const EquationForm form : {EquationForm::recursive, EquationForm::mass_matrix}) {
      Size size[4];
      for (int k = 0; k < 4; ++k) size[k] = size_of_code(8 * (k + 1), angles, form);
      auto second = [&](int k) {
        return size[k + 2].operations - 2 * size[k + 1].operations + size[k].operations;
      };
      if (form == EquationForm::recursive) {
        EXPECT_LE(second(0), 0);
        EXPECT_LE(second(1), 0);
      } else {
        EXPECT_LE(second(1), second(0));
      }
      for (int k = 1; k < 4; ++k)
        EXPECT_LE(size[k].bytes / size[k].operations, 1.1 * size[0].bytes / size[0].operations);
    }
}

// From the file to C.
void expect_code_within(int links, double seconds) {
  for (const Angles angles : {Angles::relative, Angles::absolute})
    for (const EquationForm form : {EquationForm::recursive, EquationForm::mass_matrix}) {
      const Clock clock;
      EXPECT_GT(size_of_code(links, angles, form).operations, 0);
      EXPECT_LT(clock.seconds(), seconds);
    }
#if !__has_feature(address_sanitizer)  // which needs memory of its own
  EXPECT_LT(megabytes(), 500);
#endif
}

TEST(PendulumFromFile, SixtyDegreesOfFreedomToCode) {
  expect_code_within(30, 2);
}

TEST(LongPendulumFromFile, TwoHundredDegreesOfFreedomToCode) {
  expect_code_within(100, 20);
}

}  // namespace
}  // namespace cartan::derivations
