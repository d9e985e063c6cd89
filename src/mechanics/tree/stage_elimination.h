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

namespace stages {
// phi, psi
inline Lanes motion_of(const SlopeColumn& c) {
  return Lanes{c.phi.x, c.phi.y, c.phi.z, c.psi.x, c.psi.y, c.psi.z};
}
}  // namespace stages

// Whether every force of the mechanism acts within a joint or between neighbours.
bool acts_along_tree(const Mechanism<double>& mechanism, const SlopePlan& plan);

// The factors of one matrix and what its solutions need beside them: per link as many numbers as
// its joint has speeds, in the order in which they are read, so that long chains stay in cache.
template <class C>
struct StageFactors {
  // Of a joint with nv speeds, on the way in: S, rows of six, zero for speeds that are held; N,
  // columns of its inverse; H, rows of six; r. On the way out r again; Q, nine columns of nv; T,
  // rows of Tz and To, nine.
  struct Joint {
    double *S, *N, *H, *r, *Q, *T;
  };
  static constexpr int parts = stages::Wide<C>::parts;
  static std::size_t numbers_of(int nv) {
    return 4 + 6 * static_cast<std::size_t>(nv) +
           parts * (24 * static_cast<std::size_t>(nv) + nv * nv);
  }
  static Joint view(double* at, int nv) {
    Joint joint{};
    joint.S = at;
    joint.N = joint.S + 6 * nv;
    joint.H = joint.N + parts * nv * nv;
    joint.r = joint.H + parts * 6 * nv;
    joint.Q = joint.r + 4;
    joint.T = joint.Q + parts * 9 * nv;
    return joint;
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
  template <class C, int most>
  struct Step {
    stages::Wide<C> Tz[most], To[most], own[most], out[most];
    C force[most][most];
  };
  static constexpr int most_of(int speeds) { return speeds > 0 ? speeds : 6; }
  // Joints with that many speeds (0: any number), unrolled; `turning`: none of them slides.
  template <class C, int speeds>
  void make_step(int d, const C& v_scale, const C& q_scale, const TurnBlocks* turns,
                 Step<C, most_of(speeds)>& step);
  template <class C, int speeds, bool turning>
  void factorise_joint(int d, const C& v_scale, const C& q_scale, const TurnBlocks* turns,
                       StageFactors<C>& factors);
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
  // Of one field: what passes from link to link, by slots; wrenches per link.
  template <class C>
  struct Scratch {
    std::vector<Passing<C>> passing;
    std::vector<Answer<C>> answers;
    std::vector<stages::Wide<C>> wrenches;  // of products with the mass
  };
  template <class C, int speeds, bool turning>
  void solve_inward(int d, StageFactors<C>& factors, C* x);
  template <class C, int speeds>
  void solve_outward(int d, StageFactors<C>& factors, C* x);
  template <class C>
  Scratch<C>& scratch();
  template <class C>
  void start_answer(int d, stages::Wide<C>* G) const;
  template <class C>
  void prepare(StageFactors<C>& factors);
  void share_slots();

  const Mechanism<double>& mechanism_;
  const SlopePlan& plan_;
  LinkSlopes links_;
  LocalSlopes laws_;
  // Per link in depth-first order. A link shares the slot of its parent where it is the last child:
  // inward the parent begins there with what its last child leaves, outward nobody else needs it.
  std::vector<int> slot_;
  int slots_ = 0;
  std::vector<char> last_child_;
  std::vector<std::size_t> laws_at_;
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
