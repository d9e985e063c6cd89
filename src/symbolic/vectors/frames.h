// Frames (right-handed orthonormal triads) related by rotations: a forest.
//
// A frame knows the frame it was turned from. Components go from frame to frame one rotation at a
// time, angular velocities are those of the single rotations, kept where the rotation is defined
// and added up along the path on demand:
//   simple rotation by an angle about a unit axis a:    v_parent = R v,   w = angle' a   (same in
//   both) direction cosines R:                                w from hat(w) = R^T R'
// Two frames may be related once: a second relation would close a cycle, and the coordinates would
// not be independent of each other. Such definitions are refused (Kinematics::problems).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/vec3.h"
#include "symbolic/vectors/kinematics.h"

namespace cartan::symbolic {

class Frames;
class Vector;

// One frame of a Frames object; cheap to copy.
struct Frame {
  Frames* frames = nullptr;
  int index = -1;
  friend bool operator==(const Frame&, const Frame&) = default;
};

class Frames {
 public:
  explicit Frames(Kinematics& kinematics) : kinematics_(&kinematics) {}
  Frames(const Frames&) = delete;  // frames and vectors point to it
  Frames& operator=(const Frames&) = delete;

  Kinematics& kinematics() const { return *kinematics_; }
  ExpressionGraph& graph() const { return kinematics_->graph(); }
  Diagnostics& problems() const { return kinematics_->problems(); }

  // The frame of that name, made (unrelated to any other) when it is new.
  Frame frame(const std::string& name);
  const std::string& name(Frame frame) const { return nodes_[frame.index].name; }
  int size() const { return static_cast<int>(nodes_.size()); }

  // `to` is what `from` becomes when turned by the angle about the axis: 1, 2, 3 or a unit vector,
  // components alike in both frames. Either may be new; both may belong to trees already.
  Frame rotate(Frame from, const std::string& to, int axis, const Expression& angle);
  Frame rotate(Frame from, const std::string& to, const Vec3<Expression>& axis,
               const Expression& angle);
  // Any number of simple rotations by names, in any order.
  struct SimpleRotation {
    std::string from, to;
    int axis;
    Expression angle;
  };
  void rotate(const std::vector<SimpleRotation>& rotations);
  // One rotation after the other, each about an axis (1, 2, 3) of the frame reached: "313". The
  // frames between are named TO.1, TO.2, ...
  Frame euler(Frame from, const std::string& to, std::string_view axes,
              const std::vector<Expression>& angles);
  // v_from = R v_to; the user answers for R being a rotation.
  Frame direction_cosines(Frame from, const std::string& to, const Mat3<Expression>& R);

  // v_a = R v_b
  Mat3<Expression> direction_cosines(Frame a, Frame b);
  // Of b relative to a, components in b.
  Vector angular_velocity(Frame b, Frame a);
  // Replaces what follows from the rotation: of `to` relative to `from` (neighbours), components in
  // `to`. For quasi-velocities: speeds that are components of an angular velocity.
  void set_angular_velocity(Frame to, Frame from, const Vec3<Expression>& w);

  // ---- for vectors

  bool related(int a, int b) const;
  // Components in `from` as components in `to`; sentence and zero when they are not related.
  Vec3<Expression> transform(const Vec3<Expression>& v, int from, int to);
  Vec3<Expression> angular_velocity_components(int b, int a);
  int parent(int frame) const { return nodes_[frame].parent; }
  int depth(int frame) const { return nodes_[frame].depth; }
  // From a frame to its parent and back.
  Vec3<Expression> to_parent(const Vec3<Expression>& v, int frame) const {
    return nodes_[frame].R * v;
  }
  Vec3<Expression> from_parent(const Vec3<Expression>& v, int frame) const {
    return transpose_times(nodes_[frame].R, v);
  }
  // The frames from a to b, both included; empty when they are not related.
  std::vector<int> path(int a, int b) const;

 private:
  // Relative to the parent: v_parent = R v.
  struct Node {
    std::string name;
    int parent = -1;
    int depth = 0;
    Mat3<Expression> R;
    bool simple = true;  // w = (angle)' axis, else from R
    bool has_w = false;  // w was given, or is up to date
    bool w_given = false;
    Vec3<Expression> axis;
    Expression angle;
    Vec3<Expression> w;  // of this frame relative to the parent, components here
    std::vector<int> children;
  };
  Frame relate(Frame from, const std::string& to, const Mat3<Expression>& R, bool simple,
               const Vec3<Expression>& axis, const Expression& angle);
  bool refuse_relation(int from, int to, const std::string& name);
  void make_root(int frame);
  void set_depths(int frame);
  const Vec3<Expression>& relative_velocity(int frame);
  std::string path_text(int a, int b) const;
  void keep_up_to_date();

  Kinematics* kinematics_;
  std::vector<Node> nodes_;
  std::map<std::string, int> known_;
  std::map<std::pair<int, int>, Vec3<Expression>> velocities_;  // (of, relative to)
  int version_ = -1;                                            // of the kinematics they hold for
};

}  // namespace cartan::symbolic
