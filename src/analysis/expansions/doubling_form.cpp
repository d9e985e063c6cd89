#include "analysis/expansions/doubling_form.h"

#include <cmath>

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

#include "analysis/shooting.h"
#include "analysis/tangents.h"
#include "integrate/integrator.h"

namespace cartan::analysis {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// x with the derivatives a, b, c of a curve of starts.
class CurveSystem final : public ExtendedSystem {
 public:
  CurveSystem(const System& base, StateCurvature& curvature)
      : ExtendedSystem(base, 3 * embedded_numbers(base)), curvature_(curvature) {}

  void derivative(StateView at, std::span<double> xdot, Workspace& workspace) const override {
    ++workspace.evaluations;
    const auto n = static_cast<std::size_t>(n_);
    x_.resize(n), rate_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double a = at.x[n + i], b = at.x[2 * n + i];
      x_[i] = Mixed(at.x[i], a, a, a);
      x_[i].uw = x_[i].uv = x_[i].wv = b;
      x_[i].uwv = at.x[3 * n + i];
    }
    curvature_.rates(base_view(at, workspace), x_, -1, rate_);
    for (std::size_t i = 0; i < n; ++i) {
      xdot[i] = rate_[i].a;
      xdot[n + i] = rate_[i].u;
      xdot[2 * n + i] = rate_[i].uw;
      xdot[3 * n + i] = rate_[i].uwv;
    }
  }
  // Only explicit methods integrate it.
  void jacobian(StateView, Eigen::Ref<Matrix> J, Workspace&) const override { J.setZero(); }
  int constraint_count() const override { return 0; }
  bool constrained() const override { return false; }

 private:
  std::string name_more(int j) const override {
    return "derivative of order " + std::to_string(1 + j / n_) + " of " +
           base_.component_name(j % n_);
  }

  StateCurvature& curvature_;
  mutable std::vector<Mixed> x_, rate_;
};

class Doubling {
 public:
  Doubling(const System& system, const State& start, double period, bool driven,
           StateCurvature& curvature, const FlowOptions& options)
      : system_(system),
        start_(start),
        period_(period),
        driven_(driven),
        options_(options),
        workspace_(system.make_workspace()),
        bend_(system, start, curvature, *workspace_),
        curves_(system, curvature) {}

  NormalForm run() {
    NormalForm form;
    form.kind = "period-doubling";
    form.problem = find_transition();
    if (!form.problem.empty()) return form;
    form.problem = find_critical();
    if (!form.problem.empty()) return form;
    const Vector n2 = bend_.second(q_, q_), none = Vector::Zero(q_.size());
    Vector b, c;
    form.problem = carry(n2, none, b, c);
    if (!form.problem.empty()) return form;
    Vector h;
    double d = 0;
    form.problem = close_curve(inverse_ * b, h, d);
    if (!form.problem.empty()) return form;
    h = Z_ * h + n2;
    form.problem = carry(h, bend_.third(q_, q_, q_) + 3 * bend_.second(q_, h), b, c);
    if (!form.problem.empty()) return form;
    Matrix J(system_.space().size(), system_.space().size());
    system_.jacobian(start_, J, *workspace_);
    const Eigen::Index n = q_.size();
    form.coefficient = left_.dot(inverse_ * (c - 3 * d * (J.topLeftCorner(n, n) * q_))) / 6;
    return form;
  }

 private:
  // M on the allowed directions.
  std::string find_transition() {
    if (static_cast<int>(start_.mode.size()) > system_.turn_entries())
      return "the equations switch along the orbit: they have no third derivatives there";
    ShootingProblem problem;
    const Matrix B = node_directions(system_, problem, {start_}, *workspace_)[0];
    Z_ = tangent_map(system_, start_.x) * B;
    inverse_ = Z_.completeOrthogonalDecomposition().pseudoInverse();
    Flow flow(system_, static_cast<int>(B.cols()), {}, options_);
    flow.start(start_, B);
    if (std::string problem_of_flow = flow.advance(start_.t + period_); !problem_of_flow.empty())
      return problem_of_flow;
    if (flow.jumps() > 0) return "the orbit jumps: it has no third derivatives there";
    M_ = B.transpose() * flow.columns();
    return "";
  }

  std::string find_critical() {
    const auto nearest = [](const Matrix& map) {
      const Eigen::EigenSolver<Matrix> solver(map);
      Eigen::Index best = 0;
      (solver.eigenvalues().array() + 1.0).abs().minCoeff(&best);
      return Vector(solver.eigenvectors().col(best).real());
    };
    Vector right = nearest(M_);
    left_ = nearest(M_.transpose());
    if (!((M_ * right + right).norm() <= 1e-4 * right.norm()))
      return "no multiplier is -1 once around";
    right.normalize();  // B is orthonormal: tangent numbers
    left_ /= left_.dot(right);
    q_ = Z_ * right;
    return "";
  }

  // Derivatives b, c after the period of a curve with derivatives q, b0, c0.
  std::string carry(const Vector& b0, const Vector& c0, Vector& b, Vector& c) {
    const Eigen::Index n = q_.size();
    IntegratorOptions choice;
    choice.tolerance = options_.tolerance;
    const auto integrator = find_integrator("dop853")->make(curves_, choice);
    State at = curves_.inside(start_);
    Eigen::Map<Vector> x(at.x.data(), static_cast<Eigen::Index>(at.x.size()));
    x.segment(n, n) = q_;
    x.segment(2 * n, n) = b0;
    x.segment(3 * n, n) = c0;
    const double end = start_.t + period_;
    for (long step = 0; at.t < end; ++step) {
      if (options_.stop_requested && *options_.stop_requested) return "interrupted";
      if (step == options_.most_steps ||
          integrator->step(at, end - at.t, end).status != StepStatus::ok)
        return "the derivatives of the flow could not be carried around the orbit";
    }
    b = x.segment(2 * n, n);
    c = x.segment(3 * n, n);
    return "";
  }

  std::string close_curve(const Vector& bent, Vector& h, double& d) const {
    const Eigen::Index m = M_.rows(), more = driven_ ? 0 : 1;
    Matrix K = Matrix::Zero(m + more, m + more);
    K.topLeftCorner(m, m) = M_ - Matrix::Identity(m, m);
    Vector right = Vector::Zero(m + more);
    right.head(m) = -bent;
    if (!driven_) {
      Vector rate(system_.space().size());
      system_.derivative(start_, {rate.data(), static_cast<std::size_t>(rate.size())}, *workspace_);
      const Vector f = inverse_ * rate.head(q_.size());
      K.col(m).head(m) = f;
      K.row(m).head(m) = f.transpose();
    }
    const Eigen::JacobiSVD<Matrix> svd(K, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const Vector& sizes = svd.singularValues();
    if (sizes[sizes.size() - 1] <= 1e-9 * sizes[0])
      return "orbits come in families there (symmetries or conserved quantities)";
    const Vector solution = svd.solve(right);
    h = solution.head(m);
    d = driven_ ? 0 : solution[m];
    return "";
  }

  const System& system_;
  const State start_;
  const double period_;
  const bool driven_;
  const FlowOptions options_;
  const std::unique_ptr<Workspace> workspace_;
  const ManifoldBend bend_;
  const CurveSystem curves_;
  Matrix Z_, inverse_, M_;
  Vector q_, left_;
};

}  // namespace

NormalForm calc_doubling_form(const System& system, const State& start, double period, bool driven,
                              StateCurvature& curvature, const FlowOptions& options) {
  return Doubling(system, start, period, driven, curvature, options).run();
}

}  // namespace cartan::analysis
