#include "symbolic/vectors/system_vector.h"

#include <cassert>

#include <fmt/format.h>

#include "symbolic/vectors/linear_map.h"

namespace cartan::symbolic {

SystemVector operator+(SystemVector a, const SystemVector& b) {
  assert(a.size() == b.size());
  for (int i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

SystemVector operator-(SystemVector a, const SystemVector& b) {
  assert(a.size() == b.size());
  for (int i = 0; i < a.size(); ++i) a[i] -= b[i];
  return a;
}

SystemVector operator*(const Expression& s, SystemVector a) {
  for (Vector& v : a.entries) v = s * v;
  return a;
}

Expression fat_dot(const SystemVector& a, const SystemVector& b) {
  assert(a.size() == b.size());
  Expression sum;
  for (int i = 0; i < a.size(); ++i) sum += dot(a[i], b[i]);
  return sum;
}

SystemVector operator*(const SystemInertia& inertia, const SystemVector& v) {
  assert(static_cast<int>(inertia.entries.size()) == v.size());
  SystemVector result;
  for (int i = 0; i < v.size(); ++i) {
    const Inertia& of = inertia.entries[i];
    result.entries.push_back(of.dyad.is_zero() ? of.mass * v[i] : of.dyad * v[i]);
  }
  return result;
}

Expression inner_product(const SystemVector& a, const SystemVector& b,
                         const SystemInertia& inertia) {
  return fat_dot(a, inertia * b);
}

SystemVector derivative(const SystemVector& a, Frame frame) {
  SystemVector result;
  for (const Vector& v : a.entries) result.entries.push_back(derivative(v, frame));
  return result;
}

Tangents tangents(const SystemVector& velocity, std::span<const Expression> speeds) {
  Tangents result;
  std::vector<Expression> values;
  Frames* frames = nullptr;
  for (const Vector& v : velocity.entries) {
    if (v.frames()) frames = v.frames();
    for (const Vector::Term& term : v.terms())
      for (int i = 0; i < 3; ++i) values.push_back(term.c[i]);
  }
  if (!frames) {
    result.vectors.assign(speeds.size(), velocity);
    result.time_part = velocity;
    return result;
  }
  const LinearMap map(frames->graph(), values, speeds);
  if (map.nonlinear_value() >= 0)
    frames->problems().error(
        {},
        "A velocity is not linear in the speeds, so it has no tangent vectors: the rates "
        "of coordinates must be linear in the speeds, and velocities derivatives of positions");
  auto make = [&](const std::vector<Expression>& c) {
    SystemVector made;
    std::size_t at = 0;
    for (const Vector& v : velocity.entries) {
      const std::size_t count = 3 * v.terms().size();
      made.entries.push_back(v.with_components(std::span(c).subspan(at, count)));
      at += count;
    }
    return made;
  };
  for (std::size_t k = 0; k < speeds.size(); ++k)
    result.vectors.push_back(make(map.column(static_cast<int>(k))));
  result.time_part = make(map.rest());
  return result;
}

std::vector<Expression> kane(const Tangents& tangents, const SystemVector& residual) {
  std::vector<Expression> equations;
  for (const SystemVector& tangent : tangents.vectors)
    equations.push_back(fat_dot(tangent, residual));
  return equations;
}

LinearEquations collect(Kinematics& kinematics, std::span<const Expression> equations,
                        std::span<const Expression> unknowns) {
  LinearEquations result;
  result.size = static_cast<int>(unknowns.size());
  const LinearMap map(kinematics.graph(), equations, unknowns);
  if (map.nonlinear_value() >= 0)
    kinematics.problems().error(
        {}, fmt::format("Equation {} is not linear in the unknowns it is to be solved for: "
                        "name as unknowns only what occurs linearly (accelerations, dependent "
                        "speeds)",
                        map.nonlinear_value() + 1));
  const int rows = static_cast<int>(equations.size());
  result.matrix.resize(static_cast<std::size_t>(rows) * unknowns.size());
  for (int k = 0; k < result.size; ++k) {
    const std::vector<Expression> column = map.column(k);
    for (int i = 0; i < rows; ++i) result.matrix[i * result.size + k] = column[i];
  }
  for (const Expression& rest : map.rest()) result.right.push_back(-rest);
  return result;
}

}  // namespace cartan::symbolic
