#include "reproduction/bicycle_sweeps.h"

#include <cmath>

#include <fmt/format.h>

namespace cartan::reproduction {

const std::vector<std::string> upright = {"--set", "lean=0",      "--set", "steer=0",
                                          "--set", "pitch=0",     "--set", "yaw_rate=0",
                                          "--set", "rear_speed=v"};

const char* const rounded_geometry =
    "The printed row of table 7.1 (20.09 degrees, 0.0480 m) is rounded: with sigma = 0.3507 rad "
    "and "
    "b = 0.04797 m the figures of the text come out to all their digits (weave 3.20702, capsize "
    "5.39831 m/s); with the row they differ in the fourth.";

std::vector<double> Sweep::growth() const {
  std::vector<double> result(table.rows(), NAN);
  for (int k = 0; table.find(fmt::format("re{}", k)) >= 0; ++k) {
    const auto& re = column(table, fmt::format("re{}", k));
    const auto& im = column(table, fmt::format("im{}", k));
    for (std::size_t i = 0; i < result.size(); ++i)
      if (re[i] != 0 || im[i] != 0) result[i] = std::fmax(result[i], re[i]);
  }
  return result;
}

Sweep sweep_bicycle(Workshop& shop, const std::string& range,
                    const std::vector<std::string>& more) {
  std::vector<std::string> words = {"linearize", shop.model("bicycle")};
  words.insert(words.end(), more.begin(), more.end());
  words.insert(words.end(), {"--sweep", range});
  const std::string folder = shop.folder_of(words);
  std::string problem;
  auto table = read_result_table(folder + "/sweep.csv", problem);
  if (!table) throw ItemFailure(problem);
  return {std::move(*table)};
}

std::vector<double> zeros(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<double> result;
  for (std::size_t i = 1; i < x.size(); ++i)
    if (std::isfinite(y[i - 1]) && std::isfinite(y[i]) && (y[i - 1] < 0) != (y[i] < 0))
      result.push_back(x[i - 1] + (x[i] - x[i - 1]) * y[i - 1] / (y[i - 1] - y[i]));
  return result;
}

Verdict near(double computed, double printed, double tolerance) {
  return std::fabs(computed - printed) <= tolerance ? Verdict::agrees : Verdict::differs;
}

}  // namespace cartan::reproduction
