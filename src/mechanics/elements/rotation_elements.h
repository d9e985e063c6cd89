// Equations of motion in the elements of rotation matrices (formulation rotation-elements).
//
// A body is told by R (nine numbers) and T* (three): x = T* + R x_0, where x_0 is the place of a
// point at the start of the model; there R = 1 and T* = 0. Equations (9)-(14) of source 001, about
// the centre of mass G = T* + R G_0, with the force X and the matrix Z = Y - X (x) G_0:
//   m G'' = X,   R'' K = Z + R Lambda,   K = tr(J)/2 1 - J,   Lambda symmetric for R^T R = 1
//   a force f at the point A:  X += f,  Z += f (x) (A_0 - G_0)           (14)
//   a couple c:                Z += 1/2 hat(c) R    (two directions e_j, e_k with c = e_j x e_k:
//                                                    the mean of e_j (x) e_k0 and -e_k (x) e_j0)
//
// Step 1, body by body. R'' = R S with S = A + H: R^T R = 1 twice differentiated fixes the
// symmetric part H = -R'^T R' (less Baumgarte's feedback). The antisymmetric part of S K = R^T Z +
// Lambda has no Lambda in it,
//   A K + K A = (R^T Z - Z^T R) - (H K - K H)        or, with A = hat(a):  J a = b
// so that the Lyapunov equation is solved by J^-1, found once, and Lambda = S K - R^T Z follows.
// In principal axes these are the elementwise formulas
//   Lambda_ij (1/k_i + 1/k_j) = 2 H_ij - Z_ij / k_j - Z_ji / k_i,
// but nothing is divided by the k_i, which vanish for flat bodies.
// Step 2: inserted into the equations of the joints, which are linear in R'' and T*'', this leaves
// a system in the joints' multipliers alone. It is the one of absolute_solver.h and solved there,
// sparse along the graph.
//
// A joint that holds a point of both bodies has the three equations (13) in world axes, exactly
// linear in the elements; all other rows are wrenches as in constraints.h, forces of joints and
// distances at the point where they act, anything else at the centre of mass.
#pragma once

#include "mechanics/machine/mechanism_system.h"
#include "mechanics/machine/motion_workspace.h"

namespace cartan::mechanics {

inline constexpr int element_count = 12;  // of a body: R by columns, T*

template <class S>
struct ElementBody {
  Mat3<S> A0;  // link axes in the world at the start of the model
  Vec3<S> G0;  // centre of mass there: the link's origin
  Sym3<S> K;   // about the centre of mass, link axes
};

// Where the force of a source acts.
enum class ActsAt : unsigned char { centre, joint, point };

template <class S>
struct ElementMechanism {
  Mechanism<S> mechanism;              // every link free, its origin the centre of mass
  std::vector<ElementBody<S>> bodies;  // per link
  std::vector<ActsAt> acts;            // per source
  std::vector<Vec3<S>> point;          // per source, ActsAt::point: link axes
  std::vector<int> source0;            // per loop: its first source
  int size() const { return element_count * static_cast<int>(bodies.size()); }
};

template <class S>
struct ElementWorkspace {
  MotionWorkspace<S> motion;
  std::vector<Mat3<S>> turning;  // per link: rates of its axes, R' A0
  std::vector<Sym3<S>> stretch;  // per link: H, link axes
  std::vector<Vec3<S>> point;    // per source: where it acts, link axes
  std::vector<Mat3<S>> Z;        // per link: scratch of element_multipliers.h
  std::vector<Vec3<S>> X;
};

// `model` as make_absolute_model makes it; `start` the poses of the bodies there.
template <class S>
ElementMechanism<S> make_element_mechanism(const Model& model, std::span<const double> parameters,
                                           std::span<const BodyState> start);
// The same of a mechanism that is made already (of symbols).
template <class S>
ElementMechanism<S> make_element_mechanism(Mechanism<S> mechanism,
                                           std::span<const BodyState> start);
template <class S>
ElementWorkspace<S> make_element_workspace(const ElementMechanism<S>& elements);

// Places and motions of the links, wrenches and rest terms of the rows. x: the elements of all
// bodies, then their rates. Needs ws.motion.mode.
template <class S>
void fill_element_kinematics(const ElementMechanism<S>& elements, const S& t, const S* x,
                             ElementWorkspace<S>& ws);

// Rates of all numbers of x: two-step elimination, friction included.
template <class S>
void calc_element_rates(const ElementMechanism<S>& elements, const S& t, const S* x, S* rates,
                        ElementWorkspace<S>& ws);

// R'' and T*'' of all links from their accelerations dw, du, behind the rates of the elements.
template <class S>
void write_element_accelerations(const ElementMechanism<S>& elements, const ElementWorkspace<S>& ws,
                                 S* rates);

// One link's R'' (here with link axes) and the acceleration of its centre of mass.
template <class S>
void write_link_acceleration(const ElementMechanism<S>& elements, std::size_t i,
                             const Mat3<S>& turning, const Vec3<S>& acceleration, S* rates);

}  // namespace cartan::mechanics
