// The linear equations of motion_slopes.h: M da = -dID + J^T dlambda, J da = -d(y' - J v').
#include <algorithm>
#include <cmath>

#include "mechanics/tree/four_numbers.h"
#include "mechanics/tree/motion_slopes.h"

namespace cartan {

using namespace fours;

namespace {

// Rows less dependent than this squared sine on those before them have a multiplier of their own
// (as in closed_recursion.cpp).
constexpr double least_row_sine2 = 1e-13;

}  // namespace

// v' of joints that stick or are driven does not change.
void MotionSlopes::hold_speeds(const MotionWorkspace<double>& ws) {
  if (!ws.any_locked && !mechanism_.has_drives) return;
  for (std::size_t d = 0; d < plan_.links.size(); ++d) {
    const SlopeLink& at = plan_.links[d];
    const Link<double>& link = mechanism_.links[at.link];
    for (int k = 0; k < at.nv; ++k)
      held_[at.p0 + k] = link.driven || (ws.any_locked && ws.locked[link.v0 + k]);
  }
  for (std::size_t d = 0; d < plan_.links.size(); ++d) {
    const SlopeLink& at = plan_.links[d];
    for (int k = at.p0; k < at.p0 + at.nv; ++k) {
      for (int run = plan_.run0[d]; run < plan_.run0[d + 1]; ++run)
        for (int a = plan_.runs[run].first; a < plan_.runs[run].last; ++a)
          if (held_[k] || held_[a]) M_[k * N_ + a] = k == a ? 1 : 0;
      if (!held_[k]) continue;
      double* row = W_.data() + static_cast<std::size_t>(k) * ld_;
      std::fill(row, row + ld_, 0.0);
      for (std::size_t r = 0; r < active_.size(); ++r) rows_[r * N_ + k] = 0;
    }
  }
}

// M = L^T D L from the tips inward, in place, up to four speeds in a row at a time: those that
// follow each other on one path. Numbers beside the pattern may become anything.
void MotionSlopes::factorise() {
  int top = 0;
  for (int k = nv_ - 1; k >= 0; k = top - 1) {
    const int d = link_of_place_[k], first_run = plan_.run0[d];
    const PlaceRun last_run{own_run_first(k), k + 1};
    int run = run_of(k);
    top = std::max(last_run.first, k - 3);
    const int count = k - top + 1;
    // the speeds of the group among themselves
    for (int c = k; c >= top; --c) {
      double* row = M_.data() + c * N_;
      inverse_[c] = 1 / row[c];
      for (int i = c - 1; i >= top; --i) {
        const double share = row[i] * inverse_[c];
        subtract_rows<1>(&share, &row, M_.data() + i * N_, first_run, run, i);
        row[i] = share;
      }
    }
    double* rows[4];
    for (int c = 0; c < count; ++c) rows[c] = M_.data() + (top + c) * N_;
    for (; run >= first_run; --run)
      for (int i = std::min(plan_.runs[run].last, top) - 1; i >= plan_.runs[run].first; --i) {
        double shares[4];
        for (int c = 0; c < count; ++c) shares[c] = rows[c][i] * inverse_[top + c];
        double* to = M_.data() + i * N_;
        switch (count) {
          case 1:
            subtract_rows<1>(shares, rows, to, first_run, run, i);
            break;
          case 2:
            subtract_rows<2>(shares, rows, to, first_run, run, i);
            break;
          case 3:
            subtract_rows<3>(shares, rows, to, first_run, run, i);
            break;
          default:
            subtract_rows<4>(shares, rows, to, first_run, run, i);
        }
        for (int c = 0; c < count; ++c) rows[c][i] = shares[c];
      }
  }
}

// to -= sum shares rows at the places of the runs up to place i.
template <int count>
void MotionSlopes::subtract_rows(const double* shares, double* const* rows, double* to,
                                 int first_run, int run, int i) const {
  int j = 0;  // runs may meet in one group of four
  for (int before = first_run; before <= run; ++before) {
    const int last = before == run ? i + 1 : plan_.runs[before].last;
    for (j = std::max(j, plan_.runs[before].first & ~3); j < last; j += 4) {
      Four sum = four(to + j);
      for (int c = 0; c < count; ++c) sum -= shares[c] * four(rows[c] + j);
      put(to + j, sum);
    }
  }
}

// Columns [first, first + 4 groups) of W: L^T, D, L one after the other, two rows at a time where
// they follow each other on one path.
template <int groups>
void MotionSlopes::solve_columns(int first) {
  const std::size_t ld = ld_;
  double* const W = W_.data() + first;
  for (int i = nv_ - 1; i >= 0; --i) {
    double* const row = W + i * ld;
    const int end = plan_.links[link_of_place_[i]].end;
    const bool two = i > 0 && own_run_first(i) < i;
    Four sum[groups], other[groups];
    for (int g = 0; g < groups; ++g) {
      sum[g] = four(row + 4 * g);
      other[g] = two ? four(row - ld + 4 * g) : Four{};
    }
    const double* L = M_.data() + static_cast<std::size_t>(i + 1) * N_ + i;
    const double* from = row + ld;
    if (!two) {
      for (int k = i + 1; k < end; ++k, L += N_, from += ld)
        for (int g = 0; g < groups; ++g) sum[g] -= L[0] * four(from + 4 * g);
      for (int g = 0; g < groups; ++g) put(row + 4 * g, sum[g]);
      continue;
    }
    for (int k = i + 1; k < end; ++k, L += N_, from += ld)
      for (int g = 0; g < groups; ++g) {
        const Four part = four(from + 4 * g);
        sum[g] -= L[0] * part;
        other[g] -= L[-1] * part;
      }
    const double share = M_[static_cast<std::size_t>(i) * N_ + i - 1];
    for (int g = 0; g < groups; ++g) {
      put(row + 4 * g, sum[g]);
      other[g] -= share * sum[g];
    }
    for (int k = end; k < plan_.links[link_of_place_[i - 1]].end; ++k, L += N_, from += ld)
      for (int g = 0; g < groups; ++g) other[g] -= L[-1] * four(from + 4 * g);
    for (int g = 0; g < groups; ++g) put(row - ld + 4 * g, other[g]);
    --i;
  }
  for (int i = 0; i < nv_; ++i) {
    const bool two = i + 1 < nv_ && own_run_first(i + 1) <= i;
    double* const row = W + i * ld;
    const double *L = M_.data() + static_cast<std::size_t>(i) * N_, *next = L + N_;
    const double inverse = inverse_[i], inverse_next = two ? inverse_[i + 1] : 0;
    Four sum[groups], other[groups];
    for (int g = 0; g < groups; ++g) {
      sum[g] = inverse * four(row + 4 * g);
      other[g] = two ? inverse_next * four(row + ld + 4 * g) : Four{};
    }
    for (int run = plan_.run0[link_of_place_[i]]; run <= run_of(i); ++run)
      for (int a = plan_.runs[run].first, last = std::min(plan_.runs[run].last, i); a < last; ++a) {
        const double* from = W + a * ld;
        if (two)
          for (int g = 0; g < groups; ++g) {
            const Four part = four(from + 4 * g);
            sum[g] -= L[a] * part;
            other[g] -= next[a] * part;
          }
        else
          for (int g = 0; g < groups; ++g) sum[g] -= L[a] * four(from + 4 * g);
      }
    for (int g = 0; g < groups; ++g) put(row + 4 * g, sum[g]);
    if (!two) continue;
    for (int g = 0; g < groups; ++g) put(row + ld + 4 * g, other[g] - next[i] * sum[g]);
    ++i;
  }
}

void MotionSlopes::solve(int columns) {
  int first = 0;
  for (; columns - first > 16; first += 32) {
    if (first + 32 > ld_) break;
    solve_columns<8>(first);
  }
  for (; first < columns; first += 16) solve_columns<4>(first);
}

// After the solution W = M^-1 (dID, J^T): dlambda = G^-1 (J M^-1 dID - dy'), G = J M^-1 J^T, and
// M^-1 dID becomes M^-1 (dID - J^T dlambda).
void MotionSlopes::solve_multipliers(int rows) {
  const int columns = plan_.columns(), groups = round_up(columns, 4);
  const std::size_t ld = ld_;
  for (int r = 0; r < rows; ++r) {
    double* right = row_slopes_.data() + r * ld;
    for (int c = 0; c < groups; c += 4) put(right + c, -four(right + c));
    for (int s = 0; s <= r; ++s) G_[r * rows + s] = 0;
    for (int p = 0; p < nv_; ++p) {
      const double j = rows_[r * N_ + p];
      if (j == 0) continue;
      const double* from = W_.data() + p * ld;
      for (int c = 0; c < groups; c += 4) put(right + c, four(right + c) + (j * four(from + c)));
      for (int s = 0; s <= r; ++s) G_[r * rows + s] += j * from[columns + s];
    }
  }
  // G = L L^T, L^-1 and L^-T applied to the right sides at once
  for (int r = 0; r < rows; ++r) {
    const double diagonal = G_[r * rows + r];
    double* right = row_slopes_.data() + r * ld;
    for (int s = 0; s < r; ++s) {
      double sum = G_[r * rows + s];
      for (int k = 0; k < s; ++k) sum -= G_[r * rows + k] * G_[s * rows + k];
      sum *= G_[s * rows + s];
      G_[r * rows + s] = sum;
      const double* before = row_slopes_.data() + s * ld;
      for (int c = 0; c < groups; c += 4)
        put(right + c, four(right + c) - (sum * four(before + c)));
    }
    double pivot = diagonal;
    for (int k = 0; k < r; ++k) pivot -= G_[r * rows + k] * G_[r * rows + k];
    const double inverse = pivot > least_row_sine2 * diagonal ? 1 / std::sqrt(pivot) : 0;
    G_[r * rows + r] = inverse;
    for (int c = 0; c < groups; c += 4) put(right + c, four(right + c) * (Four{} + inverse));
  }
  for (int r = rows - 1; r >= 0; --r) {
    double* right = row_slopes_.data() + r * ld;
    for (int s = r + 1; s < rows; ++s) {
      const double share = G_[s * rows + r];
      const double* after = row_slopes_.data() + s * ld;
      for (int c = 0; c < groups; c += 4)
        put(right + c, four(right + c) - (share * four(after + c)));
    }
    for (int c = 0; c < groups; c += 4)
      put(right + c, four(right + c) * (Four{} + G_[r * rows + r]));
  }
  for (int p = 0; p < nv_; ++p) {
    double* row = W_.data() + p * ld;
    for (int r = 0; r < rows; ++r) {
      const double push = row[columns + r];
      const double* slope = row_slopes_.data() + r * ld;
      for (int c = 0; c < groups; c += 4) {
        const Four part = four(row + c) - push * four(slope + c);
        if (c + 4 <= columns)
          put(row + c, part);
        else
          for (int k = 0; c + k < columns; ++k) row[c + k] = part[k];
      }
    }
  }
}

// What stands in the equations of driven speeds, before these leave them.
void MotionSlopes::keep_driven_rows() {
  for (std::size_t k = 0; k < plan_.drives.size(); ++k) {
    const int p = plan_.drives[k].place;
    std::copy_n(W_.data() + static_cast<std::size_t>(p) * ld_, ld_, driven_.data() + k * ld_);
    double* mass = driven_mass_.data() + k * nv_;
    std::fill(mass, mass + nv_, 0.0);
    for (const SlopeLink& at : plan_.links) {
      const std::vector<int>& path = plan_.paths[at.link];
      for (int i = at.p0; i < at.p0 + at.nv; ++i) {
        if (i == p)
          for (const int a : path) mass[a] = M_[p * N_ + a];
        else if (i > p && std::find(path.begin(), path.end(), p) != path.end())
          mass[i] = M_[i * N_ + p];
      }
    }
    for (std::size_t r = 0; r < active_.size(); ++r)
      driven_rows_[k * mechanism_.contact_row0 + r] = rows_[r * N_ + p];
  }
}

// power = sum lambda v with dlambda = dID + M da - J^T dlambda of the others
void MotionSlopes::add_drive_powers(const MotionWorkspace<double>& ws) {
  const int columns = plan_.columns();
  for (std::size_t k = 0; k < plan_.drives.size(); ++k) {
    const DrivenSpeed& drive = plan_.drives[k];
    if (drive.scalars.empty()) continue;
    double* slope = driven_.data() + k * ld_;
    for (int p = 0; p < nv_; ++p) {
      const double mass = driven_mass_[k * nv_ + p];
      if (mass == 0) continue;
      const double* row = W_.data() + static_cast<std::size_t>(p) * ld_;
      for (int c = 0; c < columns; ++c) slope[c] -= mass * row[c];
    }
    for (std::size_t r = 0; r < active_.size(); ++r) {
      const double share = driven_rows_[k * mechanism_.contact_row0 + r];
      const double* row = row_slopes_.data() + r * ld_;
      for (int c = 0; c < columns; ++c) slope[c] -= share * row[c];
    }
    const double speed = ws.v[plan_.speed[drive.place]];
    for (const int s : drive.scalars) {
      double* to = scalars_.data() + static_cast<std::size_t>(s) * ld_;
      for (int c = 0; c < columns; ++c) to[c] += speed * slope[c];
      to[plan_.by_v() + drive.place] += ws.lambda[drive.row];
    }
  }
}

}  // namespace cartan
