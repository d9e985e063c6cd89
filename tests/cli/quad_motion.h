// Motions in quadruple precision (113 bits), to judge what double precision claims of itself.
#pragma once

#include <vector>

namespace cartan::test {

__extension__ using Quad = __float128;
using QuadState = std::vector<Quad>;

// x' = f(x) over a time, by extrapolation of the modified midpoint rule (Gragg, Bulirsch, Stoer):
// 2, 4, .. 24 substeps give order 24 in each of the equal steps.
template <class Rate>
QuadState advance(const Rate& rate, QuadState x, double duration, int steps) {
  constexpr int columns = 12;
  const Quad H = Quad(duration) / steps;
  for (int step = 0; step < steps; ++step) {
    std::vector<QuadState> table;  // the last row of the triangle
    for (int k = 0; k < columns; ++k) {
      const int n = 2 * (k + 1);
      const Quad h = H / n;
      QuadState before = x, now = x, slope = rate(x);
      for (std::size_t i = 0; i < x.size(); ++i) now[i] += h * slope[i];
      for (int m = 1; m < n; ++m) {
        slope = rate(now);
        for (std::size_t i = 0; i < x.size(); ++i) {
          const Quad next = before[i] + 2 * h * slope[i];
          before[i] = now[i];
          now[i] = next;
        }
      }
      slope = rate(now);
      QuadState entry(x.size());
      for (std::size_t i = 0; i < x.size(); ++i) entry[i] = (now[i] + before[i] + h * slope[i]) / 2;
      std::vector<QuadState> row = {entry};
      for (int j = 1; j <= k; ++j) {
        const Quad ratio = Quad(k + 1) / Quad(k + 1 - j);
        QuadState better(x.size());
        for (std::size_t i = 0; i < x.size(); ++i)
          better[i] = row[j - 1][i] + (row[j - 1][i] - table[j - 1][i]) / (ratio * ratio - 1);
        row.push_back(better);
      }
      table = row;
    }
    x = table.back();
  }
  return x;
}

// By their series; for arguments of a few units.
inline Quad sine(Quad x) {
  Quad term = x, sum = x;
  for (int k = 1; k < 40; ++k) sum += term *= -x * x / ((2 * k) * (2 * k + 1));
  return sum;
}
inline Quad cosine(Quad x) {
  Quad term = 1, sum = 1;
  for (int k = 1; k < 40; ++k) sum += term *= -x * x / ((2 * k - 1) * (2 * k));
  return sum;
}

}  // namespace cartan::test
