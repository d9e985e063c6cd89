// The laws every group of src/lie/ must obey, checked on seeded random elements. A new group is
// tested with one line:
//
//   CARTAN_TEST_GROUP(SE3)            for a template over the scalar
//
// The laws hold exactly; the tolerance is what a few dozen rounded operations on numbers of size
// one may leave. A law that would hold for zeros is paired with a check that its quantity is not
// zero.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <string>

#include "core/scalar.h"

namespace cartan::test::laws {

template <template <class> class Group>
class GroupLaws {
 public:
  using G = Group<double>;
  using D = Dual<1>;
  using GD = Group<D>;
  using P = Pack<4>;
  using GP = Group<P>;
  using Element = typename G::Element;
  using Tangent = typename G::Tangent;
  static constexpr int dim = G::dim;
  static constexpr int samples = 200;
  static constexpr double tolerance = 2e-13;

  void axioms() {
    repeat([&] {
      const Element a = element(), b = element(), c = element();
      close(G::compose(G::compose(a, b), c), G::compose(a, G::compose(b, c)), "associative");
      close(G::compose(a, G::identity()), a, "right identity");
      close(G::compose(G::identity(), a), a, "left identity");
      close(G::compose(a, G::inverse(a)), G::identity(), "right inverse");
      close(G::compose(G::inverse(a), a), G::identity(), "left inverse");
      EXPECT_GT(size(G::log(a)), 1e-3);
    });
  }

  void exponential() {
    repeat([&] {
      const Tangent u = tangent();
      const Element a = element();
      close(G::log(G::exp(u)), u, "log exp");
      close(G::exp(G::log(a)), a, "exp log");
      close(G::exp(-u), G::inverse(G::exp(u)), "exp of minus");
      const double s = uniform(), t = uniform();
      close(G::compose(G::exp(s * u), G::exp(t * u)), G::exp((s + t) * u),
            "one-parameter subgroup");
    });
    close(G::exp(zero()), G::identity(), "exp of zero");
  }

  void adjoint() {
    repeat([&] {
      const Element a = element(), b = element();
      const Tangent u = tangent(), v = tangent();
      close(G::Ad(G::compose(a, b), u), G::Ad(a, G::Ad(b, u)), "Ad is a homomorphism");
      close(G::compose(a, G::exp(u)), G::compose(G::exp(G::Ad(a, u)), a), "a exp(u) = exp(Ad u) a");
      close(G::Ad(a, G::ad(u, v)), G::ad(G::Ad(a, u), G::Ad(a, v)), "Ad keeps brackets");
      close(G::Ad(G::exp(u), v), ad_series(u, v, 0), "Ad exp = exp ad");
    });
  }

  void algebra() {
    repeat([&] {
      const Tangent u = tangent(), v = tangent(), w = tangent();
      close(G::ad(u, v), -G::ad(v, u), "antisymmetry");
      close(G::ad(u, G::ad(v, w)) + G::ad(v, G::ad(w, u)) + G::ad(w, G::ad(u, v)), zero(),
            "Jacobi");
      const double s = uniform();
      close(G::ad(u + s * w, v), G::ad(u, v) + s * G::ad(w, v), "ad is linear");
    });
  }

  void derivative_of_exp() {
    repeat([&] {
      const Tangent u = tangent(), v = tangent();
      close(G::dexp(u, v), ad_series(u, v, 1), "dexp = sum ad^k/(k+1)!");
      close(G::dexp(u, G::dexp_inverse(u, v)), v, "dexp dexp^-1");
      close(G::dexp_inverse(u, G::dexp(u, v)), v, "dexp^-1 dexp");
      close(G::dexp(u, v), G::Ad(G::exp(u), G::dexp(-u, v)), "spatial and body form");
      const auto moving = line(u, v);
      const auto spatial = GD::compose(GD::exp(moving), GD::inverse(GD::exp(constant(u))));
      const auto body = GD::compose(GD::inverse(GD::exp(constant(u))), GD::exp(moving));
      close(slope(GD::log(spatial)), G::dexp(u, v), "d exp(u + s v) = dexp_u v exp(u)");
      close(slope(GD::log(body)), G::dexp(-u, v), "d exp(u + s v) = exp(u) dexp_{-u} v");
      close(slope(GD::log(GD::exp(moving))), v, "d log exp");
    });
    close(slope(GD::log(GD::exp(line(zero(), basis())))), basis(), "d log exp at zero");
  }

  // d/ds dexp_{u+sv} is symmetric up to the bracket: with W(u, v) = dexp_u v,
  // dW(u, v)[w] - dW(u, w)[v] = [W(u, w), W(u, v)] (the structure equation of the group). It tests
  // the derivatives of every coefficient.
  void structure_equation() {
    repeat([&] {
      const Tangent u = tangent(), v = tangent(), w = tangent();
      const Tangent vw = slope(GD::dexp(line(u, w), constant(v)));
      const Tangent wv = slope(GD::dexp(line(u, v), constant(w)));
      close(vw - wv, G::ad(G::dexp(u, w), G::dexp(u, v)), "structure equation");
      const Tangent identity =
          slope(GD::dexp(line(u, w), GD::dexp_inverse(line(u, w), constant(v))));
      close(identity, zero(), "d (dexp dexp^-1) = 0");
    });
  }

  void interpolation() {
    repeat([&] {
      const Element a = element(), b = element();
      close(G::interpolate(a, b, 0.0), a, "start");
      close(G::interpolate(a, b, 1.0), b, "end");
      const double s = 0.5 * (1 + uniform());
      const Element at = G::interpolate(a, b, s);
      const auto moving = GD::interpolate(lift(a), lift(b), D::variable(s, 0));
      const auto velocity = slope(GD::log(GD::compose(GD::inverse(lift(at)), moving)));
      close(velocity, G::log(G::compose(G::inverse(a), b)), "constant body velocity");
    });
  }

  // Each lane of a pack is the double computation. Not always bit for bit: a compiler may contract
  // products and sums differently in the two.
  void packs() {
    for (int i = 0; i < samples / 4; ++i) {
      std::array<Tangent, 4> u, v;
      for (int k = 0; k < 4; ++k) u[k] = (k == 0 ? 1e-9 : 1.0) * tangent(), v[k] = tangent();
      const auto pu = pack(u), pv = pack(v);
      const auto log_exp = GP::log(GP::compose(GP::exp(pu), GP::exp(pv)));
      const auto dexp = GP::dexp(pu, pv), back = GP::dexp_inverse(pu, pv);
      for (int k = 0; k < 4; ++k) {
        close(lane(log_exp, k), G::log(G::compose(G::exp(u[k]), G::exp(v[k]))), "log exp lanes");
        close(lane(dexp, k), G::dexp(u[k], v[k]), "dexp lanes");
        close(lane(back, k), G::dexp_inverse(u[k], v[k]), "dexp^-1 lanes");
      }
    }
  }

 private:
  std::mt19937_64 random_{20240229};

  template <class F>
  static void repeat(F&& f) {
    for (int i = 0; i < samples; ++i) f();
  }

  double uniform() { return std::uniform_real_distribution<double>(-1, 1)(random_); }
  // Each entry in (-1.5, 1.5): angles up to 2.6, so that log can be asked to return the same
  // vector.
  Tangent tangent() {
    std::array<double, dim> a;
    for (double& x : a) x = 1.5 * uniform();
    return G::unflatten(a);
  }
  Element element() { return G::compose(G::exp(tangent()), G::exp(tangent())); }
  static Tangent zero() { return G::unflatten({}); }
  static Tangent basis() {
    std::array<double, dim> a;
    for (int i = 0; i < dim; ++i) a[i] = i + 1;
    return G::unflatten(a);
  }

  // sum_k ad_u^k v / (k + first)!, term by term
  static Tangent ad_series(const Tangent& u, const Tangent& v, int first) {
    Tangent term = v, sum = v;
    for (int k = 1; k < 60; ++k) {
      term = (1.0 / (k + first)) * G::ad(u, term);
      sum = sum + term;
    }
    return sum;
  }

  static auto constant(const Tangent& u) { return line(u, zero()); }
  // u + s v at s = 0, with the derivative by s
  static typename GD::Tangent line(const Tangent& u, const Tangent& v) {
    const auto a = G::flatten(u), b = G::flatten(v);
    std::array<D, dim> r;
    for (int i = 0; i < dim; ++i) r[i] = D(a[i]) + D::variable(0, 0) * D(b[i]);
    return GD::unflatten(r);
  }
  // elements are carried over to dual numbers by way of their logarithm
  static auto lift(const Element& a) { return GD::exp(constant(G::log(a))); }
  static Tangent slope(const typename GD::Tangent& u) {
    const auto a = GD::flatten(u);
    std::array<double, dim> r;
    for (int i = 0; i < dim; ++i) r[i] = a[i].d[0];
    return G::unflatten(r);
  }
  static auto pack(const std::array<Tangent, 4>& u) {
    std::array<P, dim> r;
    for (int k = 0; k < 4; ++k)
      for (int i = 0; i < dim; ++i) r[i][k] = G::flatten(u[k])[i];
    return GP::unflatten(r);
  }
  static Tangent lane(const typename GP::Tangent& u, int k) {
    const auto a = GP::flatten(u);
    std::array<double, dim> r;
    for (int i = 0; i < dim; ++i) r[i] = a[i][k];
    return G::unflatten(r);
  }

  // A sum, not a maximum: a NaN must not slip through.
  static double size(const Tangent& u) {
    double sum = 0;
    for (double x : G::flatten(u)) sum += std::fabs(x);
    return sum;
  }
  static void close(const Tangent& a, const Tangent& b, const char* law) {
    EXPECT_LE(size(a - b), tolerance * (1 + size(b))) << law;
  }
  static void close(const Element& a, const Element& b,
                    const char* law) requires(!std::is_same_v<Element, Tangent>) {
    EXPECT_LE(size(G::log(G::compose(G::inverse(a), b))), tolerance * (1 + size(G::log(b)))) << law;
  }
};

}  // namespace cartan::test::laws

#define CARTAN_TEST_GROUP(Group)                                 \
  TEST(GroupLaws, Group##_axioms) {                              \
    cartan::test::laws::GroupLaws<Group>().axioms();             \
  }                                                              \
  TEST(GroupLaws, Group##_exponential) {                         \
    cartan::test::laws::GroupLaws<Group>().exponential();        \
  }                                                              \
  TEST(GroupLaws, Group##_adjoint) {                             \
    cartan::test::laws::GroupLaws<Group>().adjoint();            \
  }                                                              \
  TEST(GroupLaws, Group##_algebra) {                             \
    cartan::test::laws::GroupLaws<Group>().algebra();            \
  }                                                              \
  TEST(GroupLaws, Group##_dexp) {                                \
    cartan::test::laws::GroupLaws<Group>().derivative_of_exp();  \
  }                                                              \
  TEST(GroupLaws, Group##_structure) {                           \
    cartan::test::laws::GroupLaws<Group>().structure_equation(); \
  }                                                              \
  TEST(GroupLaws, Group##_interpolation) {                       \
    cartan::test::laws::GroupLaws<Group>().interpolation();      \
  }                                                              \
  TEST(GroupLaws, Group##_packs) {                               \
    cartan::test::laws::GroupLaws<Group>().packs();              \
  }
