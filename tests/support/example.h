// The model files of examples/ as systems, and motions of them at given times.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formulations/formulations.h"
#include "integrate/simulate.h"

namespace cartan::test {

struct Example {
  std::unique_ptr<const Model> model;
  std::unique_ptr<System> system;
  std::string problem;  // why there is no model or no system

  explicit operator bool() const { return system != nullptr; }
  const MechanicalSystem& mechanism() const {
    return dynamic_cast<const MechanicalSystem&>(*system);
  }
};

using Settings = std::vector<std::pair<std::string, double>>;  // of [parameters]

// examples/NAME.toml; for methods that step over contacts where the file asks for one.
Example load_example(const std::string& name, const std::string& formulation = "recursive",
                     const Settings& settings = {}, SystemUse use = SystemUse::numbers);

// A model given as text, for example an example with something added.
Example load_text(const std::string& text, const std::string& formulation = "recursive",
                  SystemUse use = SystemUse::numbers);
std::string example_text(const std::string& name);  // of examples/NAME.toml

// States at the given times (increasing), each the end of a run: no interpolation.
std::vector<State> states_at(const System& system, std::span<const double> times,
                             const SimulateOptions& options);

Observation observe(const MechanicalSystem& system, const State& state);

// Of a body: world components.
Vec3<double> point_on(const BodyState& body, const Vec3<double>& point);
Vec3<double> world_rate(const BodyState& body);
// Rotation angle about x from the world's axes, in (-pi, pi].
double angle_about_x(const BodyState& body);
// {w, x, y, z} and {x, y, z} at the end of a list.
void append(std::vector<double>& list, const Quat<double>& u);
void append(std::vector<double>& list, const Vec3<double>& a);

// Largest absolute difference; infinite where sizes differ or a number is not finite.
double largest_difference(std::span<const double> a, std::span<const double> b);

// Jacobi's elliptic functions of modulus k.
struct Jacobi {
  long double sn, cn, dn;
};
Jacobi jacobi(long double u, long double k);

}  // namespace cartan::test
