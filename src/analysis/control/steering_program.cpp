#include "analysis/control/steering_program.h"

#include <algorithm>
#include <cmath>

#include "core/dense.h"

namespace cartan::analysis {

using Eigen::VectorXd;

std::vector<double> junction_numbers(const SteeringJunction& junction,
                                     const SteeringMotion& motion) {
  std::vector<double> a = motion.phases[junction.from].base.back();
  const std::vector<double>& next = motion.phases[junction.to].base.front();
  a.insert(a.end(), next.begin(), next.end());
  a.insert(a.end(), junction.numbers.begin(), junction.numbers.end());
  return a;
}

// The equations are linear in P: one step of Newton's method from zero.
VectorXd solve_impulses(const SteeringJunction& junction, const std::vector<double>& a,
                        const VectorXd& y, double t) {
  const int n = static_cast<int>(y.size()), m = junction.impulses;
  if (m == 0) return VectorXd(0);
  const SmoothMap& map = *junction.map;
  VectorXd z = VectorXd::Zero(map.inputs), f(map.outputs), entries(map.slopes.size());
  z.head(n) = y;
  z(n) = t;
  map.value(z.data(), a.data(), f.data());
  map.fill_slopes(z.data(), a.data(), entries.data());
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(m, m);
  for (int e = 0; e < map.slopes.size(); ++e) {
    const int r = map.slopes.row[e] - n, c = map.slopes.column[e] - n - 1;
    if (r >= 0 && r < m && c >= 0) A(r, c) += entries[e];
  }
  const VectorXd wanted = -f.segment(n, m);
  return Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(A).solve(wanted);
}

SteeringProgram::SteeringProgram(const SteeringProblem& problem, const SteeringMotion& guess)
    : problem_(problem), guess_(guess) {
  for (std::size_t p = 0; p < problem.phases.size(); ++p) {
    Part part{std::make_unique<CollocationProgram>(problem.phases[p], guess.phases[p]), unknowns_,
              constraints_};
    unknowns_ += part.program->unknowns();
    constraints_ += part.program->constraints();
    parts_.push_back(std::move(part));
  }
  for (const SteeringJunction& junction : problem.junctions) add_junction(junction);
  for (const SteeringSpan& span : problem.spans) add_span(span);
  std::size_t inputs = 1, outputs = 1, numbers = 1;
  for (const MappedRows& rows : mapped_) {
    inputs = std::max<std::size_t>(inputs, rows.map->inputs);
    outputs = std::max<std::size_t>(outputs, rows.map->outputs);
    numbers = std::max<std::size_t>(
        {numbers, (std::size_t)rows.map->slopes.size(), (std::size_t)rows.map->curvatures.size()});
  }
  z_.resize(inputs);
  f_.resize(outputs);
  weights_.resize(outputs);
  numbers_.resize(numbers);
  add_patterns();
}

void SteeringProgram::add_junction(const SteeringJunction& junction) {
  const Part &from = parts_[junction.from], &to = parts_[junction.to];
  const int n = problem_.phases[junction.from].states;
  MappedRows rows;
  rows.map = junction.map;
  rows.a = junction_numbers(junction, guess_);
  for (int i = 0; i < n; ++i) rows.arguments.push_back(from.last_node() + i);
  rows.arguments.push_back(from.end_time());
  impulse0_.push_back(unknowns_);
  for (int i = 0; i < junction.impulses; ++i) rows.arguments.push_back(unknowns_++);
  const int outputs = junction.map->outputs;
  rows.row_of.assign(outputs, -1);
  rows.less.assign(outputs, -1);
  rows.bounds.assign(outputs, {0, 0});
  for (const int i : junction.linked) {
    rows.row_of[i] = constraints_++;
    rows.less[i] = to.first_node() + i;
  }
  const int zeros = junction.impulses + junction.closings;
  for (int r = n; r < outputs; ++r) {
    rows.row_of[r] = constraints_++;
    if (r - n >= zeros) rows.bounds[r] = junction.others[r - n - zeros];
  }
  mapped_.push_back(std::move(rows));
  if (!junction.repeats) times_.push_back({constraints_++, from.end_time(), to.begin_time()});
}

void SteeringProgram::add_span(const SteeringSpan& span) {
  const Part &last = parts_.back(), &first = parts_.front();
  const int n = problem_.phases.front().states;
  MappedRows rows;
  rows.map = span.map;
  rows.a = guess_.phases.back().base.back();
  const std::vector<double>& start = guess_.phases.front().base.front();
  rows.a.insert(rows.a.end(), start.begin(), start.end());
  rows.a.insert(rows.a.end(), span.numbers.begin(), span.numbers.end());
  for (int i = 0; i < n; ++i) rows.arguments.push_back(last.last_node() + i);
  rows.arguments.push_back(last.end_time());
  for (int i = 0; i < n; ++i) rows.arguments.push_back(first.first_node() + i);
  rows.arguments.push_back(first.begin_time());
  rows.less.assign(span.map->outputs, -1);
  rows.bounds.assign(span.map->outputs, {0, 0});
  for (int r = 0; r < span.map->outputs; ++r) rows.row_of.push_back(constraints_++);
  mapped_.push_back(std::move(rows));
}

// In the order in which jacobian and hessian write their numbers.
void SteeringProgram::add_patterns() {
  const bool second = has_hessian();
  for (const Part& part : parts_) {
    const SparsePattern& J = part.program->jacobian_pattern();
    for (int e = 0; e < J.size(); ++e)
      jacobian_.add(part.row0 + J.row[e], part.unknown0 + J.column[e]);
    const SparsePattern& H = part.program->hessian_pattern();
    for (int e = 0; second && e < H.size(); ++e)
      hessian_.add(part.unknown0 + H.row[e], part.unknown0 + H.column[e]);
  }
  for (const MappedRows& rows : mapped_) {
    const SparsePattern &J = rows.map->slopes, &H = rows.map->curvatures;
    for (int e = 0; e < J.size(); ++e)
      if (rows.row_of[J.row[e]] >= 0)
        jacobian_.add(rows.row_of[J.row[e]], rows.arguments[J.column[e]]);
    for (std::size_t r = 0; r < rows.less.size(); ++r)
      if (rows.less[r] >= 0) jacobian_.add(rows.row_of[r], rows.less[r]);
    for (int e = 0; second && e < H.size(); ++e) {
      const int a = rows.arguments[H.row[e]], b = rows.arguments[H.column[e]];
      hessian_.add(std::max(a, b), std::min(a, b));
    }
  }
  for (const TimeRow& time : times_) {
    jacobian_.add(time.row, time.from);
    jacobian_.add(time.row, time.to);
  }
}

bool SteeringProgram::has_hessian() const {
  return std::all_of(parts_.begin(), parts_.end(),
                     [](const Part& part) { return part.program->has_hessian(); }) &&
         std::all_of(mapped_.begin(), mapped_.end(),
                     [](const MappedRows& rows) { return rows.map->has_curvatures; });
}

// ------------------------------------------------------------------------------- points and bounds

VectorXd SteeringProgram::likely_impulses(std::size_t junction) const {
  const SteeringJunction& j = problem_.junctions[junction];
  if (junction < guess_.impulses.size() && guess_.impulses[junction].size() == j.impulses)
    return guess_.impulses[junction];
  const PhaseMotion& from = guess_.phases[j.from];
  return solve_impulses(j, mapped_[junction].a, from.node.back(), from.times.back());
}

VectorXd SteeringProgram::first_point() const {
  VectorXd x = VectorXd::Zero(unknowns_);
  for (const Part& part : parts_)
    x.segment(part.unknown0, part.program->unknowns()) = part.program->first_point();
  for (std::size_t j = 0; j < impulse0_.size(); ++j)
    x.segment(impulse0_[j], problem_.junctions[j].impulses) = likely_impulses(j);
  return x;
}

SteeringMotion SteeringProgram::motion_of(const VectorXd& x) const {
  SteeringMotion motion;
  for (const Part& part : parts_)
    motion.phases.push_back(
        part.program->motion_of(x.segment(part.unknown0, part.program->unknowns())));
  for (std::size_t j = 0; j < impulse0_.size(); ++j)
    motion.impulses.push_back(x.segment(impulse0_[j], problem_.junctions[j].impulses));
  return motion;
}

VectorXd SteeringProgram::input_gain(int phase, const VectorXd& x, const VectorXd& multipliers,
                                     int k, int i) {
  const Part& part = parts_[phase];
  return part.program->input_gain(x.segment(part.unknown0, part.program->unknowns()),
                                  multipliers.segment(part.row0, part.program->constraints()), k,
                                  i);
}

void SteeringProgram::fill_bounds(VectorXd& lower, VectorXd& upper, VectorXd& low,
                                  VectorXd& high) const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  lower.setConstant(-infinity);
  upper.setConstant(infinity);
  low.setZero();
  high.setZero();
  for (const Part& part : parts_) {
    const int n = part.program->unknowns(), m = part.program->constraints();
    VectorXd a(n), b(n), c(m), d(m);
    part.program->fill_bounds(a, b, c, d);
    lower.segment(part.unknown0, n) = a;
    upper.segment(part.unknown0, n) = b;
    low.segment(part.row0, m) = c;
    high.segment(part.row0, m) = d;
  }
  const double begin = problem_.phases.front().begin;
  double &least = lower(parts_.back().end_time()), &most = upper(parts_.back().end_time());
  least = std::max(least, begin + problem_.duration.low);
  most = std::min(most, begin + problem_.duration.high);
  for (const MappedRows& rows : mapped_)
    for (std::size_t r = 0; r < rows.row_of.size(); ++r)
      if (rows.row_of[r] >= 0) {
        low(rows.row_of[r]) = rows.bounds[r].low;
        high(rows.row_of[r]) = rows.bounds[r].high;
      }
}

// ------------------------------------------------------------------------------------------ values

void SteeringProgram::load_arguments(const MappedRows& rows, const double* x) {
  for (std::size_t i = 0; i < rows.arguments.size(); ++i) z_[i] = x[rows.arguments[i]];
}

bool SteeringProgram::objective(const double* x, double& f) {
  f = 0;
  for (const Part& part : parts_) {
    double more = 0;
    if (!part.program->objective(x + part.unknown0, more)) return false;
    f += more;
  }
  return true;
}

bool SteeringProgram::gradient(const double* x, double* entries) {
  std::fill_n(entries, unknowns_, 0.0);
  return std::all_of(parts_.begin(), parts_.end(), [&](const Part& part) {
    return part.program->gradient(x + part.unknown0, entries + part.unknown0);
  });
}

bool SteeringProgram::values(const double* x, double* g) {
  for (const Part& part : parts_)
    if (!part.program->values(x + part.unknown0, g + part.row0)) return false;
  bool finite = true;
  for (const MappedRows& rows : mapped_) {
    load_arguments(rows, x);
    rows.map->value(z_.data(), rows.a.data(), f_.data());
    for (std::size_t r = 0; r < rows.row_of.size(); ++r) {
      if (rows.row_of[r] < 0) continue;
      g[rows.row_of[r]] = f_[r] - (rows.less[r] >= 0 ? x[rows.less[r]] : 0);
      finite &= std::isfinite(g[rows.row_of[r]]);
    }
  }
  for (const TimeRow& time : times_) g[time.row] = x[time.from] - x[time.to];
  return finite;
}

bool SteeringProgram::jacobian(const double* x, double* entries) {
  for (const Part& part : parts_) {
    if (!part.program->jacobian(x + part.unknown0, entries)) return false;
    entries += part.program->jacobian_pattern().size();
  }
  bool finite = true;
  for (const MappedRows& rows : mapped_) {
    load_arguments(rows, x);
    rows.map->fill_slopes(z_.data(), rows.a.data(), numbers_.data());
    const SparsePattern& J = rows.map->slopes;
    for (int e = 0; e < J.size(); ++e) {
      if (rows.row_of[J.row[e]] < 0) continue;
      *entries++ = numbers_[e];
      finite &= std::isfinite(numbers_[e]);
    }
    for (const int less : rows.less)
      if (less >= 0) *entries++ = -1;
  }
  for (std::size_t k = 0; k < times_.size(); ++k) {
    *entries++ = 1;
    *entries++ = -1;
  }
  return finite;
}

bool SteeringProgram::hessian(const double* x, double factor, const double* weights,
                              double* entries) {
  for (const Part& part : parts_) {
    if (!part.program->hessian(x + part.unknown0, factor, weights + part.row0, entries))
      return false;
    entries += part.program->hessian_pattern().size();
  }
  bool finite = true;
  for (const MappedRows& rows : mapped_) {
    load_arguments(rows, x);
    for (std::size_t r = 0; r < rows.row_of.size(); ++r)
      weights_[r] = rows.row_of[r] >= 0 ? weights[rows.row_of[r]] : 0;
    rows.map->fill_curvatures(z_.data(), rows.a.data(), weights_.data(), numbers_.data());
    for (int e = 0; e < rows.map->curvatures.size(); ++e) {
      *entries++ = numbers_[e];
      finite &= std::isfinite(numbers_[e]);
    }
  }
  return finite;
}

}  // namespace cartan::analysis
