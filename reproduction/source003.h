// Items of source 003 that measure friction; the measurements are synthetic.
#pragma once

#include "reproduction/record.h"

namespace cartan {

class Workshop;

// The arm alone: figures 12 to 21.
void arm_measurements(Workshop& shop, Record& record);
void arm_energy(Workshop& shop, Record& record);
void arm_dissipation(Workshop& shop, Record& record);
void arm_viscous(Workshop& shop, Record& record);
void arm_constant(Workshop& shop, Record& record);
void arm_quadratic(Workshop& shop, Record& record);
void arm_quadratic_lowered(Workshop& shop, Record& record);
void arm_quadratic_fitted(Workshop& shop, Record& record);
void arm_bearings(Workshop& shop, Record& record);
void arm_bearings_fitted(Workshop& shop, Record& record);

// Table 6.5.
void generated_growth(Workshop& shop, Record& record);

// The column alone, and both: figures 22 to 28.
void column_measurements(Workshop& shop, Record& record);
void column_bearings(Workshop& shop, Record& record);
void column_simplified(Workshop& shop, Record& record);
void main_measurements(Workshop& shop, Record& record);
void main_energy(Workshop& shop, Record& record);
void main_bearings(Workshop& shop, Record& record);
void main_simplified(Workshop& shop, Record& record);

}  // namespace cartan
