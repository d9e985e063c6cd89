// One acceleration of closed mechanisms, converged: all constraint accelerations vanish to
// rounding. Then what is done once: assembly of ladders from a guess (with all that makes a system)
// and their ranks (`start`: this alone; `stewart`: the acceleration of the Stewart platform alone).
// One JSON object per line.
#include <cstdio>

#include "formulations/formulations.h"
#include "io/toml_reader.h"
#include "mechanics/constraints/constraint_matrix.h"
#include "mechanics/machine/kinematics.h"
#include "mechanics/tree/recursive.h"
#include "model_from_work.h"
#include "timing.h"

namespace cartan::bench {
namespace {

// k four-bars, each standing on the coupler of the one below: ground link 1, cranks 1 and 1.2,
// coupler 1.1; all revolute about y, each loop closed by `closing`. `angles`: guesses of the three
// tree joints of each.
ModelDescription describe_ladder(int k, const std::string& closing,
                                 const std::vector<double>& angles = {-1.4, 1.4, 1.3}) {
  ModelDescription d;
  d.name = "ladder";
  auto body = [&](const std::string& name, double length) {
    BodyText b;
    b.name = name;
    b.mass = 1.0;
    b.com = {length / 2, 0, 0};
    b.inertia = {0.001, length * length / 12, length * length / 12};
    d.bodies.push_back(b);
  };
  auto joint = [&](const std::string& name, const std::string& type, const std::string& parent,
                   double at, const std::string& child, double child_at, double angle) {
    JointText j;
    j.name = name;
    j.type = type;
    if (type == "revolute") j.axis = {0, 1, 0};
    j.parent.body = parent;
    j.parent.at = {at, 0, 0};
    j.child.body = child;
    j.child.at = {child_at, 0, 0};
    if (type == "revolute" && name[0] != 'd') {
      j.position.given = true;
      j.position.coordinates = {angle};
    }
    d.joints.push_back(j);
  };
  std::string ground = "world";
  for (int i = 0; i < k; ++i) {
    const std::string n = std::to_string(i);
    body("crank" + n, 1.0);
    body("coupler" + n, 1.1);
    body("rocker" + n, 1.2);
    joint("a" + n, "revolute", ground, 0, "crank" + n, 0, angles[0]);
    joint("b" + n, "revolute", "crank" + n, 1.0, "coupler" + n, 0, angles[1]);
    joint("c" + n, "revolute", "coupler" + n, 1.1, "rocker" + n, 0, angles[2]);
    joint("d" + n, closing, ground, 1.0, "rocker" + n, 1.2, 0);
    ground = "coupler" + n;
  }
  return d;
}

std::unique_ptr<Model> read_example(const std::string& path) {
  Diagnostics problems(path);
  const auto description = read_model_file(path, problems);
  if (description) return make_model(*description);
  std::fputs(problems.text().c_str(), stderr);
  std::exit(1);
}

struct Figure {
  std::vector<double> q;  // the assembled position
  double seconds = 0;
  int nv = 0, rows = 0, rank = 0;
};

Figure measure(const Model& model) {
  const std::vector<double> parameters = parameter_values(model);
  std::string problem;
  const auto system = make_system(model, parameters, "recursive", problem);
  if (!system) {
    std::fprintf(stderr, "%s\n", problem.c_str());
    std::exit(1);
  }
  const State state = system->initial_state();
  const Mechanism<double> mechanism = make_mechanism<double>(model, parameters);
  MotionWorkspace<double> ws = make_motion_workspace(mechanism);
  std::copy(state.mode.begin(), state.mode.end(), ws.mode.begin());
  std::vector<double> q(state.x.begin(), state.x.begin() + mechanism.nq);
  std::vector<double> v(mechanism.nv, 0.1);
  Figure figure;
  figure.seconds = calc_min_seconds([&] {
    fill_kinematics<double>(mechanism, 0.0, q.data(), v.data(), ws);
    solve_accelerations(mechanism, ws);
  });
  figure.q = q;
  figure.nv = mechanism.nv;
  figure.rows = mechanism.row_count();
  figure.rank = calc_rank(mechanism, ws).rank;
  return figure;
}

// CPU time of making the system from guessed angles, the least of three, and of the ranks.
void print_start(int k) {
  const auto model = make_model(describe_ladder(k, "revolute"));
  const std::vector<double> parameters = parameter_values(*model);
  double assembly = 1e9;
  State state;
  for (int turn = 0; turn < 3; ++turn) {
    const double start = calc_cpu_seconds();
    std::string problem;
    const auto system = make_system(*model, parameters, "recursive", problem);
    assembly = std::min(assembly, calc_cpu_seconds() - start);
    if (!system) {
      std::fprintf(stderr, "%s\n", problem.c_str());
      std::exit(1);
    }
    state = system->initial_state();
  }
  const Mechanism<double> mechanism = make_mechanism<double>(*model, parameters);
  MotionWorkspace<double> ws = make_motion_workspace(mechanism);
  std::copy(state.mode.begin(), state.mode.end(), ws.mode.begin());
  const double* q = state.x.data();
  fill_kinematics<double>(mechanism, 0.0, q, q + mechanism.nq, ws);
  const double ranks = calc_min_seconds([&] { calc_rank(mechanism, ws); });
  std::printf("{\"table\": \"start\", \"cells\": %d, \"assembly_ms\": %.4g, \"ranks_ms\": %.4g}\n",
              k, 1e3 * assembly, 1e3 * ranks);
}

void print(const std::string& name, const Figure& f, int cells) {
  std::printf(
      "{\"table\": \"closed\", \"mechanism\": \"%s\", \"speeds\": %d, \"rows\": %d, \"rank\": %d, "
      "\"us\": %.4g, \"cells\": %d}\n",
      name.c_str(), f.nv, f.rows, f.rank, 1e6 * f.seconds, cells);
}

}  // namespace
}  // namespace cartan::bench

int main(int argc, char** argv) {
  using namespace cartan::bench;
  const std::string part = argc == 3 ? argv[2] : "";
  if (argc < 2 || argc > 3 || (argc == 3 && part != "start" && part != "stewart")) {
    std::fprintf(stderr,
                 "usage: bench_closed EXAMPLES [start|stewart], the folder with stewart.toml\n");
    return 2;
  }
  const auto measure_stewart = [&] {
    print("Stewart platform", measure(*read_example(std::string(argv[1]) + "/stewart.toml")), 0);
  };
  if (part == "stewart") {
    measure_stewart();
    return 0;
  }
  if (part == "start") {
    for (int k : {25, 50, 100, 200, 400}) print_start(k);
    return 0;
  }
  print("four-bar, spherical closing", measure(*make_model(describe_ladder(1, "spherical"))), 0);
  const Figure one = measure(*make_model(describe_ladder(1, "revolute")));
  print("four-bar, revolute closing", one, 0);
  measure_stewart();
  for (int k : {25, 50, 100, 200})
    print("ladder of " + std::to_string(k) + " four-bars",
          measure(*make_model(describe_ladder(k, "revolute", one.q))), k);
  for (int k : {25, 50, 100, 200}) print_start(k);
}
