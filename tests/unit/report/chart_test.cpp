// Charts: ticks, labels, what is drawn where; spectra; tables of results.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include <gtest/gtest.h>

#include "report/chart.h"
#include "report/chart_axis.h"
#include "report/chart_pixels.h"
#include "report/result_table.h"
#include "report/spectrum.h"

namespace cartan::test {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(ChartAxis, RoundTicks) {
  EXPECT_EQ(chart_ticks(0, 1, 5), (std::vector<double>{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1}));
  EXPECT_TRUE(chart_ticks(1, 1, 5).empty());
  EXPECT_EQ(tick_label(20, 10), "20");
  EXPECT_EQ(tick_label(0.05, 0.05), "0.05");
  EXPECT_EQ(tick_label(1e-13, 5e-14), "1e-13");
  EXPECT_EQ(tick_label(1.5e-13, 5e-14), "1.5e-13");
  EXPECT_EQ(tick_label(250000, 50000), "250000");
  EXPECT_EQ(tick_label(2.5e9, 5e8), "2.5e+09");
}

TEST(ChartAxis, LogarithmicDecades) {
  ChartAxis axis(true);
  axis.add(1e-9);
  axis.add(0);  // not shown
  axis.add(-1);
  axis.add(1e-3);
  axis.widen();
  EXPECT_FALSE(axis.shows(0));
  EXPECT_NEAR(axis.fraction(1e-6), 0.5, 1e-12);
  std::vector<std::string> labels;
  for (const auto& tick : axis.ticks(8))
    if (!tick.label.empty()) labels.push_back(tick.label);
  EXPECT_EQ(labels,
            (std::vector<std::string>{"10⁻⁹", "10⁻⁸", "10⁻⁷", "10⁻⁶", "10⁻⁵", "10⁻⁴", "0.001"}));
}

// 3.72e-40 J is rounding, and no axis is labelled with it.
TEST(ChartAxis, WhatRoundingLeftIsNothing) {
  ChartAxis axis;
  axis.add(0);
  axis.add(3.72e-40);
  axis.widen();
  for (const auto& tick : axis.ticks(5)) EXPECT_EQ(tick.label.find('e'), std::string::npos);
  EXPECT_NEAR(axis.fraction(3.72e-40), 0.5, 1e-12);
}

// The viewer and charts draw the same quantity in the same colour.
TEST(ChartColours, AreThoseOfTheViewerInOneOrder) {
  std::ifstream file(CARTAN_ROOT "/viewer/src/colors.ts");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::size_t begin = text.find("palette = ["), end = text.find(']', begin);
  ASSERT_NE(begin, std::string::npos);
  const std::string list = text.substr(begin, end - begin);
  std::vector<std::string> colours;
  for (std::size_t at = list.find('#'); at != std::string::npos; at = list.find('#', at + 1))
    colours.push_back(list.substr(at, 7));
  ASSERT_EQ(colours.size(), 7u);
  for (int k = 0; k < 7; ++k) EXPECT_EQ(colours[k], line_colour(k)) << k;
  EXPECT_EQ(colours[0], std::string(line_colour(7)));  // and begin anew together
}

TEST(ChartAxis, ConstantValuesAndNothing) {
  for (const double value : {0.0, 5.0, -1e300, 1e-300}) {
    ChartAxis axis;
    axis.add(value);
    axis.widen();
    EXPECT_GT(axis.length(), 0) << value;
    EXPECT_FALSE(axis.ticks(5).empty()) << value;
  }
  ChartAxis empty;
  empty.add(NAN);
  empty.widen();
  EXPECT_FALSE(empty.ticks(5).empty());
}

TEST(Chart, LinesLegendAndMarkup) {
  Chart chart;
  chart.title = "a < b & c";
  chart.x_label = "t [s]";
  chart.y_label = "q \"x\"";
  chart.lines.push_back({{{0, 0}, {1, 1}, {NAN, 0}, {2, 3}, {3, 1}}, false, 0, "first"});
  chart.lines.push_back({{{0, 1}, {3, 2}}, true, 1, "second", ChartDrawn::both});
  chart.marks.push_back({1, 1, "here"});
  const std::string svg = chart_svg(chart);
  EXPECT_NE(svg.find("a &lt; b &amp; c"), std::string::npos);
  EXPECT_NE(svg.find(">first<"), std::string::npos);
  EXPECT_NE(svg.find(">second<"), std::string::npos);
  EXPECT_NE(svg.find(">here<"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  // The gap interrupts the first line: two strokes begin.
  const std::size_t path = svg.find("stroke=\"#0072b2\" stroke-width=\"2\"");
  ASSERT_NE(path, std::string::npos);
  const std::string line = svg.substr(svg.rfind("<path", path), path - svg.rfind("<path", path));
  EXPECT_EQ(count(line, "M"), 2u);
  EXPECT_EQ(count(line, "L"), 2u);
}

TEST(Chart, ManyPointsAreThinnedButPeaksStay) {
  Chart chart;
  ChartLine line;
  for (int i = 0; i < 200000; ++i) line.points.emplace_back(i, i == 123456 ? 1.0 : 0.0);
  chart.lines.push_back(line);
  const std::string svg = chart_svg(chart);
  EXPECT_LT(svg.size(), 100000u);
  chart.lines[0].points.resize(100000);  // without the peak
  const std::string flat = chart_svg(chart);
  const auto steps = [&](const std::string& text) {  // different heights of the line
    const std::size_t end = text.find("stroke=\"#0072b2\""), begin = text.rfind("d=\"", end);
    return count(text.substr(begin, end - begin), " ");
  };
  EXPECT_NE(svg.find("0.8"), std::string::npos);  // the axis reaches the peak
  EXPECT_GT(steps(svg), 500u);
  EXPECT_LT(steps(svg), 4000u);
  EXPECT_LT(steps(flat), 4000u);
}

TEST(Chart, MapsAndExtremes) {
  Chart chart;
  ChartMap map;
  map.columns = 3;
  map.rows = 2;
  map.values = {0, 1, 2, NAN, 4, 4};
  map.label = "size [m]";
  chart.map = map;
  const std::string svg = chart_svg(chart);
  EXPECT_NE(svg.find("size [m]"), std::string::npos);
  EXPECT_NE(svg.find("#440154"), std::string::npos);  // least
  EXPECT_NE(svg.find("#fde725"), std::string::npos);  // largest
  Chart empty;
  EXPECT_NE(chart_svg(empty).find("</svg>"), std::string::npos);
  empty.lines.push_back({{{1e308, -1e308}, {-1e308, 1e308}}});
  EXPECT_EQ(chart_svg(empty).find("nan"), std::string::npos);
  Chart logarithmic;
  logarithmic.y_log = true;
  logarithmic.lines.push_back({{{0, 0}, {1, -1}}});  // nothing to show
  EXPECT_NE(chart_svg(logarithmic).find("</svg>"), std::string::npos);
}

TEST(Chart, OneScaleForBothAxes) {
  Chart chart;
  chart.same_scale = true;
  chart.lines.push_back({{{0, 0}, {10, 1}}});
  const std::string svg = chart_svg(chart);
  const std::size_t end = svg.find("stroke=\"#0072b2\""), begin = svg.rfind("d=\"M", end) + 4;
  double x0, y0, x1, y1;
  ASSERT_EQ(std::sscanf(svg.c_str() + begin, "%lf %lfL%lf %lf", &x0, &y0, &x1, &y1), 4);
  EXPECT_NEAR((x1 - x0) / (y0 - y1), 10, 0.02);
}

TEST(Spectrum, PeaksHaveTheAmplitudeOfTheirSines) {
  std::vector<double> t, values;
  for (int i = 0; i < 3000; ++i) {
    t.push_back(0.01 * i);
    const double w = 2 * std::numbers::pi;
    values.push_back(7 + 0.3 * t.back() + 0.5 * std::sin(w * 3.21 * t.back()) +
                     0.02 * std::cos(w * 11 * t.back()));
  }
  const auto spectrum = amplitude_spectrum(t, values);
  const auto peak = [&](double from, double to) {
    std::pair<double, double> best{0, 0};
    for (const auto& point : spectrum)
      if (point.first > from && point.first < to && point.second > best.second) best = point;
    return best;
  };
  EXPECT_NEAR(peak(2, 5).first, 3.21, 0.02);
  EXPECT_NEAR(peak(2, 5).second, 0.5, 0.01);
  EXPECT_NEAR(peak(9, 13).first, 11, 0.02);
  EXPECT_NEAR(peak(9, 13).second, 0.02, 0.001);
  EXPECT_LT(peak(5, 9).second, 1e-4);
  EXPECT_TRUE(amplitude_spectrum({0, 1}, {0, 1}).empty());
  EXPECT_TRUE(amplitude_spectrum(t, std::vector<double>(t.size(), NAN)).empty());
}

TEST(ResultTable, WordsNumbersAndDamage) {
  const auto folder = std::filesystem::temp_directory_path() / "cartan-result-table";
  std::filesystem::create_directories(folder);
  const auto write = [&](const std::string& text) {
    const std::string path = (folder / "table.csv").string();
    std::ofstream(path) << text;
    return path;
  };
  std::string problem;
  const auto table = read_result_table(write("a,\"b,c\",name\n1,2e-3,x\n3,nan,\n"), problem);
  ASSERT_TRUE(table) << problem;
  EXPECT_EQ(table->names[1], "b,c");
  EXPECT_EQ((*table->column("a"))[1], 3);
  EXPECT_TRUE(std::isnan((*table->column("b,c"))[1]));
  EXPECT_EQ(table->words[2], (std::vector<std::string>{"x", ""}));
  EXPECT_FALSE(read_result_table(write("a,b\n1\n"), problem));
  EXPECT_NE(problem.find("table.csv:2"), std::string::npos);
  EXPECT_FALSE(read_result_table(write(""), problem));
  EXPECT_FALSE(read_result_table((folder / "none.csv").string(), problem));
  EXPECT_TRUE(fits_pattern("crank.q0", "crank.*"));
  EXPECT_TRUE(fits_pattern("crank.q0", "*q0"));
  EXPECT_FALSE(fits_pattern("crank.q0", "crank.v*"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace cartan::test
