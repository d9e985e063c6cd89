/* Model exchange: the importer integrates. */
#include <math.h>
#include <string.h>

#include "fmu.h"

static fmi3Status check_count(Fmu* fmu, const char* function, size_t count) {
  if (count == FMU_NX) return fmi3OK;
  return fmu_say(fmu, fmi3Error, "%s: there are %d continuous states, not %lu", function, FMU_NX,
                 (unsigned long)count);
}

static fmi3Status of_exchange(Fmu* fmu, const char* function, unsigned modes) {
  if (fmu_allow(fmu, function, modes)) return fmi3Error;
  if (!fmu->co_simulation) return fmi3OK;
  return fmu_say(fmu, fmi3Error, "%s belongs to model exchange; this is a co-simulation", function);
}

FMU_EXPORT fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance instance) {
  Fmu* const fmu = instance;
  if (of_exchange(fmu, "fmi3EnterContinuousTimeMode", FMU_IN(fmu_event))) return fmi3Error;
  fmu->v.mode = fmu_continuous;
  return fmi3OK;
}

FMU_EXPORT fmi3Status fmi3SetTime(fmi3Instance instance, fmi3Float64 time) {
  Fmu* const fmu = instance;
  if (of_exchange(fmu, "fmi3SetTime", FMU_IN(fmu_continuous) | FMU_IN(fmu_event))) return fmi3Error;
  if (!isfinite(time)) return fmu_say(fmu, fmi3Error, "the time cannot be set to %g", time);
  fmu->v.t = time;
  fmu_forget(fmu);
  return fmi3OK;
}

FMU_EXPORT fmi3Status fmi3SetContinuousStates(fmi3Instance instance, const fmi3Float64 states[],
                                              size_t count) {
  Fmu* const fmu = instance;
  if (of_exchange(fmu, "fmi3SetContinuousStates", FMU_IN(fmu_continuous)) ||
      check_count(fmu, "fmi3SetContinuousStates", count))
    return fmi3Error;
  if (!fmu_is_finite(states, FMU_NX))
    return fmu_say(fmu, fmi3Discard, "fmi3SetContinuousStates: a state is not a finite number");
  memcpy(fmu->v.x, states, FMU_NX * sizeof(double));
  fmu_forget(fmu);
  return fmi3OK;
}

FMU_EXPORT fmi3Status fmi3GetContinuousStates(fmi3Instance instance, fmi3Float64 states[],
                                              size_t count) {
  Fmu* const fmu = instance;
  if (fmu_allow(fmu, "fmi3GetContinuousStates", FMU_ANY & ~FMU_IN(fmu_instantiated)) ||
      check_count(fmu, "fmi3GetContinuousStates", count))
    return fmi3Error;
  memcpy(states, fmu->v.x, FMU_NX * sizeof(double));
  return fmi3OK;
}

FMU_EXPORT fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance instance,
                                                        fmi3Float64 derivatives[], size_t count) {
  Fmu* const fmu = instance;
  if (fmu_allow(fmu, "fmi3GetContinuousStateDerivatives", FMU_ANY & ~FMU_IN(fmu_instantiated)) ||
      check_count(fmu, "fmi3GetContinuousStateDerivatives", count))
    return fmi3Error;
  if (fmu_fill_rates(fmu)) return fmi3Discard;
  memcpy(derivatives, fmu->xdot, FMU_NX * sizeof(double));
  return fmi3OK;
}

FMU_EXPORT fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance instance,
                                                        fmi3Float64 nominals[], size_t count) {
  Fmu* const fmu = instance;
  int i;
  if (fmu_allow(fmu, "fmi3GetNominalsOfContinuousStates", FMU_ANY & ~FMU_IN(fmu_instantiated)) ||
      check_count(fmu, "fmi3GetNominalsOfContinuousStates", count))
    return fmi3Error;
  for (i = 0; i < FMU_NX; ++i) nominals[i] = 1;
  return fmi3OK;
}

FMU_EXPORT fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance instance, size_t* count) {
  if (!instance || !count) return fmi3Error;
  *count = FMU_NX;
  return fmi3OK;
}
