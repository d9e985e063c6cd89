// Teams. A model with more numbers than one thread has registers is computed by several warps of a
// GPU together (codegen/team_function.h): every warp of a team has the same 32 runs for its lanes,
// and a role of its own in the work; numbers that others need go through the memory of the
// multiprocessor (near) and, where that is full, of the device (far). There are TEAM_COPIES warps
// to a role, with 32 runs each: what is fetched of the code serves all of them.
//
// The warps of role 0 lead: they go through the loops of run.h, and when they come to a function of
// the team they call the others. All leading warps go the same way (run_any), lanes that have
// nothing to do there are masked. As plain C++ one thread takes the steps of all roles in turn; a
// result must not depend on their order (TEAM_ORDER), which the tests look at.
//
// Generated: TEAM_ROLES, TEAM_COPIES, TEAM_NEAR_SLOTS, TEAM_FAR_SLOTS, TEAM_OUTPUTS, and
// lane_team_work(TEAM_PLACE, which, role, t), what a role has to do in a function.
#pragma once

#if !LANE_TEAM

#define run_any lane_any
#define team_keep(p, c)

#else

// near: the state, time and length of the step, slots; far: inputs, constants, results, start and
// sum of the step, slots
#define TEAM_X(i) TEAM_NEAR_ROW(i)
#define TEAM_TIME TEAM_NEAR_ROW(LANE_STATES)
#define TEAM_LENGTH TEAM_NEAR_ROW(LANE_STATES + 1)
#define TEAM_NEAR(i) TEAM_NEAR_ROW(LANE_STATES + 2 + (i))
#define TEAM_NEAR_ROWS (LANE_STATES + 2 + TEAM_NEAR_SLOTS)
#define TEAM_P(i) TEAM_FAR_ROW(i)
#define TEAM_C(i) TEAM_FAR_ROW(LANE_INPUTS + (i))
#define TEAM_OUT(i) TEAM_FAR_ROW(LANE_INPUTS + LANE_CONSTANTS + (i))
#define TEAM_START(i) TEAM_FAR_ROW(LANE_INPUTS + LANE_CONSTANTS + TEAM_OUTPUTS + (i))
#define TEAM_SUM(i) TEAM_START(LANE_STATES + (i))
#define TEAM_FAR(i) TEAM_START(2 * LANE_STATES + (i))
#define TEAM_FAR_ROWS \
  (LANE_INPUTS + LANE_CONSTANTS + TEAM_OUTPUTS + 2 * LANE_STATES + TEAM_FAR_SLOTS)
// Between two evaluations of a method the roles share the numbers of the state; this many of a
// role are read before any is written.
#define TEAM_SHARE 8
#define TEAM_SHARE_EACH(start, statements)                                           \
  LANE_UNROLL                                                                        \
  for (int j = 0; j < TEAM_SHARE; ++j) {                                             \
    const int i = first + j * TEAM_ROLES;                                            \
    if (i < LANE_STATES) k[j] = TEAM_OUT(i), x0[j] = start(i), sum[j] = TEAM_SUM(i); \
  }                                                                                  \
  LANE_UNROLL                                                                        \
  for (int j = 0; j < TEAM_SHARE; ++j) {                                             \
    const int i = first + j * TEAM_ROLES;                                            \
    if (i < LANE_STATES) {                                                           \
      statements                                                                     \
    }                                                                                \
  }

#if defined(__CUDACC__)

enum { team_lanes = 32 * TEAM_COPIES, team_threads = team_lanes * TEAM_ROLES };

// One row that holds the address of the far memory and the function that is asked for, then the
// near rows; a row has a number for every run of the team.
extern __shared__ double team_memory[];

#define TEAM_PLACE double *near_rows, double *far_rows
#define TEAM_PLACE_HERE near_rows, far_rows
#define TEAM_NEAR_ROW(i) near_rows[(i)*team_lanes]
#define TEAM_FAR_ROW(i) far_rows[(i)*team_lanes]
#define TEAM_ROLE LANE_INLINE
#define TEAM_SERVICE LANE_INLINE
#define TEAM_HELD
#define TEAM_FIRST
#define TEAM_NEXT(step) __syncthreads();
#define TEAM_LAST __syncthreads();
#define TEAM_WORK(function, steps, t) function(team_near(), team_far(), 0, t)
#define TEAM_STAGE_PLACE TEAM_PLACE
#define TEAM_STAGE(function, stage, h)                                 \
  double *const near_rows = team_near(), *const far_rows = team_far(); \
  TEAM_LENGTH = h;                                                     \
  team_call(team_stage_number + stage);                                \
  function(near_rows, far_rows, stage, 0);                             \
  __syncthreads();

// Warps w, w + TEAM_ROLES, ... have the same role, and so the same part of the multiprocessor.
LANE_INLINE int team_role() {
  return threadIdx.x / 32 % TEAM_ROLES;
}
LANE_INLINE int team_lane() {
  return threadIdx.x / 32 / TEAM_ROLES * 32 + threadIdx.x % 32;
}
LANE_INLINE bool team_leads() {
  return team_role() == 0;
}
LANE_INLINE double* team_near() {
  return team_memory + team_lanes + team_lane();
}
LANE_INLINE double* team_far() {
  return *reinterpret_cast<double**>(team_memory) + team_lane();
}
LANE_INLINE volatile int& team_wish() {
  return *reinterpret_cast<int*>(team_memory + 1);
}

LANE_INLINE void team_open(double* memory) {
  if (threadIdx.x == 0)
    *reinterpret_cast<double**>(team_memory) =
        memory + (long long)blockIdx.x * TEAM_FAR_ROWS * team_lanes;
  __syncthreads();
}
LANE_INLINE void team_close() {
  team_wish() = -1;
  __syncthreads();
}

// Whether it is so in any run of the team; asked by the leading warps, all of them.
LANE_INLINE bool run_any(M m) {
#if TEAM_COPIES == 1
  return __any_sync(0xffffffffu, m);
#else
  int any;
  asm volatile(
      "{\n\t.reg .pred mine, all;\n\tsetp.ne.s32 mine, %1, 0;\n\t"
      "barrier.red.or.pred all, 1, %2, mine;\n\tselp.s32 %0, 1, 0, all;\n\t}"
      : "=r"(any)
      : "r"((int)m), "n"(32 * TEAM_COPIES)
      : "memory");
  return any != 0;
#endif
}

// The others begin with what they are asked for. Functions go by their numbers.
enum { team_stage_number = 1000 };
LANE_INLINE void team_call(int which) {
  team_wish() = which;
  __syncthreads();
}
LANE_INLINE void team_ask(const V* x) {
  double* const near_rows = team_near();
  LANE_EACH(LANE_STATES, i, TEAM_X(i), x[i])
}
LANE_INLINE void team_begin(V t, int which) {
  double* const near_rows = team_near();
  TEAM_TIME = t;
  team_call(which);
}
template <int count>
LANE_INLINE void team_take(V* out) {
  double* const far_rows = team_far();
  LANE_EACH(count, i, out[i], TEAM_OUT(i))
}
// The end of a step, and of its last slopes what watches the constraints.
LANE_INLINE void team_take_step(V* slopes, V* end) {
  double* const far_rows = team_far();
  LANE_EACH(LANE_STATES, i, end[i], TEAM_SUM(i))
  if (LANE_RATE_SIZE > LANE_STATES) slopes[LANE_RATE_SIZE - 1] = TEAM_OUT(LANE_RATE_SIZE - 1);
}
LANE_INLINE void team_keep(const V* p, const V* c) {
  double* const far_rows = team_far();
  for (int i = 0; i < LANE_INPUTS; ++i) TEAM_P(i) = p[i];
  for (int i = 0; i < LANE_CONSTANTS; ++i) TEAM_C(i) = c[i];
}

#else

#define run_any lane_any

static thread_local V team_near_rows[TEAM_NEAR_ROWS], team_far_rows[TEAM_FAR_ROWS + 1];

#define TEAM_PLACE int team_step
#define TEAM_PLACE_HERE team_step
#define TEAM_NEAR_ROW(i) team_near_rows[i]
#define TEAM_FAR_ROW(i) team_far_rows[i]
#define TEAM_ROLE static
#define TEAM_SERVICE static inline
#define TEAM_HELD static thread_local
#define TEAM_FIRST     \
  switch (team_step) { \
    case 0:
#define TEAM_NEXT(step) \
  break;                \
  case step:
#define TEAM_LAST \
  break;          \
  }
#ifndef TEAM_ORDER
#define TEAM_ORDER(role) (role)
#endif
#define TEAM_WORK(function, steps, t)        \
  for (int step = 0; step < (steps); ++step) \
    for (int role = 0; role < TEAM_ROLES; ++role) function(step, TEAM_ORDER(role), t)

#define TEAM_STAGE_PLACE int
#define TEAM_STAGE(function, stage, h) \
  TEAM_LENGTH = h;                     \
  for (int role = 0; role < TEAM_ROLES; ++role) function(0, stage, TEAM_ORDER(role));

LANE_INLINE void team_ask(const V* x) {
  for (int i = 0; i < LANE_STATES; ++i) TEAM_X(i) = x[i];
}
LANE_INLINE void team_begin(V t, int) {
  TEAM_TIME = t;
}
template <int count>
LANE_INLINE void team_take(V* out) {
  for (int i = 0; i < count; ++i) out[i] = TEAM_OUT(i);
}
LANE_INLINE void team_take_step(V* slopes, V* end) {
  for (int i = 0; i < LANE_STATES; ++i) end[i] = TEAM_SUM(i);
  if (LANE_RATE_SIZE > LANE_STATES) slopes[LANE_RATE_SIZE - 1] = TEAM_OUT(LANE_RATE_SIZE - 1);
}
LANE_INLINE void team_keep(const V* p, const V* c) {
  for (int i = 0; i < LANE_INPUTS; ++i) TEAM_P(i) = p[i];
  for (int i = 0; i < LANE_CONSTANTS; ++i) TEAM_C(i) = c[i];
}

#endif
#endif
