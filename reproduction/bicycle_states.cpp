#include "reproduction/bicycle_states.h"

#include <cmath>
#include <numbers>
#include <optional>

#include "formulations/formulations.h"
#include "io/toml_reader.h"
#include "mechanics/machine/mechanism_system.h"
#include "model/model.h"
#include "reproduction/workshop.h"

namespace cartan::reproduction {
namespace {

// Geometry of the file.
constexpr double R = 0.354, L = 1.062, b = 0.0480, sigma = 20.09 * std::numbers::pi / 180;

struct SpaceVector {
  double x = 0, y = 0, z = 0;
};
SpaceVector operator+(SpaceVector a, SpaceVector c) {
  return {a.x + c.x, a.y + c.y, a.z + c.z};
}
SpaceVector operator*(double s, SpaceVector a) {
  return {s * a.x, s * a.y, s * a.z};
}
SpaceVector cross(SpaceVector a, SpaceVector c) {
  return {a.y * c.z - a.z * c.y, a.z * c.x - a.x * c.z, a.x * c.y - a.y * c.x};
}
SpaceVector turn_x(double angle, SpaceVector a) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {a.x, c * a.y - s * a.z, s * a.y + c * a.z};
}
SpaceVector turn_y(double angle, SpaceVector a) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {c * a.x + s * a.z, a.y, -s * a.x + c * a.z};
}
SpaceVector turn_z(double angle, SpaceVector a) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {c * a.x - s * a.y, s * a.x + c * a.y, a.z};
}

// The front wheel for a lean, steer and pitch, heading along x: its contact point relative to the
// rear wheel's centre, the way there from its own centre, and its axis.
struct FrontWheel {
  SpaceVector contact, arm, axis;
};

FrontWheel front_wheel(double lean, double steer, double pitch) {
  const auto frame = [&](SpaceVector a) { return turn_x(lean, turn_y(-pitch, a)); };
  const auto fork = [&](SpaceVector a) { return frame(turn_y(-sigma, turn_z(-steer, a))); };
  FrontWheel wheel;
  wheel.axis = fork({0, 1, 0});
  const SpaceVector up = {0, 0, 1};
  const SpaceVector inside = up + (-wheel.axis.z) * wheel.axis;
  const double size = std::sqrt(1 - wheel.axis.z * wheel.axis.z);
  wheel.arm = (-R / size) * inside;
  wheel.contact =
      frame({L - b, 0, 0}) + fork({b * std::cos(sigma), 0, -b * std::sin(sigma)}) + wheel.arm;
  return wheel;
}

double height(double lean, double steer, double pitch) {
  return R * std::cos(lean) + front_wheel(lean, steer, pitch).contact.z;
}

// The pitch nearest to zero at which the front wheel stands on the ground, by secants.
std::optional<double> find_pitch(double lean, double steer) {
  double p0 = 0, p1 = 0.01, h0 = height(lean, steer, p0), h1 = height(lean, steer, p1);
  for (int k = 0; k < 60 && std::fabs(h1) > 1e-14; ++k) {
    if (h1 == h0) return std::nullopt;
    const double p2 = p1 - h1 * (p1 - p0) / (h1 - h0);
    p0 = p1, h0 = h1, p1 = p2, h1 = height(lean, steer, p2);
    if (!(std::fabs(p1) < 1.2)) return std::nullopt;
  }
  return std::fabs(h1) < 1e-12 ? std::optional(p1) : std::nullopt;
}

struct Turn {
  double pitch = 0, yaw_rate = 0, rear_speed = 0;
};

// Rates with which both wheels roll while all angles stay: the front contact's material point
// rests, rear centre's velocity + yaw x contact + spin axis x arm = 0. `yaw_rate` is about the
// downward vertical, as in the file.
std::optional<Turn> find_turn(double lean, double steer, double speed) {
  const std::optional<double> pitch = find_pitch(lean, steer);
  if (!pitch) return std::nullopt;
  const FrontWheel wheel = front_wheel(lean, steer, *pitch);
  const double spin = speed / R;
  // Of the yaw rate w (about z, upwards) and the rear speed s: the rear contact point is at
  // -R cos(lean) below and R sin(lean) beside the centre; the centre moves with (s + R w sin(lean))
  // along x.
  const SpaceVector by_w = SpaceVector{R * std::sin(lean), 0, 0} + cross({0, 0, 1}, wheel.contact);
  const SpaceVector by_s = {1, 0, 0};
  const SpaceVector rest = spin * cross(wheel.axis, wheel.arm);
  if (std::fabs(by_w.y) < 1e-9) return std::nullopt;
  const double w = -rest.y / by_w.y, s = -(rest.x + w * by_w.x) / by_s.x;
  return Turn{*pitch, -w, s};
}

}  // namespace

std::vector<double> residual_map(const std::string& model_file, double speed, const ChartMap& map) {
  Diagnostics problems(model_file);
  const auto description = read_model_file(model_file, problems);
  if (!description) throw ItemFailure(problems.text());
  std::vector<double> values;
  for (int row = 0; row < map.rows; ++row)
    for (int k = 0; k < map.columns; ++k) {
      const double lean = map.x_low + (map.x_high - map.x_low) * (k + 0.5) / map.columns;
      const double steer = map.y_low + (map.y_high - map.y_low) * (row + 0.5) / map.rows;
      values.push_back(NAN);
      const std::optional<Turn> turn = find_turn(lean, steer, speed);
      if (!turn) continue;
      const Overrides overrides = {{"lean", Value(lean)},
                                   {"steer", Value(steer)},
                                   {"pitch", Value(turn->pitch)},
                                   {"yaw_rate", Value(turn->yaw_rate)},
                                   {"rear_speed", Value(turn->rear_speed)},
                                   {"v", Value(speed)}};
      const auto model = check_model(*description, problems, overrides);
      std::string problem;
      if (!model) continue;
      const auto system = make_system(*model, parameter_values(*model), "recursive", problem);
      const auto* mechanism = dynamic_cast<const MechanicalSystem*>(system.get());
      if (!mechanism) continue;
      const AssemblyReport& assembly = mechanism->assembly();
      if (assembly.position_change > 1e-6 || assembly.velocity_change > 1e-6)
        throw ItemFailure("the bicycle's rolling states do not fit its model");
      const auto workspace = mechanism->make_workspace();
      const auto report = mechanism->report_dynamics(mechanism->initial_state(), *workspace);
      double square = 0;
      for (const auto& joint : report.acceleration)
        for (const double a : joint) square += a * a;
      values.back() = 0.5 * std::log10(square);
    }
  return values;
}

}  // namespace cartan::reproduction
