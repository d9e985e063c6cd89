// A chart as SVG text: axes with labels, lines and points with names, a map of colours, marked
// points. Colours are Okabe and Ito's, which people who see colours differently can tell apart.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/folders.h"

namespace cartan::report {

enum class ChartDrawn { line, points, both };

struct ChartLine {
  std::vector<std::pair<double, double>> points;
  bool dashed = false;
  int colour = 0;
  std::string name = {};  // in the legend; "" for none
  ChartDrawn drawn = ChartDrawn::line;
  double width = 2;
};

struct ChartMark {
  double x = 0, y = 0;
  std::string label;
};

// A rectangle of coloured cells, `columns` x `rows`, from one corner to the other; values row by
// row from the lowest y. Cells that are not finite stay empty.
struct ChartMap {
  int columns = 0, rows = 0;
  double x_low = 0, x_high = 1, y_low = 0, y_high = 1;
  std::vector<double> values;
  std::string label;  // of the scale of colours, with its unit; "" for no scale
};

struct Chart {
  std::string title, x_label, y_label;  // labels with their units
  std::vector<ChartLine> lines;
  std::vector<ChartMark> marks;
  std::string solid_means, dashed_means;  // legend; "" for none
  bool x_log = false, y_log = false;      // numbers that are not positive interrupt lines
  bool same_scale = false;                // a metre is as long across as upwards
  bool y_downwards = false;
  std::optional<ChartMap> map;
  std::vector<std::pair<double, std::string>> x_names;  // along the axis in place of numbers
  double width = 800, height = 540;
};

// Numbers that are not finite interrupt lines.
std::string chart_svg(const Chart& chart);

// Letters that mean something in SVG and HTML, written so that they do not.
std::string escape_markup(const std::string& text);

}  // namespace cartan::report
