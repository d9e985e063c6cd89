#include "mechanics/tree/slopes/dual_solver.h"

#include <algorithm>

#include "mechanics/machine/kinematics.h"
#include "mechanics/tree/recursive.h"

namespace cartan::mechanics {

namespace {

using lanes::Four;
using FourVector = lanes::VectorsOf<Four>;

Four changes_of(const Dual4& a) {
  Four d;
  __builtin_memcpy(&d, a.d.data(), sizeof d);
  return d;
}
FourVector changes_of(const Vec3<Dual4>& a) {
  return {changes_of(a.x), changes_of(a.y), changes_of(a.z)};
}
Vec3<double> number_of(const Vec3<Dual4>& a) {
  return {a.x.a, a.y.a, a.z.a};
}
Dual4 dual_of(double value, const Four& changes) {
  Dual4 a(value);
  __builtin_memcpy(a.d.data(), &changes, sizeof changes);
  return a;
}
Vec3<Dual4> dual_of(const Vec3<double>& value, const FourVector& changes) {
  return {dual_of(value.x, changes.x), dual_of(value.y, changes.y), dual_of(value.z, changes.z)};
}
Vec3<Dual4> constant(const Vec3<double>& a) {
  return {Dual4(a.x), Dual4(a.y), Dual4(a.z)};
}
void take_numbers_of(const std::vector<Dual4>& from, std::vector<double>& to) {
  for (std::size_t k = 0; k < from.size(); ++k) to[k] = from[k].a;
}
void take_numbers_of(const std::vector<Vec3<Dual4>>& from, std::vector<Vec3<double>>& to) {
  for (std::size_t k = 0; k < from.size(); ++k) to[k] = number_of(from[k]);
}

}  // namespace

DualSolver::DualSolver(const Mechanism<double>& mechanism)
    : mechanism_(mechanism), numbers_(make_motion_workspace(mechanism)), response_(mechanism) {}

void DualSolver::solve(const Mechanism<Dual4>& dual, MotionWorkspace<Dual4>& ws) {
  constexpr double most_lost = 3e3;  // as TreeSystem::keep_digits
  constexpr int a_while = 32;
  if (distrust_ > 0) {
    --distrust_;
    return solve_accelerations(dual, ws);
  }
  take_numbers(ws);
  solve_accelerations(mechanism_, numbers_);
  fill_reactions(mechanism_, numbers_);
  hold_accelerations(dual, ws);
  response_.clear_forces();
  for (int i = 0; i < static_cast<int>(mechanism_.links.size()); ++i) change_joint(dual, ws, i);
  if (!mechanism_.rows.empty()) change_rows(ws);
  response_.solve(numbers_, true);
  if (response_.lost_factor(numbers_) >= most_lost) {
    distrust_ = a_while;
    return solve_accelerations(dual, ws);
  }
  write_answer(dual, ws);
}

// ----------------------------------------------------------------------------------------- numbers

void DualSolver::take_numbers(const MotionWorkspace<Dual4>& ws) {
  take_links(ws);
  take_numbers_of(ws.tau, numbers_.tau);
  take_numbers_of(ws.phi, numbers_.phi);
  take_numbers_of(ws.psi, numbers_.psi);
  if (mechanism_.has_forces) {
    take_numbers_of(ws.wrench_n, numbers_.wrench_n);
    take_numbers_of(ws.wrench_f, numbers_.wrench_f);
  }
  numbers_.gravity = number_of(ws.gravity);
  numbers_.any_locked = ws.any_locked;
  if (ws.any_locked) std::copy(ws.locked.begin(), ws.locked.end(), numbers_.locked.begin());
  if (!mechanism_.rows.empty()) take_rows(ws);
}

void DualSolver::take_links(const MotionWorkspace<Dual4>& ws) {
  for (std::size_t i = 0; i < ws.links.size(); ++i) {
    const LinkState<Dual4>& from = ws.links[i];
    LinkState<double>& to = numbers_.links[i];
    for (int k = 0; k < 3; ++k) to.R.c[k] = number_of(from.R.c[k]);
    to.r = number_of(from.r);
    to.w = number_of(from.w);
    to.cw = number_of(from.cw);
    to.cu = number_of(from.cu);
    to.s = number_of(from.s);
  }
}

void DualSolver::take_rows(const MotionWorkspace<Dual4>& ws) {
  take_numbers_of(ws.source_n, numbers_.source_n);
  take_numbers_of(ws.source_f, numbers_.source_f);
  take_numbers_of(ws.row_rest, numbers_.row_rest);
  take_numbers_of(ws.term_factor, numbers_.term_factor);
  take_numbers_of(ws.prescribed, numbers_.prescribed);
  if (numbers_.plan.valid && numbers_.plan.active == ws.plan.active) return;
  make_constraint_plan(mechanism_, ws.plan.active.data(), numbers_.plan, numbers_.fronts);
}

// ----------------------------------------------------------------------------------------- changes

// Accelerations and multipliers as constants; those that are prescribed change.
void DualSolver::hold_accelerations(const Mechanism<Dual4>& dual, MotionWorkspace<Dual4>& ws) {
  for (std::size_t j = 0; j < ws.vdot.size(); ++j) ws.vdot[j] = numbers_.vdot[j];
  for (const Link<Dual4>& link : dual.links)
    for (int j = link.v0; link.driven && j < link.v0 + link.nv; ++j) ws.vdot[j] = ws.prescribed[j];
  for (std::size_t r = 0; r < ws.lambda.size(); ++r) ws.lambda[r] = numbers_.lambda[r];
}

// Of link i, whose parent's accelerations are constants already.
void DualSolver::change_joint(const Mechanism<Dual4>& dual, MotionWorkspace<Dual4>& ws, int i) {
  const Link<Dual4>& link = dual.links[i];
  LinkState<Dual4>& x = ws.links[i];
  const LinkState<double>& number = numbers_.links[i];
  Response::Change& change = response_.link(i);
  fill_acceleration(dual, ws, i);
  change.c = {changes_of(x.dw), changes_of(x.du)};
  x.dw = constant(number.dw);
  x.du = constant(number.du);
  start_reaction(dual, ws, i);
  change.P = {changes_of(ws.joint_n[i]), changes_of(ws.joint_f[i])};
  ws.joint_n[i] = constant(numbers_.joint_n[i]);
  ws.joint_f[i] = constant(numbers_.joint_f[i]);
  if (link.parent != world)
    response_.link(link.parent).P.n += cross(changes_of(x.r), numbers_.joint_f[i]);
  for (int k = 0; k < link.nv; ++k) {
    const int j = link.v0 + k;
    Dual4 force = joint_force_component(dual, ws, i, k);
    if (link.geared) force += dual.rotor[j] * ws.vdot[j];
    response_.tau(j) = changes_of(ws.tau[j]) - changes_of(force);
  }
}

void DualSolver::change_rows(const MotionWorkspace<Dual4>& ws) {
  for (std::size_t r = 0; r < ws.row_rest.size(); ++r)
    response_.rest(static_cast<int>(r)) = changes_of(ws.row_rest[r]);
  for (std::size_t s = 0; s < mechanism_.sources.size(); ++s) {
    const RowSource& source = mechanism_.sources[s];
    const Vec3<Dual4>&n = ws.source_n[s], &f = ws.source_f[s];
    Four& rest = response_.rest(source.row);
    if (source.link == world) {
      rest -= changes_of(dot(f, ws.gravity));
      continue;
    }
    const Vector by_n = changes_of(n), by_f = changes_of(f);
    const LinkState<double>& x = numbers_.links[source.link];
    rest += dot(x.dw, by_n) + dot(x.du, by_f);
    Response::Change& change = response_.link(source.link);
    const double lambda = numbers_.lambda[source.row];
    change.P.n -= Vector{lambda * by_n.x, lambda * by_n.y, lambda * by_n.z};
    change.P.f -= Vector{lambda * by_f.x, lambda * by_f.y, lambda * by_f.z};
  }
  for (std::size_t t = 0; t < mechanism_.terms.size(); ++t) {
    const RowTerm<double>& term = mechanism_.terms[t];
    const int j = mechanism_.links[term.link].v0 + term.component;
    response_.rest(term.row) += changes_of(ws.term_factor[t] * ws.vdot[j]);
    response_.tau(j) += numbers_.lambda[term.row] * changes_of(ws.term_factor[t]);
  }
}

void DualSolver::write_answer(const Mechanism<Dual4>& dual, MotionWorkspace<Dual4>& ws) const {
  for (std::size_t i = 0; i < dual.links.size(); ++i) {
    const Link<Dual4>& link = dual.links[i];
    const Response::Pair& z = response_.link(static_cast<int>(i)).z;
    ws.links[i].dw = dual_of(numbers_.links[i].dw, z.n);
    ws.links[i].du = dual_of(numbers_.links[i].du, z.f);
    for (int j = link.v0; !link.driven && j < link.v0 + link.nv; ++j)
      ws.vdot[j] = dual_of(numbers_.vdot[j], response_.x()[j]);
  }
  for (std::size_t r = 0; r < ws.lambda.size(); ++r)
    ws.lambda[r] = dual_of(numbers_.lambda[r], response_.lambda(static_cast<int>(r)));
}

void solve_along_numbers(const Mechanism<Dual4>& mechanism, MotionWorkspace<Dual4>& ws) {
  if (ws.solver && value_of(mechanism.baumgarte) == 0 && mechanism.loop_rotors.empty() &&
      !mechanism.absolute)
    return ws.solver->solve(mechanism, ws);
  solve_accelerations(mechanism, ws);
}

}  // namespace cartan::mechanics
