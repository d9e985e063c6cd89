// Reading the memory of turns (turns.h): angles and quaternions nearest to a reference.
#pragma once

#include <climits>
#include <cmath>
#include <vector>

#include "lie/quaternion.h"

namespace cartan::mechanics {

inline constexpr int no_turn = INT_MIN;
inline constexpr int parts_of_turn = 64;
inline constexpr double most_angle = 1e8;  // that references can tell

// The angle without its whole turns, in (-pi, pi].
template <class S>
S within_half_turn(const S& angle) {
  S s, c;
  sincos(angle, s, c);
  return atan2(s, c);
}

// An angle in (-pi, pi] with the whole turns that bring it nearest to the reference.
template <class S>
S angle_near(const S& angle, int reference) {
  if (reference == no_turn) return angle;
  constexpr int half = parts_of_turn / 2;
  const int shifted = reference + half;
  const int turns = shifted >= 0 ? shifted / parts_of_turn : -((-shifted - 1) / parts_of_turn) - 1;
  const S rest((reference - turns * parts_of_turn) * (2 * pi / parts_of_turn));
  const S more = select(less(angle, rest - S(pi)), S(turns + 1),
                        select(less(rest + S(pi), angle), S(turns - 1), S(turns)));
  return angle + S(2 * pi) * more;
}

// Number k of a rounded quaternion, in parts of 127.
inline double quaternion_part(int reference, int k) {
  return static_cast<signed char>(static_cast<unsigned>(reference) >> (8 * k));
}
// u or -u.
template <class S>
void choose_sign(int reference, S* u) {
  if (reference == no_turn) return;
  S along(0);
  for (int k = 0; k < 4; ++k) along += S(quaternion_part(reference, k)) * u[k];
  const S sign = select(less(along, S(0)), S(-1), S(1));
  for (int k = 0; k < 4; ++k) u[k] = sign * u[k];
}

// The rotation vector of u itself, not of the nearer one of u and -u: of length below two turns'
// half, 2 pi.
template <class S>
Vec3<S> log_through(const Quat<S>& u) {
  const S n2 = norm2(u.vector());
  const auto small = less(n2, S(series::arc_switch) * u.w * abs(u.w));
  const S safe_w = select(small, u.w, S(1));
  const S ratio2 = select(small, n2, S(0)) / (safe_w * safe_w);
  const S n = sqrt(select(small, S(1), n2));
  return S(2) * select(small, series::arc_ratio(ratio2) / safe_w, atan2(n, u.w) / n) * u.vector();
}

int reference_of_angle(double angle);

// Entries that were not known, for constraints that decide them (`close_turns`).
struct OpenTurns {
  std::vector<bool> unknown;
  int* turns;

  void set(int entry, int reference) {
    turns[entry] = reference;
    unknown[entry] = false;
  }
  void set_angle(int entry, double angle) { set(entry, reference_of_angle(angle)); }
  // By the whole turns in an angle.
  void turn_back(int entry, double angle) {
    set(entry, turns[entry] - parts_of_turn * static_cast<int>(std::lround(angle / (2 * pi))));
  }
};

}  // namespace cartan::mechanics
