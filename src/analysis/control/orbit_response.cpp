#include "analysis/control/orbit_response.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "analysis/control/collocation_rule.h"
#include "analysis/tangents.h"
#include "core/dense.h"

namespace cartan::analysis {
namespace {

using Complex = std::complex<double>;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;

constexpr int gauss_points = 8;
constexpr int fewest_parts = 8, most_parts = 4096;
constexpr double wanted_change = 1e-10;    // between two meshes, relative
constexpr double most_phase = 2;           // of the fastest oscillation within an interval
constexpr double beside_jump = 1e-9;       // of the period
constexpr double least_condition = 1e-11;  // of the equations that close the period
constexpr double off_constraints = 1e-7;

// What does not depend on the frequency, at the points of an interval.
struct OrbitInterval {
  double start = 0, end = 0;
  bool jumps = false;             // at its end
  std::vector<double> t;          // of the points
  std::vector<MatrixXd> G, C, D;  // Phi^-1 B, C Phi, D
  MatrixXd step;                  // Phi at the end
  MatrixXd jump;                  // what inputs do to an event at the end
};

Complex unit_wave(double w, double t) {
  return std::polar(1.0, w * t);
}

// Intervals between times at which the state jumps, about `count` of equal length.
std::vector<OrbitInterval> cut_period(double start, double period, const std::vector<double>& jumps,
                                      int count) {
  std::vector<double> ends = jumps;
  ends.push_back(start + period);
  std::vector<OrbitInterval> list;
  double from = start;
  for (std::size_t k = 0; k < ends.size(); ++k) {
    const int parts = std::max(1, static_cast<int>(std::ceil(count * (ends[k] - from) / period)));
    for (int i = 0; i < parts; ++i) {
      OrbitInterval interval;
      interval.start = i == 0 ? from : list.back().end;
      interval.end = i + 1 == parts ? ends[k] : from + (ends[k] - from) * (i + 1) / parts;
      interval.jumps = i + 1 == parts && k < jumps.size();
      list.push_back(std::move(interval));
    }
    from = ends[k];
  }
  return list;
}

// The equations of the intervals, -step_m z_m + z_{m+1} = f_m, z_N = e^{i w T} z_0, by orthogonal
// elimination of z_1 .. z_{N-1}: stable for modes that grow and for those that die out. All but the
// right-hand sides is real and the same at every frequency.
class CyclicEquations {
 public:
  explicit CyclicEquations(const std::vector<OrbitInterval>& intervals) {
    const auto n = intervals.front().step.rows();
    left_ = -intervals.front().step;
    right_ = MatrixXd::Identity(n, n);
    for (std::size_t m = 1; m < intervals.size(); ++m) {
      MatrixXd pair(2 * n, n), first = MatrixXd::Zero(2 * n, n), next = first;
      pair << right_, -intervals[m].step;
      first.topRows(n) = left_;
      next.bottomRows(n).setIdentity();
      const Eigen::HouseholderQR<MatrixXd> qr(pair);
      Elimination e;
      e.Qt = MatrixXd(qr.householderQ()).transpose();
      e.U = MatrixXd(qr.matrixQR().topRows(n).triangularView<Eigen::Upper>()).cast<Complex>();
      first = e.Qt * first;
      next = e.Qt * next;
      e.first = first.topRows(n);
      e.next = next.topRows(n);
      left_ = first.bottomRows(n);
      right_ = next.bottomRows(n);
      eliminated_.push_back(std::move(e));
    }
  }

  // z_0 .. z_{N-1}; false where they are singular.
  bool solve(Complex turn, const std::vector<MatrixXcd>& f, std::vector<MatrixXcd>& z) const {
    const auto n = left_.rows(), p = f.front().cols();
    std::vector<MatrixXcd> top;
    MatrixXcd c = f.front();
    for (std::size_t m = 0; m < eliminated_.size(); ++m) {
      MatrixXcd pair(2 * n, p);
      pair << c, f[m + 1];
      pair = eliminated_[m].Qt * pair;
      top.push_back(pair.topRows(n));
      c = pair.bottomRows(n);
    }
    const Eigen::PartialPivLU<MatrixXcd> lu(left_ + turn * right_);
    if (!(lu.rcond() > least_condition)) return false;
    z.assign(f.size(), {});
    z[0] = lu.solve(c);
    MatrixXcd next = turn * z[0];
    for (std::size_t m = eliminated_.size(); m-- > 0;) {
      const Elimination& e = eliminated_[m];
      const MatrixXcd rest = top[m] - e.first * z[0] - e.next * next;
      next = z[m + 1] = e.U.triangularView<Eigen::Upper>().solve(rest);
    }
    return true;
  }

 private:
  struct Elimination {
    MatrixXd Qt, first, next;
    MatrixXcd U;
  };
  std::vector<Elimination> eliminated_;
  MatrixXd left_, right_;  // what is left between z_0 and z_N
};

class ResponseMaker {
 public:
  ResponseMaker(const System& system, const Orbit& orbit, const ResponseRequest& request)
      : system_(system),
        orbit_(orbit),
        request_(request),
        rule_(CollocationKind::gauss, gauss_points),
        partial_(rule_.D.rightCols(gauss_points).inverse()),
        workspace_(system.make_workspace()) {}

  OrbitResponse make() {
    OrbitResponse response;
    const double T = orbit_.point.period, Omega = 2 * std::numbers::pi / T;
    response.problem = find_jumps();
    double fastest = request_.harmonics * Omega;
    for (const double w : request_.frequencies)
      fastest = std::max(fastest, std::fabs(w) + request_.harmonics * Omega);
    const double needed = std::ceil(fastest * T / most_phase);
    if (response.problem.empty() && needed > most_parts / 2)
      response.problem = fmt::format(
          "{:g} rad/s is too fast: the period has {:.3g} of these oscillations; ask for "
          "frequencies "
          "up to {:.3g}",
          fastest, fastest / Omega, most_parts / 2 * most_phase / T - request_.harmonics * Omega);
    int count = std::max(fewest_parts, static_cast<int>(std::min(needed, 1e6)));
    std::vector<std::vector<MatrixXcd>> before;
    for (; response.problem.empty() && count <= most_parts; count *= 2) {
      response.problem = sample(count);
      if (!response.problem.empty()) break;
      before = std::move(response.H);
      response.H = respond(Omega);
      response.intervals = static_cast<int>(intervals_.size());
      if (before.empty()) continue;
      const double last = response.error;
      response.error = change(before, response.H);
      // rounding lets it get no smaller
      if (response.error <= wanted_change || (last > 0 && response.error > 0.3 * last)) break;
    }
    response.fundamental = Omega;
    return response;
  }

 private:
  // Times just behind the events that change the state; none of the outputs may jump there.
  std::string find_jumps() {
    const double T = orbit_.point.period, t0 = orbit_.state().t;
    Flow flow(system_, 0, {}, request_.flow);
    flow.start(orbit_.state(), MatrixXd(tangent_numbers(system_), 0));
    long seen = 0;
    const auto watch = [&] {
      if (flow.jumps() == seen) return true;
      seen = flow.jumps();
      const double t = flow.state().t + beside_jump * T;
      if (jumps_.empty() || t > jumps_.back() + 4 * beside_jump * T) jumps_.push_back(t);
      return true;
    };
    if (std::string problem = flow.advance(t0 + T, watch); !problem.empty()) return problem;
    std::erase_if(jumps_, [&](double t) { return t > t0 + (1 - 2 * beside_jump) * T; });
    if (jumps_.empty()) return "";
    flow.start(orbit_.state(), MatrixXd(tangent_numbers(system_), 0));
    for (const double t : jumps_) {
      if (std::string problem = flow.advance(t - 2 * beside_jump * T); !problem.empty())
        return problem;
      const std::vector<double> y = values(flow.state());
      if (std::string problem = flow.advance(t); !problem.empty()) return problem;
      const std::vector<double> after = values(flow.state());
      for (std::size_t i = 0; i < y.size(); ++i)
        if (std::fabs(after[i] - y[i]) > 1e-6 * (1 + std::fabs(y[i])))
          return fmt::format(
              "the output '{}' jumps at the event at t = {:g}, whose time the input changes: its "
              "response is no sum of oscillations; ask for one that does not jump (a position)",
              request_.output_names[i], t);
    }
    return "";
  }

  std::vector<double> values(const State& state) {
    std::vector<double> list;
    for (const auto& output : request_.outputs) list.push_back(output->value(state, *workspace_));
    return list;
  }

  // B in tangent numbers.
  MatrixXd input_columns(const State& state) {
    const StateSpace& space = system_.space();
    const int m = tangent_numbers(system_), p = static_cast<int>(request_.inputs.size());
    MatrixXd J(space.size(), p), B(m, p);
    system_.parameter_jacobian(state, request_.inputs, J, *workspace_);
    std::vector<double> rate(space.size()), xi(space.tangent_size());
    for (int k = 0; k < p; ++k) {
      std::copy_n(J.col(k).data(), space.size(), rate.begin());
      space.to_tangent(state.x, rate, xi);
      B.col(k) = Eigen::Map<const Eigen::VectorXd>(xi.data(), m);
    }
    return B;
  }

  // The matrices at a point whose directions of the interval's start have become Y.
  std::string take_point(const State& state, const MatrixXd& Y, OrbitInterval& interval) {
    const MatrixXd B = input_columns(state);
    const MatrixXd G = Y.colPivHouseholderQr().solve(B);
    const double size = std::max(1.0, B.cwiseAbs().maxCoeff());
    if ((Y * G - B).cwiseAbs().maxCoeff() > off_constraints * size)
      return "an input moves the constraints themselves (a length, a prescribed motion), or the "
             "motion forgets directions at once; let it act through a force";
    const int r = static_cast<int>(request_.outputs.size()), n = static_cast<int>(Y.cols());
    const int p = static_cast<int>(request_.inputs.size());
    const MatrixXd E = tangent_map(system_, state.x) * Y;
    MatrixXd C(r, n), D(r, p);
    FunctionSlope slope;
    for (int i = 0; i < r; ++i) {
      request_.outputs[i]->slope(state, request_.inputs, slope, *workspace_);
      C.row(i) = Eigen::Map<const Eigen::RowVectorXd>(slope.by_x.data(), E.rows()) * E;
      for (int k = 0; k < p; ++k) D(i, k) = slope.by_parameters[k];
    }
    if (!G.allFinite() || !C.allFinite() || !D.allFinite())
      return fmt::format("the derivatives at t = {:g} are not finite", state.t);
    interval.t.push_back(state.t);
    interval.G.push_back(G);
    interval.C.push_back(C);
    interval.D.push_back(D);
    return "";
  }

  // Goes once around and fills the intervals.
  std::string sample(int count) {
    const State& start = orbit_.state();
    const int p = static_cast<int>(request_.inputs.size());
    intervals_ = cut_period(start.t, orbit_.point.period, jumps_, count);
    const MatrixXd Q0 = allowed_directions(system_, start, *workspace_);
    const int n = static_cast<int>(Q0.cols());
    MatrixXd Q = Q0, columns = MatrixXd::Zero(Q.rows(), n + p);
    Flow flow(system_, n + p, request_.inputs, request_.flow);
    flow.start(start, columns);
    for (std::size_t m = 0; m < intervals_.size(); ++m) {
      OrbitInterval& interval = intervals_[m];
      columns.setZero();
      columns.leftCols(n) = Q;
      flow.set_columns(columns);
      const double h = interval.end - interval.start;
      for (const double c : rule_.c) {
        if (std::string why = flow.advance(interval.start + c * h); !why.empty()) return why;
        const MatrixXd Y = flow.columns().leftCols(n);
        if (std::string why = take_point(flow.state(), Y, interval); !why.empty()) return why;
      }
      if (std::string why = flow.advance(interval.end); !why.empty()) return why;
      const MatrixXd end = flow.columns();
      Q = m + 1 == intervals_.size() ? Q0 : allowed_directions(system_, flow.state(), *workspace_);
      interval.step = Q.transpose() * end.leftCols(n);
      MatrixXd sum = MatrixXd::Zero(n, p);
      for (int l = 0; l < gauss_points; ++l) sum += h * rule_.b[l] * interval.G[l];
      interval.jump = Q.transpose() * end.rightCols(p) - interval.step * sum;
    }
    return "";
  }

  std::vector<std::vector<MatrixXcd>> respond(double Omega) const {
    const CyclicEquations equations(intervals_);
    std::vector<std::vector<MatrixXcd>> all;
    for (const double w : request_.frequencies) all.push_back(respond_at(w, Omega, equations));
    return all;
  }

  // H_k(w) = 1/T integral of y e^{-i (w + k Omega) t}.
  std::vector<MatrixXcd> respond_at(double w, double Omega,
                                    const CyclicEquations& equations) const {
    const double T = orbit_.point.period;
    const auto n = intervals_.front().step.rows();
    const auto p = static_cast<Eigen::Index>(request_.inputs.size());
    std::vector<MatrixXcd> f, z;
    for (const OrbitInterval& interval : intervals_) {
      const double h = interval.end - interval.start;
      MatrixXcd sum = MatrixXcd::Zero(n, p);
      for (int l = 0; l < gauss_points; ++l)
        sum += h * rule_.b[l] * unit_wave(w, interval.t[l]) * interval.G[l];
      f.push_back(interval.step * sum);
      if (interval.jumps) f.back() += unit_wave(w, interval.end) * interval.jump;
    }
    const int K = request_.harmonics;
    std::vector<MatrixXcd> H(2 * K + 1, MatrixXcd::Zero(request_.outputs.size(), p));
    if (!equations.solve(unit_wave(w, T), f, z)) {
      for (MatrixXcd& each : H) each.setConstant(std::numeric_limits<double>::quiet_NaN());
      return H;
    }
    for (std::size_t m = 0; m < intervals_.size(); ++m) {
      const OrbitInterval& interval = intervals_[m];
      const double h = interval.end - interval.start;
      for (int j = 0; j < gauss_points; ++j) {
        MatrixXcd at = z[m];
        for (int l = 0; l < gauss_points; ++l)
          at += h * partial_(j, l) * unit_wave(w, interval.t[l]) * interval.G[l];
        const double t = interval.t[j];
        const MatrixXcd y = interval.C[j] * at + unit_wave(w, t) * interval.D[j];
        for (int k = -K; k <= K; ++k)
          H[k + K] += h * rule_.b[j] / T * unit_wave(-(w + k * Omega), t) * y;
      }
    }
    return H;
  }

  static double change(const std::vector<std::vector<MatrixXcd>>& before,
                       const std::vector<std::vector<MatrixXcd>>& now) {
    double most = 0, size = 0;
    for (std::size_t i = 0; i < now.size(); ++i)
      for (std::size_t k = 0; k < now[i].size(); ++k) {
        if (!now[i][k].allFinite() || !before[i][k].allFinite()) continue;
        most = std::max(most, (now[i][k] - before[i][k]).cwiseAbs().maxCoeff());
        size = std::max(size, now[i][k].cwiseAbs().maxCoeff());
      }
    return size > 0 ? most / size : 0;
  }

  const System& system_;
  const Orbit& orbit_;
  const ResponseRequest& request_;
  const CollocationRule rule_;
  const MatrixXd partial_;  // integrals from the start to the points
  std::unique_ptr<Workspace> workspace_;
  std::vector<double> jumps_;
  std::vector<OrbitInterval> intervals_;
};

}  // namespace

OrbitResponse calc_orbit_response(const System& system, const Orbit& orbit,
                                  const ResponseRequest& request) {
  return ResponseMaker(system, orbit, request).make();
}

}  // namespace cartan::analysis
