#include "derive/plane_laws.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace cartan::test {
namespace {

std::vector<PlaceMode> modes_allowed(const PlaceLaw& law) {
  using Kind = PlaceLaw::Kind;
  const bool given = re(law.given) > 0;
  std::vector<PlaceMode> modes;
  if (law.kind == Kind::leaves ||
      (law.kind != Kind::begins && (!given || law.kind == Kind::smooth)))
    modes.push_back({false, PlaceMode::none});
  for (const bool presses : {true, false}) {
    if (!presses && !given) continue;
    if (law.kind == Kind::rough || law.kind == Kind::coulomb)
      modes.push_back({presses, PlaceMode::sticks});
    if (law.kind == Kind::coulomb) {
      modes.push_back({presses, PlaceMode::plus});
      modes.push_back({presses, PlaceMode::minus});
    }
  }
  if (law.kind == Kind::smooth) modes.push_back({true, PlaceMode::none});
  if (law.kind == Kind::sliding || law.kind == Kind::begins) modes.push_back({true, law.way});
  return modes;
}

// By how much the laws are kept, relative to what goes on; negative: they are not.
double kept_by(const PlaneProblem& p, const PlaneForces& f) {
  double size = 1e-300, least = INFINITY;
  for (int i = 0; i < 2 * p.count; ++i) size = std::max(size, std::fabs(re(p.b[i])));
  for (int i = 0; i < p.count; ++i) {
    const Complex &N = f.r[2 * i], &T = f.r[2 * i + 1];
    const double unit = re(p.A[2 * i][2 * i]) / size;
    if (f.mode[i].presses)
      least = std::min(least, re(N) * unit);
    else if (p.law[i].kind != PlaceLaw::Kind::leaves)
      least = std::min(least, re(f.w[2 * i]) / size);
    else if (re(f.w[2 * i]) <
             -clear * (1 + size))  // its acceleration is zero, if it can part at all
      least = -INFINITY;
    if (p.law[i].kind != PlaceLaw::Kind::coulomb) continue;
    if (f.mode[i].rub == PlaceMode::sticks)
      least =
          std::min(least, (re(p.law[i].friction * (N + p.law[i].given)) - std::fabs(re(T))) * unit);
    if (f.mode[i].slides())
      least = std::min(least, static_cast<double>(f.mode[i].rub) * re(f.w[2 * i + 1]) / size);
  }
  return least;
}

}  // namespace

bool solve_modes(const PlaneProblem& p, PlaneForces& forces) {
  int unknown[most_rows], n = 0;
  for (int i = 0; i < p.count; ++i) {
    if (forces.mode[i].presses) unknown[n++] = 2 * i;
    if (forces.mode[i].rub == PlaceMode::sticks) unknown[n++] = 2 * i + 1;
  }
  const auto slide = [&](int i) {  // r_t of one unit of r_n
    return forces.mode[i].slides() ? -static_cast<double>(forces.mode[i].rub) * p.law[i].friction
                                   : Complex(0);
  };
  Complex known[most_rows] = {}, M[most_rows][most_rows], x[most_rows];
  for (int i = 0; i < p.count; ++i) known[2 * i + 1] = slide(i) * p.law[i].given;
  for (int a = 0; a < n; ++a) {
    const int row = unknown[a];
    x[a] = -p.b[row];
    for (int j = 0; j < 2 * p.count; ++j) x[a] -= p.A[row][j] * known[j];
    for (int c = 0; c < n; ++c) {
      M[a][c] = p.A[row][unknown[c]];
      if (unknown[c] % 2 == 0) M[a][c] += p.A[row][unknown[c] + 1] * slide(unknown[c] / 2);
    }
  }
  if (!eliminate(n, M, x)) return false;
  std::copy_n(known, 2 * p.count, forces.r);
  for (int a = 0; a < n; ++a) {
    forces.r[unknown[a]] += x[a];
    if (unknown[a] % 2 == 0) forces.r[unknown[a] + 1] += slide(unknown[a] / 2) * x[a];
  }
  for (int i = 0; i < 2 * p.count; ++i) {
    forces.w[i] = p.b[i];
    for (int j = 0; j < 2 * p.count; ++j) forces.w[i] += p.A[i][j] * forces.r[j];
  }
  return true;
}

bool are_independent(const PlaneProblem& p) {
  PlaneForces f;
  for (int i = 0; i < p.count; ++i)
    f.mode[i] = {true,
                 p.law[i].kind == PlaceLaw::Kind::smooth ? PlaceMode::none : PlaceMode::sticks};
  return solve_modes(p, f);
}

PlaneForces choose_modes(const PlaneProblem& p) {
  std::vector<std::vector<PlaceMode>> allowed;
  for (int i = 0; i < p.count; ++i) allowed.push_back(modes_allowed(p.law[i]));
  std::vector<std::size_t> at(allowed.size(), 0);
  std::optional<PlaneForces> found;
  bool several = false, close = false, singular = false;
  for (;;) {
    PlaneForces f;
    for (int i = 0; i < p.count; ++i) f.mode[i] = allowed[i][at[i]];
    if (solve_modes(p, f)) {
      const double kept = kept_by(p, f);
      close |= std::fabs(kept) < clear;
      several |= kept > 0 && found.has_value();
      if (kept > 0) found = f;
    } else {
      singular = true;
    }
    std::size_t i = 0;
    while (i < at.size() && ++at[i] == allowed[i].size()) at[i++] = 0;
    if (i == at.size()) break;
  }
  if (close) throw LeftOut{singular ? "redundant" : "grazing"};
  if (several) throw LeftOut{"paradox"};
  if (!found) throw LeftOut{singular ? "redundant" : "paradox"};
  return *found;
}

}  // namespace cartan::test
