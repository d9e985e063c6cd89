#include <cartan/system.h>
#include <pybind11/numpy.h>

#include <cmath>
#include <ctime>

#include "options.h"
#include "parts.h"
#include "values.h"
#include "work.h"

namespace cartan::python {
namespace {

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

std::string shape_of(const py::array& array) {
  std::string text = "(";
  for (py::ssize_t i = 0; i < array.ndim(); ++i)
    text += (i ? ", " : "") + std::to_string(array.shape(i));
  return text + ")";
}

// Real numbers as an array; a TypeError that says what was expected.
Numbers read_numbers(const py::object& value, const char* name) {
  const py::array array = py::array::ensure(value);
  if (!array) PyErr_Clear();
  const char kind = array ? array.dtype().kind() : '?';
  if (!array || (kind != 'f' && kind != 'i' && kind != 'u' && kind != 'b'))
    refuse_type(name, "an array of real numbers", value);
  return py::cast<Numbers>(array);
}

// A ValueError where a number is none: rates of such a state would be none, too.
void require_finite(std::span<const double> numbers, std::size_t per_state, const char* name) {
  double sum = 0;  // of zeros, unless a number is infinite or none
  for (const double number : numbers) sum += number * 0;
  if (sum == 0) return;
  for (std::size_t k = 0; k < numbers.size(); ++k)
    if (!std::isfinite(numbers[k]))
      throw py::value_error(std::string(name) + " has " + std::to_string(numbers[k]) +
                            " at place " + std::to_string(k % std::max<std::size_t>(per_state, 1)) +
                            (numbers.size() > per_state
                                 ? " of state " + std::to_string(k / per_state)
                                 : std::string()) +
                            ": expected finite numbers (see .names)");
}

// The last axis is the state; axes before it count states.
std::size_t count_states(const System& system, const Numbers& x, const char* name) {
  const auto n = static_cast<py::ssize_t>(system.size());
  if (x.ndim() < 1 || x.shape(x.ndim() - 1) != n)
    throw py::value_error(std::string(name) + " has the shape " + shape_of(x) +
                          ": its last axis must have the " + std::to_string(n) +
                          " numbers of a state (see .names)");
  require_finite({x.data(), static_cast<std::size_t>(x.size())}, system.size(), name);
  return n == 0 ? 0 : static_cast<std::size_t>(x.size() / n);
}

std::span<const double> numbers_of(const Numbers& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

// `out`, if it can be written as it stands, or a new array of the shape.
py::array_t<double> place_for(const py::object& out, const std::vector<py::ssize_t>& shape) {
  if (out.is_none()) return py::array_t<double>(shape);
  if (!py::isinstance<py::array_t<double>>(out))
    throw py::type_error("out must be an array of float64");
  py::array_t<double> array = py::reinterpret_borrow<py::array_t<double>>(out);
  const std::vector<py::ssize_t> given(array.shape(), array.shape() + array.ndim());
  if (given != shape)
    throw py::value_error("out has the shape " + shape_of(array) + ": expected that of the result");
  if (!array.writeable() || !(array.flags() & py::array::c_style))
    throw py::value_error("out must be contiguous and writeable");
  return array;
}

std::span<double> numbers_in(py::array_t<double>& array) {
  return {array.mutable_data(), static_cast<std::size_t>(array.size())};
}

std::vector<py::ssize_t> shape_with(const Numbers& x, std::initializer_list<std::size_t> last) {
  std::vector<py::ssize_t> shape(x.shape(), x.shape() + x.ndim() - 1);
  for (const std::size_t n : last) shape.push_back(static_cast<py::ssize_t>(n));
  return shape;
}

py::object result_numbers(const std::vector<double>& numbers) {
  py::array_t<double> array(static_cast<py::ssize_t>(numbers.size()), numbers.data());
  return std::move(array);
}

constexpr std::size_t worth_releasing =
    16;  // states: fewer are done before another thread could begin

// A state that can be read as it stands: no conversion, no copy.
bool is_plain_state(py::handle value, std::size_t size) {
  if (!py::isinstance<py::array>(value)) return false;
  const auto array = py::reinterpret_borrow<py::array>(value);
  constexpr int needed = static_cast<int>(py::array::c_style) |
                         static_cast<int>(py::detail::npy_api::NPY_ARRAY_ALIGNED_);
  return array.ndim() == 1 && array.size() == static_cast<py::ssize_t>(size) &&
         (array.flags() & needed) == needed && py::isinstance<py::array_t<double>>(value);
}

py::object derivative_of_one(const System& self, double t, const py::array& x,
                             const py::object& out) {
  const std::span<const double> from(static_cast<const double*>(x.data()), self.size());
  require_finite(from, self.size(), "x");
  if (is_plain_state(out, self.size()) && py::reinterpret_borrow<py::array>(out).writeable()) {
    auto place = py::reinterpret_borrow<py::array>(out);
    self.derivative(t, from, {static_cast<double*>(place.mutable_data()), self.size()});
    return out;
  }
  py::array_t<double> result = place_for(out, {static_cast<py::ssize_t>(self.size())});
  self.derivative(t, from, numbers_in(result));
  return std::move(result);
}

py::object derivative(const System& self, const py::object& t, const py::object& state,
                      const py::object& out) {
  if (PyFloat_Check(t.ptr()) && std::isfinite(PyFloat_AS_DOUBLE(t.ptr())) &&
      is_plain_state(state, self.size()))
    return derivative_of_one(self, PyFloat_AS_DOUBLE(t.ptr()),
                             py::reinterpret_borrow<py::array>(state), out);
  const Numbers x = read_numbers(state, "x");
  const std::size_t count = count_states(self, x, "x");
  py::array_t<double> result = place_for(out, {x.shape(), x.shape() + x.ndim()});
  const std::span<const double> from = numbers_of(x);
  const std::span<double> to = numbers_in(result);
  const Numbers times = read_numbers(t, "t");
  if (times.size() != 1 && static_cast<std::size_t>(times.size()) != count)
    throw py::value_error("t has " + std::to_string(times.size()) + " numbers: expected one, or " +
                          std::to_string(count) + ", one for each state");
  const std::span<const double> at = numbers_of(times);
  require_finite(at, times.size(), "t");
  if (count < worth_releasing) {
    self.derivatives(at, from, to);
  } else {
    const py::gil_scoped_release others_go_on;
    self.derivatives(at, from, to);
  }
  return std::move(result);
}

// Evaluates state by state; `each(x, place k)`.
template <class Each>
void for_each_state(const System& self, const Numbers& x, std::size_t count, const Each& each) {
  const std::size_t n = self.size();
  const std::span<const double> all = numbers_of(x);
  for (std::size_t k = 0; k < count; ++k) each(all.subspan(k * n, n), k);
}

py::object jacobian(const System& self, const py::object& time, const py::object& state,
                    const py::object& out) {
  const double t = read_number(time, "t");
  const Numbers x = read_numbers(state, "x");
  const std::size_t count = count_states(self, x, "x"), n = self.size();
  py::array_t<double> result = place_for(out, shape_with(x, {n, n}));
  const std::span<double> to = numbers_in(result);
  const py::gil_scoped_release others_go_on;
  for_each_state(self, x, count, [&](std::span<const double> at, std::size_t k) {
    self.jacobian(t, at, to.subspan(k * n * n, n * n));
  });
  return std::move(result);
}

py::object parameter_jacobian(const System& self, const py::object& time, const py::object& state,
                              const py::object& parameters) {
  const double t = read_number(time, "t");
  const Numbers x = read_numbers(state, "x");
  const std::vector<std::string> names = read_texts(parameters, "parameters");
  const std::size_t count = count_states(self, x, "x"), n = self.size(), m = names.size();
  py::array_t<double> result(shape_with(x, {n, m}));
  const std::span<double> to = numbers_in(result);
  {
    const py::gil_scoped_release others_go_on;
    for_each_state(self, x, count, [&](std::span<const double> at, std::size_t k) {
      self.parameter_jacobian(t, at, names, to.subspan(k * n * m, n * m));
    });
  }
  return std::move(result);
}

// `second`: of as many numbers a state as `size` says.
void require_like(const Numbers& x, std::size_t states, const Numbers& second, std::size_t size,
                  const char* what) {
  if (second.ndim() == 0 || second.size() != static_cast<py::ssize_t>(states * size))
    throw py::value_error(std::string(what) + " has shape " + shape_of(second) + ": expected " +
                          std::to_string(size) + " numbers for each state of x, which has shape " +
                          shape_of(x));
}

py::object second_derivative(const System& self, const py::object& time, const py::object& state,
                             const py::object& first, const py::object& second) {
  const double t = read_number(time, "t");
  const Numbers x = read_numbers(state, "x"), u = read_numbers(first, "u"),
                w = read_numbers(second, "w");
  const std::size_t count = count_states(self, x, "x"), n = self.size();
  require_like(x, count, u, n, "u");
  require_like(x, count, w, n, "w");
  py::array_t<double> result(std::vector<py::ssize_t>(x.shape(), x.shape() + x.ndim()));
  const std::span<double> to = numbers_in(result);
  const std::span<const double> along = numbers_of(u), across = numbers_of(w);
  const py::gil_scoped_release others_go_on;
  for_each_state(self, x, count, [&](std::span<const double> at, std::size_t k) {
    self.second_derivative(t, at, along.subspan(k * n, n), across.subspan(k * n, n),
                           to.subspan(k * n, n));
  });
  return std::move(result);
}

py::object inverse_dynamics(const System& self, const py::object& time, const py::object& state,
                            const py::object& accelerations) {
  const double t = read_number(time, "t");
  const Numbers x = read_numbers(state, "x"), a = read_numbers(accelerations, "a");
  const std::size_t count = count_states(self, x, "x"), v = self.speeds();
  require_like(x, count, a, v, "a");
  py::array_t<double> result(std::vector<py::ssize_t>(a.shape(), a.shape() + a.ndim()));
  const std::span<double> to = numbers_in(result);
  const std::span<const double> rates = numbers_of(a);
  const py::gil_scoped_release others_go_on;
  for_each_state(self, x, count, [&](std::span<const double> at, std::size_t k) {
    self.inverse_dynamics(t, at, rates.subspan(k * v, v), to.subspan(k * v, v));
  });
  return std::move(result);
}

py::object inverse_jacobian(const System& self, const py::object& time, const py::object& state,
                            const py::object& accelerations) {
  const double t = read_number(time, "t");
  const Numbers x = read_numbers(state, "x"), a = read_numbers(accelerations, "a");
  const std::size_t count = count_states(self, x, "x"), n = self.size(), v = self.speeds();
  require_like(x, count, a, v, "a");
  py::array_t<double> result(shape_with(x, {v, n}));
  const std::span<double> to = numbers_in(result);
  const std::span<const double> rates = numbers_of(a);
  const py::gil_scoped_release others_go_on;
  for_each_state(self, x, count, [&](std::span<const double> at, std::size_t k) {
    self.inverse_jacobian(t, at, rates.subspan(k * v, v), to.subspan(k * v * n, v * n));
  });
  return std::move(result);
}

using Product = void (System::*)(double, std::span<const double>, std::span<const double>,
                                 std::span<double>) const;

template <Product product>
py::object calc_product(const System& self, const py::object& time, const py::object& state,
                        const py::object& direction, const py::object& out) {
  const double t = read_number(time, "t");
  const Numbers x = read_numbers(state, "x"), u = read_numbers(direction, "the direction");
  const std::size_t count = count_states(self, x, "x"), n = self.size();
  if (count_states(self, u, "the direction") != count)
    throw py::value_error("x and the direction have different numbers of states: " + shape_of(x) +
                          " and " + shape_of(u));
  py::array_t<double> result = place_for(out, {x.shape(), x.shape() + x.ndim()});
  const std::span<double> to = numbers_in(result);
  const std::span<const double> along = numbers_of(u);
  const py::gil_scoped_release others_go_on;
  for_each_state(self, x, count, [&](std::span<const double> at, std::size_t k) {
    (self.*product)(t, at, along.subspan(k * n, n), to.subspan(k * n, n));
  });
  return std::move(result);
}

py::tuple mass_and_bias(const System& self, const py::object& time, const py::object& state) {
  const double t = read_number(time, "t");
  const Numbers x = read_numbers(state, "x");
  const std::size_t count = count_states(self, x, "x"), v = self.speeds();
  py::array_t<double> M(shape_with(x, {v, v})), bias(shape_with(x, {v}));
  const std::span<double> to_M = numbers_in(M), to_bias = numbers_in(bias);
  {
    const py::gil_scoped_release others_go_on;
    for_each_state(self, x, count, [&](std::span<const double> at, std::size_t k) {
      self.mass_matrix(t, at, to_M.subspan(k * v * v, v * v), to_bias.subspan(k * v, v));
    });
  }
  return py::make_tuple(M, bias);
}

py::tuple energies(const System& self, const py::object& time, const py::object& state) {
  const double t = read_number(time, "t");
  const Numbers x = read_numbers(state, "x");
  const std::size_t count = count_states(self, x, "x");
  py::array_t<double> kinetic(shape_with(x, {})), potential(shape_with(x, {}));
  const std::span<double> to_kinetic = numbers_in(kinetic), to_potential = numbers_in(potential);
  {
    const py::gil_scoped_release others_go_on;
    for_each_state(self, x, count, [&](std::span<const double> at, std::size_t k) {
      self.energies(t, at, to_kinetic[k], to_potential[k]);
    });
  }
  return py::make_tuple(kinetic, potential);
}

// Other threads go on. A few steps are done before Ctrl-C could matter.
template <class Work>
void work_on(std::size_t steps, const Work& work) {
  constexpr std::size_t worth_watching = 100;
  if (steps < worth_watching) {
    const py::gil_scoped_release others_go_on;
    return work(Watch{});
  }
  WatchedWork watched;
  watched.run([&] {
    work(watched.watch());
    return true;
  });
}

std::size_t read_steps(const py::object& value) {
  const double steps = read_number(value, "steps");
  if (steps < 0 || steps != std::floor(steps) || steps > 1e12)
    throw py::value_error("steps: expected a whole number that is not negative");
  return static_cast<std::size_t>(steps);
}

py::object take_steps(const System& self, const py::object& time, const py::object& state,
                      const py::object& length, const py::object& number, const py::object& out) {
  const double t = read_number(time, "t"), step = read_number(length, "step");
  const std::size_t steps = read_steps(number), n = self.size();
  const Numbers x = read_numbers(state, "x");
  const std::size_t count = count_states(self, x, "x");
  py::array_t<double> result = place_for(out, {x.shape(), x.shape() + x.ndim()});
  const std::span<double> to = numbers_in(result);
  const std::span<const double> from = numbers_of(x);
  std::copy(from.begin(), from.end(), to.begin());
  work_on(steps * count, [&](const Watch& watch) {
    for (std::size_t k = 0; k < count; ++k)
      self.take_steps(t, step, steps, to.subspan(k * n, n), watch);
  });
  return std::move(result);
}

py::tuple steps_gradient(const System& self, const py::object& time, const py::object& state,
                         const py::object& gradient, const py::object& length,
                         const py::object& number, const py::object& parameters) {
  const double t = read_number(time, "t"), step = read_number(length, "step");
  const std::size_t steps = read_steps(number), n = self.size();
  const Numbers x = read_numbers(state, "x"), w = read_numbers(gradient, "w");
  const std::vector<std::string> names = read_texts(parameters, "parameters");
  const std::size_t count = count_states(self, x, "x"), m = names.size();
  if (count_states(self, w, "w") != count)
    throw py::value_error("x and w have different numbers of states: " + shape_of(x) + " and " +
                          shape_of(w));
  py::array_t<double> by_start(std::vector<py::ssize_t>{x.shape(), x.shape() + x.ndim()}),
      by_parameters(shape_with(x, {m}));
  const std::span<double> to = numbers_in(by_start), to_parameters = numbers_in(by_parameters);
  const std::span<const double> from = numbers_of(x), last = numbers_of(w);
  std::copy(last.begin(), last.end(), to.begin());
  work_on(steps * count, [&](const Watch& watch) {
    for (std::size_t k = 0; k < count; ++k)
      self.steps_gradient(t, step, steps, from.subspan(k * n, n), to.subspan(k * n, n), names,
                          to_parameters.subspan(k * m, m), watch);
  });
  return py::make_tuple(by_start, by_parameters);
}

// CPU seconds of one call from C++, for the test that looks at what Python adds.
double seconds_per_call(const System& self, int calls) {
  const std::vector<double> x = self.initial();
  std::vector<double> rates(self.size());
  const std::clock_t begin = std::clock();
  for (int k = 0; k < calls; ++k) self.derivative(0, x, rates);
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / std::max(calls, 1);
}

}  // namespace

void bind_system(py::module_& m) {
  const py::arg t("t"), x("x");
  py::class_<System>(m, "System",
                     "x' = f(t, x) of a model. Arrays may have axes before that of the state.")
      .def(py::init<const Model&, const std::string&>(), py::arg("model"),
           py::arg("formulation") = "")
      .def_property_readonly("size", &System::size, "numbers of a state")
      .def_property_readonly("speeds", &System::speeds, "how many of them are speeds")
      .def_property_readonly("names", [](const System& self) { return value_of(self.names(), {}); })
      .def_property_readonly(
          "start", [](const System& self) { return result_numbers(self.initial()); },
          "the initial state")
      .def_property_readonly("start_time", &System::initial_time)
      .def("derivative", &derivative, t, x, py::arg("out") = py::none(),
           "Rates of the state, exact to rounding.")
      .def("__call__", &derivative, t, x, py::arg("out") = py::none(),
           "The same: what solvers of SciPy take.")
      .def("jacobian", &jacobian, t, x, py::arg("out") = py::none(), "d f / d x, exact.")
      .def("parameter_jacobian", &parameter_jacobian, t, x, py::arg("parameters"),
           "d f / d p of parameters of the model by name, exact.")
      .def("jvp", &calc_product<&System::jvp>, t, x, py::arg("u"), py::arg("out") = py::none(),
           "The Jacobian times u, exact.")
      .def("vjp", &calc_product<&System::vjp>, t, x, py::arg("w"), py::arg("out") = py::none(),
           "w times the Jacobian, exact.")
      .def("second_derivative", &second_derivative, t, x, py::arg("u"), py::arg("w"),
           "d/dr d/ds of f(t, x + s u + r w), exact.")
      .def("inverse_dynamics", &inverse_dynamics, t, x, py::arg("a"),
           "M a + h: what joints must add so that the speeds change by a.")
      .def("inverse_jacobian", &inverse_jacobian, t, x, py::arg("a"),
           "The derivative of inverse_dynamics by x, exact; by a it is the mass matrix.")
      .def("take_steps", &take_steps, t, x, py::arg("step"), py::arg("steps"),
           py::arg("out") = py::none(), "The state after so many classical Runge-Kutta steps.")
      .def("steps_gradient", &steps_gradient, t, x, py::arg("w"), py::arg("step"), py::arg("steps"),
           py::arg("parameters") = py::tuple(),
           "Backwards through the same steps: from the gradient w by the last state, those by the "
           "first state and by parameters of the model, exact.")
      .def(
          "mass_matrix",
          [](const System& s, const py::object& at, const py::object& y) -> py::object {
            return mass_and_bias(s, at, y)[0];
          },
          t, x, "M of M v' + h = J^T lambda.")
      .def(
          "bias",
          [](const System& s, const py::object& at, const py::object& y) -> py::object {
            return mass_and_bias(s, at, y)[1];
          },
          t, x, "h of M v' + h = J^T lambda: gravity and all forces.")
      .def(
          "acceleration",
          [](const System& s, const py::object& at, const py::object& y) -> py::object {
            const py::object rates = derivative(s, at, y, py::none());
            const auto n = static_cast<long>(s.size()), v = static_cast<long>(s.speeds());
            return rates[py::make_tuple(py::ellipsis(), py::slice(n - v, n, 1))];
          },
          t, x, "v', the rates of the speeds.")
      .def("_seconds_per_call", &seconds_per_call)
      .def(
          "state",
          [](const System& self, const py::object& at, const py::object& y) {
            const double time = read_number(at, "t");
            const Numbers numbers = read_numbers(y, "x");
            if (count_states(self, numbers, "x") != 1)
              throw py::value_error("state() takes one state at a time");
            return self.state(time, numbers_of(numbers));
          },
          t, x, "The numbers by names: coordinates and speeds of joints, places of bodies.")
      .def(
          "numbers",
          [](const System& self, const State& state) {
            return result_numbers(self.numbers(state));
          },
          py::arg("state"), "The numbers of a state by names.")
      .def("energies", &energies, t, x, "Kinetic and potential energy.");
}

}  // namespace cartan::python
