// A model whose expressions can be held on one side of their switches (expr/switches.h).
#pragma once

#include <memory>
#include <vector>

#include "model/model.h"
#include "system/switches.h"

namespace cartan::mechanics {

struct SwitchedModel {
  std::shared_ptr<const Model> model;  // null where there is no switch
  std::vector<SwitchInfo> switches;
};

// Every expression that enters the rates may have branches; the event functions of the switches
// follow the events of the file. The places of `switches` in the mode count from `first_mode`.
SwitchedModel make_switched_model(const Model& model, int first_mode);

// How many switches the events of a switched model belong to; 0 for any other model.
int count_switches(const Model& model);

}  // namespace cartan::mechanics
