// FMUs: what the archive holds, every function of the interface, and motions that are those of
// `run`, whoever integrates.
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "cli/fmu_importer.h"
#include "core/child_process.h"

namespace cartan::test {
namespace {

using FmuWords = std::vector<std::string>;

std::string fmu_example(const std::string& name) {
  return std::string(CARTAN_ROOT "/examples/") + name + ".toml";
}

class Fmu : public testing::Test {
 protected:
  std::unique_ptr<Importer> make(const std::string& model, const FmuWords& more = {}) {
    const std::string out = scratch_.path("out" + std::to_string(++made_));
    FmuWords words = {"generate", model, "--language", "fmi3", "--name", "it", "--out", out};
    words.insert(words.end(), more.begin(), more.end());
    const CommandResult result = run_cartan(words);
    EXPECT_EQ(result.status, 0) << result.err;
    const std::string archive = read_file(out + "/it.fmu");
    if (archive.size() < 22) return nullptr;
    return std::make_unique<Importer>(archive, out);
  }
  Scratch scratch_;
  int made_ = 0;
};

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

// ------------------------------------------------------------------------------------ the motion

// Against fourth-order differences of the exact values, by every state, input, parameter and the
// time; the adjoint is the transpose.
void expect_exact_slopes(const Importer& fmu) {
  FmuInstance it(fmu, FmuInstance::Kind::exchange);
  it.initialise();
  it.integrate(0.05, 0.01);
  ASSERT_EQ(it.call("EnterEventMode"), fmu_ok);
  std::vector<std::uint32_t> unknowns = fmu.structure("ContinuousStateDerivative");
  for (const std::uint32_t r : fmu.structure("Output")) unknowns.push_back(r);
  const std::vector<double> x = it.states();
  const auto values = [&] {
    std::vector<double> result(unknowns.size());
    EXPECT_EQ(it.call("GetFloat64", static_cast<const std::uint32_t*>(unknowns.data()),
                      unknowns.size(), result.data(), result.size()),
              fmu_ok);
    return result;
  };
  std::vector<std::uint32_t> knowns;
  std::vector<double> at;
  std::vector<int> kind;  // state, time, other
  for (const XmlElement& element : fmu.elements) {
    if (element.parent != "ModelVariables") continue;
    const bool state = element.has("start") && element["causality"] != "parameter" &&
                       element["causality"] != "input";
    const bool other = element["causality"] == "parameter" || element["causality"] == "input";
    const bool independent = element["causality"] == "independent";
    if (!state && !other && !independent) continue;
    knowns.push_back(static_cast<std::uint32_t>(std::stoul(element["valueReference"])));
    at.push_back(it.get(element["name"]));
    kind.push_back(state ? 0 : independent ? 1 : 2);
  }
  const auto put = [&](std::size_t k, double value) {
    if (kind[k] == 2) {
      EXPECT_EQ(it.call("SetFloat64", static_cast<const std::uint32_t*>(&knowns[k]), std::size_t{1},
                        static_cast<const double*>(&value), std::size_t{1}),
                fmu_ok);
      return;
    }
    EXPECT_EQ(it.call("EnterContinuousTimeMode"), fmu_ok);
    if (kind[k] == 1) {
      EXPECT_EQ(it.call("SetTime", value), fmu_ok);
    } else {
      std::vector<double> moved = x;
      moved[knowns[k] - 1] = value;
      EXPECT_EQ(
          it.call("SetContinuousStates", static_cast<const double*>(moved.data()), moved.size()),
          fmu_ok);
    }
    EXPECT_EQ(it.call("EnterEventMode"), fmu_ok);
  };
  double largest = 0;
  std::vector<std::vector<double>> matrix;
  for (std::size_t k = 0; k < knowns.size(); ++k) {
    const double h = 1e-3 * std::max(0.1, std::fabs(at[k]));
    std::vector<double> difference(unknowns.size(), 0.0);
    for (const auto& [shift, weight] :
         {std::pair{-2.0, 1.0}, std::pair{-1.0, -8.0}, std::pair{1.0, 8.0}, std::pair{2.0, -1.0}}) {
      put(k, at[k] + shift * h);
      const std::vector<double> value = values();
      for (std::size_t i = 0; i < value.size(); ++i) difference[i] += weight * value[i] / (12 * h);
    }
    put(k, at[k]);
    const double seed = 1;
    std::vector<double> slope(unknowns.size());
    ASSERT_EQ(
        it.call("GetDirectionalDerivative", static_cast<const std::uint32_t*>(unknowns.data()),
                unknowns.size(), static_cast<const std::uint32_t*>(&knowns[k]), std::size_t{1},
                static_cast<const double*>(&seed), std::size_t{1}, slope.data(), slope.size()),
        fmu_ok);
    double scale = 1;
    for (const double value : slope) scale = std::max(scale, std::fabs(value));
    for (std::size_t i = 0; i < slope.size(); ++i)
      EXPECT_NEAR(slope[i], difference[i], 2e-7 * scale)
          << "variable " << unknowns[i] << " by variable " << knowns[k];
    for (const double value : slope) largest = std::max(largest, std::fabs(value));
    matrix.push_back(slope);
  }
  EXPECT_GT(largest, 0.1);
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    const double seed = 1;
    std::vector<double> row(knowns.size());
    ASSERT_EQ(
        it.call("GetAdjointDerivative", static_cast<const std::uint32_t*>(&unknowns[i]),
                std::size_t{1}, static_cast<const std::uint32_t*>(knowns.data()), knowns.size(),
                static_cast<const double*>(&seed), std::size_t{1}, row.data(), row.size()),
        fmu_ok);
    for (std::size_t k = 0; k < knowns.size(); ++k) EXPECT_EQ(row[k], matrix[k][i]);
  }
}

struct MotionCase {
  friend void PrintTo(const MotionCase& c, std::ostream* out) { *out << c.example; }
  const char* example;
  double duration, step;  // of an explicit integration of order 8
  bool event_mode = false, slopes = false;
};

class FmuMotion : public Fmu, public testing::WithParamInterface<MotionCase> {};

std::string case_name(const testing::TestParamInfo<MotionCase>& info) {
  return info.param.example;
}

// Both kinds end where `run` ends, within 1e-9; with an event mode, without it too.
TEST_P(FmuMotion, IsThatOfRun) {
  const MotionCase& c = GetParam();
  const std::string model = fmu_example(c.example), duration = std::to_string(c.duration);
  const std::string folder = scratch_.path("run");
  const CommandResult run = run_cartan({"run", model, "--integrator", "dop853", "--tolerance",
                                        "1e-13", "--duration", duration, "--out", folder});
  ASSERT_EQ(run.status, 0) << run.err;
  const LastRow row = last_row(folder + "/trajectory.csv");
  const auto fmu = make(model);
  ASSERT_TRUE(fmu);
  using Kind = FmuInstance::Kind;
  for (const Kind kind : {Kind::exchange, Kind::co_simulation}) {
    SCOPED_TRACE(kind == Kind::exchange ? "model exchange" : "co-simulation");
    FmuInstance it(*fmu, kind, {c.event_mode, c.event_mode, 1e-13});
    it.initialise();
    if (kind == Kind::exchange)
      it.integrate(c.duration, c.step);
    else
      it.simulate(c.duration, c.duration / 7);
    if (HasFailure()) return;
    EXPECT_NEAR(it.time, row["t"], 1e-9);
    int compared = 0;
    double moved = 0;
    for (const XmlElement& element : fmu->elements) {
      if (element.parent != "ModelVariables" || !element.has("start")) continue;
      if (element["causality"] == "parameter" || element["causality"] == "input") continue;
      const double value = it.get(element["name"]), expected = row[element["name"]];
      EXPECT_NEAR(value, expected, 1e-9 * std::max(1.0, std::fabs(expected))) << element["name"];
      moved = std::max(moved, std::fabs(value - std::stod(element["start"])));
      ++compared;
    }
    EXPECT_EQ(compared, it.count());
    EXPECT_GT(moved, 1e-3);
    if (!c.event_mode || kind == Kind::exchange) continue;
    FmuInstance inside(*fmu, kind, {false, false, 1e-13});  // jumps are made inside of the step
    inside.initialise();
    inside.simulate(c.duration, 0.37);
    for (std::size_t k = 0; k < it.states().size(); ++k)
      EXPECT_NEAR(inside.states()[k], it.states()[k], 1e-10);
  }
  if (c.slopes) expect_exact_slopes(*fmu);
}

INSTANTIATE_TEST_SUITE_P(
    Examples, FmuMotion,
    testing::Values(MotionCase{"pendulum", 3, 0.01}, MotionCase{"double_pendulum", 1, 0.01},
                    MotionCase{"heavy_top", 0.5, 0.002},
                    MotionCase{"four_bar", 1, 0.0025, false, true},
                    MotionCase{"slider_crank", 0.2, 0.0004}, MotionCase{"rolling_coin", 1, 0.02},
                    MotionCase{"driven_pendulum", 1, 0.002},
                    MotionCase{"pid_arm", 1, 0.005, false, true},
                    MotionCase{"dc_motor_winch", 0.5, 0.001}, MotionCase{"lorenz", 1, 0.005},
                    MotionCase{"implicit_pair", 1, 0.005, false, true},
                    MotionCase{"simplest_walker", 9, 0.02, true}),
    case_name);

// The ball of the standard's reference FMU: h' = v, v' = g, v -> -0.7 v at the ground. Bounces are
// known in closed form.
TEST_F(Fmu, BouncingBallInClosedForm) {
  const std::string model = scratch_.write("ball.toml", R"toml(
name = "ball"
[parameters]
g = -9.81
e = 0.7
h0 = 1
[variables]
h = { initial = "h0", rate = "v" }
v = { initial = 0, rate = "g" }
[[event]]
name = "bounce"
when = "h"
direction = -1
set = { v = "-e*v" }
[simulate]
duration = 3
)toml");
  const auto fmu = make(model);
  ASSERT_TRUE(fmu);
  for (const double start : {1.0, 2.0}) {  // the start follows the parameter
    const auto expected = [&](double t, double& h, double& v) {
      double begin = 0, speed = 0, height = start;
      for (;;) {
        const double hit = begin + (speed + std::sqrt(speed * speed + 2 * 9.81 * height)) / 9.81;
        if (hit > t) break;
        speed = -0.7 * (speed - 9.81 * (hit - begin));
        height = 0;
        begin = hit;
      }
      h = height + speed * (t - begin) - 0.5 * 9.81 * (t - begin) * (t - begin);
      v = speed - 9.81 * (t - begin);
    };
    using Kind = FmuInstance::Kind;
    for (const Kind kind : {Kind::exchange, Kind::co_simulation}) {
      FmuInstance it(*fmu, kind);
      if (start != 1) EXPECT_EQ(it.set("h0", start), fmu_ok);
      it.initialise();
      for (const double t : {0.3, 1.0, 1.8, 2.2}) {
        if (kind == Kind::exchange && it.time > 0) it.call("EnterEventMode");
        kind == Kind::exchange ? it.integrate(t, 0.01) : it.simulate(t, 0.1);
        double h = 0, v = 0;
        expected(t, h, v);
        EXPECT_NEAR(it.get("h"), h, 1e-10);
        EXPECT_NEAR(it.get("v"), v, 1e-10);
      }
    }
  }
}

// An event that stops ends both kinds at its instant.
TEST_F(Fmu, StopsWhereTheModelStops) {
  const std::string folder = scratch_.path("run");
  ASSERT_EQ(run_cartan({"run", fmu_example("falling_ball"), "--integrator", "dop853", "--tolerance",
                        "1e-13", "--out", folder})
                .status,
            0);
  const double t = last_row(folder + "/trajectory.csv")["t"];
  const auto fmu = make(fmu_example("falling_ball"));
  ASSERT_TRUE(fmu);
  FmuInstance exchange(*fmu, FmuInstance::Kind::exchange);
  exchange.initialise();
  exchange.integrate(100, 0.05);
  EXPECT_TRUE(exchange.ended);
  EXPECT_NEAR(exchange.time, t, 1e-10);
  FmuInstance simulation(*fmu, FmuInstance::Kind::co_simulation);
  simulation.initialise();
  simulation.simulate(100, 0.1);
  EXPECT_TRUE(simulation.ended);
  EXPECT_NEAR(simulation.time, t, 1e-10);
  bool event = false, terminate = false, early = false;
  double last = 0;
  EXPECT_EQ(
      simulation.call("DoStep", simulation.time, 0.1, true, &event, &terminate, &early, &last),
      fmu_error);
}

// A law with a corner: its place is an event indicator, and both kinds get across it.
TEST_F(Fmu, SwitchesAreIndicators) {
  const std::string model = scratch_.write("corner.toml", R"toml(
name = "corner"
[variables]
x = { initial = 1, rate = "v" }
v = { initial = 0, rate = "if(x, -1, 4) - 0.1*abs(v)" }
[simulate]
duration = 4
)toml");
  const std::string folder = scratch_.path("run");
  ASSERT_EQ(
      run_cartan({"run", model, "--integrator", "dop853", "--tolerance", "1e-13", "--out", folder})
          .status,
      0);
  const LastRow row = last_row(folder + "/trajectory.csv");
  const auto fmu = make(model);
  ASSERT_TRUE(fmu);
  EXPECT_EQ(fmu->structure("EventIndicator").size(), 2u);
  using Kind = FmuInstance::Kind;
  for (const Kind kind : {Kind::exchange, Kind::co_simulation}) {
    FmuInstance it(*fmu, kind);
    it.initialise();
    kind == Kind::exchange ? it.integrate(4, 0.01) : it.simulate(4, 0.5);
    EXPECT_NEAR(it.get("x"), row["x"], 1e-9);
    EXPECT_NEAR(it.get("v"), row["v"], 1e-9);
  }
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
  refused({pendulum, "--language", "fmi2"}, "use fmi3");
  refused({pendulum, "--language", "fmi3", "--inputs", "nothing"}, "no parameter or input");
  refused({pendulum, "--language", "fmi3", "--outputs", "no+thing"}, "--outputs");
  refused({pendulum, "--language", "fmi3", "--fold"}, "leave --fold out");
  refused({pendulum, "--language", "c", "--inputs", "w"}, "belong to --language fmi3");
  EXPECT_FALSE(std::filesystem::exists(out + "/pendulum.fmu"));
}

}  // namespace
}  // namespace cartan::test
