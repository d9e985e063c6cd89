// Problems the tests of the integrators share. Each is written once over the scalar, so the
// Jacobian (dual numbers) is exact.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/scalar.h"
#include "lie/quaternion.h"
#include "system/system.h"

namespace cartan::test {

// A System from a functor `template <class S> void operator()(const S& t, const S* x, S* xdot)`.
template <class Rates>
class Problem : public System {
 public:
  Problem(StateSpace space, State start, Rates rates)
      : space_(std::move(space)), start_(std::move(start)), rates_(std::move(rates)) {}

  struct Scratch : Workspace {
    std::vector<Dual<4>> x, xdot;
  };

  const StateSpace& space() const override { return space_; }
  int quadratures() const override { return quadrature_count; }
  State initial_state() const override { return start_; }
  std::unique_ptr<Workspace> make_workspace() const override {
    auto scratch = std::make_unique<Scratch>();
    scratch->x.resize(space_.size());
    scratch->xdot.resize(space_.size());
    return scratch;
  }
  void derivative(StateView at, std::span<double> xdot, Workspace& ws) const override {
    ++ws.evaluations;
    rates_(at.t, at.x.data(), xdot.data());
  }
  void jacobian(StateView at, Eigen::Ref<Eigen::MatrixXd> J, Workspace& ws) const override {
    ++ws.jacobians;
    Scratch& scratch = static_cast<Scratch&>(ws);
    const int n = space_.size();
    for (int first = 0; first < n; first += 4) {
      for (int i = 0; i < n; ++i)
        scratch.x[i] =
            i >= first && i < first + 4 ? Dual<4>::variable(at.x[i], i - first) : Dual<4>(at.x[i]);
      rates_(Dual<4>(at.t), scratch.x.data(), scratch.xdot.data());
      for (int k = first; k < std::min(n, first + 4); ++k)
        for (int i = 0; i < n; ++i) J(i, k) = scratch.xdot[i].d[k - first];
    }
  }
  const std::vector<EventInfo>& events() const override { return event_infos; }
  void event_values(StateView at, std::span<double> values, Workspace&) const override {
    for (std::size_t i = 0; i < event_functions.size(); ++i) values[i] = event_functions[i](at);
  }
  bool handle_event(int which, State& state, Workspace&) const override {
    return handler ? handler(which, state) : false;
  }
  int kinematic_size() const override { return kinematic_count; }
  void kinematic_rates(StateView at, std::span<double> rates, Workspace&) const override {
    kinematics(at, rates);
  }
  std::string component_name(int i) const override { return "x" + std::to_string(i); }

  // Open to the tests.
  int quadrature_count = 0;
  std::vector<EventInfo> event_infos;
  std::vector<std::function<double(StateView)>> event_functions;
  std::function<bool(int, State&)> handler;
  int kinematic_count = 0;
  std::function<void(StateView, std::span<double>)> kinematics;

 private:
  StateSpace space_;
  State start_;
  Rates rates_;
};

template <class Rates>
Problem<Rates> make_problem(std::vector<double> start, Rates rates) {
  StateSpace space;
  space.add_vector(static_cast<int>(start.size()));
  return {std::move(space), State{0, std::move(start), {}}, std::move(rates)};
}

// --------------------------------------------------------------------------------- free rigid body

// u' = 1/2 u (0, w), J w' = J w x w: spatial rotation of an asymmetric body.
struct FreeBodyRates {
  double J[3] = {1, 2, 3.5};
  template <class S>
  void operator()(const S&, const S* x, S* xdot) const {
    const Quat<S> u(x[0], x[1], x[2], x[3]);
    const Vec3<S> w(x[4], x[5], x[6]);
    const Quat<S> du = rate(u, w);
    xdot[0] = du.w, xdot[1] = du.x, xdot[2] = du.y, xdot[3] = du.z;
    xdot[4] = S((J[1] - J[2]) / J[0]) * w.y * w.z;
    xdot[5] = S((J[2] - J[0]) / J[1]) * w.z * w.x;
    xdot[6] = S((J[0] - J[1]) / J[2]) * w.x * w.y;
  }
};

inline Problem<FreeBodyRates> make_free_body() {
  StateSpace space;
  space.add_quaternion();
  space.add_vector(3);
  return {space, State{0, {1, 0, 0, 0, 0.9, 1.1, -0.7}, {}}, FreeBodyRates{}};
}
inline double free_body_energy(std::span<const double> x) {
  const FreeBodyRates body;
  return 0.5 * (body.J[0] * x[4] * x[4] + body.J[1] * x[5] * x[5] + body.J[2] * x[6] * x[6]);
}

// ------------------------------------------------------------------------ chain of rods, spherical
// joints

// Rods of length 2 m, 0.2 m thick, 50 kg, along -z of their own axes, hinged end to end. State:
// unit quaternion of each rod relative to the world, then angular velocity of each in its own axes.
// With r_ij the vector (axes of j) by which a turn of rod j moves the centre of rod i:
//   a_i = sum_{j<=i} R_j (w_j' x r_ij + w_j x (w_j x r_ij)),
//   J w_j' + w_j x J w_j + sum_{i>=j} r_ij x R_j^T m (a_i - g) = 0   (dense linear system).
struct ChainRates {
  int links = 4;
  double mass = 50, length = 2, gravity = 9.81;
  double Jxy = 50 * 4.04 / 12, Jz = 50 * 0.08 / 12;

  template <class S>
  void operator()(const S&, const S* x, S* xdot) const {
    const int n = links, size = 3 * n;
    std::vector<Mat3<S>> R(n);
    std::vector<Vec3<S>> w(n),
        bias(n);  // bias: world acceleration of a lower end seen from the upper
    const Vec3<S> whole(S(0), S(0), S(-length)), half(S(0), S(0), S(-0.5 * length));
    for (int j = 0; j < n; ++j) {
      const Quat<S> u(x[4 * j], x[4 * j + 1], x[4 * j + 2], x[4 * j + 3]);
      R[j] = rotation_matrix(u);
      w[j] = Vec3<S>(x[4 * n + 3 * j], x[4 * n + 3 * j + 1], x[4 * n + 3 * j + 2]);
      const Quat<S> du = rate(u, w[j]);
      xdot[4 * j] = du.w, xdot[4 * j + 1] = du.x, xdot[4 * j + 2] = du.y, xdot[4 * j + 3] = du.z;
    }
    std::vector<S> M(size * size, S(0)), b(size, S(0));
    const Vec3<S> up(S(0), S(0), S(gravity));
    for (int i = 0; i < n; ++i) {
      Vec3<S> a = up;
      for (int j = 0; j <= i; ++j) a = a + R[j] * cross(w[j], cross(w[j], j < i ? whole : half));
      for (int j = 0; j <= i; ++j) {
        const Vec3<S> r = j < i ? whole : half;
        const Vec3<S> torque = S(mass) * cross(r, transpose(R[j]) * a);
        b[3 * j] -= torque.x, b[3 * j + 1] -= torque.y, b[3 * j + 2] -= torque.z;
        for (int k = 0; k <= i; ++k) {
          const Vec3<S> rk = k < i ? whole : half;
          for (int c = 0; c < 3; ++c) {
            const Vec3<S> e(S(c == 0), S(c == 1), S(c == 2));
            const Vec3<S> column = S(mass) * cross(r, transpose(R[j]) * (R[k] * cross(e, rk)));
            M[(3 * j) * size + 3 * k + c] += column.x;
            M[(3 * j + 1) * size + 3 * k + c] += column.y;
            M[(3 * j + 2) * size + 3 * k + c] += column.z;
          }
        }
      }
    }
    const S J[3] = {S(Jxy), S(Jxy), S(Jz)};
    for (int j = 0; j < n; ++j) {
      const Vec3<S> Jw(J[0] * w[j].x, J[1] * w[j].y, J[2] * w[j].z);
      const Vec3<S> gyro = cross(w[j], Jw);
      b[3 * j] -= gyro.x, b[3 * j + 1] -= gyro.y, b[3 * j + 2] -= gyro.z;
      for (int c = 0; c < 3; ++c) M[(3 * j + c) * size + 3 * j + c] += J[c];
    }
    // Gauss elimination; M is symmetric and positive definite
    for (int p = 0; p < size; ++p)
      for (int r = p + 1; r < size; ++r) {
        const S f = M[r * size + p] / M[p * size + p];
        for (int c = p; c < size; ++c) M[r * size + c] -= f * M[p * size + c];
        b[r] -= f * b[p];
      }
    for (int r = size - 1; r >= 0; --r) {
      for (int c = r + 1; c < size; ++c) b[r] -= M[r * size + c] * b[c];
      b[r] = b[r] / M[r * size + r];
    }
    for (int k = 0; k < size; ++k) xdot[4 * n + k] = b[k];
  }

  double energy(std::span<const double> x) const {
    double total = 0, z = 0;
    Vec3<double> v(0, 0, 0);
    const Vec3<double> half(0, 0, -0.5 * length);
    for (int j = 0; j < links; ++j) {
      const Mat3<double> R =
          rotation_matrix(Quat<double>(x[4 * j], x[4 * j + 1], x[4 * j + 2], x[4 * j + 3]));
      const double* w = x.data() + 4 * links + 3 * j;
      const Vec3<double> turn = R * cross(Vec3<double>(w[0], w[1], w[2]), half);
      const double drop = (R * half).z;
      v = v + turn;
      z += drop;
      total += 0.5 * mass * dot(v, v) + mass * gravity * z;
      total += 0.5 * (Jxy * (w[0] * w[0] + w[1] * w[1]) + Jz * w[2] * w[2]);
      v = v + turn;
      z += drop;
    }
    return total;
  }
};

// The straight chain tilted by `tilt` about x, the first rod with body rate w.
inline Problem<ChainRates> make_chain(int links, double tilt, Vec3<double> w,
                                      bool with_kinematics) {
  ChainRates rates;
  rates.links = links;
  StateSpace space;
  State start;
  for (int j = 0; j < links; ++j) {
    space.add_quaternion();
    for (double u : {std::cos(tilt / 2), std::sin(tilt / 2), 0.0, 0.0}) start.x.push_back(u);
  }
  space.add_vector(3 * links);
  start.x.resize(7 * links);
  start.x[4 * links] = w.x, start.x[4 * links + 1] = w.y, start.x[4 * links + 2] = w.z;
  Problem<ChainRates> chain(space, start, rates);
  if (with_kinematics) {
    chain.kinematic_count = 4 * links;
    chain.kinematics = [links](StateView at, std::span<double> out) {
      for (int j = 0; j < links; ++j) {
        const double* u = at.x.data() + 4 * j;
        const double* w = at.x.data() + 4 * links + 3 * j;
        const Quat<double> du =
            rate(Quat<double>(u[0], u[1], u[2], u[3]), Vec3<double>(w[0], w[1], w[2]));
        out[4 * j] = du.w, out[4 * j + 1] = du.x, out[4 * j + 2] = du.y, out[4 * j + 3] = du.z;
      }
    };
  }
  return chain;
}

}  // namespace cartan::test
