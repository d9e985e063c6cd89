/* Types and functions of the Functional Mock-up Interface 3.0, as the standard defines them, in
 * Cartan's own words: an FMU compiles without the standard's headers. */
#ifndef FMU_API_H
#define FMU_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fmu_model.h"

typedef void* fmi3Instance;
typedef void* fmi3InstanceEnvironment;
typedef void* fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean;
typedef const char* fmi3String;
typedef uint8_t fmi3Byte;
typedef const fmi3Byte* fmi3Binary;
typedef bool fmi3Clock;

typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum {
  fmi3Independent,
  fmi3Constant,
  fmi3Fixed,
  fmi3Tunable,
  fmi3Discrete,
  fmi3Dependent
} fmi3DependencyKind;
typedef enum {
  fmi3IntervalNotYetKnown,
  fmi3IntervalUnchanged,
  fmi3IntervalChanged
} fmi3IntervalQualifier;

typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment environment, fmi3Status status,
                                       fmi3String category, fmi3String message);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment environment);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment environment,
                                               fmi3Float64 time, fmi3Boolean set_requested,
                                               fmi3Boolean get_allowed, fmi3Boolean step_finished,
                                               fmi3Boolean can_return_early,
                                               fmi3Boolean* return_requested,
                                               fmi3Float64* return_time);
typedef void (*fmi3LockPreemptionCallback)(void);
typedef void (*fmi3UnlockPreemptionCallback)(void);

#if defined(_WIN32)
#define FMU_VISIBLE __declspec(dllexport)
#elif defined(__GNUC__)
#define FMU_VISIBLE __attribute__((visibility("default")))
#else
#define FMU_VISIBLE
#endif

/* In an FMU of FMI 2.0 its functions (fmu_fmi2.c) call those of 3.0, which no one else sees. */
#if FMU_VERSION == 3
#define FMU_EXPORT FMU_VISIBLE
#else
#define FMU_EXPORT
#define FMU2_EXPORT FMU_VISIBLE
#endif

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources,
                                          fmi3Boolean visible, fmi3Boolean logging,
                                          fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback log_message);
fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
    fmi3Boolean logging, fmi3Boolean event_mode_used, fmi3Boolean early_return_allowed,
    const fmi3ValueReference intermediate[], size_t intermediate_count,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback log_message,
    fmi3IntermediateUpdateCallback intermediate_update);
void fmi3FreeInstance(fmi3Instance instance);
fmi3Status fmi3SetDebugLogging(fmi3Instance instance, fmi3Boolean on, size_t count,
                               const fmi3String categories[]);
fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean has_tolerance,
                                       fmi3Float64 tolerance, fmi3Float64 start,
                                       fmi3Boolean has_stop, fmi3Float64 stop);
fmi3Status fmi3ExitInitializationMode(fmi3Instance instance);
fmi3Status fmi3EnterEventMode(fmi3Instance instance);
fmi3Status fmi3Terminate(fmi3Instance instance);
fmi3Status fmi3Reset(fmi3Instance instance);
fmi3Status fmi3GetFloat64(fmi3Instance instance, const fmi3ValueReference references[],
                          size_t count, fmi3Float64 values[], size_t value_count);
fmi3Status fmi3SetFloat64(fmi3Instance instance, const fmi3ValueReference references[],
                          size_t count, const fmi3Float64 values[], size_t value_count);
fmi3Status fmi3GetFMUState(fmi3Instance instance, fmi3FMUState* state);
fmi3Status fmi3SetFMUState(fmi3Instance instance, fmi3FMUState state);
fmi3Status fmi3FreeFMUState(fmi3Instance instance, fmi3FMUState* state);
fmi3Status fmi3SerializedFMUStateSize(fmi3Instance instance, fmi3FMUState state, size_t* size);
fmi3Status fmi3SerializeFMUState(fmi3Instance instance, fmi3FMUState state, fmi3Byte bytes[],
                                 size_t size);
fmi3Status fmi3DeserializeFMUState(fmi3Instance instance, const fmi3Byte bytes[], size_t size,
                                   fmi3FMUState* state);
fmi3Status fmi3GetDirectionalDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[],
                                        size_t unknown_count, const fmi3ValueReference knowns[],
                                        size_t known_count, const fmi3Float64 seed[],
                                        size_t seed_count, fmi3Float64 sensitivity[],
                                        size_t sensitivity_count);
fmi3Status fmi3UpdateDiscreteStates(fmi3Instance instance, fmi3Boolean* again,
                                    fmi3Boolean* terminate, fmi3Boolean* nominals_changed,
                                    fmi3Boolean* values_changed, fmi3Boolean* next_time_defined,
                                    fmi3Float64* next_time);
fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance instance);
fmi3Status fmi3CompletedIntegratorStep(fmi3Instance instance, fmi3Boolean no_return,
                                       fmi3Boolean* enter_event_mode, fmi3Boolean* terminate);
fmi3Status fmi3SetTime(fmi3Instance instance, fmi3Float64 time);
fmi3Status fmi3SetContinuousStates(fmi3Instance instance, const fmi3Float64 states[], size_t count);
fmi3Status fmi3GetContinuousStates(fmi3Instance instance, fmi3Float64 states[], size_t count);
fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance instance, fmi3Float64 derivatives[],
                                             size_t count);
fmi3Status fmi3GetEventIndicators(fmi3Instance instance, fmi3Float64 values[], size_t count);
fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance instance, fmi3Float64 nominals[],
                                             size_t count);
fmi3Status fmi3GetOutputDerivatives(fmi3Instance instance, const fmi3ValueReference references[],
                                    size_t count, const fmi3Int32 orders[], fmi3Float64 values[],
                                    size_t value_count);
fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 point, fmi3Float64 length,
                      fmi3Boolean no_return, fmi3Boolean* event_handling_needed,
                      fmi3Boolean* terminate, fmi3Boolean* early_return, fmi3Float64* last_time);

#endif
