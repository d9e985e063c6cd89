// MuJoCo on examples/funnel.toml: 500 spheres run through four plates. Its elliptic cones, its CG
// solver, contacts in their normal direction and two tangents. Time per step, deepest overlap and
// violation of the cones, to be read beside `cartan run examples/funnel.toml --json`.
//
//   peer_mujoco_spheres [STEPS [STEP]]     1000 steps of 0.001 s unless told
#include <mujoco/mujoco.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>

namespace {

constexpr double friction = 0.4, radius = 0.015, pitch = 0.031, opening = 0.14, plate = 0.5;
constexpr double thick = 0.04, slope = 50 * 3.14159265358979323846 / 180;
constexpr int count = 500, row = 7;

std::string make_funnel(double step) {
  std::ostringstream out;
  out.precision(17);
  out << "<mujoco><compiler angle='radian'/><size nconmax='3000' njmax='9000'/><option timestep='"
      << step << "' cone='elliptic' solver='CG' gravity='0 0 -9.81'/><default><geom friction='"
      << friction << " 0 0' condim='3'/></default><worldbody>"
      << "<geom type='plane' size='5 5 1'/>";
  const double away = opening / 2 + (plate * std::cos(slope) + thick * std::sin(slope)) / 2;
  const double up = 0.25 + (plate * std::sin(slope) - thick * std::cos(slope)) / 2;
  for (const int side : {1, -1}) {
    out << "<geom type='box' size='" << plate / 2 << ' ' << plate << ' ' << thick / 2 << "' pos='"
        << side * away << " 0 " << up << "' euler='0 " << -side * slope << " 0'/>";
    out << "<geom type='box' size='" << plate << ' ' << plate / 2 << ' ' << thick / 2 << "' pos='0 "
        << side * away << ' ' << up << "' euler='" << side * slope << " 0 0'/>";
  }
  for (int i = 1; i <= count; ++i) {
    const double x = pitch * ((i - 1) % row - (row - 1) / 2.0) + 0.001 * std::sin(7.0 * i);
    const double y = pitch * ((i - 1) / row % row - (row - 1) / 2.0) + 0.001 * std::cos(5.0 * i);
    out << "<body pos='" << x << ' ' << y << ' ' << 0.35 + pitch * ((i - 1) / (row * row))
        << "'><freejoint/><geom type='sphere' size='" << radius << "' density='2500'/></body>";
  }
  out << "</worldbody></mujoco>";
  return out.str();
}

// Deepest overlap, and how far tangential forces leave the cone as a part of the normal force.
struct Worst {
  double overlap = 0, cone = 0;
  int contacts = 0;
};

void look(const mjModel* model, const mjData* data, Worst& worst) {
  worst.contacts = std::max(worst.contacts, data->ncon);
  for (int c = 0; c < data->ncon; ++c) {
    worst.overlap = std::max(worst.overlap, -data->contact[c].dist);
    mjtNum force[6];
    mj_contactForce(model, data, c, force);
    if (force[0] > 1e-9)
      worst.cone = std::max(worst.cone, std::hypot(force[1], force[2]) / (friction * force[0]) - 1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 1000;
  const double step = argc > 2 ? std::atof(argv[2]) : 0.001;
  const std::string text = make_funnel(step);
  mjVFS* const files = static_cast<mjVFS*>(std::malloc(sizeof(mjVFS)));
  mj_defaultVFS(files);
  mj_makeEmptyFileVFS(files, "funnel.xml", static_cast<int>(text.size()));
  std::memcpy(files->filedata[0], text.data(), text.size());
  char error[1000] = "";
  mjModel* const model = mj_loadXML("funnel.xml", files, error, sizeof error);
  mj_deleteVFS(files);
  std::free(files);
  if (!model) {
    std::fprintf(stderr, "mujoco refuses the funnel: %s\n", error);
    return 1;
  }
  mjData* const data = mj_makeData(model);
  Worst worst;
  double seconds = 0;
  for (int k = 0; k < steps; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    mj_step(model, data);
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    look(model, data, worst);
  }
  std::printf(R"({"engine": "mujoco", "version": "%s", "steps": %d, "us_per_step": %.4g, )"
              R"("contacts": %d, "overlap": %.3g, "cone": %.3g})"
              "\n",
              mj_versionString(), steps, 1e6 * seconds / steps, worst.contacts, worst.overlap,
              worst.cone);
  mj_deleteData(data);
  mj_deleteModel(model);
}
