#include "integrate/step_mesh.h"

#include <algorithm>
#include <cmath>

namespace cartan::integrate {
namespace {

constexpr std::size_t most_nodes = 1 << 20;
constexpr double beyond_change = 5e-4;  // part of the step
constexpr double rest_of_step = 0.5;    // a smaller part that is left of one goes with the next

}  // namespace

void StepMesh::add(double begin, double end, bool cut, double error, double whole) {
  if (nodes_.empty()) nodes_.push_back({begin, 0, 0});
  if (nodes_.size() >= most_nodes) whole_ = false;
  if (!whole_) return;
  if (end > nodes_.back().t) nodes_.push_back({end, error, whole});
  if (cut) changes_.push_back(nodes_.size() - 1);
}

std::size_t StepMesh::end_of_stretch(std::size_t node) const {
  const auto change = std::lower_bound(changes_.begin(), changes_.end(), node);
  return change == changes_.end() ? nodes_.size() - 1 : *change;
}

double StepMesh::end_of_step(double t, int together) const {
  const auto after = std::upper_bound(nodes_.begin(), nodes_.end(), t,
                                      [](double at, const Node& node) { return at < node.t; });
  std::size_t node = static_cast<std::size_t>(after - nodes_.begin());
  if (node >= nodes_.size()) return t + nodes_.back().whole;  // what ended the run comes later
  if (node > 0 && node + 1 < nodes_.size() &&
      nodes_[node].t - t < rest_of_step * (nodes_[node].t - nodes_[node - 1].t))
    ++node;
  const std::size_t last = end_of_stretch(node), group = static_cast<std::size_t>(together);
  const std::size_t rest = (last - node + 1) % group;
  node += (rest > 0 ? rest : group) - 1;
  const double end = nodes_[node].t;
  const bool changes = std::binary_search(changes_.begin(), changes_.end(), node);
  return changes ? end + beyond_change * (end - t) : end;
}

double StepMesh::calc_growth(int together, int order) const {
  double all = 0, grown = 0;
  for (std::size_t node = 1; node < nodes_.size();) {
    const std::size_t group = static_cast<std::size_t>(together);
    const std::size_t rest = (end_of_stretch(node) - node + 1) % group;
    const std::size_t end = node + (rest > 0 ? rest : group);
    double error = 0, length = 0, powers = 0;
    for (; node < end; ++node) {
      const double h = nodes_[node].t - nodes_[node - 1].t;
      // of a step that was cut short: of what is left of it
      error += nodes_[node].error * h * std::pow(h / nodes_[node].whole, order);
      length += h;
      powers += std::pow(h / nodes_[end - 1].whole, order + 1);
    }
    all += error;
    grown += error * std::pow(length / nodes_[end - 1].whole, order + 1) / powers;
  }
  return all > 0 ? grown / all : 1;
}

}  // namespace cartan::integrate
