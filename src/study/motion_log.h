// The whole motion of a run as the text of a table. Whoever knows the columns of runs gives it
// (results/study/motion_table.h).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "system/system.h"

namespace cartan::study {

class MotionLog {
 public:
  virtual ~MotionLog() = default;
  virtual void take(const State& state) = 0;
  virtual std::string take_text() = 0;
};

// The system outlives the log.
using MotionLogMaker = std::function<std::unique_ptr<MotionLog>(const System&)>;

}  // namespace cartan::study
