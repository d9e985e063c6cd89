#include "mechanics/contacts/contact_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/mixed.h"
#include "mechanics/constraints/constraints.h"
#include "mechanics/constraints/row_writer.h"
#include "mechanics/machine/expression_inputs.h"
#include "symbolic/expression.h"

namespace cartan {
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

// A slipping contact: the unit vector its friction acts against.
template <class S>
Vec3<S> slip_direction(int mode, const ContactFrame<S>& f, const Vec3<S>& speed) {
  if (is_creeping(mode)) {
    const double angle = 2 * pi * (mode - contact_creeps) / turn_parts;
    return S(std::cos(angle)) * f.t1 + S(std::sin(angle)) * f.t2;
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
    ws.slip_push.push_back(-e.friction * slip_direction(mode, f, speed_in(f, ws, e.on)));
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
    const Vec3<S>* directions[] = {&f.n, &f.t1, &f.t2};
    const Vec3<S>* rates[] = {&f.n_rate, &f.t1_rate, &f.t2_rate};
    for (int r = 0; r < e.rows; ++r, ++out.row) {
      out.clear_row();
      if (r == 0 ? mode != contact_open : mode == contact_closed)
        out.add(a, b, {}, *directions[r], {}, *rates[r], f.c_rate);
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
  ws.slip_force.resize(n);
  ws.slip_matrix.resize(n * n);
  const auto normal_force = [&](std::size_t i) {
    return ws.lambda[mechanism.contacts[ws.slipping[i]].row0];
  };
  solve_with_friction(mechanism, ws, solve);
  for (std::size_t i = 0; i < n; ++i) ws.slip_force[i] = normal_force(i);
  for (std::size_t j = 0; j < n; ++j) {
    put_back_forces(ws);
    push_slipping(mechanism, ws, j, S(1));
    solve_with_friction(mechanism, ws, solve);
    for (std::size_t i = 0; i < n; ++i)
      ws.slip_matrix[i * n + j] = S(i == j ? 1 : 0) - (normal_force(i) - ws.slip_force[i]);
  }
  solve_loads_of_slipping(ws.slip_matrix.data(), ws.slip_force.data(), static_cast<int>(n));
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
      continue;
    }
    const S size2 = speed.y * speed.y + speed.z * speed.z;
    const auto moves = less(S(1e-300), size2);
    second = select(moves, sqrt(select(moves, size2, S(1))), S(0)) - S(creeping_speed);
  }
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

}  // namespace cartan
