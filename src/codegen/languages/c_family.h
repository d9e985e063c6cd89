// What C, C++ and CUDA code have in common: everything inside the functions.
#pragma once

#include <string>
#include <vector>

#include "codegen/languages/dialect.h"
#include "codegen/unit_plan.h"

namespace cartan::codegen {

struct CFlavour {
  std::string prefix;              // of the functions' names
  std::string helper_prefix;       // of names that only the file itself uses
  std::string function_qualifier;  // "", "inline ", "__device__ inline "
  std::string helper_qualifier;    // "static ", ...
  std::string part_qualifier;      // of the parts of a long function
  std::string table_qualifier;     // "static const", ...
  std::string restrict_word = "restrict";
  std::string index_qualifier;  // of index tables inside functions: "static const"
  bool has_sincos = false;      // sincos(x, &s, &c)
  bool joins_turns = false;     // sines and cosines of all angles at once (turn_helper.h)
  // Of lanes (emit_lanes.cpp): numbers are of another type, functions have other names, and sums
  // with a product are fused.
  std::string number_type = "double";
  std::string function_prefix;  // before sin, sqrt, ...
  bool is_lane = false;
  int longest_function = 1000, longest_part = 200;  // statements
};

// The function begins with the sines and cosines of all angles that its arguments make.
bool joins_turns(const CFlavour& flavour, const PlannedFunction& function);

class CFamilyWriter {
 public:
  CFamilyWriter(const UnitPlan& plan, CFlavour flavour)
      : plan_(plan), flavour_(std::move(flavour)) {}

  // Functions, tables and prototypes that the others need.
  std::string helpers() const;
  // Of these the numbers of the tables.
  std::string table_data() const;
  // Prototype of a function that the user gives, without qualifiers: "double f(double, double)".
  static std::string external_prototype(const UnitPlan::External& external);
  // void PREFIXname(double t, const double* restrict x, double* restrict M)
  std::string head(const PlannedFunction& function) const;
  std::string definition(const PlannedFunction& function) const;
  // Tells which entries of the sparse outputs are stored.
  std::string pattern_head(const PlannedFunction& function, int output) const;
  std::string pattern_definition(const PlannedFunction& function, int output) const;
  // Statements that call every function at the sample values and leave in `error` the largest
  // difference; arrays are declared by `declare(name, size)`.
  std::string check_statements(std::string (*declare)(const std::string& name, int size),
                               std::string (*release)(const std::string& name)) const;
  // {argument, label, unit} of every argument's entries, without the declaration.
  std::string names_table() const;
  // Type, name and brackets of a table, and its values between braces.
  std::string table_head(const CodeTable& table) const;
  std::string table_values(const CodeTable& table) const;

 private:
  std::string number_list(const std::vector<double>& values) const;

  const UnitPlan& plan_;
  CFlavour flavour_;
};

// The function that evaluates tables: NAME(piece, count, last, outside, order, x). `floor`,
// `undefined`: how the language calls them.
std::string table_function(const std::string& qualifier, const std::string& name,
                           const std::string& floor, const std::string& undefined);
// A number as C reads it, with its sign.
std::string c_number(double value);
// Text between quotation marks.
std::string c_string(const std::string& text);
// Lines between /* and */.
std::string c_comment(const std::vector<std::string>& lines);

}  // namespace cartan::codegen
