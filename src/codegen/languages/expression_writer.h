// The text of an expression in a language: sums with their signs, products, parentheses.
#pragma once

#include <string>
#include <vector>

#include "codegen/languages/dialect.h"
#include "codegen/listing.h"
#include "codegen/names.h"

namespace cartan::codegen {

class ExpressionWriter {
 public:
  ExpressionWriter(const ExpressionGraph& graph, const UnitNames& names, const Listing& listing,
                   const Dialect& dialect)
      : graph_(graph), names_(names), listing_(listing), dialect_(dialect) {}

  // What the statement computes; temporaries other than `node` itself appear by their names.
  std::string definition(int node) const;
  // The same, a temporary by its name.
  std::string value(int node) const;
  // Likewise, in parentheses unless it is a name or a number; a number has its sign.
  std::string atom(int node) const;

 private:
  struct Signed {
    bool negative = false;
    Written magnitude;
  };
  std::string text_of(const Signed& x) const;
  Signed write(int node) const;
  Signed write_operation(int node) const;
  Signed write_sum(int a, int b, bool negated) const;
  bool is_written_product(int node) const;
  Signed write_fused(int product, int other, bool negated) const;

  const ExpressionGraph& graph_;
  const UnitNames& names_;
  const Listing& listing_;
  const Dialect& dialect_;
};

}  // namespace cartan::codegen
