// Switches of a System: places where its rate follows another formula from one side to the other
// (if, min, max, abs, sign, step, corners of tables).
//
// Each has an entry of the mode, its branch, and an event function. While the branch is zero the
// rate is what is written down, corners and all; an analysis that knows nothing of switches sees
// just that. A run holds the branches (integrate/switch_watch.h), so that the rate is smooth within
// a step, and changes them where the event functions cross zero.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/folders.h"

namespace cartan::system {

struct SwitchInfo {
  std::string text;             // the expression it stands in, as written
  int event = 0, mode = 0;      // its places among the events and in the mode
  int at_zero = 1;              // the branch where its argument is exactly zero
  bool jumps = false;           // the value may jump, not only its slope
  bool root = false;            // a root or power begins there: not smooth on its own side either
  std::vector<double> corners;  // of a table, ascending
  double period = 0;            // after which they repeat; 0: they do not
};

class Switched {
 public:
  virtual ~Switched() = default;
  const std::vector<SwitchInfo>& switches() const { return switches_; }
  // `owner` is kept as long as this is.
  void set_switches(std::vector<SwitchInfo> switches, std::shared_ptr<const void> owner) {
    switches_ = std::move(switches);
    owner_ = std::move(owner);
  }

 private:
  std::vector<SwitchInfo> switches_;
  std::shared_ptr<const void> owner_;
};

}  // namespace cartan::system
