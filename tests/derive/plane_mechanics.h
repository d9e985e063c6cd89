// Lagrange's equations of a plane chain and of the places that touch (plane_chain.h).
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "derive/plane_laws.h"

namespace cartan::test {

inline PlaneVector operator+(const PlaneVector& a, const PlaneVector& b) {
  return {a.x + b.x, a.y + b.y};
}
inline PlaneVector operator*(const Complex& c, const PlaneVector& a) {
  return {c * a.x, c * a.y};
}
inline Complex dot_product(const PlaneVector& a, const PlaneVector& b) {
  return a.x * b.x + a.y * b.y;
}
inline PlaneVector quarter_turn(const PlaneVector& a) {
  return {-a.y, a.x};
}

// The chain at a state: with absolute angles theta_i = q_1 + .. + q_i, w = theta', and s_kj what
// the centre of mass of link k turns about hinge j with,
//   T = 1/2 sum_k m_k |sum_j w_j E s_kj|^2 + 1/2 J_k w_k^2
//   M_ij = sum_k m_k s_ki . s_kj + J_i [i = j]
//   M w' = f,   f_i = sum_k m_k E s_ki . (gravity + sum_j w_j^2 s_kj) + tau_i - tau_(i+1)
class PlaneMechanics {
 public:
  explicit PlaneMechanics(const PlaneChain& chain)
      : chain_(chain), n_(static_cast<int>(chain.links.size())) {}

  void fill(const PlaneState& x) {
    Complex angle(0), rate(0);
    for (int i = 0; i < n_; ++i) {
      q_[i] = x[i];
      w_[i] = rate += x[n_ + i];
      angle += x[i];
      cos_[i] = std::cos(angle);
      sin_[i] = std::sin(angle);
      end_[i] = turn(i, chain_.links[i].end);
      com_[i] = turn(i, chain_.links[i].com);
    }
    fill_dynamics(x);
  }

  Complex gap(const PlanePlace& place) const {
    if (place.stop) return place.sign * (q_[place.link] - place.offset);
    PlaneVector at = turn(place.link, place.point);
    for (int j = 0; j < place.link; ++j) at = at + end_[j];
    return dot_product(place.normal, at) - place.radius - place.offset;
  }

  // A and J of these places, with b of speeds or of accelerations.
  void fill_problem(const std::vector<int>& places, bool accelerations, PlaneProblem& p) {
    p.count = static_cast<int>(places.size());
    for (int i = 0; i < p.count; ++i) {
      p.place[i] = places[i];
      fill_rows(chain_.places[places[i]], 2 * i);
    }
    const int rows = 2 * p.count;
    for (int i = 0; i < rows; ++i) {
      Complex answer[most_links];
      std::copy_n(J_[i], n_, answer);
      solve_mass(answer);
      for (int j = 0; j < rows; ++j) p.A[j][i] = product(J_[j], answer);
      p.b[i] = accelerations ? product(J_[i], free_) + bias_[i] : product(J_[i], w_);
    }
  }

  // M^-1 (J^T r) after fill_problem.
  void answer_to(const PlaneProblem& p, const Complex* r, Complex (&answer)[most_links]) const {
    std::fill_n(answer, most_links, Complex(0));
    for (int i = 0; i < 2 * p.count; ++i)
      for (int j = 0; j < n_; ++j) answer[j] += J_[i][j] * r[i];
    solve_mass(answer);
  }

  const Complex (&free() const)[most_links] { return free_; }
  const Complex (&rates() const)[most_links] { return w_; }
  double kinetic(const Complex* w) const {
    double sum = 0;
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < n_; ++j) sum += 0.5 * re(M_[i][j] * w[i] * w[j]);
    return sum;
  }
  int size() const { return n_; }

 private:
  PlaneVector turn(int i, const PlaneVector& a) const {
    return {cos_[i] * a.x - sin_[i] * a.y, sin_[i] * a.x + cos_[i] * a.y};
  }
  Complex product(const Complex* a, const Complex* b) const {
    Complex sum(0);
    for (int j = 0; j < n_; ++j) sum += a[j] * b[j];
    return sum;
  }
  void solve_mass(Complex (&b)[most_links]) const {
    Complex M[most_links][most_links];
    for (int i = 0; i < n_; ++i) std::copy_n(M_[i], n_, M[i]);
    eliminate(n_, M, b);
  }

  void fill_dynamics(const PlaneState& x) {
    for (int i = 0; i < n_; ++i) {
      std::fill_n(M_[i], n_, Complex(0));
      const PlaneLink& link = chain_.links[i];
      const Complex torque = -link.stiffness * (x[i] - link.rest) - link.damping * x[n_ + i];
      free_[i] = i == 0 ? torque : free_[i] + torque;
      if (i + 1 < n_) free_[i + 1] = 0;
      if (i > 0) free_[i - 1] -= torque;
      M_[i][i] = link.inertia;
    }
    for (int k = 0; k < n_; ++k) {
      const Complex m = chain_.links[k].mass;
      PlaneVector load = chain_.gravity;
      for (int j = 0; j <= k; ++j) load = load + (w_[j] * w_[j]) * arm(k, j);
      for (int i = 0; i <= k; ++i) {
        free_[i] += m * dot_product(quarter_turn(arm(k, i)), load);
        for (int j = 0; j <= k; ++j) M_[i][j] += m * dot_product(arm(k, i), arm(k, j));
      }
    }
    solve_mass(free_);
  }
  const PlaneVector& arm(int k, int j) const { return j < k ? end_[j] : com_[k]; }

  // Normal and tangent of a place: rows J with (g', u) = J w, and (g'', u') = J w' + bias.
  //   u = t . x' - radius w_k   with t = E n, the speed of the lowest point of the disc
  void fill_rows(const PlanePlace& place, int row) {
    for (int r = row; r < row + 2; ++r) {
      std::fill_n(J_[r], most_links, Complex(0));
      bias_[r] = 0;
    }
    const int k = place.link;
    if (place.stop) {
      J_[row][k] = place.sign;
      if (k > 0) J_[row][k - 1] = -place.sign;
      return;
    }
    const PlaneVector along = quarter_turn(place.normal), point = turn(k, place.point);
    for (int j = 0; j <= k; ++j) {
      const PlaneVector& s = j < k ? end_[j] : point;
      J_[row][j] = dot_product(place.normal, quarter_turn(s));
      J_[row + 1][j] = dot_product(along, quarter_turn(s));
      bias_[row] -= w_[j] * w_[j] * dot_product(place.normal, s);
      bias_[row + 1] -= w_[j] * w_[j] * dot_product(along, s);
    }
    J_[row + 1][k] -= place.radius;
  }

  const PlaneChain& chain_;
  int n_;
  Complex q_[most_links], w_[most_links], cos_[most_links], sin_[most_links];
  PlaneVector end_[most_links], com_[most_links];
  Complex M_[most_links][most_links], free_[most_links];  // free: w' without contacts
  Complex J_[most_rows][most_links], bias_[most_rows];
};

}  // namespace cartan::test
