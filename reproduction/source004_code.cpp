// Source 004, figures 5.4 and 5.5 and tables 6.1 and 6.2: deriving the equations of the n-link
// pendulum, and evaluating them with and without sharing.
#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include <Eigen/LU>

#include "core/compiled_library.h"
#include "derivations/pendulum_chain.h"
#include "reproduction/call_time.h"
#include "reproduction/drawing.h"
#include "reproduction/source004.h"
#include "reproduction/workshop.h"
#include "reproduction/written_code.h"
#include "symbolic/count.h"
#include "symbolic/differentiate.h"

namespace cartan::reproduction {
namespace {

using derivations::Angles;
using derivations::Components;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// ------------------------------------------------------------------------------------ derivation

struct Cost {
  double ms = 0, shared = 0, written_out = 0;
};

Cost derivation_cost(int links, Angles angles, Components components) {
  const auto begin = Clock::now();
  const auto chain = derivations::describe_pendulum_chain(links, angles, components);
  const std::vector<Expression> equations = derivations::derive_as_document(*chain, components);
  return {1e3 * seconds_since(begin),
          static_cast<double>(count_shared(chain->graph, equations).total()),
          static_cast<double>(count_unshared(chain->graph, equations).total())};
}

void derivation_figure(Workshop& shop, Record& record, Angles angles, const char* kind) {
  const int most = static_cast<int>(shop.choose(angles == Angles::absolute ? 12 : 8, 5));
  std::vector<double> n, ms[2], shared[2], written[2];
  for (int links = 1; links <= most; ++links) {
    n.push_back(links);
    for (const int delayed : {0, 1}) {
      const Cost cost =
          derivation_cost(links, angles, delayed ? Components::delayed : Components::evaluated);
      ms[delayed].push_back(cost.ms);
      shared[delayed].push_back(cost.shared);
      written[delayed].push_back(cost.written_out);
    }
  }
  Chart time = figure_chart(fmt::format("n-link pendulum, {} coordinates: derivation", kind),
                            "links", "time [ms]");
  time.y_log = true;
  add_line(time, "components evaluated (Evectors)", n, ms[0]).drawn = ChartDrawn::both;
  add_line(time, "partitioned vectors", n, ms[1]).drawn = ChartDrawn::both;
  record.figures.push_back(
      {time,
       fmt::format("Time to derive the equations of the spherical n-link pendulum on a shaken "
                   "hinge, {} coordinates, the document's way: vectors whose components are "
                   "formed at once, and partitioned vectors whose components are formed only "
                   "when they are needed.",
                   kind)});
  Chart size = figure_chart(fmt::format("n-link pendulum, {} coordinates: equations", kind),
                            "links", "operations");
  size.y_log = true;
  add_line(size, "evaluated, written out", n, written[0]);
  add_line(size, "partitioned, written out", n, written[1]);
  add_line(size, "evaluated, shared", n, shared[0]).dashed = true;
  add_line(size, "partitioned, shared", n, shared[1]).dashed = true;
  record.figures.push_back(
      {size,
       "Operations of the equations that result, written out as a computer algebra system "
       "without sharing holds them, and with shared expressions counted once."});
  record.rows = {
      {fmt::format("written-out operations at n = {}, evaluated over partitioned", most),
       "severe impact of evaluated components (sec. 5.6)",
       few_digits(written[0].back() / written[1].back()),
       agrees_if(written[0].back() > written[1].back())},
      {fmt::format("time at n = {}, evaluated and partitioned", most), "lost in the scan",
       fmt::format("{:.1f} ms and {:.1f} ms", ms[0].back(), ms[1].back()), Verdict::silent},
      {fmt::format("shared operations at n = {}, evaluated over partitioned", most), "",
       few_digits(shared[0].back() / shared[1].back()), Verdict::own}};
  record.notes.push_back(
      "The points of the figures are lost in the scan; the document says in words that evaluated "
      "components cost severely. With shared expressions the difference shrinks from an "
      "exponential "
      "to a factor.");
  add_generated_row(shop, record, most, false);
}

// ------------------------------------------------------------------------------------- evaluation

std::shared_ptr<const CompiledLibrary> compile_code(const std::string& code, const char* level) {
  CompileOptions options;
  options.flags = {level};
  std::string problem;
  std::shared_ptr<const CompiledLibrary> library = CompiledLibrary::compile(code, options, problem);
  if (!library) throw ItemFailure(problem);
  return library;
}

// Microseconds of one call.
double time_code(const std::string& code, const char* level, std::vector<double> inputs, int size) {
  const auto library = compile_code(code, level);
  auto* const function = library->function<void(double*, const double*, double*)>("derivatives");
  std::vector<double> phi(4 * size * size, 0.1), y(2 * size + phi.size());
  return 1e6 * seconds_per_call([&] { function(inputs.data(), phi.data(), y.data()); });
}

// How far what the code has solved is from another solution of the same equations, relative.
double check_code(const std::string& code, const WrittenMotion& motion, std::vector<double> inputs,
                  int size) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Values = void(const double*, double*);
  const auto library = compile_code(code, "-O0");
  RowMajor phi(2 * size, 2 * size);
  for (Eigen::Index k = 0; k < phi.size(); ++k) phi.data()[k] = std::sin(1.0 + k);
  Eigen::VectorXd y = Eigen::VectorXd::Zero(2 * size + phi.size()), values(size * (size + 1));
  library->function<void(double*, const double*, double*)>("derivatives")(inputs.data(), phi.data(),
                                                                          y.data());
  library->function<Values>("equations")(inputs.data(), values.data());
  const Eigen::PartialPivLU<Eigen::MatrixXd> M(Eigen::Map<RowMajor>(values.data(), size, size));
  const Eigen::VectorXd a = M.solve(values.tail(size));
  double off = (a - y.segment(size, size)).norm() / a.norm();
  if (motion.slopes.entries.empty()) return off;
  Eigen::VectorXd entries(static_cast<Eigen::Index>(motion.slopes.entries.size()));
  library->function<Values>("slopes")(inputs.data(), entries.data());
  Eigen::MatrixXd slopes = Eigen::MatrixXd::Zero(size, 2 * size);
  for (Eigen::Index k = 0; k < entries.size(); ++k)
    slopes(motion.slopes.row[k], motion.slopes.column[k]) = entries[k];
  RowMajor change(2 * size, 2 * size);
  change << phi.bottomRows(size), M.solve(slopes) * phi;
  const Eigen::Map<const RowMajor> found(y.data() + 2 * size, 2 * size, 2 * size);
  return std::max(off, (change - found).norm() / change.norm());
}

int place_of(const ExpressionGraph& graph, const Expression& symbol) {
  return graph.node(symbol.node()).a;
}

WrittenMotion equations_of(derivations::PendulumChain& chain, bool variational) {
  WrittenMotion motion;
  motion.values = chain.equations.M;
  std::vector<Expression> residual = chain.equations.f;
  motion.values.insert(motion.values.end(), residual.begin(), residual.end());
  const int size = chain.equations.size();
  for (int k = 0; k < size; ++k) {
    const Expression acceleration = chain.kinematics.acceleration(chain.u[k]);
    motion.speeds.push_back(place_of(chain.graph, chain.u[k]));
    motion.accelerations.push_back(place_of(chain.graph, acceleration));
    for (int i = 0; i < size; ++i) residual[i] -= chain.equations.M[i * size + k] * acceleration;
  }
  if (!variational) return motion;
  std::vector<Expression> x = chain.q;
  x.insert(x.end(), chain.u.begin(), chain.u.end());
  motion.slopes = jacobian(chain.graph, residual, x);
  return motion;
}

// Of what is evaluated before anything is solved.
std::vector<Expression> all_expressions(const WrittenMotion& motion) {
  std::vector<Expression> all = motion.values;
  all.insert(all.end(), motion.slopes.entries.begin(), motion.slopes.entries.end());
  return all;
}

struct PrintedTimes {
  int n;
  const char *N, *C, *S;  // Linux, 266 MHz PII, ms
};

void evaluation_table(Workshop& shop, Record& record, bool variational,
                      const std::vector<PrintedTimes>& printed) {
  // written out, the longest codes take a compiler minutes (bench_sharing has them all)
  const int most_N = static_cast<int>(shop.choose(variational ? 8 : 12, 4));
  const int most_C = most_N;
  const int most = static_cast<int>(shop.choose(12, 4));
  Sheet sheet{
      fmt::format(
          "Derivatives of the {} of the spherical n-link pendulum, absolute coordinates: {}. "
          "Printed: ms on a 266 MHz Pentium II; here: microseconds. N: every expression "
          "written out, no optimisation; C: the same, -O2; S: shared expressions computed "
          "once, no optimisation.",
          variational ? "full variational system with n(n+1) states" : "base system",
          variational ? "M, f and the Jacobian, solved, times Phi" : "M and f, solved"),
      {"n", "N, printed", "N", "C, printed", "C", "S, printed", "S", "S with -O2", "operations N",
       "operations S"},
      {}};
  double first_N = 0, first_S = 0, off = 0;
  std::vector<double> all_N;
  OperationCount written, shared;  // of n = 4
  for (const PrintedTimes& row : printed) {
    if (row.n > most) continue;
    const auto chain = derivations::derive_pendulum_chain(row.n, Angles::absolute);
    const WrittenMotion motion = equations_of(*chain, variational);
    const std::vector<Expression> values = all_expressions(motion);
    std::vector<double> inputs;
    for (int i = 0; i < chain->graph.symbol_count(); ++i)
      inputs.push_back(0.1 + chain->graph.sample(chain->graph.symbol_node(i)));
    const auto timed = [&](bool written, const char* level) -> std::optional<double> {
      return time_code(write_derivatives(chain->graph, motion, written), level, inputs,
                       chain->equations.size());
    };
    const auto text = [](std::optional<double> time) {
      return time ? fmt::format("{:.1f}", *time) : std::string("-");
    };
    const std::optional<double> N = row.n <= most_N ? timed(true, "-O0") : std::nullopt;
    const std::optional<double> C = row.n <= most_C ? timed(true, "-O2") : std::nullopt;
    const std::optional<double> S = timed(false, "-O0"), fast = timed(false, "-O2");
    if (N) all_N.push_back(*N);
    if (row.n == 4) {
      first_N = *N, first_S = *S;
      off = check_code(write_derivatives(chain->graph, motion, false), motion, inputs,
                       chain->equations.size());
      written = count_unshared(chain->graph, values);
      shared = count_shared(chain->graph, values);
    }
    sheet.rows.push_back(
        {std::to_string(row.n), row.N, text(N), row.C, text(C), row.S, text(S), text(fast),
         few_digits(static_cast<double>(count_unshared(chain->graph, values).total())),
         fmt::format("{}", count_shared(chain->graph, values).total())});
  }
  record.sheets.push_back(std::move(sheet));
  // the document's other machines: 1.7/0.5 and 2.1/0.2 (base), 13/5 and 13/1.3 (variational)
  const std::string ratio_remark = fmt::format(
      "sharing wins, as the document says, whose ratios are {} on its three machines. Written out "
      "there are {:.1f} times the operations here, and {} sines and cosines instead of {}, each of "
      "which costs several products",
      variational ? "2.6, 10 and 4.1" : "3.4, 10.5 and 4",
      static_cast<double>(written.total()) / static_cast<double>(shared.total()), written.functions,
      shared.functions);
  const double printed_ratio = variational ? 5.3 / 1.3 : 0.8 / 0.2;
  record.rows = {{"n = 4: N over S", few_digits(printed_ratio), few_digits(first_N / first_S),
                  first_N < 5 * printed_ratio * first_S && first_N > first_S ? Verdict::order
                                                                             : Verdict::differs,
                  ratio_remark},
                 {"n = 4: S", variational ? "1.3 ms" : "0.2 ms", fmt::format("{:.2f} us", first_S),
                  Verdict::better}};
  record.rows.push_back({"n = 4: what the code solves, against pivoted elimination", "",
                         few_digits(off), Verdict::own});
  if (!(off < 1e-10)) throw ItemFailure("the code of the table solves wrongly");
  if (all_N.size() > 1)  // code compiled in another way than asked for would break the row
    record.rows.push_back({"N from the shortest to the longest chain", "rises",
                           std::is_sorted(all_N.begin(), all_N.end()) ? "rises" : "does not rise",
                           agrees_if(std::is_sorted(all_N.begin(), all_N.end()))});
  record.notes.push_back(
      "Columns N and C are left out where a compiler needs minutes for the written-out text; the "
      "document abandoned some after twelve hours. Its times are those of the derivatives, so "
      "solving for the accelerations (and for A, and A times Phi) is part of them here too; it is "
      "compiled with the level of its column.");
  add_generated_row(shop, record, 4, variational);
}

}  // namespace

void derivation_absolute(Workshop& shop, Record& record) {
  derivation_figure(shop, record, Angles::absolute, "absolute");
}
void derivation_relative(Workshop& shop, Record& record) {
  derivation_figure(shop, record, Angles::relative, "relative");
}
void evaluation_base(Workshop& shop, Record& record) {
  evaluation_table(shop, record, false,
                   {{4, "0.8", "0.7", "0.2"},
                    {6, "1.9", "-", "0.3"},
                    {8, "3.6", "-", "0.6"},
                    {10, "6.3", "-", "0.8"},
                    {12, "9.5", "-", "1.2"}});
}
void evaluation_variational(Workshop& shop, Record& record) {
  evaluation_table(shop, record, true,
                   {{4, "5.3", "3.5", "1.3"},
                    {6, "17", "-", "3.8"},
                    {8, "33", "-", "8.9"},
                    {10, "-", "-", "17"},
                    {12, "-", "-", "34"}});
}

}  // namespace cartan::reproduction
