// A tree of links as a model of MuJoCo, in the state of the standard work.
#pragma once

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string>

#include "../work.h"

namespace cartan::bench {

template <std::size_t n>
inline std::string calc_list(const std::array<double, n>& numbers) {
  std::ostringstream out;
  out.precision(17);
  for (double number : numbers) out << number << ' ';
  return out.str();
}

inline void write_body(std::ostream& out, const std::vector<Link>& links, std::size_t index) {
  const Link& link = links[index];
  // Names in a file must be unique, the links of a chain all have the same: the index serves.
  out << "<body name='b" << index << "' pos='" << calc_list(link.offset) << "'><inertial pos='"
      << calc_list(link.com) << "' mass='" << link.mass << "' fullinertia='"
      << calc_list(link.inertia) << "'/>";
  switch (link.joint) {
    case JointKind::free:
      out << "<freejoint/>";
      break;
    case JointKind::spherical:
      out << "<joint type='ball'/>";
      break;
    case JointKind::revolute:
      out << "<joint type='hinge' axis='" << calc_list(link.axis) << "'/>";
      break;
  }
  for (std::size_t child = index + 1; child < links.size(); ++child)
    if (links[child].parent == static_cast<int>(index)) write_body(out, links, child);
  out << "</body>";
}

inline std::string calc_mjcf(const Work& work) {
  std::ostringstream out;
  out.precision(17);
  out << "<mujoco><compiler angle='radian'/><option gravity='" << calc_list(gravity)
      << "'/><worldbody>";
  for (std::size_t i = 0; i < work.links.size(); ++i)
    if (work.links[i].parent < 0) write_body(out, work.links, i);
  out << "</worldbody></mujoco>";
  return out.str();
}

// Null, with a line on stderr, where MuJoCo refuses it.
inline mjModel* make_mujoco_model(const Work& work) {
  const std::string text = calc_mjcf(work);
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), "tree.xml", static_cast<int>(text.size()));
  std::copy(text.begin(), text.end(), static_cast<char*>(files->filedata[0]));
  char error[500] = "";
  mjModel* model = mj_loadXML("tree.xml", files.get(), error, sizeof error);
  mj_deleteVFS(files.get());
  if (!model) std::fprintf(stderr, "mujoco refuses %s: %s\n", work.name.c_str(), error);
  return model;
}

// The state of joint i, and the accelerations asked of it (null: nobody asks). The file is written
// depth first, which is also the order of every list of links here.
inline void set_mujoco_state(const Work& work, const mjModel* model, mjData* data,
                             double* acceleration) {
  for (int i = 0; i < model->njnt; ++i) {
    const JointState state = calc_joint_state(i);
    const auto quaternion = calc_quaternion(state.rotation);
    const int q = model->jnt_qposadr[i], v = model->jnt_dofadr[i];
    const auto set_speeds = [&](int at, int count) {
      std::copy_n(state.rate.begin(), count, data->qvel + at);
      if (acceleration) std::copy_n(state.acceleration.begin(), count, acceleration + at);
    };
    switch (work.links[static_cast<std::size_t>(i)].joint) {
      case JointKind::free:  // the origin comes first
        std::copy(quaternion.begin(), quaternion.end(), data->qpos + q + 3);
        set_speeds(v + 3, 3);
        break;
      case JointKind::spherical:
        std::copy(quaternion.begin(), quaternion.end(), data->qpos + q);
        set_speeds(v, 3);
        break;
      case JointKind::revolute:
        data->qpos[q] = state.rotation[0];
        set_speeds(v, 1);
        break;
    }
  }
}

}  // namespace cartan::bench
