#include "derive/plane_chain.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "derive/plane_laws.h"
#include "derive/plane_mechanics.h"

namespace cartan::test {
namespace {

constexpr double together = 1e-6;         // s; events that are nearer come together
constexpr double slowest_meeting = 0.02;  // m/s; slower ones graze
constexpr double slowest_change = 1e-3;   // of other margins, per second, in their own units
constexpr double barely = 0.02;           // of what a margin is beside it: a minimum that grazes
constexpr double step_error = 1e-13;      // relative, of a step
constexpr double shortest_step = 1e-7;    // s; shorter ones would not be more accurate
constexpr double longest_step = 4e-3;     // s; margins are looked at between steps
constexpr int most_bounces = 6;           // of one place

// What an event asks of a place.
struct AskedLaw {
  int place = -1;
  PlaceLaw::Kind kind = PlaceLaw::Kind::smooth;
  PlaceMode::Rub way = PlaceMode::none;
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
