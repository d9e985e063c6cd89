// Levenberg-Marquardt with bounds by Ceres, behind plain numbers.
//
// Debian's Ceres is an archive compiled for any processor of its kind and full of Eigen templates,
// which must not be mixed with ours (another instruction set, another alignment). So it lives in a
// shared library of its own that exports one function and nothing else, and no Eigen type crosses
// the border. The library is loaded at the first call (core/part_library.h).
#pragma once

#include <functional>
#include <string>

namespace cartan::analysis {

enum class PlainVerdict { go_on, enough, give_up };  // enough: keep what was found

struct PlainSquares {
  int residuals = 0, unknowns = 0;
  // Residuals r and, where J is not null, their derivatives row by row; false: none at this point.
  std::function<bool(const double* u, double* r, double* J)> evaluate;
  const double* lower = nullptr;  // infinite where there is no bound
  const double* upper = nullptr;
  int most_iterations = 100;
  double tolerance = 1e-14;
  // Asked after every iteration; derivatives were last wanted at the point that is kept.
  std::function<PlainVerdict(int iteration, double cost)> judge;
};

struct PlainSummary {
  bool usable = false, converged = false;
  bool enough = false, given_up = false;  // as judged
  int iterations = 0;
};

// "": the library is there; else what to say.
std::string find_missing_minimiser();

// From u, to the minimum.
PlainSummary minimise_with_ceres(const PlainSquares& problem, double* u);

// What the library exports.
extern "C" [[gnu::visibility("default")]] void cartan_minimise_with_ceres(
    const PlainSquares* problem, double* u, PlainSummary* summary);

}  // namespace cartan::analysis
