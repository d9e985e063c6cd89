#include "cli/fmu_importer.h"

#include <cmath>
#include <cstring>
#include <fstream>

#include <dlfcn.h>
#include <expat.h>
#include <gtest/gtest.h>

#include "integrate/tableau.h"

namespace cartan::test {
namespace {

std::uint64_t little(const std::string& bytes, std::size_t at, int count) {
  std::uint64_t value = 0;
  for (int k = count - 1; k >= 0; --k)
    value = value << 8 | static_cast<unsigned char>(bytes.at(at + static_cast<std::size_t>(k)));
  return value;
}

// Bit by bit, from the polynomial.
std::uint32_t slow_crc(const std::string& bytes) {
  std::uint32_t crc = 0xffffffffu;
  for (const unsigned char byte : bytes)
    for (int k = 0; k < 8; ++k) {
      const bool odd = (crc ^ (byte >> k)) & 1u;
      crc >>= 1;
      if (odd) crc ^= 0xedb88320u;
    }
  return ~crc;
}

struct XmlReading {
  std::vector<XmlElement> elements;
  std::vector<std::string> open;
};

void begin_xml(void* data, const char* name, const char** attributes) {
  auto& reading = *static_cast<XmlReading*>(data);
  XmlElement element{name, reading.open.empty() ? "" : reading.open.back(), {}};
  for (int k = 0; attributes[k]; k += 2) element.attributes[attributes[k]] = attributes[k + 1];
  reading.elements.push_back(std::move(element));
  reading.open.emplace_back(name);
}
void end_xml(void* data, const char*) {
  static_cast<XmlReading*>(data)->open.pop_back();
}

void gather_message(void* environment, int, const char*, const char* message) {
  if (environment) static_cast<FmuInstance*>(environment)->messages.emplace_back(message);
}

}  // namespace

std::map<std::string, std::string> read_archive(const std::string& bytes) {
  std::map<std::string, std::string> files;
  const std::size_t end = bytes.size() - 22;
  EXPECT_EQ(bytes.substr(end, 4), "PK\5\6");
  const auto count = little(bytes, end + 10, 2);
  std::size_t at = little(bytes, end + 16, 4);
  EXPECT_EQ(at + little(bytes, end + 12, 4), end);
  for (std::uint64_t k = 0; k < count; ++k) {
    EXPECT_EQ(bytes.substr(at, 4), "PK\1\2");
    EXPECT_LE(little(bytes, at + 6, 2), 20u);             // version needed
    EXPECT_EQ(little(bytes, at + 8, 2) & ~0x800ull, 0u);  // no flags but UTF-8
    EXPECT_EQ(little(bytes, at + 10, 2), 0u);             // stored
    const auto crc = little(bytes, at + 16, 4), size = little(bytes, at + 24, 4);
    const auto name_size = little(bytes, at + 28, 2), local = little(bytes, at + 42, 4);
    const std::string name = bytes.substr(at + 46, name_size);
    EXPECT_EQ(bytes.substr(local, 4), "PK\3\4");
    EXPECT_EQ(bytes.substr(local + 30, name_size), name);
    const std::string content = bytes.substr(local + 30 + name_size, size);
    EXPECT_EQ(slow_crc(content), crc) << name;
    EXPECT_TRUE(files.emplace(name, content).second) << name;
    at += 46 + name_size;
  }
  return files;
}

std::vector<XmlElement> read_xml(const std::string& text) {
  XmlReading reading;
  XML_Parser parser = XML_ParserCreate(nullptr);
  XML_SetUserData(parser, &reading);
  XML_SetElementHandler(parser, begin_xml, end_xml);
  EXPECT_EQ(XML_Parse(parser, text.data(), static_cast<int>(text.size()), 1), XML_STATUS_OK)
      << XML_ErrorString(XML_GetErrorCode(parser)) << " in line "
      << XML_GetCurrentLineNumber(parser);
  XML_ParserFree(parser);
  return reading.elements;
}

Importer::Importer(const std::string& archive, const std::filesystem::path& folder) {
  files = read_archive(archive);
  elements = read_xml(files["modelDescription.xml"]);
  for (const XmlElement& element : elements) {
    if (element.name == "fmiModelDescription") token = element["instantiationToken"];
    if (element.name == "CoSimulation") identifier = element["modelIdentifier"];
  }
  const std::filesystem::path path = folder / (identifier + ".so");
  std::ofstream(path, std::ios::binary) << files["binaries/x86_64-linux/" + identifier + ".so"];
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
  std::vector<std::uint32_t> references;
  for (const XmlElement& element : elements)
    if (element.parent == "ModelStructure" && element.name == kind)
      references.push_back(static_cast<std::uint32_t>(std::stoul(element["valueReference"])));
  return references;
}

// --------------------------------------------------------------------------------------- instance

FmuInstance::FmuInstance(const Importer& importer, Kind kind, Options options)
    : importer_(importer), options_(options) {
  using Log = void(void*, int, const char*, const char*);
  if (kind == Kind::exchange) {
    auto* const make =
        importer.function<void*(const char*, const char*, const char*, bool, bool, void*, Log*)>(
            "fmi3InstantiateModelExchange");
    instance_ = make("it", importer.token.c_str(), "", false, false, this, gather_message);
  } else {
    auto* const make =
        importer.function<void*(const char*, const char*, const char*, bool, bool, bool, bool,
                                const std::uint32_t*, std::size_t, void*, Log*, void*)>(
            "fmi3InstantiateCoSimulation");
    instance_ = make("it", importer.token.c_str(), "", false, false, options.event_mode,
                     options.early_return, nullptr, 0, this, gather_message, nullptr);
  }
  EXPECT_TRUE(instance_);
  std::size_t size = 0;
  EXPECT_EQ(call("GetNumberOfContinuousStates", &size), fmu_ok);
  count_ = static_cast<int>(size);
}

FmuInstance::~FmuInstance() {
  if (instance_) importer_.function<void(void*)>("fmi3FreeInstance")(instance_);
}

double FmuInstance::get(const std::string& name) const {
  const std::uint32_t reference = importer_.reference(name);
  double value = std::nan("");
  EXPECT_EQ(call("GetFloat64", static_cast<const std::uint32_t*>(&reference), std::size_t{1},
                 &value, std::size_t{1}),
            fmu_ok)
      << name << (messages.empty() ? "" : ": " + messages.back());
  return value;
}

int FmuInstance::set(const std::string& name, double value) const {
  const std::uint32_t reference = importer_.reference(name);
  return call("SetFloat64", static_cast<const std::uint32_t*>(&reference), std::size_t{1},
              static_cast<const double*>(&value), std::size_t{1});
}

void FmuInstance::initialise(double start) const {
  EXPECT_EQ(call("EnterInitializationMode", true, options_.tolerance, start, false, 0.0), fmu_ok);
  EXPECT_EQ(call("ExitInitializationMode"), fmu_ok) << (messages.empty() ? "" : messages.back());
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
    EXPECT_EQ(call("GetContinuousStateDerivatives", k.back().data(), k.back().size()), fmu_ok);
  }
  return y;
}

std::vector<double> FmuInstance::indicators(double t, const std::vector<double>& x) const {
  std::size_t size = 0;
  EXPECT_EQ(call("GetNumberOfEventIndicators", &size), fmu_ok);
  std::vector<double> z(size);
  EXPECT_EQ(call("SetTime", t), fmu_ok);
  EXPECT_EQ(call("SetContinuousStates", static_cast<const double*>(x.data()), x.size()), fmu_ok);
  EXPECT_EQ(call("GetEventIndicators", z.data(), z.size()), fmu_ok);
  return z;
}

// True: states have changed.
bool FmuInstance::run_event_mode() {
  bool again = true, changed = false;
  while (again) {
    bool terminate = false, nominals = false, values = false, timed = false;
    double next = 0;
    again = false;
    EXPECT_EQ(call("UpdateDiscreteStates", &again, &terminate, &nominals, &values, &timed, &next),
              fmu_ok);
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
    bool wanted = false, terminate = false;
    EXPECT_EQ(call("CompletedIntegratorStep", true, &wanted, &terminate), fmu_ok);
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
    const int status = call("DoStep", time, goal - time, true, &event, &terminate, &early, &last);
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
