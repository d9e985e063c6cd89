#include "symbolic/vectors/linear_map.h"

#include <algorithm>
#include <cassert>

#include "symbolic/needed.h"
#include "symbolic/simplify/is_zero.h"

namespace cartan::symbolic {
LinearMap::LinearMap(ExpressionGraph& graph, std::span<const Expression> values,
                     std::span<const Expression> symbols)
    : graph_(&graph), columns_(static_cast<int>(symbols.size())) {
  std::vector<int> place(graph.size(), -1);
  for (int k = 0; k < columns_; ++k) {
    assert(!symbols[k].is_number());
    place[symbols[k].node()] = k;
    Step step;
    step.kind = Step::symbol;
    step.last = k;
    tape_.push_back(step);
  }
  for (const int i : needed_nodes(graph, nodes_of(values))) {
    if (place[i] >= 0) continue;
    bool depends = false;
    for_each_operand(graph, i, [&](int x) { depends = depends || place[x] >= 0; });
    if (!depends) continue;
    tape_.push_back(make_step(i, place));
    place[i] = static_cast<int>(tape_.size()) - 1;
  }
  for (const Expression& value : values) {
    const int at = value.is_number() ? -1 : place[value.node()];
    values_.push_back({at, at < 0 ? value : Expression(0)});
  }
  // whatever hangs on a node of another kind is not linear
  std::vector<char> bad(tape_.size(), 0);
  for (std::size_t i = 0; i < tape_.size(); ++i) {
    const Step& step = tape_[i];
    bad[i] =
        step.kind == Step::other || (step.a >= 0 && bad[step.a]) || (step.b >= 0 && bad[step.b]);
  }
  for (int k = rows() - 1; k >= 0; --k)
    if (values_[k].place >= 0 && bad[values_[k].place]) nonlinear_ = k;
}

LinearMap::Step LinearMap::make_step(int node, const std::vector<int>& place) const {
  const Instruction i = graph_->node(node);
  Step step;
  if (i.op != Op::add && i.op != Op::multiply && i.op != Op::divide) return step;
  step.a = place[i.a], step.b = place[i.b];
  if (step.a < 0) step.constant = {*graph_, i.a};
  if (step.b < 0) step.constant = {*graph_, i.b};
  const bool both = step.a >= 0 && step.b >= 0;
  if (i.op == Op::add) step.kind = Step::sum;
  if (i.op == Op::multiply && !both) step.kind = Step::product;
  if (i.op == Op::divide && step.b < 0) step.kind = Step::quotient;
  for (const int x : {step.a, step.b})
    if (x >= 0) step.last = std::max(step.last, tape_[x].last);
  return step;
}

std::vector<Expression> LinearMap::sweep(std::vector<Expression> tape, bool with_constants) const {
  tape.resize(tape_.size());
  auto operand = [&](const Step& step, int at) {
    if (at >= 0) return tape[at];
    return with_constants ? step.constant : Expression(0);
  };
  for (std::size_t i = columns_; i < tape_.size(); ++i) {
    const Step& step = tape_[i];
    switch (step.kind) {
      case Step::sum:
        tape[i] = operand(step, step.a) + operand(step, step.b);
        break;
      case Step::product:
        tape[i] = step.constant * tape[std::max(step.a, step.b)];
        break;
      case Step::quotient:
        tape[i] = tape[step.a] / step.constant;
        break;
      default:
        break;
    }
  }
  std::vector<Expression> result;
  result.reserve(values_.size());
  for (const Value& value : values_) {
    if (value.place >= 0)
      result.push_back(tape[value.place]);
    else
      result.push_back(with_constants ? value.constant : Expression(0));
  }
  return result;
}

std::vector<Expression> LinearMap::apply(std::span<const Expression> x) const {
  assert(static_cast<int>(x.size()) == columns_);
  return sweep({x.begin(), x.end()}, false);
}

std::vector<Expression> LinearMap::column(int symbol) const {
  std::vector<Expression> unit(columns_);
  unit[symbol] = 1;
  return sweep(std::move(unit), false);
}

std::vector<Expression> LinearMap::rest() const {
  return sweep(std::vector<Expression>(columns_), true);
}

std::vector<Expression> LinearMap::apply_transposed(std::span<const Expression> y,
                                                    int first) const {
  assert(static_cast<int>(y.size()) == rows());
  std::vector<Expression> tape(tape_.size());
  auto add = [&](int at, const Expression& x) {
    if (at >= 0 && tape_[at].last >= first) tape[at] += x;
  };
  for (int k = 0; k < rows(); ++k) add(values_[k].place, y[k]);
  for (int i = static_cast<int>(tape_.size()) - 1; i >= columns_; --i) {
    const Step& step = tape_[i];
    if (is_zero(tape[i])) continue;
    switch (step.kind) {
      case Step::sum:
        add(step.a, tape[i]);
        add(step.b, tape[i]);
        break;
      case Step::product:
        add(std::max(step.a, step.b), step.constant * tape[i]);
        break;
      case Step::quotient:
        add(step.a, tape[i] / step.constant);
        break;
      default:
        break;
    }
  }
  tape.resize(columns_);
  return tape;
}

}  // namespace cartan::symbolic
