// Derivatives of the equations of collocation_program.h. One walk writes the places of the entries,
// or their numbers in the same order.
//
// At a point, with h = w (b - a), t = a + sigma (b - a), a and b the ends of the arc,
//   phi = h psi(y, u, t) + nu . P(y, u, t),     psi = -lambda . F + factor b_i L
// has the second derivatives  h psi_zz + nu . P_zz  by z = (y, u, t), and  psi_z  by h and z.
#include <algorithm>

#include "analysis/control/collocation_entries.h"

namespace cartan::analysis {
namespace {

int place_of(const std::vector<int>& list, int value) {
  const auto found = std::find(list.begin(), list.end(), value);
  return found == list.end() ? -1 : static_cast<int>(found - list.begin());
}

}  // namespace

// ---------------------------------------------------------------------------------------- Jacobian

void CollocationProgram::walk_point(const double* x, int k, int i, Entries& entries) {
  const SmoothMap& map = *problem_.stage;
  Point p{0, 0, 0};
  if (!entries.is_pattern()) {
    p = point(x, k, rule_.c[i]);
    load_stage(x, k, i, p.t);
    map.value(z_.data(), numbers_at(k), f_.data());
    map.fill_slopes(z_.data(), numbers_at(k), slopes_.data());
  }
  const int at_a = theta(places_[k].arc), at_b = at_a + 1;
  const double w = places_[k].width;
  for (int r = 0; r < n_; ++r) {
    const int row = point_row(k, i) + r;
    entries.put(row, node(k) + r, rule_.D(i, 0));
    for (int j = 0; j < s_; ++j) entries.put(row, stage(k, j) + r, rule_.D(i, j + 1));
    entries.put(row, at_a, w * f_[r]);
    entries.put(row, at_b, -w * f_[r]);
  }
  for (int e = 0; e < map.slopes.size(); ++e) {
    const int r = map.slopes.row[e], column = map.slopes.column[e];
    if (r == n_) continue;
    const int row = r < n_ ? point_row(k, i) + r : path_row(k, i) + r - n_ - 1;
    const double value = r < n_ ? -p.h * slopes_[e] : slopes_[e];
    if (column < n_ + m_) {
      entries.put(row, stage(k, i) + column, value);
    } else {
      entries.put(row, at_a, value * (1 - p.sigma));
      entries.put(row, at_b, value * p.sigma);
    }
  }
}

// A derivative by number `column` of (y, t, mu) at a node.
void CollocationProgram::put_node(int row, int k, int column, double value,
                                  Entries& entries) const {
  if (column < n_) return entries.put(row, node(k) + column, value);
  if (column > n_) return entries.put(row, multiplier(k) + column - n_ - 1, value);
  int arc;
  double part;
  node_time_parts(k, arc, part);
  entries.put(row, theta(arc), value * (1 - part));
  entries.put(row, theta(arc + 1), value * part);
}

void CollocationProgram::walk_link(const double* x, int k, Entries& entries) {
  for (int r = 0; r < n_; ++r) {
    entries.put(finish_row(k) + r, node(k) + r, rule_.end(0));
    for (int j = 0; j < s_; ++j) entries.put(finish_row(k) + r, stage(k, j) + r, rule_.end(j + 1));
    entries.put(finish_row(k) + r, finish(k) + r, -1);
    entries.put(link_row(k) + r, node(k + 1) + r, -1);
    if (!problem_.chart) entries.put(link_row(k) + r, finish(k) + r, 1);
  }
  if (problem_.chart) {
    const SmoothMap& map = *problem_.chart;
    if (!entries.is_pattern())
      map.fill_slopes(x + finish(k), both_bases_[k].data(), slopes_.data());
    for (int e = 0; e < map.slopes.size(); ++e)
      entries.put(link_row(k) + map.slopes.row[e], finish(k) + map.slopes.column[e], slopes_[e]);
  }
  if (closures_ == 0) return;
  const SmoothMap& map = *problem_.closure;
  if (!entries.is_pattern()) {
    load_closure(x, k + 1);
    map.fill_slopes(z_.data(), numbers_at(k + 1), slopes_.data());
  }
  for (int e = 0; e < map.slopes.size(); ++e) {
    const int r = map.slopes.row[e];
    if (r < closures_)
      put_node(closure_row(k) + r, k + 1, map.slopes.column[e], slopes_[e], entries);
    else
      put_node(link_row(k) + r - closures_, k + 1, map.slopes.column[e], -slopes_[e], entries);
  }
}

void CollocationProgram::walk_node_path(const double* x, int k, Entries& entries) {
  const SmoothMap& map = *problem_.stage;
  if (problem_.node_paths.empty()) return;
  if (!entries.is_pattern()) {
    load_node(x, k + 1);
    map.fill_slopes(z_.data(), numbers_at(k + 1), slopes_.data());
  }
  for (std::size_t j = 0; j < problem_.node_paths.size(); ++j)
    for (int e = 0; e < map.slopes.size(); ++e)
      if (map.slopes.row[e] == n_ + 1 + problem_.node_paths[j])
        put_node(node_path_row(k) + static_cast<int>(j), k + 1,
                 map.slopes.column[e] < n_ ? map.slopes.column[e] : n_, slopes_[e], entries);
}

void CollocationProgram::walk_ends(const double* x, Entries& entries) {
  const bool numbers = !entries.is_pattern();
  if (problem_.start) {
    if (numbers) {
      std::copy_n(x + node(0), n_, z_.begin());
      z_[n_] = x[theta(0)];
      problem_.start->fill_slopes(z_.data(), numbers_at(0), slopes_.data());
    }
    const SparsePattern& at = problem_.start->slopes;
    for (int e = 0; e < at.size(); ++e)
      put_node(start_row_ + at.row[e], 0, at.column[e], slopes_[e], entries);
  }
  if (!problem_.start_closures.empty()) {
    if (numbers) {
      load_closure(x, 0);
      problem_.closure->fill_slopes(z_.data(), numbers_at(0), slopes_.data());
    }
    const SparsePattern& at = problem_.closure->slopes;
    for (int e = 0; e < at.size(); ++e)
      if (const int r = place_of(problem_.start_closures, at.row[e]); r >= 0 && at.column[e] <= n_)
        put_node(start_closure_row_ + r, 0, at.column[e], slopes_[e], entries);
  }
  if (numbers) {
    load_end(x);
    problem_.end->fill_slopes(z_.data(), numbers_at(N_), slopes_.data());
  }
  const SparsePattern& at = problem_.end->slopes;
  for (int e = 0; e < at.size(); ++e) {
    const int r = place_of(problem_.end_rows, at.row[e]);
    if (r >= 0) put_node(end_row_ + r, N_, at.column[e], slopes_[e], entries);
  }
  walk_edges(x, entries);
  for (int a = 0; a < guess_.mesh.arcs; ++a) {
    entries.put(arc_row_ + a, theta(a), -1);
    entries.put(arc_row_ + a, theta(a + 1), 1);
  }
  if (!problem_.begins) {
    entries.put(duration_row_, begin_time(), -1);
    entries.put(duration_row_, end_time(), 1);
  }
}

void CollocationProgram::walk_jacobian(const double* x, Entries& entries) {
  for (int k = 0; k < N_; ++k) {
    for (int i = 0; i < s_; ++i) walk_point(x, k, i, entries);
    walk_link(x, k, entries);
    walk_node_path(x, k, entries);
  }
  walk_ends(x, entries);
}

// ----------------------------------------------------------------------------------------- Hessian

void CollocationProgram::walk_point_curvature(const double* x, int k, int i, double factor,
                                              const double* weights, Entries& entries) {
  const SmoothMap& map = *problem_.stage;
  const int n = n_, time = n_ + m_;
  Point p{0, 0, 0};
  if (!entries.is_pattern()) {
    p = point(x, k, rule_.c[i]);
    load_stage(x, k, i, p.t);
    map.fill_slopes(z_.data(), numbers_at(k), slopes_.data());
    for (int r = 0; r < n; ++r) weights_[r] = -weights[point_row(k, i) + r];
    weights_[n] = factor * rule_.b[i];
    for (int r = 0; r < paths_; ++r) weights_[n + 1 + r] = 0;
    std::fill(gain_.begin(), gain_.end(), 0.0);
    for (int e = 0; e < map.slopes.size(); ++e)
      gain_[map.slopes.column[e]] += weights_[map.slopes.row[e]] * slopes_[e];
    for (int r = 0; r <= n; ++r) weights_[r] *= p.h;
    for (int r = 0; r < paths_; ++r) weights_[n + 1 + r] = weights[path_row(k, i) + r];
    map.fill_curvatures(z_.data(), numbers_at(k), weights_.data(), curvatures_.data());
  }
  const int at_a = theta(places_[k].arc), at_b = at_a + 1;
  const double w = places_[k].width, in_a = 1 - p.sigma, in_b = p.sigma;
  const auto unknown = [&](int z) { return stage(k, i) + z; };
  for (int e = 0; e < map.curvatures.size(); ++e) {
    const int r = map.curvatures.row[e], c = map.curvatures.column[e];
    const double value = curvatures_[e];
    if (r < time) {
      entries.put_below(unknown(r), unknown(c), value);
    } else if (c < time) {
      entries.put_below(at_a, unknown(c), in_a * value);
      entries.put_below(at_b, unknown(c), in_b * value);
    } else {
      entries.put_below(at_a, at_a, in_a * in_a * value);
      entries.put_below(at_b, at_a, in_a * in_b * value);
      entries.put_below(at_b, at_b, in_b * in_b * value);
    }
  }
  for (int z = 0; z < time; ++z) {
    entries.put_below(at_a, unknown(z), -w * gain_[z]);
    entries.put_below(at_b, unknown(z), w * gain_[z]);
  }
  entries.put_below(at_a, at_a, -2 * w * in_a * gain_[time]);
  entries.put_below(at_b, at_a, w * (in_a - in_b) * gain_[time]);
  entries.put_below(at_b, at_b, 2 * w * in_b * gain_[time]);
}

void CollocationProgram::walk_node_curvature(const SmoothMap& map, const double* z, int k,
                                             const double* weights, Entries& entries) {
  if (!entries.is_pattern()) map.fill_curvatures(z, numbers_at(k), weights, curvatures_.data());
  int arc;
  double part;
  node_time_parts(k, arc, part);
  const int at_a = theta(arc), at_b = at_a + 1;
  const auto unknown = [&](int c) { return c < n_ ? node(k) + c : multiplier(k) + c - n_ - 1; };
  for (int e = 0; e < map.curvatures.size(); ++e) {
    const int r = map.curvatures.row[e], c = map.curvatures.column[e];
    const double value = curvatures_[e];
    if (k == 0 && (r > n_ || c > n_)) continue;  // there are no multipliers at the start
    if (r != n_ && c != n_) {
      entries.put_below(unknown(r), unknown(c), value);
    } else if (r == c) {
      entries.put_below(at_a, at_a, (1 - part) * (1 - part) * value);
      entries.put_below(at_b, at_a, part * (1 - part) * value);
      entries.put_below(at_b, at_b, part * part * value);
    } else {
      const int other = unknown(r == n_ ? c : r);
      entries.put_below(at_a, other, (1 - part) * value);
      entries.put_below(at_b, other, part * value);
    }
  }
}

void CollocationProgram::walk_node_path_curvature(const double* x, int k, const double* weights,
                                                  Entries& entries) {
  const SmoothMap& map = *problem_.stage;
  if (problem_.node_paths.empty()) return;
  if (!entries.is_pattern()) {
    load_node(x, k + 1);
    std::fill_n(weights_.begin(), n_ + 1 + paths_, 0.0);
    for (std::size_t j = 0; j < problem_.node_paths.size(); ++j)
      weights_[n_ + 1 + problem_.node_paths[j]] = weights[node_path_row(k) + j];
    map.fill_curvatures(z_.data(), numbers_at(k + 1), weights_.data(), curvatures_.data());
  }
  int arc;
  double part;
  node_time_parts(k + 1, arc, part);
  const int at_a = theta(arc), at_b = at_a + 1, time = n_ + m_;
  for (int e = 0; e < map.curvatures.size(); ++e) {
    const int r = map.curvatures.row[e], c = map.curvatures.column[e];
    const double value = curvatures_[e];
    if ((r >= n_ && r < time) || (c >= n_ && c < time)) continue;  // inputs: there are none in it
    if (r < n_) {
      entries.put_below(node(k + 1) + r, node(k + 1) + c, value);
    } else if (c < n_) {
      entries.put_below(at_a, node(k + 1) + c, (1 - part) * value);
      entries.put_below(at_b, node(k + 1) + c, part * value);
    } else {
      entries.put_below(at_a, at_a, (1 - part) * (1 - part) * value);
      entries.put_below(at_b, at_a, part * (1 - part) * value);
      entries.put_below(at_b, at_b, part * part * value);
    }
  }
}

void CollocationProgram::walk_hessian(const double* x, double factor, const double* weights,
                                      Entries& entries) {
  const bool numbers = !entries.is_pattern();
  const auto walk_chart = [&](const double* y, int first, const std::vector<double>& bases) {
    const SmoothMap& map = *problem_.chart;
    if (numbers) map.fill_curvatures(y, bases.data(), weights_.data(), curvatures_.data());
    for (int e = 0; e < map.curvatures.size(); ++e)
      entries.put_below(first + map.curvatures.row[e], first + map.curvatures.column[e],
                        curvatures_[e]);
  };
  for (int k = 0; k < N_; ++k) {
    for (int i = 0; i < s_; ++i) walk_point_curvature(x, k, i, factor, weights, entries);
    walk_node_path_curvature(x, k, weights, entries);
    if (problem_.chart) {
      if (numbers) std::copy_n(weights + link_row(k), n_, weights_.begin());
      walk_chart(numbers ? x + finish(k) : nullptr, finish(k), both_bases_[k]);
    }
    if (closures_ == 0) continue;
    if (numbers) {
      load_closure(x, k + 1);
      std::copy_n(weights + closure_row(k), closures_, weights_.begin());
      for (int r = 0; r < n_; ++r) weights_[closures_ + r] = -weights[link_row(k) + r];
    }
    walk_node_curvature(*problem_.closure, z_.data(), k + 1, weights_.data(), entries);
  }
  if (problem_.start) {
    if (numbers) {
      std::copy_n(x + node(0), n_, z_.begin());
      z_[n_] = x[theta(0)];
      std::copy_n(weights + start_row_, problem_.starts, weights_.begin());
    }
    walk_node_curvature(*problem_.start, z_.data(), 0, weights_.data(), entries);
  }
  if (!problem_.start_closures.empty()) {
    if (numbers) {
      load_closure(x, 0);
      std::fill_n(weights_.begin(), closures_ + n_, 0.0);
      for (std::size_t r = 0; r < problem_.start_closures.size(); ++r)
        weights_[problem_.start_closures[r]] = weights[start_closure_row_ + r];
    }
    walk_node_curvature(*problem_.closure, z_.data(), 0, weights_.data(), entries);
  }
  if (numbers) {
    load_end(x);
    std::fill_n(weights_.begin(), problem_.ends, 0.0);
    for (std::size_t r = 0; r < problem_.end_rows.size(); ++r)
      weights_[problem_.end_rows[r]] = weights[end_row_ + r];
    weights_[problem_.ends] = factor;
  }
  walk_node_curvature(*problem_.end, z_.data(), N_, weights_.data(), entries);
  walk_edge_curvatures(x, weights, entries);
}

Eigen::VectorXd CollocationProgram::input_gain(const Eigen::VectorXd& x,
                                               const Eigen::VectorXd& multipliers, int k, int i) {
  const SmoothMap& map = *problem_.stage;
  const Point p = point(x.data(), k, rule_.c[i]);
  load_stage(x.data(), k, i, p.t);
  map.fill_slopes(z_.data(), numbers_at(k), slopes_.data());
  Eigen::VectorXd gain = Eigen::VectorXd::Zero(m_);
  for (int e = 0; e < map.slopes.size(); ++e) {
    const int r = map.slopes.row[e], c = map.slopes.column[e] - n_;
    if (c < 0 || c >= m_) continue;
    gain(c) += slopes_[e] * (r < n_    ? -p.h * multipliers(point_row(k, i) + r)
                             : r == n_ ? p.h * rule_.b[i]
                                       : multipliers(path_row(k, i) + r - n_ - 1));
  }
  return gain;
}

}  // namespace cartan::analysis
