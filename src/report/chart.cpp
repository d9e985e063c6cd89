#include "report/chart.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/chart_axis.h"
#include "report/chart_pixels.h"

namespace cartan::report {
namespace {

double text_length(const std::string& words, double size = 13) {
  std::size_t letters = 0;
  for (const char c : words) letters += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  return 0.56 * size * static_cast<double>(letters);
}

struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;

  bool meets(const Box& b) const {
    return left < b.right && b.left < right && top < b.bottom && b.top < bottom;
  }
};

struct LegendEntry {
  std::string words;
  const char* colour = "#333";
  bool dashed = false;
  ChartDrawn drawn = ChartDrawn::line;
  double x = 0, y = 0;
};

class Drawing {
 public:
  explicit Drawing(const Chart& chart) : chart_(chart), x_(chart.x_log), y_(chart.y_log) {
    for (const ChartLine& line : chart.lines)
      for (const auto& [x, y] : line.points)
        if (x_.shows(x) && y_.shows(y)) x_.add(x), y_.add(y);
    for (const ChartMark& mark : chart.marks) x_.add(mark.x), y_.add(mark.y);
    if (chart.map) {
      x_.add(chart.map->x_low), x_.add(chart.map->x_high);
      y_.add(chart.map->y_low), y_.add(chart.map->y_high);
    }
    x_.widen();
    y_.widen();
    lay_out();
  }

  std::string draw() {
    text_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" "
        "height=\"{1:g}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\">\n"
        "<rect width=\"{0:g}\" height=\"{1:g}\" fill=\"white\"/>\n",
        chart_.width, height_);
    if (chart_.map) draw_map(*chart_.map);
    draw_axes();
    for (const ChartLine& line : chart_.lines) draw_line(line);
    for (const ChartMark& mark : chart_.marks) draw_mark(mark);
    draw_legend();
    return text_ + "</svg>\n";
  }

 private:
  // Room for title, legend and the labels of the y axis; then one scale for both axes if asked.
  void lay_out() {
    double widest = 0;
    for (const auto& tick : y_.ticks(7)) widest = std::max(widest, text_length(tick.label));
    left_ = std::max(62.0, widest + 46);
    right_ = chart_.width - (chart_.map && !chart_.map->label.empty() ? 118 : 24);
    top_ = chart_.title.empty() ? 18 : 42;
    arrange_legend();
    height_ =
        chart_.height + std::max(0.0, top_ - 98);  // a long legend takes nothing from the rest
    bottom_ = height_ - 58;
    if (!chart_.same_scale) return;
    const double across = x_.length() / (right_ - left_), up = y_.length() / (bottom_ - top_);
    if (across > up)
      y_.stretch(across / up);
    else
      x_.stretch(up / across);
  }

  void arrange_legend() {
    for (const ChartLine& line : chart_.lines)
      if (!line.name.empty() && std::none_of(legend_.begin(), legend_.end(),
                                             [&](const auto& e) { return e.words == line.name; }))
        legend_.push_back({line.name, line_colour(line.colour), line.dashed, line.drawn});
    if (!chart_.solid_means.empty()) legend_.push_back({chart_.solid_means});
    if (!chart_.dashed_means.empty()) legend_.push_back({chart_.dashed_means, "#333", true});
    if (legend_.empty()) return;
    double x = left_, y = top_ - 4;
    for (LegendEntry& entry : legend_) {
      const double length = 42 + text_length(entry.words) + 16;
      if (x > left_ && x + length > chart_.width - 10) x = left_, y += 18;
      entry.x = x;
      entry.y = y + 8;
      x += length;
    }
    top_ = y + 24;
  }

  double across(double x) const { return left_ + x_.fraction(x) * (right_ - left_); }
  double down(double y) const {
    const double part = chart_.y_downwards ? 1 - y_.fraction(y) : y_.fraction(y);
    return bottom_ - part * (bottom_ - top_);
  }

  void label(double x, double y, const char* anchor, const std::string& words,
             const std::string& more = "") {
    text_ += fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
                         anchor, more, escape_markup(words));
  }

  std::vector<ChartAxis::Tick> x_ticks(int most) const {
    if (chart_.x_names.empty()) return x_.ticks(most);
    std::vector<ChartAxis::Tick> ticks;
    for (const auto& [value, name] : chart_.x_names) ticks.push_back({value, name});
    return ticks;
  }

  void draw_axes() {
    const bool grid = !chart_.map;
    const int most_across = std::max(3, static_cast<int>((right_ - left_) / 85));
    const int most_up = std::max(3, static_cast<int>((bottom_ - top_) / 55));
    for (const auto& [value, words] : x_ticks(most_across)) {
      const double x = across(value);
      text_ += fmt::format("<path d=\"M{0:.2f} {1:.2f}V{2:.2f}\" stroke=\"{3}\"/>\n", x,
                           grid ? top_ : bottom_, grid ? bottom_ : bottom_ + 5,
                           words.empty() ? "#eee"
                           : grid        ? "#ddd"
                                         : "#333");
      label(x, bottom_ + 18, "middle", words);
    }
    for (const auto& [value, words] : y_.ticks(most_up)) {
      const double y = down(value);
      text_ += fmt::format("<path d=\"M{1:.2f} {0:.2f}H{2:.2f}\" stroke=\"{3}\"/>\n", y,
                           grid ? left_ : left_ - 5, grid ? right_ : left_,
                           words.empty() ? "#eee"
                           : grid        ? "#ddd"
                                         : "#333");
      label(left_ - 8, y + 4, "end", words);
    }
    text_ += fmt::format(
        "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"none\" "
        "stroke=\"#333\"/>\n",
        left_, top_, right_ - left_, bottom_ - top_);
    label((left_ + right_) / 2, height_ - 14, "middle", chart_.x_label, " font-size=\"14\"");
    label(0, 0, "middle", chart_.y_label,
          fmt::format(" font-size=\"14\" transform=\"translate(18 {:.2f}) rotate(-90)\"",
                      (top_ + bottom_) / 2));
    if (!chart_.title.empty())
      label(16, 26, "start", chart_.title, " font-size=\"15\" font-weight=\"bold\"");
  }

  // Where the points of a line lie in the picture, no more of them than can be seen.
  PixelPoints thin_out(const ChartLine& line) const {
    PixelPoints all;
    all.reserve(line.points.size());
    bool rising = true;
    for (const auto& [x, y] : line.points) {
      if (x_.shows(x) && y_.shows(y)) {
        all.emplace_back(across(x), down(y));
        const std::size_t n = all.size();
        if (n > 1 && !(all[n - 1].first >= all[n - 2].first)) rising = false;
      } else if (!all.empty() && std::isfinite(all.back().first)) {
        all.emplace_back(NAN, NAN);
        rising = false;
      }
    }
    return thin_points(std::move(all), rising);
  }

  void draw_line(const ChartLine& line) {
    const auto points = thin_out(line);
    if (line.drawn != ChartDrawn::points) {
      std::string path;
      bool pen_down = false;
      for (const auto& [x, y] : points) {
        const bool there = std::isfinite(x);
        if (there) path += fmt::format("{}{:.1f} {:.1f}", pen_down ? "L" : "M", x, y);
        pen_down = there;
      }
      if (!path.empty())
        text_ += fmt::format(
            "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:g}\" "
            "stroke-linejoin=\"round\"{}/>\n",
            path, line_colour(line.colour), line.width,
            line.dashed ? " stroke-dasharray=\"7 5\"" : "");
    }
    if (line.drawn == ChartDrawn::line) return;
    const double radius = points.size() > 1000 ? 1 : points.size() > 200 ? 1.8 : 3.2;
    std::string dots;  // circles as lines of no length with round ends
    for (const auto& [x, y] : points)
      if (std::isfinite(x)) dots += fmt::format("M{:.1f} {:.1f}h0", x, y);
    if (!dots.empty())
      text_ += fmt::format(
          "<path d=\"{}\" stroke=\"{}\" stroke-width=\"{:g}\" stroke-linecap=\"round\"/>\n", dots,
          line_colour(line.colour), 2 * radius);
  }

  void draw_mark(const ChartMark& mark) {
    if (!x_.shows(mark.x) || !y_.shows(mark.y)) return;
    const double x = across(mark.x), y = down(mark.y);
    text_ +=
        fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"4.5\" stroke=\"white\"/>\n", x, y);
    if (!mark.label.empty()) place_label(x, y, mark.label);
  }

  // Beside a point, where there is room and no other label.
  void place_label(double x, double y, const std::string& words) {
    const double length = text_length(words) + 4;
    Box box;
    for (int k = 0; k < 12; ++k) {
      const bool to_left = k % 2 == 1;
      const int line = (k / 2 + 1) / 2 * ((k / 2) % 2 == 0 ? 1 : -1);
      const double begin = to_left ? x - 9 - length : x + 9, base = y - 7 + 15 * line;
      box = {begin, base - 11, begin + length, base + 3};
      if (box.left >= left_ && box.right <= right_ && box.top >= top_ && box.bottom <= bottom_ &&
          std::none_of(taken_.begin(), taken_.end(), [&](const Box& b) { return b.meets(box); }))
        break;
    }
    taken_.push_back(box);
    label(box.left, box.bottom - 3, "start", words,
          " stroke=\"white\" stroke-width=\"3\" paint-order=\"stroke\"");
  }

  void draw_legend() {
    for (const LegendEntry& e : legend_) {
      if (e.drawn != ChartDrawn::points)
        text_ +=
            fmt::format("<path d=\"M{:.1f} {:.1f}h34\" stroke=\"{}\" stroke-width=\"2.5\"{}/>\n",
                        e.x, e.y, e.colour, e.dashed ? " stroke-dasharray=\"7 5\"" : "");
      if (e.drawn != ChartDrawn::line)
        text_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\"/>\n",
                             e.x + 17, e.y, e.colour);
      label(e.x + 42, e.y + 4, "start", e.words);
    }
  }

  void draw_map(const ChartMap& map) {
    double low = INFINITY, high = -INFINITY;
    for (const double value : map.values)
      if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
    if (!(low < high)) high = low + 1;
    const auto level_of = [&](double value) {
      if (!std::isfinite(value)) return -1;
      return std::min(map_levels - 1, static_cast<int>((value - low) / (high - low) * map_levels));
    };
    const auto edge = [](double from, double to, int k, int n) {
      return from + (to - from) * k / n;
    };
    for (int row = 0; row < map.rows; ++row)
      for (int begin = 0; begin < map.columns;) {  // neighbours of one colour are one rectangle
        const double* values = map.values.data() + static_cast<std::size_t>(row) * map.columns;
        const int level = level_of(values[begin]);
        int end = begin + 1;
        while (end < map.columns && level_of(values[end]) == level) ++end;
        if (level >= 0) {
          const double x = across(edge(map.x_low, map.x_high, begin, map.columns));
          const double x_end = across(edge(map.x_low, map.x_high, end, map.columns));
          const double y = down(edge(map.y_low, map.y_high, row + 1, map.rows));
          const double y_end = down(edge(map.y_low, map.y_high, row, map.rows));
          text_ += fmt::format(
              "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n",
              std::min(x, x_end), std::min(y, y_end), std::fabs(x_end - x) + 0.4,
              std::fabs(y_end - y) + 0.4, map_colour(level));
        }
        begin = end;
      }
    if (!map.label.empty()) draw_scale(map.label, low, high);
  }

  void draw_scale(const std::string& words, double low, double high) {
    const double x = right_ + 18, height = (bottom_ - top_) / map_levels;
    for (int k = 0; k < map_levels; ++k)
      text_ += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"16\" height=\"{:.1f}\" fill=\"{}\"/>\n", x,
          bottom_ - (k + 1) * height, height + 0.4, map_colour(k));
    const std::vector<double> values = chart_ticks(low, high, 6);
    const double step = values.size() > 1 ? values[1] - values[0] : high - low;
    for (const double value : values)
      label(x + 21, bottom_ - (value - low) / (high - low) * (bottom_ - top_) + 4, "start",
            tick_label(value, step));
    label(0, 0, "middle", words,
          fmt::format(" font-size=\"14\" transform=\"translate({:.1f} {:.1f}) rotate(-90)\"",
                      chart_.width - 10, (top_ + bottom_) / 2));
  }

  const Chart& chart_;
  ChartAxis x_, y_;
  double left_ = 0, right_ = 0, top_ = 0, bottom_ = 0, height_ = 0;
  std::vector<LegendEntry> legend_;
  std::vector<Box> taken_;  // by labels of marks
  std::string text_;
};

}  // namespace

std::string escape_markup(const std::string& text) {
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

std::string chart_svg(const Chart& chart) {
  return Drawing(chart).draw();
}

}  // namespace cartan::report
