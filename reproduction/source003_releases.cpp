// Source 003: four releases of the arm, and constants from their energy losses.
#include "reproduction/source003_releases.h"

#include <cmath>

#include <fmt/format.h>

#include "reproduction/noise.h"

namespace cartan::reproduction {
namespace {

std::string start_of(int number) {
  return fmt::format("start={:g}", released_at(number));
}

// Turning points of the model with bearings, read with errors, as in examples/identification.
Measured made_release(Workshop& shop, int number) {
  const auto run =
      shop.run({shop.model("arm_friction"), "--set", start_of(number), "--set",
                fmt::format("C10={:.15g}", arm_truth), "--duration", "12", "--step", "0.01"});
  const ResultTable events = run.table("events.csv");
  Noise noise(number);
  Measured result;
  for (std::size_t i = 0; i + 1 < events.rows(); ++i) {
    if (events.numbers[0][i] < 1e-6) continue;
    result.t.push_back(events.numbers[0][i] + 0.005 * noise());
    result.angle.push_back(column(events, "shoulder.q0")[i] + 0.01 * noise());
  }
  return result;
}

}  // namespace

Measured read_measured(Workshop& shop, int number) {
  if (number > 2) return made_release(shop, number);
  std::string problem;
  const std::string folder = shop.model("arm_friction");
  const std::string path =
      folder.substr(0, folder.rfind('/')) + fmt::format("/identification/arm_{}.csv", number);
  const auto table = read_result_table(path, problem);
  if (!table) throw ItemFailure(problem);
  return {column(*table, "t"), column(*table, "angle")};
}

double released_at(int number) {
  constexpr double angles[] = {2.9, 2.4, 2.7, 2.2};
  return angles[number - 1];
}

std::vector<Swing> swings(Workshop& shop) {
  std::vector<Swing> list;
  for (int number = 1; number <= releases; ++number) {
    Measured m = read_measured(shop, number);
    m.t.insert(m.t.begin(), 0);
    m.angle.insert(m.angle.begin(), released_at(number));
    for (std::size_t i = 1; i < m.t.size(); ++i) {
      const double turned = std::fabs(m.angle[i] - m.angle[i - 1]);
      list.push_back({turned / (m.t[i] - m.t[i - 1]), turned,
                      arm_energy_at(m.angle[i - 1]) - arm_energy_at(m.angle[i])});
    }
  }
  return list;
}

// Constants from the energy lost in half swings, by linear least squares: loss = C |turn| w(rate).
double single_constant(const std::vector<Swing>& list, double power) {
  double top = 0, bottom = 0;
  for (const Swing& s : list) {
    const double weight = s.angle * std::pow(s.rate, power);
    top += weight * s.loss;
    bottom += weight * weight;
  }
  return top / bottom;
}

// C3 and C4 of loss = (C3 rate^2 + C4) |turn|.
std::pair<double, double> two_constants(const std::vector<Swing>& list) {
  double aa = 0, ab = 0, bb = 0, ay = 0, by = 0;
  for (const Swing& s : list) {
    const double a = s.angle * s.rate * s.rate, b = s.angle;
    aa += a * a, ab += a * b, bb += b * b, ay += a * s.loss, by += b * s.loss;
  }
  const double det = aa * bb - ab * ab;
  return {(ay * bb - by * ab) / det, (by * aa - ay * ab) / det};
}

// (121): height above the lowest point.
double arm_energy_at(double angle) {
  return (arm_radius - arm_radius * std::sin(angle)) * arm_mass * arm_gravity;
}

namespace {

// All releases as experiments: angles and times, or the energies at the turning points.
std::string write_releases(Workshop& shop, bool losses) {
  const std::string kind = losses ? "arm_losses" : "arm";
  std::string text =
      "# Turning points of the arm, synthetic: four releases.\n[bounds]\nC10 = [0, 0.01]\n";
  for (int number = 1; number <= releases; ++number) {
    const Measured m = read_measured(shop, number);
    std::string data = losses ? "t,energy\n" : "t,angle\n";
    for (std::size_t i = 0; i < m.t.size(); ++i)
      data +=
          fmt::format("{:.6g},{:.6g}\n", m.t[i], losses ? arm_energy_at(m.angle[i]) : m.angle[i]);
    shop.write_data(fmt::format("{}_{}.csv", kind, number), data);
    text += fmt::format(
        "[[experiment]]\nname = \"released at {0:g}\"\ndata = \"{2}_{1}.csv\"\n"
        "event = \"turning point\"\nset = {{ start = {0:g} }}\nduration = 30\n{3}",
        released_at(number), number, kind,
        losses ? "columns.energy = { quantity = \"potential\", losses = true }\n"
               : "columns.angle = { quantity = \"shoulder.q\", sigma = 0.01 }\n"
                 "columns.t = { sigma = 0.005 }\n");
  }
  return shop.write_data(kind + ".toml", text);
}

}  // namespace

Json fit_arm(Workshop& shop, const std::string& free, bool losses) {
  return shop.json({"fit", shop.model("arm_friction"), "--experiments",
                    write_releases(shop, losses), "--free", free, "--tolerance",
                    shop.quick() ? "1e-7" : "1e-10"});
}

}  // namespace cartan::reproduction
