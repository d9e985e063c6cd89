// Who calls the runs of a kernel.
#pragma once

#if !defined(__CUDACC__)

struct LaneJob {
  long count;
  const double* inputs;  // run after run
  const double* starts;  // the same, or null
  double* results;       // run after run
  unsigned char* outcomes;
  const volatile bool* stop;  // looked at now and then
};

// Runs are handed to lanes as these become free. False: stopped before the end.
extern "C" bool lane_compute(const LaneJob* job) {
  alignas(64) Runs runs;
  long place[CARTAN_LANES];

  runs.clear();
  for (int l = 0; l < CARTAN_LANES; ++l) place[l] = -1;
  long next = 0;
  for (long round = 0;; ++round) {
    M fresh = lane_truth(false);
    bool any_fresh = false, any_left = false;
    for (int l = 0; l < CARTAN_LANES; ++l) {
      if (lane_is(runs.busy, l)) {
        any_left = true;
        continue;
      }
      if (place[l] >= 0) {
        const bool failed = lane_is(runs.failed, l);
        job->outcomes[place[l]] = failed                     ? run_given_up
                                  : lane_is(runs.stopped, l) ? run_stopped
                                                             : run_completed;
        for (int k = 0; k < LANE_KEPT; ++k)
          job->results[place[l] * LANE_KEPT + k] = lane_get(runs.row[k], l);
        place[l] = -1;
      }
      if (next >= job->count) continue;
      place[l] = next++;
      for (int k = 0; k < LANE_INPUTS; ++k)
        lane_put(runs.p[k], l, job->inputs[place[l] * LANE_INPUTS + k]);
      if (job->starts)
        for (int i = 0; i < LANE_STATES; ++i)
          lane_put(runs.x[i], l, job->starts[place[l] * LANE_STATES + i]);
      lane_set(fresh, l, true);
      any_fresh = true;
    }
    if (any_fresh) {
      runs.begin(fresh, job->starts != nullptr);
      continue;  // a run of length zero is over
    }
    if (!any_left) return true;
    if (round % 64 == 0 && job->stop && *job->stop) return false;
    runs.advance();
  }
}

#else

#ifndef LANE_BLOCKS
#define LANE_BLOCKS 1  // of threads, at least so many on a multiprocessor
#endif

#if LANE_TEAM

// What the other roles do: what they are asked for.
LANE_INLINE void team_serve() {
  double *const near_rows = team_near(), *const far_rows = team_far();
  const int role = team_role();
  for (;;) {
    __syncthreads();
    const int which = team_wish();
    if (which < 0) return;
#if LANE_TEAM_STAGES
    if (which == team_step_number) {
      lane_step_role(TEAM_PLACE_HERE, role);
      continue;
    }
    if (which == team_change_number) {
      team_change_role(TEAM_PLACE_HERE, role);
      continue;
    }
#endif
    lane_team_work(TEAM_PLACE_HERE, which, role, TEAM_TIME);
  }
}

// A team computes its runs together and goes on to the next ones.
extern "C" __global__ void __launch_bounds__(team_threads, 1)
    lane_compute(SampleDesign design, const SampleBits* numbers, long long count,
                 const double* starts, double* results, unsigned char* outcomes, double* memory) {
  team_open(memory);
  if (!team_leads()) return team_serve();
  for (long long first = (long long)blockIdx.x * team_lanes; first < count;
       first += (long long)gridDim.x * team_lanes) {
    const long long i = first + team_lane();
    const bool mine = i < count;
    Runs runs;
    runs.clear();
    if (mine) {
      for (int k = 0; k < LANE_INPUTS; ++k) runs.p[k] = sample_input(design, k, numbers[i]);
      if (starts)
        for (int k = 0; k < LANE_STATES; ++k) runs.x[k] = starts[i * LANE_STATES + k];
    }
    runs.begin(mine, starts != nullptr);
    while (run_any(runs.busy)) runs.advance();
    if (mine) {
      outcomes[i] = runs.failed ? run_given_up : runs.stopped ? run_stopped : run_completed;
      for (int k = 0; k < LANE_KEPT; ++k) results[i * LANE_KEPT + k] = runs.row[k];
    }
  }
  team_close();
}

#else

// One thread per run, whose inputs are made here from its number.
extern "C" __global__ void __launch_bounds__(LANE_THREADS, LANE_BLOCKS)
    lane_compute(SampleDesign design, const SampleBits* numbers, long long count,
                 const double* starts, double* results, unsigned char* outcomes) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  Runs runs;
  runs.clear();
  LANE_UNROLL
  for (int k = 0; k < LANE_INPUTS; ++k) runs.p[k] = sample_input(design, k, numbers[i]);
  if (starts)
    for (int k = 0; k < LANE_STATES; ++k) runs.x[k] = starts[i * LANE_STATES + k];
  runs.begin(true, starts != nullptr);
  while (runs.busy) runs.advance();
  outcomes[i] = runs.failed ? run_given_up : runs.stopped ? run_stopped : run_completed;
  for (int k = 0; k < LANE_KEPT; ++k) results[i * LANE_KEPT + k] = runs.row[k];
}

#endif
#endif
