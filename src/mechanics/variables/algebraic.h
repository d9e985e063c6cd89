// Equations of a [variables] file without rates, g(t, x) = 0, solved for the variables z that they
// decide (AlgebraicEquations::decided): Newton's method, each step shortened until the next
// correction with the same matrix is smaller (the natural test, which no scaling of g or z
// changes).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mechanics/variables/variable_rates.h"

namespace cartan::mechanics {

struct AlgebraicScratch {
  std::vector<double> values, slopes, matrix, step, next, kept;
  std::vector<Dual4> dual_values;
};

struct AlgebraicSolution {
  double change = 0;    // largest change of a variable
  std::string problem;  // no solution was found: a sentence
};

// z in x is where the search begins, and is replaced.
AlgebraicSolution solve_algebraic(const Model& model, double t, std::span<double> x,
                                  const std::vector<double>& parameters, ProgramScratch<double>& s,
                                  ProgramScratch<Dual4>& dual, AlgebraicScratch& room);

}  // namespace cartan::mechanics
