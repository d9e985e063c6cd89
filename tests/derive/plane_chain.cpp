#include "derive/plane_chain.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace cartan::test {
namespace {

constexpr int most_links = most_plane_links;
constexpr int most_places = 8;
constexpr int most_rows = 2 * most_places;  // normal and tangent of each
constexpr double clear = 1e-6;              // choices are made by more than this, relative
constexpr double together = 1e-6;           // s; events that are nearer come together
constexpr double slowest_meeting = 0.02;    // m/s; slower ones graze
constexpr double slowest_change = 1e-3;     // of other margins, per second, in their own units
constexpr double barely = 0.02;             // of what a margin is beside it: a minimum that grazes
constexpr double step_error = 1e-13;        // relative, of a step
constexpr double shortest_step = 1e-7;      // s; shorter ones would not be more accurate
constexpr double longest_step = 4e-3;       // s; margins are looked at between steps
constexpr double independent = 1e-6;        // pivots of rows that are, relative
constexpr int most_bounces = 6;             // of one place

double re(const Complex& z) {
  return z.real();
}

// What a motion comes to that is none to compare.
struct LeftOut {
  const char* why;
};

PlaneVector operator+(const PlaneVector& a, const PlaneVector& b) {
  return {a.x + b.x, a.y + b.y};
}
PlaneVector operator*(const Complex& c, const PlaneVector& a) {
  return {c * a.x, c * a.y};
}
Complex dot_product(const PlaneVector& a, const PlaneVector& b) {
  return a.x * b.x + a.y * b.y;
}
PlaneVector quarter_turn(const PlaneVector& a) {
  return {-a.y, a.x};
}

// x of M x = b, of this size, by elimination with pivots; false where M is singular. M goes.
template <int Most>
bool eliminate(int n, Complex (&M)[Most][Most], Complex (&b)[Most]) {
  double largest = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) largest = std::max(largest, std::fabs(re(M[i][j])));
  for (int c = 0; c < n; ++c) {
    int pivot = c;
    for (int i = c + 1; i < n; ++i)
      if (std::fabs(re(M[i][c])) > std::fabs(re(M[pivot][c]))) pivot = i;
    if (!(std::fabs(re(M[pivot][c])) > independent * largest)) return false;
    std::swap(M[pivot], M[c]);
    std::swap(b[pivot], b[c]);
    for (int i = c + 1; i < n; ++i) {
      const Complex factor = M[i][c] / M[c][c];
      for (int j = c; j < n; ++j) M[i][j] -= factor * M[c][j];
      b[i] -= factor * b[c];
    }
  }
  for (int c = n - 1; c >= 0; --c) {
    for (int j = c + 1; j < n; ++j) b[c] -= M[c][j] * b[j];
    b[c] /= M[c][c];
  }
  return true;
}

// What a place does: whether its normal force acts, and its friction: none, sticking, or sliding
// towards + or - the tangent.
struct PlaceMode {
  bool presses = false;
  enum Rub : signed char { minus = -1, none = 0, plus = 1, sticks = 2 } rub = none;
  bool slides() const { return rub == plus || rub == minus; }
};

// What a place may do.
struct PlaceLaw {
  enum class Kind {
    smooth,   // no friction
    rough,    // never slides
    coulomb,  // sticks, or slides against its friction
    sliding,  // slides already, this way
    begins,   // at its limit: begins to slide this way
    leaves    // has no force left: parts
  } kind = Kind::smooth;
  PlaceMode::Rub way = PlaceMode::none;
  Complex friction, given;  // given: a normal impulse that is there already
};

// What an event asks of a place.
struct AskedLaw {
  int place = -1;
  PlaceLaw::Kind kind = PlaceLaw::Kind::smooth;
  PlaceMode::Rub way = PlaceMode::none;
};

// w = A r + b at the places listed, a normal and a tangent each.
struct PlaneProblem {
  int count = 0;
  int place[most_places];
  Complex A[most_rows][most_rows], b[most_rows];
  PlaceLaw law[most_places];
};

struct PlaneForces {
  PlaceMode mode[most_places];
  Complex r[most_rows], w[most_rows];
};

// r of given modes: w_n = 0 where the place presses, w_t = 0 where it sticks,
// r_t = -friction (r_n + given) where it slides towards +. False: not unique.
bool solve_modes(const PlaneProblem& p, PlaneForces& forces) {
  int unknown[most_rows], n = 0;
  for (int i = 0; i < p.count; ++i) {
    if (forces.mode[i].presses) unknown[n++] = 2 * i;
    if (forces.mode[i].rub == PlaceMode::sticks) unknown[n++] = 2 * i + 1;
  }
  const auto slide = [&](int i) {  // r_t of one unit of r_n
    return forces.mode[i].slides() ? -static_cast<double>(forces.mode[i].rub) * p.law[i].friction
                                   : Complex(0);
  };
  Complex known[most_rows] = {}, M[most_rows][most_rows], x[most_rows];
  for (int i = 0; i < p.count; ++i) known[2 * i + 1] = slide(i) * p.law[i].given;
  for (int a = 0; a < n; ++a) {
    const int row = unknown[a];
    x[a] = -p.b[row];
    for (int j = 0; j < 2 * p.count; ++j) x[a] -= p.A[row][j] * known[j];
    for (int c = 0; c < n; ++c) {
      M[a][c] = p.A[row][unknown[c]];
      if (unknown[c] % 2 == 0) M[a][c] += p.A[row][unknown[c] + 1] * slide(unknown[c] / 2);
    }
  }
  if (!eliminate(n, M, x)) return false;
  std::copy_n(known, 2 * p.count, forces.r);
  for (int a = 0; a < n; ++a) {
    forces.r[unknown[a]] += x[a];
    if (unknown[a] % 2 == 0) forces.r[unknown[a] + 1] += slide(unknown[a] / 2) * x[a];
  }
  for (int i = 0; i < 2 * p.count; ++i) {
    forces.w[i] = p.b[i];
    for (int j = 0; j < 2 * p.count; ++j) forces.w[i] += p.A[i][j] * forces.r[j];
  }
  return true;
}

std::vector<PlaceMode> modes_allowed(const PlaceLaw& law) {
  using Kind = PlaceLaw::Kind;
  const bool given = re(law.given) > 0;
  std::vector<PlaceMode> modes;
  if (law.kind == Kind::leaves ||
      (law.kind != Kind::begins && (!given || law.kind == Kind::smooth)))
    modes.push_back({false, PlaceMode::none});
  for (const bool presses : {true, false}) {
    if (!presses && !given) continue;
    if (law.kind == Kind::rough || law.kind == Kind::coulomb)
      modes.push_back({presses, PlaceMode::sticks});
    if (law.kind == Kind::coulomb) {
      modes.push_back({presses, PlaceMode::plus});
      modes.push_back({presses, PlaceMode::minus});
    }
  }
  if (law.kind == Kind::smooth) modes.push_back({true, PlaceMode::none});
  if (law.kind == Kind::sliding || law.kind == Kind::begins) modes.push_back({true, law.way});
  return modes;
}

// Whether forces of all places, sticking where they rub, are unique.
bool are_independent(const PlaneProblem& p) {
  PlaneForces f;
  for (int i = 0; i < p.count; ++i)
    f.mode[i] = {true,
                 p.law[i].kind == PlaceLaw::Kind::smooth ? PlaceMode::none : PlaceMode::sticks};
  return solve_modes(p, f);
}

// By how much the laws are kept, relative to what goes on; negative: they are not.
double kept_by(const PlaneProblem& p, const PlaneForces& f) {
  double size = 1e-300, least = INFINITY;
  for (int i = 0; i < 2 * p.count; ++i) size = std::max(size, std::fabs(re(p.b[i])));
  for (int i = 0; i < p.count; ++i) {
    const Complex &N = f.r[2 * i], &T = f.r[2 * i + 1];
    const double unit = re(p.A[2 * i][2 * i]) / size;
    if (f.mode[i].presses)
      least = std::min(least, re(N) * unit);
    else if (p.law[i].kind != PlaceLaw::Kind::leaves)
      least = std::min(least, re(f.w[2 * i]) / size);
    else if (re(f.w[2 * i]) <
             -clear * (1 + size))  // its acceleration is zero, if it can part at all
      least = -INFINITY;
    if (p.law[i].kind != PlaceLaw::Kind::coulomb) continue;
    if (f.mode[i].rub == PlaceMode::sticks)
      least =
          std::min(least, (re(p.law[i].friction * (N + p.law[i].given)) - std::fabs(re(T))) * unit);
    if (f.mode[i].slides())
      least = std::min(least, static_cast<double>(f.mode[i].rub) * re(f.w[2 * i + 1]) / size);
  }
  return least;
}

// The one set of modes that obeys the laws, by trying all.
PlaneForces choose_modes(const PlaneProblem& p) {
  std::vector<std::vector<PlaceMode>> allowed;
  for (int i = 0; i < p.count; ++i) allowed.push_back(modes_allowed(p.law[i]));
  std::vector<std::size_t> at(allowed.size(), 0);
  std::optional<PlaneForces> found;
  bool several = false, close = false, singular = false;
  for (;;) {
    PlaneForces f;
    for (int i = 0; i < p.count; ++i) f.mode[i] = allowed[i][at[i]];
    if (solve_modes(p, f)) {
      const double kept = kept_by(p, f);
      close |= std::fabs(kept) < clear;
      several |= kept > 0 && found.has_value();
      if (kept > 0) found = f;
    } else {
      singular = true;
    }
    std::size_t i = 0;
    while (i < at.size() && ++at[i] == allowed[i].size()) at[i++] = 0;
    if (i == at.size()) break;
  }
  if (close) throw LeftOut{singular ? "redundant" : "grazing"};
  if (several) throw LeftOut{"paradox"};
  if (!found) throw LeftOut{singular ? "redundant" : "paradox"};
  return *found;
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

// Of real and imaginary parts, each in units of the largest of its kind.
double relative_change(const PlaneState& a, const PlaneState& b, int size) {
  double real = 0, imaginary = 0, largest = 1, largest_imaginary = complex_step;
  for (int i = 0; i < size; ++i) {
    real = std::max(real, std::fabs(a[i].real() - b[i].real()));
    imaginary = std::max(imaginary, std::fabs(a[i].imag() - b[i].imag()));
    largest = std::max(largest, std::fabs(a[i].real()));
    largest_imaginary = std::max(largest_imaginary, std::fabs(a[i].imag()));
  }
  return std::max(real / largest, imaginary / largest_imaginary);
}

// A motion through its phases.
class PlaneRun {
 public:
  PlaneRun(const PlaneChain& chain, const PlaneState& start)
      : chain_(chain),
        mechanics_(chain),
        x_(start),
        mode_(chain.places.size()),
        bounces_(chain.places.size(), 0) {}

  void advance(double duration) {
    begin_phase();
    for (bool last = false; !last;) {
      const Complex left = duration - t_;
      last = re(left) < 1.5 * step_;  // its length is complex as the times of events are
      const Complex h = last ? left : Complex(step_);
      const PlaneState next = after(x_, h);
      const double error = error_;
      choose_step(error);
      if (error > 1 && step_ > shortest_step) {
        last = false;
        continue;
      }
      const Margins margins = margins_at(next);
      if (find_event(margins, h)) {
        last = false;
        continue;
      }
      last_x_ = x_;
      last_margins_ = now_margins_;
      last_h_ = h;
      x_ = next;
      now_margins_ = margins;
      t_ += h;
    }
  }

  // A time well between the last events and what the motion has come to.
  double clear_time() const {
    constexpr double well = 0.02;
    double next = re(t_ - last_h_);
    for (auto event = event_times_.rbegin(); event != event_times_.rend(); ++event) {
      if (next - *event > well) return 0.5 * (next + *event);
      next = *event;
    }
    return 0;
  }
  const PlaneState& state() const { return x_; }
  const PlaneCounts& counts() const { return counts_; }

 private:
  using Margins = std::array<Complex, 2 * most_places>;  // an event where one falls through zero
  struct Found {
    int which = -1;
    double length = INFINITY;
  };

  void begin_phase() {
    last_h_ = 0;
    now_margins_ = margins_at(x_);
  }

  // Forces of what is closed, in modes_.
  bool solve_phase(const PlaneState& x) {
    mechanics_.fill(x);
    closed_ = closed_places();
    mechanics_.fill_problem(closed_, true, problem_);
    for (int i = 0; i < problem_.count; ++i) {
      forces_.mode[i] = mode_[closed_[i]];
      problem_.law[i].friction = chain_.places[closed_[i]].friction;
      problem_.law[i].given = 0;
    }
    return solve_modes(problem_, forces_);
  }

  void fill_rate(const PlaneState& x, PlaneState& rate) {
    const int n = mechanics_.size();
    if (!solve_phase(x)) throw LeftOut{"redundant"};
    Complex more[most_links];
    mechanics_.answer_to(problem_, forces_.r, more);
    Complex before(0);
    for (int i = 0; i < n; ++i) {
      const Complex w_rate = mechanics_.free()[i] + more[i];
      rate[i] = x[n + i];
      rate[n + i] = w_rate - before;
      before = w_rate;
    }
  }

  // Real steps are of the same length whatever the imaginary parts are.
  void choose_step(double error) {
    step_ *= std::clamp(0.9 * std::pow(std::max(error, 1e-30), -1.0 / 11), 0.3, 1.5);
    step_ = std::min(step_, longest_step);
  }

  // The state a time h later: the midpoint rule with 2, 4, .. 12 steps, extrapolated (Gragg); its
  // error has even powers of the step only.
  PlaneState after(const PlaneState& x, const Complex& h) {
    constexpr int columns = 6;
    const int size = 2 * mechanics_.size();
    PlaneState table[columns], first, rate;
    fill_rate(x, first);
    for (int k = 0; k < columns; ++k) {
      const int parts = 2 * (k + 1);
      const Complex part = h / static_cast<double>(parts);
      PlaneState before = x, now = x;
      for (int i = 0; i < size; ++i) now[i] += part * first[i];
      for (int step = 1; step < parts; ++step) {
        fill_rate(now, rate);
        for (int i = 0; i < size; ++i) {
          const Complex next = before[i] + 2.0 * part * rate[i];
          before[i] = now[i];
          now[i] = next;
        }
      }
      table[k] = now;
      for (int j = k - 1; j >= 0; --j) {
        const double ratio = static_cast<double>(parts) / (2 * (j + 1));
        for (int i = 0; i < size; ++i)
          table[j][i] = table[j + 1][i] + (table[j + 1][i] - table[j][i]) / (ratio * ratio - 1);
      }
    }
    error_ = relative_change(table[0], table[1], size) / step_error;
    return table[0];
  }

  // Two of each place: its gap; or its normal force, and what its friction has left (sticking) or
  // its speed the way it slides.
  Margins margins_at(const PlaneState& x) {
    if (!solve_phase(x)) throw LeftOut{"redundant"};
    Margins margins;
    margins.fill(1);
    for (std::size_t i = 0; i < mode_.size(); ++i)
      if (!mode_[i].presses) margins[2 * i] = mechanics_.gap(chain_.places[i]);
    Complex speed[most_rows];
    std::copy_n(problem_speeds(), 2 * problem_.count, speed);
    for (int i = 0; i < problem_.count; ++i) {
      const int place = problem_.place[i];
      const Complex &N = forces_.r[2 * i], &T = forces_.r[2 * i + 1];
      margins[2 * place] = N;
      Complex& second = margins[2 * place + 1];
      if (mode_[place].slides()) second = static_cast<double>(mode_[place].rub) * speed[2 * i + 1];
      if (mode_[place].rub == PlaceMode::sticks &&
          chain_.places[place].rubs == PlanePlace::Friction::coulomb)
        second = chain_.places[place].friction * N - (re(T) < 0 ? -T : T);
    }
    return margins;
  }

  // Speeds of the rows of problem_.
  const Complex* problem_speeds() {
    mechanics_.fill_problem(closed_, false, speeds_);
    return speeds_.b;
  }

  // The first event in the step of length h from here on, or in the step before, where a margin
  // may have been negative between. True: it was made.
  bool find_event(const Margins& after_step, const Complex& h) {
    Found first, second;
    const int count = 2 * static_cast<int>(mode_.size());
    bool back = false;
    for (int m = 0; m < count; ++m) back |= dips(m, after_step);
    const PlaneState from = back ? last_x_ : x_;
    const double length = re(back ? last_h_ + h : h);
    for (int m = 0; m < count; ++m) {
      if (!(re(after_step[m]) < 0) && !dips(m, after_step)) continue;
      const Found found = first_fall(m, from, re((back ? last_margins_ : now_margins_)[m]), length);
      if (found.which < 0 && re(after_step[m]) < 0) throw LeftOut{"accumulation"};
      if (found.length < first.length)
        second = first, first = found;
      else if (found.length < second.length)
        second = found;
    }
    if (first.which < 0) return false;
    if (second.length - first.length < together) throw LeftOut{"grazing"};
    if (back) x_ = last_x_, t_ -= last_h_;
    go_to(first);
    event_times_.push_back(re(t_));
    change(first.which / 2, first.which % 2);
    ++counts_.events;
    begin_phase();
    return true;
  }

  // Whether a margin may have been below zero within the last two steps though not at their ends.
  bool dips(int m, const Margins& after_step) const {
    if (re(last_h_) == 0) return false;
    const double a = re(last_margins_[m]), b = re(now_margins_[m]), c = re(after_step[m]);
    if (!(b < a && b < c) || b < 0) return false;
    return b < 0.5 * std::max(a - b, c - b);  // more than what a parabola falls below its samples
  }

  double margin_after(int m, const PlaneState& x, double h) {
    return re(margins_at(after(x, h))[m]);
  }

  struct Bracket {
    double low, above, high, below;  // times, with a positive and a negative value
  };

  // Around where margin m first falls through zero within h. One that begins at zero (a bounce,
  // sliding that begins) has to rise first.
  std::optional<Bracket> bracket_fall(int m, const PlaneState& x, double start, double h) {
    constexpr int samples = 16;
    const double part = h / samples;
    double value[samples + 1] = {start};
    bool risen = start > 1e-10;
    for (int k = 1; k <= samples; ++k) {
      value[k] = margin_after(m, x, k * part);
      if (risen && value[k] < 0) return Bracket{(k - 1) * part, value[k - 1], k * part, value[k]};
      risen |= value[k] > 0;
    }
    const double most = *std::max_element(value, value + samples + 1);
    for (int k = 1; k < samples; ++k) {
      const double a = value[k - 1], b = value[k], c = value[k + 1];
      if (!(b < a && b <= c)) continue;
      const double bottom = (k + 0.5 * (a - c) / (a - 2 * b + c)) * part;  // of the parabola
      const double least = margin_after(m, x, bottom);
      if (least < 0 && a > 0) return Bracket{(k - 1) * part, a, bottom, least};
      if (least < barely * most) throw LeftOut{"grazing"};
    }
    return {};
  }

  // Where margin m first falls through zero within h: the secant within bounds.
  Found first_fall(int m, const PlaneState& x, double start, double h) {
    std::optional<Bracket> at = bracket_fall(m, x, start, h);
    if (!at) return {};
    for (int round = 0; round < 60 && at->high - at->low > 1e-7 * h; ++round) {
      const double part = round % 3 == 2 ? 0.5 : at->above / (at->above - at->below);
      const double time = at->low + part * (at->high - at->low), value = margin_after(m, x, time);
      (value < 0 ? at->high : at->low) = time;
      (value < 0 ? at->below : at->above) = value;
    }
    return {m, 0.5 * (at->low + at->high)};
  }

  // To the instant where the margin is zero as a complex number, by Newton's method; its slope by
  // real differences, which only makes it a step or two longer.
  void go_to(const Found& found) {
    const double d = 1e-4 * longest_step;
    const double slope = (margin_after(found.which, x_, found.length + d) -
                          margin_after(found.which, x_, found.length - d)) /
                         (2 * d);
    check_slope(found.which, slope);
    Complex h(found.length);
    for (int round = 0; round < 8; ++round) h -= margins_at(after(x_, h))[found.which] / slope;
    x_ = after(x_, h);
    t_ += h;
  }

  void check_slope(int which, double slope) const {
    const bool meets = which % 2 == 0 && !mode_[which / 2].presses;
    if (!(slope < -(meets ? slowest_meeting : slowest_change))) throw LeftOut{"grazing"};
  }

  // What an event leads to.
  void change(int place, int margin) {
    const PlaceMode was = mode_[place];
    if (!was.presses) return meet(place);
    const std::vector<int> closed = closed_places();
    if (margin == 0) {
      ++(chain_.places[place].stop ? counts_.stop_releases : counts_.releases);
      decide(closed, {place, PlaceLaw::Kind::leaves});
    } else if (was.slides()) {
      mode_[place].rub = PlaceMode::sticks;  // has no speed now
      decide(closed);
      if (!mode_[place].slides())
        ++counts_.come_to_rest, ++counts_.sticking_phases;
      else if (mode_[place].rub != was.rub)
        ++counts_.reversals;
      else
        throw LeftOut{"paradox"};
    } else {
      ++counts_.begin_to_slide;
      solve_phase(x_);
      const auto at = std::find(closed.begin(), closed.end(), place) - closed.begin();
      const bool pulls_back = re(forces_.r[2 * at + 1]) < 0;
      decide(closed,
             {place, PlaceLaw::Kind::begins, pulls_back ? PlaceMode::plus : PlaceMode::minus});
    }
  }

  std::vector<int> closed_places() const {
    std::vector<int> places;
    for (std::size_t i = 0; i < mode_.size(); ++i)
      if (mode_[i].presses) places.push_back(static_cast<int>(i));
    return places;
  }

  PlaceLaw law_of(int place) const {
    const PlanePlace& p = chain_.places[place];
    using Kind = PlaceLaw::Kind;
    const Kind kind = p.rubs == PlanePlace::Friction::none      ? Kind::smooth
                      : p.rubs == PlanePlace::Friction::coulomb ? Kind::coulomb
                                                                : Kind::rough;
    return {kind, PlaceMode::none, p.friction, 0};
  }

  // Modes of these places, by accelerations.
  void decide(const std::vector<int>& candidates, const AskedLaw& asked = {}) {
    if (candidates.empty()) return;
    mechanics_.fill(x_);
    PlaneProblem p;
    mechanics_.fill_problem(candidates, true, p);
    for (int i = 0; i < p.count; ++i) {
      const int place = candidates[i];
      PlaceLaw& law = p.law[i];
      law = law_of(place);
      if (mode_[place].slides()) law.kind = PlaceLaw::Kind::sliding, law.way = mode_[place].rub;
      if (place == asked.place) law.kind = asked.kind, law.way = asked.way;
    }
    const PlaneForces chosen = choose_modes(p);
    for (int i = 0; i < p.count; ++i) count_phase(candidates[i], chosen.mode[i]);
  }

  void count_phase(int place, const PlaceMode& mode) {
    const PlaceMode was = mode_[place];
    mode_[place] = mode;
    if (!mode.presses || (was.presses && was.rub == mode.rub && !fresh_)) return;
    ++(mode.slides()                   ? counts_.sliding_phases
       : mode.rub == PlaceMode::sticks ? counts_.sticking_phases
                                       : counts_.holding);
  }

  // The impact of a place that meets its line or stop, with all that are closed.
  void meet(int place) {
    std::vector<int> touching;
    for (std::size_t i = 0; i < mode_.size(); ++i)
      if (mode_[i].presses || static_cast<int>(i) == place) touching.push_back(static_cast<int>(i));
    mechanics_.fill(x_);
    PlaneProblem p;
    mechanics_.fill_problem(touching, false, p);
    const PlaneForces impact = chain_.places[place].poisson ? strike_poisson(p) : strike_newton(p);
    const double before = mechanics_.kinetic(mechanics_.rates());
    apply(p, impact);
    std::vector<int> candidates;
    for (int i = 0; i < p.count; ++i) {
      const int k = touching[i];
      const bool stays = std::fabs(re(impact.w[2 * i])) < 1e-10;
      const bool newly = !mode_[k].presses;
      mode_[k] = {false, impact.mode[i].rub};
      if (stays) candidates.push_back(k);
      if (stays && !newly) mode_[k].presses = true;
    }
    check_energy(before);
    count_impact(touching, place, impact);
    fresh_ = true;
    decide(candidates);
    fresh_ = false;
    for (const int k : touching)
      if (!mode_[k].presses) mode_[k].rub = PlaceMode::none;
  }

  //   0 <= P_n,  g'+ + e g'- >= 0, complementary; |P_t| <= friction P_n against the sliding after
  PlaneForces strike_newton(PlaneProblem& p) const {
    Complex speeds[most_rows];
    std::copy_n(p.b, 2 * p.count, speeds);
    for (int i = 0; i < p.count; ++i) {
      p.law[i] = law_of(p.place[i]);
      if (re(speeds[2 * i]) < 0) p.b[2 * i] += chain_.places[p.place[i]].restitution * p.b[2 * i];
    }
    PlaneForces impact = choose_modes(p);
    for (int i = 0; i < 2 * p.count; ++i) impact.w[i] += speeds[i] - p.b[i];
    return impact;
  }

  // Compression to g' >= 0, then expansion with at least e times its impulse.
  PlaneForces strike_poisson(PlaneProblem& p) const {
    for (int i = 0; i < p.count; ++i) p.law[i] = law_of(p.place[i]);
    if (!are_independent(p)) throw LeftOut{"redundant"};  // expansion depends on its impulses
    const PlaneForces compression = choose_modes(p);
    Complex given[most_rows];
    for (int i = 0; i < p.count; ++i) {
      p.law[i].given = chain_.places[p.place[i]].restitution * compression.r[2 * i];
      given[2 * i] = compression.r[2 * i] + p.law[i].given;
      given[2 * i + 1] = compression.r[2 * i + 1];
    }
    for (int i = 0; i < 2 * p.count; ++i)
      for (int j = 0; j < 2 * p.count; ++j) p.b[i] += p.A[i][j] * given[j];
    PlaneForces impact = choose_modes(p);
    for (int i = 0; i < 2 * p.count; ++i) impact.r[i] += given[i];
    return impact;
  }

  void apply(const PlaneProblem& p, const PlaneForces& impact) {
    Complex change[most_links], before(0);
    mechanics_.answer_to(p, impact.r, change);
    const int n = mechanics_.size();
    for (int i = 0; i < n; ++i) {
      x_[n + i] += change[i] - before;
      before = change[i];
    }
  }

  void check_energy(double before) {
    mechanics_.fill(x_);
    if (mechanics_.kinetic(mechanics_.rates()) > before * (1 - 1e-10)) throw LeftOut{"gain"};
  }

  void count_impact(const std::vector<int>& touching, int place, const PlaneForces& impact) {
    const auto at = std::find(touching.begin(), touching.end(), place) - touching.begin();
    const PlanePlace& p = chain_.places[place];
    const PlaceMode& mode = impact.mode[at];
    counts_.stop_impacts += p.stop;
    counts_.sticking_impacts += mode.rub == PlaceMode::sticks;
    counts_.slipping_impacts += mode.slides();
    counts_.poisson += p.poisson;
    counts_.impacts_beside_contact += touching.size() > 1;
    if (!(re(impact.w[2 * at]) > 1e-10)) return;
    ++counts_.bounces;
    if (++bounces_[place] > most_bounces) throw LeftOut{"accumulation"};
  }

  const PlaneChain& chain_;
  PlaneMechanics mechanics_;
  PlaneState x_, last_x_{};
  Complex t_ = 0, last_h_ = 0;
  double step_ = longest_step, error_ = 0;  // error_: of the last step, as a part of what it may be
  std::vector<PlaceMode> mode_;
  std::vector<double> event_times_;
  std::vector<int> bounces_, closed_;
  bool fresh_ = false;  // behind an impact phases are counted anew
  Margins last_margins_{}, now_margins_{};
  PlaneProblem problem_, speeds_;
  PlaneForces forces_;
  PlaneCounts counts_;
};

}  // namespace

void PlaneCounts::add(const PlaneCounts& more) {
  for (int PlaneCounts::*count :
       {&PlaneCounts::bounces, &PlaneCounts::slipping_impacts, &PlaneCounts::sticking_impacts,
        &PlaneCounts::stop_impacts, &PlaneCounts::poisson, &PlaneCounts::impacts_beside_contact,
        &PlaneCounts::sliding_phases, &PlaneCounts::sticking_phases, &PlaneCounts::holding,
        &PlaneCounts::releases, &PlaneCounts::stop_releases, &PlaneCounts::begin_to_slide,
        &PlaneCounts::come_to_rest, &PlaneCounts::reversals, &PlaneCounts::events})
    this->*count += more.*count;
}

PlaneMotion run_plane_chain(const PlaneChain& chain, const PlaneState& start, double duration) {
  PlaneMotion motion;
  PlaneRun run(chain, start);
  try {
    run.advance(duration);
  } catch (const LeftOut& end) {
    motion.ends_in = end.why;
    motion.clear_until = run.clear_time();
  }
  motion.end = run.state();
  motion.counts = run.counts();
  return motion;
}

double gap_without_offset(const PlaneChain& chain, const PlanePlace& place, const PlaneState& x) {
  PlaneMechanics mechanics(chain);
  mechanics.fill(x);
  PlanePlace raw = place;
  raw.offset = 0;
  return re(mechanics.gap(raw));
}

}  // namespace cartan::test
