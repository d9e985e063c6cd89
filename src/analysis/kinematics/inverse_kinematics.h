// Configurations that satisfy targets together with the constraints of a System.
//
// Each step is Levenberg and Marquardt's on the tangent space, d = -(J^T J + mu)^-1 J^T r, with mu
// by the success of the last step; near a solution Gauss-Newton's of least norm, which converges
// quadratically and moves nothing that need not move. Then the solution slides along what is left
// free to the one with the least change from the start: the sum of squares of the changes of
// coordinates (rotation vectors for rotations), radians and metres alike.
#pragma once

#include <atomic>

#include "analysis/kinematics/targets.h"

namespace cartan::analysis {

struct KinematicOptions {
  int iterations = 200;
  double tolerance = 1e-10;  // largest |r| that counts as met, relative to max(1, |J|)
  bool least_change = true;
  bool judged = true;  // the solution with its rank and what is missed (judge_solution)
  const std::atomic<bool>* stop_requested = nullptr;  // ends with what has been reached
  bool stopped() const { return stop_requested && stop_requested->load(); }
};

struct KinematicSolution {
  bool found = false;
  State state;
  double residual = 0;  // largest |r|
  double change = 0;    // distance of the unknowns from the start
  int iterations = 0;
  int rank = 0;                       // of all equations at the solution ...
  int generic = 0;                    // ... and beside it: what they have where nothing is special
  int freedom = 0;                    // unknowns that the equations leave free
  std::vector<std::string> missed;    // targets that are not met, with what is missing
  std::vector<std::string> at_limit;  // ranges whose end is reached
  bool singular() const { return rank < generic; }
};

KinematicSolution solve_targets(const TargetProblem& problem, const State& start,
                                const KinematicOptions& options = {});

// Rank, freedom, what is missed and which ranges end here, of a state that was reached.
void judge_solution(const TargetProblem& problem, const KinematicOptions& options,
                    KinematicSolution& solution);

// All solutions: from starts spread over the configurations by index (the same every time), until
// every solution has been found `hits` times, at least `least_starts` were made and the last new
// one was found in the first half of them. Of N starts that end at a solution, one that draws the
// share p of them is missed with probability (1 - p)^N: what has not been found draws less than 3/N
// (at 95 %), so less than a third of what the rarest one found draws.
struct AllOptions {
  int hits = 10, least_starts = 400, most_starts = 4096;
  int none_after = 512;  // starts without any solution: there is none
  double length = 1;     // coordinates that are no angles: so far to both sides of the start
  // Solutions at which all of these have the same values count as one, the nearest. Empty:
  // coordinates, angles modulo whole turns.
  std::vector<std::shared_ptr<const StateFunction>> distinct;
  KinematicOptions each;
};

struct AllSolutions {
  std::vector<KinematicSolution> solutions;  // by their change from the start
  std::vector<int> found;                    // how often each
  int starts = 0, failures = 0;
  bool complete = false;    // by the criterion above
  double unseen_share = 1;  // of starts that a solution not found can draw, at 95 %
  int continuum = 0;        // unknowns that solutions leave free; their number is then no number
};

AllSolutions find_all_solutions(const TargetProblem& problem, const State& start,
                                const AllOptions& options = {});

}  // namespace cartan::analysis
