// The equations of motion as functions: x' = f(t, x), for solvers and tools of your own.
//
//   const cartan::System system(cartan::load("model.toml"));
//   std::vector<double> x = system.initial(), rates(system.size());
//   system.derivative(0, x, rates);  // allocates nothing once warm
//   for (std::size_t i = 0; i < system.size(); ++i)
//     std::printf("%s' = %g\n", system.names()[i].c_str(), rates[i]);
//   std::vector<double> jacobian(system.size() * system.size());
//   system.jacobian(0, x, jacobian);
#pragma once

#include <memory>
#include <span>

#include <cartan/model.h>
#include <cartan/watch.h>

namespace cartan::api {

// A model in one formulation. A handle: copies are cheap, and several threads may use one. Dry
// friction and switches stay in the state (slipping, sticking, branch) that they have at the start.
class CARTAN_API System {
 public:
  // "": the file's formulation, else recursive.
  explicit System(const Model& model, const std::string& formulation = "");

  // How many numbers a state x has, and how many speeds a mechanism has.
  std::size_t size() const;
  std::size_t speeds() const;
  // What they are: coordinates and speeds of joints, or what else the formulation has; variables.
  const std::vector<std::string>& names() const;
  // The model's initial state, constraints satisfied, and its time.
  std::vector<double> initial() const;
  double initial_time() const;
  // The numbers of a state by names; joints that it does not name have their initial values.
  std::vector<double> numbers(const State& state) const;
  // The state that the numbers stand for.
  State state(double t, std::span<const double> x) const;

  // f(t, x) into `rates`.
  void derivative(double t, std::span<const double> x, std::span<double> rates) const;
  // The same at several points: point k stands at x[k * size()], its rates at the same place. One
  // time for all of them, or one each.
  void derivatives(std::span<const double> times, std::span<const double> x,
                   std::span<double> rates) const;
  // d f_i / d x_j, exact, at matrix[i * size() + j].
  void jacobian(double t, std::span<const double> x, std::span<double> matrix) const;
  // That matrix times u, and w times that matrix, exact.
  void jvp(double t, std::span<const double> x, std::span<const double> u,
           std::span<double> result) const;
  void vjp(double t, std::span<const double> x, std::span<const double> w,
           std::span<double> result) const;
  // d f_i / d p_j, exact, of parameters of the model by name, at matrix[i * parameters.size() + j].
  // What depends on a parameter follows it.
  void parameter_jacobian(double t, std::span<const double> x,
                          const std::vector<std::string>& parameters,
                          std::span<double> matrix) const;
  // The second derivative of f along u and w, exact: d/dr d/ds of f(t, x + s u + r w). Costs a few
  // evaluations, however many numbers x has.
  void second_derivative(double t, std::span<const double> x, std::span<const double> u,
                         std::span<const double> w, std::span<double> result) const;
  // Of mechanisms: M by rows and the bias h of M v' + h = J^T lambda; joules.
  void mass_matrix(double t, std::span<const double> x, std::span<double> M,
                   std::span<double> bias) const;
  // Inverse dynamics, O(n): what joints must add, one number per speed, so that the speeds change
  // by `a`: M a + h without multipliers of constraints. And d force_i / d x_j, exact, a held, at
  // matrix[i * size() + j]; by a it is M.
  void inverse_dynamics(double t, std::span<const double> x, std::span<const double> a,
                        std::span<double> forces) const;
  void inverse_jacobian(double t, std::span<const double> x, std::span<const double> a,
                        std::span<double> matrix) const;
  void energies(double t, std::span<const double> x, double& kinetic, double& potential) const;

  // Classical Runge-Kutta steps from x at time t; x becomes the state after them.
  void take_steps(double t, double step, std::size_t steps, std::span<double> x,
                  const Watch& watch = {}) const;
  // The gradient of a function of that last state, backwards through the same steps: w, its
  // gradient by the last state, becomes that by x, and `by_parameters` that by parameters of the
  // model. Exact for what was computed. Longer runs are differentiated by code that is compiled
  // when it is first asked for (seconds; kept in the cache): then one gradient costs about as much
  // as three runs, however many parameters there are.
  void steps_gradient(double t, double step, std::size_t steps, std::span<const double> x,
                      std::span<double> w, const std::vector<std::string>& parameters,
                      std::span<double> by_parameters, const Watch& watch = {}) const;

  // What the library itself holds.
  struct Inside;

 private:
  std::shared_ptr<const Inside> inside_;
};

}  // namespace cartan::api
