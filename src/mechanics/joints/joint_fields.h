// The vector fields of one joint (mechanism_geometry.h), over a scalar: rates of its coordinates
// and speeds.
#pragma once

#include <vector>

#include "mechanics/joints/all_joints.h"

namespace cartan::mechanics {

// dq (nq numbers) and dv (nv numbers) of the field's joint, at its q and v.
template <class S>
void calc_joint_field(JointType type, int nq, int nv, const JointField& field, const S* q,
                      const S* v, S* dq, S* dv) {
  for (int k = 0; k < nq; ++k) dq[k] = S(0);
  for (int k = 0; k < nv; ++k) dv[k] = S(0);
  if (field.kind == JointField::Kind::shift)
    dq[field.component] = S(1);
  else
    visit_joint(type, [&](auto joint) { joint.fill_field(field, q, v, dq, dv); });
}

// All fields of a joint.
template <class S>
void append_fields(const Link<S>& link, int index, std::vector<JointField>& fields) {
  const auto add = [&](JointField::Kind kind, int first, int last) {
    for (int k = first; k < last; ++k) fields.push_back({index, kind, k});
  };
  visit_joint(link.type, [&](auto joint) { joint.list_fields(link.nv, add); });
}

}  // namespace cartan::mechanics
