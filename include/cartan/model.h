// A model: read from a file or a text, checked, never changed.
//
//   const cartan::Model model = cartan::load("model.toml");
//   for (const auto& [name, value] : model.parameters())
//     std::printf("%s = %g\n", name.c_str(), value);
//   const cartan::Model heavier = model.with("m", 3);  // the model itself stays as it is
//   const cartan::Model other = cartan::load_text(
//       "name = 'decay'\n[parameters]\nm = 1\n[variables]\nx = { initial = 1, rate = '-m*x' }\n");
//   std::printf("%g %s\n", heavier.parameter("m"), other.name().c_str());
//
// A Model is a handle: copies are cheap and share what they stand for. Several threads may use one.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <cartan/error.h>
#include <cartan/options.h>
#include <cartan/state.h>

namespace cartan::api {

// Made by load and load_text.
class CARTAN_API Model {
 public:
  // Its `name`, or the file's.
  const std::string& name() const;
  // The path it was read from, or the name that was given with a text.
  const std::string& file() const;
  // What was read; of a file of another tool the model file it became.
  const std::string& text() const;
  // What it was loaded with, later values of parameters included: load_text of the text with them
  // gives the same model.
  LoadOptions options() const;
  // Bodies and joints, not [variables].
  bool is_mechanism() const;
  // Names, in the order of the file.
  std::vector<std::string> bodies() const;
  std::vector<std::string> joints() const;
  std::vector<std::string> forces() const;
  std::vector<std::string> constraints() const;
  std::vector<std::string> variables() const;
  std::vector<std::string> inputs() const;
  std::vector<std::string> outputs() const;
  std::vector<std::string> events() const;
  // All of [parameters] with their values.
  std::vector<NamedNumber> parameters() const;
  // The value of one; an Error that suggests the nearest name where there is none.
  double parameter(std::string_view name) const;
  // The same model with another value of a parameter; what depends on it follows.
  Model with(std::string_view parameter, double value) const;
  // The same with an expression of other parameters.
  Model with(std::string_view parameter, std::string_view expression) const;
  // What was noticed that is no error.
  const std::vector<Problem>& warnings() const;
  // Writes the model file, whole or not at all. Parameters keep what the file says of them.
  void save(const std::string& path, bool force = false) const;

  // What the library itself holds.
  struct Inside;
  explicit Model(std::shared_ptr<const Inside> inside);
  const Inside& inside() const { return *inside_; }

 private:
  std::shared_ptr<const Inside> inside_;
};

// Reads a model file and checks it. All problems of a bad file come in one Error.
CARTAN_API Model load(const std::string& path, const LoadOptions& options = {});
// The same of a text. `file` stands for it in messages; tables are looked for beside it.
CARTAN_API Model load_text(const std::string& text, const LoadOptions& options = {},
                           const std::string& file = "model.toml");

// "0.1.0"
CARTAN_API const char* version();
// The processors the library was built for: "native" (the machine it was built on), "x86-64-v2", ..
CARTAN_API const char* built_for();
// The names an option `formulation` may have, each with what it means.
CARTAN_API std::vector<std::pair<std::string, std::string>> formulations();
// The same of `integrator`.
CARTAN_API std::vector<std::pair<std::string, std::string>> integrators();

}  // namespace cartan::api
