#include "mechanics/contacts/impact_map.h"

#include <algorithm>

#include "mechanics/constraints/closed_recursion.h"
#include "mechanics/contacts/contact_impulses.h"
#include "mechanics/machine/kinematics.h"

namespace cartan::mechanics {
namespace {

using Eigen::MatrixXd;

class ImpactMap {
 public:
  ImpactMap(const Mechanism<Dual4>& mechanism, const ImpactRecord& impact,
            MotionWorkspace<Dual4>& ws)
      : mechanism_(mechanism),
        impact_(impact),
        ws_(ws),
        n_(3 * static_cast<int>(impact.touching.size())) {}

  void operator()(const Dual4& t, const Dual4* q, Dual4* v) {
    show_contacts(mechanism_, std::span<const int>(impact_.touching), ws_);
    fill_kinematics<Dual4>(mechanism_, t, q, v, ws_);
    speeds_.assign(n_, Dual4(0.0));
    for (int i = 0; i < n_; ++i)
      if (row_of(i) >= 0) speeds_[i] = ws_.row_speed[row_of(i)];
    still_.assign(mechanism_.nv, Dual4(0.0));
    fill_kinematics<Dual4>(mechanism_, t, q, still_.data(), ws_);
    fill_matrix();
    std::vector<Dual4> P(n_, Dual4(0.0));
    if (impact_.phases.size() == 1)
      strike(P);
    else
      compress_and_expand(P);
    clear_loads(ws_);
    for (int i = 0; i < n_; ++i)
      if (row_of(i) >= 0) push_contact_row(mechanism_, ws_, row_of(i), P[i]);
    solve_closed(mechanism_, ws_);
    for (int j = 0; j < mechanism_.nv; ++j) v[j] += ws_.vdot[j];
  }

 private:
  // -1: a contact without friction has no tangents
  int row_of(int number) const {
    const ContactElement<Dual4>& e = mechanism_.contacts[impact_.touching[number / 3]];
    return number % 3 < e.rows ? e.row0 + number % 3 : -1;
  }
  const ContactElement<Dual4>& element(int i) const {
    return mechanism_.contacts[impact_.touching[i]];
  }

  void fill_matrix() {
    A_.assign(static_cast<std::size_t>(n_) * n_, Dual4(0.0));
    for (int j = 0; j < n_; ++j) {
      if (row_of(j) < 0) continue;
      clear_loads(ws_);
      push_contact_row(mechanism_, ws_, row_of(j), Dual4(1.0));
      solve_closed(mechanism_, ws_);
      for (int i = 0; i < n_; ++i)
        if (row_of(i) >= 0) A_[i * n_ + j] = calc_row_answer(mechanism_, ws_, row_of(i));
    }
  }

  // P of a phase whose b and given loads are these: the known values, and what they change by.
  std::vector<Dual4> solve_phase(const ImpactPhase& phase, const std::vector<Dual4>& b,
                                 const std::vector<Dual4>& given) const {
    const ContactSolution& s = phase.solution;
    std::vector<Dual4> w = b;
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < n_; ++j) w[i] += A_[i * n_ + j] * s.r[j];
    MatrixXd dF = MatrixXd::Zero(n_, 4);
    const auto put = [&](int row, const Dual4& F) {
      for (int c = 0; c < 4; ++c) dF(row, c) = F.d[c];
    };
    for (int i = 0; i < n_ / 3; ++i) {
      const ContactLaw& law = phase.problem.laws[i];
      const int k = 3 * i;
      if (s.closed[i]) put(k, w[k]);
      const bool touches = s.closed[i] || law.given > 0;
      if (law.kind == ContactLaw::Kind::smooth || !touches) continue;
      if (law.kind == ContactLaw::Kind::friction && law.mu == 0) continue;
      if (!s.slips[i]) {
        put(k + 1, w[k + 1]);
        put(k + 2, w[k + 2]);
        continue;
      }
      const Dual4 length = sqrt(w[k + 1] * w[k + 1] + w[k + 2] * w[k + 2]);
      const Dual4 load = element(i).friction * (Dual4(s.r[k]) + given[i]) / length;
      put(k + 1, load * w[k + 1]);
      put(k + 2, load * w[k + 2]);
    }
    const MatrixXd dP = change_solution(phase.problem, s, dF);
    std::vector<Dual4> P(n_);
    for (int i = 0; i < n_; ++i) {
      P[i] = Dual4(s.r[i]);
      for (int c = 0; c < 4; ++c) P[i].d[c] = dP(i, c);
    }
    return P;
  }

  void strike(std::vector<Dual4>& P) const {  // Newton
    std::vector<Dual4> b = speeds_;
    for (int i = 0; i < n_ / 3; ++i)
      if (value_of(speeds_[3 * i]) < 0) b[3 * i] += element(i).restitution * speeds_[3 * i];
    P = solve_phase(impact_.phases[0], b, std::vector<Dual4>(n_ / 3, Dual4(0.0)));
  }
  void compress_and_expand(std::vector<Dual4>& P) const {  // Poisson
    std::vector<Dual4> given(n_ / 3, Dual4(0.0));
    P = solve_phase(impact_.phases[0], speeds_, given);
    for (int i = 0; i < n_ / 3; ++i) {
      given[i] = element(i).restitution * P[3 * i];
      P[3 * i] += given[i];
    }
    std::vector<Dual4> b = speeds_;
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < n_; ++j) b[i] += A_[i * n_ + j] * P[j];
    const std::vector<Dual4> more = solve_phase(impact_.phases[1], b, given);
    for (int i = 0; i < n_; ++i) P[i] += more[i];
  }

  const Mechanism<Dual4>& mechanism_;
  const ImpactRecord& impact_;
  MotionWorkspace<Dual4>& ws_;
  const int n_;
  std::vector<Dual4> speeds_, still_, A_;
};

}  // namespace

void apply_impact(const Mechanism<Dual4>& mechanism, const Dual4& t, const Dual4* q, Dual4* v,
                  const ImpactRecord& impact, MotionWorkspace<Dual4>& ws) {
  ImpactMap(mechanism, impact, ws)(t, q, v);
}

}  // namespace cartan::mechanics
