// Random mechanisms that fall on a floor, hit their stops and each other: surfaces stay apart,
// energy is never gained, every jump obeys the balance of momentum and the laws of contact, no run
// hangs.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <gtest/gtest.h>
#include <Eigen/SVD>

#include "support/example.h"
#include "support/random_contacts.h"

namespace cartan::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Verdict {
  int ran = 0, touched = 0, skipped = 0, ended = 0, impacts = 0;
  double momentum = 0, law = 0, residual = 0;
};

// M (v+ - v-) = J^T P, but for the impulses of loops and constraints. J by what each speed alone
// does to the bodies.
class JumpCheck {
 public:
  JumpCheck(const MechanicalSystem& system, std::uint64_t seed, Verdict& verdict)
      : system_(system),
        model_(system.model()),
        seed_(seed),
        verdict_(verdict),
        workspace_(system.make_workspace()) {}

  void operator()(const State& before, const State& after, const JumpNotes& notes) {
    std::vector<Impact> impulses = notes.impacts;
    impulses.insert(impulses.end(), notes.closings.begin(), notes.closings.end());
    if (impulses.empty()) return;
    const MatrixXd M = system_.report_mass_matrix(before, *workspace_).mass_matrix;
    const int n = static_cast<int>(M.rows()),
              nq = static_cast<int>(before.x.size()) - n - system_.quadratures();
    VectorXd change(n);
    for (int j = 0; j < n; ++j) change[j] = after.x[nq + j] - before.x[nq + j];
    VectorXd rest = M * change, speed(n);
    for (int j = 0; j < n; ++j)
      speed[j] = std::max(std::fabs(after.x[nq + j]), std::fabs(before.x[nq + j]));
    // speeds are rounded where they are large
    double size = std::max(rest.norm(), (M.cwiseAbs() * speed).norm());
    State unit = before;
    for (int j = 0; j < n; ++j) {
      std::fill(unit.x.begin() + nq, unit.x.begin() + nq + n, 0.0);
      unit.x[nq + j] = 1;
      const Observation seen = see(unit);
      for (const Impact& impact : impulses) {
        const double share = power(impact, seen);
        rest[j] -= share;
        size = std::max(size, std::fabs(share));
      }
    }
    const ConstraintReport constraints = system_.report_constraints(before, *workspace_);
    if (constraints.rows > 0) {
      const int all = system_.constraint_count();
      MatrixXd C(all, before.x.size());
      system_.constraint_jacobian(before, C, *workspace_);
      const MatrixXd J = C.block(all / 2, nq, constraints.rows, n);
      const Eigen::JacobiSVD<MatrixXd> svd(J, Eigen::ComputeFullV);
      rest = svd.matrixV().rightCols(n - constraints.rank).transpose() * rest;
    }
    const double off = rest.size() > 0 ? rest.norm() / size : 0;
    verdict_.momentum = std::max(verdict_.momentum, off);
    EXPECT_LT(off, 1e-12) << seed_ << " at t = " << before.t;
    check_laws(after, notes, 1e-15 * size);
  }

 private:
  Observation see(const State& state) {
    Observation seen;
    system_.observe(state, seen, *workspace_);
    return seen;
  }
  static Vec3<double> velocity(const Observation& seen, int body, const Vec3<double>& point) {
    if (body == world) return {};
    const BodyState& b = seen.bodies[body];
    return b.linear + cross(world_rate(b), point - b.position);
  }
  Vec3<double> sliding(const Impact& impact, const Observation& seen) const {
    const Contact& c = model_.contacts[impact.contact];
    const Vec3<double> point{impact.point[0], impact.point[1], impact.point[2]};
    return velocity(seen, c.a.place.body, point) - velocity(seen, c.b.place.body, point);
  }
  // Planes stand still, balls are about the origins of bodies.
  static Vec3<double> normal_of(const Contact& c, const Observation& seen) {
    const std::vector<double> none;
    const auto unit = [](const Vec3<double>& a) { return (1 / norm(a)) * a; };
    if (c.b.place.body != world)
      return unit(seen.bodies[c.a.place.body].position - seen.bodies[c.b.place.body].position);
    const std::vector<double> n = evaluate<double>(c.b.size, none);
    return unit({n[0], n[1], n[2]});
  }
  static double speed_of(const Observation& seen) {
    double most = 1e-300;
    for (const BodyState& b : seen.bodies) most = std::max({most, norm(b.linear), norm(b.angular)});
    return most;
  }
  double power(const Impact& impact, const Observation& seen) const {
    const Contact& c = model_.contacts[impact.contact];
    if (c.is_stop()) return (c.upper ? -1 : 1) * impact.normal * seen.v[c.joint][c.component];
    return dot({impact.impulse[0], impact.impulse[1], impact.impulse[2]}, sliding(impact, seen));
  }

  // `rounding`: of impulses, beside the momenta that are there.
  void check_laws(const State& after, const JumpNotes& notes, double rounding) {
    const Observation seen = see(after);
    double fastest = 0, largest = 0;
    for (const Impact& i : notes.impacts) {
      fastest = std::max({fastest, std::fabs(i.speed_before), std::fabs(i.speed_after)});
      largest = std::max(largest, i.normal);
    }
    const std::vector<double> p = parameter_values(model_);
    // where one of those that meet follows Poisson, all do
    const bool mixed = std::any_of(model_.contacts.begin(), model_.contacts.end(),
                                   [](const Contact& c) { return c.poisson; });
    const auto expect_law = [&](double off, const Impact& i) {
      verdict_.law = std::max(verdict_.law, off);
      EXPECT_LT(off, 1e-11) << seed_ << ": " << model_.contacts[i.contact].name
                            << " at t = " << i.t;
    };
    for (const Impact& i : notes.impacts) {
      const Contact& c = model_.contacts[i.contact];
      ++verdict_.impacts;
      EXPECT_GE(i.normal, 0) << seed_;
      if (!mixed) {
        const double e = evaluate<double>(c.restitution, p)[0];
        expect_law(std::fabs(i.speed_after + e * std::min(0.0, i.speed_before)) / fastest, i);
      }
      if (!c.rubs()) {
        EXPECT_EQ(i.tangential, 0) << seed_;
        continue;
      }
      if (c.rough || c.is_stop()) continue;
      const double mu = evaluate<double>(c.friction, p)[0];
      expect_law((i.tangential - mu * i.normal - rounding) / largest, i);
      if (mixed) continue;
      // it sticks, or friction is at its limit and against the sliding: T . u = -mu N |u|
      const Vec3<double> P{i.impulse[0], i.impulse[1], i.impulse[2]}, n = normal_of(c, seen);
      const Vec3<double> whole = sliding(i, seen), u = whole - dot(n, whole) * n;
      // what closes at the end of a sequence changes u behind the impact, by speeds like its own
      double moved = 0;
      for (const Impact& closing : notes.closings)
        moved = std::max(moved, std::fabs(closing.speed_before));
      const double off = std::fabs(dot(P, u) + mu * i.normal * norm(u)) / largest - 10 * mu * moved;
      expect_law(off / std::max(fastest, speed_of(seen)), i);
    }
  }

  const MechanicalSystem& system_;
  const Model& model_;
  const std::uint64_t seed_;
  Verdict& verdict_;
  std::unique_ptr<Workspace> workspace_;
};

// Whether the same mechanism without contacts fails at the same place: a singular force.
bool fails_alone(ModelDescription description, double t) {
  description.contacts.clear();
  for (JointText& joint : description.joints) joint.stops.clear();
  Diagnostics problems("random");
  const std::optional<Model> model = check_model(description, problems);
  std::string problem;
  const auto system = make_system(*model, parameter_values(*model), "recursive", problem);
  const SimulateReport r = simulate(
      *system, system->initial_state(),
      {.integrator = "dop853", .duration = 1, .step = 0.02, .tolerance = 1e-11}, Observer{});
  return !r.ok() && std::fabs(r.final_state.t - t) < 1e-6;
}

// Whether speeds double within 1e-11 s: a force that grows without bound ends the motion in a
// finite time, which is nothing of the contacts.
bool bursts(const MechanicalSystem& system, const State& state, Workspace& workspace) {
  const int n = static_cast<int>(system.report_mass_matrix(state, workspace).mass_matrix.rows()),
            nq = static_cast<int>(state.x.size()) - n - system.quadratures();
  std::vector<double> rate(state.x.size());
  system.derivative(state, rate, workspace);
  double speed = 0, growth = 0;
  for (int i = nq; i < nq + n; ++i) {
    speed = std::max(speed, std::fabs(state.x[i]));
    growth = std::max(growth, std::fabs(rate[i]));
  }
  return speed > 1e3 && speed < 1e-11 * growth;
}

void fall(std::uint64_t seed, double duration, Verdict& verdict) {
  const std::optional<ModelDescription> description = make_random_contacts(seed);
  if (!description) {
    ++verdict.skipped;
    return;
  }
  Diagnostics problems("random");
  const std::optional<Model> model = check_model(*description, problems);
  ASSERT_TRUE(model) << seed
                     << (problems.findings().empty() ? "" : ": " + problems.findings()[0].message);
  std::string problem;
  const auto made = make_system(*model, parameter_values(*model), "recursive", problem);
  if (!made) {
    ++verdict.skipped;
    return;
  }
  const auto& system = dynamic_cast<const MechanicalSystem&>(*made);
  const auto workspace = system.make_workspace();
  Observation seen;
  double deepest = 0, start = NAN, drift = 0, size = 0, lost = 0;
  JumpCheck check(system, seed, verdict);
  Observer observer;
  observer.on_impact = [&](const Impact& impact) { lost += impact.energy_lost; };
  observer.on_jump = [&](const State& before, const State& after, const JumpNotes& notes) {
    check(before, after, notes);
    if (std::getenv("CARTAN_TELL")) {
      std::printf("t %.17g:", after.t);
      for (std::size_t k = 0; k < after.mode.size(); ++k)
        std::printf(" %d%s", after.mode[k], after.mode[k] == before.mode[k] ? "" : "*");
      for (const Impact& i : notes.impacts)
        std::printf(" | %d: %.3g > %.3g", i.contact, i.speed_before, i.speed_after);
      for (const Impact& i : notes.closings)
        std::printf(" | closes %d: %.3g", i.contact, i.speed_before);
      std::printf(" soon %.3g\n", notes.soon);
    }
  };
  observer.on_sample = [&](const State& state) {
    system.observe(state, seen, *workspace);
    const double energy = seen.kinetic + seen.potential - seen.work;
    if (std::isnan(start)) start = energy;
    drift = std::max(drift, std::fabs(energy - start));
    size = std::max({size, seen.kinetic, std::fabs(seen.potential)});
    for (const ContactReport& c : system.report_contacts(state, *workspace))
      deepest = std::max(deepest, -c.gap);
  };
  const SimulateReport r = simulate(
      system, system.initial_state(),
      {.integrator = "dop853", .duration = duration, .step = 0.02, .tolerance = 1e-11}, observer);
  if (std::getenv("CARTAN_TELL") || r.impacts > 3000 || r.steps > 20000)
    std::printf("%d: %ld impacts, %ld events, %ld steps: %s %s\n", static_cast<int>(seed),
                r.impacts, r.internal_events, r.steps, to_string(r.status), r.message.c_str());
  ++verdict.ran;
  verdict.touched += r.impacts > 0;
  verdict.residual = std::max(verdict.residual, r.contact_residual);
  EXPECT_LT(deepest, 1e-10) << seed;
  EXPECT_LT(r.contact_residual, 1e-12) << seed;
  EXPECT_GE(lost, -1e-12 * (1 + size)) << seed;
  EXPECT_LT(drift, 1e-7 * (1 + size)) << seed;
  if (r.status == RunStatus::no_jump ||  // told: a gain of energy, Painleve
      r.message.find("Painleve") != std::string::npos) {
    ++verdict.ended;
    return;
  }
  EXPECT_TRUE(r.ok() || (r.impacts == 0 && fails_alone(*description, r.final_state.t)) ||
              bursts(system, r.final_state, *workspace))
      << seed << ": " << r.message;
}

void fall_from(std::uint64_t first, std::uint64_t last, Verdict& verdict) {
  for (std::uint64_t seed = first; seed < last; ++seed) fall(seed, 1, verdict);
  testing::Test::RecordProperty("impacts", verdict.impacts);
  std::printf(
      "%d ran, %d touched, %d skipped, %d ended, %d impacts; momentum %.2g, laws %.2g, %.2g\n",
      verdict.ran, verdict.touched, verdict.skipped, verdict.ended, verdict.impacts,
      verdict.momentum, verdict.law, verdict.residual);
}

TEST(RandomContacts, StayApart) {
  Verdict verdict;
  fall_from(1, 41, verdict);
  EXPECT_GT(verdict.touched, 25);
  EXPECT_GT(verdict.impacts, 100);
}

TEST(LongRandomContacts, StayApart) {
  Verdict verdict;
  const char *first = std::getenv("CARTAN_FIRST_SEED"), *last = std::getenv("CARTAN_LAST_SEED");
  if (first && last) return fall_from(std::stoull(first), std::stoull(last), verdict);
  fall_from(1000, 11000, verdict);
  EXPECT_GT(verdict.touched, 6000);
}

}  // namespace
}  // namespace cartan::test
