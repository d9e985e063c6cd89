// What a run needs beside the rates: its start, and the way back to the constraints.
#include <algorithm>

#include "codegen/derivation.h"
#include "mechanics/constraints/closed_recursion.h"
#include "mechanics/constraints/constraints.h"
#include "mechanics/joints/joint_motion.h"
#include "mechanics/machine/expression_inputs.h"
#include "mechanics/machine/kinematics.h"
#include "mechanics/tree/tree_report.h"

namespace cartan::codegen {
namespace {

constexpr double projection_epsilon = 2.3e-16;  // as mechanics/constraints/projection.cpp

Expression larger(const Expression& a, const Expression& b) {
  return apply(Op::max, a, b);
}

// Lengths and speeds that violations are measured against: where the mechanism is, how it moves.
Expression calc_size(const MotionWorkspace<Expression>& ws, bool speeds) {
  Expression size(1);
  for (const LinkState<Expression>& x : ws.links)
    for (int k = 0; k < 3; ++k) {
      if (!speeds) {
        size = larger(size, abs(x.o[k]));
        continue;
      }
      size = larger(size, abs(x.w[k]) * (Expression(1) + abs(x.o[k])));
      size = larger(size, abs(x.u[k]));
    }
  return Expression(4 * projection_epsilon) * size;
}

// The smallest mass-weighted change with J d = -residual, into ws.vdot (solve_least_change).
void solve_change(const Mechanism<Expression>& mechanism, const std::vector<Expression>& residual,
                  MotionWorkspace<Expression>& ws) {
  ws.row_rest = residual;
  std::fill(ws.tau.begin(), ws.tau.end(), Expression(0));
  std::fill(ws.prescribed.begin(), ws.prescribed.end(), Expression(0));
  std::fill(ws.wrench_n.begin(), ws.wrench_n.end(), Vec3<Expression>{});
  std::fill(ws.wrench_f.begin(), ws.wrench_f.end(), Vec3<Expression>{});
  ws.gravity = {};
  solve_closed(mechanism, ws);
}

}  // namespace

bool Derivation::reads_turns() const {
  return mechanism_ && std::any_of(mechanism_->turns.begin(), mechanism_->turns.end(),
                                   [](const TurnEntry& entry) { return entry.read; });
}

std::vector<Expression> Derivation::written_start() {
  std::vector<Expression> x(state_.size(), Expression(0));
  const std::span<const Expression> p(parameter_values_);
  for (std::size_t j = 0; mechanism_ && j < model_.joints.size(); ++j) {
    const int i = mechanism_->link_of_joint[j];
    if (i < 0) continue;
    const Link<Expression>& link = mechanism_->links[i];
    const std::vector<Expression> q = initial_position<Expression>(model_.joints[j], p);
    const std::vector<Expression> v = initial_velocity<Expression>(model_.joints[j], p);
    std::copy(q.begin(), q.end(), x.begin() + link.q0);
    std::copy(v.begin(), v.end(), x.begin() + nq() + link.v0);
  }
  for (std::size_t k = 0; k < model_.variables.size(); ++k)
    x[static_cast<std::size_t>(nq() + nv()) + k] =
        evaluate_of_parameters(model_.variables[k].initial)[0];
  return x;
}

Derivation::ProjectionForm Derivation::projection() {
  ProjectionForm form;
  if (!is_constrained()) return form;
  std::vector<Expression> still(v_.size(), Expression(0));
  const auto at_rest = [&] {
    std::copy(mode_.begin(), mode_.end(), ws_->mode.begin());
    fill_kinematics<Expression>(*mechanism_, time_, q_.data(), still.data(), *ws_);
  };
  for (const ConstraintElement<Expression>& element : mechanism_->constraints) {
    const auto* drive = std::get_if<DriveElement<Expression>>(&element);
    if (!drive || mechanism_->link_of_joint[drive->joint] < 0) continue;
    const Link<Expression>& link = mechanism_->links[mechanism_->link_of_joint[drive->joint]];
    Expression position[6], rate[6];
    evaluate_kinematics();
    evaluate_program(*mechanism_, *ws_, drive->position->program, position);
    evaluate_program(*mechanism_, *ws_, drive->rate, rate);
    for (int k = 0; k < link.nv; ++k) {
      form.driven.insert(form.driven.end(), {link.q0 + k, nq() + link.v0 + k});
      form.driven_values.insert(form.driven_values.end(), {position[k], rate[k]});
    }
  }
  at_rest();
  fill_constraint_positions(*mechanism_, *ws_);
  form.position = ws_->row_position;
  form.position_goal = calc_size(*ws_, false);
  solve_change(*mechanism_, form.position, *ws_);
  form.moved = q_;
  for (const Link<Expression>& link : mechanism_->links)
    move_coordinates(link, ws_->vdot.data() + link.v0, form.moved.data() + link.q0);

  evaluate_kinematics();
  form.speed = ws_->row_speed;
  fill_kinematics<Expression>(*mechanism_, time_, form.moved.data(), v_.data(), *ws_);
  form.moved_speed = ws_->row_speed;
  form.speed_goal = calc_size(*ws_, true);
  at_rest();
  solve_change(*mechanism_, form.moved_speed, *ws_);
  form.changed = v_;
  for (std::size_t j = 0; j < v_.size(); ++j) form.changed[j] += ws_->vdot[j];
  return form;
}

// A front holds D L^T by rows with D inverted; row r had the diagonal 1/i_r + sum i_k s_k^2 with
// s_k what it shares with row k before it, so that its squared sine is 1 / (1 + i_r sum i_k s_k^2).
Expression Derivation::least_pivot() {
  Expression least(1);
  if (!is_constrained()) return least;
  solve();
  for (const Front& front : ws_->plan.fronts) {
    const Expression* const G = ws_->fronts.G.data() + front.G0;
    for (int r = 1; r < front.solved; ++r) {
      const Expression& inverse = G[r * front.width() + r];
      Expression shared(0);
      for (int k = 0; k < r; ++k) {
        const Expression& s = G[k * front.width() + r];
        shared += G[k * front.width() + k] * s * s;
      }
      least = apply(Op::min, least, Expression(1) / (Expression(1) + inverse * shared));
    }
  }
  return least;
}

}  // namespace cartan::codegen
