// One evaluation of x' = f(t, x) for chains of spherical links, in joint and in absolute
// coordinates: growth from 64 to 1024 links and the ratio to `recursive`.
#include <cstdio>

#include "formulations/formulations.h"
#include "model_from_work.h"
#include "timing.h"

namespace cartan::bench {
namespace {

double time_chain(int links, const char* formulation) {
  const Work work = make_spherical_chain(links);
  const std::unique_ptr<Model> model = make_model(describe(work));
  const auto system = find_formulation(formulation)->make(*model, parameter_values(*model));
  std::vector<std::optional<std::vector<double>>> q, v;
  for (int i = 0; i < links; ++i) {
    const JointState s = calc_joint_state(i);
    const auto u = calc_quaternion(s.rotation);
    q.emplace_back(std::vector<double>(u.begin(), u.end()));
    v.emplace_back(std::vector<double>(s.rate.begin(), s.rate.end()));
  }
  const State state = system->make_state(0, q, v);
  const auto workspace = system->make_workspace();
  std::vector<double> xdot(state.x.size());
  return calc_min_seconds([&] { system->derivative(state, xdot, *workspace); });
}

void print() {
  std::printf("%-16s %6s %10s %14s %12s\n", "formulation", "links", "us", "us per link",
              "x recursive");
  for (int links : {4, 64, 1024}) {
    const double recursive = time_chain(links, "recursive");
    for (const char* name : {"recursive", "absolute-se3", "absolute-so3r3"}) {
      const double seconds = time_chain(links, name);
      std::printf("%-16s %6d %10.2f %14.3f %12.2f\n", name, links, 1e6 * seconds,
                  1e6 * seconds / links, seconds / recursive);
    }
  }
}

}  // namespace
}  // namespace cartan::bench

int main() {
  cartan::bench::print();
}
