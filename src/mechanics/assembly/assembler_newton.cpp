// Damped Newton by blocks (assembler.h): every accepted step of a block makes its residual smaller.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "mechanics/assembly/assembler.h"
#include "mechanics/constraints/projection.h"

namespace cartan::mechanics {

using Eigen::VectorXd;

// Ends at rounding.
bool Assembler::newton(std::vector<double>& q) {
  place(q);
  gap();
  std::vector<Cell> cells = find_cells();
  const VectorXd residual_before = residual();
  for (Cell& cell : cells) measure(residual_before, cell);
  for (int iteration = 0; iteration < 200; ++iteration) {
    place(q);
    gap();
    if (!improve(calc_step(cells), cells, q)) break;
  }
  place(q);
  const bool closed = at_goal();
  note_open(cells);
  return closed;
}

// Where there is one block, the recursion moves everything (calc_step).
std::vector<Assembler::Cell> Assembler::find_cells() {
  std::vector<Cell> cells;
  for (RowBlock& block : find_row_blocks(equations().J, JoinedBy::places)) {
    cells.emplace_back();
    cells.back().at = std::move(block);
  }
  if (cells.size() == 1 && !every_row()) {
    cells[0].at.columns.resize(mechanism_.nv);
    std::iota(cells[0].at.columns.begin(), cells[0].at.columns.end(), 0);
  }
  return cells;
}

void Assembler::measure(const VectorXd& residual, Cell& cell) const {
  cell.size = residual(cell.at.rows).norm();
  cell.violation = 0;
  for (const int r : cell.at.rows)
    if (r < static_cast<int>(holonomic_.size()))
      cell.violation = std::max(cell.violation, std::fabs(residual[r]));
}

// A change d that closes the gaps to first order, at the position in ws: one block in O(n), with
// the rows chosen; several, each by itself and with its own bodies.
VectorXd Assembler::calc_step(const std::vector<Cell>& cells) {
  if (cells.size() != 1 || every_row()) {
    const ChangeEquations all = equations();
    return calc_block_change(MassMetric(mechanism_, ws_, group_links(cells)), all, -all.off);
  }
  solve_least_change(mechanism_, std::vector<double>(ws_.row_position), ws_);
  return Eigen::Map<const VectorXd>(ws_.vdot.data(), mechanism_.nv);
}

// Per link: its block; what does not move on its parent belongs to it.
std::vector<int> Assembler::group_links(const std::vector<Cell>& cells) const {
  std::vector<int> of_speed(mechanism_.nv, -1), group(mechanism_.links.size(), 0);
  if (cells.size() == 1) return group;
  for (std::size_t k = 0; k < cells.size(); ++k)
    for (const int j : cells[k].at.columns) of_speed[j] = static_cast<int>(k);
  for (std::size_t i = 0; i < group.size(); ++i) {
    const Link<double>& link = mechanism_.links[i];
    group[i] = link.nv > 0 ? of_speed[link.v0] : link.parent == world ? -1 : group[link.parent];
  }
  return group;
}

// Each block along its part of d as far as that makes it better. False: none became better.
bool Assembler::improve(const VectorXd& d, std::vector<Cell>& cells, std::vector<double>& q) {
  const double target = goal();
  const auto any_tried = [&] {
    return std::any_of(cells.begin(), cells.end(), [](const Cell& cell) { return cell.tried; });
  };
  const auto moved = [&] {
    VectorXd scaled = VectorXd::Zero(d.size());
    for (const Cell& cell : cells)
      if (cell.factor > 0) scaled(cell.at.columns) = cell.factor * d(cell.at.columns);
    std::vector<double> next = q;
    step(scaled, next);
    return next;
  };
  for (Cell& cell : cells) {
    const double longest = d(cell.at.columns).lpNorm<Eigen::Infinity>();
    if (!std::isfinite(longest) || !std::isfinite(cell.size)) cell.done = true;
    cell.tried = !cell.done;
    cell.factor = cell.done ? 0 : longest > largest_turn ? largest_turn / longest : 1;
  }
  for (int halving = 0; halving < 12 && any_tried(); ++halving) {
    const std::vector<double> next = moved();
    place(next);
    gap();
    const VectorXd now = residual();
    for (Cell& cell : cells)
      if (cell.tried) judge(now, target, cell);
  }
  bool better = false;
  for (Cell& cell : cells) {
    if (cell.tried) cell.factor = 0, cell.done = true;
    better |= cell.factor > 0;
  }
  q = moved();
  return better;
}

// Of a block that is still tried.
void Assembler::judge(const VectorXd& residual, double goal, Cell& cell) const {
  Cell now = cell;
  measure(residual, now);
  if (std::isfinite(now.size) && now.size < cell.size * (1 - 1e-4 * cell.factor)) {
    cell.size = now.size;
    cell.violation = now.violation;
    cell.tried = false;
    cell.done = now.size <= 1e-3 * goal;
  } else if (cell.violation <= goal) {  // rounding
    cell.factor = 0;
    cell.tried = false;
    cell.done = true;
  } else {
    cell.factor *= 0.5;
  }
}

void Assembler::note_open(const std::vector<Cell>& cells) {
  std::fill(open_.begin(), open_.end(), 0);
  const VectorXd left = residual();
  const double target = goal();
  const int gaps = static_cast<int>(holonomic_.size());
  for (const Cell& cell : cells) {
    const bool closed = std::all_of(cell.at.rows.begin(), cell.at.rows.end(), [&](int r) {
      return r < gaps ? std::fabs(left[r]) <= target : is_reached(held_[r - gaps], left[r]);
    });
    for (const int j : cell.at.columns) open_[j] = !closed;
  }
}

bool Assembler::is_open(const Link<double>& link) const {
  return std::any_of(open_.begin() + link.v0, open_.begin() + link.v0 + link.nv,
                     [](char open) { return open != 0; });
}

}  // namespace cartan::mechanics
