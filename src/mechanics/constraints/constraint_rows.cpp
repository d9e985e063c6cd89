#include "mechanics/constraints/constraint_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mechanics/constraints/constraints.h"
#include "mechanics/machine/kinematics.h"

namespace cartan::mechanics {
namespace {

constexpr double balanced = 1e-12;  // of the wrenches that add up to nothing

// The lowest link that carries both.
class CommonLinks {
 public:
  explicit CommonLinks(const Mechanism<double>& mechanism) : mechanism_(mechanism) {
    for (const Link<double>& link : mechanism.links) depth_.push_back(depth(link.parent) + 1);
  }
  int find(int a, int b) const {
    while (a != b) (depth(a) >= depth(b) ? a : b) = parent(depth(a) >= depth(b) ? a : b);
    return a;
  }

 private:
  int parent(int link) const { return mechanism_.links[link].parent; }
  int depth(int link) const { return link == world ? 0 : depth_[link]; }

  const Mechanism<double>& mechanism_;
  std::vector<int> depth_;
};

// Entries of a row of J from its wrenches on links. Those of a relative motion cancel at the lowest
// link that carries all of them: from there on the row is zero, not rounding, and so it has entries
// on its own loop alone. The sizes are those of the entries if nothing cancelled.
class RowOfWrenches {
 public:
  RowOfWrenches(const Mechanism<double>& mechanism, const MotionWorkspace<double>& ws)
      : mechanism_(mechanism), ws_(ws), common_(mechanism) {
    for (const LinkState<double>& x : ws.links) longest_ = std::max(longest_, norm(x.r));
  }

  void start() { wrenches_.clear(); }
  // A moment is a sum over lever arms that may cancel, too.
  void add(int link, const Vec3<double>& n, const Vec3<double>& f) {
    wrenches_.push_back({link, n, f, norm(n) + longest_ * norm(f), norm(f)});
  }
  // Calls act(speed, entry, size) for every speed that a wrench moves.
  template <class Act>
  void finish(Act&& act) {
    if (wrenches_.empty()) return;
    int end = wrenches_.front().link;
    for (const Wrench& w : wrenches_) end = common_.find(end, w.link);
    Wrench rest{end, {}, {}, 0, 0};
    for (Wrench& w : wrenches_) {
      carry(w, end, act);
      rest.n += w.n;
      rest.f += w.f;
      rest.moment += w.moment;
      rest.force += w.force;
    }
    if (norm(rest.n) > balanced * rest.moment || norm(rest.f) > balanced * rest.force)
      carry(rest, world, act);
  }

 private:
  struct Wrench {
    int link;
    Vec3<double> n, f;     // about the origin of the link
    double moment, force;  // how large they are if nothing cancels
  };
  template <class Act>
  void carry(Wrench& w, int end, Act&& act) const {
    for (; w.link != end; w.link = mechanism_.links[w.link].parent) {
      const Link<double>& link = mechanism_.links[w.link];
      for (int j = link.v0; j < link.v0 + link.nv; ++j)
        act(j, dot(ws_.phi[j], w.n) + dot(ws_.psi[j], w.f),
            norm(ws_.phi[j]) * w.moment + norm(ws_.psi[j]) * w.force);
      const Vec3<double>& r = ws_.links[w.link].r;
      w.n += cross(r, w.f);
      w.moment += norm(r) * w.force;
    }
  }

  const Mechanism<double>& mechanism_;
  const MotionWorkspace<double>& ws_;
  const CommonLinks common_;
  double longest_ = 0;  // distance of two origins
  std::vector<Wrench> wrenches_;
};

// Entries of two matrices with the same places; those of one place are added.
class EntryList {
 public:
  void add(Eigen::Index row, int column, double entry, double size) {
    const int r = static_cast<int>(row);
    entries_.emplace_back(r, column, entry);
    sizes_.emplace_back(r, column, size);
  }
  ConstraintRows rows(int count, int columns) const {
    ConstraintRows result{SparseMatrix(count, columns), SparseMatrix(count, columns)};
    result.J.setFromTriplets(entries_.begin(), entries_.end());
    result.parts.setFromTriplets(sizes_.begin(), sizes_.end());
    return result;
  }

 private:
  std::vector<Eigen::Triplet<double, int>> entries_, sizes_;
};

// Sources in the order of their rows.
std::vector<int> sort_sources(const Mechanism<double>& mechanism) {
  std::vector<int> order(mechanism.sources.size());
  std::iota(order.begin(), order.end(), 0);
  const auto before = [&](int a, int b) {
    return mechanism.sources[a].row < mechanism.sources[b].row;
  };
  if (!std::is_sorted(order.begin(), order.end(), before))
    std::stable_sort(order.begin(), order.end(), before);
  return order;
}

void add_wrenches(const Mechanism<double>& mechanism, const MotionWorkspace<double>& ws,
                  EntryList& entries) {
  RowOfWrenches row(mechanism, ws);
  const std::vector<int> order = sort_sources(mechanism);
  for (std::size_t k = 0; k < order.size();) {
    const int r = mechanism.sources[order[k]].row;
    row.start();
    for (; k < order.size() && mechanism.sources[order[k]].row == r; ++k)
      row.add(mechanism.sources[order[k]].link, ws.source_n[order[k]], ws.source_f[order[k]]);
    row.finish([&](int j, double entry, double size) { entries.add(r, j, entry, size); });
  }
}

}  // namespace

Eigen::VectorXd ConstraintRows::sizes(const Eigen::VectorXd& scales) const {
  Eigen::VectorXd result = Eigen::VectorXd::Zero(parts.rows());
  for (Eigen::Index r = 0; r < parts.rows(); ++r) {
    for (SparseMatrix::InnerIterator part(parts, r); part; ++part) {
      const double scaled = part.value() * scales[part.col()];
      result[r] += scaled * scaled;
    }
    result[r] = std::sqrt(result[r]);
  }
  return result;
}

ConstraintRows calc_constraint_rows(const Mechanism<double>& mechanism,
                                    MotionWorkspace<double>& ws) {
  fill_columns(mechanism, ws);
  EntryList entries;
  add_wrenches(mechanism, ws, entries);
  for (std::size_t k = 0; k < mechanism.terms.size(); ++k) {
    const RowTerm<double>& term = mechanism.terms[k];
    const int contact = mechanism.rows[term.row].contact;
    const bool open = contact >= 0 && ws.mode[mechanism.contact_mode0 + contact] == contact_open;
    entries.add(term.row, mechanism.links[term.link].v0 + term.component,
                open ? 0 : ws.term_factor[k], std::fabs(ws.term_factor[k]));
  }
  for (int r = 0; r < mechanism.row_count(); ++r)
    if (mechanism.rows[r].driven_speed >= 0) entries.add(r, mechanism.rows[r].driven_speed, 1, 1);
  return entries.rows(mechanism.row_count(), mechanism.nv);
}

SparseMatrix calc_loop_rows(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws) {
  fill_columns(mechanism, ws);
  fill_loop_coordinates(mechanism, ws);
  EntryList entries;
  RowOfWrenches row(mechanism, ws);
  for (std::size_t l = 0; l < mechanism.loops.size(); ++l) {
    const LoopJoint<double>& loop = mechanism.loops[l];
    for (int k = loop.shape.v0; k < loop.shape.v0 + loop.shape.nv; ++k) {
      row.start();
      auto add = [&](int link, double sign) {
        const Vec3<double> arm =
            ws.loops[l].o_C - (link == world ? Vec3<double>{} : ws.links[link].o);
        const Vec3<double> f = sign * ws.loop_speed[k].beta;
        row.add(link, sign * ws.loop_speed[k].alpha + cross(arm, f), f);
      };
      add(loop.child, 1);
      add(loop.parent, -1);
      row.finish([&](int j, double entry, double size) { entries.add(k, j, entry, size); });
    }
  }
  return entries.rows(mechanism.loop_nv, mechanism.nv).J;
}

}  // namespace cartan::mechanics
