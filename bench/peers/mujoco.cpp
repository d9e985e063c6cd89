// MuJoCo: the mass matrix is formed, factorised as a sparse tree matrix and solved.
//
// Measured is the shortest sequence of its public functions that gives the quantity; its own
// mj_forward also looks for contacts, sensors and actuators, which these trees do not have.
#include <mujoco/mujoco.h>

#include <cmath>

#include <sstream>

#include "peer.h"

namespace {

using namespace cartan::bench;

template <std::size_t n>
std::string calc_list(const std::array<double, n>& numbers) {
  std::ostringstream out;
  out.precision(17);
  for (double number : numbers) out << number << ' ';
  return out.str();
}

void write_body(std::ostream& out, const std::vector<Link>& links, std::size_t index) {
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

std::string calc_mjcf(const Work& work) {
  std::ostringstream out;
  out.precision(17);
  out << "<mujoco><compiler angle='radian'/><option gravity='" << calc_list(gravity)
      << "'/><worldbody>";
  for (std::size_t i = 0; i < work.links.size(); ++i)
    if (work.links[i].parent < 0) write_body(out, work.links, i);
  out << "</worldbody></mujoco>";
  return out.str();
}

class MujocoPeer {
 public:
  static std::unique_ptr<MujocoPeer> make(const Work& work) {
    const std::string text = calc_mjcf(work);
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "tree.xml", static_cast<int>(text.size()));
    std::copy(text.begin(), text.end(), static_cast<char*>(files->filedata[0]));
    char error[500] = "";
    mjModel* model = mj_loadXML("tree.xml", files.get(), error, sizeof error);
    mj_deleteVFS(files.get());
    if (!model) {
      std::fprintf(stderr, "mujoco refuses %s: %s\n", work.name.c_str(), error);
      return nullptr;
    }
    return std::unique_ptr<MujocoPeer>(new MujocoPeer(work, model));
  }

  ~MujocoPeer() {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }
  MujocoPeer(const MujocoPeer&) = delete;
  MujocoPeer& operator=(const MujocoPeer&) = delete;

  void forward() {
    mj_kinematics(model_, data_);
    mj_comPos(model_, data_);
    mj_crb(model_, data_);
    mj_factorM(model_, data_);
    mj_comVel(model_, data_);
    mj_rne(model_, data_, 0, result_.data());
    for (double& value : result_) value = -value;
    mj_solveM(model_, data_, acceleration_.data(), result_.data(), 1);
  }

  void inverse() {
    mj_kinematics(model_, data_);
    mj_comPos(model_, data_);
    mj_comVel(model_, data_);
    mju_copy(data_->qacc, wanted_acceleration_.data(), model_->nv);
    mj_rne(model_, data_, 1, result_.data());
  }

  // Left in the engine's own packed form: unpacking into a square is not part of its algorithms.
  void mass_matrix() {
    mj_kinematics(model_, data_);
    mj_comPos(model_, data_);
    mj_crb(model_, data_);
  }

  double norm(Quantity quantity) const {
    switch (quantity) {
      case Quantity::forward:
        return mju_norm(acceleration_.data(), model_->nv);
      case Quantity::inverse:
        return mju_norm(result_.data(), model_->nv);
      case Quantity::mass:
        break;
    }
    std::vector<double> square(static_cast<std::size_t>(model_->nv * model_->nv));
    mj_fullM(model_, square.data(), data_->qM);
    return mju_norm(square.data(), model_->nv * model_->nv);
  }

 private:
  MujocoPeer(const Work& work, mjModel* model) : model_(model), data_(mj_makeData(model)) {
    const auto speeds = static_cast<std::size_t>(model_->nv);
    result_.resize(speeds);
    acceleration_.resize(speeds);
    wanted_acceleration_.resize(speeds);
    // The file is written depth first, which is also the order of every list of links here.
    for (int i = 0; i < model_->njnt; ++i) {
      const JointState state = calc_joint_state(i);
      const auto quaternion = calc_quaternion(state.rotation);
      const int q = model_->jnt_qposadr[i], v = model_->jnt_dofadr[i];
      switch (work.links[static_cast<std::size_t>(i)].joint) {
        case JointKind::free:  // the origin comes first
          std::copy(quaternion.begin(), quaternion.end(), data_->qpos + q + 3);
          set_speeds(v + 3, state, 3);
          break;
        case JointKind::spherical:
          std::copy(quaternion.begin(), quaternion.end(), data_->qpos + q);
          set_speeds(v, state, 3);
          break;
        case JointKind::revolute:
          data_->qpos[q] = state.rotation[0];
          set_speeds(v, state, 1);
          break;
      }
    }
  }

  void set_speeds(int at, const JointState& state, int count) {
    for (int k = 0; k < count; ++k) {
      data_->qvel[at + k] = state.rate[static_cast<std::size_t>(k)];
      wanted_acceleration_[static_cast<std::size_t>(at + k)] =
          state.acceleration[static_cast<std::size_t>(k)];
    }
  }

  mjModel* model_;
  mjData* data_;
  std::vector<double> result_, acceleration_, wanted_acceleration_;
};

}  // namespace

int main(int argc, char** argv) {
  return run_peer<MujocoPeer>("mujoco", mj_versionString(), argc, argv);
}
