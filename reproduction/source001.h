// Items of source 001 beside its figures.
#pragma once

#include "reproduction/record.h"
#include "reproduction/workshop.h"

namespace cartan::reproduction {

void quoted_claims(Workshop& shop, Record& record);
void held_study(Workshop& shop, Record& record);

}  // namespace cartan::reproduction
