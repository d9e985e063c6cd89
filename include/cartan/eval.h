// Everything about one state: `cartan eval`.
//
//   const cartan::Evaluation now = cartan::eval(cartan::load("model.toml"));
//   for (const cartan::JointNumbers& joint : now.acceleration)
//     std::printf("%s: %g\n", joint.name.c_str(), joint.values.empty() ? 0.0 : joint.values[0]);
//   std::printf("T = %g J, M has %zu rows\n", now.kinetic, now.mass_matrix.size());
#pragma once

#include <array>

#include <cartan/model.h>

namespace cartan::api {

// A joint and its numbers.
struct JointNumbers {
  std::string name;
  std::vector<double> values;
};

// The whole wrench the parent exerts on the child: torque about C's origin, world axes.
struct Reaction {
  std::string joint;
  std::array<double, 3> force, torque;
};

// T' + V' = nonconservative + constraint, in watts.
struct Power {
  double kinetic_rate = 0, potential_rate = 0, nonconservative = 0, constraint = 0, residual = 0;
};

// A state with what follows from it.
struct Evaluation {
  State state;
  std::vector<JointNumbers> acceleration;        // d/dt of every joint's v
  std::vector<std::vector<double>> mass_matrix;  // rows; M v' + bias = J^T lambda
  std::vector<double> bias;                      // gravity and all forces included
  std::vector<Reaction> reactions;
  std::vector<double> multipliers;
  double kinetic = 0, potential = 0;  // joules
  Power power;
  std::vector<NamedNumber> rates;  // of a [variables] file
  std::string singular;            // why accelerations are not to be trusted; "" when they are
  std::string json;                // as `cartan eval --json` prints it
};

// Evaluates the model at a state, which is taken as it is, never assembled.
CARTAN_API Evaluation eval(const Model& model, const EvalOptions& options = {});

}  // namespace cartan::api
