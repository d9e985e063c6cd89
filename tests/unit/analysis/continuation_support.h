// Families of a model's text for the tests of continuation.
#pragma once

#include "analysis/orbit_continuation.h"
#include "analysis/steady_branch.h"
#include "support.h"

namespace cartan::test {

inline std::unique_ptr<System> system_with(const Model& model, int parameter, double p) {
  std::string problem;
  const int which[] = {parameter};
  const double value[] = {p};
  auto system = make_system(model, parameter_values(model, which, value), "recursive", problem);
  EXPECT_TRUE(system) << problem;
  return system;
}

inline SteadyFamily steady_family(const Example& e, const std::string& parameter, double from,
                                  double to, const std::vector<std::string>& holds = {}) {
  SteadyFamily family;
  const Model* model = e.model.get();
  family.parameter = model->find_parameter(parameter);
  family.name = parameter;
  family.from = from;
  family.to = to;
  family.held = holds;
  std::shared_ptr<const System> fixed;
  if (family.parameter < 0) {
    fixed = std::shared_ptr<const System>(e.system.get(), [](const System*) {});
    family.expression = function_of(e, parameter);
  }
  family.make = [model, index = family.parameter, fixed, holds](double p) {
    SteadyMember member;
    member.system = fixed ? fixed : system_with(*model, index, p);
    std::string problem;
    for (const std::string& text : holds)
      member.held.push_back(make_state_function(*member.system, *model, text, problem));
    return member;
  };
  return family;
}

inline OrbitSetting orbit_setting(const Example& e, const std::string& parameter, double from,
                                  double to, const std::string& section = "") {
  OrbitSetting setting;
  const Model* model = e.model.get();
  setting.from = from;
  setting.to = to;
  setting.family.parameter = model->find_parameter(parameter);
  setting.family.make = [model, index = setting.family.parameter, section](double p) {
    OrbitMember member;
    member.system = system_with(*model, index, p);
    std::string problem;
    if (!section.empty())
      member.section = make_state_function(*member.system, *model, section, problem);
    return member;
  };
  return setting;
}

inline ContinuationOptions branch_options(double from, double to, int points = 500) {
  ContinuationOptions options;
  options.from = from;
  options.to = to;
  options.most_points = points;
  return options;
}

// From the initial state.
inline Branch branch_of(SteadyBranch& problem, const Example& e,
                        const ContinuationOptions& options) {
  ContinuationPoint point;
  const std::string reason = problem.start(e.system->initial_state(), point);
  EXPECT_EQ(reason, "");
  if (!reason.empty()) return {};
  Branch branch = follow_branch(problem, point, options);
  EXPECT_EQ(branch.problem, "");
  return branch;
}

inline std::vector<BifurcationKind> kinds_of(const Branch& branch) {
  std::vector<BifurcationKind> kinds;
  for (const Bifurcation& one : branch.bifurcations) kinds.push_back(one.kind);
  return kinds;
}

}  // namespace cartan::test
