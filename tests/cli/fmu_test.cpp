// FMUs: what the archive holds, and every function of the interface.
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/fmu_fixture.h"
#include "core/child_process.h"

namespace cartan::test {
namespace {

// ---------------------------------------------------------------------------------- the archive

TEST_F(Fmu, ArchiveAndDescriptionAreWhole) {
  const auto fmu = make(fmu_example("pid_arm"));
  ASSERT_TRUE(fmu);
  for (const char* name :
       {"modelDescription.xml", "binaries/x86_64-linux/it.so", "sources/buildDescription.xml",
        "documentation/index.html", "documentation/licenses/license.txt",
        "documentation/licenses/Apache-2.0.txt"})
    EXPECT_TRUE(fmu->files.count(name)) << name;
  read_xml(fmu->files["documentation/index.html"]
               .substr(fmu->files["documentation/index.html"].find("<body>"))
               .substr(0, fmu->files["documentation/index.html"].find("</body>") + 7 -
                              fmu->files["documentation/index.html"].find("<body>")));
  int sources = 0;
  for (const XmlElement& element : read_xml(fmu->files["sources/buildDescription.xml"]))
    if (element.name == "SourceFile") {
      EXPECT_TRUE(fmu->files.count("sources/" + element["name"])) << element["name"];
      ++sources;
    }
  EXPECT_GT(sources, 5);

  // Variables: references are unique and dense, names unique, units defined.
  std::set<std::string> names, units, inputs, kinds;
  std::set<unsigned long> references;
  for (const XmlElement& element : fmu->elements) {
    if (element.name == "Unit") units.insert(element["name"]);
    if (element.name == "ModelExchange" || element.name == "CoSimulation")
      kinds.insert(element.name);
    if (element.parent != "ModelVariables") continue;
    EXPECT_EQ(element.name, "Float64");
    EXPECT_TRUE(names.insert(element["name"]).second) << element["name"];
    EXPECT_TRUE(references.insert(std::stoul(element["valueReference"])).second);
    if (element.has("unit")) EXPECT_TRUE(units.count(element["unit"])) << element["unit"];
    if (element["causality"] == "input") inputs.insert(element["name"]);
    const bool calculated =
        element["initial"] == "calculated" || element["causality"] == "independent";
    EXPECT_EQ(element.has("start"), !calculated) << element["name"];
  }
  EXPECT_EQ(kinds.size(), 2u);
  EXPECT_EQ(*references.rbegin() + 1, references.size());
  EXPECT_FALSE(inputs.empty());  // those of the model
  std::set<std::uint32_t> derivatives;
  for (const std::uint32_t r : fmu->structure("ContinuousStateDerivative")) derivatives.insert(r);
  int count = 0;
  for (const XmlElement& element : fmu->elements)
    if (element.has("derivative")) {
      ++count;
      EXPECT_TRUE(derivatives.count(std::stoul(element["valueReference"])));
    }
  EXPECT_EQ(static_cast<std::size_t>(count), derivatives.size());
  EXPECT_GT(count, 0);

  // It needs the C library and its mathematical functions.
  const ChildResult needed = run_child({"readelf", "-d", scratch_.path("out1/it.so")});
  if (!needed.started) GTEST_SKIP() << "readelf is missing";
  std::istringstream lines(needed.out);
  for (std::string line; std::getline(lines, line);)
    if (line.find("(NEEDED)") != std::string::npos)
      EXPECT_TRUE(line.find("[libm.so") != std::string::npos ||
                  line.find("[libc.so") != std::string::npos)
          << line;
}

// The same model gives the same bytes; other outputs another token.
TEST_F(Fmu, BytesRepeat) {
  const std::string model = fmu_example("pendulum");
  const auto bytes = [&](const std::string& folder, const FmuWords& more) {
    FmuWords words = {"generate", model, "--language", "fmi3", "--out", scratch_.path(folder)};
    words.insert(words.end(), more.begin(), more.end());
    const nlohmann::json report = [&] {
      words.emplace_back("--json");
      return expect_json(run_cartan(words));
    }();
    EXPECT_EQ(report["files"].size(), 1u);
    EXPECT_EQ(report["files"][0]["name"], "pendulum.fmu");
    return read_file(scratch_.path(folder) + "/pendulum.fmu");
  };
  const std::string first = bytes("a", {}), second = bytes("b", {});
  EXPECT_GT(first.size(), 10000u);
  EXPECT_TRUE(first == second);
}

// -------------------------------------------------------------------------- states and derivatives

TEST_F(Fmu, StatesAreSavedAndGoOnBitForBit) {
  const auto fmu = make(fmu_example("heavy_top"));
  ASSERT_TRUE(fmu);
  FmuInstance it(*fmu, FmuInstance::Kind::co_simulation, {false, false, 1e-9});
  it.initialise();
  it.simulate(0.2, 0.05);
  void* state = nullptr;
  ASSERT_EQ(it.call("GetFMUState", &state), fmu_ok);
  std::size_t size = 0;
  ASSERT_EQ(it.call("SerializedFMUStateSize", state, &size), fmu_ok);
  std::vector<std::uint8_t> bytes(size);
  ASSERT_EQ(it.call("SerializeFMUState", state, bytes.data(), size), fmu_ok);
  it.simulate(0.4, 0.05);
  const std::vector<double> end = it.states();

  ASSERT_EQ(it.call("SetFMUState", state), fmu_ok);
  ASSERT_EQ(it.call("FreeFMUState", &state), fmu_ok);
  EXPECT_EQ(state, nullptr);
  it.time = 0.2;
  it.simulate(0.4, 0.05);
  EXPECT_EQ(it.states(), end);

  FmuInstance other(*fmu, FmuInstance::Kind::co_simulation, {false, false, 1e-9});
  other.initialise();
  void* copy = nullptr;
  ASSERT_EQ(other.call("DeserializeFMUState", static_cast<const std::uint8_t*>(bytes.data()), size,
                       &copy),
            fmu_ok);
  ASSERT_EQ(other.call("SetFMUState", copy), fmu_ok);
  other.call("FreeFMUState", &copy);
  other.time = 0.2;
  other.simulate(0.4, 0.05);
  EXPECT_EQ(other.states(), end);

  bytes[0] ^= 1;
  EXPECT_EQ(other.call("DeserializeFMUState", static_cast<const std::uint8_t*>(bytes.data()), size,
                       &copy),
            fmu_error);
  EXPECT_EQ(other.call("Reset"), fmu_ok);
  other.initialise();
  EXPECT_EQ(other.states().size(), end.size());
  EXPECT_NE(other.states(), end);
}

// --------------------------------------------------------------------------------- the interface

TEST_F(Fmu, EveryFunctionIsThereAndThoseWithoutUseSayWhy) {
  const auto fmu = make(fmu_example("pendulum"));
  ASSERT_TRUE(fmu);
  const char* const all =
      "GetVersion SetDebugLogging InstantiateModelExchange InstantiateCoSimulation "
      "InstantiateScheduledExecution FreeInstance EnterInitializationMode ExitInitializationMode "
      "EnterEventMode Terminate Reset GetFloat32 GetFloat64 GetInt8 GetUInt8 GetInt16 GetUInt16 "
      "GetInt32 GetUInt32 GetInt64 GetUInt64 GetBoolean GetString GetBinary GetClock SetFloat32 "
      "SetFloat64 SetInt8 SetUInt8 SetInt16 SetUInt16 SetInt32 SetUInt32 SetInt64 SetUInt64 "
      "SetBoolean SetString SetBinary SetClock GetNumberOfVariableDependencies "
      "GetVariableDependencies GetFMUState SetFMUState FreeFMUState SerializedFMUStateSize "
      "SerializeFMUState DeserializeFMUState GetDirectionalDerivative GetAdjointDerivative "
      "EnterConfigurationMode ExitConfigurationMode GetIntervalDecimal GetIntervalFraction "
      "GetShiftDecimal GetShiftFraction SetIntervalDecimal SetIntervalFraction SetShiftDecimal "
      "SetShiftFraction EvaluateDiscreteStates UpdateDiscreteStates EnterContinuousTimeMode "
      "CompletedIntegratorStep SetTime SetContinuousStates GetContinuousStateDerivatives "
      "GetEventIndicators GetContinuousStates GetNominalsOfContinuousStates "
      "GetNumberOfEventIndicators GetNumberOfContinuousStates EnterStepMode GetOutputDerivatives "
      "DoStep ActivateModelPartition";
  std::istringstream names(all);
  int count = 0;
  for (std::string name; names >> name; ++count) EXPECT_TRUE(fmu->address("fmi3" + name)) << name;
  EXPECT_EQ(count, 75);
  EXPECT_STREQ(fmu->function<const char*()>("fmi3GetVersion")(), "3.0");

  FmuInstance it(*fmu, FmuInstance::Kind::exchange);
  const std::uint32_t reference = 1;
  const auto* references = &reference;
  char room[64] = {};
  const auto expect_error = [&](int status, const char* text) {
    EXPECT_EQ(status, fmu_error);
    ASSERT_FALSE(it.messages.empty());
    EXPECT_NE(it.messages.back().find(text), std::string::npos) << it.messages.back();
    it.messages.clear();
  };
  for (const char* type : {"Float32", "Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32",
                           "Int64", "UInt64", "Boolean", "String"})
    for (const char* what : {"Get", "Set"}) {
      const std::string name = std::string(what) + type;
      EXPECT_EQ(it.call(name, references, std::size_t{0}, room, std::size_t{0}), fmu_ok);
      expect_error(it.call(name, references, std::size_t{1}, room, std::size_t{1}), type);
    }
  for (const char* name : {"GetBinary", "SetBinary"})
    expect_error(it.call(name, references, std::size_t{1}, room, room, std::size_t{1}), "Binary");
  for (const char* name :
       {"GetClock", "SetClock", "GetShiftDecimal", "SetIntervalDecimal", "SetShiftDecimal"})
    expect_error(it.call(name, references, std::size_t{1}, room), "clocks");
  for (const char* name :
       {"GetIntervalDecimal", "GetShiftFraction", "SetIntervalFraction", "SetShiftFraction"})
    expect_error(it.call(name, references, std::size_t{1}, room, room), "clocks");
  expect_error(it.call("GetIntervalFraction", references, std::size_t{1}, room, room, room),
               "clocks");
  expect_error(it.call("ActivateModelPartition", reference, 0.0), "scheduled execution");
  for (const char* name : {"EnterConfigurationMode", "ExitConfigurationMode"})
    expect_error(it.call(name), "structural parameters");
  std::size_t size = 0;
  expect_error(it.call("GetNumberOfVariableDependencies", reference, &size), "modelDescription");
  expect_error(
      it.call("GetVariableDependencies", reference, room, room, room, room, std::size_t{0}),
      "modelDescription");
  expect_error(it.call("EnterEventMode"), "before initialization");
  expect_error(it.call("DoStep", 0.0, 1.0, true, room, room, room, room), "fmi3DoStep");
  expect_error(it.call("EnterInitializationMode", true, -1.0, 0.0, false, 0.0), "tolerance");
  expect_error(it.call("EnterInitializationMode", false, 0.0, 1.0, true, 0.0), "times");
  const std::uint32_t unknown = 9999;
  double value = 0;
  expect_error(it.call("GetFloat64", &unknown, std::size_t{1}, &value, std::size_t{1}), "9999");
  it.initialise();
  expect_error(it.set("event.vertical", 1), "computed");
  expect_error(it.set("der(joint1.q0)", 1), "computed");
  EXPECT_EQ(it.call("EvaluateDiscreteStates"), fmu_ok);
  std::vector<double> nominals(7);
  EXPECT_EQ(it.call("GetNominalsOfContinuousStates", nominals.data(), nominals.size()), fmu_ok);
  EXPECT_EQ(nominals, std::vector<double>(7, 1.0));
  EXPECT_EQ(it.call("Terminate"), fmu_ok);
  expect_error(it.call("EnterContinuousTimeMode"), "after its end");

  // Another token is refused, and so is what the FMU is not.
  using Log = void(void*, int, const char*, const char*);
  auto* const make_exchange =
      fmu->function<void*(const char*, const char*, const char*, bool, bool, void*, Log*)>(
          "fmi3InstantiateModelExchange");
  EXPECT_EQ(make_exchange("x", "{other}", "", false, false, nullptr, nullptr), nullptr);
  auto* const make_scheduled =
      fmu->function<void*(const char*, const char*, const char*, bool, bool, void*, Log*, void*,
                          void*, void*)>("fmi3InstantiateScheduledExecution");
  EXPECT_EQ(make_scheduled("x", fmu->token.c_str(), "", false, false, nullptr, nullptr, nullptr,
                           nullptr, nullptr),
            nullptr);
}

// Inputs that importers set, outputs that are expressions, and their rates.
TEST_F(Fmu, InputsAndOutputsAsAsked) {
  const std::string model = scratch_.write("mass.toml", R"toml(
name = "mass & <spring>"
[parameters]
k = 4
m = 1
[variables]
x = { initial = 1, rate = "v" }
v = { initial = 0, rate = "-k/m*x" }
[simulate]
duration = 1
)toml");
  const auto fmu = make(model, {"--inputs", "k", "--outputs", "x,k*x^2/2,v*m"});
  ASSERT_TRUE(fmu);
  EXPECT_EQ(fmu->elements[0]["modelName"], "mass & <spring>");
  EXPECT_EQ((*fmu->variable("k"))["causality"], "input");
  EXPECT_EQ((*fmu->variable("m"))["causality"], "parameter");
  EXPECT_EQ((*fmu->variable("x"))["causality"], "output");
  EXPECT_EQ((*fmu->variable("k*x^2/2"))["causality"], "output");
  EXPECT_EQ(fmu->structure("Output").size(), 3u);
  FmuInstance it(*fmu, FmuInstance::Kind::co_simulation);
  it.initialise();
  it.simulate(0.5, 0.1);
  EXPECT_EQ(it.set("k", 9), fmu_ok);
  it.simulate(1, 0.1);
  const double x0 = std::cos(1.0), v0 = -2 * std::sin(1.0), s = std::sin(1.5), c = std::cos(1.5);
  const double x = x0 * c + v0 / 3 * s, v = -3 * x0 * s + v0 * c;
  EXPECT_NEAR(it.get("x"), x, 1e-11);
  EXPECT_NEAR(it.get("v*m"), v, 1e-11);
  EXPECT_NEAR(it.get("k*x^2/2"), 4.5 * x * x, 1e-11);
  const std::uint32_t outputs[] = {fmu->reference("k*x^2/2"), fmu->reference("x")};
  const std::int32_t orders[] = {1, 1};
  double rates[2] = {};
  EXPECT_EQ(it.call("GetOutputDerivatives", static_cast<const std::uint32_t*>(outputs),
                    std::size_t{2}, static_cast<const std::int32_t*>(orders),
                    static_cast<double*>(rates), std::size_t{2}),
            fmu_ok);
  EXPECT_NEAR(rates[0], 9 * x * v, 1e-10);
  EXPECT_NEAR(rates[1], v, 1e-10);
}

// A start that is changed is brought back to the constraints.
TEST_F(Fmu, ChangedStartsOfClosedMechanismsFit) {
  const auto fmu = make(fmu_example("four_bar"));
  ASSERT_TRUE(fmu);
  FmuInstance plain(*fmu, FmuInstance::Kind::co_simulation),
      moved(*fmu, FmuInstance::Kind::co_simulation);
  plain.initialise();
  std::string crank;
  for (const XmlElement& element : fmu->elements)
    if (crank.empty() && element.parent == "ModelVariables" && element["valueReference"] == "1")
      crank = element["name"];
  EXPECT_EQ(moved.set(crank, plain.get(crank) + 0.05), fmu_ok);
  moved.initialise();
  // Rows of the constraints hold: going on from there loses no energy to projections.
  moved.simulate(0.5, 0.1);
  EXPECT_FALSE(HasFailure());
  EXPECT_GT(std::fabs(moved.get(crank) - plain.get(crank)), 1e-3);
}

TEST_F(Fmu, RefusalsNameTheRemedy) {
  const std::string out = scratch_.path("refused");
  const auto refused = [&](const FmuWords& more, const char* text) {
    FmuWords words = {"generate"};
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"--out", out});
    expect_refusal(run_cartan(words), text);
  };
  const std::string pendulum = fmu_example("pendulum");
  refused({fmu_example("bouncing_ball"), "--language", "fmi3"}, "contacts");
  refused({fmu_example("stick_slip"), "--language", "fmi3"}, "smoothing");
  refused({fmu_example("measured_spring"), "--language", "fmi3"}, "needs your consent");
  refused({pendulum, "--language", "fmi"}, "say fmi3 or fmi2");
  refused({pendulum, "--language", "fmi3", "--inputs", "nothing"}, "no parameter or input");
  refused({pendulum, "--language", "fmi3", "--outputs", "no+thing"}, "--outputs");
  refused({pendulum, "--language", "fmi3", "--fold"}, "leave --fold out");
  refused({pendulum, "--language", "c", "--inputs", "w"}, "belong to --language fmi3");
  EXPECT_FALSE(std::filesystem::exists(out + "/pendulum.fmu"));
}

}  // namespace
}  // namespace cartan::test
