// Solutions with the factors of stage_factors.cpp, and products with the mass: inward and outward
// along the tree, what passes from link to link in few slots.
#include <algorithm>

#include "mechanics/tree/stage_elimination.h"

namespace cartan::mechanics {

using namespace stages;

namespace {

Vec3<double> arm_at(const double* r) {
  return {r[0], r[1], r[2]};
}

template <class C>
Wide<C> first_of(const C* from, int count) {
  Wide<C> to;
  for (int k = 0; k < count; ++k) to.set(k, from[k]);
  return to;
}

// [J h^; -h^ m] z
Lanes inertia_times(const SlopeBody& b, const Lanes& z) {
  const Vec3<double> a{z[0], z[1], z[2]}, f{z[3], z[4], z[5]};
  const Vec3<double> n = b.J * a + cross(b.h, f), push = b.m * f + cross(a, b.h);
  return Lanes{n.x, n.y, n.z, push.x, push.y, push.z};
}
Wide<double> inertia_times(const SlopeBody& b, const Wide<double>& z) {
  return {inertia_times(b, z.a)};
}
Wide<Complex> inertia_times(const SlopeBody& b, const Wide<Complex>& z) {
  return {inertia_times(b, z.re), inertia_times(b, z.im)};
}

double sum_of_six(const Lanes& a) {
  return ((a[0] + a[1]) + (a[2] + a[3])) + (a[4] + a[5]);
}
double along(const Lanes& S, const Wide<double>& p) {
  return sum_of_six(S * p.a);
}
Complex along(const Lanes& S, const Wide<Complex>& p) {
  return {sum_of_six(S * p.re), sum_of_six(S * p.im)};
}

}  // namespace

template <class C, int speeds, bool turning>
void StageElimination::solve_inward(int d, StageFactors<C>& factors, C* x) {
  constexpr int parts = Wide<C>::parts, span = turning ? 3 : 6;
  const SlopeLink& at = plan_.links[d];
  const int nv = speeds > 0 ? speeds : at.nv;
  const auto joint = StageFactors<C>::view(factors.numbers.data() + factors.at[d], nv);
  Passing<C>* const passing = scratch<C>().passing.data();
  Wide<C> p;
  if (has_children_[d]) p = passing[slot_[d]].x;
  const Spread<C> wrench(p);
  Wide<C> answer;
  for (int l = 0; l < nv; ++l) {
    C right = x[at.p0 + l];
    for (int i = 0; i < span; ++i) right -= joint.S[6 * l + i] * wrench[i];
    add_product(answer, right, load_wide<C>(joint.N + l * parts * nv, nv));
  }
  const Spread<C> found(answer);
  for (int l = 0; l < nv; ++l) x[at.p0 + l] = found[l];
  if (at.parent < 0) return;
  for (int l = 0; l < nv; ++l) add_product(p, found[l], load_wide<C>(joint.H + l * parts * 6, 6));
  Wide<C>& to = passing[slot_[at.parent]].x;
  const Wide<C> carried = carry_wrench(p, arm_of_wrench(arm_at(joint.r)));
  if (last_child_[d])
    to = carried;
  else
    to += carried;
}

template <class C, int speeds>
void StageElimination::solve_outward(int d, StageFactors<C>& factors, C* x) {
  constexpr int parts = Wide<C>::parts;
  const SlopeLink& at = plan_.links[d];
  const int nv = speeds > 0 ? speeds : at.nv;
  const auto joint = StageFactors<C>::view(factors.numbers.data() + factors.at[d], nv);
  Passing<C>* const passing = scratch<C>().passing.data();
  Passing<C> motion{};
  if (at.parent >= 0) {
    motion = passing[slot_[at.parent]];
    motion.x = carry_motion(motion.x, arm_of_motion(arm_at(joint.r)));
  }
  const Spread<C> z(motion.x);
  Wide<C> answer = first_of(x + at.p0, nv);
  for (int k = 0; k < 8; ++k) add_product(answer, z[k], load_wide<C>(joint.Q + k * parts * nv, nv));
  add_product(answer, motion.last, load_wide<C>(joint.Q + 8 * parts * nv, nv));
  const Spread<C> found(answer);
  for (int l = 0; l < nv; ++l) {
    const double* const T = joint.T + l * parts * 9;
    x[at.p0 + l] = found[l];
    add_product(motion.x, found[l], load_wide<C>(T, 9));
    motion.last += found[l] * load_one(T, 9, 8, C());
  }
  passing[slot_[d]] = motion;
}

template <class C>
void StageElimination::solve(StageFactors<C>& factors, std::span<C> x) {
  const int links = static_cast<int>(plan_.links.size());
  for (int d = links - 1; d >= 0; --d) {
    const int nv = plan_.links[d].nv;
    if (nv == 1 && !slides_[d])
      solve_inward<C, 1, true>(d, factors, x.data());
    else if (nv == 3 && !slides_[d])
      solve_inward<C, 3, true>(d, factors, x.data());
    else
      solve_inward<C, 0, false>(d, factors, x.data());
  }
  for (int d = 0; d < links; ++d) {
    const int nv = plan_.links[d].nv;
    if (nv == 1)
      solve_outward<C, 1>(d, factors, x.data());
    else if (nv == 3)
      solve_outward<C, 3>(d, factors, x.data());
    else
      solve_outward<C, 0>(d, factors, x.data());
  }
}

// Outward z = X z_p + S x, inward the wrenches I z; S^T of them.
template <class C>
void StageElimination::multiply_mass(std::span<const C> x, std::span<C> forces) {
  const int links = static_cast<int>(plan_.links.size());
  std::vector<Passing<C>>& passing = scratch<C>().passing;
  std::vector<Wide<C>>& wrenches = scratch<C>().wrenches;
  passing.resize(slots_);
  wrenches.resize(links);
  for (int d = 0; d < links; ++d) {
    const SlopeLink& at = plan_.links[d];
    const SlopeBody& b = links_.body(d);
    Wide<C> z;
    if (at.parent >= 0) z = carry_motion(passing[slot_[at.parent]].x, arm_of_motion(b.r));
    for (int l = 0; l < at.nv; ++l)
      add_product(z, x[at.p0 + l], motion_of(links_.column(at.p0 + l)));
    passing[slot_[d]].x = z;
    wrenches[d] = inertia_times(b, z);
  }
  for (int d = links - 1; d >= 0; --d) {
    const SlopeLink& at = plan_.links[d];
    Wide<C> p = wrenches[d];
    if (has_children_[d]) p += passing[slot_[d]].x;
    for (int l = 0; l < at.nv; ++l) {
      const int place = at.p0 + l;
      const C& own = x[place];
      forces[place] = links_.is_held(place) ? own
                                            : mechanism_.rotor[plan_.speed[place]] * own +
                                                  along(motion_of(links_.column(place)), p);
    }
    if (at.parent < 0) continue;
    const Wide<C> carried = carry_wrench(p, arm_of_wrench(links_.body(d).r));
    Wide<C>& to = passing[slot_[at.parent]].x;
    if (last_child_[d])
      to = carried;
    else
      to += carried;
  }
}

#define CARTAN_INSTANTIATE_STAGES(C)                                        \
  template void StageElimination::solve<C>(StageFactors<C>&, std::span<C>); \
  template void StageElimination::multiply_mass<C>(std::span<const C>, std::span<C>);
CARTAN_INSTANTIATE_STAGES(double)
CARTAN_INSTANTIATE_STAGES(Complex)
#undef CARTAN_INSTANTIATE_STAGES

}  // namespace cartan::mechanics
