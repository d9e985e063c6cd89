// Expressions from the command line as functions of the state: their values are those of the
// observation, their gradients those of central differences.
#include <gtest/gtest.h>

#include <cmath>

#include "mechanics/machine/state_expression.h"
#include "support/example.h"

namespace cartan::test {
namespace {

using test::Example;

// Largest difference between the gradient along every tangent direction and a central difference
// of fourth order, relative to max(1, |gradient|).
double gradient_error(const System& system, const StateFunction& function, const State& state) {
  const StateSpace& space = system.space();
  const auto workspace = system.make_workspace();
  std::vector<double> gradient(space.size()), d(space.tangent_size()), moved(space.size());
  function.gradient(state, gradient, *workspace);
  double worst = 0;
  for (int i = 0; i < space.tangent_size() - system.quadratures(); ++i) {
    const auto at = [&](double h) {
      std::fill(d.begin(), d.end(), 0.0);
      d[i] = h;
      space.plus(state.x, d, moved);
      return function.value({state.t, moved, state.mode}, *workspace);
    };
    const double h = 1e-3;
    const double slope = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
    std::fill(d.begin(), d.end(), 0.0);
    d[i] = 1;
    // d/dh of x (+) h e_i from the gradient: the tangent vector in embedded numbers
    std::vector<double> rate(space.size());
    space.to_embedded(state.x, d, rate);
    double exact = 0;
    for (int k = 0; k < space.size(); ++k) exact += gradient[k] * rate[k];
    worst = std::max(worst, std::fabs(exact - slope) / std::max(1.0, std::fabs(exact)));
  }
  return worst;
}

void expect_exact(const Example& example, const std::string& text) {
  std::string problem;
  const auto function = make_state_function(*example.system, *example.model, text, problem);
  ASSERT_TRUE(function) << problem;
  EXPECT_LT(gradient_error(*example.system, *function, example.system->initial_state()), 1e-7)
      << text;
}

TEST(StateExpression, ValuesAreThoseOfTheObservation) {
  const Example example = test::load_example("four_bar");
  ASSERT_TRUE(example) << example.problem;
  const State state = example.system->initial_state();
  const Observation now = test::observe(example.mechanism(), state);
  const auto workspace = example.system->make_workspace();
  const auto value = [&](const std::string& text) {
    std::string problem;
    const auto function = make_state_function(*example.system, *example.model, text, problem);
    return function ? function->value(state, *workspace) : std::nan("");
  };
  for (std::size_t j = 0; j < now.q.size(); ++j) {
    const std::string name = example.model->joints[j].name;
    if (now.q[j].size() != 1) continue;
    EXPECT_NEAR(value(name + ".q"), now.q[j][0], 1e-14) << name;
    EXPECT_NEAR(value(name + ".v"), now.v[j][0], 1e-13) << name;
  }
  EXPECT_NEAR(value("kinetic + potential"), now.kinetic + now.potential, 1e-12);
  EXPECT_NEAR(value(example.model->bodies[0].name + ".vx"), now.bodies[0].linear.x, 1e-14);
}

TEST(StateExpression, GradientsAreExact) {
  const Example top = test::load_example("heavy_top");
  expect_exact(top, "kinetic*potential + top.vx^2 + pivot.q[1]*pivot.v[2] + top.wy");
  const Example bicycle = test::load_example("bicycle");
  expect_exact(bicycle, "R2*front_axle.v + front_wheel.z^2 + sin(steering.q)*kinetic");
  const Example bar = test::load_example("four_bar");
  for (const Joint& joint : bar.model->joints)
    if (joint.nq() == 1) expect_exact(bar, joint.name + ".q + " + joint.name + ".v^2");
  const Example variables = test::load_example("roessler");
  expect_exact(variables, "x*y + exp(z/10) + a*x^3 + t");
}

TEST(StateExpression, WrongTextIsRefused) {
  const Example example = test::load_example("pendulum");
  std::string problem;
  EXPECT_FALSE(make_state_function(*example.system, *example.model, "no_such.q", problem));
  EXPECT_NE(problem.find("no_such"), std::string::npos) << problem;
  EXPECT_FALSE(make_state_function(*example.system, *example.model, "", problem));
  const Example canonical = test::load_example("pendulum", "canonical");
  EXPECT_FALSE(make_state_function(*canonical.system, *canonical.model, "kinetic", problem));
  EXPECT_NE(problem.find("recursive"), std::string::npos) << problem;
}

}  // namespace
}  // namespace cartan::test
