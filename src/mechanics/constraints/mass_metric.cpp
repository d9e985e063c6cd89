#include "mechanics/constraints/mass_metric.h"

#include <algorithm>
#include <cmath>

#include "mechanics/constraints/constraint_rows.h"
#include "mechanics/machine/kinematics.h"
#include "mechanics/tree/composite_body.h"

namespace cartan::mechanics {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MassMetric::MassMetric(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws)
    : MassMetric(mechanism, ws, std::vector<int>(mechanism.links.size(), 0)) {}

MassMetric::MassMetric(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws,
                       const std::vector<int>& group)
    : link_of_(mechanism.nv) {
  fill_columns(mechanism, ws);
  phi_ = ws.phi;
  psi_ = ws.psi;
  const int n = static_cast<int>(mechanism.links.size());
  const auto body_at = [&](int i) {
    const LinkState<double>& x = ws.links[i];
    return Body{x.A, x.f, x.D.xx};
  };
  for (int i = 0; i < n; ++i) {
    const Link<double>& link = mechanism.links[i];
    const bool cut = link.parent == world || group[link.parent] != group[i];
    links_.push_back({link.parent, link.v0, link.nv, cut ? world : link.parent, ws.links[i].r});
    for (int j = link.v0; j < link.v0 + link.nv; ++j) link_of_[j] = i;
    start_composite(link, ws.links[i]);
    own_.push_back(body_at(i));
  }
  for (int i = n - 1; i >= 0; --i)
    if (links_[i].inward != world) add_composite(ws.links[i], ws.links[links_[i].inward]);
  for (int i = 0; i < n; ++i) composite_.push_back(body_at(i));
  diagonal_.resize(mechanism.nv);
  for (int j = 0; j < mechanism.nv; ++j)
    diagonal_[j] = along(j, calc_wrench(composite_[link_of_[j]], phi_[j], psi_[j]));
  added_ = Eigen::Map<const VectorXd>(mechanism.rotor.data(), mechanism.nv);
  add_rotors(mechanism, ws);
  const double largest = size() > 0 ? (diagonal_ + added_).maxCoeff() : 1;
  added_.array() += largest > 0 ? 1e-12 * largest : 1;
  diagonal_ += added_;
}

// Rows of the loop joints' speeds, each times the root of its rotor's inertia.
void MassMetric::add_rotors(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws) {
  rotors_.resize(0, mechanism.nv);
  if (mechanism.loop_rotors.empty()) return;
  std::vector<int> speeds;
  VectorXd root(mechanism.loop_rotors.size());
  for (const LoopRotor<double>& rotor : mechanism.loop_rotors) {
    root[static_cast<Eigen::Index>(speeds.size())] = std::sqrt(rotor.inertia);
    speeds.push_back(mechanism.loops[rotor.loop].shape.v0 + rotor.component);
  }
  rotors_ = root.asDiagonal() * select_rows(calc_loop_rows(mechanism, ws), speeds);
  for (Eigen::Index k = 0; k < rotors_.rows(); ++k)
    for (SparseMatrix::InnerIterator entry(rotors_, k); entry; ++entry)
      diagonal_[entry.col()] += entry.value() * entry.value();
}

// n = J dw + mc x du,  f = m du + dw x mc
MassMetric::Wrench MassMetric::calc_wrench(const Body& body, const Vec3<double>& turn,
                                           const Vec3<double>& slide) {
  return {body.J * turn + cross(body.mc, slide), body.mass * slide + cross(turn, body.mc)};
}

double MassMetric::along(int speed, const Wrench& w) const {
  return dot(phi_[speed], w.n) + dot(psi_[speed], w.f);
}

// M_ij = S_i^T I_c S_j, I_c of the outer of the two: its wrench is carried inward to the others.
MatrixXd MassMetric::part(const std::vector<int>& speeds) const {
  const auto count = static_cast<Eigen::Index>(speeds.size());
  MatrixXd M = MatrixXd::Zero(count, count);
  std::vector<int> links;  // of `speeds`, each once
  int innermost = size();
  for (const int j : speeds) innermost = std::min(innermost, link_of_[j]);
  const auto place_of = [&](int speed) {
    const auto at = std::lower_bound(speeds.begin(), speeds.end(), speed);
    return at != speeds.end() && *at == speed ? at - speeds.begin() : -1;
  };
  for (Eigen::Index k = 0; k < count; ++k) {
    int i = link_of_[speeds[k]];
    Wrench w = calc_wrench(composite_[i], phi_[speeds[k]], psi_[speeds[k]]);
    for (; i != world && i >= innermost; i = links_[i].inward) {
      for (int j = links_[i].v0; j < links_[i].v0 + links_[i].nv; ++j)
        if (const Eigen::Index l = place_of(j); l >= 0) M(l, k) = M(k, l) = along(j, w);
      w.n += cross(links_[i].r, w.f);
    }
  }
  for (Eigen::Index k = 0; k < count; ++k) M(k, k) += added_[speeds[k]];
  for (Eigen::Index r = 0; r < rotors_.rows(); ++r)
    for (SparseMatrix::InnerIterator a(rotors_, r); a; ++a)
      for (SparseMatrix::InnerIterator b(rotors_, r); b; ++b) {
        const Eigen::Index k = place_of(static_cast<int>(a.col()));
        const Eigen::Index l = place_of(static_cast<int>(b.col()));
        if (k >= 0 && l >= 0) M(k, l) += a.value() * b.value();
      }
  return M;
}

// Accelerations outward, wrenches inward.
VectorXd MassMetric::times(const VectorXd& x) const {
  const int n = static_cast<int>(links_.size());
  std::vector<Vec3<double>> turn(n), slide(n);
  std::vector<Wrench> w(n);
  for (int i = 0; i < n; ++i) {
    const Place& at = links_[i];
    if (at.parent != world) {
      turn[i] = turn[at.parent];
      slide[i] = slide[at.parent] + cross(turn[at.parent], at.r);
    }
    for (int j = at.v0; j < at.v0 + at.nv; ++j) {
      turn[i] += x[j] * phi_[j];
      slide[i] += x[j] * psi_[j];
    }
    w[i] = calc_wrench(own_[i], turn[i], slide[i]);
  }
  VectorXd y(size());
  for (int i = n - 1; i >= 0; --i) {
    const Place& at = links_[i];
    for (int j = at.v0; j < at.v0 + at.nv; ++j) y[j] = along(j, w[i]);
    if (at.parent == world) continue;
    w[at.parent].n += w[i].n + cross(at.r, w[i].f);
    w[at.parent].f += w[i].f;
  }
  return y + added_.cwiseProduct(x) + rotors_.transpose() * (rotors_ * x);
}

}  // namespace cartan::mechanics
