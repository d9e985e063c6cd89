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
  // The next step of the run; `cut`: an event at its end has changed the motion.
  void add(double begin, double end, bool cut);
  // Whether all steps are here: there are never more than a million.
  bool whole() const { return whole_; }
  bool empty() const { return nodes_.size() < 2; }
  // Where a step from t ends that takes `together` steps at once. It does not go beyond a change of
  // the motion but a little, so that the change itself is found within the step, next to its end.
  double end_of_step(double t, int together) const;

 private:
  struct Node {
    double t = 0;
    bool changes = false;  // the motion, here
  };
  std::vector<Node> nodes_;
  bool whole_ = true;
};

}  // namespace cartan::integrate
