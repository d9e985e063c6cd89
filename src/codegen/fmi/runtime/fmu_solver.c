/* The solver of co-simulation: the Runge-Kutta method of fmu_method.h (Dormand and Prince, 8(5,3))
 * with error control. Events are looked for on its dense output and located with real steps of
 * shorter length, to the resolution of time; after every step quaternions are normalised and
 * constraints kept. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fmu.h"
#include "fmu_method.h"

enum { slopes = METHOD_STAGES + 1 + METHOD_EXTRA, shapes = 3 + METHOD_DENSE, samples = 7 };
static const double sample_places[samples] = {0, 1. / 1024, .25, .5, .75, 1 - 1. / 1024, 1};

/* One step: from x0 at t0 over h to x1; k are its slopes, the first one known. */
typedef struct {
  Fmu* fmu;
  double t0, h;
  double *x0, *x1, *y, *k, *again, *shape;
} Step;

static void evaluate(const Step* s, double t, const double* x, double* slope) {
  fmu_rates(t, x, s->fmu->v.p, s->fmu->v.u, slope);
}

static void combine(const double* weights, int count, const double* k, const double* x0, double h,
                    double* result) {
  int i, j;
  for (i = 0; i < FMU_NX; ++i) result[i] = 0;
  for (j = 0; j < count; ++j)
    if (weights[j] != 0)
      for (i = 0; i < FMU_NX; ++i) result[i] += weights[j] * k[j * FMU_NX + i];
  for (i = 0; i < FMU_NX; ++i) result[i] = (x0 ? x0[i] : 0) + h * result[i];
}

static bool fill_stages(const Step* s, double h, double* k, double* x1) {
  int i;
  for (i = 1; i < METHOD_STAGES; ++i) {
    combine(method_a[i], i, k, s->x0, h, s->y);
    evaluate(s, s->t0 + method_c[i] * h, s->y, k + i * FMU_NX);
  }
  combine(method_a[METHOD_STAGES], METHOD_STAGES, k, s->x0, h, x1);
  fmu_normalise(x1);
  return fmu_is_finite(x1, FMU_NX);
}

/* The largest error over its tolerance, from both estimates of the method. */
static double calc_error(const Step* s) {
  double fine = 0, coarse = 0;
  int i, j;
  for (i = 0; i < FMU_NX; ++i) {
    const double size = fmax(fabs(s->x0[i]), fabs(s->x1[i]));
    const double scale = s->fmu->tolerance * (1 + size);
    double e = 0, low = 0;
    for (j = 0; j < METHOD_STAGES; ++j) {
      e += method_error[j] * s->k[j * FMU_NX + i];
      low += method_error_low[j] * s->k[j * FMU_NX + i];
    }
    fine = fmax(fine, fabs(s->h * e) / scale);
    coarse = fmax(coarse, fabs(s->h * low) / scale);
  }
  return fine > 0 ? fine * fine / sqrt(fine * fine + 0.01 * coarse * coarse) : 0;
}

static double first_length(const Step* s, double limit) {
  double size = 0, rate = 0, second = 0, h;
  double* const slope = s->k + FMU_NX;
  int i;
  for (i = 0; i < FMU_NX; ++i) {
    const double scale = s->fmu->tolerance * (1 + fabs(s->x0[i]));
    size = fmax(size, fabs(s->x0[i]) / scale);
    rate = fmax(rate, fabs(s->k[i]) / scale);
  }
  h = fmin(size < 1e-5 || rate < 1e-5 ? 1e-6 : 0.01 * size / rate, limit);
  for (i = 0; i < FMU_NX; ++i) s->y[i] = s->x0[i] + h * s->k[i];
  evaluate(s, s->t0 + h, s->y, slope);
  for (i = 0; i < FMU_NX; ++i)
    second =
        fmax(second, fabs(slope[i] - s->k[i]) / (s->fmu->tolerance * (1 + fabs(s->x0[i])) * h));
  if (!isfinite(second)) return 1e-3 * h;
  second = fmax(rate, second);
  return fmin(fmin(100 * h, second <= 1e-15 ? fmax(1e-6, h * 1e-3) : pow(0.01 / second, 1. / 8)),
              limit);
}

/* ------------------------------------------------------------------------------------- events */

static void fill_dense(const Step* s) {
  double* const last = s->k + METHOD_STAGES * FMU_NX;
  int i, e;
  evaluate(s, s->t0 + s->h, s->x1, last);
  for (e = METHOD_STAGES + 1; e <= METHOD_STAGES + METHOD_EXTRA; ++e) {
    combine(method_a[e], e, s->k, s->x0, s->h, s->y);
    evaluate(s, s->t0 + method_c[e] * s->h, s->y, s->k + e * FMU_NX);
  }
  for (i = 0; i < FMU_NX; ++i) {
    const double whole = s->x1[i] - s->x0[i], k0 = s->h * s->k[i], k1 = s->h * last[i];
    s->shape[i] = whole;
    s->shape[FMU_NX + i] = k0 - whole;
    s->shape[2 * FMU_NX + i] = 2 * whole - (k0 + k1);
  }
  for (e = 0; e < METHOD_DENSE; ++e)
    combine(method_d[e], slopes, s->k, NULL, s->h, s->shape + (3 + e) * FMU_NX);
}

static void dense(const Step* s, double theta, double* x) {
  int i, r;
  for (i = 0; i < FMU_NX; ++i) {
    double sum = 0;
    for (r = shapes - 1; r >= 0; --r)
      sum = (sum + s->shape[r * FMU_NX + i]) * (r % 2 == 0 ? theta : 1 - theta);
    x[i] = s->x0[i] + sum;
  }
  fmu_normalise(x);
}

/* A real step over a part of the length. */
static bool restep(const Step* s, double theta, double* x) {
  memcpy(s->again, s->k, FMU_NX * sizeof(double));
  return fill_stages(s, theta * s->h, s->again, x);
}

static double indicator_at(const Step* s, int which, double theta, double* x) {
  double z[FMU_SIZE(FMU_NZ)];
  if (theta <= 0)
    memcpy(x, s->x0, FMU_NX * sizeof(double));
  else if (theta >= 1)
    memcpy(x, s->x1, FMU_NX * sizeof(double));
  else if (!restep(s, theta, x))
    return NAN;
  fmu_indicators(s->t0 + theta * s->h, x, s->fmu->v.p, s->fmu->v.u, z);
  return z[which];
}

/* Where it has just crossed towards `after`, between left and right; 2: nowhere. */
static double locate(const Step* s, int which, double left, double right, int after, double* x) {
  const double resolution = fmax(FMU_EPSILON, FMU_EPSILON * fabs(s->t0) / s->h);
  double low = after * indicator_at(s, which, left, x);
  double high = after * indicator_at(s, which, right, x);
  int k, kept = 0;
  if (!(low <= 0 && high > 0)) {
    left = 0, right = 1;
    low = after * indicator_at(s, which, left, x);
    high = after * indicator_at(s, which, right, x);
    if (!(low <= 0 && high > 0)) return 2;
  }
  for (k = 0; k < 200 && right - left > resolution; ++k) {
    double middle = (left * high - right * low) / (high - low), value;
    if (k % 4 == 3 || !(middle > left && middle < right)) middle = 0.5 * (left + right);
    if (!(middle > left && middle < right)) break;
    value = after * indicator_at(s, which, middle, x);
    if (isnan(value)) return 2;
    if (value > 0) {
      right = middle, high = value;
      if (kept == 1) low *= 0.5;
      kept = 1;
    } else {
      left = middle, low = value;
      if (kept == -1) high *= 0.5;
      kept = -1;
    }
  }
  return right;
}

/* The part of the step up to the first crossing that counts (1: none); marks what crosses there. */
static double find_crossings(const Step* s, double* x) {
  FmuValues* const v = &s->fmu->v;
  double z[samples][FMU_SIZE(FMU_NZ)], place[FMU_SIZE(FMU_NZ)], first = 1;
  int direction[FMU_SIZE(FMU_NZ)], i, j;
  bool any = false;
  if (FMU_NZ == 0) return 1;
  fill_dense(s);
  for (j = 0; j < samples; ++j) {
    const double theta = sample_places[j];
    if (j == 0)
      memcpy(x, s->x0, FMU_NX * sizeof(double));
    else if (j == samples - 1)
      memcpy(x, s->x1, FMU_NX * sizeof(double));
    else
      dense(s, theta, x);
    fmu_indicators(s->t0 + theta * s->h, x, v->p, v->u, z[j]);
  }
  for (i = 0; i < FMU_NZ; ++i) {
    int side = v->side[i], known = 0;
    place[i] = 2;
    if (i >= FMU_NE && fmu_sign(z[0][i]) == -side) { /* it should have changed before */
      place[i] = 0;
      direction[i] = -side;
    }
    for (j = 1; place[i] > 1 && j < samples; ++j) {
      const int sign = fmu_sign(z[j][i]);
      if (sign == 0) continue;
      if (side != 0 && sign != side && fmu_counts(i, sign) && sample_places[known] <= first) {
        place[i] = locate(s, i, sample_places[known], sample_places[j], sign, x);
        direction[i] = sign;
      }
      side = sign;
      known = j;
    }
    if (place[i] <= first) first = place[i], any = true;
  }
  if (!any) return 1;
  for (i = 0; i < FMU_NZ; ++i)
    if (place[i] <= first + 4 * FMU_EPSILON * fmax(1, fabs(s->t0) / s->h))
      v->crossed[i] = direction[i];
  return first;
}

static void follow_sides(Fmu* fmu) {
  double z[FMU_SIZE(FMU_NZ)];
  int i;
  fmu_indicators(fmu->v.t, fmu->v.x, fmu->v.p, fmu->v.u, z);
  for (i = 0; i < FMU_NZ; ++i) {
    if (i < FMU_NE && !fmu->v.crossed[i] && fmu_sign(z[i]) != 0) fmu->v.side[i] = fmu_sign(z[i]);
    if (fabs(z[i]) > fmu->v.seen[i]) fmu->v.seen[i] = fabs(z[i]);
  }
}

/* -------------------------------------------------------------------------------------- steps */

static bool make_work(Fmu* fmu, Step* s) {
  const size_t n = FMU_SIZE(FMU_NX);
  const size_t total = n * (3 + slopes + METHOD_STAGES + shapes);
  if (!fmu->work) fmu->work = malloc(total * sizeof(double));
  if (!fmu->work) return false;
  s->fmu = fmu;
  s->x0 = fmu->v.x;
  s->x1 = fmu->work;
  s->y = s->x1 + n;
  s->again = s->y + 2 * n; /* one more vector before it, for find_crossings */
  s->k = s->again + n * METHOD_STAGES;
  s->shape = s->k + n * slopes;
  return true;
}

/* A step under error control; its length is in s->h. False: the length vanishes. */
static bool take_step(Step* s, double limit) {
  FmuValues* const v = &s->fmu->v;
  const double smallest = 16 * FMU_EPSILON * fmax(fabs(s->t0), fabs(s->t0 + limit));
  bool refused = false;
  evaluate(s, s->t0, s->x0, s->k);
  if (!fmu_is_finite(s->k, FMU_NX)) return false;
  if (!(v->length > 0)) v->length = first_length(s, limit);
  for (;;) {
    double error = 0, factor;
    bool finite;
    s->h = fmin(v->length, limit);
    if (s->h >= limit * (1 - 1e-6))
      s->h = limit;
    else if (s->h > 0.5 * limit)
      s->h = 0.5 * limit;
    if (!(s->h >= smallest || s->h >= limit)) return false;
    finite = fill_stages(s, s->h, s->k, s->x1);
    if (finite) error = calc_error(s);
    if (finite && error <= 1) {
      factor = 0.9 * pow(fmax(error, 1e-10), -1. / 8);
      factor = fmin(fmax(factor, 0.2), refused ? 1 : 10);
      v->length =
          s->h < 0.9 * v->length && factor >= 1 ? fmax(v->length, s->h * factor) : s->h * factor;
      return true;
    }
    refused = true;
    v->length =
        finite && isfinite(error) ? s->h * fmax(0.1, 0.9 * pow(error, -1. / 8)) : 0.25 * s->h;
  }
}

static bool tell_importer(Fmu* fmu, double* target) {
  fmi3Boolean wanted = false;
  fmi3Float64 when = 0;
  if (!fmu->intermediate_update) return false;
  fmu->intermediate_update(fmu->environment, fmu->v.t, false, true, true, fmu->early_return_allowed,
                           &wanted, &when);
  if (!wanted || !fmu->early_return_allowed) return false;
  if (when > fmu->v.t && when < *target) *target = when;
  return !(when > fmu->v.t);
}

FmuProgress fmu_advance(Fmu* fmu, double target, bool stop_at_events) {
  const double asked = target;
  int events = 0;
  Step s = {0};
  fmu->trouble = "there is no memory for the solver";
  if (!make_work(fmu, &s)) return fmu_stuck;
  while (fmu->v.t < target) {
    double part;
    bool acts = false, any = false;
    int i;
    s.t0 = fmu->v.t;
    fmu->trouble =
        "the steps of the solver vanish: a singular position, or equations that are too stiff";
    if (FMU_NX == 0)
      s.h = target - s.t0;
    else if (!take_step(&s, target - s.t0))
      return fmu_stuck;
    part = find_crossings(&s, s.again - FMU_SIZE(FMU_NX));
    if (part <= 0)
      memcpy(s.x1, s.x0, FMU_NX * sizeof(double));
    else if (part < 1 && !restep(&s, part, s.x1))
      return fmu_stuck;
    fmu->v.t = part < 1 ? s.t0 + part * s.h : s.h >= target - s.t0 ? target : s.t0 + s.h;
    memcpy(fmu->v.x, s.x1, FMU_NX * sizeof(double));
    fmu_forget(fmu);
    fmu->trouble = "the constraints of the mechanism cannot be kept";
    if (!fmu_project(fmu->v.t, fmu->v.x, fmu->v.p, fmu->v.u)) return fmu_stuck;
    if (FMU_NZ > 0) follow_sides(fmu);
    for (i = 0; i < FMU_NZ; ++i) {
      any = any || fmu->v.crossed[i];
      acts = acts || (fmu->v.crossed[i] && fmu_acts(i));
    }
    if (any) fmu->v.length = 0;
    if (acts && stop_at_events) return fmu_at_event;
    if (any) fmu_handle_crossings(fmu);
    fmu->trouble = "events follow each other without end";
    if (any && ++events > 100000) return fmu_stuck;
    if (fmu->v.ended) return fmu_at_event;
    if (fmu->v.t < target && tell_importer(fmu, &target)) return fmu_returned;
  }
  return target < asked ? fmu_returned : fmu_reached;
}

/* ------------------------------------------------------------------------------ the interface */

FMU_EXPORT fmi3Status fmi3EnterStepMode(fmi3Instance instance) {
  Fmu* const fmu = instance;
  if (fmu_allow(fmu, "fmi3EnterStepMode", FMU_IN(fmu_event))) return fmi3Error;
  if (!fmu->co_simulation)
    return fmu_say(fmu, fmi3Error, "fmi3EnterStepMode belongs to co-simulation");
  fmu->v.mode = fmu_step;
  return fmi3OK;
}

FMU_EXPORT fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 point, fmi3Float64 length,
                                 fmi3Boolean no_return, fmi3Boolean* event_handling_needed,
                                 fmi3Boolean* terminate, fmi3Boolean* early_return,
                                 fmi3Float64* last_time) {
  Fmu* const fmu = instance;
  FmuValues kept;
  FmuProgress progress;
  (void)no_return;
  if (fmu_allow(fmu, "fmi3DoStep", FMU_IN(fmu_step))) return fmi3Error;
  if (!(length > 0) || !isfinite(length))
    return fmu_say(fmu, fmi3Error, "the communication step must be positive, got %g", length);
  if (!(fabs(point - fmu->v.t) <= 1e-9 * (1 + fabs(fmu->v.t))))
    return fmu_say(fmu, fmi3Error, "the step starts at t = %.9g, but the FMU is at %.9g", point,
                   fmu->v.t);
  if (fmu->v.ended)
    return fmu_say(fmu, fmi3Error, "an event has ended the simulation at t = %.9g", fmu->v.t);
  if (point + length > fmu->stop_time + 1e-9 * (1 + fabs(fmu->stop_time)))
    return fmu_say(fmu, fmi3Error, "the step leads beyond the stop time %.9g", fmu->stop_time);
  kept = fmu->v;
  progress = fmu_advance(fmu, point + length, fmu->event_mode_used && fmu->early_return_allowed);
  if (progress == fmu_stuck) {
    const double at = fmu->v.t;
    fmu->v = kept;
    fmu_forget(fmu);
    return fmu_say(fmu, fmi3Discard, "at t = %.9g: %s", at, fmu->trouble);
  }
  if (event_handling_needed)
    *event_handling_needed = progress == fmu_at_event && !fmu->v.ended && fmu->event_mode_used;
  if (terminate) *terminate = fmu->v.ended;
  if (early_return) *early_return = fmu->v.t < point + length && fmu->early_return_allowed;
  if (last_time) *last_time = fmu->v.t;
  return fmi3OK;
}
