// Gauss-Legendre steps of all lanes: stages by fixed-point iteration, each lane until its own are
// settled (integrate/gauss_legendre.cpp). A lane whose iteration is slow is left to `reference`,
// which has Newton's method. The tableau is generated: lane_gauss_a(i, j), lane_gauss_b(j),
// lane_gauss_c(i), and the integrals and values of the Lagrange polynomials at theta,
// lane_gauss_integral(j, theta), lane_gauss_value(j, theta).
#pragma once

struct GaussSteps {
  V t0, h0, t1;
  V x0[LANE_STATES], x1[LANE_STATES];
  V k[LANE_STAGES][LANE_RATE_SIZE];
  V low[LANE_STATES], low0[LANE_STATES];  // what rounding took from x: now, at the start
  M known;                                // the slopes of the last step are there
  enum { most_sweeps = 60 };

  LANE_MEMBER void clear() {
    known = lane_truth(false);
    t0 = h0 = t1 = lane_number(0.0);
    for (int n = 0; n < LANE_STATES; ++n) low[n] = lane_number(0.0);
    for (int i = 0; i < LANE_STAGES; ++i)
      for (int n = 0; n < LANE_RATE_SIZE; ++n) k[i][n] = lane_number(0.0);
  }
  LANE_MEMBER void restart(M m) {
    known = known & lane_not(m);
    moved(m);
  }
  LANE_MEMBER void moved(M m) {
    LANE_UNROLL
    for (int i = 0; i < LANE_STATES; ++i) low[i] = lane_select(m, lane_number(0.0), low[i]);
  }

  // z = x0 + h A K for the numbers [first, last); the largest relative change of a lane.
  LANE_MEMBER V fill_points(V h, V (*K)[LANE_RATE_SIZE], V (*z)[LANE_STATES], int first,
                            int last) const {
    V change = lane_number(0.0);
    for (int i = 0; i < LANE_STAGES; ++i)
      for (int n = first; n < last; ++n) {
        V sum = lane_gauss_a(i, 0) * K[0][n];
        for (int j = 1; j < LANE_STAGES; ++j) sum = lane_fma(lane_gauss_a(i, j), K[j][n], sum);
        const V point = x0[n] + lane_fma(h, sum, low0[n]);
        const V moved = lane_fabs(point - z[i][n]) / lane_max(lane_fabs(point), lane_number(1.0));
        change = lane_select(moved <= change, change, moved);  // keeps what is not a number
        z[i][n] = point;
      }
    return change;
  }

  // K of the lanes in m only: a settled lane stays what it is, whatever its neighbours do.
  LANE_MEMBER V relax_positions(M m, V h, V (*K)[LANE_RATE_SIZE], V (*z)[LANE_STATES], V t,
                                const V* p, const V* c) const {
#if LANE_POSITIONS > 0
    for (int i = 0; i < LANE_STAGES; ++i) {
      V rates[LANE_POSITIONS];
      lane_position_rates(lane_fma(lane_gauss_c(i), h, t), z[i], p, c, rates);
      for (int n = 0; n < LANE_POSITIONS; ++n) K[i][n] = lane_select(m, rates[n], K[i][n]);
    }
    return fill_points(h, K, z, 0, LANE_POSITIONS);
#else
    (void)m, (void)h, (void)K, (void)z, (void)t, (void)p, (void)c;
    return lane_number(0.0);
#endif
  }

  // The stages of a step of length h, from the guess in K; which lanes have settled.
  LANE_MEMBER_APART M solve(M busy, V h, V (*K)[LANE_RATE_SIZE], V t, V tolerance, const V* p,
                            const V* c) const {
    const V band = lane_number(100 * 0x1p-52);
    V z[LANE_STAGES][LANE_STATES];
    for (int i = 0; i < LANE_STAGES; ++i)
      for (int n = 0; n < LANE_STATES; ++n) z[i][n] = x0[n];
    fill_points(h, K, z, 0, LANE_STATES);
    M todo = busy, settled = lane_truth(false);
    V last = lane_infinity(), least = last, since = lane_number(0.0);
    V falls = lane_number(0.0);
    for (int sweep = 1; sweep <= most_sweeps && run_any(todo); ++sweep) {
      for (int i = 0; i < LANE_STAGES; ++i) {
        V rates[LANE_RATE_SIZE];
        lane_rates(lane_fma(lane_gauss_c(i), h, t), z[i], p, c, rates);
        for (int n = LANE_POSITIONS; n < LANE_RATE_SIZE; ++n)
          K[i][n] = lane_select(todo, rates[n], K[i][n]);
      }
      V change = fill_points(h, K, z, LANE_POSITIONS, LANE_STATES);
      change = lane_max(relax_positions(todo, h, K, z, t, p, c), change);
      todo = todo & lane_finite(change) & (change <= lane_number(1e10));
      const M fell = change < least;
      since = lane_select(fell, lane_number(0.0), since + lane_number(1.0));
      falls = lane_select(fell, lane_number(0.0),
                          lane_select(change < last, falls + lane_number(1.0), falls));
      least = lane_min(least, change);
      M over = (change <= tolerance) | ((change >= last) & (change <= band));
      over = over | ((since >= lane_number(4.0)) & (falls > lane_number(0.0)) &
                     (least <= lane_number(1e-10)) & (change <= lane_number(8.0) * least));
      if (sweep < (LANE_POSITIONS > 0 ? 1 : 2)) over = lane_truth(false);
      last = change;
      settled = settled | (todo & over);
      todo = todo & lane_not(over);
    }
#if LANE_POSITIONS > 0
    // position stages to rounding, so that unit lengths are kept
    M open = settled;
    V before = lane_infinity();
    for (int r = 0; r < 12 && run_any(open); ++r) {
      const V change = relax_positions(open, h, K, z, t, p, c);
      open =
          open & (change > lane_number(0x1p-52)) & lane_not((change >= before) & (change <= band));
      before = change;
    }
#endif
    return settled;
  }

  LANE_MEMBER void add_up(V h, V (*K)[LANE_RATE_SIZE], V* x, V* rest) const {
    for (int n = 0; n < LANE_STATES; ++n) {
      V sum = lane_gauss_b(0) * K[0][n];
      for (int j = 1; j < LANE_STAGES; ++j) sum = lane_fma(lane_gauss_b(j), K[j][n], sum);
      const V change = lane_fma(h, sum, low0[n]), value = x0[n] + change, part = value - x0[n];
      x[n] = value;
      rest[n] = (x0[n] - (value - part)) + (change - part);
    }
  }

  LANE_MEMBER M is_finite(const V* x) const {
    V sum = lane_number(0.0);
    for (int i = 0; i < LANE_STATES; ++i) sum = lane_fma(x[i], lane_number(0.0), sum);
    return sum == lane_number(0.0);
  }

  LANE_MEMBER M fixed(M busy, V t, const V* x, V h, V end, V tolerance, const V* p, const V* c) {
    // the collocation polynomial of the last step goes on; at first the slope is constant
    V guess[LANE_STAGES][LANE_RATE_SIZE], first[LANE_RATE_SIZE];
    const bool fresh = run_any(busy & lane_not(known));
    if (fresh) lane_rates(t, x, p, c, first);
    for (int i = 0; i < LANE_STAGES; ++i) {
      const V place = lane_number(1.0) + lane_gauss_c(i) * h / h0;
      for (int n = 0; n < LANE_RATE_SIZE; ++n) {
        V sum = lane_number(0.0);
        for (int j = 0; j < LANE_STAGES; ++j)
          sum = lane_fma(lane_gauss_value(j, place), k[j][n], sum);
        guess[i][n] = fresh ? lane_select(known, sum, first[n]) : sum;
      }
    }
    for (int i = 0; i < LANE_STATES; ++i) {
      x0[i] = x[i];
      low0[i] = low[i];
    }
    for (int i = 0; i < LANE_STAGES; ++i)
      for (int n = 0; n < LANE_RATE_SIZE; ++n) k[i][n] = guess[i][n];
    t0 = t;
    h0 = h;
    t1 = end;
    const M done = solve(busy, h, k, t, tolerance, p, c);
    add_up(h, k, x1, low);
    known = done;
    return done & is_finite(x1);
  }

#if LANE_DENSE
  LANE_MEMBER void dense(V theta, V* x, const V*, const V*, M) const {
    for (int n = 0; n < LANE_STATES; ++n) {
      V sum = lane_number(0.0);
      for (int j = 0; j < LANE_STAGES; ++j)
        sum = lane_fma(lane_gauss_integral(j, theta), k[j][n], sum);
      x[n] = x0[n] + lane_fma(h0, sum, low0[n]);
    }
  }
#endif

  LANE_MEMBER M again(M m, V h, V* x, V tolerance, const V* p, const V* c) {
    V other[LANE_STAGES][LANE_RATE_SIZE], unused[LANE_STATES];
    for (int i = 0; i < LANE_STAGES; ++i) {
      const V place = lane_gauss_c(i) * h / h0;
      for (int n = 0; n < LANE_RATE_SIZE; ++n) {
        V sum = lane_number(0.0);
        for (int j = 0; j < LANE_STAGES; ++j)
          sum = lane_fma(lane_gauss_value(j, place), k[j][n], sum);
        other[i][n] = sum;
      }
    }
    const M done = solve(m, h, other, t0, tolerance, p, c);
    add_up(h, other, x, unused);
    return done & is_finite(x);
  }
};
