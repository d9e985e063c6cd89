// Output that cannot be written is a failure; complaints that cannot are none. Odd names and files.
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

namespace fs = std::filesystem;

int shell(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(Streams, LostOutputIsAFailure) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"pendulum"}), program = CARTAN_COMMAND;
  const std::string err = scratch.path("err");
  for (const std::string& words :
       {"eval " + model, "check " + model + " --json", "run " + model + " --duration 0.1",
        "equations " + model, "linearize " + model + " --at equilibrium",
        std::string("new pendulum"), std::string("--help"), std::string("run --help")})
    for (const char* target : {">/dev/full", ">&-"}) {
      SCOPED_TRACE(words + target);
      EXPECT_EQ(shell(program + " " + words + " " + target + " 2>" + err), 1);
      EXPECT_NE(read_file(err).find("cartan: the output could not be written: "), std::string::npos)
          << read_file(err);
    }
  EXPECT_EQ(shell(program + " run " + model + " --duration 0.1 --quiet >&-"), 0)
      << "nothing was to be written";
}

TEST(Streams, LostComplaintsAreNone) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"pendulum"}), program = CARTAN_COMMAND;
  for (const char* target : {"2>&-", "2>/dev/full"}) {
    EXPECT_EQ(shell(program + " check /nowhere.toml >/dev/null " + target), 2);
    EXPECT_EQ(shell(program + " no-such-command " + target), 2);
    EXPECT_EQ(shell(program + " run " + model + " --duration 0.1 >/dev/null " + target), 0);
    EXPECT_EQ(shell(program + " eval " + model + " >/dev/full " + target), 1);
  }
  EXPECT_EQ(shell(program + " check " + model + " <&- >&- 2>&-"), 1);
}

TEST(Streams, NoNameSteersTheTerminal) {
  const Scratch scratch;
  const std::string escape = "\x1b]0;title\x07";
  for (const std::string& words : {std::string("check"), std::string("run")}) {
    const CommandResult missing = run_cartan({words, scratch.path("a" + escape + ".toml")});
    EXPECT_EQ(missing.status, 2);
    EXPECT_EQ(missing.err.find('\x1b'), std::string::npos) << missing.err;
    EXPECT_NE(missing.err.find("\\x1b]0;title\\x07"), std::string::npos) << missing.err;
  }
  const CommandResult option = run_cartan({"run",
                                           "--\xc2\x9b"
                                           "31m"});
  EXPECT_EQ(option.err.find("\xc2\x9b"), std::string::npos) << option.err;
  const std::string text =
      "[[body]]\nname = \"b\\u001b[31m\"\nmass = 1\n[[joint]]\nname = \"j\"\ntype = \"revolute\"\n"
      "axis = [0, 0, 1]\nparent = { body = \"world\" }\nchild = { body = \"b\\u001b[31m\" }\n";
  const CommandResult named = run_cartan({"check", scratch.write("m.toml", text)});
  expect_refusal(named, "must not contain");
  EXPECT_EQ(named.err.find('\x1b'), std::string::npos) << named.err;
  expect_refusal(run_cartan({"check", scratch.write("n.toml", "name = \"a\\u0007\"\n" + text)}),
                 "the name of the model must not contain");
}

TEST(Streams, FileNamesMayBeginWithADash) {
  const Scratch scratch;
  const std::string program = CARTAN_COMMAND;
  fs::copy_file(scratch.write_template({"pendulum"}), scratch.path("-p.toml"));
  const std::string there = "cd " + scratch.path("") + " && " + program;
  EXPECT_EQ(shell(there + " check -- -p.toml >/dev/null"), 0);
  EXPECT_EQ(shell(there + " check ./-p.toml >/dev/null"), 0);
  EXPECT_EQ(shell(there + " run --duration 0.1 --quiet --out=-result -- -p.toml"), 0);
  EXPECT_TRUE(fs::exists(scratch.path("-result/trajectory.csv")));
  EXPECT_EQ(shell(there + " plot -- -result >/dev/null"), 0);
  EXPECT_EQ(shell(there + " check -- -p.toml extra 2>/dev/null"), 2);
  EXPECT_EQ(shell(there + " check -p.toml 2>" + scratch.path("err")), 2);
  EXPECT_NE(read_file(scratch.path("err")).find("write it after --"), std::string::npos)
      << read_file(scratch.path("err"));
}

}  // namespace
}  // namespace cartan::test
