#include "mechanics/joints/turns.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/mixed.h"
#include "mechanics/constraints/constraints.h"
#include "mechanics/forces/force_laws.h"
#include "mechanics/machine/expression_inputs.h"
#include "symbolic/expression.h"

namespace cartan::mechanics {
namespace {

double euler_angle(const Torsion<double>& e, const double* q, int component) {
  return euler321(rotation_matrix(e.relative(q)))[component];
}

const Torsion<double>& torsion_of(const Mechanism<double>& mechanism, const TurnEntry& entry) {
  return std::get<Torsion<double>>(mechanism.forces[entry.force]);
}

// The sign of w, twice it beyond a quarter turn: from there a step may pass the half turn.
int half_turn_entry(double w) {
  const int size = std::fabs(w) < std::sqrt(0.5) ? 2 : 1;
  return w < 0 ? -size : size;
}

// An entry from its joint's coordinates.
int entry_at(const Mechanism<double>& mechanism, const TurnEntry& entry, const double* q) {
  switch (entry.kind) {
    case TurnKind::angle:
      return reference_of_angle(q[entry.component]);
    case TurnKind::sign:
      return reference_of_quaternion(q);
    case TurnKind::euler:
      return reference_of_angle(euler_angle(torsion_of(mechanism, entry), q, entry.component));
    case TurnKind::half_turn:
      return half_turn_entry(torsion_of(mechanism, entry).relative(q).w);
  }
  return no_turn;
}

// Entries that programs read: forces and events.
void mark_program(const Program& program, std::vector<TurnEntry>& turns) {
  for (const Symbol& s : program.inputs) {
    if (s.quantity != Quantity::joint_q) continue;
    for (TurnEntry& entry : turns)
      entry.read |= entry.joint == s.index &&
                    (entry.kind == TurnKind::sign
                         ? s.component < 4
                         : entry.kind == TurnKind::angle && entry.component == s.component);
  }
}
void mark_angles(int joint, int component, std::vector<TurnEntry>& turns) {  // -1: all
  for (TurnEntry& entry : turns)
    entry.read |= entry.kind == TurnKind::angle && entry.joint == joint &&
                  (component < 0 || entry.component == component);
}

template <class S>
void mark_read(const Model& model, Mechanism<S>& mechanism) {
  std::vector<TurnEntry>& turns = mechanism.turns;
  for (const ForceElement<S>& element : mechanism.forces) {
    const int joint = std::visit([](const auto& e) { return e.measured_joint(); }, element);
    if (joint >= 0) mark_angles(joint, -1, turns);
  }
  for (const Force& force : model.forces)
    for_each_expression(force, [&](const Formula& f) { mark_program(f.program, turns); });
  const auto mark = [&](int joint, int component) { mark_angles(joint, component, turns); };
  for (const ConstraintElement<S>& element : mechanism.constraints)
    std::visit([&](const auto& e) { e.for_each_coordinate(mark); }, element);
  for (const Event& e : model.events) mark_program(e.when.program, turns);
}

}  // namespace

int reference_of_angle(double angle) {
  if (!(std::fabs(angle) <= most_angle)) return no_turn;
  return static_cast<int>(std::lround(angle * (parts_of_turn / (2 * pi))));
}

int reference_of_quaternion(const double* u) {
  double length = 0;
  for (int k = 0; k < 4; ++k) length = std::max(length, std::fabs(u[k]));
  if (!(length > 0) || !std::isfinite(length)) return no_turn;
  unsigned packed = 0;
  for (int k = 0; k < 4; ++k) {
    const auto byte = static_cast<signed char>(std::lround(127 * u[k] / length));
    packed |= static_cast<unsigned>(static_cast<unsigned char>(byte)) << (8 * k);
  }
  return static_cast<int>(packed);
}

template <class S>
void add_turns(const Model& model, Mechanism<S>& mechanism) {
  auto add = [&](TurnKind kind, int joint, int component, int force) {
    mechanism.turns.push_back({kind, joint, component, force, force >= 0});
  };
  for (LoopJoint<S>& loop : mechanism.loops) {
    loop.turn0 = mechanism.turn_count();
    if (has_quaternion(loop.shape.type))
      add(TurnKind::sign, loop.joint, 0, -1);
    else
      for (int k = 0; k < loop.shape.nq; ++k)
        if (turn_of(loop, k) >= 0) add(TurnKind::angle, loop.joint, k, -1);
  }
  for (std::size_t k = 0; k < mechanism.forces.size(); ++k) {
    auto* e = std::get_if<Torsion<S>>(&mechanism.forces[k]);
    if (!e || !e->rotation) continue;
    e->turn0 = mechanism.turn_count();
    const int force = static_cast<int>(k);
    if (e->measure == TorsionMeasure::rotation_vector) {
      add(TurnKind::half_turn, e->joint, 0, force);
      continue;
    }
    for (int component : {0, 2}) add(TurnKind::euler, e->joint, component, force);
  }
  mark_read(model, mechanism);
}

std::string set_turns(const Mechanism<double>& mechanism, const std::vector<std::vector<double>>& q,
                      int* turns) {
  std::string problem;
  for (int k = 0; k < mechanism.turn_count(); ++k) {
    const TurnEntry& entry = mechanism.turns[k];
    const std::vector<double>& joint = q[entry.joint];
    turns[k] = joint.empty() ? no_turn : entry_at(mechanism, entry, joint.data());
    if (joint.empty() || entry.kind != TurnKind::angle || turns[k] != no_turn) continue;
    problem = fmt::format(
        "joint '{}': the angle {:g} is too large for its turns to be counted; expected at most "
        "{:g}",
        mechanism.model->joints[entry.joint].name, joint[entry.component], most_angle);
  }
  return problem;
}

void open_turns(const Mechanism<double>& mechanism, int* turns) {
  auto open = [&](int joint, int component) {  // -1: all
    for (int k = 0; k < mechanism.turn_count(); ++k) {
      const TurnEntry& entry = mechanism.turns[k];
      if (entry.kind == TurnKind::angle && entry.joint == joint &&
          (component < 0 || entry.component == component))
        turns[k] = no_turn;
    }
  };
  for (const ConstraintElement<double>& element : mechanism.constraints)
    std::visit([&](const auto& e) { e.for_each_coordinate(open); }, element);
}

void find_turns(const Mechanism<double>& mechanism, const std::vector<std::vector<double>>& likely,
                MotionWorkspace<double>& ws, int* turns) {
  const int count = mechanism.turn_count();
  if (std::find(turns, turns + count, no_turn) == turns + count) return;
  OpenTurns open{std::vector<bool>(count), turns};
  fill_loop_coordinates(mechanism, ws);
  for (int k = 0; k < count; ++k) {
    open.unknown[k] = turns[k] == no_turn;
    if (!open.unknown[k]) continue;
    const TurnEntry& entry = mechanism.turns[k];
    double q[7];
    std::copy_n(coordinates_of(mechanism, ws, entry.joint).q,
                mechanism.model->joints[entry.joint].nq(), q);
    if (const std::vector<double>& near = likely[entry.joint]; !near.empty()) {
      if (entry.kind == TurnKind::angle)
        q[entry.component] +=
            2 * pi * std::round((near[entry.component] - q[entry.component]) / (2 * pi));
      if (entry.kind == TurnKind::sign) choose_sign(reference_of_quaternion(near.data()), q);
    }
    turns[k] = entry_at(mechanism, entry, q);
  }
  // drives first: what they prescribe is not for others to choose
  for (const bool drives : {true, false})
    for (const ConstraintElement<double>& element : mechanism.constraints) {
      if (std::holds_alternative<DriveElement<double>>(element) != drives) continue;
      std::visit([&](const auto& e) { e.close_turns(mechanism, ws, open); }, element);
      std::copy(turns, turns + count, ws.mode.begin() + mechanism.turn0());
      fill_loop_coordinates(mechanism, ws);
    }
}

std::string renew_turns(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws,
                        double length, double most, int* turns) {
  if (!mechanism.loops.empty()) fill_loop_coordinates(mechanism, ws);
  std::string problem;
  for (int k = 0; k < mechanism.turn_count(); ++k) {
    const TurnEntry& entry = mechanism.turns[k];
    const JointCoordinates<double> at = coordinates_of(mechanism, ws, entry.joint);
    if (turns[k] == no_turn) {
      turns[k] = entry_at(mechanism, entry, at.q);
      continue;
    }
    double turned = 0;  // since the start of the step
    switch (entry.kind) {
      case TurnKind::angle: {
        // the turns that the speed makes likely
        const double before = turns[k] * (2 * pi / parts_of_turn);
        const double expected = before + length * at.v[entry.component];
        const double angle = at.q[entry.component];
        const double now = angle + 2 * pi * std::round((expected - angle) / (2 * pi));
        turned = std::fabs(now - before);
        turns[k] = reference_of_angle(now);
        break;
      }
      case TurnKind::sign: {
        const Vec3<double> w{at.v[0], at.v[1], at.v[2]};
        turned = length * norm(w);
        // beyond half a turn the nearer sign is the wrong one, beyond three halves the right one
        const bool flipped = std::fmod(turned + pi, 4 * pi) > 2 * pi;
        double u[4];
        for (int i = 0; i < 4; ++i) u[i] = flipped ? -at.q[i] : at.q[i];
        turns[k] = reference_of_quaternion(u);
        break;
      }
      case TurnKind::euler: {
        turned = length * norm(Vec3<double>{at.v[0], at.v[1], at.v[2]});
        const double angle = euler_angle(torsion_of(mechanism, entry), at.q, entry.component);
        turns[k] = reference_of_angle(angle_near(angle, turns[k]));
        break;
      }
      case TurnKind::half_turn: {
        turned = length * norm(Vec3<double>{at.v[0], at.v[1], at.v[2]});
        const double w = torsion_of(mechanism, entry).relative(at.q).w;
        turns[k] = (turns[k] < 0 ? -1 : 1) * std::abs(half_turn_entry(w));
        break;
      }
    }
    if (turned > most && entry.read && problem.empty())
      problem = fmt::format(
          "joint '{}' turns by {:.3g} rad in this step, and something depends on its angle; use a "
          "step in which it turns by less than {:.2g} rad",
          mechanism.model->joints[entry.joint].name, turned, most);
  }
  return problem;
}

bool stays_within_half_turn(const Mechanism<double>& mechanism, const int* turns) {
  for (int k = 0; k < mechanism.turn_count(); ++k) {
    const TurnEntry& entry = mechanism.turns[k];
    if (!entry.read) continue;
    const int now = turns[k];
    if (now == no_turn) return false;
    if (entry.kind == TurnKind::half_turn) {
      if (std::abs(now) > 1) return false;
    } else if (entry.kind == TurnKind::sign) {
      double size = 0;
      for (int i = 0; i < 4; ++i) size += square(quaternion_part(now, i));
      const double w = quaternion_part(now, 0);
      if (w < 0 || w * w < 0.5 * size) return false;
    } else if (std::abs(now) > parts_of_turn / 4) {
      return false;
    }
  }
  return true;
}

template <class S>
void calc_wrap_margins(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws,
                       std::span<S> margins) {
  const int* turns = turns_in(mechanism, ws);
  std::size_t next = 0;
  for (int k = 0; k < mechanism.turn_count(); ++k) {
    const TurnEntry& entry = mechanism.turns[k];
    if (entry.force < 0) continue;
    const auto& e = std::get<Torsion<S>>(mechanism.forces[entry.force]);
    const Quat<S> relative = e.relative(coordinates_of(mechanism, ws, entry.joint).q);
    if (entry.kind == TurnKind::half_turn) {
      margins[next++] = S(turns[k] < 0 && turns[k] != no_turn ? -1 : 1) * relative.w;
    } else {
      const Vec3<S> angles = euler321(rotation_matrix(relative));
      margins[next++] = S(pi * pi) - square(angle_near(angles[entry.component], turns[k]));
    }
  }
}

void wrap(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws, int which, int* turns) {
  for (int k = 0; k < mechanism.turn_count(); ++k) {
    const TurnEntry& entry = mechanism.turns[k];
    if (entry.force < 0 || which-- != 0) continue;
    if (entry.kind == TurnKind::half_turn) {
      turns[k] = -turns[k];
      return;
    }
    const double angle =
        angle_near(euler_angle(torsion_of(mechanism, entry),
                               coordinates_of(mechanism, ws, entry.joint).q, entry.component),
                   turns[k]);
    turns[k] = reference_of_angle(angle > 0 ? angle - 2 * pi : angle + 2 * pi);
    return;
  }
}

#define CARTAN_INSTANTIATE(S) template void add_turns<S>(const Model&, Mechanism<S>&);
CARTAN_FOR_EACH_SCALAR_AND_EXPRESSION(CARTAN_INSTANTIATE)
CARTAN_INSTANTIATE(Mixed)
#undef CARTAN_INSTANTIATE
template void calc_wrap_margins<double>(const Mechanism<double>&, MotionWorkspace<double>&,
                                        std::span<double>);
template void calc_wrap_margins<Dual4>(const Mechanism<Dual4>&, MotionWorkspace<Dual4>&,
                                       std::span<Dual4>);

}  // namespace cartan::mechanics
