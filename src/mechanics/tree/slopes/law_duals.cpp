#include "mechanics/tree/slopes/law_duals.h"

#include <algorithm>

#include "mechanics/machine/expression_inputs.h"
#include "mechanics/machine/single_laws.h"

namespace cartan::mechanics {

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
  row_slopes_.resize(rows);
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

void LawDuals::evaluate_moved_rows(const LocalLaw& law, std::span<const int> counts, int part) {
  LinkMoves moves;
  moves.link = law.a;
  if (part == 0) {
    moves.turn = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
    moves.shift.x = {0, 0, 0, 1};
  } else {
    moves.shift.y = {1, 0, 0, 0};
    moves.shift.z = {0, 1, 0, 0};
  }
  evaluate_rows(law, counts, moves);
}

void LawDuals::evaluate_rows(const LocalLaw& law, std::span<const int> counts,
                             const LinkMoves& moves) {
  const bool loop = law.kind == LocalLaw::Kind::loop;
  LinkState<Dual4>& a = scratch_->links[law.a];
  if (!loop) seeds::displace_link(ws_->links[law.a], moves, a);
  RowSlopes out{
      *ws_,       *scratch_, moves, counts.data(), law.row0, law.row0, law.a_first ? 1.0 : -1.0,
      row_slopes_};
  fill_row_slopes(dual_mechanism_, loop ? law.index : -1, law.index, out);
  row_n_ = out.n;
  row_f_ = out.f;
  if (!loop) seeds::stop_link(a);
}

}  // namespace cartan::mechanics
