// The whole motion of a run as the text of a trajectory.csv (docs/commands.md: columns of a run).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mechanics/machine/mechanism_system.h"

namespace cartan {

class MotionText {
 public:
  // The first `outputs` outputs of the model are columns.
  MotionText(const System& system, std::size_t outputs);
  void take(const State& state);
  std::string take_text() { return std::move(text_); }

 private:
  void add(double value);

  const System& system_;
  std::size_t outputs_;
  std::unique_ptr<Workspace> workspace_;
  Observation now_;
  std::vector<double> values_;
  std::string text_;
};

}  // namespace cartan
