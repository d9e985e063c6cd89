// Vectors of plain numbers (vec3_double.h) against the same operations number by number, which
// long double takes.
#include <gtest/gtest.h>

#include "core/vec3.h"
#include "support/random.h"

namespace cartan::test {
namespace {

using Long = long double;
using core::Mat3;
using core::Sym3;
using core::Vec3;

Vec3<Long> wide(const Vec3<double>& a) {
  return {a.x, a.y, a.z};
}
Mat3<Long> wide(const Mat3<double>& m) {
  return Mat3<Long>::columns(wide(m.c[0]), wide(m.c[1]), wide(m.c[2]));
}
Sym3<Long> wide(const Sym3<double>& m) {
  return {m.xx, m.yy, m.zz, m.xy, m.xz, m.yz};
}

// Entries are below ten; products of three of them and sums of three of those are below 4e4, and
// rounding is 2e-16 of that.
constexpr double tolerance = 1e-11;

void expect_equal(const Vec3<double>& a, const Vec3<Long>& b) {
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(a[k], static_cast<double>(b[k]), tolerance);
#if defined(__AVX__)
  EXPECT_EQ(a.zero, 0);
#endif
}
void expect_equal(const Mat3<double>& a, const Mat3<Long>& b) {
  for (int k = 0; k < 3; ++k) expect_equal(a.c[k], b.c[k]);
}
void expect_equal(const Sym3<double>& a, const Sym3<Long>& b) {
  expect_equal(full(a), full(b));
#if defined(__AVX__)
  EXPECT_EQ(a.zero_on, 0);
  EXPECT_EQ(a.zero_beside, 0);
#endif
}

struct Drawn {
  explicit Drawn(std::uint64_t seed) : random(seed) {}
  Vec3<double> vector() { return random.vector(10); }
  Mat3<double> matrix() { return Mat3<double>::columns(vector(), vector(), vector()); }
  Sym3<double> symmetric() {
    const Vec3<double> a = vector(), b = vector();
    return {a.x, a.y, a.z, b.x, b.y, b.z};
  }
  Random random;
};

TEST(Vec3OfDoubles, DoesWhatNumbersOneByOneDo) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Drawn drawn(seed);
    const Vec3<double> a = drawn.vector(), b = drawn.vector();
    const Mat3<double> m = drawn.matrix(), n = drawn.matrix();
    const Sym3<double> s = drawn.symmetric(), t = drawn.symmetric();
    const double k = drawn.random.uniform(-3, 3);
    expect_equal(a + b, wide(a) + wide(b));
    expect_equal(a - b, wide(a) - wide(b));
    expect_equal(-a, -wide(a));
    expect_equal(k * a, Long(k) * wide(a));
    expect_equal(cross(a, b), cross(wide(a), wide(b)));
    EXPECT_NEAR(dot(a, b), static_cast<double>(dot(wide(a), wide(b))), tolerance);
    expect_equal(m * a, wide(m) * wide(a));
    expect_equal(m * n, wide(m) * wide(n));
    expect_equal(m - k * n, wide(m) - Long(k) * wide(n));
    expect_equal(transpose(m), transpose(wide(m)));
    expect_equal(transpose_times(m, a), transpose_times(wide(m), wide(a)));
    expect_equal(outer(a, b), outer(wide(a), wide(b)));
    expect_equal(cross(a, m), cross(wide(a), wide(m)));
    EXPECT_NEAR(dot(a, b, m.c[0], m.c[1]),
                static_cast<double>(dot(wide(a), wide(b), wide(m.c[0]), wide(m.c[1]))), tolerance);
    expect_equal(less_product(a, m, b), less_product(wide(a), wide(m), wide(b)));
    expect_equal(less_scaled(m, k, n), less_scaled(wide(m), Long(k), wide(n)));
    expect_equal(less_outer(s, k, a), less_outer(wide(s), Long(k), wide(a)));
    expect_equal(less_outer(m, k, a, b), less_outer(wide(m), Long(k), wide(a), wide(b)));
    expect_equal(whole_transpose_times(m, s * m),
                 whole_transpose_times(wide(m), wide(s) * wide(m)));
    expect_equal(cross_each_row(a, m), cross_each_row(wide(a), wide(m)));
    expect_equal(s * a, wide(s) * wide(a));
    expect_equal(s * m, wide(s) * wide(m));
    expect_equal(s + k * t, wide(s) + Long(k) * wide(t));
    expect_equal(scaled(s, a), scaled(wide(s), wide(a)));
    expect_equal(full(s), full(wide(s)));
    expect_equal(symmetric(m), symmetric(wide(m)));
    expect_equal(symmetric_lower(m), symmetric_lower(wide(m)));
    expect_equal(symmetric_outer(a, b), symmetric_outer(wide(a), wide(b)));
    expect_equal(symmetric_times_transpose(m, n), symmetric_times_transpose(wide(m), wide(n)));
    expect_equal(symmetric_transpose_times(m, n), symmetric_transpose_times(wide(m), wide(n)));
    expect_equal(rotate(m, s), rotate(wide(m), wide(s)));
    expect_equal(rotate_principal(m, s), rotate_principal(wide(m), wide(s)));
    double determinant;
    Long wide_determinant;
    expect_equal(adjugate(s, determinant), adjugate(wide(s), wide_determinant));
    EXPECT_NEAR(determinant, static_cast<double>(wide_determinant), tolerance);
  }
}

TEST(Vec3OfDoubles, InverseIsOne) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Drawn drawn(seed);
    Sym3<double> s = drawn.symmetric();
    s.xx += 30, s.yy += 30, s.zz += 30;  // far from singular
    const Mat3<double> one = inverse(s) * full(s);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) EXPECT_NEAR(one(i, j), i == j, 1e-14);
  }
}

}  // namespace
}  // namespace cartan::test
