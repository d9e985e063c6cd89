// A small importer of FMUs of FMI 3.0 and 2.0, written from the standards and not from our code:
// reads the archive and the description, loads the library, drives it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cartan::test {

// name: content; complains (gtest) where the archive is not one of stored files with right sums.
std::map<std::string, std::string> read_archive(const std::string& bytes);

struct XmlElement {
  std::string name, parent;
  std::map<std::string, std::string> attributes;
  bool has(const std::string& key) const { return attributes.count(key) > 0; }
  std::string operator[](const std::string& key) const {
    const auto found = attributes.find(key);
    return found == attributes.end() ? "" : found->second;
  }
};
// All elements in order; complains where the text is no XML.
std::vector<XmlElement> read_xml(const std::string& text);

enum FmuStatus { fmu_ok, fmu_warning, fmu_discard, fmu_error, fmu_fatal };

class Importer {
 public:
  // Unpacks and loads; `folder` must exist and outlive it.
  Importer(const std::string& archive, const std::filesystem::path& folder);
  ~Importer();
  Importer(const Importer&) = delete;
  Importer& operator=(const Importer&) = delete;

  std::map<std::string, std::string> files;
  // Of FMI 2.0: a ScalarVariable has the attributes of its Real as well.
  std::vector<XmlElement> elements;
  std::string identifier, token;
  int version = 3;

  const XmlElement* variable(const std::string& name) const;
  std::uint32_t reference(const std::string& name) const;
  // Value references of what the structure lists: Output, ContinuousStateDerivative,
  // InitialUnknown, of FMI 3.0 EventIndicator.
  std::vector<std::uint32_t> structure(const std::string& kind) const;

  void* address(const std::string& function) const;
  template <class Function>
  Function* function(const std::string& name) const {
    return reinterpret_cast<Function*>(address(name));
  }

 private:
  void* library_ = nullptr;
};

// One instance. Messages are gathered.
class FmuInstance {
 public:
  enum class Kind { exchange, co_simulation };
  struct Options {
    bool event_mode = false, early_return = false;
    double tolerance = 1e-13;
  };
  FmuInstance(const Importer& importer, Kind kind, Options options);
  FmuInstance(const Importer& importer, Kind kind) : FmuInstance(importer, kind, Options{}) {}
  ~FmuInstance();
  FmuInstance(const FmuInstance&) = delete;
  FmuInstance& operator=(const FmuInstance&) = delete;

  // fmi3NAME(instance, arguments...), of FMI 2.0 fmi2NAME
  template <class... Arguments>
  int call(const std::string& name, Arguments... arguments) const {
    auto* const f = importer_.function<int(void*, Arguments...)>(
        "fmi" + std::to_string(importer_.version) + name);
    return f ? f(instance_, arguments...) : -1;
  }
  double get(const std::string& name) const;
  int set(const std::string& name, double value) const;
  int get_values(const std::vector<std::uint32_t>& references, std::vector<double>& values) const;
  // Of the unknowns, where the known one moves.
  std::vector<double> slope(const std::vector<std::uint32_t>& unknowns, std::uint32_t known) const;
  void initialise(double start = 0) const;
  std::vector<double> states() const;

  void* handle() const { return instance_; }
  int count() const { return count_; }
  std::vector<std::string> messages;
  double time = 0;
  bool ended = false;

  // Model exchange: explicit steps of order 8 with `step`, events located by bisection, up to
  // `until` or an event that ends the simulation.
  void integrate(double until, double step);
  // Co-simulation, in communication steps.
  void simulate(double until, double step);

 private:
  // What the versions of the standard say in different words.
  void instantiate3(Kind kind);
  void instantiate2(Kind kind);
  void count_numbers();
  int get_rates(std::vector<double>& rates) const;
  int update_discrete_states(bool& again, bool& terminate, bool& changed) const;
  bool completed_step() const;  // event mode is wanted
  int do_step(double length, bool& event, bool& terminate, bool& early, double& last) const;

  std::vector<double> advance(double t, const std::vector<double>& x, double h) const;
  std::vector<double> indicators(double t, const std::vector<double>& x) const;
  bool run_event_mode();

  // The callbacks of FMI 2.0.
  struct Callbacks {
    void (*logger)(void*, const char*, int, const char*, const char*, ...);
    void* (*allocate)(std::size_t, std::size_t);
    void (*release)(void*);
    void (*step_finished)(void*, int);
    void* environment;
  };
  const Importer& importer_;
  Options options_;
  Callbacks callbacks_{};
  void* instance_ = nullptr;
  int count_ = 0, indicators_ = 0;
};

}  // namespace cartan::test
