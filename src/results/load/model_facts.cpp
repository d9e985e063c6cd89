#include "results/load/model_facts.h"

#include <cmath>

#include "core/dense.h"
#include "model/mass_properties.h"
#include "results/load/load.h"

namespace cartan::results {
namespace {

Eigen::Matrix3d matrix(const Sym3<double>& s) {
  Eigen::Matrix3d m;
  m << s.xx, s.xy, s.xz, s.xy, s.yy, s.yz, s.xz, s.yz, s.zz;
  return m;
}
Eigen::Vector3d vector(const Vec3<double>& a) {
  return {a.x, a.y, a.z};
}
Eigen::Matrix3d matrix(const Mat3<double>& m) {
  Eigen::Matrix3d result;
  result << vector(m.c[0]), vector(m.c[1]), vector(m.c[2]);
  return result;
}

void calc_masses(const Model& model, const std::vector<BodyState>& bodies, ModelFacts& facts) {
  const std::vector<double> parameters = parameter_values(model);
  std::vector<double> masses;
  std::vector<Eigen::Vector3d> centres;
  std::vector<Eigen::Matrix3d> inertias;  // about them, world axes
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const auto body = calc_mass_properties<double>(model.bodies[b], parameters);
    const Eigen::Matrix3d R = matrix(rotation_matrix(bodies[b].orientation));
    masses.push_back(body.mass);
    centres.push_back(vector(bodies[b].position) + R * vector(body.com));
    inertias.push_back(R * matrix(body.inertia) * R.transpose());
    facts.mass += body.mass;
  }
  if (facts.mass <= 0) return;
  Eigen::Vector3d com = Eigen::Vector3d::Zero();
  for (std::size_t b = 0; b < masses.size(); ++b) com += masses[b] / facts.mass * centres[b];
  facts.com = {com.x(), com.y(), com.z()};
  Eigen::Matrix3d about_com = Eigen::Matrix3d::Zero();
  for (std::size_t b = 0; b < masses.size(); ++b) {
    const Eigen::Vector3d x = centres[b] - com;
    about_com += inertias[b] +
                 masses[b] * (x.squaredNorm() * Eigen::Matrix3d::Identity() - x * x.transpose());
  }
  if (!about_com.allFinite()) {  // beyond the range of numbers
    facts.principal = {std::nan(""), std::nan(""), std::nan("")};
    return;
  }
  Eigen::Vector3d moments =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(about_com, Eigen::EigenvaluesOnly)
          .eigenvalues();
  for (double& moment : moments)  // of a thin rod or a point: zero, but for rounding
    if (std::fabs(moment) < 1e-14 * about_com.trace()) moment = 0;
  facts.principal = {moments[0], moments[1], moments[2]};
}

}  // namespace

ModelFacts collect_facts(const Model& model) {
  ModelFacts facts;
  for (const TreeJoint& step : model.tree) facts.speeds += model.joints[step.joint].nv();
  const std::unique_ptr<System> system = load_system(model, "recursive", SystemUse::derivation);
  const auto* mechanism = dynamic_cast<const MechanicalSystem*>(system.get());
  Observation now;
  const auto workspace = system->make_workspace();
  mechanism->observe(system->initial_state(), now, *workspace);
  calc_masses(model, now.bodies, facts);
  facts.constraints = mechanism->report_constraints(system->initial_state(), *workspace);
  facts.assembly = mechanism->assembly();
  facts.position_violation = now.position_violation;
  facts.velocity_violation = now.velocity_violation;
  return facts;
}

}  // namespace cartan::results
