// The integrator `variational`: order two for every joint type, with constraints and with forces
// that have no potential; what a discrete Lagrangian promises (discrete Euler-Lagrange equations,
// symplecticity, momenta, symmetry in time, energy); and that the way it is run changes nothing.
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>
#include <Eigen/LU>

#include "integrate/integrator.h"
#include "model/mass_properties.h"
#include "order/energy_record.h"
#include "support/example.h"
#include "support/random_closed.h"

namespace cartan::test {
namespace {

// Positions, axes and velocities of all bodies.
std::vector<double> bodies_of(const MechanicalSystem& system, const State& state) {
  std::vector<double> all;
  for (const BodyState& body : observe(system, state).bodies) {
    append(all, body.position);
    const Mat3<double> R = rotation_matrix(body.orientation);
    for (const Vec3<double>& axis : R.c) append(all, axis);
    append(all, body.angular);
    append(all, body.linear);
  }
  return all;
}

std::vector<double> end_of(const MechanicalSystem& system, const std::string& method,
                           double duration, double step) {
  const SimulateReport report =
      simulate(system, system.initial_state(),
               {.integrator = method, .duration = duration, .step = step}, Observer{});
  EXPECT_TRUE(report.ok()) << system.model().name << ": " << report.message;
  return bodies_of(system, report.final_state);
}

// Largest and smallest order between h, h/2, h/4, h/8; `exact` by another method.
void expect_order_two(const MechanicalSystem& system, double duration, double h,
                      const std::vector<double>& exact, double largest_error = 0.1) {
  double before = 0;
  for (int k = 0; k < 4; ++k) {
    const double error =
        largest_difference(end_of(system, "variational", duration, h / (1 << k)), exact);
    EXPECT_LT(error, largest_error) << system.model().name << " " << k;
    EXPECT_GT(error, 1e-11) << system.model().name << " " << k;
    if (k > 0) {
      const double order = std::log2(before / error);
      EXPECT_NEAR(order, 2, k == 1 ? 0.3 : 0.12)
          << system.model().name << " " << system.formulation() << ", error " << error;
      if (k == 3)
        std::printf("  %s, %s: order %.3f, error %.2g at h = %g\n", system.model().name.c_str(),
                    system.formulation().c_str(), order, error, h / 8);
    }
    before = error;
  }
}

struct Case {
  const char* name;
  double duration, h;
  const char* formulation = "recursive";
  Settings settings = {};
};

void expect_order_two(const Case& c) {
  const Example example = load_example(c.name, c.formulation, c.settings);
  const Example reference = load_example(c.name, "recursive", c.settings);
  ASSERT_TRUE(example && reference);
  expect_order_two(example.mechanism(), c.duration, c.h,
                   end_of(reference.mechanism(), "gl4", c.duration, c.h / 4));
}

const Settings spatial = {{"tilt", 0.5}, {"sway", 0.5}, {"turn", 3}};

TEST(VariationalOrder, Trees) {
  expect_order_two({"four_link", 1, 0.004, "recursive", spatial});
  expect_order_two({"heavy_top", 1, 0.004});
  expect_order_two({"free_top", 0.3, 0.0004});
  expect_order_two({"floating_pair", 1, 0.01});
  expect_order_two({"revolute_chain_3", 0.5, 0.004});
  expect_order_two({"four_link", 1, 0.004, "moving-frame", spatial});
}
TEST(VariationalOrder, Loops) {
  expect_order_two({"four_bar", 0.4, 0.004});
  expect_order_two({"spherical_three_bar", 0.5, 0.004});
  expect_order_two({"stewart", 0.2, 0.004});
  expect_order_two({"bricard", 0.5, 0.01});
}
TEST(VariationalOrder, AbsoluteCoordinates) {
  expect_order_two({"four_link", 1, 0.004, "absolute-se3", spatial});
  expect_order_two({"heavy_top", 1, 0.004, "absolute-so3r3"});
  expect_order_two({"four_bar", 0.4, 0.004, "absolute-se3"});
  expect_order_two({"stewart", 0.2, 0.004, "absolute-se3"});
}
TEST(VariationalOrder, RollingAndSliding) {
  expect_order_two({"rolling_coin", 1, 0.02});
  expect_order_two({"sleigh", 1, 0.01});
  expect_order_two({"bicycle", 0.5, 0.005});
}
TEST(VariationalOrder, ForcesWithoutPotentialAndDrives) {
  expect_order_two({"spring_damper_chain", 0.5, 0.002});
  expect_order_two({"falling_ball", 0.5, 0.02});
  expect_order_two({"driven_pendulum", 0.5, 0.002});
  expect_order_two({"torsion_literal", 0.3, 0.001});
  expect_order_two({"driven_pendulum", 0.5, 0.002, "absolute-se3"});
}

// Friction that depends on the loads of bearings, and these on the accelerations.
TEST(VariationalOrder, SmoothedFriction) {
  std::string text = example_text("bearing_friction");
  const std::string type = "type = \"friction\"";
  for (std::size_t at = 0; (at = text.find(type, at)) != std::string::npos; at += type.size())
    text.insert(at + type.size(), "\nsmoothing = 0.5");
  const Example reference = load_text(text);
  ASSERT_TRUE(reference);
  const std::vector<double> exact = end_of(reference.mechanism(), "gl4", 0.3, 0.0005);
  for (const char* formulation : {"recursive", "absolute-se3"}) {
    const Example example = load_text(text, formulation);
    ASSERT_TRUE(example);
    expect_order_two(example.mechanism(), 0.3, 0.002, exact);
  }
}

// Trees over all joint types, crossed both ways, with all smooth forces.
TEST(VariationalOrder, RandomTrees) {
  RandomMechanismOptions options;
  options.min_bodies = 4;
  options.max_bodies = 12;
  options.exact_friction = false;
  options.smooth_friction = false;  // steep; its own test below
  options.bearings = false;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Model model = make_checked_random_model(seed, options);
    std::string problem;
    const auto system = make_system(model, parameter_values(model), "recursive", problem);
    ASSERT_TRUE(system) << problem;
    const auto& mechanism = dynamic_cast<const MechanicalSystem&>(*system);
    const double duration = 0.02;
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_order_two(mechanism, duration, duration / 16,
                     end_of(mechanism, "gl4", duration, duration / 128), 10);
  }
}

// Loops over all joint types, distances, drives, couplers, rolling, knife edges, redundant rows.
TEST(VariationalOrder, RandomClosedMechanisms) {
  RandomClosedOptions options;
  options.tree.min_bodies = 4;
  options.tree.max_bodies = 10;
  options.tree.exact_friction = false;
  options.tree.smooth_friction = false;
  options.tree.bearings = false;
  options.tree.rotors = 0;  // refused in loop joints and in absolute coordinates
  options.largest_kappa = 1e4;
  for (const char* formulation : {"recursive", "absolute-se3"}) {
    int moved = 0;
    for (std::uint64_t seed = 1; moved < 6 && seed <= 12; ++seed) {
      const ClosedModel closed(make_random_closed_mechanism(seed, options));
      std::string problem;
      const std::vector<double> parameters = parameter_values(closed.model);
      const auto system = make_system(closed.model, parameters, formulation, problem);
      const auto reference = make_system(closed.model, parameters, "recursive", problem);
      ASSERT_TRUE(system && reference) << problem;
      const double duration = 0.04;
      SCOPED_TRACE("seed " + std::to_string(seed));
      const auto& mechanism = dynamic_cast<const MechanicalSystem&>(*system);
      const std::vector<double> exact = end_of(dynamic_cast<const MechanicalSystem&>(*reference),
                                               "gl4", duration, duration / 128);
      // what is driven in all its motions has no order
      if (largest_difference(end_of(mechanism, "variational", duration, duration / 16), exact) <
          1e-12)
        continue;
      ++moved;
      expect_order_two(mechanism, duration, duration / 16, exact, 10);
    }
    EXPECT_EQ(moved, 6);
  }
}

// ------------------------------------------------------- what a discrete Lagrangian promises

// Plain coordinates of every type, one joint crossed from child to parent, a spring across.
constexpr const char* mixed = R"(
name = "mixed joints"
[[body]]
name = "a"
mass = 2
com = [0.1, 0.2, -0.1]
inertia = [0.2, 0.3, 0.25, 0.02, -0.01, 0.03]
[[body]]
name = "b"
mass = 1
com = [0, 0.3, 0.1]
inertia = [0.1, 0.12, 0.09]
[[body]]
name = "c"
mass = 1.5
com = [0.2, 0, 0.1]
inertia = [0.1, 0.2, 0.15]
[[body]]
name = "d"
mass = 0.7
com = [0.1, 0.1, 0]
inertia = [0.05, 0.06, 0.07]
[[body]]
name = "e"
mass = 0.9
com = [0, 0.1, 0.2]
inertia = [0.05, 0.07, 0.06]
[[joint]]
name = "A"
type = "universal"
axes = [[1, 0, 0], [0, 1, 0]]
parent = { body = "world" }
child = { body = "a" }
position = [0.3, -0.4]
velocity = [1.5, -2]
[[joint]]
name = "B"
type = "cylindrical"
axis = [0, 0, 1]
parent = { body = "b", at = [0, 0.2, 0] }
child = { body = "a", at = [0.3, 0, 0.1], rotate = { axis = [1, 0, 0], angle = 0.7 } }
position = [0.2, 0.1]
velocity = [2, 0.5]
[[joint]]
name = "C"
type = "screw"
axis = [1, 1, 0]
pitch = 0.2
parent = { body = "b", at = [0, 0.4, 0] }
child = { body = "c" }
position = 0.5
velocity = -3
[[joint]]
name = "D"
type = "planar"
normal = [0, 1, 0]
parent = { body = "c", at = [0.3, 0, 0] }
child = { body = "d" }
position = [0.1, 0.2, 0.3]
velocity = [0.4, -0.3, 2]
[[joint]]
name = "E"
type = "revolute"
axis = [0, 1, 1]
parent = { body = "a", at = [-0.3, 0, 0] }
child = { body = "e", at = [0, 0, -0.2] }
position = 1
velocity = 4
[[force]]
type = "spring"
from = { body = "world", at = [0, 0, 2] }
to = { body = "d" }
stiffness = 40
length = 0.5
)";

struct Chart {
  const MechanicalSystem& system;
  std::unique_ptr<Workspace> workspace = system.make_workspace();

  // Coordinates of all joints (plain ones), file order.
  Eigen::VectorXd q_of(const State& s) const { return flat(observe(system, s).q); }
  Eigen::VectorXd v_of(const State& s) const { return flat(observe(system, s).v); }
  State at(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const {
    const Observation like = observe(system, system.initial_state());
    std::vector<std::optional<std::vector<double>>> lists[2];
    for (int which : {0, 1}) {
      int next = 0;
      for (const std::vector<double>& list : which == 0 ? like.q : like.v) {
        std::vector<double> numbers(list.size());
        for (double& x : numbers) x = (which == 0 ? q : v)[next++];
        lists[which].push_back(numbers);
      }
    }
    return system.make_state(0, lists[0], lists[1]);
  }
  Eigen::MatrixXd mass_at(const Eigen::VectorXd& q) const {
    return system.report_mass_matrix(at(q, Eigen::VectorXd::Zero(q.size())), *workspace)
        .mass_matrix;
  }
  static Eigen::VectorXd flat(const std::vector<std::vector<double>>& lists) {
    std::vector<double> all;
    for (const std::vector<double>& list : lists) all.insert(all.end(), list.begin(), list.end());
    return Eigen::Map<Eigen::VectorXd>(all.data(), static_cast<long>(all.size()));
  }
  State step(const State& from, double h) const {
    return simulate(system, from, {.integrator = "variational", .duration = h, .step = h},
                    Observer{})
        .final_state;
  }
};

// L_d as the definition has it, from poses of bodies that know nothing of the integrator.
double discrete_lagrangian(const Chart& chart, const Eigen::VectorXd& q0, const Eigen::VectorXd& q1,
                           double h) {
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(q0.size());
  const Observation a = observe(chart.system, chart.at(q0, none));
  const Observation b = observe(chart.system, chart.at(q1, none));
  const Model& model = chart.system.model();
  double sum = -0.5 * h * (a.potential + b.potential);
  for (std::size_t i = 0; i < a.bodies.size(); ++i) {
    const MassProperties<double> m =
        calc_mass_properties<double>(model.bodies[i], parameter_values(model));
    const Vec3<double> c = point_on(b.bodies[i], m.com) - point_on(a.bodies[i], m.com);
    const Vec3<double> U = log(conjugate(a.bodies[i].orientation) * b.bodies[i].orientation);
    sum += (m.mass * norm2(c) + dot(U, m.inertia * U)) / (2 * h);
  }
  return sum;
}

// D1 L_d and D2 L_d by differences.
Eigen::VectorXd slope_of_lagrangian(const Chart& chart, const Eigen::VectorXd& q0,
                                    const Eigen::VectorXd& q1, double h, bool second) {
  Eigen::VectorXd slope(q0.size());
  const double e = 1e-4;
  const auto value = [&](int j, double by) {
    Eigen::VectorXd a = q0, b = q1;
    (second ? b : a)[j] += by;
    return discrete_lagrangian(chart, a, b, h);
  };
  for (int j = 0; j < q0.size(); ++j)  // fourth order
    slope[j] = (8 * (value(j, e) - value(j, -e)) - (value(j, 2 * e) - value(j, -2 * e))) / (12 * e);
  return slope;
}

TEST(VariationalLaws, DiscreteEulerLagrangeEquations) {
  for (const Example& example : {load_text(mixed), load_example("revolute_chain_3")}) {
    ASSERT_TRUE(example);
    const Chart chart{example.mechanism()};
    const double h = 0.01;
    const SimulateOptions options = {.integrator = "variational", .duration = 2 * h, .step = h};
    std::vector<State> nodes;
    Observer observer;
    observer.on_sample = [&](const State& s) { nodes.push_back(s); };
    simulate(*example.system, example.system->initial_state(), options, observer);
    ASSERT_EQ(nodes.size(), 3u);
    const Eigen::VectorXd q0 = chart.q_of(nodes[0]), q1 = chart.q_of(nodes[1]),
                          q2 = chart.q_of(nodes[2]);
    const Eigen::VectorXd p1 = slope_of_lagrangian(chart, q0, q1, h, true);
    const Eigen::VectorXd rest = p1 + slope_of_lagrangian(chart, q1, q2, h, false);
    EXPECT_LT(rest.lpNorm<Eigen::Infinity>(), 1e-7 * (1 + p1.lpNorm<Eigen::Infinity>()));
    // the speeds told at a node are those of its momenta
    const Eigen::VectorXd p = chart.mass_at(q1) * chart.v_of(nodes[1]);
    EXPECT_LT((p - p1).lpNorm<Eigen::Infinity>(), 1e-7 * (1 + p1.lpNorm<Eigen::Infinity>()));
    const Eigen::VectorXd p0 = chart.mass_at(q0) * chart.v_of(nodes[0]);
    EXPECT_LT((p0 + slope_of_lagrangian(chart, q0, q1, h, false)).lpNorm<Eigen::Infinity>(),
              1e-7 * (1 + p1.lpNorm<Eigen::Infinity>()));
  }
}

// (q, p) -> (q, p) after one step, and how far its Jacobian is from symplectic.
double symplectic_defect(const Chart& chart, const std::string& method, double h) {
  const State start = chart.system.initial_state();
  const Eigen::VectorXd q = chart.q_of(start);
  const long n = q.size();
  Eigen::VectorXd z(2 * n);
  z << q, chart.mass_at(q) * chart.v_of(start);
  const auto map = [&](const Eigen::VectorXd& at) {
    const Eigen::VectorXd speed = chart.mass_at(at.head(n)).lu().solve(at.tail(n));
    const SimulateReport report =
        simulate(chart.system, chart.at(at.head(n), speed),
                 {.integrator = method, .duration = h, .step = h}, Observer{});
    EXPECT_TRUE(report.ok()) << report.message;
    const Eigen::VectorXd q1 = chart.q_of(report.final_state);
    Eigen::VectorXd result(2 * n);
    result << q1, chart.mass_at(q1) * chart.v_of(report.final_state);
    return result;
  };
  Eigen::MatrixXd A(2 * n, 2 * n), Omega = Eigen::MatrixXd::Zero(2 * n, 2 * n);
  const double e = 1e-3;
  for (long j = 0; j < 2 * n; ++j) {
    const auto moved = [&](double by) {
      Eigen::VectorXd at = z;
      at[j] += by;
      return map(at);
    };
    A.col(j) = (8 * (moved(e) - moved(-e)) - (moved(2 * e) - moved(-2 * e))) / (12 * e);
  }
  Omega.topRightCorner(n, n).setIdentity();
  Omega.bottomLeftCorner(n, n) = -Eigen::MatrixXd::Identity(n, n);
  return (A.transpose() * Omega * A - Omega).lpNorm<Eigen::Infinity>();
}

TEST(VariationalLaws, Symplectic) {
  const Example example = load_text(mixed);
  ASSERT_TRUE(example);
  const Chart chart{example.mechanism()};
  const double kept = symplectic_defect(chart, "variational", 0.02);
  const double lost = symplectic_defect(chart, "gl1", 0.02);  // in speeds it is not
  std::printf("  defect of the Jacobian: variational %.2g, gl1 in speeds %.2g\n", kept, lost);
  EXPECT_LT(kept, 1e-7);
  EXPECT_GT(lost, 1e3 * kept);
}

// Back and forth: the method is its own inverse with reversed time.
TEST(VariationalLaws, SymmetricInTime) {
  for (const char* name : {"heavy_top", "four_bar", "rolling_coin", "floating_pair"}) {
    const Example example = load_example(name);
    ASSERT_TRUE(example);
    const State start = example.system->initial_state();
    const SimulateOptions options = {.integrator = "variational", .duration = 0.2, .step = 0.002};
    const auto reversed = [&](State s) {
      s.t = 0;
      const std::size_t first = example.system->kinematic_size();
      for (std::size_t k = first; k < s.x.size() - example.system->quadratures(); ++k)
        s.x[k] = -s.x[k];
      return s;
    };
    const State there = simulate(*example.system, start, options, Observer{}).final_state;
    const State back = simulate(*example.system, reversed(there), options, Observer{}).final_state;
    EXPECT_LT(largest_difference(reversed(back).x, start.x), 1e-10) << name;
  }
}

TEST(VariationalLaws, MomentaOfFreeMechanisms) {
  for (const char* formulation : {"recursive", "absolute-se3"}) {
    const Example pair = load_example("floating_pair", formulation);
    ASSERT_TRUE(pair);
    Observation start;
    double linear = 0, angular = 0;
    const auto workspace = pair.system->make_workspace();
    Observer observer;
    observer.on_sample = [&](const State& state) {
      Observation now;
      pair.mechanism().observe(state, now, *workspace);
      if (start.bodies.empty()) start = now;
      linear = std::max(linear, norm(now.linear_momentum - start.linear_momentum));
      angular = std::max(angular, norm(now.angular_momentum - start.angular_momentum));
    };
    const SimulateReport report = simulate(
        *pair.system, pair.system->initial_state(),
        {.integrator = "variational", .duration = 20, .step = 0.002, .every = 10}, observer);
    EXPECT_TRUE(report.ok()) << report.message;
    std::printf("  floating pair, %s: change of momenta %.1g of %.3g, %.1g of %.3g\n", formulation,
                linear, norm(start.linear_momentum), angular, norm(start.angular_momentum));
    EXPECT_LT(linear, 1e-11 * (1 + norm(start.linear_momentum)));
    EXPECT_LT(angular, 1e-11 * (1 + norm(start.angular_momentum)));
  }
}

// Joints as coordinates and joints as constraints: one discrete Lagrangian, one motion.
TEST(VariationalLaws, OneMotionInAllCoordinates) {
  for (const char* name : {"four_link", "four_bar", "stewart"}) {
    const Example tree = load_example(name), se3 = load_example(name, "absolute-se3"),
                  product = load_example(name, "absolute-so3r3");
    ASSERT_TRUE(tree && se3 && product);
    const std::vector<double> first = end_of(tree.mechanism(), "variational", 0.2, 0.005);
    EXPECT_LT(largest_difference(end_of(se3.mechanism(), "variational", 0.2, 0.005), first), 1e-10);
    EXPECT_LT(largest_difference(end_of(product.mechanism(), "variational", 0.2, 0.005), first),
              1e-10);
  }
}

// ------------------------------------------------------------------------------------------ energy

void expect_kept(const EnergyRecord& record) {
  expect_no_drift(record);
  EXPECT_LE(record.turning, 1e-11 * std::max(1.0, record.spin));
}

TEST(VariationalEnergy, HeavyTop) {
  const Example top = load_example("heavy_top");
  ASSERT_TRUE(top);
  expect_kept(record_energy(top, "variational", 0.002, 50000, 5));
}
TEST(VariationalEnergy, FourLinks) {
  const Example chain = load_example("four_link");
  ASSERT_TRUE(chain);
  expect_kept(record_energy(chain, "variational", 0.01, 50000, 5));
}
TEST(VariationalEnergy, FourBar) {
  const Example loop = load_example("four_bar");
  ASSERT_TRUE(loop);
  expect_no_drift(record_energy(loop, "variational", 0.002, 20000, 2));
}
TEST(LongVariationalEnergy, HeavyTop) {
  const Example top = load_example("heavy_top");
  ASSERT_TRUE(top);
  expect_kept(record_energy(top, "variational", 0.002, 1000000, 25));
}
TEST(LongVariationalEnergy, FourLinks) {
  const Example chain = load_example("four_link");
  ASSERT_TRUE(chain);
  expect_kept(record_energy(chain, "variational", 0.01, 1000000, 25));
}
// Chaotic motions, with hinges and with ball joints, where symmetry in time alone lets the energy
// wander.
TEST(LongVariationalEnergy, ThreeHinges) {
  const Example chain = load_example("revolute_chain_3");
  ASSERT_TRUE(chain);
  expect_no_drift(record_energy(chain, "variational", 0.002, 1000000, 25));
}
TEST(LongVariationalEnergy, WildBallJoints) {
  const Example chain =
      load_example("four_link", "recursive", {{"tilt", 1.5}, {"sway", 0.5}, {"turn", 3}});
  ASSERT_TRUE(chain);
  expect_kept(record_energy(chain, "variational", 0.002, 200000, 5));
}
TEST(LongVariationalEnergy, FourBar) {
  const Example loop = load_example("four_bar");
  ASSERT_TRUE(loop);
  expect_no_drift(record_energy(loop, "variational", 0.002, 1000000, 25));
}

}  // namespace
}  // namespace cartan::test
