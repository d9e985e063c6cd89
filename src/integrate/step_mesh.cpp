#include "integrate/step_mesh.h"

#include <algorithm>

namespace cartan::integrate {
namespace {

constexpr std::size_t most_nodes = 1 << 20;
constexpr double beyond_change = 5e-4;  // part of the step
constexpr double rest_of_step = 0.5;    // a smaller part that is left of one goes with the next

}  // namespace

void StepMesh::add(double begin, double end, bool cut) {
  if (nodes_.empty()) nodes_.push_back({begin, true});
  if (nodes_.size() >= most_nodes) whole_ = false;
  if (whole_ && end > nodes_.back().t)
    nodes_.push_back({end, cut});
  else if (cut)
    nodes_.back().changes = true;
}

double StepMesh::end_of_step(double t, int together) const {
  auto node = std::upper_bound(nodes_.begin(), nodes_.end(), t,
                               [](double at, const Node& n) { return at < n.t; });
  if (node == nodes_.end())  // what ended the run comes later
    return t + (nodes_.back().t - nodes_[nodes_.size() - 2].t);
  if (node != nodes_.begin() && node + 1 != nodes_.end() &&
      node->t - t < rest_of_step * (node->t - (node - 1)->t))
    ++node;
  for (int k = 1; k < together && !node->changes && node + 1 != nodes_.end(); ++k) ++node;
  return node->changes && node + 1 != nodes_.end() ? node->t + beyond_change * (node->t - t)
                                                   : node->t;
}

}  // namespace cartan::integrate
