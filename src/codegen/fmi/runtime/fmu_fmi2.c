/* FMI 2.0: the functions of that standard, each by those of 3.0, which this FMU keeps for itself.
 * Numbers of states and of status are the same in both. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmu_fmi2.h"

typedef struct {
  Fmu* fmu;
  char* name;
  fmi2CallbackFunctions functions;
  bool has_tolerance, has_stop;
  double tolerance, start, stop;
} Component;

/* Functions whose names differ by more than the number. */
static const char* const fmu_other_names[][2] = {
    {"fmi3GetFloat64", "fmi2GetReal"},
    {"fmi3SetFloat64", "fmi2SetReal"},
    {"fmi3SetFMUState", "fmi2SetFMUstate"},
    {"fmi3GetFMUState", "fmi2GetFMUstate"},
    {"fmi3UpdateDiscreteStates", "fmi2NewDiscreteStates"},
    {"fmi3GetContinuousStateDerivatives", "fmi2GetDerivatives"},
    {"fmi3GetOutputDerivatives", "fmi2GetRealOutputDerivatives"},
    {"fmi3", "fmi2"}};

/* A message of the functions of 3.0, with the names of 2.0. */
static void pass_message(fmi3InstanceEnvironment environment, fmi3Status status,
                         fmi3String category, fmi3String message) {
  const Component* const c = environment;
  char text[640];
  size_t used = 0;
  if (!c->functions.logger) return;
  while (*message && used + 40 < sizeof text) {
    size_t k = 0, kinds = sizeof fmu_other_names / sizeof fmu_other_names[0];
    while (k < kinds && strncmp(message, fmu_other_names[k][0], strlen(fmu_other_names[k][0]))) ++k;
    if (k == kinds) {
      text[used++] = *message++;
      continue;
    }
    strcpy(text + used, fmu_other_names[k][1]);
    used += strlen(fmu_other_names[k][1]);
    message += strlen(fmu_other_names[k][0]);
  }
  text[used] = 0;
  c->functions.logger(c->functions.componentEnvironment, c->name, (fmi2Status)status, category,
                      "%s", text);
}

static Fmu* fmu_of(fmi2Component component) {
  return component ? ((Component*)component)->fmu : NULL;
}

static fmi2Status not_there(fmi2Component component, size_t count, const char* function,
                            const char* what) {
  Fmu* const fmu = fmu_of(component);
  if (!fmu) return fmi2Error;
  if (count == 0) return fmi2OK;
  return (fmi2Status)fmu_say(fmu, fmi3Error, "%s: this FMU has no %s", function, what);
}

/* ---------------------------------------------------------------------------------- instances */

FMU2_EXPORT const char* FMI2(GetTypesPlatform)(void) {
  return "default";
}

FMU2_EXPORT const char* FMI2(GetVersion)(void) {
  return "2.0";
}

FMU2_EXPORT void FMI2(FreeInstance)(fmi2Component component) {
  Component* const c = component;
  if (!c) return;
  fmi3FreeInstance(c->fmu);
  free(c->name);
  free(c);
}

FMU2_EXPORT fmi2Component FMI2(Instantiate)(fmi2String name, fmi2Type type, fmi2String guid,
                                            fmi2String resources,
                                            const fmi2CallbackFunctions* functions,
                                            fmi2Boolean visible, fmi2Boolean logging) {
  Component* const c = calloc(1, sizeof *c);
  if (!c) return NULL;
  if (functions) c->functions = *functions;
  if (name && (c->name = malloc(strlen(name) + 1))) strcpy(c->name, name);
  c->fmu =
      type == fmi2ModelExchange
          ? fmi3InstantiateModelExchange(name, guid, resources, visible, logging, c, pass_message)
          : fmi3InstantiateCoSimulation(name, guid, resources, visible, logging, false, false, NULL,
                                        0, c, pass_message, NULL);
  c->start = fmu_start_time;
  if (c->fmu && (c->name || !name)) return c;
  FMI2(FreeInstance)(c);
  return NULL;
}

FMU2_EXPORT fmi2Status FMI2(SetDebugLogging)(fmi2Component component, fmi2Boolean on, size_t count,
                                             const fmi2String categories[]) {
  return (fmi2Status)fmi3SetDebugLogging(fmu_of(component), on, count, categories);
}

FMU2_EXPORT fmi2Status FMI2(SetupExperiment)(fmi2Component component, fmi2Boolean has_tolerance,
                                             fmi2Real tolerance, fmi2Real start,
                                             fmi2Boolean has_stop, fmi2Real stop) {
  Component* const c = component;
  if (fmu_allow(fmu_of(c), "fmi2SetupExperiment", FMU_IN(fmu_instantiated))) return fmi2Error;
  c->has_tolerance = has_tolerance;
  c->tolerance = tolerance;
  c->start = start;
  c->has_stop = has_stop;
  c->stop = stop;
  return (fmi2Status)fmu_check_experiment(c->fmu, has_tolerance, tolerance, start, has_stop, stop);
}

FMU2_EXPORT fmi2Status FMI2(EnterInitializationMode)(fmi2Component component) {
  Component* const c = component;
  if (!c) return fmi2Error;
  return (fmi2Status)fmi3EnterInitializationMode(c->fmu, c->has_tolerance, c->tolerance, c->start,
                                                 c->has_stop, c->stop);
}

FMU2_EXPORT fmi2Status FMI2(ExitInitializationMode)(fmi2Component component) {
  return (fmi2Status)fmi3ExitInitializationMode(fmu_of(component));
}

FMU2_EXPORT fmi2Status FMI2(Terminate)(fmi2Component component) {
  return (fmi2Status)fmi3Terminate(fmu_of(component));
}

FMU2_EXPORT fmi2Status FMI2(Reset)(fmi2Component component) {
  Component* const c = component;
  if (!c) return fmi2Error;
  c->has_tolerance = c->has_stop = false;
  c->start = fmu_start_time;
  return (fmi2Status)fmi3Reset(c->fmu);
}

/* ------------------------------------------------------------------------------------- values */

FMU2_EXPORT fmi2Status FMI2(GetReal)(fmi2Component component, const fmi2ValueReference references[],
                                     size_t count, fmi2Real values[]) {
  return (fmi2Status)fmi3GetFloat64(fmu_of(component), references, count, values, count);
}

FMU2_EXPORT fmi2Status FMI2(SetReal)(fmi2Component component, const fmi2ValueReference references[],
                                     size_t count, const fmi2Real values[]) {
  return (fmi2Status)fmi3SetFloat64(fmu_of(component), references, count, values, count);
}

#define FMI2_TYPE_NOT_THERE(Type)                                                             \
  FMU2_EXPORT fmi2Status FMI2(Get##Type)(fmi2Component component,                             \
                                         const fmi2ValueReference references[], size_t count, \
                                         fmi2##Type values[]) {                               \
    (void)references, (void)values;                                                           \
    return not_there(component, count, "fmi2Get" #Type, "variables of the type " #Type);      \
  }                                                                                           \
  FMU2_EXPORT fmi2Status FMI2(Set##Type)(fmi2Component component,                             \
                                         const fmi2ValueReference references[], size_t count, \
                                         const fmi2##Type values[]) {                         \
    (void)references, (void)values;                                                           \
    return not_there(component, count, "fmi2Set" #Type, "variables of the type " #Type);      \
  }

FMI2_TYPE_NOT_THERE(Integer)
FMI2_TYPE_NOT_THERE(Boolean)
FMI2_TYPE_NOT_THERE(String)

FMU2_EXPORT fmi2Status FMI2(GetDirectionalDerivative)(fmi2Component component,
                                                      const fmi2ValueReference unknowns[],
                                                      size_t unknown_count,
                                                      const fmi2ValueReference knowns[],
                                                      size_t known_count, const fmi2Real seed[],
                                                      fmi2Real sensitivity[]) {
  return (fmi2Status)fmi3GetDirectionalDerivative(fmu_of(component), unknowns, unknown_count,
                                                  knowns, known_count, seed, known_count,
                                                  sensitivity, unknown_count);
}

/* ---------------------------------------------------------------------------- state as a whole */

FMU2_EXPORT fmi2Status FMI2(GetFMUstate)(fmi2Component component, fmi2FMUstate* state) {
  return (fmi2Status)fmi3GetFMUState(fmu_of(component), state);
}

FMU2_EXPORT fmi2Status FMI2(SetFMUstate)(fmi2Component component, fmi2FMUstate state) {
  return (fmi2Status)fmi3SetFMUState(fmu_of(component), state);
}

FMU2_EXPORT fmi2Status FMI2(FreeFMUstate)(fmi2Component component, fmi2FMUstate* state) {
  return (fmi2Status)fmi3FreeFMUState(fmu_of(component), state);
}

FMU2_EXPORT fmi2Status FMI2(SerializedFMUstateSize)(fmi2Component component, fmi2FMUstate state,
                                                    size_t* size) {
  return (fmi2Status)fmi3SerializedFMUStateSize(fmu_of(component), state, size);
}

FMU2_EXPORT fmi2Status FMI2(SerializeFMUstate)(fmi2Component component, fmi2FMUstate state,
                                               fmi2Byte bytes[], size_t size) {
  return (fmi2Status)fmi3SerializeFMUState(fmu_of(component), state, (fmi3Byte*)bytes, size);
}

FMU2_EXPORT fmi2Status FMI2(DeSerializeFMUstate)(fmi2Component component, const fmi2Byte bytes[],
                                                 size_t size, fmi2FMUstate* state) {
  return (fmi2Status)fmi3DeserializeFMUState(fmu_of(component), (const fmi3Byte*)bytes, size,
                                             state);
}

/* ----------------------------------------------------------------------------- model exchange */

FMU2_EXPORT fmi2Status FMI2(EnterEventMode)(fmi2Component component) {
  return (fmi2Status)fmi3EnterEventMode(fmu_of(component));
}

FMU2_EXPORT fmi2Status FMI2(NewDiscreteStates)(fmi2Component component, fmi2EventInfo* info) {
  fmi3Boolean again, terminate, nominals, values, timed;
  fmi3Float64 next;
  if (!info) return fmi2Error;
  if (fmi3UpdateDiscreteStates(fmu_of(component), &again, &terminate, &nominals, &values, &timed,
                               &next))
    return fmi2Error;
  info->newDiscreteStatesNeeded = again;
  info->terminateSimulation = terminate;
  info->nominalsOfContinuousStatesChanged = nominals;
  info->valuesOfContinuousStatesChanged = values;
  info->nextEventTimeDefined = timed;
  info->nextEventTime = next;
  return fmi2OK;
}

FMU2_EXPORT fmi2Status FMI2(EnterContinuousTimeMode)(fmi2Component component) {
  return (fmi2Status)fmi3EnterContinuousTimeMode(fmu_of(component));
}

FMU2_EXPORT fmi2Status FMI2(CompletedIntegratorStep)(fmi2Component component, fmi2Boolean no_return,
                                                     fmi2Boolean* enter_event_mode,
                                                     fmi2Boolean* terminate) {
  fmi3Boolean enter = false, end = false;
  const fmi3Status status = fmi3CompletedIntegratorStep(fmu_of(component), no_return, &enter, &end);
  if (enter_event_mode) *enter_event_mode = enter;
  if (terminate) *terminate = end;
  return (fmi2Status)status;
}

FMU2_EXPORT fmi2Status FMI2(SetTime)(fmi2Component component, fmi2Real time) {
  return (fmi2Status)fmi3SetTime(fmu_of(component), time);
}

FMU2_EXPORT fmi2Status FMI2(SetContinuousStates)(fmi2Component component, const fmi2Real states[],
                                                 size_t count) {
  return (fmi2Status)fmi3SetContinuousStates(fmu_of(component), states, count);
}

FMU2_EXPORT fmi2Status FMI2(GetContinuousStates)(fmi2Component component, fmi2Real states[],
                                                 size_t count) {
  return (fmi2Status)fmi3GetContinuousStates(fmu_of(component), states, count);
}

FMU2_EXPORT fmi2Status FMI2(GetDerivatives)(fmi2Component component, fmi2Real derivatives[],
                                            size_t count) {
  return (fmi2Status)fmi3GetContinuousStateDerivatives(fmu_of(component), derivatives, count);
}

FMU2_EXPORT fmi2Status FMI2(GetEventIndicators)(fmi2Component component, fmi2Real values[],
                                                size_t count) {
  return (fmi2Status)fmi3GetEventIndicators(fmu_of(component), values, count);
}

FMU2_EXPORT fmi2Status FMI2(GetNominalsOfContinuousStates)(fmi2Component component,
                                                           fmi2Real nominals[], size_t count) {
  return (fmi2Status)fmi3GetNominalsOfContinuousStates(fmu_of(component), nominals, count);
}

/* ------------------------------------------------------------------------------ co-simulation */

FMU2_EXPORT fmi2Status FMI2(SetRealInputDerivatives)(fmi2Component component,
                                                     const fmi2ValueReference references[],
                                                     size_t count, const fmi2Integer orders[],
                                                     const fmi2Real values[]) {
  (void)references, (void)orders, (void)values;
  return not_there(component, count, "fmi2SetRealInputDerivatives",
                   "interpolation of inputs, which are held between communication points");
}

FMU2_EXPORT fmi2Status FMI2(GetRealOutputDerivatives)(fmi2Component component,
                                                      const fmi2ValueReference references[],
                                                      size_t count, const fmi2Integer orders[],
                                                      fmi2Real values[]) {
  return (fmi2Status)fmi3GetOutputDerivatives(fmu_of(component), references, count, orders, values,
                                              count);
}

/* A step that an event of the model ends is discarded: fmi2GetRealStatus tells how far it came,
 * fmi2GetBooleanStatus that the simulation has ended. */
FMU2_EXPORT fmi2Status FMI2(DoStep)(fmi2Component component, fmi2Real point, fmi2Real length,
                                    fmi2Boolean no_return) {
  fmi3Boolean event = false, terminate = false, early = false;
  fmi3Float64 last = 0;
  const fmi3Status status =
      fmi3DoStep(fmu_of(component), point, length, no_return, &event, &terminate, &early, &last);
  return status == fmi3OK && terminate ? fmi2Discard : (fmi2Status)status;
}

FMU2_EXPORT fmi2Status FMI2(CancelStep)(fmi2Component component) {
  return not_there(component, 1, "fmi2CancelStep", "steps that go on in the background");
}

FMU2_EXPORT fmi2Status FMI2(GetStatus)(fmi2Component component, fmi2StatusKind kind,
                                       fmi2Status* status) {
  (void)kind, (void)status;
  return not_there(component, 1, "fmi2GetStatus", "steps that go on in the background");
}

FMU2_EXPORT fmi2Status FMI2(GetRealStatus)(fmi2Component component, fmi2StatusKind kind,
                                           fmi2Real* value) {
  const Fmu* const fmu = fmu_of(component);
  if (!fmu || kind != fmi2LastSuccessfulTime || !value)
    return not_there(component, 1, "fmi2GetRealStatus", "number of that kind");
  *value = fmu->v.t;
  return fmi2OK;
}

FMU2_EXPORT fmi2Status FMI2(GetIntegerStatus)(fmi2Component component, fmi2StatusKind kind,
                                              fmi2Integer* value) {
  (void)kind, (void)value;
  return not_there(component, 1, "fmi2GetIntegerStatus", "number of that kind");
}

FMU2_EXPORT fmi2Status FMI2(GetBooleanStatus)(fmi2Component component, fmi2StatusKind kind,
                                              fmi2Boolean* value) {
  const Fmu* const fmu = fmu_of(component);
  if (!fmu || kind != fmi2Terminated || !value)
    return not_there(component, 1, "fmi2GetBooleanStatus", "value of that kind");
  *value = fmu->v.ended != 0;
  return fmi2OK;
}

FMU2_EXPORT fmi2Status FMI2(GetStringStatus)(fmi2Component component, fmi2StatusKind kind,
                                             fmi2String* value) {
  (void)kind, (void)value;
  return not_there(component, 1, "fmi2GetStringStatus", "steps that go on in the background");
}
