// Explicit Runge-Kutta steps of all lanes, each with its own length. The tableau is generated:
//   lane_stages(t, h, x0, p, c, k, x1, fine, coarse)   stages 1 .. s-1 (stage 0 is there), the new
//                                                      point and the sums of the error estimates
//   lane_extra_stages, lane_dense_rows                 what the dense output needs beside them
// Where no slopes are asked for afterwards (LANE_TEAM_STAGES), a team (team.h) takes the whole
// step. What is computed, and in which order, is that of integrate/explicit_rk.cpp.
#pragma once

struct ExplicitSteps {
  V t0, h0, t1;       // the last step
  V x1[LANE_STATES];  // its end before projection
#if LANE_DENSE
  V x0[LANE_STATES];  // its start
#else
  const V* x0;  // nobody asks for it when x has gone on
#endif
  V k[LANE_SLOPES][LANE_RATE_SIZE];
#if LANE_DENSE
  V shape[3 + LANE_DENSE_ROWS][LANE_STATES];
  bool shape_known;
#endif
  M first_known;  // stage 0 of the next step is there
  // step control: integrate/step_control.h
  V length, before;
  M refused;

  LANE_MEMBER void clear() {
    first_known = refused = lane_truth(false);
    t0 = h0 = t1 = length = before = lane_number(0.0);
#if LANE_KEEPS_END
    LANE_UNROLL
    for (int i = 0; i < LANE_RATE_SIZE; ++i) k[LANE_STAGES][i] = lane_number(0.0);
#endif
  }
  LANE_MEMBER void restart(M m) {
    first_known = first_known & lane_not(m);
    length = lane_select(m, lane_number(0.0), length);
    before = lane_select(m, lane_number(1e-4), before);
    refused = refused & lane_not(m);
  }
  LANE_MEMBER void moved(M m) {
    first_known = first_known & lane_not(m);
  }

#if !LANE_TEAM_STAGES
  // Slopes at the start of the step.
  LANE_MEMBER void fill_first(M busy, V t, const V* x, const V* p, const V* c) {
#if LANE_KEEPS_END
    if (run_any(busy & lane_not(first_known))) {
      V rates[LANE_RATE_SIZE];
      lane_rates(t, x, p, c, rates);
      LANE_UNROLL
      for (int i = 0; i < LANE_RATE_SIZE; ++i)
        k[0][i] = lane_select(first_known, k[LANE_STAGES][i], rates[i]);
    } else {
      LANE_UNROLL
      for (int i = 0; i < LANE_RATE_SIZE; ++i) k[0][i] = k[LANE_STAGES][i];
    }
#else
    lane_rates(t, x, p, c, k[0]);
#endif
    first_known = lane_truth(false);
#if LANE_DENSE
    LANE_UNROLL
    for (int i = 0; i < LANE_STATES; ++i) x0[i] = x[i];
#else
    x0 = x;
#endif
    t0 = t;
  }
#endif

  LANE_MEMBER M is_finite(const V* x) const {
    V sum = lane_number(0.0);
    LANE_UNROLL
    for (int i = 0; i < LANE_STATES; ++i) sum = lane_fma(x[i], lane_number(0.0), sum);
    return sum == lane_number(0.0);
  }

#if !LANE_TEAM_STAGES
  // A step of length h to t1; which lanes have got there.
  LANE_MEMBER M fixed(M busy, V t, const V* x, V h, V end, const V* p, const V* c) {
    fill_first(busy, t, x, p, c);
    V unused[LANE_STATES];
    lane_stages(t, h, x0, p, c, k, x1, unused, unused);
    lane_normalise(x1);
    h0 = h;
    t1 = end;
#if LANE_DENSE
    shape_known = false;
#endif
    return busy & is_finite(x1);
  }
#endif

#if LANE_CONTROLLED
  LANE_MEMBER V power(V x, double exponent) const {
    return lane_exp(lane_number(exponent) * lane_log(x));
  }

  LANE_MEMBER V size_of(const V* values, V tolerance) const {
    V largest = lane_number(0.0);
    LANE_UNROLL
    for (int i = 0; i < LANE_STATES; ++i)
      largest = lane_max(
          largest, lane_fabs(values[i]) / (tolerance * (lane_number(1.0) + lane_fabs(x0[i]))));
    return largest;
  }

  LANE_MEMBER void choose_first(M m, V limit, V tolerance, const V* p, const V* c) {
    if (!run_any(m)) return;
    const V size = size_of(x0, tolerance), rate = size_of(k[0], tolerance);
    const M small = (size < lane_number(1e-5)) | (rate < lane_number(1e-5));
    const V h =
        lane_min(lane_select(small, lane_number(1e-6), lane_number(0.01) * size / rate), limit);
    V y[LANE_STATES], change[LANE_RATE_SIZE];
    LANE_UNROLL
    for (int i = 0; i < LANE_STATES; ++i) y[i] = lane_fma(h, k[0][i], x0[i]);
    lane_rates(t0 + h, y, p, c, change);
    LANE_UNROLL
    for (int i = 0; i < LANE_STATES; ++i) change[i] = change[i] - k[0][i];
    const V second = size_of(change, tolerance) / h, larger = lane_max(rate, second);
    V chosen = lane_select(larger <= lane_number(1e-15),
                           lane_max(lane_number(1e-6), h * lane_number(1e-3)),
                           power(lane_number(0.01) / larger, 1.0 / LANE_POWER));
    chosen = lane_min(lane_min(lane_number(100.0) * h, chosen), limit);
    chosen = lane_select(lane_finite(second), chosen, lane_number(1e-3) * h);
    length = lane_select(m, chosen, length);
  }

  LANE_MEMBER V error_measure(V h, V tolerance, const V* fine_sum, const V* coarse_sum) const {
    V fine = lane_number(0.0), coarse = lane_number(0.0);
    LANE_UNROLL
    for (int i = 0; i < LANE_STATES; ++i) {
      const V scale = tolerance * (lane_number(1.0) + lane_max(lane_fabs(x0[i]), lane_fabs(x1[i])));
      const V e = lane_fabs(h * fine_sum[i]) / scale;
      fine = lane_select(e <= fine, fine, e);  // keeps what is not a number
#if LANE_TWO_ESTIMATES
      coarse = lane_max(coarse, lane_fabs(h * coarse_sum[i]) / scale);
#endif
    }
#if LANE_TWO_ESTIMATES
    const V both =
        fine * fine / lane_sqrt(lane_fma(fine, fine, lane_number(0.01) * coarse * coarse));
    return lane_select(fine == lane_number(0.0), fine, both);
#else
    (void)coarse, (void)coarse_sum;
    return fine;
#endif
  }

  // One attempt of every busy lane: which have made a step, and which cannot go on.
  LANE_MEMBER M controlled(M busy, V t, const V* x, V end, V tolerance, const V* p, const V* c,
                           M& stuck) {
    const V limit = end - t;
    fill_first(busy, t, x, p, c);
    choose_first(busy & lane_not(length > lane_number(0.0)), limit, tolerance, p, c);
    V h = lane_min(length, limit);
    h = lane_select(h >= limit * lane_number(1 - 1e-6), limit,
                    lane_select(h > lane_number(0.5) * limit, lane_number(0.5) * limit, h));
    const V smallest = lane_number(16 * 0x1p-52) * lane_max(lane_fabs(t), lane_fabs(end));
    stuck = busy & lane_not((h >= smallest) | (h >= limit));
    h0 = h;
    t1 = lane_select(h == limit, end, t + h);
    V fine[LANE_STATES], coarse[LANE_STATES];
    lane_stages(t, h, x0, p, c, k, x1, fine, coarse);
    lane_normalise(x1);
#if LANE_ERROR_USES_END
    lane_rates(t1, x1, p, c, k[LANE_STAGES]);
    lane_add_end_error(k[LANE_STAGES], fine);
#endif
#if LANE_DENSE
    shape_known = false;
#endif
    const V error = error_measure(h, tolerance, fine, coarse);
    const M finite = is_finite(x1) & lane_finite(error);
    const M done = busy & finite & (error <= lane_number(1.0)) & lane_not(stuck);
    const V e = lane_max(error, lane_number(1e-10));
    V factor = lane_number(0.9) * power(e, -(1.0 / LANE_POWER - 0.75 * LANE_BETA));
    if (LANE_BETA != 0) factor = factor * power(before, LANE_BETA);
    factor = lane_min(lane_max(factor, lane_number(0.2)),
                      lane_select(refused, lane_number(1.0), lane_number(10.0)));
    const M cut = (h < lane_number(0.9) * length) & (factor >= lane_number(1.0));
    const V longer = lane_select(cut, lane_max(length, h * factor), h * factor);
    V shorter =
        lane_min(lane_max(lane_number(0.9) * power(error, -1.0 / LANE_POWER), lane_number(0.1)),
                 lane_number(0.9));
    shorter = lane_select(finite, shorter, lane_number(0.25));
    const M again = busy & lane_not(done);
    length = lane_select(done, longer, lane_select(again, h * shorter, length));
    before = lane_select(done, lane_max(e, lane_number(1e-4)), before);
    refused = (refused & lane_not(done)) | again;
#if LANE_KEEPS_END
    // slopes at the start serve the next attempt
    LANE_UNROLL
    for (int i = 0; i < LANE_RATE_SIZE; ++i)
      k[LANE_STAGES][i] = lane_select(done, k[LANE_STAGES][i], k[0][i]);
    first_known = LANE_ERROR_USES_END ? busy : again;
#endif
    return done;
  }
#endif

#if LANE_DENSE
  // F0, F1, ...: integrate/explicit_step.h
  LANE_MEMBER void fill_shape(const V* p, const V* c, M done) {
    if (shape_known) return;
    shape_known = true;
#if !(LANE_CONTROLLED && LANE_ERROR_USES_END)
    V end[LANE_RATE_SIZE];
    lane_rates(t1, x1, p, c, end);
    LANE_UNROLL
    for (int i = 0; i < LANE_RATE_SIZE; ++i)
      k[LANE_STAGES][i] = lane_select(done, end[i], k[LANE_STAGES][i]);
    first_known = first_known | done;
#endif
    lane_extra_stages(t0, h0, x0, p, c, k);
    LANE_UNROLL
    for (int i = 0; i < LANE_STATES; ++i) {
      const V first = h0 * k[0][i], last = h0 * k[LANE_STAGES][i];
      shape[0][i] = x1[i] - x0[i];
      shape[1][i] = first - shape[0][i];
      shape[2][i] = lane_number(2.0) * shape[0][i] - (first + last);
    }
    lane_dense_rows(h0, k, shape);
  }

  LANE_MEMBER void dense(V theta, V* x, const V* p, const V* c, M done) {
    fill_shape(p, c, done);
    const V rest = lane_number(1.0) - theta;
    LANE_UNROLL
    for (int i = 0; i < LANE_STATES; ++i) {
      V sum = lane_number(0.0);
      LANE_UNROLL
      for (int r = 2 + LANE_DENSE_ROWS; r >= 0; --r)
        sum = (sum + shape[r][i]) * (r % 2 == 0 ? theta : rest);
      x[i] = x0[i] + sum;
    }
    lane_normalise(x);
  }
#endif

#if LANE_DENSE
  // x after a shorter step from the same start; the last step stays what it was.
  LANE_MEMBER M again(M m, V h, V* x, const V* p, const V* c) {
    V other[LANE_SLOPES][LANE_RATE_SIZE], unused[LANE_STATES];
    LANE_UNROLL
    for (int i = 0; i < LANE_RATE_SIZE; ++i) other[0][i] = k[0][i];
    lane_stages(t0, h, x0, p, c, other, x, unused, unused);
    lane_normalise(x);
    return m & is_finite(x);
  }
#endif
};
