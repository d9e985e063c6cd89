// What searches for steady motions and for orbits share: the model, the System at a value of the
// parameter, the diagram they fill, branches that cross.
#pragma once

#include "analysis/orbit_continuation.h"
#include "results/orbits/branch_search.h"
#include "results/task.h"

namespace cartan::results {

constexpr std::size_t most_branches = 16;

class BranchWork {
 public:
  explicit BranchWork(const BranchRequest& request);

 protected:
  [[noreturn]] void refuse_branch(const std::string& problem) const;
  [[noreturn]] void fail_branch(const std::string& problem) const;

  const Model& model() const { return *diagram_.model; }
  std::shared_ptr<System> make_at(double p, std::string& problem) const;
  std::vector<double> values_at(double p) const;
  // Second and third derivatives at a value of the parameter, which may move.
  std::unique_ptr<StateCurvature> make_curvature_at(const System& system, double p,
                                                    std::vector<Formula> functions) const;
  OrbitSetting orbit_setting(const std::vector<std::string>& holds);

  // Systems by value for the report, a few kept.
  void set_systems();
  ContinuationOptions with_progress(Task& task) const;
  Branch follow(ContinuationProblem& problem, const ContinuationPoint& point);
  void add(Branch branch, bool orbits, const std::string& origin);
  // All branches that cross those known, and those that cross them.
  void follow_crossings(ContinuationProblem& problem);
  // Criticality by the first orbit of the branch that is born: the multiplier that is one where it
  // is born tells on which side small orbits attract. The normal form must say the same.
  void judge(const Spectrum& small, const std::string& origin, FoundBifurcation& found);

  BranchDiagram diagram_;
  const BranchRequest& request_;
  int parameter_ = -1;
  std::shared_ptr<const StateFunction> expression_;
  std::shared_ptr<System> fixed_;  // where the parameter is an expression
  State start_;
  ContinuationOptions options_;

 private:
  void prepare();
  bool is_known(std::size_t k) const;
};

BranchDiagram search_steady(const BranchRequest& request);
BranchDiagram search_orbits(const BranchRequest& request);

}  // namespace cartan::results
