// Functions whose last bit is the same on every machine: made of + - * / and square roots alone,
// each of which IEEE 754 prescribes, and compiled without fused multiplication. (Those of the
// system's library differ with its version and with the processor.) Good to a few units in the last
// place.
#pragma once

#include "core/folders.h"

namespace cartan::study {

double portable_log(double x);  // x > 0, finite
double portable_exp(double x);  // 0 and infinity where it leaves the range

// The number that a normal variable (mean 0, deviation 1) stays below with probability p, 0 < p
// < 1. Wichura's algorithm AS 241, PPND16: about 1e-16 relative.
double normal_quantile(double p);

}  // namespace cartan::study
