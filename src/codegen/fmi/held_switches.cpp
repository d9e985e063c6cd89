// Switches of expressions held on their branches.
#include <map>

#include <fmt/format.h>

#include "codegen/fmi/fmu_unit.h"
#include "symbolic/operations.h"

namespace cartan::codegen {
namespace {

class SwitchHolder {
 public:
  SwitchHolder(ExpressionGraph& graph, const std::vector<Expression>& moving)
      : graph_(graph), size_(graph.size()), image_(size_), moves_(size_, 0), deciding_(size_, 0) {
    for (int i = 0; i < size_; ++i) image_[i] = i;
    for (const Expression& symbol : moving) moves_[symbol.node()] = 1;
    for (int i = 0; i < size_; ++i) for_each_input(i, [&](int k) { moves_[i] |= moves_[k]; });
  }

  HeldSwitches hold(const std::vector<Expression>& values, std::size_t deciding) {
    std::vector<char> needed(size_, 0);
    for (std::size_t k = 0; k < values.size(); ++k)
      if (!values[k].is_number()) {
        needed[values[k].node()] = 1;
        if (k < deciding) deciding_[values[k].node()] = 1;
      }
    for (int i = size_ - 1; i >= 0; --i)
      for_each_input(i, [&](int k) {
        needed[k] |= needed[i];
        deciding_[k] |= deciding_[i];
      });
    for (int i = 0; i < size_; ++i)
      if (needed[i]) make_image(i);
    for (const Expression& value : values)
      result_.values.push_back(value.is_number() ? value
                                                 : Expression(graph_, image_[value.node()]));
    return std::move(result_);
  }

 private:
  template <class Visit>
  void for_each_input(int i, Visit&& visit) {
    const Instruction x = graph_.node(i);
    if (x.op == Op::call) {
      const std::vector<int> arguments = graph_.arguments(x.b);
      for (const int k : arguments) visit(k);
    } else {
      for_each_operand(x, visit);
    }
  }

  // The sign of a function as a symbol; functions that differ by a factor share it.
  int branch_of(int function) {
    const ExpressionGraph::Term term = graph_.term(function);
    auto found = branches_.find(term.base);
    if (found == branches_.end()) {
      const Expression base(graph_, term.base);
      const std::string name = fmt::format("branch{}'", result_.branches.size() + 1);
      const Expression branch = graph_.symbol(name, base.sample() > 0 ? 1 : -1);
      result_.functions.push_back(base);
      result_.branches.push_back(branch);
      found = branches_.emplace(term.base, branch).first;
    }
    return (term.factor > 0 ? found->second : -found->second).node_in(graph_);
  }

  bool is_switch(const Instruction& x) const {
    const bool pair = x.op == Op::min || x.op == Op::max;
    const bool single =
        x.op == Op::abs || x.op == Op::sign || x.op == Op::step || x.op == Op::if_positive;
    return (single && moves_[x.a]) || (pair && (moves_[x.a] || moves_[x.b]));
  }

  int hold_switch(const Instruction& x) {
    const int a = image_[x.a];
    switch (x.op) {
      case Op::abs:
        return graph_.make(Op::multiply, branch_of(a), a);
      case Op::sign:
        return branch_of(a);
      case Op::step:
        return graph_.make(Op::if_positive, branch_of(a), graph_.make_number(1),
                           graph_.make_number(0));
      case Op::if_positive:
        return graph_.make(Op::if_positive, branch_of(a), image_[x.b], image_[x.c]);
      default: {  // min, max: by the sign of the difference
        const int b = image_[x.b];
        const int difference = graph_.make(Op::subtract, a, b);
        if (graph_.is_number(difference)) return graph_.make(x.op, a, b);
        const int branch = branch_of(difference);
        return x.op == Op::max ? graph_.make(Op::if_positive, branch, a, b)
                               : graph_.make(Op::if_positive, branch, b, a);
      }
    }
  }

  void make_image(int i) {
    const Instruction x = graph_.node(i);
    const bool pair = x.op == Op::min || x.op == Op::max;
    if (deciding_[i] && is_switch(x) && (pair || !graph_.is_number(image_[x.a]))) {
      image_[i] = hold_switch(x);
      return;
    }
    bool changed = false;
    for_each_input(i, [&](int k) { changed |= image_[k] != k; });
    if (!changed) return;
    if (x.op == Op::call) {
      std::vector<int> arguments = graph_.arguments(x.b);
      for (int& k : arguments) k = image_[k];
      image_[i] = graph_.make_call(x.a, arguments, graph_.sample(i)).node_in(graph_);
    } else if (is_table(x.op)) {
      const int order = static_cast<int>(x.op) - static_cast<int>(Op::table);
      image_[i] = graph_.make_table(graph_.table(x.a), order, image_[x.b]);
    } else {
      const int count = operand_count(x.op);
      image_[i] =
          graph_.make(x.op, image_[x.a], count > 1 ? image_[x.b] : 0, count > 2 ? image_[x.c] : 0);
    }
  }

  ExpressionGraph& graph_;
  const int size_;
  std::vector<int> image_;
  std::vector<char> moves_, deciding_;
  std::map<int, Expression> branches_;
  HeldSwitches result_;
};

}  // namespace

HeldSwitches hold_graph_switches(ExpressionGraph& graph, const std::vector<Expression>& values,
                                 std::size_t deciding, const std::vector<Expression>& moving) {
  return SwitchHolder(graph, moving).hold(values, deciding);
}

}  // namespace cartan::codegen
