#include <mutex>

#include <fmt/format.h>

#include <cartan/system.h>

#include "api/inside.h"
#include "results/refusal.h"

namespace cartan {

// Numbers of x that are integrals for the summary of a run (work done) are not part of what
// programs see: they are zero here.
struct api::Equations::Inside {
  struct Scratch {
    std::unique_ptr<Workspace> workspace;
    std::vector<double> x, rates, times;
    Eigen::MatrixXd J;
    Observation now;
  };

  std::unique_ptr<const cartan::Model> model;
  std::unique_ptr<System> system;
  const MechanicalSystem* mechanism = nullptr;
  std::vector<std::string> names;
  std::vector<double> start;
  std::vector<int> mode;
  double start_time = 0;
  std::size_t size = 0, whole = 0, speeds = 0;

  mutable std::mutex mutex;
  mutable std::vector<std::unique_ptr<Scratch>> idle;

  std::unique_ptr<Scratch> borrow() const {
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
    scratch->x.assign(whole, 0.0);
    scratch->rates.assign(whole, 0.0);
    return scratch;
  }
  void give_back(std::unique_ptr<Scratch> scratch) const {
    const std::lock_guard lock(mutex);
    idle.push_back(std::move(scratch));
  }
};

namespace {

// Scratch for one call, whichever thread it comes from.
class Borrowed {
 public:
  explicit Borrowed(const api::Equations::Inside& inside)
      : inside_(inside), scratch_(inside.borrow()) {}
  ~Borrowed() { inside_.give_back(std::move(scratch_)); }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;

  auto* operator->() { return scratch_.get(); }
  StateView state(double t, std::span<const double> x) {
    std::copy(x.begin(), x.end(), scratch_->x.begin());
    return {t, scratch_->x, inside_.mode};
  }

 private:
  const api::Equations::Inside& inside_;
  std::unique_ptr<api::Equations::Inside::Scratch> scratch_;
};

void expect_numbers(const char* what, std::size_t got, std::size_t expected) {
  if (got != expected)
    refuse_at("Equations", fmt::format("{} has {} numbers; expected {}", what, got, expected));
}

const MechanicalSystem& expect_mechanism(const api::Equations::Inside& inside) {
  if (!inside.mechanism)
    refuse_at("Equations",
              "a [variables] file has no mass matrix and no energies; derivative and jacobian are "
              "there");
  return *inside.mechanism;
}

}  // namespace

api::Equations::Equations(const Model& model, const std::string& formulation) {
  auto inside = std::make_shared<Inside>();
  inside->model = load_model(source_of(model), {}, true);
  inside->system = load_system(*inside->model, choose_formulation(*inside->model, formulation));
  const System& system = *inside->system;
  inside->mechanism = dynamic_cast<const MechanicalSystem*>(&system);
  const cartan::State start = system.initial_state();
  inside->whole = start.x.size();
  inside->size = inside->whole - static_cast<std::size_t>(system.quadratures());
  inside->start.assign(start.x.begin(), start.x.begin() + static_cast<long>(inside->size));
  inside->start_time = start.t;
  inside->mode = start.mode;
  for (std::size_t i = 0; i < inside->size; ++i)
    inside->names.push_back(system.component_name(static_cast<int>(i)));
  if (inside->mechanism) {
    const auto workspace = system.make_workspace();
    inside->speeds = static_cast<std::size_t>(
        inside->mechanism->report_mass_matrix(start, *workspace).bias.size());
  }
  inside_ = std::move(inside);
}

std::size_t api::Equations::size() const {
  return inside_->size;
}
std::size_t api::Equations::speeds() const {
  return inside_->speeds;
}
const std::vector<std::string>& api::Equations::names() const {
  return inside_->names;
}
const std::vector<double>& api::Equations::start() const {
  return inside_->start;
}
double api::Equations::start_time() const {
  return inside_->start_time;
}

void api::Equations::derivative(double t, std::span<const double> x,
                                std::span<double> rates) const {
  expect_numbers("x", x.size(), inside_->size);
  expect_numbers("rates", rates.size(), inside_->size);
  Borrowed scratch(*inside_);
  inside_->system->derivative(scratch.state(t, x), scratch->rates, *scratch->workspace);
  std::copy_n(scratch->rates.begin(), rates.size(), rates.begin());
}

void api::Equations::derivatives(std::span<const double> t, std::span<const double> x,
                                 std::span<double> rates) const {
  const std::size_t n = inside_->size, whole = inside_->whole;
  const std::size_t count = n == 0 ? 0 : x.size() / n;
  expect_numbers("x", x.size(), n * count);
  expect_numbers("rates", rates.size(), x.size());
  if (t.size() != 1) expect_numbers("t", t.size(), count);
  constexpr std::size_t together = 64;
  Borrowed scratch(*inside_);
  std::vector<double>&at = scratch->x, &to = scratch->rates;
  at.resize(together * whole, 0.0);
  to.resize(together * whole, 0.0);
  scratch->times.resize(together);
  for (std::size_t first = 0; first < count; first += together) {
    const std::size_t now = std::min(together, count - first);
    for (std::size_t k = 0; k < now; ++k) {
      std::copy_n(x.begin() + static_cast<long>((first + k) * n), n,
                  at.begin() + static_cast<long>(k * whole));
      scratch->times[k] = t.size() == 1 ? t[0] : t[first + k];
    }
    inside_->system->derivatives({scratch->times.data(), now}, {at.data(), now * whole},
                                 inside_->mode, {to.data(), now * whole}, *scratch->workspace);
    for (std::size_t k = 0; k < now; ++k)
      std::copy_n(to.begin() + static_cast<long>(k * whole), n,
                  rates.begin() + static_cast<long>((first + k) * n));
  }
  at.assign(whole, 0.0);
  to.assign(whole, 0.0);
}

void api::Equations::jacobian(double t, std::span<const double> x, std::span<double> J) const {
  const std::size_t n = inside_->size;
  expect_numbers("x", x.size(), n);
  expect_numbers("J", J.size(), n * n);
  Borrowed scratch(*inside_);
  const auto whole = static_cast<Eigen::Index>(inside_->whole);
  scratch->J.resize(whole, whole);
  inside_->system->jacobian(scratch.state(t, x), scratch->J, *scratch->workspace);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      J[i * n + j] = scratch->J(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
}

void api::Equations::jvp(double t, std::span<const double> x, std::span<const double> u,
                         std::span<double> result) const {
  const std::size_t n = inside_->size;
  expect_numbers("u", u.size(), n);
  expect_numbers("result", result.size(), n);
  std::vector<double> J(n * n);
  jacobian(t, x, J);
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += J[i * n + j] * u[j];
    result[i] = sum;
  }
}

void api::Equations::vjp(double t, std::span<const double> x, std::span<const double> w,
                         std::span<double> result) const {
  const std::size_t n = inside_->size;
  expect_numbers("w", w.size(), n);
  expect_numbers("result", result.size(), n);
  std::vector<double> J(n * n);
  jacobian(t, x, J);
  std::fill(result.begin(), result.end(), 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) result[j] += w[i] * J[i * n + j];
}

void api::Equations::mass_matrix(double t, std::span<const double> x, std::span<double> M,
                                 std::span<double> bias) const {
  const std::size_t v = inside_->speeds;
  const MechanicalSystem& mechanism = expect_mechanism(*inside_);
  expect_numbers("x", x.size(), inside_->size);
  expect_numbers("M", M.size(), v * v);
  expect_numbers("bias", bias.size(), v);
  Borrowed scratch(*inside_);
  const MassMatrixReport report =
      mechanism.report_mass_matrix(scratch.state(t, x), *scratch->workspace);
  for (std::size_t i = 0; i < v; ++i) {
    bias[i] = report.bias[static_cast<Eigen::Index>(i)];
    for (std::size_t j = 0; j < v; ++j)
      M[i * v + j] = report.mass_matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
  }
}

void api::Equations::energies(double t, std::span<const double> x, double& kinetic,
                              double& potential) const {
  const MechanicalSystem& mechanism = expect_mechanism(*inside_);
  expect_numbers("x", x.size(), inside_->size);
  Borrowed scratch(*inside_);
  mechanism.observe(scratch.state(t, x), scratch->now, *scratch->workspace);
  kinetic = scratch->now.kinetic;
  potential = scratch->now.potential;
}

}  // namespace cartan
