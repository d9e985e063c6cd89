#include "analysis/fit.h"

#include <cmath>

#include <fmt/format.h>

namespace cartan {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// The residuals of all experiments. Values and derivatives come from one simulation, so the last
// one is kept: the minimiser asks for values first and for derivatives at the same place later.
class Residuals {
 public:
  explicit Residuals(const FitProblem& problem) : problem_(problem) {
    for (std::size_t e = 0; e < problem.experiments.size(); ++e)
      for (std::size_t c = 0; c < problem.experiments[e].columns.size(); ++c)
        for (int row = 0; row < problem.experiments[e].rows(); ++row) {
          const double measured = problem.experiments[e].columns[c].measured[row];
          if (!std::isnan(measured))
            points.push_back({static_cast<int>(e), static_cast<int>(c), row, 0, measured, 0, 0});
        }
  }

  std::string operator()(const VectorXd& theta, VectorXd& r, MatrixXd* J) {
    if (theta_.size() == 0 || theta_ != theta) {
      theta_ = theta;
      trouble_ = simulate(theta);
    }
    if (!trouble_.empty()) return trouble_;
    r = r_;
    if (J) *J = J_;
    return "";
  }

  // What the model says at each point, in units of the measurements, at the last theta.
  const std::vector<double>& predicted() const { return predicted_; }

  std::vector<FitPoint> points;

 private:
  std::string simulate(const VectorXd& theta) {
    std::vector<Prediction> predictions;
    for (const FitExperiment& experiment : problem_.experiments) {
      FitInstance instance;
      std::string problem = experiment.make(theta, instance);
      if (problem.empty()) {
        Protocol protocol{
            experiment.times, experiment.event, experiment.rows(), experiment.duration, {}};
        for (const auto& quantity : instance.quantities)
          protocol.quantities.push_back(quantity.get());
        predictions.push_back(predict(*instance.system, instance.start,
                                      instance.start_by_parameters, experiment.parameters, protocol,
                                      problem_.simulate));
        problem = predictions.back().problem;
      }
      if (!problem.empty()) return fmt::format("experiment '{}': {}", experiment.name, problem);
    }
    fill(predictions);
    return "";
  }

  void fill(const std::vector<Prediction>& predictions) {
    const int n = static_cast<int>(points.size());
    r_.resize(n);
    J_.resize(n, problem_.start.size());
    predicted_.resize(n);
    for (int i = 0; i < n; ++i) {
      FitPoint& point = points[i];
      const FitColumn& column = problem_.experiments[point.experiment].columns[point.column];
      const Prediction& p = predictions[point.experiment];
      point.t = p.t[point.row];
      double value = p.t[point.row];
      Eigen::RowVectorXd slope = p.time_by_parameters.row(point.row);
      if (column.quantity >= 0) {
        value = p.values(point.row, column.quantity);
        slope = p.by_parameters[point.row].row(column.quantity);
      }
      predicted_[i] = column.scale * value + column.offset;
      r_(i) = (predicted_[i] - point.measured) / column.sigma;
      J_.row(i) = column.scale / column.sigma * slope;
    }
  }

  const FitProblem& problem_;
  VectorXd theta_, r_;
  MatrixXd J_;
  std::vector<double> predicted_;
  std::string trouble_;
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
  result.points = residuals.points;
  for (std::size_t i = 0; i < before.size(); ++i) {
    result.points[i].before = before[i];
    result.points[i].after = residuals.predicted()[i];
  }
  return result;
}

}  // namespace cartan
