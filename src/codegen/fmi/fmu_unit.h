// What the code of an FMU consists of: functions of time t, state x, parameters p and inputs u.
// Behind the parameters p holds the branches of the switches.
//
//   derivative, initial          x', the start over the parameters (trees and variables)
//   outputs, indicators          of the FMU; indicators: the model's events, then its switches
//   jumps                        new values of all `set`s of all events
//   jacobian, output_jacobian    of x' and the outputs by (x, u, t), sparse
//   slopes, output_slopes        the same by p
//   constraint_positions, constraint_speeds, constraint_matrices, coordinate_rates
//                                what a projection needs (Derivation::constraint_form)
//   drives                       numbers of driven joints of the tree
// Those without results are left out.
#pragma once

#include <string>
#include <vector>

#include "codegen/code_unit.h"
#include "codegen/derivation.h"

namespace cartan::codegen {

struct FmuRequest {
  std::vector<int> inputs;  // of the model's parameters: which come from outside
  struct Output {
    std::string name;
    const Formula* value = nullptr;
  };
  std::vector<Output> outputs;
};

struct FmuUnit {
  CodeUnit unit;                                  // points into the derivation
  std::vector<DerivedSymbol> parameters, inputs;  // the argument p ends with the branches
  int outputs = 0, events = 0, indicators = 0, constraints = 0;
  bool initial = false;                      // the start follows the parameters
  std::vector<int> driven;                   // speeds
  std::vector<int> drive_places;             // of the results of `drives` in x
  std::vector<int> jump_begin, jump_target;  // by event; places in x

  const CodeFunction* find(const std::string& function) const;
};

// Why a model has no FMU, with the remedy; "" when it has one.
std::string refuse_fmu(const Model& model);

FmuUnit make_fmu_unit(Derivation& derivation, const FmuRequest& request, const std::string& name);

// Switches of values (if, min, max, abs, sign, step), as far as they depend on `moving` symbols,
// and the same values with every switch held on its branch, which makes them smooth. A branch is a
// symbol that is 1 or -1: the sign of the switch's function, as long as that has not crossed zero.
struct HeldSwitches {
  std::vector<Expression> functions, branches;
  std::vector<Expression> values;
};
// `deciding`: how many of the values, the first ones, tell which switches there are.
HeldSwitches hold_graph_switches(ExpressionGraph& graph, const std::vector<Expression>& values,
                                 std::size_t deciding, const std::vector<Expression>& moving);

}  // namespace cartan::codegen
