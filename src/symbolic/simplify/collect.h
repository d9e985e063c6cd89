// From nodes of a graph to polynomials in kernels and back: the machinery of simplify.h.
#pragma once

#include <optional>
#include <unordered_map>

#include "symbolic/expression.h"
#include "symbolic/simplify/polynomial.h"

namespace cartan::symbolic {

class Collector {
 public:
  // expand_angles: sin and cos of sums of angles are taken apart by the addition theorems, so that
  // products of them can cancel; `recombine` puts them together again.
  Collector(ExpressionGraph& graph, bool expand_angles, std::size_t most_terms)
      : graph_(graph), expand_angles_(expand_angles), most_terms_(most_terms) {}

  // The polynomial of a node; nothing where it has too many terms.
  std::optional<Polynomial> collect(int node);
  // T - T cos^2 = T sin^2, cos a cos b -+ sin a sin b = cos(a +- b), sin a cos b +- cos a sin b =
  // sin(a +- b), quotients that come out even: as long as that takes terms away.
  Polynomial recombine(Polynomial p);
  // As an expression. Factors common to several terms are taken out, those first that save most.
  struct Factoring {
    int deepest = 1;       // nesting of brackets; 0: the terms are added up as they are
    int choice = 0;        // the first factor is not the best but the next best, and so on
    bool products = true;  // squares and products of sums are looked for
  };
  Expression build(const Polynomial& p, const Factoring& how);
  bool found_product() const { return found_product_; }  // in some `build`
  using Terms = std::vector<std::pair<KernelPowers, Coefficient>>;

 private:
  Polynomial node_polynomial(int i);
  Polynomial multiply(const Polynomial& x, const Polynomial& y);
  Polynomial reduced(const Polynomial& p);
  Polynomial reduced_term(const KernelPowers& powers, const Coefficient& c);
  Polynomial divide(const Polynomial& x, const Polynomial& y);
  Polynomial inverse(const Polynomial& y);
  Polynomial whole_power(const Polynomial& x, int n);
  Polynomial function(Op op, const Polynomial& x);
  Polynomial kernel_of(const Expression& x);
  Polynomial sine_of_sum(Op op, const Polynomial& angle);
  struct SinCos {
    Polynomial sine, cosine;
  };
  SinCos multiple_angle(const Polynomial& angle, long n);
  Expression tidy(const Polynomial& p);

  bool join_squares(Polynomial& p);
  bool join_angles(Polynomial& p);
  bool cancel_quotients(Polynomial& p);
  bool join_angle_pair(Polynomial& p, const KernelPowers& powers, int one, int other);
  int partner(int kernel);  // cos(x) of sin(x) and the other way round

  Expression monomial(const KernelPowers& powers, const Coefficient& c);
  std::optional<Expression> as_product(const Terms& terms, int deepest);

  ExpressionGraph& graph_;
  bool expand_angles_;
  std::size_t most_terms_;
  bool too_many_ = false, found_product_ = false;
  std::unordered_map<int, Polynomial> known_;      // of nodes
  std::unordered_map<int, Polynomial> in_kernel_;  // what a sum in a denominator is
};

}  // namespace cartan::symbolic
