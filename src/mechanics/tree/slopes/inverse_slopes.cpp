// Forces of joints from accelerations, and their derivatives by the state: the recursion of
// motion_slopes.h with every joint held, else dual numbers.
#include <algorithm>

#include "mechanics/machine/several_points.h"
#include "mechanics/tree/recursive.h"
#include "mechanics/tree/tree_rates.h"
#include "mechanics/tree/tree_system_class.h"

namespace cartan::mechanics {

namespace {

template <class S>
void calc_held_forces(const Mechanism<S>& mechanism, const S& t, const S* x,
                      std::span<const double> a, std::span<const int> mode, S* forces,
                      MotionWorkspace<S>& ws) {
  const S* v = x + mechanism.nq;
  std::copy(mode.begin(), mode.end(), ws.mode.begin());
  set_variables(mechanism, v + mechanism.nv, ws);
  fill_kinematics<S>(mechanism, t, x, v, ws);
  fill_forces(mechanism, ws);
  std::copy(a.begin(), a.end(), ws.vdot.begin());
  std::fill(ws.lambda.begin(), ws.lambda.end(), S(0));
  add_friction_at_loads<S>(mechanism, ws, nullptr);
  calc_inverse_dynamics<S>(mechanism, ws, {forces, static_cast<std::size_t>(mechanism.nv)});
  if (mechanism.has_forces)
    for (int j = 0; j < mechanism.nv; ++j) forces[j] -= ws.tau[j];
}

}  // namespace

std::string TreeSystem::refuse_inverse() const {
  if (!has_joint_coordinates())
    return "forces of joints need joint coordinates: use the formulation recursive";
  if (mechanism_.bearing_count > 0)
    return "friction with bearings depends on what joints carry, which is not known here: give it "
           "a "
           "constant `load`";
  return "";
}

void TreeSystem::joint_forces(StateView at, std::span<const double> a, std::span<double> forces,
                              Workspace& workspace) const {
  calc_held_forces<double>(mechanism_, at.t, at.x.data(), a, at.mode, forces.data(),
                           static_cast<TreeWorkspace&>(workspace).motion);
}

void TreeSystem::joint_force_jacobian(StateView at, std::span<const double> a,
                                      Eigen::Ref<Eigen::MatrixXd> by_x,
                                      Workspace& workspace) const {
  TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
  if (!slopes_apply(at.mode))
    return differentiate_columns(at.x, mechanism_.state_size(), by_x, w.dual_x, w.dual_xdot,
                                 [&](const Dual4* x, Dual4* forces) {
                                   calc_held_forces<Dual4>(dual_mechanism_, Dual4(at.t), x, a,
                                                           at.mode, forces, dual_of(w));
                                 });
  w.residual.resize(mechanism_.nv);
  joint_forces(at, a, w.residual, workspace);
  make_slopes_in(w);
  w.slopes->fill_forces(w.motion, dual_of(w));
  const Eigen::Index n = static_cast<Eigen::Index>(at.x.size());
  w.product_matrix.resize(n, n);
  w.slopes->write(w.motion, w.product_matrix);
  by_x = w.product_matrix.middleRows(mechanism_.nq, mechanism_.nv);
  by_x.rightCols(quadratures()).setZero();
}

}  // namespace cartan::mechanics
