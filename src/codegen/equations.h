// The equations of motion of a model, to be read: as text or LaTeX.
#pragma once

#include <string>
#include <vector>

#include "codegen/derivation.h"

namespace cartan::codegen {

enum class EquationsForm {
  kane,               // M(q) v' = f(t, q, v), with constraints + J^T lambda and J v' = gamma
  lagrange,           // T, V, L = T - V; d/dt dL/dq' - dL/dq = Q
  canonical,          // p = M v, H(q, p), q' and p'
  moving_frame,       // B, B', M*, N*, F*
  diagonal,           // M = L D L^T: speeds u = L^T v, D u' = r(t, q, u)
  rotation_elements,  // R'' and T*'' with all multipliers (element_sheet.h)
};
// The speeds its equations are written in; kane: those of [speeds].
SpeedChoice speeds_of_form(EquationsForm form);

// One line  left = right, or a heading, or a remark.
struct EquationLine {
  enum class Kind { heading, remark, equation } kind = Kind::equation;
  std::string text, latex;  // heading, remark; left side of an equation
  Expression right;
  // Where the left side is a sum of factors times unknowns (accelerations): the factors, and the
  // unknowns as they are written.
  std::vector<Expression> factors;
  std::vector<std::string> unknowns, unknowns_latex;
};

struct EquationSheet {
  std::string title;
  std::vector<DerivedSymbol> symbols;  // coordinates and speeds, for a legend
  std::vector<EquationLine> lines;
};

struct SheetOptions {
  EquationsForm form = EquationsForm::kane;
  // Beside the equations: "T", "V", "L", "p", "H", "B", "Bdot", "M", "N", "F" as far as the form
  // has them; "power": T', V' and the power of what is not conservative; "all".
  std::vector<std::string> show;
  bool solved = false;     // accelerations by themselves
  bool linearize = false;  // M, C, K and A about a state of rest
};

// Why the form does not exist for the model: a sentence, or "".
std::string refuse_form(const Model& model, EquationsForm form);

// Why there are no M, C, K and A: a sentence, or "".
std::string refuse_linearize(const Model& model);

EquationSheet make_sheet(Derivation& derivation, const SheetOptions& options);

// As plain text, lines no longer than need be; as a LaTeX document that compiles.
std::string sheet_as_text(ExpressionGraph& graph, const EquationSheet& sheet);
std::string sheet_as_latex(ExpressionGraph& graph, const EquationSheet& sheet);

}  // namespace cartan::codegen
