// One vector for every velocity of a system: of mass centres and particles, and angular ones of
// bodies. Forces, momenta and their rates are lists of the same order. Kane's equations in
// Lesser's form (source 004, sec. 2.2.2):
//
//   v = sum_k tangent_k u_k + time part      tangent vectors = partial velocities
//   tangent_k . (F - p') = 0                 for every k, the sum over all entries
#pragma once

#include <span>
#include <string>
#include <vector>

#include "symbolic/vectors/vectors.h"

namespace cartan::symbolic {

struct SystemVector {
  std::vector<Vector> entries;

  SystemVector() = default;
  SystemVector(std::initializer_list<Vector> list) : entries(list) {}
  int size() const { return static_cast<int>(entries.size()); }
  Vector& operator[](int i) { return entries[i]; }
  const Vector& operator[](int i) const { return entries[i]; }

  friend SystemVector operator+(SystemVector a, const SystemVector& b);
  friend SystemVector operator-(SystemVector a, const SystemVector& b);
  friend SystemVector operator*(const Expression& s, SystemVector a);
};

// The sum of the scalar products of corresponding entries.
Expression fat_dot(const SystemVector& a, const SystemVector& b);

// Entry by entry: masses (times the unit dyad) for velocities, inertia dyads for angular ones.
struct Inertia {
  Expression mass;  // where it is no dyad
  Dyad dyad;
};
struct SystemInertia {
  std::vector<Inertia> entries;
  void add_mass(const Expression& mass) { entries.push_back({mass, {}}); }
  void add_dyad(const Dyad& dyad) { entries.push_back({0, dyad}); }
};
SystemVector operator*(const SystemInertia& inertia, const SystemVector& v);
// a . (inertia b)
Expression inner_product(const SystemVector& a, const SystemVector& b,
                         const SystemInertia& inertia);

SystemVector derivative(const SystemVector& a, Frame frame);

struct Tangents {
  std::vector<SystemVector> vectors;  // one for each speed
  SystemVector time_part;
};
// Coefficients of the speeds; a sentence in the problems when a velocity is not linear in them.
Tangents tangents(const SystemVector& velocity, std::span<const Expression> speeds);

// tangent_k . residual for every k.
std::vector<Expression> kane(const Tangents& tangents, const SystemVector& residual);

// equations = matrix * unknowns - right side (row by row): the matrix and the right side.
struct LinearEquations {
  int size = 0;  // unknowns
  std::vector<Expression> matrix, right;
};
LinearEquations collect(Kinematics& kinematics, std::span<const Expression> equations,
                        std::span<const Expression> unknowns);

}  // namespace cartan::symbolic
