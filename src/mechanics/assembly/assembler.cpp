#include "mechanics/assembly/assembler.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "mechanics/constraints/constraint_matrix.h"
#include "mechanics/constraints/constraints.h"
#include "mechanics/constraints/projection.h"
#include "mechanics/joints/joint_motion.h"
#include "mechanics/machine/kinematics.h"

namespace cartan::mechanics {
namespace {

using Eigen::VectorXd;

constexpr double closed_gap = 1e-12;  // a loop this close is closed (times the size of the thing)
constexpr double held_goal = 1e-12;   // a held value this close is reached (of 1 + its size)

double calc_speed_goal(const std::vector<double>& v) {
  double size = 1;
  for (double x : v) size = std::max(size, std::fabs(x));
  return 1e-9 * size;
}

void append(const ValueRows& values, const std::vector<int>& which, ChangeEquations& equations) {
  const Eigen::Index before = equations.J.rows(), more = static_cast<Eigen::Index>(which.size());
  equations.J = stack_rows(equations.J, select_rows(values.rows, which));
  equations.off.conservativeResize(before + more);
  equations.sizes.conservativeResize(before + more);
  equations.off.tail(more) = values.off(which);
  equations.sizes.tail(more).setOnes();
}

}  // namespace

Assembler::Assembler(const Mechanism<double>& mechanism, double t, const WrittenStart& written,
                     MotionWorkspace<double>& ws)
    : mechanism_(mechanism),
      t_(t),
      ws_(ws),
      values_(mechanism, written),
      still_(mechanism.nv, 0.0),
      open_(mechanism.nv, 0) {
  for (int r = 0; r < mechanism.row_count(); ++r)
    if (mechanism.rows[r].holonomic) holonomic_.push_back(r);
}

// ------------------------------------------------------------------------------------ positions

bool Assembler::close(std::vector<double>& q) {
  std::vector<double> speeds = still_;
  place_driven(q, speeds);
  start_ = q;
  place(q);
  if (gap() <= goal() && loops_as_written()) return true;
  if (!find_closed(q)) return false;
  if (values_.position_count() > 0)
    hold(q);
  else
    refine(q);
  place(q);
  return true;
}

bool Assembler::find_closed(std::vector<double>& q) {
  follow_loop_values(q);
  // with an independent set of rows in O(n); with all of them, of any rank, when that fails
  const std::vector<double> guessed = q;
  choose_rows(q);
  if (newton(q)) return true;
  q = guessed;
  all_rows_ = true;
  return newton(q) || try_others(q);
}

// Not from here: a few other starts nearby, always the same ones, for the blocks that are open.
bool Assembler::try_others(std::vector<double>& q) {
  std::mt19937_64 random(20261115);
  place(q);
  double best_gap = gap();
  for (int attempt = 1; attempt <= 24; ++attempt) {
    std::vector<double> other = q;
    const double reach = 0.05 * attempt;
    for (const Link<double>& link : mechanism_.links) {
      double d[6];
      for (int k = 0; k < link.nv; ++k)
        d[k] = link.driven ? 0 : reach * (2 * (random() >> 11) * 0x1p-53 - 1);
      if (!is_open(link)) continue;
      std::copy_n(start_.begin() + link.q0, link.nq, other.begin() + link.q0);
      move_coordinates(link, d, other.data() + link.q0);
    }
    const std::vector<char> open = open_;
    const auto count = [](const std::vector<char>& x) { return std::count(x.begin(), x.end(), 1); };
    const bool closed = newton(other);
    const double left = gap();
    if (closed || left < best_gap || count(open_) < count(open))
      q = other, best_gap = left;
    else
      open_ = open;
    if (closed) break;
  }
  place(q);
  return gap() <= goal();
}

// Written values in file order: each is held that the constraints and those held before leave free.
// Decided at a closed position and looked at again where that has led to.
void Assembler::hold(std::vector<double>& q) {
  std::vector<int> all(values_.position_count());
  std::iota(all.begin(), all.end(), 0);
  std::vector<double> guessed = start_;
  follow_loop_values(guessed);
  for (int round = 0; round < 4; ++round) {
    place(q);
    const std::vector<int> chosen = free_positions(all);
    if (round > 0 && chosen == held_) break;
    held_ = chosen;
    if (reach(q, guessed)) continue;
    hold_one_by_one(q);
    break;
  }
  refine(q);
  values_.restore_positions(held_, q.data());
}

// A closed position with the held values, near the written ones if possible: what is left open from
// one start is tried from the next. Blocks that are open in the end stay as they were.
bool Assembler::reach(std::vector<double>& q, const std::vector<double>& guessed) {
  const auto copy_open = [&](const std::vector<double>& from, std::vector<double>& to) {
    for (const Link<double>& link : mechanism_.links)
      if (is_open(link)) std::copy_n(from.begin() + link.q0, link.nq, to.begin() + link.q0);
  };
  std::vector<double> moved = guessed;
  bool closed = newton(moved);
  for (const std::vector<double>& start : {start_, q}) {
    if (closed) break;
    copy_open(start, moved);
    closed = newton(moved);
  }
  if (!closed) copy_open(q, moved);
  q = moved;
  return closed;
}

// Where all of them cannot be reached together: one after the other, without those out of reach.
// Blocks that have reached theirs keep them.
void Assembler::hold_one_by_one(std::vector<double>& q) {
  place(q);
  const SparseMatrix rows = values_.at_positions(ws_).rows;
  const std::vector<char> open = open_;
  const auto is_settled = [&](int value) {
    for (SparseMatrix::InnerIterator entry(rows, value); entry; ++entry)
      if (open[entry.col()]) return false;
    return true;
  };
  std::erase_if(held_, [&](int value) { return !is_settled(value); });
  if (std::vector<double> moved = q; newton(moved))
    q = moved;
  else
    held_.clear();
  const bool some_held = !held_.empty();
  for (int value = 0; value < values_.position_count(); ++value) {
    if (some_held && is_settled(value)) continue;
    place(q);
    std::vector<int> candidates = held_;
    candidates.push_back(value);
    if (free_positions(candidates).size() != candidates.size()) continue;
    held_ = candidates;
    if (!approach(q)) held_.pop_back();
  }
  std::sort(held_.begin(), held_.end());
}

// From a closed position to the held values, at once or in small steps. q stays where that fails.
bool Assembler::approach(std::vector<double>& q) {
  constexpr int steps = 16;
  std::vector<double> moved = q;
  if (newton(moved)) return q = moved, true;
  place(q);
  const VectorXd off = values_.position_offsets(ws_)(held_);
  moved = q;
  bool arrived = true;
  for (int k = 1; k <= steps && arrived; ++k) {
    offset_ = (1 - static_cast<double>(k) / steps) * off;
    arrived = newton(moved);
  }
  offset_.resize(0);
  if (arrived) q = moved;
  return arrived;
}

// From any closed position to the one nearest to the start: with e the change so far,
//   e <- (the least e with  J e = J e_old - g),
// until M e, with the masses at the end, is a sum of the rows.
void Assembler::refine(std::vector<double>& q) {
  constexpr double longer = 1.5;  // a change that much longer belongs to another way of closing
  std::vector<double> at = start_;
  place(at);
  const MassMetric metric(mechanism_, ws_);
  if (!every_row()) choose_rows(q);
  VectorXd e = change_from_start(q);
  double size = e.dot(metric.times(e)), last = INFINITY;
  for (int iteration = 0; iteration < 60; ++iteration) {
    const VectorXd next = calc_shortest(q, e);
    std::vector<double> moved = start_;
    step(next, moved);
    if (!newton(moved)) break;
    const VectorXd now = change_from_start(moved);
    const double difference = (now - e).norm(), now_size = now.dot(metric.times(now));
    if (!(difference < last) || !(now_size <= longer * size)) break;
    e = now;
    q = moved;
    size = now_size;
    last = difference;
    if (difference <= 1e-12 * (1 + e.norm())) break;
  }
  place(q);
}

// A few Gauss-Newton steps that also pull written coordinates of loop joints to their values, so
// that they decide between the ways in which a loop can be closed.
void Assembler::follow_loop_values(std::vector<double>& q) {
  if (!values_.any_loop_position()) return;
  std::vector<int> of_loops;
  for (int i = 0; i < values_.position_count(); ++i)
    if (values_.of_loop(i)) of_loops.push_back(i);
  const std::vector<int> held = std::exchange(held_, {});
  for (int iteration = 0; iteration < 20; ++iteration) {
    place(q);
    gap();
    ChangeEquations both = equations();
    append(values_.at_positions(ws_), of_loops, both);
    const VectorXd d = calc_least_change(MassMetric(mechanism_, ws_), both, -both.off);
    const double longest = d.size() > 0 ? d.cwiseAbs().maxCoeff() : 0;
    if (!std::isfinite(longest) || longest < 1e-6) break;
    step((longest > largest_turn ? largest_turn / longest : 1) * d, q);
  }
  held_ = held;
  place(q);
}

// All rows on positions and the held values at the position in ws (with gap()).
ChangeEquations Assembler::equations() {
  const ConstraintRows rows = calc_constraint_rows(mechanism_, ws_);
  const Eigen::Map<const VectorXd> gaps(ws_.row_position.data(), mechanism_.row_count());
  ChangeEquations result{select_rows(rows.J, holonomic_), gaps(holonomic_),
                         rows.sizes()(holonomic_)};
  if (held_.empty()) return result;
  append(values_.at_positions(ws_), held_, result);
  if (offset_.size() > 0) result.off.tail(offset_.size()) -= offset_;
  return result;
}

// The least e' with  J e' = J e - g  at q.
VectorXd Assembler::calc_shortest(const std::vector<double>& q, const VectorXd& e) {
  place(q);
  gap();
  if (every_row()) {
    const ChangeEquations all = equations();
    return calc_least_change(MassMetric(mechanism_, ws_), all, all.J * e - all.off);
  }
  std::vector<double> wanted = ws_.row_position;  // g - J e, with J e from speeds e
  for (std::size_t r = 0; r < wanted.size(); ++r) wanted[r] += ws_.row_speed[r];
  fill_kinematics<double>(mechanism_, t_, q.data(), e.data(), ws_);
  for (std::size_t r = 0; r < wanted.size(); ++r) wanted[r] -= ws_.row_speed[r];
  place(q);
  solve_least_change(mechanism_, wanted, ws_);
  return Eigen::Map<const VectorXd>(ws_.vdot.data(), mechanism_.nv);
}

VectorXd Assembler::residual() {
  VectorXd g(holonomic_.size() + held_.size());
  for (std::size_t k = 0; k < holonomic_.size(); ++k) g[k] = ws_.row_position[holonomic_[k]];
  if (held_.empty()) return g;
  g.tail(held_.size()) = values_.position_offsets(ws_)(held_);
  if (offset_.size() > 0) g.tail(held_.size()) -= offset_;
  return g;
}

VectorXd Assembler::change_from_start(const std::vector<double>& q) const {
  VectorXd e(mechanism_.nv);
  for (const Link<double>& link : mechanism_.links)
    calc_coordinate_change(link, start_.data() + link.q0, q.data() + link.q0, e.data() + link.v0);
  return e;
}

// Those of the candidates, in their order, that are held one after the other; at the position in
// ws.
std::vector<int> Assembler::free_positions(const std::vector<int>& candidates) {
  const SparseMatrix rows = select_rows(values_.at_positions(ws_).rows, candidates);
  std::vector<int> held;
  for (int k : choose_free_rows(mechanism_, ws_, rows, RowKind::positions))
    held.push_back(candidates[k]);
  return held;
}

bool Assembler::loops_as_written() {
  if (!values_.any_loop_position()) return true;
  const VectorXd off = values_.position_offsets(ws_);
  for (int i = 0; i < values_.position_count(); ++i)
    if (values_.of_loop(i) && !(std::fabs(off[i]) <= values_.position_tolerance(i))) return false;
  return true;
}

bool Assembler::at_goal() {
  if (!(gap() <= goal())) return false;
  const VectorXd left = residual().tail(held_.size());
  for (std::size_t k = 0; k < held_.size(); ++k)
    if (!is_reached(held_[k], left[k])) return false;
  return true;
}

bool Assembler::is_reached(int held, double off) const {
  return std::fabs(off) <= held_goal / 1e-10 * values_.position_tolerance(held);
}

double Assembler::gap() {
  return calc_position_violation(mechanism_, ws_);
}

double Assembler::goal() const {
  double size = 1;
  for (const LinkState<double>& x : ws_.links)
    size = std::max({size, std::fabs(x.o.x), std::fabs(x.o.y), std::fabs(x.o.z)});
  return closed_gap * size;
}

void Assembler::step(const VectorXd& d, std::vector<double>& q) const {
  for (const Link<double>& link : mechanism_.links)
    move_coordinates(link, d.data() + link.v0, q.data() + link.q0);
}

// ws keeps pointers to q: it must live until the next place.
void Assembler::place(const std::vector<double>& q) {
  fill_kinematics<double>(mechanism_, t_, q.data(), still_.data(), ws_);
}

// Driven joints have their values before anything else is changed for them.
void Assembler::place_driven(std::vector<double>& q, std::vector<double>& v) {
  ProjectionResult ignored;
  ws_.t = t_;
  place_driven_joints(mechanism_, q.data(), v.data(), ws_, ignored);
}

// --------------------------------------------------------------------------------------- speeds

// The same rule, where everything is linear: one step, and two more against rounding.
bool Assembler::move(std::vector<double>& q, std::vector<double>& v) {
  place_driven(q, v);
  if (values_.chosen_count() > 0) values_.chosen().place(t_, q.data(), ws_);
  fill_kinematics<double>(mechanism_, t_, q.data(), v.data(), ws_);
  ValueRows written = values_.at_speeds(ws_);
  bool kept = calc_velocity_violation(mechanism_, ws_) <= calc_speed_goal(v) * 1e-6;
  for (int i = 0; i < values_.speed_count() && kept; ++i)
    kept = std::fabs(written.off[i]) <= values_.speed_tolerance(i);
  if (kept) return true;
  const std::vector<int> held =
      choose_free_rows(mechanism_, ws_, written.rows, RowKind::positions_and_speeds);
  const MassMetric metric(mechanism_, ws_);
  const ConstraintRows rows = calc_constraint_rows(mechanism_, ws_);
  const ChangeEquations constraints{rows.J, VectorXd::Zero(mechanism_.row_count()), rows.sizes()};
  for (int k = 0; k < 3; ++k) {
    ChangeEquations all = constraints;
    all.off = Eigen::Map<const VectorXd>(ws_.row_speed.data(), mechanism_.row_count());
    append(values_.at_speeds(ws_), held, all);
    if (all.off.size() > 0 && all.off.cwiseAbs().maxCoeff() <= calc_speed_goal(v) * 1e-6) break;
    const VectorXd d = calc_least_change(metric, all, -all.off);
    for (int j = 0; j < mechanism_.nv; ++j) v[j] += d[j];
    values_.restore_speeds(held, v.data());
    fill_kinematics<double>(mechanism_, t_, q.data(), v.data(), ws_);
  }
  return calc_velocity_violation(mechanism_, ws_) <= calc_speed_goal(v);
}

// ------------------------------------------------------------------------------- nearby positions

bool Assembler::project(std::vector<double>& q) {
  const std::vector<double> start = q;
  all_rows_ = false;
  if (newton(q)) return true;
  q = start;
  all_rows_ = true;
  return newton(q);
}

VectorXd Assembler::calc_allowed(const std::vector<double>& q, const VectorXd& d) {
  place(q);
  std::vector<double> forbidden = ws_.row_speed;
  fill_kinematics<double>(mechanism_, t_, q.data(), d.data(), ws_);
  for (std::size_t r = 0; r < forbidden.size(); ++r) forbidden[r] = ws_.row_speed[r] - forbidden[r];
  place(q);
  solve_least_change(mechanism_, forbidden, ws_);
  VectorXd allowed = d + Eigen::Map<const VectorXd>(ws_.vdot.data(), mechanism_.nv);
  for (const Link<double>& link : mechanism_.links)
    if (link.driven) allowed.segment(link.v0, link.nv).setZero();
  return allowed;
}

void Assembler::choose_rows(const std::vector<double>& q) {
  all_rows_ = false;
  place(q);
  const RankReport rank = calc_rank(mechanism_, ws_);
  std::copy(rank.holonomic_active.begin(), rank.holonomic_active.end(),
            ws_.mode.begin() + mechanism_.mode_count);
}

}  // namespace cartan::mechanics
