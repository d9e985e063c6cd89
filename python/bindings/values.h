// Members of records as Python sees them. Numbers are not copied: an array is a read-only view
// whose base is the record, which therefore lives as long as the array.
#pragma once

#include <array>
#include <complex>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cartan/cartan.h>
#include <pybind11/complex.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

namespace cartan::python {

namespace py = pybind11;

template <class T>
py::array view_of(const T* numbers, std::size_t count, py::handle owner) {
  py::array_t<T> array(static_cast<py::ssize_t>(count), numbers, owner);
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

inline py::object value_of(bool value, py::handle) {
  return py::bool_(value);
}
inline py::object value_of(int value, py::handle) {
  return py::int_(value);
}
inline py::object value_of(long value, py::handle) {
  return py::int_(value);
}
inline py::object value_of(double value, py::handle) {
  return py::float_(value);
}
inline py::object value_of(const std::string& value, py::handle) {
  return py::str(value);
}
inline py::object value_of(const std::vector<double>& value, py::handle owner) {
  return view_of(value.data(), value.size(), owner);
}
inline py::object value_of(const std::vector<std::complex<double>>& value, py::handle owner) {
  return view_of(value.data(), value.size(), owner);
}
template <std::size_t N>
py::object value_of(const std::array<double, N>& value, py::handle owner) {
  return view_of(value.data(), N, owner);
}
// Rows of equal length.
inline py::object value_of(const std::vector<std::vector<double>>& rows, py::handle) {
  const std::size_t columns = rows.empty() ? 0 : rows.front().size();
  py::array_t<double> array({rows.size(), columns});
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < columns; ++j) array.mutable_at(i, j) = rows[i].at(j);
  array.attr("setflags")(py::arg("write") = false);
  return array;
}
inline py::object value_of(const std::vector<NamedNumber>& numbers, py::handle) {
  py::dict dict;
  for (const auto& [name, number] : numbers) dict[py::str(name)] = number;
  return dict;
}
template <class T>
py::object value_of(const std::optional<T>& value, py::handle owner) {
  return value ? value_of(*value, owner) : py::none();
}
// A record inside a record.
template <class T>
py::object value_of(const T& record, py::handle owner) {
  return py::cast(record, py::return_value_policy::reference_internal, owner);
}
template <class T>
py::object value_of(const std::vector<T>& records, py::handle owner) {
  py::list list;
  for (const T& record : records) list.append(value_of(record, owner));
  return list;
}

template <class>
struct OwnerOf;
template <class Class, class Type>
struct OwnerOf<Type Class::*> {
  using Owner = Class;
};

template <auto which>
py::object member(py::object self) {
  using Owner = typename OwnerOf<decltype(which)>::Owner;
  return value_of(py::cast<const Owner&>(self).*which, self);
}

// What a function gives back, as an object of Python.
inline py::object result_of(std::string text) {
  return py::str(text);
}
template <class T>
py::object result_of(T record) {
  return py::cast(std::make_shared<T>(std::move(record)));
}
template <class T>
py::object result_of(std::vector<T> records) {
  py::list list;
  for (T& record : records) list.append(result_of(std::move(record)));
  return list;
}

}  // namespace cartan::python
