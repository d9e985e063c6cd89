// Bad input: exit status 2, a message that says where and what, nothing on stdout, nothing written.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

namespace fs = std::filesystem;

// First line of a bad file: "# expect LINE:COLUMN text"
struct Expectation {
  std::string place, text;
};

Expectation read_expectation(const std::string& path) {
  std::ifstream stream(path);
  std::string hash, word;
  Expectation expected;
  stream >> hash >> word >> expected.place;
  if (word != "expect") return {};
  std::getline(stream >> std::ws, expected.text);
  return expected;
}

TEST(BadInput, EveryBadModelIsRefusedWithPlaceAndReason) {
  const Scratch scratch;
  int files = 0;
  for (const auto& entry : fs::directory_iterator(CARTAN_ROOT "/tests/bad")) {
    if (entry.path().extension() != ".toml") continue;
    SCOPED_TRACE(entry.path().string());
    ++files;
    const CommandResult result = run_cartan({"run", entry.path().string(), "--trust", "--duration",
                                             "0.01", "--out", scratch.path("out")});
    expect_refusal(result, entry.path().filename().string() + ":");
    const Expectation expected = read_expectation(entry.path().string());
    if (expected.place.empty()) continue;
    EXPECT_NE(result.err.find(":" + expected.place + ": "), std::string::npos) << result.err;
    EXPECT_NE(result.err.find(expected.text), std::string::npos) << result.err;
  }
  EXPECT_GE(files, 60);
  EXPECT_TRUE(list_folder(scratch.path("")).empty());
}

TEST(BadInput, ModelFilesThatAreNone) {
  const Scratch scratch;
  scratch.write("double_pendulum.toml", "");
  expect_refusal(run_cartan({"run", scratch.path("double_pendulm.toml")}),
                 "double_pendulum.toml'?");
  expect_refusal(run_cartan({"run", scratch.path("elsewhere/x.toml")}), "there is no such file");
  for (const char* command : {"run", "check", "eval", "compare"}) {
    expect_refusal(run_cartan({command, scratch.path("")}), "this is a folder");
    expect_refusal(run_cartan({command, scratch.path("double_pendulum.toml")}),
                   "the model is empty");
  }
}

TEST(BadInput, OutputThatCannotBeWritten) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"pendulum"});
  const std::string before = read_file(model);
  expect_refusal(run_cartan({"run", model, "--out", model}), "it is a file");
  expect_refusal(run_cartan({"run", model, "--out", model + "/sub"}), "cannot write to the folder");
  expect_refusal(run_cartan({"run", model, "--out", "/proc/nothing/here"}),
                 "cannot write to the folder");
  expect_refusal(run_cartan({"run", model, "--out", ""}), "--out: expected a word");
  EXPECT_EQ(read_file(model), before);
  EXPECT_EQ(list_folder(scratch.path("")), std::vector<std::string>{"pendulum.toml"});
}

TEST(BadInput, SettingsOfRun) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"pendulum"});
  const auto refuse = [&](std::vector<std::string> words, const char* text) {
    words.insert(words.begin(), {"run", model, "--out", scratch.path("out")});
    expect_refusal(run_cartan(words), text);
  };
  refuse({"--integrator", "gl33"}, "did you mean 'gl3'?");
  refuse({"--integrator", "euler"}, "use one of: ");
  refuse({"--formulation", "symbolic"}, "is not part of this version");
  refuse({"--step", "0"}, "step is 0; expected a positive number");
  refuse({"--step", "-1"}, "step is -1");
  refuse({"--duration", "-1"}, "duration is -1");
  refuse({"--every", "0"}, "every is 0");
  refuse({"--tolerance", "0"}, "tolerance is 0");
  refuse({"--tolerance", "2"}, "tolerance is 2");
  refuse({"--record", "reaction"}, "did you mean 'reactions'?");
  refuse({"--stabilisation", "project"}, "--stabilisation");
  refuse({"--from", scratch.path("nowhere")}, "there is no such file");
  EXPECT_FALSE(fs::exists(scratch.path("out")));
  expect_refusal(run_cartan({"run", model, "--record", "power"}), "--out");
}

TEST(BadInput, States) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"top"});
  const auto refuse = [&](const std::string& state, const char* text) {
    expect_refusal(run_cartan({"eval", model, "--at", scratch.write("state.json", state)}), text);
  };
  refuse("{ \"t\": ", "state.json:1:");
  expect_refusal(run_cartan({"eval", model, "--at", scratch.path("stat.json")}), "state.json'?");
  expect_refusal(run_cartan({"run", model, "--from", scratch.path("state.json")}), "state.json:1:");
  refuse("[]", "expected an object");
  refuse("", "this is not JSON");
  refuse(R"({"q": {"pivt": [1, 0, 0, 0]}})", "did you mean 'pivot'?");
  refuse(R"({"q": {"pivot": [1, 0, 0]}})", "expected 4 numbers, got 3");
  refuse(R"({"v": {"pivot": 1}})", "expected 3 numbers, got 1");
  refuse(R"({"v": {"pivot": [1, "a", 0]}})", "expected numbers, got \"a\"");
  refuse(R"({"q": {"pivot": [1.1, 0, 0, 0]}})", "has length 1.1, off by 0.1");
  refuse(R"({"q": {"pivot": [1.0001, 0, 0, 0]}})", "expected length 1 within 1e-06");
  refuse(R"({"w": {}})", "unknown key 'w'");
  refuse(R"({"t": "now"})", "'t': expected a number");
  refuse(R"({"t": 1e999})", "out of range");
}

}  // namespace
}  // namespace cartan::test
