#include "model/drive_motion.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace cartan::model {
namespace {

constexpr int samples = 400;
constexpr double jump = 1e-6;  // of the whole range, over a time that hardly differs from zero

// A program over time and parameters.
class TimeFunction {
 public:
  TimeFunction(Program program, std::span<const double> parameters)
      : program_(std::move(program)),
        inputs_(program_.inputs.size()),
        scratch_(program_.scratch_size()),
        outputs_(program_.outputs.size()) {
    for (std::size_t k = 0; k < inputs_.size(); ++k)
      if (program_.inputs[k].quantity == Quantity::parameter)
        inputs_[k] = parameters[program_.inputs[k].index];
  }

  double operator()(double t, int component) {
    for (std::size_t k = 0; k < inputs_.size(); ++k)
      if (program_.inputs[k].quantity == Quantity::time) inputs_[k] = t;
    evaluate<double>(program_, inputs_, scratch_, outputs_);
    return outputs_[component];
  }
  TimeFunction derivative(std::span<const double> parameters) const {
    return {differentiate(program_, {Quantity::time}), parameters};
  }

 private:
  Program program_;
  std::vector<double> inputs_, scratch_, outputs_;
};

// The half with the greater change, again and again: where a function jumps, the change stays.
bool narrow(TimeFunction& f, int component, double& left, double& right, double& before,
            double& after) {
  before = f(left, component);
  after = f(right, component);
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (left + right);
    if (!(middle > left && middle < right)) break;
    const double value = f(middle, component);
    if (!std::isfinite(value)) return false;
    const bool first = std::fabs(value - before) > std::fabs(after - value);
    (first ? right : left) = middle;
    (first ? after : before) = value;
  }
  return std::isfinite(before) && std::isfinite(after);
}

// The time of a jump, with the values on both sides.
bool find_jump(TimeFunction& f, int component, double from, double to, double& at, double& before,
               double& after) {
  double low = INFINITY, high = -INFINITY;
  const auto time = [&](int k) { return from + (to - from) * k / samples; };
  for (int k = 0; k <= samples; ++k) {
    const double value = f(time(k), component);
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  for (int k = 0; k < samples; ++k) {
    double left = time(k), right = time(k + 1);
    if (!narrow(f, component, left, right, before, after)) continue;
    at = right;
    const double rounding = 1e-9 * std::max(std::fabs(low), std::fabs(high));
    if (std::fabs(after - before) > jump * (high - low) + rounding) return true;
  }
  return false;
}

// Made of functions that are smooth wherever they are: nothing to look for.
bool is_smooth(const Program& program) {
  return std::all_of(program.code.begin(), program.code.end(), [](const Instruction& i) {
    switch (i.op) {
      case Op::constant:
      case Op::input:
      case Op::add:
      case Op::subtract:
      case Op::multiply:
      case Op::negate:
      case Op::sin:
      case Op::cos:
      case Op::atan:
      case Op::tanh:
        return true;
      default:
        return false;
    }
  });
}

std::string shown(double number) {
  return fmt::format("{:.6g}", number);
}

}  // namespace

std::string find_rough_drive(const Model& model, std::span<const double> parameters, double from,
                             double to, bool finite, Location& where) {
  for (const Constraint& constraint : model.constraints) {
    const auto* drive = std::get_if<DriveConstraint>(&constraint.law);
    if (!drive || !drive->position.given() || is_smooth(drive->position.program)) continue;
    where = drive->position.where;
    TimeFunction position(drive->position.program, parameters);
    TimeFunction rate = position.derivative(parameters);
    TimeFunction acceleration = rate.derivative(parameters);
    const char* const names[] = {"position", "rate", "acceleration"};
    TimeFunction* const orders[] = {&position, &rate, &acceleration};
    for (int c = 0; c < drive->position.size(); ++c) {
      const std::string whose = fmt::format("position of constraint '{}' ('{}')", constraint.name,
                                            drive->position.texts[c]);
      for (int order = 0; finite && order < 3; ++order)
        for (int k = 0; k <= samples; ++k) {
          const double t = from + (to - from) * k / samples;
          if (std::isfinite((*orders[order])(t, c))) continue;
          return fmt::format(
              "{}: its {} is not a finite number at t = {}; expected a motion that "
              "is twice differentiable",
              whose, names[order], shown(t));
        }
      double at = 0, before = 0, after = 0;
      for (int order = 0; order < 2 && to > from; ++order)
        if (find_jump(*orders[order], c, from, to, at, before, after))
          return fmt::format(
              "{}: its {} jumps from {} to {} at t = {}; expected a motion that is "
              "twice differentiable",
              whose, names[order], shown(before), shown(after), shown(at));
    }
  }
  return "";
}

}  // namespace cartan::model
