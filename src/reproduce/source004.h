// Items of source 004 about the bicycle.
#pragma once

#include "reproduce/record.h"

namespace cartan {

class Workshop;

void bicycle_run(Workshop& shop, Record& record);
void bicycle_straight(Workshop& shop, Record& record);
void bicycle_reversed(Workshop& shop, Record& record);
void bicycle_turns(Workshop& shop, Record& record);
void bicycle_map(Workshop& shop, Record& record);
void bicycle_trail(Workshop& shop, Record& record);
void bicycle_wheels(Workshop& shop, Record& record);

}  // namespace cartan
