#include "report/chart_axis.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace cartan::report {
namespace {

// Below it numbers are what rounding left (3.72e-40 J), in any unit.
constexpr double nothing = 1e-30;

// A digit times 10 to a whole power: plain where that is short, else with raised digits.
std::string power_label(int digit, int power) {
  if (power >= -3 && power <= 4) return fmt::format("{:g}", digit * std::pow(10, power));
  static constexpr const char* raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = digit > 1 ? fmt::format("{}·10", digit) : "10";
  if (power < 0) text += "⁻";
  for (const char digit : std::to_string(std::abs(power))) text += raised[digit - '0'];
  return text;
}

}  // namespace

void ChartAxis::add(double value) {
  if (!shows(value)) return;
  const double place = log_ ? std::log10(value) : value;
  low_ = std::min(low_, place);
  high_ = std::max(high_, place);
}

void ChartAxis::widen() {
  if (!(low_ <= high_)) low_ = 0, high_ = 1;
  if (log_) {
    const double room = std::max(0.04 * (high_ - low_), high_ - low_ < 1 ? 0.5 : 0.1);
    low_ -= room;
    high_ += room;
    return;
  }
  const double size = std::max(std::fabs(low_), std::fabs(high_));
  if (size < nothing) {
    low_ = -0.1, high_ = 0.1;
    return;
  }
  const double room = high_ - low_ > 1e-13 * size ? 0.04 * (high_ - low_)
                      : size > 0                  ? 0.1 * size
                                                  : 0.1;
  low_ -= room;
  high_ += room;
}

void ChartAxis::stretch(double factor) {
  const double middle = (low_ + high_) / 2, half = factor * (high_ - low_) / 2;
  low_ = middle - half;
  high_ = middle + half;
}

bool ChartAxis::shows(double value) const {
  return std::isfinite(value) && (!log_ || value > 0);
}

double ChartAxis::fraction(double value) const {
  return ((log_ ? std::log10(value) : value) - low_) / (high_ - low_);
}

std::vector<ChartAxis::Tick> ChartAxis::ticks(int count) const {
  if (log_ && high_ - low_ > 1) return decades(count);
  std::vector<Tick> ticks;
  const double low = log_ ? std::pow(10, low_) : low_, high = log_ ? std::pow(10, high_) : high_;
  const std::vector<double> values = chart_ticks(low, high, count);
  const double step = values.size() > 1 ? values[1] - values[0] : high - low;
  for (const double value : values)
    if (shows(value)) ticks.push_back({value, tick_label(value, step)});
  return ticks;
}

std::vector<ChartAxis::Tick> ChartAxis::decades(int count) const {
  std::vector<Tick> ticks;
  const int first = static_cast<int>(std::floor(low_)), last = static_cast<int>(std::ceil(high_));
  const int every = std::max(1, (last - first + count - 1) / std::max(count, 1));
  for (int power = first; power <= last; ++power) {
    const bool named = ((power % every) + every) % every == 0;
    for (const int digit : {1, 2, 5}) {
      const double value = digit * std::pow(10, power), place = std::log10(value);
      if (place < low_ || place > high_ || (digit > 1 && high_ - low_ > 4)) continue;
      std::string label;
      if (digit == 1 && named) label = power_label(1, power);
      if (digit > 1 && high_ - low_ <= 2) label = power_label(digit, power);
      ticks.push_back({value, std::move(label)});
    }
  }
  return ticks;
}

std::vector<double> chart_ticks(double low, double high, int count) {
  std::vector<double> ticks;
  if (!(high > low) || count < 1) return ticks;
  const double raw = (high - low) / count, power = std::pow(10, std::floor(std::log10(raw)));
  const double step = power * (raw <= power ? 1 : raw <= 2 * power ? 2 : raw <= 5 * power ? 5 : 10);
  for (double k = std::ceil(low / step); k * step <= high && ticks.size() < 100; ++k)
    ticks.push_back(k == 0 ? 0.0 : k * step);
  return ticks;
}

std::string tick_label(double value, double step) {
  if (value == 0 || !(step > 0)) return fmt::format("{:g}", value);
  const int last = static_cast<int>(std::floor(std::log10(step * (1 + 1e-12))));
  const int first = static_cast<int>(std::floor(std::log10(std::fabs(value) * (1 + 1e-12))));
  if (last >= -4 && first < 6) return fmt::format("{:.{}f}", value, std::max(0, -last));
  return fmt::format("{:.{}g}", value, std::clamp(first - last + 1, 1, 15));
}

}  // namespace cartan::report
