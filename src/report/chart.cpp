#include "report/chart.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace cartan {
namespace {

constexpr double width = 800, height = 540, left = 90, right = 24, top = 44, bottom = 62;
constexpr const char* colours[] = {"#1f4e9c", "#b3261e", "#1b7f3b",
                                   "#8a4fbf", "#b36b00", "#007a87"};

std::string escape(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '&')
      result += "&amp;";
    else if (c == '"')
      result += "&quot;";
    else
      result += c;
  }
  return result;
}

struct Range {
  double low = INFINITY, high = -INFINITY;

  void add(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  // A little room on both sides, some of it in any case.
  void widen() {
    if (!(low <= high)) low = 0, high = 1;
    const double room =
        high > low ? 0.04 * (high - low) : std::max(1e-12, 0.1 * std::max(1.0, std::fabs(low)));
    low -= room;
    high += room;
  }
};

struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;

  bool meets(const Box& b) const {
    return left < b.right && b.left < right && top < b.bottom && b.top < bottom;
  }
};

class Drawing {
 public:
  explicit Drawing(const Chart& chart) : chart_(chart) {
    for (const ChartLine& line : chart.lines)
      for (const auto& [x, y] : line.points) x_.add(x), y_.add(y);
    for (const ChartMark& mark : chart.marks) x_.add(mark.x), y_.add(mark.y);
    if (has_map()) {
      for (const double edge : edges(chart.map.x)) x_.add(edge);
      for (const double edge : edges(chart.map.y)) y_.add(edge);
      for (const double value : chart.map.values) map_.add(value);
      return;
    }
    x_.widen();
    y_.widen();
  }

  std::string draw() {
    text_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" "
        "height=\"{1:g}\" font-family=\"sans-serif\" font-size=\"13\">\n"
        "<rect width=\"{0:g}\" height=\"{1:g}\" fill=\"white\"/>\n",
        width, height);
    draw_axes();
    if (has_map()) draw_map();
    for (const ChartLine& line : chart_.lines) draw_line(line);
    for (const ChartMark& mark : chart_.marks) draw_mark(mark);
    draw_legend();
    return text_ + "</svg>\n";
  }

 private:
  double across(double x) const {
    return left + (x - x_.low) / (x_.high - x_.low) * (width - left - right);
  }
  double down(double y) const {
    return height - bottom - (y - y_.low) / (y_.high - y_.low) * (height - top - bottom);
  }
  static constexpr double x_end = width - right, y_end = height - bottom;

  void label(double x, double y, const char* anchor, const std::string& words,
             const std::string& more = "") {
    text_ += fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
                         anchor, more, escape(words));
  }

  void draw_axes() {
    for (const double value : chart_ticks(x_.low, x_.high, 8)) {
      const double x = across(value);
      text_ += fmt::format("<path d=\"M{0:.2f} {1:g}V{2:g}\" stroke=\"#ddd\"/>\n", x, top, y_end);
      label(x, y_end + 18, "middle", fmt::format("{:g}", value));
    }
    for (const double value : chart_ticks(y_.low, y_.high, 7)) {
      const double y = down(value);
      text_ += fmt::format("<path d=\"M{1:g} {0:.2f}H{2:g}\" stroke=\"#ddd\"/>\n", y, left, x_end);
      label(left - 8, y + 4, "end", fmt::format("{:g}", value));
    }
    text_ += fmt::format(
        "<rect x=\"{:g}\" y=\"{:g}\" width=\"{:g}\" height=\"{:g}\" fill=\"none\" "
        "stroke=\"black\"/>\n",
        left, top, x_end - left, y_end - top);
    label((left + x_end) / 2, height - 16, "middle", chart_.x_label, " font-size=\"15\"");
    label(0, 0, "middle", chart_.y_label,
          fmt::format(" font-size=\"15\" transform=\"translate(20 {:g}) rotate(-90)\"",
                      (top + y_end) / 2));
    label(left, 28, "start", chart_.title, " font-size=\"16\" font-weight=\"bold\"");
  }

  bool has_map() const {
    const ChartMap& map = chart_.map;
    return !map.values.empty() && map.values.size() == map.x.size() * map.y.size();
  }

  // Borders of cells around places.
  static std::vector<double> edges(const std::vector<double>& places) {
    const std::size_t n = places.size();
    if (n == 1) return {places[0] - 0.5, places[0] + 0.5};
    std::vector<double> list(n + 1);
    for (std::size_t i = 1; i < n; ++i) list[i] = (places[i - 1] + places[i]) / 2;
    list[0] = places[0] - (list[1] - places[0]);
    list[n] = places[n - 1] + (places[n - 1] - list[n - 1]);
    return list;
  }

  static std::string colour_at(double part) {
    constexpr double low[] = {12, 36, 97}, middle[] = {118, 122, 124}, high[] = {255, 233, 120};
    const double s = std::clamp(part, 0.0, 1.0) * 2;
    int rgb[3];
    for (int k = 0; k < 3; ++k) {
      const double value =
          s < 1 ? low[k] + s * (middle[k] - low[k]) : middle[k] + (s - 1) * (high[k] - middle[k]);
      rgb[k] = static_cast<int>(std::lround(value));
    }
    return fmt::format("#{:02x}{:02x}{:02x}", rgb[0], rgb[1], rgb[2]);
  }

  void draw_map() {
    const ChartMap& map = chart_.map;
    const std::vector<double> x = edges(map.x), y = edges(map.y);
    const double span = map_.high > map_.low ? map_.high - map_.low : 1;
    for (std::size_t j = 0; j < map.y.size(); ++j)
      for (std::size_t i = 0; i < map.x.size(); ++i) {
        const double value = map.values[j * map.x.size() + i];
        if (!std::isfinite(value)) continue;
        const auto [x0, x1] = std::minmax(across(x[i]), across(x[i + 1]));
        const auto [y0, y1] = std::minmax(down(y[j]), down(y[j + 1]));
        text_ += fmt::format(
            "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" "
            "fill=\"{}\"/>\n",
            x0, y0, x1 - x0 + 0.3, y1 - y0 + 0.3, colour_at((value - map_.low) / span));
      }
    // the scale, above the map
    if (!(map_.low <= map_.high)) return;
    constexpr int parts = 40;
    constexpr double length = 160, begin = width - right - length - 46;
    for (int k = 0; k < parts; ++k)
      text_ += fmt::format(
          "<rect x=\"{:.2f}\" y=\"16\" width=\"{:.2f}\" height=\"12\" fill=\"{}\"/>\n",
          begin + k * length / parts, length / parts + 0.3, colour_at((k + 0.5) / parts));
    label(begin - 6, 27, "end", fmt::format("{}  {:.3g}", map.label, map_.low));
    label(begin + length + 6, 27, "start", fmt::format("{:.3g}", map_.high));
  }

  void draw_line(const ChartLine& line) {
    std::string path;
    bool pen_down = false;
    for (const auto& [x, y] : line.points) {
      const bool there = std::isfinite(x) && std::isfinite(y);
      if (there) path += fmt::format("{}{:.2f} {:.2f}", pen_down ? "L" : "M", across(x), down(y));
      pen_down = there;
    }
    if (path.empty()) return;
    text_ += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{}/>\n",
                         path, colours[static_cast<std::size_t>(line.colour) % std::size(colours)],
                         line.dashed ? " stroke-dasharray=\"7 5\"" : "");
  }

  void draw_mark(const ChartMark& mark) {
    if (!std::isfinite(mark.x) || !std::isfinite(mark.y)) return;
    const double x = across(mark.x), y = down(mark.y);
    text_ += fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"4.5\"{}/>\n", x, y,
                         has_map() ? " stroke=\"white\" stroke-width=\"2\"" : "");
    place_label(x, y, mark.label);
  }

  // Beside a point, where there is room and no other label.
  void place_label(double x, double y, const std::string& words) {
    const double length = 7.2 * static_cast<double>(words.size());
    Box box;
    for (int k = 0; k < 12; ++k) {
      const bool to_left = k % 2 == 1;
      const int line = (k / 2 + 1) / 2 * ((k / 2) % 2 == 0 ? 1 : -1);
      const double begin = to_left ? x - 9 - length : x + 9, base = y - 7 + 15 * line;
      box = {begin, base - 11, begin + length, base + 3};
      if (box.left >= left && box.right <= x_end && box.top >= top && box.bottom <= y_end &&
          std::none_of(taken_.begin(), taken_.end(), [&](const Box& b) { return b.meets(box); }))
        break;
    }
    taken_.push_back(box);
    const char* halo =
        has_map() ? " stroke=\"white\" stroke-width=\"3.5\" paint-order=\"stroke\"" : "";
    label(box.left, box.bottom - 3, "start", words, halo);
  }

  void draw_legend() {
    double x = x_end;
    const auto entry = [&](const std::string& words, bool dashed) {
      if (words.empty()) return;
      x -= 60.0 + 8.0 * static_cast<double>(words.size());
      text_ += fmt::format("<path d=\"M{:g} 24h36\" stroke=\"#333\" stroke-width=\"2\"{}/>\n", x,
                           dashed ? " stroke-dasharray=\"7 5\"" : "");
      label(x + 44, 28, "start", words);
    };
    entry(chart_.dashed_means, true);
    entry(chart_.solid_means, false);
  }

  const Chart& chart_;
  Range x_, y_, map_;
  std::vector<Box> taken_;  // by labels of marks
  std::string text_;
};

}  // namespace

std::vector<double> chart_ticks(double low, double high, int count) {
  std::vector<double> ticks;
  if (!(high > low) || count < 1) return ticks;
  const double raw = (high - low) / count, power = std::pow(10, std::floor(std::log10(raw)));
  const double step = power * (raw <= power ? 1 : raw <= 2 * power ? 2 : raw <= 5 * power ? 5 : 10);
  for (double k = std::ceil(low / step); k * step <= high && ticks.size() < 100; ++k)
    ticks.push_back(k == 0 ? 0.0 : k * step);
  return ticks;
}

std::string chart_svg(const Chart& chart) {
  return Drawing(chart).draw();
}

}  // namespace cartan
