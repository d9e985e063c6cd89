// Frames, vectors, dyads, and equations of motion by Kane's method.
#include <fmt/format.h>
#include <pybind11/stl.h>

#include "symbolic/differentiate.h"
#include "symbolic/print/print.h"
#include "symbolic/vectors/dependent_speeds.h"
#include "symbolic/vectors/kane_system.h"
#include "symbolic/vectors/vector_tools.h"
#include "symbolic/vectors/velocity_transformation.h"
#include "symbols.h"

namespace cartan::python {
namespace {

Scalar scalar(const SheetPtr& sheet, const Expression& value) {
  raise_problems(sheet);
  return {sheet, value};
}
Arrow arrow(const SheetPtr& sheet, const Vector& value) {
  raise_problems(sheet);
  return {sheet, value};
}
Tensor tensor(const SheetPtr& sheet, const Dyad& value) {
  raise_problems(sheet);
  return {sheet, value};
}

Vec3<Expression> read_triple(const SheetPtr& sheet, const py::iterable& values, const char* what) {
  const std::vector<Expression> list = read_scalars(sheet, values, what);
  if (list.size() != 3) throw py::value_error(fmt::format("{}: expected three numbers", what));
  return {list[0], list[1], list[2]};
}

Axes rotate(const Axes& from, const std::string& name, const py::object& axis,
            const py::object& angle) {
  const SheetPtr& sheet = from.sheet;
  const Expression by = read_scalars(sheet, py::make_tuple(angle), "angle")[0];
  Frame to;
  if (py::isinstance<py::int_>(axis)) {
    const int k = py::cast<int>(axis);
    if (k < 1 || k > 3) throw py::value_error("axis: expected 1, 2, 3 or three numbers");
    to = sheet->frames.rotate(from.frame, name, k, by);
  } else {
    to = sheet->frames.rotate(from.frame, name,
                              read_triple(sheet, py::cast<py::iterable>(axis), "axis"), by);
  }
  raise_problems(sheet);
  return {sheet, to};
}

Axes euler(const Axes& from, const std::string& name, const std::string& axes,
           const py::iterable& angles) {
  const std::vector<Expression> by = read_scalars(from.sheet, angles, "angles");
  if (axes.size() != by.size() || axes.empty() ||
      axes.find_first_not_of("123") != std::string::npos)
    throw py::value_error("euler: expected axes such as \"313\" and as many angles");
  const Frame to = from.sheet->frames.euler(from.frame, name, axes, by);
  raise_problems(from.sheet);
  return {from.sheet, to};
}

Arrow axis_of(const Axes& self, int k) {
  const Expression one(1), none(0);
  return {self.sheet,
          Vector(self.frame, k == 0 ? one : none, k == 1 ? one : none, k == 2 ? one : none)};
}

py::list matrix_of(const SheetPtr& sheet, const Mat3<Expression>& m) {
  py::list rows;
  for (int i = 0; i < 3; ++i) rows.append(list_of(sheet, {m.c[0][i], m.c[1][i], m.c[2][i]}));
  return rows;
}

py::list components_in(const Arrow& self, const Axes& frame) {
  const Vec3<Expression> c = components(self.value, frame.frame);
  raise_problems(self.sheet);
  return list_of(common_sheet(self.sheet, frame.sheet), {c.x, c.y, c.z});
}

Arrow scaled(const Arrow& self, const py::object& factor) {
  const Scalar by = read_scalar(factor, "factor");
  return {common_sheet(self.sheet, by.sheet), by.value * self.value};
}

struct Motion {
  SheetPtr sheet;
  MotionEquations equations;  // M u' = f
};

class Kane {
 public:
  explicit Kane(const Axes& inertial) : sheet_(inertial.sheet), system_(inertial.frame) {}

  void particle(const py::object& mass, const Arrow& velocity, const std::optional<Arrow>& force) {
    system_.add_particle(one(mass, "mass"), in(velocity), force ? in(*force) : Vector());
    raise_problems(sheet_);
  }
  void body(const py::object& mass, const Tensor& inertia, const Arrow& velocity,
            const Arrow& angular, const std::optional<Arrow>& force,
            const std::optional<Arrow>& torque) {
    common_sheet(sheet_, inertia.sheet);
    system_.add_body(one(mass, "mass"), inertia.value, in(velocity), in(angular),
                     force ? in(*force) : Vector(), torque ? in(*torque) : Vector());
    raise_problems(sheet_);
  }
  void force(const Arrow& force, const Arrow& velocity) {
    system_.add_force(in(force), in(velocity));
    raise_problems(sheet_);
  }
  Motion equations(const py::iterable& speeds) const {
    const std::vector<Expression> u = read_scalars(sheet_, speeds, "speeds");
    for (const Expression& each : u)
      if (each.is_number()) throw py::type_error("speeds: expected symbols, got a number");
    Motion motion{sheet_, system_.equations(u)};
    raise_problems(sheet_);
    return motion;
  }
  Scalar kinetic_energy() const { return scalar(sheet_, system_.kinetic_energy()); }
  const SheetPtr& sheet() const { return sheet_; }
  const KaneSystem& system() const { return system_; }

 private:
  Expression one(const py::object& value, const char* what) const {
    return read_scalars(sheet_, py::make_tuple(value), what)[0];
  }
  const Vector& in(const Arrow& a) const {
    common_sheet(sheet_, a.sheet);
    return a.value;
  }
  SheetPtr sheet_;
  KaneSystem system_;
};

py::list arrows(const SheetPtr& sheet, const SystemVector& all) {
  raise_problems(sheet);
  py::list list;
  for (const Vector& each : all.entries) list.append(Arrow{sheet, each});
  return list;
}

Motion reduce_motion(const Motion& self, const py::iterable& constraints,
                     const py::iterable& dependent) {
  const SheetPtr& sheet = self.sheet;
  const DependentSpeeds speeds =
      solve_for_dependent(sheet->kinematics, read_scalars(sheet, constraints, "constraints"),
                          self.equations.speeds, read_scalars(sheet, dependent, "dependent"));
  raise_problems(sheet);
  return {sheet, reduce(sheet->graph, self.equations, speeds)};
}

py::list accelerations(const Motion& self) {
  const int n = self.equations.size();
  const std::vector<Expression> result = solve_linear(self.equations.M, self.equations.f, n, 1);
  if (result.empty())
    throw py::value_error(
        "the mass matrix is singular at the sample values of the symbols: give them others, as in "
        "derivation.constant(\"m\", 2.5)");
  return list_of(self.sheet, result);
}

// M = W^T D W: speeds W u in which the mass matrix is diagonal.
py::tuple diagonalise(const Motion& self) {
  const int n = self.equations.size();
  const auto t = factorise_mass_matrix<Expression>(self.equations.M, n);
  return py::make_tuple(rows_of(self.sheet, t.W, n), list_of(self.sheet, t.diagonal));
}

std::string motion_text(const Motion& self, bool latex) {
  std::vector<Expression> values = self.equations.M;
  values.insert(values.end(), self.equations.f.begin(), self.equations.f.end());
  const Printed printed =
      latex ? print_latex(self.sheet->graph, values) : print_text(self.sheet->graph, values);
  const int n = self.equations.size();
  std::string text, M, f;
  for (const PrintedLine& line : printed.lines)
    text += fmt::format("{} = {}{}", line.name, line.text, latex ? " \\\\\n" : "\n");
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j)
      M += fmt::format("{}{}", j ? (latex ? " & " : ", ") : "", printed.values[i * n + j]);
    M += latex ? " \\\\\n" : "\n    ";
    f += printed.values[n * n + i] + (latex ? " \\\\\n" : "\n    ");
  }
  if (!latex) return text + "M = " + M + "\nf = " + f;
  return "\\begin{gathered}\n" + text + "\\begin{pmatrix}\n" + M +
         "\\end{pmatrix} \\dot u = \\begin{pmatrix}\n" + f + "\\end{pmatrix}\n\\end{gathered}";
}

}  // namespace

void bind_vectors(py::module_& m) {
  py::class_<Axes> frame(m, "Frame", "Three orthogonal unit vectors x, y, z.");
  py::class_<Arrow> vector(m, "Vector", "A vector: terms with components in frames of their own.");
  py::class_<Tensor> dyad(m, "Dyad", "A dyad: an inertia, an outer product.");
  frame.def_property_readonly("name", [](const Axes& a) { return a.sheet->frames.name(a.frame); })
      .def("__repr__", [](const Axes& a) { return "Frame " + a.sheet->frames.name(a.frame); })
      .def("__eq__", [](const Axes& a, const Axes& b) { return a.frame == b.frame; })
      .def("rotate", &rotate, py::arg("name"), py::arg("axis"), py::arg("angle"),
           "The frame that this one becomes when turned about an axis: 1, 2, 3 or a unit vector.")
      .def("euler", &euler, py::arg("name"), py::arg("axes"), py::arg("angles"),
           "One rotation after the other: \"313\".")
      .def_property_readonly("x", [](const Axes& a) { return axis_of(a, 0); })
      .def_property_readonly("y", [](const Axes& a) { return axis_of(a, 1); })
      .def_property_readonly("z", [](const Axes& a) { return axis_of(a, 2); })
      .def(
          "vector",
          [](const Axes& a, const py::object& x, const py::object& y, const py::object& z) {
            return arrow(a.sheet, Vector(a.frame, read_triple(a.sheet, py::make_tuple(x, y, z),
                                                              "components")));
          },
          py::arg("x"), py::arg("y"), py::arg("z"))
      .def(
          "dcm",
          [](const Axes& a, const Axes& b) {
            common_sheet(a.sheet, b.sheet);
            const Mat3<Expression> R = a.sheet->frames.direction_cosines(a.frame, b.frame);
            raise_problems(a.sheet);
            return matrix_of(a.sheet, R);
          },
          py::arg("other"), "R of v_self = R v_other, by rows.")
      .def(
          "angular_velocity",
          [](const Axes& a, const Axes& in) {
            common_sheet(a.sheet, in.sheet);
            return arrow(a.sheet, a.sheet->frames.angular_velocity(a.frame, in.frame));
          },
          py::arg("of_in"), "Of this frame relative to another.")
      .def(
          "set_angular_velocity",
          [](const Axes& a, const Axes& in, const py::iterable& w) {
            common_sheet(a.sheet, in.sheet);
            a.sheet->frames.set_angular_velocity(a.frame, in.frame, read_triple(a.sheet, w, "w"));
            raise_problems(a.sheet);
          },
          py::arg("relative_to"), py::arg("components"), "Components in this frame, as speeds.")
      .def(
          "inertia",
          [](const Axes& a, const py::object& i11, const py::object& i22, const py::object& i33,
             const py::object& i12, const py::object& i13, const py::object& i23) {
            const std::vector<Expression> i =
                read_scalars(a.sheet, py::make_tuple(i11, i22, i33, i12, i13, i23), "inertia");
            return tensor(a.sheet, Dyad::inertia(a.frame, i[0], i[1], i[2], i[3], i[4], i[5]));
          },
          py::arg("i11"), py::arg("i22"), py::arg("i33"), py::arg("i12") = 0, py::arg("i13") = 0,
          py::arg("i23") = 0);
  vector
      .def("__add__",
           [](const Arrow& a, const Arrow& b) {
             return Arrow{common_sheet(a.sheet, b.sheet), a.value + b.value};
           })
      .def("__sub__",
           [](const Arrow& a, const Arrow& b) {
             return Arrow{common_sheet(a.sheet, b.sheet), a.value - b.value};
           })
      .def("__neg__",
           [](const Arrow& a) {
             return Arrow{a.sheet, -a.value};
           })
      .def("__mul__", &scaled)
      .def("__rmul__", &scaled)
      .def("__truediv__",
           [](const Arrow& a, const py::object& by) {
             const Scalar s = read_scalar(by, "divisor");
             return Arrow{common_sheet(a.sheet, s.sheet), (Expression(1) / s.value) * a.value};
           })
      .def("dot",
           [](const Arrow& a, const Arrow& b) {
             return scalar(common_sheet(a.sheet, b.sheet), dot(a.value, b.value));
           })
      .def("cross",
           [](const Arrow& a, const Arrow& b) {
             return arrow(common_sheet(a.sheet, b.sheet), cross(a.value, b.value));
           })
      .def("outer",
           [](const Arrow& a, const Arrow& b) {
             return tensor(common_sheet(a.sheet, b.sheet), outer(a.value, b.value));
           })
      .def("magnitude", [](const Arrow& a) { return scalar(a.sheet, magnitude(a.value)); })
      .def(
          "dt",
          [](const Arrow& a, const Axes& frame) {
            return arrow(common_sheet(a.sheet, frame.sheet), derivative(a.value, frame.frame));
          },
          py::arg("frame"), "The derivative by time as seen in a frame.")
      .def(
          "express",
          [](const Arrow& a, const Axes& frame) {
            return arrow(common_sheet(a.sheet, frame.sheet), express(a.value, frame.frame));
          },
          py::arg("frame"), "All components in one frame.")
      .def("components", &components_in, py::arg("frame"))
      .def(
          "subs",
          [](const Arrow& a, const py::dict& what) {
            std::vector<Expression> symbols, by;
            for (const auto& item : what) {
              symbols.push_back(read_scalars(a.sheet, py::make_tuple(item.first), "subs")[0]);
              by.push_back(read_scalars(a.sheet, py::make_tuple(item.second), "subs")[0]);
            }
            return arrow(a.sheet, substitute(a.value, symbols, by));
          },
          py::arg("what"))
      .def("__repr__", [](const Arrow& a) { return to_text(a.value); });
  dyad.def("__add__",
           [](const Tensor& a, const Tensor& b) {
             return tensor(common_sheet(a.sheet, b.sheet), a.value + b.value);
           })
      .def("__sub__",
           [](const Tensor& a, const Tensor& b) {
             return tensor(common_sheet(a.sheet, b.sheet), a.value - b.value);
           })
      .def("__rmul__",
           [](const Tensor& a, const py::object& by) {
             const Scalar s = read_scalar(by, "factor");
             return tensor(common_sheet(a.sheet, s.sheet), s.value * a.value);
           })
      .def("dot",
           [](const Tensor& a, const Arrow& v) {
             return arrow(common_sheet(a.sheet, v.sheet), a.value * v.value);
           })
      .def(
          "express",
          [](const Tensor& a, const Axes& frame) {
            return tensor(common_sheet(a.sheet, frame.sheet), express(a.value, frame.frame));
          },
          py::arg("frame"))
      .def(
          "dt",
          [](const Tensor& a, const Axes& frame) {
            return tensor(common_sheet(a.sheet, frame.sheet), derivative(a.value, frame.frame));
          },
          py::arg("frame"))
      .def("__repr__", [](const Tensor& a) { return to_text(a.value); });
  m.attr("Derivation").attr("frame") = py::cpp_function(
      [](const SheetPtr& self, const std::string& name) {
        return Axes{self, self->frames.frame(name)};
      },
      py::name("frame"), py::is_method(m.attr("Derivation")), py::arg("name"),
      "The frame of that name.");
}

void bind_equations_of_motion(py::module_& m) {
  py::class_<Motion>(m, "MotionEquations", "M u' = f.")
      .def_property_readonly("speeds",
                             [](const Motion& a) { return list_of(a.sheet, a.equations.speeds); })
      .def_property_readonly(
          "M", [](const Motion& a) { return rows_of(a.sheet, a.equations.M, a.equations.size()); })
      .def_property_readonly("f", [](const Motion& a) { return list_of(a.sheet, a.equations.f); })
      .def("accelerations", &accelerations, "u' = M^-1 f as expressions.")
      .def("reduce", &reduce_motion, py::arg("constraints"), py::arg("dependent"),
           "With expressions that vanish, linear in the speeds: equations of the others alone.")
      .def("diagonalise", &diagonalise,
           "W (rows) and D of M = W^T D W: in the speeds W u the mass matrix is diagonal.")
      .def_property_readonly("text", [](const Motion& a) { return motion_text(a, false); })
      .def_property_readonly("latex", [](const Motion& a) { return motion_text(a, true); })
      .def("_repr_latex_", [](const Motion& a) { return "$$" + motion_text(a, true) + "$$"; })
      .def("__repr__", [](const Motion& a) { return motion_text(a, false); });
  py::class_<Kane>(m, "Kane", "Particles and bodies, and their equations of motion by Kane.")
      .def(py::init<const Axes&>(), py::arg("inertial"))
      .def("particle", &Kane::particle, py::arg("mass"), py::arg("velocity"),
           py::arg("force") = py::none())
      .def("body", &Kane::body, py::arg("mass"), py::arg("inertia"), py::arg("velocity"),
           py::arg("angular_velocity"), py::arg("force") = py::none(),
           py::arg("torque") = py::none(), "Velocity of the mass centre, inertia about it.")
      .def("force", &Kane::force, py::arg("force"), py::arg("velocity"),
           "A force on a point without mass; a torque with an angular velocity.")
      .def("equations", &Kane::equations, py::arg("speeds"))
      .def_property_readonly(
          "velocities", [](const Kane& k) { return arrows(k.sheet(), k.system().velocity()); },
          "of all points and bodies: for SystemVector")
      .def_property_readonly("forces",
                             [](const Kane& k) { return arrows(k.sheet(), k.system().force()); })
      .def_property_readonly(
          "momentum_rates",
          [](const Kane& k) { return arrows(k.sheet(), k.system().momentum_rate()); })
      .def_property_readonly("kinetic_energy", &Kane::kinetic_energy);
}

}  // namespace cartan::python
