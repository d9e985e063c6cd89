// Derivatives of predicted measurements by parameters, at times and at events, against differences
// of predictions with other values.
#include "analysis/fits/prediction.h"

#include <gtest/gtest.h>

#include "mechanics/machine/state_expression.h"
#include "support/example.h"

namespace cartan::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Setting {
  std::string example;
  std::vector<std::string> parameters, quantities;
  std::vector<double> times;  // empty: events
  int events = 0;
  Settings start = {};
};

struct Predictor {
  explicit Predictor(const Setting& setting)
      : setting(setting),
        example(load_example(setting.example, "recursive", setting.start)),
        model(*example.model) {
    for (const std::string& name : setting.parameters) which.push_back(model.find_parameter(name));
    const std::vector<double> all = parameter_values(model);
    theta.resize(static_cast<int>(which.size()));
    for (int j = 0; j < theta.size(); ++j) theta(j) = all[which[j]];
  }

  Prediction at(const VectorXd& values, bool slopes) const {
    std::string problem;
    const auto system = make_system(
        model, parameter_values(model, which, {values.data(), which.size()}), "recursive", problem);
    EXPECT_EQ(problem, "");
    std::vector<std::unique_ptr<StateFunction>> functions;
    Protocol protocol{setting.times, setting.times.empty() ? 0 : -1, setting.events, 10, {}};
    if (!setting.times.empty()) protocol.duration = setting.times.back();
    for (const std::string& text : setting.quantities) {
      functions.push_back(make_state_function(*system, model, text, problem));
      protocol.quantities.push_back(functions.back().get());
    }
    const State start = system->initial_state();
    const auto& mechanism = dynamic_cast<const MechanicalSystem&>(*system);
    MatrixXd by_start = MatrixXd::Zero(system->space().size() - system->quadratures(),
                                       static_cast<int>(which.size()));
    EXPECT_EQ(mechanism.fill_start_slopes(start, which, {}, {}, by_start), "");
    SimulateOptions options;
    options.integrator = "dop853";
    options.tolerance = 1e-12;
    if (!slopes) return predict(*system, start, by_start.leftCols(0), {}, protocol, options);
    return predict(*system, start, by_start, which, protocol, options,
                   {theta.begin(), theta.end()});
  }

  const Setting& setting;
  Example example;
  const Model& model;
  std::vector<int> which;
  VectorXd theta;
};

// Values of all rows, then the times.
VectorXd flatten(const Prediction& p) {
  VectorXd all(p.values.size() + static_cast<int>(p.t.size()));
  all << p.values.reshaped(), Eigen::Map<const VectorXd>(p.t.data(), static_cast<int>(p.t.size()));
  return all;
}

void check(const Setting& setting) {
  SCOPED_TRACE(setting.example);
  const Predictor predictor(setting);
  const Prediction exact = predictor.at(predictor.theta, true);
  ASSERT_EQ(exact.problem, "");
  const int rows = static_cast<int>(exact.t.size());
  for (int j = 0; j < predictor.theta.size(); ++j) {
    SCOPED_TRACE(setting.parameters[j]);
    const auto moved = [&](double part) {
      VectorXd theta = predictor.theta;
      theta(j) *= 1 + part;
      const Prediction p = predictor.at(theta, false);
      EXPECT_EQ(p.problem, "");
      return flatten(p);
    };
    const auto central = [&](double h) { return VectorXd((moved(h) - moved(-h)) / (2 * h)); };
    const VectorXd expected = (4 * central(5e-4) - central(1e-3)) / 3;
    VectorXd found = VectorXd::Zero(expected.size());
    const int q = static_cast<int>(setting.quantities.size());
    for (int k = 0; k < rows; ++k) {
      for (int i = 0; i < q; ++i) found(i * rows + k) = exact.by_parameters[k](i, j);
      found(q * rows + k) = exact.time_by_parameters(k, j);
    }
    found *= predictor.theta(j);
    const double size = expected.lpNorm<Eigen::Infinity>();
    EXPECT_LT((found - expected).lpNorm<Eigen::Infinity>(), 3e-7 * size);
    EXPECT_GT(size, 1e-6);
  }
}

// Friction that reverses, six parameters: two passes of four directions.
TEST(PredictionDerivatives, AtTurningPointsWithFriction) {
  check({"constructed_pendulum_friction_b",
         {"c3", "c4", "c5", "c6", "c7", "cB"},
         {"shoulder.q", "base.v"},
         {},
         8});
}

TEST(PredictionDerivatives, AtTimesOfAClosedMechanism) {
  check({"governor",
         {"m", "flywheel", "speed", "start", "L"},
         {"bearing.v", "sleeve_guide.q"},
         {0, 0.1, 0.25, 0.5},
         0});
}

TEST(PredictionDerivatives, OfBearingLoads) {
  check({"arm_friction", {"C10", "l2"}, {"shoulder.q"}, {}, 6, {{"C10", 0.0015}}});
}

}  // namespace
}  // namespace cartan::test
