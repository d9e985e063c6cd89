// Items of source 004, by subject.
#pragma once

#include <string>

#include "reproduction/record.h"

namespace cartan::reproduction {

class Workshop;

// Figures 6.4 to 6.8.
void driven(Workshop& shop, Record& record);
void foucault(Workshop& shop, Record& record);
void van_der_pol(Workshop& shop, Record& record);
void roessler_orbit(Workshop& shop, Record& record);
void roessler_newton(Workshop& shop, Record& record);

// Section 3.3.
void diagonal_speeds_of_legs(Workshop& shop, Record& record);

// Section 7.3.
void string_frequencies(Workshop& shop, Record& record);
void string_equilibrium(Workshop& shop, Record& record);

void bicycle_run(Workshop& shop, Record& record);
void bicycle_straight(Workshop& shop, Record& record);
void bicycle_reversed(Workshop& shop, Record& record);
void bicycle_turns(Workshop& shop, Record& record);
void bicycle_map(Workshop& shop, Record& record);
void bicycle_trail(Workshop& shop, Record& record);
void bicycle_wheels(Workshop& shop, Record& record);

// Figures 5.4 and 5.5, tables 6.1 and 6.2: the n-link pendulum on a shaken hinge.
void code_of_small_system(Workshop& shop, Record& record);
void operation_counts(Workshop& shop, Record& record);
// A pendulum of n links on universal joints, as a model file; a row about its code.
std::string chain_model(int links);
void add_generated_row(Workshop& shop, Record& record, int links, bool jacobian);
void derivation_absolute(Workshop& shop, Record& record);
void derivation_relative(Workshop& shop, Record& record);
void evaluation_base(Workshop& shop, Record& record);
void evaluation_variational(Workshop& shop, Record& record);

}  // namespace cartan::reproduction
