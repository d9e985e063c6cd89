#include "mechanics/tree/tree_system.h"

#include <algorithm>

#include <fmt/format.h>

#include "mechanics/constraints/projection.h"
#include "mechanics/contacts/contact_tolerances.h"
#include "mechanics/forces/applied_forces.h"
#include "mechanics/forces/sticking.h"
#include "mechanics/machine/expression_inputs.h"
#include "mechanics/machine/several_points.h"
#include "mechanics/tree/moving_frame.h"
#include "mechanics/tree/recursive.h"
#include "mechanics/tree/tree_report.h"
#include "mechanics/tree/tree_system_class.h"

namespace cartan::mechanics {
TreeSystem::TreeSystem(const Model& model, std::vector<double> parameters,
                       const TreeFormulation& formulation)
    : model_(model), formulation_(formulation), parameters_(std::move(parameters)) {
  mechanism_ = make_with_constants<double>(model, parameters_);
  dual_mechanism_ = make_with_constants<Dual4>(model, parameters_);
  pack_mechanism_ = make_with_constants<Pack4>(model, parameters_);
  if (formulation.absolute) {
    set_absolute(mechanism_);
    set_absolute(dual_mechanism_);
    set_absolute(pack_mechanism_);
  }
  work_ = make_work_split(mechanism_);
  make_slopes();
  make_space();
  second_order_.emplace(mechanism_, dual_mechanism_, formulation.solve, formulation.solve_dual,
                        work_, [this](Workspace& workspace) -> SecondOrderMotion::Scratch {
                          TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
                          return {w.motion, dual_of(w), w.dual_x, w.dual_xdot, w.direction};
                        });
  second_order_->use_formulas([this](const MotionPoint& at, const MotionDirections& directions,
                                     Eigen::Ref<Eigen::MatrixXd> result, Workspace& workspace) {
    return fill_residual_matrix(at, directions, result, workspace);
  });
  second_order_->use_elimination(
      [this](const MotionPoint& at, const MotionDirections& directions, std::span<double> residual,
             Workspace& workspace) {
        return factorise_residual(at, directions, residual, workspace);
      },
      [this](std::span<double> residual, Workspace& workspace) {
        solve_residual(residual, workspace);
      });
  for (const Event& e : model.events) {
    events_.push_back({e.name, e.direction, e.stop, false});
    event_needs_energy_ |= e.when.program.depends_on(Quantity::kinetic) ||
                           e.when.program.depends_on(Quantity::potential);
  }
  for (int k = 0; k < mechanism_.friction_modes; ++k)
    events_.push_back({"friction " + std::to_string(k), -1, false, true});
  for (const ContactElement<double>& e : mechanism_.contacts) {
    const std::string& name = model.contacts[e.contact].name;
    events_.push_back({name, -1, false, true, gap_noise});
    events_.push_back({"friction at " + name, -1, false, true});
  }
  if (!mechanism_.contacts.empty()) events_.push_back({"contacts", -1, false, true});
  for (const TurnEntry& entry : mechanism_.turns)
    if (entry.force >= 0)
      events_.push_back({"half turn of " + model.forces[entry.force].name, -1, false, true});
  if (!mechanism_.absolute) geometry_ = make_mechanism_geometry(mechanism_);
  discrete_ = make_discrete_motion(mechanism_, dual_mechanism_);
  if (model.contacts_stepped)
    stepping_ = make_stepped_contacts(
        mechanism_, second_order_->positions(),
        [](Workspace& workspace) {
          TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
          return SteppedContacts::Scratch{w.motion, w.stepping};
        },
        [this](StateView at, MotionWorkspace<double>& motion) { kinematics_at(at, motion); });
  start();
}

std::unique_ptr<Workspace> TreeSystem::make_workspace() const {
  auto workspace = std::make_unique<TreeWorkspace>();
  workspace->motion = make_motion_workspace(mechanism_);
  return workspace;
}

void TreeSystem::derivative(StateView at, std::span<double> xdot, Workspace& workspace) const {
  TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
  ++w.evaluations;
  if (formulation_.compiler) {
    RateCompiler& compiler = *formulation_.compiler;
    const RateCode* code =
        code_applies(at.mode) ? w.code.find_derivative(compiler, without_turns(at)) : nullptr;
    if (code) {
      code->derivative(at.t, at.x.data(), compiler.parameters().data(), xdot.data());
      // Code leaves no note about a table that ends; the formulas below do.
      if (!model_.bounded_tables || !lacks_value(xdot)) return;
    }
  }
  evaluate(mechanism_, formulation_.solve, at.t, at.x.data(), at.mode, xdot.data(), w.motion);
}

// Points side by side, one per lane: the stages of an implicit step cost little more than one.
void TreeSystem::derivatives(std::span<const double> times, std::span<const double> x,
                             std::span<const int> mode, std::span<double> xdot,
                             Workspace& workspace) const {
  TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
  if (times.size() == 1) return derivative({times[0], x, mode}, xdot, workspace);
  if (formulation_.compiler) return System::derivatives(times, x, mode, xdot, workspace);
  if (!w.pack) w.pack = make_motion_workspace(pack_mechanism_);
  w.evaluations += static_cast<long>(times.size());
  evaluate_in_packs(
      times, x, xdot, w.pack_x, w.pack_xdot, [&](const Pack4& t, const Pack4* at, Pack4* rates) {
        evaluate(pack_mechanism_, formulation_.solve_pack, t, at, mode, rates, *w.pack);
      });
}

void TreeSystem::kinematic_rates(StateView at, std::span<double> rates, Workspace&) const {
  const double *q = at.x.data(), *v = q + mechanism_.nq;
  for (const Link<double>& link : mechanism_.links)
    calc_coordinate_rates(link, q + link.q0, v + link.v0, rates.data() + link.q0);
}

void TreeSystem::event_values(StateView at, std::span<double> values, Workspace& workspace) const {
  TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
  const std::span<const int> friction = at.mode.first(mechanism_.friction_modes);
  const bool any_stuck = std::find(friction.begin(), friction.end(), 0) != friction.end();
  if (any_stuck || any_closed(at.mode))
    solve_at(at, w.motion);
  else
    kinematics_at(at, w.motion);
  if (event_needs_energy_) fill_energies(w.motion);
  const std::size_t own = model_.events.size();
  for (std::size_t k = 0; k < own; ++k)
    evaluate_program(mechanism_, w.motion, model_.events[k].when.program, &values[k]);
  calc_friction_margins<double>(mechanism_, w.motion,
                                values.subspan(own, mechanism_.friction_modes));
  calc_contact_margins<double>(mechanism_, w.motion, values.subspan(contact_event0()));
  calc_wrap_margins<double>(mechanism_, w.motion, values.subspan(turn_event0()));
  if (mechanism_.contacts.empty()) return;
  values[turn_event0() - 1] = 1;
  if (!has_loose_contacts(mechanism_.contact_row0, mechanism_.row_count(),
                          at.mode.data() + mechanism_.mode_count))
    return;
  State copy{at.t, {at.x.begin(), at.x.end()}, {at.mode.begin(), at.mode.end()}};
  JumpNotes notes;
  if (!contact_events(copy, w.motion, notes).is_settled()) values[turn_event0() - 1] = -1;
}

bool TreeSystem::any_closed(std::span<const int> mode) const {
  const auto first = mode.begin() + mechanism_.contact_mode0;
  return std::any_of(first, first + static_cast<long>(mechanism_.contacts.size()),
                     [](int m) { return m != contact_open; });
}

bool TreeSystem::handle_event(int which, State& state, Workspace& workspace) const {
  const int component = which - static_cast<int>(model_.events.size());
  TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
  if (component < 0) return make_jump(model_.events[which], state, w);
  const int of_contact = which - contact_event0();
  const int of_turn = which - turn_event0();
  if (of_turn >= 0) {
    kinematics_at(state, w.motion);
    wrap(mechanism_, w.motion, of_turn, state.mode.data() + mechanism_.turn0());
    return true;
  }
  if (of_turn == -1 && !mechanism_.contacts.empty()) {
    contact_events(state, w.motion, w.jumps).decide_again();
    return true;
  }
  if (of_contact >= 0) {
    contact_events(state, w.motion, w.jumps).change(of_contact);
    return true;
  }
  set_variables(mechanism_, state.x.data() + mechanism_.nq + mechanism_.nv, w.motion);
  change_friction(mechanism_, friction_state(state), component, w.motion, formulation_.solve);
  return true;
}

std::string TreeSystem::count_turns(StateView at, double length, std::span<int> turns,
                                    Workspace& workspace) const {
  if (turns.empty()) return "";
  MotionWorkspace<double>& ws = static_cast<TreeWorkspace&>(workspace).motion;
  kinematics_at(at, ws);
  return renew_turns(mechanism_, ws, length, formulation_.compiler ? most_turn_in_code : most_turn,
                     turns.data());
}

std::string TreeSystem::component_name(int i) const {
  for (const Link<double>& link : mechanism_.links) {
    const std::string& joint =
        model_.joints[mechanism_.bodies[&link - mechanism_.links.data()].joint].name;
    if (i >= link.q0 && i < link.q0 + link.nq) return joint + ".q" + std::to_string(i - link.q0);
    const int v = i - mechanism_.nq;
    if (v >= link.v0 && v < link.v0 + link.nv) return joint + ".v" + std::to_string(v - link.v0);
  }
  const int z = i - mechanism_.nq - mechanism_.nv;
  return z >= 0 && z < mechanism_.nz ? model_.variables[z].name : "work";
}

void TreeSystem::observe(StateView at, Observation& result, Workspace& workspace) const {
  MotionWorkspace<double>& ws = static_cast<TreeWorkspace&>(workspace).motion;
  mechanism_.outputs_need_motion ? solve_at(at, ws) : kinematics_at(at, ws);
  fill_energies(ws);
  if (!mechanism_.loops.empty()) fill_loop_coordinates(mechanism_, ws);
  if (mechanism_.outputs_need_motion) fill_output_motion(mechanism_, ws);
  fill_observation(mechanism_, ws, result);
  result.position_violation = calc_position_violation(mechanism_, ws);
  result.velocity_violation = calc_velocity_violation(mechanism_, ws);
  fill_works(mechanism_, work_, at.x.last(quadratures()), result);
  result.unit_norm_error = space_.unit_norm_error(at.x);
}

// What is reported of accelerations is what the code gives; multipliers are not part of it.
void TreeSystem::use_compiled_accelerations(StateView at, TreeWorkspace& w) const {
  w.code_rates.resize(space_.size());
  derivative(at, w.code_rates, w);
  std::copy_n(w.code_rates.begin() + mechanism_.nq, mechanism_.nv, w.motion.vdot.begin());
  fill_accelerations(mechanism_, w.motion);
}

DynamicsReport TreeSystem::report_dynamics(StateView at, Workspace& workspace) const {
  MotionWorkspace<double>& ws = static_cast<TreeWorkspace&>(workspace).motion;
  solve_at(at, ws);
  if (formulation_.compiler) use_compiled_accelerations(at, static_cast<TreeWorkspace&>(workspace));
  return make_dynamics_report(mechanism_, ws);
}

std::vector<AppliedWrench> TreeSystem::report_forces(StateView at, Workspace& workspace) const {
  MotionWorkspace<double>& ws = static_cast<TreeWorkspace&>(workspace).motion;
  if (!needs_accelerations(mechanism_)) {
    kinematics_at(at, ws);
    fill_forces(mechanism_, ws);
  } else {
    solve_at(at, ws);
    use_least_multipliers(mechanism_, ws);
    fill_reactions(mechanism_, ws);
  }
  return list_applied_forces(mechanism_, ws);
}

MassMatrixReport TreeSystem::report_mass_matrix(StateView at, Workspace& workspace) const {
  MotionWorkspace<double>& ws = static_cast<TreeWorkspace&>(workspace).motion;
  solve_at(at, ws);
  return make_mass_matrix_report(mechanism_, ws);
}

MovingFrameReport TreeSystem::report_moving_frame(StateView at, Workspace& workspace) const {
  MotionWorkspace<double>& ws = static_cast<TreeWorkspace&>(workspace).motion;
  solve_at(at, ws);
  return make_moving_frame_report(mechanism_, ws);
}

InverseForces TreeSystem::calc_inverse_dynamics(StateView at, std::span<const double> vdot,
                                                Workspace& workspace) const {
  MotionWorkspace<double>& ws = static_cast<TreeWorkspace&>(workspace).motion;
  kinematics_at(at, ws);
  fill_forces(mechanism_, ws);
  std::copy(vdot.begin(), vdot.end(), ws.vdot.begin());
  std::fill(ws.lambda.begin(), ws.lambda.end(), 0.0);
  Eigen::VectorXd tau(mechanism_.nv);
  mechanics::calc_inverse_dynamics<double>(mechanism_, ws,
                                           {tau.data(), static_cast<std::size_t>(mechanism_.nv)});
  const std::vector<StickingForce> sticking = add_friction_at_accelerations(mechanism_, ws);
  if (mechanism_.loop_friction)
    mechanics::calc_inverse_dynamics<double>(mechanism_, ws,
                                             {tau.data(), static_cast<std::size_t>(mechanism_.nv)});
  if (mechanism_.has_forces)
    for (int j = 0; j < mechanism_.nv; ++j) tau[j] -= ws.tau[j];
  if (!mechanism_.rows.empty() || !sticking.empty())
    tau = calc_least_force(
        mechanism_.rows.empty() ? Eigen::MatrixXd() : calc_actuator_map(mechanism_, ws), tau,
        sticking);
  InverseForces result{{tau.data(), tau.data() + tau.size()}, {}};
  for (const StickingForce& s : sticking)
    if (s.limit > 0 && (result.sticking.empty() || result.sticking.back() != s.element))
      result.sticking.push_back(s.element);
  return result;
}

// Where there is one share alone its work is that of all.
std::string TreeSystem::split_work() {
  constexpr std::size_t most_shares = 64;  // every one is a number more in the state
  const std::size_t shares = work_.shares.size();
  if (work_.split || work_.single()) return "";
  if (formulation_.compiler)
    return "compiled rates carry the work of all forces and drives only; use the formulation "
           "recursive for that of each";
  if (shares > most_shares)
    return fmt::format("{} forces and drives do work; that of each is integrated for up to {}",
                       shares, most_shares);
  work_.split = true;
  make_slopes();
  space_ = StateSpace();
  make_space();
  if (!initial_.x.empty()) initial_.x.resize(space_.size(), 0.0);
  return "";
}

// The derivatives belong to the recursion they differentiate.
void TreeSystem::make_slopes() {
  slope_plan_.emplace();
  if (formulation_.solve != solve_accelerations<double> || formulation_.compiler ||
      !make_slope_plan(mechanism_, work_, *slope_plan_))
    slope_plan_.reset();
  along_tree_ = slope_plan_ && mechanism_.nv > 0 && acts_along_tree(mechanism_, *slope_plan_);
}

// Unit quaternions are blocks of their own; everything else is a vector.
void TreeSystem::make_space() {
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    if (mechanism_.link_of_joint[j] < 0) continue;
    const Link<double>& link = mechanism_.links[mechanism_.link_of_joint[j]];
    const bool rotation = has_quaternion(link.type);
    if (mechanism_.absolute && !link.product) {
      space_.add_pose();
      continue;
    }
    if (rotation) space_.add_quaternion();
    space_.add_vector(rotation ? link.nq - 4 : link.nq);
  }
  space_.add_vector(mechanism_.nv + mechanism_.nz + quadratures());
}

void TreeSystem::kinematics_at(StateView at, MotionWorkspace<double>& ws) const {
  std::copy(at.mode.begin(), at.mode.end(), ws.mode.begin());
  set_variables(mechanism_, at.x.data() + mechanism_.nq + mechanism_.nv, ws);
  fill_kinematics<double>(mechanism_, at.t, at.x.data(), at.x.data() + mechanism_.nq, ws);
}

void TreeSystem::solve_at(StateView at, MotionWorkspace<double>& ws) const {
  kinematics_at(at, ws);
  fill_forces(mechanism_, ws);
  solve_with_contacts(mechanism_, ws, formulation_.solve);
  if (mechanism_.has_drives && !mechanism_.absolute) fill_drive_multipliers(mechanism_, ws);
}

std::unique_ptr<MechanicalSystem> make_tree_system(const Model& model,
                                                   std::vector<double> parameters,
                                                   const TreeFormulation& formulation) {
  return std::make_unique<TreeSystem>(model, std::move(parameters), formulation);
}

}  // namespace cartan::mechanics
