/* Events: which side of zero each indicator is on, and what is done where one crosses. The first
 * FMU_NE indicators are the events of the model; the others are switches, places where its
 * equations follow another formula from one side to the other. The formula of a switch is held
 * between events (its branch, 1 or -1, stands behind the parameters), so that the equations are
 * smooth. */
#include <math.h>
#include <string.h>

#include "fmu.h"

int fmu_sign(double x) {
  return (x > 0) - (x < 0);
}

bool fmu_counts(int indicator, int direction) {
  return indicator >= FMU_NE || fmu_directions[indicator] == 0 ||
         fmu_directions[indicator] == direction;
}

bool fmu_acts(int indicator) {
  return indicator < FMU_NE &&
         (fmu_stops[indicator] || fmu_jump_begin[indicator + 1] > fmu_jump_begin[indicator]);
}

static void fill_indicators(Fmu* fmu, double* z) {
  int i;
  fmu_indicators(fmu->v.t, fmu->v.x, fmu->v.p, fmu->v.u, z);
  for (i = 0; i < FMU_NZ; ++i)
    if (fabs(z[i]) > fmu->v.seen[i]) fmu->v.seen[i] = fabs(z[i]);
}

/* The sign of every indicator; where one is exactly at zero, of the side it moves to. */
static void look_ahead(Fmu* fmu, int* signs) {
  const double h = 1e-7;
  double z[FMU_SIZE(FMU_NZ)], ahead[FMU_SIZE(FMU_NZ)], x[FMU_SIZE(FMU_NX)];
  int i;
  fmu_rates(fmu->v.t, fmu->v.x, fmu->v.p, fmu->v.u, fmu->xdot);
  for (i = 0; i < FMU_NX; ++i) x[i] = fmu->v.x[i] + h * fmu->xdot[i];
  fmu_indicators(fmu->v.t, fmu->v.x, fmu->v.p, fmu->v.u, z);
  fmu_indicators(fmu->v.t + h, x, fmu->v.p, fmu->v.u, ahead);
  for (i = 0; i < FMU_NZ; ++i) signs[i] = z[i] != 0 ? fmu_sign(z[i]) : fmu_sign(ahead[i]);
}

void fmu_choose_branches(Fmu* fmu) {
  int signs[FMU_SIZE(FMU_NZ)], k, round;
  fmu_forget(fmu);
  if (FMU_NS == 0) return;
  for (k = 0; k < FMU_NS; ++k) fmu->v.p[FMU_NP + k] = 1;
  for (round = 0; round < 2; ++round) { /* rates depend on branches */
    look_ahead(fmu, signs);
    for (k = 0; k < FMU_NS; ++k) fmu->v.p[FMU_NP + k] = signs[FMU_NE + k] < 0 ? -1 : 1;
  }
}

void fmu_take_sides(Fmu* fmu) {
  double z[FMU_SIZE(FMU_NZ)];
  int i;
  fill_indicators(fmu, z);
  for (i = 0; i < FMU_NZ; ++i) {
    fmu->v.side[i] = i < FMU_NE ? fmu_sign(z[i]) : (int)fmu->v.p[FMU_NP + i - FMU_NE];
    fmu->v.crossed[i] = 0;
  }
}

/* All new values from the values before. */
static bool make_jumps(Fmu* fmu, int event) {
  double values[FMU_SIZE(FMU_JUMPS)];
  int k;
  if (fmu_jump_begin[event + 1] == fmu_jump_begin[event]) return false;
  fmu_jumps(fmu->v.t, fmu->v.x, fmu->v.p, fmu->v.u, values);
  for (k = fmu_jump_begin[event]; k < fmu_jump_begin[event + 1]; ++k)
    fmu->v.x[fmu_jump_target[k]] = values[k];
  fmu_normalise(fmu->v.x);
  fmu_project(fmu->v.t, fmu->v.x, fmu->v.p, fmu->v.u);
  return true;
}

/* An indicator that crossed and was left where it was found is on no side until it leaves zero: it
 * does not fire again by itself. */
bool fmu_handle_crossings(Fmu* fmu) {
  double before[FMU_SIZE(FMU_NZ)], after[FMU_SIZE(FMU_NZ)];
  bool changed = false;
  int i;
  fill_indicators(fmu, before);
  for (i = 0; i < FMU_NE; ++i) {
    if (!fmu->v.crossed[i]) continue;
    fmu_say(fmu, fmi3OK, "event '%s' at t = %.15g", fmu_event_names[i], fmu->v.t);
    if (make_jumps(fmu, i)) changed = true;
    if (fmu_stops[i]) fmu->v.ended = 1;
  }
  fmu_forget(fmu);
  fill_indicators(fmu, after);
  for (i = FMU_NE; i < FMU_NZ; ++i) { /* a jump may change branches, too */
    const int sign = fmu_sign(after[i]);
    if (sign != 0)
      fmu->v.side[i] = sign;
    else if (fmu->v.crossed[i])
      fmu->v.side[i] = fmu->v.crossed[i];
    fmu->v.p[FMU_NP + i - FMU_NE] = fmu->v.side[i];
    fmu->v.crossed[i] = 0;
  }
  for (i = 0; i < FMU_NE; ++i) {
    const bool crossed = fmu->v.crossed[i] != 0;
    const double noise = 2 * fabs(before[i]) + 4 * FMU_EPSILON * fmu->v.seen[i];
    fmu->v.crossed[i] = 0;
    if (crossed && fabs(after[i]) <= noise)
      fmu->v.side[i] = 0;
    else if (fmu_sign(after[i]) != 0)
      fmu->v.side[i] = fmu_sign(after[i]);
  }
  return changed;
}

/* Crossings since the sides were last looked at; at_zero: a value of exactly zero counts. */
static bool look_for_crossings(Fmu* fmu, bool at_zero) {
  double z[FMU_SIZE(FMU_NZ)];
  int ahead[FMU_SIZE(FMU_NZ)], i;
  bool any = false;
  fill_indicators(fmu, z);
  if (FMU_NS > 0 && at_zero) look_ahead(fmu, ahead);
  for (i = 0; i < FMU_NZ; ++i) {
    const bool decides = i >= FMU_NE && at_zero;
    const int sign = decides ? ahead[i] : fmu_sign(z[i]), side = fmu->v.side[i];
    if (sign == side || isnan(z[i]) || (sign == 0 && (!at_zero || i >= FMU_NE))) continue;
    if (side != 0 && fmu_counts(i, -side)) fmu->v.crossed[i] = -side;
    if (sign != 0 && i < FMU_NE) fmu->v.side[i] = sign;
  }
  for (i = 0; i < FMU_NZ; ++i) any = any || (fmu->v.crossed[i] && (i >= FMU_NE || fmu_acts(i)));
  return any;
}

/* ------------------------------------------------------------------------------ the interface */

FMU_EXPORT fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance instance) {
  return fmu_allow(instance, "fmi3EvaluateDiscreteStates",
                   FMU_IN(fmu_initialization) | FMU_IN(fmu_event));
}

FMU_EXPORT fmi3Status fmi3UpdateDiscreteStates(fmi3Instance instance, fmi3Boolean* again,
                                               fmi3Boolean* terminate,
                                               fmi3Boolean* nominals_changed,
                                               fmi3Boolean* values_changed,
                                               fmi3Boolean* next_time_defined,
                                               fmi3Float64* next_time) {
  Fmu* const fmu = instance;
  bool changed = false;
  if (fmu_allow(fmu, "fmi3UpdateDiscreteStates", FMU_IN(fmu_event))) return fmi3Error;
  if (FMU_NZ > 0) {
    look_for_crossings(fmu, true);
    changed = fmu_handle_crossings(fmu);
  }
  if (again) *again = false;
  if (terminate) *terminate = fmu->v.ended;
  if (nominals_changed) *nominals_changed = false;
  if (values_changed) *values_changed = changed;
  if (next_time_defined) *next_time_defined = false;
  if (next_time) *next_time = 0;
  return fmi3OK;
}

FMU_EXPORT fmi3Status fmi3CompletedIntegratorStep(fmi3Instance instance, fmi3Boolean no_return,
                                                  fmi3Boolean* enter_event_mode,
                                                  fmi3Boolean* terminate) {
  Fmu* const fmu = instance;
  (void)no_return;
  if (fmu_allow(fmu, "fmi3CompletedIntegratorStep", FMU_IN(fmu_continuous))) return fmi3Error;
  if (enter_event_mode) *enter_event_mode = false;
  if (terminate) *terminate = false;
  if (FMU_NZ > 0 && look_for_crossings(fmu, false) && enter_event_mode) *enter_event_mode = true;
  return fmi3OK;
}

FMU_EXPORT fmi3Status fmi3GetEventIndicators(fmi3Instance instance, fmi3Float64 values[],
                                             size_t count) {
  Fmu* const fmu = instance;
  if (fmu_allow(fmu, "fmi3GetEventIndicators",
                FMU_IN(fmu_initialization) | FMU_IN(fmu_event) | FMU_IN(fmu_continuous)))
    return fmi3Error;
  if (count != FMU_NZ)
    return fmu_say(fmu, fmi3Error, "there are %d event indicators, not %lu", FMU_NZ,
                   (unsigned long)count);
  if (FMU_NZ > 0) fmu_indicators(fmu->v.t, fmu->v.x, fmu->v.p, fmu->v.u, values);
  if (fmu_is_finite(values, FMU_NZ)) return fmi3OK;
  return fmu_say(fmu, fmi3Discard, "an event indicator has no value at t = %.9g", fmu->v.t);
}

FMU_EXPORT fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance instance, size_t* count) {
  if (!instance || !count) return fmi3Error;
  *count = FMU_NZ;
  return fmi3OK;
}
