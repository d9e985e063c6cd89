// Rows of hinges, each the only child of the one before: a group of columns goes through all of
// them at once, its numbers in registers.
#include "mechanics/tree/motion_slopes.h"
#include "mechanics/tree/slopes/slope_columns.h"

namespace cartan::mechanics {

using namespace lanes;

bool MotionSlopes::is_chain(int d) const {
  const int first = flow_.chain_first[d];
  if (closed_ || first < 0) return false;
  for (int k = first; k <= flow_.chain_last[d]; ++k)
    if (links_.body(k).answer != JointAnswer::hinge) return false;
  return true;
}

// The turning of the articulated body, the acceleration, the wrench that turns with the subtree.
MotionSlopes::OwnHinge MotionSlopes::calc_own_hinge(int d) const {
  const SlopeBody& b = links_.body(d);
  const SlopeHinge& j = links_.hinge(d);
  const SlopeColumn& c = links_.column(plan_.links[d].p0);
  const VectorsOf<Two> o = both(c.o, c.phi), a = both(c.by_q.n, c.by_v.n),
                       s = both(c.by_q.f, c.by_v.f);
  OwnHinge own;
  own.x = -(dot(j.y, o) + dot(j.Vn, a) + dot(j.Vf, s));
  const Vec3<double> jump_n = mechanics::cross(c.phi, b.n), jump_f = mechanics::cross(c.phi, b.f);
  own.f = b.Cf * o + transpose_times(b.B, a) + b.D * s + j.Uf * own.x + both(jump_f, {});
  own.n = b.Cn * o + b.A * a + b.B * s + j.Un * own.x + both(jump_n, {}) + cross(j.r, own.f);
  return own;
}

// Two groups at a time: each waits for its own numbers from link to link.
template <bool laws>
void MotionSlopes::chain_inward(int first, int last) {
  own_hinges_.clear();
  for (int d = first; d <= last; ++d) own_hinges_.push_back(calc_own_hinge(d));
  for (const ColumnRun& run : flow_.up[first]) {
    int c = run.first;
    for (; c + 2 * width <= run.last; c += 2 * width) inward_through<laws, 2>(first, last, c);
    if (c < run.last) inward_through<laws, 1>(first, last, c);
  }
}
template void MotionSlopes::chain_inward<true>(int, int);
template void MotionSlopes::chain_inward<false>(int, int);

template <bool laws, int G>
void MotionSlopes::inward_through(int first, int last, int c) {
  const int parent = plan_.links[first].parent;
  double* const P = inward(last);
  double* const to = parent < 0 ? nullptr : inward(parent);
  int d = last;
  while (!flow_.there[d][c / width] && !flow_.there[d][c / width + G - 1]) --d;
  LaneVector n[G], f[G];
  for (int g = 0; g < G; ++g) {
    n[g] = load_vector(P + 6 * (c + g * width));
    f[g] = load_vector(P + 6 * (c + g * width) + 3 * width);
  }
  for (; d >= first; --d) {
    const SlopeHinge& j = links_.hinge(d);
    const int p = plan_.links[d].p0, own = SlopePlan::by_q(p) / width - c / width;
    double* const W = row(p) + c;
    Lanes x[G];
    for (int g = 0; g < G; ++g) {
      if constexpr (laws)
        if (flow_.staged[d] >= 0) {
          const double* const acts = staged(plan_.links[d].link) + 6 * (c + g * width);
          n[g] = n[g] + load_vector(acts);
          f[g] = f[g] + load_vector(acts + 3 * width);
        }
      Lanes t = dot(j.phi, n[g]);
      if constexpr (laws) t -= load(W + g * width);
      x[g] = -j.Di * t;
      n[g] = n[g] + j.Un * x[g];
      f[g] = f[g] + j.Uf * x[g];
      n[g] = n[g] + cross(j.r, f[g]);
    }
    for (int g = 0; g < G; ++g) {
      if (g == own) {
        const OwnHinge& added = own_hinges_[d - first];
        const int column = SlopePlan::by_q(p);
        x[g] += in_group(column, added.x);
        n[g] = n[g] + in_group(column, added.n);
        f[g] = f[g] + in_group(column, added.f);
      }
      put(W + g * width, x[g]);
    }
  }
  for (int g = 0; g < G; ++g) {
    double* const at = P + 6 * (c + g * width);
    put_vector(at, to == P ? n[g] : LaneVector{});
    put_vector(at + 3 * width, to == P ? f[g] : LaneVector{});
    if (!to || to == P) continue;
    double* const sum = to + 6 * (c + g * width);
    put_vector(sum, load_vector(sum) + n[g]);
    put_vector(sum + 3 * width, load_vector(sum + 3 * width) + f[g]);
  }
}

void MotionSlopes::chain_outward(int first, int last) {
  const int own0 = SlopePlan::by_q(plan_.links[first].p0),
            own1 = SlopePlan::by_q(plan_.links[last].p0);
  for (const ColumnRun& run : flow_.down[first]) {
    for (int c = run.first; c < run.last;) {
      const bool both = c + 2 * width <= run.last;
      const int next = c + (both ? 2 : 1) * width;
      const bool turned = run.turned || (own0 < next && own1 >= c);
      if (both)
        turned ? outward_through<true, 2>(first, last, c)
               : outward_through<false, 2>(first, last, c);
      else
        turned ? outward_through<true, 1>(first, last, c)
               : outward_through<false, 1>(first, last, c);
      c = next;
    }
  }
}

template <bool turned, int G>
void MotionSlopes::outward_through(int first, int last, int c) {
  const int parent = plan_.links[first].parent;
  const double* const from = parent < 0 ? nothing_.data() : outward(parent);
  MovingGroup x[G];
  for (int g = 0; g < G; ++g) x[g] = load_moving(from, c + g * width);
  for (int d = first; d <= last; ++d) {
    const SlopeHinge& j = links_.hinge(d);
    const int p = plan_.links[d].p0;
    double* const W = row(p) + c;
    for (int g = 0; g < G; ++g) {
      const Lanes before = flow_.there[d][c / width + g] ? load(W + g * width) : Lanes{};
      put(W + g * width, accelerate_hinge<turned>(j, before, x[g]));
    }
    if constexpr (turned) {
      const int column = SlopePlan::by_q(p), own = column / width - c / width;
      for (int g = 0; g < G; ++g) {
        if (g != own) continue;
        const SlopeColumn& by = links_.column(p);
        x[g].a = x[g].a + in_group(column, both(by.by_q.n, by.by_v.n));
        x[g].b = x[g].b + in_group(column, both(by.by_q.f, by.by_v.f));
        x[g].o = x[g].o + in_group(column, both(by.o, by.phi));
      }
    }
  }
  if (!flow_.has_children[last]) return;
  for (int g = 0; g < G; ++g) put_moving(outward(last), c + g * width, x[g]);
}

}  // namespace cartan::mechanics
