// Constraints: mechanics/constraints/projection.cpp, mechanics/tree/tree_constraints.cpp, lane by
// lane.
#pragma once

struct RunRows : RunState {
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
    RunState& run;
    V t;
    V* y;
    V found[LANE_PROJECTED];

    LANE_MEMBER void look() { lane_projected(t, y, run.p, run.c, found); }
    LANE_MEMBER V result(int i) const { return found[i]; }
    LANE_MEMBER void take(M position, M speed) {
      LANE_EACH(LANE_POSITIONS, i, y[i], lane_select(position, found[LANE_MOVED + i], y[i]));
      LANE_EACH(LANE_SPEEDS, i, y[LANE_POSITIONS + i],
                lane_select(speed, found[LANE_CHANGED + i], y[LANE_POSITIONS + i]));
    }
    LANE_MEMBER M put_driven(M m) {
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
    RunState& run;
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
};
