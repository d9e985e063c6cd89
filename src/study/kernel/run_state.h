// A run per lane: its state, its method, what is kept of it. Nothing a lane computes depends on its
// neighbours. What is done with it is told by structs that derive from this one:
//   run_rows.h    constraints
//   run_events.h  events
//   run.h         begin and steps
//   run_entry.h   who calls: a thread of a processor, threads and teams of a GPU
#pragma once

enum { run_completed = 0, run_stopped = 1, run_given_up = 2 };

struct RunState {
#if LANE_GAUSS
  GaussSteps steps;
#else
  ExplicitSteps steps;
#endif
  V t, t_end, step, count, done, tolerance;
  M short_rest;  // the last step is shorter
  V x[LANE_STATES];
#if LANE_DENSE
  V end[LANE_STATES];  // of the last step, after projection
#else
  V* end;  // that of the step itself
#endif
  V p[LANE_INPUTS > 0 ? LANE_INPUTS : 1], c[LANE_CONSTANTS > 0 ? LANE_CONSTANTS : 1];
  Track tracks[LANE_KEPT];
  V row[LANE_KEPT];
  M busy, failed, stopped;
#if LANE_ROWS > 0
  V choose_below;
  M chosen;  // rows were looked at since the start
#endif
#if LANE_EVENTS > 0
  V side[LANE_EVENTS], g_start[LANE_EVENTS], g_end[LANE_EVENTS];
#endif
  typedef KeptFrom<0, RunState> AllKept;

  LANE_MEMBER void clear() {
    const M none = lane_truth(false);
    const V zero = lane_number(0.0);
    busy = failed = stopped = short_rest = none;
    t = t_end = step = count = done = tolerance = zero;
    LANE_UNROLL
    for (int i = 0; i < LANE_STATES; ++i) x[i] = zero;
    LANE_UNROLL
    for (int i = 0; i < (LANE_INPUTS > 0 ? LANE_INPUTS : 1); ++i) p[i] = zero;
    LANE_UNROLL
    for (int i = 0; i < (LANE_CONSTANTS > 0 ? LANE_CONSTANTS : 1); ++i) c[i] = zero;
    LANE_UNROLL
    for (int k = 0; k < LANE_KEPT; ++k) {
      tracks[k].taken = tracks[k].undefined = none;
      tracks[k].last = tracks[k].before = tracks[k].gap = tracks[k].best = zero;
      tracks[k].sum = tracks[k].carry = row[k] = zero;
    }
#if LANE_ROWS > 0
    choose_below = zero;
    chosen = none;
#endif
#if LANE_EVENTS > 0
    for (int e = 0; e < LANE_EVENTS; ++e) side[e] = g_start[e] = g_end[e] = zero;
#endif
    steps.clear();
  }

  LANE_MEMBER void give_up(M m) {
    failed = failed | (m & busy);
    busy = busy & lane_not(m);
  }

  // The results of lanes that are through.
  LANE_MEMBER void finish(M m) {
    if (!run_any(m)) return;
    AllKept::finish(*this, m);
    busy = busy & lane_not(m);
  }

  // Of steps of fixed length: where the next one ends, and its length.
  LANE_MEMBER V next_step(V& h) const {
    const V next = done + lane_number(1.0);
    const M last = next >= count;
    const V t_next = lane_select(last, t_end, next * step);
    h = lane_select(last & short_rest, t_next - t, step);
    return t_next;
  }

#if LANE_DENSE
  // The state inside the last step; at its end what projection left.
  LANE_MEMBER void look(V at, V* result, M m) {
    const V t0 = steps.t0, t1 = steps.t1;
    steps.dense((at - t0) / (t1 - t0), result, p, c, m);
    LANE_UNROLL
    for (int i = 0; i < LANE_STATES; ++i)
      result[i] = lane_select(at == t1, whole_end(i), result[i]);
  }
  // `end` holds the state at an event that stops the run; then no time equals t1.
  LANE_MEMBER V whole_end(int i) {
    return end[i];
  }
#endif
};
