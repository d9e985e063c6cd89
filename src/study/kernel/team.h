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
// sum of the step, what each role says of its numbers (0: all are finite), slots
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
#define TEAM_CHECK(role) TEAM_START(2 * LANE_STATES + (role))
#define TEAM_FAR(i) TEAM_START(2 * LANE_STATES + TEAM_ROLES + (i))
#define TEAM_FAR_ROWS \
  (LANE_INPUTS + LANE_CONSTANTS + TEAM_OUTPUTS + 2 * LANE_STATES + TEAM_ROLES + TEAM_FAR_SLOTS)
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

// The end of a step, where the next one begins: numbers of lane_plain_states, and quaternions,
// which lane_quaternion_states lists by their first number.
#define TEAM_END(role)                                                                         \
  const V zero = lane_number(0.0);                                                             \
  V all = zero;                                                                                \
  LANE_EACH_LOOP                                                                               \
  for (int q = role; q < TEAM_QUATERNIONS; q += TEAM_ROLES) {                                  \
    const int first = lane_quaternion_states[q];                                               \
    V k[4], sum[4], x0[4], u[4];                                                               \
    LANE_UNROLL                                                                                \
    for (int j = 0; j < 4; ++j)                                                                \
      k[j] = TEAM_OUT(first + j), sum[j] = TEAM_SUM(first + j), x0[j] = TEAM_START(first + j); \
    LANE_UNROLL                                                                                \
    for (int j = 0; j < 4; ++j) u[j] = lane_fma(h, TEAM_LAST_SUM, x0[j]);                      \
    lane_normalise_one(u);                                                                     \
    LANE_UNROLL                                                                                \
    for (int j = 0; j < 4; ++j) TEAM_X(first + j) = u[j], all = lane_fma(u[j], zero, all);     \
  }                                                                                            \
  LANE_EACH_LOOP                                                                               \
  for (int first = role; first < TEAM_PLAIN; first += TEAM_SHARE * TEAM_ROLES) {               \
    V k[TEAM_SHARE], sum[TEAM_SHARE], x0[TEAM_SHARE];                                          \
    int place[TEAM_SHARE];                                                                     \
    LANE_UNROLL                                                                                \
    for (int j = 0; j < TEAM_SHARE; ++j) {                                                     \
      const int n = first + j * TEAM_ROLES;                                                    \
      if (n >= TEAM_PLAIN) continue;                                                           \
      const int i = place[j] = lane_plain_states[n];                                           \
      k[j] = TEAM_OUT(i), sum[j] = TEAM_SUM(i), x0[j] = TEAM_START(i);                         \
    }                                                                                          \
    LANE_UNROLL                                                                                \
    for (int j = 0; j < TEAM_SHARE; ++j) {                                                     \
      if (first + j * TEAM_ROLES >= TEAM_PLAIN) continue;                                      \
      const V end = lane_fma(h, TEAM_LAST_SUM, x0[j]);                                         \
      TEAM_X(place[j]) = end;                                                                  \
      all = lane_fma(end, zero, all);                                                          \
    }                                                                                          \
  }                                                                                            \
  TEAM_CHECK(role) = all;

// Results of lane_projected become the state: positions where TEAM_TIME is not zero, speeds where
// TEAM_LENGTH is not.
#define TEAM_CHANGE(role)                                                                          \
  const V zero = lane_number(0.0);                                                                 \
  const M position = TEAM_TIME != zero, speed = TEAM_LENGTH != zero;                               \
  LANE_EACH_LOOP                                                                                   \
  for (int first = role; first < LANE_POSITIONS + LANE_SPEEDS; first += TEAM_SHARE * TEAM_ROLES) { \
    V old[TEAM_SHARE], other[TEAM_SHARE];                                                          \
    LANE_UNROLL                                                                                    \
    for (int j = 0; j < TEAM_SHARE; ++j) {                                                         \
      const int i = first + j * TEAM_ROLES;                                                        \
      if (i < LANE_POSITIONS + LANE_SPEEDS)                                                        \
        old[j] = TEAM_X(i), other[j] = TEAM_OUT(LANE_MOVED + i);                                   \
    }                                                                                              \
    LANE_UNROLL                                                                                    \
    for (int j = 0; j < TEAM_SHARE; ++j) {                                                         \
      const int i = first + j * TEAM_ROLES;                                                        \
      if (i < LANE_POSITIONS + LANE_SPEEDS)                                                        \
        TEAM_X(i) = lane_select(i < LANE_POSITIONS ? position : speed, other[j], old[j]);          \
    }                                                                                              \
  }

#if defined(__CUDACC__)

enum { team_lanes = 32 * TEAM_COPIES, team_threads = team_lanes * TEAM_ROLES };

// One row that holds the address of the far memory and the function that is asked for, then the
// near rows; a row has a number for every run of the team.
extern __shared__ double team_memory[];

// not constant for the compiler, which would put them into the instructions again
#define TEAM_NUMBERS __constant__ double team_numbers[]
#define TEAM_NUMBER(k) team_numbers[(k) + 1]
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
#define TEAM_RATES(t) lane_rates_team(TEAM_PLACE_HERE, role, t);
#define TEAM_SUMS(stage)                         \
  lane_stage_role(TEAM_PLACE_HERE, stage, role); \
  __syncthreads();
#define TEAM_STEP(...)                                                   \
  TEAM_SERVICE void lane_step_role(TEAM_PLACE, int role) {               \
    const V t = TEAM_TIME, h = TEAM_LENGTH;                              \
    __VA_ARGS__                                                          \
  }                                                                      \
  LANE_INLINE void team_step(V t, V h) {                                 \
    double *const near_rows = team_near(), *const far_rows = team_far(); \
    TEAM_TIME = t;                                                       \
    TEAM_LENGTH = h;                                                     \
    team_call(team_step_number);                                         \
    lane_step_role(near_rows, far_rows, 0);                              \
  }

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
enum { team_step_number = 1000, team_change_number };
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
LANE_INLINE void team_put(M m, const V* x) {
  double* const near_rows = team_near();
  if (m) LANE_EACH(LANE_STATES, i, TEAM_X(i), x[i])
}
LANE_INLINE void team_fetch(V* x) {
  double* const near_rows = team_near();
  LANE_EACH(LANE_STATES, i, x[i], TEAM_X(i))
}
LANE_INLINE V team_result(int i) {
  double* const far_rows = team_far();
  return TEAM_OUT(i);
}
LANE_INLINE V team_check(int role) {
  double* const far_rows = team_far();
  return TEAM_CHECK(role);
}
LANE_PART void team_change_role(TEAM_PLACE, int role) {
  TEAM_CHANGE(role);
  __syncthreads();
}
LANE_INLINE void team_change(M position, M speed) {
  double *const near_rows = team_near(), *const far_rows = team_far();
  TEAM_TIME = position ? 1.0 : 0.0;
  TEAM_LENGTH = speed ? 1.0 : 0.0;
  team_call(team_change_number);
  team_change_role(near_rows, far_rows, 0);
}
LANE_INLINE void team_keep(const V* p, const V* c) {
  double* const far_rows = team_far();
  for (int i = 0; i < LANE_INPUTS; ++i) TEAM_P(i) = p[i];
  for (int i = 0; i < LANE_CONSTANTS; ++i) TEAM_C(i) = c[i];
}

#else

#define run_any lane_any

static thread_local V team_near_rows[TEAM_NEAR_ROWS], team_far_rows[TEAM_FAR_ROWS + 1];

#define TEAM_NUMBERS static const double team_numbers[]
#define TEAM_NUMBER(k) lane_number(team_numbers[(k) + 1])
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
#define TEAM_RATES(t) lane_rates_here(t);
#define TEAM_SUMS(stage) \
  for (int role = 0; role < TEAM_ROLES; ++role) lane_stage_role(0, stage, TEAM_ORDER(role));
#define TEAM_STEP(...)                   \
  LANE_INLINE void team_step(V t, V h) { \
    TEAM_LENGTH = h;                     \
    __VA_ARGS__                          \
  }

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
LANE_INLINE void team_put(M m, const V* x) {
  for (int i = 0; i < LANE_STATES; ++i) TEAM_X(i) = lane_select(m, x[i], TEAM_X(i));
}
LANE_INLINE void team_fetch(V* x) {
  for (int i = 0; i < LANE_STATES; ++i) x[i] = TEAM_X(i);
}
LANE_INLINE V team_result(int i) {
  return TEAM_OUT(i);
}
LANE_INLINE V team_check(int role) {
  return TEAM_CHECK(role);
}
static void team_change_role(int role) {
  TEAM_CHANGE(role);
}
LANE_INLINE void team_change(M position, M speed) {
  TEAM_TIME = lane_select(position, lane_number(1.0), lane_number(0.0));
  TEAM_LENGTH = lane_select(speed, lane_number(1.0), lane_number(0.0));
  for (int role = 0; role < TEAM_ROLES; ++role) team_change_role(TEAM_ORDER(role));
}
LANE_INLINE void team_keep(const V* p, const V* c) {
  for (int i = 0; i < LANE_INPUTS; ++i) TEAM_P(i) = p[i];
  for (int i = 0; i < LANE_CONSTANTS; ++i) TEAM_C(i) = c[i];
}

#endif

// Whether all numbers of the state are finite after a step.
LANE_INLINE M team_is_finite() {
  V all = lane_number(0.0);
  LANE_UNROLL
  for (int role = 0; role < TEAM_ROLES; ++role) all = all + team_check(role);
  return all == lane_number(0.0);
}

#endif
