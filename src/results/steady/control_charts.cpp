#include "results/steady/control_charts.h"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "report/chart.h"

namespace cartan::results {
namespace {

// Frequencies of an even grid with zero or negative values stand on a linear axis.
bool all_positive(const std::vector<double>& w) {
  for (const double value : w)
    if (!(value > 0)) return false;
  return true;
}

Chart bode_chart(const std::vector<double>& w, const std::string& title, const std::string& y) {
  Chart chart;
  chart.title = title;
  chart.x_label = "frequency, rad/s";
  chart.y_label = y;
  chart.x_log = all_positive(w);
  return chart;
}

}  // namespace

std::string ResponseChannel::name(const std::string& separator) const {
  const std::string pair = output + separator + input;
  return harmonic ? fmt::format("{} [{:+}]", pair, *harmonic) : pair;
}

double phase_degrees(std::complex<double> value) {
  const double phase = std::arg(value) * 180 / std::numbers::pi;
  return phase <= -180 ? 180 : phase;
}

std::string bode_magnitude_svg(const std::vector<double>& w,
                               const std::vector<ResponseChannel>& channels) {
  Chart chart = bode_chart(w, "Frequency response: magnitude", "magnitude, dB");
  for (std::size_t c = 0; c < channels.size(); ++c) {
    ChartLine line;
    line.colour = static_cast<int>(c);
    line.name = channels[c].name(" / ");
    for (std::size_t k = 0; k < w.size(); ++k)
      line.points.push_back({w[k], 20 * std::log10(std::abs(channels[c].values[k]))});
    chart.lines.push_back(std::move(line));
  }
  return chart_svg(chart);
}

std::string bode_phase_svg(const std::vector<double>& w,
                           const std::vector<ResponseChannel>& channels) {
  Chart chart = bode_chart(w, "Frequency response: phase", "phase, degrees");
  for (std::size_t c = 0; c < channels.size(); ++c) {
    ChartLine line;
    line.colour = static_cast<int>(c);
    line.name = channels[c].name(" / ");
    double turns = 0, last = 0;  // continued without jumps
    for (std::size_t k = 0; k < w.size(); ++k) {
      const double phase = phase_degrees(channels[c].values[k]);
      if (k > 0 && std::isfinite(phase) && std::isfinite(last))
        turns += 360 * std::round((last - phase - turns) / 360);
      last = phase + turns;
      line.points.push_back({w[k], last});
    }
    chart.lines.push_back(std::move(line));
  }
  return chart_svg(chart);
}

std::string nyquist_svg(const std::vector<ResponseChannel>& channels) {
  Chart chart;
  chart.title = "Nyquist chart";
  chart.x_label = "real part";
  chart.y_label = "imaginary part";
  chart.same_scale = true;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    ChartLine upper, lower;
    upper.colour = lower.colour = static_cast<int>(c);
    upper.name = channels[c].name(" / ");
    lower.dashed = true;  // negative frequencies
    for (const std::complex<double>& value : channels[c].values) {
      upper.points.push_back({value.real(), value.imag()});
      lower.points.push_back({value.real(), -value.imag()});
    }
    chart.lines.push_back(std::move(upper));
    chart.lines.push_back(std::move(lower));
  }
  chart.solid_means = "positive frequencies";
  chart.dashed_means = "negative ones";
  chart.marks.push_back({-1, 0, "-1"});
  return chart_svg(chart);
}

}  // namespace cartan::results
