// Derivatives of rows (row_writer.h) by displacements of the links they act on, velocities and
// accelerations of the links held. How directions and points of a row move is told by dual numbers,
// or by the frames of a loop joint; what they multiply are numbers, or numbers with slopes:
//   y  = alpha . w + beta . u
//   y' = alpha . dw + beta . a + alpha' . w + beta' . u
// with, of side a against b where they meet in c, and arms from the origins of the links to c,
//   u = u_a + w_a x arm_a - ...,   a = du_a + dw_a x arm_a + w_a x (w_a x arm_a) - ... + w_a x (c'
//   - u_a(c)) - w_b x (c' - u_b(c))
// Displacements stand side by side: Four of them (directions of a dual number), or Lanes.
#pragma once

#include "mechanics/constraints/row_writer.h"
#include "mechanics/tree/lanes_of_numbers.h"

namespace cartan::mechanics {

// Of one row along each displacement; and K' of y = K . V, for one link.
template <class L>
struct RowSlopeOf {
  L rate{}, speed{};
  Vec3<double> source_rate_n, source_rate_f;
};

// A vector, and how it moves along each of them.
template <class L>
struct MovedVectorOf {
  using Slopes = lanes::VectorsOf<L>;
  Vec3<double> at;
  Slopes by{};

  MovedVectorOf() = default;
  MovedVectorOf(const Vec3<double>& value) : at(value) {}  // stays; implicit on purpose
  MovedVectorOf(const Vec3<double>& value, const Slopes& slopes) : at(value), by(slopes) {}
  MovedVectorOf(const Vec3<Dual4>& x) requires std::is_same_v<L, lanes::Four>
      : at(x.x.a, x.y.a, x.z.a), by{slopes_of(x.x), slopes_of(x.y), slopes_of(x.z)} {}
  static L slopes_of(const Dual4& x) {
    L slopes;
    __builtin_memcpy(&slopes, x.d.data(), sizeof slopes);
    return slopes;
  }
  friend MovedVectorOf operator+(const MovedVectorOf& x, const MovedVectorOf& y) {
    return {x.at + y.at, x.by + y.by};
  }
  friend MovedVectorOf operator-(const MovedVectorOf& x, const MovedVectorOf& y) {
    return {x.at - y.at, x.by - y.by};
  }
  friend MovedVectorOf operator-(const MovedVectorOf& x) { return {-x.at, -x.by}; }
  friend MovedVectorOf operator*(double scale, const MovedVectorOf& x) {
    return {scale * x.at, {scale * x.by.x, scale * x.by.y, scale * x.by.z}};
  }
  friend MovedVectorOf cross(const Vec3<double>& x, const MovedVectorOf& y) {
    return {core::cross(x, y.at), lanes::cross(x, y.by)};
  }
  friend MovedVectorOf cross(const MovedVectorOf& x, const MovedVectorOf& y) {
    return {core::cross(x.at, y.at), lanes::cross(x.at, y.by) + lanes::cross(x.by, y.at)};
  }
  // Slopes of the product.
  friend L slopes_of_dot(const MovedVectorOf& x, const MovedVectorOf& y) {
    return lanes::dot(x.at, y.by) + lanes::dot(y.at, x.by);
  }
};

// Displacements of a link.
template <class L>
struct LinkMovesOf {
  int link = world;
  lanes::VectorsOf<L> turn{}, shift{};
};
using LinkMoves = LinkMovesOf<lanes::Four>;

// Axes that turn with a link that is displaced, or stay.
template <class L>
struct MovedFrameOf {
  using Vector = MovedVectorOf<L>;
  Mat3<double> R;
  const typename Vector::Slopes* turn = nullptr;  // null: they stay

  Vector moved(const Vec3<double>& e) const {
    return turn ? Vector(e, lanes::cross(*turn, e)) : Vector(e);
  }
  friend Vector operator*(const MovedFrameOf& frame, const Vec3<double>& e) {
    return frame.moved(frame.R * e);
  }
  friend Vector frame_axis(const MovedFrameOf& frame, int k) { return frame.moved(frame.R.c[k]); }
};

// Frames of a loop joint: a displacement turns them about the origin of their link.
template <class L>
struct MovedLoopOf {
  MovedFrameOf<L> R_P, R_C;
  MovedVectorOf<L> o_P, o_C;
};

// The rows of one loop joint or constraint between two links, one after the other.
template <class L>
struct RowSlopesOf {
  using Vector = MovedVectorOf<L>;
  using Slopes = typename Vector::Slopes;

  const MotionWorkspace<double>& still;  // accelerations and multipliers
  const LinkMovesOf<L>& moves;
  const int* counts;                 // per row: negative where nobody wants it
  int row, first;                    // of the mechanism: the one at hand, the first
  double sign;                       // 1: the wrench on the first side counts; -1: the second
  std::vector<RowSlopeOf<L>>& rows;  // found
  Slopes n{}, f{};  // found: of the wrench of all multipliers on that side, about its link's origin

  struct Side {
    Vector arm, u, acceleration;  // of the material at c
    Vec3<double> w, dw, origin_rate;
  };
  struct Meeting {
    const Side &a, &b;
    Vec3<double> w, dw;
    Vector u, acceleration;
    Vec3<double> arm_rate;  // on the side whose wrench counts
  };

  MovedLoopOf<L> place(const LoopJoint<double>& loop, const LoopState<double>& x) const {
    return {frame(loop.parent, x.R_P), frame(loop.child, x.R_C), point(loop.parent, x.o_P),
            point(loop.child, x.o_C)};
  }

  [[gnu::always_inline]] inline Side side(int link, const Vector& c) const {
    if (link == world) return {c, {}, -still.gravity, {}, {}, {}};
    const LinkState<double>& x = still.links[link];
    Vector arm = c;
    arm.at -= x.o;
    if (link == moves.link) arm.by -= moves.shift;
    const Vector turning = cross(x.w, arm);
    Vector acceleration = cross(x.dw, arm) + cross(x.w, turning);
    acceleration.at += x.du;
    return {arm, {x.u + turning.at, turning.by}, acceleration, x.w, x.dw, x.u};
  }
  Meeting meet(const Side& a, const Side& b, const Vector& rate) const {
    Meeting at = meet_apart(a, b, rate.at, rate.at);
    at.acceleration = at.acceleration + cross(a.w, rate - a.u) - cross(b.w, rate - b.u);
    return at;
  }
  Meeting meet(const Side& a, const Side& b) const {
    Meeting at = meet_apart(a, b, a.u.at, a.u.at);
    at.acceleration = at.acceleration - cross(b.w, at.u);
    return at;
  }

  bool is_wanted() const { return counts[row] >= 0; }
  void skip_row() { ++row; }
  void clear_row() { rows[row - first] = {}; }
  void add(const Meeting& at, const Vector& alpha, const Vector& beta, const Vector& alpha_rate,
           const Vector& beta_rate) {
    add_turn(at, alpha, alpha_rate);
    add_slide(at, beta, beta_rate);
  }
  void add_turn(const Meeting& at, const Vector& turn, const Vector& rate) {
    RowSlopeOf<L>& to = rows[row - first];
    to.speed += lanes::dot(at.w, turn.by);
    to.rate += lanes::dot(at.dw, turn.by) + lanes::dot(at.w, rate.by);
    to.source_rate_n += sign * rate.at;
    n += scaled(turn.by);
  }
  void add_slide(const Meeting& at, const Vector& slide, const Vector& rate) {
    const Vector& arm = (sign > 0 ? at.a : at.b).arm;
    RowSlopeOf<L>& to = rows[row - first];
    to.speed += slopes_of_dot(slide, at.u);
    to.rate += slopes_of_dot(slide, at.acceleration) + slopes_of_dot(rate, at.u);
    to.source_rate_n += sign * (core::cross(at.arm_rate, slide.at) + core::cross(arm.at, rate.at));
    to.source_rate_f += sign * rate.at;
    n += scaled(lanes::cross(arm.at, slide.by) + lanes::cross(arm.by, slide.at));
    f += scaled(slide.by);
  }
  // Of two points that move with their links.
  void add_between(const Side& a, const Side& b, const Vector& e) {
    add_slide(meet_apart(a, b, a.u.at, b.u.at), e, Vector());
  }

 private:
  bool moves_with(int link) const { return link != world && link == moves.link; }
  MovedFrameOf<L> frame(int link, const Mat3<double>& R) const {
    return {R, moves_with(link) ? &moves.turn : nullptr};
  }
  Vector point(int link, const Vec3<double>& o) const {
    if (!moves_with(link)) return o;
    return {o, moves.shift + lanes::cross(moves.turn, o - still.links[link].o)};
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
            a.w - b.w,
            a.dw - b.dw,
            a.u - b.u,
            a.acceleration - b.acceleration,
            sign > 0 ? rate_a - a.origin_rate : rate_b - b.origin_rate};
  }
};

// With links as dual numbers, displaced: what constraints read.
struct RowSlopes : RowSlopesOf<lanes::Four> {
  MotionWorkspace<Dual4>& ws;
};

}  // namespace cartan::mechanics
