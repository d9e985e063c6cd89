// What a System with positions and speeds offers to a discrete-Lagrangian integrator.
//
//   x = (q, v[, quadratures]),  q in `coordinates()` numbers, v in `speeds()` numbers
//   K_d(q0, q1) = h T((q1 - q0)/h)    the kinetic part of the discrete Lagrangian, with differences
//                                     taken on the configuration group; the System knows which
//   q1 = q0 (+) d                     a displacement d of `speeds()` numbers
//   P0(d) = -D1 K_d,  P1(d) = D2 K_d  momenta at both ends, dual to v; all others dual to v, too
//   J v = b(t)                        constraints; g(q, t) = 0 where they come from positions
//
// A step from (q0, p0) with node forces F, p0 already containing half of theirs, solves
//   P0(d) = p0 + J(q0)^T lambda,   gap(q0, q1) = 0        (begin, improve ..., finish)
// for d; gap is g(q1, t1), or a discrete form of J v = 0 for rows that have no g.
#pragma once

#include <memory>
#include <span>
#include <string>

#include <Eigen/Core>

#include "system/system.h"

namespace cartan {

class DiscreteMechanics {
 public:
  virtual ~DiscreteMechanics() = default;

  // "" or why this system has no discrete mechanics, and what to use instead.
  virtual std::string refusal() const = 0;
  virtual int coordinates() const = 0;
  virtual int speeds() const = 0;
  virtual bool constrained() const = 0;
  virtual bool forces_depend_on_speeds() const = 0;
  virtual std::unique_ptr<Workspace> make_workspace() const = 0;

  // ---- at a node

  // p = M(q) v
  virtual void calc_momenta(StateView at, std::span<double> p, Workspace& workspace) const = 0;
  // All applied forces F(t, q, v). False: they have no value here.
  virtual bool calc_forces(StateView at, std::span<double> F, Workspace& workspace) const = 0;
  // v with M v = p + J^T mu and J v = b(t).
  virtual void calc_speeds(double t, std::span<const double> q, std::span<const int> mode,
                           std::span<const double> p, std::span<double> v,
                           Workspace& workspace) const = 0;
  // dv/dF dF/dv, exact, of the v above where p contains F(t, q, v).
  virtual void calc_speed_slope(StateView at, Eigen::Ref<Eigen::MatrixXd> slope,
                                Workspace& workspace) const = 0;

  // ---- a step

  // Opens a step of length h from q (+) low to time t_end; momentum p as above. `low` is what
  // rounding took from q. Entries of d that the constraints prescribe are set.
  virtual void begin(StateView at, std::span<const double> low, std::span<const double> p, double h,
                     double t_end, std::span<double> d, Workspace& workspace) const = 0;
  // One step of a quasi-Newton iteration, with M(q0) and J(q0) for the matrices: d changes by
  // `change`. O(n) for trees.
  virtual void improve(std::span<double> d, std::span<double> change,
                       Workspace& workspace) const = 0;
  // The end of the step: q1 and what rounding took from it, and
  //   p_change = J(q0)^T lambda + P1(d) - P0(d)
  // with all digits of a small change, so that p1 = p + p_change, whatever P0(d) = p + J^T lambda
  // was solved to.
  virtual void finish(std::span<const double> d, std::span<double> q1, std::span<double> low1,
                      std::span<double> p_change, Workspace& workspace) const = 0;
};

}  // namespace cartan
