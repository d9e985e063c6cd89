// Expressions: numbers and symbols with the operations of arithmetic.
#include "symbols.h"

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "expr/program.h"
#include "symbolic/count.h"
#include "symbolic/differentiate.h"
#include "symbolic/flatten.h"
#include "symbolic/print/print.h"
#include "symbolic/simplify/simplify.h"
#include "symbolic/simplify/zero.h"
#include "symbolic/substitute.h"

namespace cartan::python {

void raise_problems(const SheetPtr& sheet) {
  if (!sheet || sheet->kinematics.ok()) return;
  std::string text;
  for (const Finding& finding : sheet->kinematics.problems().findings())
    text += (text.empty() ? "" : "\n") + finding.message;
  sheet->kinematics.problems() = Diagnostics();
  throw py::value_error(text);
}

SheetPtr common_sheet(const SheetPtr& a, const SheetPtr& b) {
  if (a && b && a != b)
    throw py::value_error(
        "symbols of two derivations cannot be combined: make all of them with one");
  return a ? a : b;
}

Scalar read_scalar(py::handle value, const char* what) {
  if (py::isinstance<Scalar>(value)) return py::cast<Scalar>(value);
  if (!py::isinstance<py::bool_>(value) && PyNumber_Check(value.ptr())) {
    const double number = PyFloat_AsDouble(value.ptr());
    if (!PyErr_Occurred()) return {nullptr, Expression(number)};
    PyErr_Clear();
  }
  throw py::type_error(fmt::format("{}: expected an expression or a number, got {}", what,
                                   py::cast<std::string>(py::repr(value))));
}

std::vector<Expression> read_scalars(const SheetPtr& sheet, const py::iterable& values,
                                     const char* what) {
  std::vector<Expression> result;
  for (const py::handle each : values) {
    const Scalar scalar = read_scalar(each, what);
    common_sheet(sheet, scalar.sheet);
    result.push_back(scalar.value);
  }
  return result;
}

py::list list_of(const SheetPtr& sheet, const std::vector<Expression>& values) {
  py::list list;
  for (const Expression& value : values) list.append(Scalar{sheet, value});
  return list;
}

py::list rows_of(const SheetPtr& sheet, const std::vector<Expression>& entries, int columns) {
  py::list rows;
  for (std::size_t i = 0; columns > 0 && i + columns <= entries.size(); i += columns)
    rows.append(list_of(sheet, {entries.begin() + i, entries.begin() + i + columns}));
  return rows;
}

namespace {

template <class Operation>
auto binary(const Operation& operation) {
  return [operation](const Scalar& x, const py::object& other) -> py::object {
    if (!py::isinstance<Scalar>(other) && !PyNumber_Check(other.ptr()))
      return py::reinterpret_borrow<py::object>(Py_NotImplemented);
    const Scalar y = read_scalar(other, "operand");
    return py::cast(Scalar{common_sheet(x.sheet, y.sheet), operation(x.value, y.value)});
  };
}
template <class Operation>
auto reflected(const Operation& operation) {
  return binary([operation](const Expression& x, const Expression& y) { return operation(y, x); });
}

std::string text_of(const Scalar& x) {
  return x.sheet ? to_text(x.sheet->graph, x.value) : fmt::format("{}", x.value.sample());
}
std::string latex_of(const Scalar& x) {
  return x.sheet ? to_latex(x.sheet->graph, x.value) : fmt::format("{}", x.value.sample());
}

const SheetPtr& sheet_of(const Scalar& x) {
  if (!x.sheet) throw py::value_error("a plain number has no derivation");
  return x.sheet;
}

Scalar substitute_in(const Scalar& x, const py::dict& what) {
  if (!x.sheet) return x;
  std::vector<Expression> symbols, by;
  for (const auto& item : what) {
    symbols.push_back(read_scalars(x.sheet, py::make_tuple(item.first), "subs")[0]);
    by.push_back(read_scalars(x.sheet, py::make_tuple(item.second), "subs")[0]);
    if (symbols.back().is_number()) throw py::type_error("subs: a number cannot be replaced");
  }
  return {x.sheet, substitute(x.sheet->graph, x.value, symbols, by)};
}

// The nodes behind some values, each after what it is made of: (operation, operands or datum). The
// last entries are the values. For conversion to other systems of computer algebra.
py::tuple list_nodes(const SheetPtr& sheet, const py::iterable& values) {
  static const char* const names[] = {
      "constant", "input", "add",  "subtract", "multiply", "divide",     "negate",
      "power",    "sin",   "cos",  "tan",      "asin",     "acos",       "atan",
      "atan2",    "sinh",  "cosh", "tanh",     "exp",      "log",        "sqrt",
      "abs",      "sign",  "min",  "max",      "step",     "if_positive"};
  const std::vector<Expression> roots = read_scalars(sheet, values, "values");
  ExpressionGraph& graph = sheet->graph;
  std::vector<int> nodes;
  for (const Expression& root : roots) nodes.push_back(root.node_in(graph));
  const std::vector<int> all = lowered_nodes(graph, nodes);
  py::list entries;
  for (const int i : all) {
    const Instruction node = lowered(graph, i);
    const auto op = static_cast<std::size_t>(node.op);
    if (op >= std::size(names))
      throw py::value_error("tables and functions known by name only have no counterpart");
    if (node.op == Op::constant)
      entries.append(py::make_tuple(i, names[op], graph.number(i)));
    else if (node.op == Op::input)
      entries.append(py::make_tuple(i, names[op], graph.symbol_name(node.a)));
    else
      entries.append(py::make_tuple(i, names[op], node.a, node.b, node.c));
  }
  return py::make_tuple(entries, nodes);
}

// Values as a function of numbers, for NumPy: a flat program.
class NumberFunction {
 public:
  NumberFunction(const SheetPtr& sheet, const py::iterable& values, const py::iterable& inputs) {
    const std::vector<Expression> outputs = read_scalars(sheet, values, "values"),
                                  arguments = read_scalars(sheet, inputs, "inputs");
    for (const Expression& each : arguments)
      if (each.is_number()) throw py::type_error("inputs: expected symbols, got a number");
    std::string missing;
    program_ = flatten(sheet->graph, outputs, arguments, &missing);
    if (!missing.empty())
      throw py::value_error(
          fmt::format("the values need {}, which is not among the inputs", missing));
    given_ = static_cast<py::ssize_t>(arguments.size());
  }

  // The last axis of x has the inputs, that of the result the values.
  py::array_t<double> operator()(
      const py::array_t<double, py::array::c_style | py::array::forcecast>& x) const {
    if (x.ndim() < 1 || x.shape(x.ndim() - 1) != given_)
      throw py::value_error(fmt::format("expected {} numbers along the last axis", given_));
    std::vector<py::ssize_t> shape(x.shape(), x.shape() + x.ndim());
    const auto values = static_cast<py::ssize_t>(program_.outputs.size());
    shape.back() = values;
    py::array_t<double> result(shape);
    const py::ssize_t count = given_ == 0 ? 1 : x.size() / given_;
    std::vector<double> scratch(program_.scratch_size()), inputs(program_.inputs.size());
    const double* from = x.data();
    double* to = result.mutable_data();
    const py::gil_scoped_release others_go_on;
    for (py::ssize_t k = 0; k < count; ++k) {
      for (std::size_t i = 0; i < inputs.size(); ++i)
        inputs[i] = from[k * given_ + program_.inputs[i].index];
      evaluate<double>(program_, inputs, scratch,
                       {to + k * values, static_cast<std::size_t>(values)});
    }
    return result;
  }

 private:
  Program program_;
  py::ssize_t given_ = 0;
};

Scalar function_of(const char* name, Expression (*function)(const Expression&), py::handle x) {
  const Scalar argument = read_scalar(x, name);
  return {argument.sheet, function(argument.value)};
}

void bind_functions(py::module_& m) {
  const auto define = [&](const char* name, Expression (*function)(const Expression&)) {
    m.def(name, [name, function](const py::object& x) { return function_of(name, function, x); });
  };
  define("sin", &sin);
  define("cos", &cos);
  define("tan", &tan);
  define("asin", &asin);
  define("acos", &acos);
  define("atan", &atan);
  define("sinh", &sinh);
  define("cosh", &cosh);
  define("tanh", &tanh);
  define("exp", &exp);
  define("log", &log);
  define("sqrt", &sqrt);
  define("Abs", &abs);
  define("sign", &sign);
  m.def("atan2", [](const py::object& y, const py::object& x) {
    const Scalar a = read_scalar(y, "atan2"), b = read_scalar(x, "atan2");
    return Scalar{common_sheet(a.sheet, b.sheet), atan2(a.value, b.value)};
  });
}

}  // namespace

void bind_scalars(py::module_& m) {
  const auto add = [](const Expression& x, const Expression& y) { return x + y; };
  const auto subtract = [](const Expression& x, const Expression& y) { return x - y; };
  const auto multiply = [](const Expression& x, const Expression& y) { return x * y; };
  const auto divide = [](const Expression& x, const Expression& y) { return x / y; };
  const auto power = [](const Expression& x, const Expression& y) { return pow(x, y); };
  py::class_<Scalar>(m, "Expression", "A symbol, a number, or what is made of them.")
      .def("__add__", binary(add))
      .def("__radd__", binary(add))
      .def("__sub__", binary(subtract))
      .def("__rsub__", reflected(subtract))
      .def("__mul__", binary(multiply))
      .def("__rmul__", binary(multiply))
      .def("__truediv__", binary(divide))
      .def("__rtruediv__", reflected(divide))
      .def("__pow__", binary(power))
      .def("__rpow__", reflected(power))
      .def("__neg__",
           [](const Scalar& x) {
             return Scalar{x.sheet, -x.value};
           })
      .def("__pos__", [](const Scalar& x) { return x; })
      .def("__eq__",
           [](const Scalar& x, const py::object& other) {
             if (!py::isinstance<Scalar>(other) && !PyNumber_Check(other.ptr())) return false;
             const Scalar y = read_scalar(other, "operand");
             return (!x.sheet || !y.sheet || x.sheet == y.sheet) && identical(x.value, y.value);
           })
      .def("__hash__",
           [](const Scalar& x) {
             return x.value.is_number() ? std::hash<double>()(x.value.number())
                                        : std::hash<const void*>()(x.sheet.get()) + x.value.node();
           })
      .def("__repr__", &text_of)
      .def("__str__", &text_of)
      .def_property_readonly("latex", &latex_of)
      .def("_repr_latex_", [](const Scalar& x) { return "$" + latex_of(x) + "$"; })
      .def(
          "diff",
          [](const Scalar& x, const Scalar& by) {
            const SheetPtr sheet = common_sheet(x.sheet, by.sheet);
            if (by.value.is_number()) throw py::type_error("diff: expected a symbol, got a number");
            return Scalar{sheet, differentiate(sheet->graph, x.value, by.value)};
          },
          py::arg("by"), "The partial derivative.")
      .def(
          "dt",
          [](const Scalar& x) {
            if (!x.sheet) return Scalar{nullptr, Expression(0)};
            const Scalar rate{x.sheet, x.sheet->kinematics.rate(x.value)};
            raise_problems(x.sheet);
            return rate;
          },
          "The derivative by time, as the rates of coordinates and speeds say.")
      .def("subs", &substitute_in, py::arg("what"), "Symbols replaced, all at once.")
      .def(
          "simplify",
          [](const Scalar& x) {
            return x.sheet ? Scalar{x.sheet, simplify(x.sheet->graph, x.value)} : x;
          },
          "The form that is best read.")
      .def(
          "is_zero",
          [](const Scalar& x) {
            return x.value.is_number() ? x.value.number() == 0
                                       : is_identically_zero(x.sheet->graph, x.value);
          },
          "Whether it is zero for all values of its symbols: proved, not tried.")
      .def(
          "equals",
          [](const Scalar& x, const py::object& other) {
            const Scalar y = read_scalar(other, "equals");
            const SheetPtr sheet = common_sheet(x.sheet, y.sheet);
            if (!sheet) return x.value.number() == y.value.number();
            return are_identical(sheet->graph, x.value, y.value);
          },
          py::arg("other"), "Whether both are the same for all values of their symbols.")
      .def_property_readonly(
          "operations",
          [](const Scalar& x) {
            return x.sheet ? count_shared(x.sheet->graph, std::vector{x.value}).total() : 0;
          },
          "how many operations it takes, shared ones counted once")
      .def("__float__",
           [](const Scalar& x) {
             if (!x.value.is_number())
               throw py::type_error(text_of(x) +
                                    " is not a number: give its symbols values with subs");
             return x.value.number();
           })
      .def_property_readonly("derivation", [](const Scalar& x) { return sheet_of(x); });
  bind_functions(m);
  m.def("_nodes", &list_nodes);
  py::class_<NumberFunction>(m, "Function", "Expressions as a function of NumPy arrays.")
      .def("__call__", &NumberFunction::operator(), py::arg("x"));

  py::class_<Sheet, SheetPtr>(m, "Derivation",
                              "What a derivation is written on: its symbols, frames and vectors.")
      .def(py::init<>())
      .def(
          "constant",
          [](const SheetPtr& self, const std::string& name, double sample) {
            return Scalar{self, self->graph.symbol(name, sample)};
          },
          py::arg("name"), py::arg("sample") = 0.0, "A symbol that does not depend on time.")
      .def(
          "coordinate",
          [](const SheetPtr& self, const std::string& name, double sample) {
            return Scalar{self, self->kinematics.coordinate(name, sample)};
          },
          py::arg("name"), py::arg("sample") = 0.0, "A coordinate; give its rate with set_rate.")
      .def(
          "speed",
          [](const SheetPtr& self, const std::string& name, double sample) {
            return Scalar{self, self->kinematics.speed(name, sample)};
          },
          py::arg("name"), py::arg("sample") = 0.0, "A speed; its rate is the unknown NAME'.")
      .def(
          "standard",
          [](const SheetPtr& self, int count) {
            if (count < 1 || count > 100000)
              throw py::value_error("standard: expected a count from 1 to 100000");
            const Kinematics::Standard made = self->kinematics.standard(count);
            return py::make_tuple(list_of(self, made.q), list_of(self, made.u));
          },
          py::arg("count"), "q1 .. qn and u1 .. un with q' = u.")
      .def_property_readonly("time",
                             [](const SheetPtr& self) {
                               return Scalar{self, self->kinematics.time()};
                             })
      .def(
          "set_rate",
          [](const SheetPtr& self, const Scalar& symbol, const py::object& rate) {
            const Scalar value = read_scalar(rate, "rate");
            common_sheet(self, common_sheet(symbol.sheet, value.sheet));
            if (symbol.value.is_number()) throw py::type_error("set_rate: a number has no rate");
            self->kinematics.set_rate(symbol.value, value.value);
            raise_problems(self);
          },
          py::arg("symbol"), py::arg("rate"),
          "The kinematic differential equation of a coordinate.")
      .def(
          "acceleration",
          [](const SheetPtr& self, const Scalar& speed) {
            common_sheet(self, speed.sheet);
            const Scalar rate{self, self->kinematics.acceleration(speed.value)};
            raise_problems(self);
            return rate;
          },
          py::arg("speed"), "The symbol of a speed's rate.")
      .def(
          "function",
          [](const SheetPtr& self, const py::iterable& values, const py::iterable& inputs) {
            return NumberFunction(self, values, inputs);
          },
          py::arg("values"), py::arg("inputs"), "Values as a function of arrays.");
}

}  // namespace cartan::python
