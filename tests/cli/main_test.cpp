// What stands around the commands: help, version, names that do not exist.
#include <sstream>

#include <gtest/gtest.h>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

const char* const commands[] = {"run",      "check", "eval",  "inverse", "compare",  "orbit",
                                "lyapunov", "new",   "study", "ik",      "optimise", "steer"};

TEST(Cli, HelpListsTheCommands) {
  const CommandResult help = run_cartan({"--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_EQ(help.err, "");
  for (const char* command : commands)
    EXPECT_NE(help.out.find(std::string("\n  ") + command), std::string::npos) << command;
}

TEST(Cli, EveryCommandHasHelpWithAnExample) {
  for (const char* command : commands) {
    const CommandResult help = run_cartan({command, "--help"});
    EXPECT_EQ(help.status, 0) << command;
    EXPECT_EQ(help.err, "") << command;
    EXPECT_NE(help.out.find("Example:\n  cartan " + std::string(command)), std::string::npos)
        << help.out;
    EXPECT_NE(help.out.find("--help"), std::string::npos) << command;
  }
}

// Lines fit a terminal; what every command needs to read a model stands behind its own options.
TEST(Cli, HelpIsFoldedAndInGroups) {
  for (const char* command : commands) {
    std::istringstream help(run_cartan({command, "--help"}).out);
    for (std::string line; std::getline(help, line);)
      EXPECT_TRUE(line.size() <= 100 || line.starts_with("  cartan ")) << command << ": " << line;
  }
  const std::string help = run_cartan({"run", "--help"}).out;
  const std::size_t own = help.find("\n  --duration T "),
                    shared = help.find("\nReading the model:\n");
  ASSERT_NE(own, std::string::npos);
  ASSERT_NE(shared, std::string::npos);
  EXPECT_LT(own, shared);
  EXPECT_GT(help.find("\n  --package NAME=DIR "), shared);
  EXPECT_LT(help.find("\n  --set NAME=VALUE "), own);
}

// A model without a name is called by its file.
TEST(Cli, TextsSayWhichModel) {
  const Scratch scratch;
  const std::string model = scratch.write("plain.toml",
                                          "[variables]\nx = { initial = 0.1, rate = \"-x\" }\n"
                                          "[simulate]\nduration = 1\n");
  const std::vector<std::vector<std::string>> calls = {
      {"run"},
      {"check"},
      {"eval"},
      {"equilibrium"},
      {"linearize", "--at", "equilibrium"},
      {"lyapunov", "--duration", "5"},
      {"optimise", "--free", "x", "--minimise", "final(x)^2"}};
  int told = 0;
  for (std::vector<std::string> words : calls) {
    words.insert(words.begin() + 1, model);
    const std::string out = run_cartan(words).out;
    if (out.empty()) continue;  // refused, on stderr
    ++told;
    EXPECT_NE(out.substr(0, out.find('\n')).find("plain.toml"), std::string::npos)
        << words[0] << ": " << out;
  }
  EXPECT_GE(told, 5);
}

TEST(Cli, Version) {
  const CommandResult version = run_cartan({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_EQ(version.out, "cartan " CARTAN_VERSION "\n");
}

TEST(Cli, NoCommand) {
  expect_refusal(run_cartan({}), "expected a command");
}

TEST(Cli, UnknownCommandGetsASuggestion) {
  expect_refusal(run_cartan({"rnu"}), "did you mean 'run'?");
  expect_refusal(run_cartan({"chekc", "x.toml"}), "did you mean 'check'?");
  expect_refusal(run_cartan({"bicycle"}), "--help");
}

TEST(Cli, CommandsOfOtherVersionsAreNamedAsSuch) {
  for (const char* command : {"sweep"})
    expect_refusal(run_cartan({command, "x.toml"}), "is not part of this version");
}

TEST(Cli, UnknownOptionGetsASuggestion) {
  expect_refusal(run_cartan({"run", "x.toml", "--durration", "3"}), "did you mean '--duration'?");
  expect_refusal(run_cartan({"run", "x.toml", "y.toml"}), "unexpected word 'y.toml'");
}

TEST(Cli, MissingWords) {
  for (const char* command : commands) expect_refusal(run_cartan({command}), "--help");
  expect_refusal(run_cartan({"run", "x.toml", "--step"}), "--step");
  expect_refusal(run_cartan({"run"}), "a word is missing: MODEL, model file");
  expect_refusal(run_cartan({"plot"}), "a word is missing: DIR, folders of results");
}

TEST(Cli, WrongNumbers) {
  expect_refusal(run_cartan({"run", CARTAN_ROOT "/examples/pendulum.toml", "--step", "abc"}),
                 "--step: expected a finite number; in 'abc': unknown name 'abc'");
  expect_refusal(run_cartan({"run", "x.toml", "--step", "1e999"}), "expected a finite number");
  expect_refusal(run_cartan({"run", "x.toml", "--every", "1.5"}),
                 "--every: expected a whole number");
  expect_refusal(run_cartan({"run", "x.toml", "--every", "1e20"}),
                 "--every: expected a whole number");
}

}  // namespace
}  // namespace cartan::test
