#include "mechanics/tree/moving_frame.h"

#include <algorithm>
#include <type_traits>

#include "core/dense.h"
#include "mechanics/constraints/loop_rotors.h"
#include "mechanics/machine/kinematics.h"
#include "symbolic/expression.h"

namespace cartan::mechanics {
namespace {

// The six entries of link i in a column of B or B'.
template <class S>
S* entries(std::vector<S>& matrix, int rows, int i, int column) {
  return matrix.data() + static_cast<std::size_t>(column) * rows + 6 * i;
}
template <class S>
const S* entries(const std::vector<S>& matrix, int rows, int i, int column) {
  return matrix.data() + static_cast<std::size_t>(column) * rows + 6 * i;
}
template <class S>
void write(S* entry, const Vec3<S>& x, const Vec3<S>& w) {
  entry[0] = x.x, entry[1] = x.y, entry[2] = x.z;
  entry[3] = w.x, entry[4] = w.y, entry[5] = w.z;
}

// In place L L^T on the lower triangle of a row-major matrix.
template <class S>
void factorise(std::vector<S>& M, int n) {
  if constexpr (std::is_same_v<S, double>) {
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Eigen::Map<RowMajor> matrix(M.data(), n, n);
    Eigen::LLT<Eigen::Ref<RowMajor>> factor(matrix);
  } else {
    auto row = [&](int i) { return M.data() + static_cast<std::size_t>(i) * n; };
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j <= i; ++j) {
        S sum = row(i)[j];
        for (int k = 0; k < j; ++k) sum -= row(i)[k] * row(j)[k];
        row(i)[j] = i == j ? sqrt(sum) : sum / row(j)[j];
      }
    }
  }
}
// b = L^-1 b
template <class S>
void solve_lower(const std::vector<S>& L, S* b, int n) {
  for (int i = 0; i < n; ++i) {
    const S* row = L.data() + static_cast<std::size_t>(i) * n;
    for (int k = 0; k < i; ++k) b[i] -= row[k] * b[k];
    b[i] = b[i] / row[i];
  }
}
// b = L^-T b
template <class S>
void solve_upper(const std::vector<S>& L, S* b, int n) {
  for (int i = n - 1; i >= 0; --i) {
    const S* row = L.data() + static_cast<std::size_t>(i) * n;
    b[i] = b[i] / row[i];
    for (int k = 0; k < i; ++k) b[k] -= row[k] * b[i];
  }
}

// The six rows of B of link i, only the columns on its path, row by row.
template <class S>
void gather(const MovingFrame<S>& mf, int i, const std::vector<int>& path,
            std::vector<S>& compact) {
  const std::size_t k = path.size();
  for (std::size_t c = 0; c < k; ++c) {
    const S* entry = entries(mf.B, mf.rows, i, path[c]);
    for (int r = 0; r < 6; ++r) compact[r * k + c] = entry[r];
  }
}

// M* += B_i^T M_i B_i, lower triangle (path speeds need not be ascending)
template <class S>
void add_mass(const Link<S>& link, const LinkBody<S>& body, const std::vector<int>& path,
              MovingFrame<S>& mf) {
  const std::size_t k = path.size();
  const S* B = mf.compact.data();
  S* MB = mf.weighted.data();
  const Sym3<S>& J = body.J_com_B;
  for (std::size_t c = 0; c < k; ++c) {
    for (int r = 0; r < 3; ++r) MB[r * k + c] = link.mass * B[r * k + c];
    const Vec3<S> h = J * Vec3<S>{B[3 * k + c], B[4 * k + c], B[5 * k + c]};
    MB[3 * k + c] = h.x, MB[4 * k + c] = h.y, MB[5 * k + c] = h.z;
  }
  for (std::size_t a = 0; a < k; ++a) {
    S w[6];
    for (int r = 0; r < 6; ++r) w[r] = MB[r * k + a];
    // products first, into contiguous memory, then scattered to where the path says
    S* product = mf.product.data();
    for (std::size_t b = 0; b <= a; ++b) product[b] = w[0] * B[b];
    for (int r = 1; r < 6; ++r)
      for (std::size_t b = 0; b <= a; ++b) product[b] += w[r] * B[r * k + b];
    for (std::size_t b = 0; b <= a; ++b) {
      const std::size_t row = std::max(path[a], path[b]), column = std::min(path[a], path[b]);
      mf.M_star[row * mf.nv + column] += product[b];
    }
  }
}

// rhs += B_i^T (force, moment), B_i in `compact`
template <class S>
void add_wrench(const std::vector<int>& path, const Vec3<S>& force, const Vec3<S>& moment,
                MovingFrame<S>& mf) {
  const std::size_t k = path.size();
  const S* B = mf.compact.data();
  for (std::size_t c = 0; c < k; ++c)
    mf.rhs[path[c]] += B[c] * force.x + B[k + c] * force.y + B[2 * k + c] * force.z +
                       B[3 * k + c] * moment.x + B[4 * k + c] * moment.y + B[5 * k + c] * moment.z;
}

// rhs += B_i^T (F - M B' v - D M B v) of link i; what is in brackets is kept for `refine`
template <class S>
void add_forces(const Mechanism<S>& mechanism, const MotionWorkspace<S>& ws, int i,
                const std::vector<int>& path, MovingFrame<S>& mf) {
  const Link<S>& link = mechanism.links[i];
  const LinkBody<S>& body = mechanism.bodies[i];
  const LinkState<S>& x = ws.links[i];
  const Mat3<S> R = x.R * body.X_LB.R;
  const Vec3<S> arm = x.R * body.com_L;
  Vec3<S> bias_x, bias_w;
  for (int j : path) {
    const S* entry = entries(mf.Bdot, mf.rows, i, j);
    bias_x += ws.v[j] * Vec3<S>{entry[0], entry[1], entry[2]};
    bias_w += ws.v[j] * Vec3<S>{entry[3], entry[4], entry[5]};
  }
  Vec3<S> force = link.mass * (ws.gravity - bias_x), moment;
  if (mechanism.has_forces) {
    force += ws.wrench_f[i];
    moment = transpose_times(R, ws.wrench_n[i] - cross(arm, ws.wrench_f[i]));
  }
  const Vec3<S> w = transpose_times(R, x.w);
  moment -= body.J_com_B * bias_w + cross(w, body.J_com_B * w);
  mf.force[i] = force, mf.moment[i] = moment;
  add_wrench(path, force, moment, mf);
}

// Speeds whose v' is known (stuck or driven) leave the equations.
template <class S>
void hold_known(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  if (!ws.any_locked && !mechanism.has_drives) return;
  MovingFrame<S>& mf = *ws.moving_frame;
  const std::size_t n = mf.nv;
  for (const Link<S>& link : mechanism.links)
    for (int j = link.v0; j < link.v0 + link.nv; ++j) {
      const bool locked = ws.any_locked && ws.locked[j];
      if (!link.driven && !locked) continue;
      const S known = link.driven ? ws.prescribed[j] : S(0);
      for (std::size_t k = 0; k < n; ++k) {
        mf.rhs[k] -= mf.M_star[k * n + j] * known;
        mf.M_star[k * n + j] = mf.M_star[j * n + k] = S(0);
      }
      mf.M_star[j * n + j] = S(1);
      mf.rhs[j] = known;
    }
}

// One step of iterative refinement of v', with L in M_star. Sums such as M* lose the small axial
// inertia of a slender body beside m l^2 to rounding. So what v' leaves of the balance is formed
// body by body, where it is whole: r = tau + sum_i B_i^T (F - M B' v - D M B v - M B_i v').
template <class S>
void refine(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  MovingFrame<S>& mf = *ws.moving_frame;
  for (int j = 0; j < mf.nv; ++j) mf.rhs[j] = ws.tau[j] - mechanism.rotor[j] * ws.vdot[j];
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    const std::vector<int>& path = mf.path[i];
    const std::size_t k = path.size();
    gather(mf, static_cast<int>(i), path, mf.compact);
    S a[6] = {};
    for (std::size_t c = 0; c < k; ++c)
      for (int r = 0; r < 6; ++r) a[r] += mf.compact[r * k + c] * ws.vdot[path[c]];
    add_wrench(path, mf.force[i] - mechanism.links[i].mass * Vec3<S>{a[0], a[1], a[2]},
               mf.moment[i] - mechanism.bodies[i].J_com_B * Vec3<S>{a[3], a[4], a[5]}, mf);
  }
  for (const Link<S>& link : mechanism.links)
    for (int j = link.v0; j < link.v0 + link.nv; ++j)
      if (link.driven || (ws.any_locked && ws.locked[j])) mf.rhs[j] = S(0);
  solve_lower(mf.M_star, mf.rhs.data(), mf.nv);
  solve_upper(mf.M_star, mf.rhs.data(), mf.nv);
  for (int j = 0; j < mf.nv; ++j) ws.vdot[j] += mf.rhs[j];
}

// One row of J, and gamma = -(what y' is at v' = 0): the row's wrenches seen through B and B'.
template <class S>
void fill_constraint_row(const Mechanism<S>& mechanism, const MotionWorkspace<S>& ws, std::size_t s,
                         MovingFrame<S>& mf, S* J, S& gamma) {
  const int i = mechanism.sources[s].link;
  if (i == world) {
    gamma += dot(ws.source_f[s], ws.gravity);  // the world accelerates by -g, as all links do
    return;
  }
  const LinkBody<S>& body = mechanism.bodies[i];
  const LinkState<S>& x = ws.links[i];
  const Mat3<S> R = x.R * body.X_LB.R;
  const Vec3<S> arm = x.R * body.com_L;
  const Vec3<S> f = ws.source_f[s];
  const Vec3<S> n = transpose_times(R, ws.source_n[s] - cross(arm, f));
  Vec3<S> bias_x = -ws.gravity - cross(x.w, cross(x.w, arm)), bias_w;
  for (int j : mf.path[i]) {
    const S* b = entries(mf.B, mf.rows, i, j);
    J[j] += f.x * b[0] + f.y * b[1] + f.z * b[2] + n.x * b[3] + n.y * b[4] + n.z * b[5];
    const S* rate = entries(mf.Bdot, mf.rows, i, j);
    bias_x += ws.v[j] * Vec3<S>{rate[0], rate[1], rate[2]};
    bias_w += ws.v[j] * Vec3<S>{rate[3], rate[4], rate[5]};
  }
  gamma -= dot(f, bias_x) + dot(n, bias_w);
}

template <class S>
void fill_constraint_equations(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  MovingFrame<S>& mf = *ws.moving_frame;
  const std::size_t n = mf.nv;
  mf.active.clear();
  for (int r = 0; r < mechanism.row_count(); ++r)
    if (ws.plan.active[r] && mechanism.rows[r].driven_speed < 0) mf.active.push_back(r);
  mf.place.assign(mechanism.rows.size(), -1);
  for (std::size_t k = 0; k < mf.active.size(); ++k) mf.place[mf.active[k]] = static_cast<int>(k);
  mf.J.assign(mf.active.size() * n, S(0));
  mf.gamma.assign(mf.active.size(), S(0));
  for (std::size_t k = 0; k < mf.active.size(); ++k) mf.gamma[k] = -ws.row_rest[mf.active[k]];
  for (std::size_t s = 0; s < mechanism.sources.size(); ++s) {
    const int k = mf.place[mechanism.sources[s].row];
    if (k >= 0) fill_constraint_row(mechanism, ws, s, mf, mf.J.data() + k * n, mf.gamma[k]);
  }
  for (std::size_t m = 0; m < mechanism.terms.size(); ++m) {
    const RowTerm<S>& term = mechanism.terms[m];
    const int k = mf.place[term.row];
    if (k >= 0) mf.J[k * n + mechanism.links[term.link].v0 + term.component] += ws.term_factor[m];
  }
  // known accelerations are no unknowns
  for (const Link<S>& link : mechanism.links)
    for (int j = link.v0; j < link.v0 + link.nv; ++j) {
      const bool locked = ws.any_locked && ws.locked[j];
      if (!link.driven && !locked) continue;
      for (std::size_t k = 0; k < mf.active.size(); ++k) {
        if (link.driven) mf.gamma[k] -= mf.J[k * n + j] * ws.prescribed[j];
        mf.J[k * n + j] = S(0);
      }
    }
}

// With M* = L L^T and Z = L^-1 J^T:  (Z^T Z) lambda = gamma - Z^T L^-1 f,  v' = L^-T (L^-1 f + Z
// lambda). `ws.vdot` holds L^-1 f on entry.
template <class S>
void solve_multipliers(MotionWorkspace<S>& ws) {
  MovingFrame<S>& mf = *ws.moving_frame;
  const std::size_t n = mf.nv, m = mf.active.size();
  auto Z = [&](std::size_t k) { return mf.J.data() + k * n; };
  auto product = [&](const S* a, const S* b) {
    S sum(0);
    for (std::size_t j = 0; j < n; ++j) sum += a[j] * b[j];
    return sum;
  };
  for (std::size_t k = 0; k < m; ++k) solve_lower(mf.M_star, Z(k), mf.nv);
  mf.G.assign(m * m, S(0));
  for (std::size_t k = 0; k < m; ++k) {
    for (std::size_t l = 0; l <= k; ++l) mf.G[k * m + l] = product(Z(k), Z(l));
    mf.gamma[k] -= product(Z(k), ws.vdot.data());
  }
  factorise(mf.G, static_cast<int>(m));
  solve_lower(mf.G, mf.gamma.data(), static_cast<int>(m));
  solve_upper(mf.G, mf.gamma.data(), static_cast<int>(m));
  for (S& lambda : ws.lambda) lambda = S(0);
  for (std::size_t k = 0; k < m; ++k) {
    ws.lambda[mf.active[k]] = mf.gamma[k];
    for (std::size_t j = 0; j < n; ++j) ws.vdot[j] += mf.gamma[k] * Z(k)[j];
  }
}

}  // namespace

template <class S>
MovingFrame<S> make_moving_frame(const Mechanism<S>& mechanism) {
  MovingFrame<S> mf;
  const std::size_t n = mechanism.links.size(), nv = mechanism.nv;
  mf.rows = static_cast<int>(6 * n);
  mf.nv = mechanism.nv;
  mf.B.assign(6 * n * nv, S(0));
  mf.Bdot.assign(6 * n * nv, S(0));
  mf.M_star.assign(nv * nv, S(0));
  mf.rhs.assign(nv, S(0));
  mf.compact.assign(6 * nv, S(0));
  mf.weighted.assign(6 * nv, S(0));
  mf.product.assign(nv, S(0));
  mf.force.resize(n);
  mf.moment.resize(n);
  mf.path.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Link<S>& link = mechanism.links[i];
    if (link.parent != world) mf.path[i] = mf.path[link.parent];
    for (int k = 0; k < link.nv; ++k) mf.path[i].push_back(link.v0 + k);
  }
  return mf;
}

template <class S>
void fill_moving_frame(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  if (!ws.moving_frame) ws.moving_frame = make_moving_frame(mechanism);
  MovingFrame<S>& mf = *ws.moving_frame;
  fill_columns(mechanism, ws);
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    const LinkState<S>& x = ws.links[i];
    const LinkBody<S>& body = mechanism.bodies[i];
    const Mat3<S> R = x.R * body.X_LB.R;
    const Vec3<S> arm = x.R * body.com_L;
    const Vec3<S> com = x.o + arm, com_rate = x.u + cross(x.w, arm);
    for (int a = static_cast<int>(i); a != world; a = mechanism.links[a].parent) {
      const LinkState<S>& y = ws.links[a];
      const Vec3<S> lever = com - y.o, lever_rate = com_rate - y.u;
      const Link<S>& ancestor = mechanism.links[a];
      for (int j = ancestor.v0; j < ancestor.v0 + ancestor.nv; ++j) {
        const Vec3<S>&phi = ws.phi[j], &phi_rate = ws.phi_rate[j];
        write(entries(mf.B, mf.rows, static_cast<int>(i), j), ws.psi[j] + cross(phi, lever),
              transpose_times(R, phi));
        write(entries(mf.Bdot, mf.rows, static_cast<int>(i), j),
              ws.psi_rate[j] + cross(phi_rate, lever) + cross(phi, lever_rate),
              transpose_times(R, phi_rate - cross(x.w, phi)));
      }
    }
  }
}

template <class S>
void fill_moving_frame_equations(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  fill_moving_frame(mechanism, ws);
  MovingFrame<S>& mf = *ws.moving_frame;
  std::fill(mf.M_star.begin(), mf.M_star.end(), S(0));
  std::copy(ws.tau.begin(), ws.tau.end(), mf.rhs.begin());
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    const std::vector<int>& path = mf.path[i];
    gather(mf, static_cast<int>(i), path, mf.compact);
    add_mass(mechanism.links[i], mechanism.bodies[i], path, mf);
    add_forces(mechanism, ws, static_cast<int>(i), path, mf);
  }
  for (int i = 0; i < mf.nv; ++i)
    for (int j = 0; j < i; ++j)
      mf.M_star[static_cast<std::size_t>(j) * mf.nv + i] =
          mf.M_star[static_cast<std::size_t>(i) * mf.nv + j];
  for (int j = 0; j < mf.nv; ++j)
    mf.M_star[static_cast<std::size_t>(j) * mf.nv + j] += mechanism.rotor[j];
  add_loop_rotors(mechanism, ws, mf.M_star.data(), mf.rhs.data());
}

template <class S>
void form_moving_frame(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  fill_moving_frame_equations(mechanism, ws);
  if (!mechanism.rows.empty()) fill_constraint_equations(mechanism, ws);
  hold_known(mechanism, ws);
}

template <class S>
void solve_moving_frame(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  form_moving_frame(mechanism, ws);
  const bool closed = !mechanism.rows.empty();
  MovingFrame<S>& mf = *ws.moving_frame;
  std::copy(mf.rhs.begin(), mf.rhs.end(), ws.vdot.begin());
  factorise(mf.M_star, mf.nv);
  solve_lower(mf.M_star, ws.vdot.data(), mf.nv);
  if (closed) solve_multipliers(ws);
  solve_upper(mf.M_star, ws.vdot.data(), mf.nv);
  if (!closed) refine(mechanism, ws);
  fill_accelerations(mechanism, ws);
}

#define CARTAN_INSTANTIATE(S)                                                             \
  template MovingFrame<S> make_moving_frame<S>(const Mechanism<S>&);                      \
  template void fill_moving_frame<S>(const Mechanism<S>&, MotionWorkspace<S>&);           \
  template void fill_moving_frame_equations<S>(const Mechanism<S>&, MotionWorkspace<S>&); \
  template void form_moving_frame<S>(const Mechanism<S>&, MotionWorkspace<S>&);           \
  template void solve_moving_frame<S>(const Mechanism<S>&, MotionWorkspace<S>&);
CARTAN_FOR_EACH_SCALAR_AND_EXPRESSION(CARTAN_INSTANTIATE)
#undef CARTAN_INSTANTIATE

}  // namespace cartan::mechanics
