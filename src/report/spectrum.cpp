#include "report/spectrum.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

namespace cartan::report {
namespace {

using Complex = std::complex<double>;

// In place, size a power of two: even and odd halves first (by bit reversal), then butterflies.
void transform(std::vector<Complex>& z) {
  const std::size_t n = z.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(z[i], z[j]);
  }
  for (std::size_t length = 2; length <= n; length *= 2)
    for (std::size_t k = 0; k < length / 2; ++k) {
      const Complex turn = std::polar(1.0, -2 * std::numbers::pi * k / length);
      for (std::size_t i = k; i < n; i += length) {
        const Complex even = z[i], odd = turn * z[i + length / 2];
        z[i] = even + odd;
        z[i + length / 2] = even - odd;
      }
    }
}

// `count` values at equal distances, by straight lines between samples.
std::vector<double> resample(const std::vector<double>& t, const std::vector<double>& values,
                             std::size_t count) {
  std::vector<double> result(count);
  const double step = (t.back() - t.front()) / static_cast<double>(count);
  std::size_t k = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double now = t.front() + static_cast<double>(i) * step;
    while (k + 2 < t.size() && t[k + 1] <= now) ++k;
    const double part = t[k + 1] > t[k] ? (now - t[k]) / (t[k + 1] - t[k]) : 0;
    result[i] = values[k] + part * (values[k + 1] - values[k]);
  }
  return result;
}

// The straight line of least squares, so that neither the mean nor a steady turn hides the rest.
void take_off_line(std::vector<double>& values) {
  const double n = static_cast<double>(values.size()), middle = (n - 1) / 2;
  double mean = 0, slope = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    mean += values[i] / n;
    slope += values[i] * (static_cast<double>(i) - middle);
  }
  slope /= n * (n * n - 1) / 12;
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] -= mean + slope * (static_cast<double>(i) - middle);
}

}  // namespace

std::vector<std::pair<double, double>> amplitude_spectrum(const std::vector<double>& t,
                                                          const std::vector<double>& values) {
  if (t.size() < 8 || t.size() != values.size() || !(t.back() > t.front())) return {};
  for (const double value : values)
    if (!std::isfinite(value)) return {};
  std::size_t count = 8;
  while (count < t.size()) count *= 2;
  std::vector<double> even = resample(t, values, count);
  take_off_line(even);
  // Four times as long by zeros: the peaks are then drawn smoothly.
  std::vector<Complex> z(4 * count);
  for (std::size_t i = 0; i < count; ++i)
    z[i] = even[i] * (1 - std::cos(2 * std::numbers::pi * i / count));
  transform(z);
  const double duration = t.back() - t.front();
  std::vector<std::pair<double, double>> result;
  const std::size_t half_of_sampled = std::min(z.size() / 2, 2 * t.size());  // no invented detail
  for (std::size_t k = 1; k < half_of_sampled; ++k)
    result.emplace_back(static_cast<double>(k) / (4 * duration),
                        2 * std::abs(z[k]) / static_cast<double>(count));
  return result;
}

}  // namespace cartan::report
