#include "mechanics/stepping/part_response.h"

#include <numeric>

#include <fmt/format.h>
#include <Eigen/Cholesky>
#include <Eigen/QR>

#include "system/contact_stepping.h"

namespace cartan::mechanics {

using Eigen::MatrixXd;

SpeedParts find_speed_parts(const Mechanism<double>& mechanism) {
  const int n = static_cast<int>(mechanism.links.size());
  std::vector<int> root(n);
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  const auto join = [&](int a, int b) {
    if (a != world && b != world) root[find(a)] = find(b);
  };
  for (int i = 0; i < n; ++i) join(i, mechanism.links[i].parent);
  std::vector<int> touched(mechanism.rows.size(), world);  // a link of every row
  const auto tie = [&](int row, int link) {
    if (link == world) return;
    join(link, touched[row]);
    touched[row] = link;
  };
  for (const RowSource& source : mechanism.sources) tie(source.row, source.link);
  for (const RowTerm<double>& term : mechanism.terms) tie(term.row, term.link);
  for (std::size_t r = 0; r < mechanism.rows.size(); ++r)
    for (int i = 0; mechanism.rows[r].driven_speed >= 0 && i < n; ++i)
      if (const int k = mechanism.rows[r].driven_speed - mechanism.links[i].v0;
          k >= 0 && k < mechanism.links[i].nv)
        tie(static_cast<int>(r), i);
  SpeedParts parts;
  parts.of_link.assign(n, -1);
  std::vector<int> number(n, -1);
  for (int i = 0; i < n; ++i) {
    int& part = number[find(i)];
    if (part < 0) {
      part = parts.count();
      parts.links.emplace_back();
      parts.rows.emplace_back();
    }
    parts.of_link[i] = part;
    parts.links[part].push_back(i);
  }
  for (std::size_t r = 0; r < touched.size(); ++r)
    if (touched[r] != world) parts.rows[parts.of_link[touched[r]]].push_back(static_cast<int>(r));
  parts.place.resize(mechanism.nv);
  for (const std::vector<int>& links : parts.links) {
    const std::size_t first = parts.order.size();
    for (int i : links)
      for (int k = 0; k < mechanism.links[i].nv; ++k) {
        parts.place[mechanism.links[i].v0 + k] = static_cast<int>(parts.order.size());
        parts.order.push_back(mechanism.links[i].v0 + k);
      }
    parts.first.push_back(static_cast<int>(first));
    parts.size.push_back(static_cast<int>(parts.order.size() - first));
    parts.order.resize(first + static_cast<std::size_t>(lane * lanes_of(parts.size.back())), -1);
  }
  return parts;
}

void add_to_row(const Mechanism<double>& mechanism, const SpeedParts& parts,
                const MotionWorkspace<double>& ws, int link, Vec3<double> n, const Vec3<double>& f,
                double* row) {
  const int first = parts.first[parts.of_link[link]];
  for (int j = link; j != world; j = mechanism.links[j].parent) {
    const Link<double>& at = mechanism.links[j];
    for (int k = 0; k < at.nv; ++k)
      row[parts.place[at.v0 + k] - first] += dot(ws.phi[at.v0 + k], n) + dot(ws.psi[at.v0 + k], f);
    n += cross(ws.links[j].r, f);
  }
}

// M = sum over links of B^T I B, I about the link's origin in world axes.
void PartResponse::fill_mass(const Mechanism<double>& mechanism, const SpeedParts& parts, int part,
                             const MotionWorkspace<double>& ws) {
  const int n = parts.size[part], first = parts.first[part];
  M_.setZero(n, n);
  std::vector<int> speeds;
  std::vector<Vec3<double>> w, u;  // of the link's origin, per speed on its path
  for (int i : parts.links[part]) {
    const Link<double>& link = mechanism.links[i];
    speeds.clear(), w.clear(), u.clear();
    Vec3<double> arm{};
    for (int j = i; j != world; arm += ws.links[j].r, j = mechanism.links[j].parent)
      for (int k = 0; k < mechanism.links[j].nv; ++k) {
        const int v = mechanism.links[j].v0 + k;
        speeds.push_back(parts.place[v] - first);
        w.push_back(ws.phi[v]);
        u.push_back(ws.psi[v] + cross(ws.phi[v], arm));
      }
    const Mat3<double>& R = ws.links[i].R;
    const Vec3<double> mc = R * link.mc;
    for (std::size_t a = 0; a < speeds.size(); ++a) {
      const Vec3<double> moment = R * (link.J * transpose_times(R, w[a])) + cross(mc, u[a]);
      const Vec3<double> force = link.mass * u[a] + cross(w[a], mc);
      for (std::size_t b = 0; b < speeds.size(); ++b)
        M_(speeds[b], speeds[a]) += dot(w[b], moment) + dot(u[b], force);
    }
    for (int k = 0; k < link.nv; ++k) {
      const int v = link.v0 + k;
      M_(parts.place[v] - first, parts.place[v] - first) += mechanism.rotor[v];
    }
  }
}

// G of these rows.
void PartResponse::fill_rows(const Mechanism<double>& mechanism, const SpeedParts& parts, int part,
                             const MotionWorkspace<double>& ws, const std::vector<int>& rows) {
  const int n = parts.size[part], first = parts.first[part];
  G_.setZero(static_cast<int>(rows.size()), n);
  Eigen::VectorXd row(n);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    row.setZero();
    if (const int driven = mechanism.rows[rows[k]].driven_speed; driven >= 0)
      row[parts.place[driven] - first] = 1;
    else
      for (std::size_t s = 0; s < mechanism.sources.size(); ++s) {
        const RowSource& source = mechanism.sources[s];
        if (source.row == rows[k] && source.link != world)
          add_to_row(mechanism, parts, ws, source.link, ws.source_n[s], ws.source_f[s], row.data());
      }
    for (std::size_t s = 0; s < mechanism.terms.size(); ++s)
      if (const RowTerm<double>& term = mechanism.terms[s]; term.row == rows[k])
        row[parts.place[mechanism.links[term.link].v0 + term.component] - first] +=
            ws.term_factor[s];
    G_.row(static_cast<int>(k)) = row;
  }
}

std::string PartResponse::fill(const Mechanism<double>& mechanism, const SpeedParts& parts,
                               MotionWorkspace<double>& ws, const std::vector<char>& wanted) {
  constexpr double dependent = 1e-10;  // of the largest row
  C_.resize(parts.count());
  constant_.resize(parts.count(), 0);
  for (int part = 0; part < parts.count(); ++part) {
    if (!wanted[part] || constant_[part]) continue;
    const int n = parts.size[part];
    fill_mass(mechanism, parts, part, ws);
    std::vector<int> rows;
    for (int r : parts.rows[part])
      if (mechanism.rows[r].driven_speed >= 0 || ws.mode[mechanism.mode_count + r] != 0)
        rows.push_back(r);
    // a body without mass that is driven: any will do, the constraints hold it
    const double tiny = rows.empty() ? 0 : 1e-14 * M_.diagonal().maxCoeff();
    M_.diagonal().array() += tiny;
    const Eigen::LLT<MatrixXd> factor(M_);
    if (factor.info() != Eigen::Success)
      return fmt::format("the motion of body '{}' meets no inertia",
                         mechanism.model->bodies[mechanism.bodies[parts.links[part][0]].body].name);
    MatrixXd& C = C_[part];
    C = factor.matrixU().solve(MatrixXd::Identity(n, n));
    // one free body in its own axes
    const Link<double>& link = mechanism.links[parts.links[part][0]];
    constant_[part] = parts.links[part].size() == 1 && rows.empty() &&
                      link.motion == Motion::free6 && (!link.product || norm2(link.mc) == 0);
    if (rows.empty()) continue;
    fill_rows(mechanism, parts, part, ws, rows);
    Eigen::ColPivHouseholderQR<MatrixXd> seen((G_ * C).transpose());
    seen.setThreshold(dependent);
    const MatrixXd Q = seen.householderQ() * MatrixXd::Identity(n, n);
    C = (C * Q.rightCols(n - seen.rank())).eval();
  }
  return "";
}

}  // namespace cartan::mechanics
