// Which components of friction slip or stick: when that must change, and how it is settled.
#include <algorithm>
#include <cmath>

#include "mechanics/forces/dry_friction.h"
#include "mechanics/forces/forces.h"
#include "mechanics/forces/friction_law.h"
#include "mechanics/machine/kinematics.h"

namespace cartan::mechanics {

// The leading component is chosen anew when its share of |w| has fallen to this.
static constexpr double least_turning_share = 0.3;

template <class S>
void calc_friction_margins(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws,
                           std::span<S> margins) {
  if (mechanism.friction_modes == 0) return;
  fill_reactions(mechanism, ws);
  for_each_friction(mechanism, [&](int k, const Friction<S>& e) {
    if (e.smooth) return;
    const Link<S>& link = mechanism.links[e.link];
    const S load = ws.given_load[k] + (e.load0 >= 0 ? ws.friction_load[e.load0] : S(0));
    // force in component i that only friction can supply
    auto held = [&](int i) {
      return joint_force_component(mechanism, ws, e.link, i) - ws.applied_tau[link.v0 + i];
    };
    if (e.rotation) {
      const Vec3<S> w{ws.v[link.v0], ws.v[link.v0 + 1], ws.v[link.v0 + 2]};
      const Vec3<S> torque{held(0), held(1), held(2)};
      const int mode = ws.mode[e.mode0];
      if (mode == 0) {
        margins[e.mode0] = friction_magnitude(e, 0, load, S(0)) - norm(torque);
      } else {
        const S rate = leading_rate(mode, w), share = S(least_turning_share) * norm(w);
        margins[e.mode0] = rate - select(less(rate, S(0)), -share, share);
      }
      return;
    }
    for (int c = 0; c < e.components(); ++c) {
      const int mode = ws.mode[e.mode0 + c];
      margins[e.mode0 + c] = mode != 0 ? S(mode) * ws.v[link.v0 + c]
                                       : friction_magnitude(e, c, load, S(0)) - abs(held(c));
    }
  });
}

namespace {

void evaluate_at(const Mechanism<double>& mechanism, const FrictionState& state,
                 MotionWorkspace<double>& ws, AccelerationSolver<double> solve) {
  std::copy(state.mode.begin(), state.mode.end(), ws.mode.begin());
  fill_kinematics<double>(mechanism, state.t, state.q, state.v, ws);
  fill_forces(mechanism, ws);
  solve_with_friction(mechanism, ws, solve);
}

void stop(const Mechanism<double>& mechanism, const Friction<double>& e, int c,
          FrictionState& state) {
  double* v = state.v + mechanism.links[e.link].v0;
  state.mode[e.mode0 + c] = 0;
  if (e.rotation)
    v[0] = v[1] = v[2] = 0;
  else
    v[c] = 0;
}

// Lets the component go in the direction the applied forces push it (ws: evaluated while it
// sticks).
void release(const Mechanism<double>& mechanism, const Friction<double>& e, int c,
             FrictionState& state, const MotionWorkspace<double>& ws) {
  const int v0 = mechanism.links[e.link].v0;
  auto push = [&](int i) {
    return ws.applied_tau[v0 + i] - joint_force_component(mechanism, ws, e.link, i);
  };
  if (e.rotation) {
    const Vec3<double> direction{push(0), push(1), push(2)};
    const double scale = 2 * spherical_rest_rate / std::max(norm(direction), 1e-300);
    for (int i = 0; i < 3; ++i) state.v[v0 + i] = scale * direction[i];
    state.mode[e.mode0] = slip_mode(direction);
    return;
  }
  state.mode[e.mode0 + c] = push(c) > 0 ? 1 : -1;
}

template <class F>
void for_each_component(const Mechanism<double>& mechanism, F&& f) {
  for_each_friction(mechanism, [&](int, const Friction<double>& e) {
    if (e.smooth) return;
    for (int c = 0; c < e.components(); ++c) f(e, c);
  });
}

}  // namespace

void settle_friction(const Mechanism<double>& mechanism, FrictionState state,
                     std::span<const unsigned char> undecided, MotionWorkspace<double>& ws,
                     AccelerationSolver<double> solve) {
  for_each_component(mechanism, [&](const Friction<double>& e, int c) {
    if (undecided[e.mode0 + c]) stop(mechanism, e, c, state);
  });
  std::vector<double> margins(mechanism.friction_modes);
  for (int round = 0; round <= mechanism.friction_modes; ++round) {
    evaluate_at(mechanism, state, ws, solve);
    calc_friction_margins<double>(mechanism, ws, margins);
    double worst = 0;
    const Friction<double>* element = nullptr;
    int component = 0;
    for_each_component(mechanism, [&](const Friction<double>& e, int c) {
      if (state.mode[e.mode0 + c] == 0 && margins[e.mode0 + c] < worst)
        worst = margins[e.mode0 + c], element = &e, component = c;
    });
    if (!element) return;
    release(mechanism, *element, component, state, ws);
  }
}

void start_friction(const Mechanism<double>& mechanism, FrictionState state,
                    MotionWorkspace<double>& ws, AccelerationSolver<double> solve) {
  std::vector<unsigned char> undecided(mechanism.friction_modes, 0);
  for_each_component(mechanism, [&](const Friction<double>& e, int c) {
    const double* v = state.v + mechanism.links[e.link].v0;
    int& mode = state.mode[e.mode0 + c];
    if (e.rotation) {
      const Vec3<double> w{v[0], v[1], v[2]};
      mode = norm(w) > spherical_rest_rate ? slip_mode(w) : 0;
    } else {
      mode = v[c] > 0 ? 1 : (v[c] < 0 ? -1 : 0);
    }
    undecided[e.mode0 + c] = mode == 0;
  });
  if (std::find(undecided.begin(), undecided.end(), 1) != undecided.end())
    settle_friction(mechanism, state, undecided, ws, solve);
}

// A spherical joint whose axis of turning moved away from the leading component, without coming to
// rest, gets another leading component.
static bool follow_turning(const Mechanism<double>& mechanism, FrictionState& state, int which) {
  bool followed = false;
  for_each_component(mechanism, [&](const Friction<double>& e, int c) {
    if (!e.rotation || e.mode0 + c != which || state.mode[which] == 0) return;
    const double* v = state.v + mechanism.links[e.link].v0;
    const Vec3<double> w{v[0], v[1], v[2]};
    if (norm(w) <= spherical_stop_rate) return;
    state.mode[which] = slip_mode(w);
    followed = true;
  });
  return followed;
}

void change_friction(const Mechanism<double>& mechanism, FrictionState state, int which,
                     MotionWorkspace<double>& ws, AccelerationSolver<double> solve) {
  std::vector<unsigned char> undecided(mechanism.friction_modes, 0);
  for (int k = 0; k < mechanism.friction_modes; ++k) undecided[k] = state.mode[k] == 0;
  if (follow_turning(mechanism, state, which)) return;
  if (state.mode[which] != 0) {
    undecided[which] = 1;
  } else {
    // overloaded at the located instant: it goes, whatever rounding says
    evaluate_at(mechanism, state, ws, solve);
    fill_reactions(mechanism, ws);
    for_each_component(mechanism, [&](const Friction<double>& e, int c) {
      if (e.mode0 + c == which) release(mechanism, e, c, state, ws);
    });
    undecided[which] = 0;
  }
  settle_friction(mechanism, state, undecided, ws, solve);
}

template void calc_friction_margins<double>(const Mechanism<double>&, MotionWorkspace<double>&,
                                            std::span<double>);
template void calc_friction_margins<Dual4>(const Mechanism<Dual4>&, MotionWorkspace<Dual4>&,
                                           std::span<Dual4>);

}  // namespace cartan::mechanics
