// Configurations, speeds and accelerations along a path of targets.
//
//   f_k(t, x) = y_k(t)  with the constraints; then, f_k' = F(x) v + f_k'|v=0 being linear in v,
//   F v = y' - f'|v=0,   J v = b           speeds, of least norm where something is left free
//   F a = y'' - (F v)' ,  J a = J a0       accelerations; a0 those of the free motion, which keep
//                                          the constraints
// All derivatives are exact. Steps between two times are shortened until the way the corrector has
// to go is small, so that the path stays on its branch; where no step is short enough, it has come
// to its end: a fold, or out of reach.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analysis/kinematics/inverse_kinematics.h"

namespace cartan::analysis {

// sum_k a_k b_k of functions, exact derivatives included: rates by the chain rule.
class ProductSum final : public StateFunction {
 public:
  using Term =
      std::pair<std::shared_ptr<const StateFunction>, std::shared_ptr<const StateFunction>>;
  explicit ProductSum(std::vector<Term> terms) : terms_(std::move(terms)) {}
  double value(StateView at, Workspace& workspace) const override;
  double gradient(StateView at, std::span<double> gradient, Workspace& workspace) const override;
  double slope(StateView at, std::span<const int> parameters, FunctionSlope& slope,
               Workspace& workspace) const override;

 private:
  std::vector<Term> terms_;
};

struct PathTarget {
  std::string name;
  std::shared_ptr<const StateFunction> function, rate;  // f and its rate along a motion
  std::function<double(int order, double t)> wanted;    // y, y', y''
};

struct PathPoint {
  State state;
  std::vector<double> acceleration;  // of the speeds, as they stand in x
  double residual = 0;
  bool singular = false;
};

struct PathResult {
  std::string problem;  // why it ends early: a sentence with the time
  std::vector<PathPoint> points;
  std::vector<double> singular_times;
  int freedom = 0;
};

// At every time; with fewer points and a problem where it ends early.
PathResult follow_path(const System& system, const std::vector<PathTarget>& path,
                       const std::vector<ValueRange>& ranges, const std::vector<double>& times,
                       const State& start, Workspace& workspace,
                       const KinematicOptions& options = {});

}  // namespace cartan::analysis
