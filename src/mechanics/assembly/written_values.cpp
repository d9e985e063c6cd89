#include "mechanics/assembly/written_values.h"

#include <algorithm>
#include <cmath>

#include "lie/so3.h"
#include "mechanics/constraints/constraint_rows.h"
#include "mechanics/constraints/constraints.h"
#include "mechanics/joints/joint_motion.h"

namespace cartan::mechanics {
namespace {

constexpr double kept = 1e-10;  // of a value, and at least of one
constexpr double full_turn = 6.283185307179586;

double nearest_turn(double angle) {
  return std::remainder(angle, full_turn);
}

// Numbers of the joint's state, its quaternion with the sign that is nearest to the written one.
std::vector<double> numbers_like(const std::vector<double>& written, const double* q, int nq,
                                 bool rotation) {
  std::vector<double> used(q, q + nq);
  if (!rotation) return used;
  double along = 0;
  for (int k = 0; k < 4; ++k) along += used[k] * written[k];
  if (along < 0)
    for (int k = 0; k < 4; ++k) used[k] = -used[k];
  return used;
}

bool differ(const std::vector<double>& a, const std::vector<double>& b, bool rotation) {
  double length = 1;
  if (rotation) length = norm(quaternion_at(a.data()));
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double written = rotation && k < 4 ? a[k] / length : a[k];
    if (!(std::fabs(written - b[k]) <= kept * (1 + std::fabs(written)))) return true;
  }
  return false;
}

}  // namespace

WrittenValues::WrittenValues(const Mechanism<double>& mechanism, const WrittenStart& written)
    : mechanism_(mechanism), written_(written), chosen_(mechanism, written.chosen) {
  for (int k = 0; k < chosen_.count(); ++k) speeds_.push_back({-1, k, chosen_.value(k), false});
  for (std::size_t j = 0; j < written.size(); ++j) {
    const int joint = static_cast<int>(j);
    const Link<double>& shape = shape_of(joint);
    const WrittenJoint& w = written[j];
    for (int k = 0; !w.q.empty() && k < shape.nv; ++k) {
      const bool turn = has_quaternion(shape) && k < 3;
      if (has_place(shape) && !(turn ? w.rotation : w.coordinates)) continue;
      positions_.push_back({joint, k, turn ? 0 : w.q[has_quaternion(shape) ? k + 1 : k], turn});
    }
    for (int k = 0; !w.v.empty() && k < shape.nv; ++k) speeds_.push_back({joint, k, w.v[k], false});
  }
}

const Link<double>& WrittenValues::shape_of(int joint) const {
  const int link = mechanism_.link_of_joint[joint];
  return link >= 0 ? mechanism_.links[link]
                   : mechanism_.loops[mechanism_.loop_of_joint[joint]].shape;
}

bool WrittenValues::any_loop_position() const {
  return std::any_of(positions_.begin(), positions_.end(),
                     [&](const Value& value) { return is_loop(value); });
}

double WrittenValues::position_tolerance(int position) const {
  return kept * (1 + std::fabs(positions_[position].written));
}
double WrittenValues::speed_tolerance(int speed) const {
  return kept * (1 + std::fabs(speeds_[speed].written));
}

// Present minus written; its rate is the sum of factor[k] times speed k of the joint.
double WrittenValues::calc_offset(const Value& value, MotionWorkspace<double>& ws,
                                  double* factor) const {
  const JointCoordinates<double> at = coordinates_of(mechanism_, ws, value.joint);
  if (value.turn) {
    const Vec3<double> turn =
        log(conjugate(quaternion_at(written_[value.joint].q.data())) * quaternion_at(at.q));
    const Mat3<double> rate = RotationAlgebra<double>::dexp_inverse_matrix(-turn);
    for (int k = 0; k < 3; ++k) factor[k] = rate(value.component, k);
    return turn[value.component];
  }
  if (has_place(at.joint)) {
    const Mat3<double> R = rotation_matrix(quaternion_at(at.q));
    for (int k = 0; k < 3; ++k) factor[3 + k] = R(value.component - 3, k);
    return at.q[value.component + 1] - value.written;
  }
  factor[value.component] = 1;
  const double off = at.q[value.component] - value.written;
  return is_loop(value) && is_angle(at.joint.type, value.component) ? nearest_turn(off) : off;
}

Eigen::VectorXd WrittenValues::position_offsets(MotionWorkspace<double>& ws) const {
  if (any_loop_position()) fill_loop_coordinates(mechanism_, ws);
  Eigen::VectorXd off(position_count());
  for (int i = 0; i < position_count(); ++i) {
    double factor[6] = {};
    off[i] = calc_offset(positions_[i], ws, factor);
  }
  return off;
}

ValueRows WrittenValues::at_positions(MotionWorkspace<double>& ws) const {
  SparseMatrix S;  // rates of the loop joints
  if (any_loop_position()) S = calc_loop_rows(mechanism_, ws);
  Eigen::VectorXd off(position_count());
  std::vector<Eigen::Triplet<double, int>> entries;
  for (int i = 0; i < position_count(); ++i) {
    const Value& value = positions_[i];
    double factor[6] = {};
    off[i] = calc_offset(value, ws, factor);
    const Link<double>& shape = shape_of(value.joint);
    for (int k = 0; k < shape.nv; ++k) {
      if (factor[k] == 0) continue;
      if (!is_loop(value)) {
        entries.emplace_back(i, shape.v0 + k, factor[k]);
        continue;
      }
      for (SparseMatrix::InnerIterator entry(S, shape.v0 + k); entry; ++entry)
        entries.emplace_back(i, static_cast<int>(entry.col()), factor[k] * entry.value());
    }
  }
  SparseMatrix rows(position_count(), mechanism_.nv);
  rows.setFromTriplets(entries.begin(), entries.end());
  return {std::move(off), std::move(rows)};
}

ValueRows WrittenValues::at_speeds(MotionWorkspace<double>& ws) const {
  ValueRows result{Eigen::VectorXd(speed_count()), chosen_.rows()};
  SparseMatrix S;
  if (std::any_of(speeds_.begin(), speeds_.end(), [&](const Value& v) { return is_loop(v); }))
    S = calc_loop_rows(mechanism_, ws);
  const int first = chosen_.count();
  if (first > 0) result.off.head(first) = chosen_.off(ws.v);
  std::vector<Eigen::Triplet<double, int>> entries;
  for (int i = first; i < speed_count(); ++i) {
    const Value& value = speeds_[i];
    const JointCoordinates<double> at = coordinates_of(mechanism_, ws, value.joint);
    const int speed = at.joint.v0 + value.component;
    result.off[i] = at.v[value.component] - value.written;
    if (!is_loop(value)) {
      entries.emplace_back(i - first, speed, 1);
      continue;
    }
    for (SparseMatrix::InnerIterator entry(S, speed); entry; ++entry)
      entries.emplace_back(i - first, static_cast<int>(entry.col()), entry.value());
  }
  SparseMatrix rows(speed_count() - first, mechanism_.nv);
  rows.setFromTriplets(entries.begin(), entries.end());
  if (first == 0) return {std::move(result.off), std::move(rows)};
  result.rows = stack_rows(chosen_.rows(), rows);
  return result;
}

void WrittenValues::restore_positions(const std::vector<int>& held, double* q) const {
  for (std::size_t i = 0; i < held.size(); ++i) {
    const Value& value = positions_[held[i]];
    if (is_loop(value)) continue;
    const Link<double>& link = shape_of(value.joint);
    const std::vector<double>& written = written_[value.joint].q;
    if (!value.turn) {
      const int k = has_quaternion(link) ? value.component + 1 : value.component;
      q[link.q0 + k] = written[k];
      continue;
    }
    const bool whole = value.component == 0 && i + 2 < held.size() && held[i + 2] == held[i] + 2 &&
                       positions_[held[i + 2]].joint == value.joint && positions_[held[i + 2]].turn;
    if (whole) std::copy_n(written.begin(), 4, q + link.q0);
  }
}

void WrittenValues::restore_speeds(const std::vector<int>& held, double* v) const {
  for (int i : held)
    if (speeds_[i].joint >= 0 && !is_loop(speeds_[i]))
      v[shape_of(speeds_[i].joint).v0 + speeds_[i].component] = speeds_[i].written;
}

std::vector<ChangedValues> WrittenValues::list_changes(MotionWorkspace<double>& ws) const {
  std::vector<ChangedValues> changes;
  if (!mechanism_.loops.empty()) fill_loop_coordinates(mechanism_, ws);
  for (std::size_t j = 0; j < written_.size(); ++j) {
    const std::vector<double>& written = written_[j].q;
    if (written.empty()) continue;
    const JointCoordinates<double> at = coordinates_of(mechanism_, ws, static_cast<int>(j));
    const bool rotation = has_quaternion(at.joint);
    std::vector<double> used = numbers_like(written, at.q, at.joint.nq, rotation);
    for (int k = 0; mechanism_.link_of_joint[j] < 0 && !rotation && k < at.joint.nq; ++k)
      if (is_angle(at.joint.type, k)) used[k] = written[k] + nearest_turn(used[k] - written[k]);
    std::vector<double> meant = written;  // a part of a free joint that was not written is as it is
    if (has_place(at.joint) && !written_[j].rotation) std::copy_n(used.begin(), 4, meant.begin());
    if (has_place(at.joint) && !written_[j].coordinates)
      std::copy_n(used.begin() + 4, 3, meant.begin() + 4);
    if (differ(meant, used, rotation))
      changes.push_back({static_cast<int>(j), false, std::move(meant), std::move(used)});
  }
  for (std::size_t j = 0; j < written_.size(); ++j) {
    const std::vector<double>& written = written_[j].v;
    if (written.empty()) continue;
    const JointCoordinates<double> at = coordinates_of(mechanism_, ws, static_cast<int>(j));
    std::vector<double> used(at.v, at.v + at.joint.nv);
    if (differ(written, used, false))
      changes.push_back({static_cast<int>(j), true, written, std::move(used)});
  }
  return changes;
}

}  // namespace cartan::mechanics
