#include <cartan/system.h>

#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include "api/inside.h"
#include "results/load/state_file.h"
#include "results/refusal.h"

namespace cartan {
namespace {

// What one call needs; kept for the next one.
struct Scratch {
  std::unique_ptr<Workspace> workspace;
  std::vector<double> x, rates;  // with quadratures
  Eigen::MatrixXd J;
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
  const std::size_t n = size(), whole = inside_->whole, count = times.size();
  check_length("x", x.size(), count * n);
  check_length("rates", rates.size(), count * n);
  std::unique_ptr<Scratch> s = inside_->take();
  s->x.assign(count * whole, 0.0);
  s->rates.resize(count * whole);
  for (std::size_t k = 0; k < count; ++k)
    std::copy_n(x.begin() + k * n, n, s->x.begin() + k * whole);
  inside_->system->derivatives(times, s->x, inside_->start.mode, s->rates, *s->workspace);
  for (std::size_t k = 0; k < count; ++k)
    std::copy_n(s->rates.begin() + k * whole, n, rates.begin() + k * n);
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

}  // namespace cartan
