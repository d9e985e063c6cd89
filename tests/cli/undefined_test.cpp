// What is not a number is told with its name and time, never printed as a result.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

std::string slider(const std::string& rest) {
  return "name = \"slider\"\ngravity = [0, 0, 0]\n[[body]]\nname = \"b\"\nmass = 1\n[[joint]]\n"
         "name = \"j\"\ntype = \"prismatic\"\naxis = [1, 0, 0]\nparent = { body = \"world\" }\n"
         "child = { body = \"b\" }\nposition = 0.5\nvelocity = 1\n" +
         rest + "[simulate]\nduration = 1\nstep = 0.1\n";
}

TEST(Undefined, OutputsBecomeEmptyCellsThatEveryReaderTakes) {
  const Scratch scratch;
  const std::string model =
      scratch.write("m.toml", slider("[[output]]\nname = \"root\"\nvalue = \"sqrt(0.55 - t)\"\n"));
  const std::string out = scratch.path("out");
  const CommandResult run = run_cartan({"run", model, "--out", out, "--json"});
  const auto json = expect_json(run);
  EXPECT_TRUE(contains(run.err, "'root' is not defined at t = 0.6 and 4 further times")) << run.err;
  EXPECT_EQ(json["undefined"][0]["column"], "root");
  EXPECT_EQ(json["undefined"][0]["count"], 5);
  EXPECT_TRUE(json["final"]["outputs"]["root"].is_null());
  const std::string table = read_file(out + "/trajectory.csv");
  EXPECT_FALSE(contains(table, "nan")) << table;
  EXPECT_TRUE(table.ends_with(",\n")) << "an empty cell: " << table;
  EXPECT_EQ(run_cartan({"run", model, "--from", out, "--duration", "0.1", "--quiet"}).status, 0);
  EXPECT_EQ(run_cartan({"view", out, "--export", scratch.path("page.html")}).status, 0);
  EXPECT_EQ(run_cartan({"plot", out}).status, 0);
  // the same without tables
  const CommandResult bare = run_cartan({"run", model});
  EXPECT_EQ(bare.status, 0);
  EXPECT_TRUE(contains(bare.err, "'root' is not defined at t = 0.6")) << bare.err;
  EXPECT_TRUE(contains(bare.out, "  root   not defined\n")) << bare.out;
}

// A speed whose square is no number any more.
TEST(Undefined, AnEnergyBeyondTheRangeOfNumbers) {
  const Scratch scratch;
  std::string text = slider("");
  text.replace(text.find("velocity = 1"), 12, "velocity = 1e300");
  const CommandResult run = run_cartan({"run", scratch.write("m.toml", text)});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(contains(run.out, "energy       not defined: beyond")) << run.out;
  EXPECT_FALSE(contains(run.out, " inf ")) << run.out;
}

TEST(Undefined, AnEventThatIsNoNumberEndsTheRun) {
  const Scratch scratch;
  for (const auto& [when, time] :
       {std::pair{"sqrt(-1 - t)", "at t = 0:"}, std::pair{"sqrt(0.55 - t) - 2", "at t = 0."}}) {
    const std::string model = scratch.write(
        "m.toml", slider(std::string("[[event]]\nname = \"e\"\nwhen = \"") + when + "\"\n"));
    const CommandResult run = run_cartan({"run", model, "--json"});
    EXPECT_EQ(run.status, 1);
    EXPECT_EQ(run.out, "");
    EXPECT_TRUE(contains(run.err, "the event 'e' is not defined")) << run.err;
    EXPECT_TRUE(contains(run.err, time)) << run.err;
  }
}

TEST(Undefined, EvalAndInverseFailWithTheName) {
  const Scratch scratch;
  const std::string model = scratch.write(
      "m.toml",
      slider("[[force]]\nname = \"f\"\ntype = \"joint\"\njoint = \"j\"\nvalue = \"sqrt(q)\"\n"));
  const std::string state = scratch.write("state.json", "{\"q\": {\"j\": -1}}");
  for (const char* format : {"--json", "--formulation=recursive"}) {
    const CommandResult eval = run_cartan({"eval", model, "--at", state, format});
    EXPECT_EQ(eval.status, 1);
    EXPECT_EQ(eval.out, "");
    EXPECT_TRUE(contains(eval.err, "'acceleration.j[0]' is not a finite number at t = 0"))
        << eval.err;
  }
  const std::string motion =
      scratch.write("motion.csv", "t,j.q0\n0,1\n0.1,0.5\n0.2,0.1\n0.3,-0.5\n0.4,-1\n");
  const CommandResult inverse = run_cartan({"inverse", model, "--motion", motion});
  EXPECT_EQ(inverse.status, 1);
  EXPECT_EQ(inverse.out, "");
  EXPECT_TRUE(contains(inverse.err, "the force j.f0 is not a finite number at t = 0.3"))
      << inverse.err;
  const std::string rates = scratch.write("rates.toml",
                                          "[variables]\nx = { initial = -1, rate = \"1\" }\n"
                                          "y = { initial = -1, rate = \"sqrt(y)\" }\n");
  const CommandResult eval = run_cartan({"eval", rates, "--json"});
  EXPECT_EQ(eval.status, 1);
  EXPECT_EQ(eval.out, "");
  EXPECT_TRUE(contains(eval.err, "the rate of y is not a finite number")) << eval.err;
}

TEST(Undefined, DrivesMustBeSmooth) {
  const Scratch scratch;
  const auto drive = [&](const std::string& position) {
    return scratch.write("m.toml",
                         slider("[[constraint]]\nname = \"motor\"\ntype = \"drive\"\njoint = "
                                "\"j\"\nposition = \"" +
                                position + "\"\n"));
  };
  for (const auto& [position, words] :
       {std::pair{"sqrt(t)", "rate"},
        {"step(t - 0.5)", "its position jumps from 0 to 1 at t = 0.5"},
        {"abs(t - 0.3)", "its rate jumps from -1"},
        {"if(t - 0.7, t, 0.1)", "its position jumps from 0.1 to 0.7 at t = 0.7"},
        {"sqrt(0.5 - t)", "t = 0.5"}}) {
    SCOPED_TRACE(position);
    expect_refusal(run_cartan({"run", drive(position)}), words);
  }
  for (const char* position : {"0.2*sin(3*t)", "max(t - 0.5, 0)^3", "if(t - 0.5, (t - 0.5)^3, 0)",
                               "0.3", "tanh(200*(t - 0.5))", "1e-9*t"}) {
    const CommandResult run = run_cartan({"run", drive(position), "--step", "0.001"});
    EXPECT_EQ(run.status, 0) << position << run.err;
  }
  // jumps are looked for over the time of the run, not of the file alone
  expect_refusal(run_cartan({"run", drive("step(t - 1.5)"), "--duration", "2"}), "at t = 1.5");
}

}  // namespace
}  // namespace cartan::test
