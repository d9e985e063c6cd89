// Parameters from measurements: `cartan fit`.
//
//   const cartan::Model model = cartan::load_text(
//       "name = 'decay'\n[parameters]\nk = 1\n[variables]\nx = { initial = 1, rate = '-k*x' }\n");
//   std::ofstream("measured.csv") << "t,x\n0,1\n1,0.5\n2,0.25\n";
//   const cartan::Fit fit = cartan::fit(model, {.free = "k", .data = "measured.csv"});
//   std::printf("k = %g +- %g\n", fit.parameters[0].value, fit.parameters[0].standard_error);
#pragma once

#include <cartan/model.h>

namespace cartan::api {

// A free parameter.
struct FittedParameter {
  std::string name;
  double start = 0, value = 0;
  double standard_error = 0, low = 0, high = 0;  // interval of 95 per cent; zero: not known
  bool at_bound = false;
};

// One measurement with what the model says.
struct FitResidual {
  std::string experiment, column;
  int row = 0;
  double t = 0, measured = 0, before = 0, after = 0;  // before and after the fit
};

// What the data say about the parameters.
struct Fit {
  std::vector<FittedParameter> parameters;
  double initial_cost = 0, final_cost = 0;  // 1/2 |r|^2
  std::vector<std::vector<double>> covariance;
  bool converged = false;
  int iterations = 0;
  std::vector<FitResidual> residuals;
  std::vector<std::string> warnings;  // what keeps the result from being trusted
  std::string text;                   // as `cartan fit` prints it
  std::string json;                   // as `cartan fit --json` prints it
};

// Fits one set of free parameters.
CARTAN_API Fit fit(const Model& model, const FitOptions& options);
// Several sets, separated by ';' in options.free, each by itself.
CARTAN_API std::vector<Fit> fit_alternatives(const Model& model, const FitOptions& options);

}  // namespace cartan::api
