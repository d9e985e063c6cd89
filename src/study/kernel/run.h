// Runs side by side: the loop of integrate/simulate.cpp with one run per lane. Each lane has its
// own time, length of step and end; nothing a lane computes depends on its neighbours. A lane that
// meets what is not provided for here (a step that fails, an event that cannot be located,
// constraints that come close to losing rank) gives up, and `reference` computes that run.
#pragma once

enum { run_completed = 0, run_stopped = 1, run_given_up = 2 };

struct Runs {
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
  typedef KeptFrom<0, Runs> AllKept;

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

  // Lanes in m begin a run: p is there, and x where starts are given.
  LANE_MEMBER_APART void begin(M m, bool started) {
    V constants[LANE_CONSTANTS > 0 ? LANE_CONSTANTS : 1], start[LANE_STATES], settings[3];
    const V zero = lane_number(0.0);
    lane_prepare(zero, x, p, c, constants);
    LANE_UNROLL
    for (int i = 0; i < LANE_CONSTANTS; ++i) c[i] = lane_select(m, constants[i], c[i]);
    team_keep(p, c);
    lane_start(zero, x, p, c, start);
    lane_settings(zero, x, p, c, settings);
    if (!started) {
      LANE_UNROLL
      for (int i = 0; i < LANE_STATES; ++i) x[i] = lane_select(m, start[i], x[i]);
    }
    const V duration = LANE_HAS_DURATION ? settings[0] : lane_number(LANE_DURATION);
    const V length = LANE_HAS_STEP ? settings[1] : lane_number(LANE_STEP);
    t = lane_select(m, zero, t);
    t_end = lane_select(m, duration, t_end);
    step = lane_select(m, length, step);
    V allowed = lane_number(LANE_TOLERANCE);
    if (LANE_HAS_TOLERANCE) allowed = lane_select(settings[2] == zero, allowed, settings[2]);
    tolerance = lane_select(m, allowed, tolerance);
    const V ratio = duration / length;
    const V slack = lane_number(4 * 0x1p-52) * lane_max(ratio, lane_number(1.0));
    const V whole = lane_floor(ratio + slack);
    const M rest = ratio - whole > slack;
    count = lane_select(m, lane_select(rest, whole + lane_number(1.0), whole), count);
    short_rest = (short_rest & lane_not(m)) | (rest & m);
    done = lane_select(m, zero, done);
    steps.restart(m);
    const M good = (duration >= zero) & lane_finite(duration) & (length > zero) &
                   lane_finite(length) & steps.is_finite(x) & (ratio < lane_number(1e15)) &
                   (tolerance >= zero) & (tolerance < lane_number(1.0));
    failed = (failed & lane_not(m)) | (m & lane_not(good));
    stopped = stopped & lane_not(m);
    busy = (busy & lane_not(m)) | (m & good);
#if LANE_ROWS > 0
    choose_below = lane_select(m, lane_number(1e-3), choose_below);
    chosen = chosen & lane_not(m);
#endif
#if LANE_EVENTS > 0
    V g[LANE_EVENTS];
    lane_events(t, x, p, c, g);
    for (int e = 0; e < LANE_EVENTS; ++e) {
      g_start[e] = lane_select(m, g[e], g_start[e]);
      side[e] = lane_select(m, lane_sign(g[e]), side[e]);
      give_up(m & lane_not(g[e] == g[e]));
    }
#endif
    AllKept::begin(*this, m);
    finish(m & busy & (t_end <= zero));
#if LANE_TEAM_STAGES
    team_put(m, x);
#endif
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

#if LANE_TEAM_STAGES

  // One step of every busy lane. The state is with the team until a run is over.
  LANE_MEMBER_APART void advance() {
    V h;
    const V t_next = next_step(h);
    team_step(t, h);
    M made = busy & team_is_finite();
    give_up(busy & lane_not(made));
#if LANE_ROWS > 0
    watch_rows(made, team_result(LANE_STATES));
    TeamState state = {*this, t_next};
    M moved = lane_truth(false);
    project(made, state, moved);
    made = made & busy;
#endif
    t = lane_select(made, t_next, t);
    done = lane_select(made, done + lane_number(1.0), done);
    const M over = made & (done >= count);
    if (!run_any(over)) return;
    team_fetch(x);
    finish(over);
  }

#else

  // One step, or one attempt at a step, of every busy lane.
  LANE_MEMBER_APART void advance() {
#if LANE_CONTROLLED
    M stuck;
    M made = steps.controlled(busy, t, x, t_end, tolerance, p, c, stuck);
    give_up(stuck);
#else
    V h;
    const V t_next = next_step(h);
#if LANE_GAUSS
    M made = steps.fixed(busy, t, x, h, t_next, tolerance, p, c);
#else
    M made = steps.fixed(busy, t, x, h, t_next, p, c);
#endif
    give_up(busy & lane_not(made));
#endif
#if LANE_DENSE
    LANE_EACH(LANE_STATES, i, end[i], steps.x1[i])
#else
    end = steps.x1;
#endif
#if LANE_ROWS > 0
    watch_rows(made, steps.k[0][LANE_STATES]);
    M moved = lane_truth(false);
    StateOfRun state = {*this, steps.t1, end};
    project(made, state, moved);
    made = made & busy;
#endif
    V t_last = steps.t1;
#if LANE_EVENTS > 0
    take_events(made, t_last);
    made = made & busy;
#endif
#if LANE_DENSE
    AllKept::take(*this, made, t_last);
#endif
    LANE_EACH(LANE_STATES, i, x[i], lane_select(made, end[i], x[i]))
    t = lane_select(made, t_last, t);
#if LANE_ROWS > 0
    steps.moved(moved);  // slopes at the end of the step are those before projection
#endif
#if LANE_CONTROLLED
    finish(made & (stopped | (t >= t_end)));
#else
    done = lane_select(made, done + lane_number(1.0), done);
    finish(made & (stopped | (done >= count)));
#endif
  }

#endif

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

  // ---- constraints: mechanics/constraints/projection.cpp, mechanics/tree/tree_constraints.cpp

#if LANE_ROWS > 0
  // Active rows that come close to being dependent: `reference` looks for better ones.
  LANE_MEMBER void watch_rows(M m, V pivot) {
    choose_below = lane_select(m & (pivot > lane_number(1e-2)), lane_number(1e-3), choose_below);
    const M weak = m & lane_not(pivot >= choose_below);
    give_up(weak & chosen);
    choose_below = lane_select(weak, lane_number(0.1) * pivot, choose_below);
    chosen = chosen | m;
  }

  // A state that is projected: numbers of this thread, or those of its team. look() has the way
  // back computed and tells the violations, take() goes it.
  struct StateOfRun {
    Runs& run;
    V t;
    V* y;
    V found[LANE_PROJECTED];

    LANE_MEMBER void look() { lane_projected(t, y, run.p, run.c, found); }
    LANE_MEMBER V result(int i) const { return found[i]; }
    LANE_MEMBER void take(M position, M speed){
        LANE_EACH(LANE_POSITIONS, i, y[i], lane_select(position, found[LANE_MOVED + i], y[i]))
            LANE_EACH(LANE_SPEEDS, i, y[LANE_POSITIONS + i],
                      lane_select(speed, found[LANE_CHANGED + i],
                                  y[LANE_POSITIONS + i]))} LANE_MEMBER M put_driven(M m) {
      V other[LANE_STATES];
      M changed = lane_truth(false);
      LANE_EACH(LANE_STATES, i, other[i], y[i])
      lane_put_driven(t, other, run.p, run.c);
      for (int i = 0; i < LANE_STATES; ++i) {
        changed = changed | (m & (other[i] != y[i]));
        y[i] = lane_select(m, other[i], y[i]);
      }
      return changed;
    }
  };
#if LANE_TEAM_STAGES
  struct TeamState {
    Runs& run;
    V t;

    LANE_MEMBER void look() { lane_projected_here(t); }
    LANE_MEMBER V result(int i) const { return team_result(i); }
    LANE_MEMBER void take(M position, M speed) { team_change(position, speed); }
    LANE_MEMBER M put_driven(M m) {
      team_fetch(run.x);
      lane_put_driven(t, run.x, run.p, run.c);
      team_put(m, run.x);
      return m;
    }
  };
#endif

  // The largest of LANE_ROWS results.
  template <class State>
  LANE_MEMBER V largest(const State& state, int first) const {
    V values[LANE_ROWS], most = lane_number(0.0);
    LANE_UNROLL
    for (int r = 0; r < LANE_ROWS; ++r) values[r] = state.result(first + r);
    LANE_UNROLL
    for (int r = 0; r < LANE_ROWS; ++r) {
      const V size = lane_select(lane_finite(values[r]), lane_fabs(values[r]), lane_infinity());
      most = lane_max(most, size);
    }
    return most;
  }

  // Back to the constraints with the smallest mass-weighted change, lanes in m. Newton's method
  // leaves about the square of a violation: of a billionth of the size that the goal (a few units
  // of the last place) is measured with, nothing but rounding. So lanes that are that close are
  // there after one change of positions and, as its equations are linear, one of speeds, for which
  // the same matrices serve. `reference` goes on until rounding gets no smaller.
  template <class State>
  LANE_MEMBER_APART void project(M m, State& state, M& moved) {
#if LANE_DRIVEN
    moved = moved | state.put_driven(m);
#endif
    M open = m;
    for (int k = 0; k < 6 && run_any(open); ++k) {
      state.look();
      const V position = largest(state, 0), position_goal = state.result(LANE_ROWS);
      const V speed = largest(state, LANE_ROWS + 1), speed_goal = state.result(2 * LANE_ROWS + 1);
      const M close = open & (position <= lane_number(1e6) * position_goal);
      const M moves = open & (position > position_goal), changes = close & (speed > speed_goal);
      if (run_any(moves | changes)) state.take(moves, changes);
      moved = moved | moves | changes;
      open = open & lane_not(close);
    }
    give_up(open);
  }
#endif

  // ---- events: integrate/events.cpp

#if LANE_EVENTS > 0
  LANE_MEMBER V dense_value(int e, V theta, M m) {
    V y[LANE_STATES], g[LANE_EVENTS];
    steps.dense(theta, y, p, c, m);
    lane_events(lane_fma(theta, steps.h0, steps.t0), y, p, c, g);
    return g[e];
  }
  LANE_MEMBER M step_again(M m, V h, V* y) {
#if LANE_GAUSS
    return steps.again(m, h, y, tolerance, p, c);
#else
    return steps.again(m, h, y, p, c);
#endif
  }
  // At the end of a real step of that length.
  LANE_MEMBER V true_value(int e, V theta, M m) {
    V y[LANE_STATES], g[LANE_EVENTS];
    const V h = theta * steps.h0;
    step_again(m, h, y);
    lane_events(steps.t0 + h, y, p, c, g);
    const V inside = lane_select(theta <= lane_number(0.0), g_start[e], g[e]);
    return lane_select(theta >= lane_number(1.0), g_end[e], inside);
  }
  LANE_MEMBER V resolution() const {
    const V epsilon = lane_number(0x1p-52);
    return lane_max(epsilon,
                    epsilon * lane_max(lane_fabs(steps.t0), lane_fabs(steps.t1)) / steps.h0);
  }

  LANE_MEMBER V dense_root(int e, V left, V right, V after, M m) {
    const V zero = lane_number(0.0), half = lane_number(0.5);
    V fl = dense_value(e, left, m), fr = dense_value(e, right, m), root = right, kept = zero;
    const M at_left = fl * after >= zero, at_right = fr * after <= zero;
    root = lane_select(at_left, left, right);
    M open = m & lane_not(at_left | at_right);
    const M searched = open;
    for (int n = 0; n < 100; ++n) {
      open = open & (right - left > lane_number(1e-12));
      if (!run_any(open)) break;
      const V middle = (left * fr - right * fl) / (fr - fl);
      const V f = dense_value(e, middle, m);
      const M hit = open & (f == zero), up = open & (f * after > zero);
      const M down = open & lane_not(hit | up);
      left = lane_select(hit | down, middle, left);
      right = lane_select(hit | up, middle, right);
      fl = lane_select(up & (kept == lane_number(-1.0)), half * fl, lane_select(down, f, fl));
      fr = lane_select(down & (kept == lane_number(1.0)), half * fr, lane_select(up, f, fr));
      kept = lane_select(up, lane_number(-1.0), lane_select(down, lane_number(1.0), kept));
      open = open & lane_not(hit);
    }
    const V nearer = lane_select(lane_fabs(fl) < lane_fabs(fr), left, right);
    return lane_select(searched, nearer, root);
  }

  // Secant method with real steps. Which lanes have found their root.
  LANE_MEMBER M polish(int e, V after, M m, V& theta) {
    const V zero = lane_number(0.0), one = lane_number(1.0), small = lane_number(1e-4);
    const V low = lane_max(zero, theta - small), high = lane_min(one, theta + small);
    V slope = (dense_value(e, high, m) - dense_value(e, low, m)) / (high - low);
    V f = true_value(e, theta, m);
    M open = m, found = lane_truth(false);
    for (int n = 0; n < 8; ++n) {
      open = open & (slope * after > zero);
      found = found | (open & (f == zero));
      open = open & lane_not(f == zero);
      const V next = theta - f / slope;
      open = open & (next >= zero) & (next <= one);
      const V change = lane_fabs(next - theta), finest = resolution();
      found = found | (open & (change <= finest));
      open = open & lane_not(change <= finest);
      if (!run_any(open)) break;
      const V f_next = true_value(e, next, m);
      open = open & lane_finite(f_next);
      const M flat = open & (lane_fabs(f_next) >= lane_fabs(f));
      found = found | (flat & (change <= lane_number(8.0) * finest));
      open = open & lane_not(flat);
      slope = lane_select(open, (f_next - f) / (next - theta), slope);
      theta = lane_select(open, next, theta);
      f = lane_select(open, f_next, f);
    }
    return found;
  }

  // Three samples on one side with the middle one lowest: whether the function dips below zero.
  LANE_MEMBER M find_dip(int e, V s, const V* theta, V ga, V gb, V gc, M m) {
    V a = theta[0], b = theta[1], cc = theta[2], fa = s * ga, fb = s * gb, fc = s * gc;
    m = m & (fa > fb) & (fc > fb);
    M found = lane_truth(false);
    for (int n = 0; n < 8 && run_any(m); ++n) {
      const V p0 = (b - a) * (fb - fc), q0 = (b - cc) * (fb - fa);
      const V bottom = b - lane_number(0.5) * ((b - a) * p0 - (b - cc) * q0) / (p0 - q0);
      m = m & (bottom > a) & (bottom < cc) & (lane_fabs(bottom - b) >= lane_number(1e-9));
      const V f = s * dense_value(e, bottom, m);
      found = found | (m & (f < lane_number(0.0)));
      m = m & lane_not(f < lane_number(0.0));
      const M left = bottom < b, lower = f < fb;
      const M to_c = (lower & left) | (lane_not(lower) & lane_not(left));
      const V edge = lane_select(lower, b, bottom), fedge = lane_select(lower, fb, f);
      cc = lane_select(to_c, edge, cc);
      fc = lane_select(to_c, fedge, fc);
      a = lane_select(to_c, a, edge);
      fa = lane_select(to_c, fa, fedge);
      b = lane_select(lower, bottom, b);
      fb = lane_select(lower, f, fb);
    }
    return found;
  }

  // Events inside the last step, in lanes of m. One that stops a run cuts its step.
  LANE_MEMBER_APART void take_events(M m, V& t_last) {
    const double places[7] = {0, 1.0 / 1024, 0.25, 0.5, 0.75, 1 - 1.0 / 1024, 1};
    V g[7][LANE_EVENTS], length[LANE_EVENTS];
    M crossed[LANE_EVENTS];
    for (int e = 0; e < LANE_EVENTS; ++e) g[0][e] = g_start[e];
    for (int j = 1; j < 6; ++j) {
      V y[LANE_STATES];
      steps.dense(lane_number(places[j]), y, p, c, m);
      lane_events(lane_fma(lane_number(places[j]), steps.h0, steps.t0), y, p, c, g[j]);
    }
    lane_events(steps.t1, end, p, c, g[6]);
    for (int e = 0; e < LANE_EVENTS; ++e) g_end[e] = g[6][e];
    const V zero = lane_number(0.0);
    for (int e = 0; e < LANE_EVENTS; ++e) {
      crossed[e] = lane_truth(false);
      length[e] = zero;
      V known = zero;
      for (int j = 1; j < 7; ++j) {
        give_up(m & lane_not(g[j][e] == g[j][e]));
        const V s = lane_sign(g[j][e]);
        if (j < 6) {
          const V theta[3] = {lane_number(places[j - 1]), lane_number(places[j]),
                              lane_number(places[j + 1])};
          const M same = m & (side[e] != zero) & (s == side[e]);
          give_up(find_dip(e, s, theta, g[j - 1][e], g[j][e], g[j + 1][e], same));
        }
        const int direction = lane_event_direction(e);
        M now = m & busy & (s != zero) & (side[e] != zero) & (s != side[e]);
        if (direction != 0) now = now & (s == lane_number(double(direction)));
        if (run_any(now)) {
          give_up(now & crossed[e]);  // twice in one step
          V theta = dense_root(e, known, lane_number(places[j]), s, now);
          const M found = polish(e, s, now, theta) & (theta >= known - lane_number(0.05)) &
                          (theta <= lane_number(places[j] + 0.05));
          give_up(now & lane_not(found));
          length[e] = lane_select(now, theta * steps.h0, length[e]);
          crossed[e] = crossed[e] | now;
        }
        side[e] = lane_select(m & (s != zero), s, side[e]);
        known = lane_select(s != zero, lane_number(places[j]), known);
      }
    }
    m = m & busy;
    V cut = lane_infinity();
    for (int e = 0; e < LANE_EVENTS; ++e)
      if (lane_event_stops(e))
        cut = lane_select(m & crossed[e] & (length[e] < cut), length[e], cut);
    for (int e = 0; e < LANE_EVENTS; ++e) {
      const M now = m & busy & crossed[e] & (length[e] <= cut);
      if (!run_any(now)) continue;
      V at[LANE_STATES];
      const M whole = length[e] >= steps.h0;
      const V t_event = lane_select(whole, steps.t1, lane_min(steps.t0 + length[e], steps.t1));
      const M there = step_again(now, length[e], at) | whole;
      give_up(now & lane_not(there));
      for (int i = 0; i < LANE_STATES; ++i)
        at[i] = lane_select(whole, end[i], lane_select(length[e] <= zero, steps.x0[i], at[i]));
#if LANE_ROWS > 0
      M moved = lane_truth(false);
      StateOfRun state = {*this, t_event, at};
      project(now & busy, state, moved);
#endif
      AllKept::take_event(*this, now & busy, e, t_event, at);
      if (!lane_event_stops(e)) continue;
      const M over = now & busy & (length[e] <= cut);
      for (int i = 0; i < LANE_STATES; ++i) end[i] = lane_select(over, at[i], end[i]);
      t_last = lane_select(over, t_event, t_last);
      stopped = stopped | over;
    }
    for (int e = 0; e < LANE_EVENTS; ++e) g_start[e] = lane_select(m, g_end[e], g_start[e]);
  }
#endif
};

// ------------------------------------------------------------------------------------------- entry

#if !defined(__CUDACC__)

struct LaneJob {
  long count;
  const double* inputs;  // run after run
  const double* starts;  // the same, or null
  double* results;       // run after run
  unsigned char* outcomes;
  const volatile bool* stop;  // looked at now and then
};

// Runs are handed to lanes as these become free. False: stopped before the end.
extern "C" bool lane_compute(const LaneJob* job) {
  alignas(64) Runs runs;
  long place[CARTAN_LANES];

  runs.clear();
  for (int l = 0; l < CARTAN_LANES; ++l) place[l] = -1;
  long next = 0;
  for (long round = 0;; ++round) {
    M fresh = lane_truth(false);
    bool any_fresh = false, any_left = false;
    for (int l = 0; l < CARTAN_LANES; ++l) {
      if (lane_is(runs.busy, l)) {
        any_left = true;
        continue;
      }
      if (place[l] >= 0) {
        const bool failed = lane_is(runs.failed, l);
        job->outcomes[place[l]] = failed                     ? run_given_up
                                  : lane_is(runs.stopped, l) ? run_stopped
                                                             : run_completed;
        for (int k = 0; k < LANE_KEPT; ++k)
          job->results[place[l] * LANE_KEPT + k] = lane_get(runs.row[k], l);
        place[l] = -1;
      }
      if (next >= job->count) continue;
      place[l] = next++;
      for (int k = 0; k < LANE_INPUTS; ++k)
        lane_put(runs.p[k], l, job->inputs[place[l] * LANE_INPUTS + k]);
      if (job->starts)
        for (int i = 0; i < LANE_STATES; ++i)
          lane_put(runs.x[i], l, job->starts[place[l] * LANE_STATES + i]);
      lane_set(fresh, l, true);
      any_fresh = true;
    }
    if (any_fresh) {
      runs.begin(fresh, job->starts != nullptr);
      continue;  // a run of length zero is over
    }
    if (!any_left) return true;
    if (round % 64 == 0 && job->stop && *job->stop) return false;
    runs.advance();
  }
}

#else

#ifndef LANE_BLOCKS
#define LANE_BLOCKS 1  // of threads, at least so many on a multiprocessor
#endif

#if LANE_TEAM

// What the other roles do: what they are asked for.
LANE_INLINE void team_serve() {
  double *const near_rows = team_near(), *const far_rows = team_far();
  const int role = team_role();
  for (;;) {
    __syncthreads();
    const int which = team_wish();
    if (which < 0) return;
#if LANE_TEAM_STAGES
    if (which == team_step_number) {
      lane_step_role(TEAM_PLACE_HERE, role);
      continue;
    }
    if (which == team_change_number) {
      team_change_role(TEAM_PLACE_HERE, role);
      continue;
    }
#endif
    lane_team_work(TEAM_PLACE_HERE, which, role, TEAM_TIME);
  }
}

// A team computes its runs together and goes on to the next ones.
extern "C" __global__ void __launch_bounds__(team_threads, 1)
    lane_compute(SampleDesign design, const SampleBits* numbers, long long count,
                 const double* starts, double* results, unsigned char* outcomes, double* memory) {
  team_open(memory);
  if (!team_leads()) return team_serve();
  for (long long first = (long long)blockIdx.x * team_lanes; first < count;
       first += (long long)gridDim.x * team_lanes) {
    const long long i = first + team_lane();
    const bool mine = i < count;
    Runs runs;
    runs.clear();
    if (mine) {
      for (int k = 0; k < LANE_INPUTS; ++k) runs.p[k] = sample_input(design, k, numbers[i]);
      if (starts)
        for (int k = 0; k < LANE_STATES; ++k) runs.x[k] = starts[i * LANE_STATES + k];
    }
    runs.begin(mine, starts != nullptr);
    while (run_any(runs.busy)) runs.advance();
    if (mine) {
      outcomes[i] = runs.failed ? run_given_up : runs.stopped ? run_stopped : run_completed;
      for (int k = 0; k < LANE_KEPT; ++k) results[i * LANE_KEPT + k] = runs.row[k];
    }
  }
  team_close();
}

#else

// One thread per run, whose inputs are made here from its number.
extern "C" __global__ void __launch_bounds__(LANE_THREADS, LANE_BLOCKS)
    lane_compute(SampleDesign design, const SampleBits* numbers, long long count,
                 const double* starts, double* results, unsigned char* outcomes) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  Runs runs;
  runs.clear();
  LANE_UNROLL
  for (int k = 0; k < LANE_INPUTS; ++k) runs.p[k] = sample_input(design, k, numbers[i]);
  if (starts)
    for (int k = 0; k < LANE_STATES; ++k) runs.x[k] = starts[i * LANE_STATES + k];
  runs.begin(true, starts != nullptr);
  while (runs.busy) runs.advance();
  outcomes[i] = runs.failed ? run_given_up : runs.stopped ? run_stopped : run_completed;
  for (int k = 0; k < LANE_KEPT; ++k) results[i * LANE_KEPT + k] = runs.row[k];
}

#endif
#endif
