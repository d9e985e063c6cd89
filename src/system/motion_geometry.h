// What the analysis of steady motions must know of a System beyond x' = f(t, x): the manifold its
// states lie on, and vector fields among which its symmetries are to be found.
//
// A symmetry is a field Y that commutes with the flow, [f, Y] = 0, and is tangent to the constraint
// manifold. A System only proposes fields; whether a combination of them is a symmetry is decided
// by its commutators (analysis/symmetries.h). All numbers are embedded ones.
#pragma once

#include <span>
#include <string>

#include <Eigen/Core>

#include "system/system.h"

namespace cartan::system {

// How a field moves a mechanism; earlier kinds are preferred where several explain the same motion.
enum class FieldKind {
  own,    // a body moved in its own axes, its velocity in space kept: spin of an axisymmetric body
  shift,  // a coordinate
  world,  // everything outboard of a joint moved in the axes of the inboard side
};

class MotionGeometry {
 public:
  virtual ~MotionGeometry() = default;

  // What makes f depend on time, as a phrase ("the force 'wind'"); "" when nothing does. A drive
  // with constant speed does not: its joint moves, but the equations do not change.
  virtual std::string time_dependence() const = 0;

  // Whether constraint function i of the System moves with time (the position of a drive).
  virtual bool constraint_moves(int i) const = 0;

  virtual int field_count() const = 0;
  virtual FieldKind field_kind(int k) const = 0;
  virtual std::string field_name(int k) const = 0;
  // Columns Y_k(x), and D_k = d/ds Y_k(x + s direction) at s = 0.
  virtual void fields(StateView at, std::span<const double> direction,
                      Eigen::Ref<Eigen::MatrixXd> Y, Eigen::Ref<Eigen::MatrixXd> D) const = 0;
  // J(i, j) += d (sum_k factor_k Y_k)_i / d x_j
  virtual void add_field_jacobian(StateView at, std::span<const double> factors,
                                  Eigen::Ref<Eigen::MatrixXd> J) const = 0;
  // result += d/dr d/ds sum_k factor_k Y_k(x + s u + r w)
  virtual void add_field_curvature(StateView at, std::span<const double> factors,
                                   std::span<const double> u, std::span<const double> w,
                                   std::span<double> result) const = 0;
  // result += D3 (sum_k factor_k Y_k)(u, w, v)
  virtual void add_field_third(StateView at, std::span<const double> factors,
                               std::span<const double> u, std::span<const double> w,
                               std::span<const double> v, std::span<double> result) const = 0;
};

}  // namespace cartan::system
