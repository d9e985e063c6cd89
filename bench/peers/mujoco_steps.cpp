// MuJoCo's own RK4: steps per second on one core, contacts and constraints off. To be read beside
// bench_lanes, which takes RK4 steps of the same trees. One JSON object per line.
//
//   peer_mujoco_steps [WORK ...]     rev7 sph4 hum32 unless told
#include <cmath>

#include <vector>

#include "../timing.h"
#include "mujoco_tree.h"

namespace {

using namespace cartan::bench;

constexpr double step = 0.001;
constexpr int steps_of_a_run = 100;

void measure(const Work& work) {
  mjModel* const model = make_mujoco_model(work);
  if (!model) return;
  model->opt.integrator = mjINT_RK4;
  model->opt.timestep = step;
  const double pull[3] = {3, 4, -5};  // as bench_lanes: nothing hangs at rest
  mju_copy3(model->opt.gravity, pull);
  model->opt.disableflags |=
      mjDSBL_CONSTRAINT | mjDSBL_CONTACT | mjDSBL_ACTUATION | mjDSBL_PASSIVE | mjDSBL_SENSOR;
  mjData* const data = mj_makeData(model);
  double seconds = INFINITY;
  for (int pass = 0; pass < 4; ++pass)
    seconds = std::min(seconds, calc_min_seconds([&] {
                         mj_resetData(model, data);
                         set_mujoco_state(work, model, data, nullptr);
                         for (int k = 0; k < steps_of_a_run; ++k) mj_step(model, data);
                       }));
  std::printf(R"({"engine": "mujoco", "version": "%s", "work": "%s", "speeds": %d, )"
              R"("steps": %.4g, "norm": %.12g})"
              "\n",
              mj_versionString(), work.name.c_str(), model->nv, steps_of_a_run / seconds,
              mju_norm(data->qvel, model->nv));
  mj_deleteData(data);
  mj_deleteModel(model);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> wanted(argv + 1, argv + argc);
  if (wanted.empty()) wanted = {"rev7", "sph4", "hum32"};
  for (const Work& work : make_standard_work())
    if (std::find(wanted.begin(), wanted.end(), work.name) != wanted.end()) measure(work);
}
