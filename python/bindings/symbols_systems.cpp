// Vectors of whole systems, dyads, subexpressions, velocity transformations, Jacobians and code:
// what goes on by hand where Kane's equations are not wanted in one step.
#include <fmt/format.h>
#include <pybind11/stl.h>

#include "codegen/emit.h"
#include "symbolic/differentiate.h"
#include "symbolic/print/print.h"
#include "symbolic/simplify/simplify.h"
#include "symbolic/substitute.h"
#include "symbolic/vectors/dependent_speeds.h"
#include "symbolic/vectors/subexpressions.h"
#include "symbolic/vectors/vector_tools.h"
#include "symbolic/vectors/velocity_transformation.h"
#include "symbols.h"

namespace cartan::python {
namespace {

template <class T>
T checked(const SheetPtr& sheet, T value) {
  raise_problems(sheet);
  return value;
}

struct Replaced {
  std::vector<Expression> symbols, by;
  Replaced(const SheetPtr& sheet, const py::dict& what) {
    for (const auto& item : what) {
      symbols.push_back(read_scalars(sheet, py::make_tuple(item.first), "subs")[0]);
      by.push_back(read_scalars(sheet, py::make_tuple(item.second), "subs")[0]);
      if (symbols.back().is_number()) throw py::type_error("subs: a number cannot be replaced");
    }
  }
};

// Rows of expressions, all of one length.
struct Matrix {
  std::vector<Expression> entries;
  int rows = 0, columns = 0;
  Matrix(const SheetPtr& sheet, const py::iterable& list, const char* what) {
    for (const py::handle each : list) {
      const bool nested = py::isinstance<py::list>(each) || py::isinstance<py::tuple>(each);
      const std::vector<Expression> row = read_scalars(
          sheet,
          nested ? py::reinterpret_borrow<py::iterable>(each) : py::iterable(py::make_tuple(each)),
          what);
      if (rows > 0 && static_cast<int>(row.size()) != columns)
        throw py::value_error(fmt::format("{}: row {} has {} entries, the first has {}", what,
                                          rows + 1, row.size(), columns));
      columns = static_cast<int>(row.size());
      entries.insert(entries.end(), row.begin(), row.end());
      ++rows;
    }
  }
};

// ------------------------------------------------------------------------------- system vectors

struct ManyArrows {
  SheetPtr sheet;
  SystemVector value;
};
struct ManyInertias {
  SheetPtr sheet;
  SystemInertia value;
};

ManyArrows make_many(const std::vector<Arrow>& list) {
  ManyArrows many;
  for (const Arrow& each : list) {
    many.sheet = common_sheet(many.sheet, each.sheet);
    many.value.entries.push_back(each.value);
  }
  return many;
}

SheetPtr same_length(const ManyArrows& a, const ManyArrows& b) {
  if (a.value.size() != b.value.size())
    throw py::value_error(
        fmt::format("system vectors of {} and of {} entries", a.value.size(), b.value.size()));
  return common_sheet(a.sheet, b.sheet);
}

ManyInertias make_inertias(const py::iterable& list) {
  ManyInertias many;
  for (const py::handle each : list) {
    if (py::isinstance<Tensor>(each)) {
      const Tensor dyad = py::cast<Tensor>(each);
      many.sheet = common_sheet(many.sheet, dyad.sheet);
      many.value.add_dyad(dyad.value);
    } else {
      const Scalar mass = read_scalar(each, "inertia");
      many.sheet = common_sheet(many.sheet, mass.sheet);
      many.value.add_mass(mass.value);
    }
  }
  return many;
}

ManyArrows momenta(const ManyInertias& inertia, const ManyArrows& v) {
  if (static_cast<int>(inertia.value.entries.size()) != v.value.size())
    throw py::value_error(fmt::format("{} inertias, but {} velocities",
                                      inertia.value.entries.size(), v.value.size()));
  const SheetPtr sheet = common_sheet(inertia.sheet, v.sheet);
  return checked(sheet, ManyArrows{sheet, inertia.value * v.value});
}

py::tuple tangents_of(const ManyArrows& velocity, const py::iterable& speeds) {
  const Tangents found = tangents(velocity.value, read_scalars(velocity.sheet, speeds, "speeds"));
  raise_problems(velocity.sheet);
  py::list vectors;
  for (const SystemVector& each : found.vectors) vectors.append(ManyArrows{velocity.sheet, each});
  return py::make_tuple(vectors, ManyArrows{velocity.sheet, found.time_part});
}

py::list kane_of(const std::vector<ManyArrows>& list, const ManyArrows& residual) {
  Tangents all;
  for (const ManyArrows& each : list) {
    same_length(each, residual);
    all.vectors.push_back(each.value);
  }
  return list_of(residual.sheet, checked(residual.sheet, kane(all, residual.value)));
}

// b = d W with orthogonal d: W, the squares of d, and d.
py::tuple orthogonalise_all(const std::vector<ManyArrows>& list, const ManyInertias& inertia) {
  std::vector<SystemVector> vectors;
  for (const ManyArrows& each : list) {
    momenta(inertia, each);  // looks whether they belong together
    vectors.push_back(each.value);
  }
  const auto t =
      orthogonalise<Expression>(vectors, [&](const SystemVector& a, const SystemVector& b) {
        return inner_product(a, b, inertia.value);
      });
  raise_problems(inertia.sheet);
  py::list orthogonal;
  for (const SystemVector& each : vectors) orthogonal.append(ManyArrows{inertia.sheet, each});
  return py::make_tuple(rows_of(inertia.sheet, t.W, t.size), list_of(inertia.sheet, t.diagonal),
                        orthogonal);
}

void bind_system_vectors(py::module_& m) {
  py::class_<ManyArrows>(m, "SystemVector",
                         "One vector for every velocity, force or momentum of a system.")
      .def(py::init(&make_many), py::arg("vectors"))
      .def("__len__", [](const ManyArrows& a) { return a.value.size(); })
      .def("__getitem__",
           [](const ManyArrows& a, int i) {
             if (i < 0) i += a.value.size();
             if (i < 0 || i >= a.value.size())
               throw py::index_error(
                   fmt::format("the system vector has {} entries", a.value.size()));
             return Arrow{a.sheet, a.value[i]};
           })
      .def("__add__",
           [](const ManyArrows& a, const ManyArrows& b) {
             return ManyArrows{same_length(a, b), a.value + b.value};
           })
      .def("__sub__",
           [](const ManyArrows& a, const ManyArrows& b) {
             return ManyArrows{same_length(a, b), a.value - b.value};
           })
      .def("__neg__",
           [](const ManyArrows& a) {
             return ManyArrows{a.sheet, Expression(-1) * a.value};
           })
      .def("__rmul__",
           [](const ManyArrows& a, const py::object& by) {
             const Scalar s = read_scalar(by, "factor");
             return ManyArrows{common_sheet(a.sheet, s.sheet), s.value * a.value};
           })
      .def(
          "dot",
          [](const ManyArrows& a, const ManyArrows& b) {
            const SheetPtr sheet = same_length(a, b);
            return checked(sheet, Scalar{sheet, fat_dot(a.value, b.value)});
          },
          py::arg("other"), "The sum of the products of corresponding entries.")
      .def(
          "dt",
          [](const ManyArrows& a, const Axes& frame) {
            const SheetPtr sheet = common_sheet(a.sheet, frame.sheet);
            return checked(sheet, ManyArrows{sheet, derivative(a.value, frame.frame)});
          },
          py::arg("frame"))
      .def(
          "subs",
          [](const ManyArrows& a, const py::dict& what) {
            const Replaced replaced(a.sheet, what);
            return ManyArrows{a.sheet, substitute(a.value, replaced.symbols, replaced.by)};
          },
          py::arg("what"))
      .def("simplify",
           [](const ManyArrows& a) {
             return ManyArrows{a.sheet, map_components(a.value, [&](const Expression& x) {
                                 return simplify(a.sheet->graph, x);
                               })};
           })
      .def("__repr__", [](const ManyArrows& a) {
        std::string text;
        for (const Vector& each : a.value.entries)
          text += (text.empty() ? "" : ", ") + to_text(each);
        return "<" + text + ">";
      });
  py::class_<ManyInertias>(m, "SystemInertia",
                           "Masses of velocities and inertia dyads of angular ones, in order.")
      .def(py::init(&make_inertias), py::arg("entries"))
      .def("__mul__", &momenta)
      .def(
          "inner",
          [](const ManyInertias& inertia, const ManyArrows& a, const ManyArrows& b) {
            same_length(a, b);
            momenta(inertia, b);
            const SheetPtr sheet = common_sheet(inertia.sheet, a.sheet);
            return checked(sheet, Scalar{sheet, inner_product(a.value, b.value, inertia.value)});
          },
          py::arg("a"), py::arg("b"), "a . (inertia b)");
  m.def("tangents", &tangents_of, py::arg("velocity"), py::arg("speeds"),
        "Partial velocities, one system vector for each speed, and what depends on none.");
  m.def("kane", &kane_of, py::arg("tangents"), py::arg("residual"),
        "The projection on every tangent.");
  m.def("orthogonalise", &orthogonalise_all, py::arg("tangents"), py::arg("inertia"),
        "Gram and Schmidt: W, the diagonal mass matrix and orthogonal tangents.");
}

// ------------------------------------------------------------------------------- vectors, dyads

Mat3<Expression> read_matrix(const SheetPtr& sheet, const py::iterable& rows, const char* what) {
  const Matrix matrix(sheet, rows, what);
  if (matrix.rows != 3 || matrix.columns != 3)
    throw py::value_error(fmt::format("{}: expected three rows of three", what));
  Mat3<Expression> m;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) m.c[j][i] = matrix.entries[3 * i + j];
  return m;
}

// Defines a method of a class that another file has made.
template <class Function, class... Extra>
void add_method(py::module_& m, const char* class_name, const char* name, Function&& function,
                const Extra&... extra) {
  const py::object type = m.attr(class_name);
  type.attr(name) =
      py::cpp_function(std::forward<Function>(function), py::name(name), py::is_method(type),
                       py::sibling(py::getattr(type, name, py::none())), extra...);
}

void bind_dyads(py::module_& m) {
  add_method(
      m, "Frame", "orient",
      [](const Axes& a, const std::string& name, const py::iterable& rows) {
        const Mat3<Expression> R = read_matrix(a.sheet, rows, "direction cosines");
        return checked(a.sheet, Axes{a.sheet, a.sheet->frames.direction_cosines(a.frame, name, R)});
      },
      py::arg("name"), py::arg("rows"), "The frame given by direction cosines: v_self = R v_new.");
  add_method(
      m, "Frame", "dyad",
      [](const Axes& a, const py::iterable& rows) {
        return Tensor{a.sheet, Dyad(a.frame, read_matrix(a.sheet, rows, "dyad"))};
      },
      py::arg("rows"), "A dyad by its components in this frame.");
  add_method(m, "Vector", "dot", [](const Arrow& a, const Tensor& b) {
    const SheetPtr sheet = common_sheet(a.sheet, b.sheet);
    return checked(sheet, Arrow{sheet, a.value * b.value});
  });
  add_method(m, "Vector", "cross", [](const Arrow& a, const Tensor& b) {
    const SheetPtr sheet = common_sheet(a.sheet, b.sheet);
    return checked(sheet, Tensor{sheet, cross(a.value, b.value)});
  });
  add_method(m, "Dyad", "cross", [](const Tensor& a, const Arrow& b) {
    const SheetPtr sheet = common_sheet(a.sheet, b.sheet);
    return checked(sheet, Tensor{sheet, cross(a.value, b.value)});
  });
  add_method(
      m, "Vector", "skew",
      [](const Arrow& a) {
        return Tensor{a.sheet, skew(a.value)};
      },
      "The dyad D of D w = v x w.");
  add_method(
      m, "Dyad", "axial",
      [](const Tensor& a) {
        return Arrow{a.sheet, axial(a.value)};
      },
      "The vector of the antisymmetric part.");
  add_method(
      m, "Vector", "local_dt",
      [](const Arrow& a) {
        return checked(a.sheet, Arrow{a.sheet, local_derivative(a.value)});
      },
      "The derivative of every term in its own frame.");
  add_method(
      m, "Vector", "simplify",
      [](const Arrow& a) {
        return Arrow{a.sheet, map_components(a.value, [&](const Expression& x) {
                       return simplify(a.sheet->graph, x);
                     })};
      },
      "Components in the form that is best read.");
  add_method(m, "Dyad", "simplify", [](const Tensor& a) {
    return Tensor{a.sheet, map_components(a.value, [&](const Expression& x) {
                    return simplify(a.sheet->graph, x);
                  })};
  });
  add_method(
      m, "Dyad", "components",
      [](const Tensor& a, const Axes& frame) {
        const Dyad there = express(a.value, frame.frame);
        raise_problems(common_sheet(a.sheet, frame.sheet));
        std::vector<Expression> entries;
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j) entries.push_back(there.components().c[j][i]);
        return rows_of(a.sheet, entries, 3);
      },
      py::arg("frame"), "Rows in a frame.");
  add_method(
      m, "Vector", "terms",
      [](const Arrow& a) {
        py::list terms;
        for (const Vector::Term& term : a.value.terms())
          terms.append(py::make_tuple(Axes{a.sheet, Frame{a.value.frames(), term.frame}},
                                      list_of(a.sheet, {term.c.x, term.c.y, term.c.z})));
        return terms;
      },
      "What it is a sum of: frames with components in them.");
}

// ---------------------------------------------------------------------- matrices, subexpressions

py::list jacobian_rows(const SheetPtr& sheet, const py::iterable& values, const py::iterable& by) {
  const std::vector<Expression> all = read_scalars(sheet, values, "values"),
                                symbols = read_scalars(sheet, by, "symbols");
  const SparseJacobian J = jacobian(sheet->graph, all, symbols);
  std::vector<Expression> entries(all.size() * symbols.size(), Expression(0));
  for (std::size_t k = 0; k < J.entries.size(); ++k)
    entries[J.row[k] * symbols.size() + J.column[k]] = J.entries[k];
  return rows_of(sheet, entries, static_cast<int>(symbols.size()));
}

py::object solve_rows(const SheetPtr& sheet, const py::iterable& A, const py::iterable& b) {
  const Matrix left(sheet, A, "matrix"), right(sheet, b, "right side");
  if (left.rows != left.columns || right.rows != left.rows)
    throw py::value_error(
        fmt::format("solve: expected a square matrix and a right side of as many "
                    "rows, got {} x {} and {}",
                    left.rows, left.columns, right.rows));
  const std::vector<Expression> x =
      solve_linear(left.entries, right.entries, left.rows, right.columns);
  if (x.empty() && left.rows > 0)
    throw py::value_error(
        "the matrix is singular at the sample values of the symbols: give them others, as in "
        "derivation.constant(\"m\", 2.5)");
  if (right.columns == 1) return list_of(sheet, x);
  return rows_of(sheet, x, right.columns);
}

py::tuple collect_rows(const SheetPtr& sheet, const py::iterable& equations,
                       const py::iterable& unknowns) {
  const LinearEquations found =
      collect(sheet->kinematics, read_scalars(sheet, equations, "equations"),
              read_scalars(sheet, unknowns, "unknowns"));
  raise_problems(sheet);
  return py::make_tuple(rows_of(sheet, found.matrix, found.size), list_of(sheet, found.right));
}

// In the speeds W u the mass matrix is D: W, D, W', the speeds, their rates.
py::tuple transform(const SheetPtr& sheet, const py::iterable& M, const py::iterable& f,
                    const py::iterable& speeds) {
  const Matrix mass(sheet, M, "M");
  const std::vector<Expression> forces = read_scalars(sheet, f, "f"),
                                u = read_scalars(sheet, speeds, "speeds");
  const int n = mass.rows;
  if (mass.columns != n || static_cast<int>(forces.size()) != n || static_cast<int>(u.size()) != n)
    throw py::value_error("transform: expected a square M and as many forces and speeds");
  const auto t = factorise_mass_matrix<Expression>(mass.entries, n);
  std::vector<Expression> M_rate;
  for (const Expression& entry : mass.entries) M_rate.push_back(sheet->kinematics.rate(entry));
  raise_problems(sheet);
  const auto rate = rate_of(t, M_rate);
  return py::make_tuple(rows_of(sheet, t.W, n), list_of(sheet, t.diagonal),
                        rows_of(sheet, rate.W, n), list_of(sheet, new_speeds(t, u)),
                        list_of(sheet, new_accelerations(t, rate, u, forces)));
}

struct NamedParts {
  SheetPtr sheet;
  std::shared_ptr<Subexpressions> parts;
};

NamedParts make_parts(const SheetPtr& sheet, const std::string& prefix) {
  const auto parts = std::make_shared<Subexpressions>(sheet->kinematics, prefix);
  sheet->kept.push_back(parts);  // the kinematics point to it
  return {sheet, parts};
}

py::object define_part(const NamedParts& self, const py::object& value, int level) {
  if (level < 0 || level > 10) throw py::value_error("level: expected a number from 0 to 10");
  if (py::isinstance<Arrow>(value)) {
    const Arrow a = py::cast<Arrow>(value);
    common_sheet(self.sheet, a.sheet);
    return py::cast(checked(self.sheet, Arrow{self.sheet, self.parts->define(a.value, level)}));
  }
  const Expression x = read_scalars(self.sheet, py::make_tuple(value), "value")[0];
  return py::cast(checked(self.sheet, Scalar{self.sheet, self.parts->define(x, level)}));
}

py::list definitions_of(const NamedParts& self) {
  py::list list;
  for (const Subexpressions::Definition& each : self.parts->definitions())
    list.append(py::make_tuple(Scalar{self.sheet, each.symbol}, Scalar{self.sheet, each.value},
                               each.level));
  return list;
}

void bind_subexpressions(py::module_& m) {
  py::class_<NamedParts>(m, "Subexpressions",
                         "Names for parts of a derivation, in their order of computation.")
      .def(py::init(&make_parts), py::arg("derivation"), py::arg("prefix") = "sx_")
      .def("define", &define_part, py::arg("value"), py::arg("level") = 2,
           "A name for an expression or for the components of a vector; level: how often it will "
           "be differentiated by time.")
      .def_property_readonly("definitions", &definitions_of, "(symbol, value, level)")
      .def("differentiate",
           [](const NamedParts& self) {
             self.parts->differentiate();
             raise_problems(self.sheet);
           })
      .def(
          "expand",
          [](const NamedParts& self, const py::iterable& values) {
            return list_of(self.sheet,
                           self.parts->expand(read_scalars(self.sheet, values, "values")));
          },
          py::arg("values"), "Every name replaced by what it stands for.")
      .def(
          "evaluate",
          [](const NamedParts& self, const py::dict& at) {
            const Replaced given(self.sheet, at);
            std::vector<double> numbers;
            for (const Expression& value : given.by) {
              if (!value.is_number()) throw py::type_error("evaluate: expected numbers");
              numbers.push_back(value.number());
            }
            return self.parts->evaluate(given.symbols, numbers);
          },
          py::arg("at"), "Numbers of all definitions.");
}

// ----------------------------------------------------------------------------------------- code

using ArgumentList = std::vector<std::pair<std::string, py::object>>;

CodeArgument read_argument(const SheetPtr& sheet, const std::string& name, const py::object& what) {
  CodeArgument argument;
  argument.name = name;
  argument.scalar = py::isinstance<Scalar>(what);
  argument.symbols = argument.scalar
                         ? read_scalars(sheet, py::make_tuple(what), name.c_str())
                         : read_scalars(sheet, py::cast<py::iterable>(what), name.c_str());
  for (const Expression& symbol : argument.symbols)
    if (symbol.is_number())
      throw py::type_error(fmt::format("{}: expected symbols, got a number", name));
  return argument;
}

// Functions of one unit: name, comment, outputs, and what is solved at last: None or
// (result, M, f).
CodeFunction read_function(const SheetPtr& sheet, const std::string& name,
                           const std::string& comment, const ArgumentList& outputs,
                           const py::object& solve) {
  CodeFunction function;
  function.name = name;
  function.comment = comment;
  for (const auto& [output, values] : outputs) {
    const Matrix matrix(sheet, py::cast<py::iterable>(values), output.c_str());
    CodeMatrix result;
    result.name = output;
    result.rows = matrix.rows;
    result.columns = matrix.columns;
    result.entries = matrix.entries;
    function.outputs.push_back(std::move(result));
  }
  if (solve.is_none()) return function;
  const auto parts = py::cast<py::tuple>(solve);
  const Matrix M(sheet, py::cast<py::iterable>(parts[1]), "M"),
      f(sheet, py::cast<py::iterable>(parts[2]), "f");
  LinearSolve system;
  system.size = M.rows;
  system.matrix = M.entries;
  system.rhs = f.entries;
  system.symmetric = true;
  system.result = py::cast<std::string>(parts[0]);
  function.solve = std::move(system);
  return function;
}

py::dict generate_code(const SheetPtr& sheet, const std::string& language, const std::string& name,
                       const ArgumentList& arguments, const std::string& function,
                       const ArgumentList& outputs, const py::object& solve) {
  const std::optional<Language> chosen = language_named(language);
  if (!chosen)
    throw py::value_error(fmt::format(
        "there is no language '{}'; expected c, c++, python, octave, cuda or latex", language));
  CodeUnit unit;
  unit.name = name;
  unit.title = name;
  unit.graph = &sheet->graph;
  for (const auto& [argument, what] : arguments)
    unit.arguments.push_back(read_argument(sheet, argument, what));
  unit.functions.push_back(read_function(sheet, function, "", outputs, solve));
  if (const std::string problem = problem_of(unit); !problem.empty())
    throw py::value_error(problem + "; expected every symbol among the inputs");
  py::dict files;
  for (const GeneratedFile& file : emit(unit, *chosen)) files[py::str(file.name)] = file.text;
  return files;
}

}  // namespace

void bind_systems(py::module_& m) {
  bind_system_vectors(m);
  bind_dyads(m);
  bind_subexpressions(m);
  add_method(m, "Derivation", "jacobian", &jacobian_rows, py::arg("values"), py::arg("symbols"),
             "Rows of partial derivatives.");
  add_method(
      m, "Derivation", "subs",
      [](const SheetPtr& sheet, const py::iterable& values, const py::dict& what) {
        const Replaced replaced(sheet, what);
        return list_of(sheet, substitute(sheet->graph, read_scalars(sheet, values, "values"),
                                         replaced.symbols, replaced.by));
      },
      py::arg("values"), py::arg("what"), "Symbols replaced in several expressions.");
  add_method(m, "Derivation", "solve", &solve_rows, py::arg("matrix"), py::arg("right"),
             "x of A x = b; b a list, or rows.");
  add_method(m, "Derivation", "collect", &collect_rows, py::arg("equations"), py::arg("unknowns"),
             "A (rows) and b of equations that are A x - b, linear in the unknowns x.");
  add_method(m, "Derivation", "_transform", &transform);
  add_method(m, "Derivation", "_generate", &generate_code);
}

}  // namespace cartan::python
