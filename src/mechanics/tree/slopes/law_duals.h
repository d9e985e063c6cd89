// One law at a time over dual numbers, at the state of a mechanism: what local_slopes.h and
// law_products.h differentiate.
#pragma once

#include <span>

#include "mechanics/constraints/row_slopes.h"
#include "mechanics/tree/slope_plan.h"
#include "mechanics/tree/slopes/law_seeds.h"
#include "mechanics/tree/slopes/motion_response.h"

namespace cartan::mechanics {

// Rows of a law along displacements, and the wrench (n, f) of their multipliers on a.
template <class L>
struct FoundRows {
  std::vector<RowSlopeOf<L>> rows;
  lanes::VectorsOf<L> n{}, f{};
};

class LawDuals {
 public:
  LawDuals(const Mechanism<double>& mechanism, const Mechanism<Dual4>& dual, const SlopePlan& plan);

  // All that laws read, at rest in every direction; `scratch` has it and what laws make of it.
  void begin(const MotionWorkspace<double>& ws, MotionWorkspace<Dual4>& scratch);
  void rest_link(int link) { seeds::set_link_at(ws_->links[link], scratch_->links[link]); }
  MotionWorkspace<Dual4>& scratch() { return *scratch_; }
  std::span<Dual4> q(const Link<double>& link) {
    return {q_.data() + link.q0, std::size_t(link.nq)};
  }
  std::span<Dual4> v(const Link<double>& link) {
    return {v_.data() + link.v0, std::size_t(link.nv)};
  }

  // A force or the rate of a variable: wrenches on links, forces on joints, and this power or rate.
  void evaluate(const LocalLaw& law);
  const Dual4& power(const LocalLaw& law) const {
    return law.kind == LocalLaw::Kind::variable ? rate_ : scratch_->force_energy[law.index].power;
  }
  // Rows of a loop joint or constraint that count (>= 0), along displacements of a side by side:
  // its turn in three lanes, then its shift. Because
  //   y = K(positions) . V,   y' = K . V' + K' . V
  // they tell what velocities do, too: y' changes along a speed by K' and by what y changes by
  // along the displacement.
  void evaluate_moved_rows(const LocalLaw& law, std::span<const int> counts);
  const FoundRows<lanes::Lanes>& moved_rows() const { return moved_; }
  // The same along given displacements of a.
  void evaluate_rows(const LocalLaw& law, std::span<const int> counts, const LinkMoves& moves);
  const FoundRows<lanes::Four>& rows() const { return given_; }
  static std::size_t source_of_a(const LocalLaw& law, int r) {
    return law.source0 + 2 * static_cast<std::size_t>(r) + (law.a_first ? 0 : 1);
  }

 private:
  template <class L>
  void evaluate_loop(const LocalLaw& law, std::span<const int> counts, const LinkMovesOf<L>& moves,
                     FoundRows<L>& found);
  void evaluate_element(const LocalLaw& law, std::span<const int> counts, const LinkMoves& moves,
                        FoundRows<lanes::Four>& found);

  const Mechanism<double>& mechanism_;
  const Mechanism<Dual4>& dual_mechanism_;
  const SlopePlan& plan_;
  std::vector<Dual4> q_, v_;
  bool reads_joints_ = false, reads_duals_ = false;
  Dual4 rate_;  // of a variable
  FoundRows<lanes::Lanes> moved_;
  FoundRows<lanes::Four> given_, rest_;
  const MotionWorkspace<double>* ws_ = nullptr;
  MotionWorkspace<Dual4>* scratch_ = nullptr;
};

}  // namespace cartan::mechanics
