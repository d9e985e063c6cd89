#include "codegen/languages/line_breaks.h"
#include "codegen/replace_all.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace cartan::codegen {
namespace {

constexpr std::size_t latex_width = 85;  // letters on a line of the page
constexpr std::size_t short_left = 24;   // left sides up to here are aligned

std::vector<std::string> split(const std::string& text, int deepest) {
  std::vector<std::string> pieces(1);
  int depth = 0, braces = 0, environments = 0;  // a line cannot end within cases
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (c == '{') ++braces;
    if (c == '}') --braces;
    if (text.compare(i, 7, "\\begin{") == 0) ++environments;
    if (text.compare(i, 5, "\\end{") == 0) --environments;
    const bool between = (c == '+' || c == '-') && i > 0 && text[i - 1] == ' ';
    if (between && depth <= deepest && braces + environments == 0 && i + 1 < text.size() &&
        text[i + 1] == ' ')
      pieces.emplace_back();
    pieces.back() += c;
  }
  return pieces;
}

// Brackets that need not close on the line they were opened on.
std::string with_fixed_brackets(std::string text) {
  replace_all(text, "\\left", "\\bigl");
  replace_all(text, "\\right", "\\bigr");
  return text;
}

template <class Length>
std::string filled(const std::vector<std::string>& pieces, std::size_t used, std::size_t width,
                   const std::string& line_break, Length length_of) {
  std::string result;
  for (const std::string& piece : pieces) {
    const std::size_t more = length_of(piece);
    if (used + more > width && !result.empty()) {
      if (result.back() == ' ') result.pop_back();
      result += line_break;
      used = 0;
    }
    result += piece;
    used += more;
  }
  return result;
}

// On lines that are `margin` letters shorter than the page is wide.
std::string latex_lines(const std::string& text, std::size_t margin) {
  const std::size_t width = latex_width - margin;
  return filled(breakable_pieces(text, width, true), 0, width, " \\\\\n&\\qquad {}",
                length_on_paper);
}

}  // namespace

std::vector<std::string> breakable_pieces(const std::string& text, std::size_t width, bool latex) {
  std::vector<std::string> pieces;
  for (const std::string& term : split(text, 0)) {
    const auto length = [&](const std::string& t) { return latex ? length_on_paper(t) : t.size(); };
    if (length(term) <= width) {
      pieces.push_back(term);
      continue;
    }
    const std::string open = latex ? with_fixed_brackets(term) : term;
    std::vector<std::string> parts;
    for (int deepest = 1; deepest <= 3; ++deepest) {
      parts = split(open, deepest);
      if (std::all_of(parts.begin(), parts.end(),
                      [&](const std::string& p) { return length(p) <= width; }))
        break;
    }
    if (parts.size() == 1) parts[0] = term;
    pieces.insert(pieces.end(), parts.begin(), parts.end());
  }
  return pieces;
}

std::size_t length_on_paper(const std::string& latex) {
  static const std::set<std::string> no_room = {"frac", "left", "right", "bigl", "bigr",  "mathrm",
                                                "dot",  "ddot", "text",  "sqrt", "begin", "end"};
  std::size_t length = 0;
  for (std::size_t i = 0; i < latex.size(); ++i) {
    const char c = latex[i];
    if (c == '\\') {
      std::size_t end = i + 1;
      while (end < latex.size() && std::isalpha(static_cast<unsigned char>(latex[end]))) ++end;
      const std::string command = latex.substr(i + 1, end - i - 1);
      if (command == "sin" || command == "cos" || command == "tan" || command == "exp")
        length += 3;
      else if (!command.empty() && !no_room.count(command))
        length += 1;
      i = std::max(end, i + 2) - 1;
    } else if (c == '+' || c == '-' || c == '=') {
      length += 3;
    } else if (c != '{' && c != '}' && c != '^' && c != '_' && c != ' ') {
      length += 1;
    }
  }
  return length;
}

std::string text_equation(const std::string& left, const std::string& right, std::size_t width,
                          const std::string& indent) {
  const auto size = [](const std::string& text) { return text.size(); };
  const auto lines = [&](const std::string& text, std::size_t used) {
    return filled(breakable_pieces(text, width - indent.size(), false), used, width - indent.size(),
                  "\n" + indent, size);
  };
  if (left.size() + right.size() + 3 <= width) return left + " = " + right;
  if (left.size() <= short_left) return left + " = " + lines(right, left.size());
  return lines(left, 0) + "\n" + indent + "= " + lines(right, 2);
}

std::string latex_display(const std::vector<LatexEquation>& equations) {
  std::size_t left = 0;
  for (const LatexEquation& e : equations) left = std::max(left, length_on_paper(e.left));
  const bool aligned = left <= short_left;
  std::string text = "\\begin{align*}\n";
  for (const LatexEquation& e : equations) {
    if (&e != &equations[0]) text += " \\\\[6pt]\n";
    const std::size_t used = length_on_paper(e.left);
    if (aligned)
      text += e.left + " &= " + latex_lines(e.right, left);
    else if (used + length_on_paper(e.right) <= latex_width)
      text += "&" + e.left + " = " + e.right;
    else
      text += "&" + latex_lines(e.left, 4) + " \\\\\n&\\qquad {}= " + latex_lines(e.right, 8);
  }
  return text + "\n\\end{align*}\n";
}

}  // namespace cartan::codegen
