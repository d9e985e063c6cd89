// How a start given in [speeds] depends on parameters, against differences of starts.
#include <gtest/gtest.h>

#include "mechanics/machine/mechanism_system.h"
#include "support/example.h"
#include "support/two_arms.h"

namespace cartan::test {
namespace {

const std::string arms_with_speeds = two_arms(
    {bent_arms.parameters + "offset = 0.1\n", bent_arms.first, bent_arms.second}, R"toml([speeds]
reach = { value = "(1 + cos(b.q))*a.v + offset", initial = "first" }
turn = { value = "fore.wy", initial = "second*bend" }
)toml");

State start_with(const Model& model, int parameter, double change) {
  std::vector<double> values = parameter_values(model);
  values[parameter] += change;
  std::string problem;
  return make_system(model, values, "recursive", problem)->initial_state();
}

TEST(ChosenStartSlopes, AreThoseOfDifferences) {
  const Example arms = load_text(arms_with_speeds);
  const Model& model = *arms.model;
  std::vector<int> which;
  for (const char* name : {"first", "second", "bend", "offset"})
    which.push_back(model.find_parameter(name));
  std::string problem;
  const auto system = make_system(model, parameter_values(model), "recursive", problem);
  const auto& mechanism = dynamic_cast<const MechanicalSystem&>(*system);
  const State start = system->initial_state();
  Eigen::MatrixXd J(start.x.size(), which.size());
  ASSERT_EQ(mechanism.fill_start_slopes(start, which, {}, {}, J), "");
  for (std::size_t k = 0; k < which.size(); ++k) {
    const double h = 1e-5;
    const State more = start_with(model, which[k], h), less = start_with(model, which[k], -h);
    double largest = 0;
    for (std::size_t i = 0; i < start.x.size(); ++i) {
      const double slope = (more.x[i] - less.x[i]) / (2 * h);
      EXPECT_NEAR(J(i, k), slope, 1e-8) << i << " by parameter " << k;
      largest = std::max(largest, std::fabs(slope));
    }
    EXPECT_GT(largest, 0.1);
  }
}

// One value alone leaves the rest to the rule of least change, which the masses are part of.
TEST(ChosenStartSlopes, AreRefusedWhereMassesDecide) {
  std::string text = arms_with_speeds;
  const std::string second = ", initial = \"second*bend\"";
  text.erase(text.find(second), second.size());
  const Example arms = load_text(text);
  std::string problem;
  const auto system = make_system(*arms.model, parameter_values(*arms.model), "recursive", problem);
  const auto& mechanism = dynamic_cast<const MechanicalSystem&>(*system);
  const int which[] = {arms.model->find_parameter("first")};
  const State start = system->initial_state();
  Eigen::MatrixXd J(start.x.size(), 1);
  EXPECT_NE(mechanism.fill_start_slopes(start, which, {}, {}, J).find("is not known"),
            std::string::npos);
}

}  // namespace
}  // namespace cartan::test
