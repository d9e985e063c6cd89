// Derivation: forms of the equations with matrices, and with momenta.
#include <fmt/format.h>

#include "codegen/axes/link_frames.h"
#include "codegen/derivation.h"
#include "mechanics/constraints/constraints.h"
#include "mechanics/forces/dry_friction.h"
#include "mechanics/forces/forces.h"
#include "mechanics/machine/expression_inputs.h"
#include "mechanics/machine/kinematics.h"
#include "mechanics/tree/moving_frame.h"
#include "mechanics/tree/tree_report.h"

namespace cartan::codegen {
namespace {

std::vector<Expression> row_major(const std::vector<Expression>& by_columns, int rows,
                                  int columns) {
  std::vector<Expression> result(by_columns.size());
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      result[static_cast<std::size_t>(i) * columns + j] =
          by_columns[static_cast<std::size_t>(j) * rows + i];
  return result;
}

}  // namespace

std::string Derivation::refuse_mass_matrix(const Model& model) {
  for (const Force& force : model.forces) {
    const auto* friction = std::get_if<FrictionForce>(&force.law);
    if (friction && !friction->bearings.empty())
      return fmt::format(
          "friction '{}' depends on the loads of its bearings, and these on the accelerations: "
          "there is no form M v' = f with forces f(t, q, v); use the recursive equations",
          force.name);
  }
  return "";
}

MassMatrixForm Derivation::mass_matrix_form() {
  evaluate_forces();
  solve_with_friction<Expression>(
      *mechanism_, *ws_,
      closed() ? form_moving_frame<Expression> : form_in_link_frames<Expression>);
  const MovingFrame<Expression> mf = *ws_->moving_frame;
  ws_->moving_frame.reset();
  MassMatrixForm form;
  form.nv = mf.nv;
  form.rows = static_cast<int>(mf.active.size());
  form.M = mf.M_star;
  form.f = mf.rhs;
  form.J = mf.J;
  form.gamma = mf.gamma;
  if (speeds_) change_speeds(form);
  return form;
}

Derivation::ConstraintForm Derivation::constraint_form() {
  evaluate_forces();
  solve_with_friction<Expression>(*mechanism_, *ws_, form_moving_frame<Expression>);
  const MovingFrame<Expression> mf = *ws_->moving_frame;
  ws_->moving_frame.reset();
  ConstraintForm form;
  form.M = mf.M_star;
  form.J = mf.J;
  evaluate_kinematics();
  fill_constraint_positions(*mechanism_, *ws_);
  for (const int row : mf.active) {
    form.positions.push_back(ws_->row_position[row]);
    form.speeds.push_back(ws_->row_speed[row]);
  }
  for (const ConstraintRow& row : mechanism_->rows)
    if (row.driven_speed >= 0) form.driven.push_back(row.driven_speed);
  return form;
}

Derivation::DrivenNumbers Derivation::driven_numbers() {
  DrivenNumbers numbers;
  if (!mechanism_ || !mechanism_->has_drives) return numbers;
  evaluate_kinematics();
  for (const ConstraintElement<Expression>& element : mechanism_->constraints) {
    const auto* drive = std::get_if<DriveElement<Expression>>(&element);
    if (!drive || mechanism_->link_of_joint[drive->joint] < 0) continue;
    const Link<Expression>& link = mechanism_->links[mechanism_->link_of_joint[drive->joint]];
    Expression position[6], rate[6];
    evaluate_program(*mechanism_, *ws_, drive->position->program, position);
    evaluate_program(*mechanism_, *ws_, drive->rate, rate);
    for (int k = 0; k < link.nv; ++k) {
      numbers.places.insert(numbers.places.end(), {link.q0 + k, nq() + link.v0 + k});
      numbers.values.insert(numbers.values.end(), {position[k], rate[k]});
    }
  }
  return numbers;
}

// N* = B^T (M B' + D M B), F* = B^T F + tau (moving_frame.h); F* from  F* - N* v = rhs.
Derivation::MovingFrameForm Derivation::moving_frame() {
  evaluate_forces();
  solve_with_friction<Expression>(*mechanism_, *ws_, fill_moving_frame_equations<Expression>);
  const MovingFrame<Expression>& mf = *ws_->moving_frame;
  MovingFrameForm form;
  form.rows = mf.rows;
  form.nv = mf.nv;
  form.B = row_major(mf.B, mf.rows, mf.nv);
  form.Bdot = row_major(mf.Bdot, mf.rows, mf.nv);
  form.M_star = mf.M_star;
  const std::size_t nv = mf.nv;
  form.N_star.assign(nv * nv, Expression(0));
  for (std::size_t i = 0; i < mechanism_->links.size(); ++i) {
    const LinkBody<Expression>& body = mechanism_->bodies[i];
    const LinkState<Expression>& x = ws_->links[i];
    const Vec3<Expression> w = transpose_times(x.R * body.X_LB.R, x.w);
    const std::size_t row = 6 * i;
    auto vector_at = [&](const std::vector<Expression>& m, std::size_t first, std::size_t j) {
      return Vec3<Expression>{m[first * nv + j], m[(first + 1) * nv + j], m[(first + 2) * nv + j]};
    };
    for (std::size_t j = 0; j < nv; ++j) {
      const Vec3<Expression> force = mechanism_->links[i].mass * vector_at(form.Bdot, row, j);
      const Vec3<Expression> moment = body.J_com_B * vector_at(form.Bdot, row + 3, j) +
                                      cross(w, body.J_com_B * vector_at(form.B, row + 3, j));
      for (std::size_t k = 0; k < nv; ++k)
        form.N_star[k * nv + j] +=
            dot(vector_at(form.B, row, k), force) + dot(vector_at(form.B, row + 3, k), moment);
    }
  }
  form.F_star = mf.rhs;
  for (std::size_t k = 0; k < nv; ++k)
    for (std::size_t j = 0; j < nv; ++j) form.F_star[k] += form.N_star[k * nv + j] * v_[j];
  add_known(form);
  return form;
}

void Derivation::add_known(MovingFrameForm& form) {
  const MassMatrixForm known = mass_matrix_form();
  form.constraints = known.rows;
  form.J = known.J;
  form.gamma = known.gamma;
  for (const Link<Expression>& link : mechanism_->links)
    for (int j = link.v0; j < link.v0 + link.nv; ++j)
      if (link.driven || (ws_->any_locked && ws_->locked[j])) form.held.push_back({j, known.f[j]});
}

std::string Derivation::refuse_canonical(const Model& model) {
  if (!model.is_mechanism()) return "a [variables] file has no momenta";
  if (!model.loop_joints.empty() || !model.constraints.empty())
    return "canonical equations are derived for trees without loops and constraints; use the form "
           "kane";
  return refuse_mass_matrix(model);
}

Derivation::CanonicalForm Derivation::canonical() {
  CanonicalForm form;
  CanonicalWorkspace<Expression> w = make_canonical_workspace(*mechanism_, 1.0);
  std::copy(mode_.begin(), mode_.end(), w.motion.mode.begin());
  std::vector<Expression> x = q_;
  for (int j = 0; j < mechanism_->nv; ++j) {
    DerivedSymbol p = make_symbol(fmt::format("p{}", j + 1), 0.1 * (j + 1));
    p.meaning = "momentum of " + state_[mechanism_->nq + j].label;
    x.push_back(p.symbol);
    form.momenta.push_back(std::move(p));
  }
  for (int k = 0; k < mechanism_->nz; ++k)
    x.push_back(state_[mechanism_->nq + mechanism_->nv + k].symbol);
  std::vector<Expression> rates(x.size() + 1);
  if (mechanism_->has_power) x.push_back(Expression(0));
  calc_canonical_rates<Expression>(*mechanism_, time_, x.data(), rates.data(), w);
  form.coordinate_rates.assign(rates.begin(), rates.begin() + mechanism_->nq);
  form.rates.assign(rates.begin() + mechanism_->nq,
                    rates.begin() + mechanism_->nq + mechanism_->nv);
  form.variable_rates.assign(rates.begin() + mechanism_->nq + mechanism_->nv,
                             rates.begin() + mechanism_->state_size());
  form.speeds = w.v;
  fill_kinematics<Expression>(*mechanism_, time_, q_.data(), w.v.data(), w.motion);
  Expression momentum_part(0);
  for (int j = 0; j < mechanism_->nv; ++j) momentum_part += form.momenta[j].symbol * w.v[j];
  form.hamiltonian = Expression(0.5) * momentum_part + calc_potential_energy(*mechanism_, w.motion);
  return form;
}

}  // namespace cartan::codegen
