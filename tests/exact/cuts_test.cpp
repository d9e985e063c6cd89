// Loads inside bodies in closed form ([[cut]], mechanics/cuts).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "mechanics/cuts/cut_loads.h"
#include "model/mass_properties.h"
#include "support/example.h"
#include "support/random.h"

namespace cartan::test {
namespace {

constexpr double L = 1.7, mass = 2.3, g = 9.81, density = mass / L;

std::string cut_text(const std::string& body, double at, const std::string& normal = "[1, 0, 0]") {
  return fmt::format("[[cut]]\nname = \"at {0}\"\nbody = \"{1}\"\nat = [{0}, 0, 0]\nnormal = {2}\n",
                     at, body, normal);
}
const double stations[] = {0, 0.25 * L, 0.6 * L, 0.95 * L, L};

// A rod (or a thin box of the same mass) along x on a hinge about y at its end.
std::string rod_text(const std::string& spread, double gravity, const std::string& joint) {
  std::string text = fmt::format(
      "name = \"rod\"\ngravity = [0, 0, {}]\n[[body]]\nname = \"rod\"\n{}\n"
      "[[joint]]\nname = \"hinge\"\ntype = \"revolute\"\naxis = [0, 1, 0]\n"
      "parent = {{ body = \"world\" }}\nchild = {{ body = \"rod\" }}\n{}\n",
      -gravity, spread, joint);
  for (const double s : stations) text += cut_text("rod", s);
  return text;
}
std::string line_spread() {
  return fmt::format("mass = {}\nline = {{ from = [0, 0, 0], to = [{}, 0, 0] }}", mass, L);
}
std::string box_spread(double width) {
  return fmt::format("density = {}\nshape = {{ box = [{}, {}, {}], at = [{}, 0, 0] }}",
                     mass / (L * width * width), L, width, width, L / 2);
}

void expect_near(const Vec3<double>& found, const Vec3<double>& expected, double tolerance) {
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(found[k], expected[k], tolerance) << k;
}

const char* const all_formulations[] = {"recursive",      "moving-frame",      "absolute-se3",
                                        "absolute-so3r3", "rotation-elements", "canonical"};

// Pulled by what turns outside of the cut: N = rho w^2 (L^2 - s^2) / 2.
TEST(Cuts, RotatingRod) {
  const double w = 7;
  for (const std::string& spread : {line_spread(), box_spread(0.1)})
    for (const char* formulation : all_formulations) {
      SCOPED_TRACE(formulation);
      const Example example =
          load_text(rod_text(spread, 0, fmt::format("velocity = {}", w)), formulation);
      ASSERT_TRUE(example) << example.problem;
      const MechanicalSystem& system = example.mechanism();
      const CutLoads cuts(*example.model, parameter_values(*example.model));
      const auto loads = cuts.calc(system, system.initial_state(), *system.make_workspace());
      for (std::size_t k = 0; k < std::size(stations); ++k) {
        const double s = stations[k], pull = density * w * w * (L * L - s * s) / 2;
        expect_near(loads[k].force, {pull, 0, 0}, 1e-12 * density * w * w * L * L);
        expect_near(loads[k].moment, {0, 0, 0}, 1e-12 * density * w * w * L * L);
        EXPECT_NEAR(loads[k].axial, pull, 1e-11);
      }
    }
}

// Let go in the horizontal: w' = 3 g / (2 L) for the line.
TEST(Cuts, PendulumAtRelease) {
  const Example example = load_text(rod_text(line_spread(), g, ""));
  ASSERT_TRUE(example) << example.problem;
  const MechanicalSystem& system = example.mechanism();
  const CutLoads cuts(*example.model, parameter_values(*example.model));
  const auto loads = cuts.calc(system, system.initial_state(), *system.make_workspace());
  const double turn = 1.5 * g / L;
  double most = 0;
  for (std::size_t k = 0; k < std::size(stations); ++k) {
    const double s = stations[k];
    const double shear = -density * (g * (L - s) - turn * (L * L - s * s) / 2);
    const double bending =
        density * (g * (L - s) * (L - s) / 2 -
                   turn * ((L * L * L - s * s * s) / 3 - s * (L * L - s * s) / 2));
    expect_near(loads[k].force, {0, 0, shear}, 1e-12 * mass * g);
    expect_near(loads[k].moment, {0, bending, 0}, 1e-12 * mass * g * L);
    EXPECT_NEAR(loads[k].bending, std::fabs(bending), 1e-11);
    most = std::max(most, std::fabs(bending));
  }
  EXPECT_GT(most, 0.03 * mass * g * L);
}

// A crank turned at constant speed, a load P on its pin: at the angle a
//   F = R^T P + rho w^2 (L^2 - s^2)/2 e + rho (L - s) R^T g
//   M = (L - s) e x R^T P + rho (L - s)^2/2 e x R^T g
TEST(Cuts, Crank) {
  const double w = 12, push = 300;
  std::string text = rod_text(line_spread(), g, fmt::format("position = 0.4\nvelocity = {}", w));
  text += fmt::format(
      "[[constraint]]\ntype = \"drive\"\njoint = \"hinge\"\nposition = \"0.4 + {}*t\"\n"
      "[[force]]\ntype = \"wrench\"\nbody = \"rod\"\nat = [{}, 0, 0]\nforce = [{}, 20, 0]\n",
      w, L, push);
  for (const char* formulation : {"recursive", "absolute-se3", "rotation-elements"}) {
    SCOPED_TRACE(formulation);
    const Example example = load_text(text, formulation);
    ASSERT_TRUE(example) << example.problem;
    const MechanicalSystem& system = example.mechanism();
    const CutLoads cuts(*example.model, parameter_values(*example.model));
    for (const double a : {0.4, 2.0, 4.4}) {
      const State state = system.make_state((a - 0.4) / w, {{{a}}}, {{{w}}});
      const auto loads = cuts.calc(system, state, *system.make_workspace());
      // R^T of a turn by a about y
      const auto inside = [&](const Vec3<double>& v) {
        return Vec3<double>{std::cos(a) * v.x - std::sin(a) * v.z, v.y,
                            std::sin(a) * v.x + std::cos(a) * v.z};
      };
      const Vec3<double> P = inside({push, 20, 0}), weight = inside({0, 0, -g}), e{1, 0, 0};
      for (std::size_t k = 0; k < std::size(stations); ++k) {
        const double s = stations[k];
        expect_near(loads[k].force,
                    P + density * w * w * (L * L - s * s) / 2 * e + density * (L - s) * weight,
                    1e-12 * 2000);
        expect_near(loads[k].moment,
                    (L - s) * cross(e, P) + density * (L - s) * (L - s) / 2 * cross(e, weight),
                    1e-12 * 2000);
      }
    }
  }
}

// ---- mass on one side of a plane

// A model with one body of density 2 and one shape.
Example shaped(const std::string& shape, const std::vector<double>& at,
               const std::vector<double>& turn) {
  return load_text(fmt::format(
      "name = \"shape\"\n[[body]]\nname = \"b\"\ndensity = 2\nshape = {{ {}, at = [{}, {}, {}], "
      "rotate = {{ axis = [{}, {}, {}], angle = {} }} }}\n[[joint]]\nname = \"j\"\ntype = "
      "\"free\"\nparent = {{ body = \"world\" }}\nchild = {{ body = \"b\" }}\n",
      shape, at[0], at[1], at[2], turn[0], turn[1], turn[2], turn[3]));
}

TEST(HalfSpaces, PartsAddUpAndTheWholeIsTheBody) {
  Random random(5);
  const auto number = [&] { return random.uniform(-1, 1); };
  for (int trial = 0; trial < 200; ++trial) {
    const char* const shapes[] = {"box = [0.4, 0.7, 1.1]", "cylinder = [0.5, 1.3]",
                                  "tube = [0.2, 0.5, 1.3]", "sphere = 0.8"};
    const Example example = shaped(shapes[trial % 4], {number(), number(), number()},
                                   {number(), number(), number(), 2 * number()});
    ASSERT_TRUE(example) << example.problem;
    const Body& body = example.model->bodies[0];
    const MassProperties<double> m = calc_mass_properties<double>(body, {});
    const PartMoments whole = calc_whole_part(body, {});
    EXPECT_NEAR(whole.mass, m.mass, 1e-13 * m.mass);
    expect_near(whole.first, m.mass * m.com, 1e-13 * m.mass);
    const Mat3<double> about = full(m.inertia + m.mass * minus_hat_squared(m.com));
    const double trace2 = whole.second(0, 0) + whole.second(1, 1) + whole.second(2, 2);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        EXPECT_NEAR((i == j ? trace2 : 0) - whole.second(i, j), about(i, j), 1e-12 * m.mass);
    Vec3<double> normal{number(), number(), number()};
    if (trial % 5 == 0) {  // along and across the axis of the shape
      const Mat3<double> R = calc_rotation<double>(body.shapes[0].rotate, {});
      normal = R.c[trial % 3];
    }
    normal = (1 / norm(normal)) * normal;
    const Vec3<double> at = m.com + 0.3 * Vec3<double>{number(), number(), number()};
    const PartMoments front = calc_front_part(body, {at, normal}, {});
    const PartMoments back = calc_front_part(body, {at, -normal}, {});
    EXPECT_NEAR(front.mass + back.mass, m.mass, 1e-12 * m.mass) << trial;
    expect_near(front.first + back.first, whole.first, 1e-12 * m.mass);
    const Mat3<double> sum = front.second + back.second - whole.second;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) EXPECT_NEAR(sum(i, j), 0, 1e-12 * m.mass) << trial;
  }
}

// Against plain counting of small cubes.
TEST(HalfSpaces, AgainstCounting) {
  const Vec3<double> normal{0.6, -0.3, 1.02}, at{0.1, 0, 0.15};
  const Vec3<double> n = (1 / norm(normal)) * normal;
  for (const std::string shape : {"cylinder = [0.5, 0.9]", "sphere = 0.5", "box = [1, 0.8, 0.9]"}) {
    const Example example = shaped(shape, {0, 0, 0}, {1, 0, 0, 0});
    ASSERT_TRUE(example) << example.problem;
    const Body& body = example.model->bodies[0];
    const PartMoments front = calc_front_part(body, {at, n}, {});
    const int count = 160;
    const double h = 1.0 / count, cube = 2 * h * h * h;
    PartMoments sum;
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < count; ++j)
        for (int k = 0; k < count; ++k) {
          const Vec3<double> x{(i + 0.5) * h - 0.5, (j + 0.5) * h - 0.5, (k + 0.5) * h - 0.5};
          const bool inside = shape[0] == 'c'
                                  ? x.x * x.x + x.y * x.y < 0.25 && std::fabs(x.z) < 0.45
                              : shape[0] == 's' ? norm2(x) < 0.25
                                                : std::fabs(x.y) < 0.4 && std::fabs(x.z) < 0.45;
          if (!inside || dot(n, x - at) <= 0) continue;
          sum.mass += cube;
          sum.first += cube * x;
          sum.second += cube * outer(x, x);
        }
    EXPECT_NEAR(front.mass, sum.mass, 0.01 * sum.mass);
    expect_near(front.first, sum.first, 0.01 * sum.mass);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        EXPECT_NEAR(front.second(i, j), sum.second(i, j), 0.01 * sum.mass);
  }
}

// ---- random trees of uniform rods, springs between them, loads on them

std::string random_rods(std::uint64_t seed, int& rods, std::vector<int>& parents) {
  Random random(seed);
  const auto number = [&](double size) { return random.uniform(-size, size); };
  std::string text = "name = \"rods\"\n";
  rods = 2 + static_cast<int>(seed % 5);
  parents.assign(rods, -1);
  for (int i = 0; i < rods; ++i) {
    const double length = random.uniform(0.4, 1.4);
    if (i > 0) parents[i] = static_cast<int>(random.uniform(0, i - 1e-9));
    text += fmt::format(
        "[[body]]\nname = \"rod{0}\"\nmass = {1}\nline = {{ from = [0, 0, 0], to = [\"l{0}\", 0, "
        "0] }}\n"
        "[[joint]]\nname = \"joint{0}\"\ntype = \"revolute\"\naxis = [{2}, 1, {3}]\n"
        "parent = {{ body = \"{4}\", at = [{5}, 0, 0], rotate = {{ rpy = [{6}, {7}, {8}] }} }}\n"
        "child = {{ body = \"rod{0}\" }}\nposition = {9}\nvelocity = {10}\n"
        "[[cut]]\nname = \"foot{0}\"\nbody = \"rod{0}\"\nnormal = [1, 0, 0]\n"
        "[[cut]]\nname = \"tip{0}\"\nbody = \"rod{0}\"\nat = [\"l{0}\", 0, 0]\nnormal = [1, 0, "
        "0]\n"
        "[[cut]]\nname = \"back{0}\"\nbody = \"rod{0}\"\nat = [\"0.4*l{0}\", 0, 0]\nnormal = [-1, "
        "0.2, 0]\n"
        "[[cut]]\nname = \"fore{0}\"\nbody = \"rod{0}\"\nat = [\"0.4*l{0}\", 0, 0]\nnormal = [1, "
        "-0.2, 0]\n",
        i, random.uniform(0.3, 3), number(0.3), number(0.3),
        i == 0 ? "world" : fmt::format("rod{}", parents[i]),
        i == 0 ? "0" : fmt::format("\"l{}\"", parents[i]), number(1), number(1), number(1),
        number(2), number(4));
    text += fmt::format(
        "[[force]]\ntype = \"spring\"\nfrom = {{ body = \"world\", at = [{}, {}, "
        "1] }}\nto = {{ body = \"rod{}\", at = [\"0.7*l{}\", 0, 0] }}\nstiffness = "
        "40\ndamping = 2\nlength = 0.5\n",
        number(2), number(2), i, i);
    text += fmt::format(
        "[[force]]\ntype = \"torsion\"\njoint = \"joint{}\"\nstiffness = 3\n"
        "damping = 0.2\n",
        i);
    text = fmt::format("{}", text);
    // parameters are collected at the head
    text = fmt::format("{}# l{} = {}\n", text, i, length);
  }
  std::string head = "[parameters]\n";
  for (std::size_t at = 0; (at = text.find("# l", at)) != std::string::npos; ++at)
    head += text.substr(at + 2, text.find('\n', at) - at - 1);
  return "gravity = [0.4, -1, -9.81]\n" + text.substr(0, text.find("[[body]]")) + head +
         text.substr(text.find("[[body]]"));
}

TEST(Cuts, EndsOfRandomRodsHaveTheLoadsOfTheirJoints) {
  double largest = 0;
  int with_children = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    int rods = 0;
    std::vector<int> parents;
    const std::string text = random_rods(seed, rods, parents);
    for (const char* formulation : {"recursive", "moving-frame", "absolute-se3"}) {
      SCOPED_TRACE(fmt::format("seed {} {}", seed, formulation));
      const Example example = load_text(text, formulation);
      ASSERT_TRUE(example) << example.problem << "\n" << text;
      const MechanicalSystem& system = example.mechanism();
      const State state = system.initial_state();
      const auto workspace = system.make_workspace();
      const Observation now = observe(system, state);
      const DynamicsReport dynamics = system.report_dynamics(state, *workspace);
      const auto loads = CutLoads(*example.model, parameter_values(*example.model))
                             .calc(system, state, *workspace);
      double size = 1;
      for (const JointReaction& r : dynamics.reactions)
        size = std::max({size, norm(r.force), norm(r.torque)});
      for (int i = 0; i < rods; ++i) {
        const Mat3<double> R = rotation_matrix(now.bodies[i].orientation);
        const CutLoad &foot = loads[4 * i], &tip = loads[4 * i + 1], &back = loads[4 * i + 2],
                      &fore = loads[4 * i + 3];
        expect_near(R * foot.force, -dynamics.reactions[i].force, 1e-11 * size);
        expect_near(R * foot.moment, -dynamics.reactions[i].torque, 1e-11 * size);
        Vec3<double> force, torque;
        for (int j = 0; j < rods; ++j)
          if (parents[j] == i)
            force += dynamics.reactions[j].force, torque += dynamics.reactions[j].torque,
                ++with_children;
        expect_near(R * tip.force, -force, 1e-11 * size);
        expect_near(R * tip.moment, -torque, 1e-11 * size);
        // action and reaction of one cut seen from both sides
        expect_near(fore.force, -back.force, 1e-11 * size);
        expect_near(fore.moment, -back.moment, 1e-11 * size);
        largest = std::max({largest, fore.shear, fore.bending});
      }
    }
  }
  EXPECT_GT(largest, 5);
  EXPECT_GT(with_children, 50);
}

}  // namespace
}  // namespace cartan::test
