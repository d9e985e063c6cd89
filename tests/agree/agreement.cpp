#include "agreement.h"

#include <Eigen/Eigenvalues>

namespace cartan::test {

std::unique_ptr<Case> make_case(Model model, double t) {
  auto c = std::make_unique<Case>();
  c->model = std::move(model);
  c->parameters = parameter_values(c->model);
  for (const FormulationInfo& row : formulation_table()) {
    if (std::string(row.name) == "canonical") continue;  // other numbers: canonical_test.cpp
    // compiling hundreds of mechanisms takes minutes: tests/generated compares their expressions
    if (std::string(row.name) == "generated") continue;
    const bool absolute = std::string(row.name).starts_with("absolute") ||
                          std::string(row.name) == "rotation-elements";
    if (absolute && !row.refusal(c->model).empty()) continue;  // sticking joints
    EXPECT_EQ(row.refusal(c->model), "") << row.name;
    (absolute ? c->absolute : c->systems).push_back(row.make(c->model, c->parameters));
  }
  for (const Joint& joint : c->model.joints) {
    c->nq += joint.nq();
    c->nv += joint.nv();
  }
  c->state = c->systems[0]->make_state(t, {}, {});
  return c;
}

State Case::absolute_state(const MechanicalSystem& system) const {
  const auto workspace = systems[0]->make_workspace();
  Observation now;
  systems[0]->observe(state, now, *workspace);
  return system.make_state(state.t, {now.q.begin(), now.q.end()}, {now.v.begin(), now.v.end()});
}

std::unique_ptr<Case> make_case(std::uint64_t seed, const RandomMechanismOptions& options) {
  return make_case(make_checked_random_model(seed, options), Random(seed).uniform(0.2, 2));
}

State state_in(const MechanicalSystem& system, const Case& c) {
  const std::unique_ptr<Workspace> workspace = c.systems[0]->make_workspace();
  Observation now;
  c.systems[0]->observe(c.state, now, *workspace);
  return system.make_state(c.state.t, {now.q.begin(), now.q.end()}, {now.v.begin(), now.v.end()});
}

Eigen::VectorXd flat(const std::vector<std::vector<double>>& per_joint) {
  std::vector<double> all;
  for (const std::vector<double>& list : per_joint) all.insert(all.end(), list.begin(), list.end());
  return Eigen::Map<Eigen::VectorXd>(all.data(), static_cast<Eigen::Index>(all.size()));
}

Conditioning calc_conditioning(const Eigen::MatrixXd& mass_matrix) {
  Conditioning c;
  if (mass_matrix.rows() == 0) return c;
  c.scale = mass_matrix.diagonal().cwiseSqrt();
  const Eigen::VectorXd inverse = c.scale.cwiseInverse();
  const Eigen::MatrixXd scaled = inverse.asDiagonal() * mass_matrix * inverse.asDiagonal();
  const Eigen::VectorXd values =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(scaled, Eigen::EigenvaluesOnly).eigenvalues();
  c.largest = values.tail(1)(0);
  c.kappa = c.largest / values(0);
  return c;
}

}  // namespace cartan::test
