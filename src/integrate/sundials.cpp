#include "integrate/sundials.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include <cvode/cvode.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "integrate/epsilon.h"
#include "integrate/explicit_step.h"
#include "system/state_products.h"

namespace cartan::integrate {
namespace {

// What the library's functions hand out must be there, and setting options cannot fail.
template <class T>
T* must(T* pointer) {
  if (!pointer) throw std::bad_alloc();
  return pointer;
}
void must(int flag) {
  if (flag < 0) throw std::bad_alloc();
}

void stay_silent(int, const char*, const char*, char*, void*) {}

// Handles of the library, freed in reverse order.
struct Context {
  SUNContext handle = nullptr;
  Context() { must(SUNContext_Create(nullptr, &handle)); }
  ~Context() { SUNContext_Free(&handle); }
  Context(const Context&) = delete;
};

class Vector {
 public:
  Vector(int n, const Context& context) : v_(must(N_VNew_Serial(n, context.handle))) {
    N_VConst(0, v_);
  }
  ~Vector() { N_VDestroy(v_); }
  Vector(const Vector&) = delete;
  operator N_Vector() const { return v_; }
  std::span<double> numbers() const { return view(v_); }
  static std::span<double> view(N_Vector v) {
    return {N_VGetArrayPointer(v), static_cast<std::size_t>(NV_LENGTH_S(v))};
  }

 private:
  N_Vector v_;
};

// Counts of the library since its last restart.
struct LibraryCounts {
  long setups = 0, rejected = 0, iterations = 0;
};

enum class SolverOutcome { ok, at_end, no_convergence, error_too_large, not_finite, too_tight };

// What both methods share. The library integrates y; the state is x = y + shift. The shift takes
// what normalising and projection change in x between the steps, so that the library's history,
// which knows y, stays smooth and is kept.
class SundialsIntegrator : public Integrator {
 public:
  SundialsIntegrator(const System& system, const IntegratorOptions& options);
  void restart() override { fresh_ = true; }
  void moved() override {}  // the shift sees it
  bool chooses_length() const override { return true; }
  StepReport take_step(State& state, double h, double t_end) override;
  bool dense(double theta, std::span<double> x) override;
  StepReport restep(double h, std::span<double> x) override;

 protected:
  // The library: start at (t, y_); one step up to t_end, new point in y_; y at t inside it; counts;
  // error weights and estimated errors of the last attempt.
  virtual bool library_restart(double t) = 0;  // false: the derivative is not a number
  virtual void library_limits(double smallest, double t_end) = 0;
  virtual SolverOutcome library_step(double t_end, double& t) = 0;
  virtual bool library_dense(double t, N_Vector y) = 0;
  virtual LibraryCounts library_counts() = 0;
  virtual bool library_errors(N_Vector errors, N_Vector weights) = 0;
  virtual double library_tolerance_factor() = 0;
  virtual double library_length() = 0;  // of the step tried last

  // Callbacks. Nonzero: try a shorter step.
  int fill_rates(double t, N_Vector y, N_Vector rates);
  int fill_jacobian(double t, N_Vector y, SUNMatrix J);
  int fill_weights(N_Vector y, N_Vector weights) const;

  const Context context_;
  const Vector y_, rate_, work_, work2_;
  const SUNMatrix matrix_;
  const SUNLinearSolver solver_;
  const double tolerance_, max_step_;

  ~SundialsIntegrator() override {
    SUNLinSolFree(solver_);
    SUNMatDestroy(matrix_);
  }

 private:
  void take_counts();
  bool take_rest(double h);
  StepReport failure(SolverOutcome outcome, double h);

  std::vector<double> shift_, point_, x1_;
  LibraryCounts before_;       // of the runs before the last restart
  bool fresh_ = true;          // start anew
  bool straight_ = false;      // the last step was a straight line
  bool not_a_number_ = false;  // the last derivative was none
};

SundialsIntegrator::SundialsIntegrator(const System& system, const IntegratorOptions& options)
    : Integrator(system),
      y_(n_, context_),
      rate_(n_, context_),
      work_(n_, context_),
      work2_(n_, context_),
      matrix_(must(SUNDenseMatrix(n_, n_, context_.handle))),
      solver_(must(SUNLinSol_Dense(y_, matrix_, context_.handle))),
      tolerance_(options.tolerance > 0 ? options.tolerance : default_sundials_tolerance),
      max_step_(options.max_step > 0 ? options.max_step : 0),
      shift_(n_),
      point_(n_),
      x1_(n_) {}

int SundialsIntegrator::fill_rates(double t, N_Vector y, N_Vector rates) {
  const std::span<const double> from = Vector::view(y);
  for (int i = 0; i < n_; ++i) point_[i] = from[i] + shift_[i];
  evaluate(t, point_, Vector::view(rates));
  not_a_number_ = !all_finite(Vector::view(rates));
  return not_a_number_;
}

int SundialsIntegrator::fill_jacobian(double t, N_Vector y, SUNMatrix J) {
  const std::span<const double> from = Vector::view(y);
  for (int i = 0; i < n_; ++i) point_[i] = from[i] + shift_[i];
  Eigen::Map<Eigen::MatrixXd> columns(SM_DATA_D(J), n_, n_);
  ++counts_.jacobians;
  system_.jacobian({t, point_, mode_}, columns, *workspace_);
  not_a_number_ = !all_finite({columns.data(), static_cast<std::size_t>(columns.size())});
  return not_a_number_;
}

// The library's norm is the root of a mean; with these weights it is the root of a sum, so that no
// number has an error beyond tol (1 + |x_i|). Quadratures do not count.
int SundialsIntegrator::fill_weights(N_Vector y, N_Vector weights) const {
  const std::span<const double> from = Vector::view(y);
  const std::span<double> w = Vector::view(weights);
  for (int i = 0; i < n_; ++i)
    w[i] = std::sqrt(static_cast<double>(n_)) / (tolerance_ * (1 + std::fabs(from[i] + shift_[i])));
  for (int i = m_; i < n_; ++i) w[i] *= 1e-30;
  return all_finite(w) ? 0 : -1;
}

StepReport SundialsIntegrator::take_step(State& state, double h, double t_end) {
  x0_ = state.x;
  mode_ = state.mode;
  t0_ = state.t;
  straight_ = false;
  const std::span<double> y = y_.numbers();
  if (fresh_) {
    const LibraryCounts last = library_counts();
    before_.setups += last.setups;
    before_.rejected += last.rejected;
    before_.iterations += last.iterations;
    std::fill(shift_.begin(), shift_.end(), 0.0);
    std::copy(x0_.begin(), x0_.end(), y.begin());
    if (!library_restart(t0_)) return failure(SolverOutcome::not_finite, h);
  } else {
    for (int i = 0; i < n_; ++i) shift_[i] = x0_[i] - y[i];
  }
  fresh_ = true;  // until the step has succeeded
  const double smallest = 16 * double_epsilon * std::max(std::fabs(t0_), std::fabs(t_end));
  if (h <= 4 * smallest) {  // what is left is rounding
    if (!take_rest(h)) return failure(SolverOutcome::not_finite, h);
    state.x = x1_;
    state.t = t_end;
    h0_ = h;
    return {StepStatus::ok, h, 0, -1, 0};
  }
  library_limits(smallest, t_end);
  double t = t0_;
  const SolverOutcome outcome = library_step(t_end, t);
  take_counts();
  if (outcome != SolverOutcome::ok && outcome != SolverOutcome::at_end)
    return failure(outcome, library_length());
  if (outcome == SolverOutcome::at_end || t > t_end) t = t_end;
  if (!(t > t0_)) return failure(SolverOutcome::error_too_large, t - t0_);
  for (int i = 0; i < n_; ++i) x1_[i] = y[i] + shift_[i];
  if (!all_finite(x1_)) return failure(SolverOutcome::not_finite, t - t0_);
  const StateSpace& space = system_.space();
  counts_.max_unit_norm_error = std::max(counts_.max_unit_norm_error, space.unit_norm_error(x1_));
  space.normalise(x1_);
  state.x = x1_;
  state.t = t;
  h0_ = t - t0_;
  fresh_ = false;
  ++counts_.newton_steps;
  return {StepStatus::ok, h0_, 0, -1, 0};
}

// A straight line over a length that t hardly resolves; the library refuses those.
bool SundialsIntegrator::take_rest(double h) {
  evaluate(t0_, x0_, rate_.numbers());
  for (int i = 0; i < n_; ++i) x1_[i] = x0_[i] + h * rate_.numbers()[i];
  system_.space().normalise(x1_);
  straight_ = true;
  return all_finite(x1_);
}

void SundialsIntegrator::take_counts() {
  const LibraryCounts last = library_counts();
  counts_.factorisations = before_.setups + last.setups;
  counts_.rejected = before_.rejected + last.rejected;
  counts_.iterations = before_.iterations + last.iterations;
}

StepReport SundialsIntegrator::failure(SolverOutcome outcome, double h) {
  StepReport report;
  report.taken = h;
  switch (outcome) {
    case SolverOutcome::no_convergence:
      report.status = not_a_number_ ? StepStatus::not_finite : StepStatus::no_convergence;
      break;
    case SolverOutcome::too_tight:
      report.status = StepStatus::tolerance_too_tight;
      report.measure = tolerance_ * library_tolerance_factor();
      break;
    case SolverOutcome::error_too_large:
      report.status = StepStatus::step_too_small;
      if (library_errors(work_, work2_))
        for (int i = 0; i < m_; ++i) {
          const double e = std::fabs(work_.numbers()[i] * work2_.numbers()[i]) / std::sqrt(n_);
          if (e > report.measure) report.measure = e, report.component = i;
        }
      break;
    default:
      report.status = StepStatus::not_finite;
  }
  return report;
}

bool SundialsIntegrator::dense(double theta, std::span<double> x) {
  if (straight_ || theta <= 0 || theta >= 1) {
    for (int i = 0; i < n_; ++i) x[i] = theta >= 1 ? x1_[i] : x0_[i] + theta * (x1_[i] - x0_[i]);
    return true;
  }
  if (!library_dense(t0_ + theta * h0_, work_)) return false;
  for (int i = 0; i < n_; ++i) x[i] = work_.numbers()[i] + shift_[i];
  system_.space().normalise(x);
  return all_finite(x);
}

// The library takes no step twice; its dense output has the order of the step.
StepReport SundialsIntegrator::restep(double h, std::span<double> x) {
  const bool finite = dense(h / h0_, x);
  return {finite ? StepStatus::ok : StepStatus::not_finite, h, 0, -1, 0};
}

// How often a step may be cut before the library gives up.
constexpr int max_failures = 40;

// ------------------------------------------------------------------------------------------- CVODE

class Cvode final : public SundialsIntegrator {
 public:
  Cvode(const System& system, const IntegratorOptions& options)
      : SundialsIntegrator(system, options), memory_(must(CVodeCreate(CV_BDF, context_.handle))) {
    must(CVodeSetErrHandlerFn(memory_, stay_silent, nullptr));
    must(CVodeInit(memory_, rates, 0, y_));
    must(CVodeSetUserData(memory_, this));
    must(CVodeWFtolerances(memory_, weights));
    must(CVodeSetLinearSolver(memory_, solver_, matrix_));
    must(CVodeSetJacFn(memory_, jacobian));
    must(CVodeSetMaxErrTestFails(memory_, max_failures));
    must(CVodeSetMaxConvFails(memory_, max_failures));
    must(CVodeSetStabLimDet(memory_, SUNTRUE));
    if (max_step_ > 0) must(CVodeSetMaxStep(memory_, max_step_));
  }
  ~Cvode() override { CVodeFree(&memory_); }

 private:
  static Cvode& self(void* data) { return *static_cast<Cvode*>(data); }
  static int rates(double t, N_Vector y, N_Vector ydot, void* data) {
    return self(data).fill_rates(t, y, ydot);
  }
  static int weights(N_Vector y, N_Vector w, void* data) { return self(data).fill_weights(y, w); }
  static int jacobian(double t, N_Vector y, N_Vector, SUNMatrix J, void* data, N_Vector, N_Vector,
                      N_Vector) {
    return self(data).fill_jacobian(t, y, J);
  }

  bool library_restart(double t) override {
    must(CVodeReInit(memory_, t, y_));
    return true;
  }
  void library_limits(double smallest, double t_end) override {
    CVodeSetMinStep(memory_, max_step_ > 0 ? std::min(smallest, max_step_) : smallest);
    CVodeSetStopTime(memory_, t_end);
  }
  SolverOutcome library_step(double t_end, double& t) override {
    switch (CVode(memory_, t_end, y_, &t, CV_ONE_STEP)) {
      case CV_SUCCESS:
        return SolverOutcome::ok;
      case CV_TSTOP_RETURN:
        return SolverOutcome::at_end;
      case CV_TOO_MUCH_ACC:
        return SolverOutcome::too_tight;
      case CV_ERR_FAILURE:
        return SolverOutcome::error_too_large;
      case CV_FIRST_RHSFUNC_ERR:
      case CV_REPTD_RHSFUNC_ERR:
      case CV_UNREC_RHSFUNC_ERR:
      case CV_RHSFUNC_FAIL:
      case CV_ILL_INPUT:  // weights that are not finite
        return SolverOutcome::not_finite;
      default:
        return SolverOutcome::no_convergence;
    }
  }
  bool library_dense(double t, N_Vector y) override {
    return CVodeGetDky(memory_, t, 0, y) == CV_SUCCESS;
  }
  LibraryCounts library_counts() override {
    LibraryCounts c;
    CVodeGetNumLinSolvSetups(memory_, &c.setups);
    CVodeGetNumErrTestFails(memory_, &c.rejected);
    CVodeGetNumNonlinSolvIters(memory_, &c.iterations);
    return c;
  }
  bool library_errors(N_Vector errors, N_Vector weights) override {
    return CVodeGetEstLocalErrors(memory_, errors) == CV_SUCCESS &&
           CVodeGetErrWeights(memory_, weights) == CV_SUCCESS;
  }
  double library_tolerance_factor() override {
    double factor = 1;
    CVodeGetTolScaleFactor(memory_, &factor);
    return factor;
  }
  double library_length() override {
    double h = 0;
    CVodeGetCurrentStep(memory_, &h);
    return h;
  }

  void* memory_;
};

// --------------------------------------------------------------------------------------------- IDA

class Ida final : public SundialsIntegrator {
 public:
  Ida(const System& system, const IntegratorOptions& options)
      : SundialsIntegrator(system, options),
        slope_(n_, context_),
        memory_(must(IDACreate(context_.handle))) {
    must(IDASetErrHandlerFn(memory_, stay_silent, nullptr));
    must(IDAInit(memory_, residual, 0, y_, slope_));
    must(IDASetUserData(memory_, this));
    must(IDAWFtolerances(memory_, weights));
    must(IDASetLinearSolver(memory_, solver_, matrix_));
    must(IDASetJacFn(memory_, jacobian));
    must(IDASetMaxErrTestFails(memory_, max_failures));
    must(IDASetMaxConvFails(memory_, max_failures));
    if (max_step_ > 0) must(IDASetMaxStep(memory_, max_step_));
  }
  ~Ida() override { IDAFree(&memory_); }

 private:
  static Ida& self(void* data) { return *static_cast<Ida*>(data); }
  // y' - f
  static int residual(double t, N_Vector y, N_Vector slope, N_Vector r, void* data) {
    const int flag = self(data).fill_rates(t, y, r);
    N_VLinearSum(1, slope, -1, r, r);
    return flag;
  }
  static int weights(N_Vector y, N_Vector w, void* data) { return self(data).fill_weights(y, w); }
  // c 1 - f_y
  static int jacobian(double t, double c, N_Vector y, N_Vector, N_Vector, SUNMatrix J, void* data,
                      N_Vector, N_Vector, N_Vector) {
    const int flag = self(data).fill_jacobian(t, y, J);
    const int n = self(data).n_;
    Eigen::Map<Eigen::MatrixXd> columns(SM_DATA_D(J), n, n);
    columns *= -1;
    columns.diagonal().array() += c;
    return flag;
  }

  bool library_restart(double t) override {
    if (fill_rates(t, y_, slope_) != 0) return false;
    must(IDAReInit(memory_, t, y_, slope_));
    return true;
  }
  void library_limits(double smallest, double t_end) override {
    IDASetMinStep(memory_, max_step_ > 0 ? std::min(smallest, max_step_) : smallest);
    IDASetStopTime(memory_, t_end);
  }
  SolverOutcome library_step(double t_end, double& t) override {
    switch (IDASolve(memory_, t_end, &t, y_, slope_, IDA_ONE_STEP)) {
      case IDA_SUCCESS:
        return SolverOutcome::ok;
      case IDA_TSTOP_RETURN:
        return SolverOutcome::at_end;
      case IDA_TOO_MUCH_ACC:
        return SolverOutcome::too_tight;
      case IDA_ERR_FAIL:
        return SolverOutcome::error_too_large;
      case IDA_FIRST_RES_FAIL:
      case IDA_REP_RES_ERR:
      case IDA_RES_FAIL:
      case IDA_ILL_INPUT:
        return SolverOutcome::not_finite;
      default:
        return SolverOutcome::no_convergence;
    }
  }
  bool library_dense(double t, N_Vector y) override {
    return IDAGetDky(memory_, t, 0, y) == IDA_SUCCESS;
  }
  LibraryCounts library_counts() override {
    LibraryCounts c;
    IDAGetNumLinSolvSetups(memory_, &c.setups);
    IDAGetNumErrTestFails(memory_, &c.rejected);
    IDAGetNumNonlinSolvIters(memory_, &c.iterations);
    return c;
  }
  bool library_errors(N_Vector errors, N_Vector weights) override {
    return IDAGetEstLocalErrors(memory_, errors) == IDA_SUCCESS &&
           IDAGetErrWeights(memory_, weights) == IDA_SUCCESS;
  }
  double library_tolerance_factor() override {
    double factor = 1;
    IDAGetTolScaleFactor(memory_, &factor);
    return factor;
  }
  double library_length() override {
    double h = 0;
    IDAGetCurrentStep(memory_, &h);
    return h;
  }

  const Vector slope_;
  void* memory_;
};

}  // namespace

std::unique_ptr<Integrator> make_cvode_integrator(const System& system,
                                                  const IntegratorOptions& options) {
  return std::make_unique<Cvode>(system, options);
}

std::unique_ptr<Integrator> make_ida_integrator(const System& system,
                                                const IntegratorOptions& options) {
  return std::make_unique<Ida>(system, options);
}

std::string refuse_sundials(const System&) {
  return "";
}

}  // namespace cartan::integrate
