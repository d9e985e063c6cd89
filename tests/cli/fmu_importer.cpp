#include "cli/fmu_importer.h"

#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "integrate/tableau.h"

namespace cartan::test {
namespace {

void gather_message(void* environment, int, const char*, const char* message) {
  if (environment) static_cast<FmuInstance*>(environment)->messages.emplace_back(message);
}

void gather_formatted(void* environment, const char*, int, const char*, const char* format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (environment) static_cast<FmuInstance*>(environment)->messages.emplace_back(text);
}

// A variable of FMI 2.0 and its Real as one.
void join_reals(std::vector<XmlElement>& elements) {
  XmlElement* variable = nullptr;
  for (XmlElement& element : elements) {
    if (element.name == "ScalarVariable") variable = &element;
    if (element.name == "Real" && element.parent == "ScalarVariable" && variable)
      variable->attributes.insert(element.attributes.begin(), element.attributes.end());
  }
}

}  // namespace

Importer::Importer(const std::string& archive, const std::filesystem::path& folder) {
  files = read_archive(archive);
  elements = read_xml(files["modelDescription.xml"]);
  for (const XmlElement& element : elements) {
    if (element.name == "fmiModelDescription") {
      version = element["fmiVersion"] == "2.0" ? 2 : 3;
      token = element[version == 2 ? "guid" : "instantiationToken"];
    }
    if (element.name == "CoSimulation") identifier = element["modelIdentifier"];
  }
  if (version == 2) join_reals(elements);
  const std::string platform = version == 2 ? "linux64" : "x86_64-linux";
  const std::filesystem::path path = folder / (identifier + ".so");
  std::ofstream(path, std::ios::binary) << files["binaries/" + platform + "/" + identifier + ".so"];
  library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  EXPECT_TRUE(library_) << dlerror();
}

Importer::~Importer() {
  if (library_) dlclose(library_);
}

void* Importer::address(const std::string& function) const {
  return library_ ? dlsym(library_, function.c_str()) : nullptr;
}

const XmlElement* Importer::variable(const std::string& name) const {
  for (const XmlElement& element : elements)
    if (element.parent == "ModelVariables" && element["name"] == name) return &element;
  return nullptr;
}

std::uint32_t Importer::reference(const std::string& name) const {
  const XmlElement* found = variable(name);
  EXPECT_TRUE(found) << name;
  return found ? static_cast<std::uint32_t>(std::stoul((*found)["valueReference"])) : 0;
}

std::vector<std::uint32_t> Importer::structure(const std::string& kind) const {
  std::vector<std::uint32_t> references, by_index;
  const std::string list = kind == "ContinuousStateDerivative" ? "Derivatives" : kind + "s";
  for (const XmlElement& element : elements) {
    if (element.parent == "ModelVariables")
      by_index.push_back(static_cast<std::uint32_t>(std::stoul(element["valueReference"])));
    if (version == 3 && element.parent == "ModelStructure" && element.name == kind)
      references.push_back(static_cast<std::uint32_t>(std::stoul(element["valueReference"])));
    if (version == 2 && element.parent == list)
      references.push_back(by_index.at(std::stoul(element["index"]) - 1));
  }
  return references;
}

// --------------------------------------------------------------------------------------- instance

FmuInstance::FmuInstance(const Importer& importer, Kind kind, Options options)
    : importer_(importer), options_(options) {
  if (importer.version == 2) options_.event_mode = options_.early_return = false;  // unknown to it
  importer.version == 2 ? instantiate2(kind) : instantiate3(kind);
  EXPECT_TRUE(instance_);
  count_numbers();
}

void FmuInstance::instantiate3(Kind kind) {
  using Log = void(void*, int, const char*, const char*);
  if (kind == Kind::exchange) {
    auto* const make =
        importer_.function<void*(const char*, const char*, const char*, bool, bool, void*, Log*)>(
            "fmi3InstantiateModelExchange");
    instance_ = make("it", importer_.token.c_str(), "", false, false, this, gather_message);
  } else {
    auto* const make =
        importer_.function<void*(const char*, const char*, const char*, bool, bool, bool, bool,
                                 const std::uint32_t*, std::size_t, void*, Log*, void*)>(
            "fmi3InstantiateCoSimulation");
    instance_ = make("it", importer_.token.c_str(), "", false, false, options_.event_mode,
                     options_.early_return, nullptr, 0, this, gather_message, nullptr);
  }
}

void FmuInstance::instantiate2(Kind kind) {
  callbacks_ = {gather_formatted, std::calloc, std::free, nullptr, this};
  auto* const make =
      importer_
          .function<void*(const char*, int, const char*, const char*, const Callbacks*, int, int)>(
              "fmi2Instantiate");
  instance_ =
      make("it", kind == Kind::exchange ? 0 : 1, importer_.token.c_str(), "", &callbacks_, 0, 0);
}

void FmuInstance::count_numbers() {
  if (importer_.version == 2) {
    count_ = static_cast<int>(importer_.structure("ContinuousStateDerivative").size());
    for (const XmlElement& element : importer_.elements)
      if (element.name == "fmiModelDescription")
        indicators_ = std::stoi(element["numberOfEventIndicators"]);
    return;
  }
  std::size_t size = 0;
  EXPECT_EQ(call("GetNumberOfContinuousStates", &size), fmu_ok);
  count_ = static_cast<int>(size);
  EXPECT_EQ(call("GetNumberOfEventIndicators", &size), fmu_ok);
  indicators_ = static_cast<int>(size);
}

FmuInstance::~FmuInstance() {
  const std::string name = importer_.version == 2 ? "fmi2FreeInstance" : "fmi3FreeInstance";
  if (instance_) importer_.function<void(void*)>(name)(instance_);
}

int FmuInstance::get_values(const std::vector<std::uint32_t>& references,
                            std::vector<double>& values) const {
  values.assign(references.size(), std::nan(""));
  const std::uint32_t* const list = references.data();
  return importer_.version == 2
             ? call("GetReal", list, references.size(), values.data())
             : call("GetFloat64", list, references.size(), values.data(), values.size());
}

double FmuInstance::get(const std::string& name) const {
  std::vector<double> value;
  EXPECT_EQ(get_values({importer_.reference(name)}, value), fmu_ok)
      << name << (messages.empty() ? "" : ": " + messages.back());
  return value[0];
}

int FmuInstance::set(const std::string& name, double value) const {
  const std::uint32_t reference = importer_.reference(name);
  const std::uint32_t* const list = &reference;
  const double* const values = &value;
  return importer_.version == 2 ? call("SetReal", list, std::size_t{1}, values)
                                : call("SetFloat64", list, std::size_t{1}, values, std::size_t{1});
}

std::vector<double> FmuInstance::slope(const std::vector<std::uint32_t>& unknowns,
                                       std::uint32_t known) const {
  const double one = 1;
  const double* const seed = &one;
  const std::uint32_t *const rows = unknowns.data(), *const column = &known;
  std::vector<double> result(unknowns.size());
  EXPECT_EQ(importer_.version == 2
                ? call("GetDirectionalDerivative", rows, unknowns.size(), column, std::size_t{1},
                       seed, result.data())
                : call("GetDirectionalDerivative", rows, unknowns.size(), column, std::size_t{1},
                       seed, std::size_t{1}, result.data(), result.size()),
            fmu_ok);
  return result;
}

void FmuInstance::initialise(double start) const {
  if (importer_.version == 2) {
    EXPECT_EQ(call("SetupExperiment", 1, options_.tolerance, start, 0, 0.0), fmu_ok);
    EXPECT_EQ(call("EnterInitializationMode"), fmu_ok);
  } else {
    EXPECT_EQ(call("EnterInitializationMode", true, options_.tolerance, start, false, 0.0), fmu_ok);
  }
  EXPECT_EQ(call("ExitInitializationMode"), fmu_ok) << (messages.empty() ? "" : messages.back());
}

int FmuInstance::get_rates(std::vector<double>& rates) const {
  return call(importer_.version == 2 ? "GetDerivatives" : "GetContinuousStateDerivatives",
              rates.data(), rates.size());
}

int FmuInstance::update_discrete_states(bool& again, bool& terminate, bool& changed) const {
  if (importer_.version == 2) {
    struct EventInfo {
      int again = 0, terminate = 0, nominals = 0, changed = 0, timed = 0;
      double next = 0;
    } info;
    const int status = call("NewDiscreteStates", &info);
    again = info.again;
    terminate = info.terminate;
    changed = info.changed;
    return status;
  }
  bool nominals = false, timed = false;
  double next = 0;
  return call("UpdateDiscreteStates", &again, &terminate, &nominals, &changed, &timed, &next);
}

bool FmuInstance::completed_step() const {
  if (importer_.version == 2) {
    int wanted = 0, terminate = 0;
    EXPECT_EQ(call("CompletedIntegratorStep", 1, &wanted, &terminate), fmu_ok);
    return wanted != 0;
  }
  bool wanted = false, terminate = false;
  EXPECT_EQ(call("CompletedIntegratorStep", true, &wanted, &terminate), fmu_ok);
  return wanted;
}

// Of FMI 2.0 a step that an event ends is discarded, and the status tells the rest.
int FmuInstance::do_step(double length, bool& event, bool& terminate, bool& early,
                         double& last) const {
  if (importer_.version == 3)
    return call("DoStep", time, length, true, &event, &terminate, &early, &last);
  const int status = call("DoStep", time, length, 1);
  int ended_there = 0;
  EXPECT_EQ(call("GetBooleanStatus", 3, &ended_there), fmu_ok);
  EXPECT_EQ(call("GetRealStatus", 2, &last), fmu_ok);
  terminate = ended_there != 0;
  return status == fmu_discard && terminate ? static_cast<int>(fmu_ok) : status;
}

std::vector<double> FmuInstance::states() const {
  std::vector<double> x(static_cast<std::size_t>(count_));
  EXPECT_EQ(call("GetContinuousStates", x.data(), x.size()), fmu_ok);
  return x;
}

// x after an explicit step of Dormand and Prince's method.
std::vector<double> FmuInstance::advance(double t, const std::vector<double>& x, double h) const {
  const ExplicitTableau& method = dormand_prince_853();
  std::vector<std::vector<double>> k;
  std::vector<double> y = x;
  for (int i = 0; i <= method.stages; ++i) {
    for (std::size_t n = 0; n < x.size(); ++n) {
      double sum = 0;
      for (int j = 0; j < i; ++j) sum += method.a[i][j] * k[j][n];
      y[n] = x[n] + h * sum;
    }
    if (i == method.stages) break;
    EXPECT_EQ(call("SetTime", t + method.c[i] * h), fmu_ok);
    EXPECT_EQ(call("SetContinuousStates", static_cast<const double*>(y.data()), y.size()), fmu_ok);
    k.emplace_back(x.size());
    EXPECT_EQ(get_rates(k.back()), fmu_ok);
  }
  return y;
}

std::vector<double> FmuInstance::indicators(double t, const std::vector<double>& x) const {
  std::vector<double> z(static_cast<std::size_t>(indicators_));
  EXPECT_EQ(call("SetTime", t), fmu_ok);
  EXPECT_EQ(call("SetContinuousStates", static_cast<const double*>(x.data()), x.size()), fmu_ok);
  EXPECT_EQ(call("GetEventIndicators", z.data(), z.size()), fmu_ok);
  return z;
}

// True: states have changed.
bool FmuInstance::run_event_mode() {
  bool again = true, changed = false;
  while (again) {
    bool terminate = false, values = false;
    again = false;
    EXPECT_EQ(update_discrete_states(again, terminate, values), fmu_ok);
    changed = changed || values;
    ended = ended || terminate;
  }
  return changed;
}

void FmuInstance::integrate(double until, double step) {
  run_event_mode();
  EXPECT_EQ(call("EnterContinuousTimeMode"), fmu_ok);
  std::vector<double> x = states(), z = indicators(time, x);
  const auto crosses = [](const std::vector<double>& a, const std::vector<double>& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
      if ((a[i] > 0) != (b[i] > 0)) return true;
    return false;
  };
  while (time < until && !ended) {
    double h = std::min(step, until - time);
    std::vector<double> next = advance(time, x, h), after = indicators(time + h, next);
    bool event = crosses(z, after);
    for (double low = 0; event && h - low > 1e-15 * std::max(1.0, time);) {
      const double middle = 0.5 * (low + h);
      if (middle <= low || middle >= h) break;
      std::vector<double> there = advance(time, x, middle);
      std::vector<double> value = indicators(time + middle, there);
      if (crosses(z, value))
        h = middle, next = there, after = value;
      else
        low = middle;
    }
    time = h >= until - time ? until : time + h;
    x = next;
    indicators(time, x);  // leaves the FMU at the end of the step
    const bool wanted = completed_step();
    if (event || wanted) {
      EXPECT_EQ(call("EnterEventMode"), fmu_ok);
      if (run_event_mode()) x = states();
      if (!ended) EXPECT_EQ(call("EnterContinuousTimeMode"), fmu_ok);
      if (!ended) after = indicators(time, x);
    }
    z = after;
  }
}

void FmuInstance::simulate(double until, double step) {
  if (options_.event_mode) {
    run_event_mode();
    EXPECT_EQ(call("EnterStepMode"), fmu_ok);
  }
  const double begin = time;
  for (long k = 1; time < until && !ended;) {
    const double goal = std::min(until, begin + static_cast<double>(k) * step);
    bool event = false, terminate = false, early = false;
    double last = time;
    const int status = do_step(goal - time, event, terminate, early, last);
    EXPECT_EQ(status, fmu_ok) << (messages.empty() ? "" : messages.back());
    if (status != fmu_ok) return;
    EXPECT_TRUE(options_.early_return || !early);
    time = early || terminate ? last : goal;
    ended = ended || terminate;
    if (!early) ++k;
    if (event) {
      EXPECT_EQ(call("EnterEventMode"), fmu_ok);
      run_event_mode();
      if (!ended) EXPECT_EQ(call("EnterStepMode"), fmu_ok);
    }
  }
}

}  // namespace cartan::test
