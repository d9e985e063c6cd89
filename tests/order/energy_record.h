// What a method does to the energy over many steps: the size of the oscillation, and the slope of a
// straight line with its standard error.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <Eigen/QR>

#include "support/example.h"

namespace cartan::test {

// A straight line through the means of blocks of the energy error. Neighbouring samples belong to
// one oscillation; block means are nearly independent.
struct EnergyRecord {
  double amplitude = 0;         // largest |H - H0|
  double drift = 0, sigma = 0;  // slope times duration, and its standard error
  double scale = 0;             // kinetic energy that is exchanged
  double unit_norm_error = 0;
  double turning = 0;  // largest change of the angular momentum about the vertical
  double spin = 0;     // largest angular momentum
};

inline EnergyRecord record_energy(const Example& example, const std::string& method, double step,
                                  long steps, int every) {
  std::vector<double> error;
  EnergyRecord record;
  double start = 0, turn = 0;
  Observation now;
  const auto workspace = example.system->make_workspace();
  Observer observer;
  observer.on_sample = [&](const State& state) {
    example.mechanism().observe(state, now, *workspace);
    const double energy = now.hamiltonian.value_or(now.kinetic + now.potential);
    if (error.empty()) start = energy, turn = now.angular_momentum.z;
    record.turning = std::max(record.turning, std::fabs(now.angular_momentum.z - turn));
    record.spin = std::max(record.spin, norm(now.angular_momentum));
    error.push_back(energy - start);
    record.amplitude = std::max(record.amplitude, std::fabs(error.back()));
    record.scale = std::max(record.scale, now.kinetic);
  };
  const SimulateReport report = simulate(*example.system, example.system->initial_state(),
                                         {.integrator = method,
                                          .duration = step * static_cast<double>(steps),
                                          .step = step,
                                          .every = every},
                                         observer);
  EXPECT_TRUE(report.ok()) << report.message;
  EXPECT_EQ(report.steps, steps);
  record.unit_norm_error = report.unit_norm_error;
  constexpr int blocks = 40;
  const std::size_t length = error.size() / blocks;
  Eigen::MatrixXd A(blocks, 2);
  Eigen::VectorXd y = Eigen::VectorXd::Zero(blocks);
  for (int b = 0; b < blocks; ++b) {
    A(b, 0) = 1;
    A(b, 1) = (b + 0.5) / blocks - 0.5;
    for (std::size_t i = b * length; i < (b + 1) * length; ++i)
      y[b] += error[i] / static_cast<double>(length);
  }
  const Eigen::VectorXd fit = A.colPivHouseholderQr().solve(y);
  record.drift = fit[1];
  record.sigma = std::sqrt((y - A * fit).squaredNorm() / (blocks - 2) / A.col(1).squaredNorm());
  std::printf(
      "  %s %s h %g, %ld steps: amplitude %.3g J (kinetic up to %.3g J), drift %.2g +- %.2g J,"
      " |u| - 1 %.1g, change of L_z %.1g of %.3g\n",
      example.mechanism().formulation().c_str(), method.c_str(), step, steps, record.amplitude,
      record.scale, record.drift, record.sigma, record.unit_norm_error, record.turning,
      record.spin);
  return record;
}

// Nothing to be seen of a slope: within three standard errors (or a thousandth of the oscillation),
// and these are small enough to see one.
inline void expect_no_drift(const EnergyRecord& record) {
  EXPECT_LE(std::fabs(record.drift), std::max(3 * record.sigma, 1e-3 * record.amplitude));
  EXPECT_LE(record.sigma, 0.05 * record.amplitude);
  EXPECT_LE(record.amplitude, 0.02 * record.scale);
  EXPECT_GT(record.amplitude, 0);
}

}  // namespace cartan::test
