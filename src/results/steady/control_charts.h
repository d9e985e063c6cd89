// Bode and Nyquist charts.
#pragma once

#include <complex>
#include <optional>
#include <string>
#include <vector>

#include "core/folders.h"

namespace cartan::results {

struct ResponseChannel {
  std::string input, output;
  std::vector<std::complex<double>> values;  // per frequency
  std::optional<int> harmonic = {};          // k: answered at w + k Omega

  // "OUTPUT / INPUT", of an orbit "OUTPUT / INPUT [+1]".
  std::string name(const std::string& separator) const;
};

double phase_degrees(std::complex<double> value);  // in (-180, 180]

std::string bode_magnitude_svg(const std::vector<double>& w,
                               const std::vector<ResponseChannel>& channels);
std::string bode_phase_svg(const std::vector<double>& w,
                           const std::vector<ResponseChannel>& channels);
std::string nyquist_svg(const std::vector<ResponseChannel>& channels);

}  // namespace cartan::results
