// (M + v_scale dID/dv + q_scale dID/dq T) x = b along a tree, O(n): the matrix of a stage of an
// implicit method, eliminated link by link like an articulated body.
//
// x are changes of v', which change speeds by v_scale x and displace joints by q_scale T x. In the
// quantities of link_slopes.h every joint adds to what passes from link to link
//   o_i = o_p + To x,     z_i = X z_p + Tz x,     F'_p takes X^T (F'_i + jump x)
//   Tz = S + q_scale zeta_q T + v_scale zeta_v,   To = q_scale o_q T + v_scale phi,
//   jump = q_scale (phi x F) T
// and the subtree answers with F'_i = Gz z_i + Go o_i + P, nine columns instead of the six of an
// articulated inertia:
//   N x = b - S.(Gz X z_p + Go o_p + P),   N = S.(Gz Tz + Go To) + rotor - d tau
// Forces in a joint are in N; those between a link and its parent in Gz Tz + Go To and in jump.
// Others pass through more than one joint: such mechanisms are left to the matrix of all speeds.
#pragma once

#include "mechanics/tree/local_slopes.h"
#include "mechanics/tree/slopes/stage_numbers.h"
#include "system/second_order.h"

namespace cartan::mechanics {

// Whether every force of the mechanism acts within a joint or between neighbours.
bool acts_along_tree(const Mechanism<double>& mechanism, const SlopePlan& plan);

// The factors of one matrix: per link as many numbers as its joint has speeds, so that long chains
// stay in cache.
template <class C>
struct StageFactors {
  // Of a joint with nv speeds: H, rows of six; T, rows of Tz and To, nine; Q, nine columns of nv;
  // N, columns of its inverse.
  struct Joint {
    double *H, *T, *Q, *N;
  };
  static constexpr int parts = stages::Wide<C>::parts;
  static std::size_t numbers_of(int nv) {
    return parts * (24 * static_cast<std::size_t>(nv) + nv * nv);
  }
  static Joint view(double* at, int nv) {
    return {at, at + parts * 6 * nv, at + parts * 15 * nv, at + parts * 24 * nv};
  }
  std::vector<double> numbers;
  std::vector<std::size_t> at;  // per link in depth-first order; and the end
};

class StageElimination final : private SlopeSink {
 public:
  StageElimination(const Mechanism<double>& mechanism, const Mechanism<Dual4>& dual,
                   const SlopePlan& plan);

  // At positions, speeds and accelerations of ws (forces and link accelerations filled).
  void linearise(const MotionWorkspace<double>& ws, MotionWorkspace<Dual4>& dual);
  // T by speeds, blocks of joints; null: identity.
  template <class C>
  void factorise(const C& v_scale, const C& q_scale, const TurnBlocks* turns,
                 StageFactors<C>& factors);
  // x <- solution for the forces x, by places. A speed that is held takes its number as it is.
  template <class C>
  void solve(StageFactors<C>& factors, std::span<C> x);
  // forces <- M x, by places; x itself for speeds that are held.
  template <class C>
  void multiply_mass(std::span<const C> x, std::span<C> forces);

 private:
  void add_wrench(int link, int column, const Vec3<double>& n, const Vec3<double>& f) override;
  void add_force(int place, int column, double force) override;
  void add_scalar(int, int, double) override {}
  void add_row(int, int, double) override {}

  // What forces do along the columns of one joint, by q and by v: forces on its speeds [of][by];
  // where any force is a wrench, also those [by][six] on the link and on the parent, about the
  // origin of the link.
  struct JointLaws {
    double* force[2];
    double (*own[2])[6];
    double (*on_parent[2])[6];
  };
  JointLaws laws_of(int d);
  // Where forces on a speed stand in joint_laws_: by displacement of the place p of the same joint
  // at first + p, by its speed `step` behind.
  struct ForceRow {
    int first, step;
  };
  // What a change x of each speed does through the joint: motion, turning, wrenches of laws on the
  // link and on the parent with the jump of what the joint transmits, forces of the joint itself.
  template <class C>
  struct Step {
    C Tz[6][6], To[6][3], own[6][6], out[6][6], force[6][6];
  };
  template <class C>
  void make_step(int d, const C& v_scale, const C& q_scale, const TurnBlocks* turns, Step<C>& step);
  // On the way in p; on the way out z and the first two of o, and its third.
  template <class C>
  struct Passing {
    stages::Wide<C> x;
    C last;
  };
  template <class C>
  struct Answer {
    stages::Wide<C> G[9];  // columns
  };
  // What is kept per link, of one field.
  template <class C>
  struct Scratch {
    std::vector<Passing<C>> passing;
    std::vector<Answer<C>> answers;
    std::vector<C> z;  // six numbers: of products with the mass
  };
  template <class C>
  Scratch<C>& scratch();
  template <class C>
  void start_answer(int d, stages::Wide<C>* G) const;
  template <class C>
  void prepare(StageFactors<C>& factors) const;

  const Mechanism<double>& mechanism_;
  const SlopePlan& plan_;
  LinkSlopes links_;
  LocalSlopes laws_;
  std::vector<std::size_t> laws_at_;  // per link in depth-first order
  std::vector<char> has_children_, slides_;
  std::vector<double> joint_laws_;
  std::vector<ForceRow> force_rows_;  // per place
  bool any_wrench_ = false;
  std::vector<int> no_rows_;
  Scratch<double> real_;
  Scratch<Complex> complex_;
};

template <>
StageElimination::Scratch<double>& StageElimination::scratch<double>();
template <>
StageElimination::Scratch<Complex>& StageElimination::scratch<Complex>();

}  // namespace cartan::mechanics
