#include "analysis/control/collocation_entries.h"

#include <algorithm>
#include <cmath>

namespace cartan::analysis {

CollocationProgram::CollocationProgram(const SteeringPhase& problem, const PhaseMotion& guess)
    : problem_(problem), guess_(guess), rule_(guess.mesh.rule) {
  N_ = static_cast<int>(guess.mesh.intervals.size());
  s_ = rule_.points();
  n_ = problem.states;
  m_ = problem.inputs;
  paths_ = problem.paths;
  closures_ = problem.closures;
  stride_ = n_ + s_ * (n_ + m_) + n_;
  multipliers_ = N_ * stride_ + n_;
  thetas_ = multipliers_ + N_ * closures_;
  unknowns_ = thetas_ + guess.mesh.arcs + 1;
  rows_per_interval_ =
      s_ * n_ + 2 * n_ + closures_ + s_ * paths_ + static_cast<int>(problem.node_paths.size());
  start_row_ = N_ * rows_per_interval_;
  start_closure_row_ = start_row_ + problem.starts;
  end_row_ = start_closure_row_ + static_cast<int>(problem.start_closures.size());
  edge_row_ = end_row_ + static_cast<int>(problem.end_rows.size());
  arc_row_ = edge_row_ + 2 * static_cast<int>(problem.edge_paths.size());
  duration_row_ = arc_row_ + guess.mesh.arcs;
  constraints_ = duration_row_ + (problem.begins ? 0 : 1);
  for (const SteeringMesh::Interval& interval : guess.mesh.intervals)
    places_.push_back({interval.arc, interval.begin, interval.end - interval.begin});
  for (int k = 0; k <= N_; ++k) {
    with_base_.push_back(guess.base[k]);
    with_base_.back().insert(with_base_.back().end(), problem.numbers.begin(),
                             problem.numbers.end());
    if (k == N_) break;
    both_bases_.push_back(guess.base[k]);
    both_bases_.back().insert(both_bases_.back().end(), guess.base[k + 1].begin(),
                              guess.base[k + 1].end());
  }
  std::size_t inputs = 1, outputs = 1, slopes = 1, curvatures = 1;
  for (const SmoothMap* map :
       {problem.stage, problem.end, problem.start, problem.closure, problem.chart})
    if (map) {
      inputs = std::max<std::size_t>(inputs, map->inputs);
      outputs = std::max<std::size_t>(outputs, map->outputs);
      slopes = std::max<std::size_t>(slopes, map->slopes.size());
      curvatures = std::max<std::size_t>(curvatures, map->curvatures.size());
    }
  z_.resize(inputs);
  gain_.resize(inputs);
  f_.resize(outputs);
  weights_.resize(outputs);
  slopes_.resize(slopes);
  curvatures_.resize(curvatures);
  Entries places(jacobian_), squares(hessian_);
  walk_jacobian(nullptr, places);
  if (has_hessian()) walk_hessian(nullptr, 1, nullptr, squares);
}

bool CollocationProgram::has_hessian() const {
  for (const SmoothMap* map :
       {problem_.stage, problem_.end, problem_.start, problem_.closure, problem_.chart})
    if (map && !map->has_curvatures) return false;
  return true;
}

// ------------------------------------------------------------------------------- points and bounds

CollocationProgram::Point CollocationProgram::point(const double* x, int k, double c) const {
  const Place& place = places_[k];
  const double a = x[theta(place.arc)], b = x[theta(place.arc + 1)];
  const double sigma = place.begin + c * place.width;
  return {a + sigma * (b - a), place.width * (b - a), sigma};
}

void CollocationProgram::node_time_parts(int k, int& arc, double& part) const {
  const Place& place = places_[std::min(k, N_ - 1)];
  arc = place.arc;
  part = place.begin + (k == N_ ? place.width : 0);
}

double CollocationProgram::node_time(const double* x, int k) const {
  int arc;
  double part;
  node_time_parts(k, arc, part);
  return x[theta(arc)] + part * (x[theta(arc + 1)] - x[theta(arc)]);
}

Eigen::VectorXd CollocationProgram::first_point() const {
  Eigen::VectorXd x = Eigen::VectorXd::Zero(unknowns_);
  for (int k = 0; k <= N_; ++k) {
    x.segment(node(k), n_) = guess_.node[k];
    if (k == N_) break;
    for (int i = 0; i < s_; ++i) {
      x.segment(stage(k, i), n_) = guess_.stage[k].col(i);
      x.segment(input(k, i), m_) = guess_.input[k].col(i);
      const std::vector<double>& held = guess_.mesh.intervals[k].held;
      for (std::size_t j = 0; j < held.size(); ++j)
        if (!std::isnan(held[j])) x(input(k, i) + static_cast<int>(j)) = held[j];
    }
    x.segment(finish(k), n_) = rule_.end(0) * guess_.node[k] + guess_.stage[k] * rule_.end.tail(s_);
  }
  for (std::size_t a = 0; a < guess_.times.size(); ++a)
    x(theta(static_cast<int>(a))) = guess_.times[a];
  return x;
}

PhaseMotion CollocationProgram::motion_of(const Eigen::VectorXd& x) const {
  PhaseMotion motion = guess_;
  for (int k = 0; k <= N_; ++k) {
    motion.node[k] = x.segment(node(k), n_);
    if (k == N_) break;
    for (int i = 0; i < s_; ++i) {
      motion.stage[k].col(i) = x.segment(stage(k, i), n_);
      motion.input[k].col(i) = x.segment(input(k, i), m_);
    }
  }
  for (std::size_t a = 0; a < motion.times.size(); ++a)
    motion.times[a] = x(theta(static_cast<int>(a)));
  return motion;
}

bool CollocationProgram::is_open_at_end(int path) const {
  const std::vector<int>& open = problem_.open_at_end;
  return std::find(open.begin(), open.end(), path) != open.end();
}

bool CollocationProgram::is_edge_alone(int path) const {
  return std::any_of(
      problem_.edge_paths.begin(), problem_.edge_paths.end(),
      [&](const SteeringPhase::EdgePath& edge) { return edge.path == path && !edge.between; });
}

void CollocationProgram::fill_bounds(Eigen::VectorXd& lower, Eigen::VectorXd& upper,
                                     Eigen::VectorXd& low, Eigen::VectorXd& high) const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  lower.setConstant(-infinity);
  upper.setConstant(infinity);
  low.setZero();
  high.setZero();
  if (problem_.begins) {
    Eigen::VectorXd y0(n_);
    problem_.charts->to_coordinates(guess_.base[0].data(), problem_.start_state, y0.data());
    for (int i = 0; i < n_; ++i)
      if (problem_.start_fixed[i]) lower(node(0) + i) = upper(node(0) + i) = y0(i);
  }
  for (int k = 0; k < N_; ++k) {
    const std::vector<double>& held = guess_.mesh.intervals[k].held;
    for (int i = 0; i < s_; ++i) {
      for (int j = 0; j < m_; ++j) {
        const bool given = !held.empty() && !std::isnan(held[j]);
        lower(input(k, i) + j) = given ? held[j] : problem_.input_bounds[j].low;
        upper(input(k, i) + j) = given ? held[j] : problem_.input_bounds[j].high;
      }
      const bool at_end = k + 1 == N_ && rule_.c[i] == 1;
      for (int j = 0; j < paths_; ++j) {
        const bool left_out = (at_end && is_open_at_end(j)) || is_edge_alone(j);
        const ValueBounds bounds = left_out ? ValueBounds() : problem_.path_bounds[j];
        low(path_row(k, i) + j) = bounds.low;
        high(path_row(k, i) + j) = bounds.high;
      }
    }
  }
  for (int k = 0; k < N_; ++k)
    for (std::size_t j = 0; j < problem_.node_paths.size(); ++j) {
      const int path = problem_.node_paths[j];
      const bool left_out = k + 1 == N_ && is_open_at_end(path);
      const ValueBounds bounds = left_out ? ValueBounds() : problem_.path_bounds[path];
      low(node_path_row(k) + static_cast<int>(j)) = bounds.low;
      high(node_path_row(k) + static_cast<int>(j)) = bounds.high;
    }
  for (const bool last : {false, true})
    for (std::size_t j = 0; j < problem_.edge_paths.size(); ++j) {
      // the last of Radau's points is the end already
      const SteeringPhase::EdgePath& edge = problem_.edge_paths[j];
      const bool known = last && edge.between && rule_.kind == CollocationKind::radau;
      const bool asked = last ? edge.at_end : edge.at_start;
      const ValueBounds bounds = asked && !known ? problem_.path_bounds[edge.path] : ValueBounds();
      low(edge_row(last) + static_cast<int>(j)) = bounds.low;
      high(edge_row(last) + static_cast<int>(j)) = bounds.high;
    }
  const int arcs = guess_.mesh.arcs;
  if (problem_.begins) {
    lower(theta(0)) = upper(theta(0)) = problem_.begin;
    lower(theta(arcs)) = problem_.begin + problem_.duration.low;
    upper(theta(arcs)) = problem_.begin + problem_.duration.high;
  } else {
    low(duration_row_) = problem_.duration.low;
    high(duration_row_) = problem_.duration.high;
  }
  const double least = 1e-6 * guess_.duration();
  for (int a = 0; a < arcs; ++a) {
    low(arc_row_ + a) = least;
    high(arc_row_ + a) = infinity;
  }
}

// ------------------------------------------------------------------------------------------ values

void CollocationProgram::load_stage(const double* x, int k, int i, double t) {
  std::copy_n(x + stage(k, i), n_ + m_, z_.begin());
  z_[n_ + m_] = t;
}

void CollocationProgram::load_closure(const double* x, int k) {
  std::copy_n(x + node(k), n_, z_.begin());
  z_[n_] = node_time(x, k);
  if (k > 0)
    std::copy_n(x + multiplier(k), closures_, z_.begin() + n_ + 1);
  else
    std::fill_n(z_.begin() + n_ + 1, closures_, 0.0);
}

void CollocationProgram::load_node(const double* x, int k) {
  std::copy_n(x + node(k), n_, z_.begin());
  std::copy_n(x + input(std::min(k, N_ - 1), 0), m_, z_.begin() + n_);
  z_[n_ + m_] = node_time(x, k);
}

void CollocationProgram::load_end(const double* x) {
  std::copy_n(x + node(N_), n_, z_.begin());
  z_[n_] = x[theta(guess_.mesh.arcs)];
}

bool CollocationProgram::objective(const double* x, double& f) {
  f = 0;
  for (int k = 0; k < N_; ++k)
    for (int i = 0; i < s_; ++i) {
      const Point p = point(x, k, rule_.c[i]);
      load_stage(x, k, i, p.t);
      problem_.stage->value(z_.data(), numbers_at(k), f_.data());
      f += p.h * rule_.b[i] * f_[n_];
    }
  load_end(x);
  problem_.end->value(z_.data(), numbers_at(N_), f_.data());
  f += f_[problem_.ends];
  return std::isfinite(f);
}

bool CollocationProgram::gradient(const double* x, double* g) {
  std::fill_n(g, unknowns_, 0.0);
  const SmoothMap& map = *problem_.stage;
  for (int k = 0; k < N_; ++k)
    for (int i = 0; i < s_; ++i) {
      const Point p = point(x, k, rule_.c[i]);
      load_stage(x, k, i, p.t);
      map.value(z_.data(), numbers_at(k), f_.data());
      map.fill_slopes(z_.data(), numbers_at(k), slopes_.data());
      const double hb = p.h * rule_.b[i], wb = places_[k].width * rule_.b[i];
      double &at_a = g[theta(places_[k].arc)], &at_b = g[theta(places_[k].arc + 1)];
      at_a -= wb * f_[n_];
      at_b += wb * f_[n_];
      for (int e = 0; e < map.slopes.size(); ++e) {
        if (map.slopes.row[e] != n_) continue;
        const int column = map.slopes.column[e];
        if (column < n_ + m_) {
          g[stage(k, i) + column] += hb * slopes_[e];
        } else {
          at_a += hb * slopes_[e] * (1 - p.sigma);
          at_b += hb * slopes_[e] * p.sigma;
        }
      }
    }
  load_end(x);
  const SmoothMap& end = *problem_.end;
  end.fill_slopes(z_.data(), numbers_at(N_), slopes_.data());
  for (int e = 0; e < end.slopes.size(); ++e)
    if (end.slopes.row[e] == problem_.ends)
      g[end.slopes.column[e] < n_ ? node(N_) + end.slopes.column[e] : theta(guess_.mesh.arcs)] +=
          slopes_[e];
  return std::all_of(g, g + unknowns_, [](double v) { return std::isfinite(v); });
}

bool CollocationProgram::values(const double* x, double* g) {
  using Map = Eigen::Map<const Eigen::VectorXd>;
  for (int k = 0; k < N_; ++k) {
    Eigen::Map<Eigen::VectorXd> finished(g + finish_row(k), n_), linked(g + link_row(k), n_);
    finished = rule_.end(0) * Map(x + node(k), n_) - Map(x + finish(k), n_);
    for (int i = 0; i < s_; ++i) {
      const Point p = point(x, k, rule_.c[i]);
      load_stage(x, k, i, p.t);
      problem_.stage->value(z_.data(), numbers_at(k), f_.data());
      Eigen::Map<Eigen::VectorXd> row(g + point_row(k, i), n_);
      row = rule_.D(i, 0) * Map(x + node(k), n_) - p.h * Map(f_.data(), n_);
      for (int j = 0; j < s_; ++j) row += rule_.D(i, j + 1) * Map(x + stage(k, j), n_);
      finished += rule_.end(i + 1) * Map(x + stage(k, i), n_);
      std::copy_n(f_.begin() + n_ + 1, paths_, g + path_row(k, i));
    }
    if (problem_.chart)
      problem_.chart->value(x + finish(k), both_bases_[k].data(), linked.data());
    else
      linked = Map(x + finish(k), n_);
    linked -= Map(x + node(k + 1), n_);
    if (!problem_.node_paths.empty()) {
      load_node(x, k + 1);
      problem_.stage->value(z_.data(), numbers_at(k + 1), f_.data());
      for (std::size_t j = 0; j < problem_.node_paths.size(); ++j)
        g[node_path_row(k) + j] = f_[n_ + 1 + problem_.node_paths[j]];
    }
    if (closures_ == 0) continue;
    load_closure(x, k + 1);
    problem_.closure->value(z_.data(), numbers_at(k + 1), f_.data());
    std::copy_n(f_.begin(), closures_, g + closure_row(k));
    linked -= Map(f_.data() + closures_, n_);
  }
  if (problem_.start) {
    std::copy_n(x + node(0), n_, z_.begin());
    z_[n_] = x[theta(0)];
    problem_.start->value(z_.data(), numbers_at(0), g + start_row_);
  }
  if (!problem_.start_closures.empty()) {
    load_closure(x, 0);
    problem_.closure->value(z_.data(), numbers_at(0), f_.data());
    for (std::size_t r = 0; r < problem_.start_closures.size(); ++r)
      g[start_closure_row_ + r] = f_[problem_.start_closures[r]];
  }
  load_end(x);
  problem_.end->value(z_.data(), numbers_at(N_), f_.data());
  for (std::size_t r = 0; r < problem_.end_rows.size(); ++r)
    g[end_row_ + r] = f_[problem_.end_rows[r]];
  fill_edges(x, g);
  for (int a = 0; a < guess_.mesh.arcs; ++a) g[arc_row_ + a] = x[theta(a + 1)] - x[theta(a)];
  if (!problem_.begins) g[duration_row_] = x[end_time()] - x[begin_time()];
  return std::all_of(g, g + constraints_, [](double v) { return std::isfinite(v); });
}

bool CollocationProgram::jacobian(const double* x, double* numbers) {
  Entries entries(numbers);
  walk_jacobian(x, entries);
  return std::all_of(numbers, numbers + jacobian_.size(),
                     [](double v) { return std::isfinite(v); });
}

bool CollocationProgram::hessian(const double* x, double factor, const double* weights,
                                 double* numbers) {
  Entries entries(numbers);
  walk_hessian(x, factor, weights, entries);
  return std::all_of(numbers, numbers + hessian_.size(), [](double v) { return std::isfinite(v); });
}

}  // namespace cartan::analysis
