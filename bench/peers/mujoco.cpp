// MuJoCo: the mass matrix is formed, factorised as a sparse tree matrix and solved.
//
// Measured is the shortest sequence of its public functions that gives the quantity; its own
// mj_forward also looks for contacts, sensors and actuators, which these trees do not have.
#include "mujoco_tree.h"
#include "peer.h"

namespace {

using namespace cartan::bench;

class MujocoPeer {
 public:
  static std::unique_ptr<MujocoPeer> make(const Work& work) {
    mjModel* const model = make_mujoco_model(work);
    if (!model) return nullptr;
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
    set_mujoco_state(work, model_, data_, wanted_acceleration_.data());
  }

  mjModel* model_;
  mjData* data_;
  std::vector<double> result_, acceleration_, wanted_acceleration_;
};

}  // namespace

int main(int argc, char** argv) {
  return run_peer<MujocoPeer>("mujoco", mj_versionString(), argc, argv);
}
