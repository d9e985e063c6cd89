// Numbers of a whole run as expressions: "final(pole.q)^2 + integral(force^2)".
//
//   final(E)  at(T, E)  integral(E)  maximum(E)  minimum(E)   along the run
//   event(NAME, E)  event(NAME, E, K)                         at the first, the K-th crossing
//   largest_real_part  period  frequency                      of the linearisation
// and parameters. Derivatives by parameters: those of the motion are exact (sensitivities), those
// of eigenvalues extrapolated differences of exact linearisations.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analysis/fits/fit.h"
#include "results/load/load.h"

namespace cartan::results {

struct Functional {
  enum class Kind { final, at, integral, maximum, minimum, event, real_part, period, frequency };
  Kind kind = Kind::final;
  std::string text;  // as written
  Formula formula;   // of E
  double time = 0;   // at
  int event = -1, crossing = 1;
};

struct FunctionalExpression {
  std::string text;
  Formula formula;  // over parameters: those of the model, then the functionals
};

// Reads expressions and evaluates all of them together.
class Functionals {
 public:
  Functionals(const Model& model, std::vector<int> free, double duration, std::string formulation,
              bool at_equilibrium);

  // The number of the expression; -1 with a sentence.
  int add(const std::string& text, std::string& problem);

  // Values, and with `slopes` their derivatives by the free parameters (expressions x free). "" or
  // why there are none.
  std::string evaluate(const Eigen::VectorXd& theta, const Eigen::VectorXd& size,
                       const SimulateOptions& options, Eigen::VectorXd& values,
                       Eigen::MatrixXd* slopes) const;

  // Sizes of the integrals at the start: the tolerance of the simulation is relative to them.
  void set_scales(const Eigen::VectorXd& theta, const Eigen::VectorXd& size,
                  const SimulateOptions& options);
  bool needs_run() const;

 private:
  struct Numbers {
    Eigen::VectorXd values;  // of the functionals
    Eigen::MatrixXd slopes;  // by the free parameters
  };
  int add_functional(const std::string& name, const std::vector<std::string>& arguments,
                     const std::string& text, std::string& problem);
  std::string replace_functionals(const std::string& text, std::string& problem);
  std::string run(const Eigen::VectorXd& theta, const Eigen::VectorXd& size,
                  const SimulateOptions& options, bool slopes, Numbers& numbers) const;
  std::string linearised(const Eigen::VectorXd& theta, std::vector<double>& values) const;
  std::string add_linearised(const Eigen::VectorXd& theta, const Eigen::VectorXd& size, bool slopes,
                             Numbers& numbers) const;

  const Model& model_;
  std::vector<int> free_;
  double duration_;
  std::string formulation_;
  bool at_equilibrium_;
  std::vector<Functional> functionals_;
  std::vector<FunctionalExpression> expressions_;
  std::vector<double> scales_;  // of the integrals, by functional
};

}  // namespace cartan::results
