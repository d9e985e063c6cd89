// Forces, constraints and rates of variables in products with vectors: each law by dual numbers,
// once along the direction in which all that it reads moves, and for the transpose along the
// directions of what it reads (local_slopes.h).
//
// The change of a link is the sum over the joints that carry it, in the quantities of
// link_slopes.h: turn phi, shift psi + phi x d, o, slide of its origin's velocity. From parent to
// link, with r between their origins and du between their velocities,
//   turn_i = turn_p + phi,  shift_i = shift_p + turn_p x r + psi,  o_i = o_p + own o
//   slide_i = slide_p + turn_p x du + o_p x r + own slide
#pragma once

#include <span>

#include "mechanics/tree/link_slopes.h"
#include "mechanics/tree/slopes/law_duals.h"
#include "mechanics/tree/slopes/motion_response.h"

namespace cartan::mechanics {

// Also what multiplies each of them, in the transpose.
struct LinkChange {
  Vec3<double> turn, shift, o, slide;
};

class LawProducts {
 public:
  LawProducts(const Mechanism<double>& mechanism, const Mechanism<Dual4>& dual,
              const SlopePlan& plan, const LinkSlopes& links);

  // At the state of ws; `scratch` is overwritten.
  void begin(const MotionWorkspace<double>& ws, MotionWorkspace<Dual4>& scratch);
  // Whether the changes of links count.
  bool reads_links() const { return reads_links_; }
  LinkChange& change(int link) { return changes_[link]; }

  // u: a direction in embedded numbers of the state, dq: its displacements, by speeds. Adds to P,
  // tau and rest of the response, and to the scalar rows (SlopePlan).
  void multiply(std::span<const double> dq, std::span<const double> u, MotionResponse& response,
                std::span<double> scalars);
  // Weights of P, tau and rest are those of the response, -z, x and lambda; `scalars` those of the
  // scalar rows. Adds to the changes of the links and to the weights of displacements and state.
  void multiply_transposed(const MotionResponse& response, std::span<const double> scalars,
                           std::span<double> by_q, std::span<double> state);

 private:
  LinkChange relative_change(const LocalLaw& law) const;
  double turned(const LocalLaw& law, int r) const;
  void multiply_in_joint(const LocalLaw& law, std::span<const double> dq, std::span<const double> u,
                         MotionResponse& response, std::span<double> scalars);
  void transpose_in_joint(const LocalLaw& law, const MotionResponse& response,
                          std::span<const double> scalars, std::span<double> by_q,
                          std::span<double> state);
  void multiply_pair(const LocalLaw& law, MotionResponse& response, std::span<double> scalars);
  void multiply_rows(const LocalLaw& law, MotionResponse& response);
  void multiply_general(const LocalLaw& law, std::span<const double> u, MotionResponse& response,
                        std::span<double> scalars);
  void add_pair_wrench(const LocalLaw& law, const LinkChange& by, const SpatialPair& F,
                       const SpatialPair& D, MotionResponse& response);

  struct PairWeights {
    Vec3<double> n, f;
  };
  PairWeights begin_pair(const LocalLaw& law, const MotionResponse& response) const;
  void end_pair(const LocalLaw& law, const MotionResponse& response, const SpatialPair& F,
                LinkChange& by);
  void transpose_pair(const LocalLaw& law, const MotionResponse& response,
                      std::span<const double> scalars);
  void transpose_rows(const LocalLaw& law, const MotionResponse& response);
  void transpose_general(const LocalLaw& law, const MotionResponse& response,
                         std::span<const double> scalars, std::span<double> state);
  void weigh(const LocalLaw& law, const MotionResponse& response, std::span<const double> scalars,
             double (&lanes)[4]);

  const Mechanism<double>& mechanism_;
  const SlopePlan& plan_;
  const LinkSlopes& links_;
  LawDuals duals_;
  bool reads_links_ = false;
  std::vector<LinkChange> changes_;
  std::vector<int> counts_;  // per row: -1 where it is not active
  const MotionWorkspace<double>* ws_ = nullptr;
};

}  // namespace cartan::mechanics
