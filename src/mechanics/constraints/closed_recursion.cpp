#include "mechanics/constraints/closed_recursion.h"

#include <algorithm>
#include <type_traits>

#include "core/mixed.h"
#include "mechanics/absolute/absolute_solver.h"
#include "mechanics/constraints/loop_rotors.h"
#include "mechanics/tree/articulated_body.h"
#include "symbolic/expression.h"

namespace cartan::mechanics {
namespace {

using namespace articulated;

// A row that adds less than this squared sine to those before it is left out: its multiplier is
// zero. Rows known to be redundant are not in the plan at all; this keeps the numbers finite when
// friction locks one joint too many.
constexpr double least_front_sine2 = 1e-13;

// The numbers of one front.
template <class S>
struct FrontView {
  const Front& plan;
  Vec3<S>* Kn;
  Vec3<S>* Kf;
  S* G;
  S* g;
  int size, width;

  FrontView(const Front& front, ConstraintFronts<S>& numbers)
      : plan(front),
        Kn(numbers.Kn.data() + front.g0),
        Kf(numbers.Kf.data() + front.g0),
        G(numbers.G.data() + front.G0),
        g(numbers.g.data() + front.g0),
        size(front.size()),
        width(front.width()) {}
  // G is symmetric: only entries with column >= row matter; those before may hold anything.
  S* row(int r) const { return G + r * width; }
};

// to[k] += sum of factors[p] * from[p * stride + k] for the groups of four numbers from the one
// with `first` up to `last`: what is added to is loaded and stored once.
template <int count, class S>
inline void add_scaled(S* to, const S (&factors)[count], const S* from, int stride, int first,
                       int last) {
  if constexpr (std::is_same_v<S, double>) {
    typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));
    for (int k = first & ~3; k < last; k += 4) {
      Four sum = *reinterpret_cast<const Four*>(to + k);
      for (int p = 0; p < count; ++p)
        sum += factors[p] * *reinterpret_cast<const Four*>(from + p * stride + k);
      *reinterpret_cast<Four*>(to + k) = sum;
    }
  } else {
    for (int k = first; k < last; ++k)
      for (int p = 0; p < count; ++p) to[k] += factors[p] * from[p * stride + k];
  }
}

template <class S>
void assemble(const Front& front, MotionWorkspace<S>& ws) {
  FrontView<S> to(front, ws.fronts);
  for (int r = 0; r < to.size; ++r) {
    to.Kn[r] = to.Kf[r] = {};
    to.g[r] = S(0);
  }
  std::fill(to.G, to.G + to.size * to.width, S(0));
  for (const ChildFront& child : front.children) {
    FrontView<S> from(ws.plan.fronts[child.front], ws.fronts);
    const int first = from.plan.solved;
    for (int r = first; r < from.size; ++r) {
      const int a = child.to[r - first];
      to.Kn[a] += from.Kn[r];
      to.Kf[a] += from.Kf[r];
      to.g[a] += from.g[r];
      if (child.in_order) {
        for (int c = r; c < from.size; ++c) to.row(a)[a + c - r] += from.row(r)[c];
        continue;
      }
      for (int c = r; c < from.size; ++c) {
        const int b = child.to[c - first];
        to.row(std::min(a, b))[std::max(a, b)] += from.row(r)[c];
      }
    }
  }
  for (const FrontSource& s : front.sources) {
    to.Kn[s.place] += ws.source_n[s.source];
    to.Kf[s.place] += ws.source_f[s.source];
  }
  for (int r = 0; r < front.solved; ++r) to.g[r] += ws.row_rest[front.rows[r]];
}

// 1 / sqrt(pivot), or zero for a row that adds nothing to those before it.
template <class S>
S inverse_root(const S& pivot, const S& diagonal) {
  const auto regular = less(S(least_front_sine2) * diagonal, pivot);
  return select(regular, S(1) / sqrt(select(regular, pivot, S(1))), S(0));
}
// Expressions are derived for rows known to be independent.
Expression inverse_root(const Expression& pivot, const Expression&) {
  return Expression(1) / sqrt(pivot);
}

// The row with pivot r, which all before it have been subtracted from: L^-1 on what stands beside
// it.
template <bool with_K, class S>
void scale_row(FrontView<S>& f, int r, ConstraintFronts<S>& numbers) {
  S* const row = f.row(r);
  const S pivot = row[r], &diagonal = numbers.diagonal[r];
  const S inverse = inverse_root(pivot, diagonal);
  const double size = value_of(diagonal);
  if (!(value_of(pivot) >= numbers.least_pivot * size))
    numbers.least_pivot = value_of(pivot) / size;
  row[r] = inverse;
  if constexpr (with_K) {
    f.Kn[r] = inverse * f.Kn[r];
    f.Kf[r] = inverse * f.Kf[r];
  }
  f.g[r] *= inverse;
  for (int c = r + 1; c < f.size; ++c) row[c] *= inverse;
}

// What `count` rows from r on, one after the other, take from row c.
template <bool with_K, int count, class S>
void subtract_rows(FrontView<S>& f, int r, int c) {
  const S* const rows = f.row(r);
  S shares[count];
  for (int p = 0; p < count; ++p) {
    shares[p] = -rows[p * f.width + c];
    f.g[c] += shares[p] * f.g[r + p];
    if constexpr (with_K) {
      f.Kn[c] += shares[p] * f.Kn[r + p];
      f.Kf[c] += shares[p] * f.Kf[r + p];
    }
  }
  add_scaled(f.row(c), shares, rows, f.width, c, f.size);
}

template <bool with_K, int count, class S>
void factorise_rows(FrontView<S>& f, int r, ConstraintFronts<S>& numbers) {
  for (int p = 0; p < count; ++p) {
    scale_row<with_K>(f, r + p, numbers);
    for (int c = r + p + 1; c < r + count; ++c) subtract_rows<with_K, 1>(f, r + p, c);
  }
  for (int c = r + count; c < f.size; ++c) subtract_rows<with_K, count>(f, r, c);
}

// Partial factorisation: G = L L^T on the rows solved, L^-1 applied to all that stands beside them,
// and what they take from the rows that go on. Some rows are at once subtracted from all later
// ones. Without K where the acceleration is known and K^T a already is in g.
template <bool with_K, class S>
void factorise(FrontView<S>& f, ConstraintFronts<S>& numbers) {
  constexpr int together = 3;
  const int solved = f.plan.solved;
  for (int r = 0; r < solved; ++r) numbers.diagonal[r] = f.row(r)[r];
  int r = 0;
  for (; r + together <= solved; r += together) factorise_rows<with_K, together>(f, r, numbers);
  for (; r < solved; ++r) factorise_rows<with_K, 1>(f, r, numbers);
}

template <class S>
void stiffen(const FrontView<S>& f, LinkState<S>& x) {
  for (int r = 0; r < f.plan.solved; ++r) {
    const Vec3<S>&n = f.Kn[r], &u = f.Kf[r];
    x.A += Sym3<S>{n.x * n.x, n.y * n.y, n.z * n.z, n.x * n.y, n.x * n.z, n.y * n.z};
    x.D += Sym3<S>{u.x * u.x, u.y * u.y, u.z * u.z, u.x * u.y, u.x * u.z, u.y * u.z};
    x.B += outer(n, u);
    x.n += f.g[r] * n;
    x.f += f.g[r] * u;
  }
}

template <class S>
void begin_front(int index, LinkState<S>& x, MotionWorkspace<S>& ws) {
  const Front& front = ws.plan.fronts[index];
  assemble(front, ws);
  if (front.solved == 0) return;
  FrontView<S> f(front, ws.fronts);
  factorise<true>(f, ws.fronts);
  stiffen(f, x);
}

// lambda of the rows solved, given those that go on.
template <class S>
void solve_back(const FrontView<S>& f, S* lambda) {
  const std::vector<int>& rows = f.plan.rows;
  for (int r = f.plan.solved - 1; r >= 0; --r) {
    const S* const row = f.row(r);
    S sum = f.g[r];
    for (int c = r + 1; c < f.size; ++c) sum += row[c] * lambda[rows[c]];
    lambda[rows[r]] = -(row[r] * sum);
  }
}

// Rows that end at the world, whose acceleration (minus gravity) is known: g takes it in, and
// lambda follows at once.
template <class S>
void solve_at_world(MotionWorkspace<S>& ws) {
  const Front& front = ws.plan.fronts[ws.plan.world_front];
  assemble(front, ws);
  FrontView<S> f(front, ws.fronts);
  for (int r = 0; r < f.size; ++r) f.g[r] -= dot(f.Kf[r], ws.gravity);
  factorise<false>(f, ws.fronts);
  solve_back(f, ws.lambda.data());
}

// G += Q^T Z for the rows that pass, where Z = D^-1 Q
template <class S, class F>
void add_to_G(FrontView<S>& f, F&& product) {
  for (int r = f.plan.solved; r < f.size; ++r)
    for (int c = r; c < f.size; ++c) f.row(r)[c] += product(r, c);
}

template <class S>
void pass_rotation1(const LinkState<S>& x, FrontView<S>& f, Vec3<S>* Q) {
  for (int r = f.plan.solved; r < f.size; ++r) {
    Q[r].x += dot(x.s, f.Kn[r]);
    const S z = x.inverse_d * Q[r].x;
    f.g[r] += z * x.reduced;
    f.Kn[r] -= z * x.Un;
    f.Kf[r] -= z * x.Uf;
  }
  add_to_G(f, [&](int r, int c) { return x.inverse_d * Q[r].x * Q[c].x; });
}

template <class S>
void pass_rotation3(const LinkState<S>& x, FrontView<S>& f, Vec3<S>* Q) {
  // x.B is A^-1 B and x.n is A^-1 (tau - n) here
  const Sym3<S> A_inverse = inverse(x.A);
  for (int r = f.plan.solved; r < f.size; ++r) {
    Q[r] = A_inverse * f.Kn[r];
    f.g[r] += dot(f.Kn[r], x.n);
    f.Kf[r] -= transposed(x.B, f.Kn[r]);
  }
  add_to_G(f, [&](int r, int c) { return dot(f.Kn[r], Q[c]); });
  for (int r = f.plan.solved; r < f.size; ++r) f.Kn[r] = {};
}

template <class S>
void pass_general(const Link<S>& link, const MotionWorkspace<S>& ws, const GeneralFactor<S>& factor,
                  FrontView<S>& f, Vec3<S>* Q) {
  const Vec3<S> u{factor.u[0], link.nv > 1 ? factor.u[1] : S(0), link.nv > 2 ? factor.u[2] : S(0)};
  for (int r = f.plan.solved; r < f.size; ++r)
    for (int k = 0; k < link.nv; ++k) {
      const int j = link.v0 + k;
      if (ws.any_locked && ws.locked[j])
        Q[r][k] = S(0);
      else
        Q[r][k] += dot(ws.phi[j], f.Kn[r]) + dot(ws.psi[j], f.Kf[r]);
    }
  add_to_G(f, [&](int r, int c) { return dot(Q[r], factor.D_inverse * Q[c]); });
  for (int r = f.plan.solved; r < f.size; ++r) {
    const Vec3<S> z = factor.D_inverse * Q[r];
    f.g[r] += dot(z, u);
    for (int k = 0; k < link.nv; ++k) {
      f.Kn[r] -= z[k] * factor.Un[k];
      f.Kf[r] -= z[k] * factor.Uf[k];
    }
  }
}

// Nothing but the joint's own force passes: K' = 0. Qn, Qf: I^-1 K. `lanes` is scratch for their
// components, rows side by side: many rows meet at a platform.
template <class S>
void pass_free(const LinkState<S>& x, FrontView<S>& f, Vec3<S>* Qn, Vec3<S>* Qf, S* lanes) {
  const Sym3<S> A_inverse = inverse(x.A);
  const Mat3<S> E = A_inverse * x.B;
  auto product = [&](int k, int l) { return dot(x.B.c[k], E.c[l]); };
  const Sym3<S> schur_inverse = inverse(x.D - Sym3<S>{product(0, 0), product(1, 1), product(2, 2),
                                                      product(0, 1), product(0, 2), product(1, 2)});
  for (int r = f.plan.solved; r < f.size; ++r) {
    Qf[r] = schur_inverse * (f.Kf[r] - transposed(E, f.Kn[r]));
    Qn[r] = A_inverse * f.Kn[r] - E * Qf[r];
    f.g[r] += dot(f.Kn[r], x.dw) + dot(f.Kf[r], x.du);
    for (int k = 0; k < 3; ++k) {
      lanes[k * f.width + r] = Qn[r][k];
      lanes[(k + 3) * f.width + r] = Qf[r][k];
    }
  }
  for (int r = f.plan.solved; r < f.size; ++r) {
    const Vec3<S>&n = f.Kn[r], &u = f.Kf[r];
    const S factors[6] = {n.x, n.y, n.z, u.x, u.y, u.z};
    add_scaled(f.row(r), factors, lanes, f.width, r, f.size);
  }
  for (int r = f.plan.solved; r < f.size; ++r) f.Kn[r] = f.Kf[r] = {};
}

// The rows that pass the joint of link i, after its elimination: to the parent's origin.
template <class S>
void pass_rows(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, int i) {
  const Link<S>& link = mechanism.links[i];
  const LinkState<S>& x = ws.links[i];
  FrontView<S> f(ws.plan.fronts[ws.plan.front_through[i]], ws.fronts);
  Vec3<S>* Qn = ws.fronts.Qn.data() + ws.plan.Q0[i];
  Vec3<S>* Qf = ws.fronts.Qf.data() + ws.plan.Q0[i];
  for (int r = f.plan.solved; r < f.size; ++r) Qn[r] = {};
  const bool held = is_held(link, ws);
  for (const FrontTerm& t : ws.plan.terms[i]) {
    const RowTerm<S>& term = mechanism.terms[t.term];
    const S& factor = ws.term_factor[t.term];
    if (!held)
      Qn[t.place][term.component] += factor;
    else if (link.driven)
      f.g[t.place] += factor * ws.prescribed[link.v0 + term.component];
  }
  Given<S> c{x.cw, x.cu};
  if (held) {
    c = given_acceleration(link, ws, i);
  } else {
    switch (link.motion) {
      case Motion::rotation1:
        pass_rotation1(x, f, Qn);
        break;
      case Motion::rotation3:
        pass_rotation3(x, f, Qn);
        break;
      case Motion::free6:
        return pass_free(x, f, Qn, Qf, ws.fronts.lanes.data());
      default:
        pass_general(link, ws, ws.factors[i], f, Qn);
    }
  }
  for (int r = f.plan.solved; r < f.size; ++r) {
    f.g[r] += dot(f.Kn[r], c.w) + dot(f.Kf[r], c.u);
    if constexpr (std::is_same_v<S, double>) {
      ws.fronts.Ln[ws.plan.Q0[i] + r] = f.Kn[r];
      ws.fronts.Lf[ws.plan.Q0[i] + r] = f.Kf[r];
    }
    f.Kn[r] += cross(x.r, f.Kf[r]);
  }
}

// lambda of the rows solved at a link, now that its acceleration is known.
template <class S>
void solve_at_link(int index, const LinkState<S>& x, MotionWorkspace<S>& ws) {
  const FrontView<S> f(ws.plan.fronts[index], ws.fronts);
  for (int r = 0; r < f.plan.solved; ++r) f.g[r] += dot(f.Kn[r], x.dw) + dot(f.Kf[r], x.du);
  solve_back(f, ws.lambda.data());
}

// Lets the multipliers act on the joint's own acceleration.
template <class S>
void apply_multipliers(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, int i) {
  const Link<S>& link = mechanism.links[i];
  if (is_held(link, ws)) return;
  const Front& front = ws.plan.fronts[ws.plan.front_through[i]];
  LinkState<S>& x = ws.links[i];
  const Vec3<S>* Qn = ws.fronts.Qn.data() + ws.plan.Q0[i];
  const Vec3<S>* Qf = ws.fronts.Qf.data() + ws.plan.Q0[i];
  Vec3<S> push;
  for (int r = front.solved; r < front.size(); ++r) push += ws.lambda[front.rows[r]] * Qn[r];
  switch (link.motion) {
    case Motion::rotation1:
      x.reduced += push.x;
      break;
    case Motion::rotation3:
      x.n += push;
      break;
    case Motion::free6: {
      x.dw += push;
      for (int r = front.solved; r < front.size(); ++r) x.du += ws.lambda[front.rows[r]] * Qf[r];
      break;
    }
    default:
      for (int k = 0; k < link.nv; ++k) ws.factors[i].u[k] += push[k];
  }
}

template <class S>
void solve_without_loop_rotors(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  const ConstraintPlan& plan = ws.plan;
  const int n = static_cast<int>(mechanism.links.size());
  ws.fronts.least_pivot = 1;
  for (S& lambda : ws.lambda) lambda = S(0);
  for (int i = n - 1; i >= 0; --i) {
    const Link<S>& link = mechanism.links[i];
    if (link.leaf) start_link(mechanism, ws, i);
    if (plan.front_at[i] >= 0) begin_front(plan.front_at[i], ws.links[i], ws);
    if (link.last_child) start_link(mechanism, ws, link.parent);
    articulated::eliminate(mechanism, ws, i);
    if (plan.front_through[i] >= 0) pass_rows(mechanism, ws, i);
  }
  if (plan.world_front >= 0) solve_at_world(ws);
  for (int i = 0; i < n; ++i) {
    if (plan.front_through[i] >= 0) apply_multipliers(mechanism, ws, i);
    articulated::accelerate(mechanism, ws, i);
    if (plan.front_at[i] >= 0) solve_at_link(plan.front_at[i], ws.links[i], ws);
  }
}

}  // namespace

template <class S>
void solve_closed(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  if constexpr (!std::is_same_v<S, Expression> && !std::is_same_v<S, Mixed>)
    if (mechanism.absolute) return solve_absolute(mechanism, ws);
  if (mechanism.loop_rotors.empty()) return solve_without_loop_rotors(mechanism, ws);
  solve_with_loop_rotors<S>(mechanism, ws, solve_without_loop_rotors<S>);
}

#define CARTAN_INSTANTIATE(S) \
  template void solve_closed<S>(const Mechanism<S>&, MotionWorkspace<S>&);
CARTAN_FOR_EACH_SCALAR_AND_EXPRESSION(CARTAN_INSTANTIATE)
CARTAN_INSTANTIATE(Mixed)
#undef CARTAN_INSTANTIATE

}  // namespace cartan::mechanics
