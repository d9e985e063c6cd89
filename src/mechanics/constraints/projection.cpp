#include "mechanics/constraints/projection.h"

#include <algorithm>
#include <cmath>

#include "mechanics/constraints/closed_recursion.h"
#include "mechanics/constraints/constraints.h"
#include "mechanics/joints/joint_motion.h"
#include "mechanics/machine/expression_inputs.h"
#include "mechanics/machine/kinematics.h"

namespace cartan::mechanics {
namespace {

constexpr double eps = 2.3e-16;
constexpr int most_iterations = 6;

// Lengths that positions are measured against: where the mechanism is.
double calc_length_scale(const MotionWorkspace<double>& ws) {
  double scale = 1;
  for (const LinkState<double>& x : ws.links)
    for (int k = 0; k < 3; ++k) scale = std::max(scale, std::fabs(x.o[k]));
  return scale;
}
double calc_speed_scale(const MotionWorkspace<double>& ws) {
  double scale = 1;
  for (const LinkState<double>& x : ws.links)
    for (int k = 0; k < 3; ++k) {
      scale = std::max(scale, std::fabs(x.w[k]) * (1 + std::fabs(x.o[k])));
      scale = std::max(scale, std::fabs(x.u[k]));
    }
  return scale;
}

void fill_resting(const Mechanism<double>& mechanism, double t, const double* q,
                  MotionWorkspace<double>& ws) {
  fill_kinematics<double>(mechanism, t, q, ws.still.data(), ws);
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (double x : values) most = std::isfinite(x) ? std::max(most, std::fabs(x)) : INFINITY;
  return most;
}

}  // namespace

void solve_least_change(const Mechanism<double>& mechanism, const std::vector<double>& residual,
                        MotionWorkspace<double>& ws) {
  ws.row_rest = residual;
  std::fill(ws.tau.begin(), ws.tau.end(), 0.0);
  std::fill(ws.prescribed.begin(), ws.prescribed.end(), 0.0);
  std::fill(ws.wrench_n.begin(), ws.wrench_n.end(), Vec3<double>{});
  std::fill(ws.wrench_f.begin(), ws.wrench_f.end(), Vec3<double>{});
  ws.gravity = {};
  solve_closed(mechanism, ws);
}

bool place_driven_joints(const Mechanism<double>& mechanism, double* q, double* v,
                         MotionWorkspace<double>& ws, ProjectionResult& result) {
  bool changed = false;
  for (const ConstraintElement<double>& element : mechanism.constraints) {
    const auto* drive = std::get_if<DriveElement<double>>(&element);
    if (!drive || mechanism.link_of_joint[drive->joint] < 0) continue;
    const Link<double>& link = mechanism.links[mechanism.link_of_joint[drive->joint]];
    double position[6], rate[6];
    evaluate_program(mechanism, ws, drive->position->program, position);
    evaluate_program(mechanism, ws, drive->rate, rate);
    for (int k = 0; k < link.nv; ++k) {
      double &qk = q[link.q0 + k], &vk = v[link.v0 + k];
      result.position_change = std::max(result.position_change, std::fabs(position[k] - qk));
      result.velocity_change = std::max(result.velocity_change, std::fabs(rate[k] - vk));
      changed |= qk != position[k] || vk != rate[k];
      qk = position[k];
      vk = rate[k];
    }
  }
  return changed;
}

double calc_position_violation(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws) {
  if (mechanism.rows.empty()) return 0;
  fill_constraint_positions(mechanism, ws);
  return largest(ws.row_position);
}

double calc_velocity_violation(const Mechanism<double>& mechanism,
                               const MotionWorkspace<double>& ws) {
  return mechanism.rows.empty() ? 0 : largest(ws.row_speed);
}

ProjectionResult project_state(const Mechanism<double>& mechanism, double t, double* q, double* v,
                               MotionWorkspace<double>& ws) {
  ProjectionResult result;
  ws.still.assign(mechanism.nv, 0.0);
  ws.t = t;
  if (mechanism.has_drives) result.moved = place_driven_joints(mechanism, q, v, ws, result);

  fill_resting(mechanism, t, q, ws);
  double violation = calc_position_violation(mechanism, ws);
  const double position_goal = 4 * eps * calc_length_scale(ws);
  for (int k = 0; k < most_iterations && violation > position_goal; ++k) {
    solve_least_change(mechanism, ws.row_position, ws);
    result.least_pivot = std::min(result.least_pivot, ws.fronts.least_pivot);
    ws.before.assign(q, q + mechanism.nq);
    for (const Link<double>& link : mechanism.links)
      move_coordinates(link, ws.vdot.data() + link.v0, q + link.q0);
    fill_resting(mechanism, t, q, ws);
    const double now = calc_position_violation(mechanism, ws);
    if (!(now < violation)) {  // rounding: the earlier position was as good
      std::copy(ws.before.begin(), ws.before.end(), q);
      fill_resting(mechanism, t, q, ws);
      break;
    }
    for (int i = 0; i < mechanism.nq; ++i)
      result.position_change = std::max(result.position_change, std::fabs(q[i] - ws.before[i]));
    violation = now;
    result.moved = true;
  }
  result.position_violation = violation;

  fill_kinematics<double>(mechanism, t, q, v, ws);
  violation = calc_velocity_violation(mechanism, ws);
  const double speed_goal = 4 * eps * calc_speed_scale(ws);
  for (int k = 0; k < 2 && violation > speed_goal; ++k) {
    ws.before.assign(ws.row_speed.begin(), ws.row_speed.end());
    fill_resting(mechanism, t, q, ws);
    solve_least_change(mechanism, ws.before, ws);
    result.least_pivot = std::min(result.least_pivot, ws.fronts.least_pivot);
    for (int j = 0; j < mechanism.nv; ++j) {
      v[j] += ws.vdot[j];
      result.velocity_change = std::max(result.velocity_change, std::fabs(ws.vdot[j]));
    }
    result.moved = true;
    fill_kinematics<double>(mechanism, t, q, v, ws);
    violation = calc_velocity_violation(mechanism, ws);
  }
  result.velocity_violation = violation;
  return result;
}

}  // namespace cartan::mechanics
