// Configurations that satisfy targets, one or all of them, or along a path: the work of `ik`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <cartan/options.h>

#include "analysis/kinematics/path.h"
#include "results/load/analysis_state.h"
#include "results/motion_table.h"

namespace cartan::results {

// With `all`: how the search went.
struct IkSearch {
  std::vector<int> hits;  // beside the solutions
  int starts = 0, failures = 0;
  bool complete = false;
  int continuum = 0;        // unknowns that solutions leave free
  double unseen_share = 1;  // of starts that reach a solution: what one not found can draw, at 95 %
};

struct IkResult {
  Analysis analysis;
  // Without a path: the nearest first; of a single search one, found or not.
  std::vector<KinematicSolution> solutions;
  std::optional<IkSearch> search;  // with `all`
  std::optional<PathResult> path;  // with `path`
  MotionTable motion;              // along it
  bool found = false;              // with `all`: and the list is whole
  std::string problem;             // why not: a sentence; "" where found

  double path_residual() const;  // the largest along the path
};

IkResult solve_ik(const ModelArguments& model, const api::IkOptions& options);

Json ik_json(const IkResult& result);
// Numbers of the state that a table of solutions tells.
int ik_columns(const System& system);
// "singular: ..", where targets and constraints lose rank.
std::string singular_note(const KinematicSolution& solution);
std::string ik_solutions_csv(const IkResult& result);
std::string ik_path_csv(const IkResult& result);

}  // namespace cartan::results
