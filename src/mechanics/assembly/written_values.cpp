#include "mechanics/assembly/written_values.h"

#include <algorithm>
#include <cmath>

#include "lie/so3.h"
#include "mechanics/constraints/constraint_matrix.h"
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

ValueRows WrittenValues::at_positions(MotionWorkspace<double>& ws) const {
  ValueRows result;
  result.off.resize(position_count());
  result.rows = Eigen::MatrixXd::Zero(position_count(), mechanism_.nv);
  Eigen::MatrixXd S;  // rates of the loop joints
  if (any_loop_position()) S = calc_loop_matrix(mechanism_, ws);
  for (int i = 0; i < position_count(); ++i) {
    const Value& value = positions_[i];
    const JointCoordinates<double> at = coordinates_of(mechanism_, ws, value.joint);
    const Link<double>& shape = at.joint;
    // rate of the value = sum of factor[k] times speed k of the joint
    double factor[6] = {};
    if (value.turn) {
      const Vec3<double> turn =
          log(conjugate(quaternion_at(written_[value.joint].q.data())) * quaternion_at(at.q));
      const Mat3<double> rate = RotationAlgebra<double>::dexp_inverse_matrix(-turn);
      result.off[i] = turn[value.component];
      for (int k = 0; k < 3; ++k) factor[k] = rate(value.component, k);
    } else if (has_place(shape)) {
      const Mat3<double> R = rotation_matrix(quaternion_at(at.q));
      result.off[i] = at.q[value.component + 1] - value.written;
      for (int k = 0; k < 3; ++k) factor[3 + k] = R(value.component - 3, k);
    } else {
      result.off[i] = at.q[value.component] - value.written;
      if (is_loop(value) && is_angle(shape.type, value.component))
        result.off[i] = nearest_turn(result.off[i]);
      factor[value.component] = 1;
    }
    for (int k = 0; k < shape.nv; ++k) {
      if (factor[k] == 0) continue;
      if (is_loop(value))
        result.rows.row(i) += factor[k] * S.row(shape.v0 + k);
      else
        result.rows(i, shape.v0 + k) += factor[k];
    }
  }
  return result;
}

ValueRows WrittenValues::at_speeds(MotionWorkspace<double>& ws) const {
  ValueRows result;
  result.off.resize(speed_count());
  result.rows = Eigen::MatrixXd::Zero(speed_count(), mechanism_.nv);
  Eigen::MatrixXd S;
  if (std::any_of(speeds_.begin(), speeds_.end(), [&](const Value& v) { return is_loop(v); }))
    S = calc_loop_matrix(mechanism_, ws);
  const int first = chosen_.count();
  if (first > 0) {
    result.rows.topRows(first) = chosen_.rows();
    result.off.head(first) = chosen_.off(ws.v);
  }
  for (int i = first; i < speed_count(); ++i) {
    const Value& value = speeds_[i];
    const JointCoordinates<double> at = coordinates_of(mechanism_, ws, value.joint);
    const int speed = at.joint.v0 + value.component;
    result.off[i] = at.v[value.component] - value.written;
    if (is_loop(value))
      result.rows.row(i) = S.row(speed);
    else
      result.rows(i, speed) = 1;
  }
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
