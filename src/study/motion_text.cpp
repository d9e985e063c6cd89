#include "study/motion_text.h"

#include <cmath>

#include <fmt/format.h>

#include "io/csv.h"
#include "mechanics/variables/variables.h"

namespace cartan::study {
namespace {

std::string motion_header(const Model& model, bool mechanism, std::size_t hidden,
                          std::size_t hidden_count) {
  std::string line = "t";
  if (mechanism) {
    for (const Joint& joint : model.joints) {
      for (int k = 0; k < joint.nq(); ++k) line += fmt::format(",{}.q{}", joint.name, k);
      for (int k = 0; k < joint.nv(); ++k) line += fmt::format(",{}.v{}", joint.name, k);
    }
    for (const Variable& variable : model.variables) line += "," + variable.name;
    line += ",kinetic,potential,energy,constraint";
  } else {
    for (const Variable& variable : model.variables) line += "," + variable.name;
  }
  for (std::size_t k = 0; k < model.outputs.size(); ++k)
    if (k < hidden || k >= hidden + hidden_count) line += "," + model.outputs[k].name;
  return line + "\n";
}

}  // namespace

MotionText::MotionText(const System& system, std::size_t hidden, std::size_t hidden_count)
    : system_(system),
      hidden_(hidden),
      hidden_count_(hidden_count),
      workspace_(system.make_workspace()) {
  if (const auto* mechanism = dynamic_cast<const MechanicalSystem*>(&system))
    text_ = motion_header(mechanism->model(), true, hidden, hidden_count);
  else if (const auto* plain = dynamic_cast<const VariablesSystem*>(&system))
    text_ = motion_header(plain->model(), false, hidden, hidden_count),
    values_.resize(plain->model().outputs.size());
}

void MotionText::add(double value) {
  text_ += ',';
  if (std::isfinite(value)) append_number(text_, value);
}

void MotionText::add_outputs(const std::vector<double>& values) {
  for (std::size_t k = 0; k < values.size(); ++k)
    if (k < hidden_ || k >= hidden_ + hidden_count_) add(values[k]);
}

void MotionText::take(const State& state) {
  append_number(text_, state.t);
  if (const auto* mechanism = dynamic_cast<const MechanicalSystem*>(&system_)) {
    mechanism->observe(state, now_, *workspace_);
    for (std::size_t j = 0; j < now_.q.size(); ++j) {
      for (const double q : now_.q[j]) add(q);
      for (const double v : now_.v[j]) add(v);
    }
    for (const double z : now_.variables) add(z);
    for (const double x :
         {now_.kinetic, now_.potential, now_.kinetic + now_.potential, now_.position_violation})
      add(x);
    add_outputs(now_.outputs);
  } else if (const auto* plain = dynamic_cast<const VariablesSystem*>(&system_)) {
    for (std::size_t i = 0; i < plain->model().variables.size(); ++i) add(state.x[i]);
    plain->calc_outputs(state, values_, *workspace_);
    add_outputs(values_);
  }
  text_ += '\n';
}

}  // namespace cartan::study
