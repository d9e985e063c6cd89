// Slopes of events and of expressions of the state, by state, time and parameters: exact ones
// against differences of order six, so close that an error of 1e-6 is seen.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "mechanics/machine/state_expression.h"
#include "support/example.h"

namespace cartan::test {
namespace {

constexpr double function_tolerance = 1e-8;

double quotient(const std::function<double(double)>& f, double h) {
  const auto pair = [&](double s) { return f(s) - f(-s); };
  return (45 * pair(h) - 9 * pair(2 * h) + pair(3 * h)) / (60 * h);
}

// A function of a system, a state and its time; the slope that is said to be its own.
struct Subject {
  std::function<double(const System&, const State&)> value;
  FunctionSlope slope;
};

int seen = 0;  // slopes that are not zero

void expect_slope(double exact, const std::function<double(double)>& f, const std::string& what) {
  const double expected = quotient(f, 1e-3);
  EXPECT_NEAR(exact, expected, function_tolerance * std::max(1.0, std::fabs(expected))) << what;
  seen += std::fabs(expected) > 1e-3;
}

void check(const Example& e, const State& state, const std::vector<int>& which, const Subject& s) {
  const System& system = *e.system;
  const StateSpace& space = system.space();
  const int tangents = space.tangent_size() - system.quadratures();
  for (int j = 0; j < tangents; ++j) {
    std::vector<double> d(space.tangent_size(), 0.0), rate(space.size());
    d[j] = 1;
    space.to_embedded(state.x, d, rate);
    double exact = 0;
    for (std::size_t i = 0; i < rate.size(); ++i) exact += s.slope.by_x[i] * rate[i];
    expect_slope(
        exact,
        [&](double step) {
          State moved = state;
          d[j] = step;
          space.plus(state.x, d, moved.x);
          return s.value(system, moved);
        },
        "number " + std::to_string(j));
  }
  expect_slope(
      s.slope.by_time,
      [&](double step) {
        State later = state;
        later.t += step;
        return s.value(system, later);
      },
      "time");
  const std::vector<double> values = parameter_values(*e.model);
  for (std::size_t k = 0; k < which.size(); ++k) {
    const double at = values[which[k]], unit = 0.1 * std::max(0.1, std::fabs(at));
    const auto with = [&](double step) {
      const double value[] = {at + unit * step};
      const int one[] = {which[k]};
      std::string problem;
      const auto other =
          make_system(*e.model, parameter_values(*e.model, one, value), "recursive", problem);
      EXPECT_TRUE(other) << problem;
      State there = state;
      there.x.resize(other->space().size(), 0.0);
      return other ? s.value(*other, there) : std::nan("");
    };
    expect_slope(s.slope.by_parameters[k] * unit, with, e.model->parameters[which[k]].name);
  }
}

struct FunctionCase {
  const char* example;
  std::vector<std::string> expressions, parameters;
};

TEST(FunctionDerivatives, OfEventsAndExpressions) {
  const FunctionCase cases[] = {
      {"heavy_top", {"pivot.v[1]*top.x + kinetic", "sin(top.z)*top.wy*t"}, {}},
      {"bicycle", {"R2*front_axle.v*frame.z + potential", "steering.q*frame.vx^2"}, {"R1", "b"}},
      {"cart_pole", {"hinge.q^2*track.v + exp(-t)*potential"}, {}},
      {"coupled_pendulums", {"left.y*right.vy + kinetic"}, {"L"}},
      {"slider_crank", {"kinetic*t"}, {}},
      {"roessler", {"a*x*y + z^2*cos(t)"}, {"a", "c"}},
      {"duffing", {"x^2 + t"}, {}}};
  seen = 0;
  for (const FunctionCase& c : cases) {
    SCOPED_TRACE(c.example);
    const Example e = load_example(c.example);
    ASSERT_TRUE(e) << e.problem;
    const System& system = *e.system;
    const auto workspace = system.make_workspace();
    State state = system.initial_state();
    std::vector<double> d(system.space().tangent_size(), 0.0);
    for (std::size_t j = 0; j + system.quadratures() < d.size(); ++j)
      d[j] = 0.2 * std::sin(1.0 + 1.7 * static_cast<double>(j));
    const std::vector<double> x = state.x;
    system.space().plus(x, d, state.x);
    state.t = 0.3;
    std::vector<int> which;
    for (const std::string& name : c.parameters) which.push_back(e.model->find_parameter(name));

    for (const std::string& text : c.expressions) {
      SCOPED_TRACE(text);
      Subject subject;
      subject.value = [&](const System& at, const State& s) {
        std::string problem;
        const auto function = make_state_function(at, *e.model, text, problem);
        return function->value(s, *at.make_workspace());
      };
      std::string problem;
      const auto function = make_state_function(system, *e.model, text, problem);
      ASSERT_TRUE(function) << problem;
      const double value = function->slope(state, which, subject.slope, *workspace);
      EXPECT_DOUBLE_EQ(value, function->value(state, *workspace));
      check(e, state, which, subject);
    }
    for (std::size_t k = 0; k < system.events().size(); ++k) {
      SCOPED_TRACE("event " + system.events()[k].name);
      Subject subject;
      subject.value = [k](const System& at, const State& s) {
        std::vector<double> values(at.events().size());
        at.event_values(s, values, *at.make_workspace());
        return values[k];
      };
      system.event_slope(static_cast<int>(k), state, which, subject.slope, *workspace);
      check(e, state, which, subject);
    }
  }
  EXPECT_GT(seen, 45);
}

}  // namespace
}  // namespace cartan::test
