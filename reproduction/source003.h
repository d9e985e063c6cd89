// Items of source 003 that measure friction; the measurements are synthetic.
#pragma once

#include <string>
#include <vector>

#include "reproduction/items.h"
#include "reproduction/record.h"
#include "reproduction/workshop.h"

namespace cartan::reproduction {

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

// Appendix C.2.
void equations_by_hand(Workshop& shop, Record& record);

// Table 6.5.
void generated_growth(Workshop& shop, Record& record);

// The column alone, and both: figures 22 to 28.
void column_measurements(Workshop& shop, Record& record);
void column_bearings(Workshop& shop, Record& record);
void column_simplified(Workshop& shop, Record& record);
// Four runs of the column, synthetic: readings of its rate.
inline constexpr int spins = 4;
struct Spin {
  std::vector<double> t, rate;
};
std::string spin_setting(int number);  // "rpm=100"; from 1
Spin measured_spin(Workshop& shop, int number);
Json fit_column_spins(Workshop& shop, const std::string& free,
                      const std::vector<std::string>& fixed);
double column_moment(Workshop& shop);  // about the vertical, arm locked

// Figures 30 to 51.
std::vector<Item> appendix_items();

void main_measurements(Workshop& shop, Record& record);
void main_energy(Workshop& shop, Record& record);
void main_bearings(Workshop& shop, Record& record);
void main_simplified(Workshop& shop, Record& record);

}  // namespace cartan::reproduction
