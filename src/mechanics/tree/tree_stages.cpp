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
  if (w.stages.size() < slots) {
    w.stages.resize(slots);
    for (auto* numbers : {&w.stage_x, &w.stage_forces}) numbers->resize(mechanism_.nv);
    for (auto* numbers : {&w.real_x, &w.real_forces}) numbers->resize(mechanism_.nv);
  }
  TreeWorkspace::StageOfMethod& stage = w.stages[which];
  stage.real = s.imag() == 0;
  if (stage.real)
    return w.elimination->factorise<double>(s.real(), s.real() * s.real(), nullptr, stage.of_reals);
  const Complex length(s.real(), s.imag());
  w.elimination->factorise<Complex>(length, length * length, nullptr, stage.factors);
}

// (M + s dID/dv + s^2 dID/dq) y = M x. Where s is real, x is as a rule: parts one by one.
void TreeSystem::solve_stage(int which, std::span<std::complex<double>> x,
                             Workspace& workspace) const {
  TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
  const std::vector<int>& speed = slope_plan_->speed;
  TreeWorkspace::StageOfMethod& stage = w.stages[which];
  if (stage.real) {
    const std::span<double> forces = w.real_forces;
    const auto solve_part = [&](auto&& read, auto&& write) {
      bool any = false;
      for (int p = 0; p < mechanism_.nv; ++p) any |= (w.real_x[p] = read(x[speed[p]])) != 0;
      if (!any) return;
      w.elimination->multiply_mass<double>(w.real_x, forces);
      w.elimination->solve<double>(stage.of_reals, forces);
      for (int p = 0; p < mechanism_.nv; ++p) write(x[speed[p]], forces[p]);
    };
    using Number = std::complex<double>;
    solve_part([](const Number& a) { return a.real(); }, [](Number& a, double y) { a.real(y); });
    solve_part([](const Number& a) { return a.imag(); }, [](Number& a, double y) { a.imag(y); });
    return;
  }
  for (int p = 0; p < mechanism_.nv; ++p) w.stage_x[p] = {x[speed[p]].real(), x[speed[p]].imag()};
  const std::span<Complex> forces = w.stage_forces;
  w.elimination->multiply_mass<Complex>(w.stage_x, forces);
  w.elimination->solve<Complex>(stage.factors, forces);
  for (int p = 0; p < mechanism_.nv; ++p) x[speed[p]] = {forces[p].re, forces[p].im};
}

bool TreeSystem::factorise_residual(const MotionPoint& at, const MotionDirections& directions,
                                    std::span<double> residual, Workspace& workspace) const {
  if (!along_tree_) return false;
  TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
  w.residual.resize(mechanism_.nv);
  calc_motion_residual<double>(mechanism_,
                               {at.t, at.q.data(), at.v.data(), at.a.data(), at.lambda.data()},
                               at.mode, residual.data(), w.motion);
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
