// Studies as a user types them: the same tables whoever computes them, closed forms, what goes
// wrong.
#include <chrono>
#include <cmath>
#include <fstream>
#include <numbers>
#include <thread>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "core/child_process.h"
#include "support/random.h"

namespace cartan::test {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::string>;

// x'' = -w^2 x from x = 0 with speed v0: x = v0/w sin w t.
constexpr const char* oscillator = R"(
name = "oscillator"
[parameters]
w = 2
v0 = 3
[variables]
x = { initial = 0, rate = "v" }
v = { initial = "v0", rate = "-w^2*x" }
[[event]]
name = "through"
when = "x"
direction = -1
[[output]]
name = "push"
value = "x*w"
[simulate]
duration = 4
step = 0.05
integrator = "gl4"
)";

constexpr const char* pendulum_text = R"(
[parameters]
L = 1
[[body]]
name = "rod"
mass = 1
com = ["L/2", 0, 0]
inertia = [0, "L^2/12", "L^2/12"]
[[joint]]
name = "pivot"
type = "revolute"
axis = [0, 1, 0]
parent = { body = "world" }
child = { body = "rod" }
velocity = 0.5
)";

// runs.csv; most messages are empty.
Table read_runs(const std::string& folder) {
  std::string text = read_file(folder + "/runs.csv");
  for (std::size_t at = 0; (at = text.find(",\n", at)) != std::string::npos; at += 2)
    text.insert(at + 1, "-");
  std::ofstream(folder + "/read.csv") << text;
  return read_table(folder + "/read.csv");
}

class StudyCommand : public testing::Test {
 protected:
  Words study(const std::string& model, Words more) const {
    Words words = {"study", model};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  Scratch scratch_;
};

// sin(x1) + 7 sin(x2)^2 + 0.1 x3^4 sin(x1) over [-pi, pi]^3
TEST_F(StudyCommand, IshigamiFunction) {
  const std::string model = scratch_.write("ishigami.toml", R"(
[parameters]
x1 = 0
x2 = 0
x3 = 0
[variables]
y = { initial = 0, rate = "0" }
)");
  Words words = study(model, {"--runs", "20480", "--duration", "0", "--json", "--keep",
                              "f=final(sin(x1) + 7*sin(x2)^2 + 0.1*x3^4*sin(x1))"});
  for (const char* name : {"x1", "x2", "x3"})
    words.insert(words.end(), {"--vary", std::string(name) + "=uniform(-pi,pi)"});
  const nlohmann::json json = expect_json(run_cartan(words));
  EXPECT_EQ(json["runs"], 20480);
  EXPECT_EQ(json["failed"], 0);
  EXPECT_EQ(json["backend"], "reference");
  EXPECT_EQ(json["ranks"], 1);
  EXPECT_EQ(json["lanes"], 1);
  const double p4 = std::pow(std::numbers::pi, 4);
  const double v1 = 0.5 * std::pow(1 + 0.1 * p4 / 5, 2), v2 = 49.0 / 8,
               v13 = 0.01 * p4 * p4 * (1.0 / 18 - 1.0 / 50), v = v1 + v2 + v13;
  const auto& f = json["quantities"]["f"];
  EXPECT_NEAR(f["mean"].get<double>(), 3.5, 0.02);
  EXPECT_NEAR(f["deviation"].get<double>(), std::sqrt(v), 0.02);
  const auto& indices = json["indices"]["f"];
  const double first[] = {v1 / v, v2 / v, 0}, total[] = {(v1 + v13) / v, v2 / v, v13 / v};
  for (int k = 0; k < 3; ++k) {
    const std::string name = "x" + std::to_string(k + 1);
    EXPECT_NEAR(indices["first"][name].get<double>(), first[k], 0.02) << name;
    EXPECT_NEAR(indices["total"][name].get<double>(), total[k], 0.02) << name;
    EXPECT_LE(indices["total_interval"][name][0].get<double>(), total[k]);
    EXPECT_GE(indices["total_interval"][name][1].get<double>(), total[k]);
  }
}

// x(T) = e^(-d T) x0 (cos W T + d/W sin W T), W = sqrt(w^2 - d^2), with d, w and x0 uniform: the
// indices by quadrature of the closed form.
TEST_F(StudyCommand, IndicesOfADampedOscillator) {
  const std::string model = scratch_.write("damped.toml", R"(
[parameters]
d = 0.1
w = 2
[variables]
x = { initial = 1, rate = "v" }
v = { initial = 0, rate = "-w^2*x - 2*d*v" }
[simulate]
duration = 2
integrator = "dop853"
)");
  const nlohmann::json json = expect_json(run_cartan(
      study(model, {"--vary", "d=uniform(0.05,0.6)", "--vary", "w=uniform(1.8,2.2)", "--vary",
                    "x=uniform(0.5,1.5)", "--runs", "10240", "--keep", "end=final(x)", "--json"})));
  // Midpoint rule: the integrands are smooth.
  constexpr int n = 40;
  const auto f = [](double a, double b, double c) {
    const double d = 0.05 + 0.55 * a, w = 1.8 + 0.4 * b, x0 = 0.5 + c, W = std::sqrt(w * w - d * d);
    return std::exp(-2 * d) * x0 * (std::cos(2 * W) + d / W * std::sin(2 * W));
  };
  std::vector<double> values(n * n * n);
  double mean = 0, square = 0;
  const auto at = [](int i) { return (i + 0.5) / n; };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        const double y = values[(i * n + j) * n + k] = f(at(i), at(j), at(k));
        mean += y, square += y * y;
      }
  mean /= n * n * n;
  const double variance = square / (n * n * n) - mean * mean;
  const int strides[] = {n * n, n, 1};
  const char* const names[] = {"d", "w", "x"};
  for (int input = 0; input < 3; ++input) {
    const int own = strides[input], s1 = strides[(input + 1) % 3], s2 = strides[(input + 2) % 3];
    double first = 0, rest = 0;  // variances of E(f | own) and of E(f | others)
    for (int i = 0; i < n; ++i) {
      double sum = 0;
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k) sum += values[i * own + j * s1 + k * s2];
      first += std::pow(sum / (n * n) - mean, 2) / n;
    }
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        double sum = 0;
        for (int i = 0; i < n; ++i) sum += values[i * own + j * s1 + k * s2];
        rest += std::pow(sum / n - mean, 2) / (n * n);
      }
    EXPECT_NEAR(json["indices"]["end"]["first"][names[input]].get<double>(), first / variance,
                0.02);
    EXPECT_NEAR(json["indices"]["end"]["total"][names[input]].get<double>(), 1 - rest / variance,
                0.02);
  }
  EXPECT_NEAR(json["quantities"]["end"]["mean"].get<double>(), mean, 2e-3);
}

// Every way to take a quantity, against x = v0/w sin w t. The grid makes the inputs known.
TEST_F(StudyCommand, KeptQuantitiesAgainstTheClosedForm) {
  const std::string model = scratch_.write("oscillator.toml", oscillator);
  const std::string out = scratch_.path("out");
  const CommandResult result = run_cartan(study(model, {"--vary", "w=lin(1,3,5)",
                                                        "--out",  out,
                                                        "--keep", "last=final(x)",
                                                        "--keep", "top=max(x)",
                                                        "--keep", "low=min(x)",
                                                        "--keep", "area=integral(x)",
                                                        "--keep", "average=mean(x)",
                                                        "--keep", "size=rms(x)",
                                                        "--keep", "then=at(1.2345, x)",
                                                        "--keep", "when=event(through, t)",
                                                        "--keep", "speed=event(through, v)",
                                                        "--keep", "often=count(through)",
                                                        "--keep", "named=max(push)",
                                                        "--keep", "gone=at(4, x)"}));
  ASSERT_EQ(result.status, 0) << result.err;
  const Table table = read_runs(out);
  ASSERT_EQ(table.rows.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    const auto value = [&](const char* name) { return table[name][i]; };
    const double w = 1 + 0.5 * i, a = 3 / w, T = 4, pi = std::numbers::pi;
    EXPECT_EQ(value("w"), w);
    EXPECT_NEAR(value("last"), a * std::sin(w * T), 1e-9);
    EXPECT_NEAR(value("top"), a, 1e-8);  // between samples, at w t = pi/2
    EXPECT_NEAR(value("low"), w * T > 1.5 * pi ? -a : std::min(0.0, a * std::sin(w * T)), 1e-8);
    const double area = a / w * (1 - std::cos(w * T));
    EXPECT_NEAR(value("area"), area, 1e-8);
    EXPECT_NEAR(value("average"), area / T, 1e-8);
    EXPECT_NEAR(value("size"), a * std::sqrt(0.5 - std::sin(2 * w * T) / (4 * w * T)), 1e-8);
    EXPECT_NEAR(value("then"), a * std::sin(w * 1.2345), 1e-8);
    EXPECT_NEAR(value("when"), pi / w, 1e-9);
    EXPECT_NEAR(value("speed"), -3, 1e-9);
    EXPECT_EQ(value("often"), std::floor((w * T / pi + 1) / 2));
    EXPECT_NEAR(value("named"), 3, 1e-8);
    EXPECT_EQ(value("gone"), value("last"));
  }
}

// What is not there in a run is a gap, and counted.
TEST_F(StudyCommand, EventsThatDoNotHappenAreGaps) {
  const std::string model = scratch_.write("oscillator.toml", oscillator);
  const nlohmann::json json = expect_json(run_cartan(study(
      model, {"--vary", "w=grid(0.1, 0.2, 1, 2)", "--keep", "when=event(through, t)", "--json"})));
  EXPECT_EQ(json["failed"], 0);
  EXPECT_EQ(json["quantities"]["when"]["count"], 2);
  EXPECT_EQ(json["quantities"]["when"]["undefined"], 2);
  EXPECT_FALSE(json.contains("indices"));
}

// A stop event ends a run: extremes beyond it do not count.
TEST_F(StudyCommand, ExtremesEndWithTheRun) {
  const std::string model = scratch_.write("falling.toml", R"(
[parameters]
h = 1
[variables]
z = { initial = "h", rate = "v" }
v = { initial = 0, rate = "-10" }
[[event]]
name = "ground"
when = "z"
direction = -1
action = "stop"
[simulate]
duration = 5
step = 0.3
integrator = "rk4"
)");
  const std::string out = scratch_.path("out");
  ASSERT_EQ(run_cartan(study(model, {"--vary", "h=lin(1,4,7)", "--keep", "low=min(z)", "--keep",
                                     "fast=min(v)", "--keep", "path=integral(v)", "--out", out}))
                .status,
            0);
  const Table table = read_runs(out);
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_NEAR(table["low"][i], 0, 1e-9);
    EXPECT_NEAR(table["fast"][i], -std::sqrt(20 * table["h"][i]), 1e-9);
    EXPECT_NEAR(table["path"][i], -table["h"][i], 1e-9);
  }
  EXPECT_NE(read_file(out + "/runs.csv").find("stopped by event"), std::string::npos);
}

// A run of a study is the run of a file with these numbers in it: an open chain (one system serves
// all runs) and a closed one (assembled for every run).
TEST_F(StudyCommand, InitialValuesAreThoseOfTheFile) {
  const std::pair<const char*, const char*> cases[] = {{"open", "pivot"}, {"four-bar", "motor"}};
  for (const auto& [name, joint] : cases) {
    const std::string model = name == std::string("open")
                                  ? scratch_.write("open.toml", pendulum_text)
                                  : scratch_.write_template({name});
    const std::string out = scratch_.path(std::string("out-") + name);
    const std::string q = std::string(joint) + ".q", v = std::string(joint) + ".v";
    const CommandResult result = run_cartan(
        study(model, {"--vary", q + "=grid(0.3, 0.4)", "--duration", "0.2", "--keep",
                      "q=final(" + q + ")", "--keep", "v=final(" + v + ")", "--out", out}));
    ASSERT_EQ(result.status, 0) << result.err;
    const Table table = read_runs(out);
    ASSERT_EQ(table.rows.size(), 2u);
    std::string text = read_file(model);
    const std::size_t place = text.find("name = \"" + std::string(joint) + "\"");
    ASSERT_NE(place, std::string::npos);
    const std::size_t end = std::min(text.find("[[", place), text.size());
    const std::size_t written = text.find("\nposition", place);
    if (written < end) text.erase(written, text.find('\n', written + 1) - written);
    text.insert(place, "position = 0.4\n");
    const std::string changed = scratch_.write(std::string(name) + "-changed.toml", text);
    const nlohmann::json run = expect_json(
        run_cartan({"run", changed, "--duration", "0.2", "--json", "--estimate", "off"}));
    EXPECT_EQ(table["q"][1], run["final"]["q"][joint][0].get<double>()) << name;
    EXPECT_EQ(table["v"][1], run["final"]["v"][joint][0].get<double>()) << name;
    EXPECT_NE(table["q"][0], table["q"][1]);
  }
}

// Kept quantities in every formulation, those whose state is not (q, v) too.
TEST_F(StudyCommand, EveryFormulation) {
  const std::string model = scratch_.write("open.toml", pendulum_text);
  std::vector<double> first;
  for (const char* formulation : {"recursive", "moving-frame", "absolute-se3", "absolute-so3r3",
                                  "rotation-elements", "canonical", "generated"}) {
    const std::string out = scratch_.path(formulation);
    const CommandResult result = run_cartan(
        study(model, {"--vary", "L=lin(0.9,1.1,3)", "--duration", "0.5", "--formulation",
                      formulation, "--keep", "low=min(rod.z)", "--keep", "v=final(pivot.v)",
                      "--keep", "area=integral(kinetic)", "--out", out}));
    ASSERT_EQ(result.status, 0) << formulation << result.err;
    const Table table = read_runs(out);
    std::vector<double> all;
    for (const char* name : {"low", "v", "area"})
      for (const double x : table[name]) all.push_back(x);
    if (first.empty()) first = all;
    for (std::size_t i = 0; i < all.size(); ++i)
      EXPECT_NEAR(all[i], first[i], 1e-9 * (1 + std::fabs(first[i]))) << formulation << i;
  }
}

// ---- whoever computes

Words big_study(const std::string& model, const std::string& out) {
  return {"study",          model,
          "--vary",         "w=uniform(1,3)",
          "--vary",         "v=normal(3,0.5)",
          "--runs",         "400",
          "--keep",         "top=max(x)",
          "--keep",         "when=event(through, t)",
          "--out",          out,
          "--trajectories", "3"};
}

TEST_F(StudyCommand, TheSameTablesByThreadsPartsAndAfterKills) {
  const std::string model = scratch_.write("oscillator.toml", oscillator);
  const std::string one = scratch_.path("one"), two = scratch_.path("two"),
                    parts = scratch_.path("parts"), killed = scratch_.path("killed");
  const auto with = [](Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  ASSERT_EQ(run_cartan(with(big_study(model, one), {"--threads", "1"})).status, 0);
  ASSERT_EQ(run_cartan(with(big_study(model, two), {"--threads", "2"})).status, 0);
  const std::string table = read_file(one + "/runs.csv");
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 401);
  EXPECT_EQ(read_file(two + "/runs.csv"), table);
  for (const char* part : {"3/3", "1/3", "2/3"})
    ASSERT_EQ(run_cartan(with(big_study(model, parts), {"--part", part})).status, 0);
  EXPECT_EQ(read_file(parts + "/runs.csv"), table);
  for (int k = 0; k < 4; ++k) {
    RunningCommand run(with(big_study(model, killed), {"--threads", "1", "--resume"}));
    std::this_thread::sleep_for(20ms + 17ms * k);
    run.send(SIGKILL);
    run.wait();
  }
  const CommandResult last = run_cartan(with(big_study(model, killed), {"--resume"}));
  ASSERT_EQ(last.status, 0) << last.err;
  EXPECT_EQ(read_file(killed + "/runs.csv"), table);
  EXPECT_EQ(list_folder(killed + "/trajectories"), list_folder(one + "/trajectories"));
  EXPECT_EQ(list_folder(one + "/trajectories").size(), 3u);
  for (const std::string& name : list_folder(one + "/trajectories"))
    EXPECT_EQ(read_file(killed + "/trajectories/" + name),
              read_file(one + "/trajectories/" + name));
  nlohmann::json a = nlohmann::json::parse(read_file(one + "/summary.json"));
  nlohmann::json b = nlohmann::json::parse(read_file(killed + "/summary.json"));
  EXPECT_EQ(a["quantities"], b["quantities"]);
  EXPECT_EQ(a["indices"], b["indices"]);
}

TEST_F(StudyCommand, InterruptLeavesBlocksToGoOnFrom) {
  const std::string model = scratch_.write("oscillator.toml", oscillator);
  const std::string out = scratch_.path("out");
  Words words = big_study(model, out);
  words.insert(words.end(), {"--step", "0.0001", "--threads", "1"});
  RunningCommand run(words);
  for (int k = 0; k < 500; ++k) {
    std::this_thread::sleep_for(10ms);
    std::error_code ignored;
    if (std::filesystem::exists(out + "/blocks/0000001", ignored)) break;
  }
  run.send(SIGINT);
  const CommandResult result = run.wait();
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("go on with --resume"), std::string::npos) << result.err;
  EXPECT_GE(list_folder(out + "/blocks").size(), 3u);
}

TEST_F(StudyCommand, AChangedStudyIsRefusedWithTheDifference) {
  const std::string model = scratch_.write("oscillator.toml", oscillator);
  const std::string study_text =
      "model = \"oscillator.toml\"\nruns = 20\n[vary]\nw = { uniform = [1, 2] }\n"
      "[keep]\ntop = { max = \"x\" }\n";
  const std::string file = scratch_.write("study.toml", study_text);
  const std::string out = scratch_.path("out");
  ASSERT_EQ(run_cartan({"study", file, "--out", out}).status, 0);
  expect_refusal(run_cartan({"study", file, "--out", out}), "--resume");
  // Comments and blanks are no change.
  scratch_.write("study.toml", "# a comment\n" + study_text);
  EXPECT_EQ(run_cartan({"study", file, "--out", out, "--resume"}).status, 0);
  std::string changed = study_text;
  changed.replace(changed.find("[1, 2]"), 6, "[1, 3]");
  scratch_.write("study.toml", changed);
  expect_refusal(run_cartan({"study", file, "--out", out, "--resume"}),
                 "vary: w was uniform(1, 2), is uniform(1, 3)");
  scratch_.write("study.toml", study_text);
  std::string other = oscillator;
  other.replace(other.find("-w^2*x"), 6, "-w^2*v");
  scratch_.write("oscillator.toml", other);
  expect_refusal(run_cartan({"study", file, "--out", out, "--resume"}),
                 "model: variables.v.rate was \"-w^2*x\", is \"-w^2*v\"");
  EXPECT_EQ(run_cartan({"study", file, "--out", out, "--force"}).status, 0);
  // Blocks know their study, and damage is computed again.
  const std::string table = read_file(out + "/runs.csv");
  std::filesystem::remove(out + "/blocks/study.json");
  scratch_.write("study.toml", changed);
  ASSERT_EQ(run_cartan({"study", file, "--out", out, "--resume"}).status, 0);
  const std::string other_table = read_file(out + "/runs.csv");
  EXPECT_NE(other_table, table);
  std::ofstream(out + "/blocks/0000003", std::ios::app) << "x";
  std::filesystem::resize_file(out + "/blocks/0000007", 100);
  ASSERT_EQ(run_cartan({"study", file, "--out", out, "--resume"}).status, 0);
  EXPECT_EQ(read_file(out + "/runs.csv"), other_table);
}

// A model that fails where its parameter is above 0.7: rows with a status, and the rest counts.
TEST_F(StudyCommand, FailuresAreRows) {
  const std::string model = scratch_.write("blow.toml", R"(
[parameters]
a = 0
[variables]
x = { initial = 1, rate = "x^2*a/0.7" }
[simulate]
duration = 1
integrator = "dop853"
)");
  const std::string out = scratch_.path("out");
  const nlohmann::json json =
      expect_json(run_cartan(study(model, {"--vary", "a=uniform(0,1)", "--runs", "200", "--keep",
                                           "x=final(x)", "--out", out, "--json"})));
  EXPECT_EQ(json["runs"], 200);
  const int failed = json["failed"];
  EXPECT_NEAR(failed, 60, 2);
  EXPECT_EQ(json["quantities"]["x"]["count"], 200 - failed);
  const std::string table = read_file(out + "/runs.csv");
  EXPECT_NE(table.find("step too small"), std::string::npos) << table.substr(0, 400);
  EXPECT_GT(json["statuses"].size(), 1u);
}

// Masses below zero are no machines.
TEST_F(StudyCommand, BadMassesAreFailures) {
  const std::string model = scratch_.write("mass.toml", R"(
[parameters]
m = 1
[[body]]
name = "ball"
mass = "m"
[[joint]]
name = "slide"
type = "prismatic"
axis = [0, 0, 1]
parent = { body = "world" }
child = { body = "ball" }
)");
  const CommandResult result =
      run_cartan(study(model, {"--vary", "m=lin(-1,1,4)", "--keep", "z=final(ball.z)", "--duration",
                               "0.1", "--json"}));
  const nlohmann::json json = expect_json(result);
  EXPECT_EQ(json["failed"], 2);
  EXPECT_EQ(json["statuses"]["bad numbers"], 2);
  EXPECT_NE(json["first_failure"].get<std::string>().find("mass of body 'ball'"),
            std::string::npos);
}

TEST_F(StudyCommand, Refusals) {
  const std::string model = scratch_.write("oscillator.toml", oscillator);
  const Words good = {"--vary", "w=uniform(1,2)", "--runs", "10", "--keep", "x=final(x)"};
  const auto refuse = [&](Words more, const std::string& text) {
    Words words = study(model, good);
    if (more[0] == "--runs") words.erase(words.begin() + 4, words.begin() + 6);
    words.insert(words.end(), more.begin(), more.end());
    expect_refusal(run_cartan(words), text);
  };
  refuse({"--backend", "cpv"}, "did you mean 'cpu'?");
  refuse({"--runs", "0"}, "runs is 0");
  refuse({"--runs", "1e9"}, "--out");
  refuse({"--runs", "1e15", "--sampling", "random", "--out", scratch_.path("o")},
         "GB are free; make room");
  refuse({"--resume"}, "--resume needs --out");
  refuse({"--part", "1/2"}, "--part needs --out");
  refuse({"--part", "3/2", "--out", scratch_.path("o")}, "expected K/N");
  refuse({"--threads", "0"}, "at least 1");
  refuse({"--vary", "q=uniform(1,2)"}, "neither a parameter");
  refuse({"--keep", "y=final(y)"}, "y");
  refuse({"--out", "/proc/none/study"}, "cannot write to the folder");
  refuse({"--out", model}, "it is a file");
  refuse({"--integrator", "rk7"}, "rk7");
  EXPECT_FALSE(std::filesystem::exists(scratch_.path("o")));
  expect_refusal(run_cartan(study(model, {"--runs", "10"})), "nothing varies");
  expect_refusal(run_cartan({"study", scratch_.path("none.toml")}), "there is no such file");
}

// Runs in lanes: the same tables by threads and parts, those of `reference` to rounding, its rows
// where a whole motion is kept.
TEST_F(StudyCommand, LanesGiveTheSameTables) {
  const std::string model = scratch_.write("oscillator.toml", oscillator);
  const auto with = [](Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const std::string truth = scratch_.path("truth"), one = scratch_.path("one"),
                    two = scratch_.path("two"), parts = scratch_.path("parts");
  ASSERT_EQ(run_cartan(big_study(model, truth)).status, 0);
  const Words cpu = {"--backend", "cpu"};
  ASSERT_EQ(run_cartan(with(with(big_study(model, one), cpu), {"--threads", "1"})).status, 0);
  ASSERT_EQ(run_cartan(with(with(big_study(model, two), cpu), {"--threads", "2"})).status, 0);
  for (const char* part : {"2/2", "1/2"})
    ASSERT_EQ(run_cartan(with(with(big_study(model, parts), cpu), {"--part", part})).status, 0);
  const std::string table = read_file(one + "/runs.csv");
  EXPECT_EQ(read_file(two + "/runs.csv"), table);
  EXPECT_EQ(read_file(parts + "/runs.csv"), table);
  const nlohmann::json json = nlohmann::json::parse(read_file(one + "/summary.json"));
  EXPECT_EQ(json["backend"], "cpu");
  EXPECT_GT(json["lanes"], 1);
  const Table lanes = read_runs(one), reference = read_runs(truth);
  for (const char* input : {"w", "v"}) EXPECT_EQ(lanes[input], reference[input]);
  for (const char* quantity : {"top", "when"})
    for (std::size_t i = 0; i < 400; ++i)
      EXPECT_NEAR(lanes[quantity][i], reference[quantity][i], 1e-13) << quantity;
  for (const std::string& name : list_folder(one + "/trajectories"))
    EXPECT_EQ(read_file(one + "/trajectories/" + name), read_file(truth + "/trajectories/" + name));
}

TEST_F(StudyCommand, WhatLanesCannotDoIsComputedRunByRun) {
  const nlohmann::json json =
      expect_json(run_cartan({"study", std::string(CARTAN_ROOT) + "/examples/stick_slip.toml",
                              "--vary", "table.v=uniform(0.1,0.2)", "--runs", "4", "--duration",
                              "0.2", "--keep", "x=final(table.q)", "--backend", "cpu", "--json"}));
  EXPECT_EQ(json["backend"], "reference");
  EXPECT_NE(json["notes"][0].get<std::string>().find("one by one (reference)"), std::string::npos);
}

TEST_F(StudyCommand, WithoutAGpuASentenceSaysSo) {
  if (void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)) {
    dlclose(driver);
    GTEST_SKIP() << "there may be a GPU";
  }
  const std::string model = scratch_.write("oscillator.toml", oscillator);
  expect_refusal(run_cartan(study(model, {"--vary", "w=uniform(1,2)", "--runs", "10", "--keep",
                                          "x=final(x)", "--backend", "gpu"})),
                 "there is no GPU here");
}

// A whole motion has the columns of `run`, variables beside bodies among them.
TEST_F(StudyCommand, MotionsHaveTheColumnsOfRun) {
  const std::string model = std::string(CARTAN_ROOT) + "/examples/dc_motor_winch.toml";
  const std::string run = scratch_.path("run"), folder = scratch_.path("study");
  ASSERT_EQ(run_cartan({"run", model, "--duration", "0.05", "--out", run}).status, 0);
  const CommandResult result =
      run_cartan({"study", model, "--vary", "ratio=grid(40)", "--duration", "0.05", "--keep",
                  "t=final(t)", "--trajectories", "1", "--out", folder});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(read_file(folder + "/trajectories/run_0.csv"), read_file(run + "/trajectory.csv"));
  // inputs of the model are columns too, and no quantity is taken for one of them
  const nlohmann::json json = nlohmann::json::parse(read_file(folder + "/summary.json"));
  EXPECT_EQ(json["quantities"]["t"]["mean"], 0.05);
}

// A file system without room: what was computed stays, and the words say how to go on.
TEST_F(StudyCommand, AFullDisk) {
  const std::string model = scratch_.write("oscillator.toml", oscillator);
  const std::string out = scratch_.path("out");
  std::string command = "trap '' XFSZ; ulimit -f 4; exec " CARTAN_COMMAND;
  Words words = big_study(model, out);
  words.back() = "400";  // trajectories: large blocks
  for (const std::string& word : words) command += " '" + word + "'";
  const std::string told = scratch_.path("told");
  const int status = std::system(("bash -c \"" + command + "\" 2> " + told).c_str());
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_NE(read_file(told).find("cannot write"), std::string::npos) << read_file(told);
  EXPECT_NE(read_file(told).find("--resume"), std::string::npos) << read_file(told);
  EXPECT_FALSE(std::filesystem::exists(out + "/runs.csv"));
}

// The few functions of libnetcdf that reading takes.
struct NetcdfReader {
  void* library = dlopen("libnetcdf.so.19", RTLD_NOW);
  int file = -1;
  template <class Function>
  Function* get(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(library, name));
  }
  bool open(const std::string& path) {
    return get<int(const char*, int, int*)>("nc_open")(path.c_str(), 0, &file) == 0;
  }
  std::vector<double> column(const char* name, std::size_t count) const {
    std::vector<double> values(count);
    int variable = -1;
    EXPECT_EQ(get<int(int, const char*, int*)>("nc_inq_varid")(file, name, &variable), 0) << name;
    EXPECT_EQ(get<int(int, int, double*)>("nc_get_var_double")(file, variable, values.data()), 0);
    return values;
  }
};

TEST_F(StudyCommand, NetcdfHoldsTheSameNumbers) {
  const std::string model = scratch_.write("oscillator.toml", oscillator);
  const std::string one = scratch_.path("one"), two = scratch_.path("two");
  Words words = {"study",          model,        "--vary", "w=lin(0.1,3,40)",
                 "--keep",         "top=max(x)", "--keep", "when=event(through, t)",
                 "--trajectories", "2",          "--out"};
  const auto into = [&](const std::string& out) {
    Words all = words;
    all.push_back(out);
    return run_cartan(all);
  };
  setenv("CARTAN_NETCDF_LIBRARY", "/nowhere/libnetcdf.so", 1);
  const CommandResult without = into(one);
  unsetenv("CARTAN_NETCDF_LIBRARY");
  EXPECT_EQ(without.status, 0);
  EXPECT_NE(without.out.find("libnetcdf19"), std::string::npos) << without.out;
  EXPECT_FALSE(std::filesystem::exists(one + "/runs.nc"));
  const Table table = read_runs(one);
  NetcdfReader reader;
  if (!reader.library) GTEST_SKIP() << "there is no libnetcdf";
  words.insert(words.begin() + 2, "--resume");
  ASSERT_EQ(into(one).status, 0);
  ASSERT_EQ(into(two).status, 0);
  EXPECT_EQ(read_file(one + "/runs.nc"), read_file(two + "/runs.nc"));
  ASSERT_TRUE(reader.open(one + "/runs.nc"));
  EXPECT_EQ(reader.column("w", 40), table["w"]);
  EXPECT_EQ(reader.column("top", 40), table["top"]);
  EXPECT_EQ(reader.column("status", 40), std::vector<double>(40, 0));
  EXPECT_EQ(reader.column("trajectory_run", 2), (std::vector<double>{0, 20}));
  const std::vector<double> when = reader.column("when", 40);
  EXPECT_TRUE(std::isnan(when[0]));
  EXPECT_EQ(when[39], table["when"][39]);
  const std::vector<double> x = reader.column("trajectory_x", 2 * 81);
  EXPECT_NEAR(x[80], 3 / 0.1 * std::sin(0.4), 1e-9);
}

TEST_F(StudyCommand, XarrayOpensTheRuns) {
  const std::vector<std::string> python = {"/usr/bin/python3", "-c", "import xarray, netCDF4"};
  if (const ChildResult found = run_child(python); !found.started || found.status != 0)
    GTEST_SKIP() << "there is no xarray";
  const std::string model = scratch_.write("oscillator.toml", oscillator);
  const std::string folder = scratch_.path("out");
  const CommandResult result =
      run_cartan(study(model, {"--vary", "w=uniform(1,2)", "--runs", "30", "--keep", "x=final(x)",
                               "--trajectories", "2", "--out", folder}));
  ASSERT_EQ(result.status, 0) << result.err;
  if (!std::filesystem::exists(folder + "/runs.nc")) GTEST_SKIP() << "there is no libnetcdf";
  const ChildResult read = run_child(
      {"/usr/bin/python3", "-c",
       "import sys, xarray\n"
       "d = xarray.open_dataset(sys.argv[1])\n"
       "print(d.sizes['run'], d.sizes['trajectory'], repr(float(d.x.mean())), int(d.status.max()))",
       folder + "/runs.nc"});
  ASSERT_EQ(read.status, 0) << read.err;
  int runs = 0, motions = 0, status = -1;
  double mean = 0;
  ASSERT_EQ(std::sscanf(read.out.c_str(), "%d %d %lf %d", &runs, &motions, &mean, &status), 4)
      << read.out;
  const nlohmann::json json = nlohmann::json::parse(read_file(folder + "/summary.json"));
  EXPECT_EQ(runs, 30);
  EXPECT_EQ(motions, 2);
  EXPECT_EQ(status, 0);
  EXPECT_NEAR(mean, json["quantities"]["x"]["mean"].get<double>(), 1e-14);
}

TEST_F(StudyCommand, TablesOfSamples) {
  const std::string model = scratch_.write("oscillator.toml", oscillator);
  scratch_.write("samples.csv", "a,b\n1,10\n2,20\n3,30\n");
  const std::string file = scratch_.write("study.toml",
                                          "model = \"oscillator.toml\"\n[vary]\nw = { table = { "
                                          "file = \"samples.csv\", column = \"a\" } }\n"
                                          "v0 = { table = { file = \"samples.csv\", column = \"b\" "
                                          "} }\n[keep]\nk = { final = \"w*v0\" }\n");
  const std::string out = scratch_.path("out");
  ASSERT_EQ(run_cartan({"study", file, "--out", out}).status, 0);
  EXPECT_EQ(read_runs(out)["k"], (std::vector<double>{10, 40, 90}));
}

TEST_F(StudyCommand, Charts) {
  const std::string model = scratch_.write("oscillator.toml", oscillator);
  const std::string out = scratch_.path("out");
  ASSERT_EQ(run_cartan(big_study(model, out)).status, 0);
  const nlohmann::json json = expect_json(run_cartan({"plot", out, "--json"}));
  const auto has = [&](const std::string& name) {
    for (const auto& file : json["files"])
      if (file.get<std::string>().ends_with("/" + name + ".svg")) return true;
    return false;
  };
  for (const char* name : {"histogram-top", "scatter-top-w", "scatter-when-v", "map-top",
                           "indices-top", "indices-when"})
    EXPECT_TRUE(has(name)) << name;
  const std::string bars = read_file(out + "/plots/indices-top.svg");
  EXPECT_NE(bars.find("total order"), std::string::npos);
  const std::string grid = scratch_.path("grid");
  ASSERT_EQ(run_cartan(study(model, {"--vary", "w=lin(1,2,5)", "--vary", "v0=log(1,8,4)", "--keep",
                                     "x=final(x)", "--out", grid}))
                .status,
            0);
  EXPECT_EQ(run_cartan({"plot", grid, "--quantity", "x"}).status, 0);
  EXPECT_NE(read_file(grid + "/plots/map-x.svg").find("log10 of v0"), std::string::npos);
  expect_refusal(run_cartan({"plot", grid, "--quantity", "nothing"}), "fits");
}

class LongStudy : public StudyCommand {};

// kill -9 at fifty moments of studies that go on with what was there.
class LongStudyKilled : public StudyCommand, public testing::WithParamInterface<const char*> {};
TEST_P(LongStudyKilled, FiftyTimes) {
  const std::string model = scratch_.write("oscillator.toml", oscillator);
  const std::string whole = scratch_.path("whole"), killed = scratch_.path("killed");
  Random random(21);
  const auto words = [&](const std::string& out, bool resume) {
    Words list = big_study(model, out);
    list.insert(list.end(), {"--step", "0.001", "--threads", "2", "--backend", GetParam()});
    if (resume) list.push_back("--resume");
    return list;
  };
  ASSERT_EQ(run_cartan(words(whole, false)).status, 0);
  const std::string table = read_file(whole + "/runs.csv");
  int kills = 0, ends = 0;
  while (kills < 50 && ends < 100) {
    RunningCommand run(words(killed, true));
    std::this_thread::sleep_for(std::chrono::milliseconds(random.integer(5, 500)));
    run.send(SIGKILL);
    if (run.wait().status == -SIGKILL) {
      ++kills;
      continue;
    }
    ++ends;  // before it was killed: the next one begins anew
    EXPECT_EQ(read_file(killed + "/runs.csv"), table);
    std::filesystem::remove_all(killed);
  }
  EXPECT_EQ(kills, 50);
  ASSERT_EQ(run_cartan(words(killed, true)).status, 0);
  EXPECT_EQ(read_file(killed + "/runs.csv"), table);
}
INSTANTIATE_TEST_SUITE_P(LongBackends, LongStudyKilled, testing::Values("reference", "cpu"));

// Sixteen studies at once, none of whose code is compiled yet: all of them get it, and one copy is
// kept.
TEST_F(LongStudy, SixteenCompileTheSameCode) {
  const std::string model = scratch_.write("oscillator.toml", oscillator);
  const char* const before = std::getenv("XDG_CACHE_HOME");
  const std::string kept = before ? before : "";
  std::filesystem::create_directory(scratch_.path("cache"));
  setenv("XDG_CACHE_HOME", scratch_.path("cache").c_str(), 1);
  const auto words = [&](int k) {
    Words list = big_study(model, scratch_.path("out" + std::to_string(k)));
    list.insert(list.end(), {"--backend", "cpu", "--threads", "1"});
    return list;
  };
  {
    std::vector<std::unique_ptr<RunningCommand>> all;
    for (int k = 0; k < 16; ++k) all.push_back(std::make_unique<RunningCommand>(words(k)));
    for (const auto& each : all) {
      const CommandResult result = each->wait();
      EXPECT_EQ(result.status, 0) << result.err;
    }
  }
  before ? setenv("XDG_CACHE_HOME", kept.c_str(), 1) : unsetenv("XDG_CACHE_HOME");
  const std::string table = read_file(scratch_.path("out0") + "/runs.csv");
  for (int k = 1; k < 16; ++k)
    EXPECT_EQ(read_file(scratch_.path("out" + std::to_string(k)) + "/runs.csv"), table);
  EXPECT_EQ(list_folder(scratch_.path("cache") + "/cartan").size(), 1u);
}

}  // namespace
}  // namespace cartan::test
