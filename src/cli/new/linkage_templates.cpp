#include "cli/new/linkage_templates.h"

#include <fmt/core.h>

namespace cartan::cli {
namespace {

std::string side(const std::string& body, const char* x) {
  return fmt::format("{{ body = \"{}\", at = [\"{}\", 0, 0] }}", body, x);
}

// A hinge about -y: angles from x towards z.
std::string hinge(const std::string& name, const std::string& parent, const std::string& child,
                  const char* position) {
  std::string text = fmt::format(
      "[[joint]]\nname = \"{}\"\ntype = \"revolute\"\naxis = [0, -1, 0]\nparent = {}\nchild = {}\n",
      name, parent, child);
  if (*position) text += fmt::format("position = \"{}\"\n", position);
  return text + "\n";
}

std::string slide(const std::string& name, const std::string& parent, const std::string& child) {
  return fmt::format(
      "[[joint]]\nname = \"{}\"\ntype = \"prismatic\"\naxis = [1, 0, 0]\nparent = {{ body = \"{}\" "
      "}}\n"
      "child = {{ body = \"{}\" }}\nposition = \"L*cos(start)\"\n\n",
      name, parent, child);
}

std::string scissor_bar(const std::string& name, const char* y, const char* color) {
  return fmt::format(
      "[[body]]\nname = \"{}\"\nmass = \"bar\"\ncom = [\"L/2\", 0, 0]\n"
      "inertia = [\"bar*w^2/6\", \"bar*(L^2 + w^2)/12\", \"bar*(L^2 + w^2)/12\"]\n"
      "shape = {{ box = [\"L\", \"w/2\", \"w\"], at = [\"L/2\", \"{}\", 0], color = \"{}\" }}\n\n",
      name, y, color);
}

std::string roller(const char* name) {
  return fmt::format(
      "[[body]]\nname = \"{}\"\nmass = 1\ninertia = [0.001, 0.001, 0.001]\n"
      "shape = {{ sphere = \"w\", color = \"black\" }}\n\n",
      name);
}

std::string ladder_bar(const std::string& name, const char* length, const char* color) {
  return fmt::format(
      "[[body]]\nname = \"{0}\"\ndensity = 2700\n"
      "shape = {{ box = [\"{1}\", \"w\", \"w\"], at = [\"{1}/2\", 0, 0], color = \"{2}\" }}\n\n",
      name, length, color);
}

}  // namespace

// Bars `up` lead from the lower left to the upper right end of a stage, bars `down` from the lower
// right to the upper left one.
std::string make_scissor(const TemplateOptions& options) {
  const int stages = options.links.value_or(3);
  std::string text = fmt::format(
      R"toml(# A scissor lift of {0} stages: crossed bars, pinned in the middle and at their ends, carry a platform. One foot is pinned
# to the ground, the other one stands on a roller; a spring pulls the roller inwards.
# Flat hinges built in space: {1} redundant equations, one degree of freedom.
# Look for: the platform goes up and down, level all the time; constant energy.
# Try: cartan check FILE (degrees of freedom), cartan run FILE --set start=0.35

name = "scissor lift of {0}"

[parameters]
stages = {0}       # as many as there are pairs of bars below
L = 1.0          # length of a bar, m
w = 0.04         # its width, m
bar = 4          # its mass, kg
load = 50        # platform, kg
start = 0.45     # angle of the bars from the ground, rad
balance = 0.5    # angle at which the spring holds the load
weight = "9.81*(load + stages*bar)"
stiffness = "25*stages*weight/L"       # N/m
rest = "L*cos(balance) - L/(25*tan(balance))"

)toml",
      stages, 3 * (stages + 1));
  for (int k = 1; k <= stages; ++k)
    text += scissor_bar(fmt::format("up{}", k), "-w/4", "steelblue") +
            scissor_bar(fmt::format("down{}", k), "w/4", "orange");
  text += roller("foot_roller");
  text +=
      "[[body]]\nname = \"platform\"\nmass = \"load\"\ncom = [\"L/2\", 0, 0]\ninertia = [1, 5, 5]\n"
      "shape = { box = [\"L\", 0.5, 0.02], at = [\"L/2\", 0, 0.05], color = \"gray\" }\n\n";
  text += roller("top_roller");

  text += hinge("foot", "{ body = \"world\" }", "{ body = \"up1\" }", "start");
  for (int k = 1; k <= stages; ++k) {
    const std::string up = fmt::format("up{}", k), down = fmt::format("down{}", k);
    if (k > 1)
      text += hinge(fmt::format("left{}", k - 1), side(fmt::format("down{}", k - 1), "L"),
                    side(up, "0"), "2*start - pi");
    text += hinge(fmt::format("middle{}", k), side(up, "L/2"), side(down, "L/2"), "pi - 2*start");
  }
  text += slide("ground", "world", "foot_roller");
  text += hinge("platform_pin", side(fmt::format("down{}", stages), "L"), "{ body = \"platform\" }",
                "start - pi");
  text += slide("platform_guide", "platform", "top_roller");
  text += "# From here on every joint closes a loop.\n";
  text += hinge("foot_axle", side("down1", "0"), "{ body = \"foot_roller\" }", "");
  for (int k = 1; k < stages; ++k)
    text += hinge(fmt::format("right{}", k), side(fmt::format("up{}", k), "L"),
                  side(fmt::format("down{}", k + 1), "0"), "");
  text +=
      hinge("top_axle", side(fmt::format("up{}", stages), "L"), "{ body = \"top_roller\" }", "");
  return text + R"toml([[force]]
name = "spring"
type = "torsion"           # linear: its joint is a slide
joint = "ground"
stiffness = "stiffness"
rest = "rest"

[simulate]
duration = 3
step = 0.002
every = 5
integrator = "gl3"
tolerance = 1e-12          # of the stages: many bars in a row magnify rounding
)toml";
}

std::string make_ladder(const TemplateOptions& options) {
  const int stages = options.links.value_or(4);
  std::string text = fmt::format(
      R"toml(# A ladder of {0} four-bar linkages, each standing on the coupler of the one below, let go.
# Look for: {0} degrees of freedom; constant energy; the time per step, which grows in proportion to the number of
# stages, because every loop is local.
# Try: cartan check FILE (degrees of freedom), cartan run FILE --set start=1.2

name = "ladder of {0}"

[parameters]
a = 0.3          # left bar of a stage, m
b = 0.5          # coupler, and distance of the hinges below it
c = 0.33         # right bar
w = 0.02         # thickness of the bars
start = "pi/2"   # angle of the left bars from the coupler below, rad
# The other angles by the law of cosines.
f = "sqrt(a^2 + b^2 - 2*a*b*cos(start))"
beta = "atan2(-a*sin(start), b - a*cos(start)) + acos((b^2 + f^2 - c^2)/(2*b*f))"
gamma = "atan2(a*sin(start) + b*sin(beta), a*cos(start) + b*cos(beta) - b)"

)toml",
      stages);
  for (int k = 1; k <= stages; ++k)
    text += ladder_bar(fmt::format("left{}", k), "a", "firebrick") +
            ladder_bar(fmt::format("coupler{}", k), "b", "steelblue") +
            ladder_bar(fmt::format("right{}", k), "c", "orange");
  for (int k = 1; k <= stages; ++k) {
    const std::string below = k == 1 ? "world" : fmt::format("coupler{}", k - 1);
    const std::string left = fmt::format("left{}", k), coupler = fmt::format("coupler{}", k),
                      right = fmt::format("right{}", k);
    text += hinge(left + "_foot", side(below, "0"), side(left, "0"), "start");
    text += hinge(left + "_head", side(left, "a"), side(coupler, "0"), "beta - start");
    text += hinge(right + "_foot", side(below, "b"), side(right, "0"), "gamma");
    text += hinge(right + "_head", side(coupler, "b"), side(right, "c"), "");  // closes the loop
  }
  return text + "[simulate]\nduration = 2\nstep = 0.0005\nevery = 20\nintegrator = \"gl4\"\n";
}

}  // namespace cartan::cli
