// Long equations on several lines.
#pragma once

#include <string>
#include <vector>

#include "core/folders.h"

namespace cartan::codegen {

// The terms of a sum, broken before + and - outside of all brackets; a term longer than `width` is
// broken again inside of its brackets (LaTeX: where it is not inside of braces, and its brackets
// become ones that may stand on different lines).
std::vector<std::string> breakable_pieces(const std::string& text, std::size_t width, bool latex);

// How long a formula is on paper, roughly in letters: commands of LaTeX take no room.
std::size_t length_on_paper(const std::string& latex);

// "left = right" in lines of at most `width` letters where that can be done; those after the first
// begin with `indent`.
std::string text_equation(const std::string& left, const std::string& right, std::size_t width,
                          const std::string& indent);

struct LatexEquation {
  std::string left, right;
};
// One display of equations: aligned at their signs of equality where all left sides are short,
// else each from the margin.
std::string latex_display(const std::vector<LatexEquation>& equations);

}  // namespace cartan::codegen
