// One evaluation in elements of rotation matrices for chains of spherical links: two-step
// elimination against all multipliers in one system, and `recursive` beside them.
#include <cstdio>

#include "formulations/formulations.h"
#include "mechanics/absolute/absolute_system.h"
#include "mechanics/elements/element_multipliers.h"
#include "model_from_work.h"
#include "timing.h"

namespace cartan::bench {
namespace {

State state_of(const MechanicalSystem& system, int links) {
  std::vector<std::optional<std::vector<double>>> q, v;
  for (int i = 0; i < links; ++i) {
    const JointState s = calc_joint_state(i);
    const auto u = calc_quaternion(s.rotation);
    q.emplace_back(std::vector<double>(u.begin(), u.end()));
    v.emplace_back(std::vector<double>(s.rate.begin(), s.rate.end()));
  }
  return system.make_state(0, q, v);
}

double time_derivative(const Model& model, int links, const char* formulation) {
  const auto system = find_formulation(formulation)->make(model, parameter_values(model));
  const State state = state_of(*system, links);
  const auto workspace = system->make_workspace();
  std::vector<double> xdot(state.x.size());
  return calc_min_seconds([&] { system->derivative(state, xdot, *workspace); });
}

double time_one_step(const Model& model, int links) {
  const std::vector<double> parameters = parameter_values(model);
  const auto system = find_formulation("rotation-elements")->make(model, parameters);
  const State state = state_of(*system, links);
  Observation start;
  system->observe(system->initial_state(), start, *system->make_workspace());
  const Model absolute = make_absolute_model(model, parameters);
  const auto elements = make_element_mechanism<double>(absolute, parameters, start.bodies);
  ElementWorkspace<double> ws = make_element_workspace(elements);
  std::copy(state.mode.begin(), state.mode.end(), ws.motion.mode.begin());
  OneStepElimination eliminate(elements);
  std::vector<double> rates(state.x.size());
  return calc_min_seconds([&] { eliminate(state.t, state.x.data(), rates.data(), ws); });
}

void print() {
  std::printf("%6s %14s %14s %10s %14s\n", "links", "two steps, us", "one step, us", "factor",
              "recursive, us");
  for (int links : {2, 8, 32}) {
    const std::unique_ptr<Model> model = make_model(describe(make_spherical_chain(links)));
    const double two = time_derivative(*model, links, "rotation-elements");
    const double one = time_one_step(*model, links);
    std::printf("%6d %14.2f %14.2f %10.1f %14.2f\n", links, 1e6 * two, 1e6 * one, one / two,
                1e6 * time_derivative(*model, links, "recursive"));
  }
}

}  // namespace
}  // namespace cartan::bench

int main() {
  cartan::bench::print();
}
