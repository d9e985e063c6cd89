// Two arms on parallel hinges, as text.
#pragma once

#include <string>

namespace cartan::test {

struct TwoArms {
  std::string parameters, first, second;  // lines of [parameters] and of the joints
};
inline const TwoArms bent_arms = {"first = 0.7\nsecond = -1.2\nbend = 0.4\n", "position = 0.3\n",
                                  "position = \"bend\"\n"};

inline std::string two_arms(const TwoArms& arms, const std::string& more) {
  return R"toml(name = "two arms"
[parameters]
)toml" + arms.parameters +
         R"toml([[body]]
name = "upper"
mass = 2
com = [0.3, 0, 0]
inertia = [0.1, 0.2, 0.15]
[[body]]
name = "fore"
mass = 1.5
com = [0.2, 0, 0]
inertia = [0.05, 0.1, 0.12]
[[joint]]
name = "a"
type = "revolute"
axis = [0, 1, 0]
parent = { body = "world" }
child = { body = "upper" }
)toml" + arms.first +
         R"toml([[joint]]
name = "b"
type = "revolute"
axis = [0, 1, 0]
parent = { body = "upper", at = [0.7, 0, 0] }
child = { body = "fore" }
)toml" + arms.second +
         more;
}

}  // namespace cartan::test
