/* Quaternions of unit length, and constraints kept:
 *   positions  M d = J^T mu,  J d = -g,        q moved by d
 *   speeds     M d = J^T mu,  J d = -(y - b),  v + d
 * the smallest mass-weighted change. Driven joints are put where their drive wants them first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fmu.h"

void fmu_normalise(double* x) {
  int i, k;
  for (i = 0; i < FMU_QUATERNIONS; ++i) {
    double* const u = x + fmu_quaternions[i];
    const double length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3]);
    for (k = 0; k < 4 && length > 0; ++k) u[k] /= length;
  }
}

static void place_driven(double t, double* x, const double* p, const double* u) {
  double values[FMU_SIZE(FMU_DRIVES)];
  int i;
  if (FMU_DRIVES == 0) return;
  fmu_drives(t, x, p, u, values);
  for (i = 0; i < FMU_DRIVES; ++i) x[fmu_drive_places[i]] = values[i];
}

#if FMU_NG == 0

bool fmu_project(double t, double* x, const double* p, const double* u) {
  place_driven(t, x, p, u);
  return true;
}

#else

enum { size = FMU_NV + FMU_NG };

typedef struct {
  double mass[FMU_NV * FMU_NV], rows[FMU_NG * FMU_NV], residual[FMU_NG];
  double matrix[size * size], change[size];
  double x[FMU_NX], rates[FMU_NQ];
} Scratch;

static double largest(const double* values, int count) {
  double most = 0;
  int i;
  for (i = 0; i < count; ++i) most = isfinite(values[i]) ? fmax(most, fabs(values[i])) : INFINITY;
  return most;
}

/* matrix change = change, elimination with partial pivoting. */
static bool solve(double* a, double* b) {
  int i, j, k;
  for (k = 0; k < size; ++k) {
    int pivot = k;
    for (i = k + 1; i < size; ++i)
      if (fabs(a[i * size + k]) > fabs(a[pivot * size + k])) pivot = i;
    if (!(fabs(a[pivot * size + k]) > 0)) return false;
    if (pivot != k) {
      double held = b[k];
      b[k] = b[pivot];
      b[pivot] = held;
      for (j = k; j < size; ++j) {
        held = a[k * size + j];
        a[k * size + j] = a[pivot * size + j];
        a[pivot * size + j] = held;
      }
    }
    for (i = k + 1; i < size; ++i) {
      const double factor = a[i * size + k] / a[k * size + k];
      if (factor == 0) continue;
      for (j = k + 1; j < size; ++j) a[i * size + j] -= factor * a[k * size + j];
      b[i] -= factor * b[k];
    }
  }
  for (k = size - 1; k >= 0; --k) {
    for (j = k + 1; j < size; ++j) b[k] -= a[k * size + j] * b[j];
    b[k] /= a[k * size + k];
  }
  return true;
}

/* The least change with J d = -residual, into s->change. */
static bool find_change(double t, const double* x, const double* p, const double* u, Scratch* s) {
  int i, j;
  fmu_constraint_matrices(t, x, p, u, s->mass, s->rows);
  for (i = 0; i < FMU_DRIVEN; ++i) {
    const int driven = fmu_driven[i];
    for (j = 0; j < FMU_NV; ++j) {
      s->mass[driven * FMU_NV + j] = 0;
      s->mass[j * FMU_NV + driven] = 0;
    }
    for (j = 0; j < FMU_NG; ++j) s->rows[j * FMU_NV + driven] = 0;
    s->mass[driven * FMU_NV + driven] = 1;
  }
  memset(s->matrix, 0, sizeof s->matrix);
  memset(s->change, 0, sizeof s->change);
  for (i = 0; i < FMU_NV; ++i)
    for (j = 0; j < FMU_NV; ++j) s->matrix[i * size + j] = s->mass[i * FMU_NV + j];
  for (i = 0; i < FMU_NG; ++i) {
    for (j = 0; j < FMU_NV; ++j) {
      s->matrix[(FMU_NV + i) * size + j] = s->rows[i * FMU_NV + j];
      s->matrix[j * size + FMU_NV + i] = -s->rows[i * FMU_NV + j];
    }
    s->change[FMU_NV + i] = -s->residual[i];
  }
  return solve(s->matrix, s->change) && fmu_is_finite(s->change, FMU_NV);
}

/* q moved by the rates that the change would make, were it speeds. */
static void move(double t, double* x, const double* p, const double* u, Scratch* s) {
  int i;
  memcpy(s->x, x, sizeof s->x);
  memcpy(s->x + FMU_NQ, s->change, FMU_NV * sizeof(double));
  fmu_coordinate_rates(t, s->x, p, u, s->rates);
  for (i = 0; i < FMU_NQ; ++i) x[i] += s->rates[i];
  fmu_normalise(x);
}

static bool project(double t, double* x, const double* p, const double* u, Scratch* s) {
  double kept[FMU_NX], violation, now;
  const double goal = 16 * FMU_EPSILON * fmax(1, largest(x, FMU_NX));
  int k, i;
  fmu_constraint_positions(t, x, p, u, s->residual);
  violation = largest(s->residual, FMU_NG);
  for (k = 0; k < 20 && violation > goal; ++k) {
    memcpy(kept, x, sizeof kept);
    if (!find_change(t, x, p, u, s)) return false;
    move(t, x, p, u, s);
    fmu_constraint_positions(t, x, p, u, s->residual);
    now = largest(s->residual, FMU_NG);
    if (!(now < violation)) { /* rounding: the earlier position was as good */
      memcpy(x, kept, sizeof kept);
      break;
    }
    violation = now;
  }
  if (!(violation < 1e-6)) return false;
  fmu_constraint_speeds(t, x, p, u, s->residual);
  violation = largest(s->residual, FMU_NG);
  for (k = 0; k < 2 && violation > goal; ++k) {
    if (!find_change(t, x, p, u, s)) return false;
    for (i = 0; i < FMU_NV; ++i) x[FMU_NQ + i] += s->change[i];
    fmu_constraint_speeds(t, x, p, u, s->residual);
    violation = largest(s->residual, FMU_NG);
  }
  return violation < 1e-6 * fmax(1, largest(x, FMU_NX));
}

bool fmu_project(double t, double* x, const double* p, const double* u) {
  Scratch* const scratch = malloc(sizeof *scratch);
  bool done;
  place_driven(t, x, p, u);
  done = scratch && project(t, x, p, u, scratch);
  free(scratch);
  return done;
}

#endif
