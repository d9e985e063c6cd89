#include "mechanics/tree/slopes/law_duals.h"

#include <algorithm>

#include "mechanics/machine/expression_inputs.h"
#include "mechanics/machine/single_laws.h"

namespace cartan::mechanics {

namespace {

using lanes::Four;
using lanes::Lanes;

// Four of eight lanes.
Four part_of(const Lanes& x, int part) {
  return part == 0 ? __builtin_shufflevector(x, x, 0, 1, 2, 3)
                   : __builtin_shufflevector(x, x, 4, 5, 6, 7);
}
lanes::VectorsOf<Four> part_of(const lanes::VectorsOf<Lanes>& x, int part) {
  return {part_of(x.x, part), part_of(x.y, part), part_of(x.z, part)};
}
Lanes joined(const Four& a, const Four& b) {
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
}
lanes::VectorsOf<Lanes> joined(const lanes::VectorsOf<Four>& a, const lanes::VectorsOf<Four>& b) {
  return {joined(a.x, b.x), joined(a.y, b.y), joined(a.z, b.z)};
}

double sign_of_a(const LocalLaw& law) {
  return law.a_first ? 1 : -1;
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
    reads_duals_ |= law.kind != LocalLaw::Kind::loop && !law.has_joint_slopes;
  }
  moved_.rows.resize(rows);
  given_.rows.resize(rows);
  rest_.rows.resize(rows);
}

void LawDuals::begin(const MotionWorkspace<double>& ws, MotionWorkspace<Dual4>& scratch) {
  ws_ = &ws;
  scratch_ = &scratch;
  if (!reads_duals_) return;
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

template <class L>
void LawDuals::evaluate_loop(const LocalLaw& law, std::span<const int> counts,
                             const LinkMovesOf<L>& moves, FoundRows<L>& found) {
  RowSlopesOf<L> out{*ws_, moves, counts.data(), law.row0, law.row0, sign_of_a(law), found.rows};
  fill_loop_slopes(mechanism_, law.index, out);
  found.n = out.n;
  found.f = out.f;
}

// Constraints are made of dual numbers: four lanes, then the other two.
void LawDuals::evaluate_moved_rows(const LocalLaw& law, std::span<const int> counts) {
  LinkMovesOf<Lanes> moves;
  moves.link = law.a;
  moves.turn = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  moves.shift = {{0, 0, 0, 1}, {0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 1}};
  if (law.kind == LocalLaw::Kind::loop) return evaluate_loop(law, counts, moves, moved_);
  evaluate_element(law, counts, {law.a, part_of(moves.turn, 0), part_of(moves.shift, 0)}, given_);
  evaluate_element(law, counts, {law.a, part_of(moves.turn, 1), part_of(moves.shift, 1)}, rest_);
  for (int r = 0; r < law.rows; ++r) {
    const RowSlopeOf<Four>& from = given_.rows[r];
    moved_.rows[r] = {joined(from.rate, rest_.rows[r].rate),
                      joined(from.speed, rest_.rows[r].speed), from.source_rate_n,
                      from.source_rate_f};
  }
  moved_.n = joined(given_.n, rest_.n);
  moved_.f = joined(given_.f, rest_.f);
}

void LawDuals::evaluate_rows(const LocalLaw& law, std::span<const int> counts,
                             const LinkMoves& moves) {
  law.kind == LocalLaw::Kind::loop ? evaluate_loop(law, counts, moves, given_)
                                   : evaluate_element(law, counts, moves, given_);
}

void LawDuals::evaluate_element(const LocalLaw& law, std::span<const int> counts,
                                const LinkMoves& moves, FoundRows<Four>& found) {
  LinkState<Dual4>& a = scratch_->links[law.a];
  seeds::displace_link(ws_->links[law.a], moves, a);
  RowSlopes out{{*ws_, moves, counts.data(), law.row0, law.row0, sign_of_a(law), found.rows},
                *scratch_};
  fill_row_slopes(dual_mechanism_, law.index, out);
  found.n = out.n;
  found.f = out.f;
  seeds::stop_link(a);
}

}  // namespace cartan::mechanics
