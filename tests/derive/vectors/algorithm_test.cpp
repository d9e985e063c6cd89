// Source 003's derivations by hand (by_hand.h) proved equal to this project's algorithm, entry by
// entry and symbol by symbol: from the model file by the templates of
// mechanics/tree/moving_frame.h, as `equations --form moving-frame` prints them, to B, B', M*, N*
// and F*; and, which the document's (108) asks for, the accelerations by the recursion.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "by_hand.h"
#include "codegen/derivation.h"
#include "formulations/formulations.h"
#include "support/example.h"
#include "symbolic/simplify/zero.h"

namespace cartan::test {
namespace {

const char* const planar_pendulum = R"(
gravity = [0, 0, "-g"]
[parameters]
g = 9.81
L1 = 0.5
m1 = 2
J11 = 0.02
J15 = 0.3
J19 = 0.31
F1 = 0.7
[[body]]
name = "rod"
mass = "m1"
com = ["L1", 0, 0]
inertia = ["J11", "J15", "J19"]
[[joint]]
name = "hinge"
type = "revolute"
axis = [0, 1, 0]
parent = { body = "world" }
child = { body = "rod" }
[[force]]
name = "moment"
type = "joint"
joint = "hinge"
value = "F1"
)";

const char* const constructed_pendulum = R"(
gravity = [0, 0, "-g"]
[parameters]
g = 9.81
m1 = 3.4
m2 = 4.7
L11 = 0.12
L12 = -0.02
L13 = 0.3
l1 = 0.13
l3 = -0.01
L21 = 0.127
J11 = 0.083
J15 = 0.116
J19 = 0.062
J12 = 0.008
J13 = -0.004
J16 = 0.001
J21 = 0.0042
J25 = 0.0192
J29 = 0.0198
F1 = 0.7
F2 = 0.2
[[body]]
name = "column"
mass = "m1"
com = ["L11", "L12", "L13"]
inertia = ["J11", "J15", "J19", "J12", "J13", "J16"]
[[body]]
name = "arm"
mass = "m2"
com = ["L21", 0, 0]
inertia = ["J21", "J25", "J29"]
[[joint]]
name = "base"
type = "revolute"
axis = [0, 0, 1]
parent = { body = "world" }
child = { body = "column" }
[[joint]]
name = "shoulder"
type = "revolute"
axis = [0, 1, 0]
parent = { body = "column", at = ["L11 + l1", 0, "L13 + l3"] }
child = { body = "arm" }
[[force]]
name = "moment1"
type = "joint"
joint = "base"
value = "F1"
[[force]]
name = "moment2"
type = "joint"
joint = "shoulder"
value = "F2"
)";

std::string rotated_double_pendulum() {
  std::string text =
      "gravity = [0, 0, \"-g\"]\n[parameters]\ng = 9.81\nL1 = 0.5\nL2 = 0.4\nL3 = 0.3\n";
  for (const char* i : {"1", "2", "3"}) {
    const std::string n = i;
    text += "m" + n + " = 1." + n + "\nF" + n + " = 0." + n + "\nJ" + n + "1 = 0.05\nJ" + n +
            "5 = 0.3" + n + "\nJ" + n + "9 = 0.3\n";
  }
  auto body = [&](const std::string& i, const char* axis, const std::string& parent) {
    text += "[[body]]\nname = \"body" + i + "\"\nmass = \"m" + i + "\"\ncom = [\"L" + i +
            "\", 0, 0]\ninertia = [\"J" + i + "1\", \"J" + i + "5\", \"J" + i +
            "9\"]\n[[joint]]\nname = \"joint" + i + "\"\ntype = \"revolute\"\naxis = " + axis +
            "\nparent = " + parent + "\nchild = { body = \"body" + i +
            "\" }\n[[force]]\nname = \"moment" + i + "\"\ntype = \"joint\"\njoint = \"joint" + i +
            "\"\nvalue = \"F" + i + "\"\n";
  };
  body("1", "[0, 0, 1]", "{ body = \"world\" }");
  body("2", "[0, 1, 0]", "{ body = \"body1\", at = [\"L1 + L1\", 0, 0] }");
  body("3", "[0, 1, 0]", "{ body = \"body2\", at = [\"L2\", 0, 0] }");  // on its mass centre
  return text;
}

// A model and its derivation; angles and rates by the document's names.
struct Algorithm {
  explicit Algorithm(const std::string& text) : example(load_text(text)) {
    if (!example) return;
    derivation = std::make_unique<Derivation>(*example.model, parameter_values(*example.model),
                                              example.system->initial_state());
  }
  Names name = [this](const std::string& text) {
    ExpressionGraph& graph = derivation->graph();
    if (text.starts_with("Th")) return derivation->q()[text[2] - '1'];
    if (text.starts_with("dTh")) return derivation->v()[text[3] - '1'];
    EXPECT_GE(graph.find_symbol(text), 0) << text;
    return graph.symbol(text);
  };
  ExpressionGraph& graph() { return derivation->graph(); }

  Example example;
  std::unique_ptr<Derivation> derivation;
};

// How many entries are proved equal, and the same of entries that are not zero against their
// negatives: none may be.
struct Count {
  int equal = 0, entries = 0, wrong_signs_missed = 0, not_zero = 0;

  void add(ExpressionGraph& graph, const std::vector<Expression>& hand,
           const std::vector<Expression>& found) {
    ASSERT_EQ(hand.size(), found.size());
    for (std::size_t k = 0; k < hand.size(); ++k) {
      ++entries;
      equal += is_identically_zero(graph, hand[k] - found[k]);
      if (is_identically_zero(graph, found[k])) continue;
      ++not_zero;
      wrong_signs_missed += is_identically_zero(graph, hand[k] + found[k]);
    }
  }
};

Count compare(Algorithm& algorithm, const HandMatrices& hand) {
  const Derivation::MovingFrameForm found = algorithm.derivation->moving_frame();
  Count count;
  count.add(algorithm.graph(), hand.B, found.B);
  count.add(algorithm.graph(), hand.Bdot, found.Bdot);
  count.add(algorithm.graph(), hand.M_star, found.M_star);
  count.add(algorithm.graph(), hand.N_star, found.N_star);
  count.add(algorithm.graph(), hand.F_star, found.F_star);
  return count;
}

// (108): M* q'' + N* q' - F* with the matrices by hand and the accelerations of the recursion.
void expect_accelerations(Algorithm& algorithm, const HandMatrices& hand,
                          const std::vector<Expression>& rates) {
  const std::vector<Expression> derived = algorithm.derivation->rates();
  const std::size_t n = rates.size();
  for (std::size_t i = 0; i < n; ++i) {
    Expression rest = -hand.F_star[i], wrong = hand.F_star[i];
    for (std::size_t j = 0; j < n; ++j) {
      const Expression inertial = hand.M_star[i * n + j] * derived[n + j];
      rest += inertial + hand.N_star[i * n + j] * rates[j];
      wrong += inertial + hand.N_star[i * n + j] * rates[j];
    }
    EXPECT_TRUE(is_identically_zero(algorithm.graph(), rest)) << i;
    EXPECT_FALSE(is_identically_zero(algorithm.graph(), wrong)) << i;
  }
}

void expect_equal(Algorithm& algorithm, const ByHand& by_hand, int entries) {
  const HandMatrices hand = matrices_of(by_hand);
  const Count count = compare(algorithm, hand);
  EXPECT_EQ(count.entries, entries);
  EXPECT_EQ(count.equal, entries);
  EXPECT_EQ(count.wrong_signs_missed, 0) << "of " << count.not_zero;
  expect_accelerations(algorithm, hand, by_hand.rates);

  // mistakes a person makes: each shows in M*, N* or F*
  std::vector<ByHand> wrong(4, by_hand);
  HandBody &upward = wrong[0].bodies.back(), &turned = wrong[1].bodies.back();
  HandBody &forgotten = wrong[2].bodies.back(), &lever = wrong[3].bodies.back();
  upward.force = -upward.force;
  turned.omega = -turned.omega;
  for (Vec3<Expression>& column : forgotten.dBx) column = {};
  lever.Bx[0] = -lever.Bx[0];
  for (const ByHand& mistake : wrong) {
    if (&mistake == &wrong[1] && by_hand.rates.size() == 1) continue;  // D does nothing in a plane
    const Count less = compare(algorithm, matrices_of(mistake));
    EXPECT_LT(less.equal, entries) << "mistake " << &mistake - wrong.data();
  }
}

TEST(AlgorithmByHand, PlanarPendulum) {
  Algorithm algorithm(planar_pendulum);
  ASSERT_TRUE(algorithm.example) << algorithm.example.problem;
  expect_equal(algorithm, planar_pendulum_by_hand(algorithm.name), 6 + 6 + 1 + 1 + 1);
}

TEST(AlgorithmByHand, ConstructedPendulum) {
  Algorithm algorithm(constructed_pendulum);
  ASSERT_TRUE(algorithm.example) << algorithm.example.problem;
  expect_equal(algorithm, constructed_pendulum_by_hand(algorithm.name), 24 + 24 + 4 + 4 + 2);
  // the accelerations as the document prints them, by hand and by its own algorithm
  const std::vector<Expression> rates = algorithm.derivation->rates();
  for (const bool by_algorithm : {false, true}) {
    const PrintedAcceleration printed = constructed_pendulum_printed(algorithm.name, by_algorithm);
    for (int k = 0; k < 2; ++k) {
      const Expression value = printed.above[k] / printed.below[k];
      EXPECT_TRUE(is_identically_zero(algorithm.graph(), rates[2 + k] - value)) << k;
      EXPECT_FALSE(is_identically_zero(algorithm.graph(), rates[2 + k] + value)) << k;
    }
  }
}

TEST(AlgorithmByHand, RotatedDoublePendulum) {
  Algorithm algorithm(rotated_double_pendulum());
  ASSERT_TRUE(algorithm.example) << algorithm.example.problem;
  expect_equal(algorithm, rotated_double_pendulum_by_hand(algorithm.name), 54 + 54 + 9 + 9 + 3);
}

}  // namespace
}  // namespace cartan::test
