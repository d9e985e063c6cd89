// A chart as SVG text: axes with labels, a map of colours, solid and dashed lines, marked points
// with names.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace cartan {

struct ChartLine {
  std::vector<std::pair<double, double>> points;
  bool dashed = false;
  int colour = 0;
};

struct ChartMark {
  double x = 0, y = 0;
  std::string label;
};

// Values over a grid as colours, dark where they are small: a ramp from blue to yellow whose
// lightness grows steadily, so that it reads without colours too.
struct ChartMap {
  std::vector<double> x, y;    // places of the columns and rows, in order
  std::vector<double> values;  // row by row; what is not finite stays empty
  std::string label;
};

struct Chart {
  std::string title, x_label, y_label;  // labels with their units
  std::vector<ChartLine> lines;
  std::vector<ChartMark> marks;
  ChartMap map;  // under the lines, where there is one
  std::string solid_means, dashed_means;  // legend; "" for none
};

// Numbers that are not finite interrupt lines.
std::string chart_svg(const Chart& chart);

// Round numbers between two values, about `count` of them.
std::vector<double> chart_ticks(double low, double high, int count);

}  // namespace cartan
