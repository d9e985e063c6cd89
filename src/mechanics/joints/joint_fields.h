// The vector fields of one joint (mechanism_geometry.h), over a scalar: rates of its coordinates
// and speeds.
#pragma once

#include "mechanics/joints/joint_motion.h"

namespace cartan {

struct JointField {
  enum class Kind { shift, left, right };
  int link = 0;
  Kind kind = Kind::shift;
  int component = 0;  // left, right: 0..2 rotations, 3..5 translations
};

template <class S>
Vec3<S> unit_vector(int k) {
  return {S(k == 0 ? 1 : 0), S(k == 1 ? 1 : 0), S(k == 2 ? 1 : 0)};
}

// u' for the rotation a in P's axes (left) or in C's (right).
template <class S>
void write_turn(const Quat<S>& u, const Vec3<S>& a, bool left, S* dq) {
  const Quat<S> half{S(0), S(0.5) * a.x, S(0.5) * a.y, S(0.5) * a.z};
  const Quat<S> rate = left ? half * u : u * half;
  dq[0] = rate.w, dq[1] = rate.x, dq[2] = rate.y, dq[3] = rate.z;
}

template <class S>
void write_vector(const Vec3<S>& a, S* to) {
  to[0] = a.x, to[1] = a.y, to[2] = a.z;
}

template <class S>
void calc_spherical_field(const JointField& field, const S* q, const S* v, S* dq, S* dv) {
  const Vec3<S> a = unit_vector<S>(field.component);
  const bool left = field.kind == JointField::Kind::left;
  write_turn(quaternion_at(q), a, left, dq);
  if (!left) write_vector(cross(Vec3<S>{v[0], v[1], v[2]}, a), dv);
}

// right, S = (a, s):  p' = R s,  w' = w x a,  u' = u x a + w x s
template <class S>
void calc_free_field(const JointField& field, const S* q, const S* v, S* dq, S* dv) {
  const bool left = field.kind == JointField::Kind::left, turn = field.component < 3;
  const Vec3<S> e = unit_vector<S>(field.component % 3);
  const Vec3<S> w{v[0], v[1], v[2]}, u{v[3], v[4], v[5]};
  if (turn) write_turn(quaternion_at(q), e, left, dq);
  if (left) {
    write_vector(turn ? cross(e, Vec3<S>{q[4], q[5], q[6]}) : e, dq + 4);
  } else if (turn) {
    write_vector(cross(w, e), dv);
    write_vector(cross(u, e), dv + 3);
  } else {
    write_vector(rotation_matrix(quaternion_at(q)) * e, dq + 4);
    write_vector(cross(w, e), dv + 3);
  }
}

// q = (x, y, angle). left: (-y, x, 1); right: the unit vectors of C's axes in the plane.
template <class S>
void calc_planar_field(const JointField& field, const S* q, const S* v, S* dq, S* dv) {
  if (field.kind == JointField::Kind::left) {
    dq[0] = -q[1], dq[1] = q[0], dq[2] = S(1);
    dv[0] = -v[1], dv[1] = v[0];
    return;
  }
  S s, c;
  sincos(q[2], s, c);
  const bool first = field.component == 3;
  dq[0] = first ? c : -s;
  dq[1] = first ? s : c;
  dv[0] = -v[2] * dq[1];
  dv[1] = v[2] * dq[0];
}

template <class S>
void calc_translation_field(const JointField& field, const S* q, const S* v, S* dq, S* dv) {
  const Vec3<S> a = unit_vector<S>(field.component);
  write_vector(cross(a, Vec3<S>{q[0], q[1], q[2]}), dq);
  write_vector(cross(a, Vec3<S>{v[0], v[1], v[2]}), dv);
}

// dq (nq numbers) and dv (nv numbers) of the field's joint, at its q and v.
template <class S>
void calc_joint_field(JointType type, int nq, int nv, const JointField& field, const S* q,
                      const S* v, S* dq, S* dv) {
  for (int k = 0; k < nq; ++k) dq[k] = S(0);
  for (int k = 0; k < nv; ++k) dv[k] = S(0);
  if (field.kind == JointField::Kind::shift)
    dq[field.component] = S(1);
  else if (type == JointType::spherical)
    calc_spherical_field(field, q, v, dq, dv);
  else if (type == JointType::free)
    calc_free_field(field, q, v, dq, dv);
  else if (type == JointType::planar)
    calc_planar_field(field, q, v, dq, dv);
  else if (type == JointType::translation)
    calc_translation_field(field, q, v, dq, dv);
}

// All fields of a joint.
template <class S>
void append_fields(const Link<S>& link, int index, std::vector<JointField>& fields) {
  using Kind = JointField::Kind;
  const auto add = [&](Kind kind, int first, int last) {
    for (int k = first; k < last; ++k) fields.push_back({index, kind, k});
  };
  switch (link.type) {
    case JointType::spherical:
      add(Kind::right, 0, 3);
      add(Kind::left, 0, 3);
      break;
    case JointType::free:
      add(Kind::right, 0, 6);
      add(Kind::left, 0, 6);
      break;
    case JointType::planar:
      add(Kind::shift, 0, 3);
      add(Kind::right, 3, 5);
      add(Kind::left, 2, 3);
      break;
    case JointType::translation:
      add(Kind::shift, 0, 3);
      add(Kind::left, 0, 3);
      break;
    default:
      add(Kind::shift, 0, link.nv);
  }
}

}  // namespace cartan
