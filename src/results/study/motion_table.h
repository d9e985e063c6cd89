// Motions that a study keeps: the columns of trajectory.csv (results/run/columns.h).
#pragma once

#include "study/motion_log.h"

namespace cartan::results {

// Outputs of the model are columns, but for `hidden_count` of them from `hidden` on: those that a
// study has added for what it keeps.
MotionLogMaker make_motion_tables(std::size_t hidden, std::size_t hidden_count);

}  // namespace cartan::results
