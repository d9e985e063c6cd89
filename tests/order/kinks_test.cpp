// Motions with kinks: expressions with if, min, max, abs, sign and step whose argument changes its
// sign on the way. Every method keeps its order across them, because the switches are located and
// the formulas held in between; where a switch flips without end, the run says so.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "mechanics/tree/recursive.h"
#include "mechanics/tree/tree_system.h"
#include "mechanics/variables/variables.h"
#include "support/example.h"

namespace cartan::test {
namespace {

struct Kink {
  const char* name;
  std::string text;
  double duration = 2;
  double gentle = 1;  // steps are this much shorter: stiff contacts
  bool root = false;  // a broken power begins at the corner: no method has a high order there
};

std::string slider(const std::string& axis, double q, double v, const std::string& forces) {
  return "[[body]]\nname = \"b\"\nmass = 1\n[[joint]]\nname = \"s\"\ntype = \"prismatic\"\naxis "
         "= " +
         axis + "\nparent = { body = \"world\" }\nchild = { body = \"b\" }\nposition = " +
         std::to_string(q) + "\nvelocity = " + std::to_string(v) + "\n" + forces;
}
std::string force(const std::string& value) {
  return "[[force]]\nname = \"f\"\ntype = \"joint\"\njoint = \"s\"\nvalue = \"" + value + "\"\n";
}
std::string sliding(double q, double v, const std::string& value) {
  return slider("[1, 0, 0]", q, v, force(value));
}
std::string falling(double q, const std::string& value) {
  return slider("[0, 0, 1]", q, 0, force(value));
}

std::vector<Kink> kinks() {
  return {
      {"saturation", sliding(1, 0, "max(-2, min(2, -20*(s.q - 0.3) - 2*s.v))")},
      {"dead zone", sliding(0.4, 0, "-50*(max(s.q - 0.1, 0) + min(s.q + 0.1, 0))")},
      {"backlash", sliding(0, 0.1,
                           "-80*(max(s.q - 0.2*sin(3*t) - 0.05, 0) + min(s.q - 0.2*sin(3*t) + "
                           "0.05, 0))")},
      {"dry friction by hand", sliding(0, 1, "5*sin(3*t) - 0.5*sign(s.v)")},
      {"two stiffnesses", sliding(0.5, 0, "if(s.q, -10*s.q, -40*s.q)")},
      {"penalty contact", falling(0.3, "1e3*max(-s.q, 0)"), 1, 4},
      {"stiff penalty contact", falling(0.3, "1e5*max(-s.q, 0)"), 0.6, 32},
      {"damped penalty contact", falling(0.3, "if(-s.q, -1e3*s.q - 4*s.v, 0)"), 1, 4},
      {"law of Hertz", falling(0.3, "2e4*max(-s.q, 0)^2.5"), 1, 4, true},
      {"quadratic resistance", sliding(0.5, 2, "-20*s.q - 0.8*abs(s.v)*s.v")},
      {"steps in time", sliding(0.1, 0, "step(t - 0.37) - 2*step(t - 0.81) - 3*s.q")},
      {"ramp", sliding(0.1, 0, "4*min(max(t - 0.2, 0), 0.5) - 3*s.q")},
      {"square wave", sliding(0.1, 0, "sign(sin(7*t)) - 3*s.q")},
      {"relay", sliding(0.5, 0, "-3*sign(s.q)")},
      {"window in time", sliding(0.1, 0, "if((t - 0.3)*(1.1 - t), 5*sin(9*t), 0) - 3*s.q")},
      {"two dampers", sliding(0.5, 1, "-30*s.q - if(s.v, 0.5, 3)*s.v")},
      {"nested saturation", sliding(1, 0, "min(3, max(-3, -30*min(0.2, max(-0.2, s.q)) - s.v))")},
      {"stop as a potential",
       slider("[1, 0, 0]", 0.1, 1.5,
              "[[force]]\nname = \"v\"\ntype = \"potential\"\nvalue = \"5*s.q^2 + "
              "200*max(s.q - 0.2, 0)^2\"\n")},
      {"saturated pendulum",
       "[[body]]\nname = \"b\"\nmass = 1\ncom = [0, 0, -0.5]\n[[joint]]\nname = \"s\"\n"
       "type = \"revolute\"\naxis = [0, 1, 0]\nparent = { body = \"world\" }\n"
       "child = { body = \"b\" }\nposition = 1.2\n" +
           force("max(-1, min(1, -8*s.q - s.v))")},
      {"diode",
       "[variables]\nx = { initial = 0.1, rate = \"8*(y - x - (-0.7*x - 0.2*(abs(x + 1) - "
       "abs(x - 1))))\" }\ny = { initial = 0, rate = \"x - y + z\" }\nz = { initial = 0.2, "
       "rate = \"-12*y\" }\n"},
      {"hopping mass",
       "[[body]]\nname = \"b\"\nmass = 1\ninertia = [0.02, 0.03, 0.04]\n[[joint]]\nname = \"s\"\n"
       "type = \"free\"\nparent = { body = \"world\" }\nchild = { body = \"b\" }\n"
       "position = { at = [0, 0, 0.2] }\nvelocity = [1, 2, 3, 0.5, 0, 0]\n[[force]]\nname = \"f\"\n"
       "type = \"wrench\"\nbody = \"b\"\nat = [0.1, 0, 0]\nforce = [0, 0, \"800*max(-b.z, 0)\"]\n",
       0.6, 4},
  };
}

std::vector<double> end_of(const System& system, const Kink& kink, const SimulateOptions& options,
                           SimulateReport* told = nullptr) {
  SimulateOptions o = options;
  o.duration = kink.duration;
  const SimulateReport report = simulate(system, system.initial_state(), o, Observer{});
  EXPECT_TRUE(report.ok()) << kink.name << " " << o.integrator << ": " << report.message;
  if (told) *told = report;
  const auto count = static_cast<std::size_t>(system.space().size() - system.quadratures());
  return {report.final_state.x.begin(), report.final_state.x.begin() + count};
}

// The same model, its switches neither held nor located, by very short steps.
std::vector<double> brute_force(const Example& example, const Kink& kink) {
  std::unique_ptr<System> plain;
  if (example.model->is_mechanism())
    plain = make_tree_system(*example.model, parameter_values(*example.model),
                             {"recursive", solve_accelerations<double>, solve_accelerations<Dual4>,
                              solve_accelerations<Pack4>});
  else
    plain = make_variables_system(*example.model, parameter_values(*example.model));
  return end_of(*plain, kink, {.integrator = "rk4", .step = 2e-5});
}

// Steps with which the error of a method is neither rounding nor chaos.
double first_step(const IntegratorInfo& method) {
  switch (method.order) {
    case 1:
    case 2:
      return 0.004;
    case 4:
      return 0.02;
    default:
      return 0.05;
  }
}

class KinkOrder : public ::testing::TestWithParam<int> {};

TEST_P(KinkOrder, EveryMethodKeepsItsOrder) {
  const Kink kink = kinks()[GetParam()];
  const Example example = load_text(kink.text);
  ASSERT_TRUE(example) << kink.name << ": " << example.problem;
  const double fine = 0.005 / kink.gentle;
  const std::vector<double> truth =
      end_of(*example.system, kink, {.integrator = "gl6", .step = fine});
  EXPECT_LE(largest_difference(truth, brute_force(example, kink)), 2e-3) << kink.name;
  EXPECT_LE(largest_difference(
                truth, end_of(*example.system, kink, {.integrator = "dop853", .tolerance = 1e-12})),
            1e-8)
      << kink.name;
  for (const IntegratorInfo& method : integrator_table()) {
    if (!refuse_integrator(method.name, *example.system).empty()) continue;
    if (method.adaptive) {
      SimulateReport told;
      const double error = largest_difference(
          truth, end_of(*example.system, kink, {.integrator = method.name, .step = 0.1}, &told));
      EXPECT_LE(error, method.order == 0 ? 3e-4 : 1e-6) << kink.name << " " << method.name;
      EXPECT_EQ(told.warning, "") << kink.name << " " << method.name;
      continue;
    }
    double first = 0, last = 0;
    const double h = first_step(method) / kink.gentle;
    for (const double part : {1.0, 4.0}) {
      SimulateReport told;
      last = largest_difference(
          truth,
          end_of(*example.system, kink, {.integrator = method.name, .step = h / part}, &told));
      if (part == 1) first = last;
      EXPECT_EQ(told.warning.find("broken power") != std::string::npos, kink.root) << told.warning;
      EXPECT_EQ(told.warning.empty(), !kink.root) << kink.name << " " << method.name;
    }
    const int order = kink.root ? std::min(method.order, 3) : method.order;
    // at least a power 0.6 below the order, down to rounding and to what the truth is good for
    const double allowed = std::max(first * std::pow(4.0, 0.6 - order), 3e-10);
    EXPECT_LE(last, allowed) << kink.name << " " << method.name << ": " << first
                             << " with h = " << h << ", " << last << " with a quarter";
  }
}

INSTANTIATE_TEST_SUITE_P(All, KinkOrder, ::testing::Range(0, static_cast<int>(kinks().size())));

TEST(Kinks, ThereAreTwenty) {
  EXPECT_GE(kinks().size(), 20u);
}

// x'' = -3 sign x from rest at 0.5: parabolas, a quarter period of sqrt(1/3).
TEST(Kinks, RelayInClosedForm) {
  const Kink kink = kinks()[13];
  const Example example = load_text(kink.text);
  ASSERT_TRUE(example) << example.problem;
  const double quarter = std::sqrt(1.0 / 3), t = 2 - 3 * quarter;  // rises through zero
  const double speed = 3 * quarter;
  const double q = speed * t - 1.5 * t * t, v = speed - 3 * t;
  for (const char* method : {"gl1", "gl3", "rk4", "dop853", "rkmk45"}) {
    const std::vector<double> end =
        end_of(*example.system, kink, {.integrator = method, .step = 0.05});
    EXPECT_NEAR(end[0], q, 1e-11) << method;
    EXPECT_NEAR(end[1], v, 1e-11) << method;
  }
}

// All formulations switch at the same instants.
TEST(Kinks, EveryFormulation) {
  for (const int number : {0, 3, 9, 17, 18, 20}) {
    const Kink kink = kinks()[number];
    std::vector<double> first;
    for (const FormulationInfo& row : formulation_table()) {
      if (std::string(row.name) == "generated") continue;  // as written, see generated_kinks
      const Example example = load_text(kink.text, row.name);
      ASSERT_TRUE(example) << kink.name << " " << row.name << ": " << example.problem;
      SimulateOptions options{
          .integrator = "gl6", .duration = kink.duration, .step = 0.004 / kink.gentle};
      const SimulateReport report =
          simulate(*example.system, example.system->initial_state(), options, Observer{});
      ASSERT_TRUE(report.ok()) << kink.name << " " << row.name << ": " << report.message;
      const Observation now = observe(example.mechanism(), report.final_state);
      std::vector<double> end;
      append(end, now.bodies[0].position);
      append(end, now.bodies[0].linear);
      append(end, now.bodies[0].angular);
      if (first.empty()) first = end;
      EXPECT_LE(largest_difference(first, end), 1e-9) << kink.name << " " << row.name;
    }
  }
}

// A block that a jump holds: the switch flips without end, the run neither hangs nor keeps silent.
TEST(Kinks, SwitchesWithoutEndAreTold) {
  const Kink kink{"sticks", sliding(0, 1, "-2*sign(s.v)"), 2};
  const Example example = load_text(kink.text);
  ASSERT_TRUE(example) << example.problem;
  for (const IntegratorInfo& method : integrator_table()) {
    if (!refuse_integrator(method.name, *example.system).empty()) continue;
    SimulateReport told;
    const std::vector<double> end =
        end_of(*example.system, kink, {.integrator = method.name, .step = 0.01}, &told);
    EXPECT_NEAR(end[0], 0.25, 0.02) << method.name;  // stops after 0.5 s
    EXPECT_NE(told.warning.find("-2*sign(s.v)"), std::string::npos) << method.name << told.warning;
    EXPECT_NE(told.warning.find("friction"), std::string::npos) << method.name << told.warning;
    EXPECT_LT(told.counts.evaluations, 200000) << method.name;
  }
}

// Without switches a model is what it was: no events, no discrete state.
TEST(Kinks, SmoothModelsHaveNoSwitches) {
  const Example example = load_text(sliding(0, 1, "-2*tanh(s.v) - sin(t)*s.q"));
  ASSERT_TRUE(example) << example.problem;
  EXPECT_TRUE(example.system->events().empty());
  EXPECT_TRUE(example.system->initial_state().mode.empty());
}

}  // namespace
}  // namespace cartan::test
