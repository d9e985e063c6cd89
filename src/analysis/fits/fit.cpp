#include "analysis/fits/fit.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <future>
#include <thread>

#include <fmt/format.h>

namespace cartan::analysis {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// The residuals of all experiments. The minimiser asks for values first and for derivatives at the
// same place later, if at all: both are kept.
class Residuals {
 public:
  explicit Residuals(const FitProblem& problem) : problem_(problem) {
    for (std::size_t e = 0; e < problem.experiments.size(); ++e)
      for (std::size_t c = 0; c < problem.experiments[e].columns.size(); ++c)
        for (int row = 0; row < problem.experiments[e].rows(); ++row) {
          const FitColumn& column = problem.experiments[e].columns[c];
          if (column.losses && row == 0) continue;
          const double measured = column.losses ? column.measured[row - 1] - column.measured[row]
                                                : column.measured[row];
          if (!std::isnan(measured))
            points.push_back({static_cast<int>(e), static_cast<int>(c), row, 0, measured, 0, 0});
        }
  }

  std::string operator()(const VectorXd& theta, VectorXd& r, MatrixXd* J) {
    if (!values_.is_at(theta)) {
      std::vector<Prediction> predictions;
      values_ = {theta, simulate(theta, Run::values, predictions)};
      if (values_.trouble.empty()) fill_values(predictions);
    }
    if (J && values_.trouble.empty() && !slopes_.is_at(theta)) {
      std::vector<Prediction> predictions;
      slopes_ = {theta, simulate(theta, Run::slopes, predictions)};
      // next to the edge of what the data allow (the last turning point before the arm sticks) the
      // looser tolerance of slopes may lose what the values have
      if (!slopes_.trouble.empty())
        slopes_.trouble = simulate(theta, Run::sharp_slopes, predictions);
      if (slopes_.trouble.empty()) fill_slopes(predictions);
    }
    if (!values_.trouble.empty()) return values_.trouble;
    r = r_;
    if (!J) return "";
    *J = J_;
    return slopes_.trouble;
  }

  // What the model says at each point, in units of the measurements, at the last theta.
  const std::vector<double>& predicted() const { return predicted_; }

  std::vector<FitPoint> points;

 private:
  enum class Run { values, slopes, sharp_slopes };  // the last with the tolerance of values
  struct Known {
    VectorXd theta;
    std::string trouble;  // why there is nothing
    bool is_at(const VectorXd& other) const { return theta.size() > 0 && theta == other; }
  };

  // All experiments, as many at a time as there are threads. "" or why not.
  std::string simulate(const VectorXd& theta, Run run, std::vector<Prediction>& predictions) {
    const std::size_t count = problem_.experiments.size();
    predictions.resize(count);
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      for (std::size_t e = next++; e < count; e = next++)
        predictions[e] = simulate(problem_.experiments[e], theta, run);
    };
    const std::size_t machine = std::max(1u, std::thread::hardware_concurrency()),
                      wanted = problem_.threads > 0 ? problem_.threads : machine;
    std::vector<std::future<void>> others;
    for (std::size_t k = 1; k < std::min(wanted, count); ++k)
      others.push_back(std::async(std::launch::async, work));
    work();
    for (std::future<void>& other : others) other.get();
    for (std::size_t e = 0; e < count; ++e)
      if (!predictions[e].problem.empty())
        return fmt::format("experiment '{}': {}", problem_.experiments[e].name,
                           predictions[e].problem);
    return "";
  }

  Prediction simulate(const FitExperiment& experiment, const VectorXd& theta, Run run) const {
    FitInstance instance;
    Prediction none;
    none.problem = experiment.make(theta, instance);
    if (!none.problem.empty()) return none;
    Protocol protocol{
        experiment.times, experiment.event, experiment.rows(), experiment.duration, {}};
    for (const auto& quantity : instance.quantities) protocol.quantities.push_back(quantity.get());
    SimulateOptions options = problem_.simulate;
    if (run == Run::values)
      return predict(*instance.system, instance.start, instance.start_by_parameters.leftCols(0), {},
                     protocol, options);
    if (run == Run::slopes)
      options.tolerance = std::max(options.tolerance, problem_.slope_tolerance);
    return predict(*instance.system, instance.start, instance.start_by_parameters,
                   experiment.parameters, protocol, options,
                   {problem_.size.begin(), problem_.size.end()});
  }

  const FitColumn& column_of(const FitPoint& point) const {
    return problem_.experiments[point.experiment].columns[point.column];
  }

  void fill_values(const std::vector<Prediction>& predictions) {
    const int n = static_cast<int>(points.size());
    r_.resize(n);
    predicted_.resize(n);
    for (int i = 0; i < n; ++i) {
      FitPoint& point = points[i];
      const FitColumn& column = column_of(point);
      const Prediction& p = predictions[point.experiment];
      point.t = p.t[point.row];
      const double value = column.quantity >= 0 ? p.values(point.row, column.quantity) : point.t;
      predicted_[i] = column.losses
                          ? column.scale * (p.values(point.row - 1, column.quantity) - value)
                          : column.scale * value + column.offset;
      r_(i) = (predicted_[i] - point.measured) / column.sigma;
    }
  }

  void fill_slopes(const std::vector<Prediction>& predictions) {
    J_.resize(static_cast<int>(points.size()), problem_.start.size());
    for (int i = 0; i < J_.rows(); ++i) {
      const FitPoint& point = points[i];
      const FitColumn& column = column_of(point);
      const Prediction& p = predictions[point.experiment];
      const double factor = column.scale / column.sigma;
      if (column.losses)
        J_.row(i) = factor * (p.by_parameters[point.row - 1].row(column.quantity) -
                              p.by_parameters[point.row].row(column.quantity));
      else if (column.quantity >= 0)
        J_.row(i) = factor * p.by_parameters[point.row].row(column.quantity);
      else
        J_.row(i) = factor * p.time_by_parameters.row(point.row);
    }
  }

  const FitProblem& problem_;
  Known values_, slopes_;
  VectorXd r_;
  MatrixXd J_;
  std::vector<double> predicted_;
};

}  // namespace

FitResult fit_parameters(const FitProblem& problem, const LeastSquaresOptions& options) {
  Residuals residuals(problem);
  FitResult result;
  if (residuals.points.size() < static_cast<std::size_t>(problem.start.size())) {
    result.problem = fmt::format("{} measurements cannot determine {} parameters",
                                 residuals.points.size(), problem.start.size());
    return result;
  }
  std::vector<double> before;
  LeastSquaresProblem squares;
  squares.residuals = [&](const VectorXd& theta, VectorXd& r, MatrixXd* J) {
    const std::string trouble = residuals(theta, r, J);
    if (trouble.empty() && before.empty()) before = residuals.predicted();
    return trouble;
  };
  squares.start = problem.start;
  squares.lower = problem.lower;
  squares.upper = problem.upper;
  squares.size = problem.size;
  static_cast<LeastSquaresResult&>(result) = minimise_squares(squares, options);
  VectorXd r;
  residuals(result.theta, r, nullptr);  // the minimiser looks elsewhere after the last step
  result.points = residuals.points;
  for (std::size_t i = 0; i < before.size(); ++i) {
    result.points[i].before = before[i];
    result.points[i].after = residuals.predicted()[i];
  }
  return result;
}

}  // namespace cartan::analysis
