// Time stepping over many contacts as a user meets it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

using nlohmann::json;

// Boxes on each other, a tower of three, with a ball on top of another box beside it.
const char* const tower = R"toml(
[[body]]
repeat = 3
name = "box{i}"
density = 500
shape = { box = [0.2, 0.3, 0.1] }
[[joint]]
repeat = 3
name = "fly{i}"
type = "free"
parent = { body = "world" }
child = { body = "box{i}" }
position = { at = ["0.01*i", 0, "0.1*i - 0.05"] }
[[body]]
name = "ball"
density = 1000
shape = { sphere = 0.05 }
[[joint]]
name = "fall"
type = "free"
parent = { body = "world" }
child = { body = "ball" }
position = { at = [0.02, 0.01, 0.5] }
[[contacts]]
bodies = ["box*", "ball"]
against = [{ plane = [0, 0, 1] }, { capsule = [0.05, 1], at = [0.5, 0, 0] }]
friction = 0.5
)toml";

const std::vector<std::string> stepped = {"--integrator", "moreau", "--step", "0.001", "--json"};

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

// The ball falls on the tower and rolls off or rests; the tower stands where it was.
TEST(MoreauCommand, ATowerStands) {
  const Scratch scratch;
  const std::string model = scratch.write("tower.toml", tower);
  const json run = expect_json(run_cartan(with(
      {"run", model, "--duration", "0.5", "--formulation", "absolute-so3r3", "--estimate", "off"},
      stepped)));
  const auto height = [&](const std::string& joint) {
    return run["final"]["q"][joint][6].get<double>();
  };
  for (int i = 1; i <= 3; ++i) EXPECT_NEAR(height("fly" + std::to_string(i)), 0.1 * i - 0.05, 1e-5);
  EXPECT_NEAR(height("fall"), 0.35, 1e-5);  // e = 0: it stays on top
  const json& contacts = run["contacts"];
  EXPECT_GE(contacts["most"], 13);
  EXPECT_LT(contacts["overlap"], 1e-6);
  EXPECT_LT(contacts["residual"], 1e-4);
  EXPECT_LT(run["energy"]["max_drift"], 1e-9);
  EXPECT_LT(run["energy"]["work"], -0.1);  // of the impact
  EXPECT_FALSE(run.contains("impacts"));
}

// A plank lies across two logs that are longer than it is wide: four edges carry it. A ball falls
// on one end, and it stays where it is.
TEST(MoreauCommand, APlankRestsOnLogs) {
  const Scratch scratch;
  const std::string model = scratch.write("logs.toml", R"toml(
[[body]]
name = "plank"
density = 500
shape = { box = [0.8, 0.2, 0.04] }
[[body]]
name = "ball"
density = 500
shape = { sphere = 0.03 }
[[joint]]
name = "lie"
type = "free"
parent = { body = "world" }
child = { body = "plank" }
position = { at = [0, 0, 0.12] }
[[joint]]
name = "fall"
type = "free"
parent = { body = "world" }
child = { body = "ball" }
position = { at = [0.22, 0.05, 0.2] }
[[contacts]]
bodies = ["plank", "ball"]
against = [
  { capsule = [0.05, 1], at = [-0.25, 0, 0.05], rotate = { axis = [1, 0, 0], angle = "pi/2" } },
  { capsule = [0.05, 1], at = [0.25, 0, 0.05], rotate = { axis = [1, 0, 0], angle = "pi/2" } },
]
friction = 0.5
)toml");
  const json run = expect_json(run_cartan(with(
      {"run", model, "--duration", "0.5", "--formulation", "absolute-so3r3", "--estimate", "off"},
      stepped)));
  const json &plank = run["final"]["q"]["lie"], &ball = run["final"]["q"]["fall"];
  EXPECT_NEAR(plank[6].get<double>(), 0.12, 1e-6);
  for (int k = 1; k < 4; ++k) EXPECT_NEAR(plank[k].get<double>(), 0, 1e-5) << k;  // not turned
  EXPECT_NEAR(ball[6].get<double>(), 0.17, 1e-5);
  EXPECT_GE(run["contacts"]["most"], 5);
  EXPECT_LT(run["contacts"]["overlap"], 1e-6);
  EXPECT_EQ(run["contacts"]["unsettled"], 0);
}

// Two capsules that cross meet off their centres, without gravity and friction. The impulse along z
// is P = (1 + e) v / (1/m + 1/M + a^2/I + b^2/J), a and b the arms.
TEST(MoreauCommand, CrossedCapsulesMeet) {
  const Scratch scratch;
  const std::string model = scratch.write("crossed.toml", R"toml(
gravity = [0, 0, 0]
[[body]]
name = "upper"
mass = 2
inertia = [0.01, 0.08, 0.08]
shape = { cylinder = [0.05, 0.6], rotate = { axis = [0, 1, 0], angle = "pi/2" } }
[[body]]
name = "lower"
mass = 3
inertia = [0.05, 0.01, 0.05]
[[joint]]
name = "a"
type = "free"
parent = { body = "world" }
child = { body = "upper" }
position = { at = [0.1, 0, 0.1] }
velocity = [0, 0, 0, 0, 0, -1]
[[joint]]
name = "b"
type = "free"
parent = { body = "world" }
child = { body = "lower" }
position = { at = [0, 0.05, 0] }
[[contacts]]
bodies = [
  { body = "upper", capsule = [0.05, 0.6], rotate = { axis = [0, 1, 0], angle = "pi/2" } },
  { body = "lower", capsule = [0.04, 0.4], rotate = { axis = [1, 0, 0], angle = "pi/2" } },
]
restitution = 0.5
)toml");
  const json run = expect_json(run_cartan(with(
      {"run", model, "--duration", "0.02", "--formulation", "absolute-so3r3", "--estimate", "off"},
      stepped)));
  const json &a = run["final"]["bodies"]["upper"], &b = run["final"]["bodies"]["lower"];
  const double P = 1.5 / (1.0 / 2 + 1.0 / 3 + 0.1 * 0.1 / 0.08 + 0.05 * 0.05 / 0.05);
  EXPECT_NEAR(a["linear"][2].get<double>(), -1 + P / 2, 1e-12);
  EXPECT_NEAR(a["angular"][1].get<double>(), 0.1 * P / 0.08, 1e-12);
  EXPECT_NEAR(b["linear"][2].get<double>(), -P / 3, 1e-12);
  EXPECT_NEAR(b["angular"][0].get<double>(), 0.05 * P / 0.05, 1e-12);
  EXPECT_EQ(run["contacts"]["most"], 1);
  // where impacts are located it is refused, with the way out
  expect_refusal(run_cartan({"run", model, "--integrator", "gl3"}),
                 "a capsule of body 'upper' against a capsule of body 'lower'");
}

// Three logs, one on top of two. They stand while friction is above tan(pi/12) = 0.268: the line
// through both places where a lower log is touched lies in both cones.
TEST(MoreauCommand, ThreeLogsStandByFriction) {
  const Scratch scratch;
  const std::string model = scratch.write("logs.toml", R"toml(
[parameters]
mu = 0.3
[[body]]
repeat = 3
name = "log{i}"
mass = 1
inertia = [0.03, 0.03, 0.00125]
shape = { cylinder = [0.05, 0.6] }
[[joint]]
repeat = 3
name = "lie{i}"
type = "free"
parent = { body = "world" }
child = { body = "log{i}" }
position = { at = ["0.1*i - 0.15 - 0.15*step(i - 2.5)", 0, "0.05 + 0.1*sin(pi/3)*step(i - 2.5)"], axis = [1, 0, 0], angle = "pi/2" }
[[contacts]]
bodies = [{ body = "log*", capsule = [0.05, 0.6] }]
against = { plane = [0, 0, 1] }
friction = "mu"
)toml");
  const auto height = [&](const char* mu) {
    const json run =
        expect_json(run_cartan(with({"run", model, "--duration", "0.5", "--formulation",
                                     "absolute-so3r3", "--estimate", "off", "--set", mu},
                                    stepped)));
    EXPECT_LT(run["contacts"]["overlap"], 1e-6);
    EXPECT_GE(run["contacts"]["most"], 8);  // two for each pair that touches
    return run["final"]["q"]["lie3"][6].get<double>();
  };
  EXPECT_NEAR(height("mu=0.275"), 0.05 + 0.1 * std::sin(M_PI / 3), 1e-5);
  EXPECT_LT(height("mu=0.26"), 0.13);
}

// How far each of twelve of the example's dominoes has turned, in degrees.
std::vector<double> turned_dominoes(const std::string& duration) {
  const json run = expect_json(run_cartan({"run", example("dominoes"), "--set", "n=12",
                                           "--duration", duration, "--estimate", "off", "--json"}));
  std::vector<double> turned;
  for (int i = 1; i <= 12; ++i) {
    const json& q = run["final"]["q"]["stand" + std::to_string(i)];
    turned.push_back(2 * std::atan2(q[2].get<double>(), q[0].get<double>()) * 180 / M_PI);
  }
  return turned;
}

// What the head of the file promises: the front runs at a constant speed, and all fall.
TEST(MoreauCommand, TheRowOfDominoesFalls) {
  const auto front = [](const std::vector<double>& turned) {
    return std::count_if(turned.begin(), turned.end(), [](double angle) { return angle > 10; });
  };
  const long early = front(turned_dominoes("0.3")), middle = front(turned_dominoes("0.38")),
             late = front(turned_dominoes("0.46"));
  EXPECT_GE(middle - early, 2);
  EXPECT_NEAR(static_cast<double>(late - middle), static_cast<double>(middle - early), 1);
  const std::vector<double> end = turned_dominoes("0.75");
  EXPECT_NEAR(end.back(), 90, 2);  // on the table; the others lean on the next
  for (std::size_t i = 0; i + 1 < end.size(); ++i) EXPECT_NEAR(end[i], 70, 6) << i;
}

// Groups of contacts, pairs of them, and stops are one thing to the method.
TEST(MoreauCommand, TakesGroupsAndSingleContactsAlike) {
  const Scratch scratch;
  const std::string ball = R"toml(
[[body]]
repeat = 2
name = "ball{i}"
density = 1000
shape = { sphere = 0.1 }
[[joint]]
repeat = 2
name = "fly{i}"
type = "free"
parent = { body = "world" }
child = { body = "ball{i}" }
position = { at = ["0.05*i", 0, "0.25*i"] }
)toml";
  const std::string law = "restitution = 0.5\nfriction = 0.3\n";
  const std::string group = "[[contacts]]\nbodies = [\"ball*\"]\nagainst = { plane = [0, 0, 1] }\n";
  const std::string pairs =
      "[[contact]]\na = { body = \"ball1\", sphere = 0.1 }\nb = { body = \"ball2\", sphere = 0.1 "
      "}\n" +
      law +
      "[[contact]]\nrepeat = 2\nname = \"floor{i}\"\na = { body = \"ball{i}\", sphere = 0.1 }\n"
      "b = { body = \"world\", plane = [0, 0, 1] }\n" +
      law;
  json ends[2];
  for (const bool grouped : {false, true}) {
    const std::string model = scratch.write("m.toml", ball + (grouped ? group + law : pairs));
    ends[grouped] = expect_json(run_cartan(
        with({"run", model, "--duration", "0.5", "--tolerance", "1e-12"}, stepped)))["final"];
  }
  for (const char* joint : {"fly1", "fly2"})
    for (int k = 0; k < 7; ++k)
      EXPECT_NEAR(ends[0]["q"][joint][k].get<double>(), ends[1]["q"][joint][k].get<double>(), 1e-8)
          << joint << k;
}

// The box of half widths 0.1, 0.15 and 0.05, as a mesh; `dent` moves one corner.
std::string mesh_of_box(const std::string& dent) {
  std::string obj;
  for (int k = 0; k < 8; ++k)
    obj += k == 7 && !dent.empty()
               ? dent
               : std::string("v ") + (k & 1 ? "0.1 " : "-0.1 ") + (k & 2 ? "0.15 " : "-0.15 ") +
                     (k & 4 ? "0.05" : "-0.05") + "\n";
  return obj + "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
}

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return at == std::string::npos ? text : text.replace(at, part.size(), by);
}

// The tower of meshes is the tower of boxes.
TEST(MoreauCommand, MeshesTouchAsWhatTheyAre) {
  const Scratch scratch;
  scratch.write("box.obj", mesh_of_box(""));
  scratch.write("dented.obj", mesh_of_box("v 0.02 0.02 0.02\n"));
  const std::string boxes = scratch.write("boxes.toml", tower);
  const std::string shape = "shape = { box = [0.2, 0.3, 0.1] }";
  const std::string meshes =
      scratch.write("meshes.toml", replaced(tower, shape, "shape = { mesh = \"box.obj\" }"));
  const auto run = [&](const std::string& model) {
    return expect_json(run_cartan(with(
        {"run", model, "--duration", "0.3", "--formulation", "absolute-so3r3", "--estimate", "off"},
        stepped)));
  };
  const json one = run(boxes), other = run(meshes);
  EXPECT_LT(other["contacts"]["overlap"], 1e-6);
  for (const auto& [joint, q] : one["final"]["q"].items())
    for (std::size_t k = 0; k < q.size(); ++k)
      EXPECT_NEAR(q[k].get<double>(), other["final"]["q"][joint][k].get<double>(), 1e-6) << joint;
  // of one with a dent its hull touches, if that is said
  const std::string dented = replaced(tower, shape, "shape = { mesh = \"dented.obj\" }");
  const std::vector<std::string> last = {"--duration", "0.01", "--estimate", "off"};
  expect_refusal(run_cartan(with({"run", scratch.write("d.toml", dented)}, with(stepped, last))),
                 "is not convex");
  const std::string hull =
      replaced(dented, "\"box*\", \"ball\"",
               "{ body = \"box*\", mesh = \"dented.obj\", hull = true }, \"ball\"");
  expect_json(run_cartan(with({"run", scratch.write("h.toml", hull)}, with(stepped, last))));
}

// Solids that fall on each other with edges and corners, turn, and meet elsewhere.
TEST(MoreauCommand, SolidsInATrayDoNotSink) {
  const json run = expect_json(
      run_cartan({"run", example("solids"), "--duration", "0.17", "--estimate", "off", "--json"}));
  const json& contacts = run["contacts"];
  EXPECT_GT(contacts["most"], 60);
  EXPECT_LT(contacts["overlap"], 1e-6);  // ten tolerances, in metres
  EXPECT_EQ(contacts["unsettled"], 0);
  EXPECT_LT(run["energy"]["max_drift"], 1e-11);
}

TEST(MoreauCommand, SaysWhatItCannotDo) {
  const Scratch scratch;
  const std::string model = scratch.write("tower.toml", tower), out = scratch.path("out");
  const auto refuse = [&](const std::vector<std::string>& arguments, const std::string& text) {
    expect_refusal(run_cartan(arguments), text);
  };
  refuse(with({"run", model, "--duration", "0.1", "--out", out, "--record", "contacts"}, stepped),
         "moreau knows the impulses of whole steps");
  refuse({"run", model, "--duration", "0.1", "--step", "0.01"}, "or use the integrator moreau");
  refuse({"lyapunov", model}, "or use the integrator moreau");
  refuse(with({"run", model, "--duration", "0.1", "--formulation", "canonical"}, stepped),
         "use the formulation recursive");
  std::string poisson = tower;
  poisson += "law = \"poisson\"\n";
  refuse(with({"run", scratch.write("p.toml", poisson), "--duration", "0.1"}, stepped),
         "moreau knows Newton's");
  const std::string stop = std::string(CARTAN_ROOT) + "/examples/pendulum_stop.toml";
  refuse(with({"run", stop, "--formulation", "absolute-se3"}, stepped),
         "use the formulation recursive or moving-frame");
  refuse(with({"run", std::string(CARTAN_ROOT) + "/examples/pendulum.toml"}, stepped),
         "moreau steps over contacts");
}

}  // namespace
}  // namespace cartan::test
