#include "symbolic/vectors/kinematics.h"

#include <fmt/format.h>

#include "symbolic/partials.h"
#include "symbolic/simplify/is_zero.h"
#include "symbolic/substitute.h"

namespace cartan::symbolic {

Kinematics::Kinematics(ExpressionGraph& graph) : graph_(&graph), problems_("derivation") {}

Expression Kinematics::time(double sample) {
  const Expression t = graph_->symbol("t", sample);
  if (!entries_.contains(t.node())) set_rate(t, Expression(1));
  return t;
}

Expression Kinematics::coordinate(const std::string& name, double sample) {
  const Expression q = graph_->symbol(name, sample);
  if (entries_.try_emplace(q.node()).second) {
    coordinates_.push_back(q);
    forget();
  }
  return q;
}

Expression Kinematics::speed(const std::string& name, double sample) {
  const Expression u = graph_->symbol(name, sample);
  const auto [at, is_new] = entries_.try_emplace(u.node());
  if (is_new) {
    speeds_.push_back(u);
    at->second = {true, true, false, graph_->symbol(name + "'"), {}};
    forget();
  }
  return u;
}

Kinematics::Standard Kinematics::standard(int count) {
  Standard standard;
  for (int i = 1; i <= count; ++i) {
    standard.q.push_back(coordinate(fmt::format("q{}", i)));
    standard.u.push_back(speed(fmt::format("u{}", i)));
    set_rate(standard.q.back(), standard.u.back());
  }
  return standard;
}

void Kinematics::set_rate(const Expression& symbol, const Expression& rate) {
  set_rate(symbol, std::function<Expression()>());
  if (symbol.is_number() || graph_->node(symbol.node()).op != Op::input) return;
  Entry& entry = entries_[symbol.node()];
  entry.is_known = true;
  entry.rate = rate;
}

void Kinematics::set_rate(const Expression& symbol, std::function<Expression()> rate) {
  if (symbol.is_number() || graph_->node(symbol.node()).op != Op::input) {
    problems_.error(
        {},
        "A kinematic differential equation gives the rate of a symbol, not of a number or an "
        "expression: name a coordinate (coordinate(\"q1\")) and give its rate");
    return;
  }
  Entry& entry = entries_[symbol.node()];
  entry.is_speed = false;
  entry.is_known = false;
  entry.find = std::move(rate);
  forget();
}

Expression Kinematics::acceleration(const Expression& speed) {
  return rate(speed);
}

void Kinematics::forget() {
  for (Memory& memory : memories_) memory = {};
  ++version_;
}

Expression Kinematics::rate(const Expression& x) {
  return rate(x, false);
}
Expression Kinematics::rate_at_constant_speeds(const Expression& x) {
  return rate(x, true);
}

// Of a symbol that stands for an expression of the speeds.
Expression Kinematics::without_accelerations(const Expression& rate) {
  std::vector<Expression> accelerations;
  for (const Expression& u : speeds_) {
    const Entry& entry = entries_[u.node()];
    if (entry.is_speed) accelerations.push_back(entry.rate);
  }
  return substitute(*graph_, rate, accelerations, std::vector<Expression>(accelerations.size()));
}

Expression Kinematics::symbol_rate(int node, bool constant_speeds) {
  const auto at = entries_.find(node);
  if (at == entries_.end()) return 0;
  Entry& entry = at->second;
  if (entry.is_speed) return constant_speeds ? Expression(0) : entry.rate;
  if (entry.is_known) return constant_speeds ? without_accelerations(entry.rate) : entry.rate;
  if (entry.find) {
    const Expression found = entry.find();
    Entry& again = entries_.find(node)->second;  // the search may have added symbols
    again.is_known = true;
    again.rate = found;
    return symbol_rate(node, constant_speeds);
  }
  if (!entry.is_told) {
    entry.is_told = true;
    const std::string& name = graph_->symbol_name(graph_->node(node).a);
    problems_.error(
        {}, fmt::format(
                "Coordinate {0} has no kinematic differential equation, so nothing that depends on "
                "it can be differentiated by time: give its rate with set_rate({0}, ...), for "
                "example a speed",
                name));
  }
  return 0;
}

// Nodes that wait for their operands are on a stack of our own: graphs are deep.
Expression Kinematics::rate(const Expression& x, bool constant_speeds) {
  if (x.is_number()) return 0;
  int version = version_;
  std::vector<int> stack = {x.node()};
  auto memory = [&]() -> Memory& {
    Memory& m = memories_[constant_speeds];
    if (static_cast<int>(m.known.size()) < graph_->size()) {
      m.known.resize(graph_->size() + graph_->size() / 2);
      m.rate.resize(m.known.size());
    }
    return m;
  };
  while (!stack.empty()) {
    const int i = stack.back();
    if (memory().known[i]) {
      stack.pop_back();
      continue;
    }
    Expression rate;
    const Instruction node = graph_->node(i);
    if (node.op == Op::input) {
      rate = symbol_rate(i, constant_speeds);
      if (version != version_) {  // the search for it made new symbols: begin again
        version = version_;
        stack = {x.node()};
        continue;
      }
    } else {
      const std::size_t waiting = stack.size();
      for_each_operand(*graph_, i, [&](int operand) {
        if (!memory().known[operand]) stack.push_back(operand);
      });
      if (stack.size() > waiting) continue;
      rate = node_rate(i, memory());
    }
    Memory& m = memory();
    m.rate[i] = rate;
    m.known[i] = 1;
    stack.pop_back();
  }
  return memory().rate[x.node()];
}

// sum of d node / d operand * operand'; of a branch, the rate of the operand it takes
Expression Kinematics::node_rate(int i, const Memory& memory) {
  if (is_branch(graph_->node(i).op)) {
    const BranchNodes branch = branch_of(*graph_, i);
    return select({Expression(*graph_, branch.condition)}, memory.rate[branch.yes],
                  memory.rate[branch.no]);
  }
  Expression sum;
  for_each_partial(
      *graph_, i, [&](int operand) { return !is_zero(memory.rate[operand]); },
      [&](int operand, int partial) {
        sum += Expression(*graph_, partial) * memory.rate[operand];
      });
  return sum;
}

}  // namespace cartan::symbolic
