#include "mechanics/tree/second_order_motion.h"

#include <algorithm>

#include "mechanics/constraints/constraints.h"
#include "mechanics/constraints/projection.h"
#include "mechanics/forces/forces.h"
#include "mechanics/joints/joint_motion.h"
#include "mechanics/machine/kinematics.h"
#include "mechanics/tree/recursive.h"
#include "mechanics/tree/tree_report.h"

namespace cartan::mechanics {
namespace {

// The multipliers of active rows to their places; those of others are zero. Returns the loads.
template <class S>
const S* spread_multipliers(const Mechanism<S>& mechanism, const S* lambda,
                            MotionWorkspace<S>& ws) {
  for (int r = 0; r < mechanism.row_count(); ++r)
    ws.lambda[r] = ws.mode[mechanism.mode_count + r] != 0 ? *lambda++ : S(0);
  return lambda;
}

// Everything of a point but the accelerations' effect: kinematics, forces, friction.
template <class S>
void fill_point(const Mechanism<S>& mechanism, const MotionUnknowns<S>& at,
                std::span<const int> mode, MotionWorkspace<S>& ws) {
  std::copy(mode.begin(), mode.end(), ws.mode.begin());
  fill_kinematics<S>(mechanism, at.t, at.q, at.v, ws);
  if (mechanism.absolute) fill_columns(mechanism, ws);
  fill_forces(mechanism, ws);
  std::copy(at.a, at.a + mechanism.nv, ws.vdot.begin());
  add_friction_at_loads(mechanism, ws, spread_multipliers(mechanism, at.lambda, ws));
}

// What acts on speeds directly: forces on joints, couplers and drives of tree joints.
template <class S>
void subtract_joint_forces(const Mechanism<S>& mechanism, const MotionWorkspace<S>& ws, S* result) {
  if (mechanism.has_forces)
    for (int j = 0; j < mechanism.nv; ++j) result[j] -= ws.tau[j];
  for (std::size_t k = 0; k < mechanism.terms.size(); ++k) {
    const RowTerm<S>& term = mechanism.terms[k];
    result[mechanism.links[term.link].v0 + term.component] -=
        ws.term_factor[k] * ws.lambda[term.row];
  }
  for (int r = 0; r < mechanism.row_count(); ++r)
    if (const int speed = mechanism.rows[r].driven_speed; speed >= 0) result[speed] -= ws.lambda[r];
}

// Accelerations and multipliers of the motion; needs fill_kinematics.
template <class S>
void solve_motion(const Mechanism<S>& mechanism, AccelerationSolver<S> solve,
                  MotionWorkspace<S>& ws) {
  fill_forces(mechanism, ws);
  solve_with_friction(mechanism, ws, solve);
  if (mechanism.has_drives && !mechanism.absolute) fill_drive_multipliers(mechanism, ws);
}

}  // namespace

template <class S>
void calc_motion_residual(const Mechanism<S>& mechanism, const MotionUnknowns<S>& at,
                          std::span<const int> mode, S* result, MotionWorkspace<S>& ws) {
  fill_point(mechanism, at, mode, ws);
  calc_inverse_dynamics<S>(mechanism, ws, {result, static_cast<std::size_t>(mechanism.nv)});
  subtract_joint_forces(mechanism, ws, result);
  if (ws.any_locked)
    for (int j = 0; j < mechanism.nv; ++j)
      if (ws.locked[j]) result[j] = at.a[j];
  result += mechanism.nv;
  if (!mechanism.rows.empty()) fill_constraint_positions(mechanism, ws);
  for (int r = 0; r < mechanism.row_count(); ++r)
    if (mode[mechanism.mode_count + r] != 0)
      *result++ = mechanism.rows[r].holonomic ? ws.row_position[r] : ws.row_speed[r];
  calc_load_residuals(mechanism, ws, result);
}

SecondOrderMotion::SecondOrderMotion(const Mechanism<double>& mechanism,
                                     const Mechanism<Dual4>& dual, AccelerationSolver<double> solve,
                                     AccelerationSolver<Dual4> solve_dual, const WorkSplit& work,
                                     FindScratch find_scratch)
    : mechanism_(mechanism),
      dual_mechanism_(dual),
      solve_(solve),
      solve_dual_(solve_dual),
      work_(work),
      find_scratch_(std::move(find_scratch)) {
  make_positions();
}

// As the state's space, but a free joint is one pose: its speeds are a twist in body axes. Links
// are sorted by their place in q.
void SecondOrderMotion::make_positions() {
  std::vector<const Link<double>*> links;
  for (const Link<double>& link : mechanism_.links) links.push_back(&link);
  std::sort(links.begin(), links.end(),
            [](const Link<double>* a, const Link<double>* b) { return a->q0 < b->q0; });
  for (const Link<double>* link : links) {
    const bool quaternion = has_quaternion(link->type);
    if (quaternion && plain_count(link->type) == 3 && !link->product) {
      positions_.add_pose();
    } else if (quaternion) {
      positions_.add_quaternion();
      positions_.add_vector(link->nq - 4);
    } else {
      positions_.add_vector(link->nq);
    }
  }
}

void SecondOrderMotion::fill_levels(std::span<const int> mode,
                                    std::vector<EquationLevel>& levels) const {
  levels.clear();
  for (int r = 0; r < mechanism_.row_count(); ++r)
    if (is_active(mode, r))
      levels.push_back(mechanism_.rows[r].holonomic ? EquationLevel::position
                                                    : EquationLevel::velocity);
  levels.insert(levels.end(), mechanism_.bearing_count, EquationLevel::force);
}

static MotionUnknowns<double> unknowns(const MotionPoint& at) {
  return {at.t, at.q.data(), at.v.data(), at.a.data(), at.lambda.data()};
}

void SecondOrderMotion::residual(const MotionPoint& at, std::span<double> result,
                                 Workspace& workspace) const {
  calc_motion_residual<double>(mechanism_, unknowns(at), at.mode, result.data(),
                               find_scratch_(workspace).numbers);
}

// Four columns at a time.
void SecondOrderMotion::residual_matrix(const MotionPoint& at, const MotionDirections& directions,
                                        Eigen::Ref<Eigen::MatrixXd> result,
                                        Workspace& workspace) const {
  if (formulas_ && formulas_(at, directions, result, workspace)) return;
  const Scratch scratch = find_scratch_(workspace);
  const int nq = mechanism_.nq, nv = mechanism_.nv, size = static_cast<int>(result.rows());
  std::vector<Dual4>& value = scratch.value;
  value.resize(size);
  scratch.point.clear();
  for (const std::span<const double> part : {at.q, at.v, at.a, at.lambda})
    scratch.point.insert(scratch.point.end(), part.begin(), part.end());
  Dual4 *q = scratch.point.data(), *v = q + nq, *a = v + nv, *lambda = a + nv;
  scratch.direction.resize(nv + nq);
  double *turn = scratch.direction.data(), *rate = turn + nv;
  for (int first = 0; first < size; first += 4) {
    const int count = std::min(4, size - first);
    auto seed = [&](double unit) {  // 1: sets the directions, 0: takes them away
      for (int k = 0; k < count; ++k) {
        const int column = first + k;
        if (column >= nv) {
          lambda[column - nv].d[k] = unit;
          continue;
        }
        a[column].d[k] = unit;
        v[column].d[k] = unit * directions.v_scale;
        for (int j = 0; j < nv; ++j)
          turn[j] = directions.turn ? (*directions.turn)(j, column) : (j == column ? 1 : 0);
        for (const Link<double>& link : mechanism_.links)
          calc_coordinate_rates(link, at.q.data() + link.q0, turn + link.v0, rate + link.q0);
        for (int i = 0; i < nq; ++i) q[i].d[k] = unit * directions.q_scale * rate[i];
      }
    };
    seed(1);
    calc_motion_residual<Dual4>(dual_mechanism_, {Dual4(at.t), q, v, a, lambda}, at.mode,
                                value.data(), scratch.duals);
    for (int k = 0; k < count; ++k)
      for (int i = 0; i < size; ++i) result(i, first + k) = value[i].d[k];
    seed(0);
  }
  add_thin_inertia(scratch.duals, result);
}

// A rod turns about itself without inertia, and nothing may hold it: the matrix would be singular
// along a motion that no equation sees. The iteration divides by this matrix, the equations do not
// have it.
void SecondOrderMotion::add_thin_inertia(const MotionWorkspace<Dual4>& ws,
                                         Eigen::Ref<Eigen::MatrixXd> result) const {
  constexpr double share = 1e-5;
  if (!mechanism_.absolute || mechanism_.rows.empty()) return;
  for (std::size_t i = 0; i < mechanism_.links.size(); ++i)
    for (int k = 0; k < 6; ++k) {
      const int j = mechanism_.links[i].v0 + k;
      result(j, j) += share * value_of(k < 3 ? ws.sparse.extra_J[i] : ws.sparse.extra_mass[i]);
    }
}

// ------------------------------------------------------------------------------------ constraints

void SecondOrderMotion::fill_place(const MotionPoint& place, const double* v,
                                   MotionWorkspace<double>& ws) const {
  std::copy(place.mode.begin(), place.mode.end(), ws.mode.begin());
  fill_kinematics<double>(mechanism_, place.t, place.q.data(), v, ws);
}

// y' of all rows into ws.before, for the accelerations a; needs fill_place.
void SecondOrderMotion::fill_rate_of_rows(std::span<const double> a,
                                          MotionWorkspace<double>& ws) const {
  std::copy(a.begin(), a.end(), ws.vdot.begin());
  if (mechanism_.absolute) fill_columns(mechanism_, ws);
  fill_accelerations(mechanism_, ws);
  ws.before.assign(ws.row_rest.begin(), ws.row_rest.end());
  for (std::size_t s = 0; s < mechanism_.sources.size(); ++s) {
    const RowSource& source = mechanism_.sources[s];
    const bool fixed = source.link == world;  // accelerations include that of gravity
    const Vec3<double> dw = fixed ? Vec3<double>{} : ws.links[source.link].dw;
    const Vec3<double> du = fixed ? -ws.gravity : ws.links[source.link].du;
    ws.before[source.row] += dot(ws.source_n[s], dw) + dot(ws.source_f[s], du);
  }
  for (std::size_t k = 0; k < mechanism_.terms.size(); ++k) {
    const RowTerm<double>& term = mechanism_.terms[k];
    ws.before[term.row] += ws.term_factor[k] * a[mechanism_.links[term.link].v0 + term.component];
  }
}

void SecondOrderMotion::write_multipliers(std::span<const int> mode,
                                          const MotionWorkspace<double>& ws,
                                          std::span<double> lambda) const {
  auto next = lambda.begin();
  for (int r = 0; r < mechanism_.row_count(); ++r)
    if (is_active(mode, r)) *next++ = ws.lambda[r];
  std::copy(ws.friction_load.begin(), ws.friction_load.end(), next);
}

// Speeds to y = 0, driven ones first; accelerations of driven joints.
void SecondOrderMotion::settle_speeds(const MotionPoint& place, std::span<double> v,
                                      std::span<double> a, MotionWorkspace<double>& ws) const {
  fill_place(place, v.data(), ws);
  set_friction_locks(mechanism_, ws);
  for (int r = 0; r < mechanism_.row_count(); ++r)
    if (const int speed = mechanism_.rows[r].driven_speed; speed >= 0) {
      v[speed] -= ws.row_speed[r];
      a[speed] = ws.prescribed[speed];
    }
  for (int pass = 0; pass < 2; ++pass) {
    fill_place(place, v.data(), ws);
    ws.before.assign(ws.row_speed.begin(), ws.row_speed.end());
    fill_place(place, ws.still.data(), ws);
    solve_least_change(mechanism_, ws.before, ws);
    for (int j = 0; j < mechanism_.nv; ++j) v[j] += ws.vdot[j];
  }
}

void SecondOrderMotion::settle(const MotionPoint& place, std::span<double> v, std::span<double> a,
                               std::span<double> lambda, Workspace& workspace) const {
  if (mechanism_.rows.empty()) return;
  MotionWorkspace<double>& ws = find_scratch_(workspace).numbers;
  ws.still.assign(mechanism_.nv, 0.0);
  settle_speeds(place, v, a, ws);
  fill_place(place, v.data(), ws);
  fill_rate_of_rows(a, ws);
  fill_place(place, ws.still.data(), ws);
  solve_least_change(mechanism_, ws.before, ws);
  for (int j = 0; j < mechanism_.nv; ++j) a[j] += ws.vdot[j];
  fill_place(place, v.data(), ws);
  solve_motion(mechanism_, solve_, ws);
  write_multipliers(place.mode, ws, lambda);
}

void SecondOrderMotion::forbidden_part(const MotionPoint& place, std::span<const double> direction,
                                       std::span<double> result, Workspace& workspace) const {
  std::fill(result.begin(), result.end(), 0.0);
  if (mechanism_.rows.empty()) return;
  MotionWorkspace<double>& ws = find_scratch_(workspace).numbers;
  ws.still.assign(mechanism_.nv, 0.0);
  // driven joints may not move but as they are told: their part is forbidden as it stands
  std::copy(direction.begin(), direction.end(), result.begin());
  for (const ConstraintRow& row : mechanism_.rows)
    if (row.driven_speed >= 0) result[row.driven_speed] = 0;
  fill_place(place, result.data(), ws);
  set_friction_locks(mechanism_, ws);
  ws.before.assign(ws.row_speed.begin(), ws.row_speed.end());
  fill_place(place, ws.still.data(), ws);
  for (int r = 0; r < mechanism_.row_count(); ++r)
    ws.before[r] = mechanism_.rows[r].holonomic ? ws.row_speed[r] - ws.before[r] : 0;
  solve_least_change(mechanism_, ws.before, ws);
  std::copy(ws.vdot.begin(), ws.vdot.end(), result.begin());
  for (const ConstraintRow& row : mechanism_.rows)
    if (row.driven_speed >= 0) result[row.driven_speed] = direction[row.driven_speed];
}

void SecondOrderMotion::quadrature_rates(const MotionPoint& at, std::span<double> result,
                                         Workspace& workspace) const {
  if (!mechanism_.has_power) return;
  MotionWorkspace<double>& ws = find_scratch_(workspace).numbers;
  fill_point(mechanism_, unknowns(at), at.mode, ws);
  calc_powers(mechanism_, ws, work_, result.data());
}

// Solves the dynamics at a point of the dual numbers that moves with the motion itself.
void SecondOrderMotion::start(StateView at, MotionStart& result, Workspace& workspace) const {
  const Scratch scratch = find_scratch_(workspace);
  auto solve = [&](const auto& mechanism, auto solver, const auto& t, const auto* x, auto& ws) {
    std::copy(at.mode.begin(), at.mode.end(), ws.mode.begin());
    fill_kinematics(mechanism, t, x, x + mechanism.nq, ws);
    solve_motion(mechanism, solver, ws);
  };
  MotionWorkspace<double>& ws = scratch.numbers;
  const int nq = mechanism_.nq, nv = mechanism_.nv;
  const double* v = at.x.data() + nq;
  solve(mechanism_, solve_, at.t, at.x.data(), ws);
  result.a.assign(ws.vdot.begin(), ws.vdot.end());
  std::vector<EquationLevel> levels;
  fill_levels(at.mode, levels);
  result.lambda.resize(levels.size());
  write_multipliers(at.mode, ws, result.lambda);

  std::vector<Dual4> x(at.x.begin(), at.x.begin() + nq + nv);
  std::vector<double> rate(nq);
  for (const Link<double>& link : mechanism_.links)
    calc_coordinate_rates(link, at.x.data() + link.q0, v + link.v0, rate.data() + link.q0);
  for (int i = 0; i < nq; ++i) x[i].d[0] = rate[i];
  for (int j = 0; j < nv; ++j) x[nq + j].d[0] = result.a[j];
  solve(dual_mechanism_, solve_dual_, Dual4::variable(at.t, 0), x.data(), scratch.duals);
  result.jerk.resize(nv);
  for (int j = 0; j < nv; ++j) result.jerk[j] = scratch.duals.vdot[j].d[0];
}

template void calc_motion_residual<double>(const Mechanism<double>&, const MotionUnknowns<double>&,
                                           std::span<const int>, double*, MotionWorkspace<double>&);
template void calc_motion_residual<Dual4>(const Mechanism<Dual4>&, const MotionUnknowns<Dual4>&,
                                          std::span<const int>, Dual4*, MotionWorkspace<Dual4>&);

}  // namespace cartan::mechanics
