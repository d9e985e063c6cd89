#include "report/chart_pixels.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace cartan::report {
namespace {

// Okabe and Ito's colours without the yellow, which is too pale for lines on white.
constexpr const char* colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                   "#e69f00", "#56b4e9", "#000000"};

constexpr std::array<std::array<double, 3>, 9> scale = {{{68, 1, 84},
                                                         {71, 44, 122},
                                                         {59, 81, 139},
                                                         {44, 113, 142},
                                                         {33, 144, 141},
                                                         {39, 173, 129},
                                                         {92, 200, 99},
                                                         {170, 220, 50},
                                                         {253, 231, 37}}};

constexpr std::size_t few = 2000;  // points that are drawn as they are

}  // namespace

const char* line_colour(int number) {
  return colours[static_cast<std::size_t>(number) % std::size(colours)];
}

std::string map_colour(int level) {
  const double place = 8.0 * level / (map_levels - 1);
  const int k = std::min(7, static_cast<int>(place));
  std::array<int, 3> mixed;
  for (int i = 0; i < 3; ++i)
    mixed[i] = static_cast<int>(
        std::lround(scale[k][i] * (k + 1 - place) + scale[k + 1][i] * (place - k)));
  return fmt::format("#{:02x}{:02x}{:02x}", mixed[0], mixed[1], mixed[2]);
}

PixelPoints thin_points(PixelPoints all, bool rising) {
  if (all.size() < few) return all;
  PixelPoints kept;
  if (!rising) {  // what is less than half a pixel away is not seen
    for (const auto& point : all)
      if (kept.empty() ||
          !(std::hypot(point.first - kept.back().first, point.second - kept.back().second) < 0.4))
        kept.push_back(point);
    return kept;
  }
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin + 1, low = begin, high = begin;
    for (; end < all.size() && all[end].first < all[begin].first + 1; ++end) {
      if (all[end].second < all[low].second) low = end;
      if (all[end].second > all[high].second) high = end;
    }
    const std::array<std::size_t, 4> four = {begin, std::min(low, high), std::max(low, high),
                                             end - 1};
    for (std::size_t k = 0; k < 4; ++k)
      if (k == 0 || four[k] != four[k - 1]) kept.push_back(all[four[k]]);
    begin = end;
  }
  return kept;
}

}  // namespace cartan::report
