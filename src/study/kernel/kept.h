// What is kept of every run, gathered while it goes: study/kept_values.cpp, lane by lane.
// Generated:
//   Kept<K>::kind, time, event, value(t, x, p, c)      the quantities
#pragma once

enum {
  kept_final,
  kept_max,
  kept_min,
  kept_mean,
  kept_rms,
  kept_integral,
  kept_at,
  kept_event,
  kept_count
};

struct Track {
  V last, before, gap, best, sum, carry;
  M taken, undefined;
};

template <int K, class Run>
struct KeptOne {
  typedef Kept<K> Q;
  static const bool extreme = Q::kind == kept_max || Q::kind == kept_min;
  static const bool integral =
      Q::kind == kept_mean || Q::kind == kept_rms || Q::kind == kept_integral;

  LANE_INLINE V value(Run& run, V t, const V* x) { return Q::value(t, x, run.p, run.c); }

  LANE_INLINE void begin(Run& run, M m, Track& track) {
    const V zero = lane_number(0.0);
    track.before = lane_select(m, zero, track.before);
    track.gap = lane_select(m, zero, track.gap);
    track.sum = lane_select(m, zero, track.sum);
    track.carry = lane_select(m, zero, track.carry);
    track.undefined = track.undefined & lane_not(m);
    track.taken = track.taken & lane_not(m);
    const M now = lane_truth(extreme || integral || (Q::kind == kept_at && Q::time() <= 0)) & m;
    if (!run_any(now)) return;
    const V first = value(run, run.t, run.x);
    track.last = lane_select(now, first, track.last);
    track.best = lane_select(now, first, track.best);
    track.undefined = track.undefined | (now & lane_not(lane_finite(first)));
    if (Q::kind == kept_at) track.taken = track.taken | now;
  }

#if LANE_DENSE
  // At a time inside the last step.
  LANE_INLINE V inside(Run& run, V t, M m) {
    V x[LANE_STATES];
    run.look(t, x, m);
    return value(run, t, x);
  }

  // The step from run.steps.t0 to `end`, of the lanes in m.
  LANE_INLINE void take(Run& run, M m, V end, Track& track) {
    m = m & (end > run.steps.t0);
    if (Q::kind == kept_at) {
      const M now = m & lane_not(track.taken) & (lane_number(Q::time()) <= end);
      if (!run_any(now)) return;
      track.last = lane_select(now, inside(run, lane_number(Q::time()), m), track.last);
      track.taken = track.taken | now;
    }
    if (!(extreme || integral) || !run_any(m)) return;
    const V end_value = inside(run, end, m);
    if (extreme)
      take_extreme(run, m, end, end_value, track);
    else
      integrate(run, m, end, end_value, track);
    track.before = lane_select(m, track.last, track.before);
    track.last = lane_select(m, end_value, track.last);
    track.gap = lane_select(m, end - run.steps.t0, track.gap);
    track.undefined = track.undefined | (m & lane_not(lane_finite(end_value)));
  }

  LANE_INLINE M above(V a, V b) {
    return Q::kind == kept_max ? a > b : a < b;
  }

  LANE_INLINE void take_extreme(Run& run, M m, V end, V end_value, Track& track) {
    const V sign = lane_number(Q::kind == kept_max ? 1.0 : -1.0), t0 = run.steps.t0, h = end - t0;
    const V higher = lane_select(above(end_value, track.last), end_value, track.last);
    const V bend =
        lane_fabs((end_value - track.last) / h - (track.last - track.before) / track.gap) * h;
    const M below = (track.gap > lane_number(0.0)) &
                    lane_not(above(higher + sign * (lane_number(2.0) * bend), track.best));
    m = m & lane_not(below);
    if (!run_any(m)) return;
    track.best = lane_select(m & above(higher, track.best), higher, track.best);
    V g[5];
    g[0] = track.last;
    g[4] = end_value;
    for (int i = 1; i < 4; ++i) g[i] = inside(run, lane_fma(lane_number(0.25 * i), h, t0), m);
    V best = g[0], top = lane_number(0.0);
    for (int i = 1; i < 5; ++i) {
      track.undefined = track.undefined | (m & lane_not(lane_finite(g[i])));
      const M more = above(g[i], best);
      best = lane_select(more, g[i], best);
      top = lane_select(more, lane_number(double(i)), top);
    }
    const V three = lane_number(3.0), four = lane_number(4.0), zero = lane_number(0.0);
    const M at_start = top == zero, at_end = top == four;
    const M open_start = sign * (four * g[1] - three * g[0] - g[2]) > zero;
    const M open_end = sign * (four * g[3] - three * g[4] - g[2]) > zero;
    m = m & lane_not(at_start & lane_not(open_start)) & lane_not(at_end & lane_not(open_end));
    if (!run_any(m)) return;
    const V quarter = lane_number(0.25) * h, one = lane_number(1.0);
    const V left = lane_fma(lane_max(zero, top - one), quarter, t0);
    const V right = lane_select(top >= three, end, lane_fma(top + one, quarter, t0));
    const V peak = locate(run, m, left, right, sign);
    track.best = lane_select(m & above(peak, track.best), peak, track.best);
  }

  // Brent's search: parabolas through the three best points, golden sections where they fail.
  LANE_INLINE V locate(Run& run, M m, V left, V right, V sign) {
    const V golden = lane_number(0.3819660112501051), zero = lane_number(0.0);
    const V half = lane_number(0.5), tolerance = lane_number(1e-9) * (right - left);
    V a = left, b = right, x = lane_fma(golden, b - a, a), w = x, v = x;
    V fx = sign * inside(run, x, m), fw = fx, fv = fx, moved = zero, last = zero;
    for (int n = 0; n < 60; ++n) {
      const V middle = half * (a + b);
      const M done = (lane_fabs(x - middle) + half * (b - a) <= tolerance + tolerance) |
                     lane_not(lane_finite(fx));
      m = m & lane_not(done);
      if (!run_any(m)) break;
      const V r = (x - w) * (fx - fv), q0 = (x - v) * (fx - fw);
      V p = (x - v) * q0 - (x - w) * r, q = lane_number(2.0) * (q0 - r);
      p = lane_select(q > zero, -p, p);
      q = lane_fabs(q);
      const M parabola = (lane_fabs(last) > tolerance) &
                         (lane_fabs(p) < lane_fabs(half * q * last)) & (p > q * (a - x)) &
                         (p < q * (b - x));
      const V section = lane_select(x < middle, b - x, a - x);
      last = lane_select(parabola, moved, section);
      moved = lane_select(parabola, p / q, golden * section);
      const V least = lane_select(moved < zero, -tolerance, tolerance);
      const V u = x + lane_select(lane_fabs(moved) >= tolerance, moved, least);
      const V fu = sign * inside(run, u, m);
      const M better = m & (fu >= fx), worse = m & lane_not(fu >= fx), lower = u < x;
      // better: x becomes an end, u the best; worse: u becomes an end
      b = lane_select(better & lower, x, lane_select(worse & lane_not(lower), u, b));
      a = lane_select(better & lane_not(lower), x, lane_select(worse & lower, u, a));
      const M second = worse & ((fu >= fw) | (w == x));
      const M third = worse & lane_not(second) & ((fu >= fv) | (v == x) | (v == w));
      v = lane_select(better | second, w, lane_select(third, u, v));
      fv = lane_select(better | second, fw, lane_select(third, fu, fv));
      w = lane_select(better, x, lane_select(second, u, w));
      fw = lane_select(better, fx, lane_select(second, fu, fw));
      x = lane_select(better, u, x);
      fx = lane_select(better, fu, fx);
    }
    return sign * fx;
  }

  LANE_INLINE V power(V g) {
    return Q::kind == kept_rms ? g * g : g;
  }

  LANE_INLINE void integrate(Run& run, M m, V end, V end_value, Track& track) {
    const V t0 = run.steps.t0, h = end - t0;
    V mean = (power(track.last) + power(end_value)) / lane_number(20.0);
    for (int i = 0; i < 3; ++i) {
      const double place = i == 0 ? 0.17267316464601142810 : i == 1 ? 0.5 : 0.82732683535398857190;
      const V g = power(inside(run, lane_fma(lane_number(place), h, t0), m));
      mean = lane_fma(lane_number(i == 1 ? 16.0 / 45 : 49.0 / 180), g, mean);
    }
    const V part = lane_fma(h, mean, -track.carry), sum = track.sum + part;
    track.carry = lane_select(m, (sum - track.sum) - part, track.carry);
    track.sum = lane_select(m, sum, track.sum);
  }
#endif

  LANE_INLINE void take_event(Run& run, M m, int event, V t, const V* x, Track& track) {
    if (Q::event != event) return;
    if (Q::kind == kept_count) track.sum = lane_select(m, track.sum + lane_number(1.0), track.sum);
    if (Q::kind != kept_event) return;
    const M now = m & lane_not(track.taken);
    if (!run_any(now)) return;
    track.last = lane_select(now, value(run, t, x), track.last);
    track.taken = track.taken | now;
  }

  LANE_INLINE V result(Run& run, Track& track) {
    const V none = lane_number(lane_undefined), zero = lane_number(0.0);
    V result = none;
    if (Q::kind == kept_final) result = value(run, run.t, run.x);
    if (extreme) result = lane_select(track.undefined, none, track.best);
    if (integral) {
      const V mean = track.sum / run.t;
      V with = Q::kind == kept_integral ? track.sum : mean;
      V without = Q::kind == kept_integral ? track.sum : track.last;
      if (Q::kind == kept_rms) {
        with = lane_sqrt(lane_max(zero, mean));
        without = lane_fabs(track.last);
      }
      result = lane_select(track.undefined, none, lane_select(run.t > zero, with, without));
    }
    if (Q::kind == kept_at || Q::kind == kept_event)
      result = lane_select(track.taken, track.last, none);
    if (Q::kind == kept_count) result = track.sum;
    return lane_select(lane_finite(result), result, none);
  }
};

// All of them, one after the other.
template <int K, class Run>
struct KeptFrom {
  typedef KeptOne<K, Run> One;
  typedef KeptFrom<K + 1, Run> Rest;
  LANE_INLINE void begin(Run& run, M m) {
    One::begin(run, m, run.tracks[K]);
    Rest::begin(run, m);
  }
#if LANE_DENSE
  LANE_INLINE void take(Run& run, M m, V end) {
    One::take(run, m, end, run.tracks[K]);
    Rest::take(run, m, end);
  }
#endif
  LANE_INLINE void take_event(Run& run, M m, int event, V t, const V* x) {
    One::take_event(run, m, event, t, x, run.tracks[K]);
    Rest::take_event(run, m, event, t, x);
  }
  LANE_INLINE void finish(Run& run, M m) {
    run.row[K] = lane_select(m, One::result(run, run.tracks[K]), run.row[K]);
    Rest::finish(run, m);
  }
};
template <class Run>
struct KeptFrom<LANE_KEPT, Run> {
  LANE_INLINE void begin(Run&, M) {}
#if LANE_DENSE
  LANE_INLINE void take(Run&, M, V) {}
#endif
  LANE_INLINE void take_event(Run&, M, int, V, const V*) {}
  LANE_INLINE void finish(Run&, M) {}
};
