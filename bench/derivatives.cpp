// What derivatives of the accelerations cost, beside one evaluation of x' = f(t, x): the Jacobian
// of the System, the same by dual numbers through the whole dynamics and by those along the
// recursion over numbers (dual_solver.h), products with a vector. One line of JSON per mechanism;
// ratios in one run are what counts.
#include <cstdio>
#include <string>

#include "formulations/formulations.h"
#include "io/toml_reader.h"
#include "mechanics/machine/kinematics.h"
#include "mechanics/machine/several_points.h"
#include "mechanics/tree/recursive.h"
#include "mechanics/tree/slopes/dual_solver.h"
#include "rods.h"
#include "system/state_products.h"
#include "timing.h"

namespace cartan::bench {
namespace {

std::unique_ptr<Model> read_model(const std::string& path) {
  Diagnostics problems(path);
  const auto description = read_model_file(path, problems);
  if (description) return make_model(*description);
  std::fputs(problems.text().c_str(), stderr);
  std::exit(1);
}

std::string only;  // a work of that name

void measure(const std::string& name, const Model& model, const std::vector<double>& q,
             const std::vector<double>& v) {
  if (!only.empty() && only != name) return;
  const std::vector<double> parameters = parameter_values(model);
  std::string problem;
  const auto system = make_system(model, parameters, "recursive", problem);
  if (!system) {
    std::fprintf(stderr, "%s\n", problem.c_str());
    std::exit(1);
  }
  State at = system->initial_state();
  std::copy(q.begin(), q.end(), at.x.begin());
  std::copy(v.begin(), v.end(), at.x.begin() + system->kinematic_size());
  const auto workspace = system->make_workspace();
  std::vector<double> rates(at.x.size());
  const int n = static_cast<int>(at.x.size());
  Eigen::MatrixXd J(n, n);
  const double forward = calc_min_seconds([&] { system->derivative(at, rates, *workspace); });
  const double jacobian = calc_min_seconds([&] { system->jacobian(at, J, *workspace); });

  std::vector<double> direction(n, 0.5), product(n);
  const auto* products = dynamic_cast<const StateProducts*>(system.get());
  const double jvp = calc_min_seconds([&] { products->jvp(at, direction, product, *workspace); });
  const double vjp = calc_min_seconds([&] { products->vjp(at, direction, product, *workspace); });

  // duals through kinematics and dynamics; forces are left out
  const Mechanism<Dual4> mechanism = make_with_constants<Dual4>(model, parameters);
  MotionWorkspace<Dual4> ws = make_motion_workspace(mechanism);
  std::copy(at.mode.begin(), at.mode.end(), ws.mode.begin());
  std::vector<Dual4> x, xdot;
  Eigen::MatrixXd K(n, n);
  const auto differentiate = [&] {
    differentiate_columns(
        at.x, mechanism.state_size(), K, x, xdot, [&](const Dual4* point, Dual4* to) {
          fill_kinematics<Dual4>(mechanism, Dual4(at.t), point, point + mechanism.nq, ws);
          solve_along_numbers(mechanism, ws);
          std::copy(ws.vdot.begin(), ws.vdot.end(), to + mechanism.nq);
        });
  };
  const double duals = calc_min_seconds(differentiate);
  // the same with the recursion over numbers: what derivatives by parameters cost
  const Mechanism<double> numbers = make_with_constants<double>(model, parameters);
  DualSolver solver(numbers);
  ws.solver = &solver;
  const double along = calc_min_seconds(differentiate);
  std::printf(
      "{\"table\": \"derivatives\", \"work\": \"%s\", \"speeds\": %d, \"forward_us\": %.4g, "
      "\"jacobian_us\": %.4g, \"duals_us\": %.4g, \"jacobian_per_forward\": %.3g, "
      "\"duals_per_jacobian\": %.3g, \"along_numbers_per_duals\": %.3g, \"jvp_per_forward\": %.3g, "
      "\"vjp_per_forward\": %.3g}\n",
      name.c_str(), mechanism.nv, 1e6 * forward, 1e6 * jacobian, 1e6 * duals, jacobian / forward,
      duals / jacobian, along / duals, jvp / forward, vjp / forward);
}

// Rods on balls, each with a spring and a damper.
void measure_sprung_chain(int links) {
  ModelDescription d = describe(RodChain{links, 0.1, {0.3, 0.2, 0.1}});
  for (int i = 0; i < links; ++i) {
    ForceText spring;
    spring.name = "spring" + std::to_string(i);
    spring.type = "torsion";
    spring.joint.name = "j" + std::to_string(i);
    spring.stiffness = {"2e3", "2e3", "2e3"};
    spring.damping = {"20", "20", "20"};
    d.forces.push_back(spring);
  }
  measure("sprung" + std::to_string(links), *make_model(d), {}, {});
}

void measure_work(const Work& work) {
  std::vector<double> q, v, vdot;
  calc_standard_state(work, q, v, vdot);
  measure(work.name, *make_model(describe(work)), q, v);
}

}  // namespace
}  // namespace cartan::bench

int main(int argc, char** argv) {
  using namespace cartan::bench;
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr,
                 "usage: bench_derivatives EXAMPLES [WORK], the folder with stewart.toml\n");
    return 2;
  }
  if (argc == 3) only = argv[2];
  for (const int n : {6, 7, 30}) measure_work(make_revolute_chain(n));
  for (const int n : {4, 16, 64}) measure_work(make_spherical_chain(n));
  measure_work(make_humanoid());
  measure_sprung_chain(16);
  for (const char* name : {"four_bar", "stewart", "bicycle"})
    measure(name, *read_model(std::string(argv[1]) + "/" + name + ".toml"), {}, {});
}
