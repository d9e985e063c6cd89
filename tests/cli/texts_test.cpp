// Messages as a user reads them.
#include <gtest/gtest.h>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

TEST(Texts, ATimeHasNoMoreDigitsThanMeanSomething) {
  const Scratch scratch;
  const std::string model =
      scratch.write("clock.toml",
                    "name = \"clock\"\n[variables]\nx = { initial = 0, rate = \"1\" }\n"
                    "[[event]]\nname = \"noon\"\nwhen = \"x - 260.002\"\naction = \"stop\"\n");
  const CommandResult result = run_cartan({"run", model, "--duration", "300", "--step", "0.5"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(contains(result.out + result.err, "stopped at t = 260.002 by event 'noon'"))
      << result.out << result.err;
}

TEST(Texts, ANameIsSuggestedOnce) {
  const Scratch scratch;
  const std::string body = "[[body]]\nname = \"upper\"\nmass = 1\ninertia = [1, 1, 1]\n";
  const CommandResult result = run_cartan(
      {"check",
       scratch.write("twice.toml",
                     "name = \"twice\"\n" + body + body +
                         "[[joint]]\nname = \"j\"\ntype = \"free\"\n"
                         "parent = { body = \"world\" }\nchild = { body = \"zzzzzz\" }\n")});
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(contains(result.err, "expected 'upper' or 'world'")) << result.err;
  EXPECT_FALSE(contains(result.err, "'upper', 'upper'")) << result.err;
}

// What the library says to do, in the words of the command line.
TEST(Texts, RemediesNameTheOptions) {
  const Scratch scratch;
  const CommandResult moving = run_cartan({"linearize", example("pendulum")});
  EXPECT_EQ(moving.status, 2);
  EXPECT_TRUE(contains(moving.err, " % of its rate is no motion along a symmetry")) << moving.err;
  EXPECT_TRUE(contains(moving.err, "a steady state near it (--at equilibrium)")) << moving.err;
  const CommandResult driven = run_cartan({"orbit", example("duffing"), "--period", "6"});
  EXPECT_TRUE(contains(driven.err, "look for a driven orbit (--driven)")) << driven.err;
  const CommandResult parameter = run_cartan(
      {"continue", example("bicycle"), "--parameter", "lean", "--from", "0", "--to", "1"});
  EXPECT_TRUE(contains(parameter.err, "an expression that it sets (--parameter), such as"))
      << parameter.err;
}

}  // namespace
}  // namespace cartan::test
