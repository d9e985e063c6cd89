// The parts of the module.
#pragma once

#include <pybind11/pybind11.h>

namespace cartan::python {

// cartan.System: the equations of a machine as functions of NumPy arrays.
void bind_system(pybind11::module_& m);

// cartan.symbols (symbols.h)
void bind_scalars(pybind11::module_& m);
void bind_vectors(pybind11::module_& m);
void bind_equations_of_motion(pybind11::module_& m);
void bind_systems(pybind11::module_& m);

}  // namespace cartan::python
