#include "integrate/integrator.h"

#include "core/method_names.h"
#include "integrate/explicit_rk.h"
#include "integrate/gauss_legendre.h"
#include "integrate/generalized_alpha.h"
#include "integrate/held_multipliers.h"
#include "integrate/munthe_kaas.h"
#include "integrate/stepping/moreau.h"
#include "integrate/sundials.h"
#include "integrate/variational.h"

namespace cartan::integrate {

Integrator::Integrator(const System& system)
    : system_(system),
      n_(system.space().size()),
      m_(system.space().size() - system.quadratures()),
      workspace_(system.make_workspace()),
      x0_(n_) {}

StepReport Integrator::step(State& state, double h, double t_end) {
  const std::size_t turns = system_.turn_entries();
  for (int attempt = 0;; ++attempt) {
    StepReport report = take_step(state, h, t_end);
    error0_ = report.status == StepStatus::ok && chooses_length() ? report.measure : 0;
    if (report.status != StepStatus::ok || turns == 0) return report;
    report.problem =
        system_.count_turns(state, h0_, std::span<int>(state.mode).last(turns), *workspace_);
    if (report.problem.empty()) return report;
    report.status = StepStatus::turned_too_far;
    report.taken = h0_;
    state.t = t0_;
    state.x = x0_;
    state.mode = mode_;
    restart();
    if (!chooses_length() || attempt == 20) return report;
    ++counts_.rejected;
    h = 0.5 * h0_;
    t_end = t0_ + h;
  }
}

namespace {

template <int stages>
std::unique_ptr<Integrator> make_gl(const System& system, const IntegratorOptions& options) {
  return make_gauss_legendre_integrator(system, stages, options);
}

using Make = std::unique_ptr<Integrator>;
Make make_rk4(const System& s, const IntegratorOptions& o) {
  return make_explicit_integrator(s, classical_rk4(), o);
}
Make make_rkmk4(const System& s, const IntegratorOptions& o) {
  return make_munthe_kaas_integrator(s, classical_rk4(), o);
}
Make make_alpha(const System& s, const IntegratorOptions& o) {
  return make_generalized_alpha(s, o);
}
constexpr double rk45_tolerance = 1e-9, dop853_tolerance = 1e-10;

IntegratorOptions with_default(IntegratorOptions options, double tolerance) {
  if (!(options.tolerance > 0)) options.tolerance = tolerance;
  return options;
}
Make make_rk45(const System& s, const IntegratorOptions& o) {
  return make_explicit_integrator(s, dormand_prince_54(), with_default(o, rk45_tolerance));
}
Make make_rkmk45(const System& s, const IntegratorOptions& o) {
  return make_munthe_kaas_integrator(s, dormand_prince_54(), with_default(o, rk45_tolerance));
}
Make make_dop853(const System& s, const IntegratorOptions& o) {
  return make_explicit_integrator(s, dormand_prince_853(), with_default(o, dop853_tolerance));
}

// name, order, adaptive, implicit, default tolerance
constexpr IntegratorInfo table[] = {
    {"rk4", 4, false, false, 0, "classical Runge-Kutta, fixed steps", make_rk4},
    {"rk45", 5, true, false, rk45_tolerance, "Dormand-Prince 5(4), error control, dense output",
     make_rk45},
    {"dop853", 8, true, false, dop853_tolerance,
     "Dormand-Prince 8(5,3), error control, dense output of order 7", make_dop853},
    {"rkmk4", 4, false, false, 0, "Munthe-Kaas on the group, classical tableau, fixed steps",
     make_rkmk4},
    {"rkmk45", 5, true, false, rk45_tolerance,
     "Munthe-Kaas on the group, Dormand-Prince 5(4), error control, dense output", make_rkmk45},
    {"gl1", 2, false, true, default_stage_tolerance,
     "implicit midpoint, keeps quadratic invariants", make_gl<1>},
    {"gl2", 4, false, true, default_stage_tolerance, "Gauss-Legendre, 2 stages", make_gl<2>},
    {"gl3", 6, false, true, default_stage_tolerance, "Gauss-Legendre, 3 stages", make_gl<3>},
    {"gl4", 8, false, true, default_stage_tolerance, "Gauss-Legendre, 4 stages", make_gl<4>},
    {"gl5", 10, false, true, default_stage_tolerance, "Gauss-Legendre, 5 stages", make_gl<5>},
    {"gl6", 12, false, true, default_stage_tolerance, "Gauss-Legendre, 6 stages", make_gl<6>},
    {"gl7", 14, false, true, default_stage_tolerance, "Gauss-Legendre, 7 stages", make_gl<7>},
    {"gl8", 16, false, true, default_stage_tolerance, "Gauss-Legendre, 8 stages", make_gl<8>},
    {"variational", 2, false, true, default_stage_tolerance,
     "discrete Lagrangian on the group, symplectic, keeps momenta; O(n) for trees",
     make_variational_integrator, refuse_variational},
    {"cvode", 0, true, true, default_sundials_tolerance,
     "SUNDIALS, backward differentiation of order 1 to 5, for stiff systems", make_cvode_integrator,
     refuse_sundials},
    {"ida", 0, true, true, default_sundials_tolerance,
     "SUNDIALS, the same for the residual x' - f, for stiff systems", make_ida_integrator,
     refuse_sundials},
    {"generalized-alpha", 2, false, true, default_stage_tolerance,
     "generalised-alpha on the group, index 3, damps what is faster than the step", make_alpha,
     refuse_generalized_alpha, true, true},
    {"held-multipliers", 1, false, false, 0,
     "rotation-elements only: multipliers held over the step, classical Runge-Kutta in it",
     make_held_integrator, refuse_held_integrator},
    {"moreau", 1, false, false, default_moreau_tolerance,
     "time stepping for many contacts: their impulses together, none located",
     make_moreau_integrator, refuse_moreau, false, false, true},
};
static_assert(has_names(known_integrators, table), "core/method_names.h has other names");

}  // namespace

std::span<const IntegratorInfo> integrator_table() {
  return table;
}

const IntegratorInfo* find_integrator(std::string_view name) {
  for (const IntegratorInfo& row : table)
    if (name == row.name) return &row;
  return nullptr;
}

std::string refuse_integrator(std::string_view name, const System& system) {
  const IntegratorInfo& row = *find_integrator(name);
  if (system.contact_stepping() && !row.steps_contacts)
    return std::string(name) + " locates contacts, and this System is made to be stepped over";
  const bool takes_impacts = !row.index3 && name != "variational" && name != "held-multipliers";
  if (system.contact_count() > 0 && !takes_impacts)
    return std::string(name) +
           " follows no contacts, which begin and end with jumps of the speeds; use gl1 to gl8, "
           "rk45 or dop853";
  return row.refusal ? row.refusal(system) : "";
}

std::string integrator_names() {
  std::string names;
  for (const IntegratorInfo& row : table)
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

}  // namespace cartan::integrate
