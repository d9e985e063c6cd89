#include "mechanics/contacts/contact_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/mixed.h"
#include "mechanics/constraints/constraints.h"
#include "mechanics/constraints/row_writer.h"
#include "mechanics/machine/expression_inputs.h"
#include "symbolic/expression.h"

namespace cartan::mechanics {
namespace {

template <class S>
int mode_of(const Mechanism<S>& mechanism, const MotionWorkspace<S>& ws, std::size_t k) {
  return ws.mode[mechanism.contact_mode0 + k];
}
template <class S>
bool row_acts(const Mechanism<S>& mechanism, const MotionWorkspace<S>& ws, int row) {
  return ws.mode[mechanism.mode_count + row] != 0;
}

template <class S>
void write_stop(const Mechanism<S>& mechanism, const ContactElement<S>& e, bool closed,
                RowWriter<S>& out) {
  out.clear_row();
  const int l = mechanism.loop_of_joint[e.joint];
  const S sign(static_cast<double>(e.sign));
  if (l < 0) {
    const Link<S>& link = mechanism.links[mechanism.link_of_joint[e.joint]];
    if (closed) out.ws.row_speed[out.row] = sign * out.ws.v[link.v0 + e.component];
  } else if (closed) {
    add_loop_speed(mechanism, l, e.component, sign, out);
  } else {
    out.skip();
  }
  ++out.row;
}

// Whether a contact slides straight along the direction its mode holds.
template <class S>
bool goes_straight(const Mechanism<S>& mechanism, const MotionWorkspace<S>& ws, std::size_t k) {
  return is_creeping(mode_of(mechanism, ws, k)) &&
         row_acts(mechanism, ws, mechanism.contacts[k].row0 + 1);
}

// A slipping contact: the unit vector its friction acts against (but for what keeps it straight).
template <class S>
Vec3<S> slip_direction(int mode, const ContactFrame<S>& f, const Vec3<S>& speed) {
  if (is_creeping(mode)) {
    const HeldDirection d = held_direction(mode);
    return S(d.along1) * f.t1 + S(d.along2) * f.t2;
  }
  const S length2 = speed.y * speed.y + speed.z * speed.z;
  const auto moves = less(S(1e-300), length2);
  const S inverse = S(1) / sqrt(select(moves, length2, S(1)));
  return (inverse * speed.y) * f.t1 + (inverse * speed.z) * f.t2;
}

template <class S>
Vec3<S> speed_in(const ContactFrame<S>& f, const MotionWorkspace<S>& ws,
                 const ContactSurfaces<S>& on) {
  const Vec3<S> u = side_at(ws, on.a_link, f.c).u - side_at(ws, on.b_link, f.c).u;
  return {dot(f.n, u), dot(f.t1, u), dot(f.t2, u)};
}

template <class S>
void put_back_forces(MotionWorkspace<S>& ws) {
  ws.tau = ws.contact_tau;
  ws.loop_tau = ws.contact_loop_tau;
  ws.wrench_n = ws.contact_wrench_n;
  ws.wrench_f = ws.contact_wrench_f;
}

template <class S>
void push_slipping(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, std::size_t i,
                   const S& load) {
  const ContactSurfaces<S>& on = mechanism.contacts[ws.slipping[i]].on;
  const Vec3<S> force = load * ws.slip_push[i];
  add_force(ws, on.a_link, ws.slip_point[i], force);
  add_force(ws, on.b_link, ws.slip_point[i], -force);
}

// a x = b in place, without pivoting. A pivot that is not positive: friction pushes the surfaces
// apart more than it lets them be pressed together, and no normal force is consistent (Painleve).
template <class S>
void solve_loads_of_slipping(S* a, S* b, int n) {
  for (int k = 0; k < n; ++k) {
    S& pivot = a[k * n + k];
    pivot = select(less(S(0), pivot), pivot, S(std::numeric_limits<double>::quiet_NaN()));
    for (int i = k + 1; i < n; ++i) {
      const S factor = a[i * n + k] / pivot;
      for (int j = k; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
      b[i] -= factor * b[k];
    }
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int j = i + 1; j < n; ++j) b[i] -= a[i * n + j] * b[j];
    b[i] = b[i] / a[i * n + i];
  }
}

// sqrt((mu N)^2 - T^2), zero where there is none: what the cone leaves along the direction.
template <class S>
S calc_rest_of_cone(const S& limit, const S& across) {
  const S rest2 = limit * limit - across * across;
  const auto inside = less(S(1e-300), rest2);
  return select(inside, sqrt(select(inside, rest2, S(1))), S(0));
}

// Loads L of slipping contacts, friction -mu L d or, of those that go straight, -L d:
//   L_i = N_i   or   L_i = sqrt((mu N_i)^2 - T_i^2),     N = N0 + B L,  T = T0 + C L
// by Newton's method from T = 0. ws.slip_matrix has B and C, ws.slip_force N0 and T0, and L behind.
template <class S>
void solve_straight_loads(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  constexpr int rounds = 8;  // T is small against mu N, and derivatives follow one round later
  const std::size_t n = ws.slipping.size();
  const S *B = ws.slip_matrix.data(), *C = B + n * n, *N0 = ws.slip_force.data(), *T0 = N0 + n;
  S *L = ws.slip_force.data() + 2 * n, *step = L + n, *D = ws.slip_matrix.data() + 2 * n * n;
  for (std::size_t i = 0; i < n; ++i) L[i] = S(0);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < n; ++i) {
      S N = N0[i], T = T0[i];
      for (std::size_t j = 0; j < n; ++j) N += B[i * n + j] * L[j], T += C[i * n + j] * L[j];
      const bool straight = goes_straight(mechanism, ws, ws.slipping[i]);
      const S& mu = mechanism.contacts[ws.slipping[i]].friction;
      S by_N(1), by_T(0);
      step[i] = N - L[i];
      if (straight) {
        if (round == 0) T = S(0);
        const S rest = calc_rest_of_cone(mu * N, T);
        const auto inside = less(S(1e-300), rest);
        const S inverse = S(1) / select(inside, rest, S(1));
        by_N = round == 0 ? mu : select(inside, mu * mu * N * inverse, S(0));
        by_T = select(inside, -T * inverse, S(0));
        step[i] = rest - L[i];
        if (round == 0) step[i] = mu * N - L[i];
      }
      for (std::size_t j = 0; j < n; ++j)
        D[i * n + j] = S(i == j ? 1 : 0) - by_N * B[i * n + j] - by_T * C[i * n + j];
    }
    solve_loads_of_slipping(D, step, static_cast<int>(n));
    for (std::size_t i = 0; i < n; ++i) L[i] += step[i];
  }
  for (std::size_t i = 0; i < n; ++i) ws.slip_force[i] = L[i];
}

template <class S>
void find_slipping(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  ws.slipping.clear();
  ws.slip_push.clear();
  ws.slip_point.clear();
  for (std::size_t k = 0; k < mechanism.contacts.size(); ++k) {
    const int mode = mode_of(mechanism, ws, k);
    const ContactElement<S>& e = mechanism.contacts[k];
    if (!is_slipping(mode) || !row_acts(mechanism, ws, e.row0)) continue;
    const ContactFrame<S> f = calc_contact_frame(e.on, e.kind, ws);
    ws.slipping.push_back(static_cast<int>(k));
    const S by_load = goes_straight(mechanism, ws, k) ? S(1) : e.friction;
    ws.slip_push.push_back(-by_load * slip_direction(mode, f, speed_in(f, ws, e.on)));
    ws.slip_point.push_back(f.c);
  }
}

}  // namespace

template <class S>
void fill_contact_rows(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  RowWriter<S> out{ws, mechanism.contact_row0, mechanism.contact_source0};
  for (std::size_t k = 0; k < mechanism.contacts.size(); ++k) {
    const ContactElement<S>& e = mechanism.contacts[k];
    const int mode = mode_of(mechanism, ws, k);
    if (e.kind == ContactKind::stop) {
      write_stop(mechanism, e, mode != contact_open, out);
      continue;
    }
    ContactFrame<S> f;
    Side<S> a, b;
    if (mode != contact_open) {
      f = calc_contact_frame(e.on, e.kind, ws);
      a = side_at(ws, e.on.a_link, f.c);
      b = side_at(ws, e.on.b_link, f.c);
    }
    const bool straight = goes_straight(mechanism, ws, k);
    if (straight) {  // the row across the direction takes the place of the first tangent
      const HeldDirection d = held_direction(mode);
      f.t1 = S(d.along1) * f.t2 - S(d.along2) * f.t1;
      f.t1_rate = S(d.along1) * f.t2_rate - S(d.along2) * f.t1_rate;
    }
    const Vec3<S>* directions[] = {&f.n, &f.t1, &f.t2};
    const Vec3<S>* rates[] = {&f.n_rate, &f.t1_rate, &f.t2_rate};
    for (int r = 0; r < e.rows; ++r, ++out.row) {
      out.clear_row();
      if (r == 0 ? mode != contact_open : mode == contact_closed || (straight && r == 1))
        out.add_slide(meet(a, b, f.c_rate), *directions[r], *rates[r]);
      else
        out.skip();
    }
  }
}

template <class S>
S calc_gap(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, const ContactElement<S>& e) {
  if (e.kind != ContactKind::stop) return calc_contact_frame(e.on, e.kind, ws).gap;
  const S d = coordinates_of(mechanism, ws, e.joint).q[e.component] - e.bound;
  return e.sign > 0 ? d : -d;
}

template <class S>
Vec3<S> calc_contact_speed(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws,
                           const ContactElement<S>& e) {
  if (e.kind != ContactKind::stop) return speed_in(calc_contact_frame(e.on, e.kind, ws), ws, e.on);
  const S v = coordinates_of(mechanism, ws, e.joint).v[e.component];
  return {e.sign > 0 ? v : -v, S(0), S(0)};
}

template <class S>
void fill_contact_positions(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  for (std::size_t k = 0; k < mechanism.contacts.size(); ++k) {
    const ContactElement<S>& e = mechanism.contacts[k];
    for (int r = 0; r < e.rows; ++r) ws.row_position[e.row0 + r] = S(0);
    if (mode_of(mechanism, ws, k) != contact_open)
      ws.row_position[e.row0] = calc_gap(mechanism, ws, e);
  }
}

template <class S>
void solve_with_contacts(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws,
                         AccelerationSolver<S> solve) {
  ws.contact_power = S(0);
  if (!mechanism.contacts_rub) return solve_with_friction(mechanism, ws, solve);
  find_slipping(mechanism, ws);
  if (ws.slipping.empty()) return solve_with_friction(mechanism, ws, solve);
  ws.contact_tau = ws.tau;
  ws.contact_loop_tau = ws.loop_tau;
  ws.contact_wrench_n = ws.wrench_n;
  ws.contact_wrench_f = ws.wrench_f;
  const std::size_t n = ws.slipping.size();
  ws.slip_force.resize(4 * n);
  ws.slip_matrix.resize(3 * n * n);
  const auto normal_force = [&](std::size_t i) {
    return ws.lambda[mechanism.contacts[ws.slipping[i]].row0];
  };
  const auto force_across = [&](std::size_t i) {
    return goes_straight(mechanism, ws, ws.slipping[i])
               ? ws.lambda[mechanism.contacts[ws.slipping[i]].row0 + 1]
               : S(0);
  };
  bool straight = false;
  solve_with_friction(mechanism, ws, solve);
  for (std::size_t i = 0; i < n; ++i) {
    ws.slip_force[i] = normal_force(i);
    ws.slip_force[n + i] = force_across(i);
    straight |= goes_straight(mechanism, ws, ws.slipping[i]);
  }
  S *B = ws.slip_matrix.data(), *C = B + n * n;
  for (std::size_t j = 0; j < n; ++j) {
    put_back_forces(ws);
    push_slipping(mechanism, ws, j, S(1));
    solve_with_friction(mechanism, ws, solve);
    for (std::size_t i = 0; i < n; ++i) {
      B[i * n + j] = normal_force(i) - ws.slip_force[i];
      C[i * n + j] = force_across(i) - ws.slip_force[n + i];
    }
  }
  if (straight) {
    solve_straight_loads(mechanism, ws);
  } else {  // (1 - B) N = N0
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) B[i * n + j] = S(i == j ? 1 : 0) - B[i * n + j];
    solve_loads_of_slipping(B, ws.slip_force.data(), static_cast<int>(n));
  }
  put_back_forces(ws);
  for (std::size_t i = 0; i < n; ++i) push_slipping(mechanism, ws, i, ws.slip_force[i]);
  solve_with_friction(mechanism, ws, solve);
  for (std::size_t i = 0; i < n; ++i) {
    const ContactSurfaces<S>& on = mechanism.contacts[ws.slipping[i]].on;
    const Vec3<S> u =
        side_at(ws, on.a_link, ws.slip_point[i]).u - side_at(ws, on.b_link, ws.slip_point[i]).u;
    ws.contact_power += ws.slip_force[i] * dot(ws.slip_push[i], u);
  }
}

bool is_counting(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws,
                 const ContactElement<double>& e) {
  if (!e.active) return true;
  double value = 0;
  evaluate_program(mechanism, ws, e.active->program, &value);
  return value > 0;
}

template <class S>
Vec3<S> calc_contact_force(const Mechanism<S>& mechanism, const MotionWorkspace<S>& ws, int k) {
  const ContactElement<S>& e = mechanism.contacts[k];
  const int mode = mode_of(mechanism, ws, k);
  if (mode == contact_open) return {};
  Vec3<S> force{ws.lambda[e.row0], S(0), S(0)};
  if (mode == contact_closed) {
    if (e.rows == 3) force.y = ws.lambda[e.row0 + 1], force.z = ws.lambda[e.row0 + 2];
    return force;
  }
  if (goes_straight(mechanism, ws, static_cast<std::size_t>(k))) {
    const HeldDirection d = held_direction(mode);
    const S across = ws.lambda[e.row0 + 1];
    const S along = calc_rest_of_cone(e.friction * force.x, across);
    force.y = -along * S(d.along1) - across * S(d.along2);
    force.z = -along * S(d.along2) + across * S(d.along1);
    return force;
  }
  const ContactFrame<S> f = calc_contact_frame(e.on, e.kind, ws);
  const Vec3<S> d = slip_direction(mode, f, speed_in(f, ws, e.on));
  force.y = -e.friction * force.x * dot(d, f.t1);
  force.z = -e.friction * force.x * dot(d, f.t2);
  return force;
}

bool has_loose_contacts(int contact_row0, int row_count, const int* row_flags) {
  return std::find(row_flags + contact_row0, row_flags + row_count, loose_row) !=
         row_flags + row_count;
}

template <class S>
void calc_contact_margins(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws,
                          std::span<S> margins) {
  const bool loose = has_loose_contacts(mechanism.contact_row0, mechanism.row_count(),
                                        ws.mode.data() + mechanism.mode_count);
  for (std::size_t k = 0; k < mechanism.contacts.size(); ++k) {
    const ContactElement<S>& e = mechanism.contacts[k];
    const int mode = mode_of(mechanism, ws, k);
    S &first = margins[2 * k], &second = margins[2 * k + 1];
    second = S(1);
    S counts(1);
    if (e.active) evaluate_program(mechanism, ws, e.active->program, &counts);
    const bool counting = value_of(counts) > 0;
    if (mode == contact_open) {
      first = calc_gap(mechanism, ws, e);
      if (!counting) first = S(1) + abs(first);
      continue;
    }
    first = row_acts(mechanism, ws, e.row0) && !loose ? ws.lambda[e.row0] : S(1);
    if (!e.rubs || e.rough || (loose && mode == contact_closed)) continue;
    if (mode == contact_closed) {
      const Vec3<S> force = calc_contact_force(mechanism, ws, static_cast<int>(k));
      const S size2 = force.y * force.y + force.z * force.z;
      const auto pulls = less(S(1e-300), size2);
      second = e.friction * force.x - select(pulls, sqrt(select(pulls, size2, S(1))), S(0));
      continue;
    }
    const ContactFrame<S> f = calc_contact_frame(e.on, e.kind, ws);
    const Vec3<S> speed = speed_in(f, ws, e.on);
    if (is_creeping(mode)) {  // between a standstill and twice the creeping speed
      const Vec3<S> d = slip_direction(mode, f, speed);
      const S along = dot(d, f.t1) * speed.y + dot(d, f.t2) * speed.z;
      second = (along + S(creeping_slack)) * (S(1) - along / S(2 * creeping_speed));
      if (goes_straight(mechanism, ws, k) && !loose) {  // and inside the cone
        const S limit = e.friction * ws.lambda[e.row0], across = ws.lambda[e.row0 + 1];
        second = second * (limit * limit - across * across) / (limit * limit + S(1e-300));
      }
      continue;
    }
    const S size2 = speed.y * speed.y + speed.z * speed.z;
    const auto moves = less(S(1e-300), size2);
    second = select(moves, sqrt(select(moves, size2, S(1))), S(0)) - S(creeping_speed);
  }
}

HeldDirection held_direction(int contact_mode) {
  const double angle = 2 * pi * (contact_mode - contact_creeps) / turn_parts;
  return {std::cos(angle), std::sin(angle)};
}

int creeping_mode(double along1, double along2) {
  const double turn = std::atan2(along2, along1) / (2 * pi);
  const int parts = static_cast<int>(std::lround((turn < 0 ? turn + 1 : turn) * turn_parts));
  return contact_creeps + parts % turn_parts;
}

#define CARTAN_INSTANTIATE(S)                                                                 \
  template void fill_contact_rows<S>(const Mechanism<S>&, MotionWorkspace<S>&);               \
  template void fill_contact_positions<S>(const Mechanism<S>&, MotionWorkspace<S>&);          \
  template S calc_gap<S>(const Mechanism<S>&, MotionWorkspace<S>&, const ContactElement<S>&); \
  template Vec3<S> calc_contact_speed<S>(const Mechanism<S>&, MotionWorkspace<S>&,            \
                                         const ContactElement<S>&);
CARTAN_FOR_EACH_SCALAR_AND_EXPRESSION(CARTAN_INSTANTIATE)
CARTAN_INSTANTIATE(Mixed)
#undef CARTAN_INSTANTIATE
template void solve_with_contacts<double>(const Mechanism<double>&, MotionWorkspace<double>&,
                                          AccelerationSolver<double>);
template void solve_with_contacts<Dual4>(const Mechanism<Dual4>&, MotionWorkspace<Dual4>&,
                                         AccelerationSolver<Dual4>);
template void solve_with_contacts<Pack4>(const Mechanism<Pack4>&, MotionWorkspace<Pack4>&,
                                         AccelerationSolver<Pack4>);
template void solve_with_contacts<Mixed>(const Mechanism<Mixed>&, MotionWorkspace<Mixed>&,
                                         AccelerationSolver<Mixed>);
template void calc_contact_margins<double>(const Mechanism<double>&, MotionWorkspace<double>&,
                                           std::span<double>);
template void calc_contact_margins<Dual4>(const Mechanism<Dual4>&, MotionWorkspace<Dual4>&,
                                          std::span<Dual4>);
template Vec3<double> calc_contact_force<double>(const Mechanism<double>&,
                                                 const MotionWorkspace<double>&, int);
template Vec3<Dual4> calc_contact_force<Dual4>(const Mechanism<Dual4>&,
                                               const MotionWorkspace<Dual4>&, int);

}  // namespace cartan::mechanics
