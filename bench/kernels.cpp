// Google Benchmark suites of the kernels, for work on them: `bench_kernels --benchmark_filter=...`.
// The figures of docs/performance.md come from bench_trees and bench_runs.
#include <benchmark/benchmark.h>

#include "formulations/formulations.h"
#include "integrate/integrator.h"
#include "lie/se3.h"
#include "mechanics/machine/kinematics.h"
#include "mechanics/tree/moving_frame.h"
#include "mechanics/tree/recursive.h"
#include "rods.h"

namespace cartan::bench {
namespace {

template <class S>
struct Chain {
  std::unique_ptr<Model> model;
  Mechanism<S> mechanism;
  MotionWorkspace<S> ws;
  std::vector<S> q, v;

  explicit Chain(int links) : model(make_model(describe(RodChain{links, 0.5, {0, 0.5, 3}}))) {
    const std::vector<double> numbers = parameter_values(*model);
    const std::vector<S> parameters(numbers.begin(), numbers.end());
    mechanism = make_mechanism<S>(*model, parameters);
    ws = make_motion_workspace(mechanism);
    const State state = find_formulation("recursive")->make(*model, numbers)->initial_state();
    q.assign(state.x.begin(), state.x.begin() + mechanism.nq);
    v.assign(state.x.begin() + mechanism.nq, state.x.begin() + mechanism.nq + mechanism.nv);
  }
  void fill() { fill_kinematics<S>(mechanism, S(0), q.data(), v.data(), ws); }
};

template <class S>
void kinematics(benchmark::State& state) {
  Chain<S> chain(static_cast<int>(state.range(0)));
  for (auto _ : state) chain.fill();
}

template <class S>
void accelerations(benchmark::State& state) {
  Chain<S> chain(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    chain.fill();
    solve_accelerations(chain.mechanism, chain.ws);
  }
  state.SetComplexityN(state.range(0));
}

void moving_frame(benchmark::State& state) {
  Chain<double> chain(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    chain.fill();
    solve_moving_frame(chain.mechanism, chain.ws);
  }
}

void moving_frame_matrices(benchmark::State& state) {
  Chain<double> chain(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    chain.fill();
    fill_moving_frame(chain.mechanism, chain.ws);
  }
  state.SetComplexityN(state.range(0));
}

void jacobian(benchmark::State& state) {
  Chain<double> chain(static_cast<int>(state.range(0)));
  const auto system = find_formulation("recursive")->make(*chain.model, {});
  const State at = system->initial_state();
  auto workspace = system->make_workspace();
  Eigen::MatrixXd J(at.x.size(), at.x.size());
  for (auto _ : state) system->jacobian(at, J, *workspace);
}

void gauss_step(benchmark::State& state) {
  Chain<double> chain(static_cast<int>(state.range(0)));
  const auto system = find_formulation("recursive")->make(*chain.model, {});
  const auto integrator = find_integrator("gl3")->make(*system, {});
  State at = system->initial_state();
  integrator->restart();
  for (auto _ : state) integrator->step(at, 0.01, at.t + 0.01);
}

void se3_exp_log(benchmark::State& state) {
  Twist<double> V{{0.3, -0.2, 0.5}, {1, 2, -1}};
  for (auto _ : state) {
    benchmark::DoNotOptimize(V);
    benchmark::DoNotOptimize(SE3<double>::log(SE3<double>::exp(V)));
  }
}

BENCHMARK(kinematics<double>)->Arg(64);
BENCHMARK(accelerations<double>)->RangeMultiplier(4)->Range(16, 1024)->Complexity(benchmark::oN);
BENCHMARK(accelerations<Pack4>)->Arg(64);
BENCHMARK(accelerations<Dual4>)->Arg(64);
BENCHMARK(moving_frame)->Arg(16)->Arg(64);
BENCHMARK(moving_frame_matrices)
    ->RangeMultiplier(2)
    ->Range(8, 64)
    ->Complexity(benchmark::oNSquared);
BENCHMARK(jacobian)->Arg(4)->Arg(16);
BENCHMARK(gauss_step)->Arg(4)->Arg(64);
BENCHMARK(se3_exp_log);

}  // namespace
}  // namespace cartan::bench

BENCHMARK_MAIN();
