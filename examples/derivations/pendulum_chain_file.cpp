#include "derivations/pendulum_chain_file.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace cartan::derivations {
namespace {

using Numbers = std::array<double, 3>;

struct LinkState {
  double q[2], u[2];
};

LinkState state_of(int link) {
  LinkState s{};
  for (int k = 0; k < 2; ++k) {
    const int number = 2 * link - 1 + k;
    s.q[k] = 0.1 + 0.2 * std::sin(number);
    s.u[k] = 0.3 * std::cos(2 * number);
  }
  return s;
}

// End of a link of length one from its beginning, and its velocity: the third axis after turns by
// q1 about x and by q2 about the new y.
void add_link(const LinkState& s, Numbers& p, Numbers& v) {
  const double s1 = std::sin(s.q[0]), c1 = std::cos(s.q[0]);
  const double s2 = std::sin(s.q[1]), c2 = std::cos(s.q[1]);
  const Numbers axis = {s2, -s1 * c2, c1 * c2};
  const Numbers rate = {c2 * s.u[1], -c1 * c2 * s.u[0] + s1 * s2 * s.u[1],
                        -s1 * c2 * s.u[0] - c1 * s2 * s.u[1]};
  for (int k = 0; k < 3; ++k) p[k] += axis[k], v[k] += rate[k];
}

constexpr const char* head = R"toml(name = "spherical pendulum with shaker, {0} links"
gravity = [0, 0, 1]  # z points down
[parameters]
a = 0.1
omega = 2
t0 = {1}
[[body]]
name = "slider"
mass = 1
[[joint]]
name = "slide"
type = "prismatic"
axis = [0, 0, 1]
parent = {{ body = "world" }}
child = {{ body = "slider" }}
position = "a*sin(omega*t0)"
velocity = "a*omega*cos(omega*t0)"
[[constraint]]
name = "shaker"
type = "drive"
joint = "slide"
position = "a*sin(omega*(t + t0))"
)toml";

constexpr const char* body = R"toml([[body]]
name = "link{0}"
mass = 1
com = [0, 0, 0.5]
inertia = ["1/12", "1/12", "1/100"]
)toml";

constexpr const char* carrier = R"toml([[body]]
name = "carrier{0}"
mass = 0
[[joint]]
name = "place{0}"
type = "translation"
parent = {{ body = "world" }}
child = {{ body = "carrier{0}" }}
position = [{1}, {2}, {3}]
velocity = [{4}, {5}, {6}]
)toml";

constexpr const char* joint = R"toml([[joint]]
name = "joint{0}"
type = "universal"
axes = [[1, 0, 0], [0, 1, 0]]
parent = {{ body = "{1}", at = [0, 0, {2}] }}
child = {{ body = "link{0}" }}
position = [{3}, {4}]
velocity = [{5}, {6}]
)toml";

constexpr const char* pin = R"toml([[joint]]
name = "pin{0}"
type = "spherical"
loop = true
parent = {{ body = "{1}", at = [0, 0, {2}] }}
child = {{ body = "link{0}" }}
)toml";

}  // namespace

std::string pendulum_chain_file(int links, Angles angles, double t0) {
  Numbers p = {0, 0, 0.1 * std::sin(2 * t0)}, v = {0, 0, 0.2 * std::cos(2 * t0)};
  std::string text = fmt::format(head, links, t0), before = "slider";
  for (int i = 1; i <= links; ++i) {
    const LinkState s = state_of(i);
    const bool relative = angles == Angles::relative;
    const int end = i == 1 ? 0 : 1;  // where the next joint is on the body before
    text += fmt::format(body, i);
    if (!relative) text += fmt::format(carrier, i, p[0], p[1], p[2], v[0], v[1], v[2]);
    text += fmt::format(joint, i, relative ? before : fmt::format("carrier{}", i),
                        relative ? end : 0, s.q[0], s.q[1], s.u[0], s.u[1]);
    if (!relative) text += fmt::format(pin, i, before, end);
    add_link(s, p, v);
    before = fmt::format("link{}", i);
  }
  return text;
}

}  // namespace cartan::derivations
