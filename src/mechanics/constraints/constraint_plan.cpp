#include "mechanics/constraints/constraint_plan.h"

#include <algorithm>

#include "core/mixed.h"
#include "mechanics/machine/mechanism.h"
#include "symbolic/expression.h"

namespace cartan::mechanics {
namespace {

template <class S>
class PlanBuilder {
 public:
  PlanBuilder(const Mechanism<S>& mechanism, ConstraintPlan& plan)
      : mechanism_(mechanism), plan_(plan), n_(static_cast<int>(mechanism.links.size())) {}

  void operator()() {
    plan_.fronts.clear();
    plan_.front_at.assign(n_, -1);
    plan_.front_through.assign(n_, -1);
    plan_.Q0.assign(n_, 0);
    plan_.terms.assign(n_, {});
    plan_.world_front = -1;
    find_depths();
    find_ends();
    arriving_.assign(n_ + 1, {});
    for (int i = n_ - 1; i >= world; --i) visit(i);
  }

 private:
  int parent(int link) const { return mechanism_.links[link].parent; }
  int depth(int link) const { return link == world ? 0 : depth_[link]; }

  void find_depths() {
    depth_.assign(n_, 0);
    for (int i = 0; i < n_; ++i) depth_[i] = depth(parent(i)) + 1;
  }

  int common_ancestor(int a, int b) const {
    while (a != b) (depth(a) >= depth(b) ? a : b) = parent(depth(a) >= depth(b) ? a : b);
    return a;
  }

  // The lowest link whose subtree holds all of a row; a factor on a speed belongs to the link that
  // carries the joint.
  void find_ends() {
    const int none = n_;
    end_.assign(mechanism_.rows.size(), none);
    entering_.assign(n_ + 1, {});
    sources_of_.assign(n_ + 1, {});
    terms_of_.assign(n_, {});
    auto meet = [&](int row, int link) {
      end_[row] = end_[row] == none ? link : common_ancestor(end_[row], link);
    };
    for (std::size_t s = 0; s < mechanism_.sources.size(); ++s) {
      const RowSource& source = mechanism_.sources[s];
      if (!plan_.active[source.row]) continue;
      meet(source.row, source.link);
      enter(source.link, source.row);
      sources_of_[source.link + 1].push_back(static_cast<int>(s));
    }
    for (std::size_t k = 0; k < mechanism_.terms.size(); ++k) {
      const RowTerm<S>& term = mechanism_.terms[k];
      if (!plan_.active[term.row]) continue;
      meet(term.row, parent(term.link));
      enter(term.link, term.row);
      terms_of_[term.link].push_back(static_cast<int>(k));
    }
  }
  void enter(int link, int row) {
    std::vector<int>& rows = entering_[link + 1];
    if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
  }

  int remaining(int front) const { return plan_.fronts[front].size() - plan_.fronts[front].solved; }

  void visit(int link) {
    std::vector<int>& children = arriving_[link + 1];
    // the largest first, so that its rows keep their order
    std::stable_sort(children.begin(), children.end(),
                     [&](int a, int b) { return remaining(a) > remaining(b); });
    std::vector<int> rows;
    auto add = [&](int row) {
      if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
    };
    for (int f : children)
      for (int k = plan_.fronts[f].solved; k < plan_.fronts[f].size(); ++k)
        add(plan_.fronts[f].rows[k]);
    for (int row : entering_[link + 1]) add(row);
    if (rows.empty()) return;
    const bool ends_here =
        std::any_of(rows.begin(), rows.end(), [&](int row) { return end_[row] == link; });
    int front = -1;
    if (children.size() == 1 && entering_[link + 1].empty() && !ends_here)
      front = children[0];
    else
      front = add_front(link, rows);
    const Front& f = plan_.fronts[front];
    if (link == world || f.solved == f.size()) return;
    plan_.front_through[link] = front;
    add_terms(link, f);
    arriving_[parent(link) + 1].push_back(front);
  }

  int add_front(int link, std::vector<int>& rows) {
    const auto middle =
        std::stable_partition(rows.begin(), rows.end(), [&](int row) { return end_[row] == link; });
    Front front;
    front.node = link;
    front.solved = static_cast<int>(middle - rows.begin());
    front.rows = rows;
    auto place = [&](int row) {
      return static_cast<int>(std::find(rows.begin(), rows.end(), row) - rows.begin());
    };
    for (int f : arriving_[link + 1]) {
      const Front& child = plan_.fronts[f];
      ChildFront part{f, {}};
      for (int k = child.solved; k < child.size(); ++k) part.to.push_back(place(child.rows[k]));
      part.in_order = part.to.back() - part.to.front() + 1 == static_cast<int>(part.to.size()) &&
                      std::is_sorted(part.to.begin(), part.to.end());
      front.children.push_back(std::move(part));
    }
    if (!front.children.empty()) {
      const ChildFront& first = front.children.front();
      front.goes_on = first.in_order && first.to.front() == 0 &&
                      remaining(first.front) == front.size() &&
                      plan_.fronts[first.front].solved == 0;
    }
    for (const int s : sources_of_[link + 1])
      front.sources.push_back({place(mechanism_.sources[s].row), s});
    const int index = static_cast<int>(plan_.fronts.size());
    (link == world ? plan_.world_front : plan_.front_at[link]) = index;
    plan_.fronts.push_back(std::move(front));
    return index;
  }

  void add_terms(int link, const Front& front) {
    for (const int k : terms_of_[link]) {
      const auto at = std::find(front.rows.begin(), front.rows.end(), mechanism_.terms[k].row);
      plan_.terms[link].push_back({static_cast<int>(at - front.rows.begin()), k});
    }
  }

  const Mechanism<S>& mechanism_;
  ConstraintPlan& plan_;
  const int n_;
  std::vector<int> depth_;
  std::vector<int> end_;                                 // per row
  std::vector<std::vector<int>> entering_;               // per link + 1: rows with a source there
  std::vector<std::vector<int>> sources_of_, terms_of_;  // active ones; per link + 1, per link
  std::vector<std::vector<int>> arriving_;               // per link + 1: fronts of its children
};

}  // namespace

template <class S>
void make_constraint_plan(const Mechanism<S>& mechanism, const int* active, ConstraintPlan& plan,
                          ConstraintFronts<S>& fronts) {
  plan.active.assign(active, active + mechanism.row_count());
  for (int r = 0; r < mechanism.row_count(); ++r)
    if (mechanism.rows[r].driven_speed >= 0) plan.active[r] = 0;
  PlanBuilder<S>(mechanism, plan)();
  std::size_t rows = 0, G = 0, Q = 0, largest = 0;
  for (Front& front : plan.fronts) {
    const std::size_t size = front.rows.size(), width = front.width();
    front.g0 = rows;
    front.G0 = front.goes_on ? plan.fronts[front.children.front().front].G0 : G;
    rows += size;
    if (!front.goes_on) G += size * width;
    largest = std::max(largest, width);
  }
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    if (plan.front_through[i] < 0) continue;
    plan.Q0[i] = Q;
    Q += plan.fronts[plan.front_through[i]].size();
  }
  fronts.Kn.resize(rows);
  fronts.Kf.resize(rows);
  fronts.g.resize(rows);
  fronts.G.resize(G);
  fronts.Qn.resize(Q);
  fronts.Qf.resize(Q);
  fronts.Ln.resize(Q);
  fronts.Lf.resize(Q);
  fronts.diagonal.resize(largest);
  fronts.lanes.assign(6 * largest, S(0));
  plan.active.assign(active, active + mechanism.row_count());
  plan.valid = true;
}

#define CARTAN_INSTANTIATE(S)                                                             \
  template void make_constraint_plan<S>(const Mechanism<S>&, const int*, ConstraintPlan&, \
                                        ConstraintFronts<S>&);
CARTAN_FOR_EACH_SCALAR_AND_EXPRESSION(CARTAN_INSTANTIATE)
CARTAN_INSTANTIATE(Mixed)
#undef CARTAN_INSTANTIATE

}  // namespace cartan::mechanics
