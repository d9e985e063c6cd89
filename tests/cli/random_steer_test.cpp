// Steering tasks drawn by number: chains of up to three links with turning, sliding and ball
// joints, four-bars, with torques or forces as inputs. What `steer` claims of its mesh, `run`
// shows.
#include <cmath>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "cli/control_models.h"

namespace cartan::test {
namespace {

using nlohmann::json;

class TaskDraw {
 public:
  explicit TaskDraw(int seed) : random_(static_cast<std::uint64_t>(seed)) {
    if (choose(5) == 0)
      draw_four_bar();
    else
      draw_chain();
  }
  std::string model() const { return body_ + inputs_; }
  std::string task() const {
    return fmt::format(
        "model = \"drawn.toml\"\nduration = {}\ntolerance = 1e-7\n[end]\n{}[minimise]\nintegral = "
        "\"{}\"\n",
        duration_, end_, cost_);
  }

 private:
  // Draws stand in statements of their own: compilers order arguments as they like.
  double number(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  int choose(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }
  std::string triple(double low, double high) {
    std::string text;
    for (int k = 0; k < 3; ++k) text += fmt::format("{}{}", k ? ", " : "[", number(low, high));
    return text + "]";
  }

  std::string input() {
    const std::string name = fmt::format("u{}", ++count_);
    inputs_ += name + " = 0\n";
    cost_ += fmt::format("{}{}*{}^2", cost_.empty() ? "" : " + ", number(0.5, 2), name);
    return name;
  }

  void draw_body(const std::string& name) {
    body_ += fmt::format("[[body]]\nname = \"{}\"\nmass = {}\n", name, number(0.5, 2));
    body_ += "com = " + triple(-0.3, 0.3) + "\n";
    body_ += "inertia = " + triple(0.2, 0.3) + "\n";
  }

  void draw_joint(const std::string& name, const std::string& type, const std::string& parent,
                  const std::string& child) {
    body_ += fmt::format("[[joint]]\nname = \"{}\"\ntype = \"{}\"\n", name, type);
    if (type != "spherical") body_ += "axis = " + triple(0.1, 1) + "\n";
    body_ += fmt::format("parent = {{ body = \"{}\", at = {} }}\n", parent, triple(-0.5, 0.5));
    body_ += fmt::format("child = {{ body = \"{}\" }}\n", child);
  }

  void turn_ball(const std::string& joint, const std::string& body) {
    body_ += fmt::format(
        "[[force]]\ntype = \"wrench\"\nbody = \"{}\"\nat = [0, 0, 0]\nforce = [0, 0, 0]\n"
        "frame = \"body\"\n",
        body);
    const std::string x = input(), y = input(), z = input();
    body_ += fmt::format("torque = [\"{}\", \"{}\", \"{}\"]\n", x, y, z);
    const std::string axis = triple(0.1, 1);
    end_ += fmt::format("\"{0}.q\" = {{ axis = {1}, angle = {2} }}\n\"{0}.v\" = [0, 0, 0]\n", joint,
                        axis, number(0.3, 1.5));
  }

  void move_joint(const std::string& joint) {
    const std::string force = input();
    body_ += joint_force(joint, fmt::format("{} - {}*{}.v", force, number(0, 0.5), joint));
    const double q = number(-1, 1), v = choose(2) * number(-1, 1);
    end_ += fmt::format("\"{0}.q\" = {1}\n\"{0}.v\" = {2}\n", joint, q, v);
  }

  // One joint in six beyond the first has no input and ends anywhere.
  void draw_chain() {
    const int links = 1 + choose(3);
    std::string parent = "world";
    for (int k = 1; k <= links; ++k) {
      const int kind = choose(4);
      const bool ball = kind == 3 && k == links, moved = k == 1 || choose(6) > 0;
      const std::string joint = fmt::format("j{}", k), body = fmt::format("b{}", k);
      draw_body(body);
      draw_joint(joint, ball ? "spherical" : kind == 2 ? "prismatic" : "revolute", parent, body);
      parent = body;
      if (ball)
        turn_ball(joint, body);
      else if (moved)
        move_joint(joint);
    }
    duration_ = number(0.7, 1.5);
  }

  void draw_four_bar() {
    const std::string crank = input(), rocker = input();
    body_ = plane_four_bar() + joint_force("O", crank) + joint_force("D", rocker);
    const double q = 1 + number(-0.8, 1.2), v = choose(2) * number(-2, 2);
    end_ = fmt::format("\"O.q\" = {}\n\"O.v\" = {}\n", q, v);
    duration_ = number(0.5, 1.2);
  }

  std::mt19937_64 random_;
  int count_ = 0;
  std::string inputs_ = "[inputs]\n", body_, end_, cost_;
  double duration_ = 1;
};

void expect_replay(int seed) {
  const Scratch scratch;
  const TaskDraw draw(seed);
  SCOPED_TRACE(fmt::format("seed {}\n{}\n{}", seed, draw.model(), draw.task()));
  scratch.write("drawn.toml", draw.model());
  const std::string task = scratch.write("task.toml", draw.task());
  const json found = expect_json(run_cartan(
      {"steer", task, "--starts", "1", "--verify", "--out", scratch.path("out"), "--json"}));
  ASSERT_TRUE(found.contains("converged"));
  EXPECT_TRUE(found["converged"]);
  EXPECT_GT(found["objective"].get<double>(), 1e-6);
  const double claimed = found["mesh_error"];
  EXPECT_LE(claimed, 1e-7);
  EXPECT_LE(found["replay"]["difference"].get<double>(), 10 * claimed + 1e-10);
}

TEST(RandomSteer, ReplayIsWithinTenTimesTheClaim) {
  for (int seed = 1; seed <= 4; ++seed) expect_replay(seed);
}

TEST(LongRandomSteer, ReplayIsWithinTenTimesTheClaim) {
  for (int seed = 5; seed <= 60; ++seed) expect_replay(seed);
}

}  // namespace
}  // namespace cartan::test
