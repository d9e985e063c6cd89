#include "mechanics/tree/motion_slopes.h"

#include <algorithm>
#include <cmath>

#include "mechanics/joints/joint_motion.h"
#include "mechanics/tree/slopes/slope_columns.h"

namespace cartan::mechanics {

namespace {

void clear_numbers(double* to, int count) {
  int k = 0;
  for (; k + lanes::width <= count; k += lanes::width) lanes::put(to + k, lanes::Lanes{});
  for (; k < count; ++k) to[k] = 0;
}

}  // namespace

MotionSlopes::MotionSlopes(const Mechanism<double>& mechanism, const Mechanism<Dual4>& dual,
                           const SlopePlan& plan)
    : mechanism_(mechanism),
      plan_(plan),
      flow_(make_slope_flow(mechanism, plan)),
      nv_(plan.nv),
      ld_(flow_.columns),
      links_(mechanism, dual, plan),
      laws_(mechanism, dual, plan),
      answered_(mechanism.rows.empty() ? 0 : plan.links.size(), 0.0),
      counts_(mechanism.row_count(), -1),
      any_law_(!plan.laws.empty()) {
  const std::size_t rows = mechanism.contact_row0, ld = ld_;
  W_.assign(lanes::round_up(nv_ + plan.scalars()) * ld, 0.0);
  set_columns_of_J();
  for (const Link<double>& link : mechanism.links)
    simple_ &= link.motion == Motion::rotation1 || link.motion == Motion::free6 ||
               (link.motion == Motion::rotation3 && !link.geared);
  simple_ &= plan.scalars() == 0 && !any_law_ && mechanism.rows.empty();
  inward_.assign(6 * ld * flow_.up_slots, 0.0);
  outward_.assign(9 * ld * flow_.down_slots, 0.0);
  nothing_.assign(9 * ld, 0.0);
  staged_.assign(6 * ld * flow_.staged_count, 0.0);
  row_slopes_.assign(rows * ld, 0.0);
}

// Where columns go: those of quaternions to places aside, counted from -1 down.
void MotionSlopes::set_columns_of_J() {
  const int nq = mechanism_.nq;
  int aside = 0;
  column_of_J_.assign(plan_.columns(), 0);
  for (const SlopeLink& at : plan_.links) {
    const Link<double>& link = mechanism_.links[at.link];
    for (int k = 0; k < at.nv; ++k) {
      column_of_J_[SlopePlan::by_q(at.p0 + k)] = has_quaternion(link) ? --aside : link.q0 + k;
      column_of_J_[SlopePlan::by_v(at.p0 + k)] = nq + link.v0 + k;
    }
  }
  for (int z = 0; z < plan_.nz; ++z) column_of_J_[plan_.by_z() + z] = nq + nv_ + z;
  for (std::size_t k = 0; k < plan_.radial.size(); ++k)
    column_of_J_[plan_.by_radius() + k] = --aside;
  aside_.assign(static_cast<std::size_t>(-aside) * lanes::round_up(nv_ + plan_.scalars()), 0.0);
  for (int p = 0; p < nv_; ++p) in_order_ &= plan_.speed[p] == p;
}

void MotionSlopes::begin(const MotionWorkspace<double>& ws, bool with_rows) {
  ws_ = &ws;
  closed_ = with_rows && !mechanism_.rows.empty();
  const int* active = ws.mode.data() + mechanism_.mode_count;
  for (int r = 0; r < mechanism_.contact_row0; ++r)
    counts_[r] = closed_ && active[r] != 0 && mechanism_.rows[r].driven_speed < 0 ? 0 : -1;
  if (closed_) {
    front_rows_.resize(ws.fronts.g.size() * ld_);
    scaled_.reserve(std::max<std::size_t>(6, mechanism_.row_count()));
    pushes_.resize(mechanism_.row_count());
  }
  for (std::vector<double>* numbers : {&inward_, &staged_, &row_slopes_, &front_rows_})
    std::fill(numbers->begin(), numbers->end(), 0.0);
  if (!simple_ || !with_rows || ws.any_locked) std::fill(W_.begin(), W_.end(), 0.0);
}

void MotionSlopes::fill(const MotionWorkspace<double>& ws, MotionWorkspace<Dual4>& dual) {
  begin(ws, true);
  links_.fill(ws, LinkSlopes::Held::as_it_is);
  if (any_law_) laws_.fill(ws, dual, links_, counts_, *this);
  solve_columns();
  take_held_rows(ws);
}

void MotionSlopes::fill_forces(const MotionWorkspace<double>& ws, MotionWorkspace<Dual4>& dual) {
  begin(ws, false);
  links_.fill(ws, LinkSlopes::Held::all);
  if (any_law_) laws_.fill(ws, dual, links_, counts_, *this);
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

// Eight columns at a time, which go straight to J, or aside where quaternions make other numbers of
// them. Above the rows written here J is zero.
void MotionSlopes::write(const MotionWorkspace<double>& ws, Eigen::Ref<Eigen::MatrixXd> J) const {
  using namespace lanes;
  const int rows = nv_ + plan_.scalars(), nq = mechanism_.nq, high = round_up(rows);
  const Eigen::Index stride = J.outerStride();
  for (int c = 0; c < plan_.columns(); c += width) {
    double* to[width];
    for (int k = 0; k < width; ++k) {
      to[k] = nullptr;
      if (c + k >= plan_.columns()) continue;
      const int column = column_of_J_[c + k];
      to[k] = column < 0 ? aside_.data() + static_cast<std::size_t>(-1 - column) * high
                         : J.data() + column * stride;
      if (column < 0) continue;
      clear_numbers(to[k], nq);
      to[k] += nq;
    }
    for (int first = 0; first < rows; first += width) {
      Lanes block[width];
      for (int k = 0; k < width; ++k) block[k] = load(row(first + k) + c);
      transpose(block);
      for (int k = 0; k < width && to[k]; ++k) {
        if (column_of_J_[c + k] < 0)
          put(to[k] + first, block[k]);
        else
          write_rows(first, block[k], to[k]);
      }
    }
  }
  write_turns(ws, J);
}

// Rows of a column of J, in the order of speeds.
void MotionSlopes::write_rows(int first, const lanes::Lanes& values, double* to) const {
  const int count = nv_ + plan_.scalars() - first;
  if (in_order_) return lanes::put_part(to + first, values, count);
  for (int k = 0; k < lanes::width && k < count; ++k)
    to[first + k < nv_ ? plan_.speed[first + k] : first + k] = values[k];
}

// Displacements from embedded numbers: d = 2 vec(u^-1 du) / |u|^2 for quaternions, R^T dp for
// places behind them. With g the derivatives by d: g . (w dv - dw v - v x dv).
void MotionSlopes::write_turns(const MotionWorkspace<double>& ws,
                               Eigen::Ref<Eigen::MatrixXd> J) const {
  using namespace lanes;
  const int rows = nv_ + plan_.scalars(), nq = mechanism_.nq, high = round_up(rows);
  const Eigen::Index stride = J.outerStride();
  for (const SlopeLink& at : plan_.links) {
    const Link<double>& link = mechanism_.links[at.link];
    if (!has_quaternion(link)) continue;
    const Quat<double> unit = quaternion_at(ws.q + link.q0);
    const double scale = 2 / norm2(unit), w = scale * unit.w;
    const Vec3<double> v = scale * unit.vector();
    const Mat3<double> R = has_place(link) ? rotation_matrix(unit) : Mat3<double>{};
    const auto aside = [&](int column) {
      return aside_.data() + static_cast<std::size_t>(-1 - column_of_J_[column]) * high;
    };
    const double* from[6] = {};
    for (int k = 0; k < at.nv; ++k) from[k] = aside(SlopePlan::by_q(at.p0 + k));
    const auto radial = std::find(plan_.radial.begin(), plan_.radial.end(), at.link);
    const double* length = nullptr;
    if (radial != plan_.radial.end())
      length = aside(plan_.by_radius() + static_cast<int>(radial - plan_.radial.begin()));
    double* const to = J.data() + link.q0 * stride;
    for (int k = 0; k < link.nq; ++k) clear_numbers(to + k * stride, nq);
    for (int first = 0; first < rows; first += width) {
      const LaneVector g{load(from[0] + first), load(from[1] + first), load(from[2] + first)};
      const LaneVector across = cross(g, v);
      Lanes by[7] = {-dot(v, g), w * g.x - across.x, w * g.y - across.y, w * g.z - across.z};
      if (length) {
        const double half[4] = {0.5 * w, 0.5 * v.x, 0.5 * v.y, 0.5 * v.z};
        for (int k = 0; k < 4; ++k) by[k] += half[k] * load(length + first);
      }
      if (has_place(link)) {
        const LaneVector slide =
            R * LaneVector{load(from[3] + first), load(from[4] + first), load(from[5] + first)};
        by[4] = slide.x, by[5] = slide.y, by[6] = slide.z;
      }
      for (int k = 0; k < link.nq; ++k) write_rows(first, by[k], to + k * stride + nq);
    }
  }
}

}  // namespace cartan::mechanics
