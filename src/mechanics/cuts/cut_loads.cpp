#include "mechanics/cuts/cut_loads.h"

#include <algorithm>
#include <cmath>

#include "lie/quaternion.h"
#include "model/mass_properties.h"

namespace cartan::mechanics {
namespace {

using Vec3d = Vec3<double>;

// A wrench on the part in front, gathered about the body's origin in its axes.
struct FrontWrench {
  Mat3<double> R;
  Vec3d origin;  // world
  Vec3d force, moment;

  Vec3d inside(const Vec3d& point) const { return transpose_times(R, point - origin); }
  void add(const Vec3d& point, const Vec3d& f, const Vec3d& n) {
    const Vec3d own = transpose_times(R, f);
    force += own;
    moment += cross(inside(point), own) + transpose_times(R, n);
  }
};

}  // namespace

CutLoads::CutLoads(const Model& model, std::span<const double> parameters) : model_(model) {
  for (const Cut& cut : model.cuts) {
    const Body& body = model.bodies[cut.body];
    Section section;
    section.body = cut.body;
    const Vec3d normal = calc_vec3<double>(cut.normal, parameters);
    section.plane = {calc_vec3<double>(cut.at, parameters), (1 / norm(normal)) * normal};
    section.front = calc_front_part(body, section.plane, parameters);
    const PartMoments whole = calc_whole_part(body, parameters);
    section.front_is_empty = section.front.mass < 1e-9 * whole.mass;
    section.back_is_empty = whole.mass - section.front.mass < 1e-9 * whole.mass;
    const double trace = whole.second(0, 0) + whole.second(1, 1) + whole.second(2, 2);
    section.size = std::sqrt(std::max(trace / whole.mass, 0.0)) + norm(section.plane.at);
    sections_.push_back(section);
  }
  for (const Joint& joint : model.joints)
    ends_.push_back({calc_vec3<double>(joint.parent.at, parameters),
                     calc_vec3<double>(joint.child.at, parameters)});
}

bool CutLoads::is_in_front(const Section& section, const Vec3<double>& x) {
  const double height = dot(section.plane.normal, x - section.plane.at);
  if (std::fabs(height) > 1e-9 * section.size) return height > 0;
  return !section.back_is_empty;
}

CutLoad CutLoads::calc_one(const Section& section, const Observation& now,
                           const DynamicsReport& dynamics,
                           const std::vector<AppliedWrench>& wrenches,
                           const std::vector<ContactReport>& contacts) const {
  const int b = section.body;
  const auto pose_of = [&](int body, FrontWrench& at) {
    at.R = body == world ? Mat3<double>::identity() : rotation_matrix(now.bodies[body].orientation);
    at.origin = body == world ? Vec3d{} : now.bodies[body].position;
  };
  FrontWrench sum;
  pose_of(b, sum);
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const Joint& joint = model_.joints[j];
    if (joint.child.body != b && joint.parent.body != b) continue;
    FrontWrench child;
    pose_of(joint.child.body, child);
    const Vec3d point = child.origin + child.R * ends_[j].on_child;  // C's origin
    const JointReaction& r = dynamics.reactions[j];
    if (joint.child.body == b) {
      if (is_in_front(section, ends_[j].on_child)) sum.add(point, r.force, r.torque);
      continue;
    }
    // where the joint does not slide both ends are one point but for errors
    const Vec3d here = sum.inside(point), written = ends_[j].on_parent;
    const bool same = norm(here - written) < 1e-6 * section.size;
    if (is_in_front(section, same ? written : here)) sum.add(point, -r.force, -r.torque);
  }
  for (const AppliedWrench& w : wrenches)
    if (w.body == b && !w.in_joint && is_in_front(section, sum.inside(w.point)))
      sum.add(w.point, w.force, w.torque);
  for (const ContactReport& contact : contacts)
    for (const bool second : {false, true})
      if (!contact.in_joint && (second ? contact.body_b : contact.body_a) == b &&
          is_in_front(section, sum.inside(contact.point)))
        sum.add(contact.point, second ? -contact.force : contact.force, {});

  const BodyAcceleration& motion = dynamics.bodies[b];
  const Vec3d w = now.bodies[b].angular, dw = motion.angular;
  const Vec3d a = transpose_times(sum.R, motion.linear - dynamics.gravity);
  const PartMoments& part = section.front;
  const Mat3<double> A = hat(dw) + hat(w) * hat(w), AP = A * part.second;  // int rho (A x) x^T
  const Vec3d turning{AP(2, 1) - AP(1, 2), AP(0, 2) - AP(2, 0), AP(1, 0) - AP(0, 1)};
  CutLoad load;
  load.force = sum.force - part.mass * a - A * part.first;
  load.moment = sum.moment - cross(part.first, a) - turning - cross(section.plane.at, load.force);
  const Vec3d& n = section.plane.normal;
  load.axial = dot(n, load.force);
  load.torsion = dot(n, load.moment);
  load.shear = norm(load.force - load.axial * n);
  load.bending = norm(load.moment - load.torsion * n);
  return load;
}

std::vector<CutLoad> CutLoads::calc(const Observation& now, const DynamicsReport& dynamics,
                                    const std::vector<AppliedWrench>& wrenches,
                                    const std::vector<ContactReport>& contacts) const {
  std::vector<CutLoad> loads;
  for (const Section& section : sections_)
    loads.push_back(calc_one(section, now, dynamics, wrenches, contacts));
  return loads;
}

std::vector<CutLoad> CutLoads::calc(const MechanicalSystem& system, StateView at,
                                    Workspace& workspace) const {
  Observation now;
  system.observe(at, now, workspace);
  return calc(now, system.report_dynamics(at, workspace), system.report_forces(at, workspace),
              system.report_contacts(at, workspace));
}

}  // namespace cartan::mechanics
