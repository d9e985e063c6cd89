// Actuators of MJCF as forces of inputs: force = gain u + b0 + b1 length + b2 rate, on a joint, a
// fixed tendon or a site, times the gear.
#include <algorithm>

#include "import/mjcf_reader.h"

namespace cartan::import {

struct MjcfReader::Actuator {
  double gear[6] = {1, 0, 0, 0, 0, 0};
  double gain[3] = {1, 0, 0}, bias[3] = {0, 0, 0};
  std::string dynamics = "none", gain_type = "fixed", bias_type = "none";
  std::string unknown;      // a kind that is not understood
  bool damp_ratio = false;  // damping from the inertia of the drawn pose
  double range[2] = {0, 0};
  std::string limited = "auto";
  bool force_limited = false;
};

namespace {

const std::vector<std::string>& actuator_names() {
  static const std::vector<std::string> names = {
      "general", "motor",    "position", "velocity", "intvelocity", "damper",     "cylinder",
      "muscle",  "adhesion", "dcmotor",  "plugin",   "pid",         "orientation"};
  return names;
}

void copy_numbers(const std::vector<double>& from, double* to, int most) {
  for (int k = 0; k < most && k < static_cast<int>(from.size()); ++k) to[k] = from[k];
}

}  // namespace

void MjcfReader::apply_actuator(const XmlElement& element, Actuator& a) {
  copy_numbers(read_numbers(element, "gear", 1, 6, problems_), a.gear, 6);
  copy_numbers(read_numbers(element, "gainprm", 1, 20, problems_), a.gain, 3);
  copy_numbers(read_numbers(element, "biasprm", 1, 20, problems_), a.bias, 3);
  copy_numbers(read_numbers(element, "ctrlrange", 2, 2, problems_), a.range, 2);
  if (element.has("ctrllimited")) a.limited = element.get("ctrllimited");
  if (element.has("forcerange")) a.force_limited = true;
  if (element.has("dyntype")) a.dynamics = element.get("dyntype");
  if (element.has("gaintype")) a.gain_type = element.get("gaintype");
  if (element.has("biastype")) a.bias_type = element.get("biastype");
  const std::string& name = element.name;
  if (name == "motor") {
    a.gain[0] = 1;
    a.dynamics = "none", a.gain_type = "fixed", a.bias_type = "none";
  } else if (name == "position" || name == "intvelocity") {
    const double kp = read_number(element, "kp", a.gain[0], problems_);
    a.gain[0] = kp, a.bias[1] = -kp;
    if (element.has("kv")) a.bias[2] = -read_number(element, "kv", 0, problems_);
    if (element.has("dampratio")) {
      a.bias[2] = 0;
      a.damp_ratio = read_number(element, "dampratio", 0, problems_) > 0;
    }
    a.gain_type = "fixed", a.bias_type = "affine";
    if (name == "intvelocity") a.dynamics = "integrator";
    if (element.has("timeconst"))
      a.dynamics = read_number(element, "timeconst", 0, problems_) == 0 ? "none" : "filterexact";
  } else if (name == "velocity") {
    const double kv = read_number(element, "kv", a.gain[0], problems_);
    a.gain[0] = kv;
    a.bias[0] = a.bias[1] = 0, a.bias[2] = -kv;
    a.dynamics = "none", a.gain_type = "fixed", a.bias_type = "affine";
  } else if (name == "damper") {
    a.gain[0] = a.gain[1] = 0, a.gain[2] = -read_number(element, "kv", 1, problems_);
    a.dynamics = "none", a.gain_type = "affine", a.bias_type = "none";
  } else if (name != "general") {
    a.unknown = name;
  }
}

void MjcfReader::read_actuators(const XmlElement& section) {
  for (const XmlElement& child : section.children) add_actuator(child);
}

void MjcfReader::add_actuator(const XmlElement& element) {
  const auto& names = actuator_names();
  ++actuator_count_;
  if (std::find(names.begin(), names.end(), element.name) == names.end()) {
    problems_.error(element.where, "unknown actuator <" + element.name + ">");
    return;
  }
  Actuator actuator;
  for (const XmlElement* each : defaults_.chain(element.get("class"), names))
    if (each->name == "general" || each->name == "motor" || each->name == "position" ||
        each->name == "velocity" || each->name == "intvelocity" || each->name == "damper" ||
        each->name == element.name)
      apply_actuator(*each, actuator);
  apply_actuator(element, actuator);
  const auto leave = [&](const std::string& kind, const std::string& why) {
    report_.leave(kind, element.where, why);
  };
  if (!actuations_) return leave("actuators", "the file switches actuation off");
  if (!actuator.unknown.empty())
    return leave(actuator.unknown + " actuators", "their law is not understood: they do not act");
  if (actuator.dynamics != "none" && !actuator.dynamics.empty())
    return leave("actuators with activation states (" + actuator.dynamics + ")",
                 "the states are not carried over: the actuators do not act");
  if ((actuator.gain_type != "fixed" && actuator.gain_type != "affine") ||
      (actuator.bias_type != "none" && actuator.bias_type != "affine"))
    return leave("actuators with a law of their own", "they do not act");
  if (actuator.bias_type == "none") actuator.bias[0] = actuator.bias[1] = actuator.bias[2] = 0;
  if (actuator.gain_type == "fixed") actuator.gain[1] = actuator.gain[2] = 0;
  if (actuator.damp_ratio)
    leave("damping ratios of actuators",
          "they need the inertia of the drawn pose: the servos act without damping");
  const bool ranged = actuator.range[0] != 0 || actuator.range[1] != 0;
  const bool limited = actuator.limited == "true" || (actuator.limited == "auto" && ranged);
  if (limited) leave("control ranges", "inputs are not cut off");
  if (actuator.force_limited) leave("force ranges of actuators", "forces are not cut off");
  // A control of zero is moved into its range, as MuJoCo does.
  const double start = limited ? std::min(std::max(0.0, actuator.range[0]), actuator.range[1]) : 0;
  std::string wish = element.get("name");
  if (wish.empty()) wish = "actuator" + std::to_string(actuator_count_ - 1);
  if (element.has("joint") || element.has("jointinparent") || element.has("tendon") ||
      (element.has("site") && !element.has("refsite"))) {
    const std::string input = context_.draft.input(wish, start, element.where);
    if (element.has("tendon"))
      add_tendon_actuator(element, actuator, input);
    else if (element.has("site"))
      add_site_actuator(element, actuator, input);
    else
      add_joint_actuator(element, actuator, input);
  } else {
    leave("actuators on bodies, slider-cranks or relative sites", "they do not act");
  }
}

void MjcfReader::add_joint_actuator(const XmlElement& element, const Actuator& a,
                                    const std::string& input) {
  const MjcfJoint* joint = find_joint(element, element.has("joint") ? "joint" : "jointinparent");
  if (!joint) return;
  std::string value;
  if (joint->type == "hinge" || joint->type == "slide") {
    const double g = a.gear[0];
    const std::string q = in_expression(joint->name) + ".q", v = in_expression(joint->name) + ".v";
    add_term(value, g * (a.gain[0] + a.gain[1] * g * joint->ref), input);
    add_term(value, g * g * a.gain[1], input + "*" + q);
    add_term(value, g * g * a.gain[2], input + "*" + v);
    add_term(value, g * (a.bias[0] + a.bias[1] * g * joint->ref), "");
    add_term(value, g * g * a.bias[1], q);
    add_term(value, g * g * a.bias[2], v);
    value = toml_text(value.empty() ? "0" : value);
  } else if (joint->type == "ball" && element.has("joint") && a.bias[0] == 0 && a.bias[1] == 0 &&
             a.bias[2] == 0 && a.gain[1] == 0 && a.gain[2] == 0) {
    for (int k = 0; k < 3; ++k) {
      std::string part;
      add_term(part, a.gear[k] * a.gain[0], input);
      value += (k ? ", " : "") + toml_text(part.empty() ? "0" : part);
    }
    value = "[" + value + "]";
  } else {
    report_.leave("actuators on ball and free joints", element.where, "they do not act");
    return;
  }
  context_.draft.add_force("joint", "drive_" + input, element.where)
      .set("joint", toml_text(joint->name))
      .set("value", value);
  report_.carry(element.name + " actuators");
}

void MjcfReader::add_tendon_actuator(const XmlElement& element, const Actuator& a,
                                     const std::string& input) {
  const auto found = tendons_.find(element.get("tendon"));
  if (found == tendons_.end()) {
    problems_.error(element.where, "unknown tendon '" + element.get("tendon") + "'");
    return;
  }
  if (found->second.spatial) {
    report_.leave("actuators on spatial tendons", element.where, "they do not act");
    return;
  }
  const double g = a.gear[0];
  std::string force;
  add_term(force, a.gain[0], input);
  double constant = a.bias[0];
  for (const auto& [name, c] : found->second.joints) {
    const MjcfJoint& joint = joints_[name];
    const std::string q = in_expression(joint.name) + ".q", v = in_expression(joint.name) + ".v";
    add_term(force, a.gain[1] * g * c, input + "*(" + q + " + " + number_text(joint.ref) + ")");
    add_term(force, a.gain[2] * g * c, input + "*" + v);
    add_term(force, a.bias[1] * g * c, q);
    add_term(force, a.bias[2] * g * c, v);
    constant += a.bias[1] * g * c * joint.ref;
  }
  add_term(force, constant, "");
  if (force.empty()) return;
  for (const auto& [name, c] : found->second.joints)
    context_.draft.add_force("joint", "drive_" + input + "_" + name, element.where)
        .set("joint", toml_text(joints_[name].name))
        .set("value", toml_text(number_text(g * c) + "*(" + force + ")"));
  report_.carry(element.name + " actuators");
}

// A wrench in the axes of the site; its length is zero, so only the constant of the bias acts.
void MjcfReader::add_site_actuator(const XmlElement& element, const Actuator& a,
                                   const std::string& input) {
  const MjcfSite* site = find_site(element, "site");
  if (!site) return;
  if (a.bias[2] != 0 || a.gain[2] != 0) {
    report_.leave("actuators on sites with damping", element.where, "they do not act");
    return;
  }
  if (site->body == "world") {
    report_.leave("actuators on the world", element.where, no_effect_on_motion);
    return;
  }
  const auto components = [&](int first) {
    const Vec3<double> g =
        rotate(site->in_body.q, {a.gear[first], a.gear[first + 1], a.gear[first + 2]});
    std::string list;
    for (int k = 0; k < 3; ++k) {
      std::string part;
      add_term(part, g[k] * a.gain[0], input);
      add_term(part, g[k] * a.bias[0], "");
      list += (k ? ", " : "") + toml_text(part.empty() ? "0" : part);
    }
    return "[" + list + "]";
  };
  context_.draft.add_force("wrench", "drive_" + input, element.where)
      .set("body", toml_text(site->body))
      .set("at", list_text(site->in_body.p))
      .set("force", components(0))
      .set("torque", components(3))
      .set("frame", toml_text("body"));
  report_.carry(element.name + " actuators");
}

}  // namespace cartan::import
