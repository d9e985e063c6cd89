// Exact derivatives of a mechanism's system: by the state as formulas (motion_slopes.h) where there
// are any, everything else by dual numbers, four directions at a time.
#include <algorithm>

#include "core/dense.h"
#include "mechanics/machine/several_points.h"
#include "mechanics/tree/slopes/kinematic_slopes.h"
#include "mechanics/tree/tree_system_class.h"

namespace cartan::mechanics {

MotionScratch TreeSystem::scratch() const {
  MotionScratch scratch;
  scratch.real = [](Workspace& w) { return &static_cast<TreeWorkspace&>(w).motion; };
  scratch.dual = [this](Workspace& w) { return &dual_of(static_cast<TreeWorkspace&>(w)); };
  scratch.seeded = [this](Workspace& w, std::span<const int> which) {
    return &seeded_of(static_cast<TreeWorkspace&>(w), which);
  };
  return scratch;
}

// Mechanisms whose parameters are dual numbers, made when the list of parameters changes.
SeededMechanisms<MotionWorkspace<Dual4>>& TreeSystem::seeded_of(TreeWorkspace& w,
                                                                std::span<const int> which) const {
  w.seeded.prepare(
      model_, parameters_, which,
      [&](const std::vector<Dual4>& p) {
        Mechanism<Dual4> mechanism = make_mechanism<Dual4>(model_, p);
        if (formulation_.absolute) set_absolute(mechanism);
        return mechanism;
      },
      [&](const Mechanism<Dual4>& m) {
        MotionWorkspace<Dual4> scratch = make_motion_workspace(m);
        scratch.solver = solver_in(w);
        return scratch;
      });
  for (Mechanism<Dual4>& mechanism : w.seeded.mechanisms) {
    mechanism.baumgarte = dual_mechanism_.baumgarte;
    mechanism.world_rows = dual_mechanism_.world_rows;
  }
  return w.seeded;
}

void TreeSystem::fill_slopes(StateView at, TreeWorkspace& w) const {
  solve_at(at, w.motion);
  make_slopes_in(w);
  w.slopes->fill(w.motion, dual_of(w));
}

void TreeSystem::jacobian(StateView at, Eigen::Ref<Eigen::MatrixXd> J, Workspace& workspace) const {
  TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
  ++w.jacobians;
  if (formulation_.compiler) {
    RateCompiler& compiler = *formulation_.compiler;
    const RateCode* code =
        code_applies(at.mode) ? w.code.find_jacobian(compiler, without_turns(at)) : nullptr;
    if (code) return fill_jacobian(*code, at, compiler.parameters(), w.entries, J);
  }
  if (slopes_apply(at.mode) && w.distrust == 0) {
    fill_slopes(at, w);
    if (keep_digits(w.slopes->lost_factor(), w)) return write_slopes(w, J);
  }
  if (w.distrust > 0) --w.distrust;
  differentiate_columns(at.x, mechanism_.state_size(), J, w.dual_x, w.dual_xdot,
                        [&](const Dual4* x, Dual4* xdot) {
                          evaluate(dual_mechanism_, formulation_.solve_dual, Dual4(at.t), x,
                                   at.mode, xdot, dual_of(w));
                        });
}

void TreeSystem::write_slopes(const TreeWorkspace& w, Eigen::Ref<Eigen::MatrixXd> J) const {
  const int nq = mechanism_.nq;
  w.slopes->write(w.motion, J);
  J.rightCols(quadratures()).setZero();
  for (const Link<double>& link : mechanism_.links)
    list_kinematic_slopes(
        link, w.motion.q + link.q0, w.motion.v + link.v0,
        [&](int i, int j, double value) { J(link.q0 + i, link.q0 + j) = value; },
        [&](int i, int j, double value) { J(link.q0 + i, nq + link.v0 + j) = value; });
}

void TreeSystem::parameter_jacobian(StateView at, std::span<const int> which,
                                    Eigen::Ref<Eigen::MatrixXd> J, Workspace& workspace) const {
  TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
  w.dual_x.assign(at.x.begin(), at.x.end());
  w.dual_xdot.resize(at.x.size());
  seeded_of(w, which).fill_columns(
      J, [&](const Mechanism<Dual4>& mechanism, MotionWorkspace<Dual4>& ws) {
        evaluate(mechanism, formulation_.solve_dual, Dual4(at.t), w.dual_x.data(), at.mode,
                 w.dual_xdot.data(), ws);
        return std::span<const Dual4>(w.dual_xdot);
      });
}

// Four columns at a time: state and parameters move along them together.
void TreeSystem::carry(StateView at, const Eigen::Ref<const Eigen::MatrixXd>& S,
                       std::span<const int> which, std::span<double> xdot,
                       Eigen::Ref<Eigen::MatrixXd> rates, Workspace& workspace) const {
  TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
  auto& seeded = seeded_of(w, which);
  const int n = static_cast<int>(S.rows()), all = static_cast<int>(which.size());
  w.dual_x.assign(at.x.begin(), at.x.end());
  w.dual_xdot.resize(at.x.size());
  for (std::size_t group = 0; group < seeded.mechanisms.size(); ++group) {
    const int first = 4 * static_cast<int>(group), count = std::min(4, all - first);
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < 4; ++k) w.dual_x[i].d[k] = k < count ? S(i, first + k) : 0;
    evaluate(seeded.mechanisms[group], formulation_.solve_dual, Dual4(at.t), w.dual_x.data(),
             at.mode, w.dual_xdot.data(), seeded.scratch[group]);
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < count; ++k) rates(i, first + k) = w.dual_xdot[i].d[k];
  }
  for (std::size_t i = 0; i < xdot.size(); ++i) xdot[i] = w.dual_xdot[i].a;
}

void TreeSystem::constraint_values(StateView at, std::span<double> values,
                                   Workspace& workspace) const {
  calc_constraint_functions<double>(mechanism_, at.t, at.x.data(), at.mode, values.data(),
                                    static_cast<TreeWorkspace&>(workspace).motion);
}

void TreeSystem::constraint_jacobian(StateView at, Eigen::Ref<Eigen::MatrixXd> C,
                                     Workspace& workspace) const {
  TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
  const int varying = std::min(mechanism_.state_size(), static_cast<int>(C.cols()));
  differentiate_columns(
      at.x, varying, C, w.dual_x, w.dual_xdot, [&](const Dual4* x, Dual4* values) {
        calc_constraint_functions(dual_mechanism_, Dual4(at.t), x, at.mode, values, dual_of(w));
      });
}

void TreeSystem::constraint_parameter_jacobian(StateView at, std::span<const int> which,
                                               Eigen::Ref<Eigen::MatrixXd> C,
                                               Workspace& workspace) const {
  TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
  w.dual_x.assign(at.x.begin(), at.x.end());
  w.dual_xdot.resize(constraint_count());
  seeded_of(w, which).fill_columns(
      C, [&](const Mechanism<Dual4>& mechanism, MotionWorkspace<Dual4>& ws) {
        calc_constraint_functions(mechanism, Dual4(at.t), w.dual_x.data(), at.mode,
                                  w.dual_xdot.data(), ws);
        return std::span<const Dual4>(w.dual_xdot);
      });
}

double TreeSystem::turn(int i) const {
  for (const Link<double>& link : mechanism_.links) {
    const int k = i - link.q0;
    if (k < 0 || k >= link.nq || i >= mechanism_.nq) continue;
    return is_angle(link.type, k) ? 2 * pi : 0;
  }
  return 0;
}

// The margin of one internal event: a component of dry friction (dry_friction.h), then of torsion
// springs (turns.h).
Dual4 TreeSystem::internal_margin(const Mechanism<Dual4>& mechanism, const Dual4& t, const Dual4* x,
                                  StateView at, int component, MotionWorkspace<Dual4>& ws) const {
  const std::size_t frictions = mechanism.friction_modes,
                    contacts = static_cast<std::size_t>(turn_event0() - contact_event0());
  std::vector<Dual4> rates(at.x.size()), margins(frictions + contacts + mechanism.turn_count());
  evaluate(mechanism, formulation_.solve_dual, t, x, at.mode, rates.data(), ws);
  calc_friction_margins<Dual4>(mechanism, ws, std::span<Dual4>(margins).first(frictions));
  calc_contact_margins<Dual4>(mechanism, ws,
                              std::span<Dual4>(margins).subspan(frictions, contacts));
  calc_wrap_margins<Dual4>(mechanism, ws, std::span<Dual4>(margins).subspan(frictions + contacts));
  return margins[component];
}

void TreeSystem::event_slope(int event, StateView at, std::span<const int> parameters,
                             FunctionSlope& slope, Workspace& workspace) const {
  const int own = static_cast<int>(model_.events.size());
  if (event < own) {
    make_mechanism_function(mechanism_, dual_mechanism_, scratch(), model_.events[event].when)
        ->slope(at, parameters, slope, workspace);
    return;
  }
  TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
  MotionWorkspace<Dual4>& dual = dual_of(w);
  const int component = event - own;
  Eigen::MatrixXd by_x(1, static_cast<int>(at.x.size()));
  differentiate_columns(at.x, mechanism_.state_size(), by_x, w.dual_x, w.dual_xdot,
                        [&](const Dual4* x, Dual4* margin) {
                          *margin =
                              internal_margin(dual_mechanism_, Dual4(at.t), x, at, component, dual);
                        });
  slope.by_x.assign(by_x.data(), by_x.data() + by_x.size());
  const std::vector<Dual4> x(at.x.begin(), at.x.end());
  const Dual4 t = Dual4::variable(at.t, 0);
  slope.by_time = internal_margin(dual_mechanism_, t, x.data(), at, component, dual).d[0];
  Eigen::MatrixXd by_p(1, static_cast<int>(parameters.size()));
  seeded_of(w, parameters)
      .fill_columns(by_p, [&](const Mechanism<Dual4>& m, MotionWorkspace<Dual4>& ws) {
        w.dual_xdot.assign(1, internal_margin(m, Dual4(at.t), x.data(), at, component, ws));
        return std::span<const Dual4>(w.dual_xdot);
      });
  slope.by_parameters.assign(by_p.data(), by_p.data() + by_p.size());
}

}  // namespace cartan::mechanics
