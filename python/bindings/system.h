// cartan.Equations: the equations of a machine as functions of NumPy arrays.
#pragma once

#include <pybind11/pybind11.h>

namespace cartan::python {

void bind_equations(pybind11::module_& m);

}  // namespace cartan::python
