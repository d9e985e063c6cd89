// The steps of a run, for a second one that takes them several at a time.
//
// Steps chosen by error control are not a function of the tolerance that could be relied on: they
// depend on refusals, on restarts and on the last step before an event. Steps that are exactly k of
// another run's give errors that are k^p times as large, as with fixed steps.
#pragma once

#include <vector>

#include "integrate/integrator.h"

namespace cartan::integrate {

class StepMesh {
 public:
  // The next step of the run.
  void add(const DenseStep& step) {
    add(step.begin(), step.end(), step.is_cut(), step.error(), step.whole_length());
  }
  // `cut`: an event at its end has changed the motion; `error`: of a step of the length `whole`,
  // relative to those of the others.
  void add(double begin, double end, bool cut, double error, double whole);
  // Whether all steps are here: there are never more than a million.
  bool whole() const { return whole_; }
  bool empty() const { return nodes_.size() < 2; }
  // Where a step from t ends that takes `together` steps at once, or at first as many as make the
  // rest of them divisible: steps after a change of the motion are short, those before one long. It
  // does not go beyond a change but a little, so that the change itself is found within the step,
  // next to its end.
  double end_of_step(double t, int together) const;
  // By how much such steps make the error of a method of this order larger: together^order, less
  // where steps differ in length or stay alone. A step of length h adds about (error h) to the
  // error of the run; taken together h_1, h_2, .. add the (p + 1)-th power of their sum, by
  // themselves the sum of their powers.
  double calc_growth(int together, int order) const;

 private:
  struct Node {
    double t = 0;  // end of a step
    double error = 0, whole = 0;
  };
  // The last node of the stretch without changes that a step to this node is part of.
  std::size_t end_of_stretch(std::size_t node) const;

  std::vector<Node> nodes_;
  std::vector<std::size_t> changes_;  // nodes where the motion changes
  bool whole_ = true;
};

}  // namespace cartan::integrate
