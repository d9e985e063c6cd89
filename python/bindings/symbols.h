// cartan.symbols: frames, vectors and equations of motion derived by hand
// (docs/vector_language.md).
#pragma once

#include <memory>

#include <pybind11/pybind11.h>

#include "parts.h"
#include "symbolic/vectors/vectors.h"

namespace cartan::python {

namespace py = pybind11;

// What one derivation is written on: all its symbols, frames and vectors live as long as any of
// them.
struct Sheet {
  ExpressionGraph graph;
  Kinematics kinematics{graph};
  Frames frames{kinematics};
  std::vector<std::shared_ptr<void>> kept;  // what the kinematics point to
};
using SheetPtr = std::shared_ptr<Sheet>;

// A number has no sheet.
struct Scalar {
  SheetPtr sheet;
  Expression value;
};
struct Axes {
  SheetPtr sheet;
  Frame frame;
};
struct Arrow {
  SheetPtr sheet;
  Vector value;
};
struct Tensor {
  SheetPtr sheet;
  Dyad value;
};

// A ValueError with what the derivation complains about; it can go on afterwards.
void raise_problems(const SheetPtr& sheet);
// The sheet of both; a ValueError where they differ.
SheetPtr common_sheet(const SheetPtr& a, const SheetPtr& b);

// A Scalar or a number; a TypeError otherwise.
Scalar read_scalar(py::handle value, const char* what);
// Several of them, all of one sheet.
std::vector<Expression> read_scalars(const SheetPtr& sheet, const py::iterable& values,
                                     const char* what);
py::list list_of(const SheetPtr& sheet, const std::vector<Expression>& values);
// Rows of a matrix that stands row by row.
py::list rows_of(const SheetPtr& sheet, const std::vector<Expression>& entries, int columns);

}  // namespace cartan::python
