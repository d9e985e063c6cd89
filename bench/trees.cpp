// Our own figures for the work the peers are measured on, in the same lines of JSON.
#include "mechanics/machine/kinematics.h"
#include "mechanics/tree/moving_frame.h"
#include "mechanics/tree/recursive.h"
#include "model_from_work.h"
#include "peers/peer.h"

namespace cartan::bench {
namespace {

class Cartan {
 public:
  explicit Cartan(const Work& work) : model_(make_model(describe(work))) {
    const std::vector<double> parameters = parameter_values(*model_);
    mechanism_ = make_mechanism<double>(*model_, parameters);
    ws_ = make_motion_workspace(mechanism_);
    calc_standard_state(work, q_, v_, vdot_);
    tau_.resize(mechanism_.nv);
    // as the peers: no mass matrix where it would be huge
    if (mechanism_.nv <= 400) mass_.resize(static_cast<std::size_t>(mechanism_.nv) * mechanism_.nv);
  }
  static std::unique_ptr<Cartan> make(const Work& work) { return std::make_unique<Cartan>(work); }

  void forward() {
    fill();
    solve_accelerations(mechanism_, ws_);
  }
  void inverse() {
    fill();
    ws_.vdot = vdot_;
    calc_inverse_dynamics<double>(mechanism_, ws_, tau_);
  }
  void mass_matrix() {
    if (mass_.empty()) return;
    fill();
    calc_mass_matrix<double>(mechanism_, ws_, mass_);
  }
  double norm(Quantity quantity) const {
    const std::vector<double>& a = quantity == Quantity::forward   ? ws_.vdot
                                   : quantity == Quantity::inverse ? tau_
                                                                   : mass_;
    double sum = 0;
    for (double entry : a) sum += entry * entry;
    return std::sqrt(sum);
  }

 private:
  void fill() { fill_kinematics<double>(mechanism_, 0.0, q_.data(), v_.data(), ws_); }

  std::unique_ptr<Model> model_;
  Mechanism<double> mechanism_;
  MotionWorkspace<double> ws_;
  std::vector<double> q_, v_, vdot_, tau_, mass_;
};

}  // namespace
}  // namespace cartan::bench

int main(int argc, char** argv) {
  return cartan::bench::run_peer<cartan::bench::Cartan>("cartan", CARTAN_VERSION, argc, argv);
}
