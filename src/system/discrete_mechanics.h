// What a System with positions and speeds offers to a discrete-Lagrangian integrator.
//
//   x = (q, v[, quadratures]),  q in `coordinates()` numbers, v in `speeds()` numbers
//   K_d(q0, q1) = h T((q1 - q0)/h)    the kinetic part of the discrete Lagrangian, with differences
//                                     taken on the configuration group; the System knows which
//   q1 = q0 (+) d                     a displacement d of `speeds()` numbers
//   p, F                              momenta and forces, `momenta()` numbers, as the System likes
//                                     to store them (body by body, say); they can be added, and
//                                     [p] = [p](q) is the vector dual to v they amount to at q
//   J v = b(t)                        constraints; g(q, t) = 0 where they come from positions
//
// A step from (q0, p0) with node forces F, p0 already containing half of theirs, solves
//   -D1 K_d = [p0](q0) + J(q0)^T lambda,   gap(q0, q1) = 0        (begin, improve ..., finish)
// for d; gap is g(q1, t1), or a discrete form of J v = 0 for rows that have no g. At its end stands
//   [p1](q1) = D2 K_d.
#pragma once

#include <memory>
#include <span>
#include <string>

#include <Eigen/Core>

#include "system/system.h"

namespace cartan::system {

class DiscreteMechanics {
 public:
  virtual ~DiscreteMechanics() = default;

  // "" or why this system has no discrete mechanics, and what to use instead.
  virtual std::string refusal() const = 0;
  virtual int coordinates() const = 0;
  virtual int speeds() const = 0;
  virtual int momenta() const = 0;
  virtual bool constrained() const = 0;
  virtual bool forces_depend_on_speeds() const = 0;
  virtual std::unique_ptr<Workspace> make_workspace() const = 0;

  // ---- at a node

  // [p] = M(q) v
  virtual void calc_momenta(StateView at, std::span<double> p, Workspace& workspace) const = 0;
  // All applied forces F(t, q, v). False: they have no value here.
  virtual bool calc_forces(StateView at, std::span<double> F, Workspace& workspace) const = 0;
  // v with M v = [p] + J^T mu and J v = b(t); the v of the state is a guess, which rounding is
  // relative to.
  virtual void calc_speeds(StateView guess, std::span<const double> p, std::span<double> v,
                           Workspace& workspace) const = 0;
  // dv/dF dF/dv, exact, of the v above where p contains F(t, q, v).
  virtual void calc_speed_slope(StateView at, Eigen::Ref<Eigen::MatrixXd> slope,
                                Workspace& workspace) const = 0;

  // ---- a step

  // Opens a step of length h from q to time t_end with momenta p as above. `q_low`, `p_low`: what
  // rounding took from q and p. Entries of d that the constraints prescribe are set.
  virtual void begin(StateView at, std::span<const double> q_low, std::span<const double> p,
                     std::span<const double> p_low, double h, double t_end, std::span<double> d,
                     Workspace& workspace) const = 0;
  // One step of a quasi-Newton iteration, with M(q0) and J(q0) for the matrices: d changes by
  // `change`. O(n) for trees.
  virtual void improve(std::span<double> d, std::span<double> change,
                       Workspace& workspace) const = 0;
  // The end of the step: q1, p1, and what rounding took from them. What is left of the equation for
  // d goes into p1 and p1_low and is not lost.
  virtual void finish(std::span<const double> d, std::span<double> q1, std::span<double> q1_low,
                      std::span<double> p1, std::span<double> p1_low,
                      Workspace& workspace) const = 0;
};

}  // namespace cartan::system
