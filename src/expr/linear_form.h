// Equations that are linear in some of their names, taken apart.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "expr/program.h"

namespace cartan::expr {

struct LinearForm {
  Program program;               // the entries of A, then b; the unknowns do not appear
  std::vector<int> row, column;  // of the entries, those that are not zero whatever the numbers are
};

// The outputs of `residuals` as A u - b: A is their derivative by the unknowns u and b their
// negative, both at u = 0. Nothing where that has no finite value. Whether the residuals are linear
// in u is for the caller to prove.
std::optional<LinearForm> linear_form(const Program& residuals, std::span<const Symbol> unknowns);

// The same for u = x', where rows g(t, x) without rates count as dg/dt = g_x x' + g_t: `states` are
// the x of `rates`, in their order. Rows of that kind are added to `differentiated`.
std::optional<LinearForm> linear_form_of_rates(const Program& residuals,
                                               std::span<const Symbol> rates,
                                               std::span<const Symbol> states,
                                               std::vector<int>& differentiated);

}  // namespace cartan::expr
