// Exact second and third derivatives of a System, for analyses that follow eigenvalues and expand
// about steady motions and orbits: the rates over Mixed numbers (core/mixed.h).
#pragma once

#include <span>
#include <vector>

#include "core/mixed.h"
#include "system/system.h"

namespace cartan::system {

// Belongs to one System and a list of its parameters and functions; has its own scratch, one per
// thread. Numbers are embedded ones without quadratures.
class StateCurvature {
 public:
  using Numbers = std::span<const double>;
  virtual ~StateCurvature() = default;

  // What is evaluated over Mixed numbers, at time and mode of `at`: the rates, the functions of
  // System::constraint_values, function number k of the list. Parameter number `parameter` of the
  // list moves along w (-1: none moves).
  virtual void rates(StateView at, std::span<const Mixed> x, int parameter,
                     std::span<Mixed> result) = 0;
  virtual void constraints(StateView at, std::span<const Mixed> x, int parameter,
                           std::span<Mixed> result) = 0;
  virtual Mixed function(int k, StateView at, std::span<const Mixed> x, int parameter) = 0;

  // d/dr d/ds of the rates f(t, x + s u + r w; p + r e) at r = s = 0.
  void rates(StateView at, Numbers u, Numbers w, int parameter, std::span<double> result) {
    evaluate_rates(at, u, w, {}, parameter, result.size());
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = values_[i].uw;
  }
  // D3 f(u, w, v).
  void third_rates(StateView at, Numbers u, Numbers w, Numbers v, std::span<double> result) {
    evaluate_rates(at, u, w, v, -1, result.size());
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = values_[i].uwv;
  }
  // The same of the constraints.
  void constraints(StateView at, Numbers u, Numbers w, int parameter, std::span<double> result) {
    evaluate_constraints(at, u, w, {}, parameter, result.size());
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = values_[i].uw;
  }
  void third_constraints(StateView at, Numbers u, Numbers w, Numbers v, std::span<double> result) {
    evaluate_constraints(at, u, w, v, -1, result.size());
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = values_[i].uwv;
  }
  // And of a function: u, w, v and their products.
  Mixed function(int k, StateView at, Numbers u, Numbers w, Numbers v, int parameter = -1) {
    fill(at, u, w, v);
    return function(k, at, x_, parameter);
  }

 private:
  void fill(StateView at, Numbers u, Numbers w, Numbers v) {
    x_.resize(u.size());
    for (std::size_t i = 0; i < u.size(); ++i)
      x_[i] = Mixed(at.x[i], u[i], w[i], v.empty() ? 0 : v[i]);
  }
  void evaluate_rates(StateView at, Numbers u, Numbers w, Numbers v, int parameter,
                      std::size_t size) {
    fill(at, u, w, v);
    values_.resize(size);
    rates(at, x_, parameter, values_);
  }
  void evaluate_constraints(StateView at, Numbers u, Numbers w, Numbers v, int parameter,
                            std::size_t size) {
    fill(at, u, w, v);
    values_.resize(size);
    constraints(at, x_, parameter, values_);
  }

  std::vector<Mixed> x_, values_;
};

}  // namespace cartan::system
