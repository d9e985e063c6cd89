/* What the parts of this FMU share. The equations are in equations.c, the facts about the model in
 * fmu_model.h and fmu_model.c; everything else is the same in every FMU that Cartan writes. */
#ifndef FMU_H
#define FMU_H

#include "fmu_api.h"

#define FMU_SIZE(n) ((n) > 0 ? (n) : 1)
#define FMU_NS (FMU_NZ - FMU_NE) /* switches: their branches stand behind the parameters */
#define FMU_EPSILON 2.220446049250313e-16

typedef enum {
  fmu_instantiated,
  fmu_initialization,
  fmu_event,
  fmu_continuous,
  fmu_step,
  fmu_terminated
} FmuMode;

/* All that a state of the FMU is: copied by fmi3GetFMUState, written by fmi3SerializeFMUState. */
typedef struct {
  double t;
  double x[FMU_SIZE(FMU_NX)], u[FMU_SIZE(FMU_NU)], p[FMU_SIZE(FMU_NP + FMU_NS)];
  double seen[FMU_SIZE(FMU_NZ)];     /* largest size of each indicator so far */
  double length;                     /* of the solver's next step; 0: to be chosen */
  int32_t side[FMU_SIZE(FMU_NZ)];    /* -1, 0 (open), 1: where each indicator is */
  int32_t crossed[FMU_SIZE(FMU_NZ)]; /* direction of a crossing that waits for event mode */
  int32_t given[FMU_SIZE(FMU_NX)];   /* start values the importer has set */
  int32_t changed;                   /* something was set before the start */
  int32_t ended;                     /* by an event that stops */
  int32_t mode;
} FmuValues;

typedef struct {
  FmuValues v;
  bool co_simulation, logging, event_mode_used, early_return_allowed;
  bool rates_known, outputs_known, jacobian_known, slopes_known;
  double tolerance;
  double stop_time; /* infinite: none was given */
  char* name;
  fmi3InstanceEnvironment environment;
  fmi3LogMessageCallback log_message;
  fmi3IntermediateUpdateCallback intermediate_update;
  /* values at v, where known */
  double xdot[FMU_SIZE(FMU_NX)], y[FMU_SIZE(FMU_NY)];
  double jacobian[FMU_SIZE(FMU_JACOBIAN)], output_jacobian[FMU_SIZE(FMU_OUTPUT_JACOBIAN)];
  double slopes[FMU_SIZE(FMU_SLOPES)], output_slopes[FMU_SIZE(FMU_OUTPUT_SLOPES)];
  double* work;        /* of the solver; made when first needed */
  const char* trouble; /* why the solver is stuck */
} Fmu;

/* fmu_instance.c */
fmi3Status fmu_say(Fmu* fmu, fmi3Status status, const char* format, ...);
/* fmi3OK where the FMU is in one of the modes (bits), else the error. */
fmi3Status fmu_allow(Fmu* fmu, const char* function, unsigned modes);
/* Whether the facts of a simulation make sense. */
fmi3Status fmu_check_experiment(Fmu* fmu, bool has_tolerance, double tolerance, double start,
                                bool has_stop, double stop);
#define FMU_IN(mode) (1u << (mode))
#define FMU_ANY 63u
void fmu_forget(Fmu* fmu); /* what was computed is out of date */

/* fmu_values.c */
fmi3Status fmu_fill_rates(Fmu* fmu);
fmi3Status fmu_fill_outputs(Fmu* fmu);
void fmu_fill_jacobian(Fmu* fmu);
bool fmu_is_finite(const double* values, int count);
void fmu_start_states(Fmu* fmu); /* those the importer has not set follow the parameters */

/* fmu_events.c */
int fmu_sign(double x);
void fmu_choose_branches(Fmu* fmu); /* of the switches, where the state is now */
void fmu_take_sides(Fmu* fmu);      /* looks where the indicators are */
/* Whether a crossing in that direction counts, and whether it does more than be seen. */
bool fmu_counts(int indicator, int direction);
bool fmu_acts(int indicator);
/* Events that wait (v.crossed) are handled; tells whether states changed. */
bool fmu_handle_crossings(Fmu* fmu);

/* fmu_constraints.c */
void fmu_normalise(double* x);
/* Back to the constraints with the smallest mass-weighted change; false: they cannot be met. */
bool fmu_project(double t, double* x, const double* p, const double* u);

/* fmu_solver.c */
typedef enum { fmu_reached, fmu_at_event, fmu_returned, fmu_stuck } FmuProgress;
FmuProgress fmu_advance(Fmu* fmu, double target, bool stop_at_events);

#endif
