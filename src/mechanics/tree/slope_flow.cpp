#include "mechanics/tree/slope_flow.h"

#include "mechanics/tree/lanes_of_numbers.h"

namespace cartan::mechanics {
namespace {

using Groups = std::vector<char>;  // per group of columns: whether any of them is there

class FlowMaker {
 public:
  FlowMaker(const Mechanism<double>& mechanism, const SlopePlan& plan)
      : mechanism_(mechanism), plan_(plan), links_(static_cast<int>(plan.links.size())) {
    flow_.columns = lanes::round_up(plan.columns());
    there_.assign(links_, Groups(flow_.columns / lanes::width, 0));
    flow_.staged.assign(links_, -1);
  }

  SlopeFlow make() {
    for (const LocalLaw& law : plan_.laws) add_law(law);
    for (int d = links_ - 1; d >= 0; --d) {
      add_own(d, there_[d]);
      if (plan_.links[d].parent >= 0) unite(there_[plan_.links[d].parent], there_[d]);
    }
    make_runs();
    share_arrays();
    find_chains();
    flow_.there = std::move(there_);
    return std::move(flow_);
  }

 private:
  static void unite(Groups& to, const Groups& from) {
    for (std::size_t g = 0; g < to.size(); ++g) to[g] |= from[g];
  }
  static bool meet(const Groups& a, const Groups& b) {
    for (std::size_t g = 0; g < a.size(); ++g)
      if (a[g] && b[g]) return true;
    return false;
  }
  void add(int d, int column) { there_[d][column / lanes::width] = 1; }
  void add_own(int d, Groups& to) const {
    const SlopeLink& at = plan_.links[d];
    for (int p = at.p0; p < at.p0 + at.nv; ++p) to[SlopePlan::by_q(p) / lanes::width] = 1;
  }

  void add_law(const LocalLaw& law) {
    std::vector<int> columns;
    const auto add_path = [&](int link) {
      if (link == world) return;
      for (const int p : plan_.paths[link]) columns.push_back(SlopePlan::by_q(p));
    };
    for (const int i : law.in_links) add_path(i);
    if (law.pair) add_path(law.a), add_path(law.b);
    for (const int i : law.in_joints) {
      const SlopeLink& at = plan_.links[plan_.position[i]];
      for (int p = at.p0; p < at.p0 + at.nv; ++p) columns.push_back(SlopePlan::by_q(p));
      for (std::size_t k = 0; k < plan_.radial.size(); ++k)
        if (plan_.radial[k] == i) columns.push_back(plan_.by_radius() + static_cast<int>(k));
    }
    for (const int z : law.in_variables) columns.push_back(plan_.by_z() + z);
    const auto act_on = [&](int link, bool wrench) {
      if (link == world) return;
      const int d = plan_.position[link];
      for (const int column : columns) add(d, column);
      if (wrench && flow_.staged[d] < 0) flow_.staged[d] = flow_.staged_count++;
    };
    for (const int i : law.out_links) act_on(i, true);
    if (law.pair) act_on(law.a, true), act_on(law.b, true);
    for (const int i : law.out_joints) act_on(i, false);
  }

  void make_runs() {
    flow_.up.resize(links_);
    flow_.down.resize(links_);
    std::vector<int> root(links_);
    Groups everywhere(flow_.columns / lanes::width, 0);
    for (int d = 0; d < links_; ++d)
      if (plan_.links[d].parent < 0) unite(everywhere, there_[d]);
    const bool coupled = !mechanism_.rows.empty();  // one tree moves another
    std::vector<Groups> above(links_, Groups(flow_.columns / lanes::width, 0));
    for (int d = 0; d < links_; ++d) {
      const int parent = plan_.links[d].parent;
      root[d] = parent < 0 ? d : root[parent];
      flow_.several_roots |= parent < 0 && d > 0;
      if (parent >= 0) {
        above[d] = above[parent];
        add_own(parent, above[d]);
      }
      const Groups nowhere(above[d].size(), 0);
      list_runs(there_[d], nowhere, nowhere, flow_.up[d]);
      list_runs(coupled ? everywhere : there_[root[d]], above[d], coupled ? everywhere : there_[d],
                flow_.down[d]);
    }
  }
  static void list_runs(const Groups& there, const Groups& turned, const Groups& answered,
                        std::vector<ColumnRun>& runs) {
    for (std::size_t g = 0; g < there.size(); ++g) {
      if (!there[g]) continue;
      const int first = static_cast<int>(g) * lanes::width;
      const ColumnRun run{first, first + lanes::width, turned[g] != 0, answered[g] != 0};
      if (runs.empty() || runs.back().last != first || runs.back().turned != run.turned ||
          runs.back().answered != run.answered)
        runs.push_back(run);
      runs.back().last = run.last;
    }
  }

  void share_arrays() {
    std::vector<std::vector<int>> children(links_);
    flow_.up_slot.assign(links_, 0);
    flow_.down_slot.assign(links_, 0);
    std::vector<int> up_top(links_, 0), down_top(links_, 0);
    for (int d = 0; d < links_; ++d)
      if (plan_.links[d].parent >= 0) children[plan_.links[d].parent].push_back(d);
    for (int d = 0; d < links_; ++d) {
      Groups taken(there_[d].size(), 0);
      for (std::size_t k = children[d].size(); k-- > 0;) {
        const int c = children[d][k];
        const bool last = k + 1 == children[d].size();
        flow_.down_slot[c] = last ? flow_.down_slot[d] : down_top[d] + 1;
        down_top[c] = last ? down_top[d] : down_top[d] + 1;
        const bool alone = !meet(taken, there_[c]);
        flow_.up_slot[c] = alone ? flow_.up_slot[d] : up_top[d] + 1;
        up_top[c] = alone ? up_top[d] : up_top[d] + 1;
        unite(taken, there_[c]);
      }
    }
    for (int d = 0; d < links_; ++d) {
      flow_.up_slots = std::max(flow_.up_slots, flow_.up_slot[d] + 1);
      flow_.down_slots = std::max(flow_.down_slots, flow_.down_slot[d] + 1);
    }
  }

  void find_chains() {
    std::vector<int> children(links_, 0);
    for (const SlopeLink& x : plan_.links)
      if (x.parent >= 0) ++children[x.parent];
    flow_.chain_first.assign(links_, -1);
    flow_.chain_last.assign(links_, -1);
    flow_.has_children.assign(children.begin(), children.end());
    const auto is_hinge = [&](int d) {
      return mechanism_.links[plan_.links[d].link].motion == Motion::rotation1;
    };
    for (int d = 0; d < links_; ++d) {
      if (!is_hinge(d)) continue;
      const bool goes_on = plan_.links[d].parent >= 0 && plan_.links[d].parent == d - 1 &&
                           children[d - 1] == 1 && is_hinge(d - 1);
      flow_.chain_first[d] = goes_on ? flow_.chain_first[d - 1] : d;
    }
    for (int d = links_ - 1; d >= 0; --d)
      if (flow_.chain_first[d] >= 0) {
        const bool goes_on = d + 1 < links_ && flow_.chain_first[d + 1] == flow_.chain_first[d];
        flow_.chain_last[d] = goes_on ? flow_.chain_last[d + 1] : d;
      }
  }

  const Mechanism<double>& mechanism_;
  const SlopePlan& plan_;
  const int links_;
  SlopeFlow flow_;
  std::vector<Groups> there_;
};

}  // namespace

SlopeFlow make_slope_flow(const Mechanism<double>& mechanism, const SlopePlan& plan) {
  return FlowMaker(mechanism, plan).make();
}

}  // namespace cartan::mechanics
