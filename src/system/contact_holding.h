// Systems whose contacts can be held closed, or open, by decree: plans of motions in which the
// order of contacts is given.
#pragma once

#include <span>
#include <string>

#include "system/system.h"

namespace cartan::system {

class ContactHolding {
 public:
  virtual ~ContactHolding() = default;

  // The mode of a state in which the listed contacts are closed (those with friction stick) and all
  // others open, whatever gaps, speeds and forces say. "" or why there is no such mode.
  virtual std::string hold_contacts(std::span<const int> contacts, State& state,
                                    Workspace& workspace) const = 0;
};

}  // namespace cartan::system
