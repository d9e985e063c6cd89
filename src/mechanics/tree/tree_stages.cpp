// Implicit methods along the tree (stage_elimination.h).
#include "mechanics/forces/forces.h"
#include "mechanics/machine/kinematics.h"
#include "mechanics/tree/tree_system_class.h"

namespace cartan::mechanics {

StageElimination& TreeSystem::elimination_in(TreeWorkspace& w) const {
  if (!w.elimination)
    w.elimination = std::make_unique<StageElimination>(mechanism_, dual_mechanism_, *slope_plan_);
  return *w.elimination;
}

bool TreeSystem::linearise(StateView at, Workspace& workspace) const {
  if (!along_tree_ || !slopes_apply(at.mode)) return false;
  TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
  ++w.jacobians;
  solve_at(at, w.motion);
  elimination_in(w).linearise(w.motion, dual_of(w));
  return true;
}

void TreeSystem::factorise_stage(int which, std::complex<double> s, Workspace& workspace) const {
  TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
  const std::size_t slots = static_cast<std::size_t>(which) + 1;
  if (w.stage_factors.size() < slots) {
    w.stage_factors.resize(slots);
    w.stage_x.resize(mechanism_.nv);
    w.stage_forces.resize(mechanism_.nv);
  }
  const Complex length(s.real(), s.imag());
  w.elimination->factorise<Complex>(length, length * length, nullptr, w.stage_factors[which]);
}

// (M + s dID/dv + s^2 dID/dq) y = M x.
void TreeSystem::solve_stage(int which, std::span<std::complex<double>> x,
                             Workspace& workspace) const {
  TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
  const std::vector<int>& speed = slope_plan_->speed;
  for (int p = 0; p < mechanism_.nv; ++p) w.stage_x[p] = {x[speed[p]].real(), x[speed[p]].imag()};
  const std::span<Complex> forces = w.stage_forces;
  w.elimination->multiply_mass<Complex>(w.stage_x, forces);
  w.elimination->solve<Complex>(w.stage_factors[which], forces);
  for (int p = 0; p < mechanism_.nv; ++p) x[speed[p]] = {forces[p].re, forces[p].im};
}

bool TreeSystem::factorise_residual(const MotionPoint& at, const MotionDirections& directions,
                                    Workspace& workspace) const {
  if (!along_tree_) return false;
  TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
  w.residual.resize(mechanism_.nv);
  calc_motion_residual<double>(mechanism_,
                               {at.t, at.q.data(), at.v.data(), at.a.data(), at.lambda.data()},
                               at.mode, w.residual.data(), w.motion);
  elimination_in(w).linearise(w.motion, dual_of(w));
  w.elimination->factorise<double>(directions.v_scale, directions.q_scale, directions.turn,
                                   w.motion_factors);
  return true;
}

void TreeSystem::solve_residual(std::span<double> residual, Workspace& workspace) const {
  TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
  const std::vector<int>& speed = slope_plan_->speed;
  for (int p = 0; p < mechanism_.nv; ++p) w.residual[p] = residual[speed[p]];
  w.elimination->solve<double>(w.motion_factors, w.residual);
  for (int p = 0; p < mechanism_.nv; ++p) residual[speed[p]] = w.residual[p];
}

}  // namespace cartan::mechanics
