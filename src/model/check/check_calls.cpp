// What an expression asks of the functions of the user: numbers, and derivatives by the arguments
// that move. Differentiation is by states and time; parameters are varied by sensitivities only.
#include "expr/operands.h"
#include "model/formulas.h"
#include "model/program_use.h"

namespace cartan::model {
namespace {

// Derivatives that are taken of an expression: forces follow potentials by differentiation and
// their Jacobian by another one; prescribed motions have rates and accelerations, those that depend
// on coordinates a Jacobian too.
int highest_order(Scope scope) {
  switch (scope) {
    case Scope::numbers:
      return 0;
    case Scope::coordinates:
      return 3;
    case Scope::time:
    case Scope::drive:
    case Scope::positions:
      return 2;
    default:
      return 1;
  }
}

// The first derivative, up to the given order and by arguments that move, without code; -1: none.
int find_missing(const FunctionCode& code, const std::vector<char>& moves, int order) {
  std::vector<int> wave = {0};
  for (int level = 0; level < order; ++level) {
    std::vector<int> next;
    for (const int number : wave)
      for (int k = 0; k < code.arguments(); ++k)
        if (moves[k]) next.push_back(code.order(number).slope[k]);
    for (const int number : next)
      if (!code.has(number)) return number;
    wave = std::move(next);
  }
  return -1;
}

std::string missing_text(const FunctionCode& code, int number) {
  const ExternalFunction& function = code.declaration();
  std::string by;
  for (const int k : code.order(number).by) by += (by.empty() ? "" : " ") + function.arguments[k];
  return "the function '" + function.name + "' has no derivative by '" + by +
         "', which is needed here: its code lacks '" + code.name_of(number) +
         "'; add that, or say its name: derivatives = { \"" + by + "\" = \"NAME\" }";
}

}  // namespace

std::string explain_unknown_function(const std::string& name, bool withheld) {
  if (withheld)
    return "the function '" + name +
           "' is code of the model, which is not run here, and its numbers are needed";
  return "the function '" + name +
         "' is known by name only, and its numbers are needed; give its `value`, or the `source` "
         "of its C code, in [functions] (`equations` and `generate` do without)";
}

void FormulaCompiler::check_calls(const Program& program, const Values& values, Scope scope,
                                  bool& failed) {
  if (program.functions.empty()) return;
  const std::vector<char> moves = moving_instructions(program);
  for (int i = 0; i < static_cast<int>(program.code.size()); ++i) {
    const Instruction& call = program.code[i];
    if (call.op != Op::call) continue;
    const FunctionCode& code = *program.functions[call.a].code;
    std::vector<char> moving;
    for (int k = 0; k < call.c; ++k) moving.push_back(moves[program.arguments[call.b + k]]);
    std::string problem;
    if (!code.is_name_only()) {
      const int missing = find_missing(code, moving, highest_order(scope));
      if (missing >= 0) problem = missing_text(code, missing);
    } else if (scope < Scope::positions) {
      problem = explain_unknown_function(code.declaration().name, code.declaration().withheld);
    } else if (!moves[i] && code.declaration().withheld) {
      problem = explain_unknown_function(code.declaration().name, true);
    } else if (!moves[i]) {
      problem = "the function '" + code.declaration().name +
                "' is known by name only and needs an argument that depends on time or state here";
    }
    const Value& value = values[find_output(program, i)];
    if (problem.empty() && code.is_name_only())
      unknown_.push_back({code.declaration().name, value.where, code.declaration().withheld});
    if (problem.empty()) continue;
    failed = true;
    problems_.error(value.where, "in '" + value.text + "': " + problem);
    return;
  }
}

}  // namespace cartan::model
