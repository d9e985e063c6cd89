// Products of groups: every operation acts on each factor by itself.
//
//   Product<SO3<S>, R3<S>, SE3<S>>   different factors, elements in a std::tuple
//   Power<SE3<S>, 4>                 the same factor several times, elements in a std::array
//
// Both are groups with the names of every other, so generic code (a Munthe-Kaas step, a law test)
// runs on a whole mechanism as on one body; a factor may itself be a product.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/scalar.h"

namespace cartan::lie {

// A tangent of a product: the factors' tangents in a tuple or an array, added and scaled as one.
template <class Parts>
struct ProductTangent {
  Parts part{};

  friend ProductTangent operator+(const ProductTangent& a, const ProductTangent& b) {
    return zip(a, b, [](const auto& x, const auto& y) { return x + y; });
  }
  friend ProductTangent operator-(const ProductTangent& a, const ProductTangent& b) {
    return zip(a, b, [](const auto& x, const auto& y) { return x - y; });
  }
  friend ProductTangent operator-(const ProductTangent& a) {
    return zip(a, a, [](const auto& x, const auto&) { return -x; });
  }
  template <class S>
  friend ProductTangent operator*(const S& s, const ProductTangent& a) {
    return zip(a, a, [&](const auto& x, const auto&) { return s * x; });
  }

 private:
  template <class F>
  static ProductTangent zip(const ProductTangent& a, const ProductTangent& b, F&& f) {
    return [&]<std::size_t... k>(std::index_sequence<k...>) {
      return ProductTangent{Parts{f(std::get<k>(a.part), std::get<k>(b.part))...}};
    }
    (std::make_index_sequence<std::tuple_size_v<Parts>>());
  }
};

// The common part. Group<k> is factor k; Elements and Tangents are tuples or arrays of equal
// length.
template <class Scalar_, class Elements, class Tangents, template <std::size_t> class Group>
struct FactorWise {
  using Scalar = Scalar_;
  using Element = Elements;
  using Tangent = ProductTangent<Tangents>;
  static constexpr std::size_t factors = std::tuple_size_v<Elements>;

  static Element identity() {
    return elements([](auto k) { return Group<k>::identity(); });
  }
  static Element compose(const Element& a, const Element& b) {
    return elements([&](auto k) { return Group<k>::compose(std::get<k>(a), std::get<k>(b)); });
  }
  static Element inverse(const Element& a) {
    return elements([&](auto k) { return Group<k>::inverse(std::get<k>(a)); });
  }
  static Element exp(const Tangent& u) {
    return elements([&](auto k) { return Group<k>::exp(std::get<k>(u.part)); });
  }
  static Tangent log(const Element& a) {
    return tangents([&](auto k) { return Group<k>::log(std::get<k>(a)); });
  }
  static Tangent Ad(const Element& a, const Tangent& u) {
    return tangents([&](auto k) { return Group<k>::Ad(std::get<k>(a), std::get<k>(u.part)); });
  }
  static Tangent ad(const Tangent& u, const Tangent& v) {
    return tangents([&](auto k) { return Group<k>::ad(std::get<k>(u.part), std::get<k>(v.part)); });
  }
  static Tangent dexp(const Tangent& u, const Tangent& v) {
    return tangents(
        [&](auto k) { return Group<k>::dexp(std::get<k>(u.part), std::get<k>(v.part)); });
  }
  static Tangent dexp_inverse(const Tangent& u, const Tangent& v) {
    return tangents(
        [&](auto k) { return Group<k>::dexp_inverse(std::get<k>(u.part), std::get<k>(v.part)); });
  }
  static Element interpolate(const Element& a, const Element& b, const Scalar& s) {
    return elements(
        [&](auto k) { return Group<k>::interpolate(std::get<k>(a), std::get<k>(b), s); });
  }

 private:
  template <class F>
  static Element elements(F&& f) {
    return [&]<std::size_t... k>(std::index_sequence<k...>) {
      return Element{f(std::integral_constant<std::size_t, k>())...};
    }
    (std::make_index_sequence<factors>());
  }
  template <class F>
  static Tangent tangents(F&& f) {
    return [&]<std::size_t... k>(std::index_sequence<k...>) {
      return Tangent{Tangents{f(std::integral_constant<std::size_t, k>())...}};
    }
    (std::make_index_sequence<factors>());
  }
};

// The factors of a product, by number.
template <class... G>
struct FactorList {
  template <std::size_t k>
  using At = std::tuple_element_t<k, std::tuple<G...>>;
  using Scalar = typename At<0>::Scalar;
  using Elements = std::tuple<typename G::Element...>;
  using Tangents = std::tuple<typename G::Tangent...>;
  using Groups = FactorWise<Scalar, Elements, Tangents, At>;
};
template <class G, std::size_t n>
struct FactorRepeat {
  template <std::size_t>
  using At = G;
  using Scalar = typename G::Scalar;
  using Elements = std::array<typename G::Element, n>;
  using Tangents = std::array<typename G::Tangent, n>;
  using Groups = FactorWise<Scalar, Elements, Tangents, At>;
};

template <class... G>
struct Product : FactorList<G...>::Groups {
  using Base = typename FactorList<G...>::Groups;
  using typename Base::Scalar;
  using typename Base::Tangent;
  static constexpr int dim = (G::dim + ...);

  static std::array<Scalar, dim> flatten(const Tangent& u) {
    std::array<Scalar, dim> flat;
    auto at = flat.begin();
    auto append = [&](const auto& values) { at = std::copy(values.begin(), values.end(), at); };
    std::apply([&](const auto&... part) { (append(G::flatten(part)), ...); }, u.part);
    return flat;
  }
  static Tangent unflatten(const std::array<Scalar, dim>& flat) {
    auto at = flat.begin();
    auto take = [&]<class H>(std::type_identity<H>) {
      std::array<Scalar, H::dim> values;
      std::copy_n(at, H::dim, values.begin());
      at += H::dim;
      return H::unflatten(values);
    };
    return {decltype(Tangent::part){take(std::type_identity<G>())...}};  // braces: left to right
  }
};

template <class G, std::size_t n>
struct Power : FactorRepeat<G, n>::Groups {
  using Base = typename FactorRepeat<G, n>::Groups;
  using typename Base::Scalar;
  using typename Base::Tangent;
  static constexpr int dim = G::dim * static_cast<int>(n);

  static std::array<Scalar, dim> flatten(const Tangent& u) {
    std::array<Scalar, dim> flat;
    auto at = flat.begin();
    for (const auto& part : u.part) {
      const auto values = G::flatten(part);
      at = std::copy(values.begin(), values.end(), at);
    }
    return flat;
  }
  static Tangent unflatten(const std::array<Scalar, dim>& flat) {
    Tangent u;
    auto at = flat.begin();
    for (auto& part : u.part) {
      std::array<Scalar, G::dim> values;
      std::copy_n(at, G::dim, values.begin());
      at += G::dim;
      part = G::unflatten(values);
    }
    return u;
  }
};

}  // namespace cartan::lie
