// How a row between two links is written down: see the head of constraints.h.
#pragma once

#include "mechanics/machine/kinematics.h"

namespace cartan::mechanics {

// A link, or the world, as one side of a constraint.
template <class S>
struct Side {
  Vec3<S> w, u;  // angular velocity; velocity of the material at c
  Vec3<S> arm;   // from the link's origin to c
  Vec3<S> spin;  // w x (w x arm)
};

template <class S>
Side<S> side_at(const MotionWorkspace<S>& ws, int link, const Vec3<S>& c) {
  Side<S> side;
  side.arm = c;
  if (link == world) return side;
  const LinkState<S>& x = ws.links[link];
  side.arm = c - x.o;
  side.w = x.w;
  const Vec3<S> turning = cross(x.w, side.arm);
  side.u = x.u + turning;
  side.spin = cross(x.w, turning);
  return side;
}

// Two sides at one point: velocities of a against b, and what y' has beside accelerations and rates
// of the directions.
template <class S>
struct Meeting {
  const Side<S>&a, &b;
  Vec3<S> w, u;
  Vec3<S> carried;
};
// The point moves with `point_rate`, or with a.
template <class S>
Meeting<S> meet(const Side<S>& a, const Side<S>& b, const Vec3<S>& point_rate) {
  return {a, b, a.w - b.w, a.u - b.u,
          a.spin - b.spin + cross(a.w, point_rate - a.u) - cross(b.w, point_rate - b.u)};
}
template <class S>
Meeting<S> meet(const Side<S>& a, const Side<S>& b) {
  const Vec3<S> u = a.u - b.u;
  return {a, b, a.w - b.w, u, a.spin - b.spin - cross(b.w, u)};
}

// The angular velocity of a link, world axes.
template <class S>
Vec3<S> spin_of(const MotionWorkspace<S>& ws, int link) {
  return link == world ? Vec3<S>{} : ws.links[link].w;
}

// Writes rows one after the other: wrenches, rest terms, speeds.
template <class S>
struct RowWriter {
  MotionWorkspace<S>& ws;
  int row = 0;
  std::size_t source = 0;

  Side<S> side(int link, const Vec3<S>& c) const { return side_at(ws, link, c); }
  // The point moves with `point_rate`, or with a.
  Meeting<S> meet(const Side<S>& a, const Side<S>& b, const Vec3<S>& point_rate) const {
    return mechanics::meet(a, b, point_rate);
  }
  Meeting<S> meet(const Side<S>& a, const Side<S>& b) const { return mechanics::meet(a, b); }

  bool is_wanted() const { return true; }
  void skip_row() {
    source += 2;
    ++row;
  }
  void clear_row() {
    ws.row_rest[row] = S(0);
    ws.row_speed[row] = S(0);
  }

  // A part that is not there.
  void skip() {
    for (const std::size_t s : {source, source + 1}) ws.source_n[s] = ws.source_f[s] = {};
    source += 2;
  }

  // Adds (alpha, beta) at the point where two sides meet.
  void add(const Meeting<S>& at, const Vec3<S>& alpha, const Vec3<S>& beta,
           const Vec3<S>& alpha_rate, const Vec3<S>& beta_rate) {
    push(at.a, at.b, alpha, beta);
    ws.row_speed[row] += dot(alpha, at.w) + dot(beta, at.u);
    ws.row_rest[row] += dot(alpha_rate, at.w) + dot(beta_rate, at.u) + dot(beta, at.carried);
  }
  // The same with beta or alpha zero.
  void add_turn(const Meeting<S>& at, const Vec3<S>& alpha, const Vec3<S>& alpha_rate) {
    put({alpha, {}}, {-alpha, {}});
    ws.row_speed[row] += dot(alpha, at.w);
    ws.row_rest[row] += dot(alpha_rate, at.w);
  }
  void add_slide(const Meeting<S>& at, const Vec3<S>& beta, const Vec3<S>& beta_rate) {
    put({cross(at.a.arm, beta), beta}, {-cross(at.b.arm, beta), -beta});
    ws.row_speed[row] += dot(beta, at.u);
    ws.row_rest[row] += dot(beta_rate, at.u) + dot(beta, at.carried);
  }

  // Adds e . (velocity of a's material point - velocity of b's), e fixed in the world; the points
  // are those the sides were made for.
  void add_between(const Side<S>& a, const Side<S>& b, const Vec3<S>& e) {
    push(a, b, {}, e);
    ws.row_speed[row] += dot(e, a.u - b.u);
    ws.row_rest[row] += dot(e, a.spin - b.spin);
  }

 private:
  struct Wrench {
    Vec3<S> n, f;
  };
  void put(const Wrench& on_a, const Wrench& on_b) {
    ws.source_n[source] = on_a.n;
    ws.source_f[source] = on_a.f;
    ws.source_n[source + 1] = on_b.n;
    ws.source_f[source + 1] = on_b.f;
    source += 2;
  }
  void push(const Side<S>& a, const Side<S>& b, const Vec3<S>& alpha, const Vec3<S>& beta) {
    put({alpha + cross(a.arm, beta), beta}, {-(alpha + cross(b.arm, beta)), -beta});
  }
};

// Writes positions g one after the other.
template <class S>
struct PositionWriter {
  MotionWorkspace<S>& ws;
  int row = 0;

  void write(const S& value) { ws.row_position[row++] = value; }
};

// Adds factor * speed k of a loop joint to the row.
template <class S>
void add_loop_speed(const Mechanism<S>& mechanism, int l, int k, const S& factor,
                    RowWriter<S>& out) {
  const LoopJoint<S>& loop = mechanism.loops[l];
  const LoopSpeed<S>& s = out.ws.loop_speed[loop.shape.v0 + k];
  const Vec3<S>& c = out.ws.loops[l].o_C;
  const Side<S> a = side_at(out.ws, loop.child, c), b = side_at(out.ws, loop.parent, c);
  out.add(meet(a, b), factor * s.alpha, factor * s.beta, factor * s.alpha_rate,
          factor * s.beta_rate);
}

}  // namespace cartan::mechanics
