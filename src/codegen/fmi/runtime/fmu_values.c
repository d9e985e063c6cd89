/* Values of variables, and their exact derivatives. A value reference counts through: time, states,
 * their derivatives, outputs, inputs, parameters, event indicators. */
#include <math.h>
#include <string.h>

#include "fmu.h"

bool fmu_is_finite(const double* values, int count) {
  double sum = 0;
  int i;
  for (i = 0; i < count; ++i) sum += values[i] * 0.0; /* not a number where one is not finite */
  return sum == 0;
}

fmi3Status fmu_fill_rates(Fmu* fmu) {
  if (!fmu->rates_known) fmu_rates(fmu->v.t, fmu->v.x, fmu->v.p, fmu->v.u, fmu->xdot);
  fmu->rates_known = true;
  if (fmu_is_finite(fmu->xdot, FMU_NX)) return fmi3OK;
  return fmu_say(fmu, fmi3Discard,
                 "the equations have no value at t = %.9g: a singular position, or a function "
                 "outside of its range",
                 fmu->v.t);
}

fmi3Status fmu_fill_outputs(Fmu* fmu) {
  if (!fmu->outputs_known) fmu_outputs(fmu->v.t, fmu->v.x, fmu->v.p, fmu->v.u, fmu->y);
  fmu->outputs_known = true;
  if (fmu_is_finite(fmu->y, FMU_NY)) return fmi3OK;
  return fmu_say(fmu, fmi3Discard, "an output has no value at t = %.9g", fmu->v.t);
}

void fmu_fill_jacobian(Fmu* fmu) {
  if (fmu->jacobian_known) return;
  fmu_jacobian(fmu->v.t, fmu->v.x, fmu->v.p, fmu->v.u, fmu->jacobian);
  fmu_output_jacobian(fmu->v.t, fmu->v.x, fmu->v.p, fmu->v.u, fmu->output_jacobian);
  fmu->jacobian_known = true;
}

static void fill_slopes(Fmu* fmu) {
  if (fmu->slopes_known) return;
  fmu_slopes(fmu->v.t, fmu->v.x, fmu->v.p, fmu->v.u, fmu->slopes);
  fmu_output_slopes(fmu->v.t, fmu->v.x, fmu->v.p, fmu->v.u, fmu->output_slopes);
  fmu->slopes_known = true;
}

void fmu_start_states(Fmu* fmu) {
  double x[FMU_SIZE(FMU_NX)];
  int i;
  if (FMU_HAS_INITIAL) {
    fmu_initial(fmu->v.t, fmu->v.p, fmu->v.u, x);
    for (i = 0; i < FMU_NX; ++i)
      if (!fmu->v.given[i]) fmu->v.x[i] = x[i];
  }
  fmu_choose_branches(fmu);
}

/* ------------------------------------------------------------------------------- get and set */

static fmi3Status no_such(Fmu* fmu, fmi3ValueReference reference) {
  return fmu_say(fmu, fmi3Error, "there is no variable with the value reference %lu",
                 (unsigned long)reference);
}

static bool is_between(fmi3ValueReference r, int first, int count) {
  return r >= (fmi3ValueReference)first && r < (fmi3ValueReference)(first + count);
}

static fmi3Status get_value(Fmu* fmu, fmi3ValueReference r, double* value) {
  fmi3Status status = fmi3OK;
  if (r == 0) {
    *value = fmu->v.t;
  } else if (is_between(r, FMU_X0, FMU_NX)) {
    *value = fmu->v.x[r - FMU_X0];
  } else if (is_between(r, FMU_DX0, FMU_NX)) {
    status = fmu_fill_rates(fmu);
    *value = fmu->xdot[r - FMU_DX0];
  } else if (is_between(r, FMU_Y0, FMU_NY)) {
    status = fmu_fill_outputs(fmu);
    *value = fmu->y[r - FMU_Y0];
  } else if (is_between(r, FMU_U0, FMU_NU)) {
    *value = fmu->v.u[r - FMU_U0];
  } else if (is_between(r, FMU_P0, FMU_NP)) {
    *value = fmu->v.p[r - FMU_P0];
  } else if (is_between(r, FMU_Z0, FMU_NZ)) {
    double z[FMU_SIZE(FMU_NZ)];
    fmu_indicators(fmu->v.t, fmu->v.x, fmu->v.p, fmu->v.u, z);
    *value = z[r - FMU_Z0];
  } else {
    return no_such(fmu, r);
  }
  return status;
}

FMU_EXPORT fmi3Status fmi3GetFloat64(fmi3Instance instance, const fmi3ValueReference references[],
                                     size_t count, fmi3Float64 values[], size_t value_count) {
  Fmu* const fmu = instance;
  fmi3Status worst = fmi3OK;
  size_t i;
  if (fmu_allow(fmu, "fmi3GetFloat64", FMU_ANY)) return fmi3Error;
  if (count != value_count)
    return fmu_say(fmu, fmi3Error,
                   "fmi3GetFloat64: %lu values are asked for, there is room for %lu",
                   (unsigned long)count, (unsigned long)value_count);
  for (i = 0; i < count; ++i) {
    const fmi3Status status = get_value(fmu, references[i], &values[i]);
    if (status > worst) worst = status;
    if (worst >= fmi3Error) return worst;
  }
  return worst;
}

static fmi3Status set_value(Fmu* fmu, fmi3ValueReference r, double value) {
  const unsigned before = FMU_IN(fmu_instantiated) | FMU_IN(fmu_initialization);
  const bool early = before & FMU_IN(fmu->v.mode);
  if (!isfinite(value))
    return fmu_say(fmu, fmi3Error, "variable %lu cannot be set to %g", (unsigned long)r, value);
  if (is_between(r, FMU_X0, FMU_NX)) {
    if (!early)
      return fmu_say(fmu, fmi3Error,
                     "states are set by fmi3SetFloat64 before the simulation only; later by "
                     "fmi3SetContinuousStates or fmi3SetFMUState");
    fmu->v.x[r - FMU_X0] = value;
    fmu->v.given[r - FMU_X0] = 1;
    fmu->v.changed = 1;
  } else if (is_between(r, FMU_U0, FMU_NU)) {
    fmu->v.u[r - FMU_U0] = value;
    if (early) fmu->v.changed = 1;
  } else if (is_between(r, FMU_P0, FMU_NP)) {
    if (fmu->v.mode == fmu_continuous)
      return fmu_say(fmu, fmi3Error, "parameters are set in event mode, not between events");
    fmu->v.p[r - FMU_P0] = value;
    if (early) fmu->v.changed = 1;
  } else if (r < FMU_END) {
    return fmu_say(fmu, fmi3Error, "variable %lu is computed and cannot be set", (unsigned long)r);
  } else {
    return no_such(fmu, r);
  }
  return fmi3OK;
}

FMU_EXPORT fmi3Status fmi3SetFloat64(fmi3Instance instance, const fmi3ValueReference references[],
                                     size_t count, const fmi3Float64 values[], size_t value_count) {
  Fmu* const fmu = instance;
  size_t i;
  if (fmu_allow(fmu, "fmi3SetFloat64", FMU_ANY & ~FMU_IN(fmu_terminated))) return fmi3Error;
  if (count != value_count)
    return fmu_say(fmu, fmi3Error, "fmi3SetFloat64: %lu variables, but %lu values",
                   (unsigned long)count, (unsigned long)value_count);
  for (i = 0; i < count; ++i)
    if (set_value(fmu, references[i], values[i]) != fmi3OK) return fmi3Error;
  if (fmu->v.mode <= fmu_initialization) fmu_start_states(fmu);
  fmu_forget(fmu);
  return fmi3OK;
}

/* ------------------------------------------------------------------------------- derivatives */

/* Columns: states, inputs, time, parameters. */
enum { columns = FMU_NX + FMU_NU + 1 + FMU_NP, rows = 2 * FMU_NX + FMU_NY };

static int column_of(fmi3ValueReference r) {
  if (is_between(r, FMU_X0, FMU_NX)) return (int)r - FMU_X0;
  if (is_between(r, FMU_U0, FMU_NU)) return FMU_NX + (int)r - FMU_U0;
  if (r == 0) return FMU_NX + FMU_NU;
  if (is_between(r, FMU_P0, FMU_NP)) return FMU_NX + FMU_NU + 1 + (int)r - FMU_P0;
  return -1;
}

/* Rows: derivatives of the states, outputs, the states themselves. */
static int row_of(fmi3ValueReference r) {
  if (is_between(r, FMU_DX0, FMU_NX)) return (int)r - FMU_DX0;
  if (is_between(r, FMU_Y0, FMU_NY)) return FMU_NX + (int)r - FMU_Y0;
  if (is_between(r, FMU_X0, FMU_NX)) return FMU_NX + FMU_NY + (int)r - FMU_X0;
  return -1;
}

/* to += J from, or with the transpose of J: entries of a sparse part of it. */
static void add_part(const double* entries, int (*pattern)(const int**, const int**), int row0,
                     int column0, bool transposed, const double* from, double* to) {
  const int *row, *column;
  const int count = pattern(&row, &column);
  int k;
  for (k = 0; k < count; ++k) {
    const int i = row0 + row[k], j = column0 + column[k];
    if (transposed)
      to[j] += entries[k] * from[i];
    else
      to[i] += entries[k] * from[j];
  }
}

static void multiply(Fmu* fmu, bool transposed, bool with_parameters, const double* from,
                     double* to) {
  int i;
  fmu_fill_jacobian(fmu);
  add_part(fmu->jacobian, fmu_jacobian_pattern, 0, 0, transposed, from, to);
  add_part(fmu->output_jacobian, fmu_output_jacobian_pattern, FMU_NX, 0, transposed, from, to);
  for (i = 0; i < FMU_NX; ++i) {
    const int row = FMU_NX + FMU_NY + i;
    to[transposed ? i : row] += from[transposed ? row : i];
  }
  if (!with_parameters) return;
  fill_slopes(fmu);
  add_part(fmu->slopes, fmu_slopes_pattern, 0, FMU_NX + FMU_NU + 1, transposed, from, to);
  add_part(fmu->output_slopes, fmu_output_slopes_pattern, FMU_NX, FMU_NX + FMU_NU + 1, transposed,
           from, to);
}

static fmi3Status check_lists(Fmu* fmu, const char* function, const fmi3ValueReference unknowns[],
                              size_t unknown_count, const fmi3ValueReference knowns[],
                              size_t known_count, bool* with_parameters) {
  size_t i;
  if (fmu_allow(fmu, function, FMU_ANY & ~FMU_IN(fmu_instantiated))) return fmi3Error;
  *with_parameters = false;
  for (i = 0; i < unknown_count; ++i)
    if (row_of(unknowns[i]) < 0)
      return fmu_say(fmu, fmi3Error,
                     "%s: variable %lu is no unknown: neither an output nor the derivative of a "
                     "state",
                     function, (unsigned long)unknowns[i]);
  for (i = 0; i < known_count; ++i) {
    if (column_of(knowns[i]) < 0)
      return fmu_say(fmu, fmi3Error,
                     "%s: variable %lu is no known: neither a state, an input, a parameter nor the "
                     "time",
                     function, (unsigned long)knowns[i]);
    if (is_between(knowns[i], FMU_P0, FMU_NP)) *with_parameters = true;
  }
  return fmi3OK;
}

FMU_EXPORT fmi3Status fmi3GetDirectionalDerivative(
    fmi3Instance instance, const fmi3ValueReference unknowns[], size_t unknown_count,
    const fmi3ValueReference knowns[], size_t known_count, const fmi3Float64 seed[],
    size_t seed_count, fmi3Float64 sensitivity[], size_t sensitivity_count) {
  Fmu* const fmu = instance;
  double from[columns] = {0}, to[rows + 1] = {0};
  bool with_parameters;
  size_t i;
  if (check_lists(fmu, "fmi3GetDirectionalDerivative", unknowns, unknown_count, knowns, known_count,
                  &with_parameters))
    return fmi3Error;
  if (seed_count != known_count || sensitivity_count != unknown_count)
    return fmu_say(fmu, fmi3Error,
                   "fmi3GetDirectionalDerivative: as many seeds as knowns and as many "
                   "sensitivities as unknowns are expected");
  for (i = 0; i < known_count; ++i) from[column_of(knowns[i])] += seed[i];
  multiply(fmu, false, with_parameters, from, to);
  for (i = 0; i < unknown_count; ++i) sensitivity[i] = to[row_of(unknowns[i])];
  for (i = 0; i < unknown_count; ++i)
    if (!isfinite(sensitivity[i]))
      return fmu_say(fmu, fmi3Discard, "the derivatives have no value at t = %.9g", fmu->v.t);
  return fmi3OK;
}

FMU_EXPORT fmi3Status fmi3GetAdjointDerivative(
    fmi3Instance instance, const fmi3ValueReference unknowns[], size_t unknown_count,
    const fmi3ValueReference knowns[], size_t known_count, const fmi3Float64 seed[],
    size_t seed_count, fmi3Float64 sensitivity[], size_t sensitivity_count) {
  Fmu* const fmu = instance;
  double from[rows + 1] = {0}, to[columns] = {0};
  bool with_parameters;
  size_t i;
  if (check_lists(fmu, "fmi3GetAdjointDerivative", unknowns, unknown_count, knowns, known_count,
                  &with_parameters))
    return fmi3Error;
  if (seed_count != unknown_count || sensitivity_count != known_count)
    return fmu_say(fmu, fmi3Error,
                   "fmi3GetAdjointDerivative: as many seeds as unknowns and as many sensitivities "
                   "as knowns are expected");
  for (i = 0; i < unknown_count; ++i) from[row_of(unknowns[i])] += seed[i];
  multiply(fmu, true, with_parameters, from, to);
  for (i = 0; i < known_count; ++i) sensitivity[i] = to[column_of(knowns[i])];
  for (i = 0; i < known_count; ++i)
    if (!isfinite(sensitivity[i]))
      return fmu_say(fmu, fmi3Discard, "the derivatives have no value at t = %.9g", fmu->v.t);
  return fmi3OK;
}

/* dy/dt = (dy/dx) x' + dy/dt, inputs held. */
FMU_EXPORT fmi3Status fmi3GetOutputDerivatives(fmi3Instance instance,
                                               const fmi3ValueReference references[], size_t count,
                                               const fmi3Int32 orders[], fmi3Float64 values[],
                                               size_t value_count) {
  Fmu* const fmu = instance;
  double from[columns] = {0}, to[rows + 1] = {0};
  size_t i;
  if (fmu_allow(fmu, "fmi3GetOutputDerivatives", FMU_ANY & ~FMU_IN(fmu_instantiated)))
    return fmi3Error;
  if (count != value_count)
    return fmu_say(fmu, fmi3Error, "fmi3GetOutputDerivatives: %lu outputs, room for %lu values",
                   (unsigned long)count, (unsigned long)value_count);
  for (i = 0; i < count; ++i) {
    if (orders[i] != 1)
      return fmu_say(fmu, fmi3Error, "derivatives of outputs have order 1, not %ld",
                     (long)orders[i]);
    if (row_of(references[i]) < FMU_NX) return no_such(fmu, references[i]);
  }
  if (fmu_fill_rates(fmu)) return fmi3Discard;
  memcpy(from, fmu->xdot, FMU_NX * sizeof(double));
  from[FMU_NX + FMU_NU] = 1;
  multiply(fmu, false, false, from, to);
  for (i = 0; i < count; ++i) values[i] = to[row_of(references[i])];
  return fmi3OK;
}
