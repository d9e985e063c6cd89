#include "codegen/names.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>
#include <string_view>

namespace cartan::codegen {
namespace {

// Keywords of C, C++, Python and Octave, and what the generated files use themselves.
constexpr std::string_view reserved[] = {
    "abs",       "acos",      "alignas",   "alignof",  "and",        "as",          "asin",
    "asm",       "assert",    "async",     "atan",     "atan2",      "auto",        "await",
    "bitand",    "bitor",     "bool",      "break",    "case",       "catch",       "char",
    "class",     "compl",     "concept",   "const",    "constexpr",  "continue",    "cos",
    "cosh",      "def",       "default",   "del",      "delete",     "do",          "double",
    "elif",      "else",      "elseif",    "end",      "endfor",     "endfunction", "endif",
    "endwhile",  "enum",      "except",    "exp",      "explicit",   "export",      "extern",
    "eye",       "fabs",      "false",     "finally",  "float",      "for",         "friend",
    "from",      "function",  "global",    "goto",     "i",          "if",          "import",
    "in",        "inf",       "inline",    "int",      "is",         "j",           "k",
    "lambda",    "log",       "long",      "main",     "max",        "min",         "mutable",
    "namespace", "nan",       "new",       "nonlocal", "not",        "np",          "operator",
    "or",        "otherwise", "parfor",    "pass",     "persistent", "pi",          "pow",
    "power",     "private",   "protected", "public",   "raise",      "register",    "requires",
    "shape",     "work",      "restrict",  "return",   "short",      "sign",        "signed",
    "sin",       "sinh",      "sizeof",    "sparse",   "sqrt",       "static",      "std",
    "step",      "struct",    "switch",    "tan",      "tanh",       "template",    "this",
    "throw",     "true",      "try",       "typedef",  "typeid",     "typename",    "union",
    "until",     "unsigned",  "using",     "virtual",  "void",       "volatile",    "w",
    "while",     "with",      "xor",       "yield",    "zeros",      "None",        "True",
    "False",     "Inf",       "NaN",       "INFINITY", "NAN"};

bool is_numbered(const std::string& name, const std::string& prefix) {
  return name.size() > prefix.size() && name.compare(0, prefix.size(), prefix) == 0 &&
         std::all_of(name.begin() + static_cast<long>(prefix.size()), name.end(),
                     [](unsigned char c) { return std::isdigit(c); });
}

std::string distinct(std::string name, std::set<std::string>& taken) {
  while (!taken.insert(name).second) name += '_';
  return name;
}

}  // namespace

std::string identifier(const std::string& name) {
  std::string result;
  for (const unsigned char c : name)
    result += c < 128 && (std::isalnum(c) || c == '_') ? static_cast<char>(c) : '_';
  if (result.empty() || std::isdigit(static_cast<unsigned char>(result[0])) || result[0] == '_')
    result = "x" + result;
  if (std::find(std::begin(reserved), std::end(reserved), result) != std::end(reserved))
    result += '_';
  return result;
}

std::string function_identifier(const std::string& name) {
  const std::string result = identifier(name);
  for (const char* own : {"check", "names", "table", "turns", "solve_symmetric", "solve_general",
                          "detail", "error", "difference"})
    if (result == own) return result + '_';
  return result;
}

UnitNames::UnitNames(const CodeUnit& unit)
    : source_(unit), unit_(identifier(unit.name)), places_(unit.graph->symbol_count()) {
  for (int k = 0; k < unit.graph->function_count(); ++k) externals_.push_back(external(k));
  std::set<std::string> taken(externals_.begin(), externals_.end());
  for (const CodeArgument& argument : unit.arguments)
    arguments_.push_back(distinct(identifier(argument.name), taken));
  for (const char* prefix : {"t", "z", "tmp_", "temporary_"}) {
    prefix_ = prefix;
    if (std::none_of(taken.begin(), taken.end(),
                     [&](const std::string& name) { return is_numbered(name, prefix); }))
      break;
  }
  for (std::size_t a = 0; a < unit.arguments.size(); ++a) {
    const CodeArgument& argument = unit.arguments[a];
    for (std::size_t k = 0; k < argument.symbols.size(); ++k) {
      const Expression& symbol = argument.symbols[k];
      if (symbol.is_number() || unit.graph->node(symbol.node()).op != Op::input) continue;
      places_[unit.graph->node(symbol.node()).a] = {static_cast<int>(a),
                                                    argument.scalar ? -1 : static_cast<int>(k)};
    }
  }
}

std::vector<std::string> UnitNames::outputs(const std::vector<std::string>& names) const {
  std::set<std::string> taken(arguments_.begin(), arguments_.end());
  taken.insert(externals_.begin(), externals_.end());
  std::vector<std::string> result;
  for (const std::string& name : names) {
    std::string output = identifier(name);
    if (is_numbered(output, prefix_)) output += '_';
    result.push_back(distinct(output, taken));
  }
  return result;
}

std::string UnitNames::external(int function) const {
  const ExpressionGraph::Function& called = source_.graph->function(function);
  const std::string& base = source_.graph->function_name(called.base);
  for (const ExternalFunction& external : source_.externals)
    if (external.name == base &&
        (called.by.empty() || called.by.back() < static_cast<int>(external.arguments.size())))
      return derivative_name(external, called.by);
  return called.name;
}

}  // namespace cartan::codegen
