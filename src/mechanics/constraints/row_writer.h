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

  void clear_row() {
    ws.row_rest[row] = S(0);
    ws.row_speed[row] = S(0);
  }

  // A part that is not there.
  void skip() {
    for (const std::size_t s : {source, source + 1}) ws.source_n[s] = ws.source_f[s] = {};
    source += 2;
  }

  // Adds factor * (alpha, beta) at the point c that moves with `point_rate`.
  void add(const Side<S>& a, const Side<S>& b, const Vec3<S>& alpha, const Vec3<S>& beta,
           const Vec3<S>& alpha_rate, const Vec3<S>& beta_rate, const Vec3<S>& point_rate) {
    push(a, b, alpha, beta);
    const Vec3<S> w = a.w - b.w, u = a.u - b.u;
    ws.row_speed[row] += dot(alpha, w) + dot(beta, u);
    const Vec3<S> carried =
        a.spin - b.spin + cross(a.w, point_rate - a.u) - cross(b.w, point_rate - b.u);
    ws.row_rest[row] += dot(alpha_rate, w) + dot(beta_rate, u) + dot(beta, carried);
  }

  // Adds e . (velocity of a's material point - velocity of b's), e fixed in the world; the points
  // are those the sides were made for.
  void add_between(const Side<S>& a, const Side<S>& b, const Vec3<S>& e) {
    push(a, b, {}, e);
    ws.row_speed[row] += dot(e, a.u - b.u);
    ws.row_rest[row] += dot(e, a.spin - b.spin);
  }

 private:
  void push(const Side<S>& a, const Side<S>& b, const Vec3<S>& alpha, const Vec3<S>& beta) {
    ws.source_n[source] = alpha + cross(a.arm, beta);
    ws.source_f[source] = beta;
    ws.source_n[source + 1] = -(alpha + cross(b.arm, beta));
    ws.source_f[source + 1] = -beta;
    source += 2;
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
  out.add(a, b, factor * s.alpha, factor * s.beta, factor * s.alpha_rate, factor * s.beta_rate,
          a.u);
}

}  // namespace cartan::mechanics
