// From values as written to compiled formulas, with complaints at their places.
#pragma once

#include <initializer_list>
#include <string>

#include "model/names.h"
#include "model/table_files.h"

namespace cartan::model {

class FormulaCompiler {
 public:
  FormulaCompiler(const Names& names, std::string folder, Diagnostics& problems,
                  const Consent& consent = {})
      : names_(names), tables_(std::move(folder), consent), problems_(problems) {}

  // Not given when something was complained about, now or before. `local_joint`: see
  // Names::resolve.
  Formula compile(const Values& values, Scope scope, int local_joint = -1);
  Formula compile(const Value& value, Scope scope);

  // A definition's own text; what other definitions say is not its business.
  bool check_definition(const Value& value, const Syntax& tree);

  // Parses a value; null after a complaint.
  Syntax parse(const Value& value);
  // An equation left = right; null after a complaint.
  Syntax parse_equation(const Value& value);
  // Calls of functions known by name only, in what has been compiled.
  const std::vector<Model::UnknownFunction>& unknown_functions() const { return unknown_; }
  // Whether some table met so far has no value outside of its range.
  bool has_bounded_tables() const { return tables_.has_bounded(); }
  // Expressions that have been parsed.
  Formula compile_parsed(const std::vector<Syntax>& trees, const Values& values, Scope scope,
                         int local_joint = -1);

 private:
  Syntax parsed(const Value& value, bool equation);
  // Complains about functions of the user that cannot do what the place asks for.
  void check_calls(const Program& program, const Values& values, Scope scope, bool& failed);
  // Complains about tables that are not as smooth as the place asks for.
  void check_tables(const Program& program, const Values& values, Scope scope, bool& failed);
  Program compile_trees(const std::vector<Syntax>& trees, const Resolver& resolve,
                        const Values& values, Scope scope, bool& failed);

  const Names& names_;
  TableFiles tables_;
  Diagnostics& problems_;
  std::vector<Model::UnknownFunction> unknown_;
};

// Why there are no numbers where a function is known by name only; `withheld`: for want of consent.
std::string explain_unknown_function(const std::string& name, bool withheld);

Formula constant_formula(std::initializer_list<double> values);

// A number in the shortest form that reads back as the same; a value as written.
std::string text_of(double number);
std::string text_of(const Value& value);

// The place of a character of an expression.
Location place_in(const Value& value, int offset);

}  // namespace cartan::model
