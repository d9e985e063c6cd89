#include "results/orbits/orbit_channels.h"

#include <fmt/format.h>

#include "analysis/control/orbit_response.h"
#include "results/refusal.h"

namespace cartan::results {
namespace {

constexpr int most_harmonics = 50;

}  // namespace

ControlChannels read_orbit_channels(const Analysis& a, const api::OrbitOptions& o) {
  if (o.frequency.empty()) {
    if (!o.inputs.empty() || !o.outputs.empty())
      refuse("orbit", "--inputs and --outputs need --frequency, at which the orbit is shaken");
    if (o.harmonics) refuse("orbit", "--harmonics needs --frequency, --inputs and --outputs");
    return {};
  }
  if (!o.swap.empty())
    refuse("orbit",
           "--frequency goes with whole periods: leave --swap out and give the period of an orbit "
           "that comes back to itself");
  const int harmonics = o.harmonics.value_or(0);
  if (harmonics < 0 || harmonics > most_harmonics)
    refuse("orbit",
           fmt::format("--harmonics: expected 0 to {}, got {}", most_harmonics, harmonics));
  return read_channels("orbit", *a.model, *a.system, o.inputs, o.outputs, o.frequency);
}

OrbitResponseReport report_orbit_response(const Analysis& a, const Orbit& orbit,
                                          const ControlChannels& channels,
                                          const api::OrbitOptions& o) {
  ResponseRequest request;
  request.inputs = channels.inputs;
  request.outputs = channels.outputs;
  request.output_names = channels.output_names;
  request.frequencies = channels.frequencies;
  request.harmonics = o.harmonics.value_or(2);
  if (o.tolerance) request.flow.tolerance = *o.tolerance;
  request.flow.stop_requested = o.watch.stop;
  const OrbitResponse response = calc_orbit_response(*a.system, orbit, request);
  if (!response.problem.empty()) fail("orbit", "no frequency response: " + response.problem);
  const int K = request.harmonics;
  std::vector<ResponseChannel> list;
  for (std::size_t i = 0; i < channels.outputs.size(); ++i)
    for (std::size_t j = 0; j < channels.inputs.size(); ++j)
      for (int k = -K; k <= K; ++k) {
        list.push_back({channels.input_names[j], channels.output_names[i], {}, k});
        for (const std::vector<Eigen::MatrixXcd>& H : response.H)
          list.back().values.push_back(H[k + K](i, j));
      }
  OrbitResponseReport report;
  ResponseReport tables = report_response(channels.frequencies, list);
  report.json = {{"w", channels.frequencies},
                 {"fundamental", response.fundamental},
                 {"intervals", response.intervals},
                 {"error", response.error},
                 {"responses", std::move(tables.responses)}};
  report.files = std::move(tables.files);
  report.text = fmt::format(
      "\nresponse at w + k Omega to an input at w, Omega = {:.12g} rad/s (error {:.1g}):\n",
      response.fundamental, response.error);
  report.text += fmt::format("{:>14}  {:<30} {:>16} {:>12}\n", "w", "output / input [k]",
                             "magnitude", "phase, deg");
  for (std::size_t f = 0; f < channels.frequencies.size(); ++f)
    for (const ResponseChannel& channel : list)
      report.text += fmt::format("{:14.9g}  {:<30} {:16.9g} {:12.6g}\n", channels.frequencies[f],
                                 channel.name(" / "), std::abs(channel.values[f]),
                                 phase_degrees(channel.values[f]));
  return report;
}

}  // namespace cartan::results
