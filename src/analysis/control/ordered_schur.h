// Invariant subspaces by the ordered complex Schur form.
#pragma once

#include <complex>
#include <functional>

#include <Eigen/Core>

#include "core/folders.h"

namespace cartan::analysis {

struct InvariantSubspace {
  Eigen::MatrixXcd basis;  // orthonormal columns
};

// The invariant subspace of A that belongs to the chosen eigenvalues: the Schur form with
// neighbouring eigenvalues exchanged by rotations until the chosen ones stand first.
InvariantSubspace invariant_subspace(const Eigen::MatrixXd& A,
                                     const std::function<bool(std::complex<double>)>& chosen);

// Orthonormal columns that span the columns of A but for singular values up to the limit.
Eigen::MatrixXd column_space_above(const Eigen::MatrixXd& A, double limit);

}  // namespace cartan::analysis
