// Eigenvalues and modes at a steady motion: `cartan linearize`.
//
//   const cartan::Model model = cartan::load("model.toml");
//   const cartan::Linearization at = cartan::linearize(model, {.at = "equilibrium"});
//   for (const std::complex<double>& value : at.eigenvalues)
//     std::printf("%g %+g i\n", value.real(), value.imag());
#pragma once

#include <complex>

#include <cartan/model.h>

namespace cartan::api {

// The linear motion near a steady one, in the co-moving frame.
struct Linearization {
  double value = 0;     // of a sweep: of its parameter
  std::string problem;  // of a sweep: why there is nothing at this value; "" when there is
  std::vector<std::complex<double>> eigenvalues;       // by real, then imaginary part, descending
  std::vector<double> frequencies_hz, damping;         // beside them
  int neutral = 0;                                     // eigenvalues that are exact zeros
  bool stable = false, asymptotically_stable = false;  // neutral directions aside
  double residual = 0;                                 // how steady the state is
  State state;                                         // the steady one
  std::vector<std::string> held;  // with at = "equilibrium": what kept its initial value
  std::string json;               // as `cartan linearize --json` prints it, modes included
};

// Linearises at one state.
CARTAN_API Linearization linearize(const Model& model, const LinearizeOptions& options = {});

// A linearisation for every value of a parameter or of an expression.
struct LinearizeSweep {
  std::string parameter;
  std::vector<Linearization> points;  // without states
  std::string csv;                    // sweep.csv
  std::string json;                   // as `cartan linearize --sweep .. --json` prints it
};

// Repeats it as options.sweep says: "P=lin(A,B,N)".
CARTAN_API LinearizeSweep linearize_sweep(const Model& model, const LinearizeOptions& options);

}  // namespace cartan::api
