// A method as a value: one step at a time, with a report. Knows Systems, no bodies.
//
// An Integrator belongs to one System and one thread: it holds the scratch, the memory of the
// method (starting values, step size, compensation of rounding) and the last step, which can be
// looked into
// (`dense`) and taken again to a shorter length (`restep`).
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "system/system.h"

namespace cartan::integrate {

enum class StepStatus {
  ok,
  no_convergence,       // the stages of an implicit method
  step_too_small,       // error control asks for steps below the resolution of t
  tolerance_too_tight,  // the error tolerance is below the rounding of x
  not_finite,           // the derivative or the new state is not a number
  turned_too_far,       // what turns cannot be counted over so long a step
};

struct StepReport {
  StepStatus status = StepStatus::ok;
  double taken = 0;    // length of the step (of the refused one when status is not ok)
  double measure = 0;  // no_convergence: last change of a stage; step_too_small: error / tolerance;
                       // tolerance_too_tight: the least tolerance that is possible
  int component = -1;  // the worst number of x, -1 unknown
  int iterations = 0;  // implicit: sweeps over the stages
  std::string problem{};  // turned_too_far: a sentence
};

// Time stepping over contacts.
struct SteppedContactCounts {
  long most = 0;        // places near each other at once
  long unsettled = 0;   // problems whose impulses still changed by more than the tolerance
  double residual = 0;  // largest violation of their laws, as a speed
  double overlap = 0;   // deepest one after the correction of positions, m
};

struct IntegratorCounts {
  long evaluations = 0;  // of the derivative
  long jacobians = 0;
  long factorisations = 0;
  long rejected = 0;      // steps refused by error control
  long iterations = 0;    // sweeps over the stages
  long newton_steps = 0;  // steps solved by simplified Newton iteration
  long stagnations = 0;   // steps accepted because rounding stopped the iteration above tolerance
  long noisy_steps = 0;   // of these, how many further than 100 machine epsilons above zero change
  double max_stage_change = 0;     // last change of the stages, largest over all steps
  double max_unit_norm_error = 0;  // explicit methods: before normalising, if they do
  SteppedContactCounts contacts;
};

inline constexpr double default_spectral_radius = 0.9;

struct IntegratorOptions {
  double tolerance = 0;     // 0: the method's own default
  bool fixed_step = false;  // adaptive methods: take the step asked for, no error control
  double max_step = 0;      // adaptive methods; 0: none
  double spectral_radius = default_spectral_radius;  // generalized-alpha
  bool normalise = true;  // explicit methods: quaternions are brought back to length one
  bool rms_norm = false;  // explicit methods: root of the mean square of errors, not the largest
  // explicit methods: an error that is rounding of the state and nothing else does not count
  bool knows_rounding = false;
  bool functional_iteration = false;  // Gauss-Legendre: fixed point from f(t0, x0), nothing else
};

class Integrator {
 public:
  explicit Integrator(const System& system);
  virtual ~Integrator() = default;
  Integrator(const Integrator&) = delete;
  Integrator& operator=(const Integrator&) = delete;

  // Forgets the past. Call before the first step and whenever the state or the mode was changed.
  virtual void restart() = 0;

  // The state was moved by about the error of the last step (projection): what was computed at its
  // end no longer belongs to it.
  virtual void moved() = 0;

  // What chooses its lengths tries this one next.
  virtual void expect_length(double) {}

  // From `state` one step of length h (error control: at most h). After the whole of h, state.t is
  // exactly t_end, the caller's value of state.t + h without drift. On failure `state` is
  // untouched. Turns are counted: the memory in the mode is that of the new state.
  StepReport step(State& state, double h, double t_end);

  // x inside the last step, theta in [0, 1]; false where the derivative it needs is not finite.
  virtual bool dense(double theta, std::span<double> x) = 0;
  // Near it, where that is had for less: to know whether something is far away.
  virtual bool rough(double theta, std::span<double> x) { return dense(theta, x); }
  // Whether it has the slope of the motion at both ends of the step.
  virtual bool dense_has_slopes() const { return false; }

  // x after a step of length h, shorter than the last one, from the same start: full order of the
  // method at its end. The last step stays what it was.
  virtual StepReport restep(double h, std::span<double> x) = 0;

  double last_start() const { return t0_; }
  double last_length() const { return h0_; }
  double last_error() const { return error0_; }  // error control: error / tolerance; others 0
  const IntegratorCounts& counts() const { return counts_; }
  Workspace& workspace() { return *workspace_; }

 protected:
  // Error control: `take_step` may go less far than h.
  virtual bool chooses_length() const { return false; }
  // The step itself.
  virtual StepReport take_step(State& state, double h, double t_end) = 0;

  // Whether two modes differ in more than the memory of turns.
  bool is_other_mode(std::span<const int> a, std::span<const int> b) const {
    const std::size_t memory = system_.turn_entries();
    return a.size() != b.size() || !std::equal(a.begin(), a.end() - memory, b.begin());
  }

  void evaluate(double t, std::span<const double> x, std::span<double> xdot) {
    ++counts_.evaluations;
    system_.derivative({t, x, mode_}, xdot, *workspace_);
  }

  const System& system_;
  const int n_;  // numbers in x
  const int m_;  // the first m decide convergence and error; the others are quadratures
  std::unique_ptr<Workspace> workspace_;
  IntegratorCounts counts_;
  double t0_ = 0, h0_ = 0;  // the last step
  double error0_ = 0;
  std::vector<double> x0_;  // its start
  std::vector<int> mode_;
};

// The last step of an integrator as a function of time. Where an event inside of it changed the
// state or ended the run, the motion goes along it up to there only.
class DenseStep {
 public:
  // `end`: the state after the whole step; `t_cut`: where an event cut it short.
  DenseStep(Integrator& integrator, const State& end)
      : integrator_(integrator),
        end_(end),
        t0_(integrator.last_start()),
        t1_(end.t),
        length_(end.t - t0_) {}
  DenseStep(Integrator& integrator, const State& end, double t_cut)
      : integrator_(integrator),
        end_(end),
        t0_(integrator.last_start()),
        t1_(t_cut),
        length_(end.t - t0_),
        cut_(true) {}
  double begin() const { return t0_; }
  double end() const { return t1_; }
  bool is_cut() const { return cut_; }
  // Of the whole step: its length, and what error control said of it.
  double whole_length() const { return length_; }
  double error() const { return integrator_.last_error(); }
  std::span<const int> mode() const { return end_.mode; }
  bool at(double t, std::span<double> x) const {
    if (t == end_.t) {
      std::copy(end_.x.begin(), end_.x.end(), x.begin());
      return true;
    }
    return integrator_.dense(length_ > 0 ? (t - t0_) / length_ : 0, x);
  }

 private:
  Integrator& integrator_;
  const State& end_;
  double t0_, t1_, length_;
  bool cut_ = false;
};

// ------------------------------------------------------------------------------------------- table

struct IntegratorInfo {
  const char* name;
  int order;  // 0: the method chooses it with its steps, and takes no fixed ones
  bool adaptive;
  bool implicit;
  double default_tolerance;  // 0: the method has none
  const char* description;
  std::unique_ptr<Integrator> (*make)(const System&, const IntegratorOptions&);
  // "" or why the method cannot take this system, and what to use instead; null: it takes all.
  std::string (*refusal)(const System&) = nullptr;
  bool spectral_radius = false;  // takes this option
  bool index3 = false;           // solves g = 0 itself
  bool steps_contacts = false;   // locates no contact: needs System::contact_stepping
};

// Every method there is. Adding one: a file pair and a row.
std::span<const IntegratorInfo> integrator_table();
const IntegratorInfo* find_integrator(std::string_view name);  // null when absent
// "" or a sentence; the method must exist.
std::string refuse_integrator(std::string_view name, const System& system);
// The names, separated by commas, for messages.
std::string integrator_names();

}  // namespace cartan::integrate
