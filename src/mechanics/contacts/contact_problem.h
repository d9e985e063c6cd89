// Complementarity over all contacts that touch, on accelerations or on impulses.
//
//   w = A r + b,      three numbers per contact: normal, two tangents
//   0 <= r_n,  0 <= w_n,  r_n w_n = 0
//   friction:  |r_t| <= mu (r_n + given), and where w_t is not zero r_t = -mu (r_n + given)
//   w_t/|w_t| sliding:   r_t = -mu r_n d with a direction d that is known rough:     w_t = 0 where
//   r_n + given > 0
// A is symmetric and semidefinite (J M^-1 J^T with all constraints kept). First blocks are improved
// one after the other; then the state of every contact is read off and the equations that belong to
// it are solved to rounding. Where that fails, states are tried one by one.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "core/folders.h"

namespace cartan::mechanics {

struct ContactLaw {
  enum class Kind { smooth, friction, sliding, rough };
  Kind kind = Kind::smooth;
  double mu = 0;
  double given = 0;       // normal impulse that is there already (Poisson's second phase)
  double d1 = 0, d2 = 0;  // sliding
};

struct ContactProblem {
  Eigen::MatrixXd A;
  Eigen::VectorXd b;
  std::vector<ContactLaw> laws;
  // which contacts are expected to be closed, and to begin to slip: kept if there are forces that
  // obey the laws. Empty: nothing is expected.
  std::vector<char> expected_closed, expected_slips;
};

struct ContactSolution {
  bool found = false;
  Eigen::VectorXd r, w;
  std::vector<char> closed;  // per contact: w_n = 0
  std::vector<char> slips;   // friction at its limit
  double residual = 0;       // largest violation, relative to the largest r or w
};

ContactSolution solve_contacts(const ContactProblem& problem);

// How a solution changes: dr for changes dF of the equations F(r) = 0 of its states,
//   closed w_n = 0, sticking w_t = 0, slipping r_t + mu (r_n + given) w_t/|w_t| = 0, else r = 0
// a column each; of least norm where forces are not unique.
Eigen::MatrixXd change_solution(const ContactProblem& problem, const ContactSolution& solution,
                                const Eigen::MatrixXd& dF);

// All solutions of a problem of smooth and sliding contacts, by trying every set of closed ones;
// none or several only with sliding ones (Painleve). Needs at most 12 contacts.
std::vector<ContactSolution> find_all_solutions(const ContactProblem& problem);

}  // namespace cartan::mechanics
