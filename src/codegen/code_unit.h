// What is to become code: named functions of named arguments, in one expression graph.
//
// Every function takes the arguments of the unit, in their order, and fills its outputs:
//   C:  void UNIT_FUNCTION(double t, const double* x, const double* p, double* out1, ...)
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "expr/external_function.h"
#include "symbolic/expression.h"

namespace cartan::codegen {

// A scalar (time) or a vector of symbols (states, parameters). Labels and units are told in
// comments and tables; where they are missing the symbols' names are.
struct CodeArgument {
  std::string name;
  std::vector<Expression> symbols;
  std::vector<std::string> labels, units;
  bool scalar = false;
};

// One output. Dense: all entries, row by row. Sparse: entry k stands at row[k], column[k] (from 0).
struct CodeMatrix {
  std::string name;
  int rows = 0, columns = 1;
  std::vector<int> row, column;  // empty: dense
  std::vector<Expression> entries;

  bool is_sparse() const { return !row.empty() || (entries.empty() && rows * columns > 0); }
};

inline CodeMatrix column(const std::string& name, std::vector<Expression> entries) {
  CodeMatrix matrix;
  matrix.name = name;
  matrix.rows = static_cast<int>(entries.size());
  matrix.entries = std::move(entries);
  return matrix;
}

// matrix * result = rhs, where rhs has one or several columns. Its code factorises and solves;
// zeros of the matrix are used. symmetric: symmetric and positive definite (a mass matrix), solved
// without pivoting; anything else is solved block by block with partial pivoting.
struct LinearSolve {
  int size = 0;
  std::vector<Expression> matrix;  // size x size, row by row
  std::vector<Expression> rhs;     // size x columns, row by row
  bool symmetric = false;
  std::string result;
  // Of a system that is solved on the way: symbols for the entries of its result, row by row.
  std::vector<Expression> unknowns = {};

  int columns() const { return size > 0 ? static_cast<int>(rhs.size()) / size : 0; }
};

struct CodeFunction {
  std::string name, comment;
  std::vector<CodeMatrix> outputs;
  std::optional<LinearSolve> solve;  // its result comes after the outputs
  // Solved first, one after the other: their unknowns may appear in later ones, in `solve` and in
  // the outputs.
  std::vector<LinearSolve> inner = {};
};

// Values that come with the code: numbers (whole ones as integers) or words.
struct CodeTable {
  std::string name, comment;
  std::vector<double> numbers;
  bool whole = false;
  std::vector<std::string> words = {};
};

struct CodeUnit {
  std::string name;  // prefix of identifiers, name of files
  std::string title, model_hash;
  std::vector<std::string> remarks;  // lines for the comment at the head of the files
  ExpressionGraph* graph = nullptr;
  std::vector<CodeArgument> arguments;
  std::vector<CodeFunction> functions;
  std::vector<CodeTable> tables = {};
  // Whether a value that is used twice is computed once; otherwise every result is written out as
  // one expression.
  bool shared = true;
  // Functions whose code the user gives. Derivatives of functions that are not declared here are
  // named NAME_i, NAME_i_j (arguments counted from 1, i <= j).
  std::vector<ExternalFunction> externals;
  // C only: equal branches side by side in vectors as GCC and Clang have them (twins.h).
  bool side_by_side = false;
  // C only: without the values at the sample point and the table of names, equal equations give
  // equal text.
  bool checks = true;
};

}  // namespace cartan::codegen
