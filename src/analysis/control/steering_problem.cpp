#include "analysis/control/steering_problem.h"

#include <algorithm>

namespace cartan::analysis {

SteeringMesh SteeringMesh::uniform(CollocationRule rule, int intervals) {
  SteeringMesh mesh(std::move(rule));
  for (int k = 0; k < intervals; ++k)
    mesh.intervals.push_back({0, 1.0 * k / intervals, 1.0 * (k + 1) / intervals, {}});
  return mesh;
}

int PhaseMotion::interval_at(double t) const {
  const int count = static_cast<int>(mesh.intervals.size());
  int low = 0, high = count - 1;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    (t >= interval_begin(middle) ? low : high) = t >= interval_begin(middle) ? middle : middle - 1;
  }
  return low;
}

double PhaseMotion::part_at(int k, double t) const {
  const double begin = interval_begin(k), length = interval_end(k) - begin;
  return length > 0 ? std::clamp((t - begin) / length, 0.0, 1.0) : 0;
}

Eigen::VectorXd PhaseMotion::coordinates(int k, double s) const {
  const Eigen::VectorXd w = mesh.rule.motion_weights(s);
  return w(0) * node[k] + stage[k] * w.tail(w.size() - 1);
}

Eigen::VectorXd PhaseMotion::inputs_in(int k, double s) const {
  return input[k] * mesh.rule.input_weights(s);
}

void PhaseMotion::state_at(const StateCharts& charts, double t, std::vector<double>& x) const {
  const int k = interval_at(t);
  const Eigen::VectorXd y = coordinates(k, part_at(k, t));
  x.resize(charts.size());
  charts.to_point(base[k].data(), y.data(), x);
}

Eigen::VectorXd PhaseMotion::inputs_at(double t) const {
  const int k = interval_at(t);
  return inputs_in(k, part_at(k, t));
}

double SteeringProblem::duration_guess() const {
  double sum = 0;
  for (const SteeringPhase& phase : phases) sum += phase.duration_guess;
  return sum;
}

int SteeringMotion::intervals() const {
  int sum = 0;
  for (const PhaseMotion& phase : phases) sum += phase.intervals();
  return sum;
}

int SteeringMotion::phase_at(double t) const {
  int p = 0;
  while (p + 1 < static_cast<int>(phases.size()) && t >= phases[p + 1].times.front()) ++p;
  return p;
}

}  // namespace cartan::analysis
