// Rates from code that was compiled while the program runs (formulation `generated`).
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "system/system.h"

namespace cartan::mechanics {

// The code for one discrete state.
struct RateCode {
  using Function = void (*)(double t, const double* x, const double* p, double* result);
  Function derivative = nullptr;  // x', quadratures included
  Function jacobian = nullptr;    // entries of d x' / d x at (row, column)
  std::vector<int> row, column;
};

// Makes the code a System asks for. Safe to use from several threads; a System keeps what it got.
class RateCompiler {
 public:
  virtual ~RateCompiler() = default;
  // For the mode of the state; null with a sentence when it cannot be made.
  virtual const RateCode* find_derivative(StateView at, std::string& problem) = 0;
  virtual const RateCode* find_jacobian(StateView at, std::string& problem) = 0;
  virtual std::span<const double> parameters() const = 0;
  virtual void set_baumgarte(double rate) = 0;
};

// The code a workspace used last, by mode.
struct RateCodeUse {
  const RateCode* derivative = nullptr;
  const RateCode* jacobian = nullptr;
  std::vector<int> derivative_mode, jacobian_mode;

  const RateCode* find_derivative(RateCompiler& compiler, StateView at) {
    return find(derivative, derivative_mode, at,
                [&](std::string& problem) { return compiler.find_derivative(at, problem); });
  }
  const RateCode* find_jacobian(RateCompiler& compiler, StateView at) {
    return find(jacobian, jacobian_mode, at,
                [&](std::string& problem) { return compiler.find_jacobian(at, problem); });
  }

 private:
  template <class Find>
  static const RateCode* find(const RateCode*& code, std::vector<int>& mode, StateView at,
                              Find&& find) {
    if (code && std::equal(mode.begin(), mode.end(), at.mode.begin(), at.mode.end())) return code;
    std::string problem;
    code = find(problem);
    mode.assign(at.mode.begin(), at.mode.end());
    return code;
  }
};

// Whether some rate is no number.
inline bool lacks_value(std::span<const double> rates) {
  return std::any_of(rates.begin(), rates.end(), [](double rate) { return std::isnan(rate); });
}

// J from the entries of the code; `entries` is scratch.
inline void fill_jacobian(const RateCode& code, StateView at, std::span<const double> parameters,
                          std::vector<double>& entries, Eigen::Ref<Eigen::MatrixXd> J) {
  entries.resize(code.row.size());
  code.jacobian(at.t, at.x.data(), parameters.data(), entries.data());
  J.setZero();
  for (std::size_t k = 0; k < entries.size(); ++k) J(code.row[k], code.column[k]) = entries[k];
}

}  // namespace cartan::mechanics
