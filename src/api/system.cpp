#include <cartan/system.h>

#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include "api/inside.h"
#include "results/load/parameter_slopes.h"
#include "results/load/state_file.h"
#include "results/refusal.h"

namespace cartan {
namespace {

// What one call needs; kept for the next one.
struct Scratch {
  std::unique_ptr<Workspace> workspace;
  std::vector<double> x, rates;  // with quadratures
  std::vector<double> times;
  Eigen::MatrixXd J;
  Observation now;
};

void check_length(const char* what, std::size_t given, std::size_t expected) {
  if (given != expected)
    refuse_at("system", fmt::format("{}: expected {} numbers, got {}", what, expected, given));
}

}  // namespace

struct api::System::Inside {
  explicit Inside(const api::Model& m) : handle(m) {}

  api::Model handle;                           // whose model the system refers to
  std::unique_ptr<const cartan::Model> model;  // with its code, where that is allowed
  std::unique_ptr<cartan::System> system;
  cartan::State start;
  std::vector<std::string> names;
  std::size_t size = 0, whole = 0;  // without and with quadratures
  std::size_t speeds = 0;           // of a mechanism

  const MechanicalSystem& mechanism() const {
    const auto* mechanism = dynamic_cast<const MechanicalSystem*>(system.get());
    if (!mechanism)
      refuse_at("system",
                "a [variables] file has no mass matrix and no energies; derivative and jacobian "
                "are there");
    return *mechanism;
  }
  mutable std::mutex mutex;
  mutable std::vector<std::unique_ptr<Scratch>> idle;

  std::unique_ptr<Scratch> take() const {
    {
      const std::lock_guard lock(mutex);
      if (!idle.empty()) {
        std::unique_ptr<Scratch> scratch = std::move(idle.back());
        idle.pop_back();
        return scratch;
      }
    }
    auto scratch = std::make_unique<Scratch>();
    scratch->workspace = system->make_workspace();
    return scratch;
  }
  void give_back(std::unique_ptr<Scratch> scratch) const {
    const std::lock_guard lock(mutex);
    idle.push_back(std::move(scratch));
  }

  // x with its quadratures, which nothing depends on.
  void fill(std::span<const double> x, std::vector<double>& full) const {
    full.assign(whole, 0.0);
    std::copy(x.begin(), x.end(), full.begin());
  }
};

api::System::System(const Model& model, const std::string& formulation) {
  auto inside = std::make_shared<Inside>(model);
  inside->model = load_model(source_of(model), {});
  const cartan::Model& m = *inside->model;
  inside->system = load_system(m, choose_formulation(m, formulation));
  const cartan::System& system = *inside->system;
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

std::size_t api::System::size() const {
  return inside_->size;
}

const std::vector<std::string>& api::System::names() const {
  return inside_->names;
}

std::vector<double> api::System::initial() const {
  const std::vector<double>& x = inside_->start.x;
  return {x.begin(), x.begin() + inside_->size};
}

std::vector<double> api::System::numbers(const State& state) const {
  const cartan::State made =
      make_start(*inside_->system, read_state(state.json(), *inside_->model));
  return {made.x.begin(), made.x.begin() + inside_->size};
}

api::State api::System::state(double t, std::span<const double> x) const {
  check_length("x", x.size(), size());
  cartan::State at = inside_->start;
  at.t = t;
  inside_->fill(x, at.x);
  return public_state(*inside_->model, *inside_->system, at);
}

void api::System::derivative(double t, std::span<const double> x, std::span<double> rates) const {
  check_length("x", x.size(), size());
  check_length("rates", rates.size(), size());
  std::unique_ptr<Scratch> s = inside_->take();
  inside_->fill(x, s->x);
  s->rates.resize(inside_->whole);
  inside_->system->derivative({t, s->x, inside_->start.mode}, s->rates, *s->workspace);
  std::copy_n(s->rates.begin(), size(), rates.begin());
  inside_->give_back(std::move(s));
}

void api::System::derivatives(std::span<const double> times, std::span<const double> x,
                              std::span<double> rates) const {
  const std::size_t n = size(), whole = inside_->whole;
  const std::size_t count = times.size() == 1 && n > 0 ? x.size() / n : times.size();
  check_length("x", x.size(), count * n);
  check_length("rates", rates.size(), count * n);
  constexpr std::size_t together = 64;  // what a cache holds
  std::unique_ptr<Scratch> s = inside_->take();
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

void api::System::jacobian(double t, std::span<const double> x, std::span<double> matrix) const {
  const std::size_t n = size();
  check_length("x", x.size(), n);
  check_length("matrix", matrix.size(), n * n);
  std::unique_ptr<Scratch> s = inside_->take();
  inside_->fill(x, s->x);
  s->J.setZero(inside_->whole, inside_->whole);
  inside_->system->jacobian({t, s->x, inside_->start.mode}, s->J, *s->workspace);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) matrix[i * n + j] = s->J(i, j);
  inside_->give_back(std::move(s));
}

void api::System::jvp(double t, std::span<const double> x, std::span<const double> u,
                      std::span<double> result) const {
  const std::size_t n = size();
  check_length("u", u.size(), n);
  check_length("result", result.size(), n);
  std::vector<double> J(n * n);
  jacobian(t, x, J);
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += J[i * n + j] * u[j];
    result[i] = sum;
  }
}

void api::System::vjp(double t, std::span<const double> x, std::span<const double> w,
                      std::span<double> result) const {
  const std::size_t n = size();
  check_length("w", w.size(), n);
  check_length("result", result.size(), n);
  std::vector<double> J(n * n);
  jacobian(t, x, J);
  std::fill(result.begin(), result.end(), 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) result[j] += w[i] * J[i * n + j];
}

void api::System::parameter_jacobian(double t, std::span<const double> x,
                                     const std::vector<std::string>& parameters,
                                     std::span<double> matrix) const {
  const std::size_t n = size(), m = parameters.size();
  check_length("x", x.size(), n);
  check_length("matrix", matrix.size(), n * m);
  std::vector<int> which;
  for (const std::string& name : parameters) {
    inside_->handle.parameter(name);  // refuses a name that is not known
    which.push_back(inside_->model->find_parameter(name));
  }
  if (inside_->system->parameter_count() == 0 && m > 0)
    refuse_at("system",
              "this formulation has no derivatives by parameters; use the formulation recursive");
  const std::string refusal = refuse_parameter_slopes(*inside_->model, *inside_->system, which);
  if (!refusal.empty()) refuse_at("system", refusal);
  std::unique_ptr<Scratch> s = inside_->take();
  inside_->fill(x, s->x);
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(inside_->whole, m);
  inside_->system->parameter_jacobian({t, s->x, inside_->start.mode}, which, J, *s->workspace);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < m; ++j) matrix[i * m + j] = J(i, j);
  inside_->give_back(std::move(s));
}

std::size_t api::System::speeds() const {
  return inside_->speeds;
}

double api::System::initial_time() const {
  return inside_->start.t;
}

void api::System::mass_matrix(double t, std::span<const double> x, std::span<double> M,
                              std::span<double> bias) const {
  const std::size_t v = speeds();
  const MechanicalSystem& mechanism = inside_->mechanism();
  check_length("x", x.size(), size());
  check_length("M", M.size(), v * v);
  check_length("bias", bias.size(), v);
  std::unique_ptr<Scratch> s = inside_->take();
  inside_->fill(x, s->x);
  const MassMatrixReport report =
      mechanism.report_mass_matrix({t, s->x, inside_->start.mode}, *s->workspace);
  for (std::size_t i = 0; i < v; ++i) {
    bias[i] = report.bias(i);
    for (std::size_t j = 0; j < v; ++j) M[i * v + j] = report.mass_matrix(i, j);
  }
  inside_->give_back(std::move(s));
}

void api::System::energies(double t, std::span<const double> x, double& kinetic,
                           double& potential) const {
  const MechanicalSystem& mechanism = inside_->mechanism();
  check_length("x", x.size(), size());
  std::unique_ptr<Scratch> s = inside_->take();
  inside_->fill(x, s->x);
  mechanism.observe({t, s->x, inside_->start.mode}, s->now, *s->workspace);
  kinetic = s->now.kinetic;
  potential = s->now.potential;
  inside_->give_back(std::move(s));
}

}  // namespace cartan
