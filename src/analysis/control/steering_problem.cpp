#include "analysis/control/steering_problem.h"

#include <algorithm>

namespace cartan::analysis {

SteeringMesh SteeringMesh::uniform(CollocationRule rule, int intervals) {
  SteeringMesh mesh(std::move(rule));
  for (int k = 0; k < intervals; ++k)
    mesh.intervals.push_back({0, 1.0 * k / intervals, 1.0 * (k + 1) / intervals, {}});
  return mesh;
}

int SteeringMotion::interval_at(double t) const {
  const int count = static_cast<int>(mesh.intervals.size());
  int low = 0, high = count - 1;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    (t >= interval_begin(middle) ? low : high) = t >= interval_begin(middle) ? middle : middle - 1;
  }
  return low;
}

double SteeringMotion::part_at(int k, double t) const {
  const double begin = interval_begin(k), length = interval_end(k) - begin;
  return length > 0 ? std::clamp((t - begin) / length, 0.0, 1.0) : 0;
}

Eigen::VectorXd SteeringMotion::coordinates(int k, double s) const {
  const Eigen::VectorXd w = mesh.rule.motion_weights(s);
  return w(0) * node[k] + stage[k] * w.tail(w.size() - 1);
}

Eigen::VectorXd SteeringMotion::inputs_in(int k, double s) const {
  return input[k] * mesh.rule.input_weights(s);
}

void SteeringMotion::state_at(const StateCharts& charts, double t, std::vector<double>& x) const {
  const int k = interval_at(t);
  const Eigen::VectorXd y = coordinates(k, part_at(k, t));
  x.resize(charts.size());
  charts.to_point(base[k].data(), y.data(), x);
}

Eigen::VectorXd SteeringMotion::inputs_at(double t) const {
  const int k = interval_at(t);
  return inputs_in(k, part_at(k, t));
}

}  // namespace cartan::analysis
