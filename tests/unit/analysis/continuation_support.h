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

// d f(s) / d s at s = 0 by differences of order six: independent of all that is exact.
template <class Function>
Eigen::VectorXd difference_quotient(Function&& f, double h) {
  const auto pair = [&](double s) { return Eigen::VectorXd(f(s) - f(-s)); };
  return (45 * pair(h) - 9 * pair(2 * h) + pair(3 * h)) / (60 * h);
}

// The matrix of a continuation problem against differences of its residual, column by column; the
// first `rows` equations. Tighter than 1e-6: an error of that size in any derivative is seen.
inline void expect_exact_matrix(ContinuationProblem& problem, const ContinuationPoint& point,
                                Eigen::Index rows, double h, double tolerance) {
  const auto at = problem.linearise(point);
  ASSERT_EQ(at.problem, "");
  if (rows < 0) rows += at.residual.size();
  for (Eigen::Index j = 0; j < at.matrix.cols(); ++j) {
    const Eigen::VectorXd quotient = difference_quotient(
        [&](double s) -> Eigen::VectorXd {
          ContinuationPoint moved = point;
          const Eigen::VectorXd step = s * Eigen::VectorXd::Unit(at.matrix.cols(), j);
          EXPECT_EQ(problem.move(step, moved), "");
          return problem.linearise(moved).residual;
        },
        h);
    const double size = 1 + at.matrix.col(j).norm();
    EXPECT_LT((quotient - at.matrix.col(j)).head(rows).lpNorm<Eigen::Infinity>() / size, tolerance)
        << "column " << j << " of " << at.matrix.cols();
  }
}

inline std::vector<BifurcationKind> kinds_of(const Branch& branch) {
  std::vector<BifurcationKind> kinds;
  for (const Bifurcation& one : branch.bifurcations) kinds.push_back(one.kind);
  return kinds;
}

}  // namespace cartan::test
