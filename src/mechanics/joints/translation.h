// translation: C moves and does not turn.
//   p = q      psi = 1
#pragma once

#include "mechanics/joints/joint_law.h"

namespace cartan::mechanics {

struct TranslationJoint : CommonJoint {
  static constexpr JointType type = JointType::translation;
  static constexpr bool has_constant_columns(bool) { return true; }

  template <class S>
  static void fill_motion(const Link<S>&, const S* q, const S*, JointMotion<S>& m) {
    m.p = {q[0], q[1], q[2]};
    for (int k = 0; k < 3; ++k) m.psi[k] = unit_vector<S>(k);
  }
  template <class S>
  static void fill_displacement(const Link<S>&, const S*, const S* d, JointDisplacement<S>& x) {
    x.shift = {d[0], d[1], d[2]};
  }
  template <class S, class Equations>
  static void hold(const LoopJoint<S>&, Equations&& hold) {
    hold.rotation();
  }
  template <class S>
  static void fill_coordinates(const LoopJoint<S>&, const RelativePose<S>& x, const int*, S* q) {
    write_vector(x.p, q);
  }
  template <class S>
  static void fill_speeds(const LoopJoint<S>&, const LoopSpeedWriter<S>& speeds) {
    for (int k = 0; k < 3; ++k) speeds.slide_along_P(k, unit_vector<S>(k));
  }

  // shifts, and turns of P's axes
  template <class Add>
  static void list_fields(int nv, Add&& add) {
    add(JointField::Kind::shift, 0, nv);
    add(JointField::Kind::left, 0, 3);
  }
  template <class S>
  static void fill_field(const JointField& field, const S* q, const S* v, S* dq, S* dv) {
    const Vec3<S> a = unit_vector<S>(field.component);
    write_vector(cross(a, Vec3<S>{q[0], q[1], q[2]}), dq);
    write_vector(cross(a, Vec3<S>{v[0], v[1], v[2]}), dv);
  }
};

}  // namespace cartan::mechanics
