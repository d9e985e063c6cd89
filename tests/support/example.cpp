#include "support/example.h"

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>

#include <gtest/gtest.h>

#include "io/toml_reader.h"

namespace cartan::test {

namespace {

std::string example_path(const std::string& name) {
  return std::string(CARTAN_ROOT) + "/examples/" + name + ".toml";
}

Example make_example(const std::optional<ModelDescription>& description, Diagnostics& problems,
                     const std::string& formulation, const Overrides& overrides, SystemUse use) {
  Example example;
  std::optional<Model> model;
  if (description) model = check_model(*description, problems, overrides, Consent::full());
  if (!model) {
    example.problem = problems.text();
    ADD_FAILURE() << example.problem;
    return example;
  }
  example.model = std::make_unique<const Model>(std::move(*model));
  if (example.model->simulate.integrator == "moreau") use = SystemUse::stepping;
  example.system = make_system(*example.model, parameter_values(*example.model), formulation,
                               example.problem, nullptr, use);
  if (!example.system) ADD_FAILURE() << example.model->name << ": " << example.problem;
  return example;
}

}  // namespace

Example load_example(const std::string& name, const std::string& formulation,
                     const Settings& settings, SystemUse use) {
  Diagnostics problems(example_path(name));
  Overrides overrides;
  for (const auto& [parameter, value] : settings) overrides.push_back({parameter, Value(value)});
  return make_example(read_model_file(example_path(name), problems), problems, formulation,
                      overrides, use);
}

Example load_text(const std::string& text, const std::string& formulation, SystemUse use) {
  Diagnostics problems;
  return make_example(read_model_text(text, ".", problems), problems, formulation, {}, use);
}

std::string example_text(const std::string& name) {
  std::ifstream stream(example_path(name));
  EXPECT_TRUE(stream) << name;
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<State> states_at(const System& system, std::span<const double> times,
                             const SimulateOptions& options) {
  std::vector<State> states;
  State state = system.initial_state();
  for (const double t : times) {
    if (t > state.t) {
      SimulateOptions part = options;
      part.duration = t - state.t;
      const SimulateReport report = simulate(system, state, part, Observer{});
      EXPECT_EQ(report.status, RunStatus::completed) << report.message;
      state = report.final_state;
    }
    states.push_back(state);
  }
  return states;
}

Observation observe(const MechanicalSystem& system, const State& state) {
  Observation result;
  const auto workspace = system.make_workspace();
  system.observe(state, result, *workspace);
  return result;
}

Vec3<double> point_on(const BodyState& body, const Vec3<double>& point) {
  return body.position + rotation_matrix(body.orientation) * point;
}

Vec3<double> world_rate(const BodyState& body) {
  return rotation_matrix(body.orientation) * body.angular;
}

double angle_about_x(const BodyState& body) {
  return 2 * std::atan2(body.orientation.x, body.orientation.w);
}

void append(std::vector<double>& list, const Quat<double>& u) {
  list.insert(list.end(), {u.w, u.x, u.y, u.z});
}

void append(std::vector<double>& list, const Vec3<double>& a) {
  list.insert(list.end(), {a.x, a.y, a.z});
}

double largest_difference(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::fabs(a[i] - b[i]);
    if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, difference);
  }
  return largest;
}

// By the arithmetic-geometric mean.
Jacobi jacobi(long double u, long double k) {
  constexpr int most = 12;
  long double a[most], c[most], b = std::sqrt(1 - k * k);
  a[0] = 1, c[0] = k;
  int n = 0;
  while (std::fabs(c[n]) > 1e-20L && n + 1 < most) {
    a[n + 1] = (a[n] + b) / 2;
    c[n + 1] = (a[n] - b) / 2;
    b = std::sqrt(a[n] * b);
    ++n;
  }
  long double phi = std::ldexp(a[n] * u, n);
  for (; n > 0; --n) phi = (phi + std::asin(c[n] / a[n] * std::sin(phi))) / 2;
  const long double sn = std::sin(phi);
  return {sn, std::cos(phi), std::sqrt(1 - k * k * sn * sn)};
}

}  // namespace cartan::test
