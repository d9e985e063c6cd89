// What places of a plane chain may do: modes, the forces that belong to them, and their choice by
// trying all (plane_chain.h).
#pragma once

#include <algorithm>
#include <cmath>

#include "derive/plane_chain.h"

namespace cartan::test {

inline constexpr int most_links = most_plane_links;
inline constexpr int most_places = 8;
inline constexpr int most_rows = 2 * most_places;  // normal and tangent of each
inline constexpr double clear = 1e-6;              // choices are made by more than this, relative
inline constexpr double independent = 1e-6;        // pivots of rows that are, relative

inline double re(const Complex& z) {
  return z.real();
}

// What a motion comes to that is none to compare.
struct LeftOut {
  const char* why;
};

// x of M x = b, of this size, by elimination with pivots; false where M is singular. M goes.
template <int Most>
bool eliminate(int n, Complex (&M)[Most][Most], Complex (&b)[Most]) {
  double largest = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) largest = std::max(largest, std::fabs(re(M[i][j])));
  for (int c = 0; c < n; ++c) {
    int pivot = c;
    for (int i = c + 1; i < n; ++i)
      if (std::fabs(re(M[i][c])) > std::fabs(re(M[pivot][c]))) pivot = i;
    if (!(std::fabs(re(M[pivot][c])) > independent * largest)) return false;
    std::swap(M[pivot], M[c]);
    std::swap(b[pivot], b[c]);
    for (int i = c + 1; i < n; ++i) {
      const Complex factor = M[i][c] / M[c][c];
      for (int j = c; j < n; ++j) M[i][j] -= factor * M[c][j];
      b[i] -= factor * b[c];
    }
  }
  for (int c = n - 1; c >= 0; --c) {
    for (int j = c + 1; j < n; ++j) b[c] -= M[c][j] * b[j];
    b[c] /= M[c][c];
  }
  return true;
}

// What a place does: whether its normal force acts, and its friction: none, sticking, or sliding
// towards + or - the tangent.
struct PlaceMode {
  bool presses = false;
  enum Rub : signed char { minus = -1, none = 0, plus = 1, sticks = 2 } rub = none;
  bool slides() const { return rub == plus || rub == minus; }
};

// What a place may do.
struct PlaceLaw {
  enum class Kind {
    smooth,   // no friction
    rough,    // never slides
    coulomb,  // sticks, or slides against its friction
    sliding,  // slides already, this way
    begins,   // at its limit: begins to slide this way
    leaves    // has no force left: parts
  } kind = Kind::smooth;
  PlaceMode::Rub way = PlaceMode::none;
  Complex friction, given;  // given: a normal impulse that is there already
};

// w = A r + b at the places listed, a normal and a tangent each.
struct PlaneProblem {
  int count = 0;
  int place[most_places];
  Complex A[most_rows][most_rows], b[most_rows];
  PlaceLaw law[most_places];
};

struct PlaneForces {
  PlaceMode mode[most_places];
  Complex r[most_rows], w[most_rows];
};

// r of given modes: w_n = 0 where the place presses, w_t = 0 where it sticks,
// r_t = -friction (r_n + given) where it slides towards +. False: not unique.
bool solve_modes(const PlaneProblem& p, PlaneForces& forces);

// Whether forces of all places, sticking where they rub, are unique.
bool are_independent(const PlaneProblem& p);

// The one set of modes that obeys the laws, by trying all.
PlaneForces choose_modes(const PlaneProblem& p);

}  // namespace cartan::test
