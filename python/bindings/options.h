// Keyword arguments into the options of the library.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <cartan/cartan.h>
#include <pybind11/pybind11.h>

namespace cartan::python {

namespace py = pybind11;

// name, what it means, how a value is put into the options
template <class Options>
using OptionVisitor = std::function<void(const char* name, const char* note,
                                         void (*put)(Options&, py::handle, const char* name))>;
// One specialisation for each struct of options.h, made by tools/headers.py.
template <class Options>
void visit_options(const OptionVisitor<Options>& visit);

// A TypeError: what was expected of the option, and what came.
[[noreturn]] void refuse_type(const char* name, const char* expected, py::handle value);

double read_number(py::handle value, const char* name);
bool read_bool(py::handle value, const char* name);
int read_int(py::handle value, const char* name);
// Text, a path, a number; a State as its JSON.
std::string read_text(py::handle value, const char* name);
// Text, several of them, or a dict, which stands for "name=value" each.
std::vector<std::string> read_texts(py::handle value, const char* name);

inline void put_value(double& place, py::handle value, const char* name) {
  place = read_number(value, name);
}
inline void put_value(bool& place, py::handle value, const char* name) {
  place = read_bool(value, name);
}
inline void put_value(int& place, py::handle value, const char* name) {
  place = read_int(value, name);
}
inline void put_value(std::string& place, py::handle value, const char* name) {
  place = read_text(value, name);
}
inline void put_value(std::vector<std::string>& place, py::handle value, const char* name) {
  place = read_texts(value, name);
}
template <class T>
void put_value(std::optional<T>& place, py::handle value, const char* name) {
  T inside{};
  put_value(inside, value, name);
  place = inside;
}

template <class>
struct MemberOf;
template <class Class, class Type>
struct MemberOf<Type Class::*> {
  using Owner = Class;
};

template <auto member>
void put(typename MemberOf<decltype(member)>::Owner& options, py::handle value, const char* name) {
  put_value(options.*member, value, name);
}

// A TypeError that suggests the nearest of the names.
[[noreturn]] void refuse_option(const std::string& function, const std::string& name,
                                const std::vector<std::string>& known);

// `from_` stands for `from`, which is a word of Python; None leaves the default.
template <class Options>
Options read_options(const std::string& function, const py::kwargs& given) {
  Options options;
  for (const auto& item : given) {
    const py::handle value = item.second;
    std::string name = py::cast<std::string>(item.first);
    while (!name.empty() && name.back() == '_') name.pop_back();
    bool found = false;
    std::vector<std::string> known;
    visit_options<Options>(
        [&](const char* option, const char*, void (*put)(Options&, py::handle, const char*)) {
          known.emplace_back(option);
          if (name != option) return;
          found = true;
          if (!value.is_none()) put(options, value, option);
        });
    if (!found) refuse_option(function, name, known);
  }
  return options;
}

// A list of them for docstrings.
template <class Options>
std::string describe_options() {
  std::string text;
  visit_options<Options>([&](const char* name, const char* note, auto) {
    text += std::string("\n    ") + name + (*note ? ": " : "") + note;
  });
  return text;
}

}  // namespace cartan::python
