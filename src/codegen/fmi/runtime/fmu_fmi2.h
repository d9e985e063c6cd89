/* Types of the Functional Mock-up Interface 2.0, as the standard defines them, in Cartan's own
 * words. */
#ifndef FMU_FMI2_H
#define FMU_FMI2_H

#include "fmu.h"

typedef void *fmi2Component, *fmi2ComponentEnvironment, *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer, fmi2Boolean;
typedef char fmi2Char, fmi2Byte;
typedef const fmi2Char* fmi2String;

typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum {
  fmi2DoStepStatus,
  fmi2PendingStatus,
  fmi2LastSuccessfulTime,
  fmi2Terminated
} fmi2StatusKind;

typedef struct {
  void (*logger)(fmi2ComponentEnvironment environment, fmi2String instance, fmi2Status status,
                 fmi2String category, fmi2String message, ...);
  void* (*allocateMemory)(size_t count, size_t size);
  void (*freeMemory)(void* memory);
  void (*stepFinished)(fmi2ComponentEnvironment environment, fmi2Status status);
  fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;

typedef struct {
  fmi2Boolean newDiscreteStatesNeeded;
  fmi2Boolean terminateSimulation;
  fmi2Boolean nominalsOfContinuousStatesChanged;
  fmi2Boolean valuesOfContinuousStatesChanged;
  fmi2Boolean nextEventTimeDefined;
  fmi2Real nextEventTime;
} fmi2EventInfo;

/* Code that is linked and not loaded may ask for a prefix of the names. */
#ifdef FMI2_FUNCTION_PREFIX
#define FMI2_JOIN(prefix, name) prefix##name
#define FMI2_JOINED(prefix, name) FMI2_JOIN(prefix, name)
#define FMI2(name) FMI2_JOINED(FMI2_FUNCTION_PREFIX, fmi2##name)
#else
#define FMI2(name) fmi2##name
#endif

#endif
