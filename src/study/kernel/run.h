// Runs side by side: the loop of integrate/run/simulation_run.cpp with one run per lane. Each lane
// has its own time, length of step and end; nothing a lane computes depends on its neighbours. A
// lane that meets what is not provided for here (a step that fails, an event that cannot be
// located, constraints that come close to losing rank) gives up, and `reference` computes that run.
#pragma once

struct Runs : RunEvents {
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
};
