// The numbers along an axis of a chart: its range, its ticks and how they are written.
#pragma once

#include <string>
#include <vector>

#include "core/folders.h"

namespace cartan::report {

class ChartAxis {
 public:
  explicit ChartAxis(bool logarithmic = false) : log_(logarithmic) {}

  void add(double value);
  // After the last add(): a little room on both sides, some of it in any case.
  void widen();
  // Both ends moved so that the axis is `factor` times as long.
  void stretch(double factor);

  bool shows(double value) const;
  double length() const { return high_ - low_; }  // decades where logarithmic
  double low() const { return low_; }             // their logarithms where logarithmic
  double high() const { return high_; }
  double fraction(double value) const;  // 0 at the lower end, 1 at the upper one

  struct Tick {
    double value = 0;
    std::string label;  // "" where only a line is wanted
  };
  std::vector<Tick> ticks(int count) const;

 private:
  std::vector<Tick> decades(int count) const;

  bool log_;
  double low_ = 1e308, high_ = -1e308;  // empty
};

// Round numbers between two values, about `count` of them.
std::vector<double> chart_ticks(double low, double high, int count);

// With as many digits as numbers `step` apart need.
std::string tick_label(double value, double step);

}  // namespace cartan::report
