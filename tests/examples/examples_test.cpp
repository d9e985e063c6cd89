// Every model file of examples/ is read, built in every formulation that takes it, and moves as its
// own settings say: so that no example rots.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "support/example.h"

namespace cartan::test {
namespace {

std::vector<std::string> example_names() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(CARTAN_ROOT) + "/examples"))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

double value_of(const Formula& formula, const std::vector<double>& parameters, double otherwise) {
  return formula.given() ? evaluate<double>(formula, parameters)[0] : otherwise;
}

// The file's own defaults, cut short.
SimulateOptions short_run(const Model& model) {
  const std::vector<double> parameters = parameter_values(model);
  SimulateOptions options;
  options.integrator = model.simulate.integrator;
  options.step = value_of(model.simulate.step, parameters, 0);
  options.tolerance = value_of(model.simulate.tolerance, parameters, 0);
  options.duration =
      std::min(value_of(model.simulate.duration, parameters, 0), std::max(0.2, 20 * options.step));
  if (model.bodies.size() >
      30) {  // by dense formulations: slow, and rounding is felt early in the stages
    options.duration = 3 * options.step;
    options.tolerance = std::max(options.tolerance, 1e-9);
  }
  return options;
}

class Examples : public testing::TestWithParam<std::string> {};

TEST_P(Examples, BeginWithWhatToLookFor) {
  std::ifstream file(std::string(CARTAN_ROOT) + "/examples/" + GetParam() + ".toml");
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  ASSERT_FALSE(text.empty());
  EXPECT_EQ(text[0], '#');
  EXPECT_LT(text.find("# Look for: "), text.find("\nname = "));
}

TEST_P(Examples, HaveDefaultsOfARun) {
  const Example example = load_example(GetParam());
  ASSERT_TRUE(example);
  const SimulateDefaults& given = example.model->simulate;
  EXPECT_TRUE(given.duration.given());
  EXPECT_TRUE(given.step.given());
  EXPECT_FALSE(given.integrator.empty());
  EXPECT_FALSE(example.model->name.empty());
}

// Kinetic and potential energy change by the work that is counted, and by nothing else.
double imbalance(const MechanicalSystem& system, const State& start, const State& end,
                 double& scale) {
  const Observation a = observe(system, start), b = observe(system, end);
  scale = std::max({1.0, std::fabs(a.kinetic), std::fabs(a.potential), std::fabs(b.kinetic),
                    std::fabs(b.potential)});
  return std::fabs(b.kinetic + b.potential - b.work - (a.kinetic + a.potential));
}

// q and v of all joints.
std::vector<double> joint_numbers(const MechanicalSystem& system, const State& state) {
  const Observation now = observe(system, state);
  std::vector<double> all;
  for (const auto* lists : {&now.q, &now.v})
    for (const std::vector<double>& list : *lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

TEST_P(Examples, MoveInEveryFormulation) {
  std::vector<double> first_end;
  int taken = 0;
  for (const FormulationInfo& formulation : formulation_table()) {
    if (const Example plain = load_example(GetParam());
        plain && plain.model->is_mechanism() && !formulation.refusal(*plain.model).empty())
      continue;
    SCOPED_TRACE(formulation.name);
    const Example example = load_example(GetParam(), formulation.name);
    ASSERT_TRUE(example);
    ++taken;
    SimulateOptions options = short_run(*example.model);
    const State start = example.system->initial_state();
    const SimulateReport report = simulate(*example.system, start, options, Observer{});
    ASSERT_TRUE(report.ok()) << report.message;
    EXPECT_GE(report.steps, 3);
    EXPECT_NE(report.final_state.x, start.x);
    if (!example.model->is_mechanism()) break;  // formulations mean nothing to plain equations
    double scale = 1;
    // elements of matrices turn twice as fast as quaternions: 2^6 times the error of gl3
    const bool elements = std::string(formulation.name) == "rotation-elements";
    EXPECT_LE(imbalance(example.mechanism(), start, report.final_state, scale),
              (elements ? 64e-8 : 1e-8) * scale);
    // coordinates and speeds agree number by number, whatever the state is
    const std::vector<double> end = joint_numbers(example.mechanism(), report.final_state);
    if (first_end.empty()) first_end = end;
    // stages in momenta have another truncation error, which stiff dampers bring out
    const bool in_momenta = std::string(formulation.name) == "canonical";
    // of poses whole turns and signs of quaternions are not known
    const bool absolute = elements || std::string(formulation.name).starts_with("absolute");
    if (!absolute) {
      EXPECT_LE(largest_difference(first_end, end), (in_momenta ? 1e-6 : 1e-9) * scale);
    }
  }
  EXPECT_GE(taken, 1);
}

INSTANTIATE_TEST_SUITE_P(All, Examples, testing::ValuesIn(example_names()),
                         [](const auto& info) { return info.param; });

TEST(ExampleFolder, IsNotEmpty) {
  EXPECT_GE(example_names().size(), 30u);
}

}  // namespace
}  // namespace cartan::test
