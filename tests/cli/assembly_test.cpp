// The start of closed mechanisms as users see it: what they wrote is kept in file order, and what
// could not be kept is listed.
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/closed_models.h"
#include "cli/command_line.h"

namespace cartan::test {
namespace {

using nlohmann::json;

// The slider-crank of the examples with other words for its joints.
std::string slider_crank(const std::string& crank, const std::string& pin,
                         const std::string& cylinder, const std::string& wrist = "") {
  std::string text = read_file(example_path("slider_crank"));
  text = replaced(text, "position = \"start\"\nvelocity = \"speed\"\n", crank);
  text = replaced(text, "position = \"tilt - start\"\nvelocity = \"tilt_rate - speed\"\n", pin);
  text = replaced(text,
                  "position = \"r*cos(start) + L*cos(tilt)\"\n"
                  "velocity = \"-r*sin(start)*speed - L*sin(tilt)*tilt_rate\"\n",
                  cylinder);
  const std::string closing =
      "parent = { body = \"rod\", at = [\"L\", 0, 0] }\nchild = { body = "
      "\"piston\" }\n";
  return replaced(text, closing, closing + wrist);
}

json start_of(const std::string& model, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"run", model, "--duration", "0", "--json"});
  return expect_json(run_cartan(more));
}

const char* const formulations[] = {"recursive", "moving-frame", "absolute-se3", "absolute-so3r3",
                                    "rotation-elements"};

TEST(Assembly, SpeedOfTheCrankIsKeptExactly) {
  const Scratch scratch;
  const std::string model = scratch.write(
      "crank.toml", slider_crank("position = \"start\"\nvelocity = \"2*pi*50\"\n", "", ""));
  for (const char* formulation : formulations) {
    SCOPED_TRACE(formulation);
    const json start = start_of(model, {"--formulation", formulation});
    const bool joints =
        std::string(formulation) == "recursive" || std::string(formulation) == "moving-frame";
    const double rounding = joints ? 0 : 1e-12;
    EXPECT_NEAR(start["final"]["v"]["main_bearing"][0], 2 * M_PI * 50, 1e3 * rounding);
    EXPECT_NEAR(start["final"]["q"]["main_bearing"][0], 1.0, rounding);
    EXPECT_TRUE(start["assembly"]["changed"].empty()) << start["assembly"];
    EXPECT_LT(start["constraint"]["max_velocity"], 1e-9);
    const double tilt = -std::asin(0.05 * std::sin(1.0) / 0.16);
    EXPECT_NEAR(start["final"]["q"]["cylinder"][0], 0.05 * std::cos(1.0) + 0.16 * std::cos(tilt),
                1e-12);
  }
}

// The first one wins; the later one is a guess, and listed.
TEST(Assembly, WhatWasNotKeptIsListed) {
  const Scratch scratch;
  const std::string model =
      scratch.write("both.toml", slider_crank("position = \"start\"\nvelocity = \"speed\"\n", "",
                                              "position = 0.2\nvelocity = 7\n"));
  const double tilt = -std::asin(0.05 * std::sin(1.0) / 0.16);
  const double stroke = 0.05 * std::cos(1.0) + 0.16 * std::cos(tilt);
  const json run = start_of(model), check = expect_json(run_cartan({"check", model, "--json"}));
  for (const json& changed : {run["assembly"]["changed"], check["assembly"]["changed"]}) {
    ASSERT_EQ(changed.size(), 2u);
    EXPECT_EQ(changed[0]["joint"], "cylinder");
    EXPECT_EQ(changed[0]["what"], "position");
    EXPECT_EQ(changed[0]["written"], 0.2);
    EXPECT_NEAR(changed[0]["used"], stroke, 1e-12);
    EXPECT_EQ(changed[1]["joint"], "cylinder");
    EXPECT_EQ(changed[1]["what"], "velocity");
    EXPECT_EQ(changed[1]["written"], 7.0);
    EXPECT_LT(changed[1]["used"], -4);
  }
  EXPECT_EQ(run["final"]["v"]["main_bearing"][0], 100.0);
  for (const char* command : {"run", "check"}) {
    const CommandResult text = run_cartan({command, model});
    EXPECT_NE(text.out.find("not kept: position of 'cylinder', written 0.2, used 0.18"),
              std::string::npos)
        << text.out;
  }
}

TEST(Assembly, OrderInTheFileDecides) {
  const Scratch scratch;
  // the piston stands first now
  std::string text =
      slider_crank("position = 1.2\nvelocity = 100\n", "", "position = 0.18\nvelocity = -3\n");
  const std::size_t crank = text.find("[[joint]]                  # angles"),
                    piston = text.find("[[joint]]\nname = \"cylinder\""),
                    wrist = text.find("[[joint]]                  # closes");
  ASSERT_LT(crank, piston);
  ASSERT_LT(piston, wrist);
  text = text.substr(0, crank) + text.substr(piston, wrist - piston) +
         text.substr(crank, piston - crank) + text.substr(wrist);
  const json start = start_of(scratch.write("piston_first.toml", text));
  EXPECT_EQ(start["final"]["q"]["cylinder"][0], 0.18);
  EXPECT_EQ(start["final"]["v"]["cylinder"][0], -3.0);
  EXPECT_EQ(start["assembly"]["changed"][0]["joint"], "main_bearing");
}

// What is written for the joint that closes the loop counts in the same order.
TEST(Assembly, LoopJointsCountToo) {
  const Scratch scratch;
  const json start = start_of(
      scratch.write("wrist.toml", slider_crank("", "", "", "position = 0.25\nvelocity = -20\n")));
  EXPECT_NEAR(start["final"]["q"]["wrist_pin"][0], 0.25, 1e-11);
  EXPECT_NEAR(start["final"]["v"]["wrist_pin"][0], -20, 1e-9);
  EXPECT_TRUE(start["assembly"]["changed"].empty()) << start["assembly"];
  const json after = start_of(scratch.write(
      "after.toml", slider_crank("position = 1\n", "", "", "position = 0.1\nvelocity = -20\n")));
  EXPECT_EQ(after["final"]["q"]["main_bearing"][0], 1.0);
  EXPECT_NEAR(after["final"]["v"]["wrist_pin"][0], -20, 1e-9);
  ASSERT_EQ(after["assembly"]["changed"].size(), 1u) << after["assembly"];
  EXPECT_EQ(after["assembly"]["changed"][0]["joint"], "wrist_pin");
}

// Free to first order, but out of reach: the nearest start is used and the value listed.
TEST(Assembly, AValueOutOfReachIsAGuess) {
  const Scratch scratch;
  const json start =
      start_of(scratch.write("far.toml", slider_crank("position = 0.4\n", "", "position = 0.5\n")));
  EXPECT_EQ(start["final"]["q"]["main_bearing"][0], 0.4);
  const json alone =
      start_of(scratch.write("alone.toml", slider_crank("", "", "position = 0.5\n")));
  EXPECT_LT(alone["final"]["q"]["cylinder"][0], 0.21 + 1e-9);
  EXPECT_EQ(alone["assembly"]["changed"][0]["joint"], "cylinder");
}

// At the dead centre the piston cannot be given a speed; the crank can.
TEST(Assembly, DeadCentre) {
  const Scratch scratch;
  const json start = start_of(scratch.write(
      "dead.toml", slider_crank("position = 0\n", "", "velocity = 2\n", "velocity = 30\n")));
  ASSERT_EQ(start["assembly"]["changed"].size(), 1u) << start["assembly"];
  EXPECT_EQ(start["assembly"]["changed"][0]["what"], "velocity");
  EXPECT_NEAR(start["assembly"]["changed"][0]["used"], 0, 1e-12);
  EXPECT_NEAR(start["final"]["v"]["wrist_pin"][0], 30, 1e-9);
}

// A partial state is a start like the file's.
TEST(Assembly, StatesOfUsersAreKeptToo) {
  const Scratch scratch;
  const std::string state =
      scratch.write("state.json", R"({"t": 0, "q": {"main_bearing": [2.0]}, "v": {}})");
  const json start = start_of(example_path("slider_crank"), {"--from", state});
  EXPECT_EQ(start["final"]["q"]["main_bearing"][0], 2.0);
  EXPECT_LT(start["constraint"]["max_position"], 1e-12);
}

// A coupler whose start must be assembled.
TEST(Assembly, Coupler) {
  const Scratch scratch;
  std::string text = "name = \"wheels\"\n";
  for (const char* name : {"a", "b"})
    text += fmt::format(R"(
[[body]]
name = "{0}"
mass = 1
inertia = [0.1, 0.1, 0.1]
[[joint]]
name = "j{0}"
type = "revolute"
axis = [0, 0, 1]
parent = {{ body = "world" }}
child = {{ body = "{0}" }}
{1}
)",
                        name, name[0] == 'a' ? "position = 0.6\nvelocity = 3" : "");
  text +=
      "[[constraint]]\nname = \"gear\"\ntype = \"coupler\"\nterms = [[\"ja\", 1], [\"jb\", -3]]\n"
      "offset = 0.3\n";
  const json start = start_of(scratch.write("wheels.toml", text));
  EXPECT_EQ(start["final"]["q"]["ja"][0], 0.6);
  EXPECT_NEAR(start["final"]["q"]["jb"][0], 0.1, 1e-14);
  EXPECT_EQ(start["final"]["v"]["ja"][0], 3.0);
  EXPECT_NEAR(start["final"]["v"]["jb"][0], 1.0, 1e-14);
}

}  // namespace
}  // namespace cartan::test
