// The motion of a tree at v' = 0 in the axes of its links, and the wrenches it takes: what the
// forms for symbols start from (link_frames.h, axial_recursion.h).
//
//   w  = R^T w_p + Phi v               R: link axes in the parent's, r: origin in the parent's
//   dw = R^T dw_p + R^T w_p x Phi v + Phi' v
//   a  = R^T (a_p + H_p r) + (R^T w_p + w) x Psi v + Psi' v,   H = dw^ + w^ w^
//   f  = m a + H mc - f_ext
//   n  = J dw + w x J w + mc x a - n_ext,  its first two terms by the entries of H:
//        n_x = Jxx dw_x + (Jzz - Jyy) w_y w_z + Jxz H_yx - Jxy H_zx + Jyz (H_yy - H_zz), cyclic
// with a = -gravity at the world. Driven joints have their v' in dw and a.
//
// A turn about a coordinate axis of the link mixes two components only. The origin of such a link
// may lie anywhere on that axis: it is put where the offset from the parent has no part along it.
#pragma once

#include <vector>

#include "mechanics/joints/joint_law.h"
#include "mechanics/machine/motion_workspace.h"

namespace cartan::codegen {

// Entries of a matrix turned in a plane: with the fewest operations, a - (a - d) s^2, or as a
// reader expects them, a c^2 + d s^2.
enum class TurnForm : unsigned char { short_one, plain };

template <class S>
struct LinkMotion {
  JointMotion<S> joint;  // columns in link axes
  TurnForm form = TurnForm::short_one;
  int axis = -1;  // the joint turns about this coordinate axis of the link; -1: by joint.R
  S sine{}, cosine{};
  bool turned = false;  // R_tree is not the identity
  Mat3<S> R_tree;
  Vec3<S> r;         // origin of the link's frame, parent's axes
  Vec3<S> h;         // from there to the origin of the link (links.h), link axes
  Vec3<S> w, dw, a;  // v' = 0
  Mat3<S> H;
  S mass{};  // of the link's body, about the origin of its frame
  Vec3<S> mc;
  Sym3<S> J;
  Vec3<S> n, f;  // wrench that the motion takes beside the applied forces

  // Axes of the joint: a joint about a coordinate axis has the same column before and after its
  // turn, and those of the joint are the ones before it; else they are those of the link.
  // Components of a vector of the parent there, on in the link's axes, and back; of a matrix m
  // back: R m R^T.
  Vec3<S> to_joint(const Vec3<S>& v) const;
  Vec3<S> to_link(const Vec3<S>& v) const;
  Vec3<S> from_link(const Vec3<S>& v) const;
  Sym3<S> from_link(const Sym3<S>& m) const;
  Mat3<S> from_link(const Mat3<S>& m) const;
  Vec3<S> from_joint(const Vec3<S>& v) const;
  Sym3<S> from_joint(const Sym3<S>& m) const;
  Mat3<S> from_joint(const Mat3<S>& m) const;
  // All the way.
  Vec3<S> outward(const Vec3<S>& v) const { return to_link(to_joint(v)); }
  template <class T>
  T inward(const T& m) const {
    return from_joint(from_link(m));
  }
};

// Needs fill_kinematics and fill_forces; frames in tree order.
template <class S>
std::vector<LinkMotion<S>> calc_link_motions(const Mechanism<S>& mechanism,
                                             const MotionWorkspace<S>& ws,
                                             TurnForm form = TurnForm::short_one);

// v' of speed j is known: its joint is driven or stuck.
template <class S>
bool is_known(const Link<S>& link, const MotionWorkspace<S>& ws, int j) {
  return link.driven || (ws.any_locked && ws.locked[j]);
}

}  // namespace cartan::codegen
