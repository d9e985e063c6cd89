// The whole motion of a run as the text of a trajectory.csv (docs/commands.md: columns of a run).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mechanics/machine/mechanism_system.h"

namespace cartan::study {

class MotionText {
 public:
  // Outputs of the model are columns, but for `hidden_count` of them from `hidden` on.
  MotionText(const System& system, std::size_t hidden, std::size_t hidden_count);
  void take(const State& state);
  std::string take_text() { return std::move(text_); }

 private:
  void add(double value);
  void add_outputs(const std::vector<double>& values);

  const System& system_;
  std::size_t hidden_, hidden_count_;
  std::unique_ptr<Workspace> workspace_;
  Observation now_;
  std::vector<double> values_;
  std::string text_;
};

}  // namespace cartan::study
