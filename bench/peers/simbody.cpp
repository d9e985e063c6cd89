// Simbody: O(n) forward dynamics behind a state with stages. Writing the coordinates, even with the
// values they have, throws away all that was computed from them; every evaluation below begins so.
#include <Simbody.h>

#include "peer.h"

namespace {

using namespace cartan::bench;

SimTK::Vec3 calc_vec(const Vec3& v) {
  return {v[0], v[1], v[2]};
}

// Its revolute joint turns about z of the joint frames.
SimTK::Rotation calc_frame_with_z(const Vec3& axis) {
  return {SimTK::UnitVec3(calc_vec(axis)), SimTK::ZAxis};
}

class SimbodyPeer {
 public:
  static std::unique_ptr<SimbodyPeer> make(const Work& work) {
    return std::unique_ptr<SimbodyPeer>(new SimbodyPeer(work));
  }

  void forward() {
    state_.updQ();
    system_.realize(state_, SimTK::Stage::Acceleration);
  }

  void inverse() {
    state_.updQ();
    system_.realize(state_, SimTK::Stage::Velocity);
    matter_.calcResidualForceIgnoringConstraints(state_, no_forces_, gravity_.getBodyForces(state_),
                                                 wanted_acceleration_, residual_);
  }

  void mass_matrix() {
    state_.updQ();
    system_.realize(state_, SimTK::Stage::Position);
    matter_.calcM(state_, mass_);
  }

  double norm(Quantity quantity) const {
    switch (quantity) {
      case Quantity::forward:
        return state_.getUDot().norm();
      case Quantity::inverse:
        return residual_.norm();
      case Quantity::mass:
        return mass_.norm();
    }
    return 0;
  }

 private:
  explicit SimbodyPeer(const Work& work)
      : matter_(system_), forces_(system_), gravity_(forces_, matter_, calc_vec(gravity)) {
    std::vector<SimTK::MobilizedBody> bodies;
    for (const Link& link : work.links) {
      const auto& m = link.inertia;
      const SimTK::Vec3 com = calc_vec(link.com);
      // It wants the inertia about the body's origin.
      const SimTK::Inertia inertia =
          SimTK::Inertia(m[0], m[1], m[2], m[3], m[4], m[5]).shiftFromMassCenter(-com, link.mass);
      const SimTK::Body::Rigid body(SimTK::MassProperties(link.mass, com, inertia));
      SimTK::MobilizedBody parent = link.parent < 0 ? SimTK::MobilizedBody(matter_.Ground())
                                                    : bodies[static_cast<std::size_t>(link.parent)];
      const SimTK::Transform on_parent(calc_vec(link.offset));
      switch (link.joint) {
        case JointKind::free:
          bodies.push_back(SimTK::MobilizedBody::Free(parent, on_parent, body, {}));
          break;
        case JointKind::spherical:
          bodies.push_back(SimTK::MobilizedBody::Ball(parent, on_parent, body, {}));
          break;
        case JointKind::revolute: {
          const SimTK::Rotation turn = calc_frame_with_z(link.axis);
          bodies.push_back(SimTK::MobilizedBody::Pin(
              parent, SimTK::Transform(turn, calc_vec(link.offset)), body, SimTK::Transform(turn)));
          break;
        }
      }
    }
    state_ = system_.realizeTopology();
    system_.realizeModel(state_);
    wanted_acceleration_ = SimTK::Vector(state_.getNU(), 0.0);
    for (std::size_t i = 0; i < bodies.size(); ++i)
      set_state(bodies[i], work.links[i], static_cast<int>(i));
  }

  void set_state(const SimTK::MobilizedBody& body, const Link& link, int index) {
    const JointState state = calc_joint_state(index);
    if (link.joint == JointKind::revolute) {
      body.setOneQ(state_, 0, state.rotation[0]);
      body.setOneU(state_, 0, state.rate[0]);
      body.updOneFromUPartition(state_, 0, wanted_acceleration_) = state.acceleration[0];
      return;
    }
    const auto quaternion = calc_quaternion(state.rotation);
    for (int k = 0; k < 4; ++k) body.setOneQ(state_, k, quaternion[static_cast<std::size_t>(k)]);
    // Its angular velocities are written in the axes of the parent; in both kinds they come first.
    const Vec3 rate = calc_rotated(state.rotation, state.rate);
    const Vec3 acceleration = calc_rotated(state.rotation, state.acceleration);
    for (int k = 0; k < 3; ++k) {
      body.setOneU(state_, k, rate[static_cast<std::size_t>(k)]);
      body.updOneFromUPartition(state_, k, wanted_acceleration_) =
          acceleration[static_cast<std::size_t>(k)];
    }
  }

  SimTK::MultibodySystem system_;
  SimTK::SimbodyMatterSubsystem matter_;
  SimTK::GeneralForceSubsystem forces_;
  SimTK::Force::Gravity gravity_;
  SimTK::State state_;
  SimTK::Vector wanted_acceleration_, residual_;
  const SimTK::Vector no_forces_;
  SimTK::Matrix mass_;
};

}  // namespace

int main(int argc, char** argv) {
  int major = 0, minor = 0, patch = 0;
  SimTK_version_simbody(&major, &minor, &patch);
  return run_peer<SimbodyPeer>("simbody", std::to_string(major) + "." + std::to_string(minor), argc,
                               argv);
}
