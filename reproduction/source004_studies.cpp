// Source 004, end of section 7.4.4: trail and moments of inertia of the bicycle.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "reproduction/bicycle_sweeps.h"
#include "reproduction/drawing.h"
#include "reproduction/source004.h"

namespace cartan::reproduction {
namespace {

// Geometry of table 7.1.
constexpr double wheel_radius = 0.354, tilt = 20.09 * std::numbers::pi / 180;

double trail_of(double b) {
  return wheel_radius * std::tan(tilt) - b;
}

}  // namespace

void bicycle_trail(Workshop& shop, Record& record) {
  const int points = static_cast<int>(shop.choose(120, 40));
  std::vector<double> trails, weave, trails_capsize, capsize;
  for (double trail = -0.03; trail < 0.2; trail += shop.choose(0.01, 0.04)) {
    const double b = wheel_radius * std::tan(tilt) - trail;
    std::vector<std::string> more = upright;
    more.insert(more.end(), {"--set", fmt::format("b={:.12g}", b)});
    const Sweep s = sweep_bicycle(shop, fmt::format("v=log(1,40,{})", points), more);
    const auto ends = zeros(s.table.numbers[0], s.growth());
    if (!ends.empty()) trails.push_back(trail), weave.push_back(ends[0]);
    if (ends.size() > 1) trails_capsize.push_back(trail), capsize.push_back(ends[1]);
  }
  Chart chart = figure_chart("Stable speeds over the trail", "trail [m]", "speed [m/s]");
  chart.y_log = true;
  add_line(chart, "stable from", trails, weave).drawn = ChartDrawn::both;
  add_line(chart, "stable up to", trails_capsize, capsize).drawn = ChartDrawn::both;
  record.figures.push_back(
      {chart,
       "Range of speeds in which the bicycle rides straight by itself, over the "
       "trail (changed through b, the rest as it is): it vanishes a little below "
       "zero and has no upper end above 0.196 m."});
  // Capsize at infinite speed: the leading eigenvalue times v at a very high speed changes its
  // sign.
  std::vector<std::string> fast = upright;
  fast.insert(fast.end(), {"--set", "v=3000"});
  const Sweep far = sweep_bicycle(shop, "b=lin(-0.0672,-0.0652,21)", fast);
  const auto b_far = zeros(far.table.numbers[0], far.growth());
  const double a_far = b_far.empty() ? NAN : trail_of(b_far[0]);
  // Where the range vanishes: the smallest leading real part over the speed passes zero.
  const auto least = [&](double b) {
    std::vector<std::string> more = upright;
    more.insert(more.end(), {"--set", fmt::format("b={:.12g}", b)});
    double from = 1.8, to = 2.8, value = NAN;
    for (int level = 0; level < 3; ++level) {  // the least lies in a corner: ever closer to it
      const Sweep s = sweep_bicycle(shop, fmt::format("v=lin({:.9g},{:.9g},41)", from, to), more);
      const auto growth = s.growth();
      const auto found = std::min_element(growth.begin(), growth.end());
      const double at = s.table.numbers[0][found - growth.begin()], step = (to - from) / 40;
      value = *found;
      from = at - step, to = at + step;
    }
    return value;
  };
  double low = wheel_radius * std::tan(tilt), high = low + 0.012;  // stable at some speed, at none
  double at_low = least(low), at_high = least(high);
  if (!(at_low < 0 && at_high > 0)) throw ItemFailure("the stable range vanishes elsewhere");
  for (int k = 0; k < 10 && high - low > 1e-7; ++k) {  // regula falsi (Illinois)
    const double middle = low + (high - low) * at_low / (at_low - at_high), value = least(middle);
    if (value < 0)
      low = middle, at_low = value, at_high /= 2;
    else
      high = middle, at_high = value, at_low /= 2;
    if (std::fabs(value) < 1e-5) break;
  }
  const double a_none = trail_of(low + (high - low) * at_low / (at_low - at_high));
  // Below some trail the leading eigenvalue no longer falls to zero at high speeds but grows with
  // them: where it is the same at 3000 and at 6000 m/s.
  const double b_grows = wheel_radius * std::tan(tilt) + 0.0487;
  const std::string around =
      fmt::format("b=lin({:.9g},{:.9g},21)", b_grows - 0.002, b_grows + 0.002);
  std::vector<std::string> faster = upright;
  faster.insert(faster.end(), {"--set", "v=6000"});
  const Sweep at_v = sweep_bicycle(shop, around, fast), at_2v = sweep_bicycle(shop, around, faster);
  // there it is linear in b, so that two points tell where it begins
  const std::vector<double> once = at_v.growth(), twice = at_2v.growth();
  const std::vector<double>& b_at = at_v.table.numbers[0];
  double a_grows = NAN;
  for (std::size_t i = 0; i + 1 < b_at.size() && std::isnan(a_grows); ++i)
    if (twice[i] > once[i])
      a_grows = trail_of(b_at[i] - twice[i] * (b_at[i + 1] - b_at[i]) / (twice[i + 1] - twice[i]));
  std::vector<std::string> at_far = upright;
  at_far.insert(at_far.end(),
                {"--set", fmt::format("b={:.12g}", wheel_radius * std::tan(tilt) - 0.19567)});
  const Sweep slow = sweep_bicycle(shop, "v=lin(3.2,4,41)", at_far);
  const auto from = zeros(slow.table.numbers[0], slow.growth());
  const double threshold = from.empty() ? NAN : from[0];
  record.rows = {{"trail", "0.08153 m", fmt::format("{:.5f} m", trail_of(0.048)),
                  near(trail_of(0.048), 0.08153, 1e-4), "rounding of the printed geometry"},
                 {"trail above which there is no upper end", "0.19567 m",
                  fmt::format("{:.5f} m", a_far), near(a_far, 0.19567, 3e-4)},
                 {"trail at which the stable range vanishes", "-0.006588 m",
                  fmt::format("{:.5f} m", a_none), near(a_none, -0.006588, 2e-5)},
                 {"trail below which the largest eigenvalue grows with the speed", "-0.048698 m",
                  fmt::format("{:.5f} m", a_grows), near(a_grows, -0.048698, 2e-5),
                  "rounding of the printed geometry"},
                 {"threshold of stability at a trail of 0.19567 m", "3.57 m/s",
                  fmt::format("{:.3f} m/s", threshold), near(threshold, 3.57, 0.01)}};
  record.notes = {rounded_geometry};
}

void bicycle_wheels(Workshop& shop, Record& record) {
  Chart chart = figure_chart("Growth over the speed for lighter rims", "speed [m/s]",
                             "largest real part [1/s]");
  const int points = static_cast<int>(shop.choose(400, 120));
  double first = NAN, last = NAN, zero_least = NAN;
  for (const char* factor : {"1.5", "0.5", "0.1", "0.01", "1e-6"}) {
    std::vector<std::string> more = upright;
    more.insert(more.end(), {"--set", std::string("jm=") + factor});
    const Sweep s = sweep_bicycle(shop, fmt::format("v=log(1,100,{})", points), more);
    const auto growth = s.growth();
    add_line(chart, std::string("factor ") + factor, s.table.numbers[0],
             map_values(growth, [](double g) { return std::clamp(g, -1.0, 2.0); }));
    const auto ends = zeros(s.table.numbers[0], growth);
    if (std::string(factor) == "0.01" && ends.size() > 1) first = ends[0], last = ends[1];
    if (std::any_of(growth.begin(), growth.end(), [](double g) { return std::isnan(g); }))
      throw ItemFailure(fmt::format("no eigenvalues at some speeds with factor {}", factor));
    if (std::string(factor) == "1e-6") zero_least = *std::min_element(growth.begin(), growth.end());
  }
  chart.x_log = true;
  record.figures.push_back(
      {chart,
       "Largest real part of the bicycle's eigenvalues over its speed for wheels "
       "of equal mass and smaller moment of inertia (factor against a "
       "homogeneous disc; values cut off at -1 and 2): the stable range moves "
       "to high speeds and disappears without gyroscopic moments."});
  record.rows = {
      {"factor 0.01: stable from", "23.5 m/s", fmt::format("{:.2f} m/s", first),
       near(first, 23.5, 0.2)},
      {"factor 0.01: stable up to", "66 m/s", fmt::format("{:.2f} m/s", last), near(last, 66, 0.6)},
      {"factor 0 (here 1e-6): largest real part up to 100 m/s", "positive",
       fmt::format("at least {:.3f} 1/s", zero_least),
       zero_least > 0 ? Verdict::agrees : Verdict::differs}};
  record.notes = {
      "The text's 0.01 m R^2 = 0.00073 kg m^2 is 0.01 m R^2/2 = 0.00075: as for 1.5, the factor "
      "is against a disc.",
      "A wheel without any moment of inertia cannot be asked for its angular acceleration, and the "
      "model is refused; a millionth of a disc stands for zero."};
}

}  // namespace cartan::reproduction
