#include "analysis/fits/prediction.h"

#include <algorithm>

#include <fmt/format.h>

namespace cartan::analysis {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

class Predictor {
 public:
  Predictor(const System& system, const std::vector<int>& parameters,
            const std::vector<double>& units, const Protocol& protocol)
      : system_(system),
        parameters_(parameters),
        protocol_(protocol),
        units_(VectorXd::Ones(static_cast<int>(parameters.size()))),
        augmented_(system, parameters, units),
        workspace_(system.make_workspace()) {
    rows_ = static_cast<int>(protocol.event >= 0 ? protocol.event_count : protocol.times.size());
    const int q = static_cast<int>(protocol.quantities.size());
    const int k = static_cast<int>(parameters.size());
    for (std::size_t j = 0; j < units.size(); ++j) units_(static_cast<int>(j)) = units[j];
    result_.t.resize(rows_);
    result_.values.setZero(rows_, q);
    result_.by_parameters.assign(rows_, MatrixXd::Zero(q, k));
    result_.time_by_parameters.setZero(rows_, k);
  }

  Prediction run(const State& start, const MatrixXd& start_by_parameters, SimulateOptions options) {
    const State begin = augmented_.make_state(start, start_by_parameters);
    const std::atomic<bool>* interrupted = options.stop_requested;
    options.duration = protocol_.duration;
    options.step = std::max(protocol_.duration, 1e-300);
    options.stop_requested = &enough_;
    Observer observer;
    if (protocol_.event >= 0)
      observer.on_event = [&](const EventRecord& event) { take_event(event); };
    observer.on_step = [&](const DenseStep& step) {
      if (protocol_.event < 0) take_step(step);
      if (interrupted && interrupted->load()) enough_ = true;
    };
    while (next_ < rows_ && protocol_.event < 0 && protocol_.times[next_] <= start.t)
      take(next_++, begin);
    const SimulateReport report = simulate(augmented_, begin, options, observer);
    finish(report);
    const VectorXd per_unit = units_.cwiseInverse();
    for (MatrixXd& slopes : result_.by_parameters) slopes *= per_unit.asDiagonal();
    result_.time_by_parameters *= per_unit.asDiagonal();
    return std::move(result_);
  }

 private:
  void finish(const SimulateReport& report) {
    if (!result_.problem.empty() || next_ >= rows_) return;
    if (!report.ok() && report.status != RunStatus::cancelled) {
      result_.problem = report.message;
    } else if (protocol_.event >= 0) {
      result_.problem =
          fmt::format("event '{}' happens {} times within {:g} s, but the data have {} rows",
                      system_.events()[protocol_.event].name, next_, protocol_.duration, rows_);
    } else {
      result_.problem =
          fmt::format("the motion ends at t = {:g}, before the data do", report.final_state.t);
    }
  }

  // A step that is cut short by an event is followed by one that begins there: what was taken
  // beyond is taken again.
  void take_step(const DenseStep& step) {
    while (next_ > 0 && protocol_.times[next_ - 1] > step.begin()) --next_;
    State inside{0,
                 std::vector<double>(augmented_.space().size()),
                 {step.mode().begin(), step.mode().end()}};
    for (; next_ < rows_ && protocol_.times[next_] <= step.end(); ++next_) {
      inside.t = protocol_.times[next_];
      if (!step.at(inside.t, inside.x)) {
        result_.problem = fmt::format("the motion has no finite rate near t = {:g}", inside.t);
        return;
      }
      take(next_, inside);
    }
  }

  void take_event(const EventRecord& event) {
    if (event.index != protocol_.event || next_ >= rows_) return;
    take(next_, event.state);
    VectorXd slope;
    if (!augmented_.event_time_slope(event.index, event.state, slope, *workspace_)) {
      result_.problem =
          fmt::format("event '{}' at t = {:g} only touches zero: its time has no derivative",
                      event.name, event.state.t);
      enough_ = true;
      return;
    }
    if (parameters_.empty()) {
      if (++next_ == rows_) enough_ = true;
      return;
    }
    const State at = augmented_.base_state(event.state);
    VectorXd rate(at.x.size());
    system_.derivative(at, {rate.data(), at.x.size()}, *workspace_);
    for (std::size_t i = 0; i < protocol_.quantities.size(); ++i) {
      protocol_.quantities[i]->slope(at, parameters_, function_slope_, *workspace_);
      const Eigen::Map<const VectorXd> by_x(function_slope_.by_x.data(), rate.size());
      result_.by_parameters[next_].row(static_cast<int>(i)) +=
          (by_x.dot(rate) + function_slope_.by_time) * slope.transpose();
    }
    result_.time_by_parameters.row(next_) = slope.transpose();
    if (++next_ == rows_) enough_ = true;
  }

  void take(int row, const State& augmented) {
    const State at = augmented_.base_state(augmented);
    const auto S = augmented_.columns(augmented.x);
    result_.t[row] = at.t;
    for (std::size_t i = 0; i < protocol_.quantities.size(); ++i) {
      const int column = static_cast<int>(i);
      result_.values(row, column) =
          protocol_.quantities[i]->slope(at, parameters_, function_slope_, *workspace_);
      if (parameters_.empty()) continue;
      const Eigen::Map<const VectorXd> by_x(function_slope_.by_x.data(), S.rows());
      const Eigen::Map<const VectorXd> by_p(function_slope_.by_parameters.data(), units_.size());
      result_.by_parameters[row].row(column) =
          by_x.transpose() * S + by_p.cwiseProduct(units_).transpose();
    }
  }

  const System& system_;
  const std::vector<int>& parameters_;
  const Protocol& protocol_;
  VectorXd units_;  // derivatives are per unit until the end
  SensitivitySystem augmented_;
  std::unique_ptr<Workspace> workspace_;  // of the system
  Prediction result_;
  FunctionSlope function_slope_;
  std::atomic<bool> enough_ = false;
  int rows_ = 0, next_ = 0;
};

}  // namespace

Prediction predict(const System& system, const State& start, const MatrixXd& start_by_parameters,
                   const std::vector<int>& parameters, const Protocol& protocol,
                   const SimulateOptions& options, const std::vector<double>& units) {
  return Predictor(system, parameters, units, protocol).run(start, start_by_parameters, options);
}

}  // namespace cartan::analysis
