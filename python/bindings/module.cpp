// The module cartan._cartan: the public functions of the library, made from its headers
// (tools/headers.py), and the little that is particular to Python.
#include <cartan/cartan.h>
#include <pybind11/pybind11.h>

#include "options.h"
#include "parts.h"
#include "values.h"
#include "work.h"

namespace cartan::python {
namespace {

// What a record shows of itself.
std::string describe(const py::object& self, const char* name,
                     const std::vector<const char*>& members) {
  std::string text = std::string("<cartan.") + name;
  for (const char* member : members)
    text += std::string(" ") + member + "=" + py::cast<std::string>(py::repr(self.attr(member)));
  return text + ">";
}

// Beyond its members.
template <class Class>
void extend(Class&) {}

void extend(py::class_<State, std::shared_ptr<State>>& state) {
  state.def("json", &State::json, "The state as text: what options that take a state read.");
}

void extend(py::class_<Table, std::shared_ptr<Table>>& table) {
  table.def("__len__", &Table::size)
      .def(
          "__getitem__",
          [](const py::object& self, const std::string& column) {
            const std::span<const double> values = py::cast<const Table&>(self)[column];
            return view_of(values.data(), values.size(), self);
          },
          "The numbers of a column.");
}

// FMUs are archives: bytes, and no text.
void extend(py::class_<CodeFile, std::shared_ptr<CodeFile>>& file) {
  const auto bytes = [](const CodeFile& self) { return py::bytes(self.text); };
  file.def_property_readonly("bytes", bytes, "the content as it is written to a file");
  file.attr("text") =
      py::module_::import("builtins")
          .attr("property")(py::cpp_function(
              [](const CodeFile& self) {
                PyObject* const text = PyUnicode_DecodeUTF8(
                    self.text.data(), static_cast<py::ssize_t>(self.text.size()), nullptr);
                if (text) return py::reinterpret_steal<py::str>(text);
                PyErr_Clear();
                throw py::value_error("'" + self.name +
                                      "' is an archive and no text: take .bytes, or .save(folder)");
              },
              py::is_method(file)));
  file.attr("__repr__") = py::cpp_function(
      [](const CodeFile& self) {
        return "<cartan.CodeFile name='" + self.name + "', " + std::to_string(self.text.size()) +
               " bytes>";
      },
      py::is_method(file));
}

void extend(py::class_<EnergyFigures, std::shared_ptr<EnergyFigures>>& energy) {
  energy.def_readonly("drift", &EnergyFigures::max_drift, "largest |E - E0 - work|");
}

void extend(py::class_<Run, std::shared_ptr<Run>>& run) {
  run.def_property_readonly(
         "t",
         [](const py::object& self) {
           const std::span<const double> t = py::cast<const Run&>(self).t();
           return view_of(t.data(), t.size(), self);
         },
         "times of the samples")
      .def(
          "__getitem__",
          [](const py::object& self, const std::string& column) {
            const std::span<const double> values = py::cast<const Run&>(self)[column];
            return view_of(values.data(), values.size(), self);
          },
          "The numbers of a column of any table, those of trajectory.csv first.")
      .def("table", &Run::table, py::return_value_policy::reference_internal,
           "A table by the name of its file.")
      .def("save", &Run::save, py::arg("folder"), py::arg("force") = false,
           "Writes the folder that the command writes with --out.");
}

template <class Options, class Function>
void bind_work(py::module_& m, const char* name, const char* note, Function* function) {
  const std::string text = std::string(note) + "\n\nOptions:" + describe_options<Options>();
  m.def(
      name,
      [name, function](const Model& model, const py::kwargs& given) {
        WatchedWork work;
        Options options = read_options<Options>(name, given);
        options.watch = work.watch();
        const Model kept = model;
        return result_of(work.run([&] { return function(kept, options); }));
      },
      py::arg("model"), text.c_str());
}

}  // namespace
}  // namespace cartan::python

namespace cartan::python {
#include "from_headers.inc"

namespace {

void bind_problems(py::module_& m) {
  py::class_<Problem>(m, "Problem", "One thing that is wrong, and its place.")
      .def_readonly("file", &Problem::file)
      .def_readonly("line", &Problem::line)
      .def_readonly("column", &Problem::column)
      .def_readonly("message", &Problem::message)
      .def_readonly("warning", &Problem::warning)
      .def("__repr__", [](const Problem& p) {
        return p.file + ":" + std::to_string(p.line) + ":" + std::to_string(p.column) + ": " +
               p.message;
      });
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) {
      py::list problems;
      for (const Problem& problem : error.problems()) problems.append(problem);
      const bool input = error.kind() == Error::Kind::bad_input;
      const py::object kind =
          py::module_::import("cartan.errors").attr(input ? "InputError" : "FailedError");
      PyErr_SetObject(kind.ptr(), kind(error.what(), problems).ptr());
    }
  });
}

template <class Read>
Model load_watched(const py::kwargs& given, Read read) {
  WatchedWork work;
  LoadOptions options = read_options<LoadOptions>("load", given);
  options.watch = work.watch();
  return work.run([&] { return read(options); });
}

// The work of a file that names its model: its own options, and those of reading the model.
template <class Options, class Function>
auto work_of_file(const char* name, const py::object& path, const py::kwargs& given,
                  Function* function) {
  WatchedWork work;
  py::kwargs how, reading;
  for (const auto& item : given) {
    const std::string key = py::cast<std::string>(item.first);
    const bool read = key == "set" || key == "trust" || key == "allow_path";
    (read ? reading : how)[item.first] = item.second;
  }
  Options options = read_options<Options>(name, how);
  const LoadOptions load = read_options<LoadOptions>(name, reading);
  options.watch = work.watch();
  const std::string file = read_text(path, "path");
  return work.run([&] { return function(file, options, load); });
}

template <class Source, class Function>
std::string page_of(const Source& source, const py::kwargs& given, Function* function) {
  WatchedWork work;
  ViewOptions options = read_options<ViewOptions>("view", given);
  options.watch = work.watch();
  return work.run([&] { return function(source, options); });
}

// What a controller in Python gives: numbers by the names of inputs, in their order, or one alone.
std::vector<double> read_inputs(const py::object& given, const std::vector<std::string>& names) {
  if (py::isinstance<py::dict>(given)) {
    std::vector<double> values;
    const auto dict = py::reinterpret_borrow<py::dict>(given);
    for (const std::string& name : names) {
      if (!dict.contains(name)) throw py::value_error("control() gave no value for '" + name + "'");
      values.push_back(read_number(dict[name.c_str()], name.c_str()));
    }
    if (dict.size() != names.size())
      throw py::value_error("control() gave names that are no inputs of the model; see .inputs");
    return values;
  }
  if (PyNumber_Check(given.ptr()) && !py::isinstance<py::sequence>(given) &&
      !py::hasattr(given, "__len__"))
    return {read_number(given, "what control() gave")};
  std::vector<double> values;
  for (const py::handle each : given)
    values.push_back(read_number(py::reinterpret_borrow<py::object>(each), "what control() gave"));
  return values;
}

// The work runs in a thread of its own; the controller is asked there, with the interpreter held.
Table find_inputs_by(const Model& model, const py::function& control, double period,
                     const py::kwargs& given) {
  WatchedWork work;
  RunOptions options = read_options<RunOptions>("run", given);
  options.watch = work.watch();
  const std::vector<std::string> names = model.inputs();
  std::exception_ptr raised;
  const Controller controller = [&](const State& now) -> std::vector<double> {
    const py::gil_scoped_acquire held;
    try {
      return read_inputs(control(now.t, now), names);
    } catch (...) {
      raised = std::current_exception();
    }
    throw std::runtime_error("the controller failed");
  };
  try {
    return work.run([&] { return find_inputs(model, options, period, controller); });
  } catch (...) {
    if (!raised) throw;
  }
  std::rethrow_exception(std::exchange(raised, nullptr));
}

void bind_files(py::module_& m) {
  m.def(
      "find_inputs",
      [](const Model& model, const py::function& control, const py::object& period,
         const py::kwargs& given) {
        return result_of(
            find_inputs_by(model, control, read_number(period, "control_step"), given));
      },
      py::arg("model"), py::arg("control"), py::arg("control_step"),
      "The inputs that control(t, state) gives while the model moves under them, as a table.");
  m.def(
      "study_file",
      [](const py::object& path, const py::kwargs& given) {
        return result_of(work_of_file<StudyOptions>("study", path, given, &study_file));
      },
      py::arg("path"), "Computes a study file.");
  m.def(
      "steer",
      [](const py::object& task, const py::kwargs& given) {
        return result_of(work_of_file<SteerOptions>("steer", task, given, &steer));
      },
      py::arg("task"),
      ("Inputs that bring a machine from one state to another at least cost, by the file of a "
       "task.\n\n>>> s = cartan.steer(\"examples/steering/brachistochrone.toml\", starts=1)\n>>> "
       "s.converged\nTrue\n"
       "\nOptions:" +
       describe_options<SteerOptions>())
          .c_str());
  m.def(
      "view_run",
      [](const Run& run, const py::kwargs& given) { return page_of(run, given, &view_run); },
      py::arg("run"), "A run as a page.");
  m.def(
      "view_folder",
      [](const py::object& folder, const py::kwargs& given) {
        return page_of(read_text(folder, "folder"), given, &view_folder);
      },
      py::arg("folder"), "The folder of a run as a page.");
}

void bind_model(py::module_& m) {
  py::class_<Model> model(m, "Model", "A machine: read from a file or a text, never changed.");
  model.def_property_readonly("name", &Model::name)
      .def_property_readonly("file", &Model::file)
      .def_property_readonly("text", &Model::text)
      .def_property_readonly("is_mechanism", &Model::is_mechanism)
      .def("_with", py::overload_cast<std::string_view, double>(&Model::with, py::const_))
      .def("_with", py::overload_cast<std::string_view, std::string_view>(&Model::with, py::const_))
      .def("save", &Model::save, py::arg("path"), py::arg("force") = false);
  const auto list = [&](const char* name, std::vector<std::string> (Model::*names)() const) {
    model.def_property_readonly(
        name, [names](const Model& self) { return value_of((self.*names)(), {}); });
  };
  list("bodies", &Model::bodies);
  list("joints", &Model::joints);
  list("forces", &Model::forces);
  list("constraints", &Model::constraints);
  list("variables", &Model::variables);
  list("inputs", &Model::inputs);
  list("outputs", &Model::outputs);
  list("events", &Model::events);
  model.def_property_readonly("_options",
                              [](const Model& self) { return dict_of(self.options()); });
  model.def_property_readonly("_parameters",
                              [](const Model& self) { return value_of(self.parameters(), {}); });
  model.def_property_readonly("warnings", [](const Model& self) {
    py::list problems;
    for (const Problem& problem : self.warnings()) problems.append(problem);
    return problems;
  });
  m.def(
      "load",
      [](const py::object& path, const py::kwargs& given) {
        const std::string file = read_text(path, "path");
        return load_watched(given, [&](const LoadOptions& o) { return load(file, o); });
      },
      py::arg("path"),
      ("Reads a model file and checks it.\n\nOptions:" + describe_options<LoadOptions>()).c_str());
  m.def(
      "load_text",
      [](const std::string& text, const std::string& file, const py::kwargs& given) {
        return load_watched(given, [&](const LoadOptions& o) { return load_text(text, o, file); });
      },
      py::arg("text"), py::arg("file") = "model.toml",
      ("Reads the text of a model file; `file` stands for it in messages.\n\nOptions:" +
       describe_options<LoadOptions>())
          .c_str());
}

py::dict dict_of(const std::vector<std::pair<std::string, std::string>>& list) {
  py::dict dict;
  for (const auto& [name, meaning] : list) dict[py::str(name)] = meaning;
  return dict;
}

}  // namespace

PYBIND11_MODULE(_cartan, m) {
  m.doc() = "Cartan: the mechanics of machines.";
  bind_problems(m);
  bind_enums(m);
  bind_model(m);
  bind_records(m);
  bind_functions(m);
  bind_system(m);
  bind_files(m);
  py::module_ symbols = m.def_submodule("symbols", "Derivations by hand.");
  bind_scalars(symbols);
  bind_vectors(symbols);
  bind_equations_of_motion(symbols);
  bind_systems(symbols);
  m.def(
      "plot",
      [](const py::object& paths, const py::kwargs& given) {
        WatchedWork work;
        PlotOptions options = read_options<PlotOptions>("plot", given);
        options.watch = work.watch();
        const std::vector<std::string> files = read_texts(paths, "paths");
        return value_of(work.run([&] { return plot(files, options); }), {});
      },
      py::arg("paths"),
      ("Draws folders of results or tables; gives the names of the pictures.\n\nOptions:" +
       describe_options<PlotOptions>())
          .c_str());
  m.attr("__version__") = version();
  m.attr("formulations") = dict_of(formulations());
  m.attr("integrators") = dict_of(integrators());
}

}  // namespace cartan::python
