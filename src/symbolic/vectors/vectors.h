// Vectors and dyads that know their frame.
//
// A Vector is a sum of terms, each with components in a frame of its own ("partitioned"): a sum of
// vectors in different frames is a list, nothing is computed. Components in one frame are formed by
// `express` only. Terms of equal frames are added, zero terms dropped.
//   derivative in A of a term with components c in B:   c' + w_B/A x c   in B
// so that differentiation leaves every term where it is.
#pragma once

#include <span>
#include <vector>

#include "symbolic/vectors/frames.h"

namespace cartan::symbolic {

class Vector {
 public:
  struct Term {
    int frame;
    Vec3<Expression> c;
  };

  Vector() = default;  // zero
  Vector(Frame frame, const Expression& x, const Expression& y, const Expression& z)
      : Vector(frame, {x, y, z}) {}
  Vector(Frame frame, const Vec3<Expression>& components);

  const std::vector<Term>& terms() const { return terms_; }
  bool is_zero() const { return terms_.empty(); }
  Frames* frames() const { return frames_; }  // null for a zero vector made from nothing

  Vector& operator+=(const Vector& o);
  Vector& operator-=(const Vector& o) { return *this += -o; }
  friend Vector operator+(Vector a, const Vector& b) { return a += b; }
  friend Vector operator-(Vector a, const Vector& b) { return a -= b; }
  friend Vector operator-(const Vector& a) { return Expression(-1) * a; }
  friend Vector operator*(const Expression& s, const Vector& a);
  friend Vector operator*(const Vector& a, const Expression& s) { return s * a; }

  void add_term(Frames& frames, int frame, const Vec3<Expression>& c);
  // The same terms with other components (as many, in the same order).
  Vector with_components(std::span<const Expression> components) const;

 private:
  Frames* frames_ = nullptr;
  std::vector<Term> terms_;
};

// Term by term; where frames differ the first operand's term goes to the frame of the second's.
Expression dot(const Vector& a, const Vector& b);
Vector cross(const Vector& a, const Vector& b);
Expression magnitude(const Vector& a);  // formed in one frame

// All terms in one frame. Terms are gathered from frame to frame along the tree, each rotation
// once.
Vec3<Expression> components(const Vector& a, Frame frame);
Vector express(const Vector& a, Frame frame);
// Where gathering costs least when it is done for a whole chain of bodies: the outermost frame when
// every other one lies between it and the root (then what was gathered for the body before is a
// part of it), else the frame they all come from.
Frame natural_frame(const Vector& a);

// d/dt in a frame, and each term in its own.
Vector derivative(const Vector& a, Frame frame);
Vector local_derivative(const Vector& a);
// As if all speeds were constant.
Vector derivative_at_constant_speeds(const Vector& a, Frame frame);

// ------------------------------------------------------------------------------------------- dyads

class Dyad {
 public:
  Dyad() = default;  // zero
  Dyad(Frame frame, const Mat3<Expression>& components) : frame_(frame), c_(components) {}
  static Dyad unit(Frame frame) { return {frame, Mat3<Expression>::identity()}; }
  static Dyad inertia(Frame frame, const Expression& i11, const Expression& i22,
                      const Expression& i33, const Expression& i12 = 0, const Expression& i13 = 0,
                      const Expression& i23 = 0);

  Frame frame() const { return frame_; }
  bool is_zero() const { return frame_.frames == nullptr; }
  const Mat3<Expression>& components() const { return c_; }

  // In the frame of the second operand, as for vectors.
  friend Dyad operator+(const Dyad& a, const Dyad& b);
  friend Dyad operator-(const Dyad& a, const Dyad& b) { return a + Expression(-1) * b; }
  friend Dyad operator*(const Expression& s, const Dyad& a) { return {a.frame_, s * a.c_}; }
  friend Vector operator*(const Dyad& a, const Vector& v);
  friend Vector operator*(const Vector& v, const Dyad& a);

 private:
  Frame frame_;
  Mat3<Expression> c_;
};

Dyad express(const Dyad& a, Frame frame);
Dyad outer(const Vector& a, const Vector& b);  // a b, in the natural frame of b
Dyad cross(const Vector& v, const Dyad& a);
Dyad cross(const Dyad& a, const Vector& v);
Dyad skew(const Vector& v);   // D w = v x w
Vector axial(const Dyad& a);  // the v of the antisymmetric part
Dyad derivative(const Dyad& a, Frame frame);
Dyad local_derivative(const Dyad& a);

}  // namespace cartan::symbolic
