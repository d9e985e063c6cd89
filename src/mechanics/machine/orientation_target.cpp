#include "mechanics/machine/orientation_target.h"

#include <array>

#include "core/dense.h"
#include "lie/so3.h"

namespace cartan::mechanics {
namespace {

Formula angular_velocity_formula(int body, int component) {
  Formula formula;
  formula.program.inputs = {Symbol{Quantity::body_angular, body, component}};
  formula.program.code = {Instruction{Op::input, 0}};
  formula.program.outputs = {0};
  return formula;
}

class OrientationTarget final : public StateEquations {
 public:
  using Functions = std::array<std::unique_ptr<StateFunction>, 3>;
  OrientationTarget(const MechanicalSystem& system, int body, const Quat<double>& target,
                    std::string name, Functions angular)
      : system_(system),
        body_(body),
        target_(target),
        name_(std::move(name)),
        angular_(std::move(angular)) {}

  std::string name() const override { return name_; }
  int rows() const override { return 3; }

  void values(StateView at, Eigen::Ref<Eigen::VectorXd> e, Workspace& workspace) const override {
    const Vec3<double> u = error(at, workspace);
    e << u.x, u.y, u.z;
  }

  void jacobian(StateView at, Eigen::Ref<Eigen::MatrixXd> J, Workspace& workspace) const override {
    const int nq = system_.kinematic_size();
    const int speeds = tangent_place(system_.space(), nq);
    // W: derivatives of the angular velocity by the speeds
    Eigen::MatrixXd W(3, speeds);
    std::vector<double> gradient(at.x.size());
    for (int i = 0; i < 3; ++i) {
      angular_[i]->gradient(at, gradient, workspace);
      for (int k = 0; k < speeds; ++k) W(i, k) = gradient[nq + k];
    }
    const Eigen::MatrixXd by_tangent =
        Eigen::PartialPivLU<Eigen::MatrixXd>(speed_map(at, speeds, workspace).transpose())
            .solve(W.transpose())
            .transpose();
    const Vec3<double> u = error(at, workspace);
    const Mat3<double> D = RotationAlgebra<double>::dexp_inverse_matrix(-u);
    J.setZero();
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) J.row(i).head(speeds) += D(i, k) * by_tangent.row(k);
  }

 private:
  Vec3<double> error(StateView at, Workspace& workspace) const {
    Observation now;
    system_.observe(at, now, workspace);
    return log(conjugate(target_) * now.bodies[body_].orientation);
  }

  // Tangent rates of the positions by the speeds, as many as there are.
  Eigen::MatrixXd speed_map(StateView at, int speeds, Workspace& workspace) const {
    const StateSpace& space = system_.space();
    const int nq = system_.kinematic_size();
    State unit{at.t, {at.x.begin(), at.x.end()}, {at.mode.begin(), at.mode.end()}};
    std::vector<double> rate(space.size(), 0.0), xi(space.tangent_size());
    Eigen::MatrixXd N(speeds, speeds);
    for (int k = 0; k < speeds; ++k) {
      for (int j = 0; j < speeds; ++j) unit.x[nq + j] = j == k ? 1 : 0;
      system_.kinematic_rates(unit, std::span<double>(rate).first(nq), workspace);
      space.to_tangent(unit.x, rate, xi);
      N.col(k) = Eigen::Map<const Eigen::VectorXd>(xi.data(), speeds);
    }
    return N;
  }

  const MechanicalSystem& system_;
  int body_;
  Quat<double> target_;
  std::string name_;
  Functions angular_;
};

}  // namespace

std::unique_ptr<StateEquations> make_orientation_target(const MechanicalSystem& system, int body,
                                                        const Quat<double>& target,
                                                        std::string name) {
  OrientationTarget::Functions angular;
  for (int i = 0; i < 3; ++i) {
    angular[i] = system.make_function(angular_velocity_formula(body, i));
    if (!angular[i]) return nullptr;
  }
  return std::make_unique<OrientationTarget>(system, body, target, std::move(name),
                                             std::move(angular));
}

}  // namespace cartan::mechanics
