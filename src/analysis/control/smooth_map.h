// A smooth function f(z; a) of several numbers with exact first and second derivatives, sparse:
// what optimal control is assembled from. `a` are numbers it is not differentiated by.
#pragma once

#include "analysis/design/sparse_program.h"

namespace cartan::analysis {

class SmoothMap {
 public:
  virtual ~SmoothMap() = default;

  int inputs = 0, outputs = 0;
  SparsePattern slopes;      // d f_i / d z_j
  SparsePattern curvatures;  // of weights . f, row >= column
  bool has_curvatures = true;

  virtual void value(const double* z, const double* a, double* f) const = 0;
  virtual void fill_slopes(const double* z, const double* a, double* entries) const = 0;
  virtual void fill_curvatures(const double* z, const double* a, const double* weights,
                               double* entries) const = 0;
};

}  // namespace cartan::analysis
