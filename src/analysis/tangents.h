// Displacements of states as columns, in tangent numbers, without quadratures.
//
// Analyses differ states by logarithms: a displacement of x is a tangent vector d with x (+) d.
// A column of d x / d s in embedded numbers is E(x) xi, where xi is the same derivative in tangent
// numbers; for vectors E is the identity, for a unit quaternion u it is xi -> u (0, xi/2).
#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include "system/system.h"

namespace cartan::analysis {

// Numbers that matter: all but the quadratures, which nothing depends on.
int embedded_numbers(const System& system);
int tangent_numbers(const System& system);

// The blocks of a system's space but for the quadratures, which are plain numbers at its end.
StateSpace space_without_quadratures(const System& system);

// E(x), embedded x tangent numbers, both without quadratures.
Eigen::MatrixXd tangent_map(const System& system, std::span<const double> x);

// Rows of derivatives by the first embedded numbers of x, whole blocks, as derivatives by the
// tangent numbers of these: rows E(x), without a matrix E.
Eigen::MatrixXd tangent_columns(const System& system, std::span<const double> x,
                                const Eigen::Ref<const Eigen::MatrixXd>& rows);

// The rate of the system at a state, in tangent numbers.
Eigen::VectorXd tangent_rate(const System& system, StateView at, Workspace& workspace);

// States allowed near `at` at the same time: x (+) B y to first order, B with orthonormal columns.
// The identity where a system has no constraints.
Eigen::MatrixXd allowed_directions(const System& system, StateView at, Workspace& workspace);

// The orthonormal basis of B's columns that is next to `reference` (orthogonal Procrustes), so that
// coordinates change smoothly from state to state. An empty reference is set; one that has become
// too different is replaced by the result.
Eigen::MatrixXd align_basis(const Eigen::MatrixXd& B, Eigen::MatrixXd& reference);

// The part of columns (tangent numbers) that leaves the constraints is taken away: with
// C = dc/dx E and c_p = dc/dp, each column s gets C s + c_p = 0 by the smallest change. `which` are
// the parameters of the last columns; the others have c_p = 0.
void keep_allowed(const System& system, StateView at, std::span<const int> which,
                  Eigen::MatrixXd& columns, Workspace& workspace);

// x (+) d for d without quadratures, which keep their values.
void displace(const System& system, const Eigen::VectorXd& d, State& state);
// x1 (-) x0 without quadratures.
Eigen::VectorXd difference(const System& system, std::span<const double> x1,
                           std::span<const double> x0);

// dexp^-1_{-d} applied to columns: how d = x1 (-) x0 changes where x1 moves by the columns.
Eigen::MatrixXd difference_rate(const System& system, const Eigen::VectorXd& d,
                                const Eigen::MatrixXd& columns);

}  // namespace cartan::analysis
