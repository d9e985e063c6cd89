// Repetition and parts against files that say the same at length.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/example.h"
#include "unit/io/model_files.h"

namespace cartan::test {
namespace {

std::vector<double> rates_at_start(const std::optional<Model>& model) {
  if (!model) return {};
  std::string problem;
  const auto system = make_system(*model, parameter_values(*model), "recursive", problem);
  EXPECT_TRUE(system) << problem;
  if (!system) return {};
  State state = system->initial_state();
  for (std::size_t k = 0; k < state.x.size(); ++k)
    state.x[k] += 0.2 * std::sin(1.3 * static_cast<double>(k));
  std::vector<double> rates(state.x.size());
  const auto workspace = system->make_workspace();
  system->derivative(state, rates, *workspace);
  return rates;
}

std::string link_text(int i) {
  const std::string n = std::to_string(i), before = std::to_string(i - 1);
  return "[[body]]\nname = \"link" + n + "\"\nmass = \"m/" + n +
         "\"\ncom = [0, 0, \"-L/2\"]\ninertia = [0.1, 0.1, 0.1]\n"
         "[[joint]]\nname = \"joint" +
         n + "\"\ntype = \"revolute\"\naxis = [0, 1, 0]\n" +
         (i == 1 ? "parent = { body = \"world\" }\nvelocity = 2\n"
                 : "parent = { body = \"link" + before + "\", at = [0, 0, \"-L\"] }\n") +
         "child = { body = \"link" + n + "\" }\nposition = \"0.1*" + n + "\"\n";
}

const std::string numbers = "[parameters]\nn = 5\nm = 3\nL = 0.5\n";
const std::string short_chain = R"(
[[body]]
repeat = "n"
name = "link{i}"
mass = "m/i"
com = [0, 0, "-L/2"]
inertia = [0.1, 0.1, 0.1]
[[joint]]
repeat = "n"
name = "joint{i}"
type = "revolute"
axis = [0, 1, 0]
parent = { body = "link{i-1}", at = [0, 0, "-L"] }
child = { body = "link{i}" }
position = "0.1*i"
first = { parent = { body = "world" }, velocity = 2 }
)";

TEST(Repeat, ChainIsTheOneWrittenOut) {
  const Loaded brief = load_model_text(numbers + short_chain);
  ASSERT_TRUE(brief.model) << brief.problems.text();
  std::string all = numbers;
  for (int i = 1; i <= 5; ++i) all += link_text(i);
  const Loaded whole = load_model_text(all);
  ASSERT_TRUE(whole.model) << whole.problems.text();
  EXPECT_EQ(brief.model->bodies.size(), 5u);
  EXPECT_EQ(rates_at_start(brief.model), rates_at_start(whole.model));  // bit for bit
}

TEST(Repeat, ReachesEverySection) {
  const Loaded loaded = load_model_text(numbers + short_chain + R"(
[[force]]
repeat = "n - 1"
type = "joint"
joint = "joint{i+1}"
value = "-i*q - 'joint{i}'.q"
[[constraint]]
repeat = 1
type = "coupler"
terms = [["joint{i}", 1], ["joint{n}", "-i"]]
[[output]]
repeat = "n"
name = "tip{i}"
value = "link{i}.x*i"
[[event]]
repeat = 2
name = "e{2*i}"
when = "t - i"
)");
  ASSERT_TRUE(loaded.model) << loaded.problems.text();
  EXPECT_EQ(loaded.model->forces.size(), 4u);
  EXPECT_EQ(loaded.model->outputs.size(), 5u);
  EXPECT_EQ(loaded.model->events[1].name, "e4");
}

std::string told(const std::string& text) {
  const Loaded loaded = load_model_text(text);
  EXPECT_FALSE(loaded.model);
  return loaded.problems.text();
}

TEST(Repeat, Refusals) {
  const auto expect_told = [](const std::string& text, const char* what) {
    EXPECT_NE(told(text).find(what), std::string::npos) << told(text);
  };
  const std::string body = "[[body]]\nname = \"b{i}\"\nmass = 1\n";
  expect_told(body + "repeat = \"k\"\n", "model:4:10: 'repeat': unknown name 'k'");
  expect_told(body + "repeat = 1.5\n", "whole number from 0 to 100000");
  expect_told(body + "repeat = 1e9\n", "whole number from 0 to 100000");
  expect_told(body + "repeat = -1\n", "whole number from 0 to 100000");
  expect_told(body + "repeat = 2\nfirst = 3\n", "a table of keys");
  expect_told("[[body]]\nname = \"b\"\nmass = 1\nfirst = {}\n", "'first' belongs to");
  expect_told("[[body]]\nname = \"b{i\"\nmass = 1\nrepeat = 2\n", "must be a whole number of i");
  expect_told("[[body]]\nname = \"b{i/2}\"\nmass = 1\nrepeat = 2\n", "must be a whole number of i");
  expect_told("[[body]]\nname = \"b\"\nmass = 1\nrepeat = 2\n", "duplicate body name 'b'");
  expect_told("[parameters]\na = \"b\"\nb = \"a\"\n" + body + "repeat = \"a\"\n", "in a circle");
}

class Parts : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("cartan-parts-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_ / "sub");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream((folder_ / name).string()) << text;
    return (folder_ / name).string();
  }
  Loaded load(const std::string& path, const ReadOptions& options = {}) const {
    Loaded result{Diagnostics(path), std::nullopt};
    if (const auto description = read_model_file(path, result.problems, options))
      result.model = check_model(*description, result.problems);
    return result;
  }
  std::filesystem::path folder_;
};

const char* const leg = R"(
gravity = [0, 0, -1]
[parameters]
length = 0.5
m = "2*length"
[definitions]
pull = "k0*hip.q"
k0 = "length*10"
[[body]]
name = "thigh"
mass = "m"
com = [0, 0, "-length/2"]
inertia = [0.1, 0.1, 0.1]
[[joint]]
name = "hip"
type = "revolute"
axis = [0, 1, 0]
parent = { body = "world", at = [0, 0, "-length/10"] }
child = { body = "thigh" }
position = 0.2
[[force]]
type = "joint"
joint = "hip"
value = "-pull - 0.3*v"
[[force]]
type = "spring"
from = { body = "world" }
to = { body = "thigh", at = [0.1, 0, 0] }
stiffness = "m"
)";
const std::string trunk = R"(
[parameters]
L = 0.4
[[body]]
name = "trunk"
mass = 5
inertia = [1, 1, 1]
[[joint]]
name = "slide"
type = "prismatic"
axis = [0, 0, 1]
parent = { body = "world" }
child = { body = "trunk" }
)";

// Keys that are the world where they are left out are the body that the part stands on.
TEST_F(Parts, GroundOfElementsIsWhatThePartStandsOn) {
  write("foot.toml", R"(
[variables]
bend = { initial = 0 }
[[body]]
name = "foot"
mass = 1
inertia = [1, 1, 1]
[[joint]]
name = "ankle"
type = "free"
parent = { body = "world" }
child = { body = "foot" }
[[constraint]]
type = "point-on-plane"
body = "foot"
plane = { normal = [0, 0, 1] }
[[constraint]]
type = "knife-edge"
body = "foot"
normal = [0, 1, 0]
[[force]]
type = "wrench"
body = "foot"
force = [1, 0, 0]
[[force]]
type = "tyre"
body = "foot"
axis = [0, 1, 0]
radius = 0.3
stiffness = 10
relaxation = 0.1
deflection = "bend"
)");
  const std::string path =
      write("robot.toml", trunk + "[[part]]\nfile = \"foot.toml\"\nname = \"a\"\non = \"trunk\"\n");
  const Loaded parts = load(path);
  ASSERT_TRUE(parts.model) << parts.problems.text();
  const Model& model = *parts.model;
  const int ground = model.joints[model.find_joint("a_ankle")].parent.body;
  EXPECT_NE(ground, world);
  ASSERT_EQ(model.constraints.size(), 2u);
  ASSERT_EQ(model.forces.size(), 2u);
  EXPECT_EQ(std::get<PointOnPlaneConstraint>(model.constraints[0].law).plane.body, ground);
  EXPECT_EQ(std::get<KnifeEdgeConstraint>(model.constraints[1].law).on, ground);
  EXPECT_EQ(std::get<WrenchForce>(model.forces[0].law).frame, ground);
  EXPECT_EQ(std::get<TyreForce>(model.forces[1].law).on, ground);
}

TEST_F(Parts, AreTheFileWrittenOut) {
  write("leg.toml", leg);
  const std::string path = write("robot.toml", trunk + R"(
[[part]]
file = "leg.toml"
name = "left"
on = "trunk"
at = [0, "L/2", 0]
rotate = { rpy = [0.1, 0.2, 0.3] }
set = { length = "2*L" }
[[output]]
name = "bend"
value = "left_hip.q + left_pull*0"
)");
  const Loaded parts = load(path);
  ASSERT_TRUE(parts.model) << parts.problems.text();
  const Loaded whole = load_model_text(trunk + R"(
[[body]]
name = "mount"
mass = 0
[[body]]
name = "thigh"
mass = "4*L"
com = [0, 0, "-L"]
inertia = [0.1, 0.1, 0.1]
[[joint]]
name = "mount"
type = "fixed"
parent = { body = "trunk", at = [0, "L/2", 0], rotate = { rpy = [0.1, 0.2, 0.3] } }
child = { body = "mount" }
[[joint]]
name = "hip"
type = "revolute"
axis = [0, 1, 0]
parent = { body = "mount", at = [0, 0, "-L/5"] }
child = { body = "thigh" }
position = 0.2
[[force]]
type = "joint"
joint = "hip"
value = "-20*L*hip.q - 0.3*v"
[[force]]
type = "spring"
from = { body = "mount" }
to = { body = "thigh", at = [0.1, 0, 0] }
stiffness = "4*L"
)");
  ASSERT_TRUE(whole.model) << whole.problems.text();
  const auto a = rates_at_start(parts.model), b = rates_at_start(whole.model);
  EXPECT_LT(test::largest_difference(a, b), 1e-13);
  EXPECT_GT(std::abs(b[3]), 1e-2);
  EXPECT_GE(parts.model->find_parameter("left_length"), 0);
}

TEST_F(Parts, InsidePartsRepeatedAndSet) {
  std::string with_toes = leg;
  with_toes.insert(with_toes.find("length = 0.5"), "toes = 1\n");
  write("sub/leg.toml", with_toes +
                            "[[body]]\nrepeat = \"toes\"\nname = \"toe{i}\"\nmass = 1\n"
                            "[[joint]]\nrepeat = \"toes\"\nname = \"toe{i}\"\ntype = \"fixed\"\n"
                            "parent = { body = \"thigh\" }\nchild = { body = \"toe{i}\" }\n");
  write("sub/pair.toml",
        "[parameters]\ntoes = 2\n[[part]]\nrepeat = 2\nfile = \"leg.toml\"\nname = \"leg{i}\"\n"
        "at = [0, \"i\", 0]\nset = { toes = \"toes\" }\n");
  const std::string path =
      write("robot.toml", trunk +
                              "[[part]]\nfile = \"sub/pair.toml\"\nname = \"front\"\n"
                              "on = \"trunk\"\nset = { toes = 3 }\n");
  const Loaded loaded = load(path);
  ASSERT_TRUE(loaded.model) << loaded.problems.text();
  EXPECT_GE(loaded.model->find_joint("front_leg2_hip"), 0);
  EXPECT_GE(loaded.model->find_joint("front_leg1_toe3"), 0);
  EXPECT_LT(loaded.model->find_joint("front_leg1_toe4"), 0);
}

TEST_F(Parts, Refusals) {
  write("leg.toml", leg);
  const auto expect_told = [&](const std::string& text, const char* what) {
    const std::string path = write("robot.toml", trunk + text);
    const Loaded loaded = load(path);
    EXPECT_FALSE(loaded.model);
    EXPECT_NE(loaded.problems.text().find(what), std::string::npos) << loaded.problems.text();
  };
  const std::string part = "[[part]]\nfile = \"leg.toml\"\nname = \"a\"\n";
  expect_told(part + part, "duplicate part name 'a'; the first is in line 16");
  expect_told(part + "set = { lenght = 1 }\n", "did you mean 'length'?");
  expect_told(part + "[[body]]\nname = \"a_thigh\"\nmass = 1\n", "leg.toml:10:8: duplicate body");
  expect_told("[[part]]\nname = \"a\"\n", "missing key 'file'");
  expect_told("[[part]]\nfile = \"robot.toml\"\nname = \"a\"\n", "is a part of itself");
  expect_told("[[part]]\nfile = \"none.toml\"\nname = \"a\"\n", "cannot be opened");
  expect_told("[[part]]\nfile = \"../x.toml\"\nname = \"a\"\n", "lies outside the folder");
  expect_told(part + "on = \"nobody\"\n", "nobody");
  write("leg.toml", "[[body]]\nname = 3\n");
  expect_told(part, "leg.toml:2:8: expected a text");
  write("leg.toml", "[[body]]\nname = \n");
  expect_told(part, "leg.toml:2:");
}

}  // namespace
}  // namespace cartan::test
