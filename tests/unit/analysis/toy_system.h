// Small systems given by templates over the scalar, without a model: for tests of analyses that
// need higher derivatives, constraints and symmetries whose answers are known.
#pragma once

#include <memory>
#include <vector>

#include "analysis/steady_problem.h"
#include "core/mixed.h"
#include "system/motion_geometry.h"
#include "system/state_curvature.h"
#include "system/state_function.h"

namespace cartan::test {

// F: numbers, constraints, fields (counts), and templates over S:
//   rates(x, p, result), constraint_values(x, p, result), field(k, x, result), held(x)
template <class F>
class ToySystem final : public System, public MotionGeometry {
 public:
  explicit ToySystem(double p) : p_(p) { space_.add_vector(F::numbers); }

  const StateSpace& space() const override { return space_; }
  State initial_state() const override { return {0, std::vector<double>(F::numbers, 0.0), {}}; }
  std::unique_ptr<Workspace> make_workspace() const override {
    return std::make_unique<Workspace>();
  }
  void derivative(StateView at, std::span<double> xdot, Workspace&) const override {
    F::rates(at.x.data(), p_, xdot.data());
  }
  void jacobian(StateView at, Eigen::Ref<Eigen::MatrixXd> J, Workspace&) const override {
    differentiate(at, F::numbers, J, [&](const Dual4* x, Dual4* y) { F::rates(x, Dual4(p_), y); });
  }
  int parameter_count() const override { return 1; }
  void parameter_jacobian(StateView at, std::span<const int>, Eigen::Ref<Eigen::MatrixXd> J,
                          Workspace&) const override {
    const std::vector<Dual4> x(at.x.begin(), at.x.end());
    std::vector<Dual4> y(F::numbers);
    F::rates(x.data(), Dual4::variable(p_, 0), y.data());
    for (int i = 0; i < F::numbers; ++i) J(i, 0) = y[i].d[0];
  }
  int constraint_count() const override { return F::constraints; }
  bool constrained() const override { return F::constraints > 0; }
  void constraint_values(StateView at, std::span<double> values, Workspace&) const override {
    F::constraint_values(at.x.data(), p_, values.data());
  }
  void constraint_jacobian(StateView at, Eigen::Ref<Eigen::MatrixXd> C, Workspace&) const override {
    differentiate(at, F::constraints, C,
                  [&](const Dual4* x, Dual4* y) { F::constraint_values(x, Dual4(p_), y); });
  }
  const MotionGeometry* geometry() const override { return this; }
  const std::vector<EventInfo>& events() const override { return events_; }
  void event_values(StateView, std::span<double>, Workspace&) const override {}
  std::string component_name(int i) const override { return "x" + std::to_string(i); }

  std::string time_dependence() const override { return ""; }
  bool constraint_moves(int) const override { return false; }
  int field_count() const override { return F::fields; }
  FieldKind field_kind(int) const override { return FieldKind::world; }
  std::string field_name(int k) const override { return "field " + std::to_string(k); }
  void fields(StateView at, std::span<const double> direction, Eigen::Ref<Eigen::MatrixXd> Y,
              Eigen::Ref<Eigen::MatrixXd> D) const override {
    for (int k = 0; k < F::fields; ++k) {
      std::vector<Dual4> x(at.x.begin(), at.x.end()), y(F::numbers);
      for (int i = 0; i < F::numbers; ++i) x[i].d[0] = direction[i];
      F::field(k, x.data(), y.data());
      for (int i = 0; i < F::numbers; ++i) Y(i, k) = y[i].a, D(i, k) = y[i].d[0];
    }
  }
  void add_field_jacobian(StateView at, std::span<const double> factors,
                          Eigen::Ref<Eigen::MatrixXd> J) const override {
    for (int k = 0; k < F::fields; ++k) {
      Eigen::MatrixXd one(F::numbers, F::numbers);
      differentiate(at, F::numbers, one, [&](const Dual4* x, Dual4* y) { F::field(k, x, y); });
      J += factors[k] * one;
    }
  }
  void add_field_curvature(StateView at, std::span<const double> factors, std::span<const double> u,
                           std::span<const double> w, std::span<double> result) const override {
    add_mixed(at, factors, u, w, {}, result, &Mixed::uw);
  }
  void add_field_third(StateView at, std::span<const double> factors, std::span<const double> u,
                       std::span<const double> w, std::span<const double> v,
                       std::span<double> result) const override {
    add_mixed(at, factors, u, w, v, result, &Mixed::uwv);
  }

 private:
  template <class Evaluate>
  static void differentiate(StateView at, int rows, Eigen::Ref<Eigen::MatrixXd> J,
                            Evaluate&& evaluate) {
    for (int j = 0; j < F::numbers; ++j) {
      std::vector<Dual4> x(at.x.begin(), at.x.end()), y(rows);
      x[j].d[0] = 1;
      evaluate(x.data(), y.data());
      for (int i = 0; i < rows; ++i) J(i, j) = y[i].d[0];
    }
  }
  static void add_mixed(StateView at, std::span<const double> factors, std::span<const double> u,
                        std::span<const double> w, std::span<const double> v,
                        std::span<double> result, double Mixed::*part) {
    for (int k = 0; k < F::fields; ++k) {
      std::vector<Mixed> x(F::numbers), y(F::numbers);
      for (int i = 0; i < F::numbers; ++i) x[i] = Mixed(at.x[i], u[i], w[i], v.empty() ? 0 : v[i]);
      F::field(k, x.data(), y.data());
      for (int i = 0; i < F::numbers; ++i) result[i] += factors[k] * (y[i].*part);
    }
  }

  const double p_;
  StateSpace space_;
  std::vector<EventInfo> events_;
};

template <class F>
class ToyCurvature final : public StateCurvature {
 public:
  explicit ToyCurvature(double p) : p_(p) {}
  using StateCurvature::constraints;
  using StateCurvature::function;
  using StateCurvature::rates;

  void rates(StateView, std::span<const Mixed> x, int parameter, std::span<Mixed> y) override {
    F::rates(x.data(), value(parameter), y.data());
  }
  void constraints(StateView, std::span<const Mixed> x, int parameter,
                   std::span<Mixed> y) override {
    F::constraint_values(x.data(), value(parameter), y.data());
  }
  Mixed function(int, StateView, std::span<const Mixed> x, int) override {
    return F::held(x.data());
  }

 private:
  Mixed value(int parameter) const { return parameter < 0 ? Mixed(p_) : Mixed(p_, 0, 1); }

  const double p_;
};

template <class F>
class ToyHeld final : public StateFunction {
 public:
  double value(StateView at, Workspace&) const override { return F::held(at.x.data()); }
  double gradient(StateView at, std::span<double> gradient, Workspace&) const override {
    for (int j = 0; j < F::numbers; ++j) {
      std::vector<Dual4> x(at.x.begin(), at.x.end());
      x[j].d[0] = 1;
      gradient[j] = F::held(x.data()).d[0];
    }
    return F::held(at.x.data());
  }
  double slope(StateView at, std::span<const int> parameters, FunctionSlope& slope,
               Workspace& workspace) const override {
    slope.by_x.resize(F::numbers);
    slope.by_parameters.assign(parameters.size(), 0.0);
    slope.by_time = 0;
    return gradient(at, slope.by_x, workspace);
  }
};

}  // namespace cartan::test
