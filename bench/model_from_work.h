// The benchmark mechanisms as Cartan models.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "model/model.h"
#include "work.h"

namespace cartan::bench {

inline Values list(const Vec3& a) {
  return {a[0], a[1], a[2]};
}

inline ModelDescription describe(const Work& work) {
  static constexpr const char* types[] = {"free", "spherical", "revolute"};
  ModelDescription d;
  d.name = work.name;
  auto body_name = [](int i) { return "b" + std::to_string(i); };
  for (std::size_t i = 0; i < work.links.size(); ++i) {
    const Link& link = work.links[i];
    BodyText body;
    body.name = body_name(static_cast<int>(i));
    body.mass = link.mass;
    body.com = list(link.com);
    for (double entry : link.inertia) body.inertia.push_back(entry);
    d.bodies.push_back(body);
    JointText joint;
    joint.name = "j" + std::to_string(i);
    joint.type = types[static_cast<int>(link.joint)];
    if (link.joint == JointKind::revolute) joint.axis = list(link.axis);
    joint.parent.body = link.parent < 0 ? "world" : body_name(link.parent);
    joint.parent.at = list(link.offset);
    joint.child.body = body.name;
    d.joints.push_back(joint);
  }
  return d;
}

inline std::unique_ptr<Model> make_model(const ModelDescription& description) {
  Diagnostics problems;
  std::optional<Model> model = check_model(description, problems);
  if (!model) {
    std::fputs(problems.text().c_str(), stderr);
    std::exit(1);
  }
  return std::make_unique<Model>(std::move(*model));
}

// Joint coordinates and speeds of the standard state (work.h).
inline void calc_standard_state(const Work& work, std::vector<double>& q, std::vector<double>& v,
                                std::vector<double>& vdot) {
  for (std::size_t i = 0; i < work.links.size(); ++i) {
    const JointState s = calc_joint_state(static_cast<int>(i));
    if (work.links[i].joint == JointKind::revolute) {
      q.push_back(s.rotation[0]);
      v.push_back(s.rate[0]);
      vdot.push_back(s.acceleration[0]);
      continue;
    }
    for (double entry : calc_quaternion(s.rotation)) q.push_back(entry);
    v.insert(v.end(), s.rate.begin(), s.rate.end());
    vdot.insert(vdot.end(), s.acceleration.begin(), s.acceleration.end());
    if (work.links[i].joint == JointKind::free)
      for (auto* list : {&q, &v, &vdot}) list->insert(list->end(), 3, 0.0);
  }
}

}  // namespace cartan::bench
