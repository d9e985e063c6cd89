// Numbers of a whole run as expressions: "final(pole.q)^2 + integral(force^2)".
//
//   final(E)  at(T, E)  integral(E)  maximum(E)  minimum(E)   along the run
//   event(NAME, E)  event(NAME, E, K)                         at the first, the K-th crossing
//   largest_real_part  period  frequency                      of the linearisation
//   largest_real_part(NAME = EXPR, ..)                        the same with other parameters
// and parameters. Derivatives by parameters are exact: those of the motion (sensitivities) and
// those of eigenvalues (analysis/expansions/eigenvalue_slopes.h).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analysis/fits/fit.h"
#include "results/design/linear_functionals.h"
#include "results/load/load.h"

namespace cartan::results {

// A parameter that has another value in one functional.
struct ChangedParameter {
  int parameter = -1;
  Formula value;  // of parameters
};

struct Functional {
  enum class Kind { final, at, integral, maximum, minimum, event, real_part, period, frequency };
  Kind kind = Kind::final;
  std::string text;  // as written
  Formula formula;   // of E
  double time = 0;   // at
  int event = -1, crossing = 1;
  std::vector<ChangedParameter> changed;  // of the linearisation
  std::string changes;                    // the same as written

  bool is_linear() const {
    return kind == Kind::real_part || kind == Kind::period || kind == Kind::frequency;
  }
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
  // Whether an expression mentions this parameter by itself (not through a run).
  bool mentions(int parameter) const;

  // What makes the linearisation's numbers not smooth at these parameters: a sentence, or nothing.
  std::string find_kink(const Eigen::VectorXd& theta) const;

 private:
  struct Numbers {
    Eigen::VectorXd values;  // of the functionals
    Eigen::MatrixXd slopes;  // by the free parameters
  };
  // functional_text.cpp
  int add_functional(const std::string& name, const std::vector<std::string>& arguments,
                     const std::string& text, std::string& problem);
  std::string read_changes(const std::vector<std::string>& arguments, Functional& functional) const;
  std::string read_event(const std::vector<std::string>& arguments, Functional& functional) const;
  std::string replace_functionals(const std::string& text, std::string& problem);
  // functional_run.cpp
  std::string run(const Eigen::VectorXd& theta, const Eigen::VectorXd& size,
                  const SimulateOptions& options, bool slopes, Numbers& numbers) const;
  std::string add_linearised(const Eigen::VectorXd& theta, bool slopes, Numbers& numbers) const;
  std::string linearise_with(const Functional& changed, const Eigen::VectorXd& theta, bool slopes,
                             LinearNumbers& numbers) const;

  const Model& model_;
  std::vector<int> free_;
  double duration_;
  std::string formulation_;
  bool at_equilibrium_;
  std::vector<Functional> functionals_;
  std::vector<FunctionalExpression> expressions_;
  std::vector<double> scales_;          // of the integrals, by functional
  std::map<std::string, int> neutral_;  // eigenvalues that are zero, by what is changed
};

}  // namespace cartan::results
