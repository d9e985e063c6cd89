// Models of the tests of ik, linearize with inputs, and optimise.
#pragma once

#include <string>

namespace cartan::test {

// A six-joint arm whose last three axes meet; zero configuration, world axes.
inline std::string six_joint_arm() {
  struct Part {
    const char *body, *joint, *axis, *parent, *at, *child_at;
  };
  const Part parts[] = {
      {"link1", "q1", "[0, 0, 1]", "world", "[0, 0, 0]", "[0, 0, 0]"},
      {"link2", "q2", "[0, 1, 0]", "link1", "[0, 0.15, 0.67]", "[0, 0, 0]"},
      {"link3", "q3", "[0, 1, 0]", "link2", "[0.4318, 0, 0]", "[0, 0, 0]"},
      {"link4", "q4", "[1, 0, 0]", "link3", "[0.4318, 0, 0.0203]", "[0, 0, 0]"},
      {"link5", "q5", "[0, 1, 0]", "link4", "[0, 0, 0]", "[0, 0, 0]"},
      {"tool", "q6", "[1, 0, 0]", "link5", "[0, 0, 0]", "[-0.1, 0, 0]"},
  };
  std::string text = "name = \"arm\"\n";
  for (const Part& p : parts)
    text += std::string("[[body]]\nname = \"") + p.body +
            "\"\nmass = 1\ninertia = [0.01, 0.01, 0.01]\n[[joint]]\nname = \"" + p.joint +
            "\"\ntype = \"revolute\"\naxis = " + p.axis + "\nparent = { body = \"" + p.parent +
            "\", at = " + p.at + " }\nchild = { body = \"" + p.body + "\", at = " + p.child_at +
            " }\n";
  return text;
}

// Ground pivots (0, 0) and (0.9, 0); crank 0.3, coupler 0.8, rocker 0.7.
inline std::string plane_four_bar() {
  std::string text = "name = \"four-bar\"\n";
  for (const char* body : {"crank", "coupler", "rocker"})
    text +=
        std::string("[[body]]\nname = \"") + body + "\"\nmass = 1\ninertia = [0.01, 0.01, 0.01]\n";
  const auto joint = [&](const char* name, const char* parent, const char* child,
                         const char* more) {
    text += std::string("[[joint]]\nname = \"") + name +
            "\"\ntype = \"revolute\"\naxis = [0, 0, 1]\n" + "parent = " + parent +
            "\nchild = " + child + "\n" + more + "\n";
  };
  joint("O", "{ body = \"world\" }", "{ body = \"crank\" }", "position = 1.0");
  joint("A", "{ body = \"crank\", at = [0.3, 0, 0] }", "{ body = \"coupler\" }", "position = -0.5");
  joint("D", "{ body = \"world\", at = [0.9, 0, 0] }", "{ body = \"rocker\" }", "position = 1.7");
  joint("B", "{ body = \"coupler\", at = [0.8, 0, 0] }", "{ body = \"rocker\", at = [0.7, 0, 0] }",
        "loop = true");
  return text;
}

// A point mass on a massless pole on a cart, upright at pi; `value` is the force on the cart.
inline std::string cart_with_pole(const std::string& more = "", const std::string& value = "force",
                                  const std::string& angle = "pi") {
  return "name = \"cart-pole\"\n[parameters]\nforce = 0\n" + more +
         R"([[body]]
name = "cart"
mass = 1
[[body]]
name = "pole"
mass = 0.3
com = [0, 0, -0.5]
[[joint]]
name = "cart"
type = "prismatic"
axis = [1, 0, 0]
parent = { body = "world" }
child = { body = "cart" }
[[joint]]
name = "pole"
type = "revolute"
axis = [0, -1, 0]
parent = { body = "cart" }
child = { body = "pole" }
position = ")" +
         angle + "\"\n[[force]]\ntype = \"joint\"\njoint = \"cart\"\nvalue = \"" + value + "\"\n";
}

// Masses on a line, each on a slide from the world; `more`: parameters, forces, velocities.
inline std::string slide(const std::string& name, const std::string& mass,
                         const std::string& more = "", const std::string& parent = "world") {
  return "[[body]]\nname = \"" + name + "_body\"\nmass = " + mass + "\n[[joint]]\nname = \"" +
         name + "\"\ntype = \"prismatic\"\naxis = [1, 0, 0]\nparent = { body = \"" + parent +
         "\" }\nchild = { body = \"" + name + "_body\" }\n" + more;
}
inline std::string joint_force(const std::string& joint, const std::string& value) {
  return "[[force]]\ntype = \"joint\"\njoint = \"" + joint + "\"\nvalue = \"" + value + "\"\n";
}

}  // namespace cartan::test
