// What the code of a model consists of: functions of time t, state x and parameters p.
#pragma once

#include "codegen/code_unit.h"
#include "codegen/derivation.h"

namespace cartan::codegen {

enum class EquationForm {
  recursive,    // v' in O(n) operations
  mass_matrix,  // M v' = f (with constraints: and J v' = gamma), solved by the code
};

struct UnitOptions {
  EquationForm form = EquationForm::recursive;
  bool jacobian = false;            // d x' / d x, sparse
  bool variational = false;         // (x, dx)' and its Jacobian
  bool variational_matrix = false;  // (x, dX)' with dX = dx/dx0, and its Jacobian
  bool parameter_jacobian = false;
  bool inputs_apart = false;  // inputs are an argument u of their own, not at the end of p
  bool extras = true;         // energies, mass matrix, events, outputs
  bool places = false;        // positions and velocities of mass centres and joints
  bool derivative = true;
  // x' ends with the rate of the quadrature (work), as the x of a System does.
  bool quadrature = false;
};

// Functions, in this order as far as they are asked for and exist:
//   derivative            xdot
//   power                 what the work of nonconservative forces and drives grows by
//   mass_matrix           M, f [, J, gamma]
//   energies              kinetic, potential
//   constraints           of [variables]: equations without rates, zero along a motion
//   events, outputs       as named in the model; lists and matrices as arrays of their own
//   places                centre, centre_velocity: of every body; joint, joint_velocity: origin of
//                         every joint's frame on its child; world axes, a row each
//   jacobian              d xdot / d x
//   parameter_jacobian    d xdot / d p
//   input_jacobian        d xdot / d u, with the jacobian where inputs stand apart
//   variational           dxdot = (d xdot / d x) dx, dx an argument of this function
//   variational_jacobian  of (xdot, dxdot) by (x, dx)
//   variational_matrix    dXdot = (d xdot / d x) dX, n x n by rows, dX an argument of this function
//   variational_matrix_jacobian   of (xdot, dXdot) by (x, dX): n (n + 1) states
// The unit points into the derivation, which must outlive it.
CodeUnit make_unit(Derivation& derivation, const UnitOptions& options, const std::string& name);

}  // namespace cartan::codegen
