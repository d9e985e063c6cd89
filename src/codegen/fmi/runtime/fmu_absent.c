/* Functions of the standard that this FMU has no use for: it has no variables of other types than
 * Float64, no clocks, no structural parameters. Nothing asked of them is a success; everything else
 * is an error that says so. */
#include "fmu.h"

static fmi3Status absent(fmi3Instance instance, size_t count, const char* function,
                         const char* what) {
  if (!instance) return fmi3Error;
  if (count == 0) return fmi3OK;
  return fmu_say(instance, fmi3Error, "%s: this FMU has no %s", function, what);
}

#define ABSENT_TYPE(Type)                                                                  \
  FMU_EXPORT fmi3Status fmi3Get##Type(fmi3Instance instance,                               \
                                      const fmi3ValueReference references[], size_t count, \
                                      fmi3##Type values[], size_t value_count) {           \
    (void)references, (void)values, (void)value_count;                                     \
    return absent(instance, count, "fmi3Get" #Type, "variables of the type " #Type);       \
  }                                                                                        \
  FMU_EXPORT fmi3Status fmi3Set##Type(fmi3Instance instance,                               \
                                      const fmi3ValueReference references[], size_t count, \
                                      const fmi3##Type values[], size_t value_count) {     \
    (void)references, (void)values, (void)value_count;                                     \
    return absent(instance, count, "fmi3Set" #Type, "variables of the type " #Type);       \
  }

ABSENT_TYPE(Float32)
ABSENT_TYPE(Int8)
ABSENT_TYPE(UInt8)
ABSENT_TYPE(Int16)
ABSENT_TYPE(UInt16)
ABSENT_TYPE(Int32)
ABSENT_TYPE(UInt32)
ABSENT_TYPE(Int64)
ABSENT_TYPE(UInt64)
ABSENT_TYPE(Boolean)
ABSENT_TYPE(String)

FMU_EXPORT fmi3Status fmi3GetBinary(fmi3Instance instance, const fmi3ValueReference references[],
                                    size_t count, size_t sizes[], fmi3Binary values[],
                                    size_t value_count) {
  (void)references, (void)sizes, (void)values, (void)value_count;
  return absent(instance, count, "fmi3GetBinary", "variables of the type Binary");
}

FMU_EXPORT fmi3Status fmi3SetBinary(fmi3Instance instance, const fmi3ValueReference references[],
                                    size_t count, const size_t sizes[], const fmi3Binary values[],
                                    size_t value_count) {
  (void)references, (void)sizes, (void)values, (void)value_count;
  return absent(instance, count, "fmi3SetBinary", "variables of the type Binary");
}

FMU_EXPORT fmi3Status fmi3GetClock(fmi3Instance instance, const fmi3ValueReference references[],
                                   size_t count, fmi3Clock values[]) {
  (void)references, (void)values;
  return absent(instance, count, "fmi3GetClock", "clocks");
}

FMU_EXPORT fmi3Status fmi3SetClock(fmi3Instance instance, const fmi3ValueReference references[],
                                   size_t count, const fmi3Clock values[]) {
  (void)references, (void)values;
  return absent(instance, count, "fmi3SetClock", "clocks");
}

FMU_EXPORT fmi3Status fmi3GetIntervalDecimal(fmi3Instance instance,
                                             const fmi3ValueReference references[], size_t count,
                                             fmi3Float64 intervals[],
                                             fmi3IntervalQualifier qualifiers[]) {
  (void)references, (void)intervals, (void)qualifiers;
  return absent(instance, count, "fmi3GetIntervalDecimal", "clocks");
}

FMU_EXPORT fmi3Status fmi3GetIntervalFraction(fmi3Instance instance,
                                              const fmi3ValueReference references[], size_t count,
                                              fmi3UInt64 counters[], fmi3UInt64 resolutions[],
                                              fmi3IntervalQualifier qualifiers[]) {
  (void)references, (void)counters, (void)resolutions, (void)qualifiers;
  return absent(instance, count, "fmi3GetIntervalFraction", "clocks");
}

FMU_EXPORT fmi3Status fmi3GetShiftDecimal(fmi3Instance instance,
                                          const fmi3ValueReference references[], size_t count,
                                          fmi3Float64 shifts[]) {
  (void)references, (void)shifts;
  return absent(instance, count, "fmi3GetShiftDecimal", "clocks");
}

FMU_EXPORT fmi3Status fmi3GetShiftFraction(fmi3Instance instance,
                                           const fmi3ValueReference references[], size_t count,
                                           fmi3UInt64 counters[], fmi3UInt64 resolutions[]) {
  (void)references, (void)counters, (void)resolutions;
  return absent(instance, count, "fmi3GetShiftFraction", "clocks");
}

FMU_EXPORT fmi3Status fmi3SetIntervalDecimal(fmi3Instance instance,
                                             const fmi3ValueReference references[], size_t count,
                                             const fmi3Float64 intervals[]) {
  (void)references, (void)intervals;
  return absent(instance, count, "fmi3SetIntervalDecimal", "clocks");
}

FMU_EXPORT fmi3Status fmi3SetIntervalFraction(fmi3Instance instance,
                                              const fmi3ValueReference references[], size_t count,
                                              const fmi3UInt64 counters[],
                                              const fmi3UInt64 resolutions[]) {
  (void)references, (void)counters, (void)resolutions;
  return absent(instance, count, "fmi3SetIntervalFraction", "clocks");
}

FMU_EXPORT fmi3Status fmi3SetShiftDecimal(fmi3Instance instance,
                                          const fmi3ValueReference references[], size_t count,
                                          const fmi3Float64 shifts[]) {
  (void)references, (void)shifts;
  return absent(instance, count, "fmi3SetShiftDecimal", "clocks");
}

FMU_EXPORT fmi3Status fmi3SetShiftFraction(fmi3Instance instance,
                                           const fmi3ValueReference references[], size_t count,
                                           const fmi3UInt64 counters[],
                                           const fmi3UInt64 resolutions[]) {
  (void)references, (void)counters, (void)resolutions;
  return absent(instance, count, "fmi3SetShiftFraction", "clocks");
}

FMU_EXPORT fmi3Status fmi3ActivateModelPartition(fmi3Instance instance, fmi3ValueReference clock,
                                                 fmi3Float64 time) {
  (void)clock, (void)time;
  return absent(instance, 1, "fmi3ActivateModelPartition", "clocks and no scheduled execution");
}

FMU_EXPORT fmi3Status fmi3EnterConfigurationMode(fmi3Instance instance) {
  return absent(instance, 1, "fmi3EnterConfigurationMode", "structural parameters");
}

FMU_EXPORT fmi3Status fmi3ExitConfigurationMode(fmi3Instance instance) {
  return absent(instance, 1, "fmi3ExitConfigurationMode", "structural parameters");
}

FMU_EXPORT fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance instance,
                                                          fmi3ValueReference reference,
                                                          size_t* count) {
  (void)reference, (void)count;
  return absent(instance, 1, "fmi3GetNumberOfVariableDependencies",
                "arrays: dependencies are those of modelDescription.xml");
}

FMU_EXPORT fmi3Status fmi3GetVariableDependencies(fmi3Instance instance,
                                                  fmi3ValueReference dependent,
                                                  size_t elements_of_dependent[],
                                                  fmi3ValueReference independents[],
                                                  size_t elements_of_independents[],
                                                  fmi3DependencyKind kinds[], size_t count) {
  (void)dependent, (void)elements_of_dependent, (void)independents, (void)elements_of_independents,
      (void)kinds, (void)count;
  return absent(instance, 1, "fmi3GetVariableDependencies",
                "arrays: dependencies are those of modelDescription.xml");
}
