#include "mechanics/tree/slopes/law_duals.h"

#include <algorithm>

#include "mechanics/machine/expression_inputs.h"
#include "mechanics/machine/single_laws.h"

namespace cartan::mechanics {

namespace {

// to += factor * a for a constant
void add_multiple(double factor, const Dual4& a, Dual4& to) {
  to.a += factor * a.a;
  for (int k = 0; k < 4; ++k) to.d[k] += factor * a.d[k];
}
void add_multiple(const Vec3<double>& factor, const Vec3<Dual4>& a, Dual4& to) {
  for (int k = 0; k < 3; ++k) add_multiple(factor[k], a[k], to);
}

}  // namespace

LawDuals::LawDuals(const Mechanism<double>& mechanism, const Mechanism<Dual4>& dual,
                   const SlopePlan& plan)
    : mechanism_(mechanism),
      dual_mechanism_(dual),
      plan_(plan),
      q_(mechanism.nq),
      v_(mechanism.nv) {
  int rows = 0;
  for (const LocalLaw& law : plan.laws) {
    rows = std::max(rows, law.rows);
    reads_joints_ |= law.rows == 0;
  }
  row_rates_.resize(rows);
}

void LawDuals::begin(const MotionWorkspace<double>& ws, MotionWorkspace<Dual4>& scratch) {
  ws_ = &ws;
  scratch_ = &scratch;
  scratch.t = ws.t;
  std::copy(ws.mode.begin(), ws.mode.end(), scratch.mode.begin());
  if (reads_joints_) {
    std::copy_n(ws.q, mechanism_.nq, q_.begin());
    std::copy_n(ws.v, mechanism_.nv, v_.begin());
  }
  std::copy(ws.variables.begin(), ws.variables.end(), scratch.variables.begin());
  scratch.q = q_.data();
  scratch.v = v_.data();
  scratch.gravity = seeds::constant(ws.gravity);
  for (const int i : plan_.read_links) rest_link(i);
}

void LawDuals::evaluate(const LocalLaw& law) {
  MotionWorkspace<Dual4>& to = *scratch_;
  if (law.kind == LocalLaw::Kind::variable)
    return evaluate_program(dual_mechanism_, to,
                            mechanism_.model->variables[law.index].rate.program, &rate_);
  const auto clear = [&](int i) {
    if (i != world) to.wrench_n[i] = to.wrench_f[i] = {};
  };
  for (const int i : law.out_links) clear(i);
  if (law.pair) clear(law.a), clear(law.b);
  for (const int i : law.out_joints)
    for (int k = 0; k < mechanism_.links[i].nv; ++k) to.tau[mechanism_.links[i].v0 + k] = Dual4(0);
  apply_force(dual_mechanism_, to, law.index);
}

void LawDuals::evaluate_moved_rows(const LocalLaw& law, std::span<const int> counts, int part) {
  const LinkState<double>& x = ws_->links[law.a];
  LinkState<Dual4>& a = scratch_->links[law.a];
  if (part == 0) {
    for (int k = 0; k < 3; ++k) seeds::turn_link(x, unit_vector<double>(k), k, a);
    a.o.x.d[3] = 1;
    return evaluate_rows(law, counts);
  }
  // along the motion itself in a third lane
  const auto move = [&](int link) {
    const LinkState<double>& moving = ws_->links[link];
    seeds::turn_link(moving, moving.w, row_rate_lane, scratch_->links[link]);
    seeds::set_lane(scratch_->links[link].o, row_rate_lane, moving.u);
  };
  seeds::stop_link(a);
  a.o.y.d[0] = a.o.z.d[1] = 1;
  move(law.a);
  if (law.b != world) move(law.b);
  evaluate_rows(law, counts);
  seeds::stop_link(a);
  if (law.b != world) seeds::stop_link(scratch_->links[law.b]);
}

void LawDuals::evaluate_rows(const LocalLaw& law, std::span<const int> counts) {
  fill_rows_of(dual_mechanism_, *scratch_, law.kind == LocalLaw::Kind::loop ? law.index : -1,
               law.index, law.row0, law.source0, counts.data());
}

void LawDuals::sum_rows(const LocalLaw& law, std::span<const int> counts) {
  const MotionWorkspace<Dual4>& dual = *scratch_;
  const LinkState<double>& x = ws_->links[law.a];
  const SpatialPair of_b = acceleration_of_b(law);
  row_n_ = row_f_ = {};
  for (int r = 0; r < law.rows; ++r) {
    row_rates_[r] = Dual4(0);
    if (counts[law.row0 + r] < 0) continue;
    const std::size_t a = source_of_a(law, r), b = source_of_b(law, r);
    Dual4& rate = row_rates_[r] = dual.row_rest[law.row0 + r];
    add_multiple(x.dw, dual.source_n[a], rate);
    add_multiple(x.du, dual.source_f[a], rate);
    add_multiple(of_b.n, dual.source_n[b], rate);
    add_multiple(of_b.f, dual.source_f[b], rate);
    for (int k = 0; k < 3; ++k) {
      add_multiple(ws_->lambda[law.row0 + r], dual.source_n[a][k], row_n_[k]);
      add_multiple(ws_->lambda[law.row0 + r], dual.source_f[a][k], row_f_[k]);
    }
  }
}

}  // namespace cartan::mechanics
