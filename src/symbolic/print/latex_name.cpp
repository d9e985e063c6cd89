#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <vector>

#include "symbolic/print/print.h"

namespace cartan::symbolic {
namespace {

constexpr std::array greek = {"alpha", "beta",  "gamma",   "delta",  "epsilon", "zeta",   "eta",
                              "theta", "iota",  "kappa",   "lambda", "mu",      "nu",     "xi",
                              "pi",    "rho",   "sigma",   "tau",    "upsilon", "phi",    "chi",
                              "psi",   "omega", "Gamma",   "Delta",  "Theta",   "Lambda", "Xi",
                              "Pi",    "Sigma", "Upsilon", "Phi",    "Psi",     "Omega"};

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("_%$#&{}").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

// Letters as LaTeX: a Greek name, one letter, or an upright word.
std::string word(const std::string& text) {
  if (std::find(greek.begin(), greek.end(), text) != greek.end()) return "\\" + text;
  const bool digits =
      std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
  return text.size() <= 1 || digits ? escaped(text) : "\\mathrm{" + escaped(text) + "}";
}

}  // namespace

std::string latex_name(const std::string& name) {
  std::string base = name;
  std::vector<std::string> indices;
  // joint.q[2]: the quantity is the base, the rest are its indices
  if (const auto bracket = base.find('['); bracket != std::string::npos) {
    indices.push_back(base.substr(bracket + 1, base.find(']') - bracket - 1));
    base.resize(bracket);
  }
  if (const auto dot = base.rfind('.'); dot != std::string::npos && dot + 1 < base.size()) {
    indices.insert(indices.begin(), base.substr(0, dot));
    base = base.substr(dot + 1);
  }
  int dots = 0;
  while (!base.empty() && base.back() == '\'') base.pop_back(), ++dots;
  std::vector<std::string> own;  // of m_rod and of q1
  if (const auto line = base.find('_'); line != std::string::npos && line > 0) {
    own.push_back(base.substr(line + 1));
    base.resize(line);
  }
  std::size_t letters = base.size();
  while (letters > 1 && std::isdigit(static_cast<unsigned char>(base[letters - 1]))) --letters;
  if (letters < base.size()) {
    own.insert(own.begin(), base.substr(letters));
    base.resize(letters);
  }
  indices.insert(indices.begin(), own.begin(), own.end());

  std::string text = word(base);
  if (dots > 0) text = "\\" + std::string(dots, 'd') + "ot{" + text + "}";
  if (indices.empty()) return text;
  std::string list;
  for (const std::string& index : indices) list += (list.empty() ? "" : ",") + word(index);
  return text + "_{" + list + "}";
}

}  // namespace cartan::symbolic
