#include "cli/new/templates.h"

#include <fmt/core.h>

#include "cli/new/embedded_examples.h"
#include "cli/new/linkage_templates.h"

namespace cartan::cli {
namespace {

std::string make_pendulum(const TemplateOptions&) {
  return R"toml(# A rod that swings about a horizontal axis through its upper end.
# Look for: constant energy, and the period growing with the starting angle.
# Try: cartan run FILE --set start=3.0

name = "pendulum"

[parameters]
m = 1.0          # mass, kg
L = 1.0          # length, m
start = 0.5      # angle from the vertical, rad

[[body]]
name = "rod"
mass = "m"
com = [0, 0, "-L/2"]                        # the rod hangs down from its origin
inertia = ["m*L^2/12", "m*L^2/12", 0]       # about the centre of mass
shape = { cylinder = ["L/40", "L"], at = [0, 0, "-L/2"] }

[[joint]]
name = "hinge"
type = "revolute"
axis = [0, 1, 0]
parent = { body = "world" }
child = { body = "rod" }
position = "start"

[[event]]
name = "lowest point"
when = "hinge.q"

[simulate]
duration = 10
step = 0.01
)toml";
}

std::string make_double_pendulum(const TemplateOptions&) {
  return R"toml(# Two rods, one hung from the other: chaotic when let go from high up.
# Look for: the energy stays constant to the last digits although the motion cannot be predicted.
# Try: cartan run FILE --set start2=2.001, and compare the final angles.

name = "double pendulum"

[parameters]
m = 1.0          # mass of each rod, kg
L = 1.0          # length of each rod, m
start1 = 2.0     # angle of the first rod from the vertical, rad
start2 = 0.5     # angle of the second against the first, rad

[[body]]
name = "upper"
mass = "m"
com = [0, 0, "-L/2"]
inertia = ["m*L^2/12", "m*L^2/12", 0]
shape = { cylinder = ["L/40", "L"], at = [0, 0, "-L/2"], color = "steelblue" }

[[body]]
name = "lower"
mass = "m"
com = [0, 0, "-L/2"]
inertia = ["m*L^2/12", "m*L^2/12", 0]
shape = { cylinder = ["L/40", "L"], at = [0, 0, "-L/2"], color = "orange" }

[[joint]]
name = "shoulder"
type = "revolute"
axis = [0, 1, 0]
parent = { body = "world" }
child = { body = "upper" }
position = "start1"

[[joint]]
name = "elbow"
type = "revolute"
axis = [0, 1, 0]
parent = { body = "upper", at = [0, 0, "-L"] }
child = { body = "lower" }
position = "start2"

[[output]]
name = "tip_height"
value = "lower.z - L*cos(shoulder.q + elbow.q)"

[simulate]
duration = 10
step = 0.01
)toml";
}

std::string make_chain(const TemplateOptions& options) {
  const int links = options.links.value_or(8);
  const bool spherical = options.joint != "revolute";
  const char* type =
      spherical ? "type = \"spherical\"\n" : "type = \"revolute\"\naxis = [0, 1, 0]\n";
  std::string text = fmt::format(
      "# A chain of {0} equal rods, held at one end, let go along the x axis.\n"
      "# Look for: the time per step, which grows in proportion to the number of links.\n"
      "# Try: cartan run FILE --integrator dop853 --tolerance 1e-8\n\n"
      "name = \"chain of {0}\"\n\n"
      "[parameters]\n"
      "m = 0.1          # mass of a link, kg\n"
      "L = \"2/{0}\"       # length of a link, m\n"
      "r = \"L/10\"       # its radius, m\n\n",
      links);
  for (int k = 1; k <= links; ++k)
    text += fmt::format(
        "[[body]]\nname = \"link{}\"\nmass = \"m\"\ncom = [\"L/2\", 0, 0]\n"
        "inertia = [\"m*r^2/2\", \"m*(3*r^2 + L^2)/12\", \"m*(3*r^2 + L^2)/12\"]\n"
        "shape = {{ cylinder = [\"r\", \"L\"], at = [\"L/2\", 0, 0], rotate = {{ axis = [0, 1, 0], "
        "angle = \"pi/2\" }} }}\n\n",
        k);
  for (int k = 1; k <= links; ++k) {
    const std::string parent =
        k == 1 ? "{ body = \"world\" }"
               : fmt::format("{{ body = \"link{}\", at = [\"L\", 0, 0] }}", k - 1);
    text += fmt::format(
        "[[joint]]\nname = \"joint{0}\"\n{1}parent = {2}\nchild = {{ body = \"link{0}\" }}\n\n", k,
        type, parent);
  }
  if (spherical)  // a push out of the plane
    text.insert(text.size() - 1,
                fmt::format("velocity = [0, 0, 0.5]   # link {} gets a push to the side\n", links));
  return text +
         "[simulate]\nduration = 2\nstep = 0.002\nevery = 5\ntolerance = 1e-12   # of the stages: "
         "thin links "
         "turn about their own axis with little inertia\n";
}

std::string make_top(const TemplateOptions&) {
  return R"toml(# A spinning top on a fixed tip, in gravity.
# Look for: steady precession with a small nutation; the spin about its own axis (pivot.v[2]) never changes.
# Try: cartan run FILE --set spin=20, and see it fall.

name = "top"

[parameters]
m = 0.5          # mass, kg
h = 0.08         # height of the centre of mass above the tip, m
A = 0.0008       # moment of inertia about a transverse axis through the centre of mass, kg m^2
C = 0.0006       # moment about its own axis, kg m^2
spin = 150       # rad/s
tilt = 0.3       # from the vertical, rad

[[body]]
name = "top"
mass = "m"
com = [0, 0, "h"]
inertia = ["A", "A", "C"]
shape = [
  { cylinder = [0.05, 0.02], at = [0, 0, "h"], color = "goldenrod" },
  { cylinder = [0.004, 0.12], at = [0, 0, 0.06] },
]

[[joint]]
name = "pivot"
type = "spherical"
parent = { body = "world" }
child = { body = "top" }
position = { axis = [1, 0, 0], angle = "tilt" }
velocity = [0, 0, "spin"]          # angular velocity, axes of the top

[[output]]
name = "angular_momentum_z"        # about the vertical, constant
value = "(A + m*h^2)*(top.wx*ux + top.wy*uy) + C*top.wz*uz"

[definitions]                      # the vertical, in the axes of the top
ux = "2*(pivot.q[1]*pivot.q[3] - pivot.q[0]*pivot.q[2])"
uy = "2*(pivot.q[2]*pivot.q[3] + pivot.q[0]*pivot.q[1])"
uz = "1 - 2*(pivot.q[1]^2 + pivot.q[2]^2)"

[simulate]
duration = 2
step = 0.001
every = 10
)toml";
}

std::string make_cartpole(const TemplateOptions&) {
  return R"toml(# A pole balanced on a cart by a force on the cart that depends on the state.
# Look for: the pole comes upright, then the cart comes back to the middle.
# Try: cartan run FILE --set gain=0 (nobody holds the pole).

name = "cart and pole"

[parameters]
M = 1.0          # mass of the cart, kg
m = 0.1          # mass of the pole, kg
L = 1.0          # length of the pole, m
gain = 1.0       # 0: no control
start = 0.2      # angle of the pole at the start, rad

[[body]]
name = "cart"
mass = "M"
shape = { box = [0.4, 0.2, 0.15], color = "gray" }

[[body]]
name = "pole"
mass = "m"
com = [0, 0, "L/2"]
inertia = ["m*L^2/12", "m*L^2/12", 0]
shape = { cylinder = [0.02, "L"], at = [0, 0, "L/2"], color = "firebrick" }

[[joint]]
name = "track"
type = "prismatic"
axis = [1, 0, 0]
parent = { body = "world" }
child = { body = "cart" }

[[joint]]
name = "hinge"
type = "revolute"
axis = [0, 1, 0]
parent = { body = "cart" }
child = { body = "pole" }
position = "start"

[[force]]
name = "motor"
type = "joint"
joint = "track"
value = "gain*(1.5*track.q + 3*track.v + 35*hinge.q + 8*hinge.v)"

[[force]]
name = "bearing"
type = "friction"
joint = "hinge"
viscous = 0.002

[simulate]
duration = 10
step = 0.01
)toml";
}

struct ArmLink {
  const char* name;
  const char* axis;
  double mass, length, radius;
  double strength;  // of its spring and damper, relative to the first
};

// Alternating axes, as arms with seven joints have them; the links stand on top of each other.
constexpr ArmLink arm_links[] = {
    {"base", "[0, 0, 1]", 4.0, 0.34, 0.07, 1},
    {"shoulder", "[0, 1, 0]", 4.0, 0.20, 0.065, 1},
    {"upper_arm", "[0, 0, 1]", 3.0, 0.20, 0.06, 0.05},
    {"elbow", "[0, -1, 0]", 2.5, 0.20, 0.055, 0.3},
    {"forearm", "[0, 0, 1]", 2.0, 0.20, 0.05, 0.01},
    {"wrist", "[0, 1, 0]", 1.5, 0.13, 0.045, 0.05},
    {"hand", "[0, 0, 1]", 0.5, 0.10, 0.04, 0.0005},
};

std::string make_robot_arm(const TemplateOptions&) {
  std::string text =
      R"toml(# An arm with seven revolute joints, each held towards a target angle by a spring with damping.
# Look for: the arm swings into its target posture; the dampers take out the energy.
# Try: cartan run FILE --set stiffness=0 (it falls), cartan eval FILE (mass matrix, reactions).

name = "robot arm"

[parameters]
stiffness = 400  # of the shoulder's spring, N m/rad; towards the hand they get weaker
damping = 40     # N m s/rad
bend = 0.6       # target angle of the even joints, rad

)toml";
  for (const ArmLink& link : arm_links)
    text += fmt::format(
        "[[body]]\nname = \"{}\"\nmass = {}\ncom = [0, 0, {}]\n"
        "inertia = [{:.6g}, {:.6g}, {:.6g}]\n"
        "shape = {{ cylinder = [{}, {}], at = [0, 0, {}] }}\n\n",
        link.name, link.mass, link.length / 2,
        link.mass * (3 * link.radius * link.radius + link.length * link.length) / 12,
        link.mass * (3 * link.radius * link.radius + link.length * link.length) / 12,
        link.mass * link.radius * link.radius / 2, link.radius, link.length, link.length / 2);
  int number = 0;
  for (const ArmLink& link : arm_links) {
    const std::string parent =
        number == 0 ? "{ body = \"world\" }"
                    : fmt::format("{{ body = \"{}\", at = [0, 0, {}] }}",
                                  arm_links[number - 1].name, arm_links[number - 1].length);
    ++number;
    text += fmt::format(
        "[[joint]]\nname = \"joint{0}\"\ntype = \"revolute\"\naxis = {1}\nparent = {2}\n"
        "child = {{ body = \"{3}\" }}\n{6}\n"
        "[[force]]\nname = \"drive{0}\"\ntype = \"torsion\"\njoint = \"joint{0}\"\n"
        "stiffness = \"{4}*stiffness\"\ndamping = \"{4}*damping\"\nrest = {5}\n\n",
        number, link.axis, parent, link.name, link.strength, number % 2 == 0 ? "\"bend\"" : "0.3",
        number % 2 == 0 ? "position = 0.3\n" : "");
  }
  return text + "[simulate]\nduration = 5\nstep = 0.005\n";
}

std::string make_variables(const TemplateOptions&) {
  return R"toml(# Van der Pol's oscillator: a plain system of differential equations, no bodies.
# Look for: whatever the start, the same oscillation in the end.
# Try: cartan run FILE --set mu=20 --integrator gl3 (stiff).

name = "van der Pol"

[parameters]
mu = 1.0

[variables]
x = { initial = 0.5, rate = "y" }
y = { initial = 0, rate = "mu*(1 - x^2)*y - x" }

[[event]]
name = "upward"
when = "x"
direction = 1

[[output]]
name = "amplitude"
value = "sqrt(x^2 + y^2)"

[simulate]
duration = 30
step = 0.05
integrator = "dop853"
tolerance = 1e-10
)toml";
}

}  // namespace

const std::vector<Template>& template_table() {
  using Options = TemplateOptions;
  static const std::vector<Template> table = {
      {"pendulum", "a rod on a hinge", make_pendulum},
      {"double-pendulum", "two rods, chaotic", make_double_pendulum},
      {"chain", "--links N rods, --joint spherical or revolute", make_chain, true, true},
      {"top", "a spinning top in gravity", make_top},
      {"cartpole", "a pole balanced by a force on its cart", make_cartpole},
      {"robot-arm", "seven revolute joints with springs and dampers", make_robot_arm},
      {"four-bar", "crank, coupler and rocker: a closed loop",
       [](const Options&) { return embedded_example("four_bar"); }},
      {"slider-crank", "crank, connecting rod and piston",
       [](const Options&) { return embedded_example("slider_crank"); }},
      {"stewart", "a platform on six legs",
       [](const Options&) { return embedded_example("stewart"); }},
      {"bricard", "a ring of six hinges that moves against all counting",
       [](const Options&) { return embedded_example("bricard"); }},
      {"scissor", "a lift of --links N stages", make_scissor, true},
      {"ladder", "--links N four-bars, each on the coupler below", make_ladder, true},
      {"bicycle", "two rolling wheels, a frame and a fork",
       [](const Options&) { return embedded_example("bicycle"); }},
      {"rolling-disc", "a coin rolling in a circle",
       [](const Options&) { return embedded_example("rolling_coin"); }},
      {"sleigh", "a knife edge on a driven turntable",
       [](const Options&) { return embedded_example("sleigh"); }},
      {"variables", "differential equations without bodies (van der Pol)", make_variables},
  };
  return table;
}

}  // namespace cartan::cli
