// Every function of a model's code, evaluated from its flat list, against what the system says:
// mass matrices, energies, power, events, outputs, Jacobians by states and parameters, variational
// systems.
#include <Eigen/LU>
#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "generated/example_units.h"
#include "support/dual_jacobian.h"
#include "symbolic/differentiate.h"
#include "symbolic/flatten.h"

namespace cartan::test {
namespace {

constexpr int states_tried = 50;
constexpr int most_states_with_all_entries = 50;  // of a Jacobian
constexpr int most_states_with_second_derivatives = 15;

// The outputs of a function (and the numbers of its linear system), one after the other.
class FlatFunction {
 public:
  FlatFunction(const CodeUnit& unit, const CodeFunction& function) {
    std::vector<Expression> inputs, values;
    for (const CodeArgument& argument : unit.arguments)
      inputs.insert(inputs.end(), argument.symbols.begin(), argument.symbols.end());
    for (const CodeMatrix& output : function.outputs)
      values.insert(values.end(), output.entries.begin(), output.entries.end());
    if (function.solve) {
      values.insert(values.end(), function.solve->matrix.begin(), function.solve->matrix.end());
      values.insert(values.end(), function.solve->rhs.begin(), function.solve->rhs.end());
    }
    program_ = flatten(*unit.graph, values, inputs);
    scratch_.resize(program_.scratch_size());
  }

  std::vector<double> operator()(std::span<const double> inputs) {
    std::vector<double> result(program_.outputs.size());
    evaluate<double>(program_, inputs, scratch_, result);
    return result;
  }

 private:
  Program program_;
  std::vector<double> scratch_;
};

Eigen::MatrixXd dense_matrix(const CodeMatrix& shape, const double* numbers) {
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(shape.rows, shape.columns);
  for (std::size_t k = 0; k < shape.entries.size(); ++k) {
    const int i = shape.is_sparse() ? shape.row[k] : static_cast<int>(k) / shape.columns;
    const int j = shape.is_sparse() ? shape.column[k] : static_cast<int>(k) % shape.columns;
    matrix(i, j) = numbers[k];
  }
  return matrix;
}

// Speeds of tree joints that a drive moves, in the order of x.
std::vector<int> driven_speeds(const Model& model) {
  std::vector<int> speeds;
  int first = 0;
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
    if (std::count(model.loop_joints.begin(), model.loop_joints.end(), j)) continue;
    for (const Constraint& constraint : model.constraints) {
      const auto* drive = std::get_if<DriveConstraint>(&constraint.law);
      for (int k = 0; drive && drive->joint == j && k < model.joints[j].nv(); ++k)
        speeds.push_back(first + k);
    }
    first += model.joints[j].nv();
  }
  return speeds;
}

double largest(const Eigen::MatrixXd& m) {
  return m.size() > 0 ? m.cwiseAbs().maxCoeff() : 0;
}

class FunctionsOfExample : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    example = load_example(GetParam());
    ASSERT_TRUE(example) << example.problem;
    if (!has_flat_list(*example.model)) GTEST_SKIP() << "see has_flat_list";
    use_dual_numbers(*example.system);
    start = example.system->initial_state();
    workspace = example.system->make_workspace();
    mechanism = dynamic_cast<const MechanicalSystem*>(example.system.get());
    parameters = parameter_values(*example.model);
    n = static_cast<int>(start.x.size()) - example.system->quadratures();
  }

  // With every parameter a symbol of its own.
  void derive(const UnitOptions& options) {
    DeriveOptions symbols;
    symbols.follow = false;
    derivation = std::make_unique<Derivation>(*example.model, parameters, start, symbols);
    unit = make_unit(*derivation, options, GetParam());
  }

  const CodeFunction* function(const std::string& name) const {
    for (const CodeFunction& f : unit.functions)
      if (f.name == name) return &f;
    return nullptr;
  }

  std::vector<double> inputs(const State& state, std::span<const double> dx = {}) const {
    std::vector<double> result = {state.t};
    result.insert(result.end(), state.x.begin(), state.x.begin() + n);
    for (const Expression& p : unit.arguments[2].symbols) result.push_back(p.sample());
    result.insert(result.end(), dx.begin(), dx.end());
    return result;
  }

  Eigen::MatrixXd native_jacobian(const State& state) {
    const Eigen::Index size = static_cast<Eigen::Index>(state.x.size());
    Eigen::MatrixXd J(size, size);
    example.system->jacobian(state, J, *workspace);
    return J.topLeftCorner(n, n);
  }

  std::vector<double> native_rates(const State& state) {
    std::vector<double> rates(state.x.size());
    example.system->derivative(state, rates, *workspace);
    return rates;
  }

  Example example;
  State start;
  std::unique_ptr<Workspace> workspace;
  const MechanicalSystem* mechanism = nullptr;
  std::vector<double> parameters;
  int n = 0;
  std::unique_ptr<Derivation> derivation;
  CodeUnit unit;
  std::mt19937_64 random{23};
};

// (d xdot / d x) dx with a random dx: every entry takes part, at any size.
TEST_P(FunctionsOfExample, VariationalSystem) {
  UnitOptions options;
  options.extras = false;
  derive(options);
  CodeArgument dx;
  std::vector<Expression> x;
  for (const DerivedSymbol& s : derivation->state()) {
    x.push_back(s.symbol);
    dx.symbols.push_back(derivation->graph().symbol("d" + s.name, 0.1));
  }
  CodeFunction product;
  product.outputs.resize(1);
  product.outputs[0].entries = total_time_derivative(
      derivation->graph(), function("derivative")->outputs[0].entries, x, dx.symbols);
  unit.arguments.push_back(dx);
  FlatFunction flat(unit, product);
  for (int k = 0; k < states_tried; ++k) {
    const State state = random_state(*example.system, random);
    const Eigen::VectorXd direction = Eigen::VectorXd::NullaryExpr(
        n, [&] { return std::uniform_real_distribution<double>(-1, 1)(random); });
    const auto computed = flat(inputs(state, {direction.data(), static_cast<std::size_t>(n)}));
    const Eigen::MatrixXd J = native_jacobian(state);
    const Eigen::VectorXd difference =
        Eigen::Map<const Eigen::VectorXd>(computed.data(), n) - J * direction;
    // a sum of entries; second slopes of splines have fewer digits
    const double digits =
        example_text(GetParam()).find("table(") == std::string::npos ? 4e-12 : 2e-11;
    ASSERT_LE(largest(difference), digits * (1 + largest(J.cwiseAbs() * direction.cwiseAbs())));
  }
}

TEST_P(FunctionsOfExample, JacobianByStates) {
  if (n > most_states_with_all_entries) return;  // its products are compared above
  UnitOptions options;
  options.extras = false;
  options.jacobian = true;
  derive(options);
  const CodeFunction& jacobian = *function("jacobian");
  FlatFunction flat(unit, jacobian);
  for (int k = 0; k < states_tried; ++k) {
    const State state = random_state(*example.system, random);
    const Eigen::MatrixXd J = native_jacobian(state);
    const auto computed = flat(inputs(state));
    ASSERT_LE(largest(dense_matrix(jacobian.outputs[0], computed.data()) - J),
              1e-12 * (1 + largest(J)));
  }
}

TEST_P(FunctionsOfExample, JacobianByParameters) {
  if (n > most_states_with_all_entries) return;
  UnitOptions options;
  options.extras = false;
  options.parameter_jacobian = true;
  derive(options);
  std::vector<int> all(parameters.size());
  std::iota(all.begin(), all.end(), 0);
  const CodeFunction& jacobian = *function("parameter_jacobian");
  FlatFunction flat(unit, jacobian);
  for (int k = 0; k < states_tried; ++k) {
    const State state = random_state(*example.system, random);
    Eigen::MatrixXd J(static_cast<Eigen::Index>(state.x.size()),
                      static_cast<Eigen::Index>(all.size()));
    example.system->parameter_jacobian(state, all, J, *workspace);
    const auto computed = flat(inputs(state));
    const Eigen::MatrixXd difference =
        dense_matrix(jacobian.outputs[0], computed.data()) - J.topRows(n);
    // masses that are made of densities and lengths have larger derivatives than the rates
    ASSERT_LE(largest(difference), 1e-11 * (1 + largest(J)));
  }
}

// ( J                0 )     Its lower left part, second derivatives, against central differences
// of ( d(J dx) / dx     J )     the exact J along dx: d(J dx)/dx e = d/ds J(x + s e) dx.
TEST_P(FunctionsOfExample, JacobianOfTheVariationalSystem) {
  if (n > most_states_with_second_derivatives) return;
  UnitOptions options;
  options.extras = false;
  options.variational = true;
  derive(options);
  const CodeFunction& jacobian = *function("variational_jacobian");
  FlatFunction flat(unit, jacobian);
  const State state = random_state(*example.system, random);
  const Eigen::VectorXd dx = Eigen::VectorXd::NullaryExpr(
      n, [&] { return std::uniform_real_distribution<double>(-1, 1)(random); });
  const auto computed = flat(inputs(state, {dx.data(), static_cast<std::size_t>(n)}));
  const Eigen::MatrixXd both = dense_matrix(jacobian.outputs[0], computed.data());
  const Eigen::MatrixXd J = native_jacobian(state);
  EXPECT_LE(largest(both.topLeftCorner(n, n) - J), 1e-12 * (1 + largest(J)));
  EXPECT_LE(largest(both.bottomRightCorner(n, n) - J), 1e-12 * (1 + largest(J)));
  EXPECT_EQ(largest(both.topRightCorner(n, n)), 0);
  Eigen::MatrixXd second(n, n);
  constexpr double h = 2e-4;
  for (int j = 0; j < n; ++j) {
    // sixth order: (45 (f1 - f-1) - 9 (f2 - f-2) + (f3 - f-3)) / 60 h
    constexpr double weight[] = {45, -9, 1};
    second.col(j).setZero();
    for (int step = 1; step <= 3; ++step)
      for (const int sign : {-1, 1}) {
        State moved = state;
        moved.x[j] += sign * step * h;
        second.col(j) += sign * weight[step - 1] / (60 * h) * (native_jacobian(moved) * dx);
      }
  }
  EXPECT_LE(largest(both.bottomLeftCorner(n, n) - second),
            1e-7 * (1 + largest(second) + largest(J)));
}

TEST_P(FunctionsOfExample, MassMatrix) {
  if (!mechanism || !Derivation::refuse_mass_matrix(*example.model).empty()) return;
  UnitOptions options;
  options.derivative = false;
  derive(options);
  const CodeFunction& form = *function("mass_matrix");
  FlatFunction flat(unit, form);
  const int nv = form.outputs[0].rows, rows = form.outputs.size() > 2 ? form.outputs[2].rows : 0;
  const int nq = n - nv - static_cast<int>(example.model->variables.size());
  const std::vector<int> driven = driven_speeds(*example.model);
  for (int k = 0; k < states_tried; ++k) {
    const State state = random_state(*example.system, random);
    const auto computed = flat(inputs(state));
    const double* at = computed.data();
    const Eigen::MatrixXd M = dense_matrix(form.outputs[0], at);
    const Eigen::VectorXd f = Eigen::Map<const Eigen::VectorXd>(at + nv * nv, nv);
    Eigen::MatrixXd native = mechanism->report_mass_matrix(state, *workspace).mass_matrix;
    for (const int j : driven) {  // v_j' = what the drive says
      native.row(j).setZero(), native.col(j).setZero();
      native(j, j) = 1;
    }
    ASSERT_LE(largest(M - native), 1e-12 * largest(native));
    ASSERT_EQ(largest(M - M.transpose()), 0) << "one expression for both";
    const std::vector<double> rates = native_rates(state);
    const Eigen::VectorXd vdot = Eigen::Map<const Eigen::VectorXd>(rates.data() + nq, nv);
    const double size = largest(native.cwiseAbs() * vdot.cwiseAbs()) + largest(f);
    const Eigen::VectorXd left = M * vdot - f;
    if (rows == 0) {
      ASSERT_LE(largest(left), 1e-11 * (1 + size));
      continue;
    }
    // what is left is a combination of the rows of J, and J v' = gamma
    const Eigen::MatrixXd J = dense_matrix(form.outputs[2], at + nv * nv + nv);
    const Eigen::VectorXd gamma =
        Eigen::Map<const Eigen::VectorXd>(at + nv * nv + nv + rows * nv, rows);
    const Eigen::VectorXd lambda = J.transpose().colPivHouseholderQr().solve(left);
    ASSERT_LE(largest(left - J.transpose() * lambda), 1e-10 * (1 + size));
    ASSERT_LE(largest(J * vdot - gamma),
              1e-10 * (1 + largest(J.cwiseAbs() * vdot.cwiseAbs()) + largest(gamma)));
  }
}

TEST_P(FunctionsOfExample, DerivativeInMassMatrixForm) {
  if (!mechanism || !Derivation::refuse_mass_matrix(*example.model).empty()) return;
  UnitOptions options;
  options.extras = false;
  options.form = EquationForm::mass_matrix;
  derive(options);
  const CodeFunction& derivative = *function("derivative");
  FlatFunction flat(unit, derivative);
  const int nq = derivative.outputs[0].rows, size = derivative.solve->size;
  const int nz = static_cast<int>(example.model->variables.size()), nv = n - nq - nz;
  for (int k = 0; k < states_tried; ++k) {
    const State state = random_state(*example.system, random);
    const auto computed = flat(inputs(state));
    const std::vector<double> rates = native_rates(state);
    const Eigen::Map<const Eigen::VectorXd> native(rates.data(), n);
    const Eigen::Map<const Eigen::VectorXd> qdot(computed.data(), nq);
    ASSERT_LE(largest(qdot - native.head(nq)), 1e-12 * (1 + largest(native.head(nq))));
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    // qdot, zdot, then the system
    const Eigen::Map<const Eigen::VectorXd> zdot(computed.data() + nq, nz);
    if (nz > 0) ASSERT_LE(largest(zdot - native.tail(nz)), 1e-12 * (1 + largest(native.tail(nz))));
    const Eigen::Map<const RowMajor> matrix(computed.data() + nq + nz, size, size);
    const Eigen::Map<const Eigen::VectorXd> rhs(computed.data() + nq + nz + size * size, size);
    const Eigen::FullPivLU<Eigen::MatrixXd> lu(matrix);
    const Eigen::VectorXd vdot = lu.solve(rhs).head(nv);
    const Eigen::VectorXd speeds = native.segment(nq, nv);
    ASSERT_LE(largest(vdot - speeds),
              std::max(4e-14 / lu.rcond() * (1 + largest(speeds)),
                       roundings_allowed * rounding_of_rates(*example.system, state)));
  }
}

TEST_P(FunctionsOfExample, EnergiesPowerEventsOutputs) {
  UnitOptions options;
  options.derivative = false;
  derive(options);
  const auto flat_of = [&](const char* name) {
    std::optional<FlatFunction> flat;
    if (const CodeFunction* f = function(name)) flat.emplace(unit, *f);
    return flat;
  };
  auto energies = flat_of("energies"), power = flat_of("power"), events = flat_of("events"),
       outputs = flat_of("outputs");
  EXPECT_EQ(energies.has_value(), mechanism != nullptr);
  EXPECT_EQ(power.has_value(), example.system->quadratures() > 0);
  const auto own = std::count_if(example.model->outputs.begin(), example.model->outputs.end(),
                                 [](const Output& output) { return !output.is_input; });
  EXPECT_EQ(outputs.has_value(), own > 0);
  const auto near = [](double computed, double native) {
    return std::fabs(computed - native) <= 1e-12 * (1 + std::fabs(native));
  };
  for (int k = 0; k < states_tried; ++k) {
    const State state = random_state(*example.system, random);
    const std::vector<double> in = inputs(state);
    if (mechanism) {
      const Observation seen = observe(*mechanism, state);
      const auto both = (*energies)(in);
      ASSERT_TRUE(near(both[0], seen.kinetic) && near(both[1], seen.potential));
      for (long i = 0; outputs && i < own; ++i)  // inputs are the last
        ASSERT_TRUE(near((*outputs)(in)[i], seen.outputs[i])) << i;
    }
    if (power) {
      const double native = native_rates(state).back();
      ASSERT_LE(std::fabs((*power)(in)[0] - native), 1e-11 * (1 + std::fabs(native)));
    }
    if (events) {
      std::vector<double> native(example.system->events().size());
      example.system->event_values(state, native, *workspace);
      std::size_t at = 0;
      const auto computed = (*events)(in);
      for (std::size_t i = 0; i < native.size(); ++i)
        if (!example.system->events()[i].internal)
          ASSERT_TRUE(near(computed[at++], native[i])) << example.system->events()[i].name;
      EXPECT_EQ(at, computed.size());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, FunctionsOfExample, testing::ValuesIn(example_names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace cartan::test
