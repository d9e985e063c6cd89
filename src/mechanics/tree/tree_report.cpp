#include "mechanics/tree/tree_report.h"

#include <algorithm>

#include "mechanics/constraints/constraint_matrix.h"
#include "mechanics/constraints/constraints.h"
#include "mechanics/constraints/loop_rotors.h"
#include "mechanics/joints/joint_motion.h"
#include "mechanics/machine/variable_states.h"
#include "mechanics/tree/moving_frame.h"
#include "mechanics/tree/recursive.h"
#include "model/mass_properties.h"
#include "symbolic/expression.h"

namespace cartan::mechanics {

template <class S>
std::vector<S> initial_position(const Joint& joint, std::span<const S> parameters) {
  std::vector<S> q;
  if (has_quaternion(joint.type)) {
    const Quat<S> u = calc_quaternion<S>(joint.rotation, parameters);
    q = {u.w, u.x, u.y, u.z};
  }
  if (plain_count(joint.type) == 0) return q;
  std::vector<S> rest(joint.nq() - q.size(), S(0));
  if (joint.coordinates.given()) rest = evaluate<S>(joint.coordinates, parameters);
  q.insert(q.end(), rest.begin(), rest.end());
  return q;
}

template <class S>
std::vector<S> initial_velocity(const Joint& joint, std::span<const S> parameters) {
  if (!joint.velocity.given()) return std::vector<S>(joint.nv(), S(0));
  return evaluate<S>(joint.velocity, parameters);
}
template std::vector<double> initial_position<double>(const Joint&, std::span<const double>);
template std::vector<double> initial_velocity<double>(const Joint&, std::span<const double>);
template std::vector<Expression> initial_position<Expression>(const Joint&,
                                                              std::span<const Expression>);
template std::vector<Expression> initial_velocity<Expression>(const Joint&,
                                                              std::span<const Expression>);
template std::vector<Dual4> initial_position<Dual4>(const Joint&, std::span<const Dual4>);
template std::vector<Dual4> initial_velocity<Dual4>(const Joint&, std::span<const Dual4>);

namespace {

// d/dt of gravity's potential at rest: -sum m g' . x
template <class S>
S gravity_change(const Mechanism<S>& mechanism, const MotionWorkspace<S>& ws) {
  S sum(0);
  if (!mechanism.gravity_varies) return sum;
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    const LinkState<S>& x = ws.links[i];
    sum -= mechanism.links[i].mass * dot(ws.gravity_rate, x.o + x.R * mechanism.bodies[i].com_L);
  }
  return sum;
}

Vec3<double> com_velocity(const LinkState<double>& x, const LinkBody<double>& body) {
  return x.u + cross(x.w, x.R * body.com_L);
}

double calc_kinetic_rate(const Mechanism<double>& mechanism, const MotionWorkspace<double>& ws) {
  double sum = 0;
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    const LinkState<double>& x = ws.links[i];
    const LinkBody<double>& body = mechanism.bodies[i];
    const Vec3<double> arm = x.R * body.com_L;
    const Vec3<double> a = x.du + ws.gravity + cross(x.dw, arm) + cross(x.w, cross(x.w, arm));
    const Vec3<double> w = transpose_times(x.R, x.w), dw = transpose_times(x.R, x.dw);
    sum += mechanism.links[i].mass * dot(com_velocity(x, body), a) + dot(w, body.J_com_L * dw);
  }
  for (int j = 0; j < mechanism.nv; ++j) sum += mechanism.rotor[j] * ws.v[j] * ws.vdot[j];
  for (const LoopRotor<double>& rotor : mechanism.loop_rotors) {
    const int k = mechanism.loops[rotor.loop].shape.v0 + rotor.component;
    sum += rotor.inertia * ws.loop_v[k] * ws.loop_vdot[k];
  }
  return sum;
}

PowerBalance calc_power(const Mechanism<double>& mechanism, const MotionWorkspace<double>& ws) {
  PowerBalance power;
  power.kinetic_rate = calc_kinetic_rate(mechanism, ws);
  power.potential_rate = gravity_change(mechanism, ws);
  for (std::size_t i = 0; i < mechanism.links.size(); ++i)
    power.potential_rate -=
        mechanism.links[i].mass * dot(ws.gravity, com_velocity(ws.links[i], mechanism.bodies[i]));
  if (mechanism.has_forces)
    for (const ElementEnergy<double>& e : ws.force_energy) power.potential_rate += e.potential_rate;
  power.nonconservative = calc_nonconservative_power(mechanism, ws);
  return power;
}

// The wrench the parent exerts on the child about C's origin. The recursion gives the wrench on the
// outboard side about the link origin.
JointReaction calc_reaction(const Mechanism<double>& mechanism, const MotionWorkspace<double>& ws,
                            int i, bool crossed_from_child) {
  const Link<double>& link = mechanism.links[i];
  const LinkState<double>& x = ws.links[i];
  JointReaction reaction{ws.joint_f[i], ws.joint_n[i]};
  if (!crossed_from_child) return reaction;
  // the link frame is P; C's origin is at p_PC in it
  Vec3<double> to_C;
  if (link.motion != Motion::rotation1)
    to_C = x.R * forward_motion(link, ws.q + link.q0, ws.v + link.v0).p;
  reaction.torque = -(reaction.torque - cross(to_C, reaction.force));
  reaction.force = -reaction.force;
  return reaction;
}

std::vector<double> slice(const double* start, int count) {
  return {start, start + count};
}

}  // namespace

template <class S>
S calc_nonconservative_power(const Mechanism<S>& mechanism, const MotionWorkspace<S>& ws) {
  S sum = gravity_change(mechanism, ws) + ws.contact_power;
  if (mechanism.has_forces)
    for (const ElementEnergy<S>& e : ws.force_energy) sum += e.power;
  return sum;
}

bool has_jumps(const Model& model) {
  return std::any_of(model.events.begin(), model.events.end(),
                     [](const Event& e) { return !e.jumps.empty(); });
}

WorkSplit make_work_split(const Mechanism<double>& mechanism) {
  WorkSplit split;
  split.gravity_works = mechanism.gravity_varies;
  split.jumps_work = !mechanism.contacts.empty() || mechanism.model->contacts_stepped ||
                     has_jumps(*mechanism.model);
  for (std::size_t k = 0; k < mechanism.constraints.size(); ++k)
    if (std::holds_alternative<DriveElement<double>>(mechanism.constraints[k]))
      split.shares.push_back({true, static_cast<int>(k)});
  for (std::size_t k = 0; k < mechanism.forces.size(); ++k)
    if (std::visit([](const auto& e) { return e.does_work(); }, mechanism.forces[k]))
      split.shares.push_back({false, static_cast<int>(k)});
  return split;
}

template <class S>
void calc_powers(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, const WorkSplit& split,
                 S* powers) {
  if (!mechanism.has_power) return;
  powers[0] = calc_nonconservative_power(mechanism, ws);
  if (mechanism.has_drives) powers[0] += calc_drive_power(mechanism, ws);
  if (!split.split) return;
  for (const WorkShare& share : split.shares) {
    S& power = *++powers;
    if (!share.drive) {
      power = ws.force_energy[share.element].power;
      continue;
    }
    power = S(0);
    for (int r = mechanism.constraint_row0[share.element];
         r < mechanism.row_count() && mechanism.rows[r].element == share.element; ++r)
      power += calc_row_power(mechanism, ws, r);
  }
}

#define CARTAN_INSTANTIATE(S)                                                               \
  template S calc_nonconservative_power<S>(const Mechanism<S>&, const MotionWorkspace<S>&); \
  template void calc_powers<S>(const Mechanism<S>&, MotionWorkspace<S>&, const WorkSplit&, S*);
CARTAN_FOR_EACH_SCALAR_AND_EXPRESSION(CARTAN_INSTANTIATE)
#undef CARTAN_INSTANTIATE

void fill_works(const Mechanism<double>& mechanism, const WorkSplit& split,
                std::span<const double> works, Observation& result) {
  result.work = works.empty() ? 0 : works[0];
  const std::vector<WorkShare>& shares = split.shares;
  const bool alone = split.single(), known = split.split || alone || shares.empty();
  result.force_work.assign(known ? mechanism.forces.size() : 0, 0.0);
  result.constraint_work.assign(known ? mechanism.constraints.size() : 0, 0.0);
  for (std::size_t k = 0; known && k < shares.size(); ++k)
    (shares[k].drive ? result.constraint_work : result.force_work)[shares[k].element] =
        alone ? works[0] : works[1 + k];
}

void fill_output_motion(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws) {
  use_least_multipliers(mechanism, ws);
  fill_reactions(mechanism, ws);
  if (!mechanism.loops.empty()) calc_loop_accelerations(mechanism, ws, ws.loop_vdot.data());
}

namespace {

JointReaction reaction_of(const Mechanism<double>& mechanism, const MotionWorkspace<double>& ws,
                          int joint) {
  const int i = mechanism.link_of_joint[joint];
  if (i >= 0) return calc_reaction(mechanism, ws, i, mechanism.model->tree[i].reversed);
  JointReaction reaction;
  calc_loop_wrench(mechanism, ws, mechanism.loop_of_joint[joint], reaction.torque, reaction.force);
  return reaction;
}

// Zero where there is no such row: a joint of the tree, or an index beyond the last.
double multiplier_of(const Mechanism<double>& mechanism, const MotionWorkspace<double>& ws,
                     const Symbol& symbol) {
  const bool joint = symbol.index < 0;
  const int loop = joint ? mechanism.loop_of_joint[-1 - symbol.index] : -1;
  if (joint && loop < 0) return 0;
  const int row = (joint ? mechanism.loop_row0[loop] : mechanism.constraint_row0[symbol.index]) +
                  symbol.component;
  if (row >= mechanism.row_count()) return 0;
  const ConstraintRow& owner = mechanism.rows[row];
  return (joint ? owner.loop == loop : owner.element == symbol.index) ? ws.lambda[row] : 0;
}

void evaluate_output(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws,
                     const Program& program, double& result) {
  for (std::size_t k = 0; k < program.inputs.size(); ++k) {
    const Symbol& symbol = program.inputs[k];
    if (symbol.quantity == Quantity::reaction) {
      const JointReaction reaction = reaction_of(mechanism, ws, symbol.index);
      ws.inputs[k] = symbol.component < 3 ? reaction.force[symbol.component]
                                          : reaction.torque[symbol.component - 3];
    } else if (symbol.quantity == Quantity::multiplier) {
      ws.inputs[k] = multiplier_of(mechanism, ws, symbol);
    } else {
      ws.inputs[k] = symbol_value(mechanism, ws, symbol);
    }
  }
  evaluate<double>(program, {ws.inputs.data(), program.inputs.size()}, ws.scratch,
                   std::span<double>(&result, 1));
}

}  // namespace

void fill_observation(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws,
                      Observation& result) {
  const Model& model = *mechanism.model;
  result.t = ws.t;
  result.q.resize(model.joints.size());
  result.v.resize(model.joints.size());
  result.bodies.resize(model.bodies.size());
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const JointCoordinates<double> joint = coordinates_of(mechanism, ws, static_cast<int>(j));
    result.q[j].assign(joint.q, joint.q + joint.joint.nq);
    result.v[j].assign(joint.v, joint.v + joint.joint.nv);
  }
  result.linear_momentum = result.angular_momentum = {};
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    const LinkState<double>& x = ws.links[i];
    const LinkBody<double>& body = mechanism.bodies[i];
    const Pose<double> pose = body_pose(mechanism, ws, static_cast<int>(i));
    BodyState& state = result.bodies[body.body];
    state.position = pose.p;
    state.orientation = from_rotation_matrix(pose.R);
    state.angular = transpose_times(pose.R, x.w);
    state.linear = x.u + cross(x.w, pose.p - x.o);
    const Vec3<double> momentum = mechanism.links[i].mass * com_velocity(x, body);
    result.linear_momentum += momentum;
    result.angular_momentum +=
        cross(x.o + x.R * body.com_L, momentum) + x.R * (body.J_com_L * transpose_times(x.R, x.w));
  }
  result.kinetic = ws.kinetic;
  result.potential = ws.potential;
  result.variables = ws.variables;
  result.outputs.resize(model.outputs.size());
  for (std::size_t k = 0; k < model.outputs.size(); ++k)
    evaluate_output(mechanism, ws, model.outputs[k].value.program, result.outputs[k]);
}

// dw, du hold -gravity; at the body's origin, r from the link's: a = du + dw x r + w x (w x r).
static std::vector<BodyAcceleration> calc_body_accelerations(const Mechanism<double>& mechanism,
                                                             const MotionWorkspace<double>& ws) {
  std::vector<BodyAcceleration> result(mechanism.bodies.size());
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    const LinkState<double>& x = ws.links[i];
    const Pose<double> pose = body_pose(mechanism, ws, static_cast<int>(i));
    const Vec3<double> r = pose.p - x.o;
    BodyAcceleration& body = result[mechanism.bodies[i].body];
    body.angular = transpose_times(pose.R, x.dw);
    body.linear = x.du + ws.gravity + cross(x.dw, r) + cross(x.w, cross(x.w, r));
  }
  return result;
}

void use_least_multipliers(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws) {
  if (mechanism.rows.empty()) return;
  // in absolute coordinates there are many rows: unless some are redundant they are unique
  const auto active = ws.mode.begin() + mechanism.mode_count;
  const auto end = active + mechanism.row_count();
  if (mechanism.absolute && std::find(active, end, 0) == end) return;
  ws.lambda = calc_least_multipliers(mechanism, ws);
}

DynamicsReport make_dynamics_report(const Mechanism<double>& mechanism,
                                    MotionWorkspace<double>& ws) {
  const Model& model = *mechanism.model;
  DynamicsReport report;
  use_least_multipliers(mechanism, ws);
  report.multipliers.assign(ws.lambda.begin(), ws.lambda.begin() + mechanism.contact_row0);
  fill_reactions(mechanism, ws);
  report.bodies = calc_body_accelerations(mechanism, ws);
  report.gravity = ws.gravity;
  report.acceleration.resize(model.joints.size());
  report.reactions.resize(model.joints.size());
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    const Link<double>& link = mechanism.links[i];
    const int joint = mechanism.bodies[i].joint;
    report.acceleration[joint] = slice(ws.vdot.data() + link.v0, link.nv);
    report.reactions[joint] =
        calc_reaction(mechanism, ws, static_cast<int>(i), model.tree[i].reversed);
  }
  if (!mechanism.loops.empty()) {
    std::vector<double> rates(mechanism.loop_nv);
    fill_loop_coordinates(mechanism, ws);
    calc_loop_accelerations<double>(mechanism, ws, rates.data());
    for (std::size_t l = 0; l < mechanism.loops.size(); ++l) {
      const LoopJoint<double>& loop = mechanism.loops[l];
      report.acceleration[loop.joint] = slice(rates.data() + loop.shape.v0, loop.shape.nv);
      JointReaction& reaction = report.reactions[loop.joint];
      calc_loop_wrench(mechanism, ws, static_cast<int>(l), reaction.torque, reaction.force);
    }
  }
  report.power = calc_power(mechanism, ws);
  report.constraint_power.assign(mechanism.constraints.size(), 0.0);
  for (int r = 0; r < mechanism.row_count(); ++r) {
    if (!mechanism.rows[r].drive) continue;
    const double power = calc_row_power(mechanism, ws, r);
    report.constraint_power[mechanism.rows[r].element] += power;
    report.power.constraint += power;
  }
  for (const ElementEnergy<double>& e : ws.force_energy)
    report.forces.push_back({e.potential, e.potential_rate, e.power});
  report.variable_rates.resize(mechanism.nz);
  calc_variable_rates(mechanism, ws, report.variable_rates.data());
  return report;
}

MassMatrixReport make_mass_matrix_report(const Mechanism<double>& mechanism,
                                         MotionWorkspace<double>& ws) {
  const int nv = mechanism.nv;
  MassMatrixReport report;
  std::vector<double> M(static_cast<std::size_t>(nv) * nv), total(nv), still(nv);
  // forces of the joints with the true accelerations (stuck joints included), and without any
  calc_inverse_dynamics<double>(mechanism, ws, total);
  for (std::size_t k = 0; k < mechanism.terms.size(); ++k) {
    const RowTerm<double>& term = mechanism.terms[k];
    total[mechanism.links[term.link].v0 + term.component] -=
        ws.term_factor[k] * ws.lambda[term.row];
  }
  const std::vector<double> vdot = ws.vdot, lambda = ws.lambda;
  std::fill(ws.vdot.begin(), ws.vdot.end(), 0.0);
  std::fill(ws.lambda.begin(), ws.lambda.end(), 0.0);
  calc_inverse_dynamics<double>(mechanism, ws, still);
  ws.vdot = vdot;
  ws.lambda = lambda;
  report.bias.resize(nv);
  for (int j = 0; j < nv; ++j) {
    const bool stuck = ws.any_locked && ws.locked[j];
    const double applied = mechanism.has_forces ? ws.tau[j] : 0;
    report.bias(j) = still[j] - (stuck ? total[j] : applied);
  }
  calc_mass_matrix<double>(mechanism, ws, M);
  report.mass_matrix = Eigen::Map<Eigen::MatrixXd>(M.data(), nv, nv);
  return report;
}

MovingFrameReport make_moving_frame_report(const Mechanism<double>& mechanism,
                                           MotionWorkspace<double>& ws) {
  fill_moving_frame(mechanism, ws);
  const MovingFrame<double>& mf = *ws.moving_frame;
  const int rows = mf.rows, nv = mf.nv;
  MovingFrameReport report;
  report.B.resize(rows, nv);
  report.Bdot.resize(rows, nv);
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(rows, rows), D = M;
  Eigen::VectorXd F = Eigen::VectorXd::Zero(rows);
  const Eigen::Map<const Eigen::MatrixXd> B(mf.B.data(), rows, nv), Bdot(mf.Bdot.data(), rows, nv);
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    const LinkState<double>& x = ws.links[i];
    const LinkBody<double>& body = mechanism.bodies[i];
    const int from = static_cast<int>(6 * i), to = 6 * body.body;
    report.B.middleRows(to, 6) = B.middleRows(from, 6);
    report.Bdot.middleRows(to, 6) = Bdot.middleRows(from, 6);
    const Mat3<double> R = x.R * body.X_LB.R;
    const Mat3<double> J = full(body.J_com_B), W = hat(transpose_times(R, x.w));
    Vec3<double> force = mechanism.links[i].mass * ws.gravity, moment;
    if (mechanism.has_forces) {
      force += ws.wrench_f[i];
      moment = transpose_times(R, ws.wrench_n[i] - cross(x.R * body.com_L, ws.wrench_f[i]));
    }
    for (int r = 0; r < 3; ++r) {
      M(to + r, to + r) = mechanism.links[i].mass;
      F(to + r) = force[r];
      F(to + 3 + r) = moment[r];
      for (int c = 0; c < 3; ++c) {
        M(to + 3 + r, to + 3 + c) = J(r, c);
        D(to + 3 + r, to + 3 + c) = W(r, c);
      }
    }
  }
  const Eigen::MatrixXd MB = M * report.B;
  report.M_star = report.B.transpose() * MB;
  report.M_star.diagonal() += Eigen::Map<const Eigen::VectorXd>(mechanism.rotor.data(), nv);
  report.N_star = report.B.transpose() * (M * report.Bdot + D * MB);
  report.F_star = report.B.transpose() * F;
  if (mechanism.has_forces) report.F_star += Eigen::Map<const Eigen::VectorXd>(ws.tau.data(), nv);
  // what a rotor in a loop joint does at v' = 0 stands on the right
  add_loop_rotors(mechanism, ws, report.M_star.data(), report.F_star.data());
  return report;
}

}  // namespace cartan::mechanics
