// The response of a periodic orbit to small inputs that oscillate.
//
// Along an orbit of period T the linearised motion has periodic coefficients,
//   z' = A(t) z + B(t) u,   y = C(t) z + D(t) u,        Omega = 2 pi / T
// so that an input of one frequency is answered at all frequencies that differ by multiples of
// Omega (Wereley and Hall, 1990: harmonic transfer function):
//   u = e^{i w t}   ->   y = sum_k H_k(w) e^{i (w + k Omega) t}
// An input at w + m Omega is answered at w + k Omega by H_{k-m}(w + m Omega), so that H_k(w) is all
// there is to know.
//
// [0, T] is cut into intervals. In each of them the variational equations give Phi(t) from its
// start, exactly; with g = Phi^-1 B e^{i w t} at Gauss points
//   z(t) = Phi(t) ( z_a + integral of g from the start to t )
// and z(T) = e^{i w T} z(0) closes the equations of the intervals. None of Phi, B, C, D depends on
// w. Across an event that changes the state Phi has its exact jump, and what an input does to the
// event directly is the difference between the sensitivity that the flow carries and the integral.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/orbit.h"

namespace cartan::analysis {

struct ResponseRequest {
  std::vector<int> inputs;  // parameters
  std::vector<std::shared_ptr<const StateFunction>> outputs;
  std::vector<std::string> output_names;  // for messages
  std::vector<double> frequencies;        // w, rad/s
  int harmonics = 0;                      // H_k for |k| up to it
  FlowOptions flow;
};

struct OrbitResponse {
  std::string problem;  // why there is none: a sentence
  double fundamental = 0;
  // By frequency, then k from -harmonics on: outputs x inputs. Not a number where e^{i w T} is a
  // Floquet multiplier: there is no steady response.
  std::vector<std::vector<Eigen::MatrixXcd>> H;
  int intervals = 0;
  double error = 0;  // change by the last refinement, relative to the largest number
};

OrbitResponse calc_orbit_response(const System& system, const Orbit& orbit,
                                  const ResponseRequest& request);

}  // namespace cartan::analysis
