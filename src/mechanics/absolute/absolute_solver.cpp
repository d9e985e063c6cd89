#include "mechanics/absolute/absolute_solver.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "mechanics/constraints/loop_rotors.h"

namespace cartan::mechanics {
namespace {

// As in closed_recursion.cpp: a row that adds less than this squared sine is left out.
constexpr double least_sine2 = 1e-13;

// ------------------------------------------------------------------------------------ the plan

// Rows of one joint or constraint stand together.
template <class S>
std::vector<std::vector<int>> group_rows(const Mechanism<S>& mechanism, const int* active) {
  std::vector<std::vector<int>> groups;
  std::pair<int, int> last{-2, -2};
  for (int r = 0; r < mechanism.row_count(); ++r) {
    const std::pair<int, int> owner{mechanism.rows[r].loop, mechanism.rows[r].element};
    if (!active[r]) continue;
    if (owner != last) groups.emplace_back();
    groups.back().push_back(r);
    last = owner;
  }
  return groups;
}

// An order of least degree; `later[k]` are the neighbours of node k when it is eliminated.
std::vector<int> eliminate(std::vector<std::set<int>> graph, std::vector<std::vector<int>>& later) {
  std::set<std::pair<std::size_t, int>> queue;
  const int n = static_cast<int>(graph.size());
  // among equals the last of the file first: tips before what carries them
  for (int k = 0; k < n; ++k) queue.insert({graph[k].size(), n - k});
  std::vector<int> order;
  later.resize(n);
  while (!queue.empty()) {
    const int k = n - queue.begin()->second;
    queue.erase(queue.begin());
    order.push_back(k);
    later[k].assign(graph[k].begin(), graph[k].end());
    for (int a : later[k]) {
      queue.erase({graph[a].size(), n - a});
      graph[a].erase(k);
      for (int b : later[k])
        if (b != a) graph[a].insert(b);
      queue.insert({graph[a].size(), n - a});
    }
  }
  return order;
}

template <class S>
class SparseBuilder {
 public:
  SparseBuilder(const Mechanism<S>& mechanism, const int* active, SparseRows<S>& out)
      : mechanism_(mechanism), active_(active), out_(out) {}

  void operator()() {
    out_ = {};
    sort_sources();
    order_nodes();
    place_blocks();
    place_pairs();
    set_sizes();
  }

 private:
  void sort_sources() {
    const std::size_t links = mechanism_.links.size();
    std::vector<std::vector<int>> of_link(links);
    for (std::size_t s = 0; s < mechanism_.sources.size(); ++s) {
      const RowSource& source = mechanism_.sources[s];
      if (!active_[source.row]) continue;
      (source.link == world ? out_.world_sources : of_link[source.link])
          .push_back(static_cast<int>(s));
    }
    for (const std::vector<int>& list : of_link) {
      out_.source0.push_back(static_cast<int>(out_.sources.size()));
      out_.sources.insert(out_.sources.end(), list.begin(), list.end());
    }
    out_.source0.push_back(static_cast<int>(out_.sources.size()));
  }

  void order_nodes() {
    const std::vector<std::vector<int>> groups = group_rows(mechanism_, active_);
    const int n = static_cast<int>(groups.size());
    std::vector<int> group_of(mechanism_.row_count(), -1);
    for (int k = 0; k < n; ++k)
      for (int r : groups[k]) group_of[r] = k;
    std::vector<std::set<int>> graph(n);
    for (std::size_t i = 0; i + 1 < out_.source0.size(); ++i) {
      std::set<int> here;
      for (int s = out_.source0[i]; s < out_.source0[i + 1]; ++s)
        here.insert(group_of[mechanism_.sources[out_.sources[s]].row]);
      for (int a : here)
        for (int b : here)
          if (a != b) graph[a].insert(b);
    }
    const std::vector<int> order = eliminate(std::move(graph), later_);
    position_.assign(n, 0);
    out_.place.assign(mechanism_.row_count(), -1);
    node_of_.assign(mechanism_.row_count(), -1);
    for (int k = 0; k < n; ++k) {
      const std::vector<int>& rows = groups[order[k]];
      position_[order[k]] = k;
      SparseNode node;
      node.row0 = static_cast<int>(out_.order.size());
      node.size = static_cast<int>(rows.size());
      for (int r : rows) {
        out_.place[r] = static_cast<int>(out_.order.size());
        node_of_[r] = k;
        out_.order.push_back(r);
      }
      out_.nodes.push_back(node);
    }
    std::vector<std::vector<int>> in_order(n);
    for (int k = 0; k < n; ++k) {
      for (int a : later_[order[k]]) in_order[k].push_back(position_[a]);
      std::sort(in_order[k].begin(), in_order[k].end());
    }
    later_ = std::move(in_order);
  }

  void place_blocks() {
    int numbers = 0;
    for (std::size_t k = 0; k < out_.nodes.size(); ++k) {
      SparseNode& node = out_.nodes[k];
      node.panel = numbers;
      numbers += node.size * node.size;
      node.below0 = static_cast<int>(out_.blocks.size());
      node.below = static_cast<int>(later_[k].size());
      for (int a : later_[k]) {
        out_.blocks.push_back({a, numbers});
        numbers += out_.nodes[a].size * node.size;
      }
    }
    out_.panels.assign(numbers, S(0));
    for (SparseNode& node : out_.nodes) {
      node.update0 = static_cast<int>(out_.updates.size());
      for (int a = 0; a < node.below; ++a)
        for (int b = 0; b <= a; ++b)
          out_.updates.push_back(
              block(out_.blocks[node.below0 + a].node, out_.blocks[node.below0 + b].node));
    }
  }

  // First number of the block (a, b), a >= b.
  int block(int a, int b) const {
    const SparseNode& node = out_.nodes[b];
    if (a == b) return node.panel;
    const auto first = out_.blocks.begin() + node.below0, last = first + node.below;
    return std::lower_bound(first, last, a, [](const SparseBlock& x, int y) { return x.node < y; })
        ->at;
  }

  void place_pairs() {
    for (std::size_t i = 0; i + 1 < out_.source0.size(); ++i) {
      out_.pair0.push_back(static_cast<int>(out_.pairs.size()));
      for (int s = out_.source0[i]; s < out_.source0[i + 1]; ++s)
        for (int r = out_.source0[i]; r <= s; ++r) add_pair(out_.sources[s], out_.sources[r]);
    }
    out_.pair0.push_back(static_cast<int>(out_.pairs.size()));
  }
  void add_pair(int s, int r) {
    int a = mechanism_.sources[s].row, b = mechanism_.sources[r].row;
    if (out_.place[a] < out_.place[b]) std::swap(a, b), std::swap(s, r);
    const SparseNode &late = out_.nodes[node_of_[a]], &early = out_.nodes[node_of_[b]];
    const int to = block(node_of_[a], node_of_[b]) + (out_.place[a] - late.row0) * early.size +
                   (out_.place[b] - early.row0);
    out_.pairs.push_back({s, r, to});
    if (a == b && s != r) out_.pairs.push_back({s, r, to});
  }

  void set_sizes() {
    out_.diagonal.assign(out_.order.size(), S(0));
    out_.right.assign(out_.order.size(), S(0));
    out_.first.assign(out_.order.size(), S(0));
    out_.push_n.resize(mechanism_.sources.size());
    out_.push_f.resize(mechanism_.sources.size());
    const std::size_t links = mechanism_.links.size();
    out_.extra_J.assign(links, S(0));
    out_.extra_mass.assign(links, S(0));
    add_extra_inertia();
    for (std::size_t i = 0; i < links; ++i) {
      const S& extra = out_.extra_J[i];
      const Sym3<S> J =
          mechanism_.bodies[i].J_com_L + Sym3<S>{extra, extra, extra, S(0), S(0), S(0)};
      out_.inverse_J.push_back(inverse(J));
      out_.inverse_mass.push_back(S(1) / (mechanism_.links[i].mass + out_.extra_mass[i]));
    }
    if (!out_.thin) return;
    out_.before_dw.resize(links);
    out_.before_du.resize(links);
  }

  void add_extra_inertia() {
    constexpr double share = 1e-4;
    const std::size_t links = mechanism_.links.size();
    std::vector<double> arm(links, 0);  // from the centre of mass to the joints
    for (const LoopJoint<S>& loop : mechanism_.loops) {
      auto reach = [&](int link, const Vec3<S>& p) {
        if (link != world) arm[link] = std::max(arm[link], value_of(norm(p)));
      };
      reach(loop.parent, loop.P.p);
      reach(loop.child, loop.C.p);
    }
    double heaviest = 0;
    for (const Link<S>& link : mechanism_.links)
      heaviest = std::max(heaviest, value_of(abs(link.mass)));
    for (std::size_t i = 0; i < links; ++i) {
      const Sym3<S>& J = mechanism_.bodies[i].J_com_L;
      double mass = value_of(mechanism_.links[i].mass);
      if (!(mass > 0)) {
        mass = share * (heaviest > 0 ? heaviest : 1);
        out_.extra_mass[i] = S(mass);
        out_.thin = true;
      }
      if (is_regular(J)) continue;
      const double length = arm[i] > 0 ? arm[i] : 1;
      const double own = 0.5 * value_of(J.xx + J.yy + J.zz);
      out_.extra_J[i] = S(share * std::max(own, mass * length * length));
      out_.thin = true;
    }
  }
  // Cholesky, relative to the largest entry.
  static bool is_regular(const Sym3<S>& J) {
    const double xx = value_of(J.xx), yy = value_of(J.yy), zz = value_of(J.zz), xy = value_of(J.xy),
                 xz = value_of(J.xz), yz = value_of(J.yz);
    if (!(xx > 0)) return false;
    const double least = 1e-10 * std::max({xx, yy, zz});
    const double b = yy - xy * xy / xx, bc = yz - xy * xz / xx;
    return xx > least && b > least && zz - xz * xz / xx - bc * bc / b > least;
  }

  const Mechanism<S>& mechanism_;
  const int* active_;
  SparseRows<S>& out_;
  std::vector<std::vector<int>> later_;
  std::vector<int> position_, node_of_;
};

// --------------------------------------------------------------------------------- the numbers

// m.right = -(J a + rest) of the active rows is gathered link by link; this is where it starts.
template <class S>
void start_right(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  SparseRows<S>& m = ws.sparse;
  for (std::size_t k = 0; k < m.order.size(); ++k) m.right[k] = -ws.row_rest[m.order[k]];
  for (int s : m.world_sources)
    m.right[m.place[mechanism.sources[s].row]] += dot(ws.source_f[s], ws.gravity);
}
template <class S>
void add_right(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, std::size_t i) {
  SparseRows<S>& m = ws.sparse;
  const LinkState<S>& x = ws.links[i];
  for (int k = m.source0[i]; k < m.source0[i + 1]; ++k) {
    const int s = m.sources[k];
    m.right[m.place[mechanism.sources[s].row]] -=
        dot(ws.source_n[s], x.dw) + dot(ws.source_f[s], x.du);
  }
}

// The link's acceleration without multipliers. With `again` the one it has counts for the extra
// inertia.
template <class S>
void accelerate(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, std::size_t i, bool again) {
  const SparseRows<S>& m = ws.sparse;
  LinkState<S>& x = ws.links[i];
  const Vec3<S> w = transpose_times(x.R, x.w);
  Vec3<S> force,
      moment = ws.gyration.empty() ? cross(mechanism.bodies[i].J_com_L * w, w) : ws.gyration[i];
  if (mechanism.has_forces) {
    moment += transpose_times(x.R, ws.wrench_n[i]);
    force = ws.wrench_f[i];
  }
  if (again) {
    moment += m.extra_J[i] * transpose_times(x.R, x.dw);
    force += m.extra_mass[i] * x.du;
  }
  x.dw = x.R * (m.inverse_J[i] * moment);
  x.du = m.inverse_mass[i] * force;
}

// What the link adds to G.
template <class S>
void assemble(MotionWorkspace<S>& ws, std::size_t i) {
  SparseRows<S>& m = ws.sparse;
  const Sym3<S> turn = rotate(ws.links[i].R, m.inverse_J[i]);
  for (int k = m.source0[i]; k < m.source0[i + 1]; ++k) {
    const int s = m.sources[k];
    m.push_n[s] = turn * ws.source_n[s];
    m.push_f[s] = m.inverse_mass[i] * ws.source_f[s];
  }
  for (int k = m.pair0[i]; k < m.pair0[i + 1]; ++k) {
    const SparsePair& p = m.pairs[k];
    m.panels[p.to] += dot(ws.source_n[p.a], m.push_n[p.b]) + dot(ws.source_f[p.a], m.push_f[p.b]);
  }
}

// The node's own block becomes L with its diagonal inverted, the blocks below B L^-T.
template <class S>
void factorise_panel(S* own, int size, int rows, const S* diagonal, double& least_pivot) {
  for (int c = 0; c < size; ++c) {
    S pivot = own[c * size + c];
    for (int k = 0; k < c; ++k) pivot -= own[c * size + k] * own[c * size + k];
    const auto regular = less(S(least_sine2) * diagonal[c], pivot);
    const S scale = select(regular, S(1) / sqrt(select(regular, pivot, S(1))), S(0));
    const double sine2 = value_of(pivot) / value_of(diagonal[c]);
    if (!(sine2 >= least_pivot)) least_pivot = sine2;
    own[c * size + c] = scale;
    for (int r = c + 1; r < rows; ++r) {
      S sum = own[r * size + c];
      for (int k = 0; k < c; ++k) sum -= own[r * size + k] * own[c * size + k];
      own[r * size + c] = sum * scale;
    }
  }
}

// to -= a b^T
template <class S>
void subtract_product(const S* a, int rows, const S* b, int columns, int size, S* to) {
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) {
      S sum = to[r * columns + c];
      for (int k = 0; k < size; ++k) sum -= a[r * size + k] * b[c * size + k];
      to[r * columns + c] = sum;
    }
}

template <class S>
void factorise(SparseRows<S>& m, double& least_pivot) {
  for (const SparseNode& node : m.nodes)
    for (int c = 0; c < node.size; ++c)
      m.diagonal[node.row0 + c] = m.panels[node.panel + c * node.size + c];
  S* const panels = m.panels.data();
  for (const SparseNode& node : m.nodes) {
    const S* diagonal = m.diagonal.data() + node.row0;
    const SparseBlock* below = m.blocks.data() + node.below0;
    int rows = node.size;
    for (int a = 0; a < node.below; ++a) rows += m.nodes[below[a].node].size;
    if (node.size == 3)
      factorise_panel<S>(panels + node.panel, 3, rows, diagonal, least_pivot);
    else
      factorise_panel<S>(panels + node.panel, node.size, rows, diagonal, least_pivot);
    const int* to = m.updates.data() + node.update0;
    for (int a = 0; a < node.below; ++a)
      for (int b = 0; b <= a; ++b, ++to) {
        const int na = m.nodes[below[a].node].size, nb = m.nodes[below[b].node].size;
        const S *A = panels + below[a].at, *B = panels + below[b].at;
        if (node.size == 3 && na == 3 && nb == 3)
          subtract_product<S>(A, 3, B, 3, 3, panels + *to);
        else
          subtract_product<S>(A, na, B, nb, node.size, panels + *to);
      }
  }
}

// m.right <- G^-1 m.right
template <class S>
void substitute(SparseRows<S>& m) {
  for (const SparseNode& node : m.nodes) {
    const S* own = m.panels.data() + node.panel;
    S* x = m.right.data() + node.row0;
    const int size = node.size;
    for (int c = 0; c < size; ++c) {
      for (int k = 0; k < c; ++k) x[c] -= own[c * size + k] * x[k];
      x[c] *= own[c * size + c];
    }
    for (int a = 0; a < node.below; ++a) {
      const SparseBlock& block = m.blocks[node.below0 + a];
      const SparseNode& late = m.nodes[block.node];
      const S* L = m.panels.data() + block.at;
      for (int r = 0; r < late.size; ++r)
        for (int k = 0; k < size; ++k) m.right[late.row0 + r] -= L[r * size + k] * x[k];
    }
  }
  for (std::size_t n = m.nodes.size(); n-- > 0;) {
    const SparseNode& node = m.nodes[n];
    const S* own = m.panels.data() + node.panel;
    S* x = m.right.data() + node.row0;
    const int size = node.size;
    for (int a = 0; a < node.below; ++a) {
      const SparseBlock& block = m.blocks[node.below0 + a];
      const SparseNode& late = m.nodes[block.node];
      const S* L = m.panels.data() + block.at;
      for (int r = 0; r < late.size; ++r)
        for (int k = 0; k < size; ++k) x[k] -= L[r * size + k] * m.right[late.row0 + r];
    }
    for (int c = size - 1; c >= 0; --c) {
      for (int k = c + 1; k < size; ++k) x[c] -= own[k * size + c] * x[k];
      x[c] *= own[c * size + c];
    }
  }
}

// Lets the increments of the multipliers act on the link.
template <class S>
void push(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, const std::vector<S>& lambda,
          std::size_t i) {
  const SparseRows<S>& m = ws.sparse;
  LinkState<S>& x = ws.links[i];
  for (int k = m.source0[i]; k < m.source0[i + 1]; ++k) {
    const int s = m.sources[k];
    const S& size = lambda[m.place[mechanism.sources[s].row]];
    x.dw += size * m.push_n[s];
    x.du += size * m.push_f[s];
  }
}

// Multipliers for the accelerations in ws and m.right, in two rounds: the second is a refinement.
// Then the accelerations obey the constraints.
template <class S>
void constrain(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  SparseRows<S>& m = ws.sparse;
  const std::size_t links = ws.links.size(), rows = m.order.size();
  for (S& lambda : ws.lambda) lambda = S(0);
  if (rows == 0) return;
  substitute(m);
  std::swap(m.first, m.right);
  start_right(mechanism, ws);
  for (std::size_t i = 0; i < links; ++i) {
    push(mechanism, ws, m.first, i);
    add_right(mechanism, ws, i);
  }
  substitute(m);
  for (std::size_t i = 0; i < links; ++i) push(mechanism, ws, m.right, i);
  for (std::size_t k = 0; k < rows; ++k) ws.lambda[m.order[k]] = m.first[k] + m.right[k];
}

// Takes the extra inertia of thin bodies away again.
template <class S>
void iterate_thin(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  SparseRows<S>& m = ws.sparse;
  constexpr int most = 60, more = 3;  // some more rounds make derivatives converge, too
  double last = INFINITY;
  int settled = 0;
  for (int round = 0; round < most; ++round) {
    for (std::size_t i = 0; i < ws.links.size(); ++i) {
      m.before_dw[i] = ws.links[i].dw;
      m.before_du[i] = ws.links[i].du;
    }
    start_right(mechanism, ws);
    for (std::size_t i = 0; i < ws.links.size(); ++i) {
      accelerate(mechanism, ws, i, true);
      add_right(mechanism, ws, i);
    }
    constrain(mechanism, ws);
    double change = 0, size = 1e-300;
    for (std::size_t i = 0; i < ws.links.size(); ++i) {
      const LinkState<S>& x = ws.links[i];
      size = std::max({size, value_of(norm(x.dw)), value_of(norm(x.du))});
      change = std::max(
          {change, value_of(norm(x.dw - m.before_dw[i])), value_of(norm(x.du - m.before_du[i]))});
    }
    if (change < 1e-15 * size || (change < 1e-12 * size && change >= 0.5 * last)) ++settled;
    if (settled > 0 && (settled += 1) > more) return;
    last = change;
  }
  ws.failed |= !(last < 1e-9);
}

template <class S>
void solve_free_bodies(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  SparseRows<S>& m = ws.sparse;
  if (m.source0.empty()) SparseBuilder<S>(mechanism, ws.mode.data() + mechanism.mode_count, m)();
  ws.fronts.least_pivot = 1;
  std::fill(m.panels.begin(), m.panels.end(), S(0));
  start_right(mechanism, ws);
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    accelerate(mechanism, ws, i, false);
    assemble(ws, i);
    add_right(mechanism, ws, i);
  }
  factorise(m, ws.fronts.least_pivot);
  constrain(mechanism, ws);
  if (m.thin) iterate_thin(mechanism, ws);
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    const Link<S>& link = mechanism.links[i];
    const LinkState<S>& x = ws.links[i];
    const Vec3<S> turn = transpose_times(x.R, x.dw), moved = x.du + ws.gravity - x.cu;
    const Vec3<S> slide = link.product ? moved : transpose_times(x.R, moved);
    for (int k = 0; k < 3; ++k) {
      ws.vdot[link.v0 + k] = turn[k];
      ws.vdot[link.v0 + 3 + k] = slide[k];
    }
  }
}

}  // namespace

template <class S>
void make_sparse_rows(const Mechanism<S>& mechanism, const int* active, SparseRows<S>& rows) {
  SparseBuilder<S>(mechanism, active, rows)();
}

template <class S>
void solve_absolute(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  if (mechanism.loop_rotors.empty()) return solve_free_bodies(mechanism, ws);
  solve_with_loop_rotors<S>(mechanism, ws, solve_free_bodies<S>);
}

#define CARTAN_INSTANTIATE(S)                                                         \
  template void make_sparse_rows<S>(const Mechanism<S>&, const int*, SparseRows<S>&); \
  template void solve_absolute<S>(const Mechanism<S>&, MotionWorkspace<S>&);
CARTAN_FOR_EACH_SCALAR(CARTAN_INSTANTIATE)
#undef CARTAN_INSTANTIATE

}  // namespace cartan::mechanics
