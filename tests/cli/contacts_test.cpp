// Contacts and jumps as a user meets them, beside [variables].
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

using nlohmann::json;

// A ball dropped from 1 m beside a variable that decays and is lifted by 5 at t = 1.
const char* const ball = R"toml(
name = "ball and decay"
[[body]]
name = "ball"
mass = 1
inertia = [0.01, 0.01, 0.01]
[[joint]]
name = "flight"
type = "prismatic"
axis = [0, 0, 1]
parent = { body = "world" }
child = { body = "ball" }
position = 1
[[contact]]
name = "floor"
a = { body = "ball" }
b = { body = "world", plane = [0, 0, 1] }
restitution = 0.8
[variables]
level = { initial = 2, rate = "-level" }
[[event]]
name = "lift"
when = "t - 1"
set = { level = "level + 5" }
[simulate]
duration = 2
step = 0.01
)toml";

TEST(Contacts, ImpactsAndJumpsLeaveVariablesWhatTheyAre) {
  const Scratch scratch;
  const std::string model = scratch.write("ball.toml", ball);
  const json run = expect_json(run_cartan({"run", model, "--integrator", "gl3", "--json"}));
  EXPECT_EQ(run["impacts"], 3);  // at 0.4515, 1.1740, 1.7519
  EXPECT_NEAR(run["final"]["variables"]["level"], (2 * std::exp(-1) + 5) * std::exp(-1), 1e-11);
  EXPECT_LT(run["energy"]["max_drift"], 1e-12);
  const double v1 = std::sqrt(2 * 9.81), lost = 0.5 * v1 * v1 * (1 - std::pow(0.8, 6));
  EXPECT_NEAR(run["energy"]["lost_in_impacts"], lost, 1e-11);
}

TEST(Contacts, ImpactsAreATable) {
  const Scratch scratch;
  const std::string model = scratch.write("ball.toml", ball), out = scratch.path("run");
  ASSERT_EQ(
      run_cartan({"run", model, "--out", out, "--record", "contacts,forces", "--quiet"}).status, 0);
  const std::string impacts = read_file(scratch.path("run/impacts.csv"));
  EXPECT_EQ(impacts.substr(0, impacts.find('\n')),
            "t,contact,speed_before,speed_after,normal,tangential,energy_lost");
  EXPECT_NE(impacts.find("0.451523640985730"), std::string::npos) << impacts;
  const std::string contacts = read_file(scratch.path("run/contacts.csv"));
  EXPECT_EQ(contacts.substr(0, contacts.find('\n')),
            "t,floor.gap,floor.mode,floor.normal,floor.tangential");
}

TEST(Contacts, OtherFormulationsRefuseWithARemedy) {
  const Scratch scratch;
  const std::string model = scratch.write("ball.toml", ball);
  for (const char* formulation : {"rotation-elements", "canonical", "generated"}) {
    const CommandResult result = run_cartan({"run", model, "--formulation", formulation});
    EXPECT_EQ(result.status, 2) << formulation;
    EXPECT_NE(result.err.find("use the formulation recursive"), std::string::npos) << result.err;
  }
}

// A surface that lets go parts with the third power of time, less than the error of the polynomial
// within a step at first: with long steps that was taken for touching again, a thousand times.
TEST(Contacts, WhatLetsGoHasLetGo) {
  const auto steps = [](const char* example, const char* step) {
    const json run =
        expect_json(run_cartan({"run", std::string(CARTAN_ROOT) + "/examples/" + example, "--step",
                                step, "--estimate", "off", "--json"}));
    return std::pair(run["steps"].get<int>(), run["impacts"].get<int>());
  };
  // 1.2 s; the steps cut by two impacts and by the wall that lets go
  EXPECT_EQ(steps("falling_ladder.toml", "0.005"), std::pair(240 + 2, 2));
  EXPECT_EQ(steps("falling_ladder.toml", "0.01"), std::pair(120 + 2, 2));
  EXPECT_EQ(steps("falling_ladder.toml", "0.015"), std::pair(80 + 2, 2));
  EXPECT_EQ(steps("shaken_ball.toml", "0.003").second, 36);
}

// Rows of contacts are no constraints whose violation could be watched.
TEST(Contacts, CompareRunsThroughThem) {
  const CommandResult result =
      run_cartan({"compare", std::string(CARTAN_ROOT) + "/examples/billiard_ball.toml",
                  "--duration", "0.02", "--integrators", "rk45,gl3"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("gl3"), std::string::npos) << result.out;
}

// z = e v1 s - g s^2/2 after the impact, s = T - t1: the restitution that reaches a height, and the
// one that gives an integral of z.
TEST(Contacts, OptimiseGoesThroughThem) {
  const Scratch scratch;
  std::string text = ball;
  const auto put = [&](const std::string& old, const std::string& by) {
    text.replace(text.find(old), old.size(), by);
  };
  put("[[body]]", "[parameters]\ne = 0.5\n[[body]]");
  put("restitution = 0.8", "restitution = \"e\"");
  const std::string model = scratch.write("ball.toml", text);
  const double g = 9.81, T = 0.9, v1 = std::sqrt(2 * g), t1 = v1 / g, s = T - t1;
  const auto best = [&](const std::string& goal) {
    const json found = expect_json(run_cartan(
        {"optimise", model, "--free", "e", "--minimise", goal, "--duration", "0.9", "--json"}));
    EXPECT_TRUE(found["converged"].get<bool>()) << goal;
    return found["parameters"]["e"].get<double>();
  };
  EXPECT_NEAR(best("(final(flight.q) - 0.3)^2"), (0.3 + g * s * s / 2) / (v1 * s), 1e-6);
  const double before = t1 - g * t1 * t1 * t1 / 6;
  EXPECT_NEAR(best("(integral(flight.q) - 0.45)^2"),
              (0.45 - before + g * s * s * s / 6) / (v1 * s * s / 2), 1e-6);
}

// C6.a: one step of the compass walker is an orbit up to a swap of its legs.
TEST(Contacts, OneStepOfAWalker) {
  const std::string walker = std::string(CARTAN_ROOT) + "/examples/compass_walker.toml";
  const json found = expect_json(
      run_cartan({"orbit", walker, "--swap", "left=right", "--period", "0.72", "--json"}));
  EXPECT_NEAR(found["period"].get<double>(), 0.7196522123623954, 1e-9);
  std::vector<std::complex<double>> m;
  for (const json& z : found["multipliers"]) m.push_back({z[0], z[1]});
  ASSERT_EQ(m.size(), 5u);
  EXPECT_NEAR(std::abs(m[0] - 1.0), 0, 1e-8);
  EXPECT_NEAR(std::abs(m[1] - 1.0), 0, 1e-8);
  EXPECT_NEAR(m[2].real(), 0.0980425618987221, 1e-8);
  EXPECT_NEAR(std::fabs(m[2].imag()), 0.584387250562495, 1e-8);
  EXPECT_NEAR(m[4].real(), 0.1604888994258, 1e-8);
  EXPECT_NEAR(found["shifts"]["plane.q0"].get<double>(), 0.47, 0.1);
}

// C6.a: from half a degree through the first period doubling by one command.
TEST(LongContacts, BranchOfAWalker) {
  const std::string walker = std::string(CARTAN_ROOT) + "/examples/compass_walker.toml";
  const json found =
      expect_json(run_cartan({"continue", walker, "--of", "orbit", "--swap", "left=right",
                              "--period", "0.72", "--parameter", "slope", "--from",
                              "0.008726646259971648", "--to", "0.08", "--step", "0.1", "--json"}));
  double doubling = 0;
  for (const json& b : found["bifurcations"])
    if (b["kind"] == "period-doubling") doubling = b["parameter"];
  EXPECT_NEAR(doubling, 4.390898249602157 * std::acos(-1.0) / 180, 1e-8);
}

TEST(Contacts, ASwapMustNameEqualParts) {
  const std::string walker = std::string(CARTAN_ROOT) + "/examples/compass_walker.toml";
  expect_refusal(run_cartan({"orbit", walker, "--swap", "left", "--period", "0.72"}),
                 "expected two names");
  expect_refusal(run_cartan({"orbit", walker, "--swap", "left=middle", "--period", "0.72"}),
                 "which there is not");
}

// Three balls that fall beside each other towards a floor and a wall.
std::string falling_balls(const std::string& contacts) {
  return R"toml(
[[body]]
repeat = 3
name = "ball{i}"
density = 1000
shape = { sphere = 0.1 }
[[joint]]
repeat = 3
name = "fly{i}"
type = "free"
parent = { body = "world" }
child = { body = "ball{i}" }
position = { at = ["0.12*i", 0, "0.3*i"] }
)toml" + contacts +
         "[simulate]\nduration = 1\nstep = 0.01\n";
}

TEST(ContactGroups, AreTheirPairsWrittenOut) {
  const Scratch scratch;
  const std::string law = "restitution = 0.5\nfriction = 0.3\n";
  const auto ball = [](int i) {
    return "{ body = \"ball" + std::to_string(i) + "\", sphere = 0.1 }\n";
  };
  std::string pairs;
  for (const auto& [i, j] : {std::pair{1, 2}, std::pair{1, 3}, std::pair{2, 3}})
    pairs += "[[contact]]\nname = \"ball" + std::to_string(i) + "_ball" + std::to_string(j) +
             "\"\na = " + ball(i) + "b = " + ball(j) + law;
  const std::string planes[] = {"{ body = \"world\", plane = [0, 0, 1] }\n",
                                "{ body = \"world\", plane = [-1, 0, 0], at = [0.6, 0, 0] }\n"};
  for (int i = 1; i <= 3; ++i)
    for (int k = 0; k < 2; ++k)
      pairs += "[[contact]]\nname = \"ball" + std::to_string(i) + "_surface" +
               std::to_string(k + 1) + "\"\na = " + ball(i) + "b = " + planes[k] + law;
  const std::string group =
      "[[contacts]]\nbodies = [\"b*l*\"]\nagainst = [{ plane = [0, 0, 1] }, { plane = [-1, 0, 0], "
      "at = [0.6, 0, 0] }]\n" +
      law;
  json results[2];
  for (int k = 0; k < 2; ++k) {
    const std::string model = scratch.write("m.toml", falling_balls(k == 0 ? group : pairs));
    const std::string out = scratch.path(k == 0 ? "group" : "pairs");
    results[k] =
        expect_json(run_cartan({"run", model, "--record", "contacts", "--out", out, "--json"}));
  }
  EXPECT_GT(results[0]["impacts"], 10);
  for (const char* file : {"/trajectory.csv", "/contacts.csv", "/impacts.csv"})
    EXPECT_EQ(read_file(scratch.path("group") + file), read_file(scratch.path("pairs") + file))
        << file;
}

TEST(ContactGroups, BelongToAPartAsItsBodiesDo) {
  const Scratch scratch;
  scratch.write("part.toml", falling_balls("[[contacts]]\nbodies = [\"ball*\"]\n"
                                           "against = { plane = [0, 0, 1] }\n"));
  const std::string model =
      scratch.write("m.toml", "[[part]]\nfile = \"part.toml\"\nname = \"left\"\n");
  const std::string out = scratch.path("out");
  expect_json(run_cartan(
      {"run", model, "--duration", "1", "--record", "contacts", "--out", out, "--json"}));
  const std::string table = read_file(out + "/contacts.csv");
  for (const char* name : {"left_ball1_left_ball2.gap", "left_ball3_surface.mode"})
    EXPECT_NE(table.find(name), std::string::npos) << name;
}

TEST(ContactGroups, SayWhatTheyCannotTake) {
  const Scratch scratch;
  const auto refuse = [&](const std::string& contacts, const std::string& text) {
    const std::string model = scratch.write("m.toml", falling_balls("[[contacts]]\n" + contacts));
    expect_refusal(run_cartan({"check", model}), text);
  };
  refuse("", "missing key 'bodies'");
  refuse("bodies = \"ball*\"\n", "expected a list of names");
  refuse("bodies = [\"ball*\", \"world\"]\n", "the world has no shapes");
  refuse("bodies = [\"cube*\"]\n", "no body is called 'cube*'");
  refuse("bodies = [\"ball1\"]\n", "nothing to touch");
  refuse("bodies = [\"ball*\"]\nagainst = 3\n", "expected a surface");
  const std::string box =
      "[[body]]\nname = \"box\"\ndensity = 1000\nshape = { SHAPE }\n[[joint]]\nname = \"b\"\n"
      "type = \"free\"\nparent = { body = \"world\" }\nchild = { body = \"box\" }\n";
  const auto with = [&](std::string shape) {
    return "bodies = [\"ball*\", \"box\"]\n" + box.substr(0, box.find("SHAPE")) + shape +
           box.substr(box.find("SHAPE") + 5);
  };
  const std::string boxed =
      scratch.write("boxed.toml", falling_balls("[[contacts]]\n" + with("box = [1, 1, 1]")));
  expect_refusal(run_cartan({"run", boxed}),  // moreau takes it
                 "a sphere of body 'ball1' against a box of body 'box' and 2");
  refuse(with("cylinder = [1, 1]"), "body 'box' has a shape that [[contacts]] does not take");
  const auto member = [](const std::string& surface) {
    return "bodies = [\"ball*\", { " + surface + " }]\n";
  };
  refuse(member("capsule = [1, 1]"), "missing key 'body'");
  refuse(member("body = \"rod\", capsule = [1, 1]"), "no body is called 'rod'");
  refuse(member("body = \"ball1\", capsule = 1"), "capsule of side a");
  refuse(member("body = \"ball1\", plane = [0, 0, 1]"), "planes belong into `against`");
  refuse(member("body = \"ball1\", ellipsoid = [1, 1, 2]"), "into a [[contact]]");
}

// Where impacts are located the corners of a mesh touch planes, as those of a box do.
TEST(ContactGroups, MeshesTouchPlanesAsBoxesDo) {
  const Scratch scratch;
  const std::string faces = "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
  const std::string corners =
      "v -0.1 -0.15 -0.05\nv 0.1 -0.15 -0.05\nv -0.1 0.15 -0.05\nv 0.1 0.15 -0.05\n"
      "v -0.1 -0.15 0.05\nv 0.1 -0.15 0.05\nv -0.1 0.15 0.05\n";
  scratch.write("box.obj", corners + "v 0.1 0.15 0.05\n" + faces);
  scratch.write("dented.obj", corners + "v 0.02 0.02 0.02\n" + faces);
  const auto model = [&](const std::string& shape, const std::string& contacts) {
    return scratch.write("m.toml",
                         "[[body]]\nname = \"stone\"\nmass = 2\ninertia = [0.02, 0.01, 0.02]\n"
                         "shape = { " +
                             shape +
                             " }\n[[joint]]\nname = \"fly\"\ntype = \"free\"\n"
                             "parent = { body = \"world\" }\nchild = { body = \"stone\" }\n"
                             "position = { at = [0, 0, 0.3], rpy = [0.3, 0.2, 0] }\n" +
                             contacts);
  };
  const std::string mesh = "mesh = \"box.obj\"", box = "box = [0.2, 0.3, 0.1]";
  const std::string group = "[[contacts]]\nbodies = [\"stone\"]\nagainst = { plane = [0, 0, 1] }\n";
  const std::string laws = "restitution = 0.5\nfriction = 0.4\n";
  const auto end = [&](const std::string& shape, const std::string& contacts) {
    return expect_json(run_cartan({"run", model(shape, contacts + laws), "--duration", "0.4",
                                   "--step", "0.01", "--estimate", "off", "--json"}))["final"];
  };
  const auto side = [](const std::string& surface) {
    return "[[contact]]\nname = \"floor\"\na = { body = \"stone\", " + surface +
           " }\nb = { body = \"world\", plane = [0, 0, 1] }\n";
  };
  const auto expect_same = [](const json& one, const json& other) {
    for (std::size_t k = 0; k < 7; ++k)
      EXPECT_NEAR(one["q"]["fly"][k].get<double>(), other["q"]["fly"][k].get<double>(), 1e-9);
  };
  const json boxes = end(box, group);
  EXPECT_LT(boxes["q"]["fly"][6], 0.25);  // it has fallen
  EXPECT_GT(boxes["q"]["fly"][6], 0.04);  // and touched
  expect_same(boxes, end(mesh, group));
  expect_same(boxes, end(box, side(mesh)));
  // of one with a dent a plane sees the corners of the hull; a group wants to be told
  const auto check = [&](const std::string& contacts) {
    return run_cartan({"check", model("mesh = \"dented.obj\"", contacts)});
  };
  expect_refusal(check(group), "is not convex");
  expect_refusal(check(group), "mesh = \"dented.obj\", hull = true }");
  const CommandResult alone = check(side("mesh = \"dented.obj\""));
  EXPECT_EQ(alone.status, 0) << alone.err;
  expect_refusal(run_cartan({"check", model("cylinder = [0.1, 0.2]", group)}),
                 "bodies = [{ body = \"stone\", capsule = [radius, length] }]");
}

TEST(Diagnostics, CopiesOfARepeatedTableAreToldOnce) {
  const Scratch scratch;
  const std::string model = scratch.write(
      "m.toml",
      "[[body]]\nrepeat = 4\nname = \"b{i}\"\nmass = 1\ninertia = [1, 1, 1]\ncolour = 2\n");
  const CommandResult check = run_cartan({"check", model});
  EXPECT_EQ(check.status, 2);
  const std::size_t first = check.err.find("unknown key 'colour'");
  EXPECT_NE(first, std::string::npos) << check.err;
  EXPECT_EQ(check.err.find("unknown key 'colour'", first + 1), std::string::npos) << check.err;
}

// A mass on a table keeps its contact: eigenvalues are those of its motion along the table.
TEST(Contacts, LinearizeKeepsAContactClosed) {
  const Scratch scratch;
  const std::string model = scratch.write("table.toml", R"toml(
name = "mass on a table"
[[body]]
name = "mass"
mass = 2
inertia = [0.01, 0.01, 0.01]
[[joint]]
name = "free"
type = "translation"
parent = { body = "world" }
child = { body = "mass" }
position = [0, 0, 0.1]
[[force]]
type = "bushing"
from = { body = "world", at = [0, 0, 0.1] }
to = { body = "mass" }
stiffness = [50, 8, 0, 0, 0, 0]
[[contact]]
name = "table"
a = { body = "mass", sphere = 0.1 }
b = { body = "world", plane = [0, 0, 1] }
)toml");
  const json found = expect_json(run_cartan({"linearize", model, "--json"}));
  ASSERT_EQ(found["eigenvalues"].size(), 4u);
  const double wanted[] = {5, 2, -2, -5};
  for (int k = 0; k < 4; ++k) {
    EXPECT_NEAR(found["eigenvalues"][k][0].get<double>(), 0, 1e-12);
    EXPECT_NEAR(found["eigenvalues"][k][1].get<double>(), wanted[k], 1e-12);
  }
}

// Heights of a ball that bounces infinitely often and rests: height and restitution are found.
TEST(Contacts, FitGoesThroughImpactsAndTheirLimit) {
  const double g = 9.81, h = 1.1, e = 0.75;
  std::string data = "t,flight.q2\n";
  for (int k = 1; k <= 100; ++k) {
    const double t = 0.06 * k, t1 = std::sqrt(2 * h / g);
    double z = 0.05 + h - g * t * t / 2, s = t - t1, v = e * g * t1;
    if (s > 0) {
      while (s > 2 * v / g && v > 1e-14) s -= 2 * v / g, v *= e;
      z = v > 1e-14 ? 0.05 + v * s - g * s * s / 2 : 0.05;
    }
    data += std::to_string(t) + ",";
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.17g\n", z);
    data += digits;
  }
  const Scratch scratch;
  const json found = expect_json(
      run_cartan({"fit", std::string(CARTAN_ROOT) + "/examples/bouncing_ball.toml", "--data",
                  scratch.write("heights.csv", data), "--free", "h,e", "--json"}));
  EXPECT_NEAR(found["parameters"]["h"].get<double>(), h, 1e-9);
  EXPECT_NEAR(found["parameters"]["e"].get<double>(), e, 1e-9);
}

}  // namespace
}  // namespace cartan::test
