// Equations to be read, with numbers put in: every line of every form against the numbers of the
// engine at random states, none of them symbolic.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <type_traits>

#include "codegen/element_sheet.h"
#include "codegen/equations.h"
#include "generated/example_units.h"
#include "support/random_closed.h"
#include "support/random_mechanism.h"
#include "symbolic/flatten.h"

namespace cartan::test {
namespace {

using Numbers = std::map<std::string, double>;  // of symbols and unknowns, by name

// Values of expressions with numbers for all symbols of the graph; those without one keep their
// sample (parameters). `changes`: rates of the symbols; then the directional derivatives.
template <class S>
std::vector<S> values_at(ExpressionGraph& graph, const std::vector<Expression>& values,
                         const Numbers& numbers, const Numbers& changes = {}) {
  std::vector<Expression> symbols;
  std::vector<S> inputs;
  for (int k = 0; k < graph.symbol_count(); ++k) {
    const std::string& name = graph.symbol_name(k);
    symbols.push_back(Expression(graph, graph.symbol_node(k)));
    const auto given = numbers.find(name);
    S input(given == numbers.end() ? symbols.back().sample() : given->second);
    if constexpr (!std::is_same_v<S, double>)
      if (const auto change = changes.find(name); change != changes.end())
        input.d[0] = change->second;
    inputs.push_back(input);
  }
  const Program program = flatten(graph, values, symbols);
  std::vector<S> scratch(program.scratch_size()), result(program.outputs.size());
  evaluate<S>(program, std::span<const S>(inputs), scratch, std::span<S>(result));
  return result;
}

// |sum of factors times unknowns - right| over the sum of sizes, at the worst line; lines with a
// name on the left are compared with the number of that name where there is one.
double worst_line(ExpressionGraph& graph, const EquationSheet& sheet, const Numbers& numbers,
                  int* compared = nullptr) {
  double worst = 0;
  for (const EquationLine& line : sheet.lines) {
    if (line.kind != EquationLine::Kind::equation) continue;
    std::vector<Expression> parts = line.factors;
    parts.push_back(line.right);
    const std::vector<double> values = values_at<double>(graph, parts, numbers);
    double sum = -values.back(), size = 1 + std::fabs(values.back());
    if (line.factors.empty()) {
      const auto expected = numbers.find(line.text);
      if (line.text != "0" && expected == numbers.end()) continue;
      const double left = line.text == "0" ? 0 : expected->second;
      sum += left;
      size += std::fabs(left);
    }
    for (std::size_t k = 0; k < line.factors.size(); ++k) {
      const auto unknown = numbers.find(line.unknowns[k]);
      EXPECT_NE(unknown, numbers.end()) << line.unknowns[k];
      if (unknown == numbers.end()) return INFINITY;
      sum += values[k] * unknown->second;
      size += std::fabs(values[k] * unknown->second);
    }
    if (compared) ++*compared;
    if (!(std::fabs(sum) <= worst * size)) worst = std::fabs(sum) / size;
  }
  return worst;
}

struct Motion {
  State state;
  std::vector<double> rates;
};

Motion random_motion(const System& system, std::mt19937_64& random, double size = 0.3) {
  Motion motion{random_state(system, random, size), {}};
  motion.rates.resize(motion.state.x.size());
  system.derivative(motion.state, motion.rates, *system.make_workspace());
  return motion;
}

// Symbols of a derivation in the joints' own speeds: q1, q1' (or v1), and rates q1'', v1'.
void add_joint_numbers(const Derivation& derivation, const Motion& motion, Numbers& numbers) {
  numbers["t"] = motion.state.t;
  const std::vector<DerivedSymbol>& state = derivation.state();
  for (std::size_t i = 0; i < state.size(); ++i) {
    numbers[state[i].name] = motion.state.x[i];
    numbers[state[i].name + "'"] = motion.rates[i];
  }
}

// In other speeds: u from its formula, u' from the directional derivative of the same formula
// along the motion of the engine.
void add_speed_numbers(Derivation& derivation, const Motion& motion, Numbers& numbers) {
  ASSERT_TRUE(derivation.speed_form());
  const SpeedForm& form = *derivation.speed_form();
  Numbers changes = {{"t", 1}};
  numbers["t"] = motion.state.t;
  const auto note = [&](const Expression& symbol, std::size_t at) {
    for (int k = 0; k < derivation.graph().symbol_count(); ++k)
      if (derivation.graph().symbol_node(k) == symbol.node()) {
        numbers[derivation.graph().symbol_name(k)] = motion.state.x[at];
        changes[derivation.graph().symbol_name(k)] = motion.rates[at];
      }
  };
  const std::vector<Expression> q = derivation.q();
  for (std::size_t i = 0; i < q.size(); ++i) note(q[i], i);
  for (std::size_t i = 0; i < form.joints.size(); ++i) note(form.joints[i], q.size() + i);
  const std::vector<Dual4> u =
      values_at<Dual4>(derivation.graph(), form.formulas, numbers, changes);
  for (std::size_t i = 0; i < u.size(); ++i) {
    const std::string& name = derivation.state()[q.size() + i].name;
    numbers[name] = value_of(u[i]);
    numbers[name + "'"] = u[i].d[0];
  }
}

// Kinetic energy, and rates of the state, of the derivation against the engine.
void expect_energy_and_rates(Derivation& derivation, const MechanicalSystem& system,
                             const Motion& motion, const Numbers& numbers) {
  Observation now;
  system.observe(motion.state, now, *system.make_workspace());
  const double T = values_at<double>(derivation.graph(), {derivation.kinetic()}, numbers)[0];
  EXPECT_NEAR(T, now.kinetic, 1e-11 * (1 + now.kinetic));
  const std::vector<double> rates =
      values_at<double>(derivation.graph(), derivation.rates(), numbers);
  for (int j = 0; j < derivation.nv(); ++j) {
    const std::string& name = derivation.state()[derivation.nq() + j].name;
    const double expected = numbers.at(name + "'");
    EXPECT_NEAR(rates[derivation.nq() + j], expected, 1e-9 * (1 + std::fabs(expected))) << name;
  }
}

void expect_form(const MechanicalSystem& system, EquationsForm form, std::uint64_t seed,
                 bool dots = true) {
  SCOPED_TRACE(form == EquationsForm::diagonal ? "diagonal" : "kane");
  const Model& model = system.model();
  DeriveOptions options;
  options.dots = dots;
  options.speeds = speeds_of_form(form);
  std::mt19937_64 random(seed);
  Derivation derivation(model, parameter_values(model), random_state(system, random, 0.1), options);
  ASSERT_EQ(derivation.speed_problem(), "");
  const EquationSheet sheet = make_sheet(derivation, {form, {"T", "V"}, true, false});
  for (int k = 0; k < 3; ++k) {
    const Motion motion = random_motion(system, random);
    Numbers numbers;
    if (derivation.speed_form())
      add_speed_numbers(derivation, motion, numbers);
    else
      add_joint_numbers(derivation, motion, numbers);
    int compared = 0;
    EXPECT_LE(worst_line(derivation.graph(), sheet, numbers, &compared), 1e-9);
    EXPECT_GE(compared, 2 * derivation.nv());
    expect_energy_and_rates(derivation, system, motion, numbers);
  }
}

const char* const arm_with_speeds = R"toml(
name = "arm"
[parameters]
l = 0.7
[[body]]
name = "upper"
mass = 2
com = [0.3, 0, 0.1]
inertia = [0.1, 0.2, 0.15, 0.01, 0, 0.02]
[[body]]
name = "fore"
mass = 1.5
com = [0.2, 0.1, 0]
inertia = [0.05, 0.1, 0.12]
[[body]]
name = "hand"
mass = 0.5
com = [0, 0, 0.1]
inertia = [0.02, 0.03, 0.01]
[[joint]]
name = "a"
type = "revolute"
axis = [0, 0, 1]
parent = { body = "world" }
child = { body = "upper" }
position = 0.4
velocity = 0.7
[[joint]]
name = "b"
type = "revolute"
axis = [0, 1, 0]
parent = { body = "upper", at = ["l", 0, 0] }
child = { body = "fore" }
position = 0.5
velocity = -0.3
[[joint]]
name = "c"
type = "spherical"
parent = { body = "fore", at = [0.5, 0, 0] }
child = { body = "hand" }
velocity = [0.2, 0.5, -0.4]
[speeds]
turn = "a.v*cos(b.q)"
lift = "a.v + l*b.v + 0.3*sin(t)"
hx = "hand.wx"
hy = "hand.wy"
hz = "hand.wz + a.v"
)toml";

// Speeds of the user, one of them with a part of its own that moves with time.
TEST(Sheets, SpeedsOfTheUser) {
  const Example example = load_text(arm_with_speeds);
  ASSERT_TRUE(example) << example.problem;
  expect_form(example.mechanism(), EquationsForm::kane, 1);
}

TEST(Sheets, DiagonalMassMatrix) {
  for (const char* name : {"planar_double_pendulum", "double_pendulum", "swinging_legs",
                           "rotated_double_pendulum", "heavy_top"}) {
    SCOPED_TRACE(name);
    const Example example = load_example(name);
    ASSERT_TRUE(example) << example.problem;
    expect_form(example.mechanism(), EquationsForm::diagonal, 2);
  }
  const Example arm = load_text(arm_with_speeds);
  ASSERT_TRUE(arm) << arm.problem;
  expect_form(arm.mechanism(), EquationsForm::diagonal, 3);
}

TEST(Sheets, SpeedsOfTheUserInAClosedMechanism) {
  const Example plain = load_example("four_bar");
  ASSERT_TRUE(plain) << plain.problem;
  std::string text = example_text("four_bar") + "\n[speeds]\n";
  std::string sum;
  for (std::size_t k = 0; k < plain.model->tree.size(); ++k) {
    const Joint& joint = plain.model->joints[plain.model->tree[k].joint];
    ASSERT_EQ(joint.nv(), 1);
    sum += (sum.empty() ? "" : " + ") + fmt::format("(1 + 0.2*cos({0}.q))*{0}.v", joint.name);
    text += fmt::format("w{} = \"{}\"\n", k, sum);
  }
  const Example example = load_text(text);
  ASSERT_TRUE(example) << example.problem;
  const MechanicalSystem& system = example.mechanism();
  const Model& model = system.model();
  DeriveOptions options;
  options.speeds = SpeedChoice::chosen;
  std::mt19937_64 random(3);
  Derivation derivation(model, parameter_values(model), system.initial_state(), options);
  ASSERT_EQ(derivation.speed_problem(), "");
  const MassMatrixForm form = derivation.mass_matrix_form();
  ASSERT_GT(form.rows, 0);
  for (int k = 0; k < 3; ++k) {
    const Motion motion = random_motion(system, random, 0.1);
    Numbers numbers;
    add_speed_numbers(derivation, motion, numbers);
    expect_energy_and_rates(derivation, system, motion, numbers);
    // J u' = gamma with the engine's accelerations
    std::vector<Expression> all = form.J;
    all.insert(all.end(), form.gamma.begin(), form.gamma.end());
    const std::vector<double> values = values_at<double>(derivation.graph(), all, numbers);
    for (int r = 0; r < form.rows; ++r) {
      double sum_of = -values[form.J.size() + r], size = 1 + std::fabs(sum_of);
      for (int j = 0; j < form.nv; ++j) {
        const double term = values[static_cast<std::size_t>(r) * form.nv + j] *
                            numbers.at(derivation.state()[derivation.nq() + j].name + "'");
        sum_of += term;
        size += std::fabs(term);
      }
      EXPECT_LE(std::fabs(sum_of), 1e-10 * size);
    }
  }
}

// Random trees: the mass matrix is diagonal, and each line is what the engine says.
TEST(Sheets, RandomTrees) {
  RandomMechanismOptions options;
  options.max_bodies = 3;
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Diagnostics problems("random");
    const std::optional<Model> model = check_model(make_random_mechanism(seed, options), problems);
    ASSERT_TRUE(model) << problems.text();
    if (!refuse_form(*model, EquationsForm::diagonal).empty()) continue;
    std::string problem;
    const auto system = make_system(*model, parameter_values(*model), "recursive", problem);
    if (!system) continue;
    const auto& mechanism = dynamic_cast<const MechanicalSystem&>(*system);
    Derivation tried(*model, parameter_values(*model), system->initial_state(),
                     {.speeds = SpeedChoice::diagonal});
    if (!tried.speed_problem().empty()) continue;  // a joint sticks
    expect_form(mechanism, EquationsForm::kane, seed, false);
    expect_form(mechanism, EquationsForm::diagonal, seed);
    ++compared;
    if (HasFailure()) return;
  }
  EXPECT_GE(compared, 6);
}

// Entries of a matrix by their names: M[1,2].
Eigen::MatrixXd matrix_in(ExpressionGraph& graph, const EquationSheet& sheet, char name, int rows,
                          int columns, const Numbers& numbers) {
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(rows, columns);
  for (const EquationLine& line : sheet.lines) {
    int i = 0, j = 0;
    const std::string pattern = std::string(1, name) + "[%d,%d]";
    if (line.kind != EquationLine::Kind::equation ||
        std::sscanf(line.text.c_str(), pattern.c_str(), &i, &j) != 2)
      continue;
    matrix(i - 1, j - 1) = values_at<double>(graph, {line.right}, numbers)[0];
    if (name == 'M') matrix(j - 1, i - 1) = matrix(i - 1, j - 1);
  }
  return matrix;
}

// A is the Jacobian of the rates at rest, and M A = -(K C) where the forces balance.
TEST(Sheets, LinearisedAboutRest) {
  const Example example = load_example("planar_double_pendulum");
  ASSERT_TRUE(example) << example.problem;
  const MechanicalSystem& system = example.mechanism();
  DeriveOptions options;
  options.dots = true;
  Derivation derivation(*example.model, parameter_values(*example.model), system.initial_state(),
                        options);
  const EquationSheet sheet = make_sheet(derivation, {EquationsForm::kane, {}, false, true});
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> angle(-2, 2);
  for (int k = 0; k < 4; ++k) {
    State rest = system.initial_state();
    for (std::size_t i = 0; i < 4; ++i) rest.x[i] = k > 0 && i < 2 ? angle(random) : 0;
    Motion motion{rest, std::vector<double>(rest.x.size())};
    const auto workspace = system.make_workspace();
    system.derivative(rest, motion.rates, *workspace);
    Numbers numbers;
    add_joint_numbers(derivation, motion, numbers);
    Eigen::MatrixXd J(rest.x.size(), rest.x.size());
    system.jacobian(rest, J, *workspace);
    const Eigen::MatrixXd A = matrix_in(derivation.graph(), sheet, 'A', 4, 4, numbers);
    EXPECT_LE((A - J.topLeftCorner(4, 4)).cwiseAbs().maxCoeff(),
              1e-11 * (1 + J.cwiseAbs().maxCoeff()));
    const Eigen::MatrixXd M = matrix_in(derivation.graph(), sheet, 'M', 2, 2, numbers);
    const MassMatrixReport report = system.report_mass_matrix(rest, *workspace);
    EXPECT_LE((M - report.mass_matrix).cwiseAbs().maxCoeff(), 1e-12);
    if (k > 0) continue;  // hanging: the forces balance
    const Eigen::MatrixXd K = matrix_in(derivation.graph(), sheet, 'K', 2, 2, numbers);
    const Eigen::MatrixXd C = matrix_in(derivation.graph(), sheet, 'C', 2, 2, numbers);
    EXPECT_GT(K.cwiseAbs().maxCoeff(), 0.1);
    EXPECT_LE((M * A.bottomLeftCorner(2, 2) + K).cwiseAbs().maxCoeff(), 1e-11);
    EXPECT_LE((M * A.bottomRightCorner(2, 2) + C).cwiseAbs().maxCoeff(), 1e-11);
  }
}

// T', V' and P with the accelerations of the engine are its power balance.
TEST(Sheets, Power) {
  for (const char* name : {"planar_double_pendulum", "double_pendulum"}) {
    SCOPED_TRACE(name);
    const Example example = load_example(name);
    ASSERT_TRUE(example) << example.problem;
    const MechanicalSystem& system = example.mechanism();
    DeriveOptions options;
    options.dots = true;
    std::mt19937_64 random(6);
    Derivation derivation(*example.model, parameter_values(*example.model),
                          random_state(system, random, 0.1), options);
    const EquationSheet sheet =
        make_sheet(derivation, {EquationsForm::kane, {"power"}, false, false});
    for (int k = 0; k < 3; ++k) {
      const Motion motion = random_motion(system, random);
      Numbers numbers;
      add_joint_numbers(derivation, motion, numbers);
      const PowerBalance power =
          system.report_dynamics(motion.state, *system.make_workspace()).power;
      numbers["T'"] = power.kinetic_rate;
      numbers["V'"] = power.potential_rate;
      numbers["P"] = power.nonconservative + power.constraint;
      EXPECT_GT(std::fabs(power.kinetic_rate), 1e-3);
      EXPECT_LE(worst_line(derivation.graph(), sheet, numbers), 1e-10);
    }
  }
}

// All 12 n + 6 n + rows lines with R'', T*'', Lambda and the joints' multipliers of the
// formulation.
void expect_elements(const Model& model, int bodies_at_least) {
  std::string problem;
  const auto made = make_system(model, parameter_values(model), "rotation-elements", problem);
  ASSERT_TRUE(made) << problem;
  const auto& system = dynamic_cast<const MechanicalSystem&>(*made);
  const auto workspace = system.make_workspace();
  Observation now;
  system.observe(system.initial_state(), now, *workspace);
  ExpressionGraph graph;
  const EquationSheet sheet =
      make_element_sheet(graph, model, parameter_values(model), system.initial_state(), now.bodies);
  const std::size_t bodies = model.bodies.size(), n = 12 * bodies;
  ASSERT_GE(static_cast<int>(bodies), bodies_at_least);
  // a motion on the constraints: the end of a short run
  SimulateOptions options;
  options.integrator = "rk4";
  options.step = 1e-3;
  const std::vector<double> times = {0.05};
  const State state = states_at(system, times, options)[0];
  std::vector<double> rates(state.x.size());
  system.derivative(state, rates, *workspace);
  const ElementMultipliers multipliers = *system.report_dynamics(state, *workspace).elements;
  Numbers numbers = {{"t", state.t}};
  for (std::size_t i = 0; i < bodies; ++i) {
    // x: R by columns, T*, body by body in the order of the tree; the legend says which is which
    const std::string meaning = sheet.symbols[2 * i].meaning;
    const std::size_t from = meaning.find('\'') + 1;
    const int body = model.find_body(meaning.substr(from, meaning.find('\'', from) - from));
    ASSERT_GE(body, 0) << meaning;
    for (int k = 0; k < 12; ++k) {
      const std::string name = k < 9 ? fmt::format("R{}[{},{}]", i + 1, k % 3 + 1, k / 3 + 1)
                                     : fmt::format("T{}[{}]", i + 1, k - 8);
      numbers[name] = state.x[12 * i + k];
      numbers[name + "'"] = state.x[n + 12 * i + k];
      numbers[name + "''"] = rates[n + 12 * i + k];
    }
    for (int r = 0; r < 3; ++r)
      for (int c = r; c < 3; ++c)
        numbers[fmt::format("Lambda{}[{},{}]", i + 1, r + 1, c + 1)] =
            multipliers.Lambda[body](r, c);
  }
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (std::size_t k = 0; k < multipliers.joint[j].size(); ++k)
      numbers[fmt::format("Lambda_{}[{}]", model.joints[j].name, k + 1)] = multipliers.joint[j][k];
  int compared = 0;
  EXPECT_LE(worst_line(graph, sheet, numbers, &compared), 1e-8);
  EXPECT_GE(compared, static_cast<int>(18 * bodies));
}

TEST(Sheets, RotationElementsOfSource001) {
  const Example example = load_example("bar_double");
  ASSERT_TRUE(example) << example.problem;
  expect_elements(*example.model, 2);
}

TEST(Sheets, RotationElementsOfRandomMechanisms) {
  RandomClosedOptions options;
  options.tree.max_bodies = 3;
  options.tree.rotors = 0;
  options.tree.smooth_friction = options.tree.exact_friction = options.tree.bearings = false;
  options.max_constraints = 0;
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Diagnostics problems("random");
    const std::optional<Model> model =
        check_model(make_random_closed_mechanism(seed, options), problems);
    ASSERT_TRUE(model) << problems.text();
    if (!refuse_element_sheet(*model).empty()) continue;
    std::string problem;
    if (!make_system(*model, parameter_values(*model), "rotation-elements", problem)) continue;
    expect_elements(*model, 1);
    ++compared;
    if (HasFailure()) return;
  }
  EXPECT_GE(compared, 3);
}

}  // namespace
}  // namespace cartan::test
