// Paths that hold at both ends of a phase, where the inputs are what their polynomials are there:
// forces of contacts that close or let go.
//
// At an end z = (y, u, t) with y the node, u = sum of w_i u_i over the points of its interval, and
// t an unknown: every number of z is a sum of unknowns times factors.
#include <algorithm>
#include <array>

#include "analysis/control/collocation_entries.h"

namespace cartan::analysis {

struct CollocationProgram::Terms {
  static constexpr int most = 16;  // points of an interval
  int count = 0;
  std::array<int, most> unknown{};
  std::array<double, most> factor{};
};

CollocationProgram::Terms CollocationProgram::edge_terms(bool last, int number) const {
  Terms terms;
  if (number >= n_ && number < n_ + m_) {
    const int k = last ? N_ - 1 : 0;
    const Eigen::VectorXd& weights = last ? rule_.input_at_end : rule_.input_at_start;
    terms.count = s_;
    for (int i = 0; i < s_; ++i) {
      terms.unknown[i] = input(k, i) + number - n_;
      terms.factor[i] = weights(i);
    }
    return terms;
  }
  terms.count = 1;
  terms.unknown[0] = number < n_ ? node(last ? N_ : 0) + number : last ? end_time() : begin_time();
  terms.factor[0] = 1;
  return terms;
}

void CollocationProgram::load_edge(const double* x, bool last) {
  for (int z = 0; z <= n_ + m_; ++z) {
    const Terms terms = edge_terms(last, z);
    z_[z] = 0;
    for (int i = 0; i < terms.count; ++i) z_[z] += terms.factor[i] * x[terms.unknown[i]];
  }
}

void CollocationProgram::fill_edges(const double* x, double* g) {
  if (problem_.edge_paths.empty()) return;
  for (const bool last : {false, true}) {
    load_edge(x, last);
    problem_.stage->value(z_.data(), numbers_at(last ? N_ : 0), f_.data());
    for (std::size_t j = 0; j < problem_.edge_paths.size(); ++j)
      g[edge_row(last) + j] = f_[n_ + 1 + problem_.edge_paths[j].path];
  }
}

void CollocationProgram::walk_edges(const double* x, Entries& entries) {
  if (problem_.edge_paths.empty()) return;
  const SmoothMap& map = *problem_.stage;
  for (const bool last : {false, true}) {
    if (!entries.is_pattern()) {
      load_edge(x, last);
      map.fill_slopes(z_.data(), numbers_at(last ? N_ : 0), slopes_.data());
    }
    for (std::size_t j = 0; j < problem_.edge_paths.size(); ++j)
      for (int e = 0; e < map.slopes.size(); ++e) {
        if (map.slopes.row[e] != n_ + 1 + problem_.edge_paths[j].path) continue;
        const Terms terms = edge_terms(last, map.slopes.column[e]);
        for (int i = 0; i < terms.count; ++i)
          entries.put(edge_row(last) + static_cast<int>(j), terms.unknown[i],
                      terms.factor[i] * slopes_[e]);
      }
  }
}

void CollocationProgram::walk_edge_curvatures(const double* x, const double* weights,
                                              Entries& entries) {
  if (problem_.edge_paths.empty()) return;
  const SmoothMap& map = *problem_.stage;
  for (const bool last : {false, true}) {
    if (!entries.is_pattern()) {
      load_edge(x, last);
      std::fill_n(weights_.begin(), n_ + 1 + paths_, 0.0);
      for (std::size_t j = 0; j < problem_.edge_paths.size(); ++j)
        weights_[n_ + 1 + problem_.edge_paths[j].path] = weights[edge_row(last) + j];
      map.fill_curvatures(z_.data(), numbers_at(last ? N_ : 0), weights_.data(),
                          curvatures_.data());
    }
    for (int e = 0; e < map.curvatures.size(); ++e) {
      const int row = map.curvatures.row[e], column = map.curvatures.column[e];
      const Terms a = edge_terms(last, row), b = edge_terms(last, column);
      for (int i = 0; i < a.count; ++i)
        for (int j = 0; j < (row == column ? i + 1 : b.count); ++j)
          entries.put_below(a.unknown[i], b.unknown[j], a.factor[i] * b.factor[j] * curvatures_[e]);
    }
  }
}

}  // namespace cartan::analysis
