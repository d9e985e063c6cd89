#include "results/steady/steady_json.h"

#include <algorithm>

namespace cartan::results {
namespace {

bool closes_loop(const Model& model, int joint) {
  return std::find(model.loop_joints.begin(), model.loop_joints.end(), joint) !=
         model.loop_joints.end();
}

// What a mode does, its real or its imaginary part.
struct ModeMotion {
  std::vector<std::vector<double>> q, v;  // per joint; v of tree joints only
  std::vector<BodyState> bodies;          // their velocities are the motion
  std::vector<double> variables;
};

// Positions move with speeds v = d: bodies then have the velocities that are the mode's motion.
ModeMotion calc_motion(const SteadyCase& steady, const State& state, const Eigen::VectorXd& d) {
  const auto& mechanism = dynamic_cast<const MechanicalSystem&>(*steady.system);
  const Model& model = *steady.model;
  ModeMotion motion;
  State moving = state;
  int x = 0, tangent = 0;
  std::size_t v = steady.system->kinematic_size();
  std::vector<std::vector<double>> speeds(model.joints.size());
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    if (closes_loop(model, static_cast<int>(j))) continue;
    for (int k = 0; k < joint.nv(); ++k) moving.x[v + k] = d[tangent + k];
    // places behind a quaternion are moved in P's axes, their speeds are in C's
    if (has_quaternion(joint.type) && plain_count(joint.type) > 0) {
      const Quat<double> u(state.x[x], state.x[x + 1], state.x[x + 2], state.x[x + 3]);
      const Vec3<double> p =
          rotate_back(u, Vec3<double>(d[tangent + 3], d[tangent + 4], d[tangent + 5]));
      for (int k = 0; k < 3; ++k) moving.x[v + 3 + k] = p[k];
    }
    x += joint.nq(), tangent += joint.nv(), v += joint.nv();
  }
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    if (closes_loop(model, static_cast<int>(j))) continue;
    for (int k = 0; k < model.joints[j].nv(); ++k) speeds[j].push_back(d[tangent++]);
  }
  for (std::size_t i = 0; i < model.variables.size(); ++i) motion.variables.push_back(d[tangent++]);
  Observation now;
  mechanism.observe(moving, now, *steady.workspace);
  motion.q = now.v;
  motion.v = speeds;
  motion.bodies = now.bodies;
  return motion;
}

Json pairs(const std::vector<double>& re, const std::vector<double>& im) {
  Json list = Json::array();
  for (std::size_t k = 0; k < re.size(); ++k) list.push_back({re[k], im[k]});
  return list;
}

Json pairs(const Vec3<double>& re, const Vec3<double>& im) {
  return {{re.x, im.x}, {re.y, im.y}, {re.z, im.z}};
}

}  // namespace

Json state_json_of(const SteadyCase& steady, const State& state) {
  if (const auto* mechanism = dynamic_cast<const MechanicalSystem*>(steady.system.get())) {
    Observation now;
    mechanism->observe(state, now, *steady.workspace);
    return state_json(*steady.model, now);
  }
  Json variables = Json::object();
  for (std::size_t i = 0; i < steady.model->variables.size(); ++i)
    variables[steady.model->variables[i].name] = state.x[i];
  return {{"t", state.t}, {"variables", std::move(variables)}};
}

Json spectrum_json(const Linearisation& result) {
  Json eigenvalues = Json::array(), frequencies = Json::array(), damping = Json::array();
  for (std::size_t k = 0; k < result.eigenvalues.size(); ++k) {
    eigenvalues.push_back({result.eigenvalues[k].real(), result.eigenvalues[k].imag()});
    frequencies.push_back(result.frequency(k));
    damping.push_back(result.damping(k));
  }
  return {{"eigenvalues", std::move(eigenvalues)},
          {"neutral", result.neutral},
          {"frequencies_hz", std::move(frequencies)},
          {"damping", std::move(damping)},
          {"stable", result.stable},
          {"asymptotically_stable", result.asymptotic}};
}

Json mode_json(const SteadyCase& steady, const Linearisation& result, int k) {
  const Eigen::VectorXd re = result.modes.col(k).real(), im = result.modes.col(k).imag();
  Json mode = {{"eigenvalue", {result.eigenvalues[k].real(), result.eigenvalues[k].imag()}}};
  if (!steady.model->is_mechanism()) {
    for (std::size_t i = 0; i < steady.model->variables.size(); ++i)
      mode["variables"][steady.model->variables[i].name] = {re[i], im[i]};
    return mode;
  }
  const ModeMotion a = calc_motion(steady, result.state, re),
                   b = calc_motion(steady, result.state, im);
  const Model& model = *steady.model;
  for (const char* part : {"q", "v", "bodies"}) mode[part] = Json::object();
  for (std::size_t i = 0; i < model.variables.size(); ++i)
    mode["variables"][model.variables[i].name] = {a.variables[i], b.variables[i]};
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    mode["q"][model.joints[j].name] = pairs(a.q[j], b.q[j]);
    if (!closes_loop(model, static_cast<int>(j)))
      mode["v"][model.joints[j].name] = pairs(a.v[j], b.v[j]);
  }
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    mode["bodies"][model.bodies[i].name] = {
        {"angular", pairs(a.bodies[i].angular, b.bodies[i].angular)},
        {"linear", pairs(a.bodies[i].linear, b.bodies[i].linear)}};
  return mode;
}

Json motion_json(const SteadyCase& steady, const Eigen::VectorXd& c) {
  Json list = Json::array();
  const Symmetries& symmetries = steady.problem->symmetries();
  for (int k = 0; k < symmetries.count(); ++k)
    list.push_back({{"symmetry", symmetries.names[k]}, {"speed", c[k]}});
  return list;
}

}  // namespace cartan::results
