#include "results/design/charted_derivation.h"

#include <algorithm>

#include <fmt/format.h>

#include "lie/quaternion.h"
#include "symbolic/substitute.h"

namespace cartan::results {
namespace {

Quat<Expression> quaternion_of(const Expressions& list, int first) {
  return {list[first], list[first + 1], list[first + 2], list[first + 3]};
}

void put_quaternion(const Quat<Expression>& u, Expressions& list, int first) {
  list[first] = u.w, list[first + 1] = u.x, list[first + 2] = u.y, list[first + 3] = u.z;
}

// (1, r/2), and its length.
Quat<Expression> cayley_turn(const Expression* r) {
  return {1, Expression(0.5) * r[0], Expression(0.5) * r[1], Expression(0.5) * r[2]};
}
Expression cayley_length(const Expression* r) {
  return sqrt(Expression(1) + Expression(0.25) * (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]));
}

}  // namespace

ChartedDerivation::ChartedDerivation(const Model& model, const State& at, const StateCharts& charts,
                                     const std::vector<std::string>& inputs)
    : charts_(charts), derivation_(model, model::parameter_values(model), at), u_(inputs.size()) {
  x_ = derivation_.q();
  const Expressions v = derivation_.v();
  x_.insert(x_.end(), v.begin(), v.end());
  for (std::size_t k = x_.size(); k < derivation_.state().size(); ++k)
    x_.push_back(derivation_.state()[k].symbol);
  place_ = point_ = x_;
  y_.resize(charts.coordinates());
  for (int i = 0; i < charts.size(); ++i)
    if (!charts.in_quaternion(i)) y_[charts.coordinate_of(i)] = x_[i];
  int number = 0;
  for (const int first : charts.quaternions()) {
    for (int k = 0; k < 4; ++k, ++number) {
      base_.push_back(graph().symbol(fmt::format("base {}", number), at.x[first + k]));
      other_base_.push_back(graph().symbol(fmt::format("other base {}", number), at.x[first + k]));
    }
    Expression* r = &y_[charts.coordinate_of(first)];
    for (int k = 0; k < 3; ++k) r[k] = graph().symbol(fmt::format("turn {} {}", first, k), 0);
    const Quat<Expression> turned = quaternion_of(base_, number - 4) * cayley_turn(r);
    put_quaternion(turned, place_, first);
    put_quaternion((Expression(1) / cayley_length(r)) * turned, point_, first);
  }
  for (const DerivedSymbol& parameter : derivation_.parameters()) {
    const auto found = std::find(inputs.begin(), inputs.end(), parameter.name);
    if (found != inputs.end())
      u_[found - inputs.begin()] = parameter.symbol;
    else
      parameters_.push_back(parameter.symbol);
  }
  if (parameters_.empty()) parameters_.push_back(graph().symbol("no number", 0));
}

std::vector<double> ChartedDerivation::parameter_values() const {
  std::vector<double> values;
  for (const Expression& symbol : parameters_) values.push_back(symbol.sample());
  return values;
}

Expressions ChartedDerivation::charted(const Expressions& list) {
  return charts_.quaternions().empty() ? list : substitute(graph(), list, x_, point_);
}

Expressions ChartedDerivation::coordinate_rates(const Expressions& rates) {
  Expressions result(charts_.coordinates());
  for (int i = 0; i < charts_.size(); ++i)
    if (!charts_.in_quaternion(i)) result[charts_.coordinate_of(i)] = rates[i];
  for (std::size_t k = 0; k < charts_.quaternions().size(); ++k) {
    const int first = charts_.quaternions()[k], at = charts_.coordinate_of(first);
    const Quat<Expression> p =
        conjugate(quaternion_of(base_, static_cast<int>(4 * k))) * quaternion_of(rates, first);
    const Expression* r = &y_[at];
    const Expression length = cayley_length(r);
    result[at] = length * (Expression(2) * p.x - r[0] * p.w);
    result[at + 1] = length * (Expression(2) * p.y - r[1] * p.w);
    result[at + 2] = length * (Expression(2) * p.z - r[2] * p.w);
  }
  return result;
}

Expressions ChartedDerivation::around_other(const Expressions& x) const {
  Expressions result(charts_.coordinates());
  for (int i = 0; i < charts_.size(); ++i)
    if (!charts_.in_quaternion(i)) result[charts_.coordinate_of(i)] = x[i];
  for (std::size_t k = 0; k < charts_.quaternions().size(); ++k) {
    const int first = charts_.quaternions()[k], at = charts_.coordinate_of(first);
    const Quat<Expression> p =
        conjugate(quaternion_of(other_base_, static_cast<int>(4 * k))) * quaternion_of(x, first);
    const Expression factor = Expression(2) / p.w;
    result[at] = factor * p.x, result[at + 1] = factor * p.y, result[at + 2] = factor * p.z;
  }
  return result;
}

Expressions ChartedDerivation::at_another(const Expressions& list, Expressions& other_y,
                                          Expression& other_time) {
  Expressions from = y_, to;
  for (std::size_t i = 0; i < y_.size(); ++i)
    to.push_back(graph().symbol(fmt::format("other {}", i), y_[i].sample()));
  other_y = to;
  other_time = graph().symbol("other time", derivation_.time().sample());
  from.push_back(derivation_.time());
  to.push_back(other_time);
  from.insert(from.end(), base_.begin(), base_.end());
  to.insert(to.end(), other_base_.begin(), other_base_.end());
  return substitute(graph(), charted(list), from, to);
}

}  // namespace cartan::results
