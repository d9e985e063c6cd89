#include "study/mass_check.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include "model/mass_properties.h"

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

}  // namespace

std::string find_bad_mass(const Model& model, std::span<const double> parameters) {
  for (const Body& body : model.bodies) {
    const MassProperties<double> p = calc_mass_properties<double>(body, parameters);
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
