// Branches of steady motions or orbits of a model, followed along a parameter, with the branches
// that cross them and the orbits that are born on them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cartan/options.h>

#include "analysis/expansions/normal_forms.h"
#include "results/steady/steady.h"

namespace cartan::results {

struct BranchRequest {
  ModelArguments model;
  std::string parameter, start, period, section, swap, show, formulation;
  double from = 0, to = 0;
  std::vector<std::string> holds;
  bool orbits = false, driven = false, follow_crossings = false;
  int shooting = 1, points = 500;
  std::optional<int> orbit_points;  // of branches born at Hopf points
  double step = 0.02;               // largest, of arc length
  api::Watch watch;
};

struct FollowedBranch {
  Branch branch;
  bool orbits = false;
  std::string origin;  // where it comes from; "" for the first
  int doublings = 0;   // of the period since the first
};

struct FoundBifurcation {
  int branch = 0;  // index of its branch
  Bifurcation what;
  std::string criticality;  // of Hopf points, pitchforks and period doublings
  double slope = 0;         // of Hopf points: d parameter / d amplitude^2
  // Of Hopf points, folds and branch points of steady motions and of period doublings: exact
  // coefficients, beside what the branches tell.
  NormalForm form;
};

struct BranchDiagram {
  std::unique_ptr<const Model> model;
  BranchRequest request;
  std::vector<std::string> held, not_held;
  std::vector<FollowedBranch> branches;
  std::vector<FoundBifurcation> bifurcations;
  std::vector<std::string> notes;                    // what was left out, and why
  std::function<const System&(double p)> system_at;  // at a value of the parameter
};

// Options that contradict each other are refused.
BranchRequest make_branch_request(const ModelArguments& model, const api::ContinueOptions& options);

// There is a branch, or a refusal.
BranchDiagram search_branches(const BranchRequest& request);

}  // namespace cartan::results
