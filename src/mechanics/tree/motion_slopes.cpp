#include "mechanics/tree/motion_slopes.h"

#include <algorithm>
#include <cmath>

#include "mechanics/joints/joint_motion.h"
#include "mechanics/tree/lanes_of_numbers.h"

namespace cartan::mechanics {

MotionSlopes::MotionSlopes(const Mechanism<double>& mechanism, const Mechanism<Dual4>& dual,
                           const SlopePlan& plan)
    : mechanism_(mechanism),
      plan_(plan),
      flow_(make_slope_flow(mechanism, plan)),
      nv_(plan.nv),
      ld_(flow_.columns),
      links_(mechanism, dual, plan),
      laws_(mechanism, dual, plan),
      place_of_row_(mechanism.row_count(), -1),
      sources_(plan.links.size()),
      any_law_(!plan.laws.empty() || !mechanism.terms.empty()) {
  const std::size_t rows = mechanism.contact_row0, ld = ld_;
  W_.assign(nv_ * ld, 0.0);
  inward_.assign(6 * ld * flow_.up_slots, 0.0);
  outward_.assign(6 * ld * flow_.down_slots, 0.0);
  nothing_.assign(6 * ld, 0.0);
  o_.assign(3 * ld, 0.0);
  staged_.assign(6 * ld * flow_.staged_count, 0.0);
  scalars_.assign(plan.scalars() * ld, 0.0);
  row_slopes_.assign(rows * ld, 0.0);
  G_.assign(rows * rows, 0.0);
  active_.reserve(rows);
  conditions_.assign(plan.links.size() + 3, 1.0);
  for (std::size_t s = 0; s < mechanism.contact_source0; ++s)
    if (mechanism.sources[s].link != world)
      sources_[plan.position[mechanism.sources[s].link]].push_back(static_cast<int>(s));
}

void MotionSlopes::begin(const MotionWorkspace<double>& ws, bool with_rows) {
  ws_ = &ws;
  active_.clear();
  const int* active = ws.mode.data() + mechanism_.mode_count;
  for (int r = 0; r < mechanism_.contact_row0; ++r) {
    const bool counts = with_rows && active[r] != 0 && mechanism_.rows[r].driven_speed < 0;
    place_of_row_[r] = counts ? static_cast<int>(active_.size()) : -1;
    if (counts) active_.push_back(r);
  }
  for (std::vector<double>* numbers : {&W_, &inward_, &staged_, &scalars_, &row_slopes_})
    std::fill(numbers->begin(), numbers->end(), 0.0);
}

void MotionSlopes::fill(const MotionWorkspace<double>& ws, MotionWorkspace<Dual4>& dual) {
  begin(ws, true);
  links_.fill(ws, LinkSlopes::Held::as_it_is);
  if (any_law_) add_laws(ws, dual);
  solve_columns();
  if (!active_.empty()) solve_multipliers(static_cast<int>(active_.size()));
  take_held_rows(ws);
}

void MotionSlopes::fill_forces(const MotionWorkspace<double>& ws, MotionWorkspace<Dual4>& dual) {
  begin(ws, false);
  links_.fill(ws, LinkSlopes::Held::all);
  if (any_law_) add_laws(ws, dual);
  solve_columns();
}

// A wrench that acts, taken from what the link needs.
void MotionSlopes::add_wrench(int link, int column, const Vec3<double>& n, const Vec3<double>& f) {
  if (link == world) return;
  const int lane = column % lanes::width;
  double* to = staged(link) + 6 * (column - lane) + lane;
  for (int k = 0; k < 3; ++k) {
    to[k * lanes::width] -= n[k];
    to[(3 + k) * lanes::width] -= f[k];
  }
}

// Unit multipliers.
void MotionSlopes::stage_rows(const MotionWorkspace<double>& ws) {
  for (const LocalLaw& law : plan_.laws)
    for (int r = law.row0; r < law.row0 + law.rows; ++r) {
      if (place_of_row_[r] < 0) continue;
      const std::size_t s = law.source0 + 2 * static_cast<std::size_t>(r - law.row0);
      for (const std::size_t side : {s, s + 1})
        add_wrench(mechanism_.sources[side].link, plan_.columns() + r, ws.source_n[side],
                   ws.source_f[side]);
    }
  for (const RowTerm<double>& term : mechanism_.terms)
    if (place_of_row_[term.row] >= 0)
      add_force(plan_.place[mechanism_.links[term.link].v0 + term.component],
                plan_.columns() + term.row, term.factor);
}

void MotionSlopes::add_laws(const MotionWorkspace<double>& ws, MotionWorkspace<Dual4>& dual) {
  if (!active_.empty()) stage_rows(ws);
  laws_.fill(ws, dual, links_, place_of_row_, *this);
}

std::span<const double> MotionSlopes::conditions() {
  double* to = conditions_.data();
  double speed = 1e-6, acceleration = 1e-6;
  for (std::size_t d = 0; d < plan_.links.size(); ++d) {
    *to++ = links_.mobility(static_cast<int>(d));
    const SlopeBody& b = links_.body(static_cast<int>(d));
    const LinkState<double>& x = ws_->links[plan_.links[d].link];
    speed = std::max({speed, norm2(b.w), norm2(b.u)});
    acceleration = std::max({acceleration, norm2(x.dw), norm2(x.du)});
  }
  *to++ = std::sqrt(speed);
  *to++ = std::sqrt(acceleration);
  *to = taken_back_;
  return conditions_;
}

// Displacements from embedded numbers: d = 2 vec(u^-1 du) / |u|^2 for quaternions, R^T dp for
// places behind them.
void MotionSlopes::write(const MotionWorkspace<double>& ws, Eigen::Ref<Eigen::MatrixXd> J) const {
  const int nq = mechanism_.nq, scalars = plan_.scalars();
  const Eigen::Index stride = J.outerStride();
  double* const to = J.data() + nq;
  // put(row of J below positions, derivatives by all columns)
  const auto for_each_row = [&](auto&& put_row) {
    for (int p = 0; p < nv_; ++p) put_row(plan_.speed[p], row(p));
    for (int s = 0; s < scalars; ++s)
      put_row(nv_ + s, scalars_.data() + static_cast<std::size_t>(s) * ld_);
  };
  // `count` columns one after the other
  const auto copy = [&](int column, int from, int count) {
    for (; count >= 4; count -= 4, column += 4, from += 4) {
      double* const at = to + column * stride;
      for_each_row([&](int i, const double* by) {
        for (int k = 0; k < 4; ++k) at[k * stride + i] = by[from + k];
      });
    }
    for (; count > 0; --count, ++column, ++from) {
      double* const at = to + column * stride;
      for_each_row([&](int i, const double* by) { at[i] = by[from]; });
    }
  };
  for (int p = 0; p < nv_;) {  // speeds and places that follow each other alike
    int count = 1;
    while (p + count < nv_ && plan_.speed[p + count] == plan_.speed[p] + count) ++count;
    copy(nq + plan_.speed[p], plan_.by_v() + p, count);
    p += count;
  }
  for (std::size_t d = 0; d < plan_.links.size();) {
    const SlopeLink& at = plan_.links[d++];
    const Link<double>& link = mechanism_.links[at.link];
    if (!has_quaternion(link)) {
      int count = at.nv;
      for (; d < plan_.links.size(); ++d) {
        const Link<double>& next = mechanism_.links[plan_.links[d].link];
        if (has_quaternion(next) || next.q0 != link.q0 + count) break;
        count += next.nv;
      }
      copy(link.q0, at.p0, count);
      continue;
    }
    const double* q = ws.q + link.q0;
    const Quat<double> u = quaternion_at(q);
    const double scale = 2 / norm2(u);
    const Vec3<double> v = u.vector();
    double* const column = to + link.q0 * stride;
    for_each_row([&](int i, const double* by) {
      // g . (w dv - dw v - v x dv)
      const Vec3<double> g = scale * Vec3<double>{by[at.p0], by[at.p0 + 1], by[at.p0 + 2]};
      const Vec3<double> rest = u.w * g - cross(g, v);
      column[i] = -dot(g, v);
      column[stride + i] = rest.x;
      column[2 * stride + i] = rest.y;
      column[3 * stride + i] = rest.z;
    });
    const auto radial = std::find(plan_.radial.begin(), plan_.radial.end(), at.link);
    if (radial != plan_.radial.end()) {
      const int length = plan_.by_radius() + static_cast<int>(radial - plan_.radial.begin());
      for_each_row([&](int i, const double* by) {
        for (int k = 0; k < 4; ++k) column[k * stride + i] += by[length] * q[k] * 0.5 * scale;
      });
    }
    if (!has_place(link)) continue;
    const Mat3<double> R = rotation_matrix(u);
    for_each_row([&](int i, const double* by) {
      const Vec3<double> slide = R * Vec3<double>{by[at.p0 + 3], by[at.p0 + 4], by[at.p0 + 5]};
      for (int k = 0; k < 3; ++k) column[(4 + k) * stride + i] = slide[k];
    });
  }
  copy(nq + nv_, plan_.by_z(), plan_.nz);
}

}  // namespace cartan::mechanics
