#include "options.h"

#include <cmath>

namespace cartan::python {

void refuse_type(const char* name, const char* expected, py::handle value) {
  const std::string shown = py::cast<std::string>(py::repr(value)).substr(0, 80);
  throw py::type_error(std::string(name) + " = " + shown + ": expected " + expected);
}

void refuse_option(const std::string& function, const std::string& name,
                   const std::vector<std::string>& known) {
  py::list names;
  for (const std::string& each : known) names.append(each);
  const py::object text = py::module_::import("cartan.errors").attr("unknown_option");
  throw py::type_error(py::cast<std::string>(text(function, name, names)));
}

double read_number(py::handle value, const char* name) {
  if (py::isinstance<py::bool_>(value) || !PyNumber_Check(value.ptr()))
    refuse_type(name, "a number", value);
  const double number = PyFloat_AsDouble(value.ptr());
  if (PyErr_Occurred()) {
    PyErr_Clear();
    refuse_type(name, "a number", value);
  }
  if (!std::isfinite(number)) refuse_type(name, "a finite number", value);
  return number;
}

bool read_bool(py::handle value, const char* name) {
  if (!py::isinstance<py::bool_>(value)) refuse_type(name, "True or False", value);
  return py::cast<bool>(value);
}

int read_int(py::handle value, const char* name) {
  if (py::isinstance<py::bool_>(value) || !PyIndex_Check(value.ptr()))
    refuse_type(name, "a whole number", value);
  const py::object index = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  const long number = index ? PyLong_AsLong(index.ptr()) : -1;
  if (PyErr_Occurred() || number < INT32_MIN || number > INT32_MAX) {
    PyErr_Clear();
    refuse_type(name, "a whole number of at most 32 bits", value);
  }
  return static_cast<int>(number);
}

std::string read_text(py::handle value, const char* name) {
  if (py::isinstance<py::str>(value)) return py::cast<std::string>(value);
  if (py::isinstance<State>(value)) return py::cast<const State&>(value).json();
  if (py::hasattr(value, "__fspath__"))
    return py::cast<std::string>(py::module_::import("os").attr("fspath")(value));
  if (PyNumber_Check(value.ptr()) && !py::isinstance<py::bool_>(value))
    return py::cast<std::string>(py::repr(py::float_(read_number(value, name))));
  refuse_type(name, "a text, a path, a number or a State", value);
}

// A list as the language of expressions writes it: [1, 2], [[..], ..].
std::string read_side(py::handle value, const char* name) {
  py::object list = py::reinterpret_borrow<py::object>(value);
  if (py::hasattr(value, "tolist")) list = value.attr("tolist")();
  if (!py::isinstance<py::list>(list) && !py::isinstance<py::tuple>(list))
    return read_text(list, name);
  std::string text;
  for (const py::handle each : list) text += (text.empty() ? "" : ", ") + read_side(each, name);
  return "[" + text + "]";
}

std::vector<std::string> read_texts(py::handle value, const char* name) {
  if (py::isinstance<py::dict>(value)) {
    std::vector<std::string> texts;
    for (const auto& [key, each] : py::reinterpret_borrow<py::dict>(value))
      texts.push_back(read_text(key, name) + "=" + read_side(each, name));
    return texts;
  }
  if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value)) {
    std::vector<std::string> texts;
    for (const py::handle each : value) texts.push_back(read_text(each, name));
    return texts;
  }
  return {read_text(value, name)};
}

}  // namespace cartan::python
