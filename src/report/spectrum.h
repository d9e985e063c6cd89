// Amplitudes of the frequencies in a sampled motion.
#pragma once

#include <utility>
#include <vector>

#include "core/folders.h"

namespace cartan::report {

// Pairs of frequency (Hz) and amplitude: a sine a sin(2 pi f t) has the peak a at f. A straight
// line is taken off first and a Hann window laid over, so that a sine which does not fit the
// interval a whole number of times does not leak far. Samples are brought to equal distances, a
// power of two of them, by straight lines. Empty for fewer than 8 samples.
std::vector<std::pair<double, double>> amplitude_spectrum(const std::vector<double>& t,
                                                          const std::vector<double>& values);

}  // namespace cartan::report
