#pragma once

#include "symbolic/expression.h"

namespace cartan::symbolic {

// Is it the number zero? (An expression that is zero in disguise: zero.h.)
inline bool is_zero(const Expression& x) {
  return x.is_number() && x.number() == 0;
}

}  // namespace cartan::symbolic
