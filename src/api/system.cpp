#include "api/system_inside.h"

#include <algorithm>

#include <fmt/format.h>

#include "mechanics/machine/system_curvature.h"
#include "results/load/parameter_slopes.h"
#include "results/load/state_file.h"
#include "system/state_products.h"

namespace cartan::api {

void check_length(const char* what, std::size_t given, std::size_t expected) {
  if (given != expected)
    refuse_at("system", fmt::format("{}: expected {} numbers, got {}", what, expected, given));
}

System::System(const Model& model, const std::string& formulation) {
  auto inside = std::make_shared<Inside>(model);
  inside->model = load_model(source_of(model), {});
  const model::Model& m = *inside->model;
  inside->system = load_system(m, choose_formulation(m, formulation));
  const system::System& system = *inside->system;
  inside->start = system.initial_state();
  inside->whole = system.space().size();
  inside->size = inside->whole - system.quadratures();
  for (std::size_t i = 0; i < inside->size; ++i)
    inside->names.push_back(system.component_name(static_cast<int>(i)));
  if (const auto* mechanism = dynamic_cast<const MechanicalSystem*>(&system)) {
    const auto workspace = system.make_workspace();
    inside->speeds = mechanism->report_mass_matrix(inside->start, *workspace).bias.size();
  }
  inside_ = std::move(inside);
}

std::size_t System::size() const {
  return inside_->size;
}

const std::vector<std::string>& System::names() const {
  return inside_->names;
}

std::vector<double> System::initial() const {
  const std::vector<double>& x = inside_->start.x;
  return {x.begin(), x.begin() + inside_->size};
}

std::vector<double> System::numbers(const State& state) const {
  const system::State made =
      make_start(*inside_->system, read_state(state.json(), *inside_->model));
  return {made.x.begin(), made.x.begin() + inside_->size};
}

State System::state(double t, std::span<const double> x) const {
  check_length("x", x.size(), size());
  system::State at = inside_->start;
  at.t = t;
  inside_->fill(x, at.x);
  return public_state(*inside_->model, *inside_->system, at);
}

void System::derivative(double t, std::span<const double> x, std::span<double> rates) const {
  check_length("x", x.size(), size());
  check_length("rates", rates.size(), size());
  std::unique_ptr<SystemScratch> s = inside_->take();
  inside_->fill(x, s->x);
  s->rates.resize(inside_->whole);
  inside_->system->derivative({t, s->x, inside_->start.mode}, s->rates, *s->workspace);
  std::copy_n(s->rates.begin(), size(), rates.begin());
  inside_->give_back(std::move(s));
}

void System::derivatives(std::span<const double> times, std::span<const double> x,
                         std::span<double> rates) const {
  const std::size_t n = size(), whole = inside_->whole;
  const std::size_t count = times.size() == 1 && n > 0 ? x.size() / n : times.size();
  check_length("x", x.size(), count * n);
  check_length("rates", rates.size(), count * n);
  constexpr std::size_t together = 64;  // what a cache holds
  std::unique_ptr<SystemScratch> s = inside_->take();
  s->x.assign(together * whole, 0.0);
  s->rates.resize(together * whole);
  s->times.resize(together);
  for (std::size_t first = 0; first < count; first += together) {
    const std::size_t now = std::min(together, count - first);
    for (std::size_t k = 0; k < now; ++k) {
      std::copy_n(x.begin() + (first + k) * n, n, s->x.begin() + k * whole);
      s->times[k] = times.size() == 1 ? times[0] : times[first + k];
    }
    inside_->system->derivatives({s->times.data(), now}, {s->x.data(), now * whole},
                                 inside_->start.mode, {s->rates.data(), now * whole},
                                 *s->workspace);
    for (std::size_t k = 0; k < now; ++k)
      std::copy_n(s->rates.begin() + k * whole, n, rates.begin() + (first + k) * n);
  }
  inside_->give_back(std::move(s));
}

void System::jacobian(double t, std::span<const double> x, std::span<double> matrix) const {
  const std::size_t n = size();
  check_length("x", x.size(), n);
  check_length("matrix", matrix.size(), n * n);
  std::unique_ptr<SystemScratch> s = inside_->take();
  inside_->fill(x, s->x);
  s->J.setZero(inside_->whole, inside_->whole);
  inside_->system->jacobian({t, s->x, inside_->start.mode}, s->J, *s->workspace);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) matrix[i * n + j] = s->J(i, j);
  inside_->give_back(std::move(s));
}

// Systems that know their Jacobian as formulas multiply without forming it.
void System::jvp(double t, std::span<const double> x, std::span<const double> u,
                 std::span<double> result) const {
  const std::size_t n = size();
  check_length("x", x.size(), n);
  check_length("u", u.size(), n);
  check_length("result", result.size(), n);
  std::unique_ptr<SystemScratch> s = inside_->take();
  inside_->multiply(false, t, x, u, result, *s);
  inside_->give_back(std::move(s));
}

void System::vjp(double t, std::span<const double> x, std::span<const double> w,
                 std::span<double> result) const {
  const std::size_t n = size();
  check_length("x", x.size(), n);
  check_length("w", w.size(), n);
  check_length("result", result.size(), n);
  std::unique_ptr<SystemScratch> s = inside_->take();
  inside_->multiply(true, t, x, w, result, *s);
  inside_->give_back(std::move(s));
}

void System::Inside::multiply(bool transposed, double t, std::span<const double> at,
                              std::span<const double> by, std::span<double> result,
                              SystemScratch& s) const {
  fill(at, s.x);
  const StateView view(t, s.x, start.mode);
  if (const auto* products = dynamic_cast<const StateProducts*>(system.get())) {
    fill(by, s.w);
    s.rates.resize(whole);
    if (transposed)
      products->vjp(view, s.w, s.rates, *s.workspace);
    else
      products->jvp(view, s.w, s.rates, *s.workspace);
    std::copy_n(s.rates.begin(), size, result.begin());
    return;
  }
  const int n = static_cast<int>(size);
  s.J.setZero(whole, whole);
  system->jacobian(view, s.J, *s.workspace);
  const Eigen::Map<const Eigen::VectorXd> vector(by.data(), n);
  Eigen::Map<Eigen::VectorXd> product(result.data(), n);
  if (transposed)
    product.noalias() = s.J.topLeftCorner(n, n).transpose() * vector;
  else
    product.noalias() = s.J.topLeftCorner(n, n) * vector;
}

std::vector<int> System::Inside::find_parameters(const std::vector<std::string>& list) const {
  std::vector<int> which;
  for (const std::string& name : list) {
    handle.parameter(name);  // refuses a name that is not known
    which.push_back(model->find_parameter(name));
  }
  if (system->parameter_count() == 0 && !which.empty())
    refuse_at("system",
              "this formulation has no derivatives by parameters; use the formulation recursive");
  const std::string refusal = refuse_parameter_slopes(*model, *system, which);
  if (!refusal.empty()) refuse_at("system", refusal);
  return which;
}

void System::parameter_jacobian(double t, std::span<const double> x,
                                const std::vector<std::string>& parameters,
                                std::span<double> matrix) const {
  const std::size_t n = size(), m = parameters.size();
  check_length("x", x.size(), n);
  check_length("matrix", matrix.size(), n * m);
  const std::vector<int> which = inside_->find_parameters(parameters);
  std::unique_ptr<SystemScratch> s = inside_->take();
  inside_->fill(x, s->x);
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(inside_->whole, m);
  inside_->system->parameter_jacobian({t, s->x, inside_->start.mode}, which, J, *s->workspace);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < m; ++j) matrix[i * m + j] = J(i, j);
  inside_->give_back(std::move(s));
}

// In joint coordinates or of [variables], as make_state_curvature has them.
void System::second_derivative(double t, std::span<const double> x, std::span<const double> u,
                               std::span<const double> w, std::span<double> result) const {
  const std::size_t n = size();
  check_length("x", x.size(), n);
  check_length("u", u.size(), n);
  check_length("w", w.size(), n);
  check_length("result", result.size(), n);
  const auto* mechanism = dynamic_cast<const MechanicalSystem*>(inside_->system.get());
  const auto* joints = dynamic_cast<const InverseMotion*>(mechanism);
  if (mechanism && !(joints && joints->has_joint_coordinates()))
    refuse_at("system",
              "this formulation has no second derivatives; use the formulation recursive");
  std::unique_ptr<SystemScratch> s = inside_->take();
  if (!s->curvature)
    s->curvature = make_state_curvature(*inside_->system, parameter_values(*inside_->model), {});
  s->curvature->rates({t, x, inside_->start.mode}, u, w, -1, result);
  inside_->give_back(std::move(s));
}

const InverseMotion& System::Inside::inverse() const {
  const auto* inverse = dynamic_cast<const InverseMotion*>(&mechanism());
  const std::string refusal =
      inverse ? inverse->refuse_inverse()
              : "this formulation has no forces of joints; use the formulation recursive";
  if (!refusal.empty()) refuse_at("system", refusal);
  return *inverse;
}

void System::inverse_dynamics(double t, std::span<const double> x, std::span<const double> a,
                              std::span<double> forces) const {
  check_length("x", x.size(), size());
  check_length("a", a.size(), speeds());
  check_length("forces", forces.size(), speeds());
  const InverseMotion& inverse = inside_->inverse();
  std::unique_ptr<SystemScratch> s = inside_->take();
  inside_->fill(x, s->x);
  inverse.joint_forces({t, s->x, inside_->start.mode}, a, forces, *s->workspace);
  inside_->give_back(std::move(s));
}

void System::inverse_jacobian(double t, std::span<const double> x, std::span<const double> a,
                              std::span<double> matrix) const {
  const std::size_t n = size(), v = speeds();
  check_length("x", x.size(), n);
  check_length("a", a.size(), v);
  check_length("matrix", matrix.size(), v * n);
  const InverseMotion& inverse = inside_->inverse();
  std::unique_ptr<SystemScratch> s = inside_->take();
  inside_->fill(x, s->x);
  s->force_slopes.resize(v, inside_->whole);
  inverse.joint_force_jacobian({t, s->x, inside_->start.mode}, a, s->force_slopes, *s->workspace);
  for (std::size_t i = 0; i < v; ++i)
    for (std::size_t j = 0; j < n; ++j) matrix[i * n + j] = s->force_slopes(i, j);
  inside_->give_back(std::move(s));
}

std::size_t System::speeds() const {
  return inside_->speeds;
}

double System::initial_time() const {
  return inside_->start.t;
}

void System::mass_matrix(double t, std::span<const double> x, std::span<double> M,
                         std::span<double> bias) const {
  const std::size_t v = speeds();
  const MechanicalSystem& mechanism = inside_->mechanism();
  check_length("x", x.size(), size());
  check_length("M", M.size(), v * v);
  check_length("bias", bias.size(), v);
  std::unique_ptr<SystemScratch> s = inside_->take();
  inside_->fill(x, s->x);
  const MassMatrixReport report =
      mechanism.report_mass_matrix({t, s->x, inside_->start.mode}, *s->workspace);
  for (std::size_t i = 0; i < v; ++i) {
    bias[i] = report.bias(i);
    for (std::size_t j = 0; j < v; ++j) M[i * v + j] = report.mass_matrix(i, j);
  }
  inside_->give_back(std::move(s));
}

void System::energies(double t, std::span<const double> x, double& kinetic,
                      double& potential) const {
  const MechanicalSystem& mechanism = inside_->mechanism();
  check_length("x", x.size(), size());
  std::unique_ptr<SystemScratch> s = inside_->take();
  inside_->fill(x, s->x);
  mechanism.observe({t, s->x, inside_->start.mode}, s->now, *s->workspace);
  kinetic = s->now.kinetic;
  potential = s->now.potential;
  inside_->give_back(std::move(s));
}

}  // namespace cartan::api
