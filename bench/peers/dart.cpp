// DART: O(n) forward dynamics over a skeleton that remembers what it has computed and forgets it
// only when coordinates get values that differ from the old ones. Every evaluation therefore sets
// coordinates, and alternates between two positions that are different numbers and the same pose
// for every purpose.
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>

#include "peer.h"

namespace {

using namespace cartan::bench;

Eigen::Vector3d calc_vec(const Vec3& v) {
  return {v[0], v[1], v[2]};
}

template <class Joint>
typename Joint::Properties make_joint(const Link& link, std::size_t index) {
  typename Joint::Properties joint;
  joint.mName = "j" + std::to_string(index);
  joint.mT_ParentBodyToJoint.translation() = calc_vec(link.offset);
  return joint;
}

class DartPeer {
 public:
  static std::unique_ptr<DartPeer> make(const Work& work) {
    return std::unique_ptr<DartPeer>(new DartPeer(work));
  }

  void forward() {
    move();
    skeleton_->setVelocities(rate_);
    skeleton_->computeForwardDynamics();
  }

  void inverse() {
    move();
    skeleton_->setVelocities(rate_);
    skeleton_->setAccelerations(wanted_acceleration_);
    skeleton_->computeInverseDynamics();
  }

  void mass_matrix() {
    move();
    skeleton_->getMassMatrix();
  }

  double norm(Quantity quantity) const {
    switch (quantity) {
      case Quantity::forward:
        return skeleton_->getAccelerations().norm();
      case Quantity::inverse:
        return force_norm();
      case Quantity::mass:
        return skeleton_->getMassMatrix().norm();
    }
    return 0;
  }

 private:
  explicit DartPeer(const Work& work) : skeleton_(dart::dynamics::Skeleton::create(work.name)) {
    using namespace dart::dynamics;
    skeleton_->setGravity(calc_vec(gravity));
    std::vector<BodyNode*> bodies;
    for (std::size_t i = 0; i < work.links.size(); ++i) {
      const Link& link = work.links[i];
      const auto& m = link.inertia;
      BodyNode::AspectProperties body("b" + std::to_string(i));
      body.mInertia = Inertia(link.mass, link.com[0], link.com[1], link.com[2], m[0], m[1], m[2],
                              m[3], m[4], m[5]);
      BodyNode* parent = link.parent < 0 ? nullptr : bodies[static_cast<std::size_t>(link.parent)];
      switch (link.joint) {
        case JointKind::free:
          bodies.push_back(add<FreeJoint>(parent, make_joint<FreeJoint>(link, i), body));
          break;
        case JointKind::spherical:
          bodies.push_back(add<BallJoint>(parent, make_joint<BallJoint>(link, i), body));
          break;
        case JointKind::revolute: {
          auto joint = make_joint<RevoluteJoint>(link, i);
          joint.mAxis = calc_vec(link.axis);
          bodies.push_back(add<RevoluteJoint>(parent, joint, body));
          break;
        }
      }
    }
    const auto speeds = static_cast<Eigen::Index>(skeleton_->getNumDofs());
    position_.setZero(speeds);
    rate_.setZero(speeds);
    wanted_acceleration_.setZero(speeds);
    // A joint's coordinates: a rotation vector (first, for the free joint) or an angle; rates in
    // the axes of the link.
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const JointState state = calc_joint_state(static_cast<int>(i));
      const auto at = static_cast<Eigen::Index>(bodies[i]->getParentJoint()->getIndexInSkeleton(0));
      const Eigen::Index count = work.links[i].joint == JointKind::revolute ? 1 : 3;
      position_.segment(at, count) = calc_vec(state.rotation).head(count);
      rate_.segment(at, count) = calc_vec(state.rate).head(count);
      wanted_acceleration_.segment(at, count) = calc_vec(state.acceleration).head(count);
    }
    other_position_ = position_ * (1 + 1e-14);
  }

  template <class Joint, class JointProperties, class BodyProperties>
  dart::dynamics::BodyNode* add(dart::dynamics::BodyNode* parent, const JointProperties& joint,
                                const BodyProperties& body) {
    return skeleton_
        ->createJointAndBodyNodePair<Joint>(parent, joint,
                                            dart::dynamics::BodyNode::Properties(body))
        .second;
  }

  void move() {
    skeleton_->setPositions(position_);
    position_.swap(other_position_);
  }

  double force_norm() const {
    double sum = 0;
    for (std::size_t i = 0; i < skeleton_->getNumDofs(); ++i)
      sum += skeleton_->getForce(i) * skeleton_->getForce(i);
    return std::sqrt(sum);
  }

  dart::dynamics::SkeletonPtr skeleton_;
  Eigen::VectorXd position_, other_position_, rate_, wanted_acceleration_;
};

}  // namespace

int main(int argc, char** argv) {
  return run_peer<DartPeer>("dart", DART_VERSION, argc, argv);
}
