#include "mechanics/variables/variables.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "expr/hold_inputs.h"
#include "mechanics/machine/parameter_seeds.h"
#include "mechanics/machine/switched_model.h"
#include "mechanics/variables/algebraic.h"
#include "mechanics/variables/singular_rates.h"
#include "mechanics/variables/variable_rates.h"
#include "system/motion_geometry.h"

namespace cartan::mechanics {
namespace {

struct VariablesWorkspace : Workspace {
  explicit VariablesWorkspace(const Model& model) : scratch(model) {}
  ProgramScratch<double> scratch;
  std::optional<ProgramScratch<Dual4>> dual;  // made at the first Jacobian
  RateCodeUse code;
  std::vector<double> entries;
  std::vector<int> which;                  // parameters of the last parameter Jacobian ...
  std::vector<std::vector<Dual4>> seeded;  // ... as dual numbers, four directions each
  AlgebraicScratch algebraic;
  std::vector<Dual4> dual_constraints;

  ProgramScratch<Dual4>& duals(const Model& model) {
    if (!dual) dual.emplace(model);
    return *dual;
  }
};

// Shifts of variables may be symmetries.
class VariablesGeometry final : public MotionGeometry {
 public:
  VariablesGeometry(const Model& model, std::span<const double> parameters)
      : model_(model), parameters_(parameters.begin(), parameters.end()) {}

  std::string time_dependence() const override {
    for (const Variable& v : model_.variables)
      if (varies_with_time(v.rate.program, parameters_))
        return fmt::format("the rate of the variable '{}'", v.name);
    if (model_.implicit && varies_with_time(model_.implicit->form.program, parameters_))
      return "the equations of the variables";
    // g(t, x) = z - t has a constant rate and moves all the same
    if (model_.algebraic && varies_with_time(model_.algebraic->residuals.program, parameters_))
      return "the equations of the variables";
    return "";
  }
  bool constraint_moves(int) const override { return false; }  // refused above where one does
  int field_count() const override { return static_cast<int>(model_.variables.size()); }
  FieldKind field_kind(int) const override { return FieldKind::shift; }
  std::string field_name(int k) const override { return "shift of " + model_.variables[k].name; }
  void fields(StateView, std::span<const double>, Eigen::Ref<Eigen::MatrixXd> Y,
              Eigen::Ref<Eigen::MatrixXd> D) const override {
    Y.setIdentity();
    D.setZero();
  }
  void add_field_jacobian(StateView, std::span<const double>,
                          Eigen::Ref<Eigen::MatrixXd>) const override {}
  void add_field_curvature(StateView, std::span<const double>, std::span<const double>,
                           std::span<const double>, std::span<double>) const override {}
  void add_field_third(StateView, std::span<const double>, std::span<const double>,
                       std::span<const double>, std::span<const double>,
                       std::span<double>) const override {}

 private:
  const Model& model_;
  const std::vector<double> parameters_;
};

class PlainSystem final : public VariablesSystem {
 public:
  PlainSystem(const Model& model, std::vector<double> parameters,
              std::shared_ptr<RateCompiler> compiler)
      : model_(model),
        parameters_(std::move(parameters)),
        compiler_(std::move(compiler)),
        switch_count_(count_switches(model)),
        geometry_(model, parameters_) {
    space_.add_vector(static_cast<int>(model.variables.size()));
    for (const Event& e : model.events) events_.push_back({e.name, e.direction, e.stop, false});
    for (const Variable& v : model_.variables)
      start_.x.push_back(model::evaluate<double>(v.initial, parameters_)[0]);
    start_.mode.assign(switch_count_, 0);
    if (model_.algebraic) decide_start();
  }

  const StateSpace& space() const override { return space_; }
  const Model& model() const override { return model_; }
  const std::vector<EventInfo>& events() const override { return events_; }
  std::string component_name(int i) const override { return model_.variables[i].name; }
  const MotionGeometry* geometry() const override { return &geometry_; }

  State initial_state() const override { return start_; }
  const std::vector<DecidedStart>& decided_starts() const override { return decided_; }
  const std::string& start_problem() const override { return start_problem_; }

  // ---- equations without rates
  bool constrained() const override { return model_.algebraic.has_value(); }
  int constraint_count() const override {
    return model_.algebraic ? static_cast<int>(model_.algebraic->rows.size()) : 0;
  }
  void constraint_values(StateView at, std::span<double> values,
                         Workspace& workspace) const override {
    if (!model_.algebraic) return;
    VariablesWorkspace& w = static_cast<VariablesWorkspace&>(workspace);
    evaluate_formula<double>(model_.algebraic->residuals, at.t, at.x, parameters_, w.scratch,
                             values.data());
  }
  void constraint_jacobian(StateView at, Eigen::Ref<Eigen::MatrixXd> C,
                           Workspace& workspace) const override {
    if (!model_.algebraic) return;
    VariablesWorkspace& w = static_cast<VariablesWorkspace&>(workspace);
    ProgramScratch<Dual4>& s = w.duals(model_);
    w.dual_constraints.resize(constraint_count());
    std::copy(at.x.begin(), at.x.end(), s.x.begin());
    const int varying = static_cast<int>(C.cols());
    for (int first = 0; first < varying; first += 4) {
      const int count = std::min(4, varying - first);
      for (int k = 0; k < count; ++k) s.x[first + k] = Dual4::variable(at.x[first + k], k);
      evaluate_formula<Dual4>(model_.algebraic->residuals, Dual4(at.t), s.x, parameters_, s,
                              w.dual_constraints.data());
      for (int i = 0; i < constraint_count(); ++i)
        for (int k = 0; k < count; ++k) C(i, first + k) = w.dual_constraints[i].d[k];
      for (int k = 0; k < count; ++k) s.x[first + k] = at.x[first + k];
    }
  }
  void constraint_parameter_jacobian(StateView at, std::span<const int> which,
                                     Eigen::Ref<Eigen::MatrixXd> C,
                                     Workspace& workspace) const override {
    if (!model_.algebraic) return;
    VariablesWorkspace& w = static_cast<VariablesWorkspace&>(workspace);
    ProgramScratch<Dual4>& s = w.duals(model_);
    seed(which, w);
    w.dual_constraints.resize(constraint_count());
    std::copy(at.x.begin(), at.x.end(), s.x.begin());
    for (std::size_t first = 0; first < which.size(); first += 4) {
      evaluate_formula<Dual4>(model_.algebraic->residuals, Dual4(at.t), s.x, w.seeded[first / 4], s,
                              w.dual_constraints.data());
      for (int i = 0; i < constraint_count(); ++i)
        for (std::size_t k = first; k < std::min(first + 4, which.size()); ++k)
          C(i, static_cast<int>(k)) = w.dual_constraints[i].d[k - first];
    }
  }
  // The other variables stay what they are: the motion is that of x' = f(x, z(x)).
  Projection project(State& state, Workspace& workspace) const override {
    Projection done;
    if (!model_.algebraic) return done;
    VariablesWorkspace& w = static_cast<VariablesWorkspace&>(workspace);
    AlgebraicSolution solution = solve_algebraic(model_, state.t, state.x, parameters_, w.scratch,
                                                 w.duals(model_), w.algebraic);
    done.problem = std::move(solution.problem);
    done.position_change = solution.change;
    done.moved = solution.change > 0;
    return done;
  }

  std::unique_ptr<Workspace> make_workspace() const override {
    return std::make_unique<VariablesWorkspace>(model_);
  }

  void derivative(StateView at, std::span<double> xdot, Workspace& workspace) const override {
    VariablesWorkspace& w = static_cast<VariablesWorkspace&>(workspace);
    ++w.evaluations;
    if (compiler_)
      if (const RateCode* code = w.code.find_derivative(*compiler_, at)) {
        code->derivative(at.t, at.x.data(), compiler_->parameters().data(), xdot.data());
        // Code leaves no note about a table that ends; the formulas below do.
        if (!model_.bounded_tables || !lacks_value(xdot)) return;
      }
    hold(at, w.scratch);
    evaluate_rates<double>(model_, at.t, at.x, parameters_, w.scratch, xdot.data());
  }

  void jacobian(StateView at, Eigen::Ref<Eigen::MatrixXd> J, Workspace& workspace) const override {
    VariablesWorkspace& w = static_cast<VariablesWorkspace&>(workspace);
    ++w.jacobians;
    if (compiler_)
      if (const RateCode* code = w.code.find_jacobian(*compiler_, at))
        return fill_jacobian(*code, at, compiler_->parameters(), w.entries, J);
    if (!w.dual) w.dual.emplace(model_);
    ProgramScratch<Dual4>& s = *w.dual;
    hold(at, s);
    const int n = space_.size();
    std::copy(at.x.begin(), at.x.end(), s.x.begin());
    for (int first = 0; first < n; first += 4) {
      const int count = std::min(4, n - first);
      for (int k = 0; k < count; ++k) s.x[first + k] = Dual4::variable(at.x[first + k], k);
      evaluate_rates<Dual4>(model_, Dual4(at.t), s.x, parameters_, s, s.xdot.data());
      for (int i = 0; i < n; ++i)
        for (int k = 0; k < count; ++k) J(i, first + k) = s.xdot[i].d[k];
      for (int k = 0; k < count; ++k) s.x[first + k] = at.x[first + k];
    }
  }

  // Any variable that enters the equations may be an angle.
  double turn(int i) const override {
    const Symbol variable{Quantity::variable, i, 0};
    const auto enters = [&](const Formula& formula) {
      const std::vector<Symbol>& inputs = formula.program.inputs;
      return std::find(inputs.begin(), inputs.end(), variable) != inputs.end();
    };
    if (model_.implicit && enters(model_.implicit->form)) return 2 * pi;
    if (model_.algebraic && enters(model_.algebraic->residuals)) return 2 * pi;
    for (const Variable& v : model_.variables)
      if (enters(v.rate)) return 2 * pi;
    return 0;
  }
  int parameter_count() const override { return static_cast<int>(parameters_.size()); }

  void parameter_jacobian(StateView at, std::span<const int> which, Eigen::Ref<Eigen::MatrixXd> J,
                          Workspace& workspace) const override {
    VariablesWorkspace& w = static_cast<VariablesWorkspace&>(workspace);
    if (!w.dual) w.dual.emplace(model_);
    seed(which, w);
    ProgramScratch<Dual4>& s = *w.dual;
    hold(at, s);
    std::copy(at.x.begin(), at.x.end(), s.x.begin());
    for (std::size_t group = 0; group < w.seeded.size(); ++group) {
      const std::size_t first = 4 * group, count = std::min<std::size_t>(4, which.size() - first);
      evaluate_rates<Dual4>(model_, Dual4(at.t), s.x, w.seeded[group], s, s.xdot.data());
      for (int i = 0; i < space_.size(); ++i)
        for (std::size_t k = 0; k < count; ++k) J(i, static_cast<int>(first + k)) = s.xdot[i].d[k];
    }
  }

  std::string explain_failure(StateView at, Workspace& workspace) const override {
    if (!model_.implicit) return "";
    VariablesWorkspace& w = static_cast<VariablesWorkspace&>(workspace);
    hold(at, w.scratch);
    evaluate_rates<double>(model_, at.t, at.x, parameters_, w.scratch, w.scratch.xdot.data());
    return explain_singular_rates(model_, at.t, w.scratch.implicit.form);
  }

  void event_values(StateView at, std::span<double> values, Workspace& workspace) const override {
    VariablesWorkspace& w = static_cast<VariablesWorkspace&>(workspace);
    hold(at, w.scratch);
    for (std::size_t k = 0; k < values.size(); ++k)
      values[k] = value<double>(model_.events[k].when, at.t, at.x, w.scratch);
  }

  // All new values from the values before.
  bool handle_event(int which, State& state, Workspace& workspace) const override {
    const std::vector<Jump>& jumps = model_.events[which].jumps;
    if (jumps.empty()) return false;
    VariablesWorkspace& w = static_cast<VariablesWorkspace&>(workspace);
    hold(state, w.scratch);
    std::vector<double> x = state.x;
    for (const Jump& jump : jumps)
      x[jump.index] = value<double>(jump.value, state.t, state.x, w.scratch);
    state.x = std::move(x);
    return true;
  }

  std::string jump_slope(int which, StateView before, StateView after,
                         std::span<const int> parameters, JumpSlope& slope,
                         Workspace& workspace) const override {
    System::jump_slope(which, before, after, parameters, slope, workspace);
    for (const Jump& jump : model_.events[which].jumps) {
      FunctionSlope of_value;
      make_function(jump.value)->slope(before, parameters, of_value, workspace);
      for (int j = 0; j < slope.by_x.cols(); ++j) slope.by_x(jump.index, j) = of_value.by_x[j];
      for (int j = 0; j < slope.by_parameters.cols(); ++j)
        slope.by_parameters(jump.index, j) = of_value.by_parameters[j];
      slope.by_time(jump.index) = of_value.by_time;
    }
    return "";
  }

  void event_slope(int event, StateView at, std::span<const int> parameters, FunctionSlope& slope,
                   Workspace& workspace) const override {
    make_function(model_.events[event].when)->slope(at, parameters, slope, workspace);
  }

  void fill_start_slopes(std::span<const int> which, const std::vector<bool>& known,
                         Eigen::Ref<Eigen::MatrixXd> J) const override {
    J.setZero();
    for (std::size_t first = 0; first < which.size(); first += 4) {
      const std::vector<Dual4> p = seed_parameters(model_, parameters_, which, first);
      for (std::size_t i = 0; i < model_.variables.size(); ++i) {
        if (i < known.size() && known[i]) continue;
        const Dual4 start = model::evaluate<Dual4>(model_.variables[i].initial, p)[0];
        for (std::size_t k = first; k < std::min(first + 4, which.size()); ++k)
          J(static_cast<int>(i), static_cast<int>(k)) = start.d[k - first];
      }
    }
    if (model_.algebraic) decide_start_slopes(which, J);
  }

  std::unique_ptr<StateFunction> make_function(Formula formula) const override;

  void calc_outputs(StateView at, std::span<double> outputs, Workspace& workspace) const override {
    VariablesWorkspace& w = static_cast<VariablesWorkspace&>(workspace);
    hold(at, w.scratch);
    for (std::size_t k = 0; k < outputs.size(); ++k)
      outputs[k] = value<double>(model_.outputs[k].value, at.t, at.x, w.scratch);
  }

 private:
  friend class VariablesFunction;

  void decide_start() {
    const std::vector<double> written = start_.x;
    VariablesWorkspace w(model_);
    start_problem_ = solve_algebraic(model_, start_.t, start_.x, parameters_, w.scratch,
                                     w.duals(model_), w.algebraic)
                         .problem;
    for (const int j : model_.algebraic->decided)
      if (start_.x[j] != written[j]) decided_.push_back({j, written[j], start_.x[j]});
  }

  // g(x, z; p) = 0 at the start: g_z dz/dp = -(g_p + g_x dx/dp)
  void decide_start_slopes(std::span<const int> which, Eigen::Ref<Eigen::MatrixXd> J) const {
    const int rows = constraint_count(), columns = static_cast<int>(which.size());
    VariablesWorkspace w(model_);
    Eigen::MatrixXd C(rows, space_.size()), by_p(rows, columns);
    constraint_jacobian(start_, C, w);
    constraint_parameter_jacobian(start_, which, by_p, w);
    const std::vector<int>& decided = model_.algebraic->decided;
    for (const int j : decided) J.row(j).setZero();
    const Eigen::MatrixXd right = -(by_p + C * J);
    std::vector<double> matrix(static_cast<std::size_t>(rows) * rows), solution(rows);
    for (int c = 0; c < columns; ++c) {
      for (int i = 0; i < rows; ++i) {
        solution[i] = right(i, c);
        for (int k = 0; k < rows; ++k) matrix[i * rows + k] = C(i, decided[k]);
      }
      solve_block(rows, matrix.data(), solution.data());
      for (int k = 0; k < rows; ++k) J(decided[k], c) = solution[k];
    }
  }

  template <class S>
  void hold(StateView at, ProgramScratch<S>& s) const {
    s.branches.assign(at.mode.begin(), at.mode.end());
    s.branches.resize(switch_count_);
  }

  void seed(std::span<const int> which, VariablesWorkspace& w) const {
    if (!w.seeded.empty() && std::equal(which.begin(), which.end(), w.which.begin(), w.which.end()))
      return;
    w.which.assign(which.begin(), which.end());
    w.seeded.clear();
    for (std::size_t first = 0; first < which.size(); first += 4)
      w.seeded.push_back(seed_parameters(model_, parameters_, which, first));
  }

  template <class S>
  S value(const Formula& formula, const S& t, std::span<const S> x, ProgramScratch<S>& s) const {
    return value_with<S>(formula, t, x, parameters_, s);
  }

  template <class S, class P>
  static S value_with(const Formula& formula, const S& t, std::span<const S> x,
                      const std::vector<P>& parameters, ProgramScratch<S>& s) {
    S result;
    evaluate_formula<S>(formula, t, x, parameters, s, &result);
    return result;
  }

  const Model& model_;
  std::vector<double> parameters_;
  std::shared_ptr<RateCompiler> compiler_;
  const int switch_count_;
  StateSpace space_;
  std::vector<EventInfo> events_;
  VariablesGeometry geometry_;
  State start_;
  std::vector<DecidedStart> decided_;
  std::string start_problem_;
};

class VariablesFunction final : public StateFunction {
 public:
  VariablesFunction(const PlainSystem& system, Formula formula)
      : system_(system), formula_(std::move(formula)) {}

  double value(StateView at, Workspace& workspace) const override {
    VariablesWorkspace& w = static_cast<VariablesWorkspace&>(workspace);
    system_.hold(at, w.scratch);
    return system_.value<double>(formula_, at.t, at.x, w.scratch);
  }

  double gradient(StateView at, std::span<double> gradient, Workspace& workspace) const override {
    VariablesWorkspace& w = static_cast<VariablesWorkspace&>(workspace);
    if (!w.dual) w.dual.emplace(system_.model_);
    ProgramScratch<Dual4>& s = *w.dual;
    system_.hold(at, s);
    const int n = system_.space_.size();
    std::copy(at.x.begin(), at.x.end(), s.x.begin());
    for (int first = 0; first < n; first += 4) {
      const int count = std::min(4, n - first);
      for (int k = 0; k < count; ++k) s.x[first + k] = Dual4::variable(at.x[first + k], k);
      const Dual4 value = system_.value<Dual4>(formula_, Dual4(at.t), s.x, s);
      for (int k = 0; k < count; ++k) gradient[first + k] = value.d[k];
      for (int k = 0; k < count; ++k) s.x[first + k] = at.x[first + k];
    }
    return value(at, workspace);
  }

  double slope(StateView at, std::span<const int> parameters, FunctionSlope& slope,
               Workspace& workspace) const override {
    slope.by_x.resize(at.x.size());
    slope.by_parameters.resize(parameters.size());
    const double result = gradient(at, slope.by_x, workspace);
    VariablesWorkspace& w = static_cast<VariablesWorkspace&>(workspace);
    ProgramScratch<Dual4>& s = *w.dual;
    slope.by_time = system_.value<Dual4>(formula_, Dual4::variable(at.t, 0), s.x, s).d[0];
    if (parameters.empty()) return result;
    system_.seed(parameters, w);
    for (std::size_t k = 0; k < parameters.size(); ++k)
      slope.by_parameters[k] =
          PlainSystem::value_with<Dual4>(formula_, Dual4(at.t), s.x, w.seeded[k / 4], s).d[k % 4];
    return result;
  }

 private:
  const PlainSystem& system_;
  Formula formula_;
};

std::unique_ptr<StateFunction> PlainSystem::make_function(Formula formula) const {
  return std::make_unique<VariablesFunction>(*this, std::move(formula));
}

}  // namespace

std::unique_ptr<VariablesSystem> make_variables_system(const Model& model,
                                                       std::vector<double> parameters,
                                                       std::shared_ptr<RateCompiler> compiler) {
  return std::make_unique<PlainSystem>(model, std::move(parameters), std::move(compiler));
}

}  // namespace cartan::mechanics
