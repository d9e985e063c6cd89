#include "mechanics/stepping/broad_phase.h"

#include <algorithm>
#include <cmath>

namespace cartan::mechanics {
namespace {

constexpr int bits = 21;
constexpr std::int64_t middle = std::int64_t{1} << (bits - 1);

// Far away cells share numbers, which costs time but loses no pair.
std::uint64_t cell_number(std::int64_t x, std::int64_t y, std::int64_t z) {
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  const auto part = [&](std::int64_t k) { return static_cast<std::uint64_t>(k + middle) & mask; };
  return (part(x) << (2 * bits)) | (part(y) << bits) | part(z);
}

}  // namespace

const std::vector<std::pair<int, int>>& BroadPhase::find_pairs(const std::vector<Ball>& balls) {
  pairs_.clear();
  entries_.clear();
  double largest = 0;
  for (const Ball& ball : balls) largest = std::max(largest, ball.radius);
  if (balls.size() < 2 || !(largest > 0)) return pairs_;
  const double inverse = 1 / (2 * largest);
  const auto cell = [&](double x) { return static_cast<std::int64_t>(std::floor(x * inverse)); };
  for (std::size_t i = 0; i < balls.size(); ++i) {
    const Vec3<double>& c = balls[i].centre;
    entries_.push_back({cell_number(cell(c.x), cell(c.y), cell(c.z)), static_cast<int>(i)});
  }
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return a.cell != b.cell ? a.cell < b.cell : a.ball < b.ball;
  });
  const auto meet = [&](int i, int j) {
    const double reach = balls[i].radius + balls[j].radius;
    if (norm2(balls[i].centre - balls[j].centre) <= reach * reach)
      pairs_.emplace_back(std::min(i, j), std::max(i, j));
  };
  // half of the cells around, so that each pair of cells is looked at once; three neighbours along
  // z stand side by side. Balls stand in the order of their cells, and so do the neighbours: each
  // place in a column is found from the last one on
  constexpr int columns[5][3] = {{0, 0, 1}, {0, 1, -1}, {1, -1, -1}, {1, 0, -1}, {1, 1, -1}};
  const std::size_t n = entries_.size();
  std::size_t reached[5] = {};
  for (std::size_t e = 0; e < n; ++e) {
    const int i = entries_[e].ball;
    for (std::size_t f = e + 1; f < n && entries_[f].cell == entries_[e].cell; ++f)
      meet(i, entries_[f].ball);
    const Vec3<double>& c = balls[i].centre;
    const std::int64_t x = cell(c.x), y = cell(c.y), z = cell(c.z);
    for (int k = 0; k < 5; ++k) {
      const auto& [dx, dy, from] = columns[k];
      const std::uint64_t first = cell_number(x + dx, y + dy, z + from);
      const std::uint64_t last = cell_number(x + dx, y + dy, z + 1);
      std::size_t& at = reached[k];
      if (at > 0 && entries_[at - 1].cell >= first) at = 0;  // numbers began anew, far away
      while (at < n && entries_[at].cell < first) ++at;
      for (std::size_t f = at; f < n && entries_[f].cell <= last; ++f) meet(i, entries_[f].ball);
    }
  }
  return pairs_;
}

}  // namespace cartan::mechanics
