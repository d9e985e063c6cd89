// The equations of the formulation rotation-elements, to be read: source 001, (9), (2) and (13).
//
//   m (T*'' + R'' G0) = X,   R'' K - R Lambda = Z      per body, X and Z with the joints'
//   multipliers R^T R = 1 and the joints, both differentiated twice; the joints that hold a point
//   also as (13)
// Linear in the unknowns T*'', R'', Lambda and the joints' multipliers, in the signs of the source.
#pragma once

#include "codegen/equations.h"
#include "mechanics/machine/mechanism_system.h"

namespace cartan::codegen {

// Why there is no such form of the model: a sentence, or "".
std::string refuse_element_sheet(const Model& model);

// `parameters` in file order; `at`: a state of the system of that formulation; `start`: its bodies
// where R = 1 and T* = 0. The graph gets everything that the sheet is made of. Parameters are
// numbers, but for inputs: places at the start depend on them.
EquationSheet make_element_sheet(ExpressionGraph& graph, const Model& model,
                                 std::span<const double> parameters, const State& at,
                                 std::span<const BodyState> start);

}  // namespace cartan::codegen
