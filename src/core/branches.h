// What the branch of a switch may be (expr/switches.h makes them, integrate/switch_watch.h sets
// them).
#pragma once

#include "core/folders.h"

namespace cartan::core {

// Of sign, step, abs, if (the sign of the argument) and min, max (that of a difference):
inline constexpr int branch_free = 0;     // as written
inline constexpr int branch_above = 1;    // held; -1: below
inline constexpr int branch_sampled = 2;  // held, its event function is silent; -2: below
inline constexpr int branch_zero = 4;     // sign(0) = 0 is held while the argument is zero
// Of a table with n corners: k = 1 .. n + 1, held between corners k - 1 and k. Of one that repeats,
// k = 1 + j + n branch_periods, held between corners j and j + 1, which are counted on through all
// periods. And this, with which the event function is the argument of the table:
inline constexpr int branch_periods = 10000;
inline constexpr int branch_argument = 1 << 30;

}  // namespace cartan::core
