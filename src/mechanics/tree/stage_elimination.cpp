#include "mechanics/tree/stage_elimination.h"

#include <algorithm>
#include <cmath>

namespace cartan::mechanics {
namespace {

double size_of(double a) {
  return std::fabs(a);
}
double size_of(const Complex& a) {
  return std::fabs(a.re) + std::fabs(a.im);
}
double reciprocal(double a) {
  return 1 / a;
}
Complex reciprocal(const Complex& a) {
  const double scale = 1 / (a.re * a.re + a.im * a.im);
  return {a.re * scale, -a.im * scale};
}

// In place, rows exchanged as needed.
template <class C>
void invert_pivoted(C* flat, int size) {
  const auto M = [&](int i) { return flat + i * size; };
  C right[6][6];
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j) right[i][j] = C(i == j ? 1.0 : 0.0);
  for (int k = 0; k < size; ++k) {
    int best = k;
    for (int i = k + 1; i < size; ++i)
      if (size_of(M(i)[k]) > size_of(M(best)[k])) best = i;
    for (int j = 0; j < size; ++j) {
      std::swap(M(k)[j], M(best)[j]);
      std::swap(right[k][j], right[best][j]);
    }
    const C inverse = reciprocal(M(k)[k]);
    for (int j = 0; j < size; ++j) {
      M(k)[j] = inverse * M(k)[j];
      right[k][j] = inverse * right[k][j];
    }
    for (int i = 0; i < size; ++i) {
      if (i == k) continue;
      const C share = M(i)[k];
      for (int j = 0; j < size; ++j) {
        M(i)[j] -= share * M(k)[j];
        right[i][j] -= share * right[k][j];
      }
    }
  }
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j) M(i)[j] = right[i][j];
}

// to += r x a, for three numbers of any field
template <class C>
void add_cross(const Vec3<double>& r, const C* a, C* to) {
  to[0] += r.y * a[2] - r.z * a[1];
  to[1] += r.z * a[0] - r.x * a[2];
  to[2] += r.x * a[1] - r.y * a[0];
}
template <class C>
void subtract_cross(const Vec3<double>& r, const C* a, C* to) {
  to[0] += r.z * a[1] - r.y * a[2];
  to[1] += r.x * a[2] - r.z * a[0];
  to[2] += r.y * a[0] - r.x * a[1];
}

// Six numbers: a spatial vector.
void set_six(const SpatialPair& a, double* six) {
  for (int k = 0; k < 3; ++k) six[k] = a.n[k], six[3 + k] = a.f[k];
}

// z_i without the joint's own x: X z_p.
template <class C>
void carry_motion(const SlopeBody& b, const C* z, C* to) {
  for (int k = 0; k < 6; ++k) to[k] = z[k];
  subtract_cross(b.r, z, to + 3);
}

}  // namespace

bool acts_along_tree(const Mechanism<double>& mechanism, const SlopePlan& plan) {
  if (!mechanism.rows.empty() || mechanism.nz > 0) return false;
  return std::all_of(plan.laws.begin(), plan.laws.end(), [&](const LocalLaw& law) {
    if (law.kind != LocalLaw::Kind::force) return false;
    if (!law.pair)
      return law.in_links.empty() && law.out_links.empty() && law.in_joints.size() <= 1 &&
             law.in_joints == law.out_joints;
    const auto parent = [&](int i) { return i == world ? world - 1 : mechanism.links[i].parent; };
    return law.a == law.b || parent(law.a) == law.b || parent(law.b) == law.a;
  });
}

StageElimination::StageElimination(const Mechanism<double>& mechanism, const Mechanism<Dual4>& dual,
                                   const SlopePlan& plan)
    : mechanism_(mechanism),
      plan_(plan),
      links_(mechanism, dual, plan),
      laws_(mechanism, dual, plan),
      no_rows_(mechanism.row_count(), -1) {
  for (const LocalLaw& law : plan.laws) any_wrench_ |= law.pair || !law.out_links.empty();
  std::size_t factors = 0, laws = 0;
  for (const SlopeLink& x : plan.links) {
    factors_at_.push_back(factors);
    laws_at_.push_back(laws);
    factors += StageFactors<double>::numbers_of(x.nv);
    if (!plan.laws.empty()) laws += 2 * x.nv * (x.nv + (any_wrench_ ? 12 : 0));
  }
  factors_at_.push_back(factors);
  joint_laws_.assign(laws, 0.0);
}

StageElimination::JointLaws StageElimination::laws_of(int d) {
  const int nv = plan_.links[d].nv;
  double* const at = joint_laws_.data() + laws_at_[d];
  JointLaws laws{};
  for (const int by : {0, 1}) {
    laws.force[by] = at + by * nv * nv;
    if (!any_wrench_) continue;
    laws.own[by] = reinterpret_cast<double(*)[6]>(at + 2 * nv * nv + 6 * by * nv);
    laws.on_parent[by] = laws.own[by] + 2 * nv;
  }
  return laws;
}

template <>
std::vector<StageElimination::Passing<double>>& StageElimination::passing<double>() {
  real_.resize(plan_.links.size());
  return real_;
}
template <>
std::vector<StageElimination::Passing<Complex>>& StageElimination::passing<Complex>() {
  complex_.resize(plan_.links.size());
  return complex_;
}
template <>
std::vector<StageElimination::Answer<double>>& StageElimination::answers<double>() {
  real_answers_.resize(plan_.links.size());
  return real_answers_;
}
template <>
std::vector<StageElimination::Answer<Complex>>& StageElimination::answers<Complex>() {
  complex_answers_.resize(plan_.links.size());
  return complex_answers_;
}

// ------------------------------------------------------------------------------------------- laws

// A column of the joint of a neighbour or of the link itself; about the origin of that joint's
// link.
void StageElimination::add_wrench(int link, int column, const Vec3<double>& n,
                                  const Vec3<double>& f) {
  if (link == world || column >= 2 * plan_.nv) return;
  const int by = column >= plan_.nv ? 1 : 0, place = column - by * plan_.nv;
  const int d = plan_.position[plan_.link_of_place[place]], k = place - plan_.links[d].p0;
  const JointLaws laws = laws_of(d);
  const bool own = d == plan_.position[link];
  const Vec3<double> moment = own ? n : n - cross(links_.body(d).r, f);
  double* to = own ? laws.own[by][k] : laws.on_parent[by][k];
  for (int i = 0; i < 3; ++i) to[i] += moment[i], to[3 + i] += f[i];
}

// The length of a quaternion has a column of its own, which displacements do not see.
void StageElimination::add_force(int place, int column, double force) {
  if (column >= 2 * plan_.nv) return;
  const int by = column >= plan_.nv ? 1 : 0;
  const int d = plan_.position[plan_.link_of_place[place]];
  const SlopeLink& at = plan_.links[d];
  laws_of(d).force[by][(place - at.p0) * at.nv + column - by * plan_.nv - at.p0] += force;
}

void StageElimination::linearise(const MotionWorkspace<double>& ws, MotionWorkspace<Dual4>& dual) {
  links_.fill_motion(ws);
  if (plan_.laws.empty()) return;
  std::fill(joint_laws_.begin(), joint_laws_.end(), 0.0);
  laws_.fill(ws, dual, links_, no_rows_, *this);
}

// -------------------------------------------------------------------------------------- one joint

// What a change x of each speed does through the joint: motion, turning, wrenches of laws on the
// link and on the parent with the jump of what the joint transmits, forces of the joint itself.
template <class C>
struct StageElimination::Step {
  C Tz[6][6], To[6][3], own[6][6], out[6][6], force[6][6];
};

template <class C>
void StageElimination::make_step(int d, const C& v_scale, const C& q_scale, const TurnBlocks* turns,
                                 Step<C>& step) {
  const SlopeLink& at = plan_.links[d];
  const SlopeBody& b = links_.body(d);
  const bool any_law = !joint_laws_.empty();
  const JointLaws laws = any_law ? laws_of(d) : JointLaws{};
  for (int l = 0; l < at.nv; ++l) {
    const SlopeColumn& c = links_.column(at.p0 + l);
    double by_v[6];
    set_six(c.by_v, by_v);
    for (int i = 0; i < 6; ++i) {
      step.Tz[l][i] = by_v[i] * v_scale;
      step.own[l][i] = step.out[l][i] = C(0.0);
    }
    for (int i = 0; i < 3; ++i) step.To[l][i] = c.phi[i] * v_scale;
    for (int m = 0; m < at.nv; ++m) step.force[m][l] = C(0.0);
    for (int i = 0; any_wrench_ && i < 6; ++i) {
      step.own[l][i] -= laws.own[1][l][i] * v_scale;
      step.out[l][i] -= laws.on_parent[1][l][i] * v_scale;
    }
    for (int m = 0; any_law && m < at.nv; ++m)
      step.force[m][l] -= laws.force[1][m * at.nv + l] * v_scale;
    for (int k = 0; k < at.nv; ++k) {
      const double share =
          turns ? (*turns)(plan_.speed[at.p0 + k], plan_.speed[at.p0 + l]) : (k == l ? 1.0 : 0.0);
      if (share == 0) continue;
      const C scale = share * q_scale;
      const SlopeColumn& q = links_.column(at.p0 + k);
      double by_q[6], jump[6];
      set_six(q.by_q, by_q);
      set_six({cross(q.phi, b.n) + cross(q.psi, b.f), cross(q.phi, b.f)}, jump);
      for (int i = 0; i < 6; ++i) {
        step.Tz[l][i] += by_q[i] * scale;
        step.out[l][i] += jump[i] * scale;
      }
      for (int i = 0; i < 3; ++i) step.To[l][i] += q.o[i] * scale;
      for (int i = 0; any_wrench_ && i < 6; ++i) {
        step.own[l][i] -= laws.own[0][k][i] * scale;
        step.out[l][i] -= laws.on_parent[0][k][i] * scale;
      }
      for (int m = 0; any_law && m < at.nv; ++m)
        step.force[m][l] -= laws.force[0][m * at.nv + k] * scale;
    }
  }
  // the columns of the joint change: D_k,m . F
  const std::vector<LinkSlopes::OwnForce>& all = links_.own_forces();
  const auto first = std::lower_bound(all.begin(), all.end(), d,
                                      [](const auto& own, int link) { return own.link < link; });
  for (auto own = first; own != all.end() && own->link == d; ++own)
    for (int l = 0; l < at.nv; ++l) {
      const double share = turns ? (*turns)(plan_.speed[own->k], plan_.speed[at.p0 + l])
                                 : (own->k == at.p0 + l ? 1.0 : 0.0);
      if (share != 0) step.force[own->i - at.p0][l] += (own->value * share) * q_scale;
    }
}

// ------------------------------------------------------------------------------------ elimination

template <class C>
void StageElimination::factorise(const C& v_scale, const C& q_scale, const TurnBlocks* turns,
                                 StageFactors<C>& factors) {
  const int links = static_cast<int>(plan_.links.size());
  factors.numbers.resize(factors_at_.back());
  std::vector<Answer<C>>& answers_of = answers<C>();
  for (int d = 0; d < links; ++d) {
    const SlopeBody& b = links_.body(d);
    C(&G)[6][9] = answers_of[d].G;
    const Mat3<double> J = full(b.J), h = hat(b.h);
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) {
        G[i][k] = C(J.c[k][i]);
        G[i][3 + k] = C(h.c[k][i]);
        G[3 + i][k] = C(h.c[i][k]);
        G[3 + i][3 + k] = C(i == k ? b.m : 0.0);
        G[i][6 + k] = C(b.Cn.c[k][i]);
        G[3 + i][6 + k] = C(b.Cf.c[k][i]);
      }
  }
  Step<C> step;
  for (int d = links - 1; d >= 0; --d) {
    const SlopeLink& at = plan_.links[d];
    const SlopeBody& b = links_.body(d);
    C(&G)[6][9] = answers_of[d].G;
    const auto joint = StageFactors<C>::view(factors.numbers.data() + factors_at_[d], at.nv);
    make_step(d, v_scale, q_scale, turns, step);
    double S[6][6];
    for (int l = 0; l < at.nv; ++l) {
      const SlopeColumn& c = links_.column(at.p0 + l);
      set_six({c.phi, c.psi}, S[l]);
      for (int i = 0; i < 6; ++i) {
        joint.Tz[l][i] = step.Tz[l][i] + C(S[l][i]);
        joint.H[l][i] = step.own[l][i];
      }
      for (int i = 0; i < 3; ++i) joint.To[l][i] = step.To[l][i];
      for (int i = 0; i < 6; ++i) {
        for (int k = 0; k < 6; ++k) joint.H[l][i] += G[i][k] * joint.Tz[l][k];
        for (int k = 0; k < 3; ++k) joint.H[l][i] += G[i][6 + k] * joint.To[l][k];
      }
    }
    for (int m = 0; m < at.nv; ++m) {
      const bool held = links_.is_held(at.p0 + m);
      for (int l = 0; l < at.nv; ++l) {
        C sum = step.force[m][l];
        for (int i = 0; i < 6; ++i) sum += S[m][i] * joint.H[l][i];
        if (l == m) sum += C(mechanism_.rotor[plan_.speed[at.p0 + m]]);
        joint.N[m * at.nv + l] = held ? C(l == m ? 1.0 : 0.0) : sum;
      }
    }
    invert_pivoted(joint.N, at.nv);
    C rows[6][9];  // S.G
    for (int m = 0; m < at.nv; ++m)
      for (int k = 0; k < 9; ++k) {
        C sum(0.0);
        if (!links_.is_held(at.p0 + m))
          for (int i = 0; i < 6; ++i) sum += S[m][i] * G[i][k];
        rows[m][k] = sum;
      }
    for (int l = 0; l < at.nv; ++l)
      for (int k = 0; k < 9; ++k) {
        C sum(0.0);
        for (int m = 0; m < at.nv; ++m) sum -= joint.N[l * at.nv + m] * rows[m][k];
        (k < 6 ? joint.Q[l][k] : joint.Qo[l][k - 6]) = sum;
      }
    for (int l = 0; l < at.nv; ++l)
      for (int i = 0; i < 6; ++i) joint.H[l][i] += step.out[l][i];
    if (at.parent < 0) continue;
    for (int l = 0; l < at.nv; ++l)
      for (int i = 0; i < 6; ++i)
        for (int k = 0; k < 9; ++k)
          G[i][k] += joint.H[l][i] * (k < 6 ? joint.Q[l][k] : joint.Qo[l][k - 6]);
    // with z = X z_p: columns of a, which moves b by a x r
    C(&to)[6][9] = answers_of[at.parent].G;
    C moved[6][9];
    for (int i = 0; i < 6; ++i) {
      for (int k = 0; k < 9; ++k) moved[i][k] = G[i][k];
      add_cross(b.r, G[i] + 3, moved[i]);
    }
    for (int k = 0; k < 9; ++k) {
      C column[6];
      for (int i = 0; i < 6; ++i) column[i] = moved[i][k];
      add_cross(b.r, column + 3, column);
      for (int i = 0; i < 6; ++i) to[i][k] += column[i];
    }
  }
}

template <class C>
void StageElimination::solve(StageFactors<C>& factors, std::span<C> x) {
  const int links = static_cast<int>(plan_.links.size());
  std::vector<Passing<C>>& through = passing<C>();
  for (Passing<C>& link : through) std::fill(link.p, link.p + 6, C(0.0));
  for (int d = links - 1; d >= 0; --d) {
    const SlopeLink& at = plan_.links[d];
    const auto joint = StageFactors<C>::view(factors.numbers.data() + factors_at_[d], at.nv);
    C* p = through[d].p;
    C right[6];
    for (int l = 0; l < at.nv; ++l) {
      right[l] = x[at.p0 + l];
      if (links_.is_held(at.p0 + l)) continue;
      const SlopeColumn& c = links_.column(at.p0 + l);
      for (int i = 0; i < 3; ++i) {
        right[l] -= c.phi[i] * p[i];
        right[l] -= c.psi[i] * p[3 + i];
      }
    }
    for (int l = 0; l < at.nv; ++l) {
      C sum(0.0);
      for (int m = 0; m < at.nv; ++m) sum += joint.N[l * at.nv + m] * right[m];
      x[at.p0 + l] = sum;
    }
    if (at.parent < 0) continue;
    for (int l = 0; l < at.nv; ++l)
      for (int i = 0; i < 6; ++i) p[i] += joint.H[l][i] * x[at.p0 + l];
    C* to = through[at.parent].p;
    for (int i = 0; i < 6; ++i) to[i] += p[i];
    add_cross(links_.body(d).r, p + 3, to);
  }
  Passing<C> ground;
  std::fill(ground.z, ground.z + 6, C(0.0));
  std::fill(ground.o, ground.o + 3, C(0.0));
  for (int d = 0; d < links; ++d) {
    const SlopeLink& at = plan_.links[d];
    const auto joint = StageFactors<C>::view(factors.numbers.data() + factors_at_[d], at.nv);
    const Passing<C>& parent = at.parent < 0 ? ground : through[at.parent];
    Passing<C>& link = through[d];
    C z[6];
    carry_motion(links_.body(d), parent.z, z);
    for (int i = 0; i < 6; ++i) link.z[i] = z[i];
    for (int i = 0; i < 3; ++i) link.o[i] = parent.o[i];
    for (int l = 0; l < at.nv; ++l) {
      C sum = x[at.p0 + l];
      for (int i = 0; i < 6; ++i) sum += joint.Q[l][i] * z[i];
      for (int i = 0; i < 3; ++i) sum += joint.Qo[l][i] * parent.o[i];
      x[at.p0 + l] = sum;
      for (int i = 0; i < 6; ++i) link.z[i] += joint.Tz[l][i] * sum;
      for (int i = 0; i < 3; ++i) link.o[i] += joint.To[l][i] * sum;
    }
  }
}

// Outward z = X z_p + S x, inward the wrenches I z; S^T of them.
template <class C>
void StageElimination::multiply_mass(std::span<const C> x, std::span<C> forces) {
  const int links = static_cast<int>(plan_.links.size());
  std::vector<Passing<C>>& through = passing<C>();
  Passing<C> ground;
  std::fill(ground.z, ground.z + 6, C(0.0));
  for (int d = 0; d < links; ++d) {
    const SlopeLink& at = plan_.links[d];
    const SlopeBody& b = links_.body(d);
    Passing<C>& link = through[d];
    carry_motion(b, (at.parent < 0 ? ground : through[at.parent]).z, link.z);
    for (int l = 0; l < at.nv; ++l) {
      const SlopeColumn& c = links_.column(at.p0 + l);
      for (int i = 0; i < 3; ++i) {
        link.z[i] += c.phi[i] * x[at.p0 + l];
        link.z[3 + i] += c.psi[i] * x[at.p0 + l];
      }
    }
    const Mat3<double> J = full(b.J);
    for (int i = 0; i < 3; ++i) {
      link.p[i] = J.c[i].x * link.z[0] + J.c[i].y * link.z[1] + J.c[i].z * link.z[2];
      link.p[3 + i] = b.m * link.z[3 + i];
    }
    add_cross(b.h, link.z + 3, link.p);
    subtract_cross(b.h, link.z, link.p + 3);
  }
  for (int d = links - 1; d >= 0; --d) {
    const SlopeLink& at = plan_.links[d];
    const C* p = through[d].p;
    for (int l = 0; l < at.nv; ++l) {
      const SlopeColumn& c = links_.column(at.p0 + l);
      C sum = mechanism_.rotor[plan_.speed[at.p0 + l]] * x[at.p0 + l];
      for (int i = 0; i < 3; ++i) sum += c.phi[i] * p[i] + c.psi[i] * p[3 + i];
      forces[at.p0 + l] = links_.is_held(at.p0 + l) ? x[at.p0 + l] : sum;
    }
    if (at.parent < 0) continue;
    C* to = through[at.parent].p;
    for (int i = 0; i < 6; ++i) to[i] += p[i];
    add_cross(links_.body(d).r, p + 3, to);
  }
}

#define CARTAN_INSTANTIATE_STAGES(C)                                                  \
  template void StageElimination::factorise<C>(const C&, const C&, const TurnBlocks*, \
                                               StageFactors<C>&);                     \
  template void StageElimination::solve<C>(StageFactors<C>&, std::span<C>);           \
  template void StageElimination::multiply_mass<C>(std::span<const C>, std::span<C>);
CARTAN_INSTANTIATE_STAGES(double)
CARTAN_INSTANTIATE_STAGES(Complex)
#undef CARTAN_INSTANTIATE_STAGES

}  // namespace cartan::mechanics
