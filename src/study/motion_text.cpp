#include "study/motion_text.h"

#include <cmath>

#include <fmt/format.h>

#include "io/csv.h"
#include "mechanics/variables/variables.h"

namespace cartan {
namespace {

std::string motion_header(const Model& model, bool mechanism, std::size_t outputs) {
  std::string line = "t";
  if (mechanism) {
    for (const Joint& joint : model.joints) {
      for (int k = 0; k < joint.nq(); ++k) line += fmt::format(",{}.q{}", joint.name, k);
      for (int k = 0; k < joint.nv(); ++k) line += fmt::format(",{}.v{}", joint.name, k);
    }
    line += ",kinetic,potential,energy,constraint";
  } else {
    for (const Variable& variable : model.variables) line += "," + variable.name;
  }
  for (std::size_t k = 0; k < outputs; ++k) line += "," + model.outputs[k].name;
  return line + "\n";
}

}  // namespace

MotionText::MotionText(const System& system, std::size_t outputs)
    : system_(system), outputs_(outputs), workspace_(system.make_workspace()) {
  if (const auto* mechanism = dynamic_cast<const MechanicalSystem*>(&system))
    text_ = motion_header(mechanism->model(), true, outputs);
  else if (const auto* plain = dynamic_cast<const VariablesSystem*>(&system))
    text_ = motion_header(plain->model(), false, outputs),
    values_.resize(plain->model().outputs.size());
}

void MotionText::add(double value) {
  text_ += ',';
  if (std::isfinite(value)) append_number(text_, value);
}

void MotionText::take(const State& state) {
  append_number(text_, state.t);
  if (const auto* mechanism = dynamic_cast<const MechanicalSystem*>(&system_)) {
    mechanism->observe(state, now_, *workspace_);
    for (std::size_t j = 0; j < now_.q.size(); ++j) {
      for (const double q : now_.q[j]) add(q);
      for (const double v : now_.v[j]) add(v);
    }
    for (const double x :
         {now_.kinetic, now_.potential, now_.kinetic + now_.potential, now_.position_violation})
      add(x);
    for (std::size_t k = 0; k < outputs_; ++k) add(now_.outputs[k]);
  } else if (const auto* plain = dynamic_cast<const VariablesSystem*>(&system_)) {
    for (std::size_t i = 0; i < plain->model().variables.size(); ++i) add(state.x[i]);
    plain->calc_outputs(state, values_, *workspace_);
    for (std::size_t k = 0; k < outputs_; ++k) add(values_[k]);
  }
  text_ += '\n';
}

}  // namespace cartan
