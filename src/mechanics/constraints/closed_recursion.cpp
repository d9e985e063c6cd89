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

// to[k] += from[k] for a few numbers
template <class S>
void add_row(S* __restrict__ to, const S* __restrict__ from, int count) {
  for (int k = 0; k < count; ++k) to[k] += from[k];
}

template <class S>
void add_child_matrix(const ChildFront& child, const FrontView<S>& from, FrontView<S>& to) {
  const int first = from.plan.solved;
  for (int r = first; r < from.size; ++r) {
    const int a = child.to[r - first];
    const S* const row = from.row(r);
    if (child.in_order) {
      add_row(to.row(a) + a, row + r, from.size - r);
      continue;
    }
    for (int c = r; c < from.size; ++c) {
      const int b = child.to[c - first];
      to.row(std::min(a, b))[std::max(a, b)] += row[c];
    }
  }
}

// The rows of the children and of the sources here. Of rows that end at the world, whose
// acceleration (less gravity) is known, g takes in K^T a at once.
template <bool at_world, class S>
void assemble(const Front& front, MotionWorkspace<S>& ws) {
  FrontView<S> to(front, ws.fronts);
  for (int r = 0; r < to.size; ++r) {
    if constexpr (!at_world) to.Kn[r] = to.Kf[r] = {};
    to.g[r] = S(0);
  }
  const auto add = [&](int place, const Vec3<S>& n, const Vec3<S>& f) {
    if constexpr (at_world) {
      to.g[place] -= dot(f, ws.gravity);
    } else {
      to.Kn[place] += n;
      to.Kf[place] += f;
    }
  };
  if (!front.goes_on) std::fill(to.G, to.G + to.size * to.width, S(0));
  for (const ChildFront& child : front.children) {
    const FrontView<S> from(ws.plan.fronts[child.front], ws.fronts);
    const int first = from.plan.solved;
    for (int r = first; r < from.size; ++r) {
      const int place = child.to[r - first];
      add(place, from.Kn[r], from.Kf[r]);
      to.g[place] += from.g[r];
    }
    if (from.G != to.G) add_child_matrix(child, from, to);
  }
  for (const FrontSource& s : front.sources)
    add(s.place, ws.source_n[s.source], ws.source_f[s.source]);
  for (int r = 0; r < front.solved; ++r) to.g[r] += ws.row_rest[front.rows[r]];
}

// 1 / pivot, or zero for a row that adds nothing to those before it.
template <class S>
S invert_pivot(const S& pivot, const S& diagonal) {
  return select(less(S(least_front_sine2) * diagonal, pivot), S(1) / pivot, S(0));
}
// Expressions are derived for rows known to be independent.
Expression invert_pivot(const Expression& pivot, const Expression&) {
  return Expression(1) / pivot;
}

// What `count` rows from r on take from row c, and from what stands beside it.
template <bool with_K, int count, class S>
void subtract_rows(FrontView<S>& f, const S* inverse, int r, int c) {
  const S* const rows = f.row(r);
  S shares[count];
  for (int p = 0; p < count; ++p) {
    shares[p] = -(inverse[r + p] * rows[p * f.width + c]);
    f.g[c] += shares[p] * f.g[r + p];
    if constexpr (with_K) {
      f.Kn[c] += shares[p] * f.Kn[r + p];
      f.Kf[c] += shares[p] * f.Kf[r + p];
    }
  }
  add_scaled(f.row(c), shares, rows, f.width, c, f.size);
}

// The pivots of `count` rows from r on, which all before them have been subtracted from, inverted:
// in place of what stood on the diagonal at first.
template <bool with_K, int count, class S>
void invert_pivots(FrontView<S>& f, S* diagonal, int r, double& least_pivot) {
  for (int k = r; k < r + count; ++k) {
    const S pivot = f.row(k)[k];
    const double size = value_of(diagonal[k]);
    if (!(value_of(pivot) >= least_pivot * size)) least_pivot = value_of(pivot) / size;
    diagonal[k] = invert_pivot(pivot, diagonal[k]);
    for (int c = k + 1; c < r + count; ++c) subtract_rows<with_K, 1>(f, diagonal, k, c);
  }
}

// Partial factorisation: G = L D L^T on the rows solved; D L^T stays where G was, with D inverted.
// What stands beside them and what they take from the rows that go on likewise. Some rows are at
// once subtracted from all later ones, but first from those whose pivots are next: a pivot waits
// for the one before it, and in the meantime the others are worked on. The inverted pivots stand
// aside until the end: a number just written delays whoever reads it with its neighbours. Without K
// where the acceleration is known and K^T a already is in g.
template <bool with_K, class S>
void factorise(FrontView<S>& f, ConstraintFronts<S>& numbers) {
  constexpr int together = 3;
  const int solved = f.plan.solved;
  S* const inverse = numbers.diagonal.data();
  double least = numbers.least_pivot;
  for (int r = 0; r < solved; ++r) inverse[r] = f.row(r)[r];
  int r = 0;
  if (solved >= together) invert_pivots<with_K, together>(f, inverse, 0, least);
  for (; r + together <= solved; r += together) {
    const int next = r + together, later = next + together <= solved ? next + together : next;
    for (int c = next; c < later; ++c) subtract_rows<with_K, together>(f, inverse, r, c);
    if (later > next) invert_pivots<with_K, together>(f, inverse, next, least);
    for (int c = later; c < f.size; ++c) subtract_rows<with_K, together>(f, inverse, r, c);
  }
  for (; r < solved; ++r) {
    invert_pivots<with_K, 1>(f, inverse, r, least);
    for (int c = r + 1; c < f.size; ++c) subtract_rows<with_K, 1>(f, inverse, r, c);
  }
  for (int k = 0; k < solved; ++k) f.row(k)[k] = inverse[k];
  numbers.least_pivot = least;
}

template <class S>
void stiffen(const FrontView<S>& f, LinkState<S>& x) {
  for (int r = 0; r < f.plan.solved; ++r) {
    const Vec3<S>&n = f.Kn[r], &u = f.Kf[r];
    const S& inverse = f.row(r)[r];
    const Vec3<S> Yn = inverse * n, Yf = inverse * u;
    x.A += symmetric_outer(Yn, n);
    x.D += symmetric_outer(Yf, u);
    x.B += outer(Yn, u);
    x.n += f.g[r] * Yn;
    x.f += f.g[r] * Yf;
  }
}

template <class S>
void begin_front(int index, LinkState<S>& x, MotionWorkspace<S>& ws) {
  const Front& front = ws.plan.fronts[index];
  assemble<false>(front, ws);
  if (front.solved == 0) return;
  FrontView<S> f(front, ws.fronts);
  factorise<true>(f, ws.fronts);
  stiffen(f, x);
}

// What `count` multipliers from place c on add to the rows before them.
template <int count, class S>
void add_known(const FrontView<S>& f, int c, const S* known) {
  for (int r = std::min(c, f.plan.solved) - 1; r >= 0; --r) {
    const S* const row = f.row(r) + c;
    S sum = row[0] * known[0];
    for (int k = 1; k < count; ++k) sum += row[k] * known[k];
    f.g[r] += sum;
  }
}

// lambda of the rows solved, given those that go on: -D^-1 (g + what later rows add), the last
// first, and several before they are told to the others.
template <class S>
void solve_back(const FrontView<S>& f, S* lambda) {
  constexpr int together = 3;
  const int* const rows = f.plan.rows.data();
  const int solved = f.plan.solved;
  for (int c = solved; c < f.size; ++c) add_known<1>(f, c, &lambda[rows[c]]);
  int end = solved;
  for (; end >= together; end -= together) {
    const int first = end - together;
    S known[together];
    for (int k = together - 1; k >= 0; --k) {
      const S* const row = f.row(first + k) + first;
      S sum = f.g[first + k];
      for (int l = k + 1; l < together; ++l) sum += row[l] * known[l];
      lambda[rows[first + k]] = known[k] = -(row[k] * sum);
    }
    add_known<together>(f, first, known);
  }
  for (int c = end - 1; c >= 0; --c) {
    const S known = -(f.row(c)[c] * f.g[c]);
    lambda[rows[c]] = known;
    add_known<1>(f, c, &known);
  }
}

// Rows that end at the world: lambda follows at once.
template <class S>
void solve_at_world(MotionWorkspace<S>& ws) {
  const Front& front = ws.plan.fronts[ws.plan.world_front];
  assemble<true>(front, ws);
  FrontView<S> f(front, ws.fronts);
  factorise<false>(f, ws.fronts);
  solve_back(f, ws.lambda.data());
}

// A row that passes a joint: taken from its front, and put back at the parent's origin.
template <class S>
struct PassingRow {
  Vec3<S> Kn, Kf;
  S g;
  PassingRow(const FrontView<S>& f, int r) : Kn(f.Kn[r]), Kf(f.Kf[r]), g(f.g[r]) {}
};

// What happens to it behind the joint's answer: it takes in the accelerations c that are given.
template <class S>
struct Leaving {
  const Vec3<S> arm;
  const Given<S> c;
  Vec3<S>*Ln, *Lf;  // of the link's rows

  void operator()(const PassingRow<S>& row, FrontView<S>& f, int r) const {
    f.g[r] = row.g + dot(row.Kn, c.w, row.Kf, c.u);
    f.Kn[r] = row.Kn + cross(arm, row.Kf);
    f.Kf[r] = row.Kf;
    if constexpr (!std::is_same_v<S, double>) return;
    Ln[r] = row.Kn;
    Lf[r] = row.Kf;
  }
};

// The joint's answer to the rows that pass, z = D^-1 Q: G' = G + Q^T z.
template <class S>
void pass_rotation1(const LinkState<S>& x, FrontView<S>& f, Vec3<S>* Q, const Leaving<S>& leave) {
  for (int r = f.plan.solved; r < f.size; ++r) Q[r].x += dot(x.s, f.Kn[r]);
  for (int r = f.plan.solved; r < f.size; ++r) {
    PassingRow<S> row(f, r);
    const S z = x.inverse_d * Q[r].x;
    for (int c = r; c < f.size; ++c) f.row(r)[c] += z * Q[c].x;
    row.g += z * x.reduced;
    row.Kn -= z * x.Un;
    row.Kf -= z * x.Uf;
    leave(row, f, r);
  }
}

template <class S>
void pass_rotation3(const LinkState<S>& x, FrontView<S>& f, Vec3<S>* Q, const Leaving<S>& leave) {
  // x.B is A^-1 B and x.n is A^-1 (tau - n) here
  const Sym3<S> A_inverse = inverse(x.A);
  for (int r = f.plan.solved; r < f.size; ++r) Q[r] = A_inverse * f.Kn[r];
  for (int r = f.plan.solved; r < f.size; ++r) {
    PassingRow<S> row(f, r);
    for (int c = r; c < f.size; ++c) f.row(r)[c] += dot(row.Kn, Q[c]);
    row.g += dot(row.Kn, x.n);
    row.Kf -= transposed(x.B, row.Kn);
    row.Kn = {};
    leave(row, f, r);
  }
}

// a . b of K numbers
template <int K, class S>
S dot_of(const Vec3<S>& a, const Vec3<S>& b) {
  if constexpr (K == 1) return a.x * b.x;
  if constexpr (K == 2) return a.x * b.x + a.y * b.y;
  return dot(a, b);
}

template <int K, class S>
void pass_general(const Link<S>& link, const MotionWorkspace<S>& ws, const GeneralFactor<S>& factor,
                  FrontView<S>& f, Vec3<S>* Q, const Leaving<S>& leave) {
  const Vec3<S>*phi = ws.phi.data() + link.v0, *psi = ws.psi.data() + link.v0;
  const auto seen = [&](int k, int r) {
    if (k >= K || (ws.any_locked && ws.locked[link.v0 + k])) return S(0);
    return (k == 0 ? Q[r].x : k == 1 ? Q[r].y : Q[r].z) + dot(phi[k], f.Kn[r], psi[k], f.Kf[r]);
  };
  for (int r = f.plan.solved; r < f.size; ++r) Q[r] = {seen(0, r), seen(1, r), seen(2, r)};
  for (int r = f.plan.solved; r < f.size; ++r) {
    PassingRow<S> row(f, r);
    const Vec3<S> z = answer<K>(factor, Q[r]);
    for (int c = r; c < f.size; ++c) f.row(r)[c] += dot_of<K>(z, Q[c]);
    for (int k = 0; k < K; ++k) {
      row.g += z[k] * factor.u[k];
      row.Kn -= z[k] * factor.Un[k];
      row.Kf -= z[k] * factor.Uf[k];
    }
    leave(row, f, r);
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
    f.g[r] += dot(f.Kn[r], x.dw, f.Kf[r], x.du);
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
  const std::size_t Q0 = ws.plan.Q0[i];
  const Leaving<S> leave{x.r, held ? given_acceleration(link, ws, i) : Given<S>{x.cw, x.cu},
                         ws.fronts.Ln.data() + Q0, ws.fronts.Lf.data() + Q0};
  if (held) {
    for (int r = f.plan.solved; r < f.size; ++r) leave(PassingRow<S>(f, r), f, r);
    return;
  }
  switch (link.motion) {
    case Motion::rotation1:
      return pass_rotation1(x, f, Qn, leave);
    case Motion::rotation3:
      return pass_rotation3(x, f, Qn, leave);
    case Motion::free6:
      return pass_free(x, f, Qn, Qf, ws.fronts.lanes.data());
    default:
      if (link.nv == 1) return pass_general<1>(link, ws, ws.factors[i], f, Qn, leave);
      if (link.nv == 2) return pass_general<2>(link, ws, ws.factors[i], f, Qn, leave);
      return pass_general<3>(link, ws, ws.factors[i], f, Qn, leave);
  }
}

// lambda of the rows solved at a link, now that its acceleration is known.
template <class S>
void solve_at_link(int index, const LinkState<S>& x, MotionWorkspace<S>& ws) {
  const FrontView<S> f(ws.plan.fronts[index], ws.fronts);
  for (int r = 0; r < f.plan.solved; ++r) f.g[r] += dot(f.Kn[r], x.dw, f.Kf[r], x.du);
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
      x.own += x.inverse_d * push.x;
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
  Outward<S> accelerate(mechanism, ws);
  for (int i = 0; i < n; ++i) {
    if (plan.front_through[i] >= 0) apply_multipliers(mechanism, ws, i);
    accelerate(i);
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
