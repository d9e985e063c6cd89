// FMUs of FMI 2.0: what the archive holds, and every function of the interface. Their motions are
// in fmu_motion_test.cpp.
#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include "cli/fmu_fixture.h"
#include "core/child_process.h"

namespace cartan::test {
namespace {

const char* const fmi2_functions =
    "GetTypesPlatform GetVersion SetDebugLogging Instantiate FreeInstance SetupExperiment "
    "EnterInitializationMode ExitInitializationMode Terminate Reset GetReal GetInteger GetBoolean "
    "GetString SetReal SetInteger SetBoolean SetString GetFMUstate SetFMUstate FreeFMUstate "
    "SerializedFMUstateSize SerializeFMUstate DeSerializeFMUstate GetDirectionalDerivative "
    "EnterEventMode NewDiscreteStates EnterContinuousTimeMode CompletedIntegratorStep SetTime "
    "SetContinuousStates GetDerivatives GetEventIndicators GetContinuousStates "
    "GetNominalsOfContinuousStates SetRealInputDerivatives GetRealOutputDerivatives DoStep "
    "CancelStep GetStatus GetRealStatus GetIntegerStatus GetBooleanStatus GetStringStatus";

class Fmu2 : public Fmu {
 protected:
  std::unique_ptr<Importer> make2(const std::string& model, const FmuWords& more = {}) {
    return make(model, more, "fmi2");
  }
};

std::set<std::size_t> numbers_in(const std::string& text) {
  std::set<std::size_t> numbers;
  std::istringstream words(text);
  for (std::size_t number = 0; words >> number;) numbers.insert(number);
  return numbers;
}

TEST_F(Fmu2, ArchiveAndDescriptionAreWhole) {
  const auto fmu = make2(fmu_example("pid_arm"));
  ASSERT_TRUE(fmu);
  EXPECT_EQ(fmu->version, 2);
  for (const char* name : {"modelDescription.xml", "binaries/linux64/it.so",
                           "documentation/index.html", "documentation/licenses/license.txt"})
    EXPECT_TRUE(fmu->files.count(name)) << name;
  EXPECT_FALSE(fmu->files.count("sources/buildDescription.xml"));

  std::vector<const XmlElement*> variables;  // by index
  std::set<std::string> names, units;
  int sources = 0;
  for (const XmlElement& element : fmu->elements) {
    if (element.name == "Unit") units.insert(element["name"]);
    if (element.name == "File") {
      EXPECT_TRUE(fmu->files.count("sources/" + element["name"])) << element["name"];
      ++sources;
    }
    if (element.parent == "ModelVariables") variables.push_back(&element);
  }
  EXPECT_GT(sources, 10);  // once for each kind
  std::set<std::size_t> states;
  for (const XmlElement* v : variables) {
    EXPECT_EQ(v->name, "ScalarVariable");
    EXPECT_TRUE(names.insert((*v)["name"]).second) << (*v)["name"];
    if (v->has("unit")) EXPECT_TRUE(units.count((*v)["unit"])) << (*v)["unit"];
    const bool calculated = (*v)["initial"] == "calculated" || (*v)["causality"] == "independent";
    EXPECT_EQ(v->has("start"), !calculated) << (*v)["name"];
    if (!v->has("derivative")) continue;
    const std::size_t state = std::stoul((*v)["derivative"]);
    EXPECT_EQ((*v)["name"], "der(" + (*variables.at(state - 1))["name"] + ")");
    states.insert(state);
  }
  EXPECT_GT(states.size(), 1u);
  EXPECT_EQ(states.size(), fmu->structure("ContinuousStateDerivative").size());

  // Lists rise; rates and outputs depend on states, inputs and time, at the start on parameters
  // too.
  bool of_states = false, of_inputs = false, of_parameters = false;
  std::map<std::string, std::size_t> last;
  for (const XmlElement& element : fmu->elements) {
    if (element.name != "Unknown") continue;
    const std::size_t index = std::stoul(element["index"]);
    EXPECT_GT(index, last[element.parent]);
    last[element.parent] = index;
    for (const std::size_t known : numbers_in(element["dependencies"])) {
      const std::string causality = (*variables.at(known - 1))["causality"];
      if (element.parent != "InitialUnknowns") EXPECT_NE(causality, "parameter");
      of_states |= states.count(known) > 0;
      of_inputs |= causality == "input";
      of_parameters |= causality == "parameter";
    }
  }
  EXPECT_TRUE(of_states && of_inputs && of_parameters);
  EXPECT_EQ(last.size(), 3u);

  // What can be loaded has the functions of 2.0, and no others.
  const ChildResult symbols =
      run_child({"nm", "-D", "--defined-only", scratch_.path("out1/it.so")});
  if (!symbols.started) GTEST_SKIP() << "nm is missing";
  EXPECT_EQ(symbols.out.find("fmi3"), std::string::npos);
  EXPECT_NE(symbols.out.find("fmi2DoStep"), std::string::npos);
}

TEST_F(Fmu2, EveryFunctionIsThereAndThoseWithoutUseSayWhy) {
  const auto fmu = make2(fmu_example("pendulum"));
  ASSERT_TRUE(fmu);
  std::istringstream names(fmi2_functions);
  int count = 0;
  for (std::string name; names >> name; ++count) EXPECT_TRUE(fmu->address("fmi2" + name)) << name;
  EXPECT_EQ(count, 44);
  EXPECT_STREQ(fmu->function<const char*()>("fmi2GetVersion")(), "2.0");
  EXPECT_STREQ(fmu->function<const char*()>("fmi2GetTypesPlatform")(), "default");

  FmuInstance it(*fmu, FmuInstance::Kind::exchange);
  const auto expect_error = [&](int status, const char* text) {
    EXPECT_EQ(status, fmu_error);
    ASSERT_FALSE(it.messages.empty());
    EXPECT_NE(it.messages.back().find(text), std::string::npos) << it.messages.back();
    EXPECT_EQ(it.messages.back().find("fmi3"), std::string::npos) << it.messages.back();
    it.messages.clear();
  };
  const std::uint32_t reference = 1, unknown = 9999;
  const auto* references = &reference;
  char room[64] = {};
  for (const char* type : {"Integer", "Boolean", "String"})
    for (const char* what : {"Get", "Set"}) {
      const std::string name = std::string(what) + type;
      EXPECT_EQ(it.call(name, references, std::size_t{0}, room), fmu_ok);
      expect_error(it.call(name, references, std::size_t{1}, room), type);
    }
  expect_error(it.call("SetRealInputDerivatives", references, std::size_t{1}, room, room),
               "held between communication points");
  for (const char* name : {"GetStatus", "GetRealStatus", "GetIntegerStatus", "GetStringStatus"})
    expect_error(it.call(name, 1, room), name);
  expect_error(it.call("GetBooleanStatus", 1, room), "GetBooleanStatus");
  expect_error(it.call("CancelStep"), "background");
  expect_error(it.call("EnterEventMode"), "fmi2EnterEventMode cannot be called");
  expect_error(it.call("DoStep", 0.0, 1.0, 1), "fmi2DoStep");
  expect_error(it.call("SetupExperiment", 1, -1.0, 0.0, 0, 0.0), "tolerance");
  expect_error(it.call("SetupExperiment", 0, 0.0, 1.0, 1, 0.0), "times");
  double value = 0;
  expect_error(it.call("GetReal", &unknown, std::size_t{1}, &value), "9999");
  it.initialise();
  expect_error(it.set("event.vertical", 1), "computed");
  expect_error(it.set("joint1.q0", 1), "fmi2SetReal");
  std::vector<double> nominals(static_cast<std::size_t>(it.count()));
  EXPECT_EQ(it.call("GetNominalsOfContinuousStates", nominals.data(), nominals.size()), fmu_ok);
  EXPECT_EQ(nominals, std::vector<double>(nominals.size(), 1.0));
  EXPECT_EQ(it.call("SetDebugLogging", 1, std::size_t{0}, room), fmu_ok);
  EXPECT_EQ(it.call("Terminate"), fmu_ok);
  expect_error(it.call("EnterContinuousTimeMode"), "after its end");

  auto* const instantiate =
      fmu->function<void*(const char*, int, const char*, const char*, void*, int, int)>(
          "fmi2Instantiate");
  EXPECT_EQ(instantiate("x", 0, "{other}", "", nullptr, 0, 0), nullptr);
}

TEST_F(Fmu2, StatesAreSavedAndGoOnBitForBit) {
  const auto fmu = make2(fmu_example("pendulum"));
  ASSERT_TRUE(fmu);
  const FmuInstance::Options options{false, false, 1e-9};
  FmuInstance it(*fmu, FmuInstance::Kind::co_simulation, options),
      other(*fmu, FmuInstance::Kind::co_simulation, options);
  it.initialise();
  it.simulate(0.2, 0.05);
  void *state = nullptr, *copy = nullptr;
  ASSERT_EQ(it.call("GetFMUstate", &state), fmu_ok);
  std::size_t size = 0;
  ASSERT_EQ(it.call("SerializedFMUstateSize", state, &size), fmu_ok);
  std::vector<char> bytes(size);
  ASSERT_EQ(it.call("SerializeFMUstate", state, bytes.data(), size), fmu_ok);
  it.simulate(0.4, 0.05);
  const std::vector<double> end = it.states();
  ASSERT_EQ(it.call("SetFMUstate", state), fmu_ok);
  ASSERT_EQ(it.call("FreeFMUstate", &state), fmu_ok);
  it.time = 0.2;
  it.simulate(0.4, 0.05);
  EXPECT_EQ(it.states(), end);
  other.initialise();
  EXPECT_NE(other.states(), end);
  ASSERT_EQ(other.call("DeSerializeFMUstate", bytes.data(), size, &copy), fmu_ok);
  ASSERT_EQ(other.call("SetFMUstate", copy), fmu_ok);
  ASSERT_EQ(other.call("FreeFMUstate", &copy), fmu_ok);
  other.time = 0.2;
  other.simulate(0.4, 0.05);
  EXPECT_EQ(other.states(), end);
  bytes[0] ^= 1;
  EXPECT_EQ(other.call("DeSerializeFMUstate", bytes.data(), size, &copy), fmu_error);
  EXPECT_EQ(other.call("Reset"), fmu_ok);
  other.initialise();
  EXPECT_NE(other.states(), end);
}

// Inputs that importers set between steps, outputs that are expressions, and their rates.
TEST_F(Fmu2, InputsAndOutputsAsAsked) {
  const std::string model = scratch_.write("mass.toml", R"toml(
name = "mass"
[parameters]
k = 4
[variables]
x = { initial = 1, rate = "v" }
v = { initial = 0, rate = "-k*x" }
[simulate]
duration = 1
)toml");
  const auto fmu = make2(model, {"--inputs", "k", "--outputs", "v,x,k*x^2/2"});
  ASSERT_TRUE(fmu);
  EXPECT_EQ((*fmu->variable("k"))["causality"], "input");
  EXPECT_EQ(fmu->structure("Output").size(), 3u);
  FmuInstance it(*fmu, FmuInstance::Kind::co_simulation);
  it.initialise();
  it.simulate(0.5, 0.1);
  EXPECT_EQ(it.set("k", 9), fmu_ok);
  it.simulate(1, 0.1);
  const double x0 = std::cos(1.0), v0 = -2 * std::sin(1.0), s = std::sin(1.5), c = std::cos(1.5);
  const double x = x0 * c + v0 / 3 * s, v = -3 * x0 * s + v0 * c;
  EXPECT_NEAR(it.get("x"), x, 1e-11);
  EXPECT_NEAR(it.get("k*x^2/2"), 4.5 * x * x, 1e-11);
  const std::uint32_t output = fmu->reference("k*x^2/2");
  const int order = 1;
  double rate = 0;
  EXPECT_EQ(it.call("GetRealOutputDerivatives", &output, std::size_t{1}, &order, &rate), fmu_ok);
  EXPECT_NEAR(rate, 9 * x * v, 1e-10);
}

}  // namespace
}  // namespace cartan::test
