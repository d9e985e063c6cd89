// Names in generated code: identifiers that are free in every language, the same in all of them.
#pragma once

#include <string>
#include <vector>

#include "codegen/code_unit.h"

namespace cartan::codegen {

// Letters, digits and underscores, not beginning with a digit, no reserved word of any language.
std::string identifier(const std::string& name);

// The same for a function: none of the names every file has.
std::string function_identifier(const std::string& name);

struct SymbolPlace {
  int argument = -1;  // -1: the symbol is no argument
  int entry = -1;     // -1: the argument is a scalar
};

class UnitNames {
 public:
  explicit UnitNames(const CodeUnit& unit);

  const std::string& unit() const { return unit_; }
  const std::string& argument(int which) const { return arguments_[which]; }
  int arguments() const { return static_cast<int>(arguments_.size()); }
  SymbolPlace place(int symbol) const {
    return symbol < static_cast<int>(places_.size()) ? places_[symbol] : SymbolPlace{};
  }
  // Of a function of the graph, by the rule of ExternalFunction.
  std::string external(int function) const;
  // Names of temporaries begin with it: no argument is named so.
  const std::string& temporary_prefix() const { return prefix_; }
  // Distinct from the arguments, from each other and from temporaries.
  std::vector<std::string> outputs(const std::vector<std::string>& names) const;

 private:
  const CodeUnit& source_;
  std::string unit_, prefix_;
  std::vector<std::string> arguments_, externals_;
  std::vector<SymbolPlace> places_;
};

}  // namespace cartan::codegen
