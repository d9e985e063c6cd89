#include <cmath>
#include <cstdlib>
#include <mutex>

#include <fmt/format.h>

#include "analysis/design/sparse_program.h"
#include "core/optional_library.h"

namespace cartan::analysis {
namespace {

// The C interface of Ipopt, which has been the same since version 3.0.
extern "C" {
using IpoptObjective = int (*)(int, double*, int, double*, void*);
using IpoptGradient = int (*)(int, double*, int, double*, void*);
using IpoptValues = int (*)(int, double*, int, int, double*, void*);
using IpoptJacobian = int (*)(int, double*, int, int, int, int*, int*, double*, void*);
using IpoptHessian = int (*)(int, double*, int, double, int, double*, int, int, int*, int*, double*,
                             void*);
using IpoptStep = int (*)(int, int, double, double, double, double, double, double, double, double,
                          int, void*);
}

struct IpoptLibrary {
  void* (*create)(int, double*, double*, int, double*, double*, int, int, int, IpoptObjective,
                  IpoptValues, IpoptGradient, IpoptJacobian, IpoptHessian) = nullptr;
  void (*release)(void*) = nullptr;
  int (*text_option)(void*, char*, char*) = nullptr;
  int (*number_option)(void*, char*, double) = nullptr;
  int (*whole_option)(void*, char*, int) = nullptr;
  int (*set_step)(void*, IpoptStep) = nullptr;
  int (*solve)(void*, double*, double*, double*, double*, double*, double*, void*) = nullptr;
  bool whole = false;
};

IpoptLibrary load_ipopt() {
  IpoptLibrary ipopt;
  OptionalLibrary library({"libipopt.so.1", "libipopt.so.3", "libipopt.so"},
                          "CARTAN_IPOPT_LIBRARY");
  library.find("CreateIpoptProblem", ipopt.create);
  library.find("FreeIpoptProblem", ipopt.release);
  library.find("AddIpoptStrOption", ipopt.text_option);
  library.find("AddIpoptNumOption", ipopt.number_option);
  library.find("AddIpoptIntOption", ipopt.whole_option);
  library.find("SetIntermediateCallback", ipopt.set_step);
  library.find("IpoptSolve", ipopt.solve);
  ipopt.whole = library.is_whole();
  return ipopt;
}

const IpoptLibrary& ipopt() {
  static const IpoptLibrary library = load_ipopt();
  return library;
}

// What the functions that Ipopt calls find behind their last argument.
struct IpoptJob {
  SparseProgram& program;
  const ProgramOptions& options;
  int iterations = 0;
  double correction = 0;  // of the last matrix
  bool stopped = false;
};

IpoptJob& ipopt_job(void* data) {
  return *static_cast<IpoptJob*>(data);
}

int give_objective(int, double* x, int, double* f, void* data) {
  return ipopt_job(data).program.objective(x, *f);
}
int give_gradient(int, double* x, int, double* g, void* data) {
  return ipopt_job(data).program.gradient(x, g);
}
int give_values(int, double* x, int, int, double* g, void* data) {
  return ipopt_job(data).program.values(x, g);
}
int give_pattern(const SparsePattern& pattern, int* row, int* column) {
  std::copy(pattern.row.begin(), pattern.row.end(), row);
  std::copy(pattern.column.begin(), pattern.column.end(), column);
  return 1;
}
int give_jacobian(int, double* x, int, int, int, int* row, int* column, double* entries,
                  void* data) {
  SparseProgram& program = ipopt_job(data).program;
  if (!entries) return give_pattern(program.jacobian_pattern(), row, column);
  return program.jacobian(x, entries);
}
int give_hessian(int, double* x, int, double factor, int, double* weights, int, int, int* row,
                 int* column, double* entries, void* data) {
  SparseProgram& program = ipopt_job(data).program;
  if (!entries) return give_pattern(program.hessian_pattern(), row, column);
  return program.hessian(x, factor, weights, entries);
}
int take_step(int, int iteration, double objective, double, double, double, double,
              double correction, double, double, int, void* data) {
  IpoptJob& job = ipopt_job(data);
  job.iterations = iteration;
  job.correction = correction;
  if (job.options.on_iteration) job.options.on_iteration(iteration, objective);
  job.stopped = job.options.stop_requested && job.options.stop_requested->load();
  return !job.stopped;
}

// What the number that IpoptSolve returns means.
std::string explain_status(int status, int iterations) {
  switch (status) {
    case 0:
      return "";
    case 1:
      return "only a coarser tolerance was reached";
    case 2:
      return "no point satisfies the conditions near the guess: they contradict each other, or "
             "another guess is needed";
    case 3:
      return "steps became too small to go on";
    case 4:
      return "the unknowns grow without bound";
    case 5:
      return "it was interrupted";
    case -1:
      return fmt::format("{} iterations were not enough", iterations);
    case -2:
      return "no point that satisfies the conditions was found from this guess";
    case -3:
      return "a step could not be computed";
    case -10:
      return "there are more conditions than unknowns";
    case -13:
      return "a number is not finite";
    default:
      return fmt::format("Ipopt ended with status {}", status);
  }
}

void set_ipopt_options(void* problem, const SparseProgram& program, const ProgramOptions& options) {
  const auto text = [&](const char* name, const char* value) {
    ipopt().text_option(problem, const_cast<char*>(name), const_cast<char*>(value));
  };
  const auto number = [&](const char* name, double value) {
    ipopt().number_option(problem, const_cast<char*>(name), value);
  };
  ipopt().whole_option(problem, const_cast<char*>("print_level"), 0);
  ipopt().whole_option(problem, const_cast<char*>("max_iter"), options.iterations);
  text("sb", "yes");
  text("linear_solver", "mumps");
  if (!program.has_hessian()) text("hessian_approximation", "limited-memory");
  number("tol", options.tolerance);
  number("constr_viol_tol", options.tolerance);
  number("acceptable_tol", options.tolerance);  // there is no half success
  number("bound_relax_factor", 0);
  if (!options.near_solution) return;
  number("mu_init", 1e-6);
  number("bound_push", 1e-8);
  number("bound_frac", 1e-8);
}

}  // namespace

std::string refuse_ipopt() {
  if (ipopt().whole) return "";
  return "Ipopt is not installed (Debian package coinor-libipopt1v5); install it and call again, "
         "or "
         "name its library in CARTAN_IPOPT_LIBRARY";
}

ProgramResult solve_program(SparseProgram& program, const Eigen::VectorXd& start,
                            const ProgramOptions& options) {
  static std::mutex one_at_a_time;  // MUMPS has global variables
  const std::lock_guard lock(one_at_a_time);
  ProgramResult result;
  result.x = start;
  result.problem = refuse_ipopt();
  if (!result.problem.empty()) return result;
  const int n = program.unknowns(), m = program.constraints();
  Eigen::VectorXd lower(n), upper(n), low(m), high(m);
  program.fill_bounds(lower, upper, low, high);
  constexpr double far = 2e19;  // what Ipopt takes for infinity
  for (Eigen::VectorXd* bounds : {&lower, &upper, &low, &high})
    *bounds = bounds->cwiseMax(-far).cwiseMin(far);
  void* problem = ipopt().create(
      n, lower.data(), upper.data(), m, low.data(), high.data(), program.jacobian_pattern().size(),
      program.has_hessian() ? program.hessian_pattern().size() : 0, 0, give_objective, give_values,
      give_gradient, give_jacobian, give_hessian);
  if (!problem) {
    result.problem = "Ipopt does not take this problem";
    return result;
  }
  set_ipopt_options(problem, program, options);
  ipopt().set_step(problem, take_step);
  IpoptJob job{program, options};
  Eigen::VectorXd values(m), z_lower(n), z_upper(n);
  result.multipliers = Eigen::VectorXd::Zero(m);
  const int status = ipopt().solve(problem, result.x.data(), values.data(), &result.objective,
                                   result.multipliers.data(), z_lower.data(), z_upper.data(), &job);
  ipopt().release(problem);
  result.iterations = job.iterations;
  result.converged = status == 0;
  result.strict = result.converged && job.correction == 0 && program.has_hessian();
  result.problem = explain_status(status, job.iterations);
  return result;
}

}  // namespace cartan::analysis
