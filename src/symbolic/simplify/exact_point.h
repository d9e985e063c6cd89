// Values of expressions at a random point modulo a prime: exact arithmetic in which identities of
// expressions hold and other equations fail (but for one point in 2^50 or so).
//
// How functions of real numbers live in a field of p elements, p = 7 (mod 16):
//   numbers     a double is a fraction with a power of two below; a symbol is a random residue
//   sign        the Legendre symbol: multiplicative, sign(-1) = -1, sign(x^2) = 1; |x| = x sign(x);
//               min, max, step and if follow from it
//   powers      positive numbers are the squares, a group of the odd order (p - 1) / 2 in which
//               roots of order 2^k are unique: sqrt(x) sqrt(y) = sqrt(x y). Where the argument of a
//               root is no square the point is outside of the domain.
//   sin, cos    points of the circle c^2 + s^2 = 1, a group in which angles add: a random point for
//               each product that occurs in an angle, of an order without small factors, so that
//               its multiples by numbers and small fractions are unique; quarter turns pi/2 exactly
//   exp         the same with squares; sinh, cosh, tanh from it; x^y = exp(y log x)
//   log         log(x y) = log x + log y, log(x^n) = n log x for products as they stand
//   asin, acos, atan, atan2  as angles they have their sines and cosines
//   others      (functions known by name, tables): a random residue for each list of arguments
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "symbolic/needed.h"
#include "symbolic/simplify/modular.h"

namespace cartan::symbolic {

// What a double stands for: the fraction with a power of two below that it is, or the simple
// fraction it was rounded from (rational.h): 1/3, 0.1.
enum class Numbers { as_stored, as_fractions };

class ExactPoint {
 public:
  ExactPoint(const ExpressionGraph& graph, Residue prime, Residue seed,
             Numbers numbers = Numbers::as_stored);

  // Evaluates nodes, ascending and complete (needed_nodes). False: the point is outside of the
  // domain of something (a root of no square, division by zero).
  bool evaluate(std::span<const int> nodes);
  Residue value(int node) const { return values_[node]; }

  // Whether a sign was asked for, that is, whether another point can take another branch.
  int signs_used() const { return signs_used_; }

 private:
  struct Angle {  // a point of the circle
    Residue cosine = 1, sine = 0;
  };
  // A sum of products, for angles and exponents: factors in the rings of the exponents, which have
  // odd order; `value` is the product without its number.
  struct Product {
    Residue in_circle = 1, in_squares = 1, value = 1;
    int node = -1;  // the only factor besides the number; -1: there is none
    double number = 1;
  };
  static constexpr int several_factors = -2;  // in place of that node
  using Sum = std::vector<Product>;

  bool evaluate_node(int i, Residue& result);
  Residue function(const Instruction& x);
  Residue number(double x, const Modulus& ring) const;
  Residue quotient(Residue x, Residue y);
  Residue sign(Residue x);
  Residue half(Residue x) const { return field_.multiply(x, (field_.size() + 1) / 2); }
  Residue root(Residue x);
  Residue power(int base, int exponent);
  Residue opaque(Residue kind, Residue which, std::span<const int> arguments);
  Residue random(Residue kind, Residue key) const {
    return mix_bits(mix_bits(seed_ + kind * 0x10001) ^ key) % field_.size();
  }

  const Sum& sum_of(int node);
  Sum expanded(int node);
  short extent(int node) const;
  bool is_expanded(int node) const;
  Angle angle(int node);
  Angle angle_of(const Product& product);
  Angle inverse_function(int node);
  Angle turned(const Angle& x, const Angle& y) const;
  Angle times(Angle x, Residue n) const;
  Residue exponential(const Sum& sum);
  Residue logarithm(int node);

  const ExpressionGraph& graph_;
  Modulus field_, circle_, squares_;  // circle_, squares_: exponents modulo the group orders
  Residue seed_;
  Numbers numbers_;
  PerNode<Residue> values_;
  PerNode<short> extent_;  // operations in a node's sums, products and quotients, written out
  std::unordered_map<int, Sum> sums_;
  bool in_domain_ = true;
  int signs_used_ = 0;
};

}  // namespace cartan::symbolic
