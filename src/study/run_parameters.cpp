#include "study/run_parameters.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include "model/mass_properties.h"
#include "symbolic/expression.h"

namespace cartan::study {
namespace {

constexpr double moment_slack = 1e-9;  // of the largest principal moment, as for model files

Eigen::Vector3d principal_moments_of(const Sym3<double>& s) {
  if (s.xy == 0 && s.xz == 0 && s.yz == 0) {
    Eigen::Vector3d moments(s.xx, s.yy, s.zz);
    std::sort(moments.data(), moments.data() + 3);
    return moments;
  }
  Eigen::Matrix3d m;
  m << s.xx, s.xy, s.xz, s.xy, s.yy, s.yz, s.xz, s.yz, s.zz;
  return Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(m, Eigen::EigenvaluesOnly).eigenvalues();
}

bool depends_on_inputs(const MassProperties<Expression>& p) {
  const Expression* const numbers[] = {&p.mass,       &p.com[0],     &p.com[1],     &p.com[2],
                                       &p.inertia.xx, &p.inertia.yy, &p.inertia.zz, &p.inertia.xy,
                                       &p.inertia.xz, &p.inertia.yz};
  return std::any_of(std::begin(numbers), std::end(numbers),
                     [](const Expression* x) { return !x->is_number(); });
}

}  // namespace

RunParameters::RunParameters(const Study& study)
    : model_(*study.model), values_(parameter_values(*study.model)) {
  for (const StudyInput& input : study.inputs) inputs_.push_back(input.parameter);
  ExpressionGraph graph;
  std::vector<Expression> symbols(model_.parameters.size(), Expression(0));
  for (const int i : model_.parameter_order) {
    if (std::find(inputs_.begin(), inputs_.end(), i) != inputs_.end()) {
      symbols[i] = graph.symbol(model_.parameters[i].name, values_[i]);
      continue;
    }
    symbols[i] =
        evaluate<Expression>(model_.parameters[i].value, std::span<const Expression>(symbols))[0];
    if (!symbols[i].is_number()) followers_.push_back(i);
  }
  for (std::size_t b = 0; b < model_.bodies.size(); ++b)
    if (depends_on_inputs(calc_mass_properties<Expression>(model_.bodies[b], symbols)))
      bodies_.push_back(static_cast<int>(b));
}

const std::vector<double>& RunParameters::fill(std::span<const double> inputs) {
  for (std::size_t k = 0; k < inputs.size(); ++k) values_[inputs_[k]] = inputs[k];
  for (const int i : followers_)
    values_[i] = evaluate<double>(model_.parameters[i].value, values_)[0];
  return values_;
}

std::string RunParameters::find_bad_mass() const {
  for (const int b : bodies_) {
    const Body& body = model_.bodies[b];
    const MassProperties<double> p = calc_mass_properties<double>(body, values_);
    if (!(p.mass >= 0 && std::isfinite(p.mass)))
      return fmt::format("mass of body '{}' must be at least 0, got {:g}", body.name, p.mass);
    const Eigen::Vector3d moments = principal_moments_of(p.inertia);
    const double slack = moment_slack * moments.cwiseAbs().maxCoeff();
    if (!moments.allFinite() || moments[0] < -slack || moments[0] + moments[1] < moments[2] - slack)
      return fmt::format("no body has the principal moments {:g}, {:g}, {:g} of body '{}'",
                         moments[0], moments[1], moments[2], body.name);
  }
  return "";
}

}  // namespace cartan::study
