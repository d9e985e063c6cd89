// The two fields in which stages of implicit methods are solved, real and complex, and eight
// numbers of one side by side: six of a spatial vector and two more, or one per speed of a joint.
#pragma once

#include <cmath>

#include "mechanics/tree/lanes_of_numbers.h"

namespace cartan::mechanics {

// std::complex would look for infinities in every product.
struct Complex {
  double re = 0, im = 0;
  Complex() = default;
  Complex(double real, double imaginary = 0) : re(real), im(imaginary) {}
  Complex& operator+=(const Complex& o) {
    re += o.re, im += o.im;
    return *this;
  }
  Complex& operator-=(const Complex& o) {
    re -= o.re, im -= o.im;
    return *this;
  }
};
inline Complex operator+(Complex a, const Complex& b) {
  return a += b;
}
inline Complex operator-(Complex a, const Complex& b) {
  return a -= b;
}
inline Complex operator-(const Complex& a) {
  return {-a.re, -a.im};
}
inline Complex operator*(const Complex& a, const Complex& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
inline Complex operator*(double a, const Complex& b) {
  return {a * b.re, a * b.im};
}

namespace stages {

using lanes::Lanes;

inline double size_of(double a) {
  return std::fabs(a);
}
inline double size_of(const Complex& a) {
  return std::fabs(a.re) + std::fabs(a.im);
}
inline double reciprocal(double a) {
  return 1 / a;
}
inline Complex reciprocal(const Complex& a) {
  const double scale = 1 / (a.re * a.re + a.im * a.im);
  return {a.re * scale, -a.im * scale};
}

// Each part, real and imaginary, of n numbers one behind the other: load_wide reads up to seven
// numbers more, which nobody looks at.
template <class C>
struct Wide;

template <>
struct Wide<double> {
  static constexpr int parts = 1;
  Lanes a{};
  double operator[](int k) const { return a[k]; }
  void set(int k, double value) { a[k] = value; }
};
template <>
struct Wide<Complex> {
  static constexpr int parts = 2;
  Lanes re{}, im{};
  Complex operator[](int k) const { return {re[k], im[k]}; }
  void set(int k, const Complex& value) { re[k] = value.re, im[k] = value.im; }
};

inline void load_wide(const double* at, int, Wide<double>& x) {
  x.a = lanes::load(at);
}
inline void load_wide(const double* at, int n, Wide<Complex>& x) {
  x.re = lanes::load(at);
  x.im = lanes::load(at + n);
}
template <class C>
Wide<C> load_wide(const double* at, int n) {
  Wide<C> x;
  load_wide(at, n, x);
  return x;
}
inline double load_one(const double* at, int, int k, double) {
  return at[k];
}
inline Complex load_one(const double* at, int n, int k, Complex) {
  return {at[k], at[n + k]};
}
inline void put_wide(double* at, int n, const Wide<double>& x) {
  lanes::put_part(at, x.a, n);
}
inline void put_wide(double* at, int n, const Wide<Complex>& x) {
  lanes::put_part(at, x.re, n);
  lanes::put_part(at + n, x.im, n);
}

inline void operator+=(Wide<double>& x, const Wide<double>& y) {
  x.a += y.a;
}
inline void operator+=(Wide<Complex>& x, const Wide<Complex>& y) {
  x.re += y.re;
  x.im += y.im;
}
// x += a y
inline void add_product(Wide<double>& x, double a, const Wide<double>& y) {
  x.a += a * y.a;
}
inline void add_product(Wide<Complex>& x, double a, const Wide<Complex>& y) {
  x.re += a * y.re;
  x.im += a * y.im;
}
inline void add_product(Wide<Complex>& x, const Complex& a, const Wide<Complex>& y) {
  x.re += a.re * y.re - a.im * y.im;
  x.im += a.re * y.im + a.im * y.re;
}
// x += a s for real lanes a
inline void add_product(Wide<double>& x, double s, const Lanes& a) {
  x.a += s * a;
}
inline void add_product(Wide<Complex>& x, const Complex& s, const Lanes& a) {
  x.re += s.re * a;
  x.im += s.im * a;
}

// Of (n, f): n + r x f. Of (a, b): b + a x r. Others stay.
struct Arm {
  Lanes one, two;
};
inline Arm arm_of_wrench(const Vec3<double>& r) {
  return {Lanes{r.y, r.z, r.x}, Lanes{r.z, r.x, r.y}};
}
inline Lanes carry_wrench(const Lanes& x, const Arm& r) {
  return x + __builtin_shufflevector(x, x, 5, 3, 4, 3, 3, 3, 3, 3) * r.one -
         __builtin_shufflevector(x, x, 4, 5, 3, 3, 3, 3, 3, 3) * r.two;
}
inline Arm arm_of_motion(const Vec3<double>& r) {
  return {Lanes{0, 0, 0, r.z, r.x, r.y}, Lanes{0, 0, 0, r.y, r.z, r.x}};
}
inline Lanes carry_motion(const Lanes& x, const Arm& r) {
  return x + __builtin_shufflevector(x, x, 0, 0, 0, 1, 2, 0, 0, 0) * r.one -
         __builtin_shufflevector(x, x, 0, 0, 0, 2, 0, 1, 0, 0) * r.two;
}
inline Wide<double> carry_wrench(const Wide<double>& x, const Arm& r) {
  return {carry_wrench(x.a, r)};
}
inline Wide<Complex> carry_wrench(const Wide<Complex>& x, const Arm& r) {
  return {carry_wrench(x.re, r), carry_wrench(x.im, r)};
}
inline Wide<double> carry_motion(const Wide<double>& x, const Arm& r) {
  return {carry_motion(x.a, r)};
}
inline Wide<Complex> carry_motion(const Wide<Complex>& x, const Arm& r) {
  return {carry_motion(x.re, r), carry_motion(x.im, r)};
}

// The numbers of one of them, to be read one by one.
template <class C>
struct Spread;
template <>
struct Spread<double> {
  double all[lanes::width];
  explicit Spread(const Wide<double>& x) { lanes::put(all, x.a); }
  double operator[](int k) const { return all[k]; }
};
template <>
struct Spread<Complex> {
  double re[lanes::width], im[lanes::width];
  explicit Spread(const Wide<Complex>& x) {
    lanes::put(re, x.re);
    lanes::put(im, x.im);
  }
  Complex operator[](int k) const { return {re[k], im[k]}; }
};

}  // namespace stages
}  // namespace cartan::mechanics
