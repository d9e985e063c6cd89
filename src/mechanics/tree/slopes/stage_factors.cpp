// The elimination of stage_elimination.h: columns of G, rows of H and T as vectors.
#include <algorithm>
#include <utility>

#include "mechanics/tree/stage_elimination.h"

namespace cartan::mechanics {

using namespace stages;

namespace {

// In place, rows exchanged as needed; of `count` rows where that is known.
template <int count, class C, int most>
void invert_pivoted(C (&M)[most][most], int given_size) {
  const int size = count > 0 ? count : given_size;
  C right[most][most];
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j) right[i][j] = C(i == j ? 1.0 : 0.0);
  for (int k = 0; k < size; ++k) {
    int best = k;
    for (int i = k + 1; i < size; ++i)
      if (size_of(M[i][k]) > size_of(M[best][k])) best = i;
    for (int j = 0; j < size; ++j) {
      std::swap(M[k][j], M[best][j]);
      std::swap(right[k][j], right[best][j]);
    }
    const C inverse = reciprocal(M[k][k]);
    for (int j = 0; j < size; ++j) {
      M[k][j] = inverse * M[k][j];
      right[k][j] = inverse * right[k][j];
    }
    for (int i = 0; i < size; ++i) {
      if (i == k) continue;
      const C share = M[i][k];
      for (int j = 0; j < size; ++j) {
        M[i][j] -= share * M[k][j];
        right[i][j] -= share * right[k][j];
      }
    }
  }
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j) M[i][j] = right[i][j];
}

void set_real(Wide<double>& to, const Vec3<double>& n, const Vec3<double>& f) {
  to.a = Lanes{n.x, n.y, n.z, f.x, f.y, f.z};
}
void set_real(Wide<Complex>& to, const Vec3<double>& n, const Vec3<double>& f) {
  to.re = Lanes{n.x, n.y, n.z, f.x, f.y, f.z};
  to.im = Lanes{};
}
Lanes six_of(const Vec3<double>& n, const Vec3<double>& f) {
  return Lanes{n.x, n.y, n.z, f.x, f.y, f.z};
}
Lanes six_at(const double* at) {
  return Lanes{at[0], at[1], at[2], at[3], at[4], at[5]};
}
Lanes three_of(const Vec3<double>& o) {
  return Lanes{o.x, o.y, o.z};
}
// Six numbers and three.
void put_nine(double* at, const Wide<double>& z, const Wide<double>& o) {
  lanes::put_part(at, z.a, 6);
  lanes::put_part(at + 6, o.a, 3);
}
void put_nine(double* at, const Wide<Complex>& z, const Wide<Complex>& o) {
  put_nine(at, Wide<double>{z.re}, Wide<double>{o.re});
  put_nine(at + 9, Wide<double>{z.im}, Wide<double>{o.im});
}

// Component i of a column.
double component(const SlopeColumn& c, int i) {
  return i < 3 ? c.phi[i] : c.psi[i - 3];
}

}  // namespace

template <class C>
void StageElimination::prepare(StageFactors<C>& factors) {
  scratch<C>().answers.resize(slots_);
  scratch<C>().passing.resize(slots_);
  if (!factors.at.empty()) return;
  std::size_t numbers = 0;
  for (const SlopeLink& x : plan_.links) {
    factors.at.push_back(numbers);
    numbers += StageFactors<C>::numbers_of(x.nv);
  }
  factors.numbers.resize(numbers + lanes::width);
}

// Of the body alone: [J h^; -h^ m] and C.
template <class C>
void StageElimination::start_answer(int d, Wide<C>* G) const {
  const SlopeBody& b = links_.body(d);
  const Mat3<double> J = full(b.J), h = hat(b.h);
  for (int k = 0; k < 3; ++k) {
    set_real(G[k], J.c[k], -h.c[k]);
    set_real(G[3 + k], h.c[k], b.m * unit_vector<double>(k));
    set_real(G[6 + k], b.Cn.c[k], b.Cf.c[k]);
  }
}

// -------------------------------------------------------------------------------------- one joint

template <class C, int speeds>
void StageElimination::make_step(int d, const C& v_scale, const C& q_scale, const TurnBlocks* turns,
                                 Step<C, most_of(speeds)>& step) {
  const SlopeLink& at = plan_.links[d];
  const int nv = speeds > 0 ? speeds : at.nv;
  const SlopeBody& b = links_.body(d);
  const bool any_law = !joint_laws_.empty();
  const JointLaws laws = any_law ? laws_of(d) : JointLaws{};
  constexpr int most = most_of(speeds);
  Lanes by_q[most], turned[most], jump[most];  // of a displacement: motion, o, what is transmitted
  for (int k = 0; k < nv; ++k) {
    const SlopeColumn& c = links_.column(at.p0 + k);
    by_q[k] = six_of(c.by_q.n, c.by_q.f);
    turned[k] = three_of(c.o);
    jump[k] = six_of(cross(c.phi, b.n) + cross(c.psi, b.f), cross(c.phi, b.f));
  }
  for (int l = 0; l < nv; ++l) {
    const SlopeColumn& c = links_.column(at.p0 + l);
    step.Tz[l] = step.To[l] = step.own[l] = step.out[l] = {};
    add_product(step.Tz[l], v_scale, six_of(c.by_v.n, c.by_v.f));
    add_product(step.To[l], v_scale, three_of(c.phi));
    for (int m = 0; m < nv; ++m)
      step.force[m][l] = any_law ? -laws.force[1][m * nv + l] * v_scale : C(0.0);
    if (any_wrench_) {
      add_product(step.own[l], -v_scale, six_at(laws.own[1][l]));
      add_product(step.out[l], -v_scale, six_at(laws.on_parent[1][l]));
    }
    for (int k = 0; k < nv; ++k) {
      const double share =
          turns ? (*turns)(plan_.speed[at.p0 + k], plan_.speed[at.p0 + l]) : (k == l ? 1.0 : 0.0);
      if (share == 0) continue;
      const C scale = share * q_scale;
      add_product(step.Tz[l], scale, by_q[k]);
      add_product(step.To[l], scale, turned[k]);
      add_product(step.out[l], scale, jump[k]);
      for (int m = 0; any_law && m < nv; ++m) step.force[m][l] -= laws.force[0][m * nv + k] * scale;
      if (!any_wrench_) continue;
      add_product(step.own[l], -scale, six_at(laws.own[0][k]));
      add_product(step.out[l], -scale, six_at(laws.on_parent[0][k]));
    }
  }
  // the columns of the joint change: D_k,m . F
  const std::vector<LinkSlopes::OwnForce>& all = links_.own_forces();
  const auto first = std::lower_bound(all.begin(), all.end(), d,
                                      [](const auto& own, int link) { return own.link < link; });
  for (auto own = first; own != all.end() && own->link == d; ++own)
    for (int l = 0; l < nv; ++l) {
      const double share = turns ? (*turns)(plan_.speed[own->k], plan_.speed[at.p0 + l])
                                 : (own->k == at.p0 + l ? 1.0 : 0.0);
      if (share != 0) step.force[own->i - at.p0][l] += (own->value * share) * q_scale;
    }
}

template <class C, int speeds, bool turning>
void StageElimination::factorise_joint(int d, const C& v_scale, const C& q_scale,
                                       const TurnBlocks* turns, StageFactors<C>& factors) {
  constexpr int parts = Wide<C>::parts;
  const SlopeLink& at = plan_.links[d];
  const int nv = speeds > 0 ? speeds : at.nv;
  constexpr int span = turning ? 3 : 6, most = most_of(speeds);
  const auto joint = StageFactors<C>::view(factors.numbers.data() + factors.at[d], nv);
  Answer<C>* const answers = scratch<C>().answers.data();
  Wide<C>(&G)[9] = answers[slot_[d]].G;
  if (!has_children_[d]) start_answer<C>(d, G);
  Step<C, most> step;
  make_step<C, speeds>(d, v_scale, q_scale, turns, step);
  // H = G T + own
  Wide<C> H[most];
  for (int l = 0; l < nv; ++l) {
    const SlopeColumn& c = links_.column(at.p0 + l);
    add_product(step.Tz[l], C(1.0), motion_of(c));
    const Spread<C> z(step.Tz[l]), o(step.To[l]);
    H[l] = step.own[l];
    for (int k = 0; k < 6; ++k) add_product(H[l], z[k], G[k]);
    for (int k = 0; k < 3; ++k) add_product(H[l], o[k], G[6 + k]);
    put_nine(joint.T + l * parts * 9, step.Tz[l], step.To[l]);
  }
  // N = S.H + rotor - d tau
  C N[most][most];
  Lanes S[6] = {};  // component i of all columns; of those that are held zero
  for (int m = 0; m < nv; ++m) {
    const SlopeColumn& c = links_.column(at.p0 + m);
    const bool held = links_.is_held(at.p0 + m);
    for (int i = 0; i < span; ++i) S[i][m] = joint.S[6 * m + i] = held ? 0 : component(c, i);
    for (int l = 0; l < nv; ++l) N[m][l] = held ? C(l == m ? 1.0 : 0.0) : step.force[m][l];
    if (!held) N[m][m] += C(mechanism_.rotor[plan_.speed[at.p0 + m]]);
  }
  for (int l = 0; l < nv; ++l) {
    const Spread<C> h(H[l]);
    Wide<C> sum;
    for (int i = 0; i < span; ++i) add_product(sum, h[i], S[i]);
    for (int m = 0; m < nv; ++m)
      if (!links_.is_held(at.p0 + m)) N[m][l] += sum[m];
  }
  invert_pivoted<speeds>(N, nv);
  Wide<C> columns[most];  // of the inverse
  for (int m = 0; m < nv; ++m) {
    for (int l = 0; l < nv; ++l) columns[m].set(l, N[l][m]);
    put_wide(joint.N + m * parts * nv, nv, columns[m]);
  }
  // Q = -N^-1 S.G
  Wide<C> Q[9];
  for (int k = 0; k < 9; ++k) {
    const Spread<C> g(G[k]);
    Wide<C> sum;
    for (int i = 0; i < span; ++i) add_product(sum, g[i], S[i]);
    const Spread<C> s(sum);
    for (int m = 0; m < nv; ++m) add_product(Q[k], -s[m], columns[m]);
    put_wide(joint.Q + k * parts * nv, nv, Q[k]);
  }
  for (int l = 0; l < nv; ++l) {
    H[l] += step.out[l];
    put_wide(joint.H + l * parts * 6, 6, H[l]);
  }
  const Vec3<double>& r = links_.body(d).r;
  for (int i = 0; i < 3; ++i) joint.r[i] = r[i];
  if (at.parent < 0) return;
  // G + H Q, with z = X z_p: columns of a, which moves b by a x r; to the parent's origin
  for (int k = 0; k < 9; ++k) {
    const Spread<C> q(Q[k]);
    for (int l = 0; l < nv; ++l) add_product(G[k], q[l], H[l]);
  }
  add_product(G[0], -r.z, G[4]);
  add_product(G[0], r.y, G[5]);
  add_product(G[1], r.z, G[3]);
  add_product(G[1], -r.x, G[5]);
  add_product(G[2], -r.y, G[3]);
  add_product(G[2], r.x, G[4]);
  const Arm arm = arm_of_wrench(r);
  Wide<C> carried[9];
  for (int k = 0; k < 9; ++k) carried[k] = carry_wrench(G[k], arm);
  Wide<C>(&to)[9] = answers[slot_[at.parent]].G;
  if (last_child_[d]) start_answer<C>(at.parent, to);
  for (int k = 0; k < 9; ++k) to[k] += carried[k];
}

template <class C>
void StageElimination::factorise(const C& v_scale, const C& q_scale, const TurnBlocks* turns,
                                 StageFactors<C>& factors) {
  prepare(factors);
  for (int d = static_cast<int>(plan_.links.size()) - 1; d >= 0; --d) {
    const int nv = plan_.links[d].nv;
    if (nv == 1 && !slides_[d])
      factorise_joint<C, 1, true>(d, v_scale, q_scale, turns, factors);
    else if (nv == 3 && !slides_[d])
      factorise_joint<C, 3, true>(d, v_scale, q_scale, turns, factors);
    else
      factorise_joint<C, 0, false>(d, v_scale, q_scale, turns, factors);
  }
}

#define CARTAN_INSTANTIATE_STAGES(C)                                                  \
  template void StageElimination::factorise<C>(const C&, const C&, const TurnBlocks*, \
                                               StageFactors<C>&);
CARTAN_INSTANTIATE_STAGES(double)
CARTAN_INSTANTIATE_STAGES(Complex)
#undef CARTAN_INSTANTIATE_STAGES

}  // namespace cartan::mechanics
