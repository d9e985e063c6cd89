// The equations of a machine as functions of numbers, for solvers and tools of others.
//
//   const cartan::Equations system(cartan::load("model.toml"));
//   std::vector<double> x = system.start(), rates(x.size());
//   system.derivative(0, x, rates);
//   std::printf("%s' = %g\n", system.names()[0].c_str(), rates[0]);
//
// The state x is the joints' coordinates, then their speeds, as the joints stand in the tree
// (names()); quaternions are four numbers. What x leaves open (whole turns of angles in loops,
// which way dry friction acts at rest) is as at the start of the model.
#pragma once

#include <memory>
#include <span>

#include <cartan/model.h>

namespace cartan::api {

// x' = f(t, x) of a model in one formulation. Several threads may use one.
class CARTAN_API Equations {
 public:
  // An Error where the formulation does not take the model; "": the file's, else recursive.
  explicit Equations(const Model& model, const std::string& formulation = "");

  // Numbers of a state, and how many of them are speeds: of a mechanism, the last ones.
  std::size_t size() const;
  std::size_t speeds() const;
  // "elbow.q0", ..
  const std::vector<std::string>& names() const;
  // The initial state and its time.
  const std::vector<double>& start() const;
  double start_time() const;

  // Rates at one state, or at several: x holds them one after the other, t one time each or one for
  // all.
  void derivative(double t, std::span<const double> x, std::span<double> rates) const;
  void derivatives(std::span<const double> t, std::span<const double> x,
                   std::span<double> rates) const;
  // J = d f / d x by rows, exact.
  void jacobian(double t, std::span<const double> x, std::span<double> J) const;
  // J u and w J, exact.
  void jvp(double t, std::span<const double> x, std::span<const double> u,
           std::span<double> result) const;
  void vjp(double t, std::span<const double> x, std::span<const double> w,
           std::span<double> result) const;
  // Of mechanisms: M by rows and the bias h of M v' + h = J^T lambda; kinetic and potential energy.
  void mass_matrix(double t, std::span<const double> x, std::span<double> M,
                   std::span<double> bias) const;
  void energies(double t, std::span<const double> x, double& kinetic, double& potential) const;

  // What the library itself holds.
  struct Inside;

 private:
  std::shared_ptr<const Inside> inside_;
};

}  // namespace cartan::api
