// Accelerations when every body is free and every joint a constraint (formulations absolute-*).
//
//   M a = f + J^T lambda        M = diag(J_i, m_i): link origins are centres of mass
//   J a + rest = 0              (J M^-1 J^T) lambda = -(J M^-1 f + rest)
// Two rows are coupled only when they share a body, so that J M^-1 J^T is as sparse as the graph of
// the joints. It is factorised (Cholesky, blocks of the rows of one joint) in an order of least
// degree, found once per set of active rows: chains and trees cost O(n), loops what lies around
// them. One step of iterative refinement makes the accelerations fulfil the constraints to
// rounding.
//
// Rods, particles and bodies without mass have a singular M. They get some inertia N more, and
//   (M + N) a_k+1 = f + N a_k + J^T lambda
// is iterated: it converges to the solution without N as N / (N + inertia that allowed motions
// meet).
#pragma once

#include "mechanics/machine/motion_workspace.h"

namespace cartan::mechanics {

template <class S>
void make_sparse_rows(const Mechanism<S>& mechanism, const int* active, SparseRows<S>& rows);

// ws.vdot, ws.lambda and the accelerations of the links; needs fill_kinematics.
template <class S>
void solve_absolute(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws);

}  // namespace cartan::mechanics
