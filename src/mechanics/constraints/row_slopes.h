// Derivatives of rows (row_writer.h) by displacements of the links they act on, velocities and
// accelerations of the links held. Dual numbers tell where directions and points of a row go; what
// they multiply are numbers, or numbers with slopes:
//   y  = alpha . w + beta . u
//   y' = alpha . dw + beta . a + alpha' . w + beta' . u
// with, of side a against b where they meet in c, and arms from the origins of the links to c,
//   u = u_a + w_a x arm_a - ...,   a = du_a + dw_a x arm_a + w_a x (w_a x arm_a) - ... + w_a x (c'
//   - u_a(c)) - w_b x (c' - u_b(c))
#pragma once

#include "mechanics/constraints/row_writer.h"
#include "mechanics/tree/lanes_of_numbers.h"

namespace cartan::mechanics {

// Of one row along four directions; and K' of y = K . V, for one link.
struct RowSlope {
  lanes::Four rate{}, speed{};
  Vec3<double> source_rate_n, source_rate_f;
};

// A vector, and how it moves along each of them.
struct MovedVector {
  using Slopes = lanes::VectorsOf<lanes::Four>;
  Vec3<double> at;
  Slopes by{};

  MovedVector() = default;
  MovedVector(const Vec3<double>& value, const Slopes& slopes) : at(value), by(slopes) {}
  explicit MovedVector(const Vec3<Dual4>& x)
      : at(x.x.a, x.y.a, x.z.a), by{slopes_of(x.x), slopes_of(x.y), slopes_of(x.z)} {}
  static lanes::Four slopes_of(const Dual4& x) {
    lanes::Four slopes;
    __builtin_memcpy(&slopes, x.d.data(), sizeof slopes);
    return slopes;
  }
  friend MovedVector operator+(const MovedVector& x, const MovedVector& y) {
    return {x.at + y.at, x.by + y.by};
  }
  friend MovedVector operator-(const MovedVector& x, const MovedVector& y) {
    return {x.at - y.at, x.by - y.by};
  }
  friend MovedVector cross(const Vec3<double>& x, const MovedVector& y) {
    return {core::cross(x, y.at), lanes::cross(x, y.by)};
  }
  // Slopes of the product.
  friend lanes::Four slopes_of_dot(const MovedVector& x, const MovedVector& y) {
    return lanes::dot(x.at, y.by) + lanes::dot(y.at, x.by);
  }
};

// Four displacements of a link.
struct LinkMoves {
  int link = world;
  MovedVector::Slopes turn{}, shift{};
};

// The rows of one loop joint or constraint between two links, one after the other.
struct RowSlopes {
  using Four = lanes::Four;
  using Slopes = MovedVector::Slopes;

  const MotionWorkspace<double>& still;  // accelerations and multipliers
  MotionWorkspace<Dual4>& ws;            // links displaced, for all but loop joints
  LinkMoves moves;
  const int* counts;            // per row: negative where nobody wants it
  int row, first;               // of the mechanism: the one at hand, the first
  double sign;                  // 1: the wrench on the first side counts; -1: the second
  std::vector<RowSlope>& rows;  // found
  Slopes n{}, f{};  // found: of the wrench of all multipliers on that side, about its link's origin

  struct Side {
    Vec3<Dual4> w;
    MovedVector arm, u, acceleration;  // of the material at c
    Vec3<double> spin, dw, origin_rate;
  };
  struct Meeting {
    const Side &a, &b;
    Vec3<double> w, dw;
    MovedVector u, acceleration;
    Vec3<double> arm_rate;  // on the side whose wrench counts
  };

  // Frames of a loop joint: a displacement turns them about the origin of their link.
  LoopState<Dual4> place(const LoopJoint<Dual4>& loop, const LoopState<double>& x) const {
    LoopState<Dual4> moved;
    place(loop.parent, x.R_P, x.o_P, moved.R_P, moved.o_P);
    place(loop.child, x.R_C, x.o_C, moved.R_C, moved.o_C);
    return moved;
  }

  [[gnu::always_inline]] inline Side side(int link, const Vec3<Dual4>& c) const {
    MovedVector arm(c);
    if (link == world) return {{}, arm, {}, {-still.gravity, {}}, {}, {}, {}};
    const LinkState<double>& x = still.links[link];
    arm.at -= x.o;
    if (link == moves.link) arm.by -= moves.shift;
    const MovedVector turning = cross(x.w, arm);
    MovedVector acceleration = cross(x.dw, arm) + cross(x.w, turning);
    acceleration.at += x.du;
    return {Vec3<Dual4>(x.w), arm, {x.u + turning.at, turning.by}, acceleration, x.w, x.dw, x.u};
  }
  Meeting meet(const Side& a, const Side& b, const Vec3<Dual4>& point_rate) const {
    const MovedVector rate(point_rate);
    Meeting at = meet_apart(a, b, rate.at, rate.at);
    at.acceleration = at.acceleration + cross(a.spin, rate - a.u) - cross(b.spin, rate - b.u);
    return at;
  }
  Meeting meet(const Side& a, const Side& b) const {
    Meeting at = meet_apart(a, b, a.u.at, a.u.at);
    at.acceleration = at.acceleration - cross(b.spin, at.u);
    return at;
  }

  bool is_wanted() const { return counts[row] >= 0; }
  void skip_row() { ++row; }
  void clear_row() { rows[row - first] = {}; }
  void add(const Meeting& at, const Vec3<Dual4>& alpha, const Vec3<Dual4>& beta,
           const Vec3<Dual4>& alpha_rate, const Vec3<Dual4>& beta_rate) {
    add_turn(at, alpha, alpha_rate);
    add_slide(at, beta, beta_rate);
  }
  void add_turn(const Meeting& at, const Vec3<Dual4>& alpha, const Vec3<Dual4>& alpha_rate) {
    const MovedVector turn(alpha), rate(alpha_rate);
    RowSlope& to = rows[row - first];
    to.speed += lanes::dot(at.w, turn.by);
    to.rate += lanes::dot(at.dw, turn.by) + lanes::dot(at.w, rate.by);
    to.source_rate_n += sign * rate.at;
    n += scaled(turn.by);
  }
  void add_slide(const Meeting& at, const Vec3<Dual4>& beta, const Vec3<Dual4>& beta_rate) {
    const MovedVector slide(beta), rate(beta_rate), &arm = (sign > 0 ? at.a : at.b).arm;
    RowSlope& to = rows[row - first];
    to.speed += slopes_of_dot(slide, at.u);
    to.rate += slopes_of_dot(slide, at.acceleration) + slopes_of_dot(rate, at.u);
    to.source_rate_n += sign * (core::cross(at.arm_rate, slide.at) + core::cross(arm.at, rate.at));
    to.source_rate_f += sign * rate.at;
    n += scaled(lanes::cross(arm.at, slide.by) + lanes::cross(arm.by, slide.at));
    f += scaled(slide.by);
  }
  // Of two points that move with their links.
  void add_between(const Side& a, const Side& b, const Vec3<Dual4>& e) {
    add_slide(meet_apart(a, b, a.u.at, b.u.at), e, Vec3<Dual4>());
  }

 private:
  void place(int link, const Mat3<double>& R, const Vec3<double>& o, Mat3<Dual4>& R_moved,
             Vec3<Dual4>& o_moved) const {
    const bool moves_with_it = link != world && link == moves.link;
    for (int k = 0; k < 3; ++k)
      R_moved.c[k] = dual_of(R.c[k], moves_with_it ? lanes::cross(moves.turn, R.c[k]) : Slopes{});
    o_moved =
        dual_of(o, moves_with_it ? moves.shift + lanes::cross(moves.turn, o - still.links[link].o)
                                 : Slopes{});
  }
  static Vec3<Dual4> dual_of(const Vec3<double>& x, const Slopes& by) {
    Vec3<Dual4> r(Dual4(x.x), Dual4(x.y), Dual4(x.z));
    __builtin_memcpy(r.x.d.data(), &by.x, sizeof by.x);
    __builtin_memcpy(r.y.d.data(), &by.y, sizeof by.y);
    __builtin_memcpy(r.z.d.data(), &by.z, sizeof by.z);
    return r;
  }
  Slopes scaled(const Slopes& x) const {
    const double scale = sign * still.lambda[row];
    return {scale * x.x, scale * x.y, scale * x.z};
  }
  // The points of both sides move at these rates; without what that does to accelerations.
  Meeting meet_apart(const Side& a, const Side& b, const Vec3<double>& rate_a,
                     const Vec3<double>& rate_b) const {
    return {a,
            b,
            a.spin - b.spin,
            a.dw - b.dw,
            a.u - b.u,
            a.acceleration - b.acceleration,
            sign > 0 ? rate_a - a.origin_rate : rate_b - b.origin_rate};
  }
};

}  // namespace cartan::mechanics
