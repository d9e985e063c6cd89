/* Instances: how they come and go, their modes, their state as a whole. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmu.h"

static const char* const fmu_mode_names[] = {"before initialization", "in initialization mode",
                                             "in event mode",         "in continuous-time mode",
                                             "in step mode",          "after its end"};

fmi3Status fmu_say(Fmu* fmu, fmi3Status status, const char* format, ...) {
  char text[512];
  va_list arguments;
  if (!fmu->log_message || (status < fmi3Discard && !fmu->logging)) return status;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fmu->log_message(fmu->environment, status,
                   status == fmi3OK        ? "logEvents"
                   : status == fmi3Warning ? "logStatusWarning"
                   : status == fmi3Discard ? "logStatusDiscard"
                                           : "logStatusError",
                   text);
  return status;
}

fmi3Status fmu_allow(Fmu* fmu, const char* function, unsigned modes) {
  if (!fmu) return fmi3Error;
  if (modes & FMU_IN(fmu->v.mode)) return fmi3OK;
  return fmu_say(fmu, fmi3Error, "%s cannot be called %s", function, fmu_mode_names[fmu->v.mode]);
}

void fmu_forget(Fmu* fmu) {
  fmu->rates_known = fmu->outputs_known = fmu->jacobian_known = fmu->slopes_known = false;
}

static void set_defaults(Fmu* fmu) {
  memset(&fmu->v, 0, sizeof fmu->v);
  memcpy(fmu->v.x, fmu_start_x, FMU_NX * sizeof(double));
  memcpy(fmu->v.u, fmu_start_u, FMU_NU * sizeof(double));
  memcpy(fmu->v.p, fmu_start_p, FMU_NP * sizeof(double));
  fmu->v.t = fmu_start_time;
  fmu->v.mode = fmu_instantiated;
  fmu->tolerance = fmu_tolerance;
  fmu->stop_time = INFINITY;
  fmu_forget(fmu);
  fmu_choose_branches(fmu);
}

static Fmu* make_fmu(fmi3String name, fmi3String token, fmi3Boolean logging,
                     fmi3InstanceEnvironment environment, fmi3LogMessageCallback log_message) {
  Fmu first = {0};
  Fmu* fmu;
  first.environment = environment;
  first.log_message = log_message;
  if (!token || strcmp(token, FMU_TOKEN) != 0) {
    fmu_say(&first, fmi3Error,
            "the instantiation token is not that of this FMU: modelDescription.xml and the library "
            "do not belong together");
    return NULL;
  }
  fmu = calloc(1, sizeof *fmu);
  if (fmu && name && (fmu->name = malloc(strlen(name) + 1))) strcpy(fmu->name, name);
  if (!fmu || (name && !fmu->name)) {
    fmu_say(&first, fmi3Error, "there is no memory for another instance");
    free(fmu);
    return NULL;
  }
  fmu->environment = environment;
  fmu->log_message = log_message;
  fmu->logging = logging;
  set_defaults(fmu);
  return fmu;
}

FMU_EXPORT const char* fmi3GetVersion(void) {
  return "3.0";
}

FMU_EXPORT fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token,
                                                     fmi3String resources, fmi3Boolean visible,
                                                     fmi3Boolean logging,
                                                     fmi3InstanceEnvironment environment,
                                                     fmi3LogMessageCallback log_message) {
  (void)resources, (void)visible;
  return make_fmu(name, token, logging, environment, log_message);
}

FMU_EXPORT fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
    fmi3Boolean logging, fmi3Boolean event_mode_used, fmi3Boolean early_return_allowed,
    const fmi3ValueReference intermediate[], size_t intermediate_count,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback log_message,
    fmi3IntermediateUpdateCallback intermediate_update) {
  Fmu* const fmu = make_fmu(name, token, logging, environment, log_message);
  (void)resources, (void)visible, (void)intermediate, (void)intermediate_count;
  if (!fmu) return NULL;
  fmu->co_simulation = true;
  fmu->event_mode_used = event_mode_used;
  fmu->early_return_allowed = early_return_allowed;
  fmu->intermediate_update = intermediate_update;
  return fmu;
}

FMU_EXPORT fmi3Instance fmi3InstantiateScheduledExecution(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
    fmi3Boolean logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log_message,
    fmi3ClockUpdateCallback clock_update, fmi3LockPreemptionCallback lock,
    fmi3UnlockPreemptionCallback unlock) {
  Fmu first = {0};
  (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)clock_update,
      (void)lock, (void)unlock;
  first.environment = environment;
  first.log_message = log_message;
  fmu_say(&first, fmi3Error,
          "this FMU has no clocks and no scheduled execution: use model exchange or co-simulation");
  return NULL;
}

FMU_EXPORT void fmi3FreeInstance(fmi3Instance instance) {
  Fmu* const fmu = instance;
  if (!fmu) return;
  free(fmu->name);
  free(fmu->work);
  free(fmu);
}

FMU_EXPORT fmi3Status fmi3SetDebugLogging(fmi3Instance instance, fmi3Boolean on, size_t count,
                                          const fmi3String categories[]) {
  Fmu* const fmu = instance;
  size_t i;
  if (!fmu) return fmi3Error;
  for (i = 0; i < count; ++i)
    if (!categories[i] ||
        (strcmp(categories[i], "logEvents") && strncmp(categories[i], "logStatus", 9)))
      return fmu_say(fmu, fmi3Error, "there is no category '%s' of messages",
                     categories[i] ? categories[i] : "");
  fmu->logging = on;
  return fmi3OK;
}

fmi3Status fmu_check_experiment(Fmu* fmu, bool has_tolerance, double tolerance, double start,
                                bool has_stop, double stop) {
  if (!isfinite(start) || (has_stop && !(stop >= start)))
    return fmu_say(fmu, fmi3Error, "the times of the simulation, %g to %g, are not in order", start,
                   stop);
  if (has_tolerance && !(tolerance > 0))
    return fmu_say(fmu, fmi3Error, "the tolerance must be positive, got %g", tolerance);
  return fmi3OK;
}

FMU_EXPORT fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean has_tolerance,
                                                  fmi3Float64 tolerance, fmi3Float64 start,
                                                  fmi3Boolean has_stop, fmi3Float64 stop) {
  Fmu* const fmu = instance;
  if (fmu_allow(fmu, "fmi3EnterInitializationMode", FMU_IN(fmu_instantiated))) return fmi3Error;
  if (fmu_check_experiment(fmu, has_tolerance, tolerance, start, has_stop, stop)) return fmi3Error;
  if (has_tolerance) fmu->tolerance = tolerance < 1e-14 ? 1e-14 : tolerance;
  fmu->v.t = start;
  fmu->stop_time = has_stop ? stop : INFINITY;
  fmu->v.mode = fmu_initialization;
  fmu_start_states(fmu);
  return fmi3OK;
}

FMU_EXPORT fmi3Status fmi3ExitInitializationMode(fmi3Instance instance) {
  Fmu* const fmu = instance;
  if (fmu_allow(fmu, "fmi3ExitInitializationMode", FMU_IN(fmu_initialization))) return fmi3Error;
  fmu_start_states(fmu);
  fmu_normalise(fmu->v.x);
  if ((fmu->v.changed || fmu->v.t != fmu_start_time) &&
      !fmu_project(fmu->v.t, fmu->v.x, fmu->v.p, fmu->v.u))
    return fmu_say(fmu, fmi3Error,
                   "no start near the given one satisfies the constraints of the mechanism: its "
                   "parts do not fit together with these parameters");
  fmu_choose_branches(fmu);
  if (fmu_fill_rates(fmu)) return fmi3Error;
  fmu_take_sides(fmu);
  fmu->v.mode = fmu->co_simulation && !fmu->event_mode_used ? fmu_step : fmu_event;
  return fmi3OK;
}

FMU_EXPORT fmi3Status fmi3EnterEventMode(fmi3Instance instance) {
  Fmu* const fmu = instance;
  if (fmu_allow(fmu, "fmi3EnterEventMode", FMU_IN(fmu_continuous) | FMU_IN(fmu_step)))
    return fmi3Error;
  if (fmu->co_simulation && !fmu->event_mode_used)
    return fmu_say(fmu, fmi3Error,
                   "event mode was declined when the FMU was instantiated (eventModeUsed)");
  fmu->v.mode = fmu_event;
  return fmi3OK;
}

FMU_EXPORT fmi3Status fmi3Terminate(fmi3Instance instance) {
  Fmu* const fmu = instance;
  if (fmu_allow(fmu, "fmi3Terminate",
                FMU_IN(fmu_event) | FMU_IN(fmu_continuous) | FMU_IN(fmu_step)))
    return fmi3Error;
  fmu->v.mode = fmu_terminated;
  return fmi3OK;
}

FMU_EXPORT fmi3Status fmi3Reset(fmi3Instance instance) {
  Fmu* const fmu = instance;
  if (!fmu) return fmi3Error;
  set_defaults(fmu);
  return fmi3OK;
}

/* ---------------------------------------------------------------------------- state as a whole */

FMU_EXPORT fmi3Status fmi3GetFMUState(fmi3Instance instance, fmi3FMUState* state) {
  Fmu* const fmu = instance;
  if (!fmu || !state) return fmi3Error;
  if (!*state) *state = malloc(sizeof(FmuValues));
  if (!*state) return fmu_say(fmu, fmi3Error, "there is no memory for a copy of the state");
  memcpy(*state, &fmu->v, sizeof(FmuValues));
  return fmi3OK;
}

FMU_EXPORT fmi3Status fmi3SetFMUState(fmi3Instance instance, fmi3FMUState state) {
  Fmu* const fmu = instance;
  if (!fmu) return fmi3Error;
  if (!state) return fmu_say(fmu, fmi3Error, "fmi3SetFMUState needs a state of fmi3GetFMUState");
  memcpy(&fmu->v, state, sizeof(FmuValues));
  fmu_forget(fmu);
  return fmi3OK;
}

FMU_EXPORT fmi3Status fmi3FreeFMUState(fmi3Instance instance, fmi3FMUState* state) {
  if (!instance) return fmi3Error;
  if (state) {
    free(*state);
    *state = NULL;
  }
  return fmi3OK;
}

/* The token comes first, so that a state of another FMU is refused. */
enum { token_size = sizeof FMU_TOKEN };

FMU_EXPORT fmi3Status fmi3SerializedFMUStateSize(fmi3Instance instance, fmi3FMUState state,
                                                 size_t* size) {
  if (!instance || !state || !size) return fmi3Error;
  *size = token_size + sizeof(FmuValues);
  return fmi3OK;
}

FMU_EXPORT fmi3Status fmi3SerializeFMUState(fmi3Instance instance, fmi3FMUState state,
                                            fmi3Byte bytes[], size_t size) {
  Fmu* const fmu = instance;
  if (!fmu) return fmi3Error;
  if (!state || !bytes || size != token_size + sizeof(FmuValues))
    return fmu_say(fmu, fmi3Error, "a serialized state takes %lu bytes, there is room for %lu",
                   (unsigned long)(token_size + sizeof(FmuValues)), (unsigned long)size);
  memcpy(bytes, FMU_TOKEN, token_size);
  memcpy(bytes + token_size, state, sizeof(FmuValues));
  return fmi3OK;
}

FMU_EXPORT fmi3Status fmi3DeserializeFMUState(fmi3Instance instance, const fmi3Byte bytes[],
                                              size_t size, fmi3FMUState* state) {
  Fmu* const fmu = instance;
  int32_t mode;
  if (!fmu || !state) return fmi3Error;
  if (!bytes || size != token_size + sizeof(FmuValues) || memcmp(bytes, FMU_TOKEN, token_size) != 0)
    return fmu_say(fmu, fmi3Error, "these bytes are no serialized state of this FMU");
  if (!*state) *state = malloc(sizeof(FmuValues));
  if (!*state) return fmu_say(fmu, fmi3Error, "there is no memory for a copy of the state");
  memcpy(*state, bytes + token_size, sizeof(FmuValues));
  mode = ((FmuValues*)*state)->mode;
  if (mode >= fmu_instantiated && mode <= fmu_terminated) return fmi3OK;
  free(*state);
  *state = NULL;
  return fmu_say(fmu, fmi3Error, "the bytes of the serialized state are damaged");
}
