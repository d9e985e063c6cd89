// Events: integrate/events.cpp, lane by lane. A lane whose event cannot be located gives up.
#pragma once

struct RunEvents : RunRows {
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
